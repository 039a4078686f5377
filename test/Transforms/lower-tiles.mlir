// RUN: %fa-opt %s --fa-fuse-softmax --fa-tile="query-tile=32 key-tile=16 partial-sums=4" --fa-lower-tiles --cse | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#s = affine_map<(b, h, g, m, n, d, e) -> ()>

// Tiles go straight from memory into the contractions; nothing masks a full tile.
// CHECK-LABEL: func @plain
// CHECK: scf.for %{{.*}} iter_args
// CHECK-NEXT: %[[K:.*]] = fa.load_tile
// CHECK-NEXT: %[[V:.*]] = fa.load_tile
// CHECK: %[[S:.*]] = linalg.contract {{.*}} ins(%{{.*}}, %[[K]] : tensor<32x64xbf16>, tensor<16x64xbf16>) outs(%{{.*}} : tensor<32x16xf32>)
// CHECK-NOT: arith.cmpi
// CHECK: linalg.generic {{.*}} ins(%[[S]] : tensor<32x16xf32>)
// CHECK: linalg.reduce ins(%{{.*}} : tensor<32x2x4x2xf32>) outs(%{{.*}} : tensor<32x4xf32>)
// CHECK-NOT: arith.cmpi
// CHECK: linalg.contract {{.*}} ins(%{{.*}}, %[[V]] : tensor<32x16xbf16>, tensor<16x64xbf16>) outs(%{{.*}} : tensor<32x64xf32>)
// CHECK: scf.yield
// CHECK-NOT: fa.online_attention
// CHECK-NOT: fa.finalize
// CHECK: return
func.func @plain(%q: memref<64x64xbf16>, %k: memref<64x64xbf16>, %v: memref<64x64xbf16>, %o: memref<64x64xbf16>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xbf16>)
    outs(%o : memref<64x64xbf16>)
  return
}

// A region becomes the body of a generic; a whole capture is read from memory.
// CHECK-LABEL: func @gather
// CHECK-SAME: %[[TABLE:[^:]*]]: memref<7xf32>
// CHECK: scf.for
// CHECK: linalg.contract
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: memref.load %[[TABLE]]
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @gather(%q: memref<64x64xf32>, %k: memref<64x64xf32>, %v: memref<64x64xf32>, %t: memref<7xf32>,
                  %o: memref<64x64xf32>) {
  fa.attention {indexing_maps = [#q, #k, #v, #s, #o]}
    ins(%q, %k, %v : memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>)
    captures(%t : memref<7xf32>)
    outs(%o : memref<64x64xf32>)
    score {
    ^bb0(%x: f32, %table: memref<7xf32>):
      %key = fa.index k
      %c7 = arith.constant 7 : index
      %at = arith.remsi %key, %c7 : index
      %y = memref.load %table[%at] : memref<7xf32>
      %z = arith.addf %x, %y : f32
      fa.yield %z : f32
    }
  return
}
