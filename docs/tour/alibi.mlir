// 8 heads of 64, with alibi; see docs/backward.md.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#slope = affine_map<(b, h, g, m, n, d, e) -> (h)>
#bias = affine_map<(b, h, g, m, n, d, e) -> (h, m, n)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @alibi(%q: tensor<2x8x?x64xf32>, %k: tensor<2x8x?x64xf32>, %v: tensor<2x8x?x64xf32>, %s: tensor<8xf32>,
    %init: tensor<2x8x?x64xf32>) -> tensor<2x8x?x64xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #slope, #o]}
    ins(%q, %k, %v : tensor<2x8x?x64xf32>, tensor<2x8x?x64xf32>, tensor<2x8x?x64xf32>)
    alibi(%s : tensor<8xf32>)
    outs(%init : tensor<2x8x?x64xf32>) -> tensor<2x8x?x64xf32>
  return %r : tensor<2x8x?x64xf32>
}
