// RUN: %fa-opt %s --fa-outline-loops=limit=1 | FileCheck %s
// RUN: %fa-opt %s --fa-outline-loops | FileCheck %s --check-prefix=FEW
// FEW-NOT: call

// CHECK: func.func private @two_loop(%[[N:.*]]: index, %[[X:.*]]: memref<?xf32>)
// CHECK-SAME: attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]}
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]]
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK: func.func private @two_loop_0(
// CHECK-LABEL: func.func @two(
// CHECK: call @two_loop(%{{.*}}, %arg0)
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: call @two_loop_0(%arg1, %[[SUM]], %arg0)
func.func @two(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    memref.store %f, %x[%i] : memref<?xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f) -> f32 {
    %v = memref.load %x[%i] : memref<?xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %s, %x[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @one(
// CHECK-NOT: call
func.func @one(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %f, %x[%i] : memref<4xf32>
  }
  return
}
