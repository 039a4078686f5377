// RUN: %fa-opt %s --verify-diagnostics --fa-fuse-softmax --fa-decompose

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#s = affine_map<(b, h, g, m, n, d, e) -> (b)>

func.func @packed_sinks(%q: memref<?x16xf32>, %k: memref<?x16xf32>, %v: memref<?x16xf32>, %sinks: memref<?xf32>,
                        %qo: memref<?xi32>, %ko: memref<?xi32>, %o: memref<?x16xf32>) {
  // expected-error @+1 {{fa-decompose does not support sinks over a dimension that the rows do not have}}
  fa.attention {indexing_maps = [#q, #k, #v, #s, #o]}
    ins(%q, %k, %v : memref<?x16xf32>, memref<?x16xf32>, memref<?x16xf32>) sinks(%sinks : memref<?xf32>)
    query_offsets(%qo : memref<?xi32>) key_offsets(%ko : memref<?xi32>)
    outs(%o : memref<?x16xf32>)
  return
}
