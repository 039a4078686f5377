// 8 heads of 64, with softcap; see docs/backward.md.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#slope = affine_map<(b, h, g, m, n, d, e) -> (h)>
#bias = affine_map<(b, h, g, m, n, d, e) -> (h, m, n)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @softcap(%q: tensor<2x8x?x64xf32>, %k: tensor<2x8x?x64xf32>, %v: tensor<2x8x?x64xf32>,
    %init: tensor<2x8x?x64xf32>) -> tensor<2x8x?x64xf32> {
  %r = fa.attention {softcap = 30.0 : f64, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<2x8x?x64xf32>, tensor<2x8x?x64xf32>, tensor<2x8x?x64xf32>)
    outs(%init : tensor<2x8x?x64xf32>) -> tensor<2x8x?x64xf32>
  return %r : tensor<2x8x?x64xf32>
}
