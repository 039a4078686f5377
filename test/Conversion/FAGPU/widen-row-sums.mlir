// RUN: %fa-opt %s -split-input-file --pass-pipeline="builtin.module(gpu.module(fa-widen-row-sums))" | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @sum
  // CHECK-COUNT-2: fa.load_tile {{.*}} {fagpu.any_columns
  gpu.func @sum(%x: memref<64x128xbf16>, %y: memref<64x128xbf16>, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64xf32, #fagpu.rows>
    %a = fa.load_tile %x[%c0, %c0] {tile_dims = array<i64: 0, 1>} : memref<64x128xbf16> -> tensor<64x128xbf16, #fagpu.acc>
    %b = fa.load_tile %y[%c0, %c0] {tile_dims = array<i64: 0, 1>} : memref<64x128xbf16> -> tensor<64x128xbf16, #fagpu.acc>
    %s = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %b : tensor<64x128xbf16, #fagpu.acc>, tensor<64x128xbf16, #fagpu.acc>) outs(%zero : tensor<64xf32, #fagpu.rows>) {
    ^bb0(%p: bf16, %q: bf16, %o: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<64xf32, #fagpu.rows>
    fa.store_tile %s, %out[%c0] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<64xf32>
    gpu.return
  }

  // Who has which column matters to the other reader.
  // CHECK-LABEL: gpu.func @stored_too
  // CHECK-NOT: any_columns
  gpu.func @stored_too(%x: memref<64x128xbf16>, %y: memref<64x128xbf16>, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64xf32, #fagpu.rows>
    %a = fa.load_tile %x[%c0, %c0] {tile_dims = array<i64: 0, 1>} : memref<64x128xbf16> -> tensor<64x128xbf16, #fagpu.acc>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<64x128xbf16, #fagpu.acc>) outs(%zero : tensor<64xf32, #fagpu.rows>) {
    ^bb0(%p: bf16, %o: f32):
      %0 = arith.extf %p : bf16 to f32
      %3 = arith.addf %o, %0 : f32
      linalg.yield %3 : f32
    } -> tensor<64xf32, #fagpu.rows>
    fa.store_tile %a, %y[%c0, %c0] {tile_dims = array<i64: 0, 1>} : tensor<64x128xbf16, #fagpu.acc>, memref<64x128xbf16>
    fa.store_tile %s, %out[%c0] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<64xf32>
    gpu.return
  }

  // No multiple of 32 columns.
  // CHECK-LABEL: gpu.func @narrow
  // CHECK-NOT: any_columns
  gpu.func @narrow(%x: memref<64x48xbf16>, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64xf32, #fagpu.rows>
    %a = fa.load_tile %x[%c0, %c0] {tile_dims = array<i64: 0, 1>} : memref<64x48xbf16> -> tensor<64x48xbf16, #fagpu.acc>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<64x48xbf16, #fagpu.acc>) outs(%zero : tensor<64xf32, #fagpu.rows>) {
    ^bb0(%p: bf16, %o: f32):
      %0 = arith.extf %p : bf16 to f32
      %3 = arith.addf %o, %0 : f32
      linalg.yield %3 : f32
    } -> tensor<64xf32, #fagpu.rows>
    fa.store_tile %s, %out[%c0] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<64xf32>
    gpu.return
  }
}
