// An op that a target has no lowering for is an error at that op: after tiling where it is in no tile program, and at the end.
// RUN: not %fa-opt %s --fa-check-lowered="target=sm_80 stage=tile" 2>&1 | FileCheck %s --check-prefixes=TILE
// RUN: not %fa-opt %s --fa-check-lowered="target=sm_80" 2>&1 | FileCheck %s --check-prefixes=END
// RUN: sed "/^  scf.forall/,/^  }/d" %s | not %fa-opt --fa-pipeline="target=sm_80" 2>&1 | FileCheck %s --check-prefixes=GPU
// RUN: sed "/^  scf.forall/,/^  }/d" %s | not %fa-opt --fa-pipeline="target=cpu" 2>&1 | FileCheck %s --check-prefixes=CPU

// TILE-NOT: load_tile
// TILE: check-lowered.mlir:[[#@LINE+15]]:3: error: 'fa.merge' op cannot be lowered for target 'sm_80': it is still there after stage 'tile'
// TILE-NOT: error:
// END: error: 'fa.load_tile' op cannot be lowered for target 'sm_80'{{$}}
// END: error: 'fa.merge' op cannot be lowered for target 'sm_80'{{$}}
// GPU: error: 'fa.merge' op cannot be lowered for target 'sm_80': it is still there after stage 'tile'
// CPU: error: 'fa.merge' op cannot be lowered for target 'cpu': it is still there after stage 'tile'
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @merge(%source: memref<64x64xf32>, %a0: memref<8x64xf32>, %m0: memref<8xf32>, %l0: memref<8xf32>,
                 %a1: memref<8x64xf32>, %m1: memref<8xf32>, %l1: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (1) {
    %t = fa.load_tile %source[%c0, %c0] {tile_dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
    fa.store_tile %t, %source[%c0, %c0] {tile_dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  }
  fa.merge {indexing_maps = [#acc, #row, #row]} ins(%a0, %m0, %l0 : memref<8x64xf32>, memref<8xf32>, memref<8xf32>)
    outs(%a1, %m1, %l1 : memref<8x64xf32>, memref<8xf32>, memref<8xf32>)
  return
}
