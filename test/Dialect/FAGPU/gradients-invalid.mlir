// RUN: %fa-opt %s --split-input-file --verify-diagnostics

// Types.
// expected-error @+1 {{needs slots x rows of f32, rows a multiple of 8}}
func.func private @type(!fagpu.shared_rows<3x60xf32>)

// -----

func.func @bulk_load(%m: memref<?x64xf32, strided<[?, 1]>>, %rows: !fagpu.shared_rows<2x64xf32>, %r: !fagpu.ring<2>,
                     %c: !fagpu.cursor<2>, %i: index) {
  // expected-error @+1 {{rule 1: the buffer must be f32 and contiguous, with one offset per dimension}}
  fagpu.bulk_load %m[%i, %i] to %rows on %r[%c]
    : memref<?x64xf32, strided<[?, 1]>>, !fagpu.shared_rows<2x64xf32>, !fagpu.ring<2>, !fagpu.cursor<2>
  return
}

// -----

func.func @bulk_load(%m: memref<?xf32>, %rows: !fagpu.shared_rows<3x64xf32>, %r: !fagpu.ring<2>, %c: !fagpu.cursor<2>, %i: index) {
  // expected-error @+1 {{rule 2: ring, cursor and slots must have the same number of stages}}
  fagpu.bulk_load %m[%i] to %rows on %r[%c] : memref<?xf32>, !fagpu.shared_rows<3x64xf32>, !fagpu.ring<2>, !fagpu.cursor<2>
  return
}

// -----

func.func @read_cols(%rows: !fagpu.shared_rows<2x64xf32>, %i: i32) {
  // expected-error @+1 {{rule 1: needs as many f32 columns as a slot has numbers}}
  %v = fagpu.read_cols %rows[%i : i32] : !fagpu.shared_rows<2x64xf32> -> tensor<32xf32, #fagpu.cols>
  return
}

// -----

func.func @read_cols(%rows: !fagpu.shared_rows<2x64xf32>, %c: !fagpu.cursor<3>) {
  // expected-error @+1 {{rule 2: needs as many slots as the cursor has stages}}
  %v = fagpu.read_cols %rows[%c : !fagpu.cursor<3>] : !fagpu.shared_rows<2x64xf32> -> tensor<64xf32, #fagpu.cols>
  return
}

// -----

func.func @store(%t: tensor<64x64xf16, #fagpu.a_op>, %s: !fagpu.swizzled<4x64x64xbf16>, %i: i32) {
  // expected-error @+1 {{rule 1: the tile must be one of}}
  fagpu.store_fragments %t to %s[%i : i32] part %i : tensor<64x64xf16, #fagpu.a_op>, !fagpu.swizzled<4x64x64xbf16>
  return
}

// -----

func.func @store(%t: tensor<64x64xbf16, #fagpu.a_op>, %s: !fagpu.swizzled<4x64x64xbf16>, %c: !fagpu.cursor<3>, %i: i32) {
  // expected-error @+1 {{rule 2: the number of tiles must be a multiple of the cursor's stages}}
  fagpu.store_fragments %t to %s[%c : !fagpu.cursor<3>] part %i : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<4x64x64xbf16>
  return
}

// -----

func.func @unpack(%p: tensor<64x64xbf16, #fagpu.a_op>) {
  // expected-error @+1 {{rule 1: RxC bf16 or f16 to RxC f32}}
  %v = fagpu.unpack %p : tensor<64x64xbf16, #fagpu.a_op> -> tensor<64x32xf32, #fagpu.acc>
  return
}

// -----

func.func @reduce_add(%t: tensor<64x64xf32, #fagpu.acc>, %m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{rule 1: the buffer must be f32, contiguous, with columns, a static multiple of 8, as its last dimension}}
  fagpu.reduce_add %t into %m[%i] {tile_dims = array<i64: 0, 1>} : tensor<64x64xf32, #fagpu.acc>, memref<?x?xf32>
  return
}

// -----

func.func @load_fragments(%m: memref<?x32xf32>, %i: index) {
  // expected-error @+1 {{rule 2: the tile must be 64 rows of f32 within the buffer's columns}}
  %t = fagpu.load_fragments %m[%i] {tile_dims = array<i64: 0, 1>} : memref<?x32xf32> -> tensor<64x64xf32, #fagpu.acc>
  return
}

// -----

func.func @wgmma(%a: !fagpu.swizzled<2x64x64xbf16>, %b: !fagpu.swizzled<2x64x64xbf16>, %i: i32) {
  // expected-error @+1 {{rule 4: columns are chosen with b_rows_are_k only}}
  %s = fagpu.wgmma %a[%i : i32], %b[%i : i32] columns(%i)
    : !fagpu.swizzled<2x64x64xbf16>, !fagpu.swizzled<2x64x64xbf16> -> !fagpu.pending<64x64xf32>
  return
}

// -----

