// RUN: %fa-opt %s --canonicalize | FileCheck %s

// CHECK: #[[M:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3)>

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#n = affine_map<(b, h, g, m, n, d, e) -> (n)>
#m = affine_map<(b, h, g, m, n, d, e) -> (m)>

// Regions that change nothing go, and with them the captures that only they could read.
// CHECK-LABEL: func @trivial_regions
// CHECK: fa.attention {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}]}
// CHECK-NOT: captures
// CHECK-NOT: score
// CHECK-NOT: keep
// CHECK: return
func.func @trivial_regions(%q: tensor<8x4xf32>, %c: tensor<8xf32>, %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #n, #o]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) captures(%c : tensor<8xf32>)
    outs(%out : tensor<8x4xf32>)
    score {
    ^bb0(%s: f32, %x: f32):
      fa.yield %s : f32
    } keep {
    ^bb0(%x: f32):
      %true = arith.constant true
      fa.yield %true : i1
    } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// Only the capture that nobody reads goes; the other keeps its map.
// CHECK-LABEL: func @unused_capture
// CHECK: fa.attention {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #[[M]], #{{[a-z0-9]+}}]} {{.*}} captures(%arg2 : tensor<8xf16>)
// CHECK: keep {
// CHECK-NEXT: ^bb0(%{{.*}}: f16):
func.func @unused_capture(%q: tensor<8x4xf32>, %c: tensor<8xf32>, %d: tensor<8xf16>, %out: tensor<8x4xf32>)
    -> tensor<8x4xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #n, #m, #o]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
    captures(%c, %d : tensor<8xf32>, tensor<8xf16>) outs(%out : tensor<8x4xf32>)
    keep {
    ^bb0(%x: f32, %y: f16):
      %zero = arith.constant 0.0 : f16
      %keep = arith.cmpf ogt, %y, %zero : f16
      fa.yield %keep : i1
    } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// A mask that hides everything is a meaning, not a triviality.
// CHECK-LABEL: func @hides_everything
// CHECK: keep {
// CHECK-NEXT: arith.constant false
func.func @hides_everything(%q: tensor<8x4xf32>, %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%out : tensor<8x4xf32>)
    keep {
      %false = arith.constant false
      fa.yield %false : i1
    } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// On tensors an unused attention is dead; on memrefs it writes.
// CHECK-LABEL: func @dead
// CHECK-NOT: tensor<8x4xf32>{{.*}}->
// CHECK: fa.attention {{.*}} outs(%arg2 : memref<8x4xf32>)
// CHECK-NEXT: return
func.func @dead(%q: tensor<8x4xf32>, %p: memref<8x4xf32>, %out: memref<8x4xf32>) {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%q : tensor<8x4xf32>) -> tensor<8x4xf32>
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%p, %p, %p : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) outs(%out : memref<8x4xf32>)
  return
}
