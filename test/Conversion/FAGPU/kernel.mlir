// One causal attention at every step of the road to a kernel.
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 stop-after=tile" | FileCheck %s --check-prefix=TILE
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 stop-after=machine" | FileCheck %s --check-prefix=MACHINE
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 schedule='stages=2 key-tile=32' stop-after=machine" | FileCheck %s --check-prefix=TWICE
// RUN: %fa-opt %s --fa-pipeline="target=sm_80" | FileCheck %s --check-prefix=NVVM

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @attention(%query: memref<?x?x?x128xbf16>, %key: memref<?x?x?x128xbf16>, %value: memref<?x?x?x128xbf16>,
                     %out: memref<?x?x?x128xbf16>, %lse: memref<?x?x?xf32>) {
  fa.attention {causal, indexing_maps = [#q, #k, #v, #o, #l]}
    ins(%query, %key, %value : memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>)
    outs(%out, %lse : memref<?x?x?x128xbf16>, memref<?x?x?xf32>)
  return
}

// TILE: scf.forall
// TILE: {fa.schedule = #fa.schedule<order = q_outer, query_tile = 128, key_tile = 64, partial_sums = 4>, fagpu.early_keys, fagpu.stages = 1

// MACHINE-LABEL: func.func @attention
// MACHINE-SAME: memref<?x?x?x128xbf16> {fa.written}, %{{.*}}: memref<?x?x?xf32> {fa.written})
// MACHINE: %[[BYTES:.*]] = arith.constant 69632 : i32
// MACHINE: gpu.launch_func @fa_kernels::@attention_kernel {{.*}} dynamic_shared_memory_size %[[BYTES]]
// MACHINE: gpu.func @attention_kernel
// MACHINE: fagpu.copy_async
// MACHINE: fagpu.copy_async {{.*}} if
// The loop over full tiles.
// MACHINE: scf.for
// MACHINE: nvvm.cp.async.wait.group 0
// MACHINE-NEXT: gpu.barrier
// MACHINE: fagpu.copy_async
// MACHINE: nvvm.cp.async.commit.group
// MACHINE: fagpu.mma {{.*}} {b_transposed}
// MACHINE-NEXT: nvvm.cp.async.wait.group 0
// MACHINE-NEXT: gpu.barrier
// MACHINE: fagpu.copy_async {{.*}} if
// MACHINE: fagpu.partial_sums
// MACHINE: fagpu.mma
// MACHINE: scf.yield
// The loop over tiles at the diagonal.
// MACHINE: scf.for
// MACHINE: linalg.index 1
// MACHINE: scf.yield
// MACHINE: fagpu.store_through
// MACHINE: fa.store_tile {{.*}} #fagpu.rows

// TWICE: fagpu.alloc {{.*}} !fagpu.smem<32x128xbf16, stages = 2>
// TWICE: scf.for
// TWICE: fagpu.copy_async {{.*}} if {{.*}} stage
// TWICE: fagpu.copy_async {{.*}} if {{.*}} stage
// TWICE: fagpu.mma {{.*}} stage
// TWICE-NOT: nvvm.cp.async.wait.group
// TWICE: scf.yield

// NVVM: llvm.mlir.global external @fa_shared() {addr_space = 3 : i32
// NVVM: llvm.func @attention_kernel
// NVVM-NOT: unrealized_conversion_cast
// 2 x 128 in each of two loops.
// NVVM-COUNT-512: nvvm.mma.sync
// NVVM-NOT: nvvm.mma.sync
// NVVM-NOT: __nv_
