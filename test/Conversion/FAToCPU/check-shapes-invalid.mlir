// RUN: %fa-opt %s --fa-check-shapes=most-extent=536870912 -verify-diagnostics

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @static(%q: memref<4x8xf32>, %k: memref<536870913x8xf32>, %o: memref<4x8xf32>) {
  // expected-error @+1 {{fa.attention: dimension 0 of key (n) is more than 536870912, the most that kernels for GPUs count to}}
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %k : memref<4x8xf32>, memref<536870913x8xf32>, memref<536870913x8xf32>) outs(%o : memref<4x8xf32>)
  return
}
