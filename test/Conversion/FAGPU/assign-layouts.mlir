// RUN: %fa-opt %s --pass-pipeline='builtin.module(gpu.module(fa-assign-layouts))' -split-input-file -verify-diagnostics | FileCheck %s

#qk0 = affine_map<(m, n, d) -> (m, d)>
#qk1 = affine_map<(m, n, d) -> (n, d)>
#qk2 = affine_map<(m, n, d) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

gpu.module @k {
  // CHECK-LABEL: gpu.func @spread
  gpu.func @spread(%q: memref<?x64xbf16>, %bias: memref<?xf32>, %out: memref<?xf32>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    // CHECK: fa.load_tile {{.*}} -> tensor<64x64xbf16, #fagpu.shared>
    %a = fa.load_tile %q[%i, %c0] {tile_dims = array<i64: 0, 1>} : memref<?x64xbf16> -> tensor<64x64xbf16>
    %b = fa.load_tile %q[%c0, %c0] {tile_dims = array<i64: 0, 1>} : memref<?x64xbf16> -> tensor<64x64xbf16>
    // CHECK: fa.load_tile {{.*}} -> tensor<64xf32, #fagpu.cols>
    %c = fa.load_tile %bias[%c0] {tile_dims = array<i64: 0>} : memref<?xf32> -> tensor<64xf32>
    // One initialiser, two layouts.
    %empty = tensor.empty() : tensor<64x64xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
    %rows = tensor.empty() : tensor<64xf32>
    %r0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
    // CHECK: fagpu.mma {{.*}} {b_transposed} : tensor<64x64xbf16, #fagpu.shared>, tensor<64x64xbf16, #fagpu.shared>, tensor<64x64xf32, #fagpu.acc>
    %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    // CHECK: linalg.generic
    // CHECK: -> tensor<64xf32, #fagpu.rows>
    %sum = linalg.generic {indexing_maps = [#id, #column, #row], iterator_types = ["parallel", "reduction"]}
      ins(%s, %c : tensor<64x64xf32>, tensor<64xf32>) outs(%r0 : tensor<64xf32>) {
    ^bb0(%x: f32, %y: f32, %acc: f32):
      %xy = arith.mulf %x, %y : f32
      %t = arith.addf %acc, %xy : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    fa.store_tile %sum, %out[%i] {tile_dims = array<i64: 0>} : tensor<64xf32>, memref<?xf32>
    gpu.return
  }
}

// -----

#qk0 = affine_map<(m, n, d) -> (m, d)>
#qk1 = affine_map<(m, n, d) -> (n, d)>
#qk2 = affine_map<(m, n, d) -> (m, n)>
gpu.module @k {
  gpu.func @f32(%q: memref<?x64xf32>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %a = fa.load_tile %q[%i, %c0] {tile_dims = array<i64: 0, 1>} : memref<?x64xf32> -> tensor<64x64xf32>
    %init = tensor.empty() : tensor<64x64xf32>
    // expected-error @+1 {{machine stage: GPU contractions multiply bf16 or f16 and add in f32; 'f32' to 'f32' is not supported}}
    %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    fa.store_tile %s, %q[%i, %c0] {tile_dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<?x64xf32>
    gpu.return
  }
}

// -----

#qk0 = affine_map<(m, n, d) -> (m, d)>
#qk1 = affine_map<(m, n, d) -> (n, d)>
#qk2 = affine_map<(m, n, d) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#swapped = affine_map<(m, n) -> (n, m)>
gpu.module @k {
  gpu.func @transposed(%q: memref<?x64xbf16>, %out: memref<?x64xf32>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %a = fa.load_tile %q[%i, %c0] {tile_dims = array<i64: 0, 1>} : memref<?x64xbf16> -> tensor<64x64xbf16>
    %init = tensor.empty() : tensor<64x64xf32>
    %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%a, %a : tensor<64x64xbf16>, tensor<64x64xbf16>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    // expected-error @+1 {{which no change of layout serves}}
    %t = linalg.generic {indexing_maps = [#id, #swapped], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    } -> tensor<64x64xf32>
    fa.store_tile %t, %out[%i, %c0] {tile_dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<?x64xf32>
    gpu.return
  }
}
