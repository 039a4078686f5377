// RUN: %fa-opt %s --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=0 gradient-persistent=0 gradient-packed-scores=0 gradient-rows-ahead=0 gradient-delta-ahead=0 gradient-score-steps=0'" --split-input-file | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// The sum of d_query, delta and the copy of lse hold whole tiles of 64 queries.
// CHECK-LABEL: func @causal
// CHECK: scf.if
// CHECK: %[[TILES:.*]] = arith.ceildivui
// CHECK: %[[ROWS:.*]] = arith.muli %[[TILES]]
// CHECK: memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : memref<?x?x?x?x128xf32>
// CHECK: gpu.launch_func @fa_kernels::@causal_kernel_1_tma
// CHECK: gpu.launch_func
// CHECK: } else {
// CHECK-NOT: _tma

// CHECK: fagpu.kernel @causal_kernel_1_tma
// CHECK-DAG: %[[K:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<2x64x128xbf16>
// CHECK-DAG: fagpu.rows {{.*}} : !fagpu.shared_rows<3x64xf32>
// CHECK-DAG: %[[SCORES:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<4x64x64xbf16>
// CHECK: fagpu.ring {arrivals = 4 : i64, fills = 8 : i64
// CHECK: fagpu.role producer warpgroups(1) registers(24) {
// CHECK: fagpu.commit %{{.*}} bytes 65536
// CHECK: fagpu.commit %{{.*}} bytes 16640
// CHECK: fagpu.bulk_load

// d_query: 64 columns at a time, dS of both key tiles.
// CHECK: fagpu.role consumer warpgroups(1) registers(72) {
// CHECK: fagpu.wait_full
// CHECK-NEXT: scf.for %[[PART:.*]] = %c0_i32 to %c2_i32
// CHECK: fagpu.wgmma %{{.*}} columns(%[[PART]]) {a_rows_are_k, b_rows_are_k, tiles = 2 : i64}
// CHECK: fagpu.reduce_add %{{.*}} columns(%[[PART]])
// CHECK: fagpu.release

// d_key and d_value: the first scores, masked tiles, full ones, masked ones, the last tile.
// CHECK: fagpu.role consumer warpgroups(2) registers(208) {
// CHECK: fagpu.wait_full %{{.*}} {early}
// CHECK: fagpu.wgmma
// CHECK: fagpu.wgmma_wait 0
// CHECK: scf.for
// CHECK: arith.cmpi slt
// CHECK: fagpu.pack
// CHECK: fagpu.wgmma
// CHECK: fagpu.wgmma
// CHECK: fagpu.wgmma_wait 0 done(%{{.*}}, %{{.*}} :
// CHECK: fagpu.unpack
// CHECK: fagpu.pack
// CHECK: fagpu.acquire
// CHECK: fagpu.store_fragments %{{.*}} {unfenced}
// CHECK: fagpu.wgmma
// CHECK: fagpu.wait_full %{{.*}} {early}
// CHECK: fagpu.wgmma
// CHECK-NEXT: fagpu.fence_proxy
// CHECK-NEXT: fagpu.commit %{{.*}} bytes 0
// CHECK: fagpu.wgmma_wait 0 done(%{{.*}}, %{{.*}} :
// CHECK: scf.for
// CHECK: scf.for
// CHECK: fagpu.tma_store
// CHECK: fagpu.tma_store

