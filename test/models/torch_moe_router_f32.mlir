// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py moe_router_f32

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @moe_router_f32(%arg0: tensor<24x16xf32>, %arg1: tensor<4x16x32xf32>, %arg2: tensor<4x32x16xf32>, %arg3: tensor<4x16xf32>) -> tensor<24x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<16x4xf32>
    %transposed = linalg.transpose ins(%arg3 : tensor<4x16xf32>) outs(%0 : tensor<16x4xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<24x4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<24x4xf32>) -> tensor<24x4xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<24x16xf32>, tensor<16x4xf32>) outs(%2 : tensor<24x4xf32>) -> tensor<24x4xf32>
    %4 = tensor.empty() : tensor<24xi64>
    %5 = linalg.fill ins(%c0_i64 : i64) outs(%4 : tensor<24xi64>) -> tensor<24xi64>
    %6 = tensor.empty() : tensor<24xf32>
    %7 = linalg.fill ins(%cst_0 : f32) outs(%6 : tensor<24xf32>) -> tensor<24xf32>
    %8:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<24x4xf32>) outs(%7, %5 : tensor<24xf32>, tensor<24xi64>) {
    ^bb0(%in: f32, %out: f32, %out_19: i64):
      %32 = linalg.index 1 : index
      %33 = arith.index_cast %32 : index to i64
      %34 = arith.maximumf %in, %out : f32
      %35 = arith.cmpf ogt, %in, %out : f32
      %36 = arith.select %35, %33, %out_19 : i64
      linalg.yield %34, %36 : f32, i64
    } -> (tensor<24xf32>, tensor<24xi64>)
    %expanded = tensor.expand_shape %8#0 [[0, 1]] output_shape [24, 1] : tensor<24xf32> into tensor<24x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %expanded : tensor<24x4xf32>, tensor<24x1xf32>) outs(%1 : tensor<24x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %32 = arith.subf %in, %in_19 : f32
      linalg.yield %32 : f32
    } -> tensor<24x4xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<24x4xf32>) outs(%1 : tensor<24x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = math.exp %in : f32
      linalg.yield %32 : f32
    } -> tensor<24x4xf32>
    %11 = tensor.empty() : tensor<24x1xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<24x1xf32>) -> tensor<24x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<24x4xf32>) outs(%12 : tensor<24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %in, %out : f32
      linalg.yield %32 : f32
    } -> tensor<24x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %13 : tensor<24x4xf32>, tensor<24x1xf32>) outs(%1 : tensor<24x4xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %32 = arith.divf %in, %in_19 : f32
      linalg.yield %32 : f32
    } -> tensor<24x4xf32>
    %expanded_2 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [4, 16, 32, 1] : tensor<4x16x32xf32> into tensor<4x16x32x1xf32>
    %expanded_3 = tensor.expand_shape %arg0 [[0, 1], [2]] output_shape [1, 24, 16] : tensor<24x16xf32> into tensor<1x24x16xf32>
    %15 = tensor.empty() : tensor<16x4x32x1xf32>
    %transposed_4 = linalg.transpose ins(%expanded_2 : tensor<4x16x32x1xf32>) outs(%15 : tensor<16x4x32x1xf32>) permutation = [1, 0, 2, 3] 
    %collapsed = tensor.collapse_shape %transposed_4 [[0], [1, 2, 3]] : tensor<16x4x32x1xf32> into tensor<16x128xf32>
    %expanded_5 = tensor.expand_shape %collapsed [[0, 1], [2]] output_shape [1, 16, 128] : tensor<16x128xf32> into tensor<1x16x128xf32>
    %16 = tensor.empty() : tensor<1x24x128xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<1x24x128xf32>) -> tensor<1x24x128xf32>
    %18 = linalg.batch_matmul ins(%expanded_3, %expanded_5 : tensor<1x24x16xf32>, tensor<1x16x128xf32>) outs(%17 : tensor<1x24x128xf32>) -> tensor<1x24x128xf32>
    %collapsed_6 = tensor.collapse_shape %18 [[0, 1], [2]] : tensor<1x24x128xf32> into tensor<24x128xf32>
    %expanded_7 = tensor.expand_shape %collapsed_6 [[0], [1, 2, 3]] output_shape [24, 1, 4, 32] : tensor<24x128xf32> into tensor<24x1x4x32xf32>
    %19 = tensor.empty() : tensor<24x4x32x1xf32>
    %transposed_8 = linalg.transpose ins(%expanded_7 : tensor<24x1x4x32xf32>) outs(%19 : tensor<24x4x32x1xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_9 = tensor.collapse_shape %transposed_8 [[0], [1], [2, 3]] : tensor<24x4x32x1xf32> into tensor<24x4x32xf32>
    %20 = tensor.empty() : tensor<24x4x32xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_9 : tensor<24x4x32xf32>) outs(%20 : tensor<24x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.negf %in : f32
      %33 = math.exp %32 : f32
      %34 = arith.addf %33, %cst_1 : f32
      %35 = arith.divf %cst_1, %34 : f32
      linalg.yield %35 : f32
    } -> tensor<24x4x32xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_9, %21 : tensor<24x4x32xf32>, tensor<24x4x32xf32>) outs(%20 : tensor<24x4x32xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %32 = arith.mulf %in, %in_19 : f32
      linalg.yield %32 : f32
    } -> tensor<24x4x32xf32>
    %expanded_10 = tensor.expand_shape %22 [[0], [1], [2, 3]] output_shape [24, 4, 32, 1] : tensor<24x4x32xf32> into tensor<24x4x32x1xf32>
    %23 = tensor.empty() : tensor<4x24x32x1xf32>
    %transposed_11 = linalg.transpose ins(%expanded_10 : tensor<24x4x32x1xf32>) outs(%23 : tensor<4x24x32x1xf32>) permutation = [1, 0, 2, 3] 
    %collapsed_12 = tensor.collapse_shape %transposed_11 [[0], [1], [2, 3]] : tensor<4x24x32x1xf32> into tensor<4x24x32xf32>
    %24 = tensor.empty() : tensor<4x24x16xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<4x24x16xf32>) -> tensor<4x24x16xf32>
    %26 = linalg.batch_matmul ins(%collapsed_12, %arg2 : tensor<4x24x32xf32>, tensor<4x32x16xf32>) outs(%25 : tensor<4x24x16xf32>) -> tensor<4x24x16xf32>
    %expanded_13 = tensor.expand_shape %26 [[0], [1], [2, 3]] output_shape [4, 24, 1, 16] : tensor<4x24x16xf32> into tensor<4x24x1x16xf32>
    %27 = tensor.empty() : tensor<24x4x16x1xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<4x24x1x16xf32>) outs(%27 : tensor<24x4x16x1xf32>) permutation = [1, 0, 3, 2] 
    %collapsed_15 = tensor.collapse_shape %transposed_14 [[0], [1], [2, 3]] : tensor<24x4x16x1xf32> into tensor<24x4x16xf32>
    %expanded_16 = tensor.expand_shape %14 [[0], [1, 2]] output_shape [24, 1, 4] : tensor<24x4xf32> into tensor<24x1x4xf32>
    %28 = tensor.empty() : tensor<24x1x16xf32>
    %29 = linalg.fill ins(%cst : f32) outs(%28 : tensor<24x1x16xf32>) -> tensor<24x1x16xf32>
    %30 = linalg.batch_matmul ins(%expanded_16, %collapsed_15 : tensor<24x1x4xf32>, tensor<24x4x16xf32>) outs(%29 : tensor<24x1x16xf32>) -> tensor<24x1x16xf32>
    %31 = tensor.empty() : tensor<24x16x1xf32>
    %transposed_17 = linalg.transpose ins(%30 : tensor<24x1x16xf32>) outs(%31 : tensor<24x16x1xf32>) permutation = [0, 2, 1] 
    %collapsed_18 = tensor.collapse_shape %transposed_17 [[0], [1, 2]] : tensor<24x16x1xf32> into tensor<24x16xf32>
    return %collapsed_18 : tensor<24x16xf32>
  }
}
