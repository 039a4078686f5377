// RUN: %fa-opt %s | %fa-opt | FileCheck %s
// RUN: %fa-opt --mlir-print-op-generic %s | %fa-opt | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// CHECK-LABEL: func @plain
// CHECK: fa.attention_backward {causal, indexing_maps = [{{[^]]*}}]}
// CHECK-SAME: ins(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<1x8x4x?x128xbf16>
// CHECK-SAME: outs(
// CHECK-SAME: -> tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>
func.func @plain(%query: tensor<1x8x4x?x128xbf16>, %key: tensor<1x8x?x128xbf16>, %value: tensor<1x8x?x128xbf16>,
                 %out: tensor<1x8x4x?x128xbf16>, %lse: tensor<1x8x4x?xf32>, %d_out: tensor<1x8x4x?x128xbf16>,
                 %dq: tensor<1x8x4x?x128xbf16>, %dk: tensor<1x8x?x128xbf16>, %dv: tensor<1x8x?x128xbf16>)
    -> (tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>) {
  %g:3 = fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%query, %key, %value, %out, %lse, %d_out : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>,
        tensor<1x8x?x128xbf16>, tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>, tensor<1x8x4x?x128xbf16>)
    outs(%dq, %dk, %dv : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>)
    -> tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>
  return %g#0, %g#1, %g#2 : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>
}

#q1 = affine_map<(b, h, g, m, n, d, e) -> (m, h, d)>
#k1 = affine_map<(b, h, g, m, n, d, e) -> (n, h, d)>
#v1 = affine_map<(b, h, g, m, n, d, e) -> (n, h, e)>
#o1 = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l1 = affine_map<(b, h, g, m, n, d, e) -> (m, h)>
#s1 = affine_map<(b, h, g, m, n, d, e) -> (n, m)>
#s2 = affine_map<(b, h, g, m, n, d, e) -> (m, n)>
#h1 = affine_map<(b, h, g, m, n, d, e) -> (h)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>

