// RUN: %fa-opt %s -split-input-file -verify-diagnostics

// The rules of the backward ops that fa.attention does not have, or has in another place.

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_1(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>) {
  // expected-error @+1 {{rule 1: expected 9 indexing maps, got 8}}
  %g:3 = fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_2(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>) {
  // expected-error @+1 {{rule 2: d_out may use dimensions {h, m, e}}}
  %g:3 = fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #q, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_10(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{rule 10: expected 4 outputs, got 3}}
  %g:3 = fa.attention_backward {bias_gradient, indexing_maps = [#q, #k, #v, #h, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    bias(%b : tensor<2xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_6(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>) {
  // expected-error @+1 {{rule 6: result type}}
  %g:3 = fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x8x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_11(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>) {
  // expected-error @+1 {{rule 2: a gradient may use dimensions {h, n, d}}}
  %g:3 = fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #q, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_11_whole(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>, %t: tensor<8xf32>, %dt: tensor<9xf32>) {
  // expected-error @+1 {{rule 11: the gradient of a capture of type}}
  %g:4 = fa.attention_backward {capture_gradients = array<i64: 0>, indexing_maps = [#q, #k, #v, #whole, #o, #l, #o, #q, #k, #v, #whole]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    captures(%t : tensor<8xf32>)
    outs(%dq, %dk, %dv, %dt : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<9xf32>)
    score {
    ^bb0(%s: f32, %x: tensor<8xf32>):
      %i = fa.index q
      %f = tensor.extract %x[%i] : tensor<8xf32>
      %r = arith.addf %s, %f : f32
      fa.yield %r : f32
    }
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<9xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_12(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xbf16>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>) {
  // expected-error @+1 {{rule 12: lse and d_lse must be 'f32'}}
  %g:3 = fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xbf16>, tensor<2x?x32xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_13_bias(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>) {
  // expected-error @+1 {{rule 13: bias_gradient needs a bias}}
  %g:3 = fa.attention_backward {bias_gradient, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_13_sinks(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>) {
  // expected-error @+1 {{rule 13: sinks_gradient needs sinks}}
  %g:3 = fa.attention_backward {sinks_gradient, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_13_capture(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>, %c: tensor<2xf32>) {
  // expected-error @+1 {{rule 13: capture_gradients must list captures in ascending order, got 1}}
  %g:3 = fa.attention_backward {capture_gradients = array<i64: 1>, indexing_maps = [#q, #k, #v, #h, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    captures(%c : tensor<2xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    score {
    ^bb0(%s: f32, %x: f32):
      %r = arith.addf %s, %x : f32
      fa.yield %r : f32
    }
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_13_ints(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>, %c: tensor<2xi32>) {
  // expected-error @+1 {{rule 13: capture 0 is not of floats and has no gradient}}
  %g:3 = fa.attention_backward {capture_gradients = array<i64: 0>, indexing_maps = [#q, #k, #v, #h, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    captures(%c : tensor<2xi32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    score {
    ^bb0(%s: f32, %x: i32):
      %f = arith.sitofp %x : i32 to f32
      %r = arith.addf %s, %f : f32
      fa.yield %r : f32
    }
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_13_unread(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x32xf32>, %o: tensor<2x?x32xf32>, %lse: tensor<2x?xf32>, %dq: tensor<2x?x64xf32>, %dk: tensor<2x?x64xf32>, %dv: tensor<2x?x32xf32>, %c: tensor<2xf32>) {
  // expected-error @+1 {{rule 13: no score region reads capture 0, so it has no gradient}}
  %g:3 = fa.attention_backward {capture_gradients = array<i64: 0>, indexing_maps = [#q, #k, #v, #h, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %o : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?xf32>, tensor<2x?x32xf32>)
    captures(%c : tensor<2xf32>)
    outs(%dq, %dk, %dv : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>)
    score {
    ^bb0(%s: f32, %x: f32):
      %r = arith.mulf %s, %s : f32
      fa.yield %r : f32
    }
    -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_14(%q: tensor<2x8x64xf32>, %v: tensor<2x8x32xf32>, %row: tensor<2x8xf32>, %dk: tensor<2x8x64xbf16>) {
  // expected-error @+1 {{rule 14: lse, delta and the outputs must be 'f32'}}
  %g:3 = fa.online_attention_backward {indexing_maps = [#q, #k, #v, #l, #l, #o, #q, #k, #v]}
    ins(%q, %q, %v, %row, %row, %v : tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x32xf32>, tensor<2x8xf32>,
        tensor<2x8xf32>, tensor<2x8x32xf32>)
    outs(%q, %dk, %v : tensor<2x8x64xf32>, tensor<2x8x64xbf16>, tensor<2x8x32xf32>)
    -> tensor<2x8x64xf32>, tensor<2x8x64xbf16>, tensor<2x8x32xf32>
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

func.func @rule_7(%q: memref<2x8x64xf32>, %v: memref<2x8x32xf32>, %lse: memref<2x8xf32>, %dk: memref<2x8x64xf32>,
                  %dv: memref<2x8x32xf32>) {
  // expected-error @+1 {{rule 7: an output is also an input}}
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %v, %v, %lse, %v : memref<2x8x64xf32>, memref<2x8x64xf32>, memref<2x8x32xf32>, memref<2x8x32xf32>,
        memref<2x8xf32>, memref<2x8x32xf32>)
    outs(%q, %dk, %dv : memref<2x8x64xf32>, memref<2x8x64xf32>, memref<2x8x32xf32>)
  return
}

// -----

func.func @accumulate_rule_1(%t: tensor<4x4xf32>, %m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{rule 1: expected 2 offsets, got 1}}
  fa.accumulate %t into %m[%i] owned {tile_dims = array<i64: 0, 1>} : tensor<4x4xf32>, memref<?x?xf32>
  return
}

// -----

func.func @accumulate_rule_2(%t: tensor<4x4xbf16>, %m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{rule 2: element types differ}}
  fa.accumulate %t into %m[%i, %i] atomic {tile_dims = array<i64: 0, 1>} : tensor<4x4xbf16>, memref<?x?xf32>
  return
}

// -----

func.func @schedule() {
  // expected-error @+1 {{tile sizes must be positive, got query_tile = 0, key_tile = 64}}
  return {schedule = #fa.backward_schedule<query_tile = 0, key_tile = 64, d_query = atomic>}
}

// -----

func.func @accumulate_at_rank(%ds: tensor<64x32xf32>, %i: tensor<64x32xindex>, %table: memref<?x2xf32>) {
  // expected-error @+1 {{rule 1: needs one tile of indices per dimension of 'memref<?x2xf32>'}}
  fa.accumulate_at %ds[%i] into %table atomic : tensor<64x32xf32>[tensor<64x32xindex>] into memref<?x2xf32>
  return
}

// -----

func.func @accumulate_at_shape(%ds: tensor<64x32xf32>, %i: tensor<32x64xindex>, %table: memref<?xf32>) {
  // expected-error @+1 {{rule 1: indices must be of type index, in the shape of 'tensor<64x32xf32>'}}
  fa.accumulate_at %ds[%i] into %table atomic : tensor<64x32xf32>[tensor<32x64xindex>] into memref<?xf32>
  return
}

// -----

func.func @accumulate_at_type(%ds: tensor<64x32xf32>, %i: tensor<64x32xindex>, %table: memref<?xf64>) {
  // expected-error @+1 {{rule 1: element types differ: 'f32' and 'f64'}}
  fa.accumulate_at %ds[%i] into %table atomic : tensor<64x32xf32>[tensor<64x32xindex>] into memref<?xf64>
  return
}
