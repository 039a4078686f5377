// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py bert_layer_f32_dynamic

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> ()>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @bert_layer_f32_dynamic(%arg0: tensor<?x?x32xf32>, %arg1: tensor<?x?xi64>, %arg2: tensor<32x32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x32xf32>, %arg5: tensor<32xf32>, %arg6: tensor<32x32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<32x32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<32xf32>, %arg11: tensor<32xf32>, %arg12: tensor<64x32xf32>, %arg13: tensor<64xf32>, %arg14: tensor<32x64xf32>, %arg15: tensor<32xf32>, %arg16: tensor<32xf32>, %arg17: tensor<32xf32>) -> tensor<?x?x32xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c8_i64 = arith.constant 8 : i64
    %c4_i64 = arith.constant 4 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f64
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_5 = arith.constant 9.9999999999999998E-13 : f64
    %cst_6 = arith.constant 0.35355339059327379 : f64
    %cst_7 = arith.constant -3.40282347E+38 : f32
    %c32_i64 = arith.constant 32 : i64
    %cst_8 = arith.constant 3.200000e+01 : f64
    %cst_9 = arith.constant 3.200000e+01 : f32
    %cst_10 = arith.constant 1.41421354 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x?x32xf32>
    %0 = arith.index_cast %dim : index to i64
    %dim_11 = tensor.dim %arg0, %c1 : tensor<?x?x32xf32>
    %1 = arith.index_cast %dim_11 : index to i64
    %dim_12 = tensor.dim %arg1, %c0 : tensor<?x?xi64>
    %dim_13 = tensor.dim %arg1, %c1 : tensor<?x?xi64>
    %expanded = tensor.expand_shape %arg1 [[0], [1, 2, 3]] output_shape [%dim_12, 1, 1, %dim_13] : tensor<?x?xi64> into tensor<?x1x1x?xi64>
    %2 = tensor.empty(%dim_12, %dim_13) : tensor<?x1x1x?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<?x1x1x?xi64>) outs(%2 : tensor<?x1x1x?xf32>) {
    ^bb0(%in: i64, %out: f32):
      %109 = arith.sitofp %in : i64 to f32
      linalg.yield %109 : f32
    } -> tensor<?x1x1x?xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4, %3 : tensor<f32>, tensor<?x1x1x?xf32>) outs(%2 : tensor<?x1x1x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.subf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x1x1x?xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<?x1x1x?xf32>) outs(%2 : tensor<?x1x1x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.mulf %in, %cst_7 : f32
      linalg.yield %109 : f32
    } -> tensor<?x1x1x?xf32>
    %6 = tensor.empty() : tensor<32x32xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<32x32xf32>) outs(%6 : tensor<32x32xf32>) permutation = [1, 0] 
    %7 = tensor.empty(%dim) : tensor<?x32x32xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed : tensor<32x32xf32>) outs(%7 : tensor<?x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x32xf32>
    %9 = tensor.empty(%dim, %dim_11) : tensor<?x?x32xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %11 = linalg.batch_matmul ins(%arg0, %8 : tensor<?x?x32xf32>, tensor<?x32x32xf32>) outs(%10 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %arg3 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%9 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %13 = arith.muli %0, %1 : i64
    %14 = arith.muli %13, %c8_i64 : i64
    %15 = arith.muli %0, %1 : i64
    %16 = arith.muli %15, %c32_i64 : i64
    %17 = arith.divui %16, %14 : i64
    %from_elements = tensor.from_elements %0, %1, %17, %c8_i64 : tensor<4xi64>
    %reshape = tensor.reshape %12(%from_elements) : (tensor<?x?x32xf32>, tensor<4xi64>) -> tensor<?x?x4x8xf32>
    %18 = tensor.empty(%dim, %dim_11) : tensor<?x4x?x8xf32>
    %transposed_14 = linalg.transpose ins(%reshape : tensor<?x?x4x8xf32>) outs(%18 : tensor<?x4x?x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_15 = linalg.transpose ins(%arg4 : tensor<32x32xf32>) outs(%6 : tensor<32x32xf32>) permutation = [1, 0] 
    %19 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_15 : tensor<32x32xf32>) outs(%7 : tensor<?x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x32xf32>
    %20 = linalg.batch_matmul ins(%arg0, %19 : tensor<?x?x32xf32>, tensor<?x32x32xf32>) outs(%10 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %arg5 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%9 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %reshape_16 = tensor.reshape %21(%from_elements) : (tensor<?x?x32xf32>, tensor<4xi64>) -> tensor<?x?x4x8xf32>
    %transposed_17 = linalg.transpose ins(%arg6 : tensor<32x32xf32>) outs(%6 : tensor<32x32xf32>) permutation = [1, 0] 
    %22 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_17 : tensor<32x32xf32>) outs(%7 : tensor<?x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x32xf32>
    %23 = linalg.batch_matmul ins(%arg0, %22 : tensor<?x?x32xf32>, tensor<?x32x32xf32>) outs(%10 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %arg7 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%9 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %reshape_18 = tensor.reshape %24(%from_elements) : (tensor<?x?x32xf32>, tensor<4xi64>) -> tensor<?x?x4x8xf32>
    %transposed_19 = linalg.transpose ins(%reshape_18 : tensor<?x?x4x8xf32>) outs(%18 : tensor<?x4x?x8xf32>) permutation = [0, 2, 1, 3] 
    %25 = tensor.empty(%dim, %dim_11) : tensor<?x4x8x?xf32>
    %transposed_20 = linalg.transpose ins(%reshape_16 : tensor<?x?x4x8xf32>) outs(%25 : tensor<?x4x8x?xf32>) permutation = [0, 2, 3, 1] 
    %26 = arith.muli %0, %c4_i64 : i64
    %from_elements_21 = tensor.from_elements %26, %1, %c8_i64 : tensor<3xi64>
    %reshape_22 = tensor.reshape %transposed_14(%from_elements_21) : (tensor<?x4x?x8xf32>, tensor<3xi64>) -> tensor<?x?x8xf32>
    %from_elements_23 = tensor.from_elements %26, %c8_i64, %1 : tensor<3xi64>
    %reshape_24 = tensor.reshape %transposed_20(%from_elements_23) : (tensor<?x4x8x?xf32>, tensor<3xi64>) -> tensor<?x8x?xf32>
    %27 = arith.index_cast %26 : i64 to index
    %28 = tensor.empty(%27, %dim_11, %dim_11) : tensor<?x?x?xf32>
    %29 = linalg.fill ins(%cst : f32) outs(%28 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %30 = linalg.batch_matmul ins(%reshape_22, %reshape_24 : tensor<?x?x8xf32>, tensor<?x8x?xf32>) outs(%29 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %from_elements_25 = tensor.from_elements %0, %c4_i64, %1, %1 : tensor<4xi64>
    %reshape_26 = tensor.reshape %30(%from_elements_25) : (tensor<?x?x?xf32>, tensor<4xi64>) -> tensor<?x4x?x?xf32>
    %31 = tensor.empty(%dim, %dim_11, %dim_11) : tensor<?x4x?x?xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%reshape_26 : tensor<?x4x?x?xf32>) outs(%31 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.truncf %cst_6 : f64 to f32
      %110 = arith.mulf %in, %109 : f32
      linalg.yield %110 : f32
    } -> tensor<?x4x?x?xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %5 : tensor<?x4x?x?xf32>, tensor<?x1x1x?xf32>) outs(%31 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x4x?x?xf32>
    %34 = tensor.empty(%dim, %dim_11) : tensor<?x4x?xi64>
    %35 = linalg.fill ins(%c0_i64 : i64) outs(%34 : tensor<?x4x?xi64>) -> tensor<?x4x?xi64>
    %36 = tensor.empty(%dim, %dim_11) : tensor<?x4x?xf32>
    %37 = linalg.fill ins(%cst_0 : f32) outs(%36 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
    %38:2 = linalg.generic {indexing_maps = [#map, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<?x4x?x?xf32>) outs(%37, %35 : tensor<?x4x?xf32>, tensor<?x4x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_39: i64):
      %109 = linalg.index 3 : index
      %110 = arith.index_cast %109 : index to i64
      %111 = arith.maximumf %in, %out : f32
      %112 = arith.cmpf ogt, %in, %out : f32
      %113 = arith.select %112, %110, %out_39 : i64
      linalg.yield %111, %113 : f32, i64
    } -> (tensor<?x4x?xf32>, tensor<?x4x?xi64>)
    %expanded_27 = tensor.expand_shape %38#0 [[0], [1], [2, 3]] output_shape [%dim, 4, %dim_11, 1] : tensor<?x4x?xf32> into tensor<?x4x?x1xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map7, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %expanded_27 : tensor<?x4x?x?xf32>, tensor<?x4x?x1xf32>) outs(%31 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.subf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x4x?x?xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<?x4x?x?xf32>) outs(%31 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.exp %in : f32
      linalg.yield %109 : f32
    } -> tensor<?x4x?x?xf32>
    %41 = tensor.empty(%dim, %dim_11) : tensor<?x4x?x1xf32>
    %42 = linalg.fill ins(%cst : f32) outs(%41 : tensor<?x4x?x1xf32>) -> tensor<?x4x?x1xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<?x4x?x?xf32>) outs(%42 : tensor<?x4x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<?x4x?x1xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map7, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %43 : tensor<?x4x?x?xf32>, tensor<?x4x?x1xf32>) outs(%31 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.divf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x4x?x?xf32>
    %from_elements_28 = tensor.from_elements %26, %1, %1 : tensor<3xi64>
    %reshape_29 = tensor.reshape %44(%from_elements_28) : (tensor<?x4x?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
    %reshape_30 = tensor.reshape %transposed_19(%from_elements_21) : (tensor<?x4x?x8xf32>, tensor<3xi64>) -> tensor<?x?x8xf32>
    %45 = tensor.empty(%27, %dim_11) : tensor<?x?x8xf32>
    %46 = linalg.fill ins(%cst : f32) outs(%45 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %47 = linalg.batch_matmul ins(%reshape_29, %reshape_30 : tensor<?x?x?xf32>, tensor<?x?x8xf32>) outs(%46 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %from_elements_31 = tensor.from_elements %0, %c4_i64, %1, %c8_i64 : tensor<4xi64>
    %reshape_32 = tensor.reshape %47(%from_elements_31) : (tensor<?x?x8xf32>, tensor<4xi64>) -> tensor<?x4x?x8xf32>
    %48 = tensor.empty(%dim, %dim_11) : tensor<?x?x4x8xf32>
    %transposed_33 = linalg.transpose ins(%reshape_32 : tensor<?x4x?x8xf32>) outs(%48 : tensor<?x?x4x8xf32>) permutation = [0, 2, 1, 3] 
    %49 = arith.muli %13, %c32_i64 : i64
    %50 = arith.divui %49, %13 : i64
    %from_elements_34 = tensor.from_elements %0, %1, %50 : tensor<3xi64>
    %reshape_35 = tensor.reshape %transposed_33(%from_elements_34) : (tensor<?x?x4x8xf32>, tensor<3xi64>) -> tensor<?x?x32xf32>
    %transposed_36 = linalg.transpose ins(%arg8 : tensor<32x32xf32>) outs(%6 : tensor<32x32xf32>) permutation = [1, 0] 
    %51 = tensor.empty(%dim) : tensor<?x32x32xf32>
    %52 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_36 : tensor<32x32xf32>) outs(%51 : tensor<?x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x32xf32>
    %53 = tensor.empty(%dim, %dim_11) : tensor<?x?x32xf32>
    %54 = linalg.fill ins(%cst : f32) outs(%53 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %55 = linalg.batch_matmul ins(%reshape_35, %52 : tensor<?x?x32xf32>, tensor<?x32x32xf32>) outs(%54 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %56 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %arg9 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %57 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56, %arg0 : tensor<?x?x32xf32>, tensor<?x?x32xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %58 = tensor.empty(%dim, %dim_11) : tensor<?x?x32xf64>
    %59 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<?x?x32xf32>) outs(%58 : tensor<?x?x32xf64>) {
    ^bb0(%in: f32, %out: f64):
      %109 = arith.extf %in : f32 to f64
      linalg.yield %109 : f64
    } -> tensor<?x?x32xf64>
    %60 = tensor.empty(%dim, %dim_11) : tensor<?x?x1xf64>
    %61 = linalg.fill ins(%cst_1 : f64) outs(%60 : tensor<?x?x1xf64>) -> tensor<?x?x1xf64>
    %62 = linalg.generic {indexing_maps = [#map3, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%59 : tensor<?x?x32xf64>) outs(%61 : tensor<?x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %109 = arith.addf %in, %out : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x1xf64>
    %63 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<?x?x1xf64>) outs(%60 : tensor<?x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %109 = arith.divf %in, %cst_8 : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x1xf64>
    %64 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %63 : tensor<?x?x32xf64>, tensor<?x?x1xf64>) outs(%58 : tensor<?x?x32xf64>) {
    ^bb0(%in: f64, %in_39: f64, %out: f64):
      %109 = arith.subf %in, %in_39 : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x32xf64>
    %65 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64, %64 : tensor<?x?x32xf64>, tensor<?x?x32xf64>) outs(%58 : tensor<?x?x32xf64>) {
    ^bb0(%in: f64, %in_39: f64, %out: f64):
      %109 = arith.mulf %in, %in_39 : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x32xf64>
    %66 = linalg.generic {indexing_maps = [#map3, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%65 : tensor<?x?x32xf64>) outs(%61 : tensor<?x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %109 = arith.addf %in, %out : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x1xf64>
    %67 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<?x?x1xf64>) outs(%60 : tensor<?x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %109 = arith.divf %in, %cst_8 : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x1xf64>
    %68 = tensor.empty(%dim, %dim_11) : tensor<?x?x1xf32>
    %69 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<?x?x1xf64>) outs(%68 : tensor<?x?x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %109 = arith.truncf %in : f64 to f32
      linalg.yield %109 : f32
    } -> tensor<?x?x1xf32>
    %70 = linalg.fill ins(%cst : f32) outs(%68 : tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %71 = linalg.generic {indexing_maps = [#map3, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%57 : tensor<?x?x32xf32>) outs(%70 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x1xf32>
    %72 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71 : tensor<?x?x1xf32>) outs(%68 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_9 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x1xf32>
    %73 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<?x?x1xf32>) outs(%68 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.truncf %cst_5 : f64 to f32
      %110 = arith.addf %in, %109 : f32
      linalg.yield %110 : f32
    } -> tensor<?x?x1xf32>
    %74 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<?x?x1xf32>) outs(%68 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.rsqrt %in : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x1xf32>
    %75 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %72 : tensor<?x?x32xf32>, tensor<?x?x1xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.subf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %76 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %74 : tensor<?x?x32xf32>, tensor<?x?x1xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.mulf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %77 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %arg10 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.mulf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %78 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77, %arg11 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %79 = tensor.empty() : tensor<32x64xf32>
    %transposed_37 = linalg.transpose ins(%arg12 : tensor<64x32xf32>) outs(%79 : tensor<32x64xf32>) permutation = [1, 0] 
    %80 = tensor.empty(%dim) : tensor<?x32x64xf32>
    %81 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_37 : tensor<32x64xf32>) outs(%80 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x64xf32>
    %82 = tensor.empty(%dim, %dim_11) : tensor<?x?x64xf32>
    %83 = linalg.fill ins(%cst : f32) outs(%82 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %84 = linalg.batch_matmul ins(%78, %81 : tensor<?x?x32xf32>, tensor<?x32x64xf32>) outs(%83 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    %85 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84, %arg13 : tensor<?x?x64xf32>, tensor<64xf32>) outs(%82 : tensor<?x?x64xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x64xf32>
    %86 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<?x?x64xf32>) outs(%82 : tensor<?x?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_10 : f32
      %110 = math.erf %109 : f32
      %111 = arith.addf %110, %cst_2 : f32
      %112 = arith.mulf %111, %cst_3 : f32
      %113 = arith.mulf %in, %112 : f32
      linalg.yield %113 : f32
    } -> tensor<?x?x64xf32>
    %87 = tensor.empty() : tensor<64x32xf32>
    %transposed_38 = linalg.transpose ins(%arg14 : tensor<32x64xf32>) outs(%87 : tensor<64x32xf32>) permutation = [1, 0] 
    %88 = tensor.empty(%dim) : tensor<?x64x32xf32>
    %89 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_38 : tensor<64x32xf32>) outs(%88 : tensor<?x64x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x64x32xf32>
    %90 = linalg.batch_matmul ins(%86, %89 : tensor<?x?x64xf32>, tensor<?x64x32xf32>) outs(%54 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %91 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90, %arg15 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %92 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91, %78 : tensor<?x?x32xf32>, tensor<?x?x32xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %93 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<?x?x32xf32>) outs(%58 : tensor<?x?x32xf64>) {
    ^bb0(%in: f32, %out: f64):
      %109 = arith.extf %in : f32 to f64
      linalg.yield %109 : f64
    } -> tensor<?x?x32xf64>
    %94 = linalg.generic {indexing_maps = [#map3, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%93 : tensor<?x?x32xf64>) outs(%61 : tensor<?x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %109 = arith.addf %in, %out : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x1xf64>
    %95 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94 : tensor<?x?x1xf64>) outs(%60 : tensor<?x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %109 = arith.divf %in, %cst_8 : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x1xf64>
    %96 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93, %95 : tensor<?x?x32xf64>, tensor<?x?x1xf64>) outs(%58 : tensor<?x?x32xf64>) {
    ^bb0(%in: f64, %in_39: f64, %out: f64):
      %109 = arith.subf %in, %in_39 : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x32xf64>
    %97 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96, %96 : tensor<?x?x32xf64>, tensor<?x?x32xf64>) outs(%58 : tensor<?x?x32xf64>) {
    ^bb0(%in: f64, %in_39: f64, %out: f64):
      %109 = arith.mulf %in, %in_39 : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x32xf64>
    %98 = linalg.generic {indexing_maps = [#map3, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%97 : tensor<?x?x32xf64>) outs(%61 : tensor<?x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %109 = arith.addf %in, %out : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x1xf64>
    %99 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98 : tensor<?x?x1xf64>) outs(%60 : tensor<?x?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %109 = arith.divf %in, %cst_8 : f64
      linalg.yield %109 : f64
    } -> tensor<?x?x1xf64>
    %100 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99 : tensor<?x?x1xf64>) outs(%68 : tensor<?x?x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %109 = arith.truncf %in : f64 to f32
      linalg.yield %109 : f32
    } -> tensor<?x?x1xf32>
    %101 = linalg.generic {indexing_maps = [#map3, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%92 : tensor<?x?x32xf32>) outs(%70 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x1xf32>
    %102 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<?x?x1xf32>) outs(%68 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_9 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x1xf32>
    %103 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<?x?x1xf32>) outs(%68 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.truncf %cst_5 : f64 to f32
      %110 = arith.addf %in, %109 : f32
      linalg.yield %110 : f32
    } -> tensor<?x?x1xf32>
    %104 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<?x?x1xf32>) outs(%68 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %109 = math.rsqrt %in : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x1xf32>
    %105 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92, %102 : tensor<?x?x32xf32>, tensor<?x?x1xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.subf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %106 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105, %104 : tensor<?x?x32xf32>, tensor<?x?x1xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.mulf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %107 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106, %arg16 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.mulf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    %108 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107, %arg17 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%53 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_39: f32, %out: f32):
      %109 = arith.addf %in, %in_39 : f32
      linalg.yield %109 : f32
    } -> tensor<?x?x32xf32>
    return %108 : tensor<?x?x32xf32>
  }
}
