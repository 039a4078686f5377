// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py sdpa_causal_f16_dynamic

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1) -> (0, d1)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map9 = affine_map<(d0, d1, d2, d3) -> ()>
module {
  func.func @sdpa_causal_f16_dynamic(%arg0: tensor<?x2x?x16xf16>, %arg1: tensor<?x2x?x16xf16>, %arg2: tensor<?x2x?x16xf16>) -> tensor<?x2x?x16xf16> {
    %c1_i64 = arith.constant 1 : i64
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16_i64 = arith.constant 16 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_3 = arith.constant dense<true> : tensor<i1>
    %cst_4 = arith.constant 0xFFF0000000000000 : f64
    %cst_5 = arith.constant 5.000000e-01 : f32
    %c32_i64 = arith.constant 32 : i64
    %dim = tensor.dim %arg2, %c0 : tensor<?x2x?x16xf16>
    %0 = arith.index_cast %dim : index to i64
    %dim_6 = tensor.dim %arg2, %c2 : tensor<?x2x?x16xf16>
    %1 = arith.index_cast %dim_6 : index to i64
    %dim_7 = tensor.dim %arg0, %c0 : tensor<?x2x?x16xf16>
    %dim_8 = tensor.dim %arg0, %c2 : tensor<?x2x?x16xf16>
    %2 = tensor.empty(%dim_7, %dim_8) : tensor<?x2x?x16xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<?x2x?x16xf16>) outs(%2 : tensor<?x2x?x16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %140 = arith.extf %in : f16 to f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x16xf32>
    %dim_9 = tensor.dim %arg1, %c0 : tensor<?x2x?x16xf16>
    %dim_10 = tensor.dim %arg1, %c2 : tensor<?x2x?x16xf16>
    %4 = tensor.empty(%dim_9, %dim_10) : tensor<?x2x?x16xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<?x2x?x16xf16>) outs(%4 : tensor<?x2x?x16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %140 = arith.extf %in : f16 to f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x16xf32>
    %6 = tensor.empty(%dim, %dim_6) : tensor<?x2x?x16xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<?x2x?x16xf16>) outs(%6 : tensor<?x2x?x16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %140 = arith.extf %in : f16 to f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x16xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<?x2x?x16xf32>) outs(%2 : tensor<?x2x?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.mulf %in, %cst_5 : f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x16xf32>
    %9 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %9, "negative values not allowed in new dimensions"
    cf.assert %9, "negative values not allowed in new dimensions"
    %10 = tensor.empty(%dim_6, %dim_6) : tensor<?x?xi1>
    %11 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%10 : tensor<?x?xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<?x?xi1>
    %12 = tensor.empty(%dim_6) : tensor<?xi64>
    %13 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%12 : tensor<?xi64>) {
    ^bb0(%out: i64):
      %140 = linalg.index 0 : index
      %141 = arith.index_cast %140 : index to i64
      linalg.yield %141 : i64
    } -> tensor<?xi64>
    %expanded = tensor.expand_shape %13 [[0, 1]] output_shape [1, %dim_6] : tensor<?xi64> into tensor<1x?xi64>
    %expanded_11 = tensor.expand_shape %13 [[0, 1]] output_shape [%dim_6, 1] : tensor<?xi64> into tensor<?x1xi64>
    %14 = tensor.empty(%dim_6, %dim_6) : tensor<?x?xi64>
    %15 = linalg.generic {indexing_maps = [#map4, #map5, #map2], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_11 : tensor<1x?xi64>, tensor<?x1xi64>) outs(%14 : tensor<?x?xi64>) {
    ^bb0(%in: i64, %in_22: i64, %out: i64):
      %140 = arith.subi %in, %in_22 : i64
      linalg.yield %140 : i64
    } -> tensor<?x?xi64>
    %16 = tensor.empty(%dim_6, %dim_6) : tensor<?x?xi1>
    %17 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<?x?xi64>) outs(%16 : tensor<?x?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %140 = arith.cmpi sle, %in, %c0_i64 : i64
      linalg.yield %140 : i1
    } -> tensor<?x?xi1>
    cf.assert %true, "mismatched size for broadcast"
    cf.assert %true, "mismatched size for broadcast"
    %18 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%17, %11 : tensor<?x?xi1>, tensor<?x?xi1>) outs(%16 : tensor<?x?xi1>) {
    ^bb0(%in: i1, %in_22: i1, %out: i1):
      %140 = arith.andi %in, %in_22 : i1
      linalg.yield %140 : i1
    } -> tensor<?x?xi1>
    %19 = tensor.empty(%dim_6, %dim_6) : tensor<?x?xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map1, #map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%18, %cst_1, %cst_2 : tensor<?x?xi1>, tensor<f32>, tensor<f32>) outs(%19 : tensor<?x?xf32>) {
    ^bb0(%in: i1, %in_22: f32, %in_23: f32, %out: f32):
      %140 = arith.select %in, %in_22, %in_23 : f32
      linalg.yield %140 : f32
    } -> tensor<?x?xf32>
    %21 = tensor.empty(%dim_9, %dim_10) : tensor<?x2x16x?xf32>
    %transposed = linalg.transpose ins(%5 : tensor<?x2x?x16xf32>) outs(%21 : tensor<?x2x16x?xf32>) permutation = [0, 1, 3, 2] 
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<?x2x16x?xf32>) outs(%21 : tensor<?x2x16x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.mulf %in, %cst_5 : f32
      linalg.yield %140 : f32
    } -> tensor<?x2x16x?xf32>
    %23 = arith.muli %0, %c2_i64 : i64
    %24 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %24, "unimplemented: dynamic negative broadcast sizes"
    %25 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    %26 = tensor.empty(%dim, %dim_6) : tensor<?x2x?x16xf32>
    %27 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%26 : tensor<?x2x?x16xf32>) {
    ^bb0(%out: f32):
      %140 = linalg.index 0 : index
      %141 = linalg.index 1 : index
      %142 = linalg.index 2 : index
      %143 = linalg.index 3 : index
      %144 = arith.cmpi eq, %dim_7, %c1 : index
      %145 = arith.select %144, %c0, %140 : index
      %146 = arith.cmpi eq, %dim_8, %c1 : index
      %147 = arith.select %146, %c0, %142 : index
      %extracted = tensor.extract %8[%145, %141, %147, %143] : tensor<?x2x?x16xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x2x?x16xf32>
    %28 = arith.cmpi slt, %23, %c0_i64 : i64
    %29 = arith.select %28, %c1_i64, %23 : i64
    %30 = arith.extui %28 : i1 to i64
    %31 = arith.muli %29, %1 : i64
    %32 = arith.addi %30, %c1_i64 : i64
    %33 = arith.cmpi slt, %1, %c0_i64 : i64
    %34 = arith.select %33, %29, %31 : i64
    %35 = arith.select %33, %32, %30 : i64
    %36 = arith.muli %34, %c16_i64 : i64
    %37 = arith.cmpi sle, %35, %c1_i64 : i64
    cf.assert %37, "must have at most one inferred (negative) dimension"
    %38 = arith.muli %23, %1 : i64
    %39 = arith.muli %38, %c16_i64 : i64
    %40 = arith.divsi %39, %36 : i64
    %41 = arith.select %28, %40, %23 : i64
    %42 = arith.select %33, %40, %1 : i64
    %from_elements = tensor.from_elements %41, %42, %c16_i64 : tensor<3xi64>
    %reshape = tensor.reshape %27(%from_elements) : (tensor<?x2x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
    cf.assert %24, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    %43 = tensor.empty(%dim, %dim_6) : tensor<?x2x16x?xf32>
    %44 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%43 : tensor<?x2x16x?xf32>) {
    ^bb0(%out: f32):
      %140 = linalg.index 0 : index
      %141 = linalg.index 1 : index
      %142 = linalg.index 2 : index
      %143 = linalg.index 3 : index
      %144 = arith.cmpi eq, %dim_9, %c1 : index
      %145 = arith.select %144, %c0, %140 : index
      %146 = arith.cmpi eq, %dim_10, %c1 : index
      %147 = arith.select %146, %c0, %143 : index
      %extracted = tensor.extract %22[%145, %141, %142, %147] : tensor<?x2x16x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x2x16x?xf32>
    %45 = arith.muli %29, %c16_i64 : i64
    %46 = arith.muli %45, %1 : i64
    %47 = arith.select %33, %45, %46 : i64
    cf.assert %37, "must have at most one inferred (negative) dimension"
    %48 = arith.muli %0, %c32_i64 : i64
    %49 = arith.muli %48, %1 : i64
    %50 = arith.divsi %49, %47 : i64
    %51 = arith.select %28, %50, %23 : i64
    %52 = arith.select %33, %50, %1 : i64
    %from_elements_12 = tensor.from_elements %51, %c16_i64, %52 : tensor<3xi64>
    %reshape_13 = tensor.reshape %44(%from_elements_12) : (tensor<?x2x16x?xf32>, tensor<3xi64>) -> tensor<?x16x?xf32>
    %53 = arith.index_cast %41 : i64 to index
    %54 = arith.index_cast %42 : i64 to index
    %55 = arith.index_cast %52 : i64 to index
    %56 = arith.cmpi eq, %41, %51 : i64
    cf.assert %56, "mismatching contracting dimension"
    %57 = tensor.empty(%53, %54, %55) : tensor<?x?x?xf32>
    %58 = linalg.fill ins(%cst : f32) outs(%57 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %59 = linalg.batch_matmul ins(%reshape, %reshape_13 : tensor<?x?x16xf32>, tensor<?x16x?xf32>) outs(%58 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %60 = arith.cmpi slt, %0, %c0_i64 : i64
    %61 = arith.select %60, %c1_i64, %0 : i64
    %62 = arith.extui %60 : i1 to i64
    %63 = arith.muli %61, %c2_i64 : i64
    %64 = arith.muli %63, %1 : i64
    %65 = arith.addi %62, %c1_i64 : i64
    %66 = arith.select %33, %63, %64 : i64
    %67 = arith.select %33, %65, %62 : i64
    %68 = arith.muli %66, %1 : i64
    %69 = arith.addi %67, %c1_i64 : i64
    %70 = arith.select %33, %63, %68 : i64
    %71 = arith.select %33, %69, %62 : i64
    %72 = arith.cmpi sle, %71, %c1_i64 : i64
    cf.assert %72, "must have at most one inferred (negative) dimension"
    %73 = arith.muli %41, %42 : i64
    %74 = arith.muli %73, %52 : i64
    %75 = arith.divsi %74, %70 : i64
    %76 = arith.select %60, %75, %0 : i64
    %77 = arith.select %33, %75, %1 : i64
    %from_elements_14 = tensor.from_elements %76, %c2_i64, %77, %77 : tensor<4xi64>
    %reshape_15 = tensor.reshape %59(%from_elements_14) : (tensor<?x?x?xf32>, tensor<4xi64>) -> tensor<?x2x?x?xf32>
    %78 = arith.index_cast %76 : i64 to index
    %79 = arith.index_cast %77 : i64 to index
    %80 = arith.cmpi eq, %79, %dim_6 : index
    cf.assert %80, "mismatched size for broadcast"
    cf.assert %80, "mismatched size for broadcast"
    %81 = tensor.empty(%78, %79, %79) : tensor<?x2x?x?xf32>
    %82 = linalg.generic {indexing_maps = [#map, #map6, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%reshape_15, %20 : tensor<?x2x?x?xf32>, tensor<?x?xf32>) outs(%81 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %140 = arith.addf %in, %in_22 : f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x?xf32>
    %83 = tensor.empty(%78, %79) : tensor<?x2x?xi64>
    %84 = linalg.fill ins(%c0_i64 : i64) outs(%83 : tensor<?x2x?xi64>) -> tensor<?x2x?xi64>
    %85 = tensor.empty(%78, %79) : tensor<?x2x?xf32>
    %86 = linalg.fill ins(%cst_0 : f32) outs(%85 : tensor<?x2x?xf32>) -> tensor<?x2x?xf32>
    %87:2 = linalg.generic {indexing_maps = [#map, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%82 : tensor<?x2x?x?xf32>) outs(%86, %84 : tensor<?x2x?xf32>, tensor<?x2x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_22: i64):
      %140 = linalg.index 3 : index
      %141 = arith.index_cast %140 : index to i64
      %142 = arith.maximumf %in, %out : f32
      %143 = arith.cmpf ogt, %in, %out : f32
      %144 = arith.select %143, %141, %out_22 : i64
      linalg.yield %142, %144 : f32, i64
    } -> (tensor<?x2x?xf32>, tensor<?x2x?xi64>)
    %expanded_16 = tensor.expand_shape %87#0 [[0], [1], [2, 3]] output_shape [%78, 2, %79, 1] : tensor<?x2x?xf32> into tensor<?x2x?x1xf32>
    %88 = linalg.generic {indexing_maps = [#map, #map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82, %expanded_16 : tensor<?x2x?x?xf32>, tensor<?x2x?x1xf32>) outs(%81 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %140 = arith.subf %in, %in_22 : f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x?xf32>
    %89 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%88 : tensor<?x2x?x?xf32>) outs(%81 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = math.exp %in : f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x?xf32>
    %90 = tensor.empty(%78, %79) : tensor<?x2x?x1xf32>
    %91 = linalg.fill ins(%cst : f32) outs(%90 : tensor<?x2x?x1xf32>) -> tensor<?x2x?x1xf32>
    %92 = linalg.generic {indexing_maps = [#map, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%89 : tensor<?x2x?x?xf32>) outs(%91 : tensor<?x2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %140 = arith.addf %in, %out : f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x1xf32>
    %93 = linalg.generic {indexing_maps = [#map, #map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%89, %92 : tensor<?x2x?x?xf32>, tensor<?x2x?x1xf32>) outs(%81 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %140 = arith.divf %in, %in_22 : f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x?xf32>
    %94 = tensor.empty(%78, %79, %79) : tensor<?x2x?x?xi1>
    %95 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82 : tensor<?x2x?x?xf32>) outs(%94 : tensor<?x2x?x?xi1>) {
    ^bb0(%in: f32, %out: i1):
      %140 = arith.extf %in : f32 to f64
      %141 = arith.cmpf oeq, %140, %cst_4 : f64
      linalg.yield %141 : i1
    } -> tensor<?x2x?x?xi1>
    %96 = tensor.empty(%78, %79) : tensor<?x2x?x1xi1>
    %97 = linalg.fill ins(%true : i1) outs(%96 : tensor<?x2x?x1xi1>) -> tensor<?x2x?x1xi1>
    %98 = linalg.generic {indexing_maps = [#map, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%95 : tensor<?x2x?x?xi1>) outs(%97 : tensor<?x2x?x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %140 = arith.andi %in, %out : i1
      linalg.yield %140 : i1
    } -> tensor<?x2x?x1xi1>
    %99 = arith.cmpi sge, %76, %c0_i64 : i64
    cf.assert %99, "negative values not allowed in new dimensions"
    %100 = arith.index_cast %76 : i64 to index
    %101 = arith.cmpi sge, %77, %c0_i64 : i64
    cf.assert %101, "negative values not allowed in new dimensions"
    %102 = arith.index_cast %77 : i64 to index
    cf.assert %101, "negative values not allowed in new dimensions"
    %103 = tensor.empty(%100, %102, %102) : tensor<?x2x?x?xf32>
    %104 = linalg.generic {indexing_maps = [#map9, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%103 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x2x?x?xf32>
    %105 = arith.cmpi eq, %78, %100 : index
    cf.assert %105, "mismatched size for broadcast"
    %106 = arith.cmpi eq, %79, %102 : index
    cf.assert %106, "mismatched size for broadcast"
    %107 = arith.cmpi eq, %102, %79 : index
    cf.assert %107, "mismatched size for broadcast"
    %108 = tensor.empty(%78, %79, %102) : tensor<?x2x?x?xf32>
    %109 = linalg.generic {indexing_maps = [#map8, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%98, %104, %93 : tensor<?x2x?x1xi1>, tensor<?x2x?x?xf32>, tensor<?x2x?x?xf32>) outs(%108 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: i1, %in_22: f32, %in_23: f32, %out: f32):
      %140 = arith.select %in, %in_22, %in_23 : f32
      linalg.yield %140 : f32
    } -> tensor<?x2x?x?xf32>
    cf.assert %24, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    %110 = tensor.empty(%dim, %dim_6, %dim_6) : tensor<?x2x?x?xf32>
    %111 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%110 : tensor<?x2x?x?xf32>) {
    ^bb0(%out: f32):
      %140 = linalg.index 0 : index
      %141 = linalg.index 1 : index
      %142 = linalg.index 2 : index
      %143 = linalg.index 3 : index
      %144 = arith.cmpi eq, %78, %c1 : index
      %145 = arith.select %144, %c0, %140 : index
      %146 = arith.cmpi eq, %79, %c1 : index
      %147 = arith.select %146, %c0, %142 : index
      %148 = arith.cmpi eq, %102, %c1 : index
      %149 = arith.select %148, %c0, %143 : index
      %extracted = tensor.extract %109[%145, %141, %147, %149] : tensor<?x2x?x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x2x?x?xf32>
    %112 = arith.muli %34, %1 : i64
    %113 = arith.addi %35, %c1_i64 : i64
    %114 = arith.select %33, %29, %112 : i64
    %115 = arith.select %33, %113, %30 : i64
    %116 = arith.cmpi sle, %115, %c1_i64 : i64
    cf.assert %116, "must have at most one inferred (negative) dimension"
    %117 = arith.muli %38, %1 : i64
    %118 = arith.divsi %117, %114 : i64
    %119 = arith.select %28, %118, %23 : i64
    %120 = arith.select %33, %118, %1 : i64
    %from_elements_17 = tensor.from_elements %119, %120, %120 : tensor<3xi64>
    %reshape_18 = tensor.reshape %111(%from_elements_17) : (tensor<?x2x?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
    cf.assert %24, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %25, "unimplemented: dynamic negative broadcast sizes"
    %121 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%26 : tensor<?x2x?x16xf32>) {
    ^bb0(%out: f32):
      %140 = linalg.index 0 : index
      %141 = linalg.index 1 : index
      %142 = linalg.index 2 : index
      %143 = linalg.index 3 : index
      %144 = arith.cmpi eq, %dim, %c1 : index
      %145 = arith.select %144, %c0, %140 : index
      %146 = arith.cmpi eq, %dim_6, %c1 : index
      %147 = arith.select %146, %c0, %142 : index
      %extracted = tensor.extract %7[%145, %141, %147, %143] : tensor<?x2x?x16xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x2x?x16xf32>
    cf.assert %37, "must have at most one inferred (negative) dimension"
    %reshape_19 = tensor.reshape %121(%from_elements) : (tensor<?x2x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
    %122 = arith.index_cast %119 : i64 to index
    %123 = arith.index_cast %120 : i64 to index
    %124 = arith.cmpi eq, %119, %41 : i64
    cf.assert %124, "mismatching contracting dimension"
    %125 = arith.cmpi eq, %120, %42 : i64
    cf.assert %125, "mismatching contracting dimension"
    %126 = tensor.empty(%122, %123) : tensor<?x?x16xf32>
    %127 = linalg.fill ins(%cst : f32) outs(%126 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %128 = linalg.batch_matmul ins(%reshape_18, %reshape_19 : tensor<?x?x?xf32>, tensor<?x?x16xf32>) outs(%127 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %129 = arith.muli %66, %c16_i64 : i64
    %130 = arith.cmpi sle, %67, %c1_i64 : i64
    cf.assert %130, "must have at most one inferred (negative) dimension"
    %131 = arith.muli %119, %120 : i64
    %132 = arith.muli %131, %c16_i64 : i64
    %133 = arith.divsi %132, %129 : i64
    %134 = arith.select %60, %133, %0 : i64
    %135 = arith.select %33, %133, %1 : i64
    %from_elements_20 = tensor.from_elements %134, %c2_i64, %135, %c16_i64 : tensor<4xi64>
    %reshape_21 = tensor.reshape %128(%from_elements_20) : (tensor<?x?x16xf32>, tensor<4xi64>) -> tensor<?x2x?x16xf32>
    %136 = arith.index_cast %134 : i64 to index
    %137 = arith.index_cast %135 : i64 to index
    %138 = tensor.empty(%136, %137) : tensor<?x2x?x16xf16>
    %139 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%reshape_21 : tensor<?x2x?x16xf32>) outs(%138 : tensor<?x2x?x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %140 = arith.truncf %in : f32 to f16
      linalg.yield %140 : f16
    } -> tensor<?x2x?x16xf16>
    return %139 : tensor<?x2x?x16xf16>
  }
}
