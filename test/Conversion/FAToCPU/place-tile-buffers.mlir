// RUN: %fa-opt %s --fa-place-tile-buffers | FileCheck %s
// RUN: not %fa-opt %s --fa-place-tile-buffers=limit=100 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: error: 'scf.forall' op its tiles take 320 bytes of stack, more than 100; choose smaller tiles

// CHECK-LABEL: func.func @tiles(
func.func @tiles(%n: index, %x: memref<?xf32>) {
  // CHECK: memref.alloc() : memref<64xf32>
  %outside = memref.alloc() : memref<64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.forall
  // CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<64xf32>
  // CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<3xi8>
  // CHECK: scf.for
  // CHECK-NEXT: memref.alloc(%{{.*}}) : memref<?xf32>
  // CHECK-NOT: memref.alloc
  // CHECK: return
  scf.forall (%i) in (%n) {
    %first = memref.alloc() : memref<3xi8>
    scf.for %j = %c0 to %n step %c1 {
      %tile = memref.alloc() : memref<64xf32>
      %dynamic = memref.alloc(%n) : memref<?xf32>
      memref.copy %outside, %tile : memref<64xf32> to memref<64xf32>
      memref.copy %x, %dynamic : memref<?xf32> to memref<?xf32>
    }
    %z = arith.constant 0 : i8
    memref.store %z, %first[%c0] : memref<3xi8>
  } {fa.schedule = #fa.schedule<order = q_outer, query_tile = 64, key_tile = 64, partial_sums = 1>}
  return
}

// CHECK-LABEL: func.func @no_tile_program(
func.func @no_tile_program(%n: index, %x: memref<64xf32>) {
  // CHECK: scf.forall
  // CHECK-NEXT: memref.alloc()
  scf.forall (%i) in (%n) {
    %t = memref.alloc() : memref<64xf32>
    memref.copy %x, %t : memref<64xf32> to memref<64xf32>
    memref.dealloc %t : memref<64xf32>
  }
  return
}
