// jax 0.10.2, flax 0.12.8, --iree-stablehlo-to-iree-input
// made by: export/jax_export.py causal_softmax_f32

#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d4, d2)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
module @jit_dot_product_attention {
  func.func public @causal_softmax_f32(%arg0: tensor<2x16x4x8xf32>, %arg1: tensor<2x16x4x8xf32>, %arg2: tensor<2x16x4x8xf32>) -> tensor<2x16x4x8xf32> {
    %cst = arith.constant -2.38197633E+38 : f32
    %cst_0 = arith.constant 0.353553385 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2], [3, 4]] output_shape [2, 16, 4, 1, 8] : tensor<2x16x4x8xf32> into tensor<2x16x4x1x8xf32>
    %0 = tensor.empty() : tensor<2x4x16x1x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x16x4x1x8xf32>) outs(%0 : tensor<2x4x16x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x16x1x8xf32>
    %2 = tensor.empty() : tensor<2x4x8x16xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x16x4x8xf32>) outs(%2 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x16xf32>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2], [3, 4]] : tensor<2x4x16x1x8xf32> into tensor<8x16x8xf32>
    %collapsed_2 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %4 = tensor.empty() : tensor<8x16x16xf32>
    %5 = linalg.fill ins(%cst_1 : f32) outs(%4 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %6 = linalg.batch_matmul ins(%collapsed, %collapsed_2 : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%5 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    %expanded_3 = tensor.expand_shape %6 [[0, 1], [2], [3, 4]] output_shape [2, 4, 16, 1, 16] : tensor<8x16x16xf32> into tensor<2x4x16x1x16xf32>
    %7 = tensor.empty() : tensor<2x4x16x1x16xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3 : tensor<2x4x16x1x16xf32>) outs(%7 : tensor<2x4x16x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.mulf %in, %cst_0 : f32
      linalg.yield %32 : f32
    } -> tensor<2x4x16x1x16xf32>
    %9 = tensor.empty() : tensor<16x16xi32>
    %10 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<16x16xi32>) {
    ^bb0(%out: i32):
      %32 = linalg.index 0 : index
      %33 = arith.index_cast %32 : index to i32
      linalg.yield %33 : i32
    } -> tensor<16x16xi32>
    %11 = tensor.empty() : tensor<16x16xi32>
    %12 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel"]} outs(%11 : tensor<16x16xi32>) {
    ^bb0(%out: i32):
      %32 = linalg.index 1 : index
      %33 = arith.index_cast %32 : index to i32
      linalg.yield %33 : i32
    } -> tensor<16x16xi32>
    %13 = tensor.empty() : tensor<16x16xi1>
    %14 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%10, %12 : tensor<16x16xi32>, tensor<16x16xi32>) outs(%13 : tensor<16x16xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %32 = arith.cmpi sge, %in, %in_10 : i32
      linalg.yield %32 : i1
    } -> tensor<16x16xi1>
    %15 = tensor.empty() : tensor<2x4x16x16xi1>
    %16 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<16x16xi1>) outs(%15 : tensor<2x4x16x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x4x16x16xi1>
    %17 = tensor.empty() : tensor<1x2x4x16x16xi1>
    %18 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x4x16x16xi1>) outs(%17 : tensor<1x2x4x16x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x4x16x16xi1>
    %collapsed_4 = tensor.collapse_shape %8 [[0, 1, 2, 3, 4]] : tensor<2x4x16x1x16xf32> into tensor<2048xf32>
    %expanded_5 = tensor.expand_shape %collapsed_4 [[0, 1, 2, 3, 4]] output_shape [1, 2, 4, 16, 16] : tensor<2048xf32> into tensor<1x2x4x16x16xf32>
    %19 = tensor.empty() : tensor<1x2x4x16x16xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%18, %expanded_5 : tensor<1x2x4x16x16xi1>, tensor<1x2x4x16x16xf32>) outs(%19 : tensor<1x2x4x16x16xf32>) {
    ^bb0(%in: i1, %in_10: f32, %out: f32):
      %32 = arith.select %in, %in_10, %cst : f32
      linalg.yield %32 : f32
    } -> tensor<1x2x4x16x16xf32>
    %21 = tensor.empty() : tensor<1x2x4x16x16xf32>
    %22 = linalg.softmax dimension(4) ins(%20 : tensor<1x2x4x16x16xf32>) outs(%21 : tensor<1x2x4x16x16xf32>) -> tensor<1x2x4x16x16xf32>
    %23 = tensor.empty() : tensor<2x4x8x16xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x16x4x8xf32>) outs(%23 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x16xf32>
    %25 = tensor.empty() : tensor<2x4x16x1x16xf32>
    %26 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<1x2x4x16x16xf32>) outs(%25 : tensor<2x4x16x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x16x1x16xf32>
    %collapsed_6 = tensor.collapse_shape %24 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
    %collapsed_7 = tensor.collapse_shape %26 [[0, 1], [2], [3, 4]] : tensor<2x4x16x1x16xf32> into tensor<8x16x16xf32>
    %27 = tensor.empty() : tensor<8x8x16xf32>
    %28 = linalg.fill ins(%cst_1 : f32) outs(%27 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %29 = linalg.batch_matmul ins(%collapsed_6, %collapsed_7 : tensor<8x8x16xf32>, tensor<8x16x16xf32>) outs(%28 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
    %expanded_8 = tensor.expand_shape %29 [[0, 1], [2], [3, 4]] output_shape [2, 4, 8, 1, 16] : tensor<8x8x16xf32> into tensor<2x4x8x1x16xf32>
    %30 = tensor.empty() : tensor<1x2x16x4x8xf32>
    %31 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_8 : tensor<2x4x8x1x16xf32>) outs(%30 : tensor<1x2x16x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x16x4x8xf32>
    %collapsed_9 = tensor.collapse_shape %31 [[0, 1], [2], [3], [4]] : tensor<1x2x16x4x8xf32> into tensor<2x16x4x8xf32>
    return %collapsed_9 : tensor<2x16x4x8xf32>
  }
}
