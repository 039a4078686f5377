// A length of queries and one of keys for every sequence of a batch.

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
!t = memref<?x?x?x64xbf16>

func.func @attention(%query: !t, %key: !t, %value: !t, %queries: memref<?xi32>, %keys: memref<?xi32>, %out: !t,
                     %lse: memref<?x?x?xf32>) {
  fa.attention {causal, alignment = #fa.alignment<bottom_right>, indexing_maps = [#q, #k, #v, #o, #l]}
    ins(%query, %key, %value : !t, !t, !t)
    query_lengths(%queries : memref<?xi32>) key_lengths(%keys : memref<?xi32>) outs(%out, %lse : !t, memref<?x?x?xf32>)
  return
}
