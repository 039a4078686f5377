// RUN: %fa-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>

// The output's buffer is written in place.
// CHECK-LABEL: func @inplace
// CHECK-NOT: memref.alloc
// CHECK: fa.attention {{.*}} outs(%arg1 : memref<8x4xf32>)
// CHECK: return %arg1
func.func @inplace(%q: tensor<8x4xf32>, %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%out : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// An output that is also an input gets a buffer of its own; its contents are not copied.
// CHECK-LABEL: func @copied
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: fa.attention {{.*}} outs(%[[NEW]] : memref<8x4xf32>)
// CHECK: return %[[NEW]]
func.func @copied(%q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%q : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// A capture that a region takes whole is a memref there, too.
// CHECK-LABEL: func @table
// CHECK: fa.attention {{.*}} captures(%arg1 : memref<7xf32>) outs(%arg2 : memref<8x4xf32>) score {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[TABLE:.*]]: memref<7xf32>):
// CHECK: memref.load %[[TABLE]]
func.func @table(%q: tensor<8x4xf32>, %t: tensor<7xf32>, %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #whole, #o]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) captures(%t : tensor<7xf32>) outs(%out : tensor<8x4xf32>)
    score {
    ^bb0(%s: f32, %x: tensor<7xf32>):
      %true = arith.constant true
      %k = fa.index k
      %r = scf.if %true -> f32 {
        %y = tensor.extract %x[%k] : tensor<7xf32>
        scf.yield %y : f32
      } else {
        scf.yield %s : f32
      }
      fa.yield %r : f32
    } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// The state is read: acc, which is used again, is copied first.
// CHECK-LABEL: func @online
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: memref.copy %arg1, %[[NEW]]
// CHECK: fa.online_attention {{.*}} outs(%[[NEW]], %arg2, %arg3 :
// CHECK: return %[[NEW]], %arg1, %arg2, %arg3
func.func @online(%q: tensor<8x4xf32>, %acc: tensor<8x4xf32>, %max: tensor<8xf32>, %sum: tensor<8xf32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %r:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #row, #row]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%acc, %max, %sum : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0, %acc, %r#1, %r#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @recurrence
// CHECK: fa.merge {{.*}} ins(%arg0, %arg1, %arg2 : {{.*}}) outs(%arg3, %arg4, %arg5 : memref<8x4xf32>, memref<8xf32>, memref<8x2xf32>)
// CHECK: fa.finalize {{.*}} ins(%arg3, %arg4, %arg5 : {{.*}}) outs(%arg6 : memref<8x4xf32>)
// CHECK: return %arg6
func.func @recurrence(%acc0: tensor<8x4xf32>, %max0: tensor<8xf32>, %sum0: tensor<8x2xf32>,
                      %acc1: tensor<8x4xf32>, %max1: tensor<8xf32>, %sum1: tensor<8x2xf32>,
                      %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s:3 = fa.merge {indexing_maps = [#o, #row, #row]}
    ins(%acc0, %max0, %sum0 : tensor<8x4xf32>, tensor<8xf32>, tensor<8x2xf32>)
    outs(%acc1, %max1, %sum1 : tensor<8x4xf32>, tensor<8xf32>, tensor<8x2xf32>)
    -> tensor<8x4xf32>, tensor<8xf32>, tensor<8x2xf32>
  %r = fa.finalize {indexing_maps = [#o, #row, #row, #o]}
    ins(%s#0, %s#1, %s#2 : tensor<8x4xf32>, tensor<8xf32>, tensor<8x2xf32>)
    outs(%out : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