// What rounds the sum reads it in its order.
// CHECK: gpu.func @causal_kernel_2
// CHECK: fagpu.load_fragments
func.func @causal(%q: memref<?x?x?x?x128xbf16>, %k: memref<?x?x?x128xbf16>, %v: memref<?x?x?x128xbf16>, %o: memref<?x?x?x?x128xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x128xbf16>, %dq: memref<?x?x?x?x128xbf16>, %dk: memref<?x?x?x128xbf16>, %dv: memref<?x?x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x?x128xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// P and what times dP - delta is dS; both are packed before the second products.
// CHECK: fagpu.kernel @softcap_kernel_{{[0-9]+}}_tma
// CHECK: fagpu.role consumer warpgroups(2)
// CHECK: scf.for
// CHECK: %[[BOTH:.*]]:2 = linalg.generic
// CHECK: %[[TANH:.*]] = math.tanh
// CHECK: %[[P:.*]] = math.exp2
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[TANH]], %[[TANH]]
// CHECK: %[[SLOPE:.*]] = arith.subf %{{.*}}, %[[SQUARE]]
// CHECK: %[[FACTOR:.*]] = arith.mulf %[[P]], %[[SLOPE]]
// CHECK: linalg.yield %[[P]], %[[FACTOR]]
// CHECK: fagpu.pack %[[BOTH]]#0
// CHECK: fagpu.pack %[[BOTH]]#1
func.func @softcap(%q: memref<?x?x?x?x128xbf16>, %k: memref<?x?x?x128xbf16>, %v: memref<?x?x?x128xbf16>, %o: memref<?x?x?x?x128xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x128xbf16>, %dq: memref<?x?x?x?x128xbf16>, %dk: memref<?x?x?x128xbf16>, %dv: memref<?x?x?x128xbf16>) {
  fa.attention_backward {softcap = 20.0 : f64, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x?x128xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
#s = affine_map<(b, h, g, m, n, d, e) -> (h, g)>

// A slope is loaded once per head.
// CHECK: fagpu.kernel @alibi_kernel_{{[0-9]+}}_tma
// CHECK: fagpu.role consumer warpgroups(2)
// CHECK: scf.for
// CHECK: %[[SLOPE:.*]] = memref.load
// CHECK: tensor.from_elements %[[SLOPE]]
// CHECK: scf.for
// CHECK-NOT: memref.load
// CHECK: fagpu.tma_store
func.func @alibi(%q: memref<?x?x?x?x64xbf16>, %k: memref<?x?x?x64xbf16>, %v: memref<?x?x?x64xbf16>, %o: memref<?x?x?x?x64xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xbf16>, %dq: memref<?x?x?x?x64xbf16>, %dk: memref<?x?x?x64xbf16>, %dv: memref<?x?x?x64xbf16>, %s: memref<?x?xf32>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #s, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x?x64xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xbf16>)
    alibi(%s : memref<?x?xf32>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// One order of additions: tickets, query tiles from the last one, and a count per block that the next one waits for. Two threads
// pass on what blocks tell each other; who adds meets them at rings.
// CHECK-LABEL: func @deterministic
// CHECK: memref.alloc() {fagpu.kept_zero} : memref<1xi32>
// CHECK: %[[COUNTS:.*]] = memref.alloc(%{{.*}}) : memref<?xi32>
// CHECK: gpu.launch_func @fa_kernels::@deterministic_kernel_{{[0-9]+}}_clear
// CHECK: gpu.launch_func @fa_kernels::@deterministic_kernel_{{[0-9]+}}_tma
// CHECK: fagpu.kernel @deterministic_kernel_{{[0-9]+}}_tma
// CHECK: fagpu.role producer
// CHECK: fagpu.for_each_tile ticket
// CHECK: fagpu.role messenger warpgroups(1)
// CHECK: fagpu.for_each_tile ticket
// CHECK: scf.for
// CHECK: fagpu.acquire %[[TURN:.*]][
// CHECK: fagpu.await_count
// CHECK: fagpu.commit %[[TURN]][
// CHECK: fagpu.role messenger warpgroups(1)
// CHECK: fagpu.for_each_tile ticket
// CHECK: fagpu.set_count
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %[[END:.*]] step %c64_i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %c64_i32
// CHECK: %[[ISLAST:.*]] = arith.cmpi sge, %[[NEXT]], %[[END]]
// CHECK: fagpu.wait_full %[[ADDED:.*]][
// CHECK-NEXT: %[[BY2:.*]] = arith.remui %[[PROGRESS:.*]], %c2_i32
// CHECK-NEXT: %[[ISSECOND:.*]] = arith.cmpi eq, %[[BY2]], %c0_i32
// CHECK-NEXT: %[[SETS:.*]] = arith.ori %[[ISLAST]], %[[ISSECOND]]
// CHECK-NEXT: scf.if %[[SETS]] {
// CHECK-NEXT: fagpu.set_count %{{.*}} to(%[[PROGRESS]])
// CHECK-NEXT: }
// CHECK: fagpu.release %[[ADDED]][
// CHECK: fagpu.role consumer warpgroups(1)
// CHECK: fagpu.for_each_tile ticket
// CHECK: scf.for
// CHECK: fagpu.wait_full %[[TURN]][
// CHECK: fagpu.reduce_add {{.*}}ordered
// CHECK: fagpu.release %[[TURN]][
// CHECK: fagpu.acquire %[[ADDED]][
// CHECK: fagpu.commit %[[ADDED]][
func.func @deterministic(%q: memref<?x?x?x?x64xbf16>, %k: memref<?x?x?x64xbf16>, %v: memref<?x?x?x64xbf16>, %o: memref<?x?x?x?x64xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xbf16>, %dq: memref<?x?x?x?x64xbf16>, %dk: memref<?x?x?x64xbf16>, %dv: memref<?x?x?x64xbf16>) {
  fa.attention_backward {causal, deterministic, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x?x64xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// What lies past a length may be NaN: keys for d_query, queries and d_out for the sums of the others.
// CHECK: fagpu.kernel @lengths_kernel_{{[0-9]+}}_tma
// CHECK: fagpu.role consumer warpgroups(1)
// CHECK: fagpu.clear_tail %{{.*}} of %{{.*}}[%c0_i32] from
// CHECK: fagpu.clear_tail %{{.*}} of %{{.*}}[%c1_i32] from
// CHECK: fagpu.role consumer warpgroups(2)
// CHECK: fagpu.clear_tail
// CHECK: fagpu.clear_tail
func.func @lengths(%q: memref<?x?x?x?x64xbf16>, %k: memref<?x?x?x64xbf16>, %v: memref<?x?x?x64xbf16>, %o: memref<?x?x?x?x64xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xbf16>, %dq: memref<?x?x?x?x64xbf16>, %dk: memref<?x?x?x64xbf16>, %dv: memref<?x?x?x64xbf16>, %ql: memref<?xi32>, %kl: memref<?xi32>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x?x64xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xbf16>)
    query_lengths(%ql : memref<?xi32>) key_lengths(%kl : memref<?xi32>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
  return
}
