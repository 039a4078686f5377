// Gradients of causal attention at every step of the road to kernels: delta, then d_key and d_value, then d_query.
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 stop-after=tile" | FileCheck %s --check-prefix=TILE
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 stop-after=machine" | FileCheck %s --check-prefix=MACHINE
// RUN: %fa-opt %s --fa-pipeline="target=sm_80" | FileCheck %s --check-prefix=NVVM
// RUN: sed 's/x128x/x64x/g' %s | %fa-compile - --target sm_90 -o %t && FileCheck %s --check-prefix=SPILLS --input-file=%t/manifest.json

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
func.func @backward(%q: memref<?x?x?x?x128xbf16>, %k: memref<?x?x?x128xbf16>, %v: memref<?x?x?x128xbf16>,
                    %o: memref<?x?x?x?x128xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x128xbf16>,
                    %dq: memref<?x?x?x?x128xbf16>, %dk: memref<?x?x?x128xbf16>, %dv: memref<?x?x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>,
        memref<?x?x?x?x128xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>)
  return
}

// Of a block's 64 keys, 48 rows at a time; of its 128 rows, 32 keys.
// TILE-LABEL: func.func @backward
// TILE: scf.forall
// TILE: scf.forall
// TILE: fa.online_attention_backward {{.*}} -> tensor<48x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>
// TILE: fa.backward_schedule = #fa.backward_schedule<query_tile = 128, key_tile = 64, d_query = recompute>
// TILE: scf.forall
// TILE: fa.online_attention_backward {{.*}} -> tensor<128x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>

// MACHINE-LABEL: func.func @backward
// MACHINE-COUNT-3: gpu.launch_func
// MACHINE: gpu.func @backward_kernel(
// MACHINE-NOT: fagpu.mma
// MACHINE: gpu.func @backward_kernel_0(
// Two buffers for tiles of queries and of d_out. Probabilities and dS go from accumulators to left operands.
// MACHINE-COUNT-2: fagpu.alloc {{.*}} !fagpu.smem<48x128xbf16, stages = 2>
// MACHINE: scf.for
// MACHINE: nvvm.cp.async.wait.group 0
// MACHINE-NEXT: gpu.barrier
// MACHINE: scf.for
// MACHINE: nvvm.cp.async.wait.group 0
// MACHINE-NEXT: gpu.barrier
// MACHINE-COUNT-2: fagpu.copy_async {{.*}} if
// MACHINE: nvvm.cp.async.commit.group
// MACHINE: %[[S:.*]] = fagpu.mma {{.*}} {b_transposed} : {{.*}} tensor<64x48xf32, #fagpu.acc>
// MACHINE: linalg.generic
// MACHINE: math.exp2
// MACHINE: fagpu.mma {{.*}} {b_transposed}
// MACHINE: linalg.generic
// MACHINE: -> (tensor<64x48xbf16, #fagpu.a_op>, tensor<64x48xbf16, #fagpu.a_op>)
// MACHINE-COUNT-2: fagpu.mma {{.*}} : tensor<64x48xbf16, #fagpu.a_op>, !fagpu.smem<48x128xbf16, stages = 2>, tensor<64x128xf32, #fagpu.acc>
// MACHINE: scf.yield
// MACHINE-COUNT-2: fagpu.store_through
// MACHINE: gpu.func @backward_kernel_1(
// MACHINE: fagpu.store_through

// NVVM: gpu.module @fa_kernels
// NVVM-NOT: fagpu.
// NVVM-NOT: fa.load_tile

// SPILLS: "kernels"
// SPILLS-NOT: "spill_bytes": {{[1-9]}}
