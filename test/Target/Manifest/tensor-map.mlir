// A launch with a tensor map of a view of an argument, one block per multiprocessor, and a counter that is kept 0.
// RUN: rm -rf %t && %fa-compile %s --lowered --target sm_90a -o %t --ptxas none
// RUN: FileCheck %s --input-file=%t/manifest.json
// RUN: FileCheck %s --input-file=%t/kernel.ptx --check-prefix=PTX

// PTX: .target sm_90a
// PTX: .param .align 64 .b8 attn_param_0[128]

// Constants come first.
// CHECK-DAG: "op": "const",{{[[:space:]]+}}"to": [[ZERO:[0-9]+]],{{[[:space:]]+}}"value": 7

// The address has the view's offset: 7 rows.
// CHECK: "op": "mul"
// CHECK: "op": "add",
// CHECK-NEXT: "to": [[ADDRESS:[0-9]+]]

// Batch and heads, then rows and columns; sizes (slots 1 to 4), strides (slots 5 to 8) of the argument.
// CHECK: "box": [
// CHECK-NEXT: 1,
// CHECK-NEXT: 1,
// CHECK-NEXT: 80,
// CHECK-NEXT: 64
// CHECK-NEXT: ],
// CHECK-NEXT: "dtype": "bf16",
// CHECK-NEXT: "in": [
// CHECK-NEXT: [[ADDRESS]],
// CHECK-NEXT: 1,
// CHECK-NEXT: 3,
// CHECK-NEXT: 2,
// CHECK-NEXT: {{[0-9]+}},
// CHECK-NEXT: 5,
// CHECK-NEXT: 7,
// CHECK-NEXT: 6,
// CHECK-NEXT: {{[0-9]+}}
// CHECK-NEXT: ],
// CHECK-NEXT: "l2_promotion": 256,
// CHECK-NEXT: "name": "key",
// CHECK-NEXT: "op": "tensor_map",
// CHECK-NEXT: "swizzle": 128,
// CHECK-NEXT: "to": [[MAP:[0-9]+]]

// CHECK: "op": "multiprocessors",
// CHECK-NEXT: "to": [[COUNT:[0-9]+]]
// CHECK: "kept_zero": true,
// CHECK-NEXT: "op": "alloc",
// CHECK-NEXT: "to": [[COUNTER:[0-9]+]]
// CHECK: "grid": [
// CHECK-NEXT: [[COUNT]],
// CHECK: "kernel": "attn",
// CHECK: "parameters": [
// CHECK-NEXT: [[MAP]],
// CHECK-NEXT: [[COUNTER]]
// CHECK: "version": 2
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @attn(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
                    %counter: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @attention(%key: memref<?x?x?x128xbf16, strided<[?, ?, ?, 1]>> {fa.name = "key"}) {
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c384 = arith.constant 384 : index
    %smem = arith.constant 200000 : i32
    %base, %offset, %sizes:4, %strides:4 = memref.extract_strided_metadata %key
      : memref<?x?x?x128xbf16, strided<[?, ?, ?, 1]>> -> memref<bf16>, index, index, index, index, index, index, index, index, index
    %start = arith.muli %strides#1, %c7 : index
    %view = memref.reinterpret_cast %base to offset: [%start], sizes: [%sizes#0, %sizes#1, %sizes#2, 128],
      strides: [%strides#0, %strides#1, %strides#2, 1]
      : memref<bf16> to memref<?x?x?x128xbf16, strided<[?, ?, ?, 1], offset: ?>>
    %map = fagpu.encode_tensor_map %view {row_dim = 1 : i64, col_dim = 3 : i64}
      : memref<?x?x?x128xbf16, strided<[?, ?, ?, 1], offset: ?>> -> !fagpu.tensor_map<80x128xbf16>
    %count = fagpu.multiprocessors : index
    %counter = memref.alloc() {fagpu.kept_zero} : memref<1xi32>
    %pointer = memref.extract_aligned_pointer_as_index %counter : memref<1xi32> -> index
    gpu.launch_func @kernels::@attn blocks in (%count, %c1, %c1) threads in (%c384, %c1, %c1)
      dynamic_shared_memory_size %smem args(%map : !fagpu.tensor_map<80x128xbf16>, %pointer : index)
    return
  }
}
