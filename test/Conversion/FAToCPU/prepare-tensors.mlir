// RUN: %fa-opt %s --split-input-file --verify-diagnostics --fa-prepare-tensors | FileCheck %s

// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // CHECK-NOT: linalg.softmax
  // CHECK: linalg.generic
  // CHECK: math.exp
  // CHECK: arith.divf
  %e = tensor.empty() : tensor<4x16xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @pack(
func.func @pack(%x: tensor<10x14xf32>) -> (tensor<3x2x4x8xf32>, tensor<10x14xf32>) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2x4x8xf32>
  %f = tensor.empty() : tensor<10x14xf32>
  // CHECK: tensor.pad
  // CHECK: tensor.expand_shape
  // CHECK: linalg.transpose
  %p = linalg.pack %x padding_value(%c : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e
    : tensor<10x14xf32> -> tensor<3x2x4x8xf32>
  // CHECK: linalg.transpose
  // CHECK: tensor.collapse_shape
  // CHECK: tensor.extract_slice
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %f : tensor<3x2x4x8xf32> -> tensor<10x14xf32>
  return %p, %u : tensor<3x2x4x8xf32>, tensor<10x14xf32>
}

// CHECK-LABEL: func.func @reshape(
func.func @reshape(%x: tensor<?x6xf32>, %n: tensor<2xi32>, %m: tensor<2xindex>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : tensor<2xi32> to tensor<2xindex>
  // CHECK: tensor.reshape %{{.*}}(%[[N]])
  %r = tensor.reshape %x(%n) : (tensor<?x6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: tensor.reshape %arg0(%arg2)
  %s = tensor.reshape %x(%m) : (tensor<?x6xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r, %s : tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @poison(
func.func @poison() -> (tensor<4x?xf32>, i32) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: tensor.empty(%[[ZERO]]) : tensor<4x?xf32>
  // CHECK: ub.poison : i32
  %t = ub.poison : tensor<4x?xf32>
  %i = ub.poison : i32
  return %t, %i : tensor<4x?xf32>, i32
}

// CHECK-LABEL: func.func @free(
func.func @free() {
  // CHECK: memref.alloc
  // CHECK-NEXT: return
  %m = memref.alloc() : memref<4xf32>
  memref.dealloc %m : memref<4xf32>
  return
}

// -----

func.func @free_argument(%m: memref<4xf32>) {
  // expected-error@+1 {{frees memory that its function has not allocated; leave that to the caller}}
  memref.dealloc %m : memref<4xf32>
  return
}

// -----

func.func @softmax_on_memrefs(%x: memref<4x16xf32>) {
  // expected-error@+1 {{supports only tensors}}
  linalg.softmax dimension(1) ins(%x : memref<4x16xf32>) outs(%x : memref<4x16xf32>)
  return
}
