// What fa-compile says to bad input and bad places; it leaves nothing behind.
// RUN: rm -rf %t && mkdir %t
// RUN: not %fa-compile %s -o %t/out --target sm_99 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not %fa-compile %t/missing.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not %fa-compile %s -o %t/out --lowered 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not %fa-compile %s -o %t/out --entry nothing 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not %fa-compile %s -o %t/out --target cpu 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not %fa-compile %S/../../Target/Manifest/add.mlir --lowered --ptxas %t/none -o %t/out 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PTXAS
// RUN: not %fa-compile %s -o %t/out --target sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not %fa-compile %s -o %t/out --target reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: not %fa-compile %S/../../Target/Manifest/add.mlir --lowered --opt-level=4 -o %t/out 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not %fa-compile %S/../../Target/Manifest/add.mlir --lowered --ptxas /bin/true -o %t/out 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOTHING
// RUN: not %fa-compile %S/../../Target/Manifest/add.mlir --lowered --ptxas-flags=-o,%t/x -o %t/out 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FLAG
// RUN: ls %t | count 0
// RUN: touch %t/file
// RUN: not %fa-compile %S/../../Target/Manifest/add.mlir --lowered -o %t/file/out 2>&1 | FileCheck %s --check-prefix=FOLDER
// What was there stays, whichever file cannot be written, and nothing else comes.
// RUN: mkdir -p %t/out/manifest.json/x
// RUN: echo old > %t/out/kernel.ptx
// RUN: echo old > %t/out/kernel.cubin
// RUN: not %fa-compile %S/../../Target/Manifest/add.mlir --lowered --ptxas none -o %t/out 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: ls -A %t/out | count 3
// RUN: cat %t/out/kernel.ptx %t/out/kernel.cubin | FileCheck %s --check-prefix=KEPT
// RUN: rm -rf %t/out/manifest.json
// RUN: %fa-compile %S/../../Target/Manifest/add.mlir --lowered --ptxas none -o %t/out
// RUN: ls -A %t/out | FileCheck %s --check-prefix=FILES
// RUN: %fa-compile --help | FileCheck %s --check-prefix=HELP

// CHIP: error: unknown processor 'sm_99'; there are sm_80
// MISSING: error: cannot open input file {{.*}}missing.mlir
// KERNEL: error: there is no kernel to compile
// ENTRY: error: there is no function 'nothing' with a body
// CPU: error: --target cpu makes no files; fa-run compiles and runs there
// PTXAS: error: cannot run ptxas
// FOLDER: error: cannot make the folder
// WRITE: error: cannot write {{.*}}manifest.json
// OLD: error: processor 'sm_75' is too old: sm_80 or newer is needed; there are sm_80
// OLD-NOT: sm_75
// REFERENCE: error: --target reference makes no files; fa-run compiles and runs there
// LEVEL: error: cannot generate PTX: opt-level=4 is no level; there are 0 to 3
// NOTHING: error: '/bin/true' reports success but has written no machine code
// FLAG: error: ptxas flag '-o' would change what is assembled
// KEPT: old
// KEPT-NEXT: old
// FILES-NOT: kernel.cubin
// FILES: kernel.ptx
// FILES-NEXT: manifest.json
// HELP: Examples
func.func @nothing_here(%x: memref<4xf32>) {
  return
}
