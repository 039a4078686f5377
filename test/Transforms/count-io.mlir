// RUN: %fa-opt %s --fa-count-io --canonicalize | FileCheck %s

// What is inside memory counts, the arithmetic goes away.
// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: %[[X:.*]]: memref<?x40xf32>, %[[Y:.*]]: memref<?x40xf32>, %{{.*}}: index, %[[COUNTS:.*]]: memref<3xi64>)
// CHECK: memref.store {{.*}}, %[[COUNTS]]
// CHECK: scf.for
// CHECK: %[[SIZE:.*]] = arith.muli %{{.*}}, %c40
// CHECK: memref.atomic_rmw addi %{{.*}}, %[[COUNTS]][%c0]
// CHECK: memref.atomic_rmw addi %{{.*}}, %[[COUNTS]][%c1]
// CHECK-NOT: math.exp
// CHECK-NOT: fa.
func.func @tiles(%x: memref<?x40xf32>, %y: memref<?x40xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %n step %c16 {
    %t = fa.load_tile %x[%i, %c0] {tile_dims = array<i64: 0, 1>} : memref<?x40xf32> -> tensor<16x48xf32>
    %e = math.exp %t : tensor<16x48xf32>
    fa.store_tile %e, %y[%i, %c0] {tile_dims = array<i64: 0, 1>} : tensor<16x48xf32>, memref<?x40xf32>
  }
  return
}

// CHECK-LABEL: func.func @buffers(
// CHECK-NOT: memref.alloc
// CHECK-DAG: arith.constant 32 : i64
// CHECK-NOT: linalg
func.func @buffers(%x: memref<4x8xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  linalg.exp ins(%x : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  memref.copy %a, %x : memref<4x8xf32> to memref<4x8xf32>
  return
}
