// RUN: %fa-opt %s --fagpu-split-lengths | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
!d = memref<?x128xbf16>
!s = memref<512x128xbf16>
!w = memref<?x256xbf16>

// CHECK-LABEL: @dynamic
// CHECK: %[[LENGTH:.*]] = memref.dim %{{.*}}, %c0
// CHECK: %[[SHORT:.*]] = arith.cmpi sle, %[[LENGTH]], %c2048
// CHECK: scf.if %[[SHORT]] {
// CHECK-NEXT: fa.attention {causal, fagpu.short,
// CHECK: } else {
// CHECK-NEXT: fa.attention {causal, indexing_maps
func.func @dynamic(%query: !d, %key: !d, %value: !d, %out: !d) {
  fa.attention {causal, indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !d, !d, !d) outs(%out : !d)
  return
}

// CHECK-LABEL: @static
// CHECK-NOT: scf.if
// CHECK: fa.attention {fagpu.short
func.func @static(%query: !s, %key: !s, %value: !s, %out: !s) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !s, !s, !s) outs(%out : !s)
  return
}

// One schedule for all lengths.
// CHECK-LABEL: @wide
// CHECK-NOT: fagpu.short
func.func @wide(%query: !w, %key: !w, %value: !w, %out: !w) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !w, !w, !w) outs(%out : !w)
  return
}

// The larger head dimension decides.
// CHECK-LABEL: @wide_values
// CHECK-NOT: fagpu.short
func.func @wide_values(%query: !d, %key: !d, %value: !w, %out: !w) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !d, !d, !w) outs(%out : !w)
  return
}

// A head dimension of 64: 512 queries under a causal mask are short.
!n = memref<512x64xbf16>
!l = memref<1024x64xbf16>
// CHECK-LABEL: @narrow
// CHECK: fa.attention {causal, fagpu.short
// CHECK-NOT: fagpu.short
// CHECK: return
func.func @narrow(%query: !l, %short: !n, %key: !n, %value: !n, %long: !l, %out: !n) {
  fa.attention {causal, indexing_maps = [#q, #k, #v, #o]} ins(%short, %key, %value : !n, !n, !n) outs(%out : !n)
  fa.attention {causal, indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !l, !n, !n) outs(%long : !l)
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%short, %key, %value : !n, !n, !n) outs(%out : !n)
  return
}

// So it is with what has one schedule: a bias, regions.
!b = memref<512x512xf32>
#b = affine_map<(b, h, g, m, n, d, e) -> (m, n)>
// CHECK-LABEL: @biased
// CHECK-NOT: fagpu.short
func.func @biased(%query: !s, %key: !s, %value: !s, %bias: !b, %out: !s) {
  fa.attention {indexing_maps = [#q, #k, #v, #b, #o]} ins(%query, %key, %value : !s, !s, !s) bias(%bias : !b) outs(%out : !s)
  return
}
