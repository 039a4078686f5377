// RUN: %fa-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{stages must be positive}}
func.func @smem(%a: !fagpu.smem<64x64xbf16, stages = 0>) { return }

// -----

func.func @copy_offsets(%m: memref<?x?x64xbf16>, %i: index, %s: !fagpu.smem<64x64xbf16, stages = 1>) {
  // expected-error @+1 {{rule 1: needs one offset per dimension}}
  fagpu.copy_async %m[%i, %i] into %s {tile_dims = array<i64: 1, 2>} : memref<?x?x64xbf16>, !fagpu.smem<64x64xbf16, stages = 1>
  return
}

// -----

func.func @copy_type(%m: memref<?x64xf16>, %i: index, %s: !fagpu.smem<64x64xbf16, stages = 1>) {
  // expected-error @+1 {{rule 1: element types differ}}
  fagpu.copy_async %m[%i, %i] into %s {tile_dims = array<i64: 0, 1>} : memref<?x64xf16>, !fagpu.smem<64x64xbf16, stages = 1>
  return
}

// -----

func.func @mma_shapes(%q: !fagpu.smem<64x64xbf16, stages = 1>, %k: !fagpu.smem<64x32xbf16, stages = 1>, %s: tensor<64x64xf32, #fagpu.acc>) {
  // expected-error @+1 {{rule 1: shapes do not agree}}
  %r = fagpu.mma %q, %k, %s {b_transposed} : !fagpu.smem<64x64xbf16, stages = 1>, !fagpu.smem<64x32xbf16, stages = 1>, tensor<64x64xf32, #fagpu.acc>
  return
}

// -----

func.func @mma_m(%q: !fagpu.smem<32x64xbf16, stages = 1>, %k: !fagpu.smem<64x64xbf16, stages = 1>, %s: tensor<32x64xf32, #fagpu.acc>) {
  // expected-error @+1 {{rule 2: M, N, K must be multiples of 64, 16, 16}}
  %r = fagpu.mma %q, %k, %s {b_transposed} : !fagpu.smem<32x64xbf16, stages = 1>, !fagpu.smem<64x64xbf16, stages = 1>, tensor<32x64xf32, #fagpu.acc>
  return
}

// -----

func.func @partial(%s: tensor<64x64xf32, #fagpu.acc>) {
  // expected-error @+1 {{rule 1: MxN in #fagpu.acc to Mx4 in #fagpu.rows_partial}}
  %r = fagpu.partial_sums %s : tensor<64x64xf32, #fagpu.acc> -> tensor<64x2xf32, #fagpu.rows_partial>
  return
}

// -----

func.func @mma_transposed(%p: !fagpu.smem<32x64xbf16, stages = 1>, %k: !fagpu.smem<64x64xbf16, stages = 1>, %s: tensor<64x64xf32, #fagpu.acc>) {
  // expected-error @+1 {{rule 1: shapes do not agree}}
  %r = fagpu.mma %p, %k, %s {a_transposed} : !fagpu.smem<32x64xbf16, stages = 1>, !fagpu.smem<64x64xbf16, stages = 1>, tensor<64x64xf32, #fagpu.acc>
  return
}

// -----

func.func @put(%p: tensor<64x64xbf16, #fagpu.a_op>, %s: !fagpu.smem<64x32xbf16, stages = 1>) {
  // expected-error @+1 {{rule 1: the tile must be in #fagpu.a_op, of smem's shape and element type}}
  fagpu.put %p into %s : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.smem<64x32xbf16, stages = 1>
  return
}
