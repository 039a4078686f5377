// RUN: %fa-opt %s | FileCheck %s
// RUN: %fa-opt %s --mlir-print-op-generic | %fa-opt | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// CHECK-LABEL: func @attention
// CHECK: fa.attention {causal, indexing_maps = [{{.*}}]} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>) outs(%{{.*}}, %{{.*}} : tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>) -> tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>
func.func @attention(%query: tensor<1x8x4x?x128xbf16>, %key: tensor<1x8x?x128xbf16>,
                     %value: tensor<1x8x?x128xbf16>, %out: tensor<1x8x4x?x128xbf16>,
                     %lse: tensor<1x8x4x?xf32>) -> (tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>) {
  %r:2 = fa.attention {causal, indexing_maps = [#q, #k, #v, #o, #l]}
    ins(%query, %key, %value : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>)
    outs(%out, %lse : tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>)
    -> tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>
  return %r#0, %r#1 : tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>
}
