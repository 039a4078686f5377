// RUN: %fa-opt %s --split-input-file --verify-diagnostics --fa-serialize-gpu
// RUN: not %fa-opt %S/serialize-gpu.mlir --fa-serialize-gpu="ptxas=/nonexistent" 2>&1 | FileCheck %s --check-prefix=NOPTXAS
// RUN: not %fa-opt %S/serialize-gpu.mlir --fa-serialize-gpu="chip=sm_99" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not %fa-opt %S/serialize-gpu.mlir --fa-serialize-gpu="chip=sm_70" 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not %fa-opt %S/serialize-gpu.mlir --fa-serialize-gpu="features=+ptx80,+bogus" 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not %fa-opt %S/serialize-gpu.mlir --fa-serialize-gpu="codegen-level=9" 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not %fa-opt %S/serialize-gpu.mlir --fa-serialize-gpu="ptxas=/bin/true" 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not %fa-opt %S/serialize-gpu.mlir --fa-serialize-gpu="ptxas-flags=-arch=sm_90" 2>&1 | FileCheck %s --check-prefix=FLAG

// NOPTXAS: error: cannot run ptxas '/nonexistent'
// CHIP: error: cannot generate PTX: unknown processor 'sm_99'; there are sm_80
// OLD: error: cannot generate PTX: processor 'sm_70' is too old: sm_80 or newer is needed; there are sm_80
// FEATURE: error: cannot generate PTX: unknown target feature '+bogus'; features are PTX versions, such as +ptx86
// LEVEL: error: cannot generate PTX: codegen-level=9 is no level; there are 0 to 3
// NOTHING: error: '/bin/true' reports success but has written no machine code (cubin)
// FLAG: error: ptxas flag '-arch=sm_90' would change

// An instruction that the assembler does not know: its message, with the line.
module attributes {gpu.container_module} {
  // expected-error @+1 {{Not a name of any known instruction: 'frobnicate' [frobnicate.f32;]}}
  gpu.module @kernels {
    llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel} {
      llvm.inline_asm has_side_effects "frobnicate.f32;", "" : () -> ()
      llvm.return
    }
  }
}

// -----

// What instruction selection cannot do would end the process.
module attributes {gpu.container_module} {
  // expected-error @+1 {{LLVM cannot generate PTX for sm_80: no libcall available for fexp}}
  gpu.module @kernels {
    llvm.func @kernel(%p: !llvm.ptr<1>, %x: f32) attributes {gpu.kernel, nvvm.kernel} {
      %y = llvm.intr.exp(%x) : (f32) -> f32
      llvm.store %y, %p : f32, !llvm.ptr<1>
      llvm.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @+1 {{calls '__nv_expf', which is not defined}}
  gpu.module @kernels {
    llvm.func @__nv_expf(f32) -> f32
    llvm.func @kernel(%p: !llvm.ptr<1>, %x: f32) attributes {gpu.kernel, nvvm.kernel} {
      %y = llvm.call @__nv_expf(%x) : (f32) -> f32
      llvm.store %y, %p : f32, !llvm.ptr<1>
      llvm.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @+1 {{it must hold llvm and nvvm ops only}}
  gpu.module @kernels {
    // expected-error @+2 {{unsupported GPU operation: gpu.func}}
    // expected-error @+1 {{LLVM Translation failed for operation: gpu.func}}
    gpu.func @kernel() kernel {
      gpu.return
    }
  }
}

// -----

// Names that PTX has no letters for.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{'a b' cannot be a name in PTX; use letters of ASCII}}
    llvm.func @"a b"() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{'1a' cannot be a name in PTX; use letters of ASCII}}
    llvm.func @"1a"() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{'a.b' cannot be a name in PTX; use letters of ASCII}}
    llvm.func @"a.b"() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{'é' cannot be a name in PTX; use letters of ASCII}}
    llvm.func @"\C3\A9"() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{'_' cannot be a name in PTX; use letters of ASCII}}
    llvm.func @"_"() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}
