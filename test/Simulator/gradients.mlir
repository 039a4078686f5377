// The machine program of the gradients is right whatever arrives first: lengths that are no multiple of a tile, a last block with
// one key tile, a last pair of blocks with one key tile, query heads that share a key head, key tiles that a causal mask hides from
// all queries.
// RUN: split-file %s %t
// RUN: %fa-opt %t/full64.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=0 gradient-persistent=0'" | \
// RUN: %fa-simulate --kernel --check-gradients --seeds=2 --grid=2 --arg=random:1x1x2x100x64xbf16 \
// RUN: --arg=random:1x1x150x64xbf16 --arg=random:1x1x150x64xbf16 --arg=random:1x1x2x100x64xbf16 \
// RUN: --arg=zeros:1x1x150x64xbf16 --arg=zeros:1x1x150x64xbf16 --arg=zeros:1x1x2x128xf32 --arg=zeros:1x1x2x128xf32 \
// RUN: --arg=zeros:1x1x2x128x64xf32 --arg=2 --arg=150 --arg=100 --arg=3 --arg=1 --arg=2 --arg=1 --arg=1 --arg=2 | \
// RUN: FileCheck %s
// RUN: %fa-opt %t/causal64.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=0 gradient-persistent=0'" | \
// RUN: %fa-simulate --kernel --check-gradients --seeds=2 --grid=4 --arg=random:1x2x1x60x64xf16 \
// RUN: --arg=random:1x2x200x64xf16 --arg=random:1x2x200x64xf16 --arg=random:1x2x1x60x64xf16 \
// RUN: --arg=zeros:1x2x200x64xf16 --arg=zeros:1x2x200x64xf16 --arg=zeros:1x2x1x64xf32 --arg=zeros:1x2x1x64xf32 \
// RUN: --arg=zeros:1x2x1x64x64xf32 --arg=4 --arg=1 --arg=200 --arg=60 --arg=4 --arg=2 --arg=2 --arg=2 --arg=1 --arg=4 \
// RUN: --causal | FileCheck %s
// RUN: %fa-opt %t/causal128.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=0 gradient-persistent=0'" | \
// RUN: %fa-simulate --kernel --check-gradients --seeds=2 --grid=2 --arg=random:1x1x1x150x128xbf16 \
// RUN: --arg=random:1x1x130x128xbf16 --arg=random:1x1x130x128xbf16 --arg=random:1x1x1x150x128xbf16 \
// RUN: --arg=zeros:1x1x130x128xbf16 --arg=zeros:1x1x130x128xbf16 --arg=zeros:1x1x1x192xf32 --arg=zeros:1x1x1x192xf32 \
// RUN: --arg=zeros:1x1x1x192x128xf32 --arg=3 --arg=1 --arg=130 --arg=150 --arg=3 --arg=1 --arg=2 --arg=1 --arg=1 \
// RUN: --arg=2 --causal | FileCheck %s
// RUN: %fa-opt %t/causal128.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=0 gradient-persistent=0 gradient-packed-scores=1 gradient-delta-ahead=1 gradient-rows-ahead=1 gradient-score-steps=2'" | \
// RUN: %fa-simulate --kernel --check-gradients --seeds=2 --grid=2 --arg=random:1x1x1x150x128xbf16 \
// RUN: --arg=random:1x1x130x128xbf16 --arg=random:1x1x130x128xbf16 --arg=random:1x1x1x150x128xbf16 \
// RUN: --arg=zeros:1x1x130x128xbf16 --arg=zeros:1x1x130x128xbf16 --arg=zeros:1x1x1x192xf32 --arg=zeros:1x1x1x192xf32 \
// RUN: --arg=zeros:1x1x1x192x128xf32 --arg=3 --arg=1 --arg=130 --arg=150 --arg=3 --arg=1 --arg=2 --arg=1 --arg=1 \
// RUN: --arg=2 --causal | FileCheck %s
// RUN: %fa-opt %t/causal128.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=0 gradient-persistent=0 gradient-fold-delta=1 gradient-rows-ahead=2 gradient-key-steps=2 gradient-score-steps=8 gradient-late-scores=1'" | \
// RUN: %fa-simulate --kernel --check-gradients --seeds=2 --grid=2 --arg=random:1x1x1x150x128xbf16 \
// RUN: --arg=random:1x1x130x128xbf16 --arg=random:1x1x130x128xbf16 --arg=random:1x1x1x150x128xbf16 \
// RUN: --arg=zeros:1x1x130x128xbf16 --arg=zeros:1x1x130x128xbf16 --arg=zeros:1x1x1x192xf32 --arg=zeros:1x1x1x192xf32 \
// RUN: --arg=zeros:1x1x1x192x128xf32 --arg=3 --arg=1 --arg=130 --arg=150 --arg=3 --arg=1 --arg=2 --arg=1 --arg=1 \
// RUN: --arg=2 --causal | FileCheck %s
// RUN: %fa-opt %t/causal256.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=0 gradient-persistent=0'" | \
// RUN: %fa-simulate --kernel --check-gradients --seeds=2 --grid=3 --arg=random:1x1x2x100x256xbf16 --arg=random:1x1x130x256xbf16 \
// RUN: --arg=random:1x1x130x256xbf16 --arg=random:1x1x2x100x256xbf16 --arg=zeros:1x1x130x256xbf16 \
// RUN: --arg=zeros:1x1x130x256xbf16 --arg=zeros:1x1x2x128xf32 --arg=zeros:1x1x2x128xf32 --arg=zeros:1x1x2x128x256xf32 --arg=3 --arg=2 --arg=130 --arg=100 --arg=3 --arg=1 --arg=3 --arg=1 --arg=1 --arg=3 --causal | \
// RUN: FileCheck %s
// RUN: %fa-opt %t/full192.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=0 gradient-persistent=0 gradient-cluster=1 gradient-weight-stages=1 gradient-fold-delta=1'" | \
// RUN: %fa-simulate --kernel --check-gradients --seeds=2 --grid=4 --arg=random:1x2x1x70x192xf16 --arg=random:1x2x65x192xf16 \
// RUN: --arg=random:1x2x65x128xf16 --arg=random:1x2x1x70x128xf16 --arg=zeros:1x2x65x192xf16 \
// RUN: --arg=zeros:1x2x65x128xf16 --arg=zeros:1x2x1x128xf32 --arg=zeros:1x2x1x128xf32 --arg=zeros:1x2x1x128x192xf32 --arg=1 --arg=65 --arg=70 --arg=2 --arg=2 --arg=2 --arg=2 --arg=1 --arg=4 | \
// RUN: FileCheck %s
// RUN: %fa-opt %t/full192.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=0 gradient-persistent=0 gradient-cluster=2'" | \
// RUN: %fa-simulate --kernel --check-gradients --seeds=2 --grid=8 --arg=random:1x2x1x70x192xf16 --arg=random:1x2x130x192xf16 \
// RUN: --arg=random:1x2x130x128xf16 --arg=random:1x2x1x70x128xf16 --arg=zeros:1x2x130x192xf16 \
// RUN: --arg=zeros:1x2x130x128xf16 --arg=zeros:1x2x1x128xf32 --arg=zeros:1x2x1x128xf32 --arg=zeros:1x2x1x128x192xf32 --arg=1 --arg=130 --arg=70 --arg=3 --arg=2 --arg=2 --arg=2 --arg=1 --arg=8 | \
// RUN: FileCheck %s
// CHECK: seed 0
// CHECK-NEXT: ok: gradients differ by at most
// CHECK: seed 1
// CHECK-NEXT: ok: gradients differ by at most

