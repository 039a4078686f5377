// One causal attention of 8 heads, sequences of any length.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>

func.func @attention(%query: tensor<1x8x?x64xf32>, %key: tensor<1x8x?x64xf32>, %value: tensor<1x8x?x64xf32>,
                     %out: tensor<1x8x?x64xf32>) -> tensor<1x8x?x64xf32> {
  %r = fa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>)
    outs(%out : tensor<1x8x?x64xf32>) -> tensor<1x8x?x64xf32>
  return %r : tensor<1x8x?x64xf32>
}
