// jax 0.10.2, flax 0.12.8, --stablehlo-legalize-to-linalg
// made by: export/jax_export.py gqa_causal_bf16

#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map5 = affine_map<(d0, d1, d2, d3) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1) -> ()>
#map8 = affine_map<(d0, d1) -> (d0, d1)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map15 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map16 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map17 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
module @jit_dot_product_attention attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @gqa_causal_bf16(%arg0: tensor<2x16x4x8xbf16>, %arg1: tensor<2x16x2x8xbf16>, %arg2: tensor<2x16x2x8xbf16>) -> (tensor<2x16x4x8xbf16> {jax.result_info = "result"}) {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0> : tensor<i32>
    %cst_3 = arith.constant dense<false> : tensor<i1>
    %cst_4 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_5 = arith.constant dense<-2.38197633E+38> : tensor<f32>
    %cst_6 = arith.constant dense<true> : tensor<i1>
    %cst_7 = arith.constant dense<0.353553385> : tensor<f32>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3], [4]] output_shape [2, 16, 2, 2, 8] : tensor<2x16x4x8xbf16> into tensor<2x16x2x2x8xbf16>
    %0 = tensor.empty() : tensor<2x2x16x2x16xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x2x16x2x16xf32>) -> tensor<2x2x16x2x16xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %arg1 : tensor<2x16x2x2x8xbf16>, tensor<2x16x2x8xbf16>) outs(%1 : tensor<2x2x16x2x16xf32>) {
    ^bb0(%in: bf16, %in_8: bf16, %out: f32):
      %74 = arith.extf %in : bf16 to f32
      %75 = arith.extf %in_8 : bf16 to f32
      %76 = arith.mulf %74, %75 : f32
      %77 = arith.addf %out, %76 : f32
      linalg.yield %77 : f32
    } -> tensor<2x2x16x2x16xf32>
    %3 = tensor.empty() : tensor<2x2x16x2x16xf32>
    %4 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_7 : tensor<f32>) outs(%3 : tensor<2x2x16x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x16x2x16xf32>
    %5 = tensor.empty() : tensor<2x2x16x2x16xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%2, %4 : tensor<2x2x16x2x16xf32>, tensor<2x2x16x2x16xf32>) outs(%5 : tensor<2x2x16x2x16xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %74 = arith.mulf %in, %in_8 : f32
      linalg.yield %74 : f32
    } -> tensor<2x2x16x2x16xf32>
    %7 = tensor.empty() : tensor<2x2x16x16xi1>
    %8 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_6 : tensor<i1>) outs(%7 : tensor<2x2x16x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x2x16x16xi1>
    %9 = tensor.empty() : tensor<16x16xi1>
    %10 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_6 : tensor<i1>) outs(%9 : tensor<16x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<16x16xi1>
    %11 = tensor.empty() : tensor<16x16xi32>
    %12 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel", "parallel"]} outs(%11 : tensor<16x16xi32>) {
    ^bb0(%out: i32):
      %74 = linalg.index 0 : index
      %75 = arith.index_cast %74 : index to i32
      linalg.yield %75 : i32
    } -> tensor<16x16xi32>
    %13 = tensor.empty() : tensor<16x16xi32>
    %14 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<i32>) outs(%13 : tensor<16x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<16x16xi32>
    %15 = tensor.empty() : tensor<16x16xi32>
    %16 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%12, %14 : tensor<16x16xi32>, tensor<16x16xi32>) outs(%15 : tensor<16x16xi32>) {
    ^bb0(%in: i32, %in_8: i32, %out: i32):
      %74 = arith.addi %in, %in_8 : i32
      linalg.yield %74 : i32
    } -> tensor<16x16xi32>
    %17 = tensor.empty() : tensor<16x16xi32>
    %18 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel", "parallel"]} outs(%17 : tensor<16x16xi32>) {
    ^bb0(%out: i32):
      %74 = linalg.index 1 : index
      %75 = arith.index_cast %74 : index to i32
      linalg.yield %75 : i32
    } -> tensor<16x16xi32>
    %19 = tensor.empty() : tensor<16x16xi1>
    %20 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%16, %18 : tensor<16x16xi32>, tensor<16x16xi32>) outs(%19 : tensor<16x16xi1>) {
    ^bb0(%in: i32, %in_8: i32, %out: i1):
      %74 = arith.cmpi sge, %in, %in_8 : i32
      linalg.yield %74 : i1
    } -> tensor<16x16xi1>
    %21 = tensor.empty() : tensor<16x16xi1>
    %22 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%21 : tensor<16x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<16x16xi1>
    %23 = tensor.empty() : tensor<16x16xi1>
    %24 = linalg.generic {indexing_maps = [#map8, #map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%20, %10, %22 : tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>) outs(%23 : tensor<16x16xi1>) {
    ^bb0(%in: i1, %in_8: i1, %in_9: i1, %out: i1):
      %74 = arith.select %in, %in_8, %in_9 : i1
      linalg.yield %74 : i1
    } -> tensor<16x16xi1>
    %25 = tensor.empty() : tensor<1x1x16x16xi1>
    %26 = linalg.generic {indexing_maps = [#map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<16x16xi1>) outs(%25 : tensor<1x1x16x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x16x16xi1>
    %27 = tensor.empty() : tensor<2x2x16x16xi1>
    %28 = linalg.generic {indexing_maps = [#map10, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<1x1x16x16xi1>) outs(%27 : tensor<2x2x16x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x2x16x16xi1>
    %29 = tensor.empty() : tensor<2x2x16x16xi1>
    %30 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %28 : tensor<2x2x16x16xi1>, tensor<2x2x16x16xi1>) outs(%29 : tensor<2x2x16x16xi1>) {
    ^bb0(%in: i1, %in_8: i1, %out: i1):
      %74 = arith.andi %in, %in_8 : i1
      linalg.yield %74 : i1
    } -> tensor<2x2x16x16xi1>
    %31 = tensor.empty() : tensor<2x2x16x16xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_5 : tensor<f32>) outs(%31 : tensor<2x2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x16x16xf32>
    %33 = tensor.empty() : tensor<2x2x2x16x16xi1>
    %34 = linalg.generic {indexing_maps = [#map11, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x2x16x16xi1>) outs(%33 : tensor<2x2x2x16x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x2x2x16x16xi1>
    %35 = tensor.empty() : tensor<2x2x2x16x16xf32>
    %36 = linalg.generic {indexing_maps = [#map11, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x2x16x16xf32>) outs(%35 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x16x16xf32>
    %37 = tensor.empty() : tensor<2x2x2x16x16xf32>
    %38 = linalg.generic {indexing_maps = [#map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x2x16x2x16xf32>) outs(%37 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x16x16xf32>
    %39 = tensor.empty() : tensor<2x2x2x16x16xf32>
    %40 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%34, %38, %36 : tensor<2x2x2x16x16xi1>, tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) outs(%39 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: i1, %in_8: f32, %in_9: f32, %out: f32):
      %74 = arith.select %in, %in_8, %in_9 : f32
      linalg.yield %74 : f32
    } -> tensor<2x2x2x16x16xf32>
    %41 = tensor.empty() : tensor<2x2x2x16xf32>
    %42 = linalg.fill ins(%cst_0 : f32) outs(%41 : tensor<2x2x2x16xf32>) -> tensor<2x2x2x16xf32>
    %43 = linalg.generic {indexing_maps = [#map4, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<2x2x2x16x16xf32>) outs(%42 : tensor<2x2x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.maximumf %out, %in : f32
      linalg.yield %74 : f32
    } -> tensor<2x2x2x16xf32>
    %44 = tensor.empty() : tensor<2x2x2x16xf32>
    %45 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%44 : tensor<2x2x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x16xf32>
    %46 = tensor.empty() : tensor<2x2x2x16xf32>
    %47 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %43 : tensor<2x2x2x16xf32>, tensor<2x2x2x16xf32>) outs(%46 : tensor<2x2x2x16xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %74 = arith.maximumf %in, %in_8 : f32
      linalg.yield %74 : f32
    } -> tensor<2x2x2x16xf32>
    %48 = tensor.empty() : tensor<2x2x2x16x1xf32>
    %49 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%47 : tensor<2x2x2x16xf32>) outs(%48 : tensor<2x2x2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x16x1xf32>
    %50 = tensor.empty() : tensor<2x2x2x16x16xf32>
    %51 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%49 : tensor<2x2x2x16x1xf32>) outs(%50 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x16x16xf32>
    %52 = tensor.empty() : tensor<2x2x2x16x16xf32>
    %53 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%40, %51 : tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) outs(%52 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %74 = arith.subf %in, %in_8 : f32
      linalg.yield %74 : f32
    } -> tensor<2x2x2x16x16xf32>
    %54 = tensor.empty() : tensor<2x2x2x16x16xf32>
    %55 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%53 : tensor<2x2x2x16x16xf32>) outs(%54 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = math.exp %in : f32
      linalg.yield %74 : f32
    } -> tensor<2x2x2x16x16xf32>
    %56 = tensor.empty() : tensor<2x2x2x16xf32>
    %57 = linalg.fill ins(%cst_1 : f32) outs(%56 : tensor<2x2x2x16xf32>) -> tensor<2x2x2x16xf32>
    %58 = linalg.generic {indexing_maps = [#map4, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%55 : tensor<2x2x2x16x16xf32>) outs(%57 : tensor<2x2x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.addf %out, %in : f32
      linalg.yield %74 : f32
    } -> tensor<2x2x2x16xf32>
    %59 = tensor.empty() : tensor<2x2x2x16x1xf32>
    %60 = linalg.generic {indexing_maps = [#map13, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<2x2x2x16xf32>) outs(%59 : tensor<2x2x2x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x16x1xf32>
    %61 = tensor.empty() : tensor<2x2x2x16x16xf32>
    %62 = linalg.generic {indexing_maps = [#map14, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<2x2x2x16x1xf32>) outs(%61 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x2x16x16xf32>
    %63 = tensor.empty() : tensor<2x2x2x16x16xf32>
    %64 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%55, %62 : tensor<2x2x2x16x16xf32>, tensor<2x2x2x16x16xf32>) outs(%63 : tensor<2x2x2x16x16xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %74 = arith.divf %in, %in_8 : f32
      linalg.yield %74 : f32
    } -> tensor<2x2x2x16x16xf32>
    %65 = tensor.empty() : tensor<2x2x2x16x16xbf16>
    %66 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%64 : tensor<2x2x2x16x16xf32>) outs(%65 : tensor<2x2x2x16x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %74 = arith.truncf %in : f32 to bf16
      linalg.yield %74 : bf16
    } -> tensor<2x2x2x16x16xbf16>
    %67 = tensor.empty() : tensor<2x2x8x2x16xbf16>
    %68 = linalg.fill ins(%cst : bf16) outs(%67 : tensor<2x2x8x2x16xbf16>) -> tensor<2x2x8x2x16xbf16>
    %69 = linalg.generic {indexing_maps = [#map15, #map16, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %66 : tensor<2x16x2x8xbf16>, tensor<2x2x2x16x16xbf16>) outs(%68 : tensor<2x2x8x2x16xbf16>) {
    ^bb0(%in: bf16, %in_8: bf16, %out: bf16):
      %74 = arith.mulf %in, %in_8 : bf16
      %75 = arith.addf %out, %74 : bf16
      linalg.yield %75 : bf16
    } -> tensor<2x2x8x2x16xbf16>
    %70 = tensor.empty() : tensor<2x2x16x2x8xbf16>
    %71 = linalg.generic {indexing_maps = [#map17, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%69 : tensor<2x2x8x2x16xbf16>) outs(%70 : tensor<2x2x16x2x8xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x16x2x8xbf16>
    %72 = tensor.empty() : tensor<2x16x2x2x8xbf16>
    %73 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%71 : tensor<2x2x16x2x8xbf16>) outs(%72 : tensor<2x16x2x2x8xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x16x2x2x8xbf16>
    %collapsed = tensor.collapse_shape %73 [[0], [1], [2, 3], [4]] : tensor<2x16x2x2x8xbf16> into tensor<2x16x4x8xbf16>
    return %collapsed : tensor<2x16x4x8xbf16>
  }
}
