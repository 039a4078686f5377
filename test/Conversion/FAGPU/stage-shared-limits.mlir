// Gradients of packed sequences: where a tile is copied ahead for the next loop, every copy stops at the sequence's end.
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 stop-after=machine" | FileCheck %s
// CHECK: fagpu.copy_async %{{.*}} limit(
// CHECK-NOT: fagpu.copy_async %{{[a-z0-9_]*}}[{{[^]]*}}] if
// CHECK-NOT: fagpu.copy_async %{{[a-z0-9_]*}}[{{[^]]*}}] into

func.func @backward(%query: memref<16x28x1xbf16>, %key: memref<11x16xbf16>, %value: memref<16x11xbf16>, %query_offsets: memref<3xi32>, %key_offsets: memref<3xi32>, %out: memref<1x28x16xbf16>, %lse: memref<28x1xf32>, %d_out: memref<1x28x16xbf16>, %d_query: memref<16x28x1xbf16>, %d_key: memref<11x16xbf16>, %d_value: memref<16x11xbf16>) {
  fa.attention_backward {indexing_maps = [affine_map<(b, h, g, m, n, d, e) -> (d, m, g)>, affine_map<(b, h, g, m, n, d, e) -> (n, d)>, affine_map<(b, h, g, m, n, d, e) -> (e, n)>, affine_map<(b, h, g, m, n, d, e) -> (g, m, e)>, affine_map<(b, h, g, m, n, d, e) -> (m, g)>, affine_map<(b, h, g, m, n, d, e) -> (g, m, e)>, affine_map<(b, h, g, m, n, d, e) -> (d, m, g)>, affine_map<(b, h, g, m, n, d, e) -> (n, d)>, affine_map<(b, h, g, m, n, d, e) -> (e, n)>], window_left = 1 : i64, softcap = 2.0 : f64}
    ins(%query, %key, %value, %out, %lse, %d_out : memref<16x28x1xbf16>, memref<11x16xbf16>, memref<16x11xbf16>, memref<1x28x16xbf16>, memref<28x1xf32>, memref<1x28x16xbf16>)
    query_offsets(%query_offsets : memref<3xi32>)
    key_offsets(%key_offsets : memref<3xi32>)
    outs(%d_query, %d_key, %d_value : memref<16x28x1xbf16>, memref<11x16xbf16>, memref<16x11xbf16>)
  return
}
