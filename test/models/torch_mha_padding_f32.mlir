// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py mha_padding_f32

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map10 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @mha_padding_f32(%arg0: tensor<2x16x32xf32>, %arg1: tensor<2x16xi1>, %arg2: tensor<96x32xf32>, %arg3: tensor<96xf32>, %arg4: tensor<32x32xf32>, %arg5: tensor<32xf32>) -> tensor<2x16x32xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x4x16x16xf32>
    %cst_2 = arith.constant 0.59460355750136051 : f64
    %cst_3 = arith.constant 0xFFF0000000000000 : f64
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<2x16xf32>
    %cst_5 = arith.constant dense<0xFF800000> : tensor<f32>
    %0 = tensor.empty() : tensor<2x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %cst_5, %cst_4 : tensor<2x16xi1>, tensor<f32>, tensor<2x16xf32>) outs(%0 : tensor<2x16xf32>) {
    ^bb0(%in: i1, %in_35: f32, %in_36: f32, %out: f32):
      %48 = arith.select %in, %in_35, %in_36 : f32
      linalg.yield %48 : f32
    } -> tensor<2x16xf32>
    %2 = tensor.empty() : tensor<16x2x32xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x16x32xf32>) outs(%2 : tensor<16x2x32xf32>) permutation = [1, 0, 2] 
    %3 = tensor.empty() : tensor<32x96xf32>
    %transposed_6 = linalg.transpose ins(%arg2 : tensor<96x32xf32>) outs(%3 : tensor<32x96xf32>) permutation = [1, 0] 
    %4 = tensor.empty() : tensor<16x32x96xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_6 : tensor<32x96xf32>) outs(%4 : tensor<16x32x96xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x32x96xf32>
    %6 = tensor.empty() : tensor<16x2x96xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<16x2x96xf32>) -> tensor<16x2x96xf32>
    %8 = linalg.batch_matmul ins(%transposed, %5 : tensor<16x2x32xf32>, tensor<16x32x96xf32>) outs(%7 : tensor<16x2x96xf32>) -> tensor<16x2x96xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %arg3 : tensor<16x2x96xf32>, tensor<96xf32>) outs(%6 : tensor<16x2x96xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %48 = arith.addf %in, %in_35 : f32
      linalg.yield %48 : f32
    } -> tensor<16x2x96xf32>
    %expanded = tensor.expand_shape %9 [[0, 1], [2], [3, 4]] output_shape [1, 16, 2, 3, 32] : tensor<16x2x96xf32> into tensor<1x16x2x3x32xf32>
    %10 = tensor.empty() : tensor<3x16x2x1x32xf32>
    %transposed_7 = linalg.transpose ins(%expanded : tensor<1x16x2x3x32xf32>) outs(%10 : tensor<3x16x2x1x32xf32>) permutation = [3, 1, 2, 0, 4] 
    %collapsed = tensor.collapse_shape %transposed_7 [[0], [1], [2, 3], [4]] : tensor<3x16x2x1x32xf32> into tensor<3x16x2x32xf32>
    %extracted_slice = tensor.extract_slice %collapsed[0, 0, 0, 0] [1, 16, 2, 32] [1, 1, 1, 1] : tensor<3x16x2x32xf32> to tensor<1x16x2x32xf32>
    %extracted_slice_8 = tensor.extract_slice %collapsed[1, 0, 0, 0] [1, 16, 2, 32] [1, 1, 1, 1] : tensor<3x16x2x32xf32> to tensor<1x16x2x32xf32>
    %extracted_slice_9 = tensor.extract_slice %collapsed[2, 0, 0, 0] [1, 16, 2, 32] [1, 1, 1, 1] : tensor<3x16x2x32xf32> to tensor<1x16x2x32xf32>
    %collapsed_10 = tensor.collapse_shape %extracted_slice [[0, 1], [2, 3]] : tensor<1x16x2x32xf32> into tensor<16x64xf32>
    %expanded_11 = tensor.expand_shape %collapsed_10 [[0], [1, 2]] output_shape [16, 8, 8] : tensor<16x64xf32> into tensor<16x8x8xf32>
    %11 = tensor.empty() : tensor<8x16x8xf32>
    %transposed_12 = linalg.transpose ins(%expanded_11 : tensor<16x8x8xf32>) outs(%11 : tensor<8x16x8xf32>) permutation = [1, 0, 2] 
    %collapsed_13 = tensor.collapse_shape %extracted_slice_8 [[0, 1], [2, 3]] : tensor<1x16x2x32xf32> into tensor<16x64xf32>
    %expanded_14 = tensor.expand_shape %collapsed_13 [[0], [1, 2]] output_shape [16, 8, 8] : tensor<16x64xf32> into tensor<16x8x8xf32>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<16x8x8xf32>) outs(%11 : tensor<8x16x8xf32>) permutation = [1, 0, 2] 
    %collapsed_16 = tensor.collapse_shape %extracted_slice_9 [[0, 1], [2, 3]] : tensor<1x16x2x32xf32> into tensor<16x64xf32>
    %expanded_17 = tensor.expand_shape %collapsed_16 [[0], [1, 2]] output_shape [16, 8, 8] : tensor<16x64xf32> into tensor<16x8x8xf32>
    %transposed_18 = linalg.transpose ins(%expanded_17 : tensor<16x8x8xf32>) outs(%11 : tensor<8x16x8xf32>) permutation = [1, 0, 2] 
    %expanded_19 = tensor.expand_shape %1 [[0], [1, 2, 3]] output_shape [2, 1, 1, 16] : tensor<2x16xf32> into tensor<2x1x1x16xf32>
    %12 = tensor.empty() : tensor<2x4x1x16xf32>
    %collapsed_20 = tensor.collapse_shape %expanded_19 [[0, 1], [2], [3]] : tensor<2x1x1x16xf32> into tensor<2x1x16xf32>
    %13 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_20 : tensor<2x1x16xf32>) outs(%12 : tensor<2x4x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x1x16xf32>
    %expanded_21 = tensor.expand_shape %transposed_12 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xf32> into tensor<2x4x16x8xf32>
    %expanded_22 = tensor.expand_shape %transposed_15 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xf32> into tensor<2x4x16x8xf32>
    %14 = tensor.empty() : tensor<2x4x16x8xf32>
    %15 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_21 : tensor<2x4x16x8xf32>) outs(%14 : tensor<2x4x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.truncf %cst_2 : f64 to f32
      %49 = arith.mulf %in, %48 : f32
      linalg.yield %49 : f32
    } -> tensor<2x4x16x8xf32>
    %16 = tensor.empty() : tensor<2x4x8x16xf32>
    %transposed_23 = linalg.transpose ins(%expanded_22 : tensor<2x4x16x8xf32>) outs(%16 : tensor<2x4x8x16xf32>) permutation = [0, 1, 3, 2] 
    %17 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_23 : tensor<2x4x8x16xf32>) outs(%16 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.truncf %cst_2 : f64 to f32
      %49 = arith.mulf %in, %48 : f32
      linalg.yield %49 : f32
    } -> tensor<2x4x8x16xf32>
    %collapsed_24 = tensor.collapse_shape %15 [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>
    %collapsed_25 = tensor.collapse_shape %17 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %18 = tensor.empty() : tensor<8x16x16xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %20 = linalg.batch_matmul ins(%collapsed_24, %collapsed_25 : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%19 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %expanded_26 = tensor.expand_shape %20 [[0, 1], [2], [3]] output_shape [2, 4, 16, 16] : tensor<8x16x16xf32> into tensor<2x4x16x16xf32>
    %21 = tensor.empty() : tensor<2x4x16x16xf32>
    %22 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_26, %13 : tensor<2x4x16x16xf32>, tensor<2x4x1x16xf32>) outs(%21 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %48 = arith.addf %in, %in_35 : f32
      linalg.yield %48 : f32
    } -> tensor<2x4x16x16xf32>
    %23 = tensor.empty() : tensor<2x4x16xi64>
    %24 = linalg.fill ins(%c0_i64 : i64) outs(%23 : tensor<2x4x16xi64>) -> tensor<2x4x16xi64>
    %25 = tensor.empty() : tensor<2x4x16xf32>
    %26 = linalg.fill ins(%cst_0 : f32) outs(%25 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    %27:2 = linalg.generic {indexing_maps = [#map6, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<2x4x16x16xf32>) outs(%26, %24 : tensor<2x4x16xf32>, tensor<2x4x16xi64>) {
    ^bb0(%in: f32, %out: f32, %out_35: i64):
      %48 = linalg.index 3 : index
      %49 = arith.index_cast %48 : index to i64
      %50 = arith.maximumf %in, %out : f32
      %51 = arith.cmpf ogt, %in, %out : f32
      %52 = arith.select %51, %49, %out_35 : i64
      linalg.yield %50, %52 : f32, i64
    } -> (tensor<2x4x16xf32>, tensor<2x4x16xi64>)
    %expanded_27 = tensor.expand_shape %27#0 [[0], [1], [2, 3]] output_shape [2, 4, 16, 1] : tensor<2x4x16xf32> into tensor<2x4x16x1xf32>
    %28 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_27 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%21 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %48 = arith.subf %in, %in_35 : f32
      linalg.yield %48 : f32
    } -> tensor<2x4x16x16xf32>
    %29 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x4x16x16xf32>) outs(%21 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = math.exp %in : f32
      linalg.yield %48 : f32
    } -> tensor<2x4x16x16xf32>
    %30 = tensor.empty() : tensor<2x4x16x1xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<2x4x16x1xf32>) -> tensor<2x4x16x1xf32>
    %32 = linalg.generic {indexing_maps = [#map6, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%29 : tensor<2x4x16x16xf32>) outs(%31 : tensor<2x4x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.addf %in, %out : f32
      linalg.yield %48 : f32
    } -> tensor<2x4x16x1xf32>
    %33 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %32 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) outs(%21 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %48 = arith.divf %in, %in_35 : f32
      linalg.yield %48 : f32
    } -> tensor<2x4x16x16xf32>
    %34 = tensor.empty() : tensor<2x4x16x16xi1>
    %35 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x4x16x16xf32>) outs(%34 : tensor<2x4x16x16xi1>) {
    ^bb0(%in: f32, %out: i1):
      %48 = arith.extf %in : f32 to f64
      %49 = arith.cmpf oeq, %48, %cst_3 : f64
      linalg.yield %49 : i1
    } -> tensor<2x4x16x16xi1>
    %36 = tensor.empty() : tensor<2x4x16x1xi1>
    %37 = linalg.fill ins(%true : i1) outs(%36 : tensor<2x4x16x1xi1>) -> tensor<2x4x16x1xi1>
    %38 = linalg.generic {indexing_maps = [#map6, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%35 : tensor<2x4x16x16xi1>) outs(%37 : tensor<2x4x16x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %48 = arith.andi %in, %out : i1
      linalg.yield %48 : i1
    } -> tensor<2x4x16x1xi1>
    %39 = linalg.generic {indexing_maps = [#map9, #map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38, %cst_1, %33 : tensor<2x4x16x1xi1>, tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>) outs(%21 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: i1, %in_35: f32, %in_36: f32, %out: f32):
      %48 = arith.select %in, %in_35, %in_36 : f32
      linalg.yield %48 : f32
    } -> tensor<2x4x16x16xf32>
    %collapsed_28 = tensor.collapse_shape %39 [[0, 1], [2], [3]] : tensor<2x4x16x16xf32> into tensor<8x16x16xf32>
    %40 = linalg.fill ins(%cst : f32) outs(%11 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
    %41 = linalg.batch_matmul ins(%collapsed_28, %transposed_18 : tensor<8x16x16xf32>, tensor<8x16x8xf32>) outs(%40 : tensor<8x16x8xf32>) -> tensor<8x16x8xf32>
    %expanded_29 = tensor.expand_shape %41 [[0, 1], [2], [3]] output_shape [2, 4, 16, 8] : tensor<8x16x8xf32> into tensor<2x4x16x8xf32>
    %42 = tensor.empty() : tensor<16x2x4x8xf32>
    %transposed_30 = linalg.transpose ins(%expanded_29 : tensor<2x4x16x8xf32>) outs(%42 : tensor<16x2x4x8xf32>) permutation = [2, 0, 1, 3] 
    %collapsed_31 = tensor.collapse_shape %transposed_30 [[0, 1], [2, 3]] : tensor<16x2x4x8xf32> into tensor<32x32xf32>
    %43 = tensor.empty() : tensor<32x32xf32>
    %transposed_32 = linalg.transpose ins(%arg4 : tensor<32x32xf32>) outs(%43 : tensor<32x32xf32>) permutation = [1, 0] 
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %45 = linalg.matmul ins(%collapsed_31, %transposed_32 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%44 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map10, #map], iterator_types = ["parallel", "parallel"]} ins(%45, %arg5 : tensor<32x32xf32>, tensor<32xf32>) outs(%43 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_35: f32, %out: f32):
      %48 = arith.addf %in, %in_35 : f32
      linalg.yield %48 : f32
    } -> tensor<32x32xf32>
    %expanded_33 = tensor.expand_shape %46 [[0, 1], [2]] output_shape [16, 2, 32] : tensor<32x32xf32> into tensor<16x2x32xf32>
    %47 = tensor.empty() : tensor<2x16x32xf32>
    %transposed_34 = linalg.transpose ins(%expanded_33 : tensor<16x2x32xf32>) outs(%47 : tensor<2x16x32xf32>) permutation = [1, 0, 2] 
    return %transposed_34 : tensor<2x16x32xf32>
  }
}
