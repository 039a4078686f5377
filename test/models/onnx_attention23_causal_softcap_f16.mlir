// onnx 1.23.2, imported by torch-mlir (torch-mlir 20261001, IREE 3.13.0)
// made by: export/onnx_export.py attention23_causal_softcap_f16

#map = affine_map<() -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
#map6 = affine_map<(d0, d1) -> (0)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (0)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map16 = affine_map<(d0, d1) -> (d0)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d2, 0)>
module {
  func.func @attention23_causal_softcap_f16(%arg0: tensor<2x2x16x8xf16>, %arg1: tensor<2x2x16x8xf16>, %arg2: tensor<2x2x16x8xf16>) -> tensor<2x2x16x8xf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0xFC00 : f16
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1xf16>
    %cst_3 = arith.constant dense<0xFC00> : tensor<1xf16>
    %cst_4 = arith.constant dense<2.000000e+01> : tensor<1xf16>
    %cst_5 = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %cst_6 = arith.constant dense<0.000000e+00> : tensor<1xf32>
    %cst_7 = arith.constant dense<0xFF800000> : tensor<1xf32>
    %cst_8 = arith.constant dense<2.500000e-01> : tensor<f32>
    %cst_9 = arith.constant dense<0> : tensor<1xi64>
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%cst_8 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = math.sqrt %in : f32
      linalg.yield %58 : f32
    } -> tensor<f32>
    %2 = tensor.empty() : tensor<f16>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%1 : tensor<f32>) outs(%2 : tensor<f16>) {
    ^bb0(%in: f32, %out: f16):
      %58 = arith.truncf %in : f32 to f16
      linalg.yield %58 : f16
    } -> tensor<f16>
    %4 = tensor.empty() : tensor<16xi64>
    %5 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%4 : tensor<16xi64>) {
    ^bb0(%out: i64):
      %58 = linalg.index 0 : index
      %59 = arith.index_cast %58 : index to i64
      linalg.yield %59 : i64
    } -> tensor<16xi64>
    %expanded = tensor.expand_shape %5 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %expanded_10 = tensor.expand_shape %5 [[0, 1]] output_shape [1, 16] : tensor<16xi64> into tensor<1x16xi64>
    %6 = tensor.empty() : tensor<16x1xi64>
    %7 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%expanded, %cst_9 : tensor<16x1xi64>, tensor<1xi64>) outs(%6 : tensor<16x1xi64>) {
    ^bb0(%in: i64, %in_19: i64, %out: i64):
      %58 = arith.addi %in, %in_19 : i64
      linalg.yield %58 : i64
    } -> tensor<16x1xi64>
    %8 = tensor.empty() : tensor<16x16xi1>
    %9 = linalg.generic {indexing_maps = [#map4, #map5, #map2], iterator_types = ["parallel", "parallel"]} ins(%7, %expanded_10 : tensor<16x1xi64>, tensor<1x16xi64>) outs(%8 : tensor<16x16xi1>) {
    ^bb0(%in: i64, %in_19: i64, %out: i1):
      %58 = arith.cmpi slt, %in, %in_19 : i64
      linalg.yield %58 : i1
    } -> tensor<16x16xi1>
    %10 = tensor.empty() : tensor<16x16xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map6, #map6, #map2], iterator_types = ["parallel", "parallel"]} ins(%9, %cst_7, %cst_6 : tensor<16x16xi1>, tensor<1xf32>, tensor<1xf32>) outs(%10 : tensor<16x16xf32>) {
    ^bb0(%in: i1, %in_19: f32, %in_20: f32, %out: f32):
      %58 = arith.select %in, %in_19, %in_20 : f32
      linalg.yield %58 : f32
    } -> tensor<16x16xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%cst_5, %11 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%10 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %58 = arith.addf %in, %in_19 : f32
      linalg.yield %58 : f32
    } -> tensor<16x16xf32>
    %13 = tensor.empty() : tensor<16x16xf16>
    %14 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<16x16xf32>) outs(%13 : tensor<16x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %58 = arith.truncf %in : f32 to f16
      linalg.yield %58 : f16
    } -> tensor<16x16xf16>
    %15 = tensor.empty() : tensor<2x2x1x16x8xf16>
    %16 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x2x16x8xf16>) outs(%15 : tensor<2x2x1x16x8xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<2x2x1x16x8xf16>
    %17 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x2x16x8xf16>) outs(%15 : tensor<2x2x1x16x8xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<2x2x1x16x8xf16>
    %collapsed = tensor.collapse_shape %16 [[0], [1], [2, 3], [4]] : tensor<2x2x1x16x8xf16> into tensor<2x2x16x8xf16>
    %18 = tensor.empty() : tensor<2x2x8x16xf16>
    %transposed = linalg.transpose ins(%collapsed : tensor<2x2x16x8xf16>) outs(%18 : tensor<2x2x8x16xf16>) permutation = [0, 1, 3, 2] 
    %19 = tensor.empty() : tensor<2x2x16x8xf16>
    %20 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<2x2x16x8xf16>, tensor<f16>) outs(%19 : tensor<2x2x16x8xf16>) {
    ^bb0(%in: f16, %in_19: f16, %out: f16):
      %58 = arith.mulf %in, %in_19 : f16
      linalg.yield %58 : f16
    } -> tensor<2x2x16x8xf16>
    %21 = linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed, %3 : tensor<2x2x8x16xf16>, tensor<f16>) outs(%18 : tensor<2x2x8x16xf16>) {
    ^bb0(%in: f16, %in_19: f16, %out: f16):
      %58 = arith.mulf %in, %in_19 : f16
      linalg.yield %58 : f16
    } -> tensor<2x2x8x16xf16>
    %collapsed_11 = tensor.collapse_shape %20 [[0, 1], [2], [3]] : tensor<2x2x16x8xf16> into tensor<4x16x8xf16>
    %collapsed_12 = tensor.collapse_shape %21 [[0, 1], [2], [3]] : tensor<2x2x8x16xf16> into tensor<4x8x16xf16>
    %22 = tensor.empty() : tensor<4x16x16xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
    %24 = linalg.batch_matmul ins(%collapsed_11, %collapsed_12 : tensor<4x16x8xf16>, tensor<4x8x16xf16>) outs(%23 : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
    %25 = tensor.empty() : tensor<4x16x16xf16>
    %26 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<4x16x16xf32>) outs(%25 : tensor<4x16x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %58 = arith.truncf %in : f32 to f16
      linalg.yield %58 : f16
    } -> tensor<4x16x16xf16>
    %expanded_13 = tensor.expand_shape %26 [[0, 1], [2], [3]] output_shape [2, 2, 16, 16] : tensor<4x16x16xf16> into tensor<2x2x16x16xf16>
    %27 = tensor.empty() : tensor<2x2x16x16xf16>
    %28 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_13, %cst_4 : tensor<2x2x16x16xf16>, tensor<1xf16>) outs(%27 : tensor<2x2x16x16xf16>) {
    ^bb0(%in: f16, %in_19: f16, %out: f16):
      %58 = arith.divf %in, %in_19 : f16
      linalg.yield %58 : f16
    } -> tensor<2x2x16x16xf16>
    %29 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x2x16x16xf16>) outs(%27 : tensor<2x2x16x16xf16>) {
    ^bb0(%in: f16, %out: f16):
      %58 = math.tanh %in : f16
      linalg.yield %58 : f16
    } -> tensor<2x2x16x16xf16>
    %30 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %cst_4 : tensor<2x2x16x16xf16>, tensor<1xf16>) outs(%27 : tensor<2x2x16x16xf16>) {
    ^bb0(%in: f16, %in_19: f16, %out: f16):
      %58 = arith.mulf %in, %in_19 : f16
      linalg.yield %58 : f16
    } -> tensor<2x2x16x16xf16>
    %31 = linalg.generic {indexing_maps = [#map9, #map13, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %14 : tensor<2x2x16x16xf16>, tensor<16x16xf16>) outs(%27 : tensor<2x2x16x16xf16>) {
    ^bb0(%in: f16, %in_19: f16, %out: f16):
      %58 = arith.addf %in, %in_19 : f16
      linalg.yield %58 : f16
    } -> tensor<2x2x16x16xf16>
    %32 = tensor.empty() : tensor<2x2x16x16xf32>
    %33 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x2x16x16xf16>) outs(%32 : tensor<2x2x16x16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %58 = arith.extf %in : f16 to f32
      linalg.yield %58 : f32
    } -> tensor<2x2x16x16xf32>
    %34 = tensor.empty() : tensor<2x2x16xi64>
    %35 = linalg.fill ins(%c0_i64 : i64) outs(%34 : tensor<2x2x16xi64>) -> tensor<2x2x16xi64>
    %36 = tensor.empty() : tensor<2x2x16xf32>
    %37 = linalg.fill ins(%cst_0 : f32) outs(%36 : tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
    %38:2 = linalg.generic {indexing_maps = [#map9, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<2x2x16x16xf32>) outs(%37, %35 : tensor<2x2x16xf32>, tensor<2x2x16xi64>) {
    ^bb0(%in: f32, %out: f32, %out_19: i64):
      %58 = linalg.index 3 : index
      %59 = arith.index_cast %58 : index to i64
      %60 = arith.maximumf %in, %out : f32
      %61 = arith.cmpf ogt, %in, %out : f32
      %62 = arith.select %61, %59, %out_19 : i64
      linalg.yield %60, %62 : f32, i64
    } -> (tensor<2x2x16xf32>, tensor<2x2x16xi64>)
    %expanded_14 = tensor.expand_shape %38#0 [[0], [1], [2, 3]] output_shape [2, 2, 16, 1] : tensor<2x2x16xf32> into tensor<2x2x16x1xf32>
    %39 = linalg.generic {indexing_maps = [#map9, #map15, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %expanded_14 : tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>) outs(%32 : tensor<2x2x16x16xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %58 = arith.subf %in, %in_19 : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x16x16xf32>
    %40 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<2x2x16x16xf32>) outs(%32 : tensor<2x2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = math.exp %in : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x16x16xf32>
    %41 = tensor.empty() : tensor<2x2x16x1xf32>
    %42 = linalg.fill ins(%cst : f32) outs(%41 : tensor<2x2x16x1xf32>) -> tensor<2x2x16x1xf32>
    %43 = linalg.generic {indexing_maps = [#map9, #map15], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<2x2x16x16xf32>) outs(%42 : tensor<2x2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = arith.addf %in, %out : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x16x1xf32>
    %44 = linalg.generic {indexing_maps = [#map9, #map15, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %43 : tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>) outs(%32 : tensor<2x2x16x16xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %58 = arith.divf %in, %in_19 : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x16x16xf32>
    %45 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<2x2x16x16xf32>) outs(%27 : tensor<2x2x16x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %58 = arith.truncf %in : f32 to f16
      linalg.yield %58 : f16
    } -> tensor<2x2x16x16xf16>
    %46 = linalg.fill ins(%c0_i64 : i64) outs(%4 : tensor<16xi64>) -> tensor<16xi64>
    %47 = tensor.empty() : tensor<16xf16>
    %48 = linalg.fill ins(%cst_1 : f16) outs(%47 : tensor<16xf16>) -> tensor<16xf16>
    %49:2 = linalg.generic {indexing_maps = [#map2, #map16, #map16], iterator_types = ["parallel", "reduction"]} ins(%14 : tensor<16x16xf16>) outs(%48, %46 : tensor<16xf16>, tensor<16xi64>) {
    ^bb0(%in: f16, %out: f16, %out_19: i64):
      %58 = linalg.index 1 : index
      %59 = arith.index_cast %58 : index to i64
      %60 = arith.maximumf %in, %out : f16
      %61 = arith.cmpf ogt, %in, %out : f16
      %62 = arith.select %61, %59, %out_19 : i64
      linalg.yield %60, %62 : f16, i64
    } -> (tensor<16xf16>, tensor<16xi64>)
    %expanded_15 = tensor.expand_shape %49#0 [[0, 1]] output_shape [16, 1] : tensor<16xf16> into tensor<16x1xf16>
    %50 = tensor.empty() : tensor<16x1xi1>
    %51 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%expanded_15, %cst_3 : tensor<16x1xf16>, tensor<1xf16>) outs(%50 : tensor<16x1xi1>) {
    ^bb0(%in: f16, %in_19: f16, %out: i1):
      %58 = arith.cmpf oeq, %in, %in_19 : f16
      linalg.yield %58 : i1
    } -> tensor<16x1xi1>
    %52 = linalg.generic {indexing_maps = [#map17, #map12, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51, %cst_2, %45 : tensor<16x1xi1>, tensor<1xf16>, tensor<2x2x16x16xf16>) outs(%27 : tensor<2x2x16x16xf16>) {
    ^bb0(%in: i1, %in_19: f16, %in_20: f16, %out: f16):
      %58 = arith.select %in, %in_19, %in_20 : f16
      linalg.yield %58 : f16
    } -> tensor<2x2x16x16xf16>
    %collapsed_16 = tensor.collapse_shape %52 [[0, 1], [2], [3]] : tensor<2x2x16x16xf16> into tensor<4x16x16xf16>
    %collapsed_17 = tensor.collapse_shape %17 [[0, 1], [2, 3], [4]] : tensor<2x2x1x16x8xf16> into tensor<4x16x8xf16>
    %53 = tensor.empty() : tensor<4x16x8xf32>
    %54 = linalg.fill ins(%cst : f32) outs(%53 : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %55 = linalg.batch_matmul ins(%collapsed_16, %collapsed_17 : tensor<4x16x16xf16>, tensor<4x16x8xf16>) outs(%54 : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %56 = tensor.empty() : tensor<4x16x8xf16>
    %57 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55 : tensor<4x16x8xf32>) outs(%56 : tensor<4x16x8xf16>) {
    ^bb0(%in: f32, %out: f16):
      %58 = arith.truncf %in : f32 to f16
      linalg.yield %58 : f16
    } -> tensor<4x16x8xf16>
    %expanded_18 = tensor.expand_shape %57 [[0, 1], [2], [3]] output_shape [2, 2, 16, 8] : tensor<4x16x8xf16> into tensor<2x2x16x8xf16>
    return %expanded_18 : tensor<2x2x16x8xf16>
  }
}
