// The tour's score and mask regions with captures, on the CPU against the naive program, and as kernels.
// RUN: %fa-run %fa_source/docs/tour/regions.mlir --check --arg shape=2x8x100x64 --arg shape=2x8x90x64 --arg shape=2x8x90x64 --arg _ \
// RUN:   --arg "shape=2x100xi32 range=0..3" --arg "shape=2x90xi32 range=0..3" --arg shape=2x8x100x64 | FileCheck %s
// CHECK: result 0 2x8x100x64xbf16: error {{.*}} ok
// RUN: %fa-compile %fa_source/docs/tour/regions.mlir --target sm_80 --ptxas none -o %t
// RUN: FileCheck %s --check-prefix=PTX < %t/kernel.ptx
// RUN: %fa-compile %fa_source/docs/tour/regions.mlir --target sm_90a --ptxas none -o %t
// RUN: FileCheck %s --check-prefix=PTX < %t/kernel.ptx
// PTX: .visible .entry documents_kernel
