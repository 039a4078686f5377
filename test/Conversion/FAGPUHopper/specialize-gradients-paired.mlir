// Two blocks with neighbouring keys send each other dS; each adds half of the columns of d_query.
// RUN: %fa-opt %s --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-cluster=2 gradient-persistent=0'" | FileCheck %s
// RUN: %fa-opt %s --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-cluster=1'" | FileCheck %s --check-prefix=ALONE
// RUN: not %fa-opt %s --fa-pipeline="target=sm_90a schedule='gradient-cluster=3'" 2>&1 | FileCheck %s --check-prefix=WORD
// ALONE-NOT: paired
// ALONE-NOT: fagpu.send
// WORD: gradient-cluster{{.*}}a number from 1 to 2

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// A pair's blocks are neighbours in the grid.
// CHECK-LABEL: func.func @causal
// CHECK: gpu.launch_func @{{.*}}::@causal_kernel_1_tma clusters in (%c2{{.*}}, %c1{{.*}}, %c1{{.*}}) blocks in

// CHECK: fagpu.kernel @causal_kernel_1_tma
// CHECK-SAME: cluster = 2 : i64
// CHECK: %[[K:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<1x64x192xbf16>
// CHECK-NEXT: %[[V:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<1x64x128xbf16>
// CHECK-NEXT: %[[Q:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<3x64x192xbf16>
// CHECK-NEXT: %[[DO:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<3x64x128xbf16>
// CHECK-NEXT: %[[DS:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<4x64x64xbf16>
// CHECK-NEXT: %[[P:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<2x64x64xbf16>
// CHECK-NEXT: %[[OTHER:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<2x64x64xbf16>
// CHECK: %[[KR:.*]] = fagpu.ring {arrivals = 12 : i64
// CHECK: %[[DSR:.*]] = fagpu.ring {arrivals = 8 : i64, fills = 4 : i64, {{.*}}paired}

// The loader: this block's keys, and those columns of the other's that this one adds.
// CHECK: fagpu.role producer
// CHECK: ^bb0(%[[BLOCK:.*]]: i32, %{{.*}}: !fagpu.cursor<1>, %{{.*}}: !fagpu.cursor<3>):
// CHECK: %[[RANK:.*]] = arith.remui %[[BLOCK]], %c2_i32
// CHECK: arith.divui %[[BLOCK]], %c2_i32
// CHECK: fagpu.commit %[[KR]]{{.*}} bytes 57344
// CHECK: fagpu.tma_load %[[MAP:.*]][{{.*}}] to %[[K]]
// CHECK: fagpu.tma_load {{.*}} to %[[V]]
// CHECK: fagpu.tma_load %[[MAP]][{{.*}}] columns(%[[RANK]]) to %[[OTHER]][%c0_i32]
// CHECK: fagpu.tma_load %[[MAP]][{{.*}}] columns(%c2_i32) to %[[OTHER]][%c1_i32]

// d_query: a block of 64 columns and half of one; the first is added before the next is multiplied. The slot is released when dS, in
// registers, has been used.
// CHECK: fagpu.role consumer
// CHECK: %[[RANK:.*]] = arith.remui
// CHECK: fagpu.wait_full %[[DSR]]
// CHECK: %[[MINE:.*]] = fagpu.read_fragments %[[DS]]
// CHECK: %[[THEIRS:.*]] = fagpu.read_fragments %[[DS]]
// CHECK: %[[HALF:.*]] = arith.addi %[[RANK]], %c4_i32
// CHECK-NEXT: %[[A:.*]] = fagpu.wgmma %[[MINE]], %[[K]]{{.*}} columns(%[[RANK]])
// CHECK-NEXT: %[[AB:.*]] = fagpu.wgmma %[[THEIRS]], %[[OTHER]]{{.*}} columns(%c0_i32) acc(%[[A]] :
// CHECK-NEXT: fagpu.wgmma_wait 0 done(%[[AB]] :
// CHECK-NEXT: fagpu.release %[[DSR]]
// CHECK-NEXT: fagpu.reduce_add {{.*}} columns(%[[RANK]]) {tile_dims
// CHECK-NEXT: %[[C:.*]] = fagpu.wgmma %[[MINE]], %[[K]]{{.*}} columns(%[[HALF]]) {b_rows_are_k, half_blocks}
// CHECK-NEXT: %[[CD:.*]] = fagpu.wgmma %[[THEIRS]], %[[OTHER]]{{.*}} columns(%[[RANK]]) acc(%[[C]] : {{.*}} {b_rows_are_k, half_blocks}
// CHECK-NEXT: fagpu.wgmma_wait 0 done(%[[CD]] :
// CHECK-NEXT: fagpu.reduce_add {{.*}} columns(%[[HALF]]) {half_blocks

// dS: stored, fenced behind the product for d_key, sent, handed over.
// CHECK: fagpu.role consumer
// CHECK: fagpu.role consumer
// CHECK: fagpu.acquire %[[DSR]]
// CHECK-NEXT: fagpu.store_fragments %[[DST:.*]] to %[[DS]]{{.*}} {unfenced}
// CHECK: fagpu.wgmma %[[DST]], %[[Q]]
// CHECK-NEXT: fagpu.fence_proxy
// CHECK-NEXT: fagpu.send %[[DS]][{{.*}}] from 0 to 1 on %[[DSR]]
// CHECK-NEXT: fagpu.commit %[[DSR]]{{.*}} bytes 8192
func.func @causal(%q: memref<?x?x?x?x192xbf16>, %k: memref<?x?x?x192xbf16>, %v: memref<?x?x?x128xbf16>, %o: memref<?x?x?x?x128xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x128xbf16>, %dq: memref<?x?x?x?x192xbf16>, %dk: memref<?x?x?x192xbf16>, %dv: memref<?x?x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x192xbf16>, memref<?x?x?x192xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x?x128xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x192xbf16>, memref<?x?x?x192xbf16>, memref<?x?x?x128xbf16>)
  return
}
