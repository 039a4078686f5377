// All gradients in one kernel: d_query is added to memory, dS goes to its contraction through shared memory.
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 schedule='d-query=atomic' stop-after=machine" | FileCheck %s
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 schedule='d-query=owned' stop-after=machine" | FileCheck %s --check-prefix=OWNED
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 schedule='d-query=atomic'" | FileCheck %s --check-prefix=NVVM
// RUN: %fa-compile %s --target sm_80 --schedule d-query=atomic -o %t && FileCheck %s --check-prefix=SPILLS --input-file=%t/manifest.json
// RUN: not %fa-opt %s --fa-pipeline="target=sm_80 schedule='d-query=ordered'" 2>&1 | FileCheck %s --check-prefix=MODE

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
func.func @backward(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>,
                    %l: memref<?x?xf32>, %do: memref<?x?x64xbf16>, %dq: memref<?x?x64xbf16>, %dk: memref<?x?x64xbf16>,
                    %dv: memref<?x?x64xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>,
        memref<?x?x64xbf16>, memref<?x?xf32>, memref<?x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>)
  return
}

// delta, zeros, the gradients, the cast of d_query.
// CHECK-LABEL: func.func @backward
// CHECK: memref.alloc({{.*}}) : memref<?x?xf32>
// CHECK: memref.alloc({{.*}}) : memref<?x?x64xf32>
// CHECK-COUNT-3: gpu.launch_func
// CHECK: gpu.func @backward_kernel_1(
// CHECK: %[[PLACE:.*]] = fagpu.alloc {{.*}} !fagpu.smem<64x64xbf16, stages = 1>
// CHECK: scf.for
// CHECK: %[[DS:.*]]:2 = linalg.generic {{.*}}
// CHECK: -> (tensor<64x64xbf16, #fagpu.a_op>, tensor<64x64xbf16, #fagpu.a_op>)
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: fagpu.put %[[DS]]#1 into %{{.*}} : tensor<64x64xbf16, #fagpu.a_op>
// CHECK: fagpu.mma %[[DS]]#1
// CHECK: fagpu.mma %[[DS]]#0
// CHECK: gpu.barrier
// CHECK-NEXT: fagpu.mma {{.*}} {a_transposed} : !fagpu.smem<64x64xbf16, stages = 1>
// CHECK: fa.accumulate {{.*}} atomic

// OWNED: fagpu.mma {{.*}} {a_transposed}
// OWNED: fa.accumulate {{.*}} owned

// NVVM: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// NVVM: red.global.add.f32

// SPILLS: "kernels"
// SPILLS-NOT: "spill_bytes": {{[1-9]}}

// MODE: d-query = 'ordered', expected owned, recompute or atomic
