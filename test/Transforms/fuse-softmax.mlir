// RUN: %fa-opt %s --fa-fuse-softmax | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
#heads = affine_map<(b, h, g, m, n, d, e) -> (h, g)>
#key = affine_map<(b, h, g, m, n, d, e) -> (n)>

// Plain score, softmax in f32, a small positive scale: the maximum is taken before scaling.
// CHECK-LABEL: func @plain
// CHECK-SAME: (%[[Q:.*]]: tensor<{{.*}}>, %[[K:.*]]: tensor<{{.*}}>, %[[V:.*]]: tensor<{{.*}}>, %[[OUT:.*]]: tensor<{{.*}}>)
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-DAG: %[[ACC:.*]] = linalg.fill ins(%{{.*}}) outs(%{{.*}} : tensor<2x4x3x?x64xf32>)
// CHECK: %[[S:.*]]:3 = fa.online_attention {
// CHECK-SAME: causal
// CHECK-SAME: raw_max
// CHECK-SAME: ins(%[[Q]], %[[K]], %[[V]] : {{.*}}) scale(%[[SCALE]] : f32) outs(%[[ACC]], %{{.*}}, %{{.*}} : tensor<2x4x3x?x64xf32>, tensor<2x4x3x?xf32>, tensor<2x4x3x?xf32>)
// CHECK: fa.finalize {
// CHECK-SAME: raw_max
// CHECK-SAME: ins(%[[S]]#0, %[[S]]#1, %[[S]]#2 : {{.*}}) scale(%[[SCALE]] : f32) outs(%[[OUT]] : tensor<2x4x3x?x64xbf16>)
func.func @plain(%q: tensor<2x4x3x?x64xbf16>, %k: tensor<2x4x?x64xbf16>, %v: tensor<2x4x?x64xbf16>,
                 %o: tensor<2x4x3x?x64xbf16>) -> tensor<2x4x3x?x64xbf16> {
  %r = fa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<2x4x3x?x64xbf16>, tensor<2x4x?x64xbf16>, tensor<2x4x?x64xbf16>)
    outs(%o : tensor<2x4x3x?x64xbf16>) -> tensor<2x4x3x?x64xbf16>
  return %r : tensor<2x4x3x?x64xbf16>
}

// A run-time scale may be negative; a softcap changes the score.
// CHECK-LABEL: func @no_raw_max
// CHECK-NOT: raw_max
// CHECK: return
func.func @no_raw_max(%q: tensor<1x1x1x8x64xf32>, %k: tensor<1x1x8x64xf32>, %v: tensor<1x1x8x64xf32>, %scale: f32,
                      %o: tensor<1x1x1x8x64xf32>) -> (tensor<1x1x1x8x64xf32>, tensor<1x1x1x8x64xf32>) {
  %0 = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<1x1x1x8x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>) scale(%scale : f32)
    outs(%o : tensor<1x1x1x8x64xf32>) -> tensor<1x1x1x8x64xf32>
  %1 = fa.attention {softcap = 20.0 : f64, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<1x1x1x8x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>)
    outs(%o : tensor<1x1x1x8x64xf32>) -> tensor<1x1x1x8x64xf32>
  return %0, %1 : tensor<1x1x1x8x64xf32>, tensor<1x1x1x8x64xf32>
}

// Memory form; sinks move to the finalize, everything else to the recurrence.
// CHECK-LABEL: func @everything
// CHECK: fa.online_attention {
// CHECK-NOT: sinks
// CHECK-SAME: alignment = #fa.alignment<bottom_right>
// CHECK-SAME: window_left = 3
// CHECK-SAME: alibi(
// CHECK-SAME: captures(
// CHECK-SAME: key_lengths(
// CHECK-SAME: score {
// CHECK: fa.yield
// CHECK: %[[R:.*]]:2 = fa.finalize
// CHECK-SAME: sinks(
// CHECK: bufferization.materialize_in_destination %[[R]]#0 in restrict writable %{{.*}} : (tensor<?x4x3x?x64xf32>, memref<?x4x3x?x64xf32>)
// CHECK: bufferization.materialize_in_destination %[[R]]#1
func.func @everything(%q: memref<?x4x3x?x64xf32>, %k: memref<?x4x?x64xf32>, %v: memref<?x4x?x64xf32>,
    %slopes: memref<4x3xf32>, %sinks: memref<4x3xf32>, %c: memref<?xf32>, %lengths: memref<?xi32>,
    %o: memref<?x4x3x?x64xf32>, %lse: memref<?x4x3x?xf32>) {
  fa.attention {alignment = #fa.alignment<bottom_right>, window_left = 3 : i64,
                indexing_maps = [#q, #k, #v, #heads, #heads, #key, #o, #l]}
    ins(%q, %k, %v : memref<?x4x3x?x64xf32>, memref<?x4x?x64xf32>, memref<?x4x?x64xf32>)
    alibi(%slopes : memref<4x3xf32>) sinks(%sinks : memref<4x3xf32>) captures(%c : memref<?xf32>)
    key_lengths(%lengths : memref<?xi32>)
    outs(%o, %lse : memref<?x4x3x?x64xf32>, memref<?x4x3x?xf32>)
    score {
    ^bb0(%s: f32, %x: f32):
      %0 = arith.mulf %s, %x : f32
      fa.yield %0 : f32
    }
  return
}
