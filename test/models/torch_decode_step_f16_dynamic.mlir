// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py decode_step_f16_dynamic

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<()[s0] -> (s0 + 1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map4 = affine_map<(d0, d1, d2, d3) -> ()>
module {
  func.func @decode_step_f16_dynamic(%arg0: tensor<2x2x1x16xf16>, %arg1: tensor<2x2x1x16xf16>, %arg2: tensor<2x2x1x16xf16>, %arg3: tensor<2x2x?x16xf16>, %arg4: tensor<2x2x?x16xf16>) -> (tensor<2x2x1x16xf16>, tensor<2x2x?x16xf16>, tensor<2x2x?x16xf16>) {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 0xFFF0000000000000 : f64
    %cst_3 = arith.constant 5.000000e-01 : f32
    %c2 = arith.constant 2 : index
    %concat = tensor.concat dim(2) %arg3, %arg1 : (tensor<2x2x?x16xf16>, tensor<2x2x1x16xf16>) -> tensor<2x2x?x16xf16>
    %concat_4 = tensor.concat dim(2) %arg4, %arg2 : (tensor<2x2x?x16xf16>, tensor<2x2x1x16xf16>) -> tensor<2x2x?x16xf16>
    %0 = tensor.empty() : tensor<2x2x1x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x2x1x16xf16>) outs(%0 : tensor<2x2x1x16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %42 = arith.extf %in : f16 to f32
      linalg.yield %42 : f32
    } -> tensor<2x2x1x16xf32>
    %dim = tensor.dim %arg3, %c2 : tensor<2x2x?x16xf16>
    %2 = affine.apply #map1()[%dim]
    %3 = tensor.empty(%2) : tensor<2x2x?x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat : tensor<2x2x?x16xf16>) outs(%3 : tensor<2x2x?x16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %42 = arith.extf %in : f16 to f32
      linalg.yield %42 : f32
    } -> tensor<2x2x?x16xf32>
    %dim_5 = tensor.dim %arg4, %c2 : tensor<2x2x?x16xf16>
    %5 = affine.apply #map1()[%dim_5]
    %6 = tensor.empty(%5) : tensor<2x2x?x16xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_4 : tensor<2x2x?x16xf16>) outs(%6 : tensor<2x2x?x16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %42 = arith.extf %in : f16 to f32
      linalg.yield %42 : f32
    } -> tensor<2x2x?x16xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x2x1x16xf32>) outs(%0 : tensor<2x2x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.mulf %in, %cst_3 : f32
      linalg.yield %42 : f32
    } -> tensor<2x2x1x16xf32>
    %9 = tensor.empty(%2) : tensor<2x2x16x?xf32>
    %transposed = linalg.transpose ins(%4 : tensor<2x2x?x16xf32>) outs(%9 : tensor<2x2x16x?xf32>) permutation = [0, 1, 3, 2] 
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x2x16x?xf32>) outs(%9 : tensor<2x2x16x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.mulf %in, %cst_3 : f32
      linalg.yield %42 : f32
    } -> tensor<2x2x16x?xf32>
    %collapsed = tensor.collapse_shape %8 [[0, 1], [2], [3]] : tensor<2x2x1x16xf32> into tensor<4x1x16xf32>
    %collapsed_6 = tensor.collapse_shape %10 [[0, 1], [2], [3]] : tensor<2x2x16x?xf32> into tensor<4x16x?xf32>
    %11 = tensor.empty(%2) : tensor<4x1x?xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<4x1x?xf32>) -> tensor<4x1x?xf32>
    %13 = linalg.batch_matmul ins(%collapsed, %collapsed_6 : tensor<4x1x16xf32>, tensor<4x16x?xf32>) outs(%12 : tensor<4x1x?xf32>) -> tensor<4x1x?xf32>
    %expanded = tensor.expand_shape %13 [[0, 1], [2], [3]] output_shape [2, 2, 1, %2] : tensor<4x1x?xf32> into tensor<2x2x1x?xf32>
    %14 = tensor.empty() : tensor<2x2x1xi64>
    %15 = linalg.fill ins(%c0_i64 : i64) outs(%14 : tensor<2x2x1xi64>) -> tensor<2x2x1xi64>
    %16 = tensor.empty() : tensor<2x2x1xf32>
    %17 = linalg.fill ins(%cst_0 : f32) outs(%16 : tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    %18:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%expanded : tensor<2x2x1x?xf32>) outs(%17, %15 : tensor<2x2x1xf32>, tensor<2x2x1xi64>) {
    ^bb0(%in: f32, %out: f32, %out_11: i64):
      %42 = linalg.index 3 : index
      %43 = arith.index_cast %42 : index to i64
      %44 = arith.maximumf %in, %out : f32
      %45 = arith.cmpf ogt, %in, %out : f32
      %46 = arith.select %45, %43, %out_11 : i64
      linalg.yield %44, %46 : f32, i64
    } -> (tensor<2x2x1xf32>, tensor<2x2x1xi64>)
    %expanded_7 = tensor.expand_shape %18#0 [[0], [1], [2, 3]] output_shape [2, 2, 1, 1] : tensor<2x2x1xf32> into tensor<2x2x1x1xf32>
    %19 = tensor.empty(%2) : tensor<2x2x1x?xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_7 : tensor<2x2x1x?xf32>, tensor<2x2x1x1xf32>) outs(%19 : tensor<2x2x1x?xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %42 = arith.subf %in, %in_11 : f32
      linalg.yield %42 : f32
    } -> tensor<2x2x1x?xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x2x1x?xf32>) outs(%19 : tensor<2x2x1x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = math.exp %in : f32
      linalg.yield %42 : f32
    } -> tensor<2x2x1x?xf32>
    %22 = tensor.empty() : tensor<2x2x1x1xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<2x2x1x1xf32>) -> tensor<2x2x1x1xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x2x1x?xf32>) outs(%23 : tensor<2x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.addf %in, %out : f32
      linalg.yield %42 : f32
    } -> tensor<2x2x1x1xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %24 : tensor<2x2x1x?xf32>, tensor<2x2x1x1xf32>) outs(%19 : tensor<2x2x1x?xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %42 = arith.divf %in, %in_11 : f32
      linalg.yield %42 : f32
    } -> tensor<2x2x1x?xf32>
    %26 = tensor.empty(%2) : tensor<2x2x1x?xi1>
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x2x1x?xf32>) outs(%26 : tensor<2x2x1x?xi1>) {
    ^bb0(%in: f32, %out: i1):
      %42 = arith.extf %in : f32 to f64
      %43 = arith.cmpf oeq, %42, %cst_2 : f64
      linalg.yield %43 : i1
    } -> tensor<2x2x1x?xi1>
    %28 = tensor.empty() : tensor<2x2x1x1xi1>
    %29 = linalg.fill ins(%true : i1) outs(%28 : tensor<2x2x1x1xi1>) -> tensor<2x2x1x1xi1>
    %30 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%27 : tensor<2x2x1x?xi1>) outs(%29 : tensor<2x2x1x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %42 = arith.andi %in, %out : i1
      linalg.yield %42 : i1
    } -> tensor<2x2x1x1xi1>
    %31 = arith.index_cast %2 : index to i64
    %32 = tensor.empty(%2) : tensor<2x2x1x?xf32>
    %33 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%32 : tensor<2x2x1x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x1x?xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %33, %25 : tensor<2x2x1x1xi1>, tensor<2x2x1x?xf32>, tensor<2x2x1x?xf32>) outs(%32 : tensor<2x2x1x?xf32>) {
    ^bb0(%in: i1, %in_11: f32, %in_12: f32, %out: f32):
      %42 = arith.select %in, %in_11, %in_12 : f32
      linalg.yield %42 : f32
    } -> tensor<2x2x1x?xf32>
    %collapsed_8 = tensor.collapse_shape %34 [[0, 1], [2], [3]] : tensor<2x2x1x?xf32> into tensor<4x1x?xf32>
    %collapsed_9 = tensor.collapse_shape %7 [[0, 1], [2], [3]] : tensor<2x2x?x16xf32> into tensor<4x?x16xf32>
    %35 = arith.index_cast %5 : index to i64
    %36 = arith.cmpi eq, %31, %35 : i64
    cf.assert %36, "mismatching contracting dimension"
    %37 = tensor.empty() : tensor<4x1x16xf32>
    %38 = linalg.fill ins(%cst : f32) outs(%37 : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    %39 = linalg.batch_matmul ins(%collapsed_8, %collapsed_9 : tensor<4x1x?xf32>, tensor<4x?x16xf32>) outs(%38 : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    %expanded_10 = tensor.expand_shape %39 [[0, 1], [2], [3]] output_shape [2, 2, 1, 16] : tensor<4x1x16xf32> into tensor<2x2x1x16xf32>
    %40 = tensor.empty() : tensor<2x2x1x16xf16>
    %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10 : tensor<2x2x1x16xf32>) outs(%40 : tensor<2x2x1x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %42 = arith.truncf %in : f32 to f16
      linalg.yield %42 : f16
    } -> tensor<2x2x1x16xf16>
    return %41, %concat, %concat_4 : tensor<2x2x1x16xf16>, tensor<2x2x?x16xf16>, tensor<2x2x?x16xf16>
  }
}
