// The whole way from attention to machine code: no spills, and ptxas has nothing to say about wgmma.
// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a" "--fa-serialize-gpu=chip=sm_90a report=true" \
// RUN:   -o %t.mlir 2> %t.log
// RUN: FileCheck %s --input-file=%t.log
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=PTX
// Short sequences and long ones, full and causal.
// CHECK-NOT: warning
// CHECK: remark: 128 registers, 0 bytes spilled
// CHECK-NOT: warning
// CHECK: remark: 168 registers, 0 bytes spilled
// CHECK-NOT: warning

// PTX-DAG: .maxntid 384
// PTX-DAG: .maxntid 512
// PTX-DAG: setmaxnreg.dec.sync.aligned.u32 {{[^;]*}}32;
// PTX-DAG: setmaxnreg.inc.sync.aligned.u32 {{[^;]*}}160;
