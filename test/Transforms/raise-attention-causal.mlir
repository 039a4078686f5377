// RUN: %fa-opt --fa-raise-attention --verify-diagnostics %s | FileCheck %s
// RUN: env FA_OPT=%fa-opt %python %fa_source/test/numeric/raised.py %s

// Causal masks and windows are proved by integer arithmetic. The second run compares each function with what it was, on random data;
// `raises` is how many attentions it has.

// CHECK-LABEL: func.func @causal_sle(
// CHECK: fa.attention {causal, indexing_maps = {{.*}}} ins({{.*}}) scale({{.*}}) outs(
func.func @causal_sle(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c1 = arith.constant 0.000000e+00 : f32
  %e2 = tensor.empty() : tensor<2x2x5x6xf32>
  %f3 = linalg.fill ins(%c1 : f32) outs(%e2 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v4 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f3 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e5 = tensor.empty() : tensor<2x2x5x6xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v4 : tensor<2x2x5x6xf32>) outs(%e5 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %p = arith.cmpi sle, %ki, %qi : index
    %y = arith.select %p, %a0, %i : f32
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

// CHECK-LABEL: func.func @causal_sge(
// CHECK: fa.attention {causal, indexing_maps = {{.*}}} ins({{.*}}) scale({{.*}}) outs(
func.func @causal_sge(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c13 = arith.constant 0.000000e+00 : f32
  %e14 = tensor.empty() : tensor<2x2x5x6xf32>
  %f15 = linalg.fill ins(%c13 : f32) outs(%e14 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v16 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f15 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e17 = tensor.empty() : tensor<2x2x5x6xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v16 : tensor<2x2x5x6xf32>) outs(%e17 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %p = arith.cmpi sge, %qi, %ki : index
    %y = arith.select %p, %a0, %i : f32
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

// CHECK-LABEL: func.func @causal_ult(
// CHECK: fa.attention {causal, indexing_maps = {{.*}}} ins({{.*}}) scale({{.*}}) outs(
func.func @causal_ult(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c25 = arith.constant 0.000000e+00 : f32
  %e26 = tensor.empty() : tensor<2x2x5x6xf32>
  %f27 = linalg.fill ins(%c25 : f32) outs(%e26 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v28 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f27 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e29 = tensor.empty() : tensor<2x2x5x6xf32>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v28 : tensor<2x2x5x6xf32>) outs(%e29 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %c = arith.constant 1 : index
    %x = arith.addi %qi, %c : index
    %p = arith.cmpi ult, %ki, %x : index
    %y = arith.select %p, %a0, %i : f32
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

// CHECK-LABEL: func.func @causal_ugt_hides(
// CHECK: fa.attention {causal, indexing_maps = {{.*}}} ins({{.*}}) scale({{.*}}) outs(
func.func @causal_ugt_hides(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c37 = arith.constant 0.000000e+00 : f32
  %e38 = tensor.empty() : tensor<2x2x5x6xf32>
  %f39 = linalg.fill ins(%c37 : f32) outs(%e38 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v40 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f39 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e41 = tensor.empty() : tensor<2x2x5x6xf32>
  %v42 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v40 : tensor<2x2x5x6xf32>) outs(%e41 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %p = arith.cmpi ugt, %ki, %qi : index
    %y = arith.select %p, %i, %a0 : f32
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

// CHECK-LABEL: func.func @causal_difference(
// CHECK: fa.attention {causal, indexing_maps = {{.*}}} ins({{.*}}) scale({{.*}}) outs(
func.func @causal_difference(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c49 = arith.constant 0.000000e+00 : f32
  %e50 = tensor.empty() : tensor<2x2x5x6xf32>
  %f51 = linalg.fill ins(%c49 : f32) outs(%e50 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v52 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f51 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e53 = tensor.empty() : tensor<2x2x5x6xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v52 : tensor<2x2x5x6xf32>) outs(%e53 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %x = arith.subi %ki, %qi : index
    %z = arith.constant 0 : index
    %p = arith.cmpi sle, %x, %z : index
    %y = arith.select %p, %a0, %i : f32
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

// CHECK-LABEL: func.func @causal_i32(
// CHECK: fa.attention {causal, indexing_maps = {{.*}}} ins({{.*}}) scale({{.*}}) outs(
func.func @causal_i32(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c61 = arith.constant 0.000000e+00 : f32
  %e62 = tensor.empty() : tensor<2x2x5x6xf32>
  %f63 = linalg.fill ins(%c61 : f32) outs(%e62 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v64 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f63 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e65 = tensor.empty() : tensor<2x2x5x6xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v64 : tensor<2x2x5x6xf32>) outs(%e65 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %a = arith.index_cast %ki : index to i32
    %b = arith.index_cast %qi : index to i32
    %p = arith.cmpi sle, %a, %b : i32
    %y = arith.select %p, %a0, %i : f32
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

// 8 bits may wrap: nothing is concluded.
// CHECK-LABEL: func.func @causal_i8(
// CHECK: fa.attention {indexing_maps = {{.*}} keep {
func.func @causal_i8(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c73 = arith.constant 0.000000e+00 : f32
  %e74 = tensor.empty() : tensor<2x2x5x6xf32>
  %f75 = linalg.fill ins(%c73 : f32) outs(%e74 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v76 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f75 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e77 = tensor.empty() : tensor<2x2x5x6xf32>
  %v78 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v76 : tensor<2x2x5x6xf32>) outs(%e77 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %a = arith.index_cast %ki : index to i8
    %b = arith.index_cast %qi : index to i8
    %p = arith.cmpi sle, %a, %b : i8
    %y = arith.select %p, %a0, %i : f32
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

// No row is all masked, so the fill is a mask.
// CHECK-LABEL: func.func @causal_finite(
// CHECK: fa.attention {causal, indexing_maps = {{.*}}} ins({{.*}}) scale({{.*}}) outs(
func.func @causal_finite(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c85 = arith.constant 0.000000e+00 : f32
  %e86 = tensor.empty() : tensor<2x2x5x6xf32>
  %f87 = linalg.fill ins(%c85 : f32) outs(%e86 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v88 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f87 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e89 = tensor.empty() : tensor<2x2x5x6xf32>
  %v90 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v88 : tensor<2x2x5x6xf32>) outs(%e89 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant -3.40282347E+38 : f32
    %p = arith.cmpi sle, %ki, %qi : index
    %y = arith.select %p, %a0, %i : f32
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

// Scores may be below such a fill.
// CHECK-LABEL: func.func @causal_finite_1e4(
// CHECK: fa.attention {indexing_maps = {{.*}} score {
func.func @causal_finite_1e4(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c97 = arith.constant 0.000000e+00 : f32
  %e98 = tensor.empty() : tensor<2x2x5x6xf32>
  %f99 = linalg.fill ins(%c97 : f32) outs(%e98 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v100 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f99 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e101 = tensor.empty() : tensor<2x2x5x6xf32>
  %v102 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v100 : tensor<2x2x5x6xf32>) outs(%e101 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant -1.0e+04 : f32
    %p = arith.cmpi sle, %ki, %qi : index
    %y = arith.select %p, %a0, %i : f32
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

// Sk - Sq = 1.
// CHECK-LABEL: func.func @causal_bottom_right(
// CHECK: fa.attention {alignment = #fa.alignment<bottom_right>, causal, 
func.func @causal_bottom_right(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c109 = arith.constant 0.000000e+00 : f32
  %e110 = tensor.empty() : tensor<2x2x5x6xf32>
  %f111 = linalg.fill ins(%c109 : f32) outs(%e110 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v112 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f111 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e113 = tensor.empty() : tensor<2x2x5x6xf32>
  %v114 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v112 : tensor<2x2x5x6xf32>) outs(%e113 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %c = arith.constant 1 : index
    %x = arith.addi %qi, %c : index
    %p = arith.cmpi sle, %ki, %x : index
    %y = arith.select %p, %a0, %i : f32
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

// CHECK-LABEL: func.func @causal_prefix(
// CHECK: fa.attention {causal, {{.*}} offset(%arg3) outs(
func.func @causal_prefix(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %past: index) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c121 = arith.constant 0.000000e+00 : f32
  %e122 = tensor.empty() : tensor<2x2x5x6xf32>
  %f123 = linalg.fill ins(%c121 : f32) outs(%e122 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v124 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f123 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e125 = tensor.empty() : tensor<2x2x5x6xf32>
  %v126 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v124 : tensor<2x2x5x6xf32>) outs(%e125 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %x = arith.addi %qi, %past : index
    %p = arith.cmpi sle, %ki, %x : index
    %y = arith.select %p, %a0, %i : f32
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

// The first row is empty: NaN in the program, 0 here.
// CHECK-LABEL: func.func @causal_strict_diagonal(
// CHECK: %[[O:.*]] = arith.constant -1 : index
// CHECK: fa.attention {causal, {{.*}} offset(%[[O]]) outs(
func.func @causal_strict_diagonal(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c133 = arith.constant 0.000000e+00 : f32
  %e134 = tensor.empty() : tensor<2x2x5x6xf32>
  %f135 = linalg.fill ins(%c133 : f32) outs(%e134 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v136 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f135 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e137 = tensor.empty() : tensor<2x2x5x6xf32>
  %v138 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v136 : tensor<2x2x5x6xf32>) outs(%e137 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %p = arith.cmpi slt, %ki, %qi : index
    %y = arith.select %p, %a0, %i : f32
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

// Anti-causal is a window, never causal.
// CHECK-LABEL: func.func @reversed(
// CHECK: fa.attention {indexing_maps = {{.*}}, window_left = 0 : i64} 
func.func @reversed(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c145 = arith.constant 0.000000e+00 : f32
  %e146 = tensor.empty() : tensor<2x2x5x6xf32>
  %f147 = linalg.fill ins(%c145 : f32) outs(%e146 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v148 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f147 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e149 = tensor.empty() : tensor<2x2x5x6xf32>
  %v150 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v148 : tensor<2x2x5x6xf32>) outs(%e149 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %p = arith.cmpi sge, %ki, %qi : index
    %y = arith.select %p, %a0, %i : f32
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

// 2n <= m is no diagonal.
// CHECK-LABEL: func.func @scaled_positions(
// CHECK: fa.attention {indexing_maps = {{.*}} keep {
func.func @scaled_positions(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c157 = arith.constant 0.000000e+00 : f32
  %e158 = tensor.empty() : tensor<2x2x5x6xf32>
  %f159 = linalg.fill ins(%c157 : f32) outs(%e158 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v160 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f159 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e161 = tensor.empty() : tensor<2x2x5x6xf32>
  %v162 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v160 : tensor<2x2x5x6xf32>) outs(%e161 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %c = arith.constant 2 : index
    %x = arith.muli %ki, %c : index
    %p = arith.cmpi sle, %x, %qi : index
    %y = arith.select %p, %a0, %i : f32
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

// CHECK-LABEL: func.func @not_equal(
// CHECK: fa.attention {indexing_maps = {{.*}} keep {
func.func @not_equal(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c169 = arith.constant 0.000000e+00 : f32
  %e170 = tensor.empty() : tensor<2x2x5x6xf32>
  %f171 = linalg.fill ins(%c169 : f32) outs(%e170 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v172 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f171 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e173 = tensor.empty() : tensor<2x2x5x6xf32>
  %v174 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v172 : tensor<2x2x5x6xf32>) outs(%e173 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %p = arith.cmpi ne, %ki, %qi : index
    %y = arith.select %p, %a0, %i : f32
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

// CHECK-LABEL: func.func @window(
// CHECK: fa.attention {causal, indexing_maps = {{.*}}, window_left = 2 : i64}
func.func @window(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c181 = arith.constant 0.000000e+00 : f32
  %e182 = tensor.empty() : tensor<2x2x5x6xf32>
  %f183 = linalg.fill ins(%c181 : f32) outs(%e182 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v184 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f183 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e185 = tensor.empty() : tensor<2x2x5x6xf32>
  %v186 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v184 : tensor<2x2x5x6xf32>) outs(%e185 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %c = arith.constant 2 : index
    %x = arith.addi %ki, %c : index
    %g = arith.cmpi sge, %x, %qi : index
    %h = arith.cmpi sle, %ki, %qi : index
    %p = arith.andi %g, %h : i1
    %y = arith.select %p, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e187 = tensor.empty() : tensor<2x2x5x6xf32>
  %v188 = linalg.softmax dimension(3) ins(%v186 : tensor<2x2x5x6xf32>) outs(%e187 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c189 = arith.constant 0.000000e+00 : f32
  %e190 = tensor.empty() : tensor<2x2x5x3xf32>
  %f191 = linalg.fill ins(%c189 : f32) outs(%e190 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v192 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v188, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f191 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v192 : tensor<2x2x5x3xf32>
}

// i32 wraps here, so this is not a wide window.
// CHECK-LABEL: func.func @wrapping_window(
// CHECK: fa.attention {indexing_maps = {{.*}} keep {
func.func @wrapping_window(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c193 = arith.constant 0.000000e+00 : f32
  %e194 = tensor.empty() : tensor<2x2x5x6xf32>
  %f195 = linalg.fill ins(%c193 : f32) outs(%e194 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v196 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f195 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e197 = tensor.empty() : tensor<2x2x5x6xf32>
  %v198 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v196 : tensor<2x2x5x6xf32>) outs(%e197 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %a = arith.index_cast %ki : index to i32
    %b = arith.index_cast %qi : index to i32
    %c = arith.constant 2147483647 : i32
    %x = arith.addi %a, %c : i32
    %p = arith.cmpi sge, %x, %b : i32
    %y = arith.select %p, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e199 = tensor.empty() : tensor<2x2x5x6xf32>
  %v200 = linalg.softmax dimension(3) ins(%v198 : tensor<2x2x5x6xf32>) outs(%e199 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c201 = arith.constant 0.000000e+00 : f32
  %e202 = tensor.empty() : tensor<2x2x5x3xf32>
  %f203 = linalg.fill ins(%c201 : f32) outs(%e202 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v204 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v200, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f203 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v204 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @window_both(
// CHECK: fa.attention {indexing_maps = {{.*}}, window_left = 1 : i64, window_right = 2 : i64}
func.func @window_both(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c205 = arith.constant 0.000000e+00 : f32
  %e206 = tensor.empty() : tensor<2x2x5x6xf32>
  %f207 = linalg.fill ins(%c205 : f32) outs(%e206 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v208 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f207 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e209 = tensor.empty() : tensor<2x2x5x6xf32>
  %v210 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v208 : tensor<2x2x5x6xf32>) outs(%e209 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %c = arith.constant 1 : index
    %x = arith.addi %ki, %c : index
    %g = arith.cmpi sge, %x, %qi : index
    %z = arith.addi %qi, %c : index
    %z2 = arith.addi %z, %c : index
    %h = arith.cmpi sle, %ki, %z2 : index
    %p = arith.andi %g, %h : i1
    %y = arith.select %p, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e211 = tensor.empty() : tensor<2x2x5x6xf32>
  %v212 = linalg.softmax dimension(3) ins(%v210 : tensor<2x2x5x6xf32>) outs(%e211 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c213 = arith.constant 0.000000e+00 : f32
  %e214 = tensor.empty() : tensor<2x2x5x3xf32>
  %f215 = linalg.fill ins(%c213 : f32) outs(%e214 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v216 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v212, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f215 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v216 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @key_limit(
// CHECK: fa.attention {{.*}} key_limit(
func.func @key_limit(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c217 = arith.constant 0.000000e+00 : f32
  %e218 = tensor.empty() : tensor<2x2x5x6xf32>
  %f219 = linalg.fill ins(%c217 : f32) outs(%e218 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v220 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f219 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e221 = tensor.empty() : tensor<2x2x5x6xf32>
  %v222 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v220 : tensor<2x2x5x6xf32>) outs(%e221 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %c = arith.constant 4 : index
    %p = arith.cmpi slt, %ki, %c : index
    %y = arith.select %p, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e223 = tensor.empty() : tensor<2x2x5x6xf32>
  %v224 = linalg.softmax dimension(3) ins(%v222 : tensor<2x2x5x6xf32>) outs(%e223 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c225 = arith.constant 0.000000e+00 : f32
  %e226 = tensor.empty() : tensor<2x2x5x3xf32>
  %f227 = linalg.fill ins(%c225 : f32) outs(%e226 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v228 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v224, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f227 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v228 : tensor<2x2x5x3xf32>
}

// The keys that a head sees: not causal, whatever the names.
// CHECK-LABEL: func.func @other_heads(
// CHECK: fa.attention
func.func @other_heads(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c229 = arith.constant 0.000000e+00 : f32
  %e230 = tensor.empty() : tensor<2x2x5x6xf32>
  %f231 = linalg.fill ins(%c229 : f32) outs(%e230 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v232 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f231 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e233 = tensor.empty() : tensor<2x2x5x6xf32>
  %v234 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v232 : tensor<2x2x5x6xf32>) outs(%e233 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %qi = linalg.index 2 : index
    %ki = linalg.index 3 : index
    %i = arith.constant 0xFF800000 : f32
    %hi = linalg.index 1 : index
    %p = arith.cmpi sle, %ki, %hi : index
    %y = arith.select %p, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e235 = tensor.empty() : tensor<2x2x5x6xf32>
  %v236 = linalg.softmax dimension(3) ins(%v234 : tensor<2x2x5x6xf32>) outs(%e235 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c237 = arith.constant 0.000000e+00 : f32
  %e238 = tensor.empty() : tensor<2x2x5x3xf32>
  %f239 = linalg.fill ins(%c237 : f32) outs(%e238 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v240 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v236, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f239 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v240 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @tril_constant(
// CHECK: fa.attention {causal, indexing_maps
func.func @tril_constant(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c241 = arith.constant dense<[[true, false, false, false, false, false], [true, true, false, false, false, false], [true, true, true, false, false, false], [true, true, true, true, false, false], [true, true, true, true, true, false]]> : tensor<5x6xi1>
  %c242 = arith.constant 0.000000e+00 : f32
  %e243 = tensor.empty() : tensor<2x2x5x6xf32>
  %f244 = linalg.fill ins(%c242 : f32) outs(%e243 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v245 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f244 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e246 = tensor.empty() : tensor<2x2x5x6xf32>
  %v247 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v245, %c241 : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e246 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %y = arith.select %a1, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e248 = tensor.empty() : tensor<2x2x5x6xf32>
  %v249 = linalg.softmax dimension(3) ins(%v247 : tensor<2x2x5x6xf32>) outs(%e248 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c250 = arith.constant 0.000000e+00 : f32
  %e251 = tensor.empty() : tensor<2x2x5x3xf32>
  %f252 = linalg.fill ins(%c250 : f32) outs(%e251 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v253 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v249, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f252 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v253 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @not_tril_constant(
// CHECK: fa.attention {indexing_maps = {{.*}} mask(
func.func @not_tril_constant(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c254 = arith.constant dense<[[true, false, false, false, false, false], [true, true, false, false, false, true], [true, true, true, false, false, false], [true, true, true, true, false, false], [true, true, true, true, true, false]]> : tensor<5x6xi1>
  %c255 = arith.constant 0.000000e+00 : f32
  %e256 = tensor.empty() : tensor<2x2x5x6xf32>
  %f257 = linalg.fill ins(%c255 : f32) outs(%e256 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v258 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f257 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e259 = tensor.empty() : tensor<2x2x5x6xf32>
  %v260 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v258, %c254 : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e259 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %y = arith.select %a1, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e261 = tensor.empty() : tensor<2x2x5x6xf32>
  %v262 = linalg.softmax dimension(3) ins(%v260 : tensor<2x2x5x6xf32>) outs(%e261 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c263 = arith.constant 0.000000e+00 : f32
  %e264 = tensor.empty() : tensor<2x2x5x3xf32>
  %f265 = linalg.fill ins(%c263 : f32) outs(%e264 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v266 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v262, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f265 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v266 : tensor<2x2x5x3xf32>
}

// tril read as [n, m] hides the other half.
// CHECK-LABEL: func.func @transposed_mask(
// CHECK: fa.attention {indexing_maps = {{.*}}, window_left = 0 : i64}
func.func @transposed_mask(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %e267 = tensor.empty() : tensor<6x5xi1>
  %v268 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e267 : tensor<6x5xi1>) {
  ^bb0(%o: i1):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %x = arith.cmpi sge, %a, %b : index
    linalg.yield %x : i1
  } -> tensor<6x5xi1>
  %c269 = arith.constant 0.000000e+00 : f32
  %e270 = tensor.empty() : tensor<2x2x5x6xf32>
  %f271 = linalg.fill ins(%c269 : f32) outs(%e270 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v272 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f271 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e273 = tensor.empty() : tensor<2x2x5x6xf32>
  %v274 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v272, %v268 : tensor<2x2x5x6xf32>, tensor<6x5xi1>) outs(%e273 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %y = arith.select %a1, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e275 = tensor.empty() : tensor<2x2x5x6xf32>
  %v276 = linalg.softmax dimension(3) ins(%v274 : tensor<2x2x5x6xf32>) outs(%e275 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c277 = arith.constant 0.000000e+00 : f32
  %e278 = tensor.empty() : tensor<2x2x5x3xf32>
  %f279 = linalg.fill ins(%c277 : f32) outs(%e278 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v280 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v276, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f279 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v280 : tensor<2x2x5x3xf32>
}
