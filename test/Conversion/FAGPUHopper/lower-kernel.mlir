// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-allocate,fagpu-lower-rings,fagpu-distribute),fagpu-lower-kernel)" | FileCheck %s
// RUN: not %fa-opt %s --fagpu-lower-kernel 2>&1 | FileCheck %s --check-prefix=ORDER

// ORDER: error: shared memory is not allocated: run --fagpu-allocate first

// CHECK: llvm.mlir.global external @fa_shared_1024() {{.*}}alignment = 1024
// CHECK: llvm.func @roles(%{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %{{.*}}: i32)
// CHECK-SAME: fagpu.smem_bytes = 32 : i64, gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 384>, nvvm.minctasm = 1 : i32
// CHECK: scf.if
// CHECK-COUNT-2: nvvm.mbarrier.init
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier0
// CHECK: scf.if
// CHECK-NEXT: nvvm.setmaxregister decrease 40
// CHECK: scf.if
// CHECK: else
// CHECK-NEXT: nvvm.setmaxregister increase 232
// CHECK: arith.subi
// CHECK: llvm.return
// CHECK-NOT: fagpu.{{[a-z]}}
// Messengers have warps of the producer's warpgroup.
// CHECK: llvm.func @messengers(
// CHECK-SAME: nvvm.maxntid = array<i32: 256>
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD:.*]], %c0
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[THREAD]], %c32
// CHECK-NEXT: scf.if %[[SECOND]]
// CHECK: ld.acquire.gpu
// CHECK: else
// CHECK-NEXT: nvvm.setmaxregister decrease 208
fagpu.kernel @roles(%map: !fagpu.tensor_map<64x128xbf16>, %n: i32) {
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role consumer warpgroups(2) registers(232) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

fagpu.kernel @messengers(%counts: memref<?xi32>, %n: i32) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.await_count %counts[%n] reaches(%n) : memref<?xi32>
    fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  fagpu.role consumer warpgroups(1) registers(208) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

// The ticket is on its way while barriers are initialised. Everybody reads what was drawn behind the barrier.
// CHECK-LABEL: llvm.func @parts
// CHECK: scf.if
// CHECK: atom.global.inc.u32
// CHECK: nvvm.mbarrier.init
// CHECK: %[[REST:.*]] = arith.subi
// CHECK: %[[PART:.*]] = arith.extui
// CHECK: llvm.store %[[PART]]
// CHECK: llvm.store %[[REST]]
// CHECK: nvvm.barrier0
// CHECK: ld.shared.v2.b32
// CHECK: nvvm.shfl.sync idx
// CHECK: %[[NUMBER:.*]] = nvvm.shfl.sync idx
// CHECK: nvvm.vote.sync
// CHECK: scf.if
// CHECK: nvvm.setmaxregister
// CHECK: else
// CHECK: nvvm.vote.sync
// CHECK-NEXT: scf.if
// CHECK: bar.sync $0, 128
// CHECK: red.release.gpu.global.inc.u32
fagpu.kernel @parts(%counter: memref<1xi32>, %counts: memref<?xi32>, %first: i32, %n: i32) {
  %part, %number = fagpu.draw counter(%counter : memref<1xi32>) of(%n) {
  ^bb0(%ticket: i32):
    %is_late = arith.cmpi uge, %ticket, %first : i32
    %rest = arith.subi %ticket, %first : i32
    %late = arith.extui %is_late : i1 to i32
    fagpu.yield %late, %rest : i32, i32
  }
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  fagpu.without_roles 1 {
  ^bb0(%wg: i32):
    fagpu.add_count %counts[%number] wraps(%n) : memref<?xi32>
  }
}

// A thread enters as itself, a whole warp as its first thread.
// CHECK-LABEL: llvm.func @warps(
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD:.*]], %c0
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32
// CHECK: %[[WARP:.*]] = arith.subi %[[THREAD]], %[[LANE]]
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[WARP]], %c32
// CHECK-NEXT: scf.if %[[SECOND]]
// CHECK: st.global.v4.b32
// CHECK: %[[THIRD:.*]] = arith.cmpi eq, %[[THREAD]], %c64
// CHECK-NEXT: scf.if %[[THIRD]]
// CHECK: red.release.gpu.global.inc.u32
fagpu.kernel @warps(%sum: memref<?x64xf32>, %counts: memref<?xi32>, %n: i32) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.clear %sum[%n] count(%n) : memref<?x64xf32>
  }
  fagpu.role messenger warpgroups(1) registers(40) {
    fagpu.add_count %counts[%n] wraps(%n) : memref<?xi32>
  }
  fagpu.role consumer warpgroups(1) registers(208) {
  ^bb0(%wg: i32):
  }
}
