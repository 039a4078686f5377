// RUN: not %fa-opt %S/kernel.mlir --fa-pipeline="target=sm_80 schedule='key-tile=128 stages=2'" 2>&1 | FileCheck %s
// RUN: not %fa-opt %S/kernel.mlir --fa-pipeline="target=sm_80 schedule=fa1" 2>&1 | FileCheck %s --check-prefix=FA1
// CHECK: error: machine stage: tiles need 174080 bytes of shared memory, more than 101376; choose smaller tiles or fewer stages
// FA1: fa-pipeline: schedule: 'fa1' is not for GPUs