// Every clause, on memrefs. The gradient of the bias has a layout of its own.
// CHECK-LABEL: func @everything
// CHECK: fa.attention_backward {alignment = #fa.alignment<bottom_right>, bias_gradient, capture_gradients = array<i64: 1, 2>,
// CHECK-SAME: deterministic
// CHECK-SAME: sinks_gradient, softcap = 3.000000e+01 : f64
// CHECK-SAME: d_lse(
// CHECK-SAME: bias(
// CHECK-SAME: sinks(
// CHECK-SAME: captures(
// CHECK-SAME: key_lengths(
// CHECK: score {
// CHECK: keep {
func.func @everything(
    %query: memref<?x2x64xf32>, %key: memref<?x2x64xf32>, %value: memref<?x2x32xf32>, %out: memref<2x?x32xf32>,
    %lse: memref<?x2xf32>, %d_lse: memref<?x2xf32>, %bias: memref<?x?xf16>, %sinks: memref<2xf32>, %keep: memref<?x?xi8>,
    %temperature: memref<2xf16>, %table: memref<32x2xf32>, %lengths: memref<1xi32>,
    %dq: memref<?x2x64xf32>, %dk: memref<?x2x64xf32>, %dv: memref<?x2x32xf32>, %db: memref<?x?xf32>,
    %ds: memref<2xf32>, %dt: memref<2xf32>, %dtable: memref<32x2xf32>) {
  fa.attention_backward {alignment = #fa.alignment<bottom_right>, bias_gradient, capture_gradients = array<i64: 1, 2>,
      deterministic, sinks_gradient, softcap = 3.0e+01 : f64, window_left = 3 : i64,
      indexing_maps = [#q1, #k1, #v1, #s1, #h1, #s2, #h1, #whole, #o1, #l1, #o1, #l1, #q1, #k1, #v1, #s2, #h1, #h1, #whole]}
    ins(%query, %key, %value, %out, %lse, %out : memref<?x2x64xf32>, memref<?x2x64xf32>, memref<?x2x32xf32>,
        memref<2x?x32xf32>, memref<?x2xf32>, memref<2x?x32xf32>)
    d_lse(%d_lse : memref<?x2xf32>)
    bias(%bias : memref<?x?xf16>)
    sinks(%sinks : memref<2xf32>)
    captures(%keep, %temperature, %table : memref<?x?xi8>, memref<2xf16>, memref<32x2xf32>)
    key_lengths(%lengths : memref<1xi32>)
    outs(%dq, %dk, %dv, %db, %ds, %dt, %dtable : memref<?x2x64xf32>, memref<?x2x64xf32>, memref<?x2x32xf32>,
         memref<?x?xf32>, memref<2xf32>, memref<2xf32>, memref<32x2xf32>)
    score {
    ^bb0(%s: f32, %unused: i8, %t: f16, %positions: memref<32x2xf32>):
      %wide = arith.extf %t : f16 to f32
      %h = fa.index h
      %zero = arith.constant 0 : index
      %p = memref.load %positions[%zero, %h] : memref<32x2xf32>
      %0 = arith.mulf %s, %wide : f32
      %1 = arith.addf %0, %p : f32
      fa.yield %1 : f32
    }
    keep {
    ^bb0(%flag: i8, %t: f16, %positions: memref<32x2xf32>):
      %zero = arith.constant 0 : i8
      %1 = arith.cmpi ne, %flag, %zero : i8
      fa.yield %1 : i1
    }
  return
}

#tq = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#tk = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#tv = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#to = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>

// CHECK-LABEL: func @tile
// CHECK: fa.online_attention_backward
// CHECK-SAME: key_base(%{{[a-z0-9_]+}}) key_limit(%{{[a-z0-9_]+}}) outs(
func.func @tile(%q: tensor<64x128xbf16>, %k: tensor<32x128xbf16>, %v: tensor<32x128xbf16>, %lse: tensor<64xf32>,
                %delta: tensor<64xf32>, %do: tensor<64x128xbf16>, %dq: tensor<64x128xf32>, %dk: tensor<32x128xf32>,
                %dv: tensor<32x128xf32>, %n: index, %end: index)
    -> (tensor<64x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>) {
  %g:3 = fa.online_attention_backward {indexing_maps = [#tq, #tk, #tv, #row, #row, #to, #tq, #tk, #tv]}
    ins(%q, %k, %v, %lse, %delta, %do : tensor<64x128xbf16>, tensor<32x128xbf16>, tensor<32x128xbf16>,
        tensor<64xf32>, tensor<64xf32>, tensor<64x128xbf16>)
    key_base(%n) key_limit(%end)
    outs(%dq, %dk, %dv : tensor<64x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>)
    -> tensor<64x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>
  return %g#0, %g#1, %g#2 : tensor<64x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>
}

// CHECK-LABEL: func @accumulate
// CHECK: fa.accumulate %{{[^ ,)]*}} into %{{[^ ,)]*}}[%{{[^ ,)]*}}, %{{[^ ,)]*}}] {{ *}}owned {tile_dims = array<i64: 0, 1>} : tensor<64x16xf32>, memref<?x?xf32>
// CHECK: fa.accumulate %{{[^ ,)]*}} into %{{[^ ,)]*}}[%{{[^ ,)]*}}, %{{[^ ,)]*}}] limit(%{{[^ ,)]*}}) ordered {tile_dims = array<i64: 0, 1>} : tensor<64x16xf32>, memref<?x?xf32>
// CHECK: fa.accumulate %{{[^ ,)]*}} into %{{[^ ,)]*}}[%{{[^ ,)]*}}, %{{[^ ,)]*}}] {{ *}}atomic {tile_dims = array<i64: 1, 0>} : tensor<64x16xf32>, memref<?x?xf32>
func.func @accumulate(%tile: tensor<64x16xf32>, %sums: memref<?x?xf32>, %n: index) attributes {
    schedule = #fa.backward_schedule<query_tile = 64, key_tile = 128, d_query = recompute>} {
  fa.accumulate %tile into %sums[%n, %n] owned {tile_dims = array<i64: 0, 1>} : tensor<64x16xf32>, memref<?x?xf32>
  fa.accumulate %tile into %sums[%n, %n] limit(%n) ordered {tile_dims = array<i64: 0, 1>} : tensor<64x16xf32>, memref<?x?xf32>
  fa.accumulate %tile into %sums[%n, %n] atomic {tile_dims = array<i64: 1, 0>} : tensor<64x16xf32>, memref<?x?xf32>
  return
}

// CHECK-LABEL: func @accumulate_at
// CHECK: fa.accumulate_at %{{[^ ,)]*}}[%{{.*}}, %{{.*}}] into %{{[^ ,)]*}} atomic : tensor<64x32xf32>[tensor<64x32xindex>, tensor<64x32xindex>] into memref<?x2xf32>
// CHECK: fa.accumulate_at %{{[^ ,)]*}}[] into %{{[^ ,)]*}} owned : tensor<64x32xf32> into memref<f32>
func.func @accumulate_at(%ds: tensor<64x32xf32>, %i: tensor<64x32xindex>, %table: memref<?x2xf32>, %one: memref<f32>) {
  fa.accumulate_at %ds[%i, %i] into %table atomic : tensor<64x32xf32>[tensor<64x32xindex>, tensor<64x32xindex>] into memref<?x2xf32>
  fa.accumulate_at %ds[] into %one owned : tensor<64x32xf32> into memref<f32>
  return
}
