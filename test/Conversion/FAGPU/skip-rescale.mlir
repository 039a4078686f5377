// RUN: %fa-opt %s --fa-skip-rescale | FileCheck %s
// RUN: %fa-opt %s --fa-skip-rescale --fa-distribute | FileCheck %s --check-prefix=THREAD

#row = affine_map<(m, n) -> (m)>
#both = affine_map<(m, n) -> (m, n)>
!acc = tensor<64x16xf32, #fagpu.acc>
!rows = tensor<64xf32, #fagpu.rows>
!p = tensor<64x16xbf16, #fagpu.a_op>
!v = !fagpu.smem<16x16xbf16, stages = 1>

gpu.module @kernels {
  // The rescaling moves right before the contraction that adds to the tile.
  // CHECK-LABEL: gpu.func @rescale
  // CHECK: fagpu.alloc
  // CHECK-NEXT: %[[P:.*]] = arith.constant
  // CHECK-NOT: linalg.generic
  // CHECK: gpu.barrier
  // CHECK-NEXT: %[[SCALED:.*]] = fagpu.scale_rows %[[O:.*]] by %[[ALPHA:.*]] {skip_if_one}
  // CHECK-NEXT: fagpu.mma %{{.*}}, %{{.*}}, %[[SCALED]]

  // Where every factor of the warp is 1 nothing is multiplied.
  // THREAD-LABEL: gpu.func @rescale
  // THREAD: nvvm.vote.sync any
  // THREAD: scf.if
  // THREAD-COUNT-8: arith.mulf
  // THREAD: } else {
  // THREAD-NEXT: scf.yield
  // THREAD-NEXT: }
  // THREAD: nvvm.mma.sync
  gpu.func @rescale(%alpha: f32, %out: memref<64x16xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant 0 : index
    %v = fagpu.alloc {offset = 0 : i64} : !v
    %one = arith.constant 1.0 : f32
    %o = arith.constant dense<2.0> : !acc
    %e = tensor.empty() : !rows
    %factors = linalg.fill ins(%alpha : f32) outs(%e : !rows) -> !rows
    %scaled = linalg.generic {indexing_maps = [#row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%factors : !rows) outs(%o : !acc) {
    ^bb0(%a: f32, %x: f32):
      %r = arith.mulf %x, %a : f32
      linalg.yield %r : f32
    } -> !acc
    %pe = tensor.empty() : !p
    gpu.barrier
    %next = fagpu.mma %pe, %v, %scaled : !p, !v, !acc
    fa.store_tile %next, %out[%zero, %zero] {tile_dims = array<i64: 0, 1>} : !acc, memref<64x16xf32>
    gpu.return
  }

  // Read twice: stays.
  // CHECK-LABEL: gpu.func @read_twice
  // CHECK: linalg.generic
  // CHECK-NOT: fagpu.scale_rows
  gpu.func @read_twice(%alpha: f32, %out: memref<64x16xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant 0 : index
    %v = fagpu.alloc {offset = 0 : i64} : !v
    %o = arith.constant dense<2.0> : !acc
    %e = tensor.empty() : !rows
    %factors = linalg.fill ins(%alpha : f32) outs(%e : !rows) -> !rows
    %scaled = linalg.generic {indexing_maps = [#row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%factors : !rows) outs(%o : !acc) {
    ^bb0(%a: f32, %x: f32):
      %r = arith.mulf %x, %a : f32
      linalg.yield %r : f32
    } -> !acc
    %pe = tensor.empty() : !p
    %next = fagpu.mma %pe, %v, %scaled : !p, !v, !acc
    fa.store_tile %next, %out[%zero, %zero] {tile_dims = array<i64: 0, 1>} : !acc, memref<64x16xf32>
    fa.store_tile %scaled, %out[%zero, %zero] {tile_dims = array<i64: 0, 1>} : !acc, memref<64x16xf32>
    gpu.return
  }
}
