// RUN: %fa-opt %S/Inputs/straight.mlir --pass-pipeline="builtin.module(gpu.module(fagpu.kernel(fagpu-rotate-loop)))" | FileCheck %s --check-prefix=CHECK
// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=nc3" | FileCheck %s --check-prefixes=CHECK,CHAIN
// RUN: split-file %s %t
// RUN: not %fa-opt %t/twice.mlir --pass-pipeline="builtin.module(fagpu.kernel(fagpu-rotate-loop))" 2>&1 | FileCheck %t/twice.mlir --check-prefix=TWICE
// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=sm6" 2>&1 | FileCheck %s --check-prefix=TURNS

// Both products in one turn, in key loops only; the last warpgroup passes first.
// TURNS-DAG: remark: consumers issue as they come, not in turns: they see different numbers of keys
// TURNS: fagpu.role consumer warpgroups(2) registers(232) {
// TURNS-NEXT: ^bb0(%[[WG:.*]]: i32):
// TURNS: %[[LAST:.*]] = arith.cmpi eq, %[[WG]], %c1_i32 : i32
// TURNS-NEXT: scf.if %[[LAST]] {
// TURNS-NEXT: fagpu.pass_turn %[[WG]]
// TURNS: scf.for
// TURNS: fagpu.wait_full
// TURNS-NEXT: fagpu.await_turn %[[WG]]
// TURNS-NEXT: fagpu.wgmma
// TURNS-NEXT: fagpu.wait_full
// TURNS-NEXT: fagpu.wgmma
// TURNS-NEXT: fagpu.pass_turn %[[WG]]
// TURNS-NEXT: fagpu.wgmma_wait 1
// TURNS: fagpu.kernel @{{.*}}causal
// TURNS-NOT: fagpu.await_turn

// The first tile up to its softmax.
// CHECK: fagpu.role consumer
// CHECK: fagpu.wgmma %
// CHECK: fagpu.wgmma_wait 0
// CHECK-NOT: fagpu.scale_rows %
// CHECK: fagpu.pack
// CHECK: scf.for
// CHECK: fagpu.wait_full
// CHECK-NEXT: %[[S:.*]] = fagpu.wgmma %
// CHECK-NEXT: fagpu.wait_full
// CHECK-NEXT: %[[O:.*]] = fagpu.wgmma %{{.*}} {b_rows_are_k}
// CHECK-NEXT: fagpu.wgmma_wait 1 done(%[[S]] : {{.*}}) live(%[[O]] :
// CHECK-NEXT: fagpu.release
// CHECK: fagpu.partial_sums
// CHECK: fagpu.wgmma_wait 0
// CHECK-NEXT: fagpu.release
// Scaling is a branch: it comes behind packing, and the vote with it.
// CHECK: fagpu.pack
// CHAIN: fagpu.any_row
// CHECK: fagpu.scale_rows
// CHECK: scf.yield
// The tile that has no whole number of keys was the first one: no loop of it is left.
// CHECK-NOT: scf.for
// The queries are free before the last PV; the sums are finished under it.
// CHECK: fagpu.release
// CHECK: fagpu.wait_full
// CHECK-NEXT: fagpu.wgmma {{.*}} {b_rows_are_k}
// CHECK: linalg.reduce
// CHECK: fagpu.wgmma_wait 0
// CHECK-NEXT: fagpu.release
// CHECK: fagpu.tma_store

// A chain of loops is one: nothing between them.
// CHAIN: fagpu.kernel @{{.*}}causal
// CHAIN: fagpu.role consumer
// CHAIN: {b_rows_are_k}
// CHAIN: scf.yield
// CHAIN-NEXT: }
// CHAIN: arith.minsi
// CHAIN-NEXT: scf.for

//--- twice.mlir
fagpu.kernel @twice(%n: i32) {
  %q = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = fagpu.wgmma %q[%c0 : i32], %q[%c0 : i32]
        : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
      %t = fagpu.wgmma_wait 0 done(%s : !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>)
      // TWICE: twice.mlir:[[@LINE+1]]:{{.*}}error: cannot rotate the loop over key tiles: it has a second such product
      %u = fagpu.wgmma %q[%c0 : i32], %q[%c0 : i32]
        : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
      %v = fagpu.wgmma_wait 0 done(%u : !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>)
    }
  }
}
