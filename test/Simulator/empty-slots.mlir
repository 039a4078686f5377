// Outputs leave through a slot that is given empty: nothing may be loaded into it before they have been read, and nobody else's slot is written.
// RUN: split-file %s %t
// RUN: %fa-simulate %t/good.mlir --grid=2 --seeds=20 --arg=random:1x384x64xbf16 --arg=zeros:1x384x64xbf16 --arg=6 --arg=zeros:1xi32 | FileCheck %s --check-prefix=GOOD
// RUN: not %fa-simulate %t/undrained.mlir --grid=2 --arg=random:1x384x64xbf16 --arg=zeros:1x384x64xbf16 --arg=6 --arg=zeros:1xi32 2>&1 | FileCheck %t/undrained.mlir
// RUN: not %fa-simulate %t/released.mlir --grid=2 --arg=random:1x384x64xbf16 --arg=zeros:1x384x64xbf16 --arg=6 --arg=zeros:1xi32 2>&1 | FileCheck %t/released.mlir
// RUN: not %fa-simulate %t/other-slot.mlir --grid=2 --arg=random:1x384x64xbf16 --arg=zeros:1x384x64xbf16 --arg=6 --arg=zeros:1xi32 2>&1 | FileCheck %t/other-slot.mlir
// RUN: not %fa-simulate %t/not-given.mlir --grid=2 --arg=random:1x384x64xbf16 --arg=zeros:1x384x64xbf16 --arg=6 --arg=zeros:1xi32 2>&1 | FileCheck %t/not-given.mlir

// GOOD: seed 19

//--- good.mlir
!map = !fagpu.tensor_map<64x64xbf16>
!acc = tensor<64x64xf32, #fagpu.acc>
fagpu.kernel @kernel(%from: !map, %to: !map, %total: i32, %counter: !llvm.ptr<1>) {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<1>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %from[%row, %c0] to %s[%c] on %r[%c]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.acquire %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%d] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %from[%row, %c0] to %s[%d] on %r[%d]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %next = fagpu.advance %d : !fagpu.cursor<2>
      fagpu.acquire %r[%next] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%next] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      %after = fagpu.advance %next : !fagpu.cursor<2>
      fagpu.yield %after : !fagpu.cursor<2>
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %p = fagpu.wgmma %s[%c : !fagpu.cursor<2>], %s[%c : !fagpu.cursor<2>]
        : !fagpu.swizzled<2x64x64xbf16>, !fagpu.swizzled<2x64x64xbf16> -> !fagpu.pending<64x64xf32>
      %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x64xf32>) -> (!acc)
      fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.wait_full %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.release %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      %empty = fagpu.advance %d : !fagpu.cursor<2>
      fagpu.wait_full %r[%empty] : !fagpu.ring<2>, !fagpu.cursor<2>
      %slot = fagpu.slot %empty : !fagpu.cursor<2>
      fagpu.tma_store %t by %s[%slot] to %to[%row, %c0] {drain} : !acc, !fagpu.swizzled<2x64x64xbf16>, !map
      fagpu.release %r[%empty] : !fagpu.ring<2>, !fagpu.cursor<2>
      %after = fagpu.advance %empty : !fagpu.cursor<2>
      fagpu.yield %after : !fagpu.cursor<2>
    }
  }
}

//--- undrained.mlir
// The copy may still read when the slot is released: loads of the next tile would be what it stores.
!map = !fagpu.tensor_map<64x64xbf16>
!acc = tensor<64x64xf32, #fagpu.acc>
fagpu.kernel @kernel(%from: !map, %to: !map, %total: i32, %counter: !llvm.ptr<1>) {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<1>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %from[%row, %c0] to %s[%c] on %r[%c]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.acquire %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%d] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      // CHECK: undrained.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}early write: a store through this tile may not have read it
      fagpu.tma_load %from[%row, %c0] to %s[%d] on %r[%d]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %next = fagpu.advance %d : !fagpu.cursor<2>
      fagpu.acquire %r[%next] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%next] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      %after = fagpu.advance %next : !fagpu.cursor<2>
      fagpu.yield %after : !fagpu.cursor<2>
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %p = fagpu.wgmma %s[%c : !fagpu.cursor<2>], %s[%c : !fagpu.cursor<2>]
        : !fagpu.swizzled<2x64x64xbf16>, !fagpu.swizzled<2x64x64xbf16> -> !fagpu.pending<64x64xf32>
      %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x64xf32>) -> (!acc)
      fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.wait_full %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.release %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      %empty = fagpu.advance %d : !fagpu.cursor<2>
      fagpu.wait_full %r[%empty] : !fagpu.ring<2>, !fagpu.cursor<2>
      %slot = fagpu.slot %empty : !fagpu.cursor<2>
      fagpu.tma_store %t by %s[%slot] to %to[%row, %c0] : !acc, !fagpu.swizzled<2x64x64xbf16>, !map
      fagpu.release %r[%empty] : !fagpu.ring<2>, !fagpu.cursor<2>
      %after = fagpu.advance %empty : !fagpu.cursor<2>
      fagpu.yield %after : !fagpu.cursor<2>
    }
  }
}

