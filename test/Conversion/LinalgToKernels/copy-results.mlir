// RUN: %fa-opt %s --fa-copy-results | FileCheck %s

// An argument and a buffer of the function stay; a constant, a buffer for the second time and what a loop carries do not.
// CHECK-LABEL: func.func @results
// CHECK-SAME: (%[[X:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK: %[[CONSTANT:.*]] = memref.get_global
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[CARRIED:.*]] = scf.for
// CHECK: %[[COPY0:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.copy %[[CONSTANT]], %[[COPY0]]
// CHECK: %[[COPY1:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.copy %[[OWN]], %[[COPY1]]
// CHECK: %[[SIZE:.*]] = memref.dim %[[CARRIED]]
// CHECK: %[[COPY2:.*]] = memref.alloc(%[[SIZE]]) : memref<?xf32>
// CHECK: memref.copy %[[CARRIED]], %[[COPY2]]
// CHECK: return %[[X]], %[[COPY0]], %[[OWN]], %[[COPY1]], %[[COPY2]]
memref.global "private" constant @table : memref<4xf32> = dense<1.0>
func.func @results(%x: memref<?xf32>, %n: index)
    -> (memref<?xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %constant = memref.get_global @table : memref<4xf32>
  %own = memref.alloc() : memref<4xf32>
  %carried = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (memref<?xf32>) {
    %z = memref.alloc(%n) : memref<?xf32>
    scf.yield %z : memref<?xf32>
  }
  return %x, %constant, %own, %own, %carried : memref<?xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<?xf32>
}
