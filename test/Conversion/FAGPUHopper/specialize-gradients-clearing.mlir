// Sums of d_query that persistent blocks clear and round: warps of each do so, some tiles ahead and when heads are done, so that no launch does.
// RUN: split-file %s %t
// RUN: %fa-opt %t/single.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %t/single.mlir
// RUN: %fa-opt %t/pair.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %t/pair.mlir

// The launch that prepares rows clears them where blocks have one tile each, ...
// RUN: %fa-opt %t/single.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-persistent=0'" | FileCheck %s --check-prefixes=KEPT,ONCE
// RUN: %fa-opt %t/pair.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='gradients=roles gradient-persistent=0'" | FileCheck %s --check-prefixes=KEPT,ONCE

// ... and where heads do not lie one after another as they are numbered: heads before batches, a group's before the heads, rows before the heads,
// one dimension for all of them.
// RUN: %fa-opt %t/turned.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %s --check-prefixes=KEPT,MANY
// RUN: %fa-opt %t/groups.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %s --check-prefixes=KEPT,MANY
// RUN: %fa-opt %t/rows.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %s --check-prefixes=KEPT,MANY
// RUN: %fa-opt %t/heads.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %s --check-prefixes=KEPT,MANY

// KEPT: %[[SUM:[a-z_0-9]+]] = memref.alloc({{.*}}) : memref<{{.*}}x{{64|192}}xf32>
// KEPT: gpu.launch_func @fa_kernels::@{{[a-z]*}}_kernel blocks in {{.*}} %[[SUM]] : memref<
// ONCE-NOT: fagpu.kept_zero
// MANY: memref.alloc() {fagpu.kept_zero} : memref<1xi32>
// MANY-NOT: fagpu.kept_zero
// KEPT: gpu.launch_func @fa_kernels::@{{[a-z]*}}_kernel_1_tma {{.*}} %[[SUM]] : memref<
// KEPT: gpu.launch_func @fa_kernels::@{{[a-z]*}}_kernel_2 {{.*}}%[[SUM]] : memref<
// KEPT: fagpu.kernel @{{[a-z]*}}_kernel_1_tma
// KEPT-NOT: fagpu.role messenger
// KEPT-NOT: fagpu.await_count
// KEPT-NOT: fagpu.add_count
// KEPT: gpu.func

