// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-stress))" | FileCheck %s
// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a schedule='stress=3'" | FileCheck %s --check-prefix=PIPELINE
// RUN: %fa-opt %S/Inputs/gradients.mlir --fa-pipeline="target=sm_90a schedule='stress=3'" | FileCheck %s --check-prefix=GRADIENTS
// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a" | FileCheck %s --check-prefix=OFF

// PIPELINE: nanosleep
// OFF-NOT: nanosleep

// Every role: the loader, two messengers, and who computes d_query, d_key and d_value.
// GRADIENTS: llvm.func @gradients_kernel_{{[0-9]+}}_tma
// GRADIENTS: nanosleep
// GRADIENTS: cp.async.bulk.shared::cluster.global
// GRADIENTS: nanosleep
// GRADIENTS: ld.acquire.gpu.global.s32
// GRADIENTS: nanosleep
// GRADIENTS: st.release.gpu.global.s32
// GRADIENTS: nanosleep{{.*}}bar.warp.sync
// GRADIENTS: red.global.add.v4.f32
// GRADIENTS: nanosleep{{.*}}bar.warp.sync
// GRADIENTS: stmatrix

fagpu.kernel @ring() {
  %r = fagpu.ring : !fagpu.ring<2>
  // CHECK: fagpu.role producer
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<2>
    // CHECK: nanosleep
    // CHECK-NOT: bar.warp.sync
    // CHECK: fagpu.acquire
    fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    // CHECK: nanosleep
    // CHECK: fagpu.commit
    fagpu.commit %r[%c] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    // CHECK: nanosleep{{.*}}bar.warp.sync
    // CHECK: fagpu.wait_full
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    // CHECK: nanosleep
    // CHECK: fagpu.release
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// CHECK-LABEL: fagpu.kernel @messenger
fagpu.kernel @messenger(%counts: memref<?xi32>, %n: i32) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
    // CHECK: nanosleep
    // CHECK-NOT: bar.warp.sync
    // CHECK: fagpu.await_count
    fagpu.await_count %counts[%n] reaches(%n) : memref<?xi32>
    // CHECK: nanosleep
    // CHECK-NOT: bar.warp.sync
    // CHECK: fagpu.set_count
    fagpu.set_count %counts[%n] to(%n) : memref<?xi32>
  }
}
