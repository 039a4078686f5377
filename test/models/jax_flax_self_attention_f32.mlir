// jax 0.10.2, flax 0.12.8, --iree-stablehlo-to-iree-input
// made by: export/jax_export.py flax_self_attention_f32

#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map6 = affine_map<() -> ()>
#map7 = affine_map<(d0, d1, d2, d3) -> ()>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map14 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
module @jit_fn {
  func.func public @flax_self_attention_f32(%arg0: tensor<4x8xf32>, %arg1: tensor<32x4x8xf32>, %arg2: tensor<32xf32>, %arg3: tensor<4x8x32xf32>, %arg4: tensor<4x8xf32>, %arg5: tensor<32x4x8xf32>, %arg6: tensor<4x8xf32>, %arg7: tensor<32x4x8xf32>, %arg8: tensor<2x12x32xf32>, %arg9: tensor<2x12xi1>) -> tensor<2x12x32xf32> {
    %cst = arith.constant 2.82842708 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant -3.40282347E+38 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x12x12xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9 : tensor<2x12xi1>) outs(%0 : tensor<2x12x12xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x12x12xi1>
    %2 = tensor.empty() : tensor<2x12x12xi1>
    %3 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9 : tensor<2x12xi1>) outs(%2 : tensor<2x12x12xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x12x12xi1>
    %4 = tensor.empty() : tensor<2x12x12xi1>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %3 : tensor<2x12x12xi1>, tensor<2x12x12xi1>) outs(%4 : tensor<2x12x12xi1>) {
    ^bb0(%in: i1, %in_23: i1, %out: i1):
      %82 = arith.andi %in, %in_23 : i1
      linalg.yield %82 : i1
    } -> tensor<2x12x12xi1>
    %6 = tensor.empty() : tensor<2x12x12xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<2x12x12xi1>) outs(%6 : tensor<2x12x12xf32>) {
    ^bb0(%in: i1, %out: f32):
      %82 = arith.uitofp %in : i1 to f32
      linalg.yield %82 : f32
    } -> tensor<2x12x12xf32>
    %8 = tensor.empty() : tensor<2x1x12x12xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x12x12xf32>) outs(%8 : tensor<2x1x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x12x12xf32>
    %collapsed = tensor.collapse_shape %arg8 [[0, 1], [2]] : tensor<2x12x32xf32> into tensor<24x32xf32>
    %collapsed_3 = tensor.collapse_shape %arg5 [[0], [1, 2]] : tensor<32x4x8xf32> into tensor<32x32xf32>
    %10 = tensor.empty() : tensor<24x32xf32>
    %11 = linalg.fill ins(%cst_2 : f32) outs(%10 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %12 = linalg.matmul ins(%collapsed, %collapsed_3 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%11 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded = tensor.expand_shape %12 [[0, 1], [2, 3]] output_shape [2, 12, 4, 8] : tensor<24x32xf32> into tensor<2x12x4x8xf32>
    %expanded_4 = tensor.expand_shape %arg4 [[0, 1, 2], [3]] output_shape [1, 1, 4, 8] : tensor<4x8xf32> into tensor<1x1x4x8xf32>
    %13 = tensor.empty() : tensor<2x12x4x8xf32>
    %14 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4 : tensor<1x1x4x8xf32>) outs(%13 : tensor<2x12x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x12x4x8xf32>
    %15 = tensor.empty() : tensor<2x12x4x8xf32>
    %16 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %14 : tensor<2x12x4x8xf32>, tensor<2x12x4x8xf32>) outs(%15 : tensor<2x12x4x8xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %82 = arith.addf %in, %in_23 : f32
      linalg.yield %82 : f32
    } -> tensor<2x12x4x8xf32>
    %collapsed_5 = tensor.collapse_shape %arg8 [[0, 1], [2]] : tensor<2x12x32xf32> into tensor<24x32xf32>
    %collapsed_6 = tensor.collapse_shape %arg1 [[0], [1, 2]] : tensor<32x4x8xf32> into tensor<32x32xf32>
    %17 = tensor.empty() : tensor<24x32xf32>
    %18 = linalg.fill ins(%cst_2 : f32) outs(%17 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %19 = linalg.matmul ins(%collapsed_5, %collapsed_6 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%18 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded_7 = tensor.expand_shape %19 [[0, 1], [2, 3]] output_shape [2, 12, 4, 8] : tensor<24x32xf32> into tensor<2x12x4x8xf32>
    %expanded_8 = tensor.expand_shape %arg0 [[0, 1, 2], [3]] output_shape [1, 1, 4, 8] : tensor<4x8xf32> into tensor<1x1x4x8xf32>
    %20 = tensor.empty() : tensor<2x12x4x8xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_8 : tensor<1x1x4x8xf32>) outs(%20 : tensor<2x12x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x12x4x8xf32>
    %22 = tensor.empty() : tensor<2x12x4x8xf32>
    %23 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7, %21 : tensor<2x12x4x8xf32>, tensor<2x12x4x8xf32>) outs(%22 : tensor<2x12x4x8xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %82 = arith.addf %in, %in_23 : f32
      linalg.yield %82 : f32
    } -> tensor<2x12x4x8xf32>
    %collapsed_9 = tensor.collapse_shape %arg8 [[0, 1], [2]] : tensor<2x12x32xf32> into tensor<24x32xf32>
    %collapsed_10 = tensor.collapse_shape %arg7 [[0], [1, 2]] : tensor<32x4x8xf32> into tensor<32x32xf32>
    %24 = tensor.empty() : tensor<24x32xf32>
    %25 = linalg.fill ins(%cst_2 : f32) outs(%24 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %26 = linalg.matmul ins(%collapsed_9, %collapsed_10 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%25 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded_11 = tensor.expand_shape %26 [[0, 1], [2, 3]] output_shape [2, 12, 4, 8] : tensor<24x32xf32> into tensor<2x12x4x8xf32>
    %expanded_12 = tensor.expand_shape %arg6 [[0, 1, 2], [3]] output_shape [1, 1, 4, 8] : tensor<4x8xf32> into tensor<1x1x4x8xf32>
    %27 = tensor.empty() : tensor<2x12x4x8xf32>
    %28 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_12 : tensor<1x1x4x8xf32>) outs(%27 : tensor<2x12x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x12x4x8xf32>
    %29 = tensor.empty() : tensor<2x12x4x8xf32>
    %30 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_11, %28 : tensor<2x12x4x8xf32>, tensor<2x12x4x8xf32>) outs(%29 : tensor<2x12x4x8xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %82 = arith.addf %in, %in_23 : f32
      linalg.yield %82 : f32
    } -> tensor<2x12x4x8xf32>
    %31 = tensor.empty() : tensor<f32>
    %32 = linalg.generic {indexing_maps = [#map6], iterator_types = []} outs(%31 : tensor<f32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<f32>
    %33 = tensor.empty() : tensor<2x12x4x8xf32>
    %34 = linalg.generic {indexing_maps = [#map7, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<f32>) outs(%33 : tensor<2x12x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x12x4x8xf32>
    %35 = tensor.empty() : tensor<2x12x4x8xf32>
    %36 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %34 : tensor<2x12x4x8xf32>, tensor<2x12x4x8xf32>) outs(%35 : tensor<2x12x4x8xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %82 = arith.divf %in, %in_23 : f32
      linalg.yield %82 : f32
    } -> tensor<2x12x4x8xf32>
    %37 = tensor.empty() : tensor<2x4x12x8xf32>
    %38 = linalg.generic {indexing_maps = [#map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<2x12x4x8xf32>) outs(%37 : tensor<2x4x12x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x12x8xf32>
    %39 = tensor.empty() : tensor<2x4x8x12xf32>
    %40 = linalg.generic {indexing_maps = [#map9, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x12x4x8xf32>) outs(%39 : tensor<2x4x8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x12xf32>
    %collapsed_13 = tensor.collapse_shape %38 [[0, 1], [2], [3]] : tensor<2x4x12x8xf32> into tensor<8x12x8xf32>
    %collapsed_14 = tensor.collapse_shape %40 [[0, 1], [2], [3]] : tensor<2x4x8x12xf32> into tensor<8x8x12xf32>
    %41 = tensor.empty() : tensor<8x12x12xf32>
    %42 = linalg.fill ins(%cst_2 : f32) outs(%41 : tensor<8x12x12xf32>) -> tensor<8x12x12xf32>
    %43 = linalg.batch_matmul ins(%collapsed_13, %collapsed_14 : tensor<8x12x8xf32>, tensor<8x8x12xf32>) outs(%42 : tensor<8x12x12xf32>) -> tensor<8x12x12xf32>
    %expanded_15 = tensor.expand_shape %43 [[0, 1], [2], [3]] output_shape [2, 4, 12, 12] : tensor<8x12x12xf32> into tensor<2x4x12x12xf32>
    %44 = tensor.empty() : tensor<2x1x12x12xi1>
    %45 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x1x12x12xf32>) outs(%44 : tensor<2x1x12x12xi1>) {
    ^bb0(%in: f32, %out: i1):
      %82 = arith.cmpf une, %in, %cst_2 : f32
      linalg.yield %82 : i1
    } -> tensor<2x1x12x12xi1>
    %46 = tensor.empty() : tensor<2x4x12x12xi1>
    %47 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45 : tensor<2x1x12x12xi1>) outs(%46 : tensor<2x4x12x12xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x4x12x12xi1>
    %48 = tensor.empty() : tensor<2x4x12x12xf32>
    %49 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %expanded_15 : tensor<2x4x12x12xi1>, tensor<2x4x12x12xf32>) outs(%48 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: i1, %in_23: f32, %out: f32):
      %82 = arith.select %in, %in_23, %cst_1 : f32
      linalg.yield %82 : f32
    } -> tensor<2x4x12x12xf32>
    %50 = tensor.empty() : tensor<2x4x12xf32>
    %51 = linalg.fill ins(%cst_0 : f32) outs(%50 : tensor<2x4x12xf32>) -> tensor<2x4x12xf32>
    %52 = linalg.generic {indexing_maps = [#map4, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%49 : tensor<2x4x12x12xf32>) outs(%51 : tensor<2x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.maximumf %out, %in : f32
      linalg.yield %82 : f32
    } -> tensor<2x4x12xf32>
    %53 = tensor.empty() : tensor<2x4x12x12xf32>
    %54 = linalg.generic {indexing_maps = [#map11, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<2x4x12xf32>) outs(%53 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x12x12xf32>
    %55 = tensor.empty() : tensor<2x4x12x12xf32>
    %56 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %54 : tensor<2x4x12x12xf32>, tensor<2x4x12x12xf32>) outs(%55 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %82 = arith.subf %in, %in_23 : f32
      linalg.yield %82 : f32
    } -> tensor<2x4x12x12xf32>
    %57 = tensor.empty() : tensor<2x4x12x12xf32>
    %58 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56 : tensor<2x4x12x12xf32>) outs(%57 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = math.exp %in : f32
      linalg.yield %82 : f32
    } -> tensor<2x4x12x12xf32>
    %59 = tensor.empty() : tensor<2x4x12xf32>
    %60 = linalg.fill ins(%cst_2 : f32) outs(%59 : tensor<2x4x12xf32>) -> tensor<2x4x12xf32>
    %61 = linalg.generic {indexing_maps = [#map4, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%58 : tensor<2x4x12x12xf32>) outs(%60 : tensor<2x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %out, %in : f32
      linalg.yield %82 : f32
    } -> tensor<2x4x12xf32>
    %62 = tensor.empty() : tensor<2x4x12x12xf32>
    %63 = linalg.generic {indexing_maps = [#map11, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61 : tensor<2x4x12xf32>) outs(%62 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x12x12xf32>
    %64 = tensor.empty() : tensor<2x4x12x12xf32>
    %65 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %63 : tensor<2x4x12x12xf32>, tensor<2x4x12x12xf32>) outs(%64 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %82 = arith.divf %in, %in_23 : f32
      linalg.yield %82 : f32
    } -> tensor<2x4x12x12xf32>
    %66 = tensor.empty() : tensor<2x4x8x12xf32>
    %67 = linalg.generic {indexing_maps = [#map9, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x12x4x8xf32>) outs(%66 : tensor<2x4x8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8x12xf32>
    %68 = tensor.empty() : tensor<2x4x12x12xf32>
    %69 = linalg.generic {indexing_maps = [#map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65 : tensor<2x4x12x12xf32>) outs(%68 : tensor<2x4x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x12x12xf32>
    %collapsed_16 = tensor.collapse_shape %67 [[0, 1], [2], [3]] : tensor<2x4x8x12xf32> into tensor<8x8x12xf32>
    %collapsed_17 = tensor.collapse_shape %69 [[0, 1], [2], [3]] : tensor<2x4x12x12xf32> into tensor<8x12x12xf32>
    %70 = tensor.empty() : tensor<8x8x12xf32>
    %71 = linalg.fill ins(%cst_2 : f32) outs(%70 : tensor<8x8x12xf32>) -> tensor<8x8x12xf32>
    %72 = linalg.batch_matmul ins(%collapsed_16, %collapsed_17 : tensor<8x8x12xf32>, tensor<8x12x12xf32>) outs(%71 : tensor<8x8x12xf32>) -> tensor<8x8x12xf32>
    %expanded_18 = tensor.expand_shape %72 [[0, 1], [2], [3]] output_shape [2, 4, 8, 12] : tensor<8x8x12xf32> into tensor<2x4x8x12xf32>
    %73 = tensor.empty() : tensor<2x12x4x8xf32>
    %74 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_18 : tensor<2x4x8x12xf32>) outs(%73 : tensor<2x12x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x12x4x8xf32>
    %collapsed_19 = tensor.collapse_shape %74 [[0, 1], [2, 3]] : tensor<2x12x4x8xf32> into tensor<24x32xf32>
    %collapsed_20 = tensor.collapse_shape %arg3 [[0, 1], [2]] : tensor<4x8x32xf32> into tensor<32x32xf32>
    %75 = tensor.empty() : tensor<24x32xf32>
    %76 = linalg.fill ins(%cst_2 : f32) outs(%75 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %77 = linalg.matmul ins(%collapsed_19, %collapsed_20 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%76 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded_21 = tensor.expand_shape %77 [[0, 1], [2]] output_shape [2, 12, 32] : tensor<24x32xf32> into tensor<2x12x32xf32>
    %expanded_22 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [1, 1, 32] : tensor<32xf32> into tensor<1x1x32xf32>
    %78 = tensor.empty() : tensor<2x12x32xf32>
    %79 = linalg.generic {indexing_maps = [#map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_22 : tensor<1x1x32xf32>) outs(%78 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x12x32xf32>
    %80 = tensor.empty() : tensor<2x12x32xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_21, %79 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%80 : tensor<2x12x32xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %82 = arith.addf %in, %in_23 : f32
      linalg.yield %82 : f32
    } -> tensor<2x12x32xf32>
    return %81 : tensor<2x12x32xf32>
  }
}
