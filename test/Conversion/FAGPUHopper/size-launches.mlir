// RUN: split-file %s %t
// RUN: %fa-opt %t/sized.mlir --fagpu-size-launches | FileCheck %t/sized.mlir
// RUN: not %fa-opt %t/early.mlir --fagpu-size-launches 2>&1 | FileCheck %t/early.mlir

//--- sized.mlir
module attributes {gpu.container_module} {
  // CHECK: %[[BYTES:.*]] = arith.constant 4096 : i32
  // CHECK: gpu.launch_func {{.*}} dynamic_shared_memory_size %[[BYTES]]
  func.func @launch(%n: index) {
    %none = arith.constant 0 : i32
    gpu.launch_func @kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) dynamic_shared_memory_size %none
    return
  }
  gpu.module @kernels {
    fagpu.kernel @kernel() attributes {gpu.kernel, smem_bytes = 4096 : i64} {
      fagpu.role consumer warpgroups(1) registers(40) {
      ^bb0(%wg: i32):
      }
    }
  }
}

//--- early.mlir
module attributes {gpu.container_module} {
  func.func @launch(%n: index) {
    %none = arith.constant 0 : i32
    gpu.launch_func @kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) dynamic_shared_memory_size %none
    return
  }
  gpu.module @kernels {
    // CHECK: error: shared memory is not allocated: run --fagpu-allocate first
    fagpu.kernel @kernel() attributes {gpu.kernel} {
      fagpu.role consumer warpgroups(1) registers(40) {
      ^bb0(%wg: i32):
      }
    }
  }
}
