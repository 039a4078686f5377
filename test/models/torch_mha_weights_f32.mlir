// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py mha_weights_f32

#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> (d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
module {
  func.func @mha_weights_f32(%arg0: tensor<2x8x32xf32>, %arg1: tensor<96x32xf32>, %arg2: tensor<96xf32>, %arg3: tensor<32x32xf32>, %arg4: tensor<32xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x8xf32>) {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 2.500000e-01 : f32
    %cst_2 = arith.constant 2.000000e+00 : f32
    %0 = tensor.empty() : tensor<8x2x32xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x8x32xf32>) outs(%0 : tensor<8x2x32xf32>) permutation = [1, 0, 2] 
    %1 = tensor.empty() : tensor<32x96xf32>
    %transposed_3 = linalg.transpose ins(%arg1 : tensor<96x32xf32>) outs(%1 : tensor<32x96xf32>) permutation = [1, 0] 
    %2 = tensor.empty() : tensor<8x32x96xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_3 : tensor<32x96xf32>) outs(%2 : tensor<8x32x96xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x32x96xf32>
    %4 = tensor.empty() : tensor<8x2x96xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<8x2x96xf32>) -> tensor<8x2x96xf32>
    %6 = linalg.batch_matmul ins(%transposed, %3 : tensor<8x2x32xf32>, tensor<8x32x96xf32>) outs(%5 : tensor<8x2x96xf32>) -> tensor<8x2x96xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %arg2 : tensor<8x2x96xf32>, tensor<96xf32>) outs(%4 : tensor<8x2x96xf32>) {
    ^bb0(%in: f32, %in_24: f32, %out: f32):
      %39 = arith.addf %in, %in_24 : f32
      linalg.yield %39 : f32
    } -> tensor<8x2x96xf32>
    %expanded = tensor.expand_shape %7 [[0, 1], [2], [3, 4]] output_shape [1, 8, 2, 3, 32] : tensor<8x2x96xf32> into tensor<1x8x2x3x32xf32>
    %8 = tensor.empty() : tensor<3x8x2x1x32xf32>
    %transposed_4 = linalg.transpose ins(%expanded : tensor<1x8x2x3x32xf32>) outs(%8 : tensor<3x8x2x1x32xf32>) permutation = [3, 1, 2, 0, 4] 
    %collapsed = tensor.collapse_shape %transposed_4 [[0], [1], [2, 3], [4]] : tensor<3x8x2x1x32xf32> into tensor<3x8x2x32xf32>
    %extracted_slice = tensor.extract_slice %collapsed[0, 0, 0, 0] [1, 8, 2, 32] [1, 1, 1, 1] : tensor<3x8x2x32xf32> to tensor<1x8x2x32xf32>
    %extracted_slice_5 = tensor.extract_slice %collapsed[1, 0, 0, 0] [1, 8, 2, 32] [1, 1, 1, 1] : tensor<3x8x2x32xf32> to tensor<1x8x2x32xf32>
    %extracted_slice_6 = tensor.extract_slice %collapsed[2, 0, 0, 0] [1, 8, 2, 32] [1, 1, 1, 1] : tensor<3x8x2x32xf32> to tensor<1x8x2x32xf32>
    %collapsed_7 = tensor.collapse_shape %extracted_slice [[0, 1], [2, 3]] : tensor<1x8x2x32xf32> into tensor<8x64xf32>
    %expanded_8 = tensor.expand_shape %collapsed_7 [[0], [1, 2]] output_shape [8, 4, 16] : tensor<8x64xf32> into tensor<8x4x16xf32>
    %9 = tensor.empty() : tensor<4x8x16xf32>
    %transposed_9 = linalg.transpose ins(%expanded_8 : tensor<8x4x16xf32>) outs(%9 : tensor<4x8x16xf32>) permutation = [1, 0, 2] 
    %collapsed_10 = tensor.collapse_shape %extracted_slice_5 [[0, 1], [2, 3]] : tensor<1x8x2x32xf32> into tensor<8x64xf32>
    %expanded_11 = tensor.expand_shape %collapsed_10 [[0], [1, 2]] output_shape [8, 4, 16] : tensor<8x64xf32> into tensor<8x4x16xf32>
    %collapsed_12 = tensor.collapse_shape %extracted_slice_6 [[0, 1], [2, 3]] : tensor<1x8x2x32xf32> into tensor<8x64xf32>
    %expanded_13 = tensor.expand_shape %collapsed_12 [[0], [1, 2]] output_shape [8, 4, 16] : tensor<8x64xf32> into tensor<8x4x16xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<8x4x16xf32>) outs(%9 : tensor<4x8x16xf32>) permutation = [1, 0, 2] 
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_9 : tensor<4x8x16xf32>) outs(%9 : tensor<4x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.mulf %in, %cst_1 : f32
      linalg.yield %39 : f32
    } -> tensor<4x8x16xf32>
    %11 = tensor.empty() : tensor<4x16x8xf32>
    %transposed_15 = linalg.transpose ins(%expanded_11 : tensor<8x4x16xf32>) outs(%11 : tensor<4x16x8xf32>) permutation = [1, 2, 0] 
    %12 = tensor.empty() : tensor<4x8x8xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %14 = linalg.batch_matmul ins(%10, %transposed_15 : tensor<4x8x16xf32>, tensor<4x16x8xf32>) outs(%13 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %15 = tensor.empty() : tensor<4x8xi64>
    %16 = linalg.fill ins(%c0_i64 : i64) outs(%15 : tensor<4x8xi64>) -> tensor<4x8xi64>
    %17 = tensor.empty() : tensor<4x8xf32>
    %18 = linalg.fill ins(%cst_0 : f32) outs(%17 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %19:2 = linalg.generic {indexing_maps = [#map1, #map3, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<4x8x8xf32>) outs(%18, %16 : tensor<4x8xf32>, tensor<4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_24: i64):
      %39 = linalg.index 2 : index
      %40 = arith.index_cast %39 : index to i64
      %41 = arith.maximumf %in, %out : f32
      %42 = arith.cmpf ogt, %in, %out : f32
      %43 = arith.select %42, %40, %out_24 : i64
      linalg.yield %41, %43 : f32, i64
    } -> (tensor<4x8xf32>, tensor<4x8xi64>)
    %expanded_16 = tensor.expand_shape %19#0 [[0], [1, 2]] output_shape [4, 8, 1] : tensor<4x8xf32> into tensor<4x8x1xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %expanded_16 : tensor<4x8x8xf32>, tensor<4x8x1xf32>) outs(%12 : tensor<4x8x8xf32>) {
    ^bb0(%in: f32, %in_24: f32, %out: f32):
      %39 = arith.subf %in, %in_24 : f32
      linalg.yield %39 : f32
    } -> tensor<4x8x8xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<4x8x8xf32>) outs(%12 : tensor<4x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.exp %in : f32
      linalg.yield %39 : f32
    } -> tensor<4x8x8xf32>
    %22 = tensor.empty() : tensor<4x8x1xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%21 : tensor<4x8x8xf32>) outs(%23 : tensor<4x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<4x8x1xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %24 : tensor<4x8x8xf32>, tensor<4x8x1xf32>) outs(%12 : tensor<4x8x8xf32>) {
    ^bb0(%in: f32, %in_24: f32, %out: f32):
      %39 = arith.divf %in, %in_24 : f32
      linalg.yield %39 : f32
    } -> tensor<4x8x8xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%9 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    %27 = linalg.batch_matmul ins(%25, %transposed_14 : tensor<4x8x8xf32>, tensor<4x8x16xf32>) outs(%26 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    %28 = tensor.empty() : tensor<8x4x16xf32>
    %transposed_17 = linalg.transpose ins(%27 : tensor<4x8x16xf32>) outs(%28 : tensor<8x4x16xf32>) permutation = [1, 0, 2] 
    %collapsed_18 = tensor.collapse_shape %transposed_17 [[0, 1, 2]] : tensor<8x4x16xf32> into tensor<512xf32>
    %expanded_19 = tensor.expand_shape %collapsed_18 [[0, 1]] output_shape [16, 32] : tensor<512xf32> into tensor<16x32xf32>
    %29 = tensor.empty() : tensor<32x32xf32>
    %transposed_20 = linalg.transpose ins(%arg3 : tensor<32x32xf32>) outs(%29 : tensor<32x32xf32>) permutation = [1, 0] 
    %30 = tensor.empty() : tensor<16x32xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %32 = linalg.matmul ins(%expanded_19, %transposed_20 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%31 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %33 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%32, %arg4 : tensor<16x32xf32>, tensor<32xf32>) outs(%30 : tensor<16x32xf32>) {
    ^bb0(%in: f32, %in_24: f32, %out: f32):
      %39 = arith.addf %in, %in_24 : f32
      linalg.yield %39 : f32
    } -> tensor<16x32xf32>
    %expanded_21 = tensor.expand_shape %33 [[0, 1], [2]] output_shape [8, 2, 32] : tensor<16x32xf32> into tensor<8x2x32xf32>
    %expanded_22 = tensor.expand_shape %25 [[0, 1], [2], [3]] output_shape [2, 2, 8, 8] : tensor<4x8x8xf32> into tensor<2x2x8x8xf32>
    %34 = tensor.empty() : tensor<2x8x8xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
    %36 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%expanded_22 : tensor<2x2x8x8xf32>) outs(%35 : tensor<2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<2x8x8xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<2x8x8xf32>) outs(%34 : tensor<2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.divf %in, %cst_2 : f32
      linalg.yield %39 : f32
    } -> tensor<2x8x8xf32>
    %38 = tensor.empty() : tensor<2x8x32xf32>
    %transposed_23 = linalg.transpose ins(%expanded_21 : tensor<8x2x32xf32>) outs(%38 : tensor<2x8x32xf32>) permutation = [1, 0, 2] 
    return %transposed_23, %37 : tensor<2x8x32xf32>, tensor<2x8x8xf32>
  }
}
