// RUN: %fa-opt %s --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=1'" --split-input-file | FileCheck %s
// RUN: %fa-opt %s --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=1'" --split-input-file | %fa-opt --split-input-file | FileCheck %s
// RUN: %fa-opt %s --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-one-launch=1 gradient-prepare-blocks=7 gradient-finish-tiles=3 gradient-finish-lead=100'" --split-input-file | FileCheck %s --check-prefix=WORDS

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// A counter of tickets and a count per head stay 0 between launches; nobody clears them.
// CHECK-LABEL: func @full
// CHECK: scf.if
// CHECK-DAG: memref.alloc() {fagpu.kept_zero} : memref<1xi32>
// CHECK-DAG: memref.alloc(%{{.*}}) {fagpu.kept_zero} : memref<?xi32>
// CHECK: gpu.launch_func @fa_kernels::@full_kernel_1_tma
// CHECK-NOT: gpu.launch_func
// CHECK: } else {
// CHECK: fagpu.kernel @full_kernel_1_tma
// CHECK: %{{.*}}, %[[NUMBER:.*]] = fagpu.draw counter(%[[COUNTER:.*]] : memref<1xi32>) of(%{{.*}})
// CHECK: fagpu.smem {offset = 0 : i64, overlay} : !fagpu.swizzled<4x64x128xbf16>
// Keys and the first queries do not wait for rows.
// CHECK: fagpu.role producer
// CHECK: fagpu.for_each_tile ticket total(%{{.*}}) via(%{{.*}}) counter(%[[NUMBER]] : i32)
// CHECK: scf.for
// CHECK: fagpu.tma_load
// CHECK: scf.if
// CHECK-NEXT: fagpu.await_count %[[HEADS:.*]][%{{.*}}] reaches(%[[PREPARED:.*]]) : memref<?xi32>
// CHECK: fagpu.bulk_load
// CHECK: fagpu.bulk_load
// CHECK: fagpu.role consumer warpgroups(1)
// CHECK: fagpu.await_count %[[HEADS]][%[[HEAD:.*]]] reaches(%[[PREPARED]])
// CHECK: fagpu.reduce_add
// CHECK: fagpu.add_count %[[HEADS]][%[[HEAD]]] wraps(%[[ALL:.*]])
// CHECK: fagpu.role consumer warpgroups(2)
// CHECK-NOT: _count
// CHECK: fagpu.without_roles 1
// CHECK: scf.for
// CHECK: fa.store_tile
// CHECK: fa.store_tile
// CHECK: fagpu.put_fragments
// CHECK: fagpu.add_count %[[HEADS]][%{{.*}}] wraps(%[[ALL]])
// CHECK: fagpu.without_roles 2
// CHECK: scf.for
// CHECK: fagpu.await_count %[[HEADS]]
// CHECK: fagpu.load_fragments
// CHECK: fagpu.tma_store
// CHECK: fagpu.add_count %[[HEADS]][%{{.*}}] wraps(%[[ALL]])
// WORDS: fagpu.kernel @full_kernel_1_tma
// WORDS-SAME: one_launch = 1, prepare_blocks = 7, finish_tiles = 3, finish_lead = 100
func.func @full(%q: memref<?x?x?x?x128xbf16>, %k: memref<?x?x?x128xbf16>, %v: memref<?x?x?x128xbf16>, %o: memref<?x?x?x?x128xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x128xbf16>, %dq: memref<?x?x?x?x128xbf16>, %dk: memref<?x?x?x128xbf16>, %dv: memref<?x?x?x128xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x?x128xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x128xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x128xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// Wide rows are finished in parts, as many as fit in registers.
// CHECK-LABEL: func @wide
// CHECK: fagpu.kernel @wide_kernel_1_tma
// CHECK: fagpu.without_roles 2
// CHECK: scf.for
// CHECK: fagpu.await_count
// CHECK: scf.for %[[PART:.*]] = %c0_i32 to %c4_i32
// CHECK: fagpu.load_fragments %{{.*}} columns(%[[PART]])
// CHECK: fa.store_tile
// CHECK: fagpu.add_count
func.func @wide(%q: memref<?x?x?x256xbf16>, %k: memref<?x?x?x256xbf16>, %v: memref<?x?x?x256xbf16>, %o: memref<?x?x?x256xbf16>, %l: memref<?x?x?xf32>, %do: memref<?x?x?x256xbf16>, %dq: memref<?x?x?x256xbf16>, %dk: memref<?x?x?x256xbf16>, %dv: memref<?x?x?x256xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?xf32>, memref<?x?x?x256xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?x256xbf16>)
  return
}
