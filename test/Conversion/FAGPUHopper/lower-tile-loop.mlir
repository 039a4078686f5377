// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-lower-tile-loop))" | FileCheck %s

// The number of a tile travels with the slot; a number past the end says that there are no more.
// CHECK-LABEL: fagpu.kernel @dynamic
// CHECK: fagpu.ring {mailbox}
// CHECK: fagpu.role producer
// CHECK: scf.while (%[[T:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) : (i32, !fagpu.cursor<1>)
// CHECK-NEXT: fagpu.acquire %[[R:.*]][%[[C]]]
// CHECK-NEXT: fagpu.publish %[[T]] in %[[R]]
// CHECK-NEXT: arith.cmpi ult
// CHECK-NEXT: scf.condition
// CHECK: atom.global.inc.u32
// CHECK: fagpu.commit {{.*}} bytes 8192
// CHECK: scf.yield
// CHECK: fagpu.commit {{.*}} bytes 0
// CHECK: fagpu.role consumer
// CHECK: scf.while
// CHECK-NEXT: fagpu.wait_full
// CHECK-NEXT: fagpu.read_published
// CHECK-NEXT: arith.cmpi ult
// CHECK-NEXT: scf.condition
// CHECK: fagpu.release
// CHECK: fagpu.advance
// CHECK: scf.yield
// CHECK-NOT: fagpu.for_each_tile
fagpu.kernel @dynamic(%map: !fagpu.tensor_map<64x64xbf16>, %total: i32, %counter: !llvm.ptr<1>) {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.tma_load %map[%tile, %tile] to %s[%c] on %r[%c]
        : !fagpu.tensor_map<64x64xbf16>, !fagpu.swizzled<1x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// The slot is taken in the body, and nothing has to be told. Arithmetic on the tile's number does not wait for it.
// CHECK-LABEL: fagpu.kernel @static
// CHECK-NOT: mailbox
// CHECK: scf.while
// CHECK-NEXT: arith.cmpi ult
// CHECK: nctaid
// CHECK: arith.addi
// CHECK-NEXT: arith.muli
// CHECK-NEXT: fagpu.wait_full
// CHECK-NEXT: fagpu.release
fagpu.kernel @static(%total: i32) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile static total(%total) via(%r : !fagpu.ring<1>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      %row = arith.muli %tile, %tile : i32
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// CHECK-LABEL: fagpu.kernel @none
// CHECK: ctaid
// CHECK-NOT: scf.while
// CHECK: fagpu.wait_full
// CHECK-NEXT: fagpu.release
fagpu.kernel @none(%total: i32) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile none total(%total) via(%r : !fagpu.ring<1>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// What has been drawn before is the tile's number: no mailbox.
// CHECK-LABEL: fagpu.kernel @drawn
// CHECK-SAME: %[[TOTAL:.*]]: i32, %[[NUMBER:.*]]: i32
// CHECK-NOT: mailbox
// CHECK: fagpu.wait_full
// CHECK: arith.muli %[[NUMBER]], %[[NUMBER]]
fagpu.kernel @drawn(%total: i32, %number: i32) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile ticket total(%total) via(%r : !fagpu.ring<1>) counter(%number : i32) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      %row = arith.muli %tile, %tile : i32
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}
