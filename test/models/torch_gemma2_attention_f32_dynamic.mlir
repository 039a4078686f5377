// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py gemma2_attention_f32_dynamic

#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @gemma2_attention_f32_dynamic(%arg0: tensor<?x4x?x16xf32>, %arg1: tensor<?x2x?x16xf32>, %arg2: tensor<?x2x?x16xf32>, %arg3: tensor<?x1x?x?xf32>) -> tensor<?x?x4x16xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c4_i64 = arith.constant 4 : i64
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16_i64 = arith.constant 16 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 2.500000e-01 : f32
    %cst_2 = arith.constant 5.000000e+01 : f32
    %dim = tensor.dim %arg2, %c0 : tensor<?x2x?x16xf32>
    %0 = arith.index_cast %dim : index to i64
    %dim_3 = tensor.dim %arg2, %c2 : tensor<?x2x?x16xf32>
    %1 = arith.index_cast %dim_3 : index to i64
    %dim_4 = tensor.dim %arg1, %c0 : tensor<?x2x?x16xf32>
    %dim_5 = tensor.dim %arg1, %c2 : tensor<?x2x?x16xf32>
    %expanded = tensor.expand_shape %arg1 [[0], [1], [2, 3], [4]] output_shape [%dim_4, 2, 1, %dim_5, 16] : tensor<?x2x?x16xf32> into tensor<?x2x1x?x16xf32>
    %2 = tensor.empty(%dim, %dim_3) : tensor<?x2x2x?x16xf32>
    %collapsed = tensor.collapse_shape %expanded [[0], [1, 2], [3], [4]] : tensor<?x2x1x?x16xf32> into tensor<?x2x?x16xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed : tensor<?x2x?x16xf32>) outs(%2 : tensor<?x2x2x?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x2x2x?x16xf32>
    %from_elements = tensor.from_elements %0, %c4_i64, %1, %c16_i64 : tensor<4xi64>
    %reshape = tensor.reshape %3(%from_elements) : (tensor<?x2x2x?x16xf32>, tensor<4xi64>) -> tensor<?x4x?x16xf32>
    %expanded_6 = tensor.expand_shape %arg2 [[0], [1], [2, 3], [4]] output_shape [%dim, 2, 1, %dim_3, 16] : tensor<?x2x?x16xf32> into tensor<?x2x1x?x16xf32>
    %collapsed_7 = tensor.collapse_shape %expanded_6 [[0], [1, 2], [3], [4]] : tensor<?x2x1x?x16xf32> into tensor<?x2x?x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_7 : tensor<?x2x?x16xf32>) outs(%2 : tensor<?x2x2x?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x2x2x?x16xf32>
    %5 = tensor.empty(%dim, %dim_3) : tensor<?x4x16x?xf32>
    %transposed = linalg.transpose ins(%reshape : tensor<?x4x?x16xf32>) outs(%5 : tensor<?x4x16x?xf32>) permutation = [0, 1, 3, 2] 
    %6 = arith.muli %0, %c4_i64 : i64
    %from_elements_8 = tensor.from_elements %6, %1, %c16_i64 : tensor<3xi64>
    %reshape_9 = tensor.reshape %arg0(%from_elements_8) : (tensor<?x4x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
    %from_elements_10 = tensor.from_elements %6, %c16_i64, %1 : tensor<3xi64>
    %reshape_11 = tensor.reshape %transposed(%from_elements_10) : (tensor<?x4x16x?xf32>, tensor<3xi64>) -> tensor<?x16x?xf32>
    %7 = arith.index_cast %6 : i64 to index
    %8 = tensor.empty(%7, %dim_3, %dim_3) : tensor<?x?x?xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %10 = linalg.batch_matmul ins(%reshape_9, %reshape_11 : tensor<?x?x16xf32>, tensor<?x16x?xf32>) outs(%9 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %from_elements_12 = tensor.from_elements %0, %c4_i64, %1, %1 : tensor<4xi64>
    %reshape_13 = tensor.reshape %10(%from_elements_12) : (tensor<?x?x?xf32>, tensor<4xi64>) -> tensor<?x4x?x?xf32>
    %11 = tensor.empty(%dim, %dim_3, %dim_3) : tensor<?x4x?x?xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%reshape_13 : tensor<?x4x?x?xf32>) outs(%11 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.mulf %in, %cst_1 : f32
      linalg.yield %32 : f32
    } -> tensor<?x4x?x?xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<?x4x?x?xf32>) outs(%11 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.divf %in, %cst_2 : f32
      linalg.yield %32 : f32
    } -> tensor<?x4x?x?xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<?x4x?x?xf32>) outs(%11 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = math.tanh %in : f32
      linalg.yield %32 : f32
    } -> tensor<?x4x?x?xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<?x4x?x?xf32>) outs(%11 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.mulf %in, %cst_2 : f32
      linalg.yield %32 : f32
    } -> tensor<?x4x?x?xf32>
    %16 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %arg3 : tensor<?x4x?x?xf32>, tensor<?x1x?x?xf32>) outs(%11 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %32 = arith.addf %in, %in_20 : f32
      linalg.yield %32 : f32
    } -> tensor<?x4x?x?xf32>
    %17 = tensor.empty(%dim, %dim_3) : tensor<?x4x?xi64>
    %18 = linalg.fill ins(%c0_i64 : i64) outs(%17 : tensor<?x4x?xi64>) -> tensor<?x4x?xi64>
    %19 = tensor.empty(%dim, %dim_3) : tensor<?x4x?xf32>
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
    %21:2 = linalg.generic {indexing_maps = [#map2, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<?x4x?x?xf32>) outs(%20, %18 : tensor<?x4x?xf32>, tensor<?x4x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_20: i64):
      %32 = linalg.index 3 : index
      %33 = arith.index_cast %32 : index to i64
      %34 = arith.maximumf %in, %out : f32
      %35 = arith.cmpf ogt, %in, %out : f32
      %36 = arith.select %35, %33, %out_20 : i64
      linalg.yield %34, %36 : f32, i64
    } -> (tensor<?x4x?xf32>, tensor<?x4x?xi64>)
    %expanded_14 = tensor.expand_shape %21#0 [[0], [1], [2, 3]] output_shape [%dim, 4, %dim_3, 1] : tensor<?x4x?xf32> into tensor<?x4x?x1xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %expanded_14 : tensor<?x4x?x?xf32>, tensor<?x4x?x1xf32>) outs(%11 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %32 = arith.subf %in, %in_20 : f32
      linalg.yield %32 : f32
    } -> tensor<?x4x?x?xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<?x4x?x?xf32>) outs(%11 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = math.exp %in : f32
      linalg.yield %32 : f32
    } -> tensor<?x4x?x?xf32>
    %24 = tensor.empty(%dim, %dim_3) : tensor<?x4x?x1xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<?x4x?x1xf32>) -> tensor<?x4x?x1xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%23 : tensor<?x4x?x?xf32>) outs(%25 : tensor<?x4x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %in, %out : f32
      linalg.yield %32 : f32
    } -> tensor<?x4x?x1xf32>
    %27 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %26 : tensor<?x4x?x?xf32>, tensor<?x4x?x1xf32>) outs(%11 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %32 = arith.divf %in, %in_20 : f32
      linalg.yield %32 : f32
    } -> tensor<?x4x?x?xf32>
    %from_elements_15 = tensor.from_elements %6, %1, %1 : tensor<3xi64>
    %reshape_16 = tensor.reshape %27(%from_elements_15) : (tensor<?x4x?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
    %reshape_17 = tensor.reshape %4(%from_elements_8) : (tensor<?x2x2x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
    %28 = tensor.empty(%7, %dim_3) : tensor<?x?x16xf32>
    %29 = linalg.fill ins(%cst : f32) outs(%28 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %30 = linalg.batch_matmul ins(%reshape_16, %reshape_17 : tensor<?x?x?xf32>, tensor<?x?x16xf32>) outs(%29 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %reshape_18 = tensor.reshape %30(%from_elements) : (tensor<?x?x16xf32>, tensor<4xi64>) -> tensor<?x4x?x16xf32>
    %31 = tensor.empty(%dim, %dim_3) : tensor<?x?x4x16xf32>
    %transposed_19 = linalg.transpose ins(%reshape_18 : tensor<?x4x?x16xf32>) outs(%31 : tensor<?x?x4x16xf32>) permutation = [0, 2, 1, 3] 
    return %transposed_19 : tensor<?x?x4x16xf32>
  }
}
