// RUN: %fa-opt %s --fa-tile-backward="query-tile=32 key-tile=16" --canonicalize --cse | FileCheck %s
// RUN: %fa-opt %s --fa-tile-backward="query-tile=32 key-tile=16 d-query=recompute" --canonicalize --cse | FileCheck %s --check-prefix=TWICE
// RUN: %fa-opt %s --fa-tile-backward="query-tile=32 key-tile=16 d-query=atomic" --canonicalize --cse | FileCheck %s --check-prefix=ATOMIC

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
#table = affine_map<(b, h, g, m, n, d, e) -> (m, n)>
#padding = affine_map<(b, h, g, m, n, d, e) -> (b, n)>

// delta first. Then one block per batch and key head: key tiles one after another, over the group of query heads and
// over rows, which start at the diagonal. d_key and d_value are carried, d_query is added to memory.
// CHECK-LABEL: func @causal
// CHECK-SAME: (%[[Q:.*]]: memref<2x4x3x64x24xbf16>, %[[K:.*]]: memref<2x4x64x24xbf16>, %[[V:.*]]: memref<2x4x64x24xbf16>, %[[O:.*]]: memref<2x4x3x64x24xbf16>, %[[LSE:.*]]: memref<2x4x3x64xf32>, %[[DO:.*]]: memref<2x4x3x64x24xbf16>, %[[DQ:.*]]: memref<2x4x3x64x24xbf16>, %[[DK:.*]]: memref<2x4x64x24xbf16>, %[[DV:.*]]: memref<2x4x64x24xbf16>)
// CHECK: %[[DELTA:.*]] = memref.alloc() : memref<2x4x3x64xf32>
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) in (2, 4, 3, 2) {
// CHECK: fa.load_tile %[[LSE]]
// CHECK: fa.load_tile %[[O]]
// CHECK: fa.load_tile %[[DO]]
// CHECK: linalg.generic
// CHECK: fa.store_tile %{{.*}}, %[[DELTA]]
// CHECK: %[[SUM:.*]] = memref.alloc() : memref<2x4x3x64x24xf32>
// CHECK: scf.forall
// CHECK: fa.store_tile %{{.*}}, %[[SUM]]
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]]) in (2, 4) {
// CHECK: scf.for %[[KEY:[a-z0-9]*]] = %c0 to %c64 step %c16
// CHECK-DAG: %[[KT:.*]] = fa.load_tile %[[K]][%[[B]], %[[H]], %[[KEY]], %c0]
// CHECK-DAG: %[[VT:.*]] = fa.load_tile %[[V]][%[[B]], %[[H]], %[[KEY]], %c0]
// CHECK: scf.for %[[G:[a-z0-9]*]] = %c0 to %c3 step %c1 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<16x32xf32>, tensor<16x32xf32>)
// The diagonal, then full tiles.
// CHECK: scf.for %[[ROW:[a-z0-9]*]] = {{.*}} iter_args(%[[DKT:.*]] = %{{.*}}, %[[DVT:.*]] = %{{.*}}) -> (tensor<16x32xf32>, tensor<16x32xf32>)
// CHECK: %[[GR:.*]]:3 = fa.online_attention_backward {causal, {{.*}}} ins(%{{.*}}, %[[KT]], %[[VT]], %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) {{.*}} outs(%{{.*}}, %[[DKT]], %[[DVT]] :
// CHECK-NEXT: fa.accumulate %[[GR]]#0 into %[[SUM]][%[[B]], %[[H]], %[[G]], %[[ROW]], %c0] {{.*}}owned {tile_dims = array<i64: 3, 4>}
// CHECK-NEXT: scf.yield %[[GR]]#1, %[[GR]]#2
// CHECK: scf.for
// CHECK-NOT: causal
// CHECK: fa.online_attention_backward {indexing_maps
// CHECK: fa.store_tile %{{.*}}, %[[DK]][%[[B]], %[[H]], %[[KEY]], %c0]
// CHECK: fa.store_tile %{{.*}}, %[[DV]][%[[B]], %[[H]], %[[KEY]], %c0]
// CHECK: } {fa.backward_schedule = #fa.backward_schedule<query_tile = 32, key_tile = 16, d_query = owned>, mapping
// CHECK: scf.forall
// CHECK: fa.load_tile %[[SUM]]
// CHECK: fa.store_tile %{{.*}}, %[[DQ]]
// CHECK-NOT: scf.forall
// CHECK: return

// A block per key tile, then one per query tile, which stores d_query itself.
// TWICE-LABEL: func @causal
// TWICE: memref.alloc() : memref<2x4x3x64xf32>
// TWICE-NOT: memref.alloc
// TWICE: scf.forall
// TWICE: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (2, 4, 4) {
// TWICE: -> (tensor<16x32xf32>, tensor<16x32xf32>)
// TWICE-NOT: fa.accumulate
// TWICE: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) in (2, 4, 3, 2) {
// TWICE: -> (tensor<32x32xf32>)
// TWICE: fa.online_attention_backward
// TWICE: fa.store_tile
// TWICE: return

// ATOMIC-LABEL: func @causal
// ATOMIC: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (2, 4, 4) {
// ATOMIC: fa.accumulate %{{.*}}atomic {tile_dims = array<i64: 3, 4>}
// ATOMIC: return
func.func @causal(%q: memref<2x4x3x64x24xbf16>, %k: memref<2x4x64x24xbf16>, %v: memref<2x4x64x24xbf16>,
                  %o: memref<2x4x3x64x24xbf16>, %l: memref<2x4x3x64xf32>, %do: memref<2x4x3x64x24xbf16>,
                  %dq: memref<2x4x3x64x24xbf16>, %dk: memref<2x4x64x24xbf16>, %dv: memref<2x4x64x24xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x3x64x24xbf16>, memref<2x4x64x24xbf16>, memref<2x4x64x24xbf16>,
        memref<2x4x3x64x24xbf16>, memref<2x4x3x64xf32>, memref<2x4x3x64x24xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x3x64x24xbf16>, memref<2x4x64x24xbf16>, memref<2x4x64x24xbf16>)
  return
}

