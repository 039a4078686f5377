// Gradients that sm_90a does not have: what to say instead.
// RUN: not %fa-opt %S/../Conversion/FAGPU/backward-atomic.mlir --fa-pipeline="target=sm_90a" 2>&1 | FileCheck %s --check-prefix=ROLES
// RUN: not %fa-opt %S/../Conversion/FAGPU/backward-atomic.mlir --fa-pipeline="target=sm_90a schedule=gradients=blocks" 2>&1 | FileCheck %s

// ROLES: error: 'fa.attention_backward' op has no warp-specialised kernels for its gradients
// ROLES-SAME: the target sm_80 has others, and so has this one with the schedule gradients=roles

// CHECK: error: 'fa.attention_backward' op cannot be lowered for target 'sm_90a'
// CHECK-SAME: target=sm_80 has all gradients, for this GPU too, and schedule='gradients=roles' those that sm_90a has
