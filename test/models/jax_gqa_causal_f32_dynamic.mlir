// jax 0.10.2, flax 0.12.8, --stablehlo-legalize-to-linalg
// made by: export/jax_export.py gqa_causal_f32_dynamic

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> ()>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map6 = affine_map<(d0, d1, d2, d3) -> ()>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0, d1) -> ()>
#map9 = affine_map<(d0, d1) -> (d0, d1)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map15 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map16 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>
#map17 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>
#map19 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>
module @jit_dot_product_attention attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @gqa_causal_f32_dynamic(%arg0: tensor<?x?x4x8xf32>, %arg1: tensor<?x?x2x8xf32>, %arg2: tensor<?x?x2x8xf32>) -> (tensor<?x?x4x8xf32> {jax.result_info = "result"}) {
    %c4_i32 = arith.constant 4 : i32
    %c1_i32 = arith.constant 1 : i32
    %c8_i32 = arith.constant 8 : i32
    %c2_i32 = arith.constant 2 : i32
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c4 = arith.constant 4 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %cst_1 = arith.constant dense<0.353553385> : tensor<f32>
    %cst_2 = arith.constant dense<true> : tensor<i1>
    %cst_3 = arith.constant dense<-2.38197633E+38> : tensor<f32>
    %cst_4 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_5 = arith.constant dense<false> : tensor<i1>
    %cst_6 = arith.constant dense<0> : tensor<i32>
    %dim = tensor.dim %arg0, %c0 : tensor<?x?x4x8xf32>
    %0 = arith.index_cast %dim : index to i32
    %dim_7 = tensor.dim %arg0, %c1 : tensor<?x?x4x8xf32>
    %1 = arith.index_cast %dim_7 : index to i32
    %from_elements = tensor.from_elements %0 : tensor<1xi32>
    %from_elements_8 = tensor.from_elements %1 : tensor<1xi32>
    %2 = tensor.empty() : tensor<5xi32>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%2 : tensor<5xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.cmpi ult, %87, %c1 : index
      %89 = scf.if %88 -> (i32) {
        %extracted_30 = tensor.extract %from_elements[%87] : tensor<1xi32>
        scf.yield %extracted_30 : i32
      } else {
        %90 = arith.cmpi ult, %87, %c2 : index
        %91 = scf.if %90 -> (i32) {
          %92 = arith.subi %87, %c1 : index
          %extracted_30 = tensor.extract %from_elements_8[%92] : tensor<1xi32>
          scf.yield %extracted_30 : i32
        } else {
          %92 = arith.cmpi ult, %87, %c3 : index
          %93 = scf.if %92 -> (i32) {
            scf.yield %c2_i32 : i32
          } else {
            %94 = arith.cmpi ult, %87, %c4 : index
            %95 = arith.select %94, %c2_i32, %c8_i32 : i32
            scf.yield %95 : i32
          }
          scf.yield %93 : i32
        }
        scf.yield %91 : i32
      }
      linalg.yield %89 : i32
    } -> tensor<5xi32>
    %reshape = tensor.reshape %arg0(%3) : (tensor<?x?x4x8xf32>, tensor<5xi32>) -> tensor<?x?x2x2x8xf32>
    %extracted = tensor.extract %3[%c0] : tensor<5xi32>
    %4 = arith.index_cast %extracted : i32 to index
    %extracted_9 = tensor.extract %3[%c1] : tensor<5xi32>
    %5 = arith.index_cast %extracted_9 : i32 to index
    %dim_10 = tensor.dim %arg1, %c1 : tensor<?x?x2x8xf32>
    %6 = tensor.empty(%4, %5, %dim_10) : tensor<?x2x?x2x?xf32>
    %7 = linalg.fill ins(%cst_0 : f32) outs(%6 : tensor<?x2x?x2x?xf32>) -> tensor<?x2x?x2x?xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%reshape, %arg1 : tensor<?x?x2x2x8xf32>, tensor<?x?x2x8xf32>) outs(%7 : tensor<?x2x?x2x?xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      %88 = arith.addf %out, %87 : f32
      linalg.yield %88 : f32
    } -> tensor<?x2x?x2x?xf32>
    %9 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%2 : tensor<5xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.cmpi ult, %87, %c1 : index
      %89 = scf.if %88 -> (i32) {
        %extracted_30 = tensor.extract %from_elements[%87] : tensor<1xi32>
        scf.yield %extracted_30 : i32
      } else {
        %90 = arith.cmpi ult, %87, %c2 : index
        %91 = scf.if %90 -> (i32) {
          scf.yield %c2_i32 : i32
        } else {
          %92 = arith.cmpi ult, %87, %c3 : index
          %93 = scf.if %92 -> (i32) {
            %94 = arith.subi %87, %c2 : index
            %extracted_30 = tensor.extract %from_elements_8[%94] : tensor<1xi32>
            scf.yield %extracted_30 : i32
          } else {
            %94 = arith.cmpi ult, %87, %c4 : index
            %95 = scf.if %94 -> (i32) {
              scf.yield %c2_i32 : i32
            } else {
              %96 = arith.subi %87, %c4 : index
              %extracted_30 = tensor.extract %from_elements_8[%96] : tensor<1xi32>
              scf.yield %extracted_30 : i32
            }
            scf.yield %95 : i32
          }
          scf.yield %93 : i32
        }
        scf.yield %91 : i32
      }
      linalg.yield %89 : i32
    } -> tensor<5xi32>
    %extracted_11 = tensor.extract %9[%c0] : tensor<5xi32>
    %10 = arith.index_cast %extracted_11 : i32 to index
    %extracted_12 = tensor.extract %9[%c2] : tensor<5xi32>
    %11 = arith.index_cast %extracted_12 : i32 to index
    %extracted_13 = tensor.extract %9[%c4] : tensor<5xi32>
    %12 = arith.index_cast %extracted_13 : i32 to index
    %13 = tensor.empty(%10, %11, %12) : tensor<?x2x?x2x?xf32>
    %14 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%13 : tensor<?x2x?x2x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x2x?x2x?xf32>
    %15 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%8, %14 : tensor<?x2x?x2x?xf32>, tensor<?x2x?x2x?xf32>) outs(%6 : tensor<?x2x?x2x?xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<?x2x?x2x?xf32>
    %16 = tensor.empty() : tensor<4xi32>
    %17 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%16 : tensor<4xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.cmpi ult, %87, %c1 : index
      %89 = scf.if %88 -> (i32) {
        %extracted_30 = tensor.extract %from_elements[%87] : tensor<1xi32>
        scf.yield %extracted_30 : i32
      } else {
        %90 = arith.cmpi ult, %87, %c2 : index
        %91 = scf.if %90 -> (i32) {
          scf.yield %c2_i32 : i32
        } else {
          %92 = arith.cmpi ult, %87, %c3 : index
          %93 = scf.if %92 -> (i32) {
            %94 = arith.subi %87, %c2 : index
            %extracted_30 = tensor.extract %from_elements_8[%94] : tensor<1xi32>
            scf.yield %extracted_30 : i32
          } else {
            %94 = arith.subi %87, %c3 : index
            %extracted_30 = tensor.extract %from_elements_8[%94] : tensor<1xi32>
            scf.yield %extracted_30 : i32
          }
          scf.yield %93 : i32
        }
        scf.yield %91 : i32
      }
      linalg.yield %89 : i32
    } -> tensor<4xi32>
    %extracted_14 = tensor.extract %17[%c0] : tensor<4xi32>
    %18 = arith.index_cast %extracted_14 : i32 to index
    %extracted_15 = tensor.extract %17[%c2] : tensor<4xi32>
    %19 = arith.index_cast %extracted_15 : i32 to index
    %extracted_16 = tensor.extract %17[%c3] : tensor<4xi32>
    %20 = arith.index_cast %extracted_16 : i32 to index
    %21 = tensor.empty(%18, %19, %20) : tensor<?x2x?x?xi1>
    %22 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<i1>) outs(%21 : tensor<?x2x?x?xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<?x2x?x?xi1>
    %23 = tensor.empty() : tensor<2xi32>
    %24 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%23 : tensor<2xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.cmpi ult, %87, %c1 : index
      %89 = scf.if %88 -> (i32) {
        %extracted_30 = tensor.extract %from_elements_8[%87] : tensor<1xi32>
        scf.yield %extracted_30 : i32
      } else {
        %90 = arith.subi %87, %c1 : index
        %extracted_30 = tensor.extract %from_elements_8[%90] : tensor<1xi32>
        scf.yield %extracted_30 : i32
      }
      linalg.yield %89 : i32
    } -> tensor<2xi32>
    %extracted_17 = tensor.extract %24[%c0] : tensor<2xi32>
    %25 = arith.index_cast %extracted_17 : i32 to index
    %extracted_18 = tensor.extract %24[%c1] : tensor<2xi32>
    %26 = arith.index_cast %extracted_18 : i32 to index
    %27 = tensor.empty(%25, %26) : tensor<?x?xi1>
    %28 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<i1>) outs(%27 : tensor<?x?xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<?x?xi1>
    %29 = tensor.empty(%25, %26) : tensor<?x?xi32>
    %30 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel"]} outs(%29 : tensor<?x?xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.index_cast %87 : index to i32
      linalg.yield %88 : i32
    } -> tensor<?x?xi32>
    %31 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel"]} ins(%cst_6 : tensor<i32>) outs(%29 : tensor<?x?xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<?x?xi32>
    %32 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%30, %31 : tensor<?x?xi32>, tensor<?x?xi32>) outs(%29 : tensor<?x?xi32>) {
    ^bb0(%in: i32, %in_30: i32, %out: i32):
      %87 = arith.addi %in, %in_30 : i32
      linalg.yield %87 : i32
    } -> tensor<?x?xi32>
    %33 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel"]} outs(%29 : tensor<?x?xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 1 : index
      %88 = arith.index_cast %87 : index to i32
      linalg.yield %88 : i32
    } -> tensor<?x?xi32>
    %34 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%32, %33 : tensor<?x?xi32>, tensor<?x?xi32>) outs(%27 : tensor<?x?xi1>) {
    ^bb0(%in: i32, %in_30: i32, %out: i1):
      %87 = arith.cmpi sge, %in, %in_30 : i32
      linalg.yield %87 : i1
    } -> tensor<?x?xi1>
    %35 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel"]} ins(%cst_5 : tensor<i1>) outs(%27 : tensor<?x?xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<?x?xi1>
    %36 = linalg.generic {indexing_maps = [#map9, #map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%34, %28, %35 : tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>) outs(%27 : tensor<?x?xi1>) {
    ^bb0(%in: i1, %in_30: i1, %in_31: i1, %out: i1):
      %87 = arith.select %in, %in_30, %in_31 : i1
      linalg.yield %87 : i1
    } -> tensor<?x?xi1>
    %37 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%16 : tensor<4xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.cmpi ult, %87, %c1 : index
      %89 = scf.if %88 -> (i32) {
        scf.yield %c1_i32 : i32
      } else {
        %90 = arith.cmpi ult, %87, %c2 : index
        %91 = scf.if %90 -> (i32) {
          scf.yield %c1_i32 : i32
        } else {
          %92 = arith.cmpi ult, %87, %c3 : index
          %93 = scf.if %92 -> (i32) {
            %94 = arith.subi %87, %c2 : index
            %extracted_30 = tensor.extract %from_elements_8[%94] : tensor<1xi32>
            scf.yield %extracted_30 : i32
          } else {
            %94 = arith.subi %87, %c3 : index
            %extracted_30 = tensor.extract %from_elements_8[%94] : tensor<1xi32>
            scf.yield %extracted_30 : i32
          }
          scf.yield %93 : i32
        }
        scf.yield %91 : i32
      }
      linalg.yield %89 : i32
    } -> tensor<4xi32>
    %extracted_19 = tensor.extract %37[%c2] : tensor<4xi32>
    %38 = arith.index_cast %extracted_19 : i32 to index
    %extracted_20 = tensor.extract %37[%c3] : tensor<4xi32>
    %39 = arith.index_cast %extracted_20 : i32 to index
    %40 = tensor.empty(%38, %39) : tensor<1x1x?x?xi1>
    %41 = linalg.generic {indexing_maps = [#map10, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<?x?xi1>) outs(%40 : tensor<1x1x?x?xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x1x?x?xi1>
    %42 = linalg.generic {indexing_maps = [#map11, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<1x1x?x?xi1>) outs(%21 : tensor<?x2x?x?xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<?x2x?x?xi1>
    %43 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %42 : tensor<?x2x?x?xi1>, tensor<?x2x?x?xi1>) outs(%21 : tensor<?x2x?x?xi1>) {
    ^bb0(%in: i1, %in_30: i1, %out: i1):
      %87 = arith.andi %in, %in_30 : i1
      linalg.yield %87 : i1
    } -> tensor<?x2x?x?xi1>
    %44 = tensor.empty(%18, %19, %20) : tensor<?x2x?x?xf32>
    %45 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%44 : tensor<?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x2x?x?xf32>
    %46 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%2 : tensor<5xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.cmpi ult, %87, %c1 : index
      %89 = scf.if %88 -> (i32) {
        scf.yield %c2_i32 : i32
      } else {
        %90 = arith.cmpi ult, %87, %c2 : index
        %91 = scf.if %90 -> (i32) {
          %92 = arith.subi %87, %c1 : index
          %extracted_30 = tensor.extract %from_elements[%92] : tensor<1xi32>
          scf.yield %extracted_30 : i32
        } else {
          %92 = arith.cmpi ult, %87, %c3 : index
          %93 = scf.if %92 -> (i32) {
            scf.yield %c2_i32 : i32
          } else {
            %94 = arith.cmpi ult, %87, %c4 : index
            %95 = scf.if %94 -> (i32) {
              %96 = arith.subi %87, %c3 : index
              %extracted_30 = tensor.extract %from_elements_8[%96] : tensor<1xi32>
              scf.yield %extracted_30 : i32
            } else {
              %96 = arith.subi %87, %c4 : index
              %extracted_30 = tensor.extract %from_elements_8[%96] : tensor<1xi32>
              scf.yield %extracted_30 : i32
            }
            scf.yield %95 : i32
          }
          scf.yield %93 : i32
        }
        scf.yield %91 : i32
      }
      linalg.yield %89 : i32
    } -> tensor<5xi32>
    %extracted_21 = tensor.extract %46[%c1] : tensor<5xi32>
    %47 = arith.index_cast %extracted_21 : i32 to index
    %extracted_22 = tensor.extract %46[%c3] : tensor<5xi32>
    %48 = arith.index_cast %extracted_22 : i32 to index
    %extracted_23 = tensor.extract %46[%c4] : tensor<5xi32>
    %49 = arith.index_cast %extracted_23 : i32 to index
    %50 = tensor.empty(%47, %48, %49) : tensor<2x?x2x?x?xi1>
    %51 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%43 : tensor<?x2x?x?xi1>) outs(%50 : tensor<2x?x2x?x?xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x?x2x?x?xi1>
    %52 = tensor.empty(%47, %48, %49) : tensor<2x?x2x?x?xf32>
    %53 = linalg.generic {indexing_maps = [#map12, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%45 : tensor<?x2x?x?xf32>) outs(%52 : tensor<2x?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x?x2x?x?xf32>
    %54 = tensor.empty(%4, %5, %dim_10) : tensor<2x?x2x?x?xf32>
    %55 = linalg.generic {indexing_maps = [#map13, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<?x2x?x2x?xf32>) outs(%54 : tensor<2x?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x?x2x?x?xf32>
    %56 = linalg.generic {indexing_maps = [#map5, #map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%51, %55, %53 : tensor<2x?x2x?x?xi1>, tensor<2x?x2x?x?xf32>, tensor<2x?x2x?x?xf32>) outs(%54 : tensor<2x?x2x?x?xf32>) {
    ^bb0(%in: i1, %in_30: f32, %in_31: f32, %out: f32):
      %87 = arith.select %in, %in_30, %in_31 : f32
      linalg.yield %87 : f32
    } -> tensor<2x?x2x?x?xf32>
    %57 = tensor.empty(%4, %5) : tensor<2x?x2x?xf32>
    %58 = linalg.fill ins(%cst : f32) outs(%57 : tensor<2x?x2x?xf32>) -> tensor<2x?x2x?xf32>
    %59 = linalg.generic {indexing_maps = [#map5, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%56 : tensor<2x?x2x?x?xf32>) outs(%58 : tensor<2x?x2x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.maximumf %out, %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x?x2x?xf32>
    %60 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%16 : tensor<4xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.cmpi ult, %87, %c1 : index
      %89 = scf.if %88 -> (i32) {
        scf.yield %c2_i32 : i32
      } else {
        %90 = arith.cmpi ult, %87, %c2 : index
        %91 = scf.if %90 -> (i32) {
          %92 = arith.subi %87, %c1 : index
          %extracted_30 = tensor.extract %from_elements[%92] : tensor<1xi32>
          scf.yield %extracted_30 : i32
        } else {
          %92 = arith.cmpi ult, %87, %c3 : index
          %93 = scf.if %92 -> (i32) {
            scf.yield %c2_i32 : i32
          } else {
            %94 = arith.subi %87, %c3 : index
            %extracted_30 = tensor.extract %from_elements_8[%94] : tensor<1xi32>
            scf.yield %extracted_30 : i32
          }
          scf.yield %93 : i32
        }
        scf.yield %91 : i32
      }
      linalg.yield %89 : i32
    } -> tensor<4xi32>
    %extracted_24 = tensor.extract %60[%c1] : tensor<4xi32>
    %61 = arith.index_cast %extracted_24 : i32 to index
    %extracted_25 = tensor.extract %60[%c3] : tensor<4xi32>
    %62 = arith.index_cast %extracted_25 : i32 to index
    %63 = tensor.empty(%61, %62) : tensor<2x?x2x?xf32>
    %64 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%63 : tensor<2x?x2x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x?x2x?xf32>
    %65 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64, %59 : tensor<2x?x2x?xf32>, tensor<2x?x2x?xf32>) outs(%63 : tensor<2x?x2x?xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.maximumf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<2x?x2x?xf32>
    %66 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%2 : tensor<5xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.cmpi ult, %87, %c1 : index
      %89 = scf.if %88 -> (i32) {
        scf.yield %c2_i32 : i32
      } else {
        %90 = arith.cmpi ult, %87, %c2 : index
        %91 = scf.if %90 -> (i32) {
          %92 = arith.subi %87, %c1 : index
          %extracted_30 = tensor.extract %from_elements[%92] : tensor<1xi32>
          scf.yield %extracted_30 : i32
        } else {
          %92 = arith.cmpi ult, %87, %c3 : index
          %93 = scf.if %92 -> (i32) {
            scf.yield %c2_i32 : i32
          } else {
            %94 = arith.cmpi ult, %87, %c4 : index
            %95 = scf.if %94 -> (i32) {
              %96 = arith.subi %87, %c3 : index
              %extracted_30 = tensor.extract %from_elements_8[%96] : tensor<1xi32>
              scf.yield %extracted_30 : i32
            } else {
              scf.yield %c1_i32 : i32
            }
            scf.yield %95 : i32
          }
          scf.yield %93 : i32
        }
        scf.yield %91 : i32
      }
      linalg.yield %89 : i32
    } -> tensor<5xi32>
    %extracted_26 = tensor.extract %66[%c1] : tensor<5xi32>
    %67 = arith.index_cast %extracted_26 : i32 to index
    %extracted_27 = tensor.extract %66[%c3] : tensor<5xi32>
    %68 = arith.index_cast %extracted_27 : i32 to index
    %69 = tensor.empty(%67, %68) : tensor<2x?x2x?x1xf32>
    %70 = linalg.generic {indexing_maps = [#map14, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%65 : tensor<2x?x2x?xf32>) outs(%69 : tensor<2x?x2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x?x2x?x1xf32>
    %71 = linalg.generic {indexing_maps = [#map15, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%70 : tensor<2x?x2x?x1xf32>) outs(%52 : tensor<2x?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x?x2x?x?xf32>
    %72 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%56, %71 : tensor<2x?x2x?x?xf32>, tensor<2x?x2x?x?xf32>) outs(%54 : tensor<2x?x2x?x?xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.subf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<2x?x2x?x?xf32>
    %73 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%72 : tensor<2x?x2x?x?xf32>) outs(%54 : tensor<2x?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = math.exp %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x?x2x?x?xf32>
    %74 = linalg.fill ins(%cst_0 : f32) outs(%57 : tensor<2x?x2x?xf32>) -> tensor<2x?x2x?xf32>
    %75 = linalg.generic {indexing_maps = [#map5, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%73 : tensor<2x?x2x?x?xf32>) outs(%74 : tensor<2x?x2x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %out, %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x?x2x?xf32>
    %76 = linalg.generic {indexing_maps = [#map14, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%75 : tensor<2x?x2x?xf32>) outs(%69 : tensor<2x?x2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x?x2x?x1xf32>
    %77 = linalg.generic {indexing_maps = [#map15, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%76 : tensor<2x?x2x?x1xf32>) outs(%52 : tensor<2x?x2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x?x2x?x?xf32>
    %78 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%73, %77 : tensor<2x?x2x?x?xf32>, tensor<2x?x2x?x?xf32>) outs(%54 : tensor<2x?x2x?x?xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.divf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<2x?x2x?x?xf32>
    %dim_28 = tensor.dim %arg2, %c0 : tensor<?x?x2x8xf32>
    %79 = tensor.empty(%dim_28, %5) : tensor<?x2x8x2x?xf32>
    %80 = linalg.fill ins(%cst_0 : f32) outs(%79 : tensor<?x2x8x2x?xf32>) -> tensor<?x2x8x2x?xf32>
    %81 = linalg.generic {indexing_maps = [#map16, #map17, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %78 : tensor<?x?x2x8xf32>, tensor<2x?x2x?x?xf32>) outs(%80 : tensor<?x2x8x2x?xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      %88 = arith.addf %out, %87 : f32
      linalg.yield %88 : f32
    } -> tensor<?x2x8x2x?xf32>
    %82 = tensor.empty(%dim_28, %5) : tensor<2x?x?x2x8xf32>
    %83 = linalg.generic {indexing_maps = [#map18, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%81 : tensor<?x2x8x2x?xf32>) outs(%82 : tensor<2x?x?x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x?x?x2x8xf32>
    %84 = tensor.empty(%dim_28, %5) : tensor<?x?x2x2x8xf32>
    %85 = linalg.generic {indexing_maps = [#map19, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%83 : tensor<2x?x?x2x8xf32>) outs(%84 : tensor<?x?x2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x?x2x2x8xf32>
    %86 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%16 : tensor<4xi32>) {
    ^bb0(%out: i32):
      %87 = linalg.index 0 : index
      %88 = arith.cmpi ult, %87, %c1 : index
      %89 = scf.if %88 -> (i32) {
        %extracted_30 = tensor.extract %from_elements[%87] : tensor<1xi32>
        scf.yield %extracted_30 : i32
      } else {
        %90 = arith.cmpi ult, %87, %c2 : index
        %91 = scf.if %90 -> (i32) {
          %92 = arith.subi %87, %c1 : index
          %extracted_30 = tensor.extract %from_elements_8[%92] : tensor<1xi32>
          scf.yield %extracted_30 : i32
        } else {
          %92 = arith.cmpi ult, %87, %c3 : index
          %93 = arith.select %92, %c4_i32, %c8_i32 : i32
          scf.yield %93 : i32
        }
        scf.yield %91 : i32
      }
      linalg.yield %89 : i32
    } -> tensor<4xi32>
    %reshape_29 = tensor.reshape %85(%86) : (tensor<?x?x2x2x8xf32>, tensor<4xi32>) -> tensor<?x?x4x8xf32>
    return %reshape_29 : tensor<?x?x4x8xf32>
  }
}
