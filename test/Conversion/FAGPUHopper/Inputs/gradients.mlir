#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
!q = memref<?x?x?x?x64xbf16>
!k = memref<?x?x?x64xbf16>
!l = memref<?x?x?x?xf32>

func.func @gradients(%q: !q, %k: !k, %v: !k, %o: !q, %l: !l, %do: !q, %dq: !q, %dk: !k, %dv: !k) {
  fa.attention_backward {causal, deterministic, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !q, !k, !k, !q, !l, !q) outs(%dq, %dk, %dv : !q, !k, !k)
  return
}
