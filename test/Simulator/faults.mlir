// RUN: split-file %s %t
// RUN: not %fa-simulate %t/deadlock.mlir --arg=random:1x64x64xbf16 2>&1 | FileCheck %t/deadlock.mlir
// RUN: not %fa-simulate %t/early.mlir --arg=random:1x64x64xbf16 2>&1 | FileCheck %t/early.mlir
// RUN: not %fa-simulate %t/phase.mlir --arg=random:1x64x64xbf16 2>&1 | FileCheck %t/phase.mlir
// RUN: not %fa-simulate %t/balance.mlir --arg=random:1x64x64xbf16 2>&1 | FileCheck %t/balance.mlir
// RUN: not %fa-simulate %t/turns.mlir 2>&1 | FileCheck %t/turns.mlir
// RUN: not %fa-simulate %t/pass.mlir 2>&1 | FileCheck %t/pass.mlir
// RUN: not %fa-simulate %t/balance.mlir 2>&1 | FileCheck %s --check-prefix=ARGS
// RUN: not %fa-simulate %t/balance.mlir --arg=noise:64xbf16 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: %fa-simulate --help | FileCheck %s --check-prefix=HELP

// HELP: Examples
// HELP: fa-simulate options:
// HELP-NOT: --abort
// HELP: --arg=
// HELP-NOT: --x86
// ARGS: fa-simulate: the kernel needs 1 --arg, got 0
// KIND: fa-simulate: --arg=noise:64xbf16 is not random:SHAPExTYPE

//--- deadlock.mlir
// The consumer waits for a second load that nobody starts.
fagpu.kernel @deadlock(%map: !fagpu.tensor_map<64x64xbf16>) {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.tma_load %map[%c0, %c0] to %s[%c] on %r[%c]
      : !fagpu.tensor_map<64x64xbf16>, !fagpu.swizzled<1x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>, !fagpu.cursor<1>
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    %d = fagpu.advance %c : !fagpu.cursor<1>
    // CHECK: deadlock.mlir:[[@LINE+2]]:{{.*}}error: {{.*}}deadlock: nobody can go on
    // CHECK: note: block 0, consumer 0 waits here
    fagpu.wait_full %r[%d] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %r[%d] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

//--- early.mlir
// The consumer reads a tile before it waits for it.
fagpu.kernel @early(%map: !fagpu.tensor_map<64x64xbf16>) {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.tma_load %map[%c0, %c0] to %s[%c] on %r[%c]
      : !fagpu.tensor_map<64x64xbf16>, !fagpu.swizzled<1x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>, !fagpu.cursor<1>
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    // CHECK: early.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}early read: this warpgroup has not waited for what is in the tile
    %p = fagpu.wgmma %s[%c : !fagpu.cursor<1>], %s[%c : !fagpu.cursor<1>]
      : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>)
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

//--- phase.mlir
// The consumer is two rounds ahead: the barrier's parity lets it pass.
fagpu.kernel @phase(%map: !fagpu.tensor_map<64x64xbf16>) {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.tma_load %map[%c0, %c0] to %s[%c] on %r[%c]
      : !fagpu.tensor_map<64x64xbf16>, !fagpu.swizzled<1x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>, !fagpu.cursor<1>
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %first = fagpu.cursor : !fagpu.cursor<1>
    %second = fagpu.advance %first : !fagpu.cursor<1>
    %c = fagpu.advance %second : !fagpu.cursor<1>
    // CHECK: phase.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}wrong phase: slot 0 was filled 1 times, and round 2 is waited for
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

//--- balance.mlir
// A tile is loaded that nobody takes.
fagpu.kernel @balance(%map: !fagpu.tensor_map<64x64xbf16>) {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  // CHECK: balance.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}unbalanced ring: filled 2 times, released 1 times
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = scf.for %i = %c0 to %c2 step %c1 iter_args(%c = %first) -> (!fagpu.cursor<2>) : i32 {
      fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %map[%c0, %c0] to %s[%c] on %r[%c]
        : !fagpu.tensor_map<64x64xbf16>, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %next = fagpu.advance %c : !fagpu.cursor<2>
      scf.yield %next : !fagpu.cursor<2>
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

//--- turns.mlir
// One warpgroup takes two turns, the other one.
fagpu.kernel @turns() {
  fagpu.role consumer warpgroups(2) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %wg, %c0 : i32
    scf.if %first {
    } else {
      fagpu.pass_turn %wg
    }
    fagpu.await_turn %wg
    fagpu.pass_turn %wg
    scf.if %first {
    } else {
      // CHECK: turns.mlir:[[@LINE+2]]:{{.*}}error: {{.*}}deadlock: nobody can go on
      // CHECK: note: block 0, consumer 1 waits here
      fagpu.await_turn %wg
    }
  }
}

//--- pass.mlir
// A hardware barrier would take the second arrival for another warpgroup's.
fagpu.kernel @pass() {
  fagpu.role consumer warpgroups(2) registers(40) {
  ^bb0(%wg: i32):
    fagpu.pass_turn %wg
    // CHECK: pass.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}passes on a turn that is not its own
    fagpu.pass_turn %wg
  }
}