func.func @wgmma(%a: tensor<64x64xbf16, #fagpu.a_op>, %b: !fagpu.swizzled<2x64x64xbf16>, %i: i32) {
  // expected-error @+1 {{rule 5: a in registers has no a_rows_are_k}}
  %s = fagpu.wgmma %a, %b[%i : i32] {a_rows_are_k, b_rows_are_k}
    : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<2x64x64xbf16> -> !fagpu.pending<64x64xf32>
  return
}

// -----

// Half of a slot's tiles.
func.func @wgmma(%a: !fagpu.swizzled<4x64x64xbf16>, %b: !fagpu.swizzled<2x64x64xbf16>, %c: !fagpu.cursor<2>, %i: i32) {
  // expected-error @+1 {{rule 3: a cursor of 2 stages cannot index}}
  %s = fagpu.wgmma %a[%c : !fagpu.cursor<2>], %b[%i : i32] {a_rows_are_k, b_rows_are_k}
    : !fagpu.swizzled<4x64x64xbf16>, !fagpu.swizzled<2x64x64xbf16> -> !fagpu.pending<64x64xf32>
  return
}

// -----

// Kernel rule 2.
fagpu.kernel @bytes_of_rows(%m: memref<?xf32>, %i: index) {
  %l = fagpu.rows : !fagpu.shared_rows<2x64xf32>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    // expected-error @+1 {{kernel rule 2: says 128 bytes, but the loads of this slot bring 256}}
    fagpu.commit %r[%c] bytes 128 : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.bulk_load %m[%i] to %l on %r[%c] : memref<?xf32>, !fagpu.shared_rows<2x64xf32>, !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// -----

// More registers than the launch brings would wait for ever.
// expected-error @+1 {{rule 1: the roles want 66560 registers, but 512 threads have 128 each, 65536 in all}}
fagpu.kernel @registers() {
  fagpu.role producer warpgroups(1) registers(24) {
  }
  fagpu.role consumer warpgroups(1) registers(80) {
  ^bb0(%wg: i32):
  }
  fagpu.role consumer warpgroups(2) registers(208) {
  ^bb0(%wg: i32):
  }
}

// -----

func.func @read_fragments(%s: !fagpu.swizzled<2x64x128xbf16>, %i: i32) {
  // expected-error@+1 {{rule 1: the result must be 64 rows of the operand}}
  %h = fagpu.read_fragments %s[%i : i32] : !fagpu.swizzled<2x64x128xbf16> -> tensor<64x144xbf16, #fagpu.a_op>
  return
}

// -----

func.func @read_fragments(%s: !fagpu.swizzled<4x64x64xbf16>, %c: !fagpu.cursor<4>) {
  // expected-error@+1 {{rule 2: needs as many tiles as the cursor has stages, times tiles}}
  %h = fagpu.read_fragments %s[%c : !fagpu.cursor<4>] {rows_are_columns, tiles = 2} : !fagpu.swizzled<4x64x64xbf16> -> tensor<64x32xbf16, #fagpu.a_op>
  return
}

// -----

func.func @head(%s: !fagpu.swizzled<2x64x128xbf16>, %i: i32, %h: tensor<64x32xf16, #fagpu.a_op>) {
  // expected-error@+1 {{rule 6: head must be 64 rows of an a in shared memory}}
  %p = fagpu.wgmma %s[%i : i32], %s[%i : i32] head(%h : tensor<64x32xf16, #fagpu.a_op>) : !fagpu.swizzled<2x64x128xbf16>, !fagpu.swizzled<2x64x128xbf16> -> !fagpu.pending<64x64xf32>
  return
}

// -----

// expected-error @+1 {{rule 1: a gradient schedule needs two stages of query and d_out}}
func.func private @one_stage() attributes {fagpu.gradients = #fagpu.gradient_schedule<stages = 1, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208>}

// -----

// expected-error @+1 {{rule 2: a gradient schedule has at most 4 score steps, got 8}}
func.func private @many_steps() attributes {fagpu.gradients = #fagpu.gradient_schedule<stages = 2, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208, score_steps = 8, by_output = 1, value_registers = 208, weight_stages = 2>}

// -----

// expected-error @+1 {{rule 5: blocks of one launch take one tile each; persistent ones are of a launch of their own}}
func.func private @persistent() attributes {fagpu.gradients = #fagpu.gradient_schedule<stages = 3, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208, one_launch = 1, persistent = 1>}

// -----

func.func @cleared_outside(%n: i32, %sum: memref<?x64xf32>) {
  // expected-error @+1 {{rule 1: is for a messenger of a whole warp}}
  fagpu.clear %sum[%n] count(%n) : memref<?x64xf32>
  return
}

// -----

fagpu.kernel @cleared_by_thread(%n: i32, %sum: memref<?x64xf32>) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
    // expected-error @+1 {{rule 1: is for a messenger of a whole warp}}
    fagpu.clear %sum[%n] count(%n) : memref<?x64xf32>
  }
}

// -----

fagpu.kernel @cleared_halves(%n: i32, %sum: memref<?x64xbf16>) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    // expected-error @+1 {{rule 2: the buffer must be f32 and contiguous}}
    fagpu.clear %sum[%n] count(%n) : memref<?x64xbf16>
  }
}

// -----

fagpu.kernel @cleared_with_gaps(%n: i32, %sum: memref<?x64xf32, strided<[128, 1]>>) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    // expected-error @+1 {{rule 2: the buffer must be f32 and contiguous}}
    fagpu.clear %sum[%n] count(%n) : memref<?x64xf32, strided<[128, 1]>>
  }
}

