// RUN: %fa-opt %s --fa-split-launches --allow-unregistered-dialect | FileCheck %s

// Extents that are not known to be small: parts, each of which knows its first block.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: index, %[[Y:.*]]: index, %[[Z:.*]]: index, %[[A:.*]]: memref<?xf32>)
// CHECK: scf.for %[[FIRST_Y:.*]] = %{{.*}} to %[[Y]] step %[[MOST:.*]] {
// CHECK: %[[LEFT:.*]] = arith.subi %[[Y]], %[[FIRST_Y]]
// CHECK: %[[PART_Y:.*]] = arith.minsi %[[LEFT]], %[[MOST]]
// CHECK: scf.for %[[FIRST_Z:.*]] = %{{.*}} to %[[Z]] step
// CHECK: %[[PART_Z:.*]] = arith.minsi
// CHECK: gpu.launch_func @kernels::@both blocks in (%[[X]], %[[PART_Y]], %[[PART_Z]])
// CHECK-SAME: args(%[[A]] : memref<?xf32>, %[[FIRST_Y]] : index, %[[FIRST_Z]] : index)
// CHECK-LABEL: func.func @small(
// CHECK-NOT: scf.for
// CHECK: gpu.launch_func @kernels::@one
// CHECK-SAME: args(%{{.*}} : memref<?xf32>)
// CHECK-LABEL: func.func @big(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: gpu.launch_func @kernels::@known
// CHECK-LABEL: func.func @reads(
// CHECK-NOT: scf.for
// CHECK: gpu.launch_func
// CHECK-LABEL: gpu.func @both(
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[Y0:.*]]: index, %[[Z0:.*]]: index)
// CHECK: %[[ID_X:.*]] = gpu.block_id x
// CHECK: %[[ID_Y:.*]] = gpu.block_id y
// CHECK: %[[SUM_Y:.*]] = arith.addi %[[ID_Y]], %[[Y0]]
// CHECK: %[[ID_Z:.*]] = gpu.block_id z
// CHECK: %[[SUM_Z:.*]] = arith.addi %[[ID_Z]], %[[Z0]]
// CHECK: "test.use"(%[[ID_X]], %[[SUM_Y]], %[[SUM_Z]])
module attributes {gpu.container_module} {
  func.func @dynamic(%x: index, %y: index, %z: index, %a: memref<?xf32>) {
    %c128 = arith.constant 128 : index
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@both blocks in (%x, %y, %z) threads in (%c128, %c1, %c1) args(%a : memref<?xf32>)
    return
  }
  func.func @small(%x: index, %a: memref<?xf32>) {
    %c128 = arith.constant 128 : index
    %c1 = arith.constant 1 : index
    %most = arith.constant 65535 : index
    gpu.launch_func @kernels::@one blocks in (%x, %most, %c1) threads in (%c128, %c1, %c1) args(%a : memref<?xf32>)
    return
  }
  func.func @big(%x: index) {
    %c1 = arith.constant 1 : index
    %more = arith.constant 65536 : index
    gpu.launch_func @kernels::@known blocks in (%x, %c1, %more) threads in (%c1, %c1, %c1)
    return
  }
  func.func @reads(%x: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@extent blocks in (%x, %x, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @kernels {
    gpu.func @both(%m: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %y = gpu.block_id y
      %z = gpu.block_id z
      "test.use"(%x, %y, %z) : (index, index, index) -> ()
      gpu.return
    }
    gpu.func @one(%m: memref<?xf32>) kernel {
      gpu.return
    }
    gpu.func @known() kernel {
      gpu.return
    }
    gpu.func @extent() kernel {
      %y = gpu.grid_dim y
      "test.use"(%y) : (index) -> ()
      gpu.return
    }
  }
}
