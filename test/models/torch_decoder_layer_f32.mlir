// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py decoder_layer_f32

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map12 = affine_map<(d0, d1) -> (d1)>
#map13 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @decoder_layer_f32(%arg0: tensor<2x12x32xf32>, %arg1: tensor<2x20x32xf32>, %arg2: tensor<96x32xf32>, %arg3: tensor<96xf32>, %arg4: tensor<32x32xf32>, %arg5: tensor<32xf32>, %arg6: tensor<96x32xf32>, %arg7: tensor<96xf32>, %arg8: tensor<32x32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<64x32xf32>, %arg11: tensor<64xf32>, %arg12: tensor<32x64xf32>, %arg13: tensor<32xf32>, %arg14: tensor<32xf32>, %arg15: tensor<32xf32>, %arg16: tensor<32xf32>, %arg17: tensor<32xf32>, %arg18: tensor<32xf32>, %arg19: tensor<32xf32>) -> tensor<2x12x32xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant 0.000000e+00 : f64
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<2x2x12x20xf32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<2x2x12x12xf32>
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = arith.constant dense<0xFF800000> : tensor<12x12xf32>
    %cst_6 = arith.constant 1.000000e-05 : f64
    %cst_7 = arith.constant 0xFFF0000000000000 : f64
    %cst_8 = arith.constant 5.000000e-01 : f32
    %cst_9 = arith.constant 3.200000e+01 : f64
    %cst_10 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<12xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<12xi64>) {
    ^bb0(%out: i64):
      %152 = linalg.index 0 : index
      %153 = arith.index_cast %152 : index to i64
      linalg.yield %153 : i64
    } -> tensor<12xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 12] : tensor<12xi64> into tensor<1x12xi64>
    %expanded_11 = tensor.expand_shape %1 [[0, 1]] output_shape [12, 1] : tensor<12xi64> into tensor<12x1xi64>
    %2 = tensor.empty() : tensor<12x12xi64>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_11 : tensor<1x12xi64>, tensor<12x1xi64>) outs(%2 : tensor<12x12xi64>) {
    ^bb0(%in: i64, %in_83: i64, %out: i64):
      %152 = arith.subi %in, %in_83 : i64
      linalg.yield %152 : i64
    } -> tensor<12x12xi64>
    %4 = tensor.empty() : tensor<12x12xi1>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<12x12xi64>) outs(%4 : tensor<12x12xi1>) {
    ^bb0(%in: i64, %out: i1):
      %152 = arith.cmpi sge, %in, %c1_i64 : i64
      linalg.yield %152 : i1
    } -> tensor<12x12xi1>
    %6 = tensor.empty() : tensor<12x12xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%5, %cst_5, %cst_4 : tensor<12x12xi1>, tensor<12x12xf32>, tensor<f32>) outs(%6 : tensor<12x12xf32>) {
    ^bb0(%in: i1, %in_83: f32, %in_84: f32, %out: f32):
      %152 = arith.select %in, %in_83, %in_84 : f32
      linalg.yield %152 : f32
    } -> tensor<12x12xf32>
    %8 = tensor.empty() : tensor<12x2x32xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x12x32xf32>) outs(%8 : tensor<12x2x32xf32>) permutation = [1, 0, 2] 
    %9 = tensor.empty() : tensor<32x96xf32>
    %transposed_12 = linalg.transpose ins(%arg2 : tensor<96x32xf32>) outs(%9 : tensor<32x96xf32>) permutation = [1, 0] 
    %10 = tensor.empty() : tensor<12x32x96xf32>
    %11 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_12 : tensor<32x96xf32>) outs(%10 : tensor<12x32x96xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x32x96xf32>
    %12 = tensor.empty() : tensor<12x2x96xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<12x2x96xf32>) -> tensor<12x2x96xf32>
    %14 = linalg.batch_matmul ins(%transposed, %11 : tensor<12x2x32xf32>, tensor<12x32x96xf32>) outs(%13 : tensor<12x2x96xf32>) -> tensor<12x2x96xf32>
    %15 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %arg3 : tensor<12x2x96xf32>, tensor<96xf32>) outs(%12 : tensor<12x2x96xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<12x2x96xf32>
    %expanded_13 = tensor.expand_shape %15 [[0, 1], [2], [3, 4]] output_shape [1, 12, 2, 3, 32] : tensor<12x2x96xf32> into tensor<1x12x2x3x32xf32>
    %16 = tensor.empty() : tensor<3x12x2x1x32xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<1x12x2x3x32xf32>) outs(%16 : tensor<3x12x2x1x32xf32>) permutation = [3, 1, 2, 0, 4] 
    %collapsed = tensor.collapse_shape %transposed_14 [[0], [1], [2, 3], [4]] : tensor<3x12x2x1x32xf32> into tensor<3x12x2x32xf32>
    %extracted_slice = tensor.extract_slice %collapsed[0, 0, 0, 0] [1, 12, 2, 32] [1, 1, 1, 1] : tensor<3x12x2x32xf32> to tensor<1x12x2x32xf32>
    %extracted_slice_15 = tensor.extract_slice %collapsed[1, 0, 0, 0] [1, 12, 2, 32] [1, 1, 1, 1] : tensor<3x12x2x32xf32> to tensor<1x12x2x32xf32>
    %extracted_slice_16 = tensor.extract_slice %collapsed[2, 0, 0, 0] [1, 12, 2, 32] [1, 1, 1, 1] : tensor<3x12x2x32xf32> to tensor<1x12x2x32xf32>
    %collapsed_17 = tensor.collapse_shape %extracted_slice [[0, 1], [2, 3]] : tensor<1x12x2x32xf32> into tensor<12x64xf32>
    %expanded_18 = tensor.expand_shape %collapsed_17 [[0], [1, 2]] output_shape [12, 4, 16] : tensor<12x64xf32> into tensor<12x4x16xf32>
    %17 = tensor.empty() : tensor<4x12x16xf32>
    %transposed_19 = linalg.transpose ins(%expanded_18 : tensor<12x4x16xf32>) outs(%17 : tensor<4x12x16xf32>) permutation = [1, 0, 2] 
    %collapsed_20 = tensor.collapse_shape %extracted_slice_15 [[0, 1], [2, 3]] : tensor<1x12x2x32xf32> into tensor<12x64xf32>
    %expanded_21 = tensor.expand_shape %collapsed_20 [[0], [1, 2]] output_shape [12, 4, 16] : tensor<12x64xf32> into tensor<12x4x16xf32>
    %transposed_22 = linalg.transpose ins(%expanded_21 : tensor<12x4x16xf32>) outs(%17 : tensor<4x12x16xf32>) permutation = [1, 0, 2] 
    %collapsed_23 = tensor.collapse_shape %extracted_slice_16 [[0, 1], [2, 3]] : tensor<1x12x2x32xf32> into tensor<12x64xf32>
    %expanded_24 = tensor.expand_shape %collapsed_23 [[0], [1, 2]] output_shape [12, 4, 16] : tensor<12x64xf32> into tensor<12x4x16xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<12x4x16xf32>) outs(%17 : tensor<4x12x16xf32>) permutation = [1, 0, 2] 
    %expanded_26 = tensor.expand_shape %7 [[0, 1, 2], [3]] output_shape [1, 1, 12, 12] : tensor<12x12xf32> into tensor<1x1x12x12xf32>
    %expanded_27 = tensor.expand_shape %transposed_19 [[0, 1], [2], [3]] output_shape [2, 2, 12, 16] : tensor<4x12x16xf32> into tensor<2x2x12x16xf32>
    %expanded_28 = tensor.expand_shape %transposed_22 [[0, 1], [2], [3]] output_shape [2, 2, 12, 16] : tensor<4x12x16xf32> into tensor<2x2x12x16xf32>
    %18 = tensor.empty() : tensor<2x2x12x16xf32>
    %19 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_27 : tensor<2x2x12x16xf32>) outs(%18 : tensor<2x2x12x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.mulf %in, %cst_8 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x16xf32>
    %20 = tensor.empty() : tensor<2x2x16x12xf32>
    %transposed_29 = linalg.transpose ins(%expanded_28 : tensor<2x2x12x16xf32>) outs(%20 : tensor<2x2x16x12xf32>) permutation = [0, 1, 3, 2] 
    %21 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_29 : tensor<2x2x16x12xf32>) outs(%20 : tensor<2x2x16x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.mulf %in, %cst_8 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x16x12xf32>
    %collapsed_30 = tensor.collapse_shape %19 [[0, 1], [2], [3]] : tensor<2x2x12x16xf32> into tensor<4x12x16xf32>
    %collapsed_31 = tensor.collapse_shape %21 [[0, 1], [2], [3]] : tensor<2x2x16x12xf32> into tensor<4x16x12xf32>
    %22 = tensor.empty() : tensor<4x12x12xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<4x12x12xf32>) -> tensor<4x12x12xf32>
    %24 = linalg.batch_matmul ins(%collapsed_30, %collapsed_31 : tensor<4x12x16xf32>, tensor<4x16x12xf32>) outs(%23 : tensor<4x12x12xf32>) -> tensor<4x12x12xf32>
    %expanded_32 = tensor.expand_shape %24 [[0, 1], [2], [3]] output_shape [2, 2, 12, 12] : tensor<4x12x12xf32> into tensor<2x2x12x12xf32>
    %25 = tensor.empty() : tensor<2x2x12x12xf32>
    %26 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_32, %expanded_26 : tensor<2x2x12x12xf32>, tensor<1x1x12x12xf32>) outs(%25 : tensor<2x2x12x12xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x12xf32>
    %27 = tensor.empty() : tensor<2x2x12xi64>
    %28 = linalg.fill ins(%c0_i64 : i64) outs(%27 : tensor<2x2x12xi64>) -> tensor<2x2x12xi64>
    %29 = tensor.empty() : tensor<2x2x12xf32>
    %30 = linalg.fill ins(%cst_0 : f32) outs(%29 : tensor<2x2x12xf32>) -> tensor<2x2x12xf32>
    %31:2 = linalg.generic {indexing_maps = [#map8, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%26 : tensor<2x2x12x12xf32>) outs(%30, %28 : tensor<2x2x12xf32>, tensor<2x2x12xi64>) {
    ^bb0(%in: f32, %out: f32, %out_83: i64):
      %152 = linalg.index 3 : index
      %153 = arith.index_cast %152 : index to i64
      %154 = arith.maximumf %in, %out : f32
      %155 = arith.cmpf ogt, %in, %out : f32
      %156 = arith.select %155, %153, %out_83 : i64
      linalg.yield %154, %156 : f32, i64
    } -> (tensor<2x2x12xf32>, tensor<2x2x12xi64>)
    %expanded_33 = tensor.expand_shape %31#0 [[0], [1], [2, 3]] output_shape [2, 2, 12, 1] : tensor<2x2x12xf32> into tensor<2x2x12x1xf32>
    %32 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %expanded_33 : tensor<2x2x12x12xf32>, tensor<2x2x12x1xf32>) outs(%25 : tensor<2x2x12x12xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.subf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x12xf32>
    %33 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x2x12x12xf32>) outs(%25 : tensor<2x2x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = math.exp %in : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x12xf32>
    %34 = tensor.empty() : tensor<2x2x12x1xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<2x2x12x1xf32>) -> tensor<2x2x12x1xf32>
    %36 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<2x2x12x12xf32>) outs(%35 : tensor<2x2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.addf %in, %out : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x1xf32>
    %37 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %36 : tensor<2x2x12x12xf32>, tensor<2x2x12x1xf32>) outs(%25 : tensor<2x2x12x12xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.divf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x12xf32>
    %38 = tensor.empty() : tensor<2x2x12x12xi1>
    %39 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x2x12x12xf32>) outs(%38 : tensor<2x2x12x12xi1>) {
    ^bb0(%in: f32, %out: i1):
      %152 = arith.extf %in : f32 to f64
      %153 = arith.cmpf oeq, %152, %cst_7 : f64
      linalg.yield %153 : i1
    } -> tensor<2x2x12x12xi1>
    %40 = tensor.empty() : tensor<2x2x12x1xi1>
    %41 = linalg.fill ins(%true : i1) outs(%40 : tensor<2x2x12x1xi1>) -> tensor<2x2x12x1xi1>
    %42 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%39 : tensor<2x2x12x12xi1>) outs(%41 : tensor<2x2x12x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %152 = arith.andi %in, %out : i1
      linalg.yield %152 : i1
    } -> tensor<2x2x12x1xi1>
    %43 = linalg.generic {indexing_maps = [#map11, #map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %cst_3, %37 : tensor<2x2x12x1xi1>, tensor<2x2x12x12xf32>, tensor<2x2x12x12xf32>) outs(%25 : tensor<2x2x12x12xf32>) {
    ^bb0(%in: i1, %in_83: f32, %in_84: f32, %out: f32):
      %152 = arith.select %in, %in_83, %in_84 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x12xf32>
    %collapsed_34 = tensor.collapse_shape %43 [[0, 1], [2], [3]] : tensor<2x2x12x12xf32> into tensor<4x12x12xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%17 : tensor<4x12x16xf32>) -> tensor<4x12x16xf32>
    %45 = linalg.batch_matmul ins(%collapsed_34, %transposed_25 : tensor<4x12x12xf32>, tensor<4x12x16xf32>) outs(%44 : tensor<4x12x16xf32>) -> tensor<4x12x16xf32>
    %expanded_35 = tensor.expand_shape %45 [[0, 1], [2], [3]] output_shape [2, 2, 12, 16] : tensor<4x12x16xf32> into tensor<2x2x12x16xf32>
    %46 = tensor.empty() : tensor<12x2x2x16xf32>
    %transposed_36 = linalg.transpose ins(%expanded_35 : tensor<2x2x12x16xf32>) outs(%46 : tensor<12x2x2x16xf32>) permutation = [2, 0, 1, 3] 
    %collapsed_37 = tensor.collapse_shape %transposed_36 [[0, 1], [2, 3]] : tensor<12x2x2x16xf32> into tensor<24x32xf32>
    %47 = tensor.empty() : tensor<32x32xf32>
    %transposed_38 = linalg.transpose ins(%arg4 : tensor<32x32xf32>) outs(%47 : tensor<32x32xf32>) permutation = [1, 0] 
    %48 = tensor.empty() : tensor<24x32xf32>
    %49 = linalg.fill ins(%cst : f32) outs(%48 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %50 = linalg.matmul ins(%collapsed_37, %transposed_38 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%49 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %51 = linalg.generic {indexing_maps = [#map3, #map12, #map3], iterator_types = ["parallel", "parallel"]} ins(%50, %arg5 : tensor<24x32xf32>, tensor<32xf32>) outs(%48 : tensor<24x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<24x32xf32>
    %expanded_39 = tensor.expand_shape %51 [[0, 1], [2]] output_shape [12, 2, 32] : tensor<24x32xf32> into tensor<12x2x32xf32>
    %52 = tensor.empty() : tensor<2x12x32xf32>
    %transposed_40 = linalg.transpose ins(%expanded_39 : tensor<12x2x32xf32>) outs(%52 : tensor<2x12x32xf32>) permutation = [1, 0, 2] 
    %53 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %transposed_40 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %54 = tensor.empty() : tensor<2x12x32xf64>
    %55 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%53 : tensor<2x12x32xf32>) outs(%54 : tensor<2x12x32xf64>) {
    ^bb0(%in: f32, %out: f64):
      %152 = arith.extf %in : f32 to f64
      linalg.yield %152 : f64
    } -> tensor<2x12x32xf64>
    %56 = tensor.empty() : tensor<2x12x1xf64>
    %57 = linalg.fill ins(%cst_1 : f64) outs(%56 : tensor<2x12x1xf64>) -> tensor<2x12x1xf64>
    %58 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%55 : tensor<2x12x32xf64>) outs(%57 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.addf %in, %out : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %59 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<2x12x1xf64>) outs(%56 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.divf %in, %cst_9 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %60 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %59 : tensor<2x12x32xf64>, tensor<2x12x1xf64>) outs(%54 : tensor<2x12x32xf64>) {
    ^bb0(%in: f64, %in_83: f64, %out: f64):
      %152 = arith.subf %in, %in_83 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x32xf64>
    %61 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60, %60 : tensor<2x12x32xf64>, tensor<2x12x32xf64>) outs(%54 : tensor<2x12x32xf64>) {
    ^bb0(%in: f64, %in_83: f64, %out: f64):
      %152 = arith.mulf %in, %in_83 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x32xf64>
    %62 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%61 : tensor<2x12x32xf64>) outs(%57 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.addf %in, %out : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %63 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<2x12x1xf64>) outs(%56 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.divf %in, %cst_9 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %64 = tensor.empty() : tensor<2x12x1xf32>
    %65 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<2x12x1xf64>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %152 = arith.truncf %in : f64 to f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %66 = linalg.fill ins(%cst : f32) outs(%64 : tensor<2x12x1xf32>) -> tensor<2x12x1xf32>
    %67 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%53 : tensor<2x12x32xf32>) outs(%66 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.addf %in, %out : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %68 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<2x12x1xf32>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.divf %in, %cst_10 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %69 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<2x12x1xf32>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.truncf %cst_6 : f64 to f32
      %153 = arith.addf %in, %152 : f32
      linalg.yield %153 : f32
    } -> tensor<2x12x1xf32>
    %70 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<2x12x1xf32>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = math.rsqrt %in : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %71 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%53, %68 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.subf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %72 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71, %70 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.mulf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %73 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72, %arg14 : tensor<2x12x32xf32>, tensor<32xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.mulf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %74 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %arg15 : tensor<2x12x32xf32>, tensor<32xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %transposed_41 = linalg.transpose ins(%74 : tensor<2x12x32xf32>) outs(%8 : tensor<12x2x32xf32>) permutation = [1, 0, 2] 
    %75 = tensor.empty() : tensor<20x2x32xf32>
    %transposed_42 = linalg.transpose ins(%arg1 : tensor<2x20x32xf32>) outs(%75 : tensor<20x2x32xf32>) permutation = [1, 0, 2] 
    %extracted_slice_43 = tensor.extract_slice %arg6[0, 0] [32, 32] [1, 1] : tensor<96x32xf32> to tensor<32x32xf32>
    %extracted_slice_44 = tensor.extract_slice %arg6[32, 0] [64, 32] [1, 1] : tensor<96x32xf32> to tensor<64x32xf32>
    %extracted_slice_45 = tensor.extract_slice %arg7[0] [32] [1] : tensor<96xf32> to tensor<32xf32>
    %extracted_slice_46 = tensor.extract_slice %arg7[32] [64] [1] : tensor<96xf32> to tensor<64xf32>
    %transposed_47 = linalg.transpose ins(%extracted_slice_43 : tensor<32x32xf32>) outs(%47 : tensor<32x32xf32>) permutation = [1, 0] 
    %76 = tensor.empty() : tensor<12x32x32xf32>
    %77 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_47 : tensor<32x32xf32>) outs(%76 : tensor<12x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12x32x32xf32>
    %78 = linalg.fill ins(%cst : f32) outs(%8 : tensor<12x2x32xf32>) -> tensor<12x2x32xf32>
    %79 = linalg.batch_matmul ins(%transposed_41, %77 : tensor<12x2x32xf32>, tensor<12x32x32xf32>) outs(%78 : tensor<12x2x32xf32>) -> tensor<12x2x32xf32>
    %80 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79, %extracted_slice_45 : tensor<12x2x32xf32>, tensor<32xf32>) outs(%8 : tensor<12x2x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<12x2x32xf32>
    %81 = tensor.empty() : tensor<32x64xf32>
    %transposed_48 = linalg.transpose ins(%extracted_slice_44 : tensor<64x32xf32>) outs(%81 : tensor<32x64xf32>) permutation = [1, 0] 
    %82 = tensor.empty() : tensor<20x32x64xf32>
    %83 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_48 : tensor<32x64xf32>) outs(%82 : tensor<20x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<20x32x64xf32>
    %84 = tensor.empty() : tensor<20x2x64xf32>
    %85 = linalg.fill ins(%cst : f32) outs(%84 : tensor<20x2x64xf32>) -> tensor<20x2x64xf32>
    %86 = linalg.batch_matmul ins(%transposed_42, %83 : tensor<20x2x32xf32>, tensor<20x32x64xf32>) outs(%85 : tensor<20x2x64xf32>) -> tensor<20x2x64xf32>
    %87 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %extracted_slice_46 : tensor<20x2x64xf32>, tensor<64xf32>) outs(%84 : tensor<20x2x64xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<20x2x64xf32>
    %expanded_49 = tensor.expand_shape %87 [[0, 1], [2], [3, 4]] output_shape [1, 20, 2, 2, 32] : tensor<20x2x64xf32> into tensor<1x20x2x2x32xf32>
    %88 = tensor.empty() : tensor<2x20x2x1x32xf32>
    %transposed_50 = linalg.transpose ins(%expanded_49 : tensor<1x20x2x2x32xf32>) outs(%88 : tensor<2x20x2x1x32xf32>) permutation = [3, 1, 2, 0, 4] 
    %collapsed_51 = tensor.collapse_shape %transposed_50 [[0], [1], [2, 3], [4]] : tensor<2x20x2x1x32xf32> into tensor<2x20x2x32xf32>
    %extracted_slice_52 = tensor.extract_slice %collapsed_51[0, 0, 0, 0] [1, 20, 2, 32] [1, 1, 1, 1] : tensor<2x20x2x32xf32> to tensor<1x20x2x32xf32>
    %extracted_slice_53 = tensor.extract_slice %collapsed_51[1, 0, 0, 0] [1, 20, 2, 32] [1, 1, 1, 1] : tensor<2x20x2x32xf32> to tensor<1x20x2x32xf32>
    %collapsed_54 = tensor.collapse_shape %80 [[0], [1, 2]] : tensor<12x2x32xf32> into tensor<12x64xf32>
    %expanded_55 = tensor.expand_shape %collapsed_54 [[0], [1, 2]] output_shape [12, 4, 16] : tensor<12x64xf32> into tensor<12x4x16xf32>
    %transposed_56 = linalg.transpose ins(%expanded_55 : tensor<12x4x16xf32>) outs(%17 : tensor<4x12x16xf32>) permutation = [1, 0, 2] 
    %collapsed_57 = tensor.collapse_shape %extracted_slice_52 [[0, 1], [2, 3]] : tensor<1x20x2x32xf32> into tensor<20x64xf32>
    %expanded_58 = tensor.expand_shape %collapsed_57 [[0], [1, 2]] output_shape [20, 4, 16] : tensor<20x64xf32> into tensor<20x4x16xf32>
    %89 = tensor.empty() : tensor<4x20x16xf32>
    %transposed_59 = linalg.transpose ins(%expanded_58 : tensor<20x4x16xf32>) outs(%89 : tensor<4x20x16xf32>) permutation = [1, 0, 2] 
    %collapsed_60 = tensor.collapse_shape %extracted_slice_53 [[0, 1], [2, 3]] : tensor<1x20x2x32xf32> into tensor<20x64xf32>
    %expanded_61 = tensor.expand_shape %collapsed_60 [[0], [1, 2]] output_shape [20, 4, 16] : tensor<20x64xf32> into tensor<20x4x16xf32>
    %transposed_62 = linalg.transpose ins(%expanded_61 : tensor<20x4x16xf32>) outs(%89 : tensor<4x20x16xf32>) permutation = [1, 0, 2] 
    %expanded_63 = tensor.expand_shape %transposed_56 [[0, 1], [2], [3]] output_shape [2, 2, 12, 16] : tensor<4x12x16xf32> into tensor<2x2x12x16xf32>
    %expanded_64 = tensor.expand_shape %transposed_59 [[0, 1], [2], [3]] output_shape [2, 2, 20, 16] : tensor<4x20x16xf32> into tensor<2x2x20x16xf32>
    %90 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_63 : tensor<2x2x12x16xf32>) outs(%18 : tensor<2x2x12x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.mulf %in, %cst_8 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x16xf32>
    %91 = tensor.empty() : tensor<2x2x16x20xf32>
    %transposed_65 = linalg.transpose ins(%expanded_64 : tensor<2x2x20x16xf32>) outs(%91 : tensor<2x2x16x20xf32>) permutation = [0, 1, 3, 2] 
    %92 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_65 : tensor<2x2x16x20xf32>) outs(%91 : tensor<2x2x16x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.mulf %in, %cst_8 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x16x20xf32>
    %collapsed_66 = tensor.collapse_shape %90 [[0, 1], [2], [3]] : tensor<2x2x12x16xf32> into tensor<4x12x16xf32>
    %collapsed_67 = tensor.collapse_shape %92 [[0, 1], [2], [3]] : tensor<2x2x16x20xf32> into tensor<4x16x20xf32>
    %93 = tensor.empty() : tensor<4x12x20xf32>
    %94 = linalg.fill ins(%cst : f32) outs(%93 : tensor<4x12x20xf32>) -> tensor<4x12x20xf32>
    %95 = linalg.batch_matmul ins(%collapsed_66, %collapsed_67 : tensor<4x12x16xf32>, tensor<4x16x20xf32>) outs(%94 : tensor<4x12x20xf32>) -> tensor<4x12x20xf32>
    %expanded_68 = tensor.expand_shape %95 [[0, 1], [2], [3]] output_shape [2, 2, 12, 20] : tensor<4x12x20xf32> into tensor<2x2x12x20xf32>
    %96:2 = linalg.generic {indexing_maps = [#map8, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%expanded_68 : tensor<2x2x12x20xf32>) outs(%30, %28 : tensor<2x2x12xf32>, tensor<2x2x12xi64>) {
    ^bb0(%in: f32, %out: f32, %out_83: i64):
      %152 = linalg.index 3 : index
      %153 = arith.index_cast %152 : index to i64
      %154 = arith.maximumf %in, %out : f32
      %155 = arith.cmpf ogt, %in, %out : f32
      %156 = arith.select %155, %153, %out_83 : i64
      linalg.yield %154, %156 : f32, i64
    } -> (tensor<2x2x12xf32>, tensor<2x2x12xi64>)
    %expanded_69 = tensor.expand_shape %96#0 [[0], [1], [2, 3]] output_shape [2, 2, 12, 1] : tensor<2x2x12xf32> into tensor<2x2x12x1xf32>
    %97 = tensor.empty() : tensor<2x2x12x20xf32>
    %98 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_68, %expanded_69 : tensor<2x2x12x20xf32>, tensor<2x2x12x1xf32>) outs(%97 : tensor<2x2x12x20xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.subf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x20xf32>
    %99 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%98 : tensor<2x2x12x20xf32>) outs(%97 : tensor<2x2x12x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = math.exp %in : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x20xf32>
    %100 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%99 : tensor<2x2x12x20xf32>) outs(%35 : tensor<2x2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.addf %in, %out : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x1xf32>
    %101 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%99, %100 : tensor<2x2x12x20xf32>, tensor<2x2x12x1xf32>) outs(%97 : tensor<2x2x12x20xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.divf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x20xf32>
    %102 = tensor.empty() : tensor<2x2x12x20xi1>
    %103 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_68 : tensor<2x2x12x20xf32>) outs(%102 : tensor<2x2x12x20xi1>) {
    ^bb0(%in: f32, %out: i1):
      %152 = arith.extf %in : f32 to f64
      %153 = arith.cmpf oeq, %152, %cst_7 : f64
      linalg.yield %153 : i1
    } -> tensor<2x2x12x20xi1>
    %104 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%103 : tensor<2x2x12x20xi1>) outs(%41 : tensor<2x2x12x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %152 = arith.andi %in, %out : i1
      linalg.yield %152 : i1
    } -> tensor<2x2x12x1xi1>
    %105 = linalg.generic {indexing_maps = [#map11, #map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%104, %cst_2, %101 : tensor<2x2x12x1xi1>, tensor<2x2x12x20xf32>, tensor<2x2x12x20xf32>) outs(%97 : tensor<2x2x12x20xf32>) {
    ^bb0(%in: i1, %in_83: f32, %in_84: f32, %out: f32):
      %152 = arith.select %in, %in_83, %in_84 : f32
      linalg.yield %152 : f32
    } -> tensor<2x2x12x20xf32>
    %collapsed_70 = tensor.collapse_shape %105 [[0, 1], [2], [3]] : tensor<2x2x12x20xf32> into tensor<4x12x20xf32>
    %106 = linalg.batch_matmul ins(%collapsed_70, %transposed_62 : tensor<4x12x20xf32>, tensor<4x20x16xf32>) outs(%44 : tensor<4x12x16xf32>) -> tensor<4x12x16xf32>
    %expanded_71 = tensor.expand_shape %106 [[0, 1], [2], [3]] output_shape [2, 2, 12, 16] : tensor<4x12x16xf32> into tensor<2x2x12x16xf32>
    %transposed_72 = linalg.transpose ins(%expanded_71 : tensor<2x2x12x16xf32>) outs(%46 : tensor<12x2x2x16xf32>) permutation = [2, 0, 1, 3] 
    %collapsed_73 = tensor.collapse_shape %transposed_72 [[0, 1], [2, 3]] : tensor<12x2x2x16xf32> into tensor<24x32xf32>
    %transposed_74 = linalg.transpose ins(%arg8 : tensor<32x32xf32>) outs(%47 : tensor<32x32xf32>) permutation = [1, 0] 
    %107 = linalg.matmul ins(%collapsed_73, %transposed_74 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%49 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %108 = linalg.generic {indexing_maps = [#map3, #map12, #map3], iterator_types = ["parallel", "parallel"]} ins(%107, %arg9 : tensor<24x32xf32>, tensor<32xf32>) outs(%48 : tensor<24x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<24x32xf32>
    %expanded_75 = tensor.expand_shape %108 [[0, 1], [2]] output_shape [12, 2, 32] : tensor<24x32xf32> into tensor<12x2x32xf32>
    %transposed_76 = linalg.transpose ins(%expanded_75 : tensor<12x2x32xf32>) outs(%52 : tensor<2x12x32xf32>) permutation = [1, 0, 2] 
    %109 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %transposed_76 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %110 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109 : tensor<2x12x32xf32>) outs(%54 : tensor<2x12x32xf64>) {
    ^bb0(%in: f32, %out: f64):
      %152 = arith.extf %in : f32 to f64
      linalg.yield %152 : f64
    } -> tensor<2x12x32xf64>
    %111 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%110 : tensor<2x12x32xf64>) outs(%57 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.addf %in, %out : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %112 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111 : tensor<2x12x1xf64>) outs(%56 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.divf %in, %cst_9 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %113 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %112 : tensor<2x12x32xf64>, tensor<2x12x1xf64>) outs(%54 : tensor<2x12x32xf64>) {
    ^bb0(%in: f64, %in_83: f64, %out: f64):
      %152 = arith.subf %in, %in_83 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x32xf64>
    %114 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113, %113 : tensor<2x12x32xf64>, tensor<2x12x32xf64>) outs(%54 : tensor<2x12x32xf64>) {
    ^bb0(%in: f64, %in_83: f64, %out: f64):
      %152 = arith.mulf %in, %in_83 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x32xf64>
    %115 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%114 : tensor<2x12x32xf64>) outs(%57 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.addf %in, %out : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %116 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115 : tensor<2x12x1xf64>) outs(%56 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.divf %in, %cst_9 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %117 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116 : tensor<2x12x1xf64>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %152 = arith.truncf %in : f64 to f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %118 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%109 : tensor<2x12x32xf32>) outs(%66 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.addf %in, %out : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %119 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118 : tensor<2x12x1xf32>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.divf %in, %cst_10 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %120 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%117 : tensor<2x12x1xf32>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.truncf %cst_6 : f64 to f32
      %153 = arith.addf %in, %152 : f32
      linalg.yield %153 : f32
    } -> tensor<2x12x1xf32>
    %121 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120 : tensor<2x12x1xf32>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = math.rsqrt %in : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %122 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109, %119 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.subf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %123 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%122, %121 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.mulf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %124 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%123, %arg16 : tensor<2x12x32xf32>, tensor<32xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.mulf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %125 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%124, %arg17 : tensor<2x12x32xf32>, tensor<32xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %collapsed_77 = tensor.collapse_shape %125 [[0, 1], [2]] : tensor<2x12x32xf32> into tensor<24x32xf32>
    %transposed_78 = linalg.transpose ins(%arg10 : tensor<64x32xf32>) outs(%81 : tensor<32x64xf32>) permutation = [1, 0] 
    %126 = tensor.empty() : tensor<24x64xf32>
    %127 = linalg.fill ins(%cst : f32) outs(%126 : tensor<24x64xf32>) -> tensor<24x64xf32>
    %128 = linalg.matmul ins(%collapsed_77, %transposed_78 : tensor<24x32xf32>, tensor<32x64xf32>) outs(%127 : tensor<24x64xf32>) -> tensor<24x64xf32>
    %129 = linalg.generic {indexing_maps = [#map3, #map12, #map3], iterator_types = ["parallel", "parallel"]} ins(%128, %arg11 : tensor<24x64xf32>, tensor<64xf32>) outs(%126 : tensor<24x64xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<24x64xf32>
    %expanded_79 = tensor.expand_shape %129 [[0, 1], [2]] output_shape [2, 12, 64] : tensor<24x64xf32> into tensor<2x12x64xf32>
    %130 = tensor.empty() : tensor<2x12x64xf32>
    %131 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_79 : tensor<2x12x64xf32>) outs(%130 : tensor<2x12x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.cmpf ugt, %in, %cst : f32
      %153 = arith.select %152, %in, %cst : f32
      linalg.yield %153 : f32
    } -> tensor<2x12x64xf32>
    %collapsed_80 = tensor.collapse_shape %131 [[0, 1], [2]] : tensor<2x12x64xf32> into tensor<24x64xf32>
    %132 = tensor.empty() : tensor<64x32xf32>
    %transposed_81 = linalg.transpose ins(%arg12 : tensor<32x64xf32>) outs(%132 : tensor<64x32xf32>) permutation = [1, 0] 
    %133 = linalg.matmul ins(%collapsed_80, %transposed_81 : tensor<24x64xf32>, tensor<64x32xf32>) outs(%49 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %134 = linalg.generic {indexing_maps = [#map3, #map12, #map3], iterator_types = ["parallel", "parallel"]} ins(%133, %arg13 : tensor<24x32xf32>, tensor<32xf32>) outs(%48 : tensor<24x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<24x32xf32>
    %expanded_82 = tensor.expand_shape %134 [[0, 1], [2]] output_shape [2, 12, 32] : tensor<24x32xf32> into tensor<2x12x32xf32>
    %135 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%125, %expanded_82 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %136 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%135 : tensor<2x12x32xf32>) outs(%54 : tensor<2x12x32xf64>) {
    ^bb0(%in: f32, %out: f64):
      %152 = arith.extf %in : f32 to f64
      linalg.yield %152 : f64
    } -> tensor<2x12x32xf64>
    %137 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%136 : tensor<2x12x32xf64>) outs(%57 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.addf %in, %out : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %138 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137 : tensor<2x12x1xf64>) outs(%56 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.divf %in, %cst_9 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %139 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136, %138 : tensor<2x12x32xf64>, tensor<2x12x1xf64>) outs(%54 : tensor<2x12x32xf64>) {
    ^bb0(%in: f64, %in_83: f64, %out: f64):
      %152 = arith.subf %in, %in_83 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x32xf64>
    %140 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139, %139 : tensor<2x12x32xf64>, tensor<2x12x32xf64>) outs(%54 : tensor<2x12x32xf64>) {
    ^bb0(%in: f64, %in_83: f64, %out: f64):
      %152 = arith.mulf %in, %in_83 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x32xf64>
    %141 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%140 : tensor<2x12x32xf64>) outs(%57 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.addf %in, %out : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %142 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%141 : tensor<2x12x1xf64>) outs(%56 : tensor<2x12x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %152 = arith.divf %in, %cst_9 : f64
      linalg.yield %152 : f64
    } -> tensor<2x12x1xf64>
    %143 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%142 : tensor<2x12x1xf64>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %152 = arith.truncf %in : f64 to f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %144 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%135 : tensor<2x12x32xf32>) outs(%66 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.addf %in, %out : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %145 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%144 : tensor<2x12x1xf32>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.divf %in, %cst_10 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %146 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%143 : tensor<2x12x1xf32>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = arith.truncf %cst_6 : f64 to f32
      %153 = arith.addf %in, %152 : f32
      linalg.yield %153 : f32
    } -> tensor<2x12x1xf32>
    %147 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%146 : tensor<2x12x1xf32>) outs(%64 : tensor<2x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %152 = math.rsqrt %in : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x1xf32>
    %148 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%135, %145 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.subf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %149 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%148, %147 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.mulf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %150 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%149, %arg18 : tensor<2x12x32xf32>, tensor<32xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.mulf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    %151 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150, %arg19 : tensor<2x12x32xf32>, tensor<32xf32>) outs(%52 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_83: f32, %out: f32):
      %152 = arith.addf %in, %in_83 : f32
      linalg.yield %152 : f32
    } -> tensor<2x12x32xf32>
    return %151 : tensor<2x12x32xf32>
  }
}
