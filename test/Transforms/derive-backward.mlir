// RUN: %fa-opt --fa-derive-backward -split-input-file -verify-diagnostics %s | FileCheck %s
// RUN: %fa-opt --fa-derive-backward="bias-gradient=false capture-gradients=false" -split-input-file -verify-diagnostics %s | FileCheck %s --check-prefix=LESS

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#s = affine_map<(b, h, g, m, n, d, e) -> (m, n)>
#h = affine_map<(b, h, g, m, n, d, e) -> (h)>

// The function stays. The query is computed in it, so the forward twin returns it; the key is a view of an argument.
// CHECK-LABEL: func @block
// CHECK-SAME: attributes {fa.backward = @block_backward, fa.forward = @block_forward}
// CHECK: return %{{[a-z0-9]+}} : tensor<2x?x64xf32>

// CHECK-LABEL: func @block_forward
// CHECK-SAME: -> (tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?xf32>)
// CHECK: %[[Q:.*]] = linalg.transpose
// CHECK: %[[R:.*]]:2 = fa.attention
// CHECK: return %[[R]]#0, %[[Q]], %[[R]]#1

// CHECK-LABEL: func @block_backward
// CHECK-SAME: %[[QUERY:[a-z0-9]+]]: tensor<2x?x64xf32> {fa.result = 1 : i64}
// CHECK-SAME: %[[K:[a-z0-9]+]]: tensor<128x?xf32> {fa.argument = 1 : i64}
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<?x?xf32> {fa.argument = 2 : i64}
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<2xf32> {fa.argument = 3 : i64}
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: tensor<2x?x64xf32> {fa.result = 0 : i64}
// CHECK-SAME: %[[LSE:[a-z0-9]+]]: tensor<2x?xf32> {fa.result = 2 : i64}
// CHECK-SAME: %[[DOUT:[a-z0-9]+]]: tensor<2x?x64xf32> {fa.attention = 0 : i64, fa.cotangent = "out"}
// CHECK-SAME: -> (tensor<2x?x64xf32> {fa.attention = 0 : i64, fa.gradient = "query"},
// CHECK-SAME:     tensor<2x64x?xf32> {fa.attention = 0 : i64, fa.gradient = "key"},
// CHECK-SAME:     tensor<2x64x?xf32> {fa.attention = 0 : i64, fa.gradient = "value"},
// CHECK-SAME:     tensor<?x?xf32> {fa.argument = 2 : i64, fa.attention = 0 : i64, fa.gradient = "bias"},
// CHECK-SAME:     tensor<2xf32> {fa.argument = 3 : i64, fa.attention = 0 : i64, fa.gradient = "capture0"})
// CHECK: %[[KEY:.*]] = tensor.expand_shape %[[K]]
// CHECK: fa.attention_backward {bias_gradient, capture_gradients = array<i64: 0>, causal,
// CHECK-SAME: ins(%[[QUERY]], %[[KEY]], %[[KEY]], %[[OUT]], %[[LSE]], %[[DOUT]] :

// LESS-LABEL: func @block_backward
// LESS: fa.attention_backward {causal,
#kt = affine_map<(b, h, g, m, n, d, e) -> (h, d, n)>
#vt = affine_map<(b, h, g, m, n, d, e) -> (h, e, n)>
func.func @block(%x: tensor<?x2x64xf32>, %k: tensor<128x?xf32>, %bias: tensor<?x?xf32>, %t: tensor<2xf32>)
    -> tensor<2x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scale = arith.constant 0.125 : f32
  %m = tensor.dim %x, %c0 : tensor<?x2x64xf32>
  %n = tensor.dim %k, %c1 : tensor<128x?xf32>
  %e = tensor.empty(%m) : tensor<2x?x64xf32>
  %q = linalg.transpose ins(%x : tensor<?x2x64xf32>) outs(%e : tensor<2x?x64xf32>) permutation = [1, 0, 2]
  %kv = tensor.expand_shape %k [[0, 1], [2]] output_shape [2, 64, %n] : tensor<128x?xf32> into tensor<2x64x?xf32>
  %r = fa.attention {causal, indexing_maps = [#q, #kt, #vt, #s, #h, #h, #o]}
    ins(%q, %kv, %kv : tensor<2x?x64xf32>, tensor<2x64x?xf32>, tensor<2x64x?xf32>)
    scale(%scale : f32)
    bias(%bias : tensor<?x?xf32>)
    captures(%t, %t : tensor<2xf32>, tensor<2xf32>)
    outs(%e : tensor<2x?x64xf32>)
    score {
    ^bb0(%s: f32, %a: f32, %unread: f32):
      %y = arith.mulf %s, %a : f32
      fa.yield %y : f32
    } -> tensor<2x?x64xf32>
  return %r : tensor<2x?x64xf32>
}

// CHECK-LABEL: func @nothing
// CHECK-NOT: fa.
// CHECK-NOT: func @nothing_
func.func @nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @loop(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%y = %x) -> tensor<4x8xf32> {
    // expected-error @+1 {{fa-derive-backward does not support attention inside scf.for: move it to the top of the function}}
    %a = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%y, %y, %y : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
      outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %a : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @memory(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{fa-derive-backward needs attention on tensors: run it before bufferization}}
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%x, %x, %x : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
    outs(%y : memref<4x8xf32>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @step(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%x, %x, %x : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
    outs(%x : tensor<4x8xf32>)
    score {
    ^bb0(%s: f32):
      // expected-error @+1 {{has no derivative here}}
      %y = math.roundeven %s : f32
      fa.yield %y : f32
    } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
