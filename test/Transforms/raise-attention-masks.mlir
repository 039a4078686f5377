// RUN: %fa-opt --fa-raise-attention --verify-diagnostics %s | FileCheck %s
// RUN: env FA_OPT=%fa-opt %python %fa_source/test/numeric/raised.py %s

// Biases, masks, softcap and other tails of the scores. The second run compares each function with what it was, on random data;
// `raises` is how many attentions it has.

// Commuted, over heads.
// CHECK-LABEL: func.func @bias(
// CHECK: fa.attention {{.*}} bias(%arg3 : tensor<2x5x6xf32>) outs(
func.func @bias(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %b: tensor<2x5x6xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c1 = arith.constant 0.000000e+00 : f32
  %e2 = tensor.empty() : tensor<2x2x5x6xf32>
  %f3 = linalg.fill ins(%c1 : f32) outs(%e2 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v4 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f3 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e5 = tensor.empty() : tensor<2x2x5x6xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v4, %b : tensor<2x2x5x6xf32>, tensor<2x5x6xf32>) outs(%e5 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a1, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e7 = tensor.empty() : tensor<2x2x5x6xf32>
  %v8 = linalg.softmax dimension(3) ins(%v6 : tensor<2x2x5x6xf32>) outs(%e7 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c9 = arith.constant 0.000000e+00 : f32
  %e10 = tensor.empty() : tensor<2x2x5x3xf32>
  %f11 = linalg.fill ins(%c9 : f32) outs(%e10 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v8, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f11 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v12 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @bias_subtracted(
// CHECK: fa.attention
func.func @bias_subtracted(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %b: tensor<5x6xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c13 = arith.constant 0.000000e+00 : f32
  %e14 = tensor.empty() : tensor<2x2x5x6xf32>
  %f15 = linalg.fill ins(%c13 : f32) outs(%e14 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v16 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f15 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e17 = tensor.empty() : tensor<2x2x5x6xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v16, %b : tensor<2x2x5x6xf32>, tensor<5x6xf32>) outs(%e17 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e19 = tensor.empty() : tensor<2x2x5x6xf32>
  %v20 = linalg.softmax dimension(3) ins(%v18 : tensor<2x2x5x6xf32>) outs(%e19 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c21 = arith.constant 0.000000e+00 : f32
  %e22 = tensor.empty() : tensor<2x2x5x3xf32>
  %f23 = linalg.fill ins(%c21 : f32) outs(%e22 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v24 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v20, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f23 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v24 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @bias_f16(
// CHECK: fa.attention {{.*}} bias(%arg3 : tensor<5x6xf16>) outs(
func.func @bias_f16(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %b: tensor<5x6xf16>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c25 = arith.constant 0.000000e+00 : f32
  %e26 = tensor.empty() : tensor<2x2x5x6xf32>
  %f27 = linalg.fill ins(%c25 : f32) outs(%e26 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v28 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f27 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e29 = tensor.empty() : tensor<2x2x5x6xf32>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v28, %b : tensor<2x2x5x6xf32>, tensor<5x6xf16>) outs(%e29 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f16, %o: f32):
    %w = arith.extf %a1 : f16 to f32
    %y = arith.addf %w, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e31 = tensor.empty() : tensor<2x2x5x6xf32>
  %v32 = linalg.softmax dimension(3) ins(%v30 : tensor<2x2x5x6xf32>) outs(%e31 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c33 = arith.constant 0.000000e+00 : f32
  %e34 = tensor.empty() : tensor<2x2x5x3xf32>
  %f35 = linalg.fill ins(%c33 : f32) outs(%e34 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v36 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v32, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f35 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v36 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @two_biases(
// CHECK: fa.attention {{.*}} bias({{.*}}) captures({{.*}}) {{.*}} score {
func.func @two_biases(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %b: tensor<2x5x6xf32>, %c: tensor<5x6xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c37 = arith.constant 0.000000e+00 : f32
  %e38 = tensor.empty() : tensor<2x2x5x6xf32>
  %f39 = linalg.fill ins(%c37 : f32) outs(%e38 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v40 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f39 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e41 = tensor.empty() : tensor<2x2x5x6xf32>
  %v42 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v40, %b, %c : tensor<2x2x5x6xf32>, tensor<2x5x6xf32>, tensor<5x6xf32>) outs(%e41 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %o: f32):
    %x = arith.addf %a0, %a1 : f32
    %y = arith.addf %x, %a2 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e43 = tensor.empty() : tensor<2x2x5x6xf32>
  %v44 = linalg.softmax dimension(3) ins(%v42 : tensor<2x2x5x6xf32>) outs(%e43 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c45 = arith.constant 0.000000e+00 : f32
  %e46 = tensor.empty() : tensor<2x2x5x3xf32>
  %f47 = linalg.fill ins(%c45 : f32) outs(%e46 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v48 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v44, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f47 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v48 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @select_inf(
// CHECK: fa.attention {{.*}} mask(%arg3 : tensor<5x6xi1>) outs(
func.func @select_inf(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c49 = arith.constant 0.000000e+00 : f32
  %e50 = tensor.empty() : tensor<2x2x5x6xf32>
  %f51 = linalg.fill ins(%c49 : f32) outs(%e50 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v52 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f51 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e53 = tensor.empty() : tensor<2x2x5x6xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v52, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e53 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %y = arith.select %a1, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e55 = tensor.empty() : tensor<2x2x5x6xf32>
  %v56 = linalg.softmax dimension(3) ins(%v54 : tensor<2x2x5x6xf32>) outs(%e55 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c57 = arith.constant 0.000000e+00 : f32
  %e58 = tensor.empty() : tensor<2x2x5x3xf32>
  %f59 = linalg.fill ins(%c57 : f32) outs(%e58 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v60 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v56, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f59 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v60 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @select_inf_inverted(
// CHECK: fa.attention {{.*}} captures(%arg3 : tensor<5x6xi1>) {{.*}} keep {
func.func @select_inf_inverted(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c61 = arith.constant 0.000000e+00 : f32
  %e62 = tensor.empty() : tensor<2x2x5x6xf32>
  %f63 = linalg.fill ins(%c61 : f32) outs(%e62 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v64 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f63 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e65 = tensor.empty() : tensor<2x2x5x6xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v64, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e65 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %y = arith.select %a1, %i, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e67 = tensor.empty() : tensor<2x2x5x6xf32>
  %v68 = linalg.softmax dimension(3) ins(%v66 : tensor<2x2x5x6xf32>) outs(%e67 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c69 = arith.constant 0.000000e+00 : f32
  %e70 = tensor.empty() : tensor<2x2x5x3xf32>
  %f71 = linalg.fill ins(%c69 : f32) outs(%e70 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v72 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v68, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f71 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v72 : tensor<2x2x5x3xf32>
}

// [B, 1, 1, Sk].
// CHECK-LABEL: func.func @padding_mask(
// CHECK: fa.attention {{.*}} mask({{.*}} : tensor<2x6xi1>) outs(
func.func @padding_mask(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<2x1x1x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c73 = arith.constant 0.000000e+00 : f32
  %e74 = tensor.empty() : tensor<2x2x5x6xf32>
  %f75 = linalg.fill ins(%c73 : f32) outs(%e74 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v76 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f75 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e77 = tensor.empty() : tensor<2x2x5x6xf32>
  %v78 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v76, %m : tensor<2x2x5x6xf32>, tensor<2x1x1x6xi1>) outs(%e77 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %y = arith.select %a1, %a0, %i : f32
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

// CHECK-LABEL: func.func @add_inf(
// CHECK: fa.attention {{.*}} mask(%arg3 : tensor<5x6xi1>) outs(
func.func @add_inf(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c85 = arith.constant 0.000000e+00 : f32
  %e86 = tensor.empty() : tensor<2x2x5x6xf32>
  %f87 = linalg.fill ins(%c85 : f32) outs(%e86 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v88 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f87 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e89 = tensor.empty() : tensor<2x2x5x6xf32>
  %v90 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v88, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e89 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %z = arith.constant 0.0 : f32
    %w = arith.select %a1, %z, %i : f32
    %y = arith.addf %a0, %w : f32
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

// -inf scaled stays -inf.
// CHECK-LABEL: func.func @mask_before_scale(
// CHECK: fa.attention {{.*}} mask(%arg3
func.func @mask_before_scale(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c97 = arith.constant 0.000000e+00 : f32
  %e98 = tensor.empty() : tensor<2x2x5x6xf32>
  %f99 = linalg.fill ins(%c97 : f32) outs(%e98 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v100 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f99 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e101 = tensor.empty() : tensor<2x2x5x6xf32>
  %v102 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v100, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e101 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %c = arith.constant 0.5 : f32
    %w = arith.select %a1, %a0, %i : f32
    %y = arith.mulf %w, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e103 = tensor.empty() : tensor<2x2x5x6xf32>
  %v104 = linalg.softmax dimension(3) ins(%v102 : tensor<2x2x5x6xf32>) outs(%e103 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c105 = arith.constant 0.000000e+00 : f32
  %e106 = tensor.empty() : tensor<2x2x5x3xf32>
  %f107 = linalg.fill ins(%c105 : f32) outs(%e106 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v108 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v104, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f107 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v108 : tensor<2x2x5x3xf32>
}

// A row of fills alone is uniform, so the fill stays a score.
// CHECK-LABEL: func.func @select_finite_1e4(
// CHECK: fa.attention {{.*}} captures(%arg3 : tensor<5x6xi1>) {{.*}} score {
// CHECK: arith.select
func.func @select_finite_1e4(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c109 = arith.constant 0.000000e+00 : f32
  %e110 = tensor.empty() : tensor<2x2x5x6xf32>
  %f111 = linalg.fill ins(%c109 : f32) outs(%e110 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v112 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f111 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e113 = tensor.empty() : tensor<2x2x5x6xf32>
  %v114 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v112, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e113 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant -1.0e+04 : f32
    %y = arith.select %a1, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e115 = tensor.empty() : tensor<2x2x5x6xf32>
  %v116 = linalg.softmax dimension(3) ins(%v114 : tensor<2x2x5x6xf32>) outs(%e115 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c117 = arith.constant 0.000000e+00 : f32
  %e118 = tensor.empty() : tensor<2x2x5x3xf32>
  %f119 = linalg.fill ins(%c117 : f32) outs(%e118 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v120 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v116, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f119 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v120 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @select_finite_1e9(
// CHECK: fa.attention {{.*}} captures(%arg3 : tensor<5x6xi1>) {{.*}} score {
// CHECK: arith.select
func.func @select_finite_1e9(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c121 = arith.constant 0.000000e+00 : f32
  %e122 = tensor.empty() : tensor<2x2x5x6xf32>
  %f123 = linalg.fill ins(%c121 : f32) outs(%e122 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v124 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f123 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e125 = tensor.empty() : tensor<2x2x5x6xf32>
  %v126 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v124, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e125 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant -1.0e+09 : f32
    %y = arith.select %a1, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e127 = tensor.empty() : tensor<2x2x5x6xf32>
  %v128 = linalg.softmax dimension(3) ins(%v126 : tensor<2x2x5x6xf32>) outs(%e127 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c129 = arith.constant 0.000000e+00 : f32
  %e130 = tensor.empty() : tensor<2x2x5x3xf32>
  %f131 = linalg.fill ins(%c129 : f32) outs(%e130 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v132 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v128, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f131 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v132 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @select_finite_lowest(
// CHECK: fa.attention {{.*}} captures(%arg3 : tensor<5x6xi1>) {{.*}} score {
// CHECK: arith.select
func.func @select_finite_lowest(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c133 = arith.constant 0.000000e+00 : f32
  %e134 = tensor.empty() : tensor<2x2x5x6xf32>
  %f135 = linalg.fill ins(%c133 : f32) outs(%e134 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v136 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f135 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e137 = tensor.empty() : tensor<2x2x5x6xf32>
  %v138 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v136, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e137 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant -3.40282347E+38 : f32
    %y = arith.select %a1, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e139 = tensor.empty() : tensor<2x2x5x6xf32>
  %v140 = linalg.softmax dimension(3) ins(%v138 : tensor<2x2x5x6xf32>) outs(%e139 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c141 = arith.constant 0.000000e+00 : f32
  %e142 = tensor.empty() : tensor<2x2x5x3xf32>
  %f143 = linalg.fill ins(%c141 : f32) outs(%e142 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v144 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v140, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f143 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v144 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @bool_to_float(
// CHECK: fa.attention
func.func @bool_to_float(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c145 = arith.constant 0.000000e+00 : f32
  %e146 = tensor.empty() : tensor<2x2x5x6xf32>
  %f147 = linalg.fill ins(%c145 : f32) outs(%e146 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v148 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f147 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e149 = tensor.empty() : tensor<2x2x5x6xf32>
  %v150 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v148, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e149 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.constant -1.0e+09 : f32
    %f = arith.uitofp %a1 : i1 to f32
    %g = arith.subf %one, %f : f32
    %h = arith.mulf %g, %i : f32
    %y = arith.addf %a0, %h : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e151 = tensor.empty() : tensor<2x2x5x6xf32>
  %v152 = linalg.softmax dimension(3) ins(%v150 : tensor<2x2x5x6xf32>) outs(%e151 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c153 = arith.constant 0.000000e+00 : f32
  %e154 = tensor.empty() : tensor<2x2x5x3xf32>
  %f155 = linalg.fill ins(%c153 : f32) outs(%e154 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v156 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v152, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f155 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v156 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @softcap(
// CHECK: fa.attention {indexing_maps = {{.*}}, softcap = 2.000000e+01 : f64} ins({{.*}}) outs(
func.func @softcap(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c157 = arith.constant 0.000000e+00 : f32
  %e158 = tensor.empty() : tensor<2x2x5x6xf32>
  %f159 = linalg.fill ins(%c157 : f32) outs(%e158 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v160 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f159 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e161 = tensor.empty() : tensor<2x2x5x6xf32>
  %v162 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v160 : tensor<2x2x5x6xf32>) outs(%e161 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %c = arith.constant 20.0 : f32
    %s = arith.constant 0.5 : f32
    %x = arith.mulf %a0, %s : f32
    %t = arith.divf %x, %c : f32
    %u = math.tanh %t : f32
    %y = arith.mulf %u, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e163 = tensor.empty() : tensor<2x2x5x6xf32>
  %v164 = linalg.softmax dimension(3) ins(%v162 : tensor<2x2x5x6xf32>) outs(%e163 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c165 = arith.constant 0.000000e+00 : f32
  %e166 = tensor.empty() : tensor<2x2x5x3xf32>
  %f167 = linalg.fill ins(%c165 : f32) outs(%e166 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v168 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v164, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f167 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v168 : tensor<2x2x5x3xf32>
}

// An elementwise tail is a score region.
// CHECK-LABEL: func.func @tail(
// CHECK: fa.attention {{.*}} bias(%arg3 : tensor<5x6xf32>) outs({{.*}}) score {
// CHECK: math.absf
func.func @tail(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %b: tensor<5x6xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c169 = arith.constant 0.000000e+00 : f32
  %e170 = tensor.empty() : tensor<2x2x5x6xf32>
  %f171 = linalg.fill ins(%c169 : f32) outs(%e170 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v172 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f171 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e173 = tensor.empty() : tensor<2x2x5x6xf32>
  %v174 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v172, %b : tensor<2x2x5x6xf32>, tensor<5x6xf32>) outs(%e173 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = math.absf %a0 : f32
    %z = arith.mulf %a0, %x : f32
    %y = arith.addf %z, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e175 = tensor.empty() : tensor<2x2x5x6xf32>
  %v176 = linalg.softmax dimension(3) ins(%v174 : tensor<2x2x5x6xf32>) outs(%e175 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c177 = arith.constant 0.000000e+00 : f32
  %e178 = tensor.empty() : tensor<2x2x5x3xf32>
  %f179 = linalg.fill ins(%c177 : f32) outs(%e178 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v180 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v176, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f179 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v180 : tensor<2x2x5x3xf32>
}
