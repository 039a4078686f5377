// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-lower-tile-loop))" | FileCheck %s

// The number of a tile travels with the slot; a number past the end says that there are no more.
// CHECK-LABEL: fagpu.kernel @dynamic
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
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
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

// Of a pair the first block draws for both: two tiles a number, of half as many. It asks before the tile and tells the other block behind it, whose
// producer waits for it in the inbox. The number after the last ends both.
// CHECK-LABEL: fagpu.kernel @pair
// CHECK-SAME: %[[TOTAL:[^:]*]]: i32, %[[COUNTER:[^:]*]]: !llvm.ptr<1>
// CHECK: %[[TILES:.*]] = fagpu.ring {mailbox}
// CHECK-NEXT: %[[INBOX:.*]] = fagpu.ring {mailbox}
// CHECK: fagpu.role producer
// CHECK: %[[FIRST:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[LOOP:.*]]:3 = scf.while (%[[T:.*]] = %[[FIRST]], %[[C:.*]] = %{{.*}}, %[[IC:.*]] = %{{.*}}) : (i32, !fagpu.cursor<1>, !fagpu.cursor<2>)
// CHECK-NEXT: fagpu.acquire %[[TILES]][%[[C]]]
// CHECK-NEXT: fagpu.publish %[[T]] in %[[TILES]]
// CHECK-NEXT: arith.cmpi ult, %[[T]], %[[TOTAL]]
// CHECK-NEXT: scf.condition
// CHECK: ^bb0(%{{.*}}: i32, %[[C:.*]]: !fagpu.cursor<1>, %[[IC:.*]]: !fagpu.cursor<2>):
// CHECK: nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[DRAWN:.*]] = scf.if {{.*}} -> (i32) {
// CHECK: %[[PAIRS:.*]] = arith.divui %[[TOTAL]], %c2
// CHECK: %[[LAST:.*]] = arith.subi %[[PAIRS]], %c1
// CHECK: llvm.inline_asm {{.*}}atom.global.inc.u32{{.*}} %[[COUNTER]], %[[LAST]]
// CHECK: } else {
// CHECK-NOT: atom
// CHECK: scf.yield
// CHECK: fagpu.commit %[[TILES]][%[[C]]] bytes 0
// CHECK: %[[NUMBER:.*]] = scf.if {{.*}} -> (i32) {
// CHECK: fagpu.send_number %[[DRAWN]] to %[[INBOX]][%[[IC]]]
// CHECK-NEXT: scf.yield %[[DRAWN]]
// CHECK: } else {
// CHECK-NEXT: fagpu.commit %[[INBOX]][%[[IC]]] bytes 4
// CHECK-NEXT: fagpu.wait_full %[[INBOX]][%[[IC]]]
// CHECK-NEXT: %[[READ:.*]] = fagpu.read_published %[[INBOX]][%[[IC]]]
// CHECK-NEXT: fagpu.release %[[INBOX]][%[[IC]]]
// CHECK-NEXT: scf.yield %[[READ]]
// CHECK: %[[TWICE:.*]] = arith.muli %[[NUMBER]], %c2
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[OWN:.*]] = arith.addi %[[TWICE]], %[[RANK]]
// CHECK: %[[BLOCKS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[NEXT:.*]] = arith.addi %[[OWN]], %[[BLOCKS]]
// CHECK-DAG: %[[INEXT:.*]] = fagpu.advance %[[IC]]
// CHECK-DAG: %[[CNEXT:.*]] = fagpu.advance %[[C]] : !fagpu.cursor<1>
// CHECK: scf.yield %[[NEXT]], %[[CNEXT]], %[[INEXT]]
// CHECK: fagpu.commit %[[TILES]][%[[LOOP]]#1] bytes 0

