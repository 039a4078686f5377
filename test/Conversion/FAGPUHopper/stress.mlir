// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-stress))" | FileCheck %s
// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a schedule='stress=3'" | FileCheck %s --check-prefix=PIPELINE
// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a" | FileCheck %s --check-prefix=OFF

// PIPELINE: nanosleep
// OFF-NOT: nanosleep

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
