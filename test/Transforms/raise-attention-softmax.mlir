// RUN: %fa-opt --fa-raise-attention --verify-diagnostics %s | FileCheck %s
// RUN: env FA_OPT=%fa-opt %python %fa_source/test/numeric/raised.py %s

// Spellings of softmax, and what only looks like one. The second run compares each function with what it was, on random data;
// `raises` is how many attentions it has.

// CHECK-LABEL: func.func @max_from_lowest(
// CHECK: fa.attention {indexing_maps = {{.*}}} ins(%arg0, %arg1, %arg2 :
// CHECK-NOT: math.exp
func.func @max_from_lowest(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c1 = arith.constant 0.000000e+00 : f32
  %e2 = tensor.empty() : tensor<2x2x5x6xf32>
  %f3 = linalg.fill ins(%c1 : f32) outs(%e2 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v4 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f3 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c5 = arith.constant -3.40282347E+38 : f32
  %e6 = tensor.empty() : tensor<2x2x5xf32>
  %f7 = linalg.fill ins(%c5 : f32) outs(%e6 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v4 : tensor<2x2x5x6xf32>) outs(%f7 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e9 = tensor.empty() : tensor<2x2x5x6xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v4, %v8 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e9 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c11 = arith.constant 0.000000e+00 : f32
  %e12 = tensor.empty() : tensor<2x2x5xf32>
  %f13 = linalg.fill ins(%c11 : f32) outs(%e12 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v10 : tensor<2x2x5x6xf32>) outs(%f13 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e15 = tensor.empty() : tensor<2x2x5x6xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v10, %v14 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e15 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c17 = arith.constant 0.000000e+00 : f32
  %e18 = tensor.empty() : tensor<2x2x5x3xf32>
  %f19 = linalg.fill ins(%c17 : f32) outs(%e18 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v20 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v16, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f19 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v20 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @maxnumf_from_nan(
// CHECK: fa.attention {indexing_maps = {{.*}}} ins(%arg0, %arg1, %arg2 :
// CHECK-NOT: math.exp
func.func @maxnumf_from_nan(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c21 = arith.constant 0.000000e+00 : f32
  %e22 = tensor.empty() : tensor<2x2x5x6xf32>
  %f23 = linalg.fill ins(%c21 : f32) outs(%e22 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v24 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f23 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c25 = arith.constant 0xFFC00000 : f32
  %e26 = tensor.empty() : tensor<2x2x5xf32>
  %f27 = linalg.fill ins(%c25 : f32) outs(%e26 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v24 : tensor<2x2x5x6xf32>) outs(%f27 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maxnumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e29 = tensor.empty() : tensor<2x2x5x6xf32>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v24, %v28 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e29 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c31 = arith.constant 0.000000e+00 : f32
  %e32 = tensor.empty() : tensor<2x2x5xf32>
  %f33 = linalg.fill ins(%c31 : f32) outs(%e32 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v30 : tensor<2x2x5x6xf32>) outs(%f33 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e35 = tensor.empty() : tensor<2x2x5x6xf32>
  %v36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v30, %v34 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e35 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c37 = arith.constant 0.000000e+00 : f32
  %e38 = tensor.empty() : tensor<2x2x5x3xf32>
  %f39 = linalg.fill ins(%c37 : f32) outs(%e38 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v40 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v36, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f39 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v40 : tensor<2x2x5x3xf32>
}

// Always NaN.
// CHECK-LABEL: func.func @maximumf_from_nan(
// CHECK-NOT: fa.attention
func.func @maximumf_from_nan(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 0} {
  %c41 = arith.constant 0.000000e+00 : f32
  %e42 = tensor.empty() : tensor<2x2x5x6xf32>
  %f43 = linalg.fill ins(%c41 : f32) outs(%e42 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v44 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f43 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c45 = arith.constant 0xFFC00000 : f32
  %e46 = tensor.empty() : tensor<2x2x5xf32>
  %f47 = linalg.fill ins(%c45 : f32) outs(%e46 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v48 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v44 : tensor<2x2x5x6xf32>) outs(%f47 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e49 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: maximum and sum are over different scores}}
  %v50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v44, %v48 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e49 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c51 = arith.constant 0.000000e+00 : f32
  %e52 = tensor.empty() : tensor<2x2x5xf32>
  %f53 = linalg.fill ins(%c51 : f32) outs(%e52 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v50 : tensor<2x2x5x6xf32>) outs(%f53 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e55 = tensor.empty() : tensor<2x2x5x6xf32>
  %v56 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v50, %v54 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e55 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c57 = arith.constant 0.000000e+00 : f32
  %e58 = tensor.empty() : tensor<2x2x5x3xf32>
  %f59 = linalg.fill ins(%c57 : f32) outs(%e58 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v60 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v56, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f59 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v60 : tensor<2x2x5x3xf32>
}

// Not the maximum of negative scores.
// CHECK-LABEL: func.func @max_from_zero(
// CHECK-NOT: fa.attention
func.func @max_from_zero(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 0} {
  %c61 = arith.constant 0.000000e+00 : f32
  %e62 = tensor.empty() : tensor<2x2x5x6xf32>
  %f63 = linalg.fill ins(%c61 : f32) outs(%e62 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v64 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f63 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c65 = arith.constant 0.000000e+00 : f32
  %e66 = tensor.empty() : tensor<2x2x5xf32>
  %f67 = linalg.fill ins(%c65 : f32) outs(%e66 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v68 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v64 : tensor<2x2x5x6xf32>) outs(%f67 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e69 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: maximum and sum are over different scores}}
  %v70 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v64, %v68 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e69 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c71 = arith.constant 0.000000e+00 : f32
  %e72 = tensor.empty() : tensor<2x2x5xf32>
  %f73 = linalg.fill ins(%c71 : f32) outs(%e72 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v74 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v70 : tensor<2x2x5x6xf32>) outs(%f73 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e75 = tensor.empty() : tensor<2x2x5x6xf32>
  %v76 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v70, %v74 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e75 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c77 = arith.constant 0.000000e+00 : f32
  %e78 = tensor.empty() : tensor<2x2x5x3xf32>
  %f79 = linalg.fill ins(%c77 : f32) outs(%e78 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v80 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v76, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f79 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v80 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @min_for_max(
// CHECK-NOT: fa.attention
func.func @min_for_max(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 0} {
  %c81 = arith.constant 0.000000e+00 : f32
  %e82 = tensor.empty() : tensor<2x2x5x6xf32>
  %f83 = linalg.fill ins(%c81 : f32) outs(%e82 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v84 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f83 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c85 = arith.constant 0x7F800000 : f32
  %e86 = tensor.empty() : tensor<2x2x5xf32>
  %f87 = linalg.fill ins(%c85 : f32) outs(%e86 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v88 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v84 : tensor<2x2x5x6xf32>) outs(%f87 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.minimumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e89 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: what is subtracted before the exponential is not the maximum}}
  %v90 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v84, %v88 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e89 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c91 = arith.constant 0.000000e+00 : f32
  %e92 = tensor.empty() : tensor<2x2x5xf32>
  %f93 = linalg.fill ins(%c91 : f32) outs(%e92 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v94 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v90 : tensor<2x2x5x6xf32>) outs(%f93 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e95 = tensor.empty() : tensor<2x2x5x6xf32>
  %v96 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v90, %v94 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e95 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c97 = arith.constant 0.000000e+00 : f32
  %e98 = tensor.empty() : tensor<2x2x5x3xf32>
  %f99 = linalg.fill ins(%c97 : f32) outs(%e98 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v100 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v96, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f99 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v100 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @base_two(
// CHECK: fa.attention {indexing_maps = {{.*}}} ins(%arg0, %arg1, %arg2 :
// CHECK-NOT: math.exp
func.func @base_two(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c101 = arith.constant 0.000000e+00 : f32
  %e102 = tensor.empty() : tensor<2x2x5x6xf32>
  %f103 = linalg.fill ins(%c101 : f32) outs(%e102 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v104 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f103 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c105 = arith.constant 0xFF800000 : f32
  %e106 = tensor.empty() : tensor<2x2x5xf32>
  %f107 = linalg.fill ins(%c105 : f32) outs(%e106 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v108 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v104 : tensor<2x2x5x6xf32>) outs(%f107 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e109 = tensor.empty() : tensor<2x2x5x6xf32>
  %v110 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v104, %v108 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e109 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %l = arith.constant 1.44269502 : f32
    %x = arith.subf %a0, %a1 : f32
    %z = arith.mulf %x, %l : f32
    %y = math.exp2 %z : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c111 = arith.constant 0.000000e+00 : f32
  %e112 = tensor.empty() : tensor<2x2x5xf32>
  %f113 = linalg.fill ins(%c111 : f32) outs(%e112 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v114 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v110 : tensor<2x2x5x6xf32>) outs(%f113 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e115 = tensor.empty() : tensor<2x2x5x6xf32>
  %v116 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v110, %v114 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e115 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c117 = arith.constant 0.000000e+00 : f32
  %e118 = tensor.empty() : tensor<2x2x5x3xf32>
  %f119 = linalg.fill ins(%c117 : f32) outs(%e118 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v120 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v116, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f119 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v120 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @base_two_split(
// CHECK: fa.attention {indexing_maps = {{.*}}} ins(%arg0, %arg1, %arg2 :
// CHECK-NOT: math.exp
func.func @base_two_split(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c121 = arith.constant 0.000000e+00 : f32
  %e122 = tensor.empty() : tensor<2x2x5x6xf32>
  %f123 = linalg.fill ins(%c121 : f32) outs(%e122 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v124 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f123 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c125 = arith.constant 0xFF800000 : f32
  %e126 = tensor.empty() : tensor<2x2x5xf32>
  %f127 = linalg.fill ins(%c125 : f32) outs(%e126 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v128 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v124 : tensor<2x2x5x6xf32>) outs(%f127 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e129 = tensor.empty() : tensor<2x2x5x6xf32>
  %v130 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v124, %v128 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e129 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %l = arith.constant 1.44269502 : f32
    %x = arith.mulf %a0, %l : f32
    %w = arith.mulf %a1, %l : f32
    %z = arith.subf %x, %w : f32
    %y = math.exp2 %z : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c131 = arith.constant 0.000000e+00 : f32
  %e132 = tensor.empty() : tensor<2x2x5xf32>
  %f133 = linalg.fill ins(%c131 : f32) outs(%e132 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v134 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v130 : tensor<2x2x5x6xf32>) outs(%f133 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e135 = tensor.empty() : tensor<2x2x5x6xf32>
  %v136 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v130, %v134 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e135 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c137 = arith.constant 0.000000e+00 : f32
  %e138 = tensor.empty() : tensor<2x2x5x3xf32>
  %f139 = linalg.fill ins(%c137 : f32) outs(%e138 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v140 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v136, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f139 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v140 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @reciprocal(
// CHECK: fa.attention {indexing_maps = {{.*}}} ins(%arg0, %arg1, %arg2 :
// CHECK-NOT: math.exp
func.func @reciprocal(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c141 = arith.constant 0.000000e+00 : f32
  %e142 = tensor.empty() : tensor<2x2x5x6xf32>
  %f143 = linalg.fill ins(%c141 : f32) outs(%e142 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v144 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f143 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c145 = arith.constant 0xFF800000 : f32
  %e146 = tensor.empty() : tensor<2x2x5xf32>
  %f147 = linalg.fill ins(%c145 : f32) outs(%e146 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v148 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v144 : tensor<2x2x5x6xf32>) outs(%f147 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e149 = tensor.empty() : tensor<2x2x5x6xf32>
  %v150 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v144, %v148 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e149 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c151 = arith.constant 0.000000e+00 : f32
  %e152 = tensor.empty() : tensor<2x2x5xf32>
  %f153 = linalg.fill ins(%c151 : f32) outs(%e152 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v154 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v150 : tensor<2x2x5x6xf32>) outs(%f153 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e155 = tensor.empty() : tensor<2x2x5xf32>
  %v156 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v154 : tensor<2x2x5xf32>) outs(%e155 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %x = arith.divf %one, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e157 = tensor.empty() : tensor<2x2x5x6xf32>
  %v158 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v150, %v156 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e157 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.mulf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c159 = arith.constant 0.000000e+00 : f32
  %e160 = tensor.empty() : tensor<2x2x5x3xf32>
  %f161 = linalg.fill ins(%c159 : f32) outs(%e160 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v162 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v158, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f161 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v162 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @normalised_after(
// CHECK: fa.attention {indexing_maps = {{.*}}} ins(%arg0, %arg1, %arg2 :
// CHECK-NOT: math.exp
func.func @normalised_after(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c163 = arith.constant 0.000000e+00 : f32
  %e164 = tensor.empty() : tensor<2x2x5x6xf32>
  %f165 = linalg.fill ins(%c163 : f32) outs(%e164 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v166 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f165 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c167 = arith.constant 0xFF800000 : f32
  %e168 = tensor.empty() : tensor<2x2x5xf32>
  %f169 = linalg.fill ins(%c167 : f32) outs(%e168 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v170 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v166 : tensor<2x2x5x6xf32>) outs(%f169 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e171 = tensor.empty() : tensor<2x2x5x6xf32>
  %v172 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v166, %v170 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e171 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c173 = arith.constant 0.000000e+00 : f32
  %e174 = tensor.empty() : tensor<2x2x5xf32>
  %f175 = linalg.fill ins(%c173 : f32) outs(%e174 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v176 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v172 : tensor<2x2x5x6xf32>) outs(%f175 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %c177 = arith.constant 0.000000e+00 : f32
  %e178 = tensor.empty() : tensor<2x2x5x3xf32>
  %f179 = linalg.fill ins(%c177 : f32) outs(%e178 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v180 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v172, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f179 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %e181 = tensor.empty() : tensor<2x2x5x3xf32>
  %v182 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v180, %v176 : tensor<2x2x5x3xf32>, tensor<2x2x5xf32>) outs(%e181 : tensor<2x2x5x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x3xf32>
  return %v182 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @never_normalised(
// CHECK-NOT: fa.attention
func.func @never_normalised(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 0} {
  %c183 = arith.constant 0.000000e+00 : f32
  %e184 = tensor.empty() : tensor<2x2x5x6xf32>
  %f185 = linalg.fill ins(%c183 : f32) outs(%e184 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v186 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f185 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c187 = arith.constant 0xFF800000 : f32
  %e188 = tensor.empty() : tensor<2x2x5xf32>
  %f189 = linalg.fill ins(%c187 : f32) outs(%e188 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v190 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v186 : tensor<2x2x5x6xf32>) outs(%f189 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e191 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: the weights are not divided by their sum}}
  %v192 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v186, %v190 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e191 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c193 = arith.constant 0.000000e+00 : f32
  %e194 = tensor.empty() : tensor<2x2x5xf32>
  %f195 = linalg.fill ins(%c193 : f32) outs(%e194 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v196 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v192 : tensor<2x2x5x6xf32>) outs(%f195 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %c197 = arith.constant 0.000000e+00 : f32
  %e198 = tensor.empty() : tensor<2x2x5x3xf32>
  %f199 = linalg.fill ins(%c197 : f32) outs(%e198 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v200 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v192, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f199 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v200 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @no_maximum(
// CHECK-NOT: fa.attention
func.func @no_maximum(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 0} {
  %c201 = arith.constant 0.000000e+00 : f32
  %e202 = tensor.empty() : tensor<2x2x5x6xf32>
  %f203 = linalg.fill ins(%c201 : f32) outs(%e202 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v204 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f203 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c205 = arith.constant 0xFF800000 : f32
  %e206 = tensor.empty() : tensor<2x2x5xf32>
  %f207 = linalg.fill ins(%c205 : f32) outs(%e206 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v208 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v204 : tensor<2x2x5x6xf32>) outs(%f207 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e209 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: no row maximum is subtracted before the exponential}}
  %v210 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v204, %v208 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e209 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = math.exp %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c211 = arith.constant 0.000000e+00 : f32
  %e212 = tensor.empty() : tensor<2x2x5xf32>
  %f213 = linalg.fill ins(%c211 : f32) outs(%e212 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v214 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v210 : tensor<2x2x5x6xf32>) outs(%f213 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e215 = tensor.empty() : tensor<2x2x5x6xf32>
  %v216 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v210, %v214 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e215 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c217 = arith.constant 0.000000e+00 : f32
  %e218 = tensor.empty() : tensor<2x2x5x3xf32>
  %f219 = linalg.fill ins(%c217 : f32) outs(%e218 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v220 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v216, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f219 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v220 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @safe_softmax(
// CHECK: fa.attention {{.*}} mask(%arg3
func.func @safe_softmax(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c221 = arith.constant 0.000000e+00 : f32
  %e222 = tensor.empty() : tensor<2x2x5x6xf32>
  %f223 = linalg.fill ins(%c221 : f32) outs(%e222 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v224 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f223 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e225 = tensor.empty() : tensor<2x2x5x6xf32>
  %v226 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v224, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e225 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %y = arith.select %a1, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c227 = arith.constant 0xFF800000 : f32
  %e228 = tensor.empty() : tensor<2x2x5xf32>
  %f229 = linalg.fill ins(%c227 : f32) outs(%e228 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v230 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v226 : tensor<2x2x5x6xf32>) outs(%f229 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e231 = tensor.empty() : tensor<2x2x5x6xf32>
  %v232 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v226, %v230 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e231 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c233 = arith.constant 0.000000e+00 : f32
  %e234 = tensor.empty() : tensor<2x2x5xf32>
  %f235 = linalg.fill ins(%c233 : f32) outs(%e234 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v236 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v232 : tensor<2x2x5x6xf32>) outs(%f235 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e237 = tensor.empty() : tensor<2x2x5x6xf32>
  %v238 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v232, %v236 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e237 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %e239 = tensor.empty() : tensor<2x2x5x6xf32>
  %v240 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v238, %v230 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e239 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %z = arith.constant 0.0 : f32
    %c = arith.cmpf oeq, %a1, %i : f32
    %x = arith.select %c, %z, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c241 = arith.constant 0.000000e+00 : f32
  %e242 = tensor.empty() : tensor<2x2x5x3xf32>
  %f243 = linalg.fill ins(%c241 : f32) outs(%e242 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v244 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v240, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f243 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v244 : tensor<2x2x5x3xf32>
}

// Rows with a small maximum are not empty rows.
// CHECK-LABEL: func.func @zeroed_rows(
// CHECK-NOT: fa.attention
func.func @zeroed_rows(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 0} {
  %c245 = arith.constant 0.000000e+00 : f32
  %e246 = tensor.empty() : tensor<2x2x5x6xf32>
  %f247 = linalg.fill ins(%c245 : f32) outs(%e246 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v248 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f247 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c249 = arith.constant 0xFF800000 : f32
  %e250 = tensor.empty() : tensor<2x2x5xf32>
  %f251 = linalg.fill ins(%c249 : f32) outs(%e250 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v252 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v248 : tensor<2x2x5x6xf32>) outs(%f251 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e253 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: rows are set to 0 under a condition other than}}
  %v254 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v248, %v252 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e253 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c255 = arith.constant 0.000000e+00 : f32
  %e256 = tensor.empty() : tensor<2x2x5xf32>
  %f257 = linalg.fill ins(%c255 : f32) outs(%e256 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v258 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v254 : tensor<2x2x5x6xf32>) outs(%f257 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e259 = tensor.empty() : tensor<2x2x5x6xf32>
  %v260 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v254, %v258 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e259 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %e261 = tensor.empty() : tensor<2x2x5x6xf32>
  %v262 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v260, %v252 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e261 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %i = arith.constant 1.0 : f32
    %z = arith.constant 0.0 : f32
    %c = arith.cmpf olt, %a1, %i : f32
    %x = arith.select %c, %z, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c263 = arith.constant 0.000000e+00 : f32
  %e264 = tensor.empty() : tensor<2x2x5x3xf32>
  %f265 = linalg.fill ins(%c263 : f32) outs(%e264 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v266 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v262, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f265 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v266 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @dropout(
// CHECK-NOT: fa.attention
func.func @dropout(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %u: tensor<2x2x5x6xf32>) -> tensor<2x2x5x3xf32> attributes {raises = 0} {
  %c267 = arith.constant 0.000000e+00 : f32
  %e268 = tensor.empty() : tensor<2x2x5x6xf32>
  %f269 = linalg.fill ins(%c267 : f32) outs(%e268 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v270 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f269 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c271 = arith.constant 0xFF800000 : f32
  %e272 = tensor.empty() : tensor<2x2x5xf32>
  %f273 = linalg.fill ins(%c271 : f32) outs(%e272 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v274 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v270 : tensor<2x2x5x6xf32>) outs(%f273 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e275 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: the weights are not divided by their sum}}
  %v276 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v270, %v274 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e275 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c277 = arith.constant 0.000000e+00 : f32
  %e278 = tensor.empty() : tensor<2x2x5xf32>
  %f279 = linalg.fill ins(%c277 : f32) outs(%e278 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v280 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v276 : tensor<2x2x5x6xf32>) outs(%f279 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e281 = tensor.empty() : tensor<2x2x5x6xf32>
  %v282 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v276, %v280 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e281 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %e283 = tensor.empty() : tensor<2x2x5x6xf32>
  %v284 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v282, %u : tensor<2x2x5x6xf32>, tensor<2x2x5x6xf32>) outs(%e283 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %i = arith.constant 0.1 : f32
    %z = arith.constant 0.0 : f32
    %c = arith.cmpf olt, %a1, %i : f32
    %x = arith.select %c, %z, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c285 = arith.constant 0.000000e+00 : f32
  %e286 = tensor.empty() : tensor<2x2x5x3xf32>
  %f287 = linalg.fill ins(%c285 : f32) outs(%e286 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v288 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v284, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f287 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v288 : tensor<2x2x5x3xf32>
}

// jax.nn.softmax(where=): scores and weights are selected.
// CHECK-LABEL: func.func @where_after_exp(
// CHECK: fa.attention {{.*}} mask(%arg3
func.func @where_after_exp(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xi1>) -> tensor<2x2x5x3xf32> attributes {raises = 1} {
  %c289 = arith.constant 0.000000e+00 : f32
  %e290 = tensor.empty() : tensor<2x2x5x6xf32>
  %f291 = linalg.fill ins(%c289 : f32) outs(%e290 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v292 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f291 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %e293 = tensor.empty() : tensor<2x2x5x6xf32>
  %v294 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v292, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e293 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %i = arith.constant 0xFF800000 : f32
    %y = arith.select %a1, %a0, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c295 = arith.constant 0xFF800000 : f32
  %e296 = tensor.empty() : tensor<2x2x5xf32>
  %f297 = linalg.fill ins(%c295 : f32) outs(%e296 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v298 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v294 : tensor<2x2x5x6xf32>) outs(%f297 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e299 = tensor.empty() : tensor<2x2x5x6xf32>
  %v300 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v294, %v298 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e299 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %e301 = tensor.empty() : tensor<2x2x5x6xf32>
  %v302 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v300, %m : tensor<2x2x5x6xf32>, tensor<5x6xi1>) outs(%e301 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %z = arith.constant 0.0 : f32
    %x = arith.select %a1, %a0, %z : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c303 = arith.constant 0.000000e+00 : f32
  %e304 = tensor.empty() : tensor<2x2x5xf32>
  %f305 = linalg.fill ins(%c303 : f32) outs(%e304 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v306 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v302 : tensor<2x2x5x6xf32>) outs(%f305 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e307 = tensor.empty() : tensor<2x2x5x6xf32>
  %v308 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v302, %v306 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e307 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c309 = arith.constant 0.000000e+00 : f32
  %e310 = tensor.empty() : tensor<2x2x5x3xf32>
  %f311 = linalg.fill ins(%c309 : f32) outs(%e310 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v312 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v308, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f311 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v312 : tensor<2x2x5x3xf32>
}

// CHECK-LABEL: func.func @log_sum_exp(
// CHECK: %[[R:.*]]:2 = fa.attention {{.*}} -> tensor<2x2x5x3xf32>, tensor<2x2x5xf32>
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @log_sum_exp(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> (tensor<2x2x5x3xf32>, tensor<2x2x5xf32>) attributes {raises = 1} {
  %c313 = arith.constant 0.000000e+00 : f32
  %e314 = tensor.empty() : tensor<2x2x5x6xf32>
  %f315 = linalg.fill ins(%c313 : f32) outs(%e314 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v316 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f315 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c317 = arith.constant 0xFF800000 : f32
  %e318 = tensor.empty() : tensor<2x2x5xf32>
  %f319 = linalg.fill ins(%c317 : f32) outs(%e318 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v320 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v316 : tensor<2x2x5x6xf32>) outs(%f319 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e321 = tensor.empty() : tensor<2x2x5x6xf32>
  %v322 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v316, %v320 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e321 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c323 = arith.constant 0.000000e+00 : f32
  %e324 = tensor.empty() : tensor<2x2x5xf32>
  %f325 = linalg.fill ins(%c323 : f32) outs(%e324 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v326 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v322 : tensor<2x2x5x6xf32>) outs(%f325 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e327 = tensor.empty() : tensor<2x2x5x6xf32>
  %v328 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v322, %v326 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e327 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c329 = arith.constant 0.000000e+00 : f32
  %e330 = tensor.empty() : tensor<2x2x5x3xf32>
  %f331 = linalg.fill ins(%c329 : f32) outs(%e330 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v332 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v328, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f331 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %e333 = tensor.empty() : tensor<2x2x5xf32>
  %v334 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v320, %v326 : tensor<2x2x5xf32>, tensor<2x2x5xf32>) outs(%e333 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = math.log %a1 : f32
    %y = arith.addf %a0, %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5xf32>
  return %v332, %v334 : tensor<2x2x5x3xf32>, tensor<2x2x5xf32>
}

// CHECK-LABEL: func.func @row_sum_returned(
// CHECK-NOT: fa.attention
func.func @row_sum_returned(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> (tensor<2x2x5x3xf32>, tensor<2x2x5xf32>) attributes {raises = 0} {
  %c335 = arith.constant 0.000000e+00 : f32
  %e336 = tensor.empty() : tensor<2x2x5x6xf32>
  %f337 = linalg.fill ins(%c335 : f32) outs(%e336 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v338 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f337 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c339 = arith.constant 0xFF800000 : f32
  %e340 = tensor.empty() : tensor<2x2x5xf32>
  %f341 = linalg.fill ins(%c339 : f32) outs(%e340 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v342 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v338 : tensor<2x2x5x6xf32>) outs(%f341 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e343 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: its scores or weights have another use}}
  %v344 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v338, %v342 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e343 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c345 = arith.constant 0.000000e+00 : f32
  %e346 = tensor.empty() : tensor<2x2x5xf32>
  %f347 = linalg.fill ins(%c345 : f32) outs(%e346 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v348 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v344 : tensor<2x2x5x6xf32>) outs(%f347 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e349 = tensor.empty() : tensor<2x2x5x6xf32>
  %v350 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v344, %v348 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e349 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c351 = arith.constant 0.000000e+00 : f32
  %e352 = tensor.empty() : tensor<2x2x5x3xf32>
  %f353 = linalg.fill ins(%c351 : f32) outs(%e352 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v354 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v350, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f353 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v354, %v348 : tensor<2x2x5x3xf32>, tensor<2x2x5xf32>
}

// CHECK-LABEL: func.func @weights_returned(
// CHECK-NOT: fa.attention
func.func @weights_returned(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> (tensor<2x2x5x3xf32>, tensor<2x2x5x6xf32>) attributes {raises = 0} {
  %c355 = arith.constant 0.000000e+00 : f32
  %e356 = tensor.empty() : tensor<2x2x5x6xf32>
  %f357 = linalg.fill ins(%c355 : f32) outs(%e356 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v358 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f357 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c359 = arith.constant 0xFF800000 : f32
  %e360 = tensor.empty() : tensor<2x2x5xf32>
  %f361 = linalg.fill ins(%c359 : f32) outs(%e360 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v362 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v358 : tensor<2x2x5x6xf32>) outs(%f361 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e363 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: its scores or weights have another use}}
  %v364 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v358, %v362 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e363 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c365 = arith.constant 0.000000e+00 : f32
  %e366 = tensor.empty() : tensor<2x2x5xf32>
  %f367 = linalg.fill ins(%c365 : f32) outs(%e366 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v368 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v364 : tensor<2x2x5x6xf32>) outs(%f367 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e369 = tensor.empty() : tensor<2x2x5x6xf32>
  %v370 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v364, %v368 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e369 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c371 = arith.constant 0.000000e+00 : f32
  %e372 = tensor.empty() : tensor<2x2x5x3xf32>
  %f373 = linalg.fill ins(%c371 : f32) outs(%e372 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v374 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v370, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f373 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v374, %v370 : tensor<2x2x5x3xf32>, tensor<2x2x5x6xf32>
}

// CHECK-LABEL: func.func @scores_returned(
// CHECK-NOT: fa.attention
func.func @scores_returned(%q: tensor<2x2x5x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x3xf32>) -> (tensor<2x2x5x3xf32>, tensor<2x2x5x6xf32>) attributes {raises = 0} {
  %c375 = arith.constant 0.000000e+00 : f32
  %e376 = tensor.empty() : tensor<2x2x5x6xf32>
  %f377 = linalg.fill ins(%c375 : f32) outs(%e376 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %v378 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%q, %k : tensor<2x2x5x4xf32>, tensor<2x2x6x4xf32>) outs(%f377 : tensor<2x2x5x6xf32>) -> tensor<2x2x5x6xf32>
  %c379 = arith.constant 0xFF800000 : f32
  %e380 = tensor.empty() : tensor<2x2x5xf32>
  %f381 = linalg.fill ins(%c379 : f32) outs(%e380 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v382 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v378 : tensor<2x2x5x6xf32>) outs(%f381 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.maximumf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e383 = tensor.empty() : tensor<2x2x5x6xf32>
  // expected-remark @below {{attention not raised: its scores or weights have another use}}
  %v384 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v378, %v382 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e383 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.subf %a0, %a1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x2x5x6xf32>
  %c385 = arith.constant 0.000000e+00 : f32
  %e386 = tensor.empty() : tensor<2x2x5xf32>
  %f387 = linalg.fill ins(%c385 : f32) outs(%e386 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v388 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v384 : tensor<2x2x5x6xf32>) outs(%f387 : tensor<2x2x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %x = arith.addf %o, %a0 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5xf32>
  %e389 = tensor.empty() : tensor<2x2x5x6xf32>
  %v390 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v384, %v388 : tensor<2x2x5x6xf32>, tensor<2x2x5xf32>) outs(%e389 : tensor<2x2x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %x = arith.divf %a0, %a1 : f32
    linalg.yield %x : f32
  } -> tensor<2x2x5x6xf32>
  %c391 = arith.constant 0.000000e+00 : f32
  %e392 = tensor.empty() : tensor<2x2x5x3xf32>
  %f393 = linalg.fill ins(%c391 : f32) outs(%e392 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  %v394 = linalg.contract indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] ins(%v390, %v : tensor<2x2x5x6xf32>, tensor<2x2x6x3xf32>) outs(%f393 : tensor<2x2x5x3xf32>) -> tensor<2x2x5x3xf32>
  return %v394, %v378 : tensor<2x2x5x3xf32>, tensor<2x2x5x6xf32>
}
