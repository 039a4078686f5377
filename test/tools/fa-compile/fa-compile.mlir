// What fa-compile says to bad input and bad places; it leaves nothing behind.
// RUN: rm -rf %t && mkdir %t
// RUN: not %fa-compile %s -o %t/out --target sm_99 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not %fa-compile %t/missing.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not %fa-compile %s -o %t/out --lowered 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not %fa-compile %s -o %t/out --entry nothing 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not %fa-compile %s -o %t/out --target cpu 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not %fa-compile %S/../../Target/Manifest/add.mlir --lowered --ptxas %t/none -o %t/out 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PTXAS
// RUN: ls %t | count 0
// RUN: touch %t/file
// RUN: not %fa-compile %S/../../Target/Manifest/add.mlir --lowered -o %t/file/out 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: mkdir -p %t/out/manifest.json/x
// RUN: echo "of an earlier run" > %t/out/kernel.ptx
// RUN: not %fa-compile %S/../../Target/Manifest/add.mlir --lowered --ptxas none -o %t/out 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: FileCheck %s --check-prefix=OLD --input-file=%t/out/kernel.ptx
// RUN: ls -A %t/out | count 2
// RUN: %fa-compile --help | FileCheck %s --check-prefix=HELP

// CHIP: error: unknown processor 'sm_99'; known are
// MISSING: error: cannot open input file {{.*}}missing.mlir
// KERNEL: error: there is no kernel to compile
// ENTRY: error: there is no function 'nothing' with a body
// CPU: error: --target cpu makes no files; fa-run compiles and runs there
// PTXAS: error: cannot run ptxas
// FOLDER: error: cannot make the folder
// WRITE: error: cannot write {{.*}}manifest.json
// OLD: of an earlier run
// HELP: Examples:
func.func @nothing_here(%x: memref<4xf32>) {
  return
}
