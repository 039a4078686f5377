// onnx 1.23.2, imported by iree (torch-mlir 20261001, IREE 3.13.0)
// made by: export/onnx_export.py attention24_merged_heads_f32

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (0)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, 0)>
module {
  func.func @attention24_merged_heads_f32(%arg0: tensor<2x12x32xf32>, %arg1: tensor<2x20x32xf32>, %arg2: tensor<2x20x32xf32>, %arg3: tensor<2x1x1x20xf32>) -> tensor<2x12x32xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<8.000000e+00> : tensor<1xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1xf32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<1xf32>
    %cst_4 = arith.constant dense<1.000000e+00> : tensor<1xf32>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [2, 12, 4, 8] : tensor<2x12x32xf32> into tensor<2x12x4x8xf32>
    %expanded_5 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [2, 20, 4, 8] : tensor<2x20x32xf32> into tensor<2x20x4x8xf32>
    %expanded_6 = tensor.expand_shape %arg2 [[0], [1], [2, 3]] output_shape [2, 20, 4, 8] : tensor<2x20x32xf32> into tensor<2x20x4x8xf32>
    %0 = tensor.empty() : tensor<2x4x12x8xf32>
    %transposed = linalg.transpose ins(%expanded : tensor<2x12x4x8xf32>) outs(%0 : tensor<2x4x12x8xf32>) permutation = [0, 2, 1, 3] 
    %1 = tensor.empty() : tensor<2x4x20x8xf32>
    %transposed_7 = linalg.transpose ins(%expanded_5 : tensor<2x20x4x8xf32>) outs(%1 : tensor<2x4x20x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_8 = linalg.transpose ins(%expanded_6 : tensor<2x20x4x8xf32>) outs(%1 : tensor<2x4x20x8xf32>) permutation = [0, 2, 1, 3] 
    %2 = tensor.empty() : tensor<1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_1 : tensor<1xf32>) outs(%2 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = math.sqrt %in : f32
      linalg.yield %40 : f32
    } -> tensor<1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%cst_4, %3 : tensor<1xf32>, tensor<1xf32>) outs(%2 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %40 = arith.divf %in, %in_20 : f32
      linalg.yield %40 : f32
    } -> tensor<1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<1xf32>) outs(%2 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = math.sqrt %in : f32
      linalg.yield %40 : f32
    } -> tensor<1xf32>
    %6 = tensor.empty() : tensor<2x4x1x20x8xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_7 : tensor<2x4x20x8xf32>) outs(%6 : tensor<2x4x1x20x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x1x20x8xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_8 : tensor<2x4x20x8xf32>) outs(%6 : tensor<2x4x1x20x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x1x20x8xf32>
    %collapsed = tensor.collapse_shape %7 [[0], [1], [2, 3], [4]] : tensor<2x4x1x20x8xf32> into tensor<2x4x20x8xf32>
    %9 = tensor.empty() : tensor<2x4x8x20xf32>
    %transposed_9 = linalg.transpose ins(%collapsed : tensor<2x4x20x8xf32>) outs(%9 : tensor<2x4x8x20xf32>) permutation = [0, 1, 3, 2] 
    %10 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed, %5 : tensor<2x4x12x8xf32>, tensor<1xf32>) outs(%0 : tensor<2x4x12x8xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %40 = arith.mulf %in, %in_20 : f32
      linalg.yield %40 : f32
    } -> tensor<2x4x12x8xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_9, %5 : tensor<2x4x8x20xf32>, tensor<1xf32>) outs(%9 : tensor<2x4x8x20xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %40 = arith.mulf %in, %in_20 : f32
      linalg.yield %40 : f32
    } -> tensor<2x4x8x20xf32>
    %collapsed_10 = tensor.collapse_shape %10 [[0, 1], [2], [3]] : tensor<2x4x12x8xf32> into tensor<8x12x8xf32>
    %collapsed_11 = tensor.collapse_shape %11 [[0, 1], [2], [3]] : tensor<2x4x8x20xf32> into tensor<8x8x20xf32>
    %12 = tensor.empty() : tensor<8x12x20xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<8x12x20xf32>) -> tensor<8x12x20xf32>
    %14 = linalg.batch_matmul ins(%collapsed_10, %collapsed_11 : tensor<8x12x8xf32>, tensor<8x8x20xf32>) outs(%13 : tensor<8x12x20xf32>) -> tensor<8x12x20xf32>
    %expanded_12 = tensor.expand_shape %14 [[0, 1], [2], [3]] output_shape [2, 4, 12, 20] : tensor<8x12x20xf32> into tensor<2x4x12x20xf32>
    %15 = tensor.empty() : tensor<2x4x12x20xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_12, %arg3 : tensor<2x4x12x20xf32>, tensor<2x1x1x20xf32>) outs(%15 : tensor<2x4x12x20xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %40 = arith.addf %in, %in_20 : f32
      linalg.yield %40 : f32
    } -> tensor<2x4x12x20xf32>
    %17 = tensor.empty() : tensor<2x4x12xi64>
    %18 = linalg.fill ins(%c0_i64 : i64) outs(%17 : tensor<2x4x12xi64>) -> tensor<2x4x12xi64>
    %19 = tensor.empty() : tensor<2x4x12xf32>
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<2x4x12xf32>) -> tensor<2x4x12xf32>
    %21:2 = linalg.generic {indexing_maps = [#map3, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<2x4x12x20xf32>) outs(%20, %18 : tensor<2x4x12xf32>, tensor<2x4x12xi64>) {
    ^bb0(%in: f32, %out: f32, %out_20: i64):
      %40 = linalg.index 3 : index
      %41 = arith.index_cast %40 : index to i64
      %42 = arith.maximumf %in, %out : f32
      %43 = arith.cmpf ogt, %in, %out : f32
      %44 = arith.select %43, %41, %out_20 : i64
      linalg.yield %42, %44 : f32, i64
    } -> (tensor<2x4x12xf32>, tensor<2x4x12xi64>)
    %expanded_13 = tensor.expand_shape %21#0 [[0], [1], [2, 3]] output_shape [2, 4, 12, 1] : tensor<2x4x12xf32> into tensor<2x4x12x1xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %expanded_13 : tensor<2x4x12x20xf32>, tensor<2x4x12x1xf32>) outs(%15 : tensor<2x4x12x20xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %40 = arith.subf %in, %in_20 : f32
      linalg.yield %40 : f32
    } -> tensor<2x4x12x20xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x4x12x20xf32>) outs(%15 : tensor<2x4x12x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = math.exp %in : f32
      linalg.yield %40 : f32
    } -> tensor<2x4x12x20xf32>
    %24 = tensor.empty() : tensor<2x4x12x1xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<2x4x12x1xf32>) -> tensor<2x4x12x1xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%23 : tensor<2x4x12x20xf32>) outs(%25 : tensor<2x4x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.addf %in, %out : f32
      linalg.yield %40 : f32
    } -> tensor<2x4x12x1xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %26 : tensor<2x4x12x20xf32>, tensor<2x4x12x1xf32>) outs(%15 : tensor<2x4x12x20xf32>) {
    ^bb0(%in: f32, %in_20: f32, %out: f32):
      %40 = arith.divf %in, %in_20 : f32
      linalg.yield %40 : f32
    } -> tensor<2x4x12x20xf32>
    %28 = tensor.empty() : tensor<2x1x1xi64>
    %29 = linalg.fill ins(%c0_i64 : i64) outs(%28 : tensor<2x1x1xi64>) -> tensor<2x1x1xi64>
    %30 = tensor.empty() : tensor<2x1x1xf32>
    %31 = linalg.fill ins(%cst_0 : f32) outs(%30 : tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
    %32:2 = linalg.generic {indexing_maps = [#map3, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg3 : tensor<2x1x1x20xf32>) outs(%31, %29 : tensor<2x1x1xf32>, tensor<2x1x1xi64>) {
    ^bb0(%in: f32, %out: f32, %out_20: i64):
      %40 = linalg.index 3 : index
      %41 = arith.index_cast %40 : index to i64
      %42 = arith.maximumf %in, %out : f32
      %43 = arith.cmpf ogt, %in, %out : f32
      %44 = arith.select %43, %41, %out_20 : i64
      linalg.yield %42, %44 : f32, i64
    } -> (tensor<2x1x1xf32>, tensor<2x1x1xi64>)
    %expanded_14 = tensor.expand_shape %32#0 [[0], [1], [2, 3]] output_shape [2, 1, 1, 1] : tensor<2x1x1xf32> into tensor<2x1x1x1xf32>
    %33 = tensor.empty() : tensor<2x1x1x1xi1>
    %34 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14, %cst_3 : tensor<2x1x1x1xf32>, tensor<1xf32>) outs(%33 : tensor<2x1x1x1xi1>) {
    ^bb0(%in: f32, %in_20: f32, %out: i1):
      %40 = arith.cmpf oeq, %in, %in_20 : f32
      linalg.yield %40 : i1
    } -> tensor<2x1x1x1xi1>
    %35 = linalg.generic {indexing_maps = [#map9, #map4, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34, %cst_2, %27 : tensor<2x1x1x1xi1>, tensor<1xf32>, tensor<2x4x12x20xf32>) outs(%15 : tensor<2x4x12x20xf32>) {
    ^bb0(%in: i1, %in_20: f32, %in_21: f32, %out: f32):
      %40 = arith.select %in, %in_20, %in_21 : f32
      linalg.yield %40 : f32
    } -> tensor<2x4x12x20xf32>
    %collapsed_15 = tensor.collapse_shape %35 [[0, 1], [2], [3]] : tensor<2x4x12x20xf32> into tensor<8x12x20xf32>
    %collapsed_16 = tensor.collapse_shape %8 [[0, 1], [2, 3], [4]] : tensor<2x4x1x20x8xf32> into tensor<8x20x8xf32>
    %36 = tensor.empty() : tensor<8x12x8xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<8x12x8xf32>) -> tensor<8x12x8xf32>
    %38 = linalg.batch_matmul ins(%collapsed_15, %collapsed_16 : tensor<8x12x20xf32>, tensor<8x20x8xf32>) outs(%37 : tensor<8x12x8xf32>) -> tensor<8x12x8xf32>
    %expanded_17 = tensor.expand_shape %38 [[0, 1], [2], [3]] output_shape [2, 4, 12, 8] : tensor<8x12x8xf32> into tensor<2x4x12x8xf32>
    %39 = tensor.empty() : tensor<2x12x4x8xf32>
    %transposed_18 = linalg.transpose ins(%expanded_17 : tensor<2x4x12x8xf32>) outs(%39 : tensor<2x12x4x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_19 = tensor.collapse_shape %transposed_18 [[0], [1], [2, 3]] : tensor<2x12x4x8xf32> into tensor<2x12x32xf32>
    return %collapsed_19 : tensor<2x12x32xf32>
  }
}
