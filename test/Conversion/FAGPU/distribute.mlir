// RUN: %fa-opt %s --pass-pipeline='builtin.module(gpu.module(fa-distribute))' -split-input-file -verify-diagnostics | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

gpu.module @k {
  // Tiles of which a thread may have any columns: one question whether 16 bytes at a time can be read, and all loads before anything else.
  // CHECK-LABEL: gpu.func @any_columns
  // CHECK: %[[LOADED:.*]]:32 = scf.if
  // CHECK-COUNT-8: ld.global.nc.L1::no_allocate.v4.b32
  // CHECK: scf.yield
  // CHECK: else
  // CHECK-COUNT-64: ld.global.b16
  // CHECK: scf.yield
  // CHECK-NOT: scf.if
  // CHECK: llvm.bitcast %[[LOADED]]#0 : i32 to vector<2xbf16>
  // CHECK: llvm.bitcast %[[LOADED]]#31 : i32 to vector<2xbf16>
  // CHECK-NOT: scf.if
  // CHECK: gpu.return
  gpu.func @any_columns(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>, %out: memref<?xf32>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64xf32, #fagpu.rows>
    %a = fa.load_tile %x[%i, %c0] {fagpu.any_columns, tile_dims = array<i64: 0, 1>} : memref<?x64xbf16> -> tensor<64x64xbf16, #fagpu.acc>
    %b = fa.load_tile %y[%i, %c0] {fagpu.any_columns, tile_dims = array<i64: 0, 1>} : memref<?x64xbf16> -> tensor<64x64xbf16, #fagpu.acc>
    %s = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xbf16, #fagpu.acc>, tensor<64x64xbf16, #fagpu.acc>) outs(%zero : tensor<64xf32, #fagpu.rows>) {
    ^bb0(%p: bf16, %q: bf16, %o: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<64xf32, #fagpu.rows>
    fa.store_tile %s, %out[%i] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
    gpu.return
  }

  // A row's maximum: two chains of its columns, two shuffles, one thread of four writes.
  // CHECK-LABEL: gpu.func @row_max
  // CHECK-NOT: tensor
  // CHECK: ld.global.b32
  // CHECK: arith.maxnumf
  // CHECK: nvvm.shfl.sync bfly
  // CHECK: nvvm.shfl.sync bfly
  // CHECK: st.global.b32
  // CHECK: gpu.return
  gpu.func @row_max(%in: memref<?x8xf32>, %out: memref<?xf32>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %x = fa.load_tile %in[%i, %c0] {tile_dims = array<i64: 0, 1>} : memref<?x8xf32> -> tensor<64x8xf32, #fagpu.acc>
    %e = tensor.empty() : tensor<64xf32, #fagpu.rows>
    %init = linalg.fill ins(%low : f32) outs(%e : tensor<64xf32, #fagpu.rows>) -> tensor<64xf32, #fagpu.rows>
    %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x8xf32, #fagpu.acc>) outs(%init : tensor<64xf32, #fagpu.rows>) {
    ^bb0(%v: f32, %acc: f32):
      %r = arith.maxnumf %v, %acc : f32
      linalg.yield %r : f32
    } -> tensor<64xf32, #fagpu.rows>
    fa.store_tile %max, %out[%i] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
    gpu.return
  }
}