// Consumers know nothing of the inbox.
// CHECK: fagpu.role consumer
// CHECK: scf.while (%[[C:.*]] = %{{.*}}) : (!fagpu.cursor<1>)
// CHECK-NEXT: fagpu.wait_full %[[TILES]][%[[C]]]
// CHECK-NEXT: fagpu.read_published %[[TILES]][%[[C]]]
// CHECK-NOT: %[[INBOX]]
// CHECK: fagpu.release %[[TILES]]
fagpu.kernel @pair(%total: i32, %counter: !llvm.ptr<1>) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  %inbox = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// First numbers are drawn, too, and every block draws one that is none: the counter wraps behind total + grid of them. The first number of a pair goes
// through the inbox as all others.
// CHECK-LABEL: fagpu.kernel @drawn_pair
// CHECK-SAME: %[[TOTAL:[^:]*]]: i32, %[[COUNTER:[^:]*]]: !llvm.ptr<1>
// CHECK: fagpu.role producer
// CHECK: %[[IC:.*]] = fagpu.cursor : !fagpu.cursor<2>
// CHECK: scf.if
// CHECK: %[[BLOCKS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[DRAWS:.*]] = arith.addi %[[TOTAL]], %[[BLOCKS]]
// CHECK: %[[PAIRS:.*]] = arith.divui %[[DRAWS]], %c2
// CHECK: %[[LAST:.*]] = arith.subi %[[PAIRS]], %c1
// CHECK: atom.global.inc.u32{{.*}} %[[COUNTER]], %[[LAST]]
// CHECK: %[[NUMBER:.*]] = scf.if
// CHECK: fagpu.send_number %{{.*}} to %{{.*}}[%[[IC]]]
// CHECK: fagpu.wait_full %{{.*}}[%[[IC]]]
// CHECK: %[[TWICE:.*]] = arith.muli %[[NUMBER]], %c2
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[FIRST:.*]] = arith.addi %[[TWICE]], %[[RANK]]
// CHECK: %[[NEXT:.*]] = fagpu.advance %[[IC]]
// CHECK: scf.while (%{{.*}} = %[[FIRST]], %{{.*}} = %{{.*}}, %{{.*}} = %[[NEXT]])
// CHECK: fagpu.send_number
// CHECK-NOT: nctaid
// CHECK: fagpu.role consumer
fagpu.kernel @drawn_pair(%total: i32, %counter: !llvm.ptr<1>) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  %inbox = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile drawn total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// A single block draws its first number before the loop, each further one before the tile that comes first, and the grid is added to the wrap only.
// CHECK-LABEL: fagpu.kernel @drawn_alone
// CHECK-SAME: %[[TOTAL:[^:]*]]: i32, %[[COUNTER:[^:]*]]: memref<1xi32>
// CHECK: %[[TILES:.*]] = fagpu.ring {mailbox}
// CHECK: fagpu.role producer
// CHECK: %[[BLOCKS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[DRAWS:.*]] = arith.addi %[[TOTAL]], %[[BLOCKS]]
// CHECK-NOT: arith.divui
// CHECK: %[[LAST:.*]] = arith.subi %[[DRAWS]], %c1
// CHECK: %[[FIRST:.*]] = llvm.inline_asm {{.*}}atom.global.inc.u32{{.*}}, %[[LAST]]
// CHECK-NEXT: %[[LOOP:.*]]:2 = scf.while (%[[T:.*]] = %[[FIRST]], %[[C:.*]] = %{{.*}}) : (i32, !fagpu.cursor<1>)
// CHECK-NEXT: fagpu.acquire %[[TILES]][%[[C]]]
// CHECK-NEXT: fagpu.publish %[[T]] in %[[TILES]]
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ult, %[[T]], %[[TOTAL]]
// CHECK-NEXT: scf.condition(%[[MORE]]) %[[T]], %[[C]]
// CHECK: ^bb0(%{{.*}}: i32, %[[C:.*]]: !fagpu.cursor<1>):
// CHECK: %[[BLOCKS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[DRAWS:.*]] = arith.addi %[[TOTAL]], %[[BLOCKS]]
// CHECK: %[[LAST:.*]] = arith.subi %[[DRAWS]], %c1
// CHECK: %[[NEXT:.*]] = llvm.inline_asm {{.*}}atom.global.inc.u32{{.*}}, %[[LAST]]
// CHECK-NOT: nctaid
// CHECK: fagpu.commit %[[TILES]][%[[C]]] bytes 0
// CHECK: %[[CNEXT:.*]] = fagpu.advance %[[C]]
// CHECK-NEXT: scf.yield %[[NEXT]], %[[CNEXT]]
// CHECK: fagpu.commit %[[TILES]][%[[LOOP]]#1] bytes 0

// A messenger, and consumers, read what the producer has drawn.
// CHECK: fagpu.role messenger
// CHECK-NOT: atom
// CHECK: scf.while (%[[C:.*]] = %{{.*}}) : (!fagpu.cursor<1>)
// CHECK-NEXT: fagpu.wait_full %[[TILES]][%[[C]]]
// CHECK-NEXT: %[[T:.*]] = fagpu.read_published %[[TILES]][%[[C]]]
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ult, %[[T]], %[[TOTAL]]
// CHECK-NEXT: scf.condition(%[[MORE]]) %[[T]], %[[C]]
// CHECK: fagpu.role consumer
// CHECK-NOT: atom
// CHECK: scf.while (%[[C:.*]] = %{{.*}}) : (!fagpu.cursor<1>)
// CHECK-NEXT: fagpu.wait_full %[[TILES]][%[[C]]]
// CHECK-NEXT: fagpu.read_published %[[TILES]][%[[C]]]
fagpu.kernel @drawn_alone(%total: i32, %counter: memref<1xi32>) {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.for_each_tile drawn total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_tile drawn total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}
