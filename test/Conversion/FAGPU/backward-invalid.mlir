// RUN: %fa-opt %s --split-input-file --verify-diagnostics --fa-choose-gpu-schedule

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>
func.func @whole_capture(%q: memref<?x64xbf16>, %l: memref<?xf32>, %table: memref<7xf32>, %dq: memref<?x64xbf16>,
                         %dk: memref<?x64xbf16>, %dv: memref<?x64xbf16>, %dt: memref<7xf32>) {
  // expected-error @+1 {{target sm_80 has no deterministic gradients of captures that are taken whole}}
  fa.attention_backward {deterministic, capture_gradients = array<i64: 0>, indexing_maps = [#q, #k, #v, #whole, #o, #l, #o, #q, #k, #v, #whole]}
    ins(%q, %q, %q, %q, %l, %q : memref<?x64xbf16>, memref<?x64xbf16>, memref<?x64xbf16>, memref<?x64xbf16>,
        memref<?xf32>, memref<?x64xbf16>)
    captures(%table : memref<7xf32>)
    outs(%dq, %dk, %dv, %dt : memref<?x64xbf16>, memref<?x64xbf16>, memref<?x64xbf16>, memref<7xf32>)
    score {
    ^bb0(%s: f32, %t: memref<7xf32>):
      %zero = arith.constant 0 : index
      %x = memref.load %t[%zero] : memref<7xf32>
      %r = arith.mulf %s, %x : f32
      fa.yield %r : f32
    }
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

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @two_types(%q: memref<?x64xbf16>, %o: memref<?x64xf16>, %l: memref<?xf32>, %dq: memref<?x64xbf16>,
                     %dk: memref<?x64xbf16>, %dv: memref<?x64xbf16>) {
  // expected-error @+1 {{target sm_80 multiplies d_out and value of one element type, got 'f16' and 'bf16'}}
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %q, %o, %l, %o : memref<?x64xbf16>, memref<?x64xbf16>, memref<?x64xbf16>, memref<?x64xf16>,
        memref<?xf32>, memref<?x64xf16>)
    outs(%dq, %dk, %dv : memref<?x64xbf16>, memref<?x64xbf16>, memref<?x64xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @too_wide(%q: memref<?x160xbf16>, %l: memref<?xf32>, %dq: memref<?x160xbf16>, %dk: memref<?x160xbf16>,
                    %dv: memref<?x160xbf16>) {
  // expected-error @+1 {{target sm_80 takes d-query=atomic for head dimensions up to 128; choose d-query=recompute}}
  fa.attention_backward {fa.backward_schedule = #fa.backward_schedule<query_tile = 64, key_tile = 64, d_query = atomic>,
                         indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %q, %q, %l, %q : memref<?x160xbf16>, memref<?x160xbf16>, memref<?x160xbf16>, memref<?x160xbf16>,
        memref<?xf32>, memref<?x160xbf16>)
    outs(%dq, %dk, %dv : memref<?x160xbf16>, memref<?x160xbf16>, memref<?x160xbf16>)
  return
}
