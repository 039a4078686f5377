// Two blocks that fill each other's slots: what arrives first does not matter, and what is wrong is found.
// RUN: split-file %s %t
// RUN: %fa-simulate %t/good.mlir --grid=4 --seeds=20 --arg=4 | FileCheck %s --check-prefix=GOOD
// RUN: not %fa-simulate %t/good.mlir --grid=3 --arg=3 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not %fa-simulate %t/deadlock.mlir --grid=2 --arg=2 2>&1 | FileCheck %t/deadlock.mlir
// RUN: not %fa-simulate %t/unfenced.mlir --grid=2 2>&1 | FileCheck %t/unfenced.mlir
// RUN: not %fa-simulate %t/unwritten.mlir --grid=2 2>&1 | FileCheck %t/unwritten.mlir

// GOOD: seed 19
// ODD: error: {{.*}}a grid of 3 blocks cannot be made of clusters of 2

//--- good.mlir
fagpu.kernel @good(%total: i32) attributes {cluster = 2 : i64} {
  %s = fagpu.smem : !fagpu.swizzled<4x64x64xbf16>
  %tiles = fagpu.ring : !fagpu.ring<1>
  %r = fagpu.ring {paired} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile none total(%total) via(%tiles : !fagpu.ring<1>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #fagpu.a_op>
    fagpu.for_each_tile none total(%total) via(%tiles : !fagpu.ring<1>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>):
      %first = fagpu.cursor : !fagpu.cursor<2>
      %end = scf.for %i = %c0 to %c7 step %c1 iter_args(%c = %first) -> (!fagpu.cursor<2>) : i32 {
        fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
        fagpu.store_fragments %t to %s[%c : !fagpu.cursor<2>] part %c0 : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<4x64x64xbf16>
        fagpu.send %s[%c] from 0 to 1 on %r : !fagpu.swizzled<4x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>
        fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
        %next = fagpu.advance %c : !fagpu.cursor<2>
        scf.yield %next : !fagpu.cursor<2>
      }
      fagpu.release %tiles[%at] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = scf.for %i = %c0 to %c7 step %c1 iter_args(%c = %first) -> (!fagpu.cursor<2>) : i32 {
      fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %both = fagpu.read_fragments %s[%c : !fagpu.cursor<2>] {rows_are_columns, tiles = 2 : i64} : !fagpu.swizzled<4x64x64xbf16> -> tensor<64x128xbf16, #fagpu.a_op>
      fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %next = fagpu.advance %c : !fagpu.cursor<2>
      scf.yield %next : !fagpu.cursor<2>
    }
  }
}

//--- deadlock.mlir
// The second block of the pair has one tile more than the first, which it waits for.
fagpu.kernel @deadlock(%total: i32) attributes {cluster = 2 : i64} {
  %s = fagpu.smem : !fagpu.swizzled<4x64x64xbf16>
  %tiles = fagpu.ring : !fagpu.ring<1>
  %r = fagpu.ring {paired} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile none total(%total) via(%tiles : !fagpu.ring<1>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #fagpu.a_op>
    fagpu.for_each_tile none total(%total) via(%tiles : !fagpu.ring<1>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>):
      %first = fagpu.cursor : !fagpu.cursor<2>
      %n = arith.addi %tile, %c1 : i32
      %end = scf.for %i = %c0 to %n step %c1 iter_args(%c = %first) -> (!fagpu.cursor<2>) : i32 {
        fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
        fagpu.store_fragments %t to %s[%c : !fagpu.cursor<2>] part %c0 : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<4x64x64xbf16>
        fagpu.send %s[%c] from 0 to 1 on %r : !fagpu.swizzled<4x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>
        fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
        fagpu.wait_full %r[%c] {early} : !fagpu.ring<2>, !fagpu.cursor<2>
        %next = fagpu.advance %c : !fagpu.cursor<2>
        scf.yield %next : !fagpu.cursor<2>
      }
      fagpu.release %tiles[%at] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
  // CHECK: error: {{.*}}deadlock: nobody can go on
  // CHECK: note: block 1, consumer 0 waits here
}

//--- unfenced.mlir
fagpu.kernel @unfenced() attributes {cluster = 2 : i64} {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %r = fagpu.ring {paired} : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #fagpu.a_op>
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.store_fragments %t to %s[%c : !fagpu.cursor<1>] part %wg {unfenced} : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<2x64x64xbf16>
    // CHECK: unfenced.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}early read: ordinary stores have filled the tile, and nobody has fenced since
    fagpu.send %s[%c] from 0 to 1 on %r : !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>
    fagpu.fence_proxy
    fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

//--- unwritten.mlir
fagpu.kernel @unwritten() attributes {cluster = 2 : i64} {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %r = fagpu.ring {paired} : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #fagpu.a_op>
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    // CHECK: unwritten.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}early read: this warpgroup has not written the tile since it took the slot
    fagpu.send %s[%c] from 0 to 1 on %r : !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>
    fagpu.store_fragments %t to %s[%c : !fagpu.cursor<1>] part %wg : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<2x64x64xbf16>
    fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}
