// onnx 1.23.2, imported by torch-mlir (torch-mlir 20261001, IREE 3.13.0)
// made by: export/onnx_export.py attention23_gqa_mask_f32

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (0)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (0)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map10 = affine_map<(d0, d1) -> (d0)>
#map11 = affine_map<(d0, d1) -> (d1)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d2, 0)>
module {
  func.func @attention23_gqa_mask_f32(%arg0: tensor<2x4x12x8xf32>, %arg1: tensor<2x2x24x8xf32>, %arg2: tensor<2x2x24x8xf32>, %arg3: tensor<12x24xi1>) -> tensor<2x4x12x8xf32> {
    %c1 = arith.constant 1 : index
    %true = arith.constant true
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<true> : tensor<1xi1>
    %cst_2 = arith.constant dense<false> : tensor<1xi1>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<1xf32>
    %cst_4 = arith.constant dense<0xFF800000> : tensor<1xf32>
    %cst_5 = arith.constant dense<1.000000e+00> : tensor<1xf32>
    %cst_6 = arith.constant dense<8.000000e+00> : tensor<1xf32>
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %c24_i64 = arith.constant 24 : i64
    %c8_i64 = arith.constant 8 : i64
    %c0 = arith.constant 0 : index
    %cst_7 = arith.constant dense<1> : tensor<1xi64>
    %cst_8 = arith.constant dense<2> : tensor<1xi64>
    %cst_9 = arith.constant dense<24> : tensor<1xi64>
    %cst_10 = arith.constant dense<8> : tensor<1xi64>
    %0 = tensor.empty() : tensor<1xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_6 : tensor<1xf32>) outs(%0 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.sqrt %in : f32
      linalg.yield %52 : f32
    } -> tensor<1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%cst_5, %1 : tensor<1xf32>, tensor<1xf32>) outs(%0 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %52 = arith.divf %in, %in_28 : f32
      linalg.yield %52 : f32
    } -> tensor<1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%2 : tensor<1xf32>) outs(%0 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.sqrt %in : f32
      linalg.yield %52 : f32
    } -> tensor<1xf32>
    %4 = tensor.empty() : tensor<12x24xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map2, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3, %cst_3, %cst_4 : tensor<12x24xi1>, tensor<1xf32>, tensor<1xf32>) outs(%4 : tensor<12x24xf32>) {
    ^bb0(%in: i1, %in_28: f32, %in_29: f32, %out: f32):
      %52 = arith.select %in, %in_28, %in_29 : f32
      linalg.yield %52 : f32
    } -> tensor<12x24xf32>
    %6 = tensor.empty() : tensor<1xi1>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_2 : tensor<1xi1>) outs(%6 : tensor<1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %52 = arith.xori %in, %true : i1
      linalg.yield %52 : i1
    } -> tensor<1xi1>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%7, %cst_1 : tensor<1xi1>, tensor<1xi1>) outs(%6 : tensor<1xi1>) {
    ^bb0(%in: i1, %in_28: i1, %out: i1):
      %52 = arith.andi %in, %in_28 : i1
      linalg.yield %52 : i1
    } -> tensor<1xi1>
    %9 = tensor.empty() : tensor<1xi64>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]} ins(%8, %cst_8, %cst_7 : tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) outs(%9 : tensor<1xi64>) {
    ^bb0(%in: i1, %in_28: i64, %in_29: i64, %out: i64):
      %52 = arith.select %in, %in_28, %in_29 : i64
      linalg.yield %52 : i64
    } -> tensor<1xi64>
    %concat = tensor.concat dim(0) %cst_8, %cst_8, %10, %cst_9, %cst_10 : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
    %extracted_slice = tensor.extract_slice %concat[0] [1] [1] : tensor<5xi64> to tensor<1xi64>
    %extracted = tensor.extract %extracted_slice[%c0] : tensor<1xi64>
    %11 = arith.cmpi sle, %extracted, %c2_i64 : i64
    cf.assert %11, "onnx.Expand input has a dim that is not statically 1; expected this dim >= dim provided shape."
    %extracted_slice_11 = tensor.extract_slice %concat[1] [1] [1] : tensor<5xi64> to tensor<1xi64>
    %extracted_12 = tensor.extract %extracted_slice_11[%c0] : tensor<1xi64>
    %12 = arith.cmpi sle, %extracted_12, %c2_i64 : i64
    cf.assert %12, "onnx.Expand input has a dim that is not statically 1; expected this dim >= dim provided shape."
    %extracted_slice_13 = tensor.extract_slice %concat[2] [1] [1] : tensor<5xi64> to tensor<1xi64>
    %extracted_14 = tensor.extract %extracted_slice_13[%c0] : tensor<1xi64>
    %extracted_slice_15 = tensor.extract_slice %concat[3] [1] [1] : tensor<5xi64> to tensor<1xi64>
    %extracted_16 = tensor.extract %extracted_slice_15[%c0] : tensor<1xi64>
    %13 = arith.cmpi sle, %extracted_16, %c24_i64 : i64
    cf.assert %13, "onnx.Expand input has a dim that is not statically 1; expected this dim >= dim provided shape."
    %extracted_slice_17 = tensor.extract_slice %concat[4] [1] [1] : tensor<5xi64> to tensor<1xi64>
    %extracted_18 = tensor.extract %extracted_slice_17[%c0] : tensor<1xi64>
    %14 = arith.cmpi sle, %extracted_18, %c8_i64 : i64
    cf.assert %14, "onnx.Expand input has a dim that is not statically 1; expected this dim >= dim provided shape."
    %15 = arith.cmpi slt, %extracted_14, %c0_i64 : i64
    %16 = arith.index_cast %extracted_14 : i64 to index
    %17 = arith.select %15, %c1, %16 : index
    %18 = tensor.empty(%17) : tensor<2x2x?x24x8xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x2x24x8xf32>) outs(%18 : tensor<2x2x?x24x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x?x24x8xf32>
    cf.assert %11, "onnx.Expand input has a dim that is not statically 1; expected this dim >= dim provided shape."
    cf.assert %12, "onnx.Expand input has a dim that is not statically 1; expected this dim >= dim provided shape."
    cf.assert %13, "onnx.Expand input has a dim that is not statically 1; expected this dim >= dim provided shape."
    cf.assert %14, "onnx.Expand input has a dim that is not statically 1; expected this dim >= dim provided shape."
    %20 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x2x24x8xf32>) outs(%18 : tensor<2x2x?x24x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x?x24x8xf32>
    %collapsed = tensor.collapse_shape %19 [[0], [1, 2], [3], [4]] : tensor<2x2x?x24x8xf32> into tensor<2x?x24x8xf32>
    %cast = tensor.cast %collapsed : tensor<2x?x24x8xf32> to tensor<2x4x24x8xf32>
    %collapsed_19 = tensor.collapse_shape %20 [[0], [1, 2], [3], [4]] : tensor<2x2x?x24x8xf32> into tensor<2x?x24x8xf32>
    %cast_20 = tensor.cast %collapsed_19 : tensor<2x?x24x8xf32> to tensor<2x4x24x8xf32>
    %21 = tensor.empty() : tensor<2x4x8x24xf32>
    %transposed = linalg.transpose ins(%cast : tensor<2x4x24x8xf32>) outs(%21 : tensor<2x4x8x24xf32>) permutation = [0, 1, 3, 2] 
    %22 = tensor.empty() : tensor<2x4x12x8xf32>
    %23 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<2x4x12x8xf32>, tensor<1xf32>) outs(%22 : tensor<2x4x12x8xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %52 = arith.mulf %in, %in_28 : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x12x8xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed, %3 : tensor<2x4x8x24xf32>, tensor<1xf32>) outs(%21 : tensor<2x4x8x24xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %52 = arith.mulf %in, %in_28 : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x8x24xf32>
    %collapsed_21 = tensor.collapse_shape %23 [[0, 1], [2], [3]] : tensor<2x4x12x8xf32> into tensor<8x12x8xf32>
    %collapsed_22 = tensor.collapse_shape %24 [[0, 1], [2], [3]] : tensor<2x4x8x24xf32> into tensor<8x8x24xf32>
    %25 = tensor.empty() : tensor<8x12x24xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<8x12x24xf32>) -> tensor<8x12x24xf32>
    %27 = linalg.batch_matmul ins(%collapsed_21, %collapsed_22 : tensor<8x12x8xf32>, tensor<8x8x24xf32>) outs(%26 : tensor<8x12x24xf32>) -> tensor<8x12x24xf32>
    %expanded = tensor.expand_shape %27 [[0, 1], [2], [3]] output_shape [2, 4, 12, 24] : tensor<8x12x24xf32> into tensor<2x4x12x24xf32>
    %28 = tensor.empty() : tensor<2x4x12x24xf32>
    %29 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %5 : tensor<2x4x12x24xf32>, tensor<12x24xf32>) outs(%28 : tensor<2x4x12x24xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %52 = arith.addf %in, %in_28 : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x12x24xf32>
    %30 = tensor.empty() : tensor<2x4x12xi64>
    %31 = linalg.fill ins(%c0_i64 : i64) outs(%30 : tensor<2x4x12xi64>) -> tensor<2x4x12xi64>
    %32 = tensor.empty() : tensor<2x4x12xf32>
    %33 = linalg.fill ins(%cst_0 : f32) outs(%32 : tensor<2x4x12xf32>) -> tensor<2x4x12xf32>
    %34:2 = linalg.generic {indexing_maps = [#map5, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%29 : tensor<2x4x12x24xf32>) outs(%33, %31 : tensor<2x4x12xf32>, tensor<2x4x12xi64>) {
    ^bb0(%in: f32, %out: f32, %out_28: i64):
      %52 = linalg.index 3 : index
      %53 = arith.index_cast %52 : index to i64
      %54 = arith.maximumf %in, %out : f32
      %55 = arith.cmpf ogt, %in, %out : f32
      %56 = arith.select %55, %53, %out_28 : i64
      linalg.yield %54, %56 : f32, i64
    } -> (tensor<2x4x12xf32>, tensor<2x4x12xi64>)
    %expanded_23 = tensor.expand_shape %34#0 [[0], [1], [2, 3]] output_shape [2, 4, 12, 1] : tensor<2x4x12xf32> into tensor<2x4x12x1xf32>
    %35 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %expanded_23 : tensor<2x4x12x24xf32>, tensor<2x4x12x1xf32>) outs(%28 : tensor<2x4x12x24xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %52 = arith.subf %in, %in_28 : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x12x24xf32>
    %36 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<2x4x12x24xf32>) outs(%28 : tensor<2x4x12x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.exp %in : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x12x24xf32>
    %37 = tensor.empty() : tensor<2x4x12x1xf32>
    %38 = linalg.fill ins(%cst : f32) outs(%37 : tensor<2x4x12x1xf32>) -> tensor<2x4x12x1xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%36 : tensor<2x4x12x24xf32>) outs(%38 : tensor<2x4x12x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.addf %in, %out : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x12x1xf32>
    %40 = linalg.generic {indexing_maps = [#map5, #map9, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %39 : tensor<2x4x12x24xf32>, tensor<2x4x12x1xf32>) outs(%28 : tensor<2x4x12x24xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %52 = arith.divf %in, %in_28 : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x12x24xf32>
    %41 = tensor.empty() : tensor<12xi64>
    %42 = linalg.fill ins(%c0_i64 : i64) outs(%41 : tensor<12xi64>) -> tensor<12xi64>
    %43 = tensor.empty() : tensor<12xf32>
    %44 = linalg.fill ins(%cst_0 : f32) outs(%43 : tensor<12xf32>) -> tensor<12xf32>
    %45:2 = linalg.generic {indexing_maps = [#map1, #map10, #map10], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<12x24xf32>) outs(%44, %42 : tensor<12xf32>, tensor<12xi64>) {
    ^bb0(%in: f32, %out: f32, %out_28: i64):
      %52 = linalg.index 1 : index
      %53 = arith.index_cast %52 : index to i64
      %54 = arith.maximumf %in, %out : f32
      %55 = arith.cmpf ogt, %in, %out : f32
      %56 = arith.select %55, %53, %out_28 : i64
      linalg.yield %54, %56 : f32, i64
    } -> (tensor<12xf32>, tensor<12xi64>)
    %expanded_24 = tensor.expand_shape %45#0 [[0, 1]] output_shape [12, 1] : tensor<12xf32> into tensor<12x1xf32>
    %46 = tensor.empty() : tensor<12x1xi1>
    %47 = linalg.generic {indexing_maps = [#map1, #map11, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_24, %cst_4 : tensor<12x1xf32>, tensor<1xf32>) outs(%46 : tensor<12x1xi1>) {
    ^bb0(%in: f32, %in_28: f32, %out: i1):
      %52 = arith.cmpf oeq, %in, %in_28 : f32
      linalg.yield %52 : i1
    } -> tensor<12x1xi1>
    %48 = linalg.generic {indexing_maps = [#map12, #map6, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %cst_3, %40 : tensor<12x1xi1>, tensor<1xf32>, tensor<2x4x12x24xf32>) outs(%28 : tensor<2x4x12x24xf32>) {
    ^bb0(%in: i1, %in_28: f32, %in_29: f32, %out: f32):
      %52 = arith.select %in, %in_28, %in_29 : f32
      linalg.yield %52 : f32
    } -> tensor<2x4x12x24xf32>
    %collapsed_25 = tensor.collapse_shape %48 [[0, 1], [2], [3]] : tensor<2x4x12x24xf32> into tensor<8x12x24xf32>
    %collapsed_26 = tensor.collapse_shape %cast_20 [[0, 1], [2], [3]] : tensor<2x4x24x8xf32> into tensor<8x24x8xf32>
    %49 = tensor.empty() : tensor<8x12x8xf32>
    %50 = linalg.fill ins(%cst : f32) outs(%49 : tensor<8x12x8xf32>) -> tensor<8x12x8xf32>
    %51 = linalg.batch_matmul ins(%collapsed_25, %collapsed_26 : tensor<8x12x24xf32>, tensor<8x24x8xf32>) outs(%50 : tensor<8x12x8xf32>) -> tensor<8x12x8xf32>
    %expanded_27 = tensor.expand_shape %51 [[0, 1], [2], [3]] output_shape [2, 4, 12, 8] : tensor<8x12x8xf32> into tensor<2x4x12x8xf32>
    return %expanded_27 : tensor<2x4x12x8xf32>
  }
}
