// RUN: %fa-opt %s --fa-serialize-gpu="report=true" 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.err
// RUN: %fa-opt %s --fa-serialize-gpu="ptxas=none chip=sm_90a opt-level=0 codegen-level=0" | FileCheck %s --check-prefix=HOPPER

// CHECK: gpu.binary @kernels
// CHECK-SAME: chip = "sm_80"
// CHECK-SAME: "add"
// CHECK-SAME: .version 8.0
// CHECK-SAME: .target sm_80
// CHECK-SAME: .visible .entry add
// CHECK-SAME: registers = {{[0-9]+}} : i64, shared_memory = 0 : i64, spill_loads = 0 : i64, spill_stores = 0 : i64
// CHECK-SAME: bin = "\7FELF
// CHECK-NOT: gpu.module

// REPORT: serialize-gpu.mlir:[[#@LINE+8]]:{{.*}}: remark: {{[0-9]+}} registers, 0 bytes spilled, 0 bytes of static shared memory

// HOPPER: .version 8.6
// HOPPER-SAME: .target sm_90a
// HOPPER-NOT: bin =

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @add(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %block = nvvm.read.ptx.sreg.ctaid.x : i32
      %threads = nvvm.read.ptx.sreg.ntid.x : i32
      %base = llvm.mul %block, %threads : i32
      %i = llvm.add %base, %thread : i32
      %inside = llvm.icmp "slt" %i, %n : i32
      llvm.cond_br %inside, ^add, ^exit
    ^add:
      %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %a = llvm.load %px : !llvm.ptr<1> -> f32
      %b = llvm.load %py : !llvm.ptr<1> -> f32
      %sum = llvm.fadd %a, %b : f32
      llvm.store %sum, %py : f32, !llvm.ptr<1>
      llvm.br ^exit
    ^exit:
      llvm.return
    }
  }
}
