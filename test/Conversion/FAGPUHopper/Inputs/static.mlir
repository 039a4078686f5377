// Two full key tiles and one that 300 keys cut; causal with a single tile.

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
!t = memref<2x300x128xbf16>
!s = memref<2x50x128xbf16>

func.func @full(%query: !t, %key: !t, %value: !t, %out: !t) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !t, !t, !t) outs(%out : !t)
  return
}

func.func @causal(%query: !s, %key: !s, %value: !s, %out: !s) {
  fa.attention {causal, indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !s, !s, !s) outs(%out : !s)
  return
}
