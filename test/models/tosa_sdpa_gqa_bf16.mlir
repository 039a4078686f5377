// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py sdpa_gqa_bf16

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9) -> (d1, d3, d5, d7, d9)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9) -> (d0, d1, d2, d3, d4, d5, d6, d7, d8, d9)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @sdpa_gqa_bf16(%arg0: tensor<2x4x12x16xbf16>, %arg1: tensor<2x2x24x16xbf16>, %arg2: tensor<2x2x24x16xbf16>) -> tensor<2x4x12x16xbf16> {
    %cst = arith.constant dense<0.000000e+00> : tensor<2x4x12x24xf32>
    %cst_0 = arith.constant dense<5.000000e-01> : tensor<1x1x1x1xf32>
    %cst_1 = arith.constant dense<0xFFF0000000000000> : tensor<1x1x1x1xf64>
    %0 = tensor.empty() : tensor<2x4x12x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x12x16xbf16>) outs(%0 : tensor<2x4x12x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %35 = arith.extf %in : bf16 to f32
      linalg.yield %35 : f32
    } -> tensor<2x4x12x16xf32>
    %2 = tensor.empty() : tensor<2x2x24x16xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x2x24x16xbf16>) outs(%2 : tensor<2x2x24x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %35 = arith.extf %in : bf16 to f32
      linalg.yield %35 : f32
    } -> tensor<2x2x24x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x2x24x16xbf16>) outs(%2 : tensor<2x2x24x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %35 = arith.extf %in : bf16 to f32
      linalg.yield %35 : f32
    } -> tensor<2x2x24x16xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %cst_0 : tensor<2x4x12x16xf32>, tensor<1x1x1x1xf32>) outs(%0 : tensor<2x4x12x16xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %35 = arith.mulf %in, %in_16 : f32
      linalg.yield %35 : f32
    } -> tensor<2x4x12x16xf32>
    %expanded = tensor.expand_shape %3 [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 24, 16] : tensor<2x2x24x16xf32> into tensor<2x2x1x24x16xf32>
    %6 = tensor.empty() : tensor<1x2x1x2x2x1x1x24x1x16xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x2x1x24x16xf32>) outs(%6 : tensor<1x2x1x2x2x1x1x24x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x2x1x1x24x1x16xf32>
    %collapsed = tensor.collapse_shape %7 [[0, 1, 2], [3, 4, 5, 6], [7, 8], [9]] : tensor<1x2x1x2x2x1x1x24x1x16xf32> into tensor<2x4x24x16xf32>
    %expanded_2 = tensor.expand_shape %4 [[0], [1, 2], [3], [4]] output_shape [2, 2, 1, 24, 16] : tensor<2x2x24x16xf32> into tensor<2x2x1x24x16xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_2 : tensor<2x2x1x24x16xf32>) outs(%6 : tensor<1x2x1x2x2x1x1x24x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x1x2x2x1x1x24x1x16xf32>
    %9 = tensor.empty() : tensor<2x4x16x24xf32>
    %transposed = linalg.transpose ins(%collapsed : tensor<2x4x24x16xf32>) outs(%9 : tensor<2x4x16x24xf32>) permutation = [0, 1, 3, 2] 
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed, %cst_0 : tensor<2x4x16x24xf32>, tensor<1x1x1x1xf32>) outs(%9 : tensor<2x4x16x24xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %35 = arith.mulf %in, %in_16 : f32
      linalg.yield %35 : f32
    } -> tensor<2x4x16x24xf32>
    %collapsed_3 = tensor.collapse_shape %5 [[0, 1], [2], [3]] : tensor<2x4x12x16xf32> into tensor<8x12x16xf32>
    %collapsed_4 = tensor.collapse_shape %10 [[0, 1], [2], [3]] : tensor<2x4x16x24xf32> into tensor<8x16x24xf32>
    %cst_5 = arith.constant 0.000000e+00 : f32
    %11 = tensor.empty() : tensor<8x12x24xf32>
    %12 = linalg.fill ins(%cst_5 : f32) outs(%11 : tensor<8x12x24xf32>) -> tensor<8x12x24xf32>
    %13 = linalg.batch_matmul ins(%collapsed_3, %collapsed_4 : tensor<8x12x16xf32>, tensor<8x16x24xf32>) outs(%12 : tensor<8x12x24xf32>) -> tensor<8x12x24xf32>
    %expanded_6 = tensor.expand_shape %13 [[0, 1], [2], [3]] output_shape [2, 4, 12, 24] : tensor<8x12x24xf32> into tensor<2x4x12x24xf32>
    %14 = tensor.empty() : tensor<2x4x12xf32>
    %cst_7 = arith.constant -3.40282347E+38 : f32
    %15 = linalg.fill ins(%cst_7 : f32) outs(%14 : tensor<2x4x12xf32>) -> tensor<2x4x12xf32>
    %reduced = linalg.reduce ins(%expanded_6 : tensor<2x4x12x24xf32>) outs(%15 : tensor<2x4x12xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %35 = arith.maximumf %in, %init : f32
        linalg.yield %35 : f32
      }
    %expanded_8 = tensor.expand_shape %reduced [[0], [1], [2, 3]] output_shape [2, 4, 12, 1] : tensor<2x4x12xf32> into tensor<2x4x12x1xf32>
    %16 = tensor.empty() : tensor<2x4x12x24xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6, %expanded_8 : tensor<2x4x12x24xf32>, tensor<2x4x12x1xf32>) outs(%16 : tensor<2x4x12x24xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %35 = arith.subf %in, %in_16 : f32
      linalg.yield %35 : f32
    } -> tensor<2x4x12x24xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x4x12x24xf32>) outs(%16 : tensor<2x4x12x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = math.exp %in : f32
      linalg.yield %35 : f32
    } -> tensor<2x4x12x24xf32>
    %19 = linalg.fill ins(%cst_5 : f32) outs(%14 : tensor<2x4x12xf32>) -> tensor<2x4x12xf32>
    %reduced_9 = linalg.reduce ins(%18 : tensor<2x4x12x24xf32>) outs(%19 : tensor<2x4x12xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %35 = arith.addf %in, %init : f32
        linalg.yield %35 : f32
      }
    %expanded_10 = tensor.expand_shape %reduced_9 [[0], [1], [2, 3]] output_shape [2, 4, 12, 1] : tensor<2x4x12xf32> into tensor<2x4x12x1xf32>
    %20 = tensor.empty() : tensor<2x4x12x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10 : tensor<2x4x12x1xf32>) outs(%20 : tensor<2x4x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %cst_16 = arith.constant 1.000000e+00 : f32
      %35 = arith.divf %cst_16, %in : f32
      linalg.yield %35 : f32
    } -> tensor<2x4x12x1xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %21 : tensor<2x4x12x24xf32>, tensor<2x4x12x1xf32>) outs(%16 : tensor<2x4x12x24xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %35 = arith.mulf %in, %in_16 : f32
      linalg.yield %35 : f32
    } -> tensor<2x4x12x24xf32>
    %23 = tensor.empty() : tensor<2x4x12x24xf64>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6 : tensor<2x4x12x24xf32>) outs(%23 : tensor<2x4x12x24xf64>) {
    ^bb0(%in: f32, %out: f64):
      %35 = arith.extf %in : f32 to f64
      linalg.yield %35 : f64
    } -> tensor<2x4x12x24xf64>
    %25 = tensor.empty() : tensor<2x4x12x24xi1>
    %26 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %cst_1 : tensor<2x4x12x24xf64>, tensor<1x1x1x1xf64>) outs(%25 : tensor<2x4x12x24xi1>) {
    ^bb0(%in: f64, %in_16: f64, %out: i1):
      %35 = arith.cmpf oeq, %in, %in_16 : f64
      linalg.yield %35 : i1
    } -> tensor<2x4x12x24xi1>
    %27 = tensor.empty() : tensor<2x4x12xi1>
    %true = arith.constant true
    %28 = linalg.fill ins(%true : i1) outs(%27 : tensor<2x4x12xi1>) -> tensor<2x4x12xi1>
    %reduced_11 = linalg.reduce ins(%26 : tensor<2x4x12x24xi1>) outs(%28 : tensor<2x4x12xi1>) dimensions = [3] 
      (%in: i1, %init: i1) {
        %35 = arith.andi %in, %init : i1
        linalg.yield %35 : i1
      }
    %expanded_12 = tensor.expand_shape %reduced_11 [[0], [1], [2, 3]] output_shape [2, 4, 12, 1] : tensor<2x4x12xi1> into tensor<2x4x12x1xi1>
    %29 = linalg.generic {indexing_maps = [#map4, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_12, %cst, %22 : tensor<2x4x12x1xi1>, tensor<2x4x12x24xf32>, tensor<2x4x12x24xf32>) outs(%16 : tensor<2x4x12x24xf32>) {
    ^bb0(%in: i1, %in_16: f32, %in_17: f32, %out: f32):
      %35 = arith.select %in, %in_16, %in_17 : f32
      linalg.yield %35 : f32
    } -> tensor<2x4x12x24xf32>
    %collapsed_13 = tensor.collapse_shape %29 [[0, 1], [2], [3]] : tensor<2x4x12x24xf32> into tensor<8x12x24xf32>
    %collapsed_14 = tensor.collapse_shape %8 [[0, 1, 2, 3, 4, 5, 6], [7, 8], [9]] : tensor<1x2x1x2x2x1x1x24x1x16xf32> into tensor<8x24x16xf32>
    %30 = tensor.empty() : tensor<8x12x16xf32>
    %31 = linalg.fill ins(%cst_5 : f32) outs(%30 : tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
    %32 = linalg.batch_matmul ins(%collapsed_13, %collapsed_14 : tensor<8x12x24xf32>, tensor<8x24x16xf32>) outs(%31 : tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
    %expanded_15 = tensor.expand_shape %32 [[0, 1], [2], [3]] output_shape [2, 4, 12, 16] : tensor<8x12x16xf32> into tensor<2x4x12x16xf32>
    %33 = tensor.empty() : tensor<2x4x12x16xbf16>
    %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_15 : tensor<2x4x12x16xf32>) outs(%33 : tensor<2x4x12x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %35 = arith.truncf %in : f32 to bf16
      linalg.yield %35 : bf16
    } -> tensor<2x4x12x16xbf16>
    return %34 : tensor<2x4x12x16xbf16>
  }
}
