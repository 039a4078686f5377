// jax 0.10.2, flax 0.12.8, --iree-stablehlo-to-iree-input
// made by: export/jax_export.py causal_fused_f32

#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
module @jit_dot_product_attention {
  func.func public @causal_fused_f32(%arg0: tensor<2x16x4x8xf32>, %arg1: tensor<2x16x4x8xf32>, %arg2: tensor<2x16x4x8xf32>) -> tensor<2x16x4x8xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant -2.38197633E+38 : f32
    %cst_1 = arith.constant 0.353553385 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<8x16x16xf32>
    %expanded = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [2, 4, 16, 16] : tensor<8x16x16xf32> into tensor<2x4x16x16xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%expanded : tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x16x4x8xf32>, tensor<2x16x4x8xf32>) outs(%1 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %16 = arith.mulf %in, %in_4 : f32
      %17 = arith.addf %out, %16 : f32
      linalg.yield %17 : f32
    } -> tensor<2x4x16x16xf32>
    %3 = tensor.empty() : tensor<2x4x16x16xf32>
    %4 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x4x16x16xf32>) outs(%3 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.mulf %in, %cst_1 : f32
      %17 = linalg.index 2 : index
      %18 = linalg.index 3 : index
      %19 = arith.index_cast %18 : index to i32
      %20 = arith.index_cast %17 : index to i32
      %21 = arith.cmpi sge, %20, %19 : i32
      %22 = arith.select %21, %16, %cst_0 : f32
      linalg.yield %22 : f32
    } -> tensor<2x4x16x16xf32>
    %5 = tensor.empty() : tensor<2x4x16xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%4 : tensor<2x4x16x16xf32>) outs(%6 : tensor<2x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.maximumf %out, %in : f32
      linalg.yield %16 : f32
    } -> tensor<2x4x16xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %7 : tensor<2x4x16x16xf32>, tensor<2x4x16xf32>) outs(%3 : tensor<2x4x16x16xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %16 = arith.subf %in, %in_4 : f32
      %17 = math.exp %16 : f32
      linalg.yield %17 : f32
    } -> tensor<2x4x16x16xf32>
    %9 = linalg.fill ins(%cst_2 : f32) outs(%5 : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x4x16x16xf32>) outs(%9 : tensor<2x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.addf %out, %in : f32
      linalg.yield %16 : f32
    } -> tensor<2x4x16xf32>
    %11 = tensor.empty() : tensor<8x8x16xf32>
    %expanded_3 = tensor.expand_shape %11 [[0, 1], [2], [3]] output_shape [2, 4, 8, 16] : tensor<8x8x16xf32> into tensor<2x4x8x16xf32>
    %12 = linalg.fill ins(%cst_2 : f32) outs(%expanded_3 : tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
    %13 = linalg.generic {indexing_maps = [#map5, #map6, #map7, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %8, %10 : tensor<2x16x4x8xf32>, tensor<2x4x16x16xf32>, tensor<2x4x16xf32>) outs(%12 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %in_4: f32, %in_5: f32, %out: f32):
      %16 = arith.divf %in_4, %in_5 : f32
      %17 = arith.mulf %in, %16 : f32
      %18 = arith.addf %out, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<2x4x8x16xf32>
    %14 = tensor.empty() : tensor<2x16x4x8xf32>
    %15 = linalg.generic {indexing_maps = [#map8, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x4x8x16xf32>) outs(%14 : tensor<2x16x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x4x8xf32>
    return %15 : tensor<2x16x4x8xf32>
  }
}
