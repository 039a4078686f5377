// What a manifest cannot express is an error at the op.
// RUN: split-file %s %t
// RUN: not %fa-compile %t/load.mlir --lowered --ptxas none -o %t/out 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: not %fa-compile %t/call.mlir --lowered --ptxas none -o %t/out 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not %fa-compile %t/params.mlir --lowered --ptxas none -o %t/out 2>&1 | FileCheck %s --check-prefix=PARAMS
// RUN: not %fa-compile %t/result.mlir --lowered --ptxas none -o %t/out 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not %fa-compile %t/async.mlir --lowered --ptxas none -o %t/out 2>&1 | FileCheck %s --check-prefix=ASYNC

// LOAD: load.mlir:6:8: error: the host program (manifest) can read integers of a buffer only
// CALL: call.mlir:7:3: error: 'func.call' cannot be part of a host program (manifest)
// PARAMS: params.mlir:6:3: error: the kernel takes 2 parameters, the launch gives 5
// RESULT: result.mlir:5:3: error: result 0 of 'f' is of type 'index'; a caller can take buffers only
// ASYNC: async.mlir:6:8: error: 'gpu.wait' cannot be part of a host program (manifest)

//--- load.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @k() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @f(%x: memref<f32>) {
  %y = memref.load %x[] : memref<f32>
  %i = arith.fptosi %y : f32 to i64
  %n = arith.index_cast %i : i64 to index
  gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
  return
  }
}
//--- call.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @k() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func private @g()
  func.func @f() {
  call @g() : () -> ()
  return
  }
}
//--- params.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @k(%n: i64, %m: i64) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @f(%x: memref<?xf32>, %n: index) {
  gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<?xf32>)
  return
  }
}
//--- result.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @k() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @f(%n: index) -> index {
  return %n : index
  }
}
//--- async.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @k() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @f(%n: index) {
  %a = gpu.wait async
  %b = gpu.launch_func async [%a] @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
  return
  }
}
