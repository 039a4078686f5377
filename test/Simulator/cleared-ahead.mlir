// Memory is cleared some tiles ahead of who waits for it. What a block waits for must come from those that drew before it: others may not have begun.
// RUN: split-file %s %t
// RUN: %fa-simulate %t/good.mlir --grid=2 --seeds=20 --arg=random:6x4x64xf32 --arg=zeros:6xi32 --arg=zeros:1xi32 --arg=6 --arg=zeros:1xi32 | FileCheck %t/good.mlir
// RUN: not %fa-simulate %t/late.mlir --grid=2 --arg=random:6x4x64xf32 --arg=zeros:6xi32 --arg=zeros:1xi32 --arg=6 --arg=zeros:1xi32 2>&1 | FileCheck %t/late.mlir
// RUN: not %fa-simulate %t/never.mlir --grid=2 --arg=random:6x4x64xf32 --arg=zeros:6xi32 --arg=zeros:1xi32 --arg=6 --arg=zeros:1xi32 2>&1 | FileCheck %t/never.mlir
// RUN: not %fa-simulate %t/early.mlir --grid=2 --arg=random:6x4x64xf32 --arg=zeros:6xi32 --arg=zeros:1xi32 --arg=6 --arg=zeros:1xi32 2>&1 | FileCheck %t/early.mlir
// RUN: not %fa-simulate %t/outside.mlir --grid=2 --arg=random:6x4x64xf32 --arg=zeros:6xi32 --arg=zeros:1xi32 --arg=6 --arg=zeros:1xi32 2>&1 | FileCheck %t/outside.mlir

//--- good.mlir
// CHECK: seed 19
fagpu.kernel @kernel(%sum: memref<6x4x64xf32>, %done: memref<6xi32>, %taken: memref<1xi32>, %total: i32, %counter: memref<1xi32>) {
  %i0 = arith.constant 0 : index
  %i3 = arith.constant 3 : index
  %i63 = arith.constant 63 : index
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.yield
    }
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    // The first four, before all tiles: blocks take them in turn, and each one more that is none.
    fagpu.for_each_number counter(%taken : memref<1xi32>) total(%c4) draws(%c6) {
    ^bb0(%n: i32):
      fagpu.clear %sum[%n] count(%c1) : memref<6x4x64xf32>
      fagpu.add_count %done[%n] wraps(%c2) : memref<6xi32>
    }
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      %number = arith.addi %tile, %c4 : i32
      %is = arith.cmpi slt, %number, %total : i32
      scf.if %is {
        fagpu.clear %sum[%number] count(%c1) : memref<6x4x64xf32>
        fagpu.add_count %done[%number] wraps(%c2) : memref<6xi32>
      }
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.await_count %done[%tile] reaches(%c1) : memref<6xi32>
      %head = arith.index_cast %tile : i32 to index
      %first = memref.load %sum[%head, %i0, %i0] : memref<6x4x64xf32>
      %last = memref.load %sum[%head, %i3, %i63] : memref<6x4x64xf32>
      %both = arith.addf %first, %last : f32
      %wrong = arith.cmpf une, %both, %zero : f32
      // Who finds something waits for ever.
      scf.if %wrong {
        fagpu.await_count %done[%tile] reaches(%c5) : memref<6xi32>
      }
      fagpu.add_count %done[%tile] wraps(%c2) : memref<6xi32>
      fagpu.yield
    }
  }
}

//--- late.mlir
// Each block clears what the one before it waits for.
fagpu.kernel @kernel(%sum: memref<6x4x64xf32>, %done: memref<6xi32>, %taken: memref<1xi32>, %total: i32, %counter: memref<1xi32>) {
  %i0 = arith.constant 0 : index
  %i3 = arith.constant 3 : index
  %i63 = arith.constant 63 : index
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.yield
    }
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      %before = arith.addi %tile, %total : i32
      %same = arith.subi %before, %c1 : i32
      %number = arith.remui %same, %total : i32
      %is = arith.cmpi slt, %number, %total : i32
      scf.if %is {
        fagpu.clear %sum[%number] count(%c1) : memref<6x4x64xf32>
        fagpu.add_count %done[%number] wraps(%c2) : memref<6xi32>
      }
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      // CHECK: late.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}waits for a block that may not have begun
      fagpu.await_count %done[%tile] reaches(%c1) : memref<6xi32>
      %head = arith.index_cast %tile : i32 to index
      %first = memref.load %sum[%head, %i0, %i0] : memref<6x4x64xf32>
      %last = memref.load %sum[%head, %i3, %i63] : memref<6x4x64xf32>
      %both = arith.addf %first, %last : f32
      %wrong = arith.cmpf une, %both, %zero : f32
      // Who finds something waits for ever.
      scf.if %wrong {
        fagpu.await_count %done[%tile] reaches(%c5) : memref<6xi32>
      }
      fagpu.add_count %done[%tile] wraps(%c2) : memref<6xi32>
      fagpu.yield
    }
  }
}

