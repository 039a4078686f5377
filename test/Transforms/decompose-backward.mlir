// RUN: %fa-opt --fa-decompose --canonicalize --cse -split-input-file -verify-diagnostics %s | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, g, m)>
#s = affine_map<(b, h, g, m, n, d, e) -> (m, n)>

// The bias has a gradient that is summed over heads and groups; softcap is differentiated as 1 - tanh^2.
// CHECK-LABEL: func @softcap_bias
// CHECK-NOT: fa.
// Delta, one number per row.
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK: arith.subf %{{.*}} : f32
// Q.K and dO.V.
// CHECK: linalg.contract
// CHECK: linalg.contract
// Everything per pair in one generic.
// CHECK: %[[PAIRS:.*]]:3 = linalg.generic
// CHECK: %[[T:.*]] = math.tanh
// CHECK: math.exp2
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[T]], %[[T]]
// CHECK: %[[SLOPE:.*]] = arith.subf %{{.*}}, %[[SQUARE]]
// CHECK: arith.mulf %{{.*}}, %[[SLOPE]]
// CHECK: -> (tensor<2x4x?x?xbf16>, tensor<2x4x?x?xbf16>, tensor<2x4x?x?xf32>)
// CHECK: linalg.contract {{.*}} ins(%[[PAIRS]]#1, {{.*}} -> tensor<2x4x?x64xf32>
// CHECK: linalg.contract {{.*}} ins(%[[PAIRS]]#1, {{.*}} -> tensor<2x?x64xf32>
// CHECK: linalg.contract {{.*}} ins(%[[PAIRS]]#0, {{.*}} -> tensor<2x?x64xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "parallel", "parallel"]} ins(%[[PAIRS]]#2
func.func @softcap_bias(%q: tensor<2x4x?x64xbf16>, %k: tensor<2x?x64xbf16>, %o: tensor<2x4x?x64xbf16>,
                        %lse: tensor<2x4x?xf32>, %d_lse: tensor<2x4x?xf32>, %bias: tensor<?x?xf32>)
    -> (tensor<2x4x?x64xbf16>, tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<?x?xf32>) {
  %g:4 = fa.attention_backward {bias_gradient, softcap = 30.0 : f64,
                                indexing_maps = [#q, #k, #v, #s, #o, #l, #o, #l, #q, #k, #v, #s]}
    ins(%q, %k, %k, %o, %lse, %o : tensor<2x4x?x64xbf16>, tensor<2x?x64xbf16>, tensor<2x?x64xbf16>,
        tensor<2x4x?x64xbf16>, tensor<2x4x?xf32>, tensor<2x4x?x64xbf16>)
    d_lse(%d_lse : tensor<2x4x?xf32>)
    bias(%bias : tensor<?x?xf32>)
    outs(%q, %k, %k, %bias : tensor<2x4x?x64xbf16>, tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<?x?xf32>)
    -> tensor<2x4x?x64xbf16>, tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<?x?xf32>
  return %g#0, %g#1, %g#2, %g#3
    : tensor<2x4x?x64xbf16>, tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<?x?xf32>
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>

// A step has no useful derivative. What only positions and constants reach may be anything.
func.func @step(%q: tensor<8x64xf32>, %l: tensor<8xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  %g:3 = fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %q, %q, %l, %q : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>,
        tensor<8xf32>, tensor<8x64xf32>)
    outs(%q, %q, %q : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>)
    score {
    ^bb0(%s: f32):
      %i = fa.index q
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      %free = math.floor %f : f32
      %sum = arith.addf %s, %free : f32
      // expected-error @+1 {{has no derivative here, but the result of the score region depends on the score or a differentiated capture through it}}
      %r = math.floor %sum : f32
      fa.yield %r : f32
    }
    -> tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
  return %g#0, %g#1, %g#2 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
}
