// RUN: %fa-opt %s --fa-fuse-softmax --fa-tile="query-tile=32 key-tile=16" --cse | FileCheck %s
// RUN: %fa-opt %s --fa-fuse-softmax --fa-tile="query-tile=32 key-tile=16 partial-sums=4" --cse | FileCheck %s --check-prefix=PARTIAL
// RUN: %fa-opt %s --fa-fuse-softmax --fa-tile="preset=fa1 query-tile=32 key-tile=16" --cse | FileCheck %s --check-prefix=FA1

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// Keys a multiple of the tile and nothing masked: one loop of full tiles. Head dimension 24 becomes 32.
// CHECK-LABEL: func @full
// CHECK-SAME: (%[[Q:.*]]: memref<2x4x3x50x24xbf16>, %[[K:.*]]: memref<2x4x64x24xbf16>, %[[V:.*]]: memref<2x4x64x24xbf16>, %[[O:.*]]: memref<2x4x3x50x24xbf16>)
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %[[G:.*]], %[[T:.*]]) in (2, 4, 3, 2) {
// CHECK: %[[ROW:.*]] = arith.muli %[[T]], %c32
// CHECK: %[[QT:.*]] = fa.load_tile %[[Q]][%[[B]], %[[H]], %[[G]], %[[ROW]], %c0] {tile_dims = array<i64: 3, 4>} : memref<2x4x3x50x24xbf16> -> tensor<32x32xbf16>
// CHECK: %[[S:.*]]:3 = scf.for %[[KEY:[a-z0-9]*]] = %c0 to %c64 step %c16 iter_args(%[[ACC:.*]] = %{{.*}}, %[[MAX:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>) {
// CHECK-NEXT: %[[KT:.*]] = fa.load_tile %[[K]][%[[B]], %[[H]], %[[KEY]], %c0] {tile_dims = array<i64: 2, 3>} : memref<2x4x64x24xbf16> -> tensor<16x32xbf16>
// CHECK-NEXT: %[[VT:.*]] = fa.load_tile %[[V]][%[[B]], %[[H]], %[[KEY]], %c0] {tile_dims = array<i64: 2, 3>} : memref<2x4x64x24xbf16> -> tensor<16x32xbf16>
// CHECK-NEXT: fa.online_attention {indexing_maps = {{.*}}, raw_max} ins(%[[QT]], %[[KT]], %[[VT]] : {{.*}}) scale(%{{.*}} : f32) outs(%[[ACC]], %[[MAX]], %[[SUM]] : {{.*}})
// CHECK-NEXT: scf.yield
// CHECK-NOT: scf.for
// CHECK: %[[R:.*]] = fa.finalize {{.*}} ins(%[[S]]#0, %[[S]]#1, %[[S]]#2 : {{.*}})
// CHECK: fa.store_tile %[[R]], %[[O]][%[[B]], %[[H]], %[[G]], %[[ROW]], %c0] {tile_dims = array<i64: 3, 4>} : tensor<32x32xbf16>, memref<2x4x3x50x24xbf16>
// CHECK: } {fa.schedule = #fa.schedule<order = q_outer, query_tile = 32, key_tile = 16, partial_sums = 1>}
// CHECK-NEXT: return

// PARTIAL-LABEL: func @full
// PARTIAL: scf.for {{.*}} -> (tensor<32x32xf32>, tensor<32xf32>, tensor<32x4xf32>)

// Algorithm 1: K and V stay; Q and the state are loaded, the state stored, for every pair of tiles.
// FA1-LABEL: func @full
// FA1-DAG: %[[ACC:.*]] = memref.alloc() : memref<2x4x3x50x24xf32>
// FA1-DAG: %[[MAX:.*]] = memref.alloc() : memref<2x4x3x50xf32>
// FA1: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (2, 4, 3) {
// FA1: scf.for %{{.*}} = %c0 to %c64{{.*}} step %c32
// FA1-COUNT-3: fa.store_tile
// FA1: scf.for %[[KEY:[a-z0-9]*]] = %c0 to %c64{{.*}} step %c16
// FA1-COUNT-2: fa.load_tile
// FA1: scf.for %[[ROW:[a-z0-9]*]] = %c0 to %c64{{.*}} step %c32
// FA1-COUNT-4: fa.load_tile
// FA1: fa.online_attention {indexing_maps = {{.*}}, raw_max}
// FA1-COUNT-3: fa.store_tile
// FA1: scf.for
// FA1-COUNT-3: fa.load_tile
// FA1: fa.finalize
// FA1-COUNT-1: fa.store_tile
func.func @full(%q: memref<2x4x3x50x24xbf16>, %k: memref<2x4x64x24xbf16>, %v: memref<2x4x64x24xbf16>,
                %o: memref<2x4x3x50x24xbf16>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : memref<2x4x3x50x24xbf16>, memref<2x4x64x24xbf16>, memref<2x4x64x24xbf16>)
    outs(%o : memref<2x4x3x50x24xbf16>)
  return
}

