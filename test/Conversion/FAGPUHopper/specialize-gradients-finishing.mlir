// What persistent blocks round themselves of their sums of d_query, and when there is a launch that does.
// RUN: split-file %s %t
// RUN: %fa-opt %t/wide.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %t/wide.mlir
// RUN: %fa-opt %t/plain.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %t/plain.mlir

// Blocks of one tile each round nothing: they are not there any more when the last has added.
// RUN: %fa-opt %t/wide.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-persistent=0'" | FileCheck %s --check-prefix=KEPT -DNAME=wide
// RUN: %fa-opt %t/plain.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-persistent=0'" | FileCheck %s --check-prefix=KEPT -DNAME=plain

// Nor do blocks round where the launch does something else with the sums: as it is they would, ...
// RUN: %fa-opt %t/narrow.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" --mlir-print-ir-before=fagpu-specialize-gradients -o /dev/null 2> %t/before.mlir
// RUN: %fa-opt %t/before.mlir --fagpu-specialize-gradients | FileCheck %t/narrow.mlir

// ... not where it adds a number, ...
// RUN: sed '/gpu.func @narrow_kernel_2/,/gpu.return/ s/= arith.mulf/= arith.addf/' %t/before.mlir | %fa-opt --fagpu-specialize-gradients | FileCheck %s --check-prefixes=KEPT,CLEARS -DNAME=narrow

// ... multiplies a sum by itself, ...
// RUN: sed '/gpu.func @narrow_kernel_2/,/gpu.return/ s/= arith.mulf %in, .* : f32/= arith.mulf %in, %in : f32/' %t/before.mlir | %fa-opt --fagpu-specialize-gradients | FileCheck %s --check-prefixes=KEPT,CLEARS -DNAME=narrow

// ... negates the product, ...
// RUN: sed '/gpu.func @narrow_kernel_2/,/gpu.return/ s/\(.*\) = arith.truncf \(.*\) : f32 to bf16/%neg = arith.negf \2 : f32\n\1 = arith.truncf %neg : f32 to bf16/' %t/before.mlir | %fa-opt --fagpu-specialize-gradients | FileCheck %s --check-prefixes=KEPT,CLEARS -DNAME=narrow

// ... or is a program of more than tiles and numbers.
// RUN: sed '/gpu.func @narrow_kernel_2/,/gpu.return/ s/gpu.return/gpu.barrier\ngpu.return/' %t/before.mlir | %fa-opt --fagpu-specialize-gradients | FileCheck %s --check-prefixes=KEPT,CLEARS -DNAME=narrow

// KEPT: gpu.launch_func @fa_kernels::@[[NAME]]_kernel_1_tma
// KEPT: gpu.launch_func @fa_kernels::@[[NAME]]_kernel_2
// KEPT: fagpu.kernel @[[NAME]]_kernel_1_tma
// KEPT-NOT: fagpu.round_fragments
// CLEARS: fagpu.clear
// KEPT-NOT: fagpu.round_fragments
// KEPT: gpu.func @[[NAME]]_kernel_2

//--- wide.mlir
// The scale is an argument, of both launches. Two parts of a tile are warps' work: 32 rows of 96 columns.
// CHECK-LABEL: func.func @wide
// CHECK-SAME: %[[SCALE:[^:]*]]: f32, %[[DQ:[^:]*]]: memref<2x4x?x96xbf16>
// CHECK: gpu.launch_func @fa_kernels::@wide_kernel_1_tma {{.*}}%[[SCALE]] : f32, %[[DQ]] : memref<2x4x?x96xbf16>
// CHECK-NOT: wide_kernel_2
// CHECK: fagpu.kernel @wide_kernel_1_tma
// CHECK-SAME: %[[SUM:[^:]*]]: memref<2x4x?x96xf32>
// CHECK-SAME: %[[TAKEN:[^:]*]]: memref<1xi32>, %[[DRAWS:[^:]*]]: i32, %[[ALL:[^:]*]]: i32, %[[PERHEAD:[^:]*]]: i32, %[[X:[^:]*]]: i32, %[[Y:[^:]*]]: i32, %[[SCALE:[^:]*]]: f32, %[[DQ:[^:]*]]: memref<2x4x?x96xbf16>

// Two messengers besides the one that clears, and consumers behind their tiles.
// CHECK: fagpu.clear
// CHECK: fagpu.role messenger
// CHECK-NEXT: fagpu.for_each_number counter(%[[TAKEN]] : memref<1xi32>) total(%[[ALL]]) draws(%[[DRAWS]])
// CHECK-NEXT: ^bb0(%[[NUMBER:.*]]: i32):
// CHECK: fagpu.await_count
// CHECK-NEXT: %[[TILE:.*]] = arith.divui %[[NUMBER]], %c2_i32
// CHECK-NEXT: %[[SLICE:.*]] = arith.divui %[[TILE]], %[[X]]
// CHECK: arith.divui %[[SLICE]], %[[Y]]
// CHECK: %[[PART:.*]] = arith.remui %[[NUMBER]], %c2_i32
// CHECK: fagpu.round_fragments %[[SUM]][{{.*}}] part %[[PART]] of 2 times %[[SCALE]] to %[[DQ]][{{.*}}, %c0] {tile_dims = array<i64: 2, 3>, to_dims = array<i64: 2, 3>}
// CHECK: fagpu.role messenger
// CHECK-NEXT: fagpu.for_each_number counter(%[[TAKEN]] : memref<1xi32>)
// CHECK-COUNT-2: fagpu.role consumer
// CHECK: gpu.func
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
!l = memref<2x4x?xf32>
!x = memref<2x4x?x96xbf16>
func.func @wide(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %s: f32, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) scale(%s : f32) outs(%dq, %dk, %dv : !x, !x, !x)
  return
}

//--- plain.mlir
// Without a scale sums are multiplied by 1. Fewer than 65 columns are one warp's work.
// CHECK-LABEL: func.func @plain
// CHECK: gpu.launch_func @fa_kernels::@plain_kernel_1_tma
// CHECK-NOT: plain_kernel_2
// CHECK: fagpu.kernel @plain_kernel_1_tma
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-COUNT-4: fagpu.round_fragments {{.*}} part %c0_i32 of 1 times %[[ONE]] to {{.*}} : memref<2x4x?x64xf32>, memref<2x4x?x64xf16>
// CHECK: gpu.func
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
!l = memref<2x4x?xf32>
!x = memref<2x4x?x64xf16>
func.func @plain(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  %s = arith.constant 1.0 : f32
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) scale(%s : f32) outs(%dq, %dk, %dv : !x, !x, !x)
  return
}

//--- narrow.mlir
// CHECK-NOT: narrow_kernel_2
// CHECK: fagpu.kernel @narrow_kernel_1_tma
// CHECK: fagpu.round_fragments
// CHECK-NOT: narrow_kernel_2
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
!l = memref<2x4x?xf32>
!x = memref<2x4x?x64xbf16>
func.func @narrow(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
  return
}
