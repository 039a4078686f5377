// jax 0.10.2, flax 0.12.8, --iree-stablehlo-to-iree-input
// made by: export/jax_export.py scan_layers_f32

#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d4, d2)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map10 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module @jit_fn {
  func.func public @scan_layers_f32(%arg0: tensor<2x16x32xf32>, %arg1: tensor<3x32x32xf32>, %arg2: tensor<3x32x32xf32>, %arg3: tensor<3x32x32xf32>) -> tensor<2x16x32xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant -2.38197633E+38 : f32
    %cst_1 = arith.constant 0.353553385 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %c3_i32 = arith.constant 3 : i32
    %c1_i32 = arith.constant 1 : i32
    %0 = scf.for %arg4 = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%arg5 = %arg0) -> (tensor<2x16x32xf32>)  : i32 {
      %1 = arith.index_cast %arg4 : i32 to index
      %2 = arith.maxsi %1, %c0 : index
      %3 = arith.minsi %2, %c2 : index
      %extracted_slice = tensor.extract_slice %arg1[%3, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<3x32x32xf32> to tensor<1x32x32xf32>
      %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x32x32xf32> into tensor<32x32xf32>
      %4 = arith.index_cast %arg4 : i32 to index
      %5 = arith.maxsi %4, %c0 : index
      %6 = arith.minsi %5, %c2 : index
      %extracted_slice_3 = tensor.extract_slice %arg2[%6, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<3x32x32xf32> to tensor<1x32x32xf32>
      %collapsed_4 = tensor.collapse_shape %extracted_slice_3 [[0, 1], [2]] : tensor<1x32x32xf32> into tensor<32x32xf32>
      %7 = arith.index_cast %arg4 : i32 to index
      %8 = arith.maxsi %7, %c0 : index
      %9 = arith.minsi %8, %c2 : index
      %extracted_slice_5 = tensor.extract_slice %arg3[%9, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<3x32x32xf32> to tensor<1x32x32xf32>
      %collapsed_6 = tensor.collapse_shape %extracted_slice_5 [[0, 1], [2]] : tensor<1x32x32xf32> into tensor<32x32xf32>
      %collapsed_7 = tensor.collapse_shape %arg5 [[0, 1], [2]] : tensor<2x16x32xf32> into tensor<32x32xf32>
      %10 = tensor.empty() : tensor<32x32xf32>
      %11 = linalg.fill ins(%cst_2 : f32) outs(%10 : tensor<32x32xf32>) -> tensor<32x32xf32>
      %12 = linalg.matmul ins(%collapsed_7, %collapsed : tensor<32x32xf32>, tensor<32x32xf32>) outs(%11 : tensor<32x32xf32>) -> tensor<32x32xf32>
      %collapsed_8 = tensor.collapse_shape %arg5 [[0, 1], [2]] : tensor<2x16x32xf32> into tensor<32x32xf32>
      %13 = tensor.empty() : tensor<32x32xf32>
      %14 = linalg.fill ins(%cst_2 : f32) outs(%13 : tensor<32x32xf32>) -> tensor<32x32xf32>
      %15 = linalg.matmul ins(%collapsed_8, %collapsed_4 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%14 : tensor<32x32xf32>) -> tensor<32x32xf32>
      %collapsed_9 = tensor.collapse_shape %arg5 [[0, 1], [2]] : tensor<2x16x32xf32> into tensor<32x32xf32>
      %16 = tensor.empty() : tensor<32x32xf32>
      %17 = linalg.fill ins(%cst_2 : f32) outs(%16 : tensor<32x32xf32>) -> tensor<32x32xf32>
      %18 = linalg.matmul ins(%collapsed_9, %collapsed_6 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%17 : tensor<32x32xf32>) -> tensor<32x32xf32>
      %expanded = tensor.expand_shape %15 [[0, 1], [2, 3]] output_shape [2, 16, 4, 8] : tensor<32x32xf32> into tensor<2x16x4x8xf32>
      %expanded_10 = tensor.expand_shape %18 [[0, 1], [2, 3]] output_shape [2, 16, 4, 8] : tensor<32x32xf32> into tensor<2x16x4x8xf32>
      %expanded_11 = tensor.expand_shape %12 [[0, 1], [2, 3, 4]] output_shape [2, 16, 4, 1, 8] : tensor<32x32xf32> into tensor<2x16x4x1x8xf32>
      %19 = tensor.empty() : tensor<2x4x16x1x8xf32>
      %20 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_11 : tensor<2x16x4x1x8xf32>) outs(%19 : tensor<2x4x16x1x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<2x4x16x1x8xf32>
      %21 = tensor.empty() : tensor<2x4x8x16xf32>
      %22 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x16x4x8xf32>) outs(%21 : tensor<2x4x8x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<2x4x8x16xf32>
      %collapsed_12 = tensor.collapse_shape %20 [[0, 1], [2], [3, 4]] : tensor<2x4x16x1x8xf32> into tensor<8x16x8xf32>
      %collapsed_13 = tensor.collapse_shape %22 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
      %23 = tensor.empty() : tensor<8x16x16xf32>
      %24 = linalg.fill ins(%cst_2 : f32) outs(%23 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
      %25 = linalg.batch_matmul ins(%collapsed_12, %collapsed_13 : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%24 : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
      %expanded_14 = tensor.expand_shape %25 [[0, 1], [2], [3, 4]] output_shape [2, 4, 16, 1, 16] : tensor<8x16x16xf32> into tensor<2x4x16x1x16xf32>
      %26 = tensor.empty() : tensor<2x4x16x1x16xf32>
      %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14 : tensor<2x4x16x1x16xf32>) outs(%26 : tensor<2x4x16x1x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        %67 = arith.mulf %in, %cst_1 : f32
        linalg.yield %67 : f32
      } -> tensor<2x4x16x1x16xf32>
      %28 = tensor.empty() : tensor<16x16xi32>
      %29 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel"]} outs(%28 : tensor<16x16xi32>) {
      ^bb0(%out: i32):
        %67 = linalg.index 0 : index
        %68 = arith.index_cast %67 : index to i32
        linalg.yield %68 : i32
      } -> tensor<16x16xi32>
      %30 = tensor.empty() : tensor<16x16xi32>
      %31 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel"]} outs(%30 : tensor<16x16xi32>) {
      ^bb0(%out: i32):
        %67 = linalg.index 1 : index
        %68 = arith.index_cast %67 : index to i32
        linalg.yield %68 : i32
      } -> tensor<16x16xi32>
      %32 = tensor.empty() : tensor<16x16xi1>
      %33 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%29, %31 : tensor<16x16xi32>, tensor<16x16xi32>) outs(%32 : tensor<16x16xi1>) {
      ^bb0(%in: i32, %in_21: i32, %out: i1):
        %67 = arith.cmpi sge, %in, %in_21 : i32
        linalg.yield %67 : i1
      } -> tensor<16x16xi1>
      %34 = tensor.empty() : tensor<2x4x16x16xi1>
      %35 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<16x16xi1>) outs(%34 : tensor<2x4x16x16xi1>) {
      ^bb0(%in: i1, %out: i1):
        linalg.yield %in : i1
      } -> tensor<2x4x16x16xi1>
      %36 = tensor.empty() : tensor<1x2x4x16x16xi1>
      %37 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<2x4x16x16xi1>) outs(%36 : tensor<1x2x4x16x16xi1>) {
      ^bb0(%in: i1, %out: i1):
        linalg.yield %in : i1
      } -> tensor<1x2x4x16x16xi1>
      %collapsed_15 = tensor.collapse_shape %27 [[0, 1, 2, 3, 4]] : tensor<2x4x16x1x16xf32> into tensor<2048xf32>
      %expanded_16 = tensor.expand_shape %collapsed_15 [[0, 1, 2, 3, 4]] output_shape [1, 2, 4, 16, 16] : tensor<2048xf32> into tensor<1x2x4x16x16xf32>
      %38 = tensor.empty() : tensor<1x2x4x16x16xf32>
      %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%37, %expanded_16 : tensor<1x2x4x16x16xi1>, tensor<1x2x4x16x16xf32>) outs(%38 : tensor<1x2x4x16x16xf32>) {
      ^bb0(%in: i1, %in_21: f32, %out: f32):
        %67 = arith.select %in, %in_21, %cst_0 : f32
        linalg.yield %67 : f32
      } -> tensor<1x2x4x16x16xf32>
      %40 = tensor.empty() : tensor<1x2x4x16xf32>
      %41 = linalg.fill ins(%cst : f32) outs(%40 : tensor<1x2x4x16xf32>) -> tensor<1x2x4x16xf32>
      %42 = linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%39 : tensor<1x2x4x16x16xf32>) outs(%41 : tensor<1x2x4x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        %67 = arith.maximumf %out, %in : f32
        linalg.yield %67 : f32
      } -> tensor<1x2x4x16xf32>
      %43 = tensor.empty() : tensor<1x2x4x16x16xf32>
      %44 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%42 : tensor<1x2x4x16xf32>) outs(%43 : tensor<1x2x4x16x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x2x4x16x16xf32>
      %45 = tensor.empty() : tensor<1x2x4x16x16xf32>
      %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%39, %44 : tensor<1x2x4x16x16xf32>, tensor<1x2x4x16x16xf32>) outs(%45 : tensor<1x2x4x16x16xf32>) {
      ^bb0(%in: f32, %in_21: f32, %out: f32):
        %67 = arith.subf %in, %in_21 : f32
        linalg.yield %67 : f32
      } -> tensor<1x2x4x16x16xf32>
      %47 = tensor.empty() : tensor<1x2x4x16x16xf32>
      %48 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<1x2x4x16x16xf32>) outs(%47 : tensor<1x2x4x16x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        %67 = math.exp %in : f32
        linalg.yield %67 : f32
      } -> tensor<1x2x4x16x16xf32>
      %49 = tensor.empty() : tensor<1x2x4x16xf32>
      %50 = linalg.fill ins(%cst_2 : f32) outs(%49 : tensor<1x2x4x16xf32>) -> tensor<1x2x4x16xf32>
      %51 = linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%48 : tensor<1x2x4x16x16xf32>) outs(%50 : tensor<1x2x4x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        %67 = arith.addf %out, %in : f32
        linalg.yield %67 : f32
      } -> tensor<1x2x4x16xf32>
      %52 = tensor.empty() : tensor<1x2x4x16x16xf32>
      %53 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<1x2x4x16xf32>) outs(%52 : tensor<1x2x4x16x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x2x4x16x16xf32>
      %54 = tensor.empty() : tensor<1x2x4x16x16xf32>
      %55 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%48, %53 : tensor<1x2x4x16x16xf32>, tensor<1x2x4x16x16xf32>) outs(%54 : tensor<1x2x4x16x16xf32>) {
      ^bb0(%in: f32, %in_21: f32, %out: f32):
        %67 = arith.divf %in, %in_21 : f32
        linalg.yield %67 : f32
      } -> tensor<1x2x4x16x16xf32>
      %56 = tensor.empty() : tensor<2x4x8x16xf32>
      %57 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10 : tensor<2x16x4x8xf32>) outs(%56 : tensor<2x4x8x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<2x4x8x16xf32>
      %58 = tensor.empty() : tensor<2x4x16x1x16xf32>
      %59 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%55 : tensor<1x2x4x16x16xf32>) outs(%58 : tensor<2x4x16x1x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<2x4x16x1x16xf32>
      %collapsed_17 = tensor.collapse_shape %57 [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
      %collapsed_18 = tensor.collapse_shape %59 [[0, 1], [2], [3, 4]] : tensor<2x4x16x1x16xf32> into tensor<8x16x16xf32>
      %60 = tensor.empty() : tensor<8x8x16xf32>
      %61 = linalg.fill ins(%cst_2 : f32) outs(%60 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
      %62 = linalg.batch_matmul ins(%collapsed_17, %collapsed_18 : tensor<8x8x16xf32>, tensor<8x16x16xf32>) outs(%61 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
      %expanded_19 = tensor.expand_shape %62 [[0, 1], [2], [3, 4]] output_shape [2, 4, 8, 1, 16] : tensor<8x8x16xf32> into tensor<2x4x8x1x16xf32>
      %63 = tensor.empty() : tensor<1x2x16x4x8xf32>
      %64 = linalg.generic {indexing_maps = [#map9, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_19 : tensor<2x4x8x1x16xf32>) outs(%63 : tensor<1x2x16x4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<1x2x16x4x8xf32>
      %collapsed_20 = tensor.collapse_shape %64 [[0, 1], [2], [3, 4]] : tensor<1x2x16x4x8xf32> into tensor<2x16x32xf32>
      %65 = tensor.empty() : tensor<2x16x32xf32>
      %66 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5, %collapsed_20 : tensor<2x16x32xf32>, tensor<2x16x32xf32>) outs(%65 : tensor<2x16x32xf32>) {
      ^bb0(%in: f32, %in_21: f32, %out: f32):
        %67 = arith.addf %in, %in_21 : f32
        linalg.yield %67 : f32
      } -> tensor<2x16x32xf32>
      scf.yield %66 : tensor<2x16x32xf32>
    }
    return %0 : tensor<2x16x32xf32>
  }
}
