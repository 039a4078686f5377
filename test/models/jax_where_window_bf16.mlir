// jax 0.10.2, flax 0.12.8, --jaxlib's stablehlo-legalize-to-linalg
// made by: export/jax_export.py where_window_bf16

#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> ()>
#map7 = affine_map<(d0) -> (d0)>
#map8 = affine_map<(d0, d1) -> (d0)>
#map9 = affine_map<(d0, d1) -> (d0, d1)>
#map10 = affine_map<(d0, d1) -> (d1)>
#map11 = affine_map<(d0, d1) -> (d0, 0)>
#map12 = affine_map<(d0, d1) -> (0, d1)>
#map13 = affine_map<(d0, d1) -> ()>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map15 = affine_map<(d0, d1, d2) -> ()>
#map16 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>
#map19 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map20 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map21 = affine_map<() -> ()>
#map22 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
module @jit_fn attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @where_window_bf16(%arg0: tensor<1x20x4x8xbf16>, %arg1: tensor<1x20x2x8xbf16>, %arg2: tensor<1x20x2x8xbf16>) -> (tensor<1x20x4x8xbf16> {jax.result_info = "result"}) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = arith.constant dense<7> : tensor<i32>
    %cst_2 = arith.constant dense<0> : tensor<i32>
    %cst_3 = arith.constant dense<2.000000e+01> : tensor<f32>
    %cst_4 = arith.constant dense<3.000000e-01> : tensor<f32>
    %0 = tensor.empty() : tensor<1x20x2x2x8xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x20x2x8xbf16>) outs(%0 : tensor<1x20x2x2x8xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x20x2x2x8xbf16>
    %collapsed = tensor.collapse_shape %1 [[0], [1], [2, 3], [4]] : tensor<1x20x2x2x8xbf16> into tensor<1x20x4x8xbf16>
    %2 = tensor.empty() : tensor<1x20x2x2x8xbf16>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<1x20x2x8xbf16>) outs(%2 : tensor<1x20x2x2x8xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x20x2x2x8xbf16>
    %collapsed_5 = tensor.collapse_shape %3 [[0], [1], [2, 3], [4]] : tensor<1x20x2x2x8xbf16> into tensor<1x20x4x8xbf16>
    %4 = tensor.empty() : tensor<1x4x20x20xbf16>
    %cst_6 = arith.constant 0.000000e+00 : bf16
    %5 = linalg.fill ins(%cst_6 : bf16) outs(%4 : tensor<1x4x20x20xbf16>) -> tensor<1x4x20x20xbf16>
    %6 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %collapsed : tensor<1x20x4x8xbf16>, tensor<1x20x4x8xbf16>) outs(%5 : tensor<1x4x20x20xbf16>) {
    ^bb0(%in: bf16, %in_10: bf16, %out: bf16):
      %79 = arith.mulf %in, %in_10 : bf16
      %80 = arith.addf %out, %79 : bf16
      linalg.yield %80 : bf16
    } -> tensor<1x4x20x20xbf16>
    %7 = tensor.empty() : tensor<1x4x20x20xf32>
    %8 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<1x4x20x20xbf16>) outs(%7 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %79 = arith.extf %in : bf16 to f32
      linalg.yield %79 : f32
    } -> tensor<1x4x20x20xf32>
    %9 = tensor.empty() : tensor<1x4x20x20xf32>
    %10 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%9 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x20x20xf32>
    %11 = tensor.empty() : tensor<1x4x20x20xf32>
    %12 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %10 : tensor<1x4x20x20xf32>, tensor<1x4x20x20xf32>) outs(%11 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %79 = arith.mulf %in, %in_10 : f32
      linalg.yield %79 : f32
    } -> tensor<1x4x20x20xf32>
    %13 = tensor.empty() : tensor<1x4x20x20xf32>
    %14 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%13 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x20x20xf32>
    %15 = tensor.empty() : tensor<1x4x20x20xf32>
    %16 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %14 : tensor<1x4x20x20xf32>, tensor<1x4x20x20xf32>) outs(%15 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %79 = arith.divf %in, %in_10 : f32
      linalg.yield %79 : f32
    } -> tensor<1x4x20x20xf32>
    %17 = tensor.empty() : tensor<1x4x20x20xf32>
    %18 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<1x4x20x20xf32>) outs(%17 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = math.tanh %in : f32
      linalg.yield %79 : f32
    } -> tensor<1x4x20x20xf32>
    %19 = tensor.empty() : tensor<1x4x20x20xf32>
    %20 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%19 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x20x20xf32>
    %21 = tensor.empty() : tensor<1x4x20x20xf32>
    %22 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %18 : tensor<1x4x20x20xf32>, tensor<1x4x20x20xf32>) outs(%21 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %79 = arith.mulf %in, %in_10 : f32
      linalg.yield %79 : f32
    } -> tensor<1x4x20x20xf32>
    %23 = tensor.empty() : tensor<20xi32>
    %24 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel"]} outs(%23 : tensor<20xi32>) {
    ^bb0(%out: i32):
      %79 = linalg.index 0 : index
      %80 = arith.index_cast %79 : index to i32
      linalg.yield %80 : i32
    } -> tensor<20xi32>
    %25 = tensor.empty() : tensor<20x1xi32>
    %26 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<20xi32>) outs(%25 : tensor<20x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<20x1xi32>
    %27 = tensor.empty() : tensor<20xi32>
    %28 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel"]} outs(%27 : tensor<20xi32>) {
    ^bb0(%out: i32):
      %79 = linalg.index 0 : index
      %80 = arith.index_cast %79 : index to i32
      linalg.yield %80 : i32
    } -> tensor<20xi32>
    %29 = tensor.empty() : tensor<1x20xi32>
    %30 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%28 : tensor<20xi32>) outs(%29 : tensor<1x20xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x20xi32>
    %31 = tensor.empty() : tensor<20x20xi32>
    %32 = linalg.generic {indexing_maps = [#map11, #map9], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<20x1xi32>) outs(%31 : tensor<20x20xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<20x20xi32>
    %33 = tensor.empty() : tensor<20x20xi32>
    %34 = linalg.generic {indexing_maps = [#map12, #map9], iterator_types = ["parallel", "parallel"]} ins(%30 : tensor<1x20xi32>) outs(%33 : tensor<20x20xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<20x20xi32>
    %35 = tensor.empty() : tensor<20x20xi32>
    %36 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%32, %34 : tensor<20x20xi32>, tensor<20x20xi32>) outs(%35 : tensor<20x20xi32>) {
    ^bb0(%in: i32, %in_10: i32, %out: i32):
      %79 = arith.subi %in, %in_10 : i32
      linalg.yield %79 : i32
    } -> tensor<20x20xi32>
    %37 = tensor.empty() : tensor<20x20xi32>
    %38 = linalg.generic {indexing_maps = [#map13, #map9], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<i32>) outs(%37 : tensor<20x20xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<20x20xi32>
    %39 = tensor.empty() : tensor<20x20xi1>
    %40 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%36, %38 : tensor<20x20xi32>, tensor<20x20xi32>) outs(%39 : tensor<20x20xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %79 = arith.cmpi sge, %in, %in_10 : i32
      linalg.yield %79 : i1
    } -> tensor<20x20xi1>
    %41 = tensor.empty() : tensor<20x20xi32>
    %42 = linalg.generic {indexing_maps = [#map13, #map9], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<i32>) outs(%41 : tensor<20x20xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<20x20xi32>
    %43 = tensor.empty() : tensor<20x20xi1>
    %44 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%36, %42 : tensor<20x20xi32>, tensor<20x20xi32>) outs(%43 : tensor<20x20xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %79 = arith.cmpi sle, %in, %in_10 : i32
      linalg.yield %79 : i1
    } -> tensor<20x20xi1>
    %45 = tensor.empty() : tensor<20x20xi1>
    %46 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%40, %44 : tensor<20x20xi1>, tensor<20x20xi1>) outs(%45 : tensor<20x20xi1>) {
    ^bb0(%in: i1, %in_10: i1, %out: i1):
      %79 = arith.andi %in, %in_10 : i1
      linalg.yield %79 : i1
    } -> tensor<20x20xi1>
    %47 = call @_where(%46, %22, %cst_0) : (tensor<20x20xi1>, tensor<1x4x20x20xf32>, tensor<f32>) -> tensor<1x4x20x20xf32>
    %cst_7 = arith.constant 0xFF800000 : f32
    %48 = tensor.empty() : tensor<1x4x20xf32>
    %49 = linalg.fill ins(%cst_7 : f32) outs(%48 : tensor<1x4x20xf32>) -> tensor<1x4x20xf32>
    %50 = linalg.generic {indexing_maps = [#map5, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<1x4x20x20xf32>) outs(%49 : tensor<1x4x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %from_elements = tensor.from_elements %in : tensor<f32>
      %from_elements_10 = tensor.from_elements %out : tensor<f32>
      %extracted = tensor.extract %from_elements_10[] : tensor<f32>
      %extracted_11 = tensor.extract %from_elements[] : tensor<f32>
      %79 = arith.maximumf %extracted, %extracted_11 : f32
      %from_elements_12 = tensor.from_elements %79 : tensor<f32>
      %extracted_13 = tensor.extract %from_elements_12[] : tensor<f32>
      linalg.yield %extracted_13 : f32
    } -> tensor<1x4x20xf32>
    %51 = tensor.empty() : tensor<1x4x20xf32>
    %52 = linalg.generic {indexing_maps = [#map15, #map16], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%51 : tensor<1x4x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x20xf32>
    %53 = tensor.empty() : tensor<1x4x20xf32>
    %54 = linalg.generic {indexing_maps = [#map16, #map16, #map16], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52, %50 : tensor<1x4x20xf32>, tensor<1x4x20xf32>) outs(%53 : tensor<1x4x20xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %79 = arith.maximumf %in, %in_10 : f32
      linalg.yield %79 : f32
    } -> tensor<1x4x20xf32>
    %55 = tensor.empty() : tensor<1x4x20x1xf32>
    %56 = linalg.generic {indexing_maps = [#map14, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<1x4x20xf32>) outs(%55 : tensor<1x4x20x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x20x1xf32>
    %57 = tensor.empty() : tensor<1x4x20x20xf32>
    %58 = linalg.generic {indexing_maps = [#map17, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56 : tensor<1x4x20x1xf32>) outs(%57 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x20x20xf32>
    %59 = tensor.empty() : tensor<1x4x20x20xf32>
    %60 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %58 : tensor<1x4x20x20xf32>, tensor<1x4x20x20xf32>) outs(%59 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %79 = arith.subf %in, %in_10 : f32
      linalg.yield %79 : f32
    } -> tensor<1x4x20x20xf32>
    %61 = tensor.empty() : tensor<1x4x20x20xf32>
    %62 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<1x4x20x20xf32>) outs(%61 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %79 = math.exp %in : f32
      linalg.yield %79 : f32
    } -> tensor<1x4x20x20xf32>
    %cst_8 = arith.constant 0.000000e+00 : f32
    %63 = tensor.empty() : tensor<1x4x20xf32>
    %64 = linalg.fill ins(%cst_8 : f32) outs(%63 : tensor<1x4x20xf32>) -> tensor<1x4x20xf32>
    %65 = linalg.generic {indexing_maps = [#map5, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%62 : tensor<1x4x20x20xf32>) outs(%64 : tensor<1x4x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %from_elements = tensor.from_elements %in : tensor<f32>
      %from_elements_10 = tensor.from_elements %out : tensor<f32>
      %extracted = tensor.extract %from_elements_10[] : tensor<f32>
      %extracted_11 = tensor.extract %from_elements[] : tensor<f32>
      %79 = arith.addf %extracted, %extracted_11 : f32
      %from_elements_12 = tensor.from_elements %79 : tensor<f32>
      %extracted_13 = tensor.extract %from_elements_12[] : tensor<f32>
      linalg.yield %extracted_13 : f32
    } -> tensor<1x4x20xf32>
    %66 = tensor.empty() : tensor<1x4x20x1xf32>
    %67 = linalg.generic {indexing_maps = [#map14, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65 : tensor<1x4x20xf32>) outs(%66 : tensor<1x4x20x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x20x1xf32>
    %68 = tensor.empty() : tensor<1x4x20x20xf32>
    %69 = linalg.generic {indexing_maps = [#map17, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67 : tensor<1x4x20x1xf32>) outs(%68 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x20x20xf32>
    %70 = tensor.empty() : tensor<1x4x20x20xf32>
    %71 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %69 : tensor<1x4x20x20xf32>, tensor<1x4x20x20xf32>) outs(%70 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %79 = arith.divf %in, %in_10 : f32
      linalg.yield %79 : f32
    } -> tensor<1x4x20x20xf32>
    %72 = tensor.empty() : tensor<1x4x20x20xbf16>
    %73 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71 : tensor<1x4x20x20xf32>) outs(%72 : tensor<1x4x20x20xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %79 = arith.truncf %in : f32 to bf16
      linalg.yield %79 : bf16
    } -> tensor<1x4x20x20xbf16>
    %74 = tensor.empty() : tensor<1x4x8x20xbf16>
    %cst_9 = arith.constant 0.000000e+00 : bf16
    %75 = linalg.fill ins(%cst_9 : bf16) outs(%74 : tensor<1x4x8x20xbf16>) -> tensor<1x4x8x20xbf16>
    %76 = linalg.generic {indexing_maps = [#map18, #map19, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%collapsed_5, %73 : tensor<1x20x4x8xbf16>, tensor<1x4x20x20xbf16>) outs(%75 : tensor<1x4x8x20xbf16>) {
    ^bb0(%in: bf16, %in_10: bf16, %out: bf16):
      %79 = arith.mulf %in, %in_10 : bf16
      %80 = arith.addf %out, %79 : bf16
      linalg.yield %80 : bf16
    } -> tensor<1x4x8x20xbf16>
    %77 = tensor.empty() : tensor<1x20x4x8xbf16>
    %78 = linalg.generic {indexing_maps = [#map20, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%76 : tensor<1x4x8x20xbf16>) outs(%77 : tensor<1x20x4x8xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x20x4x8xbf16>
    return %78 : tensor<1x20x4x8xbf16>
  }
  func.func private @_where(%arg0: tensor<20x20xi1>, %arg1: tensor<1x4x20x20xf32>, %arg2: tensor<f32>) -> tensor<1x4x20x20xf32> {
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#map21, #map21], iterator_types = []} ins(%arg2 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<f32>
    %2 = tensor.empty() : tensor<1x4x20x20xi1>
    %3 = linalg.generic {indexing_maps = [#map22, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<20x20xi1>) outs(%2 : tensor<1x4x20x20xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x4x20x20xi1>
    %4 = tensor.empty() : tensor<1x4x20x20xf32>
    %5 = linalg.generic {indexing_maps = [#map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<f32>) outs(%4 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x20x20xf32>
    %6 = tensor.empty() : tensor<1x4x20x20xf32>
    %7 = linalg.generic {indexing_maps = [#map5, #map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %arg1, %5 : tensor<1x4x20x20xi1>, tensor<1x4x20x20xf32>, tensor<1x4x20x20xf32>) outs(%6 : tensor<1x4x20x20xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %8 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %8 : f32
    } -> tensor<1x4x20x20xf32>
    return %7 : tensor<1x4x20x20xf32>
  }
}