//--- single.mlir
// The launch that prepares rows has come before there are sums; nothing else comes before the kernel that adds. It takes a counter, how many parts of
// each head are done, and numbers: heads that take turns, and two tiles of each block, are cleared before the first tile; every block takes a number
// that is none; a tile's part, a head's, how many are done when a head is ready, and when all have added to it, and it is rounded. For rounding it takes
// another counter: of a block, two warps and those of all consumers take a number that is none.
// CHECK-LABEL: func.func @single
// CHECK: gpu.launch_func @fa_kernels::@single_kernel blocks in
// CHECK-NOT: gpu.launch_func
// CHECK: %[[SUM:.*]] = memref.alloc(%{{.*}}, %{{.*}}, %[[G:.*]], %[[ROWS:.*]]) : memref<?x?x?x?x64xf32>
// CHECK-NOT: gpu.launch_func
// CHECK: %[[GROUPS:.*]] = arith.ceildivui %{{.*}}, %c2
// CHECK: %[[SLICES:.*]] = arith.muli
// CHECK: %[[TOTAL:.*]] = arith.muli %[[GROUPS]], %[[SLICES]]
// CHECK: %[[TILES:.*]] = memref.alloc() {fagpu.kept_zero} : memref<1xi32>
// CHECK: %[[TOGETHER:.*]] = arith.maxui %{{.*}}, %c1
// CHECK: %[[BLOCKS:.*]] = arith.minui %[[TOTAL]], %{{.*}}
// CHECK: %[[QUERIES:.*]] = arith.divui %{{.*}}, %c64
// CHECK: %[[INGRID:.*]] = arith.muli
// CHECK: %[[ROUNDS:.*]] = arith.muli %[[QUERIES]], %[[INGRID]]
// CHECK: %[[ALLROUNDS:.*]] = arith.muli %[[ROUNDS]], %{{.*}}
// CHECK: %[[ROUNDED:.*]] = arith.divui %[[ALLROUNDS]], %[[SLICES]]
// CHECK: %[[WARPS:.*]] = arith.muli %[[BLOCKS]], %c14
// CHECK: %[[ROUNDDRAWS:.*]] = arith.addi %[[ALLROUNDS]], %[[WARPS]]
// CHECK: %[[ROUNDTAKEN:.*]] = memref.alloc() {fagpu.kept_zero} : memref<1xi32>
// CHECK-DAG: %[[ROUNDDRAWSI:.*]] = arith.index_cast %[[ROUNDDRAWS]] :
// CHECK-DAG: %[[ALLROUNDSI:.*]] = arith.index_cast %[[ALLROUNDS]] :
// CHECK-DAG: %[[ROUNDEDI:.*]] = arith.index_cast %[[ROUNDED]] :
// CHECK-DAG: %[[QUERIESI:.*]] = arith.index_cast %[[QUERIES]] :
// CHECK: %[[GROUPROWS:.*]] = arith.muli %[[G]], %[[ROWS]]
// CHECK: %[[SIZE:.*]] = arith.muli %[[GROUPROWS]], %c64
// CHECK: %[[OFHEAD:.*]] = arith.divui %[[SIZE]], %c256
// CHECK: %[[HEADS:.*]] = arith.minui %[[TOGETHER]], %[[SLICES]]
// CHECK: %[[TURNS:.*]] = arith.muli %[[HEADS]], %[[GROUPS]]
// CHECK: %[[TWO:.*]] = arith.muli %[[BLOCKS]], %c2
// CHECK: %[[MOST:.*]] = arith.addi %[[TURNS]], %[[TWO]]
// CHECK: %[[AHEAD:.*]] = arith.minui %[[MOST]], %[[TOTAL]]
// CHECK: %[[TAKEN:.*]] = memref.alloc() {fagpu.kept_zero} : memref<1xi32>
// CHECK: %[[KIBI:.*]] = arith.ceildivui %[[SLICES]], %c1024
// CHECK: %[[ENTRIES:.*]] = arith.muli %[[KIBI]], %c1024
// CHECK: %[[DONE:.*]] = memref.alloc(%[[ENTRIES]]) {fagpu.kept_zero} : memref<?xi32>
// CHECK: %[[DRAWS:.*]] = arith.addi %[[AHEAD]], %[[BLOCKS]]
// CHECK: %[[UNIT:.*]] = arith.ceildivui %[[OFHEAD]], %[[GROUPS]]
// CHECK: %[[BOTH:.*]] = arith.muli %[[GROUPS]], %c2
// CHECK: %[[THREE:.*]] = arith.addi %[[BOTH]], %[[ROUNDED]]
// CHECK-DAG: %[[DRAWSI:.*]] = arith.index_cast %[[DRAWS]] :
// CHECK-DAG: %[[AHEADI:.*]] = arith.index_cast %[[AHEAD]] :
// CHECK-DAG: %[[UNITI:.*]] = arith.index_cast %[[UNIT]] :
// CHECK-DAG: %[[OFHEADI:.*]] = arith.index_cast %[[OFHEAD]] :
// CHECK-DAG: %[[THREEI:.*]] = arith.index_cast %[[THREE]] :
// CHECK: gpu.launch_func @fa_kernels::@single_kernel_1_tma blocks in (%[[BLOCKS]], {{.*}}%[[TILES]] : memref<1xi32>, {{.*}}%[[SUM]] : memref<?x?x?x?x64xf32>
// CHECK-SAME: %[[ROUNDTAKEN]] : memref<1xi32>, %[[ROUNDDRAWSI]] : i32, %[[ALLROUNDSI]] : i32, %[[ROUNDEDI]] : i32, %[[QUERIESI]] : i32, %{{.*}} : i32, %arg6 : memref<?x?x?x?x64xbf16>, %{{.*}} : index
// CHECK-SAME: %[[TAKEN]] : memref<1xi32>, %[[DONE]] : memref<?xi32>, %[[DRAWSI]] : i32, %[[AHEADI]] : i32, %[[UNITI]] : i32, %[[OFHEADI]] : i32, %{{.*}} : i32, %[[THREEI]] : i32)
// CHECK-NOT: gpu.launch_func @fa_kernels::@single_kernel_2
// CHECK-NOT: fa.store_tile {{.*}}x64xf32>
// CHECK: fagpu.kernel @single_kernel_1_tma
// CHECK-SAME: %[[SUM:[^:]*]]: memref<?x?x?x?x64xf32>
// CHECK-SAME: %[[TOTAL:[^:]*]]: i32, %[[ROUNDTAKEN:[^:]*]]: memref<1xi32>, %[[ROUNDDRAWS:[^:]*]]: i32, %[[ALLROUNDS:[^:]*]]: i32, %[[ROUNDED:[^:]*]]: i32, %[[GRIDX:[^:]*]]: i32, %{{[^:]*}}: i32, %[[DQ:[^:]*]]: memref<?x?x?x?x64xbf16>, %{{[^:]*}}: index, %[[TAKEN:[^:]*]]: memref<1xi32>, %[[DONE:[^:]*]]: memref<?xi32>, %[[DRAWS:[^:]*]]: i32, %[[AHEAD:[^:]*]]: i32, %[[UNIT:[^:]*]]: i32, %[[OFHEAD:[^:]*]]: i32, %[[PREPARED:[^:]*]]: i32, %[[ALL:[^:]*]]: i32)
// CHECK: %[[RING:.*]] = fagpu.ring {arrivals = 13 : i64, mailbox

