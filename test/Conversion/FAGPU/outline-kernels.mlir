// RUN: %fa-opt %s --fa-outline-kernels=min-blocks=2 -split-input-file -verify-diagnostics | FileCheck %s

// Three loops: x counted from its end, y, z. A loop of no iterations makes an empty grid, which launches nothing.
// CHECK-LABEL: func.func @three
// CHECK-SAME: memref<?x64xf32> {fa.written}
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[THREADS:.*]] = arith.constant 128 : index
// CHECK: gpu.launch_func @fa_kernels::@three_kernel blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%[[THREADS]],
// CHECK: gpu.module @fa_kernels
// CHECK: gpu.func @three_kernel(
// CHECK-SAME: kernel
// CHECK-SAME: fagpu.stages = 2 : i64
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK-DAG: gpu.block_id x
// CHECK-DAG: gpu.block_id y
// CHECK-DAG: gpu.block_id z
// CHECK: gpu.grid_dim x
// CHECK: fa.store_tile
// CHECK: gpu.return
func.func @three(%out: memref<?x64xf32>, %batch: index) {
  %zero = arith.constant 0.0 : f32
  %tile = tensor.splat %zero : tensor<64x64xf32>
  scf.forall (%b, %h, %i) in (%batch, 0, 4) {
    %tile_here = tensor.splat %zero : tensor<64x64xf32>
    %c0 = arith.constant 0 : index
    fa.store_tile %tile_here, %out[%i, %c0] {tile_dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<?x64xf32>
  } {fagpu.stages = 2 : i64}
  return
}

// -----

// Loops that move no tiles are not kernels.
// CHECK-LABEL: func.func @other
// CHECK: scf.forall
// CHECK-NOT: gpu.module
func.func @other(%out: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (4) {
    memref.store %zero, %out[%i] : memref<4xf32>
  }
  return
}
