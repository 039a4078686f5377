// RUN: %fa-opt %s --resolve-ranked-shaped-type-result-dims --cse --canonicalize | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#m = affine_map<(b, h, g, m, n, d, e) -> (m)>

// A result has the shape of its output: asking for it does not keep the op.
// CHECK-LABEL: func @attention
// CHECK-NOT: fa.attention
// CHECK: %[[M:.*]] = tensor.dim %arg1, %c0
// CHECK: return %[[M]]
func.func @attention(%q: tensor<?x4xf32>, %out: tensor<?x4xf32>) -> index {
  %zero = arith.constant 0 : index
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %q : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  %d = tensor.dim %r, %zero : tensor<?x4xf32>
  return %d : index
}

// CHECK-LABEL: func @recurrence
// CHECK-NOT: fa.
// CHECK-DAG: %[[MAX:.*]] = tensor.dim %arg2, %c0
// CHECK-DAG: %[[OUT:.*]] = tensor.dim %arg4, %c0
// CHECK: return %[[MAX]], %[[MAX]], %[[OUT]]
func.func @recurrence(%q: tensor<?x4xf32>, %acc: tensor<?x4xf32>, %max: tensor<?xf32>, %sum: tensor<?xf32>,
                      %out: tensor<?x4xf32>) -> (index, index, index) {
  %zero = arith.constant 0 : index
  %r:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #m, #m]}
    ins(%q, %q, %q : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
    outs(%acc, %max, %sum : tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>)
    -> tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>
  %s:3 = fa.merge {indexing_maps = [#o, #m, #m]}
    ins(%r#0, %r#1, %r#2 : tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>)
    outs(%acc, %max, %sum : tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>)
    -> tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>
  %o = fa.finalize {indexing_maps = [#o, #m, #m, #o]}
    ins(%s#0, %s#1, %s#2 : tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>)
    outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = tensor.dim %r#1, %zero : tensor<?xf32>
  %b = tensor.dim %s#1, %zero : tensor<?xf32>
  %c = tensor.dim %o, %zero : tensor<?x4xf32>
  return %a, %b, %c : index, index, index
}
