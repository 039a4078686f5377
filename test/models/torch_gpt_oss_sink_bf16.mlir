// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py gpt_oss_sink_bf16

#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @gpt_oss_sink_bf16(%arg0: tensor<2x4x12x16xbf16>, %arg1: tensor<2x2x12x16xbf16>, %arg2: tensor<2x2x12x16xbf16>, %arg3: tensor<2x1x12x12xbf16>, %arg4: tensor<4xbf16>) -> tensor<2x12x4x16xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF80 : bf16
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 2.500000e-01 : bf16
    %0 = tensor.empty() : tensor<2x2x2x12x16xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x2x12x16xbf16>) outs(%0 : tensor<2x2x2x12x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x2x12x16xbf16>
    %collapsed = tensor.collapse_shape %1 [[0], [1, 2], [3], [4]] : tensor<2x2x2x12x16xbf16> into tensor<2x4x12x16xbf16>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x2x12x16xbf16>) outs(%0 : tensor<2x2x2x12x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x2x12x16xbf16>
    %3 = tensor.empty() : tensor<2x4x16x12xbf16>
    %transposed = linalg.transpose ins(%collapsed : tensor<2x4x12x16xbf16>) outs(%3 : tensor<2x4x16x12xbf16>) permutation = [0, 1, 3, 2] 
    %collapsed_3 = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<2x4x12x16xbf16> into tensor<8x12x16xbf16>
    %collapsed_4 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<2x4x16x12xbf16> into tensor<8x16x12xbf16>
    %4 = tensor.empty() : tensor<8x12x12xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<8x12x12xf32>) -> tensor<8x12x12xf32>
    %6 = linalg.batch_matmul ins(%collapsed_3, %collapsed_4 : tensor<8x12x16xbf16>, tensor<8x16x12xbf16>) outs(%5 : tensor<8x12x12xf32>) -> tensor<8x12x12xf32>
    %7 = tensor.empty() : tensor<8x12x12xbf16>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<8x12x12xf32>) outs(%7 : tensor<8x12x12xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %39 = arith.truncf %in : f32 to bf16
      linalg.yield %39 : bf16
    } -> tensor<8x12x12xbf16>
    %expanded = tensor.expand_shape %8 [[0, 1], [2], [3]] output_shape [2, 4, 12, 12] : tensor<8x12x12xbf16> into tensor<2x4x12x12xbf16>
    %9 = tensor.empty() : tensor<2x4x12x12xbf16>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x4x12x12xbf16>) outs(%9 : tensor<2x4x12x12xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %39 = arith.mulf %in, %cst_2 : bf16
      linalg.yield %39 : bf16
    } -> tensor<2x4x12x12xbf16>
    %11 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %arg3 : tensor<2x4x12x12xbf16>, tensor<2x1x12x12xbf16>) outs(%9 : tensor<2x4x12x12xbf16>) {
    ^bb0(%in: bf16, %in_12: bf16, %out: bf16):
      %39 = arith.addf %in, %in_12 : bf16
      linalg.yield %39 : bf16
    } -> tensor<2x4x12x12xbf16>
    %12 = tensor.empty() : tensor<2x4x12x1xbf16>
    %expanded_5 = tensor.expand_shape %arg4 [[0, 1]] output_shape [4, 1] : tensor<4xbf16> into tensor<4x1xbf16>
    %13 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5 : tensor<4x1xbf16>) outs(%12 : tensor<2x4x12x1xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x12x1xbf16>
    %concat = tensor.concat dim(3) %11, %13 : (tensor<2x4x12x12xbf16>, tensor<2x4x12x1xbf16>) -> tensor<2x4x12x13xbf16>
    %14 = tensor.empty() : tensor<2x4x12xi64>
    %15 = linalg.fill ins(%c0_i64 : i64) outs(%14 : tensor<2x4x12xi64>) -> tensor<2x4x12xi64>
    %16 = tensor.empty() : tensor<2x4x12xbf16>
    %17 = linalg.fill ins(%cst_0 : bf16) outs(%16 : tensor<2x4x12xbf16>) -> tensor<2x4x12xbf16>
    %18:2 = linalg.generic {indexing_maps = [#map3, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%concat : tensor<2x4x12x13xbf16>) outs(%17, %15 : tensor<2x4x12xbf16>, tensor<2x4x12xi64>) {
    ^bb0(%in: bf16, %out: bf16, %out_12: i64):
      %39 = linalg.index 3 : index
      %40 = arith.index_cast %39 : index to i64
      %41 = arith.maximumf %in, %out : bf16
      %42 = arith.cmpf ogt, %in, %out : bf16
      %43 = arith.select %42, %40, %out_12 : i64
      linalg.yield %41, %43 : bf16, i64
    } -> (tensor<2x4x12xbf16>, tensor<2x4x12xi64>)
    %expanded_6 = tensor.expand_shape %18#0 [[0], [1], [2, 3]] output_shape [2, 4, 12, 1] : tensor<2x4x12xbf16> into tensor<2x4x12x1xbf16>
    %19 = tensor.empty() : tensor<2x4x12x13xbf16>
    %20 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %expanded_6 : tensor<2x4x12x13xbf16>, tensor<2x4x12x1xbf16>) outs(%19 : tensor<2x4x12x13xbf16>) {
    ^bb0(%in: bf16, %in_12: bf16, %out: bf16):
      %39 = arith.subf %in, %in_12 : bf16
      linalg.yield %39 : bf16
    } -> tensor<2x4x12x13xbf16>
    %21 = tensor.empty() : tensor<2x4x12x13xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x4x12x13xbf16>) outs(%21 : tensor<2x4x12x13xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %39 = arith.extf %in : bf16 to f32
      linalg.yield %39 : f32
    } -> tensor<2x4x12x13xf32>
    %23 = tensor.empty() : tensor<2x4x12xf32>
    %24 = linalg.fill ins(%cst_1 : f32) outs(%23 : tensor<2x4x12xf32>) -> tensor<2x4x12xf32>
    %25:2 = linalg.generic {indexing_maps = [#map3, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<2x4x12x13xf32>) outs(%24, %15 : tensor<2x4x12xf32>, tensor<2x4x12xi64>) {
    ^bb0(%in: f32, %out: f32, %out_12: i64):
      %39 = linalg.index 3 : index
      %40 = arith.index_cast %39 : index to i64
      %41 = arith.maximumf %in, %out : f32
      %42 = arith.cmpf ogt, %in, %out : f32
      %43 = arith.select %42, %40, %out_12 : i64
      linalg.yield %41, %43 : f32, i64
    } -> (tensor<2x4x12xf32>, tensor<2x4x12xi64>)
    %expanded_7 = tensor.expand_shape %25#0 [[0], [1], [2, 3]] output_shape [2, 4, 12, 1] : tensor<2x4x12xf32> into tensor<2x4x12x1xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_7 : tensor<2x4x12x13xf32>, tensor<2x4x12x1xf32>) outs(%21 : tensor<2x4x12x13xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %39 = arith.subf %in, %in_12 : f32
      linalg.yield %39 : f32
    } -> tensor<2x4x12x13xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x4x12x13xf32>) outs(%21 : tensor<2x4x12x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.exp %in : f32
      linalg.yield %39 : f32
    } -> tensor<2x4x12x13xf32>
    %28 = tensor.empty() : tensor<2x4x12x1xf32>
    %29 = linalg.fill ins(%cst : f32) outs(%28 : tensor<2x4x12x1xf32>) -> tensor<2x4x12x1xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%27 : tensor<2x4x12x13xf32>) outs(%29 : tensor<2x4x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<2x4x12x1xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %30 : tensor<2x4x12x13xf32>, tensor<2x4x12x1xf32>) outs(%21 : tensor<2x4x12x13xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %39 = arith.divf %in, %in_12 : f32
      linalg.yield %39 : f32
    } -> tensor<2x4x12x13xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x4x12x13xf32>) outs(%19 : tensor<2x4x12x13xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %39 = arith.truncf %in : f32 to bf16
      linalg.yield %39 : bf16
    } -> tensor<2x4x12x13xbf16>
    %extracted_slice = tensor.extract_slice %32[0, 0, 0, 0] [2, 4, 12, 12] [1, 1, 1, 1] : tensor<2x4x12x13xbf16> to tensor<2x4x12x12xbf16>
    %collapsed_8 = tensor.collapse_shape %extracted_slice [[0, 1], [2], [3]] : tensor<2x4x12x12xbf16> into tensor<8x12x12xbf16>
    %collapsed_9 = tensor.collapse_shape %2 [[0, 1, 2], [3], [4]] : tensor<2x2x2x12x16xbf16> into tensor<8x12x16xbf16>
    %33 = tensor.empty() : tensor<8x12x16xf32>
    %34 = linalg.fill ins(%cst : f32) outs(%33 : tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
    %35 = linalg.batch_matmul ins(%collapsed_8, %collapsed_9 : tensor<8x12x12xbf16>, tensor<8x12x16xbf16>) outs(%34 : tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
    %36 = tensor.empty() : tensor<8x12x16xbf16>
    %37 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35 : tensor<8x12x16xf32>) outs(%36 : tensor<8x12x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %39 = arith.truncf %in : f32 to bf16
      linalg.yield %39 : bf16
    } -> tensor<8x12x16xbf16>
    %expanded_10 = tensor.expand_shape %37 [[0, 1], [2], [3]] output_shape [2, 4, 12, 16] : tensor<8x12x16xbf16> into tensor<2x4x12x16xbf16>
    %38 = tensor.empty() : tensor<2x12x4x16xbf16>
    %transposed_11 = linalg.transpose ins(%expanded_10 : tensor<2x4x12x16xbf16>) outs(%38 : tensor<2x12x4x16xbf16>) permutation = [0, 2, 1, 3] 
    return %transposed_11 : tensor<2x12x4x16xbf16>
  }
}
