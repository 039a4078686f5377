// jax 0.10.2, flax 0.12.8, --iree-stablehlo-to-iree-input
// made by: export/jax_export.py classifier_bf16

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> (d0)>
module @jit_fn {
  func.func public @classifier_bf16(%arg0: tensor<2x12x32xbf16>, %arg1: tensor<32x10xbf16>) -> tensor<2x10xbf16> {
    %cst = arith.constant 0xFF80 : bf16
    %cst_0 = arith.constant 0.000000e+00 : bf16
    %cst_1 = arith.constant 1.200000e+01 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x12x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x12x32xbf16>) outs(%0 : tensor<2x12x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %32 = arith.extf %in : bf16 to f32
      linalg.yield %32 : f32
    } -> tensor<2x12x32xf32>
    %2 = tensor.empty() : tensor<2x32xf32>
    %3 = linalg.fill ins(%cst_2 : f32) outs(%2 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<2x12x32xf32>) outs(%3 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %out, %in : f32
      linalg.yield %32 : f32
    } -> tensor<2x32xf32>
    %5 = tensor.empty() : tensor<2x32xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<2x32xf32>) outs(%5 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.divf %in, %cst_1 : f32
      linalg.yield %32 : f32
    } -> tensor<2x32xf32>
    %7 = tensor.empty() : tensor<2x32xbf16>
    %8 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<2x32xf32>) outs(%7 : tensor<2x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %32 = arith.truncf %in : f32 to bf16
      linalg.yield %32 : bf16
    } -> tensor<2x32xbf16>
    %9 = tensor.empty() : tensor<2x10xbf16>
    %10 = linalg.fill ins(%cst_0 : bf16) outs(%9 : tensor<2x10xbf16>) -> tensor<2x10xbf16>
    %11 = linalg.matmul ins(%8, %arg1 : tensor<2x32xbf16>, tensor<32x10xbf16>) outs(%10 : tensor<2x10xbf16>) -> tensor<2x10xbf16>
    %12 = tensor.empty() : tensor<2xbf16>
    %13 = linalg.fill ins(%cst : bf16) outs(%12 : tensor<2xbf16>) -> tensor<2xbf16>
    %14 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%11 : tensor<2x10xbf16>) outs(%13 : tensor<2xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %32 = arith.maximumf %out, %in : bf16
      linalg.yield %32 : bf16
    } -> tensor<2xbf16>
    %15 = tensor.empty() : tensor<2x10xbf16>
    %16 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<2xbf16>) outs(%15 : tensor<2x10xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x10xbf16>
    %17 = tensor.empty() : tensor<2x10xbf16>
    %18 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%11, %16 : tensor<2x10xbf16>, tensor<2x10xbf16>) outs(%17 : tensor<2x10xbf16>) {
    ^bb0(%in: bf16, %in_3: bf16, %out: bf16):
      %32 = arith.subf %in, %in_3 : bf16
      linalg.yield %32 : bf16
    } -> tensor<2x10xbf16>
    %19 = tensor.empty() : tensor<2x10xbf16>
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<2x10xbf16>) outs(%19 : tensor<2x10xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %32 = math.exp %in : bf16
      linalg.yield %32 : bf16
    } -> tensor<2x10xbf16>
    %21 = tensor.empty() : tensor<2x10xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<2x10xbf16>) outs(%21 : tensor<2x10xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %32 = arith.extf %in : bf16 to f32
      linalg.yield %32 : f32
    } -> tensor<2x10xf32>
    %23 = tensor.empty() : tensor<2xf32>
    %24 = linalg.fill ins(%cst_2 : f32) outs(%23 : tensor<2xf32>) -> tensor<2xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%22 : tensor<2x10xf32>) outs(%24 : tensor<2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %32 = arith.addf %out, %in : f32
      linalg.yield %32 : f32
    } -> tensor<2xf32>
    %26 = tensor.empty() : tensor<2xbf16>
    %27 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%25 : tensor<2xf32>) outs(%26 : tensor<2xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %32 = arith.truncf %in : f32 to bf16
      linalg.yield %32 : bf16
    } -> tensor<2xbf16>
    %28 = tensor.empty() : tensor<2x10xbf16>
    %29 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<2xbf16>) outs(%28 : tensor<2x10xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x10xbf16>
    %30 = tensor.empty() : tensor<2x10xbf16>
    %31 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%20, %29 : tensor<2x10xbf16>, tensor<2x10xbf16>) outs(%30 : tensor<2x10xbf16>) {
    ^bb0(%in: bf16, %in_3: bf16, %out: bf16):
      %32 = arith.divf %in, %in_3 : bf16
      linalg.yield %32 : bf16
    } -> tensor<2x10xbf16>
    return %31 : tensor<2x10xbf16>
  }
}
