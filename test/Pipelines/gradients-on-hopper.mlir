// RUN: not %fa-opt %S/../Conversion/FAGPU/backward-atomic.mlir --fa-pipeline="target=sm_90a" 2>&1 | FileCheck %s

// CHECK: error: 'fa.attention_backward' op cannot be lowered for target 'sm_90a'
// CHECK-SAME: target=sm_80 has all gradients, for this GPU too, and schedule='gradients=roles' those that sm_90a has
