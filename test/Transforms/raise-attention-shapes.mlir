// RUN: %fa-opt --fa-raise-attention --verify-diagnostics %s | FileCheck %s
// RUN: env FA_OPT=%fa-opt %python %fa_source/test/numeric/raised.py %s --sizes 2,5,2,6,2,6

// Ranks, contractions that do not fit, several attentions. The second run compares each function with what it was, on random data;
// `raises` is how many attentions it has.

// CHECK-LABEL: func.func @linalg_softmax(
// CHECK: fa.attention {{.*}} ins(%arg0, %arg1, %arg2
// CHECK-NOT: linalg.softmax
func.func @linalg_softmax(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c1 = arith.constant 0.000000e+00 : f32
  %e2 = tensor.empty() : tensor<2x2x5x6xf32>
  %f3 = linalg.fill ins(%c1 : f32) outs(%e2 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f3 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.mulf %a0, %a1 : f32
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e5 = tensor.empty() : tensor<2x2x5x6xf32>
  %v6 = linalg.softmax dimension(3) ins(%v4 : tensor<2x2x5x6xf32>) outs(%e5 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c7 = arith.constant 0.000000e+00 : f32
  %e8 = tensor.empty() : tensor<2x2x5x3xf32>
  %f9 = linalg.fill ins(%c7 : f32) outs(%e8 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v6, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f9 : tensor<2x2x5x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.mulf %a0, %a1 : f32
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x3xf32>
  return %v10 : tensor<2x2x5x3xf32>
}

// As large as attention, and not attention.
// CHECK-LABEL: func.func @softmax_over_queries(
// CHECK-NOT: fa.attention
func.func @softmax_over_queries(%q: tensor<2x2x6x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x6x3xf32> attributes {raises = 0} {
  %c11 = arith.constant 0.000000e+00 : f32
  %e12 = tensor.empty() : tensor<2x2x6x6xf32>
  %f13 = linalg.fill ins(%c11 : f32) outs(%e12 : tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>) outs(%f13 : tensor<2x2x6x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.mulf %a0, %a1 : f32
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x6x6xf32>
  %e15 = tensor.empty() : tensor<2x2x6x6xf32>
  // expected-remark @below {{attention not raised: no row maximum is subtracted before the exponential}}
  %v16 = linalg.softmax dimension(2) ins(%v14 : tensor<2x2x6x6xf32>) outs(%e15 : tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xf32>
  %c17 = arith.constant 0.000000e+00 : f32
  %e18 = tensor.empty() : tensor<2x2x6x3xf32>
  %f19 = linalg.fill ins(%c17 : f32) outs(%e18 : tensor<2x2x6x3xf32>) -> tensor<2x2x6x3xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v16, %v : tensor<2x2x6x6xf32>, tensor<2x2x6x3xf32>) outs(%f19 : tensor<2x2x6x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.mulf %a0, %a1 : f32
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x6x3xf32>
  return %v20 : tensor<2x2x6x3xf32>
}

// The weights of one head meet the values of the other dimension.
// CHECK-LABEL: func.func @other_batch(
// CHECK-NOT: fa.attention
func.func @other_batch(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 0} {
  %c21 = arith.constant 0.000000e+00 : f32
  %e22 = tensor.empty() : tensor<2x2x5x6xf32>
  %f23 = linalg.fill ins(%c21 : f32) outs(%e22 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f23 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.mulf %a0, %a1 : f32
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e25 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: keys and values do not have the same batch dimensions}}
  %v26 = linalg.softmax dimension(3) ins(%v24 : tensor<2x2x5x6xf32>) outs(%e25 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c27 = arith.constant 0.000000e+00 : f32
  %e28 = tensor.empty() : tensor<2x2x5x3xf32>
  %f29 = linalg.fill ins(%c27 : f32) outs(%e28 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v30 = tensor.extract_slice %v[0, 0, 0, 0] [2, 1, 6, 3] [1, 1, 1, 1] : tensor<2x2x6x3xf32> to tensor<2x6x3xf32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v26, %v30 : tensor<2x2x5x6xf32>, tensor<2x6x3xf32>) outs(%f29 : tensor<2x2x5x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.mulf %a0, %a1 : f32
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x3xf32>
  return %v31 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @rank_2(
// CHECK: fa.attention
// CHECK-NOT: math.exp
func.func @rank_2(%q: tensor<5x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x3xf32>) -> tensor<5x3xf32> attributes {raises = 1} {
  %c32 = arith.constant 0.000000e+00 : f32
  %e33 = tensor.empty() : tensor<5x6xf32>
  %f34 = linalg.fill ins(%c32 : f32) outs(%e33 : tensor<5x6xf32>) -> tensor<5x6xf32>
  %v35 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] ins(%q, %k : tensor<5x4xf32>, tensor<6x4xf32>) outs(%f34 : tensor<5x6xf32>) -> tensor<5x6xf32>
  %e36 = tensor.empty() : tensor<5x6xf32>
  %v37 = linalg.softmax dimension(1) ins(%v35 : tensor<5x6xf32>) outs(%e36 : tensor<5x6xf32>) -> tensor<5x6xf32>
  %c38 = arith.constant 0.000000e+00 : f32
  %e39 = tensor.empty() : tensor<5x3xf32>
  %f40 = linalg.fill ins(%c38 : f32) outs(%e39 : tensor<5x3xf32>) -> tensor<5x3xf32>
  %v41 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>] ins(%v37, %v : tensor<5x6xf32>, tensor<6x3xf32>) outs(%f40 : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %v41 : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @rank_3(
// CHECK: fa.attention
// CHECK-NOT: math.exp
func.func @rank_3(%q: tensor<2x5x4xf32>, %k: tensor<2x6x4xf32>, %v: tensor<2x6x3xf32>) -> tensor<2x5x3xf32> attributes {raises = 1} {
  %c42 = arith.constant 0.000000e+00 : f32
  %e43 = tensor.empty() : tensor<2x5x6xf32>
  %f44 = linalg.fill ins(%c42 : f32) outs(%e43 : tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  %v45 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] ins(%q, %k : tensor<2x5x4xf32>, tensor<2x6x4xf32>) outs(%f44 : tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  %e46 = tensor.empty() : tensor<2x5x6xf32>
  %v47 = linalg.softmax dimension(2) ins(%v45 : tensor<2x5x6xf32>) outs(%e46 : tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  %c48 = arith.constant 0.000000e+00 : f32
  %e49 = tensor.empty() : tensor<2x5x3xf32>
  %f50 = linalg.fill ins(%c48 : f32) outs(%e49 : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %v51 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] ins(%v47, %v : tensor<2x5x6xf32>, tensor<2x6x3xf32>) outs(%f50 : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  return %v51 : tensor<2x5x3xf32>
}

// CHECK-LABEL: func.func @rank_5(
// CHECK: fa.attention
// CHECK-NOT: math.exp
func.func @rank_5(%q: tensor<2x2x2x5x4xf32>, %k: tensor<2x2x2x6x4xf32>, %v: tensor<2x2x2x6x3xf32>) -> tensor<2x2x2x5x3xf32> attributes {raises = 1} {
  %c52 = arith.constant 0.000000e+00 : f32
  %e53 = tensor.empty() : tensor<2x2x2x5x6xf32>
  %f54 = linalg.fill ins(%c52 : f32) outs(%e53 : tensor<2x2x2x5x6xf32>) -> tensor<2x2x2x5x6xf32>
  %v55 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>] ins(%q, %k : tensor<2x2x2x5x4xf32>, tensor<2x2x2x6x4xf32>) outs(%f54 : tensor<2x2x2x5x6xf32>) -> tensor<2x2x2x5x6xf32>
  %e56 = tensor.empty() : tensor<2x2x2x5x6xf32>
  %v57 = linalg.softmax dimension(4) ins(%v55 : tensor<2x2x2x5x6xf32>) outs(%e56 : tensor<2x2x2x5x6xf32>) -> tensor<2x2x2x5x6xf32>
  %c58 = arith.constant 0.000000e+00 : f32
  %e59 = tensor.empty() : tensor<2x2x2x5x3xf32>
  %f60 = linalg.fill ins(%c58 : f32) outs(%e59 : tensor<2x2x2x5x3xf32>) -> tensor<2x2x2x5x3xf32>
  %v61 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>] ins(%v57, %v : tensor<2x2x2x5x6xf32>, tensor<2x2x2x6x3xf32>) outs(%f60 : tensor<2x2x2x5x3xf32>) -> tensor<2x2x2x5x3xf32>
  return %v61 : tensor<2x2x2x5x3xf32>
}

// CHECK-LABEL: func.func @one_query(
// CHECK: fa.attention
func.func @one_query(%q: tensor<2x2x1x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x1x3xf32> attributes {raises = 1} {
  %c62 = arith.constant 0.000000e+00 : f32
  %e63 = tensor.empty() : tensor<2x2x1x6xf32>
  %f64 = linalg.fill ins(%c62 : f32) outs(%e63 : tensor<2x2x1x6xf32>) -> tensor<2x2x1x6xf32>
  %v65 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x1x4xf32>, tensor<2x2x6x4xf32>) outs(%f64 : tensor<2x2x1x6xf32>) -> tensor<2x2x1x6xf32>
  %e66 = tensor.empty() : tensor<2x2x1x6xf32>
  %v67 = linalg.softmax dimension(3) ins(%v65 : tensor<2x2x1x6xf32>) outs(%e66 : tensor<2x2x1x6xf32>) -> tensor<2x2x1x6xf32>
  %c68 = arith.constant 0.000000e+00 : f32
  %e69 = tensor.empty() : tensor<2x2x1x3xf32>
  %f70 = linalg.fill ins(%c68 : f32) outs(%e69 : tensor<2x2x1x3xf32>) -> tensor<2x2x1x3xf32>
  %v71 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v67, %v : tensor<2x2x1x6xf32>, tensor<2x2x6x3xf32>) outs(%f70 : tensor<2x2x1x3xf32>) -> tensor<2x2x1x3xf32>
  return %v71 : tensor<2x2x1x3xf32>
}

// CHECK-LABEL: func.func @unit_batch(
// CHECK: fa.attention
func.func @unit_batch(%q: tensor<1x1x5x4xf32>, %k: tensor<1x1x6x4xf32>, %v: tensor<1x1x6x3xf32>) -> tensor<1x1x5x3xf32> attributes {raises = 1} {
  %c72 = arith.constant 0.000000e+00 : f32
  %e73 = tensor.empty() : tensor<1x1x5x6xf32>
  %f74 = linalg.fill ins(%c72 : f32) outs(%e73 : tensor<1x1x5x6xf32>) -> tensor<1x1x5x6xf32>
  %v75 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<1x1x5x4xf32>, tensor<1x1x6x4xf32>) outs(%f74 : tensor<1x1x5x6xf32>) -> tensor<1x1x5x6xf32>
  %e76 = tensor.empty() : tensor<1x1x5x6xf32>
  %v77 = linalg.softmax dimension(3) ins(%v75 : tensor<1x1x5x6xf32>) outs(%e76 : tensor<1x1x5x6xf32>) -> tensor<1x1x5x6xf32>
  %c78 = arith.constant 0.000000e+00 : f32
  %e79 = tensor.empty() : tensor<1x1x5x3xf32>
  %f80 = linalg.fill ins(%c78 : f32) outs(%e79 : tensor<1x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %v81 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v77, %v : tensor<1x1x5x6xf32>, tensor<1x1x6x3xf32>) outs(%f80 : tensor<1x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  return %v81 : tensor<1x1x5x3xf32>
}

// The result of one is the query of the next.
// CHECK-LABEL: func.func @two(
// CHECK: fa.attention
// CHECK: fa.attention
// CHECK-NOT: math.exp
func.func @two(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %k2: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 2} {
  %c82 = arith.constant 0.000000e+00 : f32
  %e83 = tensor.empty() : tensor<2x2x5x6xf32>
  %f84 = linalg.fill ins(%c82 : f32) outs(%e83 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v85 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f84 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e86 = tensor.empty() : tensor<2x2x5x6xf32>
  %v87 = linalg.softmax dimension(3) ins(%v85 : tensor<2x2x5x6xf32>) outs(%e86 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c88 = arith.constant 0.000000e+00 : f32
  %e89 = tensor.empty() : tensor<2x2x5x3xf32>
  %f90 = linalg.fill ins(%c88 : f32) outs(%e89 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v91 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v87, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f90 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %c92 = arith.constant 0.000000e+00 : f32
  %e93 = tensor.empty() : tensor<2x2x5x6xf32>
  %f94 = linalg.fill ins(%c92 : f32) outs(%e93 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v95 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v91, %k2 : tensor<2x2x5x3xf32>, tensor<2x2x6x3xf32>) outs(%f94 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e96 = tensor.empty() : tensor<2x2x5x6xf32>
  %v97 = linalg.softmax dimension(3) ins(%v95 : tensor<2x2x5x6xf32>) outs(%e96 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c98 = arith.constant 0.000000e+00 : f32
  %e99 = tensor.empty() : tensor<2x2x5x3xf32>
  %f100 = linalg.fill ins(%c98 : f32) outs(%e99 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v101 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v97, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f100 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v101 : tensor<2x2x5x3xf32>
}

// The softmax is over a dimension that is not the innermost.
// CHECK-LABEL: func.func @keys_before_queries(
// CHECK: fa.attention {{.*}} ins(%arg0, %arg1, %arg2
// CHECK-NOT: linalg.softmax
func.func @keys_before_queries(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x6x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x2x6x5xf32>) -> tensor<2x2x6x5xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, m, n, d) -> (b, h, n, d)>, affine_map<(b, h, m, n, d) -> (b, h, m, d)>, affine_map<(b, h, m, n, d) -> (b, h, n, m)>] ins(%k, %q : tensor<2x2x6x4xf32>, tensor<2x2x5x4xf32>) outs(%f : tensor<2x2x6x5xf32>) -> tensor<2x2x6x5xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x2x6x5xf32>) outs(%e : tensor<2x2x6x5xf32>) -> tensor<2x2x6x5xf32>
  %oe = tensor.empty() : tensor<2x2x5x3xf32>
  %of = linalg.fill ins(%z : f32) outs(%oe : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, n, m)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, e)>] ins(%p, %v : tensor<2x2x6x5xf32>, tensor<2x2x6x3xf32>) outs(%of : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %o : tensor<2x2x5x3xf32>
}

// All heads share one key; the mask says which rows are queries.
// CHECK-LABEL: func.func @multi_query(
// CHECK: fa.attention {causal, {{.*}} ins(%arg0, %arg1, %arg2 : {{.*}}) scale({{.*}}) outs(%{{.*}} : tensor<2x5x3x3xf32>)
// CHECK-NOT: linalg.softmax
func.func @multi_query(%q: tensor<2x3x5x4xf32>, %k: tensor<2x6x4xf32>, %v: tensor<2x6x3xf32>) -> tensor<2x5x3x3xf32> attributes {raises = 1} {
  %z = arith.constant 0.0 : f32
  %i = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x3x5x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, m, n, d) -> (b, h, m, d)>, affine_map<(b, h, m, n, d) -> (b, n, d)>, affine_map<(b, h, m, n, d) -> (b, h, m, n)>] ins(%q, %k : tensor<2x3x5x4xf32>, tensor<2x6x4xf32>) outs(%f : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<2x3x5x6xf32>) outs(%e : tensor<2x3x5x6xf32>) {
  ^bb0(%a: f32, %b: f32):
  %m = linalg.index 2 : index
  %n = linalg.index 3 : index
  %c = arith.cmpi sle, %n, %m : index
  %y = arith.select %c, %a, %i : f32
  linalg.yield %y : f32
  } -> tensor<2x3x5x6xf32>
  %p = linalg.softmax dimension(3) ins(%t : tensor<2x3x5x6xf32>) outs(%e : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
  %oe = tensor.empty() : tensor<2x5x3x3xf32>
  %of = linalg.fill ins(%z : f32) outs(%oe : tensor<2x5x3x3xf32>) -> tensor<2x5x3x3xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, n)>, affine_map<(b, h, m, n, e) -> (b, n, e)>, affine_map<(b, h, m, n, e) -> (b, m, h, e)>] ins(%p, %v : tensor<2x3x5x6xf32>, tensor<2x6x3xf32>) outs(%of : tensor<2x5x3x3xf32>) -> tensor<2x5x3x3xf32>
  return %o : tensor<2x5x3x3xf32>
}

// Causal from the end, by extents known at run time only.
// CHECK-LABEL: func.func @dynamic(
// CHECK: fa.attention {alignment = #fa.alignment<bottom_right>, causal, {{.*}} ins(%arg0, %arg1, %arg2 : tensor<?x?x4xf32>
// CHECK-NOT: linalg.softmax
func.func @dynamic(%q: tensor<?x?x4xf32>, %k: tensor<?x?x4xf32>, %v: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> attributes {raises = 1} {
  %z = arith.constant 0.0 : f32
  %i = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = tensor.dim %q, %c0 : tensor<?x?x4xf32>
  %sq = tensor.dim %q, %c1 : tensor<?x?x4xf32>
  %sk = tensor.dim %v, %c1 : tensor<?x?x3xf32>
  %past = arith.subi %sk, %sq : index
  %e = tensor.empty(%h, %sq, %sk) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.contract indexing_maps = [affine_map<(h, m, n, d) -> (h, m, d)>, affine_map<(h, m, n, d) -> (h, n, d)>, affine_map<(h, m, n, d) -> (h, m, n)>] ins(%q, %k : tensor<?x?x4xf32>, tensor<?x?x4xf32>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
  %m = linalg.index 1 : index
  %n = linalg.index 2 : index
  %x = arith.addi %m, %past : index
  %c = arith.cmpi sle, %n, %x : index
  %y = arith.select %c, %a, %i : f32
  linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %oe = tensor.empty(%h, %sq) : tensor<?x?x3xf32>
  %of = linalg.fill ins(%z : f32) outs(%oe : tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  %o = linalg.contract indexing_maps = [affine_map<(h, m, n, e) -> (h, m, n)>, affine_map<(h, m, n, e) -> (h, n, e)>, affine_map<(h, m, n, e) -> (h, m, e)>] ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x3xf32>) outs(%of : tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  return %o : tensor<?x?x3xf32>
}
