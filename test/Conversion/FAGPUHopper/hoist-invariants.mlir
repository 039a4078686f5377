// RUN: %fa-opt %s -split-input-file --pass-pipeline="builtin.module(gpu.module(fagpu-hoist-invariants))" | FileCheck %s

// Out of the key loop, but not of the loop over tiles.
// CHECK-LABEL: llvm.func @kernel
// CHECK-NOT: arith.muli
// CHECK: scf.while
// CHECK: } do {
// CHECK: arith.muli
// CHECK: scf.for
// CHECK: arith.addi
gpu.module @kernels {
  llvm.func @kernel(%x: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.while (%tile = %c0) : (i32) -> i32 {
      %more = arith.cmpi ult, %tile, %n : i32
      scf.condition(%more) %tile : i32
    } do {
    ^bb0(%tile: i32):
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %tile) -> (i32) : i32 {
        %square = arith.muli %x, %x : i32
        %t = arith.addi %s, %square : i32
        scf.yield %t : i32
      }
      scf.yield %sum : i32
    }
    llvm.return
  }
}

// -----

// Out of the loop over query tiles, but not of the one over heads, whose sum goes through it.
// CHECK-LABEL: llvm.func @heads
// CHECK-NOT: arith.muli
// CHECK: scf.for
// CHECK-NEXT: arith.muli
// CHECK-NEXT: arith.sitofp
// CHECK-NEXT: scf.for
// CHECK-NEXT: arith.addf
gpu.module @kernels {
  llvm.func @heads(%x: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %r = scf.for %head = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) : i32 {
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> (f32) : i32 {
        %square = arith.muli %x, %x : i32
        %f = arith.sitofp %square : i32 to f32
        %t = arith.addf %s, %f : f32
        scf.yield %t : f32
      }
      scf.yield %sum : f32
    }
    llvm.return
  }
}
