// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py efficient_attention_f32

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @efficient_attention_f32(%arg0: tensor<2x2x16x8xf32>, %arg1: tensor<2x2x16x8xf32>, %arg2: tensor<2x2x16x8xf32>) -> tensor<2x2x16x8xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x2x8xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<2x2x8xi64>) -> tensor<2x2x8xi64>
    %2 = tensor.empty() : tensor<2x2x8xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%arg1 : tensor<2x2x16x8xf32>) outs(%3, %1 : tensor<2x2x8xf32>, tensor<2x2x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_5: i64):
      %30 = linalg.index 2 : index
      %31 = arith.index_cast %30 : index to i64
      %32 = arith.maximumf %in, %out : f32
      %33 = arith.cmpf ogt, %in, %out : f32
      %34 = arith.select %33, %31, %out_5 : i64
      linalg.yield %32, %34 : f32, i64
    } -> (tensor<2x2x8xf32>, tensor<2x2x8xi64>)
    %expanded = tensor.expand_shape %4#0 [[0], [1, 2], [3]] output_shape [2, 2, 1, 8] : tensor<2x2x8xf32> into tensor<2x2x1x8xf32>
    %5 = tensor.empty() : tensor<2x2x16x8xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1, %expanded : tensor<2x2x16x8xf32>, tensor<2x2x1x8xf32>) outs(%5 : tensor<2x2x16x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %30 = arith.subf %in, %in_5 : f32
      linalg.yield %30 : f32
    } -> tensor<2x2x16x8xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x2x16x8xf32>) outs(%5 : tensor<2x2x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = math.exp %in : f32
      linalg.yield %30 : f32
    } -> tensor<2x2x16x8xf32>
    %8 = tensor.empty() : tensor<2x2x1x8xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<2x2x1x8xf32>) -> tensor<2x2x1x8xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%7 : tensor<2x2x16x8xf32>) outs(%9 : tensor<2x2x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.addf %in, %out : f32
      linalg.yield %30 : f32
    } -> tensor<2x2x1x8xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %10 : tensor<2x2x16x8xf32>, tensor<2x2x1x8xf32>) outs(%5 : tensor<2x2x16x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %30 = arith.divf %in, %in_5 : f32
      linalg.yield %30 : f32
    } -> tensor<2x2x16x8xf32>
    %12 = tensor.empty() : tensor<2x2x8x16xf32>
    %transposed = linalg.transpose ins(%11 : tensor<2x2x16x8xf32>) outs(%12 : tensor<2x2x8x16xf32>) permutation = [0, 1, 3, 2] 
    %collapsed = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<2x2x8x16xf32> into tensor<4x8x16xf32>
    %collapsed_1 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x2x16x8xf32> into tensor<4x16x8xf32>
    %13 = tensor.empty() : tensor<4x8x8xf32>
    %14 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %15 = linalg.batch_matmul ins(%collapsed, %collapsed_1 : tensor<4x8x16xf32>, tensor<4x16x8xf32>) outs(%14 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %16 = tensor.empty() : tensor<2x2x16xi64>
    %17 = linalg.fill ins(%c0_i64 : i64) outs(%16 : tensor<2x2x16xi64>) -> tensor<2x2x16xi64>
    %18 = tensor.empty() : tensor<2x2x16xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
    %20:2 = linalg.generic {indexing_maps = [#map, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x2x16x8xf32>) outs(%19, %17 : tensor<2x2x16xf32>, tensor<2x2x16xi64>) {
    ^bb0(%in: f32, %out: f32, %out_5: i64):
      %30 = linalg.index 3 : index
      %31 = arith.index_cast %30 : index to i64
      %32 = arith.maximumf %in, %out : f32
      %33 = arith.cmpf ogt, %in, %out : f32
      %34 = arith.select %33, %31, %out_5 : i64
      linalg.yield %32, %34 : f32, i64
    } -> (tensor<2x2x16xf32>, tensor<2x2x16xi64>)
    %expanded_2 = tensor.expand_shape %20#0 [[0], [1], [2, 3]] output_shape [2, 2, 16, 1] : tensor<2x2x16xf32> into tensor<2x2x16x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %expanded_2 : tensor<2x2x16x8xf32>, tensor<2x2x16x1xf32>) outs(%5 : tensor<2x2x16x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %30 = arith.subf %in, %in_5 : f32
      linalg.yield %30 : f32
    } -> tensor<2x2x16x8xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x2x16x8xf32>) outs(%5 : tensor<2x2x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = math.exp %in : f32
      linalg.yield %30 : f32
    } -> tensor<2x2x16x8xf32>
    %23 = tensor.empty() : tensor<2x2x16x1xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<2x2x16x1xf32>) -> tensor<2x2x16x1xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<2x2x16x8xf32>) outs(%24 : tensor<2x2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.addf %in, %out : f32
      linalg.yield %30 : f32
    } -> tensor<2x2x16x1xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %25 : tensor<2x2x16x8xf32>, tensor<2x2x16x1xf32>) outs(%5 : tensor<2x2x16x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %30 = arith.divf %in, %in_5 : f32
      linalg.yield %30 : f32
    } -> tensor<2x2x16x8xf32>
    %collapsed_3 = tensor.collapse_shape %26 [[0, 1], [2], [3]] : tensor<2x2x16x8xf32> into tensor<4x16x8xf32>
    %27 = tensor.empty() : tensor<4x16x8xf32>
    %28 = linalg.fill ins(%cst_0 : f32) outs(%27 : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %29 = linalg.batch_matmul ins(%collapsed_3, %15 : tensor<4x16x8xf32>, tensor<4x8x8xf32>) outs(%28 : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %expanded_4 = tensor.expand_shape %29 [[0, 1], [2], [3]] output_shape [2, 2, 16, 8] : tensor<4x16x8xf32> into tensor<2x2x16x8xf32>
    return %expanded_4 : tensor<2x2x16x8xf32>
  }
}
