// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py mha_padding_f32

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (0, 0)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d3, d5)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map10 = affine_map<(d0, d1) -> (0, d1)>
module {
  func.func @mha_padding_f32(%arg0: tensor<2x16x32xf32>, %arg1: tensor<2x16xi1>, %arg2: tensor<96x32xf32>, %arg3: tensor<96xf32>, %arg4: tensor<32x32xf32>, %arg5: tensor<32xf32>) -> tensor<2x16x32xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<2x4x16x16xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<2x16xf32>
    %cst_1 = arith.constant dense<0xFF800000> : tensor<1x1xf32>
    %cst_2 = arith.constant dense<0.594603539> : tensor<1x1x1x1xf32>
    %cst_3 = arith.constant dense<0xFFF0000000000000> : tensor<1x1x1x1xf64>
    %0 = tensor.empty() : tensor<2x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %cst_1, %cst_0 : tensor<2x16xi1>, tensor<1x1xf32>, tensor<2x16xf32>) outs(%0 : tensor<2x16xf32>) {
    ^bb0(%in: i1, %in_45: f32, %in_46: f32, %out: f32):
      %45 = arith.select %in, %in_45, %in_46 : f32
      linalg.yield %45 : f32
    } -> tensor<2x16xf32>
    %2 = tensor.empty() : tensor<16x2x32xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x16x32xf32>) outs(%2 : tensor<16x2x32xf32>) permutation = [1, 0, 2] 
    %3 = tensor.empty() : tensor<32x96xf32>
    %transposed_4 = linalg.transpose ins(%arg2 : tensor<96x32xf32>) outs(%3 : tensor<32x96xf32>) permutation = [1, 0] 
    %expanded = tensor.expand_shape %transposed_4 [[0, 1], [2]] output_shape [1, 32, 96] : tensor<32x96xf32> into tensor<1x32x96xf32>
    %4 = tensor.empty() : tensor<16x1x1x32x1x96xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x32x96xf32>) outs(%4 : tensor<16x1x1x32x1x96xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x1x1x32x1x96xf32>
    %collapsed = tensor.collapse_shape %5 [[0, 1, 2], [3, 4], [5]] : tensor<16x1x1x32x1x96xf32> into tensor<16x32x96xf32>
    %cst_5 = arith.constant 0.000000e+00 : f32
    %6 = tensor.empty() : tensor<16x2x96xf32>
    %7 = linalg.fill ins(%cst_5 : f32) outs(%6 : tensor<16x2x96xf32>) -> tensor<16x2x96xf32>
    %8 = linalg.batch_matmul ins(%transposed, %collapsed : tensor<16x2x32xf32>, tensor<16x32x96xf32>) outs(%7 : tensor<16x2x96xf32>) -> tensor<16x2x96xf32>
    %expanded_6 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [1, 1, 96] : tensor<96xf32> into tensor<1x1x96xf32>
    %9 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %expanded_6 : tensor<16x2x96xf32>, tensor<1x1x96xf32>) outs(%6 : tensor<16x2x96xf32>) {
    ^bb0(%in: f32, %in_45: f32, %out: f32):
      %45 = arith.addf %in, %in_45 : f32
      linalg.yield %45 : f32
    } -> tensor<16x2x96xf32>
    %expanded_7 = tensor.expand_shape %9 [[0, 1], [2], [3, 4]] output_shape [1, 16, 2, 3, 32] : tensor<16x2x96xf32> into tensor<1x16x2x3x32xf32>
    %10 = tensor.empty() : tensor<3x16x2x1x32xf32>
    %transposed_8 = linalg.transpose ins(%expanded_7 : tensor<1x16x2x3x32xf32>) outs(%10 : tensor<3x16x2x1x32xf32>) permutation = [3, 1, 2, 0, 4] 
    %collapsed_9 = tensor.collapse_shape %transposed_8 [[0], [1], [2, 3], [4]] : tensor<3x16x2x1x32xf32> into tensor<3x16x2x32xf32>
    %extracted_slice = tensor.extract_slice %collapsed_9[0, 0, 0, 0] [1, 16, 2, 32] [1, 1, 1, 1] : tensor<3x16x2x32xf32> to tensor<1x16x2x32xf32>
    %extracted_slice_10 = tensor.extract_slice %collapsed_9[1, 0, 0, 0] [1, 16, 2, 32] [1, 1, 1, 1] : tensor<3x16x2x32xf32> to tensor<1x16x2x32xf32>
    %extracted_slice_11 = tensor.extract_slice %collapsed_9[2, 0, 0, 0] [1, 16, 2, 32] [1, 1, 1, 1] : tensor<3x16x2x32xf32> to tensor<1x16x2x32xf32>
    %collapsed_12 = tensor.collapse_shape %extracted_slice [[0, 1], [2, 3]] : tensor<1x16x2x32xf32> into tensor<16x64xf32>
    %expanded_13 = tensor.expand_shape %collapsed_12 [[0], [1, 2]] output_shape [16, 8, 8] : tensor<16x64xf32> into tensor<16x8x8xf32>
    %11 = tensor.empty() : tensor<8x16x8xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<16x8x8xf32>) outs(%11 : tensor<8x16x8xf32>) permutation = [1, 0, 2] 
    %collapsed_15 = tensor.collapse_shape %extracted_slice_10 [[0, 1], [2, 3]] : tensor<1x16x2x32xf32> into tensor<16x64xf32>
    %expanded_16 = tensor.expand_shape %collapsed_15 [[0], [1, 2]] output_shape [16, 8, 8] : tensor<16x64xf32> into tensor<16x8x8xf32>
    %transposed_17 = linalg.transpose ins(%expanded_16 : tensor<16x8x8xf32>) outs(%11 : tensor<8x16x8xf32>) permutation = [1, 0, 2] 
    %collapsed_18 = tensor.collapse_shape %extracted_slice_11 [[0, 1], [2, 3]] : tensor<1x16x2x32xf32> into tensor<16x64xf32>
    %expanded_19 = tensor.expand_shape %collapsed_18 [[0], [1, 2]] output_shape [16, 8, 8] : tensor<16x64xf32> into tensor<16x8x8xf32>
    %transposed_20 = linalg.transpose ins(%expanded_19 : tensor<16x8x8xf32>) outs(%11 : tensor<8x16x8xf32>) permutation = [1, 0, 2] 
    %expanded_21 = tensor.expand_shape %1 [[0, 1, 2], [3]] output_shape [2, 1, 1, 16] : tensor<2x16xf32> into tensor<2x1x1x16xf32>
    %expanded_22 = tensor.expand_shape %transposed_14 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xf32> into tensor<2x4x16x8xf32>
    %expanded_23 = tensor.expand_shape %transposed_17 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xf32> into tensor<2x4x16x8xf32>
    %12 = tensor.empty() : tensor<2x4x16x8xf32>
    %13 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_22, %cst_2 : tensor<2x4x16x8xf32>, tensor<1x1x1x1xf32>) outs(%12 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: f32, %in_45: f32, %out: f32):
      %45 = arith.mulf %in, %in_45 : f32
      linalg.yield %45 : f32
    } -> tensor<2x4x16x8xf32>
    %14 = tensor.empty() : tensor<2x4x8x16xf32>
    %transposed_24 = linalg.transpose ins(%expanded_23 : tensor<2x4x16x8xf32>) outs(%14 : tensor<2x4x8x16xf32>) permutation = [0, 1, 3, 2] 
    %15 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_24, %cst_2 : tensor<2x4x8x16xf32>, tensor<1x1x1x1xf32>) outs(%14 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %in_45: f32, %out: f32):
      %45 = arith.mulf %in, %in_45 : f32
      linalg.yield %45 : f32
    } -> tensor<2x4x8x16xf32>
    %collapsed_25 = tensor.collapse_shape %13 [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>
    %collapsed_26 = tensor.collapse_shape %15 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %16 = tensor.empty() : tensor<8x16x16xf32>
    %17 = linalg.fill ins(%cst_5 : f32) outs(%16 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %18 = linalg.batch_matmul ins(%collapsed_25, %collapsed_26 : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%17 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %expanded_27 = tensor.expand_shape %18 [[0, 1], [2], [3]] output_shape [2, 4, 16, 16] : tensor<8x16x16xf32> into tensor<2x4x16x16xf32>
    %19 = tensor.empty() : tensor<2x4x16x16xf32>
    %20 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_27, %expanded_21 : tensor<2x4x16x16xf32>, tensor<2x1x1x16xf32>) outs(%19 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_45: f32, %out: f32):
      %45 = arith.addf %in, %in_45 : f32
      linalg.yield %45 : f32
    } -> tensor<2x4x16x16xf32>
    %21 = tensor.empty() : tensor<2x4x16xf32>
    %cst_28 = arith.constant -3.40282347E+38 : f32
    %22 = linalg.fill ins(%cst_28 : f32) outs(%21 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    %reduced = linalg.reduce ins(%20 : tensor<2x4x16x16xf32>) outs(%22 : tensor<2x4x16xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %45 = arith.maximumf %in, %init : f32
        linalg.yield %45 : f32
      }
    %expanded_29 = tensor.expand_shape %reduced [[0], [1], [2, 3]] output_shape [2, 4, 16, 1] : tensor<2x4x16xf32> into tensor<2x4x16x1xf32>
    %23 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %expanded_29 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%19 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_45: f32, %out: f32):
      %45 = arith.subf %in, %in_45 : f32
      linalg.yield %45 : f32
    } -> tensor<2x4x16x16xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x4x16x16xf32>) outs(%19 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %45 = math.exp %in : f32
      linalg.yield %45 : f32
    } -> tensor<2x4x16x16xf32>
    %25 = linalg.fill ins(%cst_5 : f32) outs(%21 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    %reduced_30 = linalg.reduce ins(%24 : tensor<2x4x16x16xf32>) outs(%25 : tensor<2x4x16xf32>) dimensions = [3] 
      (%in: f32, %init: f32) {
        %45 = arith.addf %in, %init : f32
        linalg.yield %45 : f32
      }
    %expanded_31 = tensor.expand_shape %reduced_30 [[0], [1], [2, 3]] output_shape [2, 4, 16, 1] : tensor<2x4x16xf32> into tensor<2x4x16x1xf32>
    %26 = tensor.empty() : tensor<2x4x16x1xf32>
    %27 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_31 : tensor<2x4x16x1xf32>) outs(%26 : tensor<2x4x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %cst_45 = arith.constant 1.000000e+00 : f32
      %45 = arith.divf %cst_45, %in : f32
      linalg.yield %45 : f32
    } -> tensor<2x4x16x1xf32>
    %28 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %27 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%19 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_45: f32, %out: f32):
      %45 = arith.mulf %in, %in_45 : f32
      linalg.yield %45 : f32
    } -> tensor<2x4x16x16xf32>
    %29 = tensor.empty() : tensor<2x4x16x16xf64>
    %30 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x4x16x16xf32>) outs(%29 : tensor<2x4x16x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %45 = arith.extf %in : f32 to f64
      linalg.yield %45 : f64
    } -> tensor<2x4x16x16xf64>
    %31 = tensor.empty() : tensor<2x4x16x16xi1>
    %32 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %cst_3 : tensor<2x4x16x16xf64>, tensor<1x1x1x1xf64>) outs(%31 : tensor<2x4x16x16xi1>) {
    ^bb0(%in: f64, %in_45: f64, %out: i1):
      %45 = arith.cmpf oeq, %in, %in_45 : f64
      linalg.yield %45 : i1
    } -> tensor<2x4x16x16xi1>
    %33 = tensor.empty() : tensor<2x4x16xi1>
    %true = arith.constant true
    %34 = linalg.fill ins(%true : i1) outs(%33 : tensor<2x4x16xi1>) -> tensor<2x4x16xi1>
    %reduced_32 = linalg.reduce ins(%32 : tensor<2x4x16x16xi1>) outs(%34 : tensor<2x4x16xi1>) dimensions = [3] 
      (%in: i1, %init: i1) {
        %45 = arith.andi %in, %init : i1
        linalg.yield %45 : i1
      }
    %expanded_33 = tensor.expand_shape %reduced_32 [[0], [1], [2, 3]] output_shape [2, 4, 16, 1] : tensor<2x4x16xi1> into tensor<2x4x16x1xi1>
    %35 = linalg.generic {indexing_maps = [#map9, #map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_33, %cst, %28 : tensor<2x4x16x1xi1>, tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>) outs(%19 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: i1, %in_45: f32, %in_46: f32, %out: f32):
      %45 = arith.select %in, %in_45, %in_46 : f32
      linalg.yield %45 : f32
    } -> tensor<2x4x16x16xf32>
    %collapsed_34 = tensor.collapse_shape %35 [[0, 1], [2], [3]] : tensor<2x4x16x16xf32> into tensor<8x16x16xf32>
    %36 = linalg.fill ins(%cst_5 : f32) outs(%11 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
    %37 = linalg.batch_matmul ins(%collapsed_34, %transposed_20 : tensor<8x16x16xf32>, tensor<8x16x8xf32>) outs(%36 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
    %expanded_35 = tensor.expand_shape %37 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xf32> into tensor<2x4x16x8xf32>
    %38 = tensor.empty() : tensor<16x2x4x8xf32>
    %transposed_36 = linalg.transpose ins(%expanded_35 : tensor<2x4x16x8xf32>) outs(%38 : tensor<16x2x4x8xf32>) permutation = [2, 0, 1, 3] 
    %39 = tensor.empty() : tensor<32x32xf32>
    %transposed_37 = linalg.transpose ins(%arg4 : tensor<32x32xf32>) outs(%39 : tensor<32x32xf32>) permutation = [1, 0] 
    %collapsed_38 = tensor.collapse_shape %transposed_36 [[0, 1], [2, 3]] : tensor<16x2x4x8xf32> into tensor<32x32xf32>
    %expanded_39 = tensor.expand_shape %collapsed_38 [[0, 1], [2]] output_shape [1, 32, 32] : tensor<32x32xf32> into tensor<1x32x32xf32>
    %expanded_40 = tensor.expand_shape %transposed_37 [[0, 1], [2]] output_shape [1, 32, 32] : tensor<32x32xf32> into tensor<1x32x32xf32>
    %40 = tensor.empty() : tensor<1x32x32xf32>
    %41 = linalg.fill ins(%cst_5 : f32) outs(%40 : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
    %42 = linalg.batch_matmul ins(%expanded_39, %expanded_40 : tensor<1x32x32xf32>, tensor<1x32x32xf32>) outs(%41 : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
    %collapsed_41 = tensor.collapse_shape %42 [[0, 1], [2]] : tensor<1x32x32xf32> into tensor<32x32xf32>
    %expanded_42 = tensor.expand_shape %arg5 [[0, 1]] output_shape [1, 32] : tensor<32xf32> into tensor<1x32xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map10, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_41, %expanded_42 : tensor<32x32xf32>, tensor<1x32xf32>) outs(%39 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_45: f32, %out: f32):
      %45 = arith.addf %in, %in_45 : f32
      linalg.yield %45 : f32
    } -> tensor<32x32xf32>
    %expanded_43 = tensor.expand_shape %43 [[0, 1], [2]] output_shape [16, 2, 32] : tensor<32x32xf32> into tensor<16x2x32xf32>
    %44 = tensor.empty() : tensor<2x16x32xf32>
    %transposed_44 = linalg.transpose ins(%expanded_43 : tensor<16x2x32xf32>) outs(%44 : tensor<2x16x32xf32>) permutation = [1, 0, 2] 
    return %transposed_44 : tensor<2x16x32xf32>
  }
}