// First some of what comes before all tiles, in turn with other blocks.
// CHECK: fagpu.role messenger warpgroups(1) registers({{.*}}) attributes {whole_warp} {
// CHECK-NEXT: fagpu.for_each_number counter(%[[TAKEN]] : memref<1xi32>) total(%[[AHEAD]]) draws(%[[DRAWS]]) {
// CHECK-NEXT: ^bb0(%[[NUMBER:.*]]: i32):
// CHECK-NEXT: %[[HEAD:.*]] = arith.divui %[[NUMBER]], %[[PREPARED]]
// CHECK-NEXT: %[[HEADS:.*]] = arith.muli %[[HEAD]], %[[PREPARED]]
// CHECK-NEXT: %[[REST:.*]] = arith.subi %[[NUMBER]], %[[HEADS]]
// CHECK-NEXT: %[[FROM:.*]] = arith.muli %[[REST]], %[[UNIT]]
// CHECK-NEXT: %[[BEGIN:.*]] = arith.minsi %[[FROM]], %[[OFHEAD]]
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[OFHEAD]], %[[BEGIN]]
// CHECK-NEXT: %[[COUNT:.*]] = arith.minsi %[[UNIT]], %[[LEFT]]
// CHECK-NEXT: %[[BEFORE:.*]] = arith.muli %[[HEAD]], %[[OFHEAD]]
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[BEFORE]], %[[BEGIN]]
// CHECK-NEXT: fagpu.clear %[[SUM]][%[[AT]]] count(%[[COUNT]])
// CHECK-NEXT: fagpu.add_count %[[DONE]][%[[HEAD]]] wraps(%[[ALL]])

// Then for each tile what belongs to one that many ahead, if there is one.
// CHECK: fagpu.for_each_tile drawn
// CHECK-NEXT: ^bb0(%[[TILE:.*]]: i32, %[[C:.*]]: !fagpu.cursor<2>,
// CHECK-NEXT: fagpu.release %[[RING]][%[[C]]]
// CHECK-NEXT: %[[NUMBER:.*]] = arith.addi %[[TILE]], %[[AHEAD]]
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi slt, %[[NUMBER]], %[[TOTAL]]
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK-NEXT: %[[HEAD:.*]] = arith.divui %[[NUMBER]], %[[PREPARED]]
// CHECK: fagpu.clear %[[SUM]]
// CHECK-NEXT: fagpu.add_count %[[DONE]][%[[HEAD]]] wraps(%[[ALL]])