// A bias over (m, n) sums over batches and heads: no block that keeps a batch has all of it.
// CHECK-LABEL: func @bias
// CHECK: scf.forall (%{{.*}}) in (1) {
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: fa.online_attention_backward {bias_gradient
// CHECK: fa.accumulate %{{.*}}#3 into %{{.*}}owned {tile_dims = array<i64: 1, 0>} : tensor<16x32xf32>, memref<64x64xf32>

// TWICE-LABEL: func @bias
// TWICE: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (2, 4, 4) {
// TWICE-NOT: bias_gradient
// TWICE: scf.forall (%[[M:.*]], %[[N:.*]]) in (2, 4) {
// TWICE: scf.for %{{.*}} = %c0 to %c2 step %c1
// TWICE: fa.online_attention_backward {bias_gradient
// TWICE: fa.accumulate %{{.*}}#3 into %{{.*}}owned {tile_dims = array<i64: 0, 1>} : tensor<32x16xf32>, memref<64x64xf32>

// ATOMIC-LABEL: func @bias
// ATOMIC: fa.accumulate %{{.*}}#3 into %{{.*}}atomic {tile_dims = array<i64: 1, 0>}
func.func @bias(%q: memref<2x4x3x64x16xf32>, %k: memref<2x4x64x16xf32>, %v: memref<2x4x64x16xf32>,
                %o: memref<2x4x3x64x16xf32>, %l: memref<2x4x3x64xf32>, %do: memref<2x4x3x64x16xf32>,
                %b: memref<64x64xf32>, %dq: memref<2x4x3x64x16xf32>, %dk: memref<2x4x64x16xf32>,
                %dv: memref<2x4x64x16xf32>, %db: memref<64x64xf32>) {
  fa.attention_backward {bias_gradient, indexing_maps = [#q, #k, #v, #table, #o, #l, #o, #q, #k, #v, #table]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x3x64x16xf32>, memref<2x4x64x16xf32>, memref<2x4x64x16xf32>,
        memref<2x4x3x64x16xf32>, memref<2x4x3x64xf32>, memref<2x4x3x64x16xf32>)
    bias(%b : memref<64x64xf32>)
    outs(%dq, %dk, %dv, %db : memref<2x4x3x64x16xf32>, memref<2x4x64x16xf32>, memref<2x4x64x16xf32>, memref<64x64xf32>)
  return
}

// A bias of neither rows nor keys is added up per row by the blocks that keep rows, and over these and batches afterwards.
// TWICE-LABEL: func @bias_per_head
// TWICE: %[[PER_ROW:.*]] = memref.alloc() : memref<2x4x3x64xf32>
// TWICE: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) in (2, 4, 3, 2) {
// TWICE: fa.online_attention_backward {bias_gradient
// TWICE: fa.accumulate %{{.*}}#3 into %[[PER_ROW]][{{.*}}owned {tile_dims = array<i64: 3>} : tensor<32xf32>, memref<2x4x3x64xf32>
// TWICE: scf.forall (%[[H:.*]], %[[G:.*]]) in (4, 3) {
// TWICE: scf.for %[[B:.*]] = %c0 to %c2 step %c1
// TWICE: fa.load_tile %[[PER_ROW]][%[[B]], %[[H]], %[[G]],
// TWICE: fa.store_tile %{{.*}}, %{{.*}}[%[[H]], %[[G]]]
#per_head = affine_map<(b, h, g, m, n, d, e) -> (h, g)>
func.func @bias_per_head(%q: memref<2x4x3x64x16xf32>, %k: memref<2x4x64x16xf32>, %v: memref<2x4x64x16xf32>,
                         %o: memref<2x4x3x64x16xf32>, %l: memref<2x4x3x64xf32>, %do: memref<2x4x3x64x16xf32>,
                         %b: memref<4x3xf32>, %dq: memref<2x4x3x64x16xf32>, %dk: memref<2x4x64x16xf32>,
                         %dv: memref<2x4x64x16xf32>, %db: memref<4x3xf32>) {
  fa.attention_backward {bias_gradient, indexing_maps = [#q, #k, #v, #per_head, #o, #l, #o, #q, #k, #v, #per_head]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x3x64x16xf32>, memref<2x4x64x16xf32>, memref<2x4x64x16xf32>,
        memref<2x4x3x64x16xf32>, memref<2x4x3x64xf32>, memref<2x4x3x64x16xf32>)
    bias(%b : memref<4x3xf32>)
    outs(%dq, %dk, %dv, %db : memref<2x4x3x64x16xf32>, memref<2x4x64x16xf32>, memref<2x4x64x16xf32>, memref<4x3xf32>)
  return
}

// `deterministic` excludes chance.
// ATOMIC-LABEL: func @deterministic
// ATOMIC-NOT: atomic
// ATOMIC: return
func.func @deterministic(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %o: tensor<?x16xf32>,
                         %l: tensor<?xf32>) -> tensor<?x16xf32> {
  %g:3 = fa.attention_backward {deterministic, indexing_maps = [
      affine_map<(b, h, g, m, n, d, e) -> (m, d)>, affine_map<(b, h, g, m, n, d, e) -> (n, d)>,
      affine_map<(b, h, g, m, n, d, e) -> (n, e)>, affine_map<(b, h, g, m, n, d, e) -> (m, e)>,
      affine_map<(b, h, g, m, n, d, e) -> (m)>, affine_map<(b, h, g, m, n, d, e) -> (m, e)>,
      affine_map<(b, h, g, m, n, d, e) -> (m, d)>, affine_map<(b, h, g, m, n, d, e) -> (n, d)>,
      affine_map<(b, h, g, m, n, d, e) -> (n, e)>]}
    ins(%q, %k, %v, %o, %l, %o : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?xf32>,
        tensor<?x16xf32>)
    outs(%q, %k, %v : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
    -> tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>
  return %g#0 : tensor<?x16xf32>
}
