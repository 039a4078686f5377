// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-allocate,fagpu-lower-rings))" | FileCheck %s
// RUN: not %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-lower-rings))" 2>&1 | FileCheck %s --check-prefix=ORDER

// ORDER: error: shared memory is not allocated: run --fagpu-allocate before --fagpu-lower-rings

// CHECK-LABEL: fagpu.kernel @ring
fagpu.kernel @ring(%map: !fagpu.tensor_map<64x128xbf16>, %n: i32) {
  %s = fagpu.smem : !fagpu.swizzled<2x64x128xbf16>
  %r = fagpu.ring : !fagpu.ring<2>
  // A cursor is slot and phase; both start at 0.
  // CHECK: fagpu.role producer
  // CHECK: scf.for {{.*}} iter_args(%[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32)
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%c = %first) -> (!fagpu.cursor<2>) : i32 {
      // A producer waits for the other parity.
      // CHECK: %[[PARITY:.*]] = arith.xori %[[PHASE]]
      // CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[PARITY]]
      fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      // CHECK: nvvm.mbarrier.arrive.expect_tx
      fagpu.commit %r[%c] bytes 16384 : !fagpu.ring<2>, !fagpu.cursor<2>
      // A box of 64 columns at a time: {column, row, head}.
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%{{.*}}, %{{.*}}, %{{.*}}]
      // CHECK: %[[COLUMN:.*]] = arith.constant 64 : i32
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[COLUMN]], %{{.*}}, %{{.*}}]
      fagpu.tma_load %map[%i, %n] to %s[%c] on %r[%c]
        : !fagpu.tensor_map<64x128xbf16>, !fagpu.swizzled<2x64x128xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      // The phase flips where the slot wraps.
      // CHECK: %[[WRAPS:.*]] = arith.cmpi eq
      // CHECK: %[[FLIP:.*]] = arith.extui %[[WRAPS]]
      // CHECK: arith.select %[[WRAPS]]
      // CHECK: arith.xori %[[PHASE]], %[[FLIP]]
      %next = fagpu.advance %c : !fagpu.cursor<2>
      scf.yield %next : !fagpu.cursor<2>
    }
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    // CHECK: nvvm.mbarrier.try_wait.parity
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    // One lane of a warp arrives.
    // CHECK: @$1 mbarrier.arrive.shared::cta.b64
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    // Rows of 128 bytes, 16 bytes a thread, only where there are some; then wgmma may read.
    // CHECK: %[[HAS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}}
    // CHECK: scf.if %[[HAS]]
    // CHECK: nvvm.mbarrier.try_wait.parity
    // CHECK: scf.for
    // CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>
    // CHECK: nvvm.fence.proxy
    // CHECK: bar.sync $0, 128
    fagpu.clear_tail %r[%c] of %s from(%n) : !fagpu.ring<2>, !fagpu.cursor<2>, !fagpu.swizzled<2x64x128xbf16>
  }
}

