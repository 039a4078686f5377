// RUN: %fa-opt %s --fa-linalg-to-kernels --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// The reduction is a loop in the thread, its value in a register.
// CHECK-LABEL: gpu.func @product_0
// CHECK-SAME: kernel
// CHECK: scf.if
// CHECK: %[[INIT:.*]] = memref.load
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]]) -> (f32)
// CHECK: memref.load
// CHECK: memref.load
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: memref.store %[[SUM]]

// A copy that changes strides is a kernel too.
// CHECK-LABEL: gpu.func @product_1
// CHECK: memref.load
// CHECK-NEXT: memref.store

// CHECK-LABEL: func.func @product
// CHECK: arith.ceildivui
// CHECK: gpu.launch_func @kernels::@product_0
// CHECK: gpu.launch_func @kernels::@product_1
// CHECK-NOT: linalg
func.func @product(%x: memref<?x64xbf16, strided<[?, 1]>>, %y: memref<?x64xbf16>, %z: memref<?x?xf32>,
                   %t: memref<?x?xf32, strided<[?, ?]>>) {
  linalg.contract indexing_maps = [#a, #b, #c]
    ins(%x, %y : memref<?x64xbf16, strided<[?, 1]>>, memref<?x64xbf16>) outs(%z : memref<?x?xf32>)
  memref.copy %z, %t : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?]>>
  return
}

// -----

// Positions are values; scalars from outside are arguments, constants are not.
// CHECK-LABEL: gpu.func @mask_0(
// CHECK-SAME: memref<?x?xf32>, %[[LIMIT:.*]]: index)
// CHECK: %[[COLUMN:.*]] = arith.remui
// CHECK: arith.cmpi ult, %[[COLUMN]], %[[LIMIT]]
func.func @mask(%x: memref<?x?xf32>, %limit: index) {
  %inf = arith.constant 0xFF800000 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    outs(%x : memref<?x?xf32>) {
  ^bb0(%s: f32):
    %j = linalg.index 1 : index
    %keep = arith.cmpi ult, %j, %limit : index
    %r = arith.select %keep, %s, %inf : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// A sum is written where its map says 0; the product's second factor is read at a sum of loops.
// CHECK-LABEL: gpu.func @sums_0
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: memref.load %{{.*}}[%[[ROW:.*]], %[[ZERO]]]
// CHECK: scf.for %[[COLUMN:[^ ]*]] =
// CHECK: affine.apply #{{.*}}(%[[COLUMN]])[%[[ROW]]]
// CHECK: memref.store %{{.*}}[%[[ROW]], %[[ZERO]]]
func.func @sums(%x: memref<?x?xf32>, %y: memref<?xf32>, %sum: memref<?x1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i, 0)>],
                  iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : memref<?x?xf32>, memref<?xf32>) outs(%sum : memref<?x1xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  }
  return
}

// -----

func.func @tensors(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg.fill' works on tensors: bufferize first}}
  %r = linalg.fill ins(%v : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
