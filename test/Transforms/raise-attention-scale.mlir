// RUN: %fa-opt --fa-raise-attention --verify-diagnostics %s | FileCheck %s
// RUN: env FA_OPT=%fa-opt %python %fa_source/test/numeric/raised.py %s

// How scores are scaled. The second run compares each function with what it was, on random data;
// `raises` is how many attentions it has.

// CHECK-LABEL: func.func @no_scale(
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: fa.attention {{.*}} scale(%[[ONE]] : f32)
// CHECK-NOT: math.exp
func.func @no_scale(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c1 = arith.constant 0.000000e+00 : f32
  %e2 = tensor.empty() : tensor<2x2x5x6xf32>
  %f3 = linalg.fill ins(%c1 : f32) outs(%e2 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v4 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f3 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e5 = tensor.empty() : tensor<2x2x5x6xf32>
  %v6 = linalg.softmax dimension(3) ins(%v4 : tensor<2x2x5x6xf32>) outs(%e5 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c7 = arith.constant 0.000000e+00 : f32
  %e8 = tensor.empty() : tensor<2x2x5x3xf32>
  %f9 = linalg.fill ins(%c7 : f32) outs(%e8 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v6, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f9 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v10 : tensor<2x2x5x3xf32>
}

// 1/sqrt(4), the default.
// CHECK-LABEL: func.func @scale_mul(
// CHECK: fa.attention {indexing_maps = {{.*}}} ins({{.*}}) outs(
// CHECK-NOT: math.exp
func.func @scale_mul(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c11 = arith.constant 0.000000e+00 : f32
  %e12 = tensor.empty() : tensor<2x2x5x6xf32>
  %f13 = linalg.fill ins(%c11 : f32) outs(%e12 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v14 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f13 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e15 = tensor.empty() : tensor<2x2x5x6xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v14 : tensor<2x2x5x6xf32>) outs(%e15 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %y = arith.mulf %a0, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e17 = tensor.empty() : tensor<2x2x5x6xf32>
  %v18 = linalg.softmax dimension(3) ins(%v16 : tensor<2x2x5x6xf32>) outs(%e17 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c19 = arith.constant 0.000000e+00 : f32
  %e20 = tensor.empty() : tensor<2x2x5x3xf32>
  %f21 = linalg.fill ins(%c19 : f32) outs(%e20 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v22 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v18, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f21 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v22 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @scale_div(
// CHECK: fa.attention {indexing_maps = {{.*}}} ins({{.*}}) outs(
// CHECK-NOT: math.exp
func.func @scale_div(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c23 = arith.constant 0.000000e+00 : f32
  %e24 = tensor.empty() : tensor<2x2x5x6xf32>
  %f25 = linalg.fill ins(%c23 : f32) outs(%e24 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v26 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f25 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e27 = tensor.empty() : tensor<2x2x5x6xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v26 : tensor<2x2x5x6xf32>) outs(%e27 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %c = arith.constant 2.0 : f32
    %y = arith.divf %a0, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e29 = tensor.empty() : tensor<2x2x5x6xf32>
  %v30 = linalg.softmax dimension(3) ins(%v28 : tensor<2x2x5x6xf32>) outs(%e29 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c31 = arith.constant 0.000000e+00 : f32
  %e32 = tensor.empty() : tensor<2x2x5x3xf32>
  %f33 = linalg.fill ins(%c31 : f32) outs(%e32 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v34 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v30, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f33 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v34 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @scale_negative(
// CHECK: arith.constant -3.000000e-01 : f32
// CHECK: fa.attention {indexing_maps = {{.*}}} ins(%{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) scale(
// CHECK-NOT: math.exp
func.func @scale_negative(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c35 = arith.constant 0.000000e+00 : f32
  %e36 = tensor.empty() : tensor<2x2x5x6xf32>
  %f37 = linalg.fill ins(%c35 : f32) outs(%e36 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v38 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f37 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e39 = tensor.empty() : tensor<2x2x5x6xf32>
  %v40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v38 : tensor<2x2x5x6xf32>) outs(%e39 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %c = arith.constant 0.3 : f32
    %x = arith.mulf %c, %a0 : f32
    %y = arith.negf %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e41 = tensor.empty() : tensor<2x2x5x6xf32>
  %v42 = linalg.softmax dimension(3) ins(%v40 : tensor<2x2x5x6xf32>) outs(%e41 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c43 = arith.constant 0.000000e+00 : f32
  %e44 = tensor.empty() : tensor<2x2x5x3xf32>
  %f45 = linalg.fill ins(%c43 : f32) outs(%e44 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v46 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v42, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f45 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v46 : tensor<2x2x5x3xf32>
}

// q and k scaled each by a half.
// CHECK-LABEL: func.func @scale_on_both(
// CHECK: arith.constant 2.500000e-01 : f32
// CHECK: fa.attention {{.*}} ins(%arg0, %arg1, %arg2 : {{.*}}) scale(
func.func @scale_on_both(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %e47 = tensor.empty() : tensor<2x2x5x4xf32>
  %v48 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%q : tensor<2x2x5x4xf32>) outs(%e47 : tensor<2x2x5x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %y = arith.mulf %a0, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x4xf32>
  %e49 = tensor.empty() : tensor<2x2x6x4xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<2x2x6x4xf32>) outs(%e49 : tensor<2x2x6x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %y = arith.mulf %a0, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x2x6x4xf32>
  %c51 = arith.constant 0.000000e+00 : f32
  %e52 = tensor.empty() : tensor<2x2x5x6xf32>
  %f53 = linalg.fill ins(%c51 : f32) outs(%e52 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v54 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v48, %v50 : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f53 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e55 = tensor.empty() : tensor<2x2x5x6xf32>
  %v56 = linalg.softmax dimension(3) ins(%v54 : tensor<2x2x5x6xf32>) outs(%e55 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c57 = arith.constant 0.000000e+00 : f32
  %e58 = tensor.empty() : tensor<2x2x5x3xf32>
  %f59 = linalg.fill ins(%c57 : f32) outs(%e58 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v60 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v56, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f59 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v60 : tensor<2x2x5x3xf32>
}

// No scalar: the scaled query is the query.
// CHECK-LABEL: func.func @scale_per_dim(
// CHECK: %[[QW:.*]] = linalg.generic
// CHECK: fa.attention {{.*}} ins(%[[QW]], %arg1, %arg2
func.func @scale_per_dim(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %w: tensor<4xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %e61 = tensor.empty() : tensor<2x2x5x4xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%q, %w : tensor<2x2x5x4xf32>, tensor<4xf32>) outs(%e61 : tensor<2x2x5x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x4xf32>
  %c63 = arith.constant 0.000000e+00 : f32
  %e64 = tensor.empty() : tensor<2x2x5x6xf32>
  %f65 = linalg.fill ins(%c63 : f32) outs(%e64 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v66 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v62, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f65 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e67 = tensor.empty() : tensor<2x2x5x6xf32>
  %v68 = linalg.softmax dimension(3) ins(%v66 : tensor<2x2x5x6xf32>) outs(%e67 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c69 = arith.constant 0.000000e+00 : f32
  %e70 = tensor.empty() : tensor<2x2x5x3xf32>
  %f71 = linalg.fill ins(%c69 : f32) outs(%e70 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v72 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v68, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f71 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v72 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @scale_per_head(
// CHECK: fa.attention {{.*}} captures(%arg3 : tensor<2xf32>) {{.*}} score {
// CHECK: ^bb0(%[[S:.*]]: f32, %[[W:.*]]: f32):
// CHECK: arith.mulf %[[W]], %[[S]]
func.func @scale_per_head(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %w: tensor<2xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c73 = arith.constant 0.000000e+00 : f32
  %e74 = tensor.empty() : tensor<2x2x5x6xf32>
  %f75 = linalg.fill ins(%c73 : f32) outs(%e74 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v76 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f75 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e77 = tensor.empty() : tensor<2x2x5x6xf32>
  %v78 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v76, %w : tensor<2x2x5x6xf32>, tensor<2xf32>) outs(%e77 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e79 = tensor.empty() : tensor<2x2x5x6xf32>
  %v80 = linalg.softmax dimension(3) ins(%v78 : tensor<2x2x5x6xf32>) outs(%e79 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c81 = arith.constant 0.000000e+00 : f32
  %e82 = tensor.empty() : tensor<2x2x5x3xf32>
  %f83 = linalg.fill ins(%c81 : f32) outs(%e82 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v84 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v80, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f83 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v84 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @scale_dynamic(
// CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %arg3 : f32
// CHECK: fa.attention {{.*}} scale(%[[S]] : f32)
func.func @scale_dynamic(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %w: f32) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c85 = arith.constant 0.000000e+00 : f32
  %e86 = tensor.empty() : tensor<2x2x5x6xf32>
  %f87 = linalg.fill ins(%c85 : f32) outs(%e86 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v88 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f87 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e89 = tensor.empty() : tensor<2x2x5x6xf32>
  %v90 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v88 : tensor<2x2x5x6xf32>) outs(%e89 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %w : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e91 = tensor.empty() : tensor<2x2x5x6xf32>
  %v92 = linalg.softmax dimension(3) ins(%v90 : tensor<2x2x5x6xf32>) outs(%e91 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c93 = arith.constant 0.000000e+00 : f32
  %e94 = tensor.empty() : tensor<2x2x5x3xf32>
  %f95 = linalg.fill ins(%c93 : f32) outs(%e94 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v96 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v92, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f95 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v96 : tensor<2x2x5x3xf32>
}
