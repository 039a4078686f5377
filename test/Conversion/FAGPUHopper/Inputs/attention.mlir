// Attention on memrefs of any size: full, and causal with the diagonal at the bottom right.

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
!t = memref<?x?x?x128xbf16>

func.func @full(%query: !t, %key: !t, %value: !t, %out: !t, %lse: memref<?x?x?xf32>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o, #l]} ins(%query, %key, %value : !t, !t, !t)
    outs(%out, %lse : !t, memref<?x?x?xf32>)
  return
}

func.func @causal(%query: !t, %key: !t, %value: !t, %out: !t, %lse: memref<?x?x?xf32>) {
  fa.attention {causal, alignment = #fa.alignment<bottom_right>, indexing_maps = [#q, #k, #v, #o, #l]}
    ins(%query, %key, %value : !t, !t, !t) outs(%out, %lse : !t, memref<?x?x?xf32>)
  return
}
