// RUN: %fa-opt %s --fa-prefix-symbols | FileCheck %s

// CHECK: memref.global "private" constant @fa.puts
memref.global "private" constant @puts : memref<2xf32> = dense<1.0>

// A function of a library keeps its name.
// CHECK: func.func private @expf(f32) -> f32
func.func private @expf(f32) -> f32

// CHECK: func.func private @fa.malloc(
func.func private @malloc(%x: f32) -> f32 {
  // CHECK: call @expf
  %r = call @expf(%x) : (f32) -> f32
  return %r : f32
}

// CHECK: func.func @fa.memcpy(
func.func @memcpy(%x: f32) -> f32 {
  // CHECK: memref.get_global @fa.puts
  %g = memref.get_global @puts : memref<2xf32>
  %i = arith.constant 0 : index
  %y = memref.load %g[%i] : memref<2xf32>
  // CHECK: call @fa.malloc
  %r = call @malloc(%y) : (f32) -> f32
  return %r : f32
}
