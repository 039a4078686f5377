// RUN: %fa-opt %s | FileCheck %s
// RUN: %fa-opt %s --mlir-print-op-generic | %fa-opt | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// CHECK-LABEL: func @attention
// CHECK: fa.attention {causal, indexing_maps = [{{.*}}]} ins(%{{[^ ,)]*}}, %{{[^ ,)]*}}, %{{[^ ,)]*}} : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>) outs(%{{[^ ,)]*}}, %{{[^ ,)]*}} : tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>) -> tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>
func.func @attention(%query: tensor<1x8x4x?x128xbf16>, %key: tensor<1x8x?x128xbf16>,
                     %value: tensor<1x8x?x128xbf16>, %out: tensor<1x8x4x?x128xbf16>,
                     %lse: tensor<1x8x4x?xf32>) -> (tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>) {
  %r:2 = fa.attention {causal, indexing_maps = [#q, #k, #v, #o, #l]}
    ins(%query, %key, %value : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>)
    outs(%out, %lse : tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>)
    -> tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>
  return %r#0, %r#1 : tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>
}

// Every operand, attribute and region.
#bias = affine_map<(b, h, g, m, n, d, e) -> (m, n)>
#mask = affine_map<(b, h, g, m, n, d, e) -> (b, n)>
#heads = affine_map<(b, h, g, m, n, d, e) -> (h, g)>
#column = affine_map<(b, h, g, m, n, d, e) -> (n)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

// CHECK-LABEL: func @everything
// CHECK: fa.attention {alignment = #fa.alignment<bottom_right>, causal, indexing_maps = [{{.*}}], softcap = 3.000000e+01 : f64, softmax_type = f64, window_left = 8 : i64, window_right = 0 : i64}
// CHECK-SAME: ins(%{{[^ ,)]*}}, %{{[^ ,)]*}}, %{{[^ ,)]*}} : {{.*}}) scale(%{{[^ ,)]*}} : f32) bias(%{{[^ ,)]*}} : tensor<?x?xf16>) mask(%{{[^ ,)]*}} : tensor<2x?xi1>)
// CHECK-SAME: alibi(%{{[^ ,)]*}} : tensor<4x2xf32>) sinks(%{{[^ ,)]*}} : tensor<4x2xf32>) captures(%{{[^ ,)]*}}, %{{[^ ,)]*}} : tensor<?xi32>, tensor<7xf32>)
// CHECK-SAME: query_lengths(%{{[^ ,)]*}} : tensor<2xi32>) key_lengths(%{{[^ ,)]*}} : tensor<2xi32>)
// CHECK-SAME: query_base(%{{[^ ,)]*}}) key_base(%{{[^ ,)]*}}) batch_base(%{{[^ ,)]*}}) head_base(%{{[^ ,)]*}}) query_limit(%{{[^ ,)]*}}) key_limit(%{{[^ ,)]*}})
// CHECK-SAME: outs(%{{[^ ,)]*}} : tensor<2x4x2x?x64xf16>) score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f64, %{{.*}}: i32, %[[TABLE:.*]]: tensor<7xf32>):
// CHECK: fa.index q
// CHECK: tensor.extract %[[TABLE]]
// CHECK: fa.yield %{{[^ ,)]*}} : f64
// CHECK: } keep {
// CHECK-NEXT: ^bb0(%[[C:.*]]: i32, %{{.*}}: tensor<7xf32>):
// CHECK: fa.yield %{{[^ ,)]*}} : i1
// CHECK: } -> tensor<2x4x2x?x64xf16>
func.func @everything(%query: tensor<2x4x2x?x64xf16>, %key: tensor<2x4x?x64xf16>, %value: tensor<2x4x?x64xf16>,
                      %scale: f32, %bias: tensor<?x?xf16>, %mask: tensor<2x?xi1>, %slopes: tensor<4x2xf32>,
                      %kind: tensor<?xi32>, %table: tensor<7xf32>, %lengths: tensor<2xi32>, %i: index,
                      %out: tensor<2x4x2x?x64xf16>) -> tensor<2x4x2x?x64xf16> {
  %r = fa.attention {causal, window_left = 8, window_right = 0, alignment = #fa.alignment<bottom_right>,
                     softcap = 30.0 : f64, softmax_type = f64,
                     indexing_maps = [#q, #k, #v, #bias, #mask, #heads, #heads, #column, #whole, #o]}
    ins(%query, %key, %value : tensor<2x4x2x?x64xf16>, tensor<2x4x?x64xf16>, tensor<2x4x?x64xf16>)
    scale(%scale : f32) bias(%bias : tensor<?x?xf16>) mask(%mask : tensor<2x?xi1>) alibi(%slopes : tensor<4x2xf32>)
    sinks(%slopes : tensor<4x2xf32>) captures(%kind, %table : tensor<?xi32>, tensor<7xf32>)
    query_lengths(%lengths : tensor<2xi32>) key_lengths(%lengths : tensor<2xi32>)
    query_base(%i) key_base(%i) batch_base(%i) head_base(%i) query_limit(%i) key_limit(%i)
    outs(%out : tensor<2x4x2x?x64xf16>)
    score {
    ^bb0(%s: f64, %c: i32, %t: tensor<7xf32>):
      %q = fa.index q
      %h = fa.index h
      %x = tensor.extract %t[%h] : tensor<7xf32>
      %w = arith.extf %x : f32 to f64
      %y = arith.addf %s, %w : f64
      fa.yield %y : f64
    } keep {
    ^bb0(%c: i32, %t: tensor<7xf32>):
      %zero = arith.constant 0 : i32
      %k = arith.cmpi ne, %c, %zero : i32
      fa.yield %k : i1
    } -> tensor<2x4x2x?x64xf16>
  return %r : tensor<2x4x2x?x64xf16>
}

// A region may branch.
// CHECK-LABEL: func @branches
// CHECK: score {
// CHECK: scf.if
// CHECK: fa.index k
func.func @branches(%query: memref<1x1x1x8x4xf32>, %key: memref<1x1x8x4xf32>, %out: memref<1x1x1x8x4xf32>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %key : memref<1x1x1x8x4xf32>, memref<1x1x8x4xf32>, memref<1x1x8x4xf32>)
    outs(%out : memref<1x1x1x8x4xf32>)
    score {
    ^bb0(%s: f32):
      %zero = arith.constant 0.0 : f32
      %positive = arith.cmpf ogt, %s, %zero : f32
      %r = scf.if %positive -> f32 {
        %k = fa.index k
        %i = arith.index_cast %k : index to i64
        %f = arith.sitofp %i : i64 to f32
        scf.yield %f : f32
      } else {
        scf.yield %s : f32
      }
      fa.yield %r : f32
    }
  return
}

#pq = affine_map<(b, h, g, m, n, d, e) -> (m, h, d)>
#pk = affine_map<(b, h, g, m, n, d, e) -> (n, h, d)>
#pv = affine_map<(b, h, g, m, n, d, e) -> (n, h, e)>
#po = affine_map<(b, h, g, m, n, d, e) -> (m, h, e)>
#batch = affine_map<(b, h, g, m, n, d, e) -> (b)>

// Packed sequences; a capture may have the batch that the rows lack.
// CHECK-LABEL: func @packed
// CHECK: captures(%{{[^ ,)]*}} : memref<4xf32>) query_offsets(%{{[^ ,)]*}} : memref<5xi32>) key_offsets(%{{[^ ,)]*}} : memref<5xi32>)
func.func @packed(%query: memref<?x4x64xbf16>, %key: memref<?x4x64xbf16>, %value: memref<?x4x64xbf16>,
                  %weights: memref<4xf32>, %starts: memref<5xi32>, %out: memref<?x4x64xbf16>) {
  fa.attention {causal, indexing_maps = [#pq, #pk, #pv, #batch, #po]}
    ins(%query, %key, %value : memref<?x4x64xbf16>, memref<?x4x64xbf16>, memref<?x4x64xbf16>)
    captures(%weights : memref<4xf32>) query_offsets(%starts : memref<5xi32>) key_offsets(%starts : memref<5xi32>)
    outs(%out : memref<?x4x64xbf16>)
    score {
    ^bb0(%s: f32, %w: f32):
      %r = arith.mulf %s, %w : f32
      fa.yield %r : f32
    }
  return
}

#tq = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#tk = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#tv = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>

// CHECK-LABEL: func @recurrence
// CHECK: fa.load_tile %{{[^ ,)]*}}[%{{[^ ,)]*}}, %{{[^ ,)]*}}] limit(%{{[^ ,)]*}}) {tile_dims = array<i64: 0, 1>} : memref<?x?xbf16> -> tensor<32x16xbf16>
// CHECK: fa.online_attention {indexing_maps = [{{.*}}], raw_max} ins({{.*}}) scale(%{{[^ ,)]*}} : f32) key_base(%{{[^ ,)]*}}) key_limit(%{{[^ ,)]*}}) outs({{.*}} : tensor<64x16xf32>, tensor<64xf32>, tensor<64x4xf32>) -> tensor<64x16xf32>, tensor<64xf32>, tensor<64x4xf32>
// CHECK: fa.merge {indexing_maps = [{{.*}}]} ins(
// CHECK: fa.finalize {indexing_maps = [{{.*}}], raw_max} ins({{.*}}) scale(%{{[^ ,)]*}} : f32) sinks(%{{[^ ,)]*}} : tensor<f32>) outs(
// CHECK: fa.store_tile %{{[^ ,)]*}}, %{{[^ ,)]*}}[%{{[^ ,)]*}}, %{{[^ ,)]*}}] limit(%{{[^ ,)]*}}) {tile_dims = array<i64: 0, 1>} : tensor<64x16xbf16>, memref<?x?xbf16>
func.func @recurrence(%keys: memref<?x?xbf16>, %query: tensor<64x16xbf16>, %outs: memref<?x?xbf16>, %scale: f32,
                      %acc: tensor<64x16xf32>, %max: tensor<64xf32>, %sum: tensor<64x4xf32>, %sink: tensor<f32>,
                      %out: tensor<64x16xbf16>, %n: index) {
  %k = fa.load_tile %keys[%n, %n] limit(%n) {tile_dims = array<i64: 0, 1>} : memref<?x?xbf16> -> tensor<32x16xbf16>
  %s:3 = fa.online_attention {raw_max, indexing_maps = [#tq, #tk, #tv, #acc, #row, #row]}
    ins(%query, %k, %k : tensor<64x16xbf16>, tensor<32x16xbf16>, tensor<32x16xbf16>)
    scale(%scale : f32) key_base(%n) key_limit(%n)
    outs(%acc, %max, %sum : tensor<64x16xf32>, tensor<64xf32>, tensor<64x4xf32>)
    -> tensor<64x16xf32>, tensor<64xf32>, tensor<64x4xf32>
  %t:3 = fa.merge {indexing_maps = [#acc, #row, #row]}
    ins(%s#0, %s#1, %s#2 : tensor<64x16xf32>, tensor<64xf32>, tensor<64x4xf32>)
    outs(%acc, %max, %sum : tensor<64x16xf32>, tensor<64xf32>, tensor<64x4xf32>)
    -> tensor<64x16xf32>, tensor<64xf32>, tensor<64x4xf32>
  %o = fa.finalize {raw_max, indexing_maps = [#acc, #row, #row, #whole, #acc]}
    ins(%t#0, %t#1, %t#2 : tensor<64x16xf32>, tensor<64xf32>, tensor<64x4xf32>)
    scale(%scale : f32) sinks(%sink : tensor<f32>) outs(%out : tensor<64x16xbf16>) -> tensor<64x16xbf16>
  fa.store_tile %o, %outs[%n, %n] limit(%n) {tile_dims = array<i64: 0, 1>} : tensor<64x16xbf16>, memref<?x?xbf16>
  return
}

// CHECK-LABEL: func private @schedule
// CHECK-SAME: #fa.schedule<order = kv_outer, query_tile = 64, key_tile = 128, partial_sums = 4>
func.func private @schedule() attributes {
  schedule = #fa.schedule<order = kv_outer, query_tile = 64, key_tile = 128, partial_sums = 4>}
