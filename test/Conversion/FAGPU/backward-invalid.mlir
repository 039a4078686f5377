// RUN: %fa-opt %s --split-input-file --verify-diagnostics --fa-choose-gpu-schedule

#q = affine_map<(b, h, g, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, m)>
#b = affine_map<(b, h, g, m, n, d, e) -> (b)>
func.func @one_bias_per_batch(%q: memref<?x?x64xbf16>, %l: memref<?x?xf32>, %b: memref<?xf32>, %dq: memref<?x?x64xbf16>,
                              %dk: memref<?x?x64xbf16>, %dv: memref<?x?x64xbf16>, %db: memref<?xf32>) {
  // expected-error @+1 {{target sm_80 has no gradients of biases and captures that have neither queries (m) nor keys (n)}}
  fa.attention_backward {bias_gradient, indexing_maps = [#q, #k, #v, #b, #o, #l, #o, #q, #k, #v, #b]}
    ins(%q, %q, %q, %q, %l, %q : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>,
        memref<?x?xf32>, memref<?x?x64xbf16>)
    bias(%b : memref<?xf32>)
    outs(%dq, %dk, %dv, %db : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?xf32>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f32(%q: memref<?x64xf32>, %l: memref<?xf32>, %dq: memref<?x64xf32>, %dk: memref<?x64xf32>,
               %dv: memref<?x64xf32>) {
  // expected-error @+1 {{tensor cores multiply bf16 or f16, not 'f32'}}
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %q, %q, %l, %q : memref<?x64xf32>, memref<?x64xf32>, memref<?x64xf32>, memref<?x64xf32>, memref<?xf32>,
        memref<?x64xf32>)
    outs(%dq, %dk, %dv : memref<?x64xf32>, memref<?x64xf32>, memref<?x64xf32>)
  return
}
