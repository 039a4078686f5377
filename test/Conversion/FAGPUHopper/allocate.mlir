// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-allocate))" --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: fagpu.kernel @offsets
// CHECK-SAME: smem_bytes = 48176
// CHECK: fagpu.smem {offset = 0 : i64}
// CHECK: fagpu.smem {offset = 8192 : i64}
// CHECK: fagpu.ring {arrivals = 8 : i64, mailbox, offset = 48128 : i64} : !fagpu.ring<2>
fagpu.kernel @offsets() {
  %a = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  %b = fagpu.smem : !fagpu.swizzled<3x104x64xbf16>
  %r = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role consumer warpgroups(2) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// -----

// expected-error @+1 {{needs 262144 bytes of shared memory, a block has 232448: choose smaller tiles, fewer stages or fewer blocks}}
fagpu.kernel @too_much() {
  %a = fagpu.smem : !fagpu.swizzled<8x128x128xbf16>
  fagpu.role producer warpgroups(1) registers(40) {
  }
}

// -----

fagpu.kernel @nobody_releases() {
  // expected-error @+1 {{no role releases this ring}}
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
  }
}
