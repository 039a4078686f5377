// RUN: %fa-opt %s --pass-pipeline='builtin.module(gpu.module(fa-kernels-to-nvvm))' | FileCheck %s

gpu.module @k {
  // CHECK-LABEL: llvm.func @copy
  // CHECK-SAME: nvvm.kernel
  // CHECK-DAG: nvvm.read.ptx.sreg.tid.x
  // CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x
  // CHECK: llvm.cond_br
  // CHECK: llvm.load
  // CHECK: llvm.fadd
  // CHECK: llvm.store
  // CHECK: nvvm.barrier
  // CHECK: llvm.return
  gpu.func @copy(%from: memref<?xf32, strided<[?]>>, %to: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %threads = gpu.block_dim x
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %first = arith.muli %block, %threads : index
    %i = arith.addi %first, %thread : index
    %size = memref.dim %from, %c0 : memref<?xf32, strided<[?]>>
    %inside = arith.cmpi slt, %i, %size : index
    cf.cond_br %inside, ^copy, ^end
  ^copy:
    %x = memref.load %from[%i] : memref<?xf32, strided<[?]>>
    %twice = arith.addf %x, %x : f32
    memref.store %twice, %to[%i] : memref<?xf32>
    cf.br ^end
  ^end:
    gpu.barrier
    gpu.return
  }

  // What nobody uses goes: upstream's pattern for the strides leaves constants.
  // CHECK-LABEL: llvm.func @strides
  // CHECK-NOT: arith.
  // CHECK-NOT: unrealized_conversion_cast
  // CHECK: llvm.return
  gpu.func @strides(%from: memref<?x?xf32, strided<[?, ?], offset: ?>>, %to: memref<1xi64>) kernel {
    %c0 = arith.constant 0 : index
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %from
      : memref<?x?xf32, strided<[?, ?], offset: ?>> -> memref<f32>, index, index, index, index, index
    %stride = arith.index_cast %strides#0 : index to i64
    memref.store %stride, %to[%c0] : memref<1xi64>
    gpu.return
  }
}
