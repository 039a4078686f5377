// Warps share out heads and round the sums of those that are done: one that does nothing else, and those of the consumer behind its last tile. Nobody
// waits for them, so they may wait for any block.
// RUN: split-file %s %t
// RUN: %fa-simulate %t/good.mlir --grid=2 --seeds=20 --arg=zeros:6x64x64xf32 --arg=zeros:6x50x64xbf16 --arg=zeros:6xi32 --arg=zeros:1xi32 --arg=6 --arg=16 --arg=zeros:1xi32 --arg=zeros:1xi32 | FileCheck %t/good.mlir
// Without the wait, what is not there yet is rounded; with fewer numbers than are drawn, some are drawn twice.
// RUN: sed '/await the head/d' %t/good.mlir > %t/early.mlir
// RUN: not %fa-simulate %t/early.mlir --grid=2 --seeds=20 --arg=zeros:6x64x64xf32 --arg=zeros:6x50x64xbf16 --arg=zeros:6xi32 --arg=zeros:1xi32 --arg=6 --arg=16 --arg=zeros:1xi32 --arg=zeros:1xi32 2>&1 | FileCheck %t/good.mlir --check-prefix=EARLY
// RUN: not %fa-simulate %t/good.mlir --grid=2 --seeds=20 --arg=zeros:6x64x64xf32 --arg=zeros:6x50x64xbf16 --arg=zeros:6xi32 --arg=zeros:1xi32 --arg=6 --arg=9 --arg=zeros:1xi32 --arg=zeros:1xi32 2>&1 | FileCheck %t/good.mlir --check-prefix=TWICE

// Before tiles of the role, who waits for all blocks may wait for one that has not begun.
// RUN: not %fa-simulate %t/before.mlir --grid=2 --arg=zeros:6xi32 --arg=zeros:1xi32 --arg=6 --arg=8 --arg=zeros:1xi32 2>&1 | FileCheck %t/before.mlir

//--- good.mlir
// CHECK: seed 19
// EARLY: deadlock: nobody can go on
// TWICE: deadlock: nobody can go on
fagpu.kernel @kernel(%sum: memref<6x64x64xf32>, %to: memref<6x50x64xbf16>, %done: memref<6xi32>, %taken: memref<1xi32>, %total: i32, %draws: i32, %counter: memref<1xi32>, %rounded: memref<1xi32>) {
  %i0 = arith.constant 0 : index
  %i3 = arith.constant 3 : index
  %i49 = arith.constant 49 : index
  %i63 = arith.constant 63 : index
  %two = arith.constant 2.0 : f32
  %wanted = arith.constant 6.0 : bf16
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c7 = arith.constant 7 : i32
  %three = arith.constant dense<3.0> : tensor<64x64xf32, #fagpu.acc>
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.yield
    }
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%taken : memref<1xi32>) total(%total) draws(%draws) {
    ^bb0(%number: i32):
      %head = arith.index_cast %number : i32 to index
      fagpu.await_count %done[%number] reaches(%c1) : memref<6xi32> // await the head
      fagpu.round_fragments %sum[%head, %i0] part %c0 of 2 times %two to %to[%head, %i0, %i0] {tile_dims = array<i64: 1, 2>, to_dims = array<i64: 1, 2>} : memref<6x64x64xf32>, memref<6x50x64xbf16>
      fagpu.round_fragments %sum[%head, %i0] part %c1 of 2 times %two to %to[%head, %i0, %i0] {tile_dims = array<i64: 1, 2>, to_dims = array<i64: 1, 2>} : memref<6x64x64xf32>, memref<6x50x64xbf16>
      %first = memref.load %to[%head, %i3, %i0] : memref<6x50x64xbf16>
      %last = memref.load %to[%head, %i49, %i63] : memref<6x50x64xbf16>
      %isFirst = arith.cmpf une, %first, %wanted : bf16
      %isLast = arith.cmpf une, %last, %wanted : bf16
      %wrong = arith.ori %isFirst, %isLast : i1
      // Who finds something waits for ever.
      scf.if %wrong {
        fagpu.await_count %done[%number] reaches(%c7) : memref<6xi32>
      }
      fagpu.add_count %done[%number] wraps(%c2) {relaxed} : memref<6xi32>
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      %head = arith.index_cast %tile : i32 to index
      fagpu.reduce_add %three into %sum[%head, %i0] {tile_dims = array<i64: 1, 2>} : tensor<64x64xf32, #fagpu.acc>, memref<6x64x64xf32>
      fagpu.add_count %done[%tile] wraps(%c2) : memref<6xi32>
      fagpu.yield
    }
    fagpu.for_each_number counter(%taken : memref<1xi32>) total(%total) draws(%draws) {
    ^bb0(%number: i32):
      %head = arith.index_cast %number : i32 to index
      fagpu.await_count %done[%number] reaches(%c1) : memref<6xi32> // await the head
      fagpu.round_fragments %sum[%head, %i0] part %c0 of 1 times %two to %to[%head, %i0, %i0] {tile_dims = array<i64: 1, 2>, to_dims = array<i64: 1, 2>} : memref<6x64x64xf32>, memref<6x50x64xbf16>
      %last = memref.load %to[%head, %i49, %i63] : memref<6x50x64xbf16>
      %wrong = arith.cmpf une, %last, %wanted : bf16
      scf.if %wrong {
        fagpu.await_count %done[%number] reaches(%c7) : memref<6xi32>
      }
      fagpu.add_count %done[%number] wraps(%c2) {relaxed} : memref<6xi32>
    }
  }
}

//--- before.mlir
// CHECK: error: {{.*}}waits for a block that may not have begun
fagpu.kernel @kernel(%done: memref<6xi32>, %taken: memref<1xi32>, %total: i32, %draws: i32, %counter: memref<1xi32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.yield
    }
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%taken : memref<1xi32>) total(%total) draws(%draws) {
    ^bb0(%number: i32):
      fagpu.await_count %done[%number] reaches(%c1) : memref<6xi32>
      fagpu.add_count %done[%number] wraps(%c2) : memref<6xi32>
    }
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.add_count %done[%tile] wraps(%c2) : memref<6xi32>
      fagpu.yield
    }
  }
}
