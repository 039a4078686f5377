// torch 2.13.0, torch-mlir 20261001 (transformers 5.24.0 where it has the layer)
// made by: export/torch_mlir_export.py classifier_f32_dynamic

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @classifier_f32_dynamic(%arg0: tensor<?x32xf32>, %arg1: tensor<64x32xf32>, %arg2: tensor<64xf32>, %arg3: tensor<10x64xf32>, %arg4: tensor<10xf32>) -> tensor<?x10xf32> {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_2 = arith.constant 0xFF800000 : f32
    %cst_3 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<32x64xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<64x32xf32>) outs(%0 : tensor<32x64xf32>) permutation = [1, 0] 
    %dim = tensor.dim %arg0, %c0 : tensor<?x32xf32>
    %1 = tensor.empty(%dim) : tensor<?x64xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<?x32xf32>, tensor<32x64xf32>) outs(%2 : tensor<?x64xf32>) -> tensor<?x64xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg2 : tensor<?x64xf32>, tensor<64xf32>) outs(%1 : tensor<?x64xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %22 = arith.addf %in, %in_5 : f32
      linalg.yield %22 : f32
    } -> tensor<?x64xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<?x64xf32>) outs(%1 : tensor<?x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.divf %in, %cst_3 : f32
      %23 = math.erf %22 : f32
      %24 = arith.addf %23, %cst_0 : f32
      %25 = arith.mulf %24, %cst_1 : f32
      %26 = arith.mulf %in, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<?x64xf32>
    %6 = tensor.empty() : tensor<64x10xf32>
    %transposed_4 = linalg.transpose ins(%arg3 : tensor<10x64xf32>) outs(%6 : tensor<64x10xf32>) permutation = [1, 0] 
    %7 = tensor.empty(%dim) : tensor<?x10xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<?x10xf32>) -> tensor<?x10xf32>
    %9 = linalg.matmul ins(%5, %transposed_4 : tensor<?x64xf32>, tensor<64x10xf32>) outs(%8 : tensor<?x10xf32>) -> tensor<?x10xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %arg4 : tensor<?x10xf32>, tensor<10xf32>) outs(%7 : tensor<?x10xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %22 = arith.addf %in, %in_5 : f32
      linalg.yield %22 : f32
    } -> tensor<?x10xf32>
    %11 = tensor.empty(%dim) : tensor<?xi64>
    %12 = linalg.fill ins(%c0_i64 : i64) outs(%11 : tensor<?xi64>) -> tensor<?xi64>
    %13 = tensor.empty(%dim) : tensor<?xf32>
    %14 = linalg.fill ins(%cst_2 : f32) outs(%13 : tensor<?xf32>) -> tensor<?xf32>
    %15:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<?x10xf32>) outs(%14, %12 : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_5: i64):
      %22 = linalg.index 1 : index
      %23 = arith.index_cast %22 : index to i64
      %24 = arith.maximumf %in, %out : f32
      %25 = arith.cmpf ogt, %in, %out : f32
      %26 = arith.select %25, %23, %out_5 : i64
      linalg.yield %24, %26 : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    %expanded = tensor.expand_shape %15#0 [[0, 1]] output_shape [%dim, 1] : tensor<?xf32> into tensor<?x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %expanded : tensor<?x10xf32>, tensor<?x1xf32>) outs(%7 : tensor<?x10xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %22 = arith.subf %in, %in_5 : f32
      linalg.yield %22 : f32
    } -> tensor<?x10xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<?x10xf32>) outs(%7 : tensor<?x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.exp %in : f32
      linalg.yield %22 : f32
    } -> tensor<?x10xf32>
    %18 = tensor.empty(%dim) : tensor<?x1xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "reduction"]} ins(%17 : tensor<?x10xf32>) outs(%19 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %in, %out : f32
      linalg.yield %22 : f32
    } -> tensor<?x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %20 : tensor<?x10xf32>, tensor<?x1xf32>) outs(%7 : tensor<?x10xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %22 = arith.divf %in, %in_5 : f32
      linalg.yield %22 : f32
    } -> tensor<?x10xf32>
    return %21 : tensor<?x10xf32>
  }
}
