// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-allocate))" --split-input-file --verify-diagnostics | FileCheck %s
// Twice, with the tile loops lowered in between, is the same.
// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-allocate,fagpu-lower-tile-loop,fagpu-allocate))" --split-input-file --verify-diagnostics | FileCheck %s

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

// What blocks without roles have lies over the rings' tiles, not over barriers; then what a block has drawn.
// CHECK-LABEL: fagpu.kernel @overlay
// CHECK-SAME: smem_bytes = 16408
// CHECK: fagpu.draw {{.*}} attributes {offset = 16400 : i64}
// CHECK: fagpu.smem {offset = 0 : i64, overlay}
// CHECK: fagpu.smem {offset = 0 : i64}
// CHECK: fagpu.ring {arrivals = 4 : i64, offset = 16384 : i64}
fagpu.kernel @overlay(%counter: memref<1xi32>, %n: i32) {
  %drawn:2 = fagpu.draw counter(%counter : memref<1xi32>) of(%n) {
  ^bb0(%ticket: i32):
    fagpu.yield %ticket, %ticket : i32, i32
  }
  %a = fagpu.smem {overlay} : !fagpu.swizzled<2x64x64xbf16>
  %b = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
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

// -----

// Launches ask for what it was.
// expected-error @+1 {{needs 48 bytes of shared memory, and had 32 allocated before}}
fagpu.kernel @grown() attributes {smem_bytes = 32 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// -----

// The producer of one block of a pair releases what the other's has sent.
// CHECK-LABEL: fagpu.kernel @inbox
// CHECK-SAME: smem_bytes = 80
// CHECK: fagpu.ring {arrivals = 4 : i64, mailbox, offset = 0 : i64} : !fagpu.ring<1>
// CHECK-NEXT: fagpu.ring {arrivals = 1 : i64, mailbox, offset = 32 : i64} : !fagpu.ring<2>
fagpu.kernel @inbox(%total: i32, %counter: memref<1xi32>) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  %inbox = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}