//--- released.mlir
// The slot goes back before the outputs are in it.
!map = !fagpu.tensor_map<64x64xbf16>
!acc = tensor<64x64xf32, #fagpu.acc>
fagpu.kernel @kernel(%from: !map, %to: !map, %total: i32, %counter: !llvm.ptr<1>) {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<1>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %from[%row, %c0] to %s[%c] on %r[%c]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.acquire %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%d] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %from[%row, %c0] to %s[%d] on %r[%d]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %next = fagpu.advance %d : !fagpu.cursor<2>
      fagpu.acquire %r[%next] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%next] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      %after = fagpu.advance %next : !fagpu.cursor<2>
      fagpu.yield %after : !fagpu.cursor<2>
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %p = fagpu.wgmma %s[%c : !fagpu.cursor<2>], %s[%c : !fagpu.cursor<2>]
        : !fagpu.swizzled<2x64x64xbf16>, !fagpu.swizzled<2x64x64xbf16> -> !fagpu.pending<64x64xf32>
      %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x64xf32>) -> (!acc)
      fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.wait_full %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.release %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      %empty = fagpu.advance %d : !fagpu.cursor<2>
      fagpu.wait_full %r[%empty] : !fagpu.ring<2>, !fagpu.cursor<2>
      %slot = fagpu.slot %empty : !fagpu.cursor<2>
      fagpu.release %r[%empty] : !fagpu.ring<2>, !fagpu.cursor<2>
      // CHECK: released.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}early write: this warpgroup does not have the slot that it stores through
      fagpu.tma_store %t by %s[%slot] to %to[%row, %c0] {drain} : !acc, !fagpu.swizzled<2x64x64xbf16>, !map
      %after = fagpu.advance %empty : !fagpu.cursor<2>
      fagpu.yield %after : !fagpu.cursor<2>
    }
  }
}

//--- other-slot.mlir
// The slot beside it has rows, of this tile or the next.
!map = !fagpu.tensor_map<64x64xbf16>
!acc = tensor<64x64xf32, #fagpu.acc>
fagpu.kernel @kernel(%from: !map, %to: !map, %total: i32, %counter: !llvm.ptr<1>) {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<1>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %from[%row, %c0] to %s[%c] on %r[%c]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.acquire %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%d] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %from[%row, %c0] to %s[%d] on %r[%d]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %next = fagpu.advance %d : !fagpu.cursor<2>
      fagpu.acquire %r[%next] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%next] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
      %after = fagpu.advance %next : !fagpu.cursor<2>
      fagpu.yield %after : !fagpu.cursor<2>
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %p = fagpu.wgmma %s[%c : !fagpu.cursor<2>], %s[%c : !fagpu.cursor<2>]
        : !fagpu.swizzled<2x64x64xbf16>, !fagpu.swizzled<2x64x64xbf16> -> !fagpu.pending<64x64xf32>
      %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x64xf32>) -> (!acc)
      fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.wait_full %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.release %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      %empty = fagpu.advance %d : !fagpu.cursor<2>
      fagpu.wait_full %r[%empty] : !fagpu.ring<2>, !fagpu.cursor<2>
      %slot = fagpu.slot %empty : !fagpu.cursor<2>
      %other = arith.xori %slot, %c1 : i32
      // CHECK: other-slot.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}early write: this warpgroup does not have the slot that it stores through
      fagpu.tma_store %t by %s[%other] to %to[%row, %c0] {drain} : !acc, !fagpu.swizzled<2x64x64xbf16>, !map
      fagpu.release %r[%empty] : !fagpu.ring<2>, !fagpu.cursor<2>
      %after = fagpu.advance %empty : !fagpu.cursor<2>
      fagpu.yield %after : !fagpu.cursor<2>
    }
  }
}

//--- not-given.mlir
// The loader keeps the slot, and loads the next rows into it.
!map = !fagpu.tensor_map<64x64xbf16>
!acc = tensor<64x64xf32, #fagpu.acc>
fagpu.kernel @kernel(%from: !map, %to: !map, %total: i32, %counter: !llvm.ptr<1>) {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %tiles = fagpu.ring {mailbox} : !fagpu.ring<1>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.commit %tiles[%at] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %from[%row, %c0] to %s[%c] on %r[%c]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.acquire %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.commit %r[%d] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.tma_load %from[%row, %c0] to %s[%d] on %r[%d]
        : !map, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      %next = fagpu.advance %d : !fagpu.cursor<2>
      fagpu.yield %next : !fagpu.cursor<2>
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = fagpu.for_each_tile dynamic total(%total) via(%tiles : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !fagpu.cursor<2>) -> !fagpu.cursor<2> {
    ^bb0(%tile: i32, %at: !fagpu.cursor<1>, %c: !fagpu.cursor<2>):
      fagpu.release %tiles[%at] : !fagpu.ring<1>, !fagpu.cursor<1>
      %row = arith.muli %tile, %c64 : i32
      fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %p = fagpu.wgmma %s[%c : !fagpu.cursor<2>], %s[%c : !fagpu.cursor<2>]
        : !fagpu.swizzled<2x64x64xbf16>, !fagpu.swizzled<2x64x64xbf16> -> !fagpu.pending<64x64xf32>
      %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x64xf32>) -> (!acc)
      fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      %d = fagpu.advance %c : !fagpu.cursor<2>
      fagpu.wait_full %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      fagpu.release %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
      %empty = fagpu.advance %d : !fagpu.cursor<2>
      %slot = fagpu.slot %empty : !fagpu.cursor<2>
      // CHECK: not-given.mlir:[[@LINE+1]]:{{.*}}error: {{.*}}early write: this warpgroup does not have the slot that it stores through
      fagpu.tma_store %t by %s[%slot] to %to[%row, %c0] {drain} : !acc, !fagpu.swizzled<2x64x64xbf16>, !map
      fagpu.yield %empty : !fagpu.cursor<2>
    }
  }
}
