// A host function that launches a kernel once it has checked its shapes, with a workspace and a branch.
// RUN: rm -rf %t && %fa-compile %s --lowered -o %t --ptxas none
// RUN: FileCheck %s --input-file=%t/manifest.json
// RUN: FileCheck %s --input-file=%t/kernel.ptx --check-prefix=PTX

// PTX: .target sm_80
// PTX: .entry add

// CHECK: "access": "read",
// CHECK-NEXT: "dtype": "f32",
// CHECK-NEXT: "kind": "buffer",
// CHECK-NEXT: "name": "x",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "n"
// CHECK-NEXT: ],
// CHECK-NEXT: "slot": 0,
// CHECK-NEXT: "strides": [
// CHECK-NEXT: null
// CHECK: "access": "write"
// CHECK: "strides": "contiguous"
// CHECK: "kind": "scalar"
// CHECK: "op": "const"
// CHECK: "op": "assert"
// CHECK: "op": "alloc"
// CHECK: "op": "fill"
// CHECK: "op": "if"
// CHECK: "kernel": "add"
// CHECK: "target": "sm_80"
// CHECK: "version": 1
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @add(%x0: !llvm.ptr, %x: !llvm.ptr, %xo: i64, %xn: i64, %xs: i64,
                   %y0: !llvm.ptr, %y: !llvm.ptr, %yo: i64, %yn: i64, %ys: i64, %a: f32)
        attributes {gpu.kernel, nvvm.kernel} {
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %block = nvvm.read.ptx.sreg.ctaid.x : i32
      %threads = nvvm.read.ptx.sreg.ntid.x : i32
      %base = llvm.mul %block, %threads : i32
      %i32 = llvm.add %base, %thread : i32
      %i = llvm.sext %i32 : i32 to i64
      %inside = llvm.icmp "slt" %i, %xn : i64
      llvm.cond_br %inside, ^add, ^exit
    ^add:
      %xi = llvm.mul %i, %xs : i64
      %px = llvm.getelementptr %x[%xi] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %py = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %vx = llvm.load %px : !llvm.ptr -> f32
      %vy = llvm.load %py : !llvm.ptr -> f32
      %ax = llvm.fmul %a, %vx : f32
      %sum = llvm.fadd %ax, %vy : f32
      llvm.store %sum, %py : f32, !llvm.ptr
      llvm.br ^exit
    ^exit:
      llvm.return
    }
  }
  func.func @saxpy(%x: memref<?xf32, strided<[?], offset: ?>> {fa.name = "x", fa.extents = ["n"]},
                   %y: memref<?xf32> {fa.name = "y", fa.extents = ["n"], fa.written},
                   %a: f32 {fa.name = "a"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %smem = arith.constant 65536 : i32
    %zero = arith.constant 0.0 : f32
    %n = memref.dim %x, %c0 : memref<?xf32, strided<[?], offset: ?>>
    %limit = arith.constant 1000000 : index
    %small = arith.cmpi ult, %n, %limit : index
    cf.assert %small, "too long"
    %workspace = memref.alloc(%n) : memref<?x4xf32>
    gpu.memset %workspace, %zero : memref<?x4xf32>, f32
    %blocks = arith.ceildivsi %n, %c128 : index
    %any = arith.cmpi sgt, %n, %c0 : index
    scf.if %any {
      gpu.launch_func @kernels::@add blocks in (%blocks, %c1, %c1) threads in (%c128, %c1, %c1)
        dynamic_shared_memory_size %smem
        args(%x : memref<?xf32, strided<[?], offset: ?>>, %y : memref<?xf32>, %a : f32)
    }
    memref.dealloc %workspace : memref<?x4xf32>
    return
  }
}
