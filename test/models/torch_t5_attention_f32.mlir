// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py t5_attention_f32

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @t5_attention_f32(%arg0: tensor<2x12x32xf32>, %arg1: tensor<1x4x12x12xf32>, %arg2: tensor<32x32xf32>, %arg3: tensor<32x32xf32>, %arg4: tensor<32x32xf32>, %arg5: tensor<32x32xf32>) -> tensor<2x12x32xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<32x32xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<32x32xf32>) outs(%0 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x12x32xf32> into tensor<24x32xf32>
    %1 = tensor.empty() : tensor<24x32xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<24x32xf32>, tensor<32x32xf32>) outs(%2 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded = tensor.expand_shape %3 [[0, 1], [2, 3]] output_shape [2, 12, 4, 8] : tensor<24x32xf32> into tensor<2x12x4x8xf32>
    %4 = tensor.empty() : tensor<2x4x12x8xf32>
    %transposed_1 = linalg.transpose ins(%expanded : tensor<2x12x4x8xf32>) outs(%4 : tensor<2x4x12x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_2 = linalg.transpose ins(%arg3 : tensor<32x32xf32>) outs(%0 : tensor<32x32xf32>) permutation = [1, 0] 
    %5 = linalg.matmul ins(%collapsed, %transposed_2 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%2 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded_3 = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [2, 12, 4, 8] : tensor<24x32xf32> into tensor<2x12x4x8xf32>
    %transposed_4 = linalg.transpose ins(%arg4 : tensor<32x32xf32>) outs(%0 : tensor<32x32xf32>) permutation = [1, 0] 
    %6 = linalg.matmul ins(%collapsed, %transposed_4 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%2 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded_5 = tensor.expand_shape %6 [[0, 1], [2, 3]] output_shape [2, 12, 4, 8] : tensor<24x32xf32> into tensor<2x12x4x8xf32>
    %transposed_6 = linalg.transpose ins(%expanded_5 : tensor<2x12x4x8xf32>) outs(%4 : tensor<2x4x12x8xf32>) permutation = [0, 2, 1, 3] 
    %7 = tensor.empty() : tensor<2x4x8x12xf32>
    %transposed_7 = linalg.transpose ins(%expanded_3 : tensor<2x12x4x8xf32>) outs(%7 : tensor<2x4x8x12xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_8 = tensor.collapse_shape %transposed_1 [[0, 1], [2], [3]] : tensor<2x4x12x8xf32> into tensor<8x12x8xf32>
    %collapsed_9 = tensor.collapse_shape %transposed_7 [[0, 1], [2], [3]] : tensor<2x4x8x12xf32> into tensor<8x8x12xf32>
    %8 = tensor.empty() : tensor<8x12x12xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<8x12x12xf32>) -> tensor<8x12x12xf32>
    %10 = linalg.batch_matmul ins(%collapsed_8, %collapsed_9 : tensor<8x12x8xf32>, tensor<8x8x12xf32>) outs(%9 : tensor<8x12x12xf32>) -> tensor<8x12x12xf32>
    %expanded_10 = tensor.expand_shape %10 [[0, 1], [2], [3]] output_shape [2, 4, 12, 12] : tensor<8x12x12xf32> into tensor<2x4x12x12xf32>
    %11 = tensor.empty() : tensor<2x4x12x12xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10, %arg1 : tensor<2x4x12x12xf32>, tensor<1x4x12x12xf32>) outs(%11 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %29 = arith.addf %in, %in_19 : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x12x12xf32>
    %13 = tensor.empty() : tensor<2x4x12xi64>
    %14 = linalg.fill ins(%c0_i64 : i64) outs(%13 : tensor<2x4x12xi64>) -> tensor<2x4x12xi64>
    %15 = tensor.empty() : tensor<2x4x12xf32>
    %16 = linalg.fill ins(%cst_0 : f32) outs(%15 : tensor<2x4x12xf32>) -> tensor<2x4x12xf32>
    %17:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%12 : tensor<2x4x12x12xf32>) outs(%16, %14 : tensor<2x4x12xf32>, tensor<2x4x12xi64>) {
    ^bb0(%in: f32, %out: f32, %out_19: i64):
      %29 = linalg.index 3 : index
      %30 = arith.index_cast %29 : index to i64
      %31 = arith.maximumf %in, %out : f32
      %32 = arith.cmpf ogt, %in, %out : f32
      %33 = arith.select %32, %30, %out_19 : i64
      linalg.yield %31, %33 : f32, i64
    } -> (tensor<2x4x12xf32>, tensor<2x4x12xi64>)
    %expanded_11 = tensor.expand_shape %17#0 [[0], [1], [2, 3]] output_shape [2, 4, 12, 1] : tensor<2x4x12xf32> into tensor<2x4x12x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %expanded_11 : tensor<2x4x12x12xf32>, tensor<2x4x12x1xf32>) outs(%11 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %29 = arith.subf %in, %in_19 : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x12x12xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x4x12x12xf32>) outs(%11 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = math.exp %in : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x12x12xf32>
    %20 = tensor.empty() : tensor<2x4x12x1xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<2x4x12x1xf32>) -> tensor<2x4x12x1xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<2x4x12x12xf32>) outs(%21 : tensor<2x4x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = arith.addf %in, %out : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x12x1xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %22 : tensor<2x4x12x12xf32>, tensor<2x4x12x1xf32>) outs(%11 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %29 = arith.divf %in, %in_19 : f32
      linalg.yield %29 : f32
    } -> tensor<2x4x12x12xf32>
    %collapsed_12 = tensor.collapse_shape %23 [[0, 1], [2], [3]] : tensor<2x4x12x12xf32> into tensor<8x12x12xf32>
    %collapsed_13 = tensor.collapse_shape %transposed_6 [[0, 1], [2], [3]] : tensor<2x4x12x8xf32> into tensor<8x12x8xf32>
    %24 = tensor.empty() : tensor<8x12x8xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<8x12x8xf32>) -> tensor<8x12x8xf32>
    %26 = linalg.batch_matmul ins(%collapsed_12, %collapsed_13 : tensor<8x12x12xf32>, tensor<8x12x8xf32>) outs(%25 : tensor<8x12x8xf32>) -> tensor<8x12x8xf32>
    %expanded_14 = tensor.expand_shape %26 [[0, 1], [2], [3]] output_shape [2, 4, 12, 8] : tensor<8x12x8xf32> into tensor<2x4x12x8xf32>
    %27 = tensor.empty() : tensor<2x12x4x8xf32>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<2x4x12x8xf32>) outs(%27 : tensor<2x12x4x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_16 = linalg.transpose ins(%arg5 : tensor<32x32xf32>) outs(%0 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed_17 = tensor.collapse_shape %transposed_15 [[0, 1], [2, 3]] : tensor<2x12x4x8xf32> into tensor<24x32xf32>
    %28 = linalg.matmul ins(%collapsed_17, %transposed_16 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%2 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded_18 = tensor.expand_shape %28 [[0, 1], [2]] output_shape [2, 12, 32] : tensor<24x32xf32> into tensor<2x12x32xf32>
    return %expanded_18 : tensor<2x12x32xf32>
  }
}
