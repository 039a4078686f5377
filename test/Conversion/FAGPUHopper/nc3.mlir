// The whole way from a machine program to machine code: no spills, and ptxas has nothing to say about wgmma.
// RUN: %fa-opt %S/Inputs/nc3.mlir --fagpu-hopper-to-nvvm "--fa-serialize-gpu=chip=sm_90a opt-level=0 codegen-level=0 report=true" \
// RUN:   -o %t.mlir 2> %t.log
// RUN: FileCheck %s --input-file=%t.log
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=PTX
// CHECK-NOT: warning
// CHECK: remark: 128 registers, 0 bytes spilled
// CHECK-NOT: warning

// PTX: .maxntid 512
// PTX: setmaxnreg.dec.sync.aligned.u32 {{[^;]*}}32;
// PTX: setmaxnreg.inc.sync.aligned.u32 {{[^;]*}}160;
