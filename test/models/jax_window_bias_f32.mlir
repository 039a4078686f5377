// jax 0.10.2, flax 0.12.8, --stablehlo-legalize-to-linalg
// made by: export/jax_export.py window_bias_f32

#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0, d3, d4)>
#map7 = affine_map<(d0, d1, d2, d3) -> ()>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map9 = affine_map<(d0, d1) -> ()>
#map10 = affine_map<(d0, d1) -> (d0, d1)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map13 = affine_map<(d0, d1) -> (d0)>
#map14 = affine_map<(d0, d1) -> (d1)>
#map15 = affine_map<(d0, d1) -> (d0, 0)>
#map16 = affine_map<(d0, d1) -> (0, d1)>
#map17 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map19 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map20 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map21 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map22 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map23 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
module @jit_fn attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @window_bias_f32(%arg0: tensor<1x24x2x8xf32>, %arg1: tensor<1x24x2x8xf32>, %arg2: tensor<1x24x2x8xf32>, %arg3: tensor<1x2x24x24xf32>) -> (tensor<1x24x2x8xf32> {jax.result_info = "result"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<false> : tensor<i1>
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_3 = arith.constant dense<-2.38197633E+38> : tensor<f32>
    %cst_4 = arith.constant dense<0> : tensor<i32>
    %cst_5 = arith.constant dense<7> : tensor<i32>
    %cst_6 = arith.constant dense<true> : tensor<i1>
    %cst_7 = arith.constant dense<0.353553385> : tensor<f32>
    %cst_8 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]> : tensor<24xi32>
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2], [3, 4]] output_shape [1, 24, 2, 1, 8] : tensor<1x24x2x8xf32> into tensor<1x24x2x1x8xf32>
    %expanded_9 = tensor.expand_shape %arg3 [[0], [1], [2, 3], [4]] output_shape [1, 2, 1, 24, 24] : tensor<1x2x24x24xf32> into tensor<1x2x1x24x24xf32>
    %0 = tensor.empty() : tensor<1x2x24x1x24xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<1x2x24x1x24xf32>) -> tensor<1x2x24x1x24xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %arg1 : tensor<1x24x2x1x8xf32>, tensor<1x24x2x8xf32>) outs(%1 : tensor<1x2x24x1x24xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %112 = arith.mulf %in, %in_10 : f32
      %113 = arith.addf %out, %112 : f32
      linalg.yield %113 : f32
    } -> tensor<1x2x24x1x24xf32>
    %3 = tensor.empty() : tensor<1x2x24x1x24xf32>
    %4 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_7 : tensor<f32>) outs(%3 : tensor<1x2x24x1x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x24x1x24xf32>
    %5 = tensor.empty() : tensor<1x2x24x1x24xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%2, %4 : tensor<1x2x24x1x24xf32>, tensor<1x2x24x1x24xf32>) outs(%5 : tensor<1x2x24x1x24xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %112 = arith.mulf %in, %in_10 : f32
      linalg.yield %112 : f32
    } -> tensor<1x2x24x1x24xf32>
    %7 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %8 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<1x2x24x1x24xf32>) outs(%7 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x24x24xf32>
    %9 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %10 = linalg.generic {indexing_maps = [#map6, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<1x2x1x24x24xf32>) outs(%9 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x24x24xf32>
    %11 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%8, %10 : tensor<1x1x2x24x24xf32>, tensor<1x1x2x24x24xf32>) outs(%11 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %112 = arith.addf %in, %in_10 : f32
      linalg.yield %112 : f32
    } -> tensor<1x1x2x24x24xf32>
    %13 = tensor.empty() : tensor<1x2x24x24xi1>
    %14 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_6 : tensor<i1>) outs(%13 : tensor<1x2x24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x24x24xi1>
    %15 = tensor.empty() : tensor<24x24xi1>
    %16 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel"]} ins(%cst_6 : tensor<i1>) outs(%15 : tensor<24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<24x24xi1>
    %17 = tensor.empty() : tensor<24x24xi32>
    %18 = linalg.generic {indexing_maps = [#map10], iterator_types = ["parallel", "parallel"]} outs(%17 : tensor<24x24xi32>) {
    ^bb0(%out: i32):
      %112 = linalg.index 0 : index
      %113 = arith.index_cast %112 : index to i32
      linalg.yield %113 : i32
    } -> tensor<24x24xi32>
    %19 = tensor.empty() : tensor<24x24xi32>
    %20 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel"]} ins(%cst_4 : tensor<i32>) outs(%19 : tensor<24x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<24x24xi32>
    %21 = tensor.empty() : tensor<24x24xi32>
    %22 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel"]} ins(%18, %20 : tensor<24x24xi32>, tensor<24x24xi32>) outs(%21 : tensor<24x24xi32>) {
    ^bb0(%in: i32, %in_10: i32, %out: i32):
      %112 = arith.addi %in, %in_10 : i32
      linalg.yield %112 : i32
    } -> tensor<24x24xi32>
    %23 = tensor.empty() : tensor<24x24xi32>
    %24 = linalg.generic {indexing_maps = [#map10], iterator_types = ["parallel", "parallel"]} outs(%23 : tensor<24x24xi32>) {
    ^bb0(%out: i32):
      %112 = linalg.index 1 : index
      %113 = arith.index_cast %112 : index to i32
      linalg.yield %113 : i32
    } -> tensor<24x24xi32>
    %25 = tensor.empty() : tensor<24x24xi1>
    %26 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel"]} ins(%22, %24 : tensor<24x24xi32>, tensor<24x24xi32>) outs(%25 : tensor<24x24xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %112 = arith.cmpi sge, %in, %in_10 : i32
      linalg.yield %112 : i1
    } -> tensor<24x24xi1>
    %27 = tensor.empty() : tensor<24x24xi1>
    %28 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<i1>) outs(%27 : tensor<24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<24x24xi1>
    %29 = tensor.empty() : tensor<24x24xi1>
    %30 = linalg.generic {indexing_maps = [#map10, #map10, #map10, #map10], iterator_types = ["parallel", "parallel"]} ins(%26, %16, %28 : tensor<24x24xi1>, tensor<24x24xi1>, tensor<24x24xi1>) outs(%29 : tensor<24x24xi1>) {
    ^bb0(%in: i1, %in_10: i1, %in_11: i1, %out: i1):
      %112 = arith.select %in, %in_10, %in_11 : i1
      linalg.yield %112 : i1
    } -> tensor<24x24xi1>
    %31 = tensor.empty() : tensor<1x1x24x24xi1>
    %32 = linalg.generic {indexing_maps = [#map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<24x24xi1>) outs(%31 : tensor<1x1x24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x24x24xi1>
    %33 = tensor.empty() : tensor<1x2x24x24xi1>
    %34 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<1x1x24x24xi1>) outs(%33 : tensor<1x2x24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x24x24xi1>
    %35 = tensor.empty() : tensor<1x2x24x24xi1>
    %36 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %34 : tensor<1x2x24x24xi1>, tensor<1x2x24x24xi1>) outs(%35 : tensor<1x2x24x24xi1>) {
    ^bb0(%in: i1, %in_10: i1, %out: i1):
      %112 = arith.andi %in, %in_10 : i1
      linalg.yield %112 : i1
    } -> tensor<1x2x24x24xi1>
    %37 = tensor.empty() : tensor<24x1xi32>
    %38 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel"]} ins(%cst_8 : tensor<24xi32>) outs(%37 : tensor<24x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<24x1xi32>
    %39 = tensor.empty() : tensor<1x24xi32>
    %40 = linalg.generic {indexing_maps = [#map14, #map10], iterator_types = ["parallel", "parallel"]} ins(%cst_8 : tensor<24xi32>) outs(%39 : tensor<1x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x24xi32>
    %41 = tensor.empty() : tensor<1x24xi32>
    %42 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel"]} ins(%cst_5 : tensor<i32>) outs(%41 : tensor<1x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x24xi32>
    %43 = tensor.empty() : tensor<1x24xi32>
    %44 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel"]} ins(%40, %42 : tensor<1x24xi32>, tensor<1x24xi32>) outs(%43 : tensor<1x24xi32>) {
    ^bb0(%in: i32, %in_10: i32, %out: i32):
      %112 = arith.addi %in, %in_10 : i32
      linalg.yield %112 : i32
    } -> tensor<1x24xi32>
    %45 = tensor.empty() : tensor<24x24xi32>
    %46 = linalg.generic {indexing_maps = [#map15, #map10], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<24x1xi32>) outs(%45 : tensor<24x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<24x24xi32>
    %47 = tensor.empty() : tensor<24x24xi32>
    %48 = linalg.generic {indexing_maps = [#map16, #map10], iterator_types = ["parallel", "parallel"]} ins(%44 : tensor<1x24xi32>) outs(%47 : tensor<24x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<24x24xi32>
    %49 = tensor.empty() : tensor<24x24xi1>
    %50 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel"]} ins(%46, %48 : tensor<24x24xi32>, tensor<24x24xi32>) outs(%49 : tensor<24x24xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %112 = arith.cmpi sle, %in, %in_10 : i32
      linalg.yield %112 : i1
    } -> tensor<24x24xi1>
    %51 = tensor.empty() : tensor<24x1xi32>
    %52 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel"]} ins(%cst_8 : tensor<24xi32>) outs(%51 : tensor<24x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<24x1xi32>
    %53 = tensor.empty() : tensor<1x24xi32>
    %54 = linalg.generic {indexing_maps = [#map14, #map10], iterator_types = ["parallel", "parallel"]} ins(%cst_8 : tensor<24xi32>) outs(%53 : tensor<1x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x24xi32>
    %55 = tensor.empty() : tensor<1x24xi32>
    %56 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel"]} ins(%cst_4 : tensor<i32>) outs(%55 : tensor<1x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x24xi32>
    %57 = tensor.empty() : tensor<1x24xi32>
    %58 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel"]} ins(%54, %56 : tensor<1x24xi32>, tensor<1x24xi32>) outs(%57 : tensor<1x24xi32>) {
    ^bb0(%in: i32, %in_10: i32, %out: i32):
      %112 = arith.subi %in, %in_10 : i32
      linalg.yield %112 : i32
    } -> tensor<1x24xi32>
    %59 = tensor.empty() : tensor<24x24xi32>
    %60 = linalg.generic {indexing_maps = [#map15, #map10], iterator_types = ["parallel", "parallel"]} ins(%52 : tensor<24x1xi32>) outs(%59 : tensor<24x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<24x24xi32>
    %61 = tensor.empty() : tensor<24x24xi32>
    %62 = linalg.generic {indexing_maps = [#map16, #map10], iterator_types = ["parallel", "parallel"]} ins(%58 : tensor<1x24xi32>) outs(%61 : tensor<24x24xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<24x24xi32>
    %63 = tensor.empty() : tensor<24x24xi1>
    %64 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel"]} ins(%60, %62 : tensor<24x24xi32>, tensor<24x24xi32>) outs(%63 : tensor<24x24xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %112 = arith.cmpi sge, %in, %in_10 : i32
      linalg.yield %112 : i1
    } -> tensor<24x24xi1>
    %65 = tensor.empty() : tensor<24x24xi1>
    %66 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel"]} ins(%64, %50 : tensor<24x24xi1>, tensor<24x24xi1>) outs(%65 : tensor<24x24xi1>) {
    ^bb0(%in: i1, %in_10: i1, %out: i1):
      %112 = arith.andi %in, %in_10 : i1
      linalg.yield %112 : i1
    } -> tensor<24x24xi1>
    %67 = tensor.empty() : tensor<1x1x24x24xi1>
    %68 = linalg.generic {indexing_maps = [#map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66 : tensor<24x24xi1>) outs(%67 : tensor<1x1x24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x24x24xi1>
    %69 = tensor.empty() : tensor<1x2x24x24xi1>
    %70 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68 : tensor<1x1x24x24xi1>) outs(%69 : tensor<1x2x24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x24x24xi1>
    %71 = tensor.empty() : tensor<1x2x24x24xi1>
    %72 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %70 : tensor<1x2x24x24xi1>, tensor<1x2x24x24xi1>) outs(%71 : tensor<1x2x24x24xi1>) {
    ^bb0(%in: i1, %in_10: i1, %out: i1):
      %112 = arith.andi %in, %in_10 : i1
      linalg.yield %112 : i1
    } -> tensor<1x2x24x24xi1>
    %73 = tensor.empty() : tensor<1x2x24x24xf32>
    %74 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%73 : tensor<1x2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x24x24xf32>
    %75 = tensor.empty() : tensor<1x1x2x24x24xi1>
    %76 = linalg.generic {indexing_maps = [#map17, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%72 : tensor<1x2x24x24xi1>) outs(%75 : tensor<1x1x2x24x24xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x2x24x24xi1>
    %77 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %78 = linalg.generic {indexing_maps = [#map17, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%74 : tensor<1x2x24x24xf32>) outs(%77 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x24x24xf32>
    %79 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %80 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%76, %12, %78 : tensor<1x1x2x24x24xi1>, tensor<1x1x2x24x24xf32>, tensor<1x1x2x24x24xf32>) outs(%79 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: i1, %in_10: f32, %in_11: f32, %out: f32):
      %112 = arith.select %in, %in_10, %in_11 : f32
      linalg.yield %112 : f32
    } -> tensor<1x1x2x24x24xf32>
    %81 = tensor.empty() : tensor<1x1x2x24xf32>
    %82 = linalg.fill ins(%cst : f32) outs(%81 : tensor<1x1x2x24xf32>) -> tensor<1x1x2x24xf32>
    %83 = linalg.generic {indexing_maps = [#map4, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%80 : tensor<1x1x2x24x24xf32>) outs(%82 : tensor<1x1x2x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %112 = arith.maximumf %out, %in : f32
      linalg.yield %112 : f32
    } -> tensor<1x1x2x24xf32>
    %84 = tensor.empty() : tensor<1x1x2x24xf32>
    %85 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%84 : tensor<1x1x2x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x24xf32>
    %86 = tensor.empty() : tensor<1x1x2x24xf32>
    %87 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%85, %83 : tensor<1x1x2x24xf32>, tensor<1x1x2x24xf32>) outs(%86 : tensor<1x1x2x24xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %112 = arith.maximumf %in, %in_10 : f32
      linalg.yield %112 : f32
    } -> tensor<1x1x2x24xf32>
    %88 = tensor.empty() : tensor<1x1x2x24x1xf32>
    %89 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%87 : tensor<1x1x2x24xf32>) outs(%88 : tensor<1x1x2x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x24x1xf32>
    %90 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %91 = linalg.generic {indexing_maps = [#map19, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%89 : tensor<1x1x2x24x1xf32>) outs(%90 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x24x24xf32>
    %92 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %93 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%80, %91 : tensor<1x1x2x24x24xf32>, tensor<1x1x2x24x24xf32>) outs(%92 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %112 = arith.subf %in, %in_10 : f32
      linalg.yield %112 : f32
    } -> tensor<1x1x2x24x24xf32>
    %94 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %95 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%93 : tensor<1x1x2x24x24xf32>) outs(%94 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %112 = math.exp %in : f32
      linalg.yield %112 : f32
    } -> tensor<1x1x2x24x24xf32>
    %96 = tensor.empty() : tensor<1x1x2x24xf32>
    %97 = linalg.fill ins(%cst_0 : f32) outs(%96 : tensor<1x1x2x24xf32>) -> tensor<1x1x2x24xf32>
    %98 = linalg.generic {indexing_maps = [#map4, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%95 : tensor<1x1x2x24x24xf32>) outs(%97 : tensor<1x1x2x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %112 = arith.addf %out, %in : f32
      linalg.yield %112 : f32
    } -> tensor<1x1x2x24xf32>
    %99 = tensor.empty() : tensor<1x1x2x24x1xf32>
    %100 = linalg.generic {indexing_maps = [#map18, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%98 : tensor<1x1x2x24xf32>) outs(%99 : tensor<1x1x2x24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x24x1xf32>
    %101 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %102 = linalg.generic {indexing_maps = [#map19, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%100 : tensor<1x1x2x24x1xf32>) outs(%101 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x2x24x24xf32>
    %103 = tensor.empty() : tensor<1x1x2x24x24xf32>
    %104 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%95, %102 : tensor<1x1x2x24x24xf32>, tensor<1x1x2x24x24xf32>) outs(%103 : tensor<1x1x2x24x24xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %112 = arith.divf %in, %in_10 : f32
      linalg.yield %112 : f32
    } -> tensor<1x1x2x24x24xf32>
    %105 = tensor.empty() : tensor<1x2x8x1x24xf32>
    %106 = linalg.fill ins(%cst_0 : f32) outs(%105 : tensor<1x2x8x1x24xf32>) -> tensor<1x2x8x1x24xf32>
    %107 = linalg.generic {indexing_maps = [#map20, #map21, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %104 : tensor<1x24x2x8xf32>, tensor<1x1x2x24x24xf32>) outs(%106 : tensor<1x2x8x1x24xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %112 = arith.mulf %in, %in_10 : f32
      %113 = arith.addf %out, %112 : f32
      linalg.yield %113 : f32
    } -> tensor<1x2x8x1x24xf32>
    %108 = tensor.empty() : tensor<1x1x24x2x8xf32>
    %109 = linalg.generic {indexing_maps = [#map22, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%107 : tensor<1x2x8x1x24xf32>) outs(%108 : tensor<1x1x24x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x24x2x8xf32>
    %110 = tensor.empty() : tensor<1x24x2x1x8xf32>
    %111 = linalg.generic {indexing_maps = [#map23, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%109 : tensor<1x1x24x2x8xf32>) outs(%110 : tensor<1x24x2x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x24x2x1x8xf32>
    %collapsed = tensor.collapse_shape %111 [[0], [1], [2], [3, 4]] : tensor<1x24x2x1x8xf32> into tensor<1x24x2x8xf32>
    return %collapsed : tensor<1x24x2x8xf32>
  }
}
