// RUN: %fa-opt %s --pass-pipeline='builtin.module(gpu.module(fa-distribute))' -split-input-file -verify-diagnostics | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

gpu.module @k {
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
