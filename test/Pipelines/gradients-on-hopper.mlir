// Gradients that sm_90a does not have: what to say instead.
// RUN: not %fa-opt %s --fa-pipeline="target=sm_90a" 2>&1 | FileCheck %s --check-prefix=ROLES
// RUN: not %fa-opt %s --fa-pipeline="target=sm_90a schedule=gradients=blocks" 2>&1 | FileCheck %s

// ROLES: error: 'fa.attention_backward' op has no warp-specialised kernels for its gradients
// ROLES-SAME: the target sm_80 has others, and so has this one with the schedule gradients=roles

// CHECK: error: 'fa.attention_backward' op cannot be lowered for target 'sm_90a'
// CHECK-SAME: target=sm_80 has all gradients, for this GPU too, and schedule='gradients=roles' those that sm_90a has

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
func.func @head_dimension_8(%q: memref<?x?x8xbf16>, %l: memref<?x?xf32>, %dq: memref<?x?x8xbf16>, %dk: memref<?x?x8xbf16>,
                            %dv: memref<?x?x8xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %q, %q, %l, %q : memref<?x?x8xbf16>, memref<?x?x8xbf16>, memref<?x?x8xbf16>,
        memref<?x?x8xbf16>, memref<?x?xf32>, memref<?x?x8xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x8xbf16>, memref<?x?x8xbf16>, memref<?x?x8xbf16>)
  return
}
