// RUN: %fa-opt %s --fa-outline-tiles | FileCheck %s

// CHECK: func.func private @copy_tile(%[[I:.*]]: index, %[[J:.*]]: index, %[[X:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<?x8xf32>)
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: memref.load %[[X]][%[[I]], %[[J]]]
// CHECK: return
// CHECK-LABEL: func.func @copy(
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %{{.*}} step %c2
// CHECK: scf.for %[[J:.*]] = %{{.*}} to
// CHECK: func.call @copy_tile(%[[I]], %[[J]], %arg0, %arg1)
// CHECK-NOT: scf.forall
func.func @copy(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  scf.forall (%i, %j) = (0, 0) to (%n, 8) step (2, 1) {
    %v = memref.load %x[%i, %j] : memref<?x8xf32>
    %w = arith.addf %v, %one : f32
    memref.store %w, %y[%i, %j] : memref<?x8xf32>
  }
  return
}

// CHECK-LABEL: func.func @tensors(
// CHECK: scf.forall
func.func @tensors(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (8) shared_outs(%o = %x) -> tensor<8xf32> {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