//--- never.mlir
// Nobody clears what the first tiles wait for.
fagpu.kernel @kernel(%sum: memref<6x4x64xf32>, %done: memref<6xi32>, %taken: memref<1xi32>, %total: i32, %counter: memref<1xi32>) {
  %i0 = arith.constant 0 : index
  %i3 = arith.constant 3 : index
  %i63 = arith.constant 63 : index
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.yield
    }
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      %number = arith.addi %tile, %c4 : i32
      %is = arith.cmpi slt, %number, %total : i32
      scf.if %is {
        fagpu.clear %sum[%number] count(%c1) : memref<6x4x64xf32>
        fagpu.add_count %done[%number] wraps(%c2) : memref<6xi32>
      }
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      // CHECK: error: deadlock: nobody can go on
      // CHECK: never.mlir:[[@LINE+1]]:{{.*}}note: block 0, consumer 0 waits here
      fagpu.await_count %done[%tile] reaches(%c1) : memref<6xi32>
      %head = arith.index_cast %tile : i32 to index
      %first = memref.load %sum[%head, %i0, %i0] : memref<6x4x64xf32>
      %last = memref.load %sum[%head, %i3, %i63] : memref<6x4x64xf32>
      %both = arith.addf %first, %last : f32
      %wrong = arith.cmpf une, %both, %zero : f32
      // Who finds something waits for ever.
      scf.if %wrong {
        fagpu.await_count %done[%tile] reaches(%c5) : memref<6xi32>
      }
      fagpu.add_count %done[%tile] wraps(%c2) : memref<6xi32>
      fagpu.yield
    }
  }
}

//--- outside.mlir
// More than there is behind the last number.
fagpu.kernel @kernel(%sum: memref<6x4x64xf32>, %done: memref<6xi32>, %taken: memref<1xi32>, %total: i32, %counter: memref<1xi32>) {
  %i0 = arith.constant 0 : index
  %i3 = arith.constant 3 : index
  %i63 = arith.constant 63 : index
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.yield
    }
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    // The first four, before all tiles: blocks take them in turn, and each one more that is none.
    fagpu.for_each_number counter(%taken : memref<1xi32>) total(%c4) draws(%c6) {
    ^bb0(%n: i32):
      fagpu.clear %sum[%n] count(%c1) : memref<6x4x64xf32>
      fagpu.add_count %done[%n] wraps(%c2) : memref<6xi32>
    }
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      %number = arith.addi %tile, %c4 : i32
      %is = arith.cmpi slt, %number, %total : i32
      scf.if %is {
        // CHECK: outside.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}clears what is not in the buffer
        fagpu.clear %sum[%number] count(%c2) : memref<6x4x64xf32>
        fagpu.add_count %done[%number] wraps(%c2) : memref<6xi32>
      }
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.await_count %done[%tile] reaches(%c1) : memref<6xi32>
      %head = arith.index_cast %tile : i32 to index
      %first = memref.load %sum[%head, %i0, %i0] : memref<6x4x64xf32>
      %last = memref.load %sum[%head, %i3, %i63] : memref<6x4x64xf32>
      %both = arith.addf %first, %last : f32
      %wrong = arith.cmpf une, %both, %zero : f32
      // Who finds something waits for ever.
      scf.if %wrong {
        fagpu.await_count %done[%tile] reaches(%c5) : memref<6xi32>
      }
      fagpu.add_count %done[%tile] wraps(%c2) : memref<6xi32>
      fagpu.yield
    }
  }
}

//--- early.mlir
// Nobody waits: some add to what is not 0 yet.
fagpu.kernel @kernel(%sum: memref<6x4x64xf32>, %done: memref<6xi32>, %taken: memref<1xi32>, %total: i32, %counter: memref<1xi32>) {
  %i0 = arith.constant 0 : index
  %i3 = arith.constant 3 : index
  %i63 = arith.constant 63 : index
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.yield
    }
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    // The first four, before all tiles: blocks take them in turn, and each one more that is none.
    fagpu.for_each_number counter(%taken : memref<1xi32>) total(%c4) draws(%c6) {
    ^bb0(%n: i32):
      fagpu.clear %sum[%n] count(%c1) : memref<6x4x64xf32>
      fagpu.add_count %done[%n] wraps(%c2) : memref<6xi32>
    }
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      %number = arith.addi %tile, %c4 : i32
      %is = arith.cmpi slt, %number, %total : i32
      scf.if %is {
        fagpu.clear %sum[%number] count(%c1) : memref<6x4x64xf32>
        fagpu.add_count %done[%number] wraps(%c2) : memref<6xi32>
      }
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%total) via(%tiles : !fagpu.ring<2>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %at: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.await_count %done[%tile] reaches(%c0) : memref<6xi32>
      %head = arith.index_cast %tile : i32 to index
      %first = memref.load %sum[%head, %i0, %i0] : memref<6x4x64xf32>
      %last = memref.load %sum[%head, %i3, %i63] : memref<6x4x64xf32>
      %both = arith.addf %first, %last : f32
      %wrong = arith.cmpf une, %both, %zero : f32
      // Who finds something waits for ever.
      scf.if %wrong {
        // CHECK: error: deadlock: nobody can go on
        // CHECK: early.mlir:[[@LINE+1]]:{{.*}}note: block {{.*}}, consumer 0 waits here
        fagpu.await_count %done[%tile] reaches(%c5) : memref<6xi32>
      }
      fagpu.add_count %done[%tile] wraps(%c2) : memref<6xi32>
      fagpu.yield
    }
  }
}