// A remainder of keys is a partial tile, with its limit and nothing else.
// CHECK-LABEL: func @remainder
// CHECK: %[[N:.*]] = memref.dim %{{.*}}, %c2
// CHECK: scf.for
// CHECK: fa.online_attention {indexing_maps = {{.*}}, raw_max} ins({{.*}}) scale(%{{.*}} : f32) outs(
// CHECK: scf.for %[[KEY:[a-z0-9]*]] =
// CHECK: fa.online_attention {indexing_maps = {{.*}}, raw_max} ins({{.*}}) scale(%{{.*}} : f32) query_base(%{{.*}}) key_base(%[[KEY]]) key_limit(%[[N]]) outs(
// CHECK-NOT: scf.for
// CHECK: return
func.func @remainder(%q: memref<1x1x1x?x64xf32>, %k: memref<1x1x?x64xf32>, %v: memref<1x1x?x64xf32>,
                     %o: memref<1x1x1x?x64xf32>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : memref<1x1x1x?x64xf32>, memref<1x1x?x64xf32>, memref<1x1x?x64xf32>)
    outs(%o : memref<1x1x1x?x64xf32>)
  return
}

// Causal, bottom right: full tiles up to the diagonal of the first row, partial ones up to that of the last.
// Sk - Sq = 48, so the first rows of a tile see 49 + row keys.
// CHECK-LABEL: func @causal
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c32
// CHECK: %[[END:.*]] = arith.addi %[[ROW]], %c32
// CHECK: %[[CLIPPED:.*]] = arith.minsi %[[END]], %c80
// CHECK: %[[LAST:.*]] = arith.addi %[[CLIPPED]], %c48
// CHECK: arith.minsi %[[LAST]], %c128
// CHECK: %[[FIRST:.*]] = arith.addi %[[ROW]], %c48
// CHECK: arith.addi %[[FIRST]], %c1
// CHECK: scf.for
// CHECK: fa.online_attention {indexing_maps
// CHECK-SAME: scale(%{{.*}} : f32) outs(
// CHECK: scf.for %[[KEY:[a-z0-9]*]] =
// CHECK: fa.online_attention {causal, indexing_maps
// CHECK-SAME: query_base(%[[ROW]]) key_base(%[[KEY]]) offset(%{{.*}}) outs(
func.func @causal(%q: memref<1x1x1x80x64xf32>, %k: memref<1x1x128x64xf32>, %v: memref<1x1x128x64xf32>,
                  %o: memref<1x1x1x80x64xf32>) {
  fa.attention {causal, alignment = #fa.alignment<bottom_right>, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : memref<1x1x1x80x64xf32>, memref<1x1x128x64xf32>, memref<1x1x128x64xf32>)
    outs(%o : memref<1x1x1x80x64xf32>)
  return
}

// A window: partial, full, partial. A key length: values past it are loaded as 0, where a tile may hold some.
// CHECK-LABEL: func @window
// CHECK-SAME: %[[LENGTHS:[^:]*]]: memref<2xi32>
// CHECK: %[[LENGTH:.*]] = memref.load %[[LENGTHS]]
// CHECK: scf.for
// CHECK: fa.load_tile %{{.*}} limit(%{{.*}})
// CHECK: fa.online_attention {indexing_maps = {{.*}}, raw_max, window_left = 20 : i64, window_right = 0 : i64}
// CHECK: scf.for
// CHECK-NOT: limit
// CHECK: fa.online_attention {indexing_maps = {{.*}}, raw_max} ins
// CHECK: scf.for
// CHECK: fa.load_tile %{{.*}} limit(%{{.*}})
// CHECK: fa.online_attention {indexing_maps = {{.*}}, raw_max, window_left = 20 : i64, window_right = 0 : i64}
// CHECK-SAME: key_limit
// CHECK-NOT: scf.for
// CHECK: return
func.func @window(%q: memref<2x1x1x80x64xf32>, %k: memref<2x1x128x64xf32>, %v: memref<2x1x128x64xf32>,
                  %lengths: memref<2xi32>, %o: memref<2x1x1x80x64xf32>) {
  fa.attention {window_left = 20 : i64, window_right = 0 : i64, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : memref<2x1x1x80x64xf32>, memref<2x1x128x64xf32>, memref<2x1x128x64xf32>)
    key_lengths(%lengths : memref<2xi32>)
    outs(%o : memref<2x1x1x80x64xf32>)
  return
}

#pq = affine_map<(b, h, g, m, n, d, e) -> (m, h, d)>
#pk = affine_map<(b, h, g, m, n, d, e) -> (n, h, d)>
#pv = affine_map<(b, h, g, m, n, d, e) -> (n, h, e)>
#po = affine_map<(b, h, g, m, n, d, e) -> (m, h, e)>
#pm = affine_map<(b, h, g, m, n, d, e) -> (b, n)>
#ps = affine_map<(b, h, g, m, n, d, e) -> (h)>

// Packed sequences: tiles past a sequence's end do nothing, rows of the next are not written. Slopes do not move
// with the keys and are loaded once.
// CHECK-LABEL: func @packed
// CHECK: scf.forall (%[[B:.*]], %{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}}, 2, 1, %{{.*}}) {
// CHECK: %[[START:.*]] = arith.index_cast
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK: scf.if %[[INSIDE]] {
// CHECK: %[[SLOPE:.*]] = memref.load %arg4
// CHECK: tensor.from_elements %[[SLOPE]] : tensor<f32>
// CHECK: scf.for %[[KEY:[a-z0-9]*]] =
// CHECK: fa.load_tile %{{.*}}[%[[B]], %[[KEY]]] {tile_dims = array<i64: 1>} : memref<?x?xi1> -> tensor<16xi1>
// CHECK: fa.store_tile %{{.*}} limit(%{{.*}})
func.func @packed(%q: memref<?x2x16xf32>, %k: memref<?x2x16xf32>, %v: memref<?x2x16xf32>, %mask: memref<?x?xi1>,
                  %slopes: memref<2xf32>, %qo: memref<?xi32>, %ko: memref<?xi32>, %o: memref<?x2x16xf32>) {
  fa.attention {indexing_maps = [#pq, #pk, #pv, #pm, #ps, #po]}
    ins(%q, %k, %v : memref<?x2x16xf32>, memref<?x2x16xf32>, memref<?x2x16xf32>)
    mask(%mask : memref<?x?xi1>) alibi(%slopes : memref<2xf32>)
    query_offsets(%qo : memref<?xi32>) key_offsets(%ko : memref<?xi32>)
    outs(%o : memref<?x2x16xf32>)
  return
}

// On tensors: operands by to_buffer, the result in a new buffer.
// CHECK-LABEL: func @tensors
// CHECK: %[[NEW:.*]] = memref.alloc() : memref<1x1x1x8x16xf32>
// CHECK: bufferization.to_buffer %{{.*}} read_only
// CHECK: fa.store_tile %{{.*}}, %[[NEW]]
// CHECK: %[[R:.*]] = bufferization.to_tensor %[[NEW]] restrict writable
// CHECK: return %[[R]]
func.func @tensors(%q: tensor<1x1x1x8x16xf32>, %k: tensor<1x1x8x16xf32>, %v: tensor<1x1x8x16xf32>)
    -> tensor<1x1x1x8x16xf32> {
  %o = tensor.empty() : tensor<1x1x1x8x16xf32>
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<1x1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
    outs(%o : tensor<1x1x1x8x16xf32>) -> tensor<1x1x1x8x16xf32>
  return %r : tensor<1x1x1x8x16xf32>
}
