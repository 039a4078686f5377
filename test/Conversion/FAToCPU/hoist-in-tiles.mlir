// RUN: %fa-opt %s --fa-hoist-in-tiles | FileCheck %s

// The fill leaves the loop over tiles, but not the body of the tile program.
// CHECK-LABEL: func.func @fill(
// CHECK: scf.forall
// CHECK-NEXT: tensor.empty()
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: scf.for
// CHECK-NEXT: bufferization.materialize_in_destination
func.func @fill(%y: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.forall (%i) in (%n) {
    scf.for %j = %c0 to %n step %c1 {
      %e = tensor.empty() : tensor<64xf32>
      %t = linalg.fill ins(%f : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
      bufferization.materialize_in_destination %t in writable %y : (tensor<64xf32>, memref<64xf32>) -> ()
    }
  }
  return
}