// -----

fagpu.kernel @rounded_without_numbers(%sum: memref<64x64xf32>, %to: memref<64x64xbf16>, %scale: f32, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    // expected-error @+1 {{rule 1: is for the body of fagpu.for_each_number}}
    fagpu.round_fragments %sum[%c0] part %n of 1 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 0, 1>} : memref<64x64xf32>, memref<64x64xbf16>
  }
}

// -----

fagpu.kernel @rounded_halves(%sum: memref<64x64xbf16>, %to: memref<64x64xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 2: the buffer must be f32, contiguous, with columns, a static multiple of 32, as its last dimension and an offset for every other one}}
      fagpu.round_fragments %sum[%c0] part %i of 1 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 0, 1>} : memref<64x64xbf16>, memref<64x64xbf16>
    }
  }
}

// -----

fagpu.kernel @rounded_with_gaps(%sum: memref<64x64xf32, strided<[128, 1]>>, %to: memref<64x64xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 2: the buffer must be f32, contiguous, with columns, a static multiple of 32, as its last dimension and an offset for every other one}}
      fagpu.round_fragments %sum[%c0] part %i of 1 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 0, 1>} : memref<64x64xf32, strided<[128, 1]>>, memref<64x64xbf16>
    }
  }
}

// -----

fagpu.kernel @rounded_few_columns(%sum: memref<64x48xf32>, %to: memref<64x48xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 2: the buffer must be f32, contiguous, with columns, a static multiple of 32, as its last dimension and an offset for every other one}}
      fagpu.round_fragments %sum[%c0] part %i of 1 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 0, 1>} : memref<64x48xf32>, memref<64x48xbf16>
    }
  }
}

// -----

fagpu.kernel @rounded_any_columns(%sum: memref<64x?xf32>, %to: memref<64x64xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 2: the buffer must be f32, contiguous, with columns, a static multiple of 32, as its last dimension and an offset for every other one}}
      fagpu.round_fragments %sum[%c0] part %i of 1 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 0, 1>} : memref<64x?xf32>, memref<64x64xbf16>
    }
  }
}

// -----

fagpu.kernel @rounded_rows_in_columns(%sum: memref<64x64xf32>, %to: memref<64x64xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 2: the buffer must be f32, contiguous, with columns, a static multiple of 32, as its last dimension and an offset for every other one}}
      fagpu.round_fragments %sum[%c0] part %i of 1 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 1, 0>, to_dims = array<i64: 0, 1>} : memref<64x64xf32>, memref<64x64xbf16>
    }
  }
}

// -----

fagpu.kernel @rounded_to_f32(%sum: memref<64x64xf32>, %to: memref<64x64xf32>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 3: the destination must be bf16 or f16, with an offset per dimension and as many columns as the buffer}}
      fagpu.round_fragments %sum[%c0] part %i of 1 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 0, 1>} : memref<64x64xf32>, memref<64x64xf32>
    }
  }
}

// -----

fagpu.kernel @rounded_to_fewer(%sum: memref<64x64xf32>, %to: memref<64x32xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 3: the destination must be bf16 or f16, with an offset per dimension and as many columns as the buffer}}
      fagpu.round_fragments %sum[%c0] part %i of 1 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 0, 1>} : memref<64x64xf32>, memref<64x32xbf16>
    }
  }
}

// -----

fagpu.kernel @rounded_to_one_dimension(%sum: memref<64x64xf32>, %to: memref<64x64xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 3: the destination must be bf16 or f16, with an offset per dimension and as many columns as the buffer}}
      fagpu.round_fragments %sum[%c0] part %i of 1 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 1, 1>} : memref<64x64xf32>, memref<64x64xbf16>
    }
  }
}

// -----

fagpu.kernel @rounded_to_no_place(%sum: memref<64x64xf32>, %to: memref<64x64xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 3: the destination must be bf16 or f16, with an offset per dimension and as many columns as the buffer}}
      fagpu.round_fragments %sum[%c0] part %i of 1 times %scale to %to[%c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 0, 1>} : memref<64x64xf32>, memref<64x64xbf16>
    }
  }
}

// -----

fagpu.kernel @rounded_thirds(%sum: memref<64x64xf32>, %to: memref<64x64xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // expected-error @+1 {{rule 4: there must be 1, 2 or 4 parts}}
      fagpu.round_fragments %sum[%c0] part %i of 3 times %scale to %to[%c0, %c0] {tile_dims = array<i64: 0, 1>, to_dims = array<i64: 0, 1>} : memref<64x64xf32>, memref<64x64xbf16>
    }
  }
}
