// RUN: %fa-opt %s --fa-lower-tile-memory --canonicalize | FileCheck %s

// The tile's columns (96) are wider than the source's (80): always filled with zeros first.
// CHECK-LABEL: func @load
// CHECK-SAME: (%[[M:.*]]: memref<2x?x80xf32>, %[[B:.*]]: index, %[[ROW:.*]]: index, %[[END:.*]]: index)
// CHECK: %[[N:.*]] = memref.dim %[[M]], %c1
// CHECK: %[[STOP:.*]] = arith.minsi %[[N]], %[[END]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[STOP]], %[[ROW]]
// CHECK: %[[ATLEAST:.*]] = arith.maxsi %[[LEFT]], %c0
// CHECK: %[[ROWS:.*]] = arith.minsi %[[ATLEAST]], %c64
// CHECK: %[[TILE:.*]] = memref.alloc() : memref<64x96xf32>
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[TILE]] : memref<64x96xf32>)
// CHECK: %[[FROM:.*]] = memref.reinterpret_cast %[[M]] to offset: [%{{.*}}], sizes: [%[[ROWS]], 80], strides: [80, 1]
// CHECK: %[[TO:.*]] = memref.subview %[[TILE]][0, 0] [%[[ROWS]], 80] [1, 1]
// CHECK: linalg.copy ins(%[[FROM]] : {{.*}}) outs(%[[TO]] : {{.*}})
// CHECK: bufferization.to_tensor %[[TILE]] restrict writable
func.func @load(%m: memref<2x?x80xf32>, %b: index, %row: index, %end: index) -> tensor<64x96xf32> {
  %c0 = arith.constant 0 : index
  %t = fa.load_tile %m[%b, %row, %c0] limit(%end) {tile_dims = array<i64: 1, 2>} : memref<2x?x80xf32> -> tensor<64x96xf32>
  return %t : tensor<64x96xf32>
}

// Only a clipped tile needs the fill. The dimensions of the tile run in another order.
// CHECK-LABEL: func @transposed
// CHECK: scf.if
// CHECK-NEXT: linalg.fill
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %{{.*}} sizes: [%{{.*}}, 32], strides: [1, %{{.*}}]
// CHECK: linalg.copy ins(%[[VIEW]]
func.func @transposed(%m: memref<32x?xf32>, %row: index) -> tensor<64x32xf32> {
  %c0 = arith.constant 0 : index
  %t = fa.load_tile %m[%c0, %row] {tile_dims = array<i64: 1, 0>} : memref<32x?xf32> -> tensor<64x32xf32>
  return %t : tensor<64x32xf32>
}

// CHECK-LABEL: func @store
// CHECK: %[[BUFFER:.*]] = bufferization.to_buffer %{{.*}} read_only
// CHECK: linalg.copy
// CHECK-NOT: fa.store_tile
func.func @store(%t: tensor<64xf32>, %m: memref<?x4xf32>, %row: index, %column: index) {
  fa.store_tile %t, %m[%row, %column] {tile_dims = array<i64: 0>} : tensor<64xf32>, memref<?x4xf32>
  return
}

// CHECK-LABEL: func @accumulate
// CHECK: %[[BUFFER:.*]] = bufferization.to_buffer %{{.*}} read_only
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK-NOT: fa.accumulate
func.func @accumulate(%t: tensor<64xf32>, %m: memref<?x4xf32>, %row: index, %column: index) {
  fa.accumulate %t into %m[%row, %column] owned {tile_dims = array<i64: 0>} : tensor<64xf32>, memref<?x4xf32>
  return
}