// Two warps round tiles, when their heads are cleared and added to.
// CHECK: fagpu.role messenger warpgroups(1) registers({{.*}}) attributes {whole_warp} {
// CHECK-NEXT: fagpu.for_each_number counter(%[[ROUNDTAKEN]] : memref<1xi32>) total(%[[ALLROUNDS]]) draws(%[[ROUNDDRAWS]]) {
// CHECK-NEXT: ^bb0(%[[NUMBER:.*]]: i32):
// CHECK-NEXT: %[[HEAD:.*]] = arith.divui %[[NUMBER]], %[[ROUNDED]]
// CHECK-NEXT: %[[ADDED:.*]] = arith.addi %[[PREPARED]], %[[PREPARED]]
// CHECK-NEXT: fagpu.await_count %[[DONE]][%[[HEAD]]] reaches(%[[ADDED]])
// CHECK: fagpu.round_fragments %[[SUM]][{{.*}}] part %{{.*}} of 1 times %{{.*}} to %[[DQ]][
// CHECK-NEXT: fagpu.add_count %[[DONE]][%[[HEAD]]] wraps(%[[ALL]]) {relaxed}
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: fagpu.role messenger warpgroups(1) registers({{.*}}) attributes {whole_warp} {
// CHECK-NEXT: fagpu.for_each_number counter(%[[ROUNDTAKEN]] : memref<1xi32>)
// CHECK: fagpu.round_fragments

// Who adds waits for its head, and counts when it has added. When there are no more tiles, consumers round, too.
// CHECK: fagpu.role consumer
// CHECK: fagpu.wait_full
// CHECK-NEXT: fagpu.await_count %[[DONE]][%[[HEAD:.*]]] reaches(%[[PREPARED]])
// CHECK: fagpu.reduce_add {{.*}} into %[[SUM]]
// CHECK: fagpu.add_count %[[DONE]][%[[HEAD]]] wraps(%[[ALL]]) : memref
// CHECK-NEXT: fagpu.advance
// CHECK-NEXT: fagpu.yield
// CHECK-NEXT: }
// CHECK-NEXT: fagpu.for_each_number counter(%[[ROUNDTAKEN]] : memref<1xi32>)
// CHECK: fagpu.round_fragments
// CHECK: fagpu.role consumer
// CHECK-NOT: fagpu.await_count
// CHECK: fagpu.for_each_number counter(%[[ROUNDTAKEN]] : memref<1xi32>)
// CHECK: fagpu.await_count
// CHECK: fagpu.round_fragments
// CHECK-NOT: fagpu.await_count
// CHECK: gpu.func
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
func.func @single(%q: memref<?x?x?x?x64xbf16>, %k: memref<?x?x?x64xbf16>, %v: memref<?x?x?x64xbf16>, %o: memref<?x?x?x?x64xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xbf16>, %dq: memref<?x?x?x?x64xbf16>, %dk: memref<?x?x?x64xbf16>, %dv: memref<?x?x?x64xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x?x64xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
  return
}

//--- pair.mlir
// The same of pairs, in which both blocks add: twice as many parts of a head, twice as many that add to it.
// CHECK-LABEL: func.func @pair
// CHECK: gpu.launch_func @fa_kernels::@pair_kernel blocks in
// CHECK-NOT: gpu.launch_func
// CHECK: %[[SUM:.*]] = memref.alloc({{.*}}) : memref<?x?x?x?x192xf32>
// CHECK-NOT: gpu.launch_func
// CHECK: %[[GROUPS:.*]] = arith.ceildivui %{{.*}}, %c2
// CHECK: %[[FOURTHS:.*]] = arith.muli %{{.*}}, %c4
// CHECK: %[[ALLROUNDS:.*]] = arith.muli %{{.*}}, %[[FOURTHS]]
// CHECK: %[[ROUNDED:.*]] = arith.divui %[[ALLROUNDS]], %{{.*}}
// CHECK: arith.muli %{{.*}}, %c14
// CHECK: %[[PARTS:.*]] = arith.divui %{{.*}}, %c256
// CHECK: %[[OFHEAD:.*]] = arith.muli %[[GROUPS]], %c2
// CHECK: %[[TAKEN:.*]] = memref.alloc() {fagpu.kept_zero} : memref<1xi32>
// CHECK: %[[DONE:.*]] = memref.alloc({{.*}}) {fagpu.kept_zero} : memref<?xi32>
// CHECK: %[[UNIT:.*]] = arith.ceildivui %[[PARTS]], %[[OFHEAD]]
// CHECK: %[[ADDED:.*]] = arith.muli %[[GROUPS]], %c4
// CHECK: %[[BOTH:.*]] = arith.addi %[[ADDED]], %[[ROUNDED]]
// CHECK-DAG: %[[UNITI:.*]] = arith.index_cast %[[UNIT]] :
// CHECK-DAG: %[[PREPARED:.*]] = arith.index_cast %[[OFHEAD]] :
// CHECK-DAG: %[[BOTHI:.*]] = arith.index_cast %[[BOTH]] :
// CHECK: gpu.launch_func @fa_kernels::@pair_kernel_1_tma clusters in {{.*}}%[[TAKEN]] : memref<1xi32>, %[[DONE]] : memref<?xi32>, %{{.*}} : i32, %{{.*}} : i32, %[[UNITI]] : i32, %{{.*}} : i32, %[[PREPARED]] : i32, %[[BOTHI]] : i32)

// Either block has such a warp, which is told of tiles as the others are.
// CHECK: fagpu.kernel @pair_kernel_1_tma
// CHECK: %[[TILES:.*]] = fagpu.ring {arrivals = 13 : i64, mailbox
// CHECK: fagpu.role messenger {{.*}} attributes {whole_warp} {
// CHECK-NEXT: fagpu.for_each_number
// CHECK: fagpu.clear
// CHECK: fagpu.for_each_tile drawn total(%{{.*}}) via(%[[TILES]] : !fagpu.ring<2>) {{.*}} inbox(%{{.*}} : !fagpu.ring<2>)
// CHECK: fagpu.clear
// CHECK: fagpu.round_fragments {{.*}} of 4 times
// CHECK: fagpu.round_fragments {{.*}} of 4 times
// CHECK: fagpu.role consumer
// CHECK: fagpu.await_count %[[DONE:.*]][%[[HEAD:.*]]] reaches(
// CHECK: fagpu.reduce_add
// CHECK: fagpu.add_count %[[DONE]][%[[HEAD]]] wraps(
// CHECK-COUNT-3: fagpu.round_fragments {{.*}} of 4 times
// CHECK-NOT: fagpu.await_count
// CHECK: gpu.func
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
func.func @pair(%q: memref<?x?x?x?x192xbf16>, %k: memref<?x?x?x192xbf16>, %v: memref<?x?x?x128xbf16>, %o: memref<?x?x?x?x128xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x128xbf16>, %dq: memref<?x?x?x?x192xbf16>, %dk: memref<?x?x?x192xbf16>, %dv: memref<?x?x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x192xbf16>, memref<?x?x?x192xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x?x128xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x192xbf16>, memref<?x?x?x192xbf16>, memref<?x?x?x128xbf16>)
  return
}