//--- full64.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
func.func @full64(%q: memref<?x?x?x?x64xbf16>, %k: memref<?x?x?x64xbf16>, %v: memref<?x?x?x64xbf16>, %o: memref<?x?x?x?x64xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xbf16>, %dq: memref<?x?x?x?x64xbf16>, %dk: memref<?x?x?x64xbf16>, %dv: memref<?x?x?x64xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x?x64xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
  return
}

//--- causal64.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
func.func @causal64(%q: memref<?x?x?x?x64xf16>, %k: memref<?x?x?x64xf16>, %v: memref<?x?x?x64xf16>, %o: memref<?x?x?x?x64xf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xf16>, %dq: memref<?x?x?x?x64xf16>, %dk: memref<?x?x?x64xf16>, %dv: memref<?x?x?x64xf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xf16>, memref<?x?x?x64xf16>, memref<?x?x?x64xf16>, memref<?x?x?x?x64xf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xf16>, memref<?x?x?x64xf16>, memref<?x?x?x64xf16>)
  return
}

//--- causal128.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
func.func @causal128(%q: memref<?x?x?x?x128xbf16>, %k: memref<?x?x?x128xbf16>, %v: memref<?x?x?x128xbf16>, %o: memref<?x?x?x?x128xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x128xbf16>, %dq: memref<?x?x?x?x128xbf16>, %dk: memref<?x?x?x128xbf16>, %dv: memref<?x?x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x?x128xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>)
  return
}

//--- causal256.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
func.func @causal256(%q: memref<?x?x?x?x256xbf16>, %k: memref<?x?x?x256xbf16>, %v: memref<?x?x?x256xbf16>, %o: memref<?x?x?x?x256xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x256xbf16>, %dq: memref<?x?x?x?x256xbf16>, %dk: memref<?x?x?x256xbf16>, %dv: memref<?x?x?x256xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?x?x256xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x256xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?x256xbf16>)
  return
}

//--- full192.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
func.func @full192(%q: memref<?x?x?x?x192xf16>, %k: memref<?x?x?x192xf16>, %v: memref<?x?x?x128xf16>, %o: memref<?x?x?x?x128xf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x128xf16>, %dq: memref<?x?x?x?x192xf16>, %dk: memref<?x?x?x192xf16>, %dv: memref<?x?x?x128xf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x192xf16>, memref<?x?x?x192xf16>, memref<?x?x?x128xf16>, memref<?x?x?x?x128xf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x128xf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x192xf16>, memref<?x?x?x192xf16>, memref<?x?x?x128xf16>)
  return
}
