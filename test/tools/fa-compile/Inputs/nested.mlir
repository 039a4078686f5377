#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
module {
  module @inner {
    func.func @attention(%q: tensor<8x16xbf16>, %k: tensor<32x16xbf16>, %o: tensor<8x16xbf16>) -> tensor<8x16xbf16> {
      %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
        ins(%q, %k, %k : tensor<8x16xbf16>, tensor<32x16xbf16>, tensor<32x16xbf16>)
        outs(%o : tensor<8x16xbf16>) -> tensor<8x16xbf16>
      return %r : tensor<8x16xbf16>
    }
  }
}
