// Finite scores of any magnitude are scores: from those whose product with scale * log2e is rounded by more than the
// range of exp2 on, only the order counts.
//
// RUN: %fa-run %s --arg "shape=9x64 range=-1e9..1e9" --arg "shape=80x64 range=-1e9..1e9" --arg shape=80x64 --check | FileCheck %s
// RUN: %fa-run %s --arg "shape=9x64 range=-1e9..1e9" --arg "shape=80x64 range=-1e9..1e9" --arg shape=80x64 --check --schedule fa1 | FileCheck %s
// RUN: %fa-run %s --arg "shape=9x64 range=-1e18..1e18" --arg "shape=80x64 range=-1e18..1e18" --arg shape=80x64 --check | FileCheck %s
// All scores are equal, and large.
// RUN: %fa-run %s --arg "shape=9x64 values=123456.7" --arg "shape=80x64 values=-98765.4" --arg shape=80x64 --check | FileCheck %s
// RUN: %fa-run %s --arg "shape=9x64 values=1.3e18" --arg "shape=80x64 values=1.1e18" --arg shape=80x64 --check | FileCheck %s
// CHECK: result 0 9x64xf32: error {{.*}} ok
// CHECK: result 1 9xf32: error {{.*}} ok

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @attention(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %q, %c0 : tensor<?x64xf32>
  %o = tensor.empty(%m) : tensor<?x64xf32>
  %l = tensor.empty(%m) : tensor<?xf32>
  %r:2 = fa.attention {indexing_maps = [#q, #k, #v, #o, #l]}
    ins(%q, %k, %v : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
    outs(%o, %l : tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?x64xf32>, tensor<?xf32>
}
