// jax 0.10.2, flax 0.12.8, --iree-stablehlo-to-iree-input
// made by: export/jax_export.py padding_f16

#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0, d1, d2) -> (d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d3)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d4, d2)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
module @jit_fn {
  func.func public @padding_f16(%arg0: tensor<2x12x4x16xf16>, %arg1: tensor<2x24x4x16xf16>, %arg2: tensor<2x24x4x16xf16>, %arg3: tensor<2xi32>) -> tensor<2x12x4x16xf16> {
    %cst = arith.constant 0.000000e+00 : f16
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant -2.38197633E+38 : f32
    %cst_2 = arith.constant 2.500000e-01 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2], [3, 4]] output_shape [2, 12, 4, 1, 16] : tensor<2x12x4x16xf16> into tensor<2x12x4x1x16xf16>
    %0 = tensor.empty() : tensor<2x4x12x1x16xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x12x4x1x16xf16>) outs(%0 : tensor<2x4x12x1x16xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<2x4x12x1x16xf16>
    %2 = tensor.empty() : tensor<2x4x16x24xf16>
    %3 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x24x4x16xf16>) outs(%2 : tensor<2x4x16x24xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<2x4x16x24xf16>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2], [3, 4]] : tensor<2x4x12x1x16xf16> into tensor<8x12x16xf16>
    %collapsed_4 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x4x16x24xf16> into tensor<8x16x24xf16>
    %4 = tensor.empty() : tensor<8x12x24xf32>
    %5 = linalg.fill ins(%cst_3 : f32) outs(%4 : tensor<8x12x24xf32>) -> tensor<8x12x24xf32>
    %6 = linalg.batch_matmul ins(%collapsed, %collapsed_4 : tensor<8x12x16xf16>, tensor<8x16x24xf16>) outs(%5 : tensor<8x12x24xf32>) -> tensor<8x12x24xf32>
    %expanded_5 = tensor.expand_shape %6 [[0, 1], [2], [3, 4]] output_shape [2, 4, 12, 1, 24] : tensor<8x12x24xf32> into tensor<2x4x12x1x24xf32>
    %7 = tensor.empty() : tensor<2x4x12x1x24xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5 : tensor<2x4x12x1x24xf32>) outs(%7 : tensor<2x4x12x1x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.mulf %in, %cst_2 : f32
      linalg.yield %50 : f32
    } -> tensor<2x4x12x1x24xf32>
    %9 = tensor.empty() : tensor<24xi32>
    %10 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel"]} outs(%9 : tensor<24xi32>) {
    ^bb0(%out: i32):
      %50 = linalg.index 0 : index
      %51 = arith.index_cast %50 : index to i32
      linalg.yield %51 : i32
    } -> tensor<24xi32>
    %11 = tensor.empty() : tensor<2x1x24xi32>
    %12 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<24xi32>) outs(%11 : tensor<2x1x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x1x24xi32>
    %13 = tensor.empty() : tensor<2x1x24xi32>
    %14 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3 : tensor<2xi32>) outs(%13 : tensor<2x1x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x1x24xi32>
    %15 = tensor.empty() : tensor<2x1x24xi1>
    %16 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %14 : tensor<2x1x24xi32>, tensor<2x1x24xi32>) outs(%15 : tensor<2x1x24xi1>) {
    ^bb0(%in: i32, %in_12: i32, %out: i1):
      %50 = arith.cmpi slt, %in, %in_12 : i32
      linalg.yield %50 : i1
    } -> tensor<2x1x24xi1>
    %17 = tensor.empty() : tensor<2x4x12x24xi1>
    %18 = linalg.generic {indexing_maps = [#map8, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x1x24xi1>) outs(%17 : tensor<2x4x12x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x4x12x24xi1>
    %19 = tensor.empty() : tensor<1x2x4x12x24xi1>
    %20 = linalg.generic {indexing_maps = [#map9, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x4x12x24xi1>) outs(%19 : tensor<1x2x4x12x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x4x12x24xi1>
    %collapsed_6 = tensor.collapse_shape %8 [[0, 1, 2, 3, 4]] : tensor<2x4x12x1x24xf32> into tensor<2304xf32>
    %expanded_7 = tensor.expand_shape %collapsed_6 [[0, 1, 2, 3, 4]] output_shape [1, 2, 4, 12, 24] : tensor<2304xf32> into tensor<1x2x4x12x24xf32>
    %21 = tensor.empty() : tensor<1x2x4x12x24xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%20, %expanded_7 : tensor<1x2x4x12x24xi1>, tensor<1x2x4x12x24xf32>) outs(%21 : tensor<1x2x4x12x24xf32>) {
    ^bb0(%in: i1, %in_12: f32, %out: f32):
      %50 = arith.select %in, %in_12, %cst_1 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4x12x24xf32>
    %23 = tensor.empty() : tensor<1x2x4x12xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<1x2x4x12xf32>) -> tensor<1x2x4x12xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<1x2x4x12x24xf32>) outs(%24 : tensor<1x2x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.maximumf %out, %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4x12xf32>
    %26 = tensor.empty() : tensor<1x2x4x12x24xf32>
    %27 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<1x2x4x12xf32>) outs(%26 : tensor<1x2x4x12x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x12x24xf32>
    %28 = tensor.empty() : tensor<1x2x4x12x24xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%22, %27 : tensor<1x2x4x12x24xf32>, tensor<1x2x4x12x24xf32>) outs(%28 : tensor<1x2x4x12x24xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %50 = arith.subf %in, %in_12 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4x12x24xf32>
    %30 = tensor.empty() : tensor<1x2x4x12x24xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<1x2x4x12x24xf32>) outs(%30 : tensor<1x2x4x12x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.exp %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4x12x24xf32>
    %32 = tensor.empty() : tensor<1x2x4x12xf32>
    %33 = linalg.fill ins(%cst_3 : f32) outs(%32 : tensor<1x2x4x12xf32>) -> tensor<1x2x4x12xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%31 : tensor<1x2x4x12x24xf32>) outs(%33 : tensor<1x2x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.addf %out, %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4x12xf32>
    %35 = tensor.empty() : tensor<1x2x4x12x24xf32>
    %36 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<1x2x4x12xf32>) outs(%35 : tensor<1x2x4x12x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x12x24xf32>
    %37 = tensor.empty() : tensor<1x2x4x12x24xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%31, %36 : tensor<1x2x4x12x24xf32>, tensor<1x2x4x12x24xf32>) outs(%37 : tensor<1x2x4x12x24xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %50 = arith.divf %in, %in_12 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x4x12x24xf32>
    %39 = tensor.empty() : tensor<1x2x4x12x24xf16>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<1x2x4x12x24xf32>) outs(%39 : tensor<1x2x4x12x24xf16>) {
    ^bb0(%in: f32, %out: f16):
      %50 = arith.truncf %in : f32 to f16
      linalg.yield %50 : f16
    } -> tensor<1x2x4x12x24xf16>
    %41 = tensor.empty() : tensor<2x4x16x24xf16>
    %42 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x24x4x16xf16>) outs(%41 : tensor<2x4x16x24xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<2x4x16x24xf16>
    %43 = tensor.empty() : tensor<2x4x24x1x12xf16>
    %44 = linalg.generic {indexing_maps = [#map11, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<1x2x4x12x24xf16>) outs(%43 : tensor<2x4x24x1x12xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<2x4x24x1x12xf16>
    %collapsed_8 = tensor.collapse_shape %42 [[0, 1], [2], [3]] : tensor<2x4x16x24xf16> into tensor<8x16x24xf16>
    %collapsed_9 = tensor.collapse_shape %44 [[0, 1], [2], [3, 4]] : tensor<2x4x24x1x12xf16> into tensor<8x24x12xf16>
    %45 = tensor.empty() : tensor<8x16x12xf16>
    %46 = linalg.fill ins(%cst : f16) outs(%45 : tensor<8x16x12xf16>) -> tensor<8x16x12xf16>
    %47 = linalg.batch_matmul ins(%collapsed_8, %collapsed_9 : tensor<8x16x24xf16>, tensor<8x24x12xf16>) outs(%46 : tensor<8x16x12xf16>) -> tensor<8x16x12xf16>
    %expanded_10 = tensor.expand_shape %47 [[0, 1], [2], [3, 4]] output_shape [2, 4, 16, 1, 12] : tensor<8x16x12xf16> into tensor<2x4x16x1x12xf16>
    %48 = tensor.empty() : tensor<1x2x12x4x16xf16>
    %49 = linalg.generic {indexing_maps = [#map12, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10 : tensor<2x4x16x1x12xf16>) outs(%48 : tensor<1x2x12x4x16xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<1x2x12x4x16xf16>
    %collapsed_11 = tensor.collapse_shape %49 [[0, 1], [2], [3], [4]] : tensor<1x2x12x4x16xf16> into tensor<2x12x4x16xf16>
    return %collapsed_11 : tensor<2x12x4x16xf16>
  }
}