// One thread acquires for those that get a slot from it, and releases what others did before they filled one; who fills is a
// warp at a time, who releases one lane.
// CHECK-LABEL: fagpu.kernel @counts
fagpu.kernel @counts(%counts: memref<?xi32>, %n: i32) attributes {smem_bytes = 32 : i64} {
  %turn = fagpu.ring {offset = 0 : i64, arrivals = 4 : i64} : !fagpu.ring<1>
  %added = fagpu.ring {offset = 16 : i64, arrivals = 1 : i64, fills = 4 : i64} : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<1>
    // CHECK: nvvm.mbarrier.try_wait.parity
    fagpu.acquire %turn[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    // CHECK: ld.acquire.gpu.global.s32
    fagpu.await_count %counts[%n] reaches(%n) : memref<?xi32>
    // CHECK: "mbarrier.arrive.shared::cta.b64
    fagpu.commit %turn[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<1>
    // CHECK: nvvm.mbarrier.try_wait.parity
    fagpu.wait_full %added[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    // CHECK: st.release.gpu.global.s32
    fagpu.set_count %counts[%n] to(%n) : memref<?xi32>
    // CHECK-NOT: bar.warp.sync
    // CHECK: mbarrier.arrive.shared::cta.b64
    fagpu.release %added[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %turn[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %turn[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.acquire %added[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    // CHECK: bar.warp.sync
    // CHECK: @$1 mbarrier.arrive.shared::cta.b64
    fagpu.commit %added[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

// One thread adds what all have done before the barrier. Those who copy what the others wrote do so through another proxy; what wraps is the most
// that it is, and one.
// CHECK-LABEL: fagpu.kernel @added
fagpu.kernel @added(%counts: memref<?xi32>, %n: i32) attributes {smem_bytes = 0 : i64} {
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c-1_i32
    // CHECK: fence.proxy.async.global
    // CHECK: bar.sync $0, 128
    // CHECK: scf.if
    // CHECK: red.release.gpu.global.inc.u32 {{.*}}, %[[LAST]]
    fagpu.add_count %counts[%n] wraps(%n) : memref<?xi32>
  }
}

// CHECK-LABEL: fagpu.kernel @copied
fagpu.kernel @copied(%counts: memref<?xi32>, %n: i32) attributes {smem_bytes = 0 : i64} {
  fagpu.role producer warpgroups(1) registers(40) {
    // CHECK: ld.acquire.gpu.global.s32
    // CHECK-NEXT: fence.proxy.async.global
    fagpu.await_count %counts[%n] reaches(%n) : memref<?xi32>
  }
}

// The next number: of a thread for itself; of a warp one lane takes it for all.
// CHECK-LABEL: fagpu.kernel @numbers
// CHECK-SAME: %{{.*}}: memref<1xi32>, %[[LAST:[^:]*]]: i32
fagpu.kernel @numbers(%counter: memref<1xi32>, %n: i32) {
  // CHECK: fagpu.role producer
  fagpu.role producer warpgroups(1) registers(40) {
    // CHECK: llvm.inline_asm has_side_effects {{.*}}"atom.global.inc.u32 $0, [$1], $2;", "=r,l,r,~{memory}" %{{.*}}, %[[LAST]] : (i64, i32) -> i32
    %0 = fagpu.take_number %counter last(%n) : memref<1xi32>
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) {
    // CHECK: llvm.inline_asm has_side_effects {{.*}}"atom.global.inc.u32 $0, [$1], $2;", "=r,l,r,~{memory}" %{{.*}}, %[[LAST]] : (i64, i32) -> i32
    // CHECK-NOT: shfl
    %0 = fagpu.take_number %counter last(%n) : memref<1xi32>
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    // CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0
    // CHECK: llvm.inline_asm has_side_effects
    // CHECK-SAME: mov.u32 $0, 0;
    // CHECK-SAME: @$3 atom.global.inc.u32 $0, [$1], $2;
    // CHECK-SAME: shfl.sync.idx.b32 $0, $0, 0, 31, -1;
    // CHECK-SAME: "=&r,l,r,b,~{memory}" %{{.*}}, %[[LAST]], %[[FIRST]]
    %0 = fagpu.take_number %counter last(%n) : memref<1xi32>
  }
}

// A KiB at a time, each lane two times 16 bytes of it that lie next to its neighbours'. All lanes have stored before one of them counts, for readers
// of any kind, and before one of them gives the slot back.
// CHECK-LABEL: fagpu.kernel @cleared
// CHECK-SAME: %[[SUM:[^:]*]]: memref<?x?x64xf32>, %{{[^:]*}}: memref<?xi32>, %[[BEGIN:[^:]*]]: i32, %[[N:[^:]*]]: i32
fagpu.kernel @cleared(%sum: memref<?x?x64xf32>, %counts: memref<?xi32>, %first: i32, %n: i32) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    // CHECK: memref.extract_aligned_pointer_as_index %[[SUM]]
    // CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.tid.x
    // CHECK: %[[LANE:.*]] = arith.remui %[[ID]], %c32
    // CHECK: %[[WIDE:.*]] = arith.extsi %[[LANE]]
    // CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %c16
    // CHECK: %[[BASE:.*]] = arith.addi %{{.*}}, %[[BYTES]]
    // CHECK: %[[END:.*]] = arith.addi %[[BEGIN]], %[[N]]
    // CHECK: scf.for %[[PART:.*]] = %[[BEGIN]] to %[[END]]
    // CHECK: %[[WIDE:.*]] = arith.extsi %[[PART]]
    // CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %c1024
    // CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[BYTES]]
    // CHECK: %[[HERE:.*]] = arith.addi %[[AT]], %c0
    // CHECK: "st.global.v4.b32 [$0], {$1, $1, $1, $1};", "l,r,~{memory}" %[[HERE]], %c0
    // CHECK: %[[HERE:.*]] = arith.addi %[[AT]], %c512
    // CHECK: "st.global.v4.b32 [$0], {$1, $1, $1, $1};", "l,r,~{memory}" %[[HERE]], %c0
    // CHECK-NOT: st.global
    fagpu.clear %sum[%first] count(%n) : memref<?x?x64xf32>
    // CHECK: %[[LAST:.*]] = arith.addi %[[N]], %c-1_i32
    // CHECK-NEXT: llvm.inline_asm {{.*}}fence.proxy.async.global
    // CHECK-NEXT: llvm.inline_asm {{.*}}bar.warp.sync
    // CHECK-NOT: bar.sync
    // CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31
    // CHECK: %[[ELECTED:.*]] = arith.cmpi eq, %[[LANE]], %c0
    // CHECK: scf.if %[[ELECTED]] {
    // CHECK-NEXT: llvm.inline_asm {{.*}}"red.release.gpu.global.inc.u32 [$0], $1;", "l,r,~{memory}" %{{.*}}, %[[LAST]]
    // CHECK-NEXT: }
    fagpu.add_count %counts[%first] wraps(%n) : memref<?xi32>
    // CHECK: bar.warp.sync
    // CHECK: @$1 mbarrier.arrive.shared::cta.b64
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  // One thread counts what it has done itself.
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) {
    // CHECK: fence.proxy.async.global
    // CHECK-NEXT: llvm.inline_asm {{.*}}red.release.gpu.global.inc.u32
    // CHECK-NOT: warp.sync
    fagpu.add_count %counts[%first] wraps(%n) : memref<?xi32>
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
  }
}

// The boxes that the load takes, one for 64 columns, and no barrier.
// CHECK-LABEL: fagpu.kernel @ahead
// CHECK-SAME: %{{[^:]*}}: !fagpu.tensor_map<80x128xbf16>, %[[ROW:[^:]*]]: i32, %[[HEAD:[^:]*]]: i32
fagpu.kernel @ahead(%map: !fagpu.tensor_map<80x128xbf16>, %row: i32, %head: i32) {
  fagpu.role producer warpgroups(1) registers(40) {
    // CHECK: %[[COLUMN:.*]] = arith.constant 0 : i32
    // CHECK: nvvm.cp.async.bulk.tensor.prefetch %{{.*}}, box[%[[COLUMN]], %[[ROW]], %[[HEAD]]]
    // CHECK: %[[COLUMN:.*]] = arith.constant 64 : i32
    // CHECK: nvvm.cp.async.bulk.tensor.prefetch %{{.*}}, box[%[[COLUMN]], %[[ROW]], %[[HEAD]]]
    // CHECK-NOT: nvvm.cp.async
    // CHECK-NOT: mbarrier
    fagpu.tma_prefetch %map[%row, %head] : !fagpu.tensor_map<80x128xbf16>
  }
}
