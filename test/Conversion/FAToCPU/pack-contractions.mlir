// RUN: %fa-opt %s --fa-pack-contractions | FileCheck %s

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (j, k)>
#bt = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @scores(
// CHECK-SAME: %[[Q:.*]]: tensor<64x32xbf16>, %[[K:.*]]: tensor<16x32xbf16>, %[[S:.*]]: tensor<64x16xf32>
func.func @scores(%q: tensor<64x32xbf16>, %k: tensor<16x32xbf16>, %s: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // CHECK: %[[WIDE_Q:.*]] = linalg.generic {{.*}} ins(%[[Q]] :
  // CHECK: arith.extf
  // CHECK: %[[WIDE_K:.*]] = linalg.generic {{.*}} ins(%[[K]] :
  // CHECK: %[[KT:.*]] = linalg.transpose ins(%[[WIDE_K]] : tensor<16x32xf32>) outs(%{{.*}} : tensor<32x16xf32>) permutation = [1, 0]
  // CHECK: linalg.contract indexing_maps = [{{.*}}] ins(%[[WIDE_Q]], %[[KT]] : tensor<64x32xf32>, tensor<32x16xf32>) outs(%[[S]]
  %r = linalg.contract indexing_maps = [#a, #b, #c] ins(%q, %k : tensor<64x32xbf16>, tensor<16x32xbf16>)
    outs(%s : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// CHECK-LABEL: func.func @ready(
// CHECK-NEXT: linalg.contract
// CHECK-NEXT: return
func.func @ready(%p: tensor<64x32xf32>, %v: tensor<32x16xf32>, %o: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %r = linalg.contract indexing_maps = [#a, #bt, #c] ins(%p, %v : tensor<64x32xf32>, tensor<32x16xf32>)
    outs(%o : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// A value of f64 under f32 scores.
// CHECK-LABEL: func.func @narrowed(
// CHECK: arith.truncf
func.func @narrowed(%p: tensor<64x32xf64>, %v: tensor<32x16xf64>, %o: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %r = linalg.contract indexing_maps = [#a, #bt, #c] ins(%p, %v : tensor<64x32xf64>, tensor<32x16xf64>)
    outs(%o : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK-NEXT: linalg.contract
func.func @dynamic(%p: tensor<?x32xbf16>, %v: tensor<32x16xbf16>, %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %r = linalg.contract indexing_maps = [#a, #bt, #c] ins(%p, %v : tensor<?x32xbf16>, tensor<32x16xbf16>)
    outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
