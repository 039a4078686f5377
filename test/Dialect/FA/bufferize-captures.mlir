// RUN: %fa-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#s = affine_map<(b, h, g, m, n, d, e) -> ()>

// Both regions gather from captures that they take whole.
// CHECK-LABEL: func @gather
// CHECK: fa.attention
// CHECK-SAME: captures(%{{.*}}, %{{.*}} : memref<7xf32>, memref<7xi1>)
// CHECK-SAME: score {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[T:.*]]: memref<7xf32>, %{{.*}}: memref<7xi1>):
// CHECK: memref.load %[[T]]
// CHECK: keep {
// CHECK-NEXT: ^bb0(%{{.*}}: memref<7xf32>, %[[U:.*]]: memref<7xi1>):
// CHECK: memref.load %[[U]]
func.func @gather(%q: tensor<64x64xf32>, %k: tensor<64x64xf32>, %v: tensor<64x64xf32>, %t: tensor<7xf32>,
                  %u: tensor<7xi1>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #s, #s, #o]}
    ins(%q, %k, %v : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    captures(%t, %u : tensor<7xf32>, tensor<7xi1>)
    outs(%o : tensor<64x64xf32>)
    score {
    ^bb0(%x: f32, %table: tensor<7xf32>, %ignored: tensor<7xi1>):
      %at = arith.constant 3 : index
      %y = tensor.extract %table[%at] : tensor<7xf32>
      %z = arith.addf %x, %y : f32
      fa.yield %z : f32
    }
    keep {
    ^bb0(%ignored: tensor<7xf32>, %table: tensor<7xi1>):
      %at = arith.constant 3 : index
      %y = tensor.extract %table[%at] : tensor<7xi1>
      fa.yield %y : i1
    } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