//--- turned.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (h, b, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, b, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, b, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, b, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, b, g, m)>
func.func @turned(%q: memref<?x?x?x?x64xbf16>, %k: memref<?x?x?x64xbf16>, %v: memref<?x?x?x64xbf16>, %o: memref<?x?x?x?x64xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xbf16>, %dq: memref<?x?x?x?x64xbf16>, %dk: memref<?x?x?x64xbf16>, %dv: memref<?x?x?x64xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x?x64xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
  return
}

//--- groups.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (g, b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (g, b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (g, b, h, m)>
func.func @groups(%q: memref<?x?x?x?x64xbf16>, %k: memref<?x?x?x64xbf16>, %v: memref<?x?x?x64xbf16>, %o: memref<?x?x?x?x64xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xbf16>, %dq: memref<?x?x?x?x64xbf16>, %dk: memref<?x?x?x64xbf16>, %dv: memref<?x?x?x64xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x?x64xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
  return
}

//--- rows.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, m, h, g, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, n, h, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, n, h, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, m, h, g, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
func.func @rows(%q: memref<?x?x?x?x64xbf16>, %k: memref<?x?x?x64xbf16>, %v: memref<?x?x?x64xbf16>, %o: memref<?x?x?x?x64xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xbf16>, %dq: memref<?x?x?x?x64xbf16>, %dk: memref<?x?x?x64xbf16>, %dv: memref<?x?x?x64xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x?x64xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
  return
}

//--- heads.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
func.func @heads(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>, %l: memref<?x?xf32>, %do: memref<?x?x64xbf16>, %dq: memref<?x?x64xbf16>, %dk: memref<?x?x64xbf16>, %dv: memref<?x?x64xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?xf32>, memref<?x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>)
  return
}
