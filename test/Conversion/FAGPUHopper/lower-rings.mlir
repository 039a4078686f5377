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
