// RUN: %fa-opt --canonicalize %s | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>
#c = affine_map<(b, h, g, m, n, d, e) -> (n)>

// An unread capture goes, the number of the one with a gradient moves.
// CHECK-LABEL: func @unread
// CHECK-SAME: %[[USED:[a-z0-9]+]]: tensor<8xf32>)
// CHECK: fa.attention_backward {capture_gradients = array<i64: 0>
// CHECK-SAME: captures(%[[USED]] : tensor<8xf32>)
func.func @unread(%q: tensor<8x4xf32>, %l: tensor<8xf32>, %unread: tensor<8xf32>, %used: tensor<8xf32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>) {
  %g:4 = fa.attention_backward {capture_gradients = array<i64: 1>,
                                indexing_maps = [#q, #k, #v, #c, #c, #o, #l, #o, #q, #k, #v, #c]}
    ins(%q, %q, %q, %q, %l, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>,
        tensor<8x4xf32>)
    captures(%unread, %used : tensor<8xf32>, tensor<8xf32>)
    outs(%q, %q, %q, %l : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>)
    score {
    ^bb0(%s: f32, %a: f32, %b: f32):
      %r = arith.addf %s, %b : f32
      fa.yield %r : f32
    }
    -> tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>
  return %g#0, %g#1, %g#2, %g#3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>
}

// A region that changes nothing goes.
// CHECK-LABEL: func @trivial
// CHECK: fa.attention_backward
// CHECK-NOT: score
// CHECK-NOT: keep
// CHECK: return
func.func @trivial(%q: tensor<8x4xf32>, %l: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %g:3 = fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %q, %q, %l, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>,
        tensor<8x4xf32>)
    outs(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
    score {
    ^bb0(%s: f32):
      fa.yield %s : f32
    }
    keep {
      %true = arith.constant true
      fa.yield %true : i1
    }
    -> tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  return %g#0, %g#1, %g#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
