// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py llama_layer_bf16

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map7 = affine_map<(d0, d1, d2) -> (d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @llama_layer_bf16(%arg0: tensor<2x16x32xbf16>, %arg1: tensor<32x32xbf16>, %arg2: tensor<16x32xbf16>, %arg3: tensor<16x32xbf16>, %arg4: tensor<32x32xbf16>, %arg5: tensor<64x32xbf16>, %arg6: tensor<64x32xbf16>, %arg7: tensor<32x64xbf16>, %arg8: tensor<32xbf16>, %arg9: tensor<32xbf16>, %arg10: tensor<4xf32>, %arg11: tensor<4xf32>) -> tensor<2x16x32xbf16> {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<-3.38953139E+38> : tensor<f32>
    %cst_4 = arith.constant 0.35355339059327379 : f64
    %cst_5 = arith.constant 9.9999999999999995E-7 : f64
    %cst_6 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<16xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<16xi64>) {
    ^bb0(%out: i64):
      %117 = linalg.index 0 : index
      %118 = arith.index_cast %117 : index to i64
      linalg.yield %118 : i64
    } -> tensor<16xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 16] : tensor<16xi64> into tensor<1x16xi64>
    %expanded_7 = tensor.expand_shape %1 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %2 = tensor.empty() : tensor<16x16xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_7 : tensor<1x16xi64>, tensor<16x1xi64>) outs(%2 : tensor<16x16xi1>) {
    ^bb0(%in: i64, %in_46: i64, %out: i1):
      %117 = arith.cmpi sle, %in, %in_46 : i64
      linalg.yield %117 : i1
    } -> tensor<16x16xi1>
    %4 = tensor.empty() : tensor<16x16xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map4, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%3, %cst_2, %cst_3 : tensor<16x16xi1>, tensor<f32>, tensor<f32>) outs(%4 : tensor<16x16xf32>) {
    ^bb0(%in: i1, %in_46: f32, %in_47: f32, %out: f32):
      %117 = arith.select %in, %in_46, %in_47 : f32
      linalg.yield %117 : f32
    } -> tensor<16x16xf32>
    %6 = tensor.empty() : tensor<16x16xbf16>
    %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<16x16xf32>) outs(%6 : tensor<16x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<16x16xbf16>
    %expanded_8 = tensor.expand_shape %7 [[0, 1, 2], [3]] output_shape [1, 1, 16, 16] : tensor<16x16xbf16> into tensor<1x1x16x16xbf16>
    %expanded_9 = tensor.expand_shape %1 [[0, 1, 2]] output_shape [1, 16, 1] : tensor<16xi64> into tensor<1x16x1xi64>
    %8 = tensor.empty() : tensor<1x16x1xf32>
    %9 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<1x16x1xi64>) outs(%8 : tensor<1x16x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %117 = arith.sitofp %in : i64 to f32
      linalg.yield %117 : f32
    } -> tensor<1x16x1xf32>
    %10 = tensor.empty() : tensor<1x16x4xf32>
    %11 = linalg.generic {indexing_maps = [#map6, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %arg10 : tensor<1x16x1xf32>, tensor<4xf32>) outs(%10 : tensor<1x16x4xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %117 = arith.mulf %in, %in_46 : f32
      linalg.yield %117 : f32
    } -> tensor<1x16x4xf32>
    %concat = tensor.concat dim(2) %11, %11 : (tensor<1x16x4xf32>, tensor<1x16x4xf32>) -> tensor<1x16x8xf32>
    %12 = tensor.empty() : tensor<1x16x8xf32>
    %13 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat : tensor<1x16x8xf32>) outs(%12 : tensor<1x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.cos %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x16x8xf32>
    %14 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat : tensor<1x16x8xf32>) outs(%12 : tensor<1x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.sin %in : f32
      linalg.yield %117 : f32
    } -> tensor<1x16x8xf32>
    %15 = tensor.empty() : tensor<1x16x8xbf16>
    %16 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<1x16x8xf32>) outs(%15 : tensor<1x16x8xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<1x16x8xbf16>
    %17 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<1x16x8xf32>) outs(%15 : tensor<1x16x8xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<1x16x8xbf16>
    %18 = tensor.empty() : tensor<2x16x32xf32>
    %19 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x16x32xbf16>) outs(%18 : tensor<2x16x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %117 = arith.extf %in : bf16 to f32
      linalg.yield %117 : f32
    } -> tensor<2x16x32xf32>
    %20 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<2x16x32xf32>) outs(%18 : tensor<2x16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %117 : f32
    } -> tensor<2x16x32xf32>
    %21 = tensor.empty() : tensor<2x16x1xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<2x16x1xf32>) -> tensor<2x16x1xf32>
    %23 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%20 : tensor<2x16x32xf32>) outs(%22 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.addf %in, %out : f32
      linalg.yield %117 : f32
    } -> tensor<2x16x1xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<2x16x1xf32>) outs(%21 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.divf %in, %cst_6 : f32
      linalg.yield %117 : f32
    } -> tensor<2x16x1xf32>
    %25 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x16x1xf32>) outs(%21 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.truncf %cst_5 : f64 to f32
      %118 = arith.addf %in, %117 : f32
      linalg.yield %118 : f32
    } -> tensor<2x16x1xf32>
    %26 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<2x16x1xf32>) outs(%21 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.rsqrt %in : f32
      linalg.yield %117 : f32
    } -> tensor<2x16x1xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %26 : tensor<2x16x32xf32>, tensor<2x16x1xf32>) outs(%18 : tensor<2x16x32xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %117 = arith.mulf %in, %in_46 : f32
      linalg.yield %117 : f32
    } -> tensor<2x16x32xf32>
    %28 = tensor.empty() : tensor<2x16x32xbf16>
    %29 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<2x16x32xf32>) outs(%28 : tensor<2x16x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<2x16x32xbf16>
    %30 = linalg.generic {indexing_maps = [#map7, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8, %29 : tensor<32xbf16>, tensor<2x16x32xbf16>) outs(%28 : tensor<2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x16x32xbf16>
    %31 = tensor.empty() : tensor<32x32xbf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<32x32xbf16>) outs(%31 : tensor<32x32xbf16>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %30 [[0, 1], [2]] : tensor<2x16x32xbf16> into tensor<32x32xbf16>
    %32 = tensor.empty() : tensor<32x32xf32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %34 = linalg.matmul ins(%collapsed, %transposed : tensor<32x32xbf16>, tensor<32x32xbf16>) outs(%33 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<32x32xf32>) outs(%31 : tensor<32x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<32x32xbf16>
    %expanded_10 = tensor.expand_shape %35 [[0, 1], [2, 3]] output_shape [2, 16, 4, 8] : tensor<32x32xbf16> into tensor<2x16x4x8xbf16>
    %36 = tensor.empty() : tensor<2x4x16x8xbf16>
    %transposed_11 = linalg.transpose ins(%expanded_10 : tensor<2x16x4x8xbf16>) outs(%36 : tensor<2x4x16x8xbf16>) permutation = [0, 2, 1, 3] 
    %37 = tensor.empty() : tensor<32x16xbf16>
    %transposed_12 = linalg.transpose ins(%arg2 : tensor<16x32xbf16>) outs(%37 : tensor<32x16xbf16>) permutation = [1, 0] 
    %38 = tensor.empty() : tensor<32x16xf32>
    %39 = linalg.fill ins(%cst : f32) outs(%38 : tensor<32x16xf32>) -> tensor<32x16xf32>
    %40 = linalg.matmul ins(%collapsed, %transposed_12 : tensor<32x32xbf16>, tensor<32x16xbf16>) outs(%39 : tensor<32x16xf32>) -> tensor<32x16xf32>
    %41 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%40 : tensor<32x16xf32>) outs(%37 : tensor<32x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<32x16xbf16>
    %expanded_13 = tensor.expand_shape %41 [[0, 1], [2, 3]] output_shape [2, 16, 2, 8] : tensor<32x16xbf16> into tensor<2x16x2x8xbf16>
    %42 = tensor.empty() : tensor<2x2x16x8xbf16>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<2x16x2x8xbf16>) outs(%42 : tensor<2x2x16x8xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_15 = linalg.transpose ins(%arg3 : tensor<16x32xbf16>) outs(%37 : tensor<32x16xbf16>) permutation = [1, 0] 
    %43 = linalg.matmul ins(%collapsed, %transposed_15 : tensor<32x32xbf16>, tensor<32x16xbf16>) outs(%39 : tensor<32x16xf32>) -> tensor<32x16xf32>
    %44 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%43 : tensor<32x16xf32>) outs(%37 : tensor<32x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<32x16xbf16>
    %expanded_16 = tensor.expand_shape %44 [[0, 1], [2, 3]] output_shape [2, 16, 2, 8] : tensor<32x16xbf16> into tensor<2x16x2x8xbf16>
    %transposed_17 = linalg.transpose ins(%expanded_16 : tensor<2x16x2x8xbf16>) outs(%42 : tensor<2x2x16x8xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_18 = tensor.expand_shape %16 [[0], [1, 2], [3]] output_shape [1, 1, 16, 8] : tensor<1x16x8xbf16> into tensor<1x1x16x8xbf16>
    %expanded_19 = tensor.expand_shape %17 [[0], [1, 2], [3]] output_shape [1, 1, 16, 8] : tensor<1x16x8xbf16> into tensor<1x1x16x8xbf16>
    %45 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_11, %expanded_18 : tensor<2x4x16x8xbf16>, tensor<1x1x16x8xbf16>) outs(%36 : tensor<2x4x16x8xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x16x8xbf16>
    %extracted_slice = tensor.extract_slice %transposed_11[0, 0, 0, 0] [2, 4, 16, 4] [1, 1, 1, 1] : tensor<2x4x16x8xbf16> to tensor<2x4x16x4xbf16>
    %extracted_slice_20 = tensor.extract_slice %transposed_11[0, 0, 0, 4] [2, 4, 16, 4] [1, 1, 1, 1] : tensor<2x4x16x8xbf16> to tensor<2x4x16x4xbf16>
    %46 = tensor.empty() : tensor<2x4x16x4xbf16>
    %47 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_20 : tensor<2x4x16x4xbf16>) outs(%46 : tensor<2x4x16x4xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %117 = arith.negf %in : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x16x4xbf16>
    %concat_21 = tensor.concat dim(3) %47, %extracted_slice : (tensor<2x4x16x4xbf16>, tensor<2x4x16x4xbf16>) -> tensor<2x4x16x8xbf16>
    %48 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_21, %expanded_19 : tensor<2x4x16x8xbf16>, tensor<1x1x16x8xbf16>) outs(%36 : tensor<2x4x16x8xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x16x8xbf16>
    %49 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %48 : tensor<2x4x16x8xbf16>, tensor<2x4x16x8xbf16>) outs(%36 : tensor<2x4x16x8xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.addf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x16x8xbf16>
    %50 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_14, %expanded_18 : tensor<2x2x16x8xbf16>, tensor<1x1x16x8xbf16>) outs(%42 : tensor<2x2x16x8xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x2x16x8xbf16>
    %extracted_slice_22 = tensor.extract_slice %transposed_14[0, 0, 0, 0] [2, 2, 16, 4] [1, 1, 1, 1] : tensor<2x2x16x8xbf16> to tensor<2x2x16x4xbf16>
    %extracted_slice_23 = tensor.extract_slice %transposed_14[0, 0, 0, 4] [2, 2, 16, 4] [1, 1, 1, 1] : tensor<2x2x16x8xbf16> to tensor<2x2x16x4xbf16>
    %51 = tensor.empty() : tensor<2x2x16x4xbf16>
    %52 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_23 : tensor<2x2x16x4xbf16>) outs(%51 : tensor<2x2x16x4xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %117 = arith.negf %in : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x2x16x4xbf16>
    %concat_24 = tensor.concat dim(3) %52, %extracted_slice_22 : (tensor<2x2x16x4xbf16>, tensor<2x2x16x4xbf16>) -> tensor<2x2x16x8xbf16>
    %53 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_24, %expanded_19 : tensor<2x2x16x8xbf16>, tensor<1x1x16x8xbf16>) outs(%42 : tensor<2x2x16x8xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x2x16x8xbf16>
    %54 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50, %53 : tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16>) outs(%42 : tensor<2x2x16x8xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.addf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x2x16x8xbf16>
    %55 = tensor.empty() : tensor<2x2x2x16x8xbf16>
    %56 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<2x2x16x8xbf16>) outs(%55 : tensor<2x2x2x16x8xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x2x16x8xbf16>
    %collapsed_25 = tensor.collapse_shape %56 [[0], [1, 2], [3], [4]] : tensor<2x2x2x16x8xbf16> into tensor<2x4x16x8xbf16>
    %57 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_17 : tensor<2x2x16x8xbf16>) outs(%55 : tensor<2x2x2x16x8xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x2x16x8xbf16>
    %58 = tensor.empty() : tensor<2x4x8x16xbf16>
    %transposed_26 = linalg.transpose ins(%collapsed_25 : tensor<2x4x16x8xbf16>) outs(%58 : tensor<2x4x8x16xbf16>) permutation = [0, 1, 3, 2] 
    %collapsed_27 = tensor.collapse_shape %49 [[0, 1], [2], [3]] : tensor<2x4x16x8xbf16> into tensor<8x16x8xbf16>
    %collapsed_28 = tensor.collapse_shape %transposed_26 [[0, 1], [2], [3]] : tensor<2x4x8x16xbf16> into tensor<8x8x16xbf16>
    %59 = tensor.empty() : tensor<8x16x16xf32>
    %60 = linalg.fill ins(%cst : f32) outs(%59 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %61 = linalg.batch_matmul ins(%collapsed_27, %collapsed_28 : tensor<8x16x8xbf16>, tensor<8x8x16xbf16>) outs(%60 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %62 = tensor.empty() : tensor<8x16x16xbf16>
    %63 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<8x16x16xf32>) outs(%62 : tensor<8x16x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<8x16x16xbf16>
    %expanded_29 = tensor.expand_shape %63 [[0, 1], [2], [3]] output_shape [2, 4, 16, 16] : tensor<8x16x16xbf16> into tensor<2x4x16x16xbf16>
    %64 = tensor.empty() : tensor<2x4x16x16xbf16>
    %65 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_29 : tensor<2x4x16x16xbf16>) outs(%64 : tensor<2x4x16x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %117 = arith.truncf %cst_4 : f64 to bf16
      %118 = arith.mulf %in, %117 : bf16
      linalg.yield %118 : bf16
    } -> tensor<2x4x16x16xbf16>
    %66 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65, %expanded_8 : tensor<2x4x16x16xbf16>, tensor<1x1x16x16xbf16>) outs(%64 : tensor<2x4x16x16xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.addf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x16x16xbf16>
    %67 = tensor.empty() : tensor<2x4x16x16xf32>
    %68 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66 : tensor<2x4x16x16xbf16>) outs(%67 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %117 = arith.extf %in : bf16 to f32
      linalg.yield %117 : f32
    } -> tensor<2x4x16x16xf32>
    %69 = tensor.empty() : tensor<2x4x16xi64>
    %70 = linalg.fill ins(%c0_i64 : i64) outs(%69 : tensor<2x4x16xi64>) -> tensor<2x4x16xi64>
    %71 = tensor.empty() : tensor<2x4x16xf32>
    %72 = linalg.fill ins(%cst_0 : f32) outs(%71 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    %73:2 = linalg.generic {indexing_maps = [#map8, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%68 : tensor<2x4x16x16xf32>) outs(%72, %70 : tensor<2x4x16xf32>, tensor<2x4x16xi64>) {
    ^bb0(%in: f32, %out: f32, %out_46: i64):
      %117 = linalg.index 3 : index
      %118 = arith.index_cast %117 : index to i64
      %119 = arith.maximumf %in, %out : f32
      %120 = arith.cmpf ogt, %in, %out : f32
      %121 = arith.select %120, %118, %out_46 : i64
      linalg.yield %119, %121 : f32, i64
    } -> (tensor<2x4x16xf32>, tensor<2x4x16xi64>)
    %expanded_30 = tensor.expand_shape %73#0 [[0], [1], [2, 3]] output_shape [2, 4, 16, 1] : tensor<2x4x16xf32> into tensor<2x4x16x1xf32>
    %74 = linalg.generic {indexing_maps = [#map8, #map13, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %expanded_30 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%67 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %117 = arith.subf %in, %in_46 : f32
      linalg.yield %117 : f32
    } -> tensor<2x4x16x16xf32>
    %75 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%74 : tensor<2x4x16x16xf32>) outs(%67 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.exp %in : f32
      linalg.yield %117 : f32
    } -> tensor<2x4x16x16xf32>
    %76 = tensor.empty() : tensor<2x4x16x1xf32>
    %77 = linalg.fill ins(%cst : f32) outs(%76 : tensor<2x4x16x1xf32>) -> tensor<2x4x16x1xf32>
    %78 = linalg.generic {indexing_maps = [#map8, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%75 : tensor<2x4x16x16xf32>) outs(%77 : tensor<2x4x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.addf %in, %out : f32
      linalg.yield %117 : f32
    } -> tensor<2x4x16x1xf32>
    %79 = linalg.generic {indexing_maps = [#map8, #map13, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75, %78 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%67 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %117 = arith.divf %in, %in_46 : f32
      linalg.yield %117 : f32
    } -> tensor<2x4x16x16xf32>
    %80 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%79 : tensor<2x4x16x16xf32>) outs(%64 : tensor<2x4x16x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<2x4x16x16xbf16>
    %collapsed_31 = tensor.collapse_shape %80 [[0, 1], [2], [3]] : tensor<2x4x16x16xbf16> into tensor<8x16x16xbf16>
    %collapsed_32 = tensor.collapse_shape %57 [[0, 1, 2], [3], [4]] : tensor<2x2x2x16x8xbf16> into tensor<8x16x8xbf16>
    %81 = tensor.empty() : tensor<8x16x8xf32>
    %82 = linalg.fill ins(%cst : f32) outs(%81 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
    %83 = linalg.batch_matmul ins(%collapsed_31, %collapsed_32 : tensor<8x16x16xbf16>, tensor<8x16x8xbf16>) outs(%82 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
    %84 = tensor.empty() : tensor<8x16x8xbf16>
    %85 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83 : tensor<8x16x8xf32>) outs(%84 : tensor<8x16x8xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<8x16x8xbf16>
    %expanded_33 = tensor.expand_shape %85 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xbf16> into tensor<2x4x16x8xbf16>
    %86 = tensor.empty() : tensor<2x16x4x8xbf16>
    %transposed_34 = linalg.transpose ins(%expanded_33 : tensor<2x4x16x8xbf16>) outs(%86 : tensor<2x16x4x8xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_35 = linalg.transpose ins(%arg4 : tensor<32x32xbf16>) outs(%31 : tensor<32x32xbf16>) permutation = [1, 0] 
    %collapsed_36 = tensor.collapse_shape %transposed_34 [[0, 1], [2, 3]] : tensor<2x16x4x8xbf16> into tensor<32x32xbf16>
    %87 = linalg.matmul ins(%collapsed_36, %transposed_35 : tensor<32x32xbf16>, tensor<32x32xbf16>) outs(%33 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %88 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%87 : tensor<32x32xf32>) outs(%31 : tensor<32x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<32x32xbf16>
    %expanded_37 = tensor.expand_shape %88 [[0, 1], [2]] output_shape [2, 16, 32] : tensor<32x32xbf16> into tensor<2x16x32xbf16>
    %89 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_37 : tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) outs(%28 : tensor<2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.addf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x16x32xbf16>
    %90 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<2x16x32xbf16>) outs(%18 : tensor<2x16x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %117 = arith.extf %in : bf16 to f32
      linalg.yield %117 : f32
    } -> tensor<2x16x32xf32>
    %91 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<2x16x32xf32>) outs(%18 : tensor<2x16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %117 : f32
    } -> tensor<2x16x32xf32>
    %92 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%91 : tensor<2x16x32xf32>) outs(%22 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.addf %in, %out : f32
      linalg.yield %117 : f32
    } -> tensor<2x16x1xf32>
    %93 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<2x16x1xf32>) outs(%21 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.divf %in, %cst_6 : f32
      linalg.yield %117 : f32
    } -> tensor<2x16x1xf32>
    %94 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93 : tensor<2x16x1xf32>) outs(%21 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.truncf %cst_5 : f64 to f32
      %118 = arith.addf %in, %117 : f32
      linalg.yield %118 : f32
    } -> tensor<2x16x1xf32>
    %95 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94 : tensor<2x16x1xf32>) outs(%21 : tensor<2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = math.rsqrt %in : f32
      linalg.yield %117 : f32
    } -> tensor<2x16x1xf32>
    %96 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90, %95 : tensor<2x16x32xf32>, tensor<2x16x1xf32>) outs(%18 : tensor<2x16x32xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %117 = arith.mulf %in, %in_46 : f32
      linalg.yield %117 : f32
    } -> tensor<2x16x32xf32>
    %97 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96 : tensor<2x16x32xf32>) outs(%28 : tensor<2x16x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<2x16x32xbf16>
    %98 = linalg.generic {indexing_maps = [#map7, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %97 : tensor<32xbf16>, tensor<2x16x32xbf16>) outs(%28 : tensor<2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x16x32xbf16>
    %99 = tensor.empty() : tensor<32x64xbf16>
    %transposed_38 = linalg.transpose ins(%arg5 : tensor<64x32xbf16>) outs(%99 : tensor<32x64xbf16>) permutation = [1, 0] 
    %collapsed_39 = tensor.collapse_shape %98 [[0, 1], [2]] : tensor<2x16x32xbf16> into tensor<32x32xbf16>
    %100 = tensor.empty() : tensor<32x64xf32>
    %101 = linalg.fill ins(%cst : f32) outs(%100 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %102 = linalg.matmul ins(%collapsed_39, %transposed_38 : tensor<32x32xbf16>, tensor<32x64xbf16>) outs(%101 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %103 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%102 : tensor<32x64xf32>) outs(%99 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<32x64xbf16>
    %expanded_40 = tensor.expand_shape %103 [[0, 1], [2]] output_shape [2, 16, 64] : tensor<32x64xbf16> into tensor<2x16x64xbf16>
    %104 = tensor.empty() : tensor<2x16x64xf32>
    %105 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_40 : tensor<2x16x64xbf16>) outs(%104 : tensor<2x16x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %117 = arith.extf %in : bf16 to f32
      linalg.yield %117 : f32
    } -> tensor<2x16x64xf32>
    %106 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<2x16x64xf32>) outs(%104 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %117 = arith.negf %in : f32
      %118 = math.exp %117 : f32
      %119 = arith.addf %118, %cst_1 : f32
      %120 = arith.divf %cst_1, %119 : f32
      linalg.yield %120 : f32
    } -> tensor<2x16x64xf32>
    %107 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105, %106 : tensor<2x16x64xf32>, tensor<2x16x64xf32>) outs(%104 : tensor<2x16x64xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %117 = arith.mulf %in, %in_46 : f32
      linalg.yield %117 : f32
    } -> tensor<2x16x64xf32>
    %108 = tensor.empty() : tensor<2x16x64xbf16>
    %109 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107 : tensor<2x16x64xf32>) outs(%108 : tensor<2x16x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<2x16x64xbf16>
    %transposed_41 = linalg.transpose ins(%arg6 : tensor<64x32xbf16>) outs(%99 : tensor<32x64xbf16>) permutation = [1, 0] 
    %110 = linalg.matmul ins(%collapsed_39, %transposed_41 : tensor<32x32xbf16>, tensor<32x64xbf16>) outs(%101 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %111 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%110 : tensor<32x64xf32>) outs(%99 : tensor<32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<32x64xbf16>
    %expanded_42 = tensor.expand_shape %111 [[0, 1], [2]] output_shape [2, 16, 64] : tensor<32x64xbf16> into tensor<2x16x64xbf16>
    %112 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109, %expanded_42 : tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) outs(%108 : tensor<2x16x64xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.mulf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x16x64xbf16>
    %113 = tensor.empty() : tensor<64x32xbf16>
    %transposed_43 = linalg.transpose ins(%arg7 : tensor<32x64xbf16>) outs(%113 : tensor<64x32xbf16>) permutation = [1, 0] 
    %collapsed_44 = tensor.collapse_shape %112 [[0, 1], [2]] : tensor<2x16x64xbf16> into tensor<32x64xbf16>
    %114 = linalg.matmul ins(%collapsed_44, %transposed_43 : tensor<32x64xbf16>, tensor<64x32xbf16>) outs(%33 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %115 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%114 : tensor<32x32xf32>) outs(%31 : tensor<32x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %117 = arith.truncf %in : f32 to bf16
      linalg.yield %117 : bf16
    } -> tensor<32x32xbf16>
    %expanded_45 = tensor.expand_shape %115 [[0, 1], [2]] output_shape [2, 16, 32] : tensor<32x32xbf16> into tensor<2x16x32xbf16>
    %116 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %expanded_45 : tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) outs(%28 : tensor<2x16x32xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %117 = arith.addf %in, %in_46 : bf16
      linalg.yield %117 : bf16
    } -> tensor<2x16x32xbf16>
    return %116 : tensor<2x16x32xbf16>
  }
}
