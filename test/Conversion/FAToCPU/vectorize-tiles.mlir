// RUN: %fa-opt %s --fa-vectorize-tiles=vector-bits=256 --split-input-file | FileCheck %s
// RUN: %fa-opt %s --fa-vectorize-tiles=vector-bits=512 --split-input-file | FileCheck %s --check-prefix=WIDE

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
// CHECK-LABEL: func.func @contract(
// CHECK-COUNT-8: vector.load %arg2{{.*}} vector<8xf32>
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-2: vector.load %arg1{{.*}} vector<8xf32>
// CHECK: vector.broadcast
// CHECK-COUNT-8: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-8: vector.store {{.*}} %arg2
// WIDE-LABEL: func.func @contract(
// WIDE-COUNT-16: vector.fma {{.*}} vector<16xf32>
func.func @contract(%x: memref<64x48xf32>, %y: memref<48x32xf32>, %z: memref<64x32xf32>) {
  linalg.contract indexing_maps = [#a, #b, #c] ins(%x, %y : memref<64x48xf32>, memref<48x32xf32>)
    outs(%z : memref<64x32xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @transpose(
// CHECK-COUNT-8: vector.load
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store
func.func @transpose(%x: memref<64x32xf32>, %y: memref<32x64xf32>) {
  linalg.transpose ins(%x : memref<64x32xf32>) outs(%y : memref<32x64xf32>) permutation = [1, 0]
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// A row operand is a broadcast scalar, an index a vector of positions, a mask bytes.
// CHECK-LABEL: func.func @elementwise(
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] = %{{.*}} step %c8
// CHECK: %[[ROW:.*]] = memref.load %arg0[%[[I]]]
// CHECK: %[[BYTES:.*]] = builtin.unrealized_conversion_cast %arg1 : memref<4x24xi1> to memref<4x24xi8>
// CHECK: vector.load %[[BYTES]][%[[I]], %[[J]]] {{.*}} vector<8xi8>
// CHECK: vector.step
// CHECK: arith.select {{.*}} vector<8xi1>, vector<8xf32>
// CHECK: vector.store
func.func @elementwise(%row: memref<4xf32>, %mask: memref<4x24xi1>, %x: memref<4x24xf32>) {
  linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%row, %mask : memref<4xf32>, memref<4x24xi1>) outs(%x : memref<4x24xf32>) {
  ^bb0(%r: f32, %m: i1, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %keep = arith.andi %c, %m : i1
    %d = arith.subf %s, %r : f32
    %v = arith.select %keep, %d, %r : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func.func @reduction(
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<8xf32>)
// CHECK: arith.maxnumf {{.*}} vector<8xf32>
// CHECK: vector.reduction <maxnumf>
// CHECK: memref.store
func.func @reduction(%x: memref<4x24xf32>, %max: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x24xf32>) outs(%max : memref<4xf32>) {
  ^bb0(%v: f32, %m: f32):
    %r = arith.maxnumf %m, %v : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// No vector form: dynamic shapes, columns, odd extents, control flow.
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT: vector.
// CHECK-COUNT-4: linalg.generic
func.func @left_alone(%d: memref<?x8xf32>, %x: memref<8x8xf32>, %y: memref<8x8xf32>, %odd: memref<3x5xf32>) {
  %c = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%d : memref<?x8xf32>) {
  ^bb0(%v: f32):
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%v: f32, %w: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%odd : memref<3x5xf32>) {
  ^bb0(%v: f32):
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : memref<8x8xf32>) {
  ^bb0(%v: f32):
    %p = arith.cmpf ogt, %v, %c : f32
    %r = scf.if %p -> f32 {
      scf.yield %c : f32
    } else {
      scf.yield %v : f32
    }
    linalg.yield %r : f32
  }
  return
}

// A row operand of extent 1 is read at 0 where the loops are.
// CHECK-LABEL: func.func @extent_one(
func.func @extent_one(%x: memref<4x16xf32>, %row: memref<1x16xf32>, %column: memref<4x1xf32>) {
  // CHECK: scf.for %[[I:.*]] = %
  // CHECK: scf.for %[[J:.*]] = %
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: vector.load %arg1[%[[ZERO]], %[[J]]]
  // CHECK: memref.load %arg2[%[[I]], %{{.*}}]
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (0, b)>, affine_map<(a, b) -> (a, 0)>, affine_map<(a, b) -> (a, b)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%row, %column : memref<1x16xf32>, memref<4x1xf32>) outs(%x : memref<4x16xf32>) {
  ^bb0(%r: f32, %c: f32, %o: f32):
    %s = arith.addf %r, %c : f32
    linalg.yield %s : f32
  }
  return
}

// Vectors of these are not laid out as their arrays are.
// CHECK-LABEL: func.func @no_vectors_of(
func.func @no_vectors_of(%x: memref<16xf32>, %small: memref<16xi4>, %z: memref<16xcomplex<f32>>) {
  // CHECK: linalg.map
  linalg.map ins(%x : memref<16xf32>) outs(%small : memref<16xi4>)
    (%a: f32, %o: i4) { %v = arith.fptosi %a : f32 to i4  linalg.yield %v : i4 }
  // CHECK: linalg.map
  linalg.map ins(%x : memref<16xf32>) outs(%z : memref<16xcomplex<f32>>)
    (%a: f32, %o: complex<f32>) { %v = complex.create %a, %a : complex<f32>  linalg.yield %v : complex<f32> }
  return
}
