// Kernels of one module are assembled in parallel, where the assembler can.

// RUN: printf '#!/bin/sh\ncase "$*" in *--split-compile=0*) echo "ptxas fatal   : Unknown option -split-compile" >&2; exit 1;; esac\nexec ptxas "$@"\n' > %t.old
// RUN: printf '#!/bin/sh\ncase "$*" in *--split-compile=0*) exec ptxas "$@";; esac\necho "ptxas fatal   : not in parallel" >&2; exit 1\n' > %t.new
// RUN: chmod +x %t.old %t.new
// RUN: %fa-opt %s --fa-serialize-gpu="ptxas=%t.old" | FileCheck %s
// RUN: %fa-opt %s --fa-serialize-gpu="ptxas=%t.new" | FileCheck %s
// RUN: not %fa-opt %s --fa-serialize-gpu="ptxas=%t.new ptxas-flags=--split-compile=1" 2>&1 | FileCheck %s --check-prefix=GIVEN

// CHECK: .visible .entry one
// CHECK-SAME: .visible .entry two
// CHECK-SAME: bin = "\7FELF

// GIVEN: error: {{.*}}not in parallel

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @one() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
    llvm.func @two() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}
