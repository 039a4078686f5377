// One causal attention of 2 heads on buffers in bf16, sequences of any length.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>

func.func @attention(%query: memref<1x2x?x128xbf16>, %key: memref<1x2x?x128xbf16>, %value: memref<1x2x?x128xbf16>,
                     %out: memref<1x2x?x128xbf16>) {
  fa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : memref<1x2x?x128xbf16>, memref<1x2x?x128xbf16>, memref<1x2x?x128xbf16>)
    outs(%out : memref<1x2x?x128xbf16>)
  return
}
