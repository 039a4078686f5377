// Gradients have roles by default; what cannot have them is for sm_80, and gradients=roles takes it all the same.
// RUN: split-file %s %t
// RUN: %fa-opt %t/plain.mlir --fa-pipeline="target=sm_90a stop-after=tile" | FileCheck %s --check-prefix=PLAIN
// RUN: not %fa-opt %t/plain.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=blocks" 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not %fa-opt %t/narrow.mlir --fa-pipeline="target=sm_90a stop-after=tile" 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %fa-opt %t/narrow.mlir --fa-pipeline="target=sm_90a stop-after=tile schedule=gradients=roles" | FileCheck %s --check-prefix=ASKED

// RUN: %fa-opt %t/plain.mlir --fa-pipeline="target=sm_90a" | FileCheck %s --check-prefix=LOWERED
// RUN: not %fa-opt %t/plain.mlir --fa-pipeline="target=sm_90a schedule=gradient-key-steps=9" 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not %fa-opt %t/plain.mlir --fa-pipeline="target=sm_90a schedule=gradient-stages=9223372036854775807" 2>&1 | FileCheck %s --check-prefix=STAGES

// RUN: %fa-opt %t/static.mlir --fa-pipeline="target=sm_90a stop-after=machine" | FileCheck %s --check-prefix=STATIC
// RUN: not %fa-opt %t/one-tile.mlir --fa-pipeline="target=sm_90a stop-after=tile" 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %fa-opt %t/one-tile.mlir --fa-pipeline="target=sm_90a stop-after=tile schedule=gradients=roles" | FileCheck %s --check-prefix=ASKED

// RUN: not %fa-opt %t/pair.mlir --fa-pipeline="target=sm_90a schedule='gradient-one-launch=1 gradient-cluster=2'" 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: %fa-opt %t/pair.mlir --fa-pipeline="target=sm_90a stop-after=tile schedule='gradient-one-launch=1'" | FileCheck %s --check-prefix=SINGLE

// Blocks of many tiles: where one launch is the default the word is for launches of their own; what adds in one order does not hear it.
// RUN: not %fa-opt %t/pair.mlir --fa-pipeline="target=sm_90a schedule='gradient-one-launch=1 gradient-persistent=1'" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: %fa-opt %t/plain.mlir --fa-pipeline="target=sm_90a stop-after=tile schedule='gradient-persistent=1'" | FileCheck %s --check-prefix=PERSISTENT
// RUN: %fa-opt %t/pair.mlir --fa-pipeline="target=sm_90a stop-after=tile schedule='gradient-persistent=0'" | FileCheck %s --check-prefix=ONCE
// RUN: %fa-opt %t/ordered.mlir --fa-pipeline="target=sm_90a stop-after=tile schedule='gradient-persistent=1'" | FileCheck %s --check-prefix=ORDERED
// RUN: not %fa-opt %t/pair.mlir --fa-pipeline="target=sm_90a schedule='gradient-persistent=2'" 2>&1 | FileCheck %s --check-prefix=TWICE

// MANY: :8:3: error: schedule: one-launch=1 is for blocks of one tile each, and persistent=1 asks for blocks of many; leave one of the two out
// PERSISTENT: fagpu.gradients = #fagpu.gradient_schedule<
// PERSISTENT-NOT: one_launch
// PERSISTENT-SAME: persistent = 1>
// ONCE: fagpu.gradients = #fagpu.gradient_schedule<{{.*}} cluster = 2>
// ORDERED: fa.ordered_sums
// ORDERED-SAME: fagpu.gradients = #fagpu.gradient_schedule<
// ORDERED-NOT: persistent
// TWICE: gradient-persistent= takes a number from 0 to 1
// PAIR: :8:3: error: schedule: one-launch=1 is for single blocks, and cluster=2 asks for pairs of them; leave one of the two out
// SINGLE: fagpu.gradients = #fagpu.gradient_schedule<
// SINGLE-NOT: cluster
// SINGLE-SAME: one_launch = 1>
// STATIC: fagpu.kernel @causal_kernel
// STATIC: fagpu.kernel @ordered_kernel
// LOWERED: llvm.func @causal_kernel_1_tma
// STEPS: error: schedule: key-steps=9 is more than the 8 steps of 16 that head dimension 128 has
// STAGES: gradient-stages= takes a number from 0 to 16
// PLAIN: fagpu.gradients
// BLOCKS: error: {{.*}} cannot be lowered for target 'sm_90a'
// REFUSED: error: {{.*}} has no warp-specialised kernels for its gradients; the target sm_80 has others
// ASKED-NOT: fagpu.gradients
// ASKED: scf.forall

//--- plain.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @causal(%q: memref<2x4x?x128xbf16>, %k: memref<2x4x?x128xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x?x128xbf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>, %dq: memref<2x4x?x128xbf16>, %dk: memref<2x4x?x128xbf16>,
                  %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>)
  return
}

//--- narrow.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @head_dimension_80(%q: memref<2x4x?x80xbf16>, %k: memref<2x4x?x80xbf16>, %v: memref<2x4x?x80xbf16>, %o: memref<2x4x?x80xbf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x80xbf16>, %dq: memref<2x4x?x80xbf16>, %dk: memref<2x4x?x80xbf16>,
                  %dv: memref<2x4x?x80xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>, memref<2x4x?xf32>, memref<2x4x?x80xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>)
  return
}

// Blocks count down from a number that is known; how many queries there are, only out says.
//--- static.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @causal(%q: memref<2x4x?x128xbf16>, %k: memref<2x4x200x128xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x?x128xbf16>, %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>, %dq: memref<2x4x?x128xbf16>,
                   %dk: memref<2x4x?x128xbf16>, %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x128xbf16>, memref<2x4x200x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>)
  return
}
func.func @ordered(%q: memref<2x4x?x128xbf16>, %k: memref<2x4x?x128xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x128x128xbf16>, %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>, %dq: memref<2x4x?x128xbf16>,
                   %dk: memref<2x4x?x128xbf16>, %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {causal, deterministic, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x128x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>)
  return
}

// No block has a number of its own.
//--- one-tile.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @one_tile(%q: memref<2x4x?x128xbf16>, %k: memref<2x4x64x128xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x?x128xbf16>, %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>, %dq: memref<2x4x?x128xbf16>,
                   %dk: memref<2x4x?x128xbf16>, %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x128xbf16>, memref<2x4x64x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>)
  return
}

//--- pair.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @pair(%q: memref<2x4x?x192xbf16>, %k: memref<2x4x?x192xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x?x128xbf16>, %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>,
                %dq: memref<2x4x?x192xbf16>, %dk: memref<2x4x?x192xbf16>, %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x192xbf16>, memref<2x4x?x192xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x192xbf16>, memref<2x4x?x192xbf16>, memref<2x4x?x128xbf16>)
  return
}

//--- ordered.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @ordered(%q: memref<2x4x?x64xbf16>, %k: memref<2x4x?x64xbf16>, %v: memref<2x4x?x64xbf16>, %o: memref<2x4x?x64xbf16>,
                   %l: memref<2x4x?xf32>, %do: memref<2x4x?x64xbf16>, %dq: memref<2x4x?x64xbf16>, %dk: memref<2x4x?x64xbf16>,
                   %dv: memref<2x4x?x64xbf16>) {
  fa.attention_backward {deterministic, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?xf32>, memref<2x4x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>)
  return
}
