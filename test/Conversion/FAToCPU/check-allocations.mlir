// RUN: %fa-opt %s --fa-check-allocations | FileCheck %s
// RUN: %fa-opt %s --fa-check-allocations --canonicalize | FileCheck %s --check-prefix=FIXED

// CHECK-LABEL: @dynamic
// CHECK-SAME: (%[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: arith.constant 8.000000e+00 : f64
// CHECK: arith.cmpi sge, %[[M]]
// CHECK: arith.cmpi sge, %[[N]]
// CHECK: arith.cmpf olt, {{.*}} : f64
// CHECK: cf.assert {{.*}}, "an array with a negative extent, or larger than any memory, is asked for"
// CHECK-NEXT: memref.alloc
func.func @dynamic(%m: index, %n: index) -> memref<?x8x?xf32> {
  %0 = memref.alloc(%m, %n) : memref<?x8x?xf32>
  return %0 : memref<?x8x?xf32>
}

// CHECK-LABEL: @static
// CHECK-NOT: cf.assert
// CHECK: return
func.func @static() -> memref<4x8xf32> {
  %0 = memref.alloc() : memref<4x8xf32>
  return %0 : memref<4x8xf32>
}

// A size that is known and possible is not checked at run time.
// FIXED-LABEL: @known
// FIXED-NOT: cf.assert
// FIXED: return
func.func @known() -> memref<?xf32> {
  %c5 = arith.constant 5 : index
  %0 = memref.alloc(%c5) : memref<?xf32>
  return %0 : memref<?xf32>
}
