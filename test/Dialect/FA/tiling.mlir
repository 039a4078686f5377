// RUN: %fa-opt %s -split-input-file --transform-interpreter --canonicalize --cse -verify-diagnostics | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#s = affine_map<(b, h, g, m, n, d, e) -> (h, g)>
#w = affine_map<(b, h, g, m, n, d, e) -> ()>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>

// Every position stays absolute: bases move with the tile, the limit remembers the whole extent, so that bottom_right
// and lengths mean the same. Lengths are sliced by batch; a capture taken whole is not sliced.
// CHECK: #[[HEAD:.*]] = affine_map<(d0, d1) -> (d0 * 4 + d1)>
// CHECK-LABEL: func @attention
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x8x4x70x16xf32>, %[[K:[a-z0-9]+]]: tensor<2x8x90x16xf32>
// CHECK-SAME: %[[SINKS:[a-z0-9]+]]: tensor<8x4xf32>, %[[TABLE:[a-z0-9]+]]: tensor<7xf32>, %[[LENGTHS:[a-z0-9]+]]: tensor<2xi32>
// CHECK-DAG: %[[C70:.*]] = arith.constant 70 : index
// CHECK: scf.for %[[B:[a-z0-9]+]] =
// CHECK: scf.for %[[H:[a-z0-9]+]] =
// CHECK: scf.for %[[G:[a-z0-9]+]] =
// CHECK: scf.for %[[M:[a-z0-9]+]] =
// CHECK-DAG: %[[QT:.*]] = tensor.extract_slice %[[Q]][%[[B]], %[[H]], %[[G]], %[[M]], 0] [1, 1, 1, %{{.*}}, 16]
// CHECK-DAG: %[[KT:.*]] = tensor.extract_slice %[[K]][%[[B]], %[[H]], 0, 0] [1, 1, 90, 16]
// CHECK-DAG: %[[ST:.*]] = tensor.extract_slice %[[SINKS]][%[[H]], %[[G]]] [1, 1]
// CHECK-DAG: %[[LT:.*]] = tensor.extract_slice %[[LENGTHS]][%[[B]]] [1]
// CHECK: %[[BASE:.*]] = affine.apply #[[HEAD]](%[[H]], %[[G]])
// CHECK: fa.attention {alignment = #fa.alignment<bottom_right>, causal
// CHECK-SAME: ins(%[[QT]], %[[KT]], %[[KT]] :
// CHECK-SAME: sinks(%[[ST]] : tensor<1x1xf32>) captures(%[[TABLE]] : tensor<7xf32>) key_lengths(%[[LT]] : tensor<1xi32>)
// CHECK-SAME: query_base(%[[M]]) batch_base(%[[B]]) head_base(%[[BASE]]) query_limit(%[[C70]]) outs(
func.func @attention(%q: tensor<2x8x4x70x16xf32>, %k: tensor<2x8x90x16xf32>, %sinks: tensor<8x4xf32>,
                     %table: tensor<7xf32>, %lengths: tensor<2xi32>, %o: tensor<2x8x4x70x16xf32>)
    -> tensor<2x8x4x70x16xf32> {
  %r = fa.attention {causal, alignment = #fa.alignment<bottom_right>, indexing_maps = [#q, #k, #v, #s, #w, #o]}
    ins(%q, %k, %k : tensor<2x8x4x70x16xf32>, tensor<2x8x90x16xf32>, tensor<2x8x90x16xf32>)
    sinks(%sinks : tensor<8x4xf32>) captures(%table : tensor<7xf32>) key_lengths(%lengths : tensor<2xi32>)
    outs(%o : tensor<2x8x4x70x16xf32>)
    score {
    ^bb0(%s: f32, %t: tensor<7xf32>):
      %h = fa.index h
      %x = tensor.extract %t[%h] : tensor<7xf32>
      %y = arith.addf %s, %x : f32
      fa.yield %y : f32
    } -> tensor<2x8x4x70x16xf32>
  return %r : tensor<2x8x4x70x16xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:4 = transform.structured.tile_using_for %op tile_sizes [1, 1, 1, 16, 0] : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#r = affine_map<(b, h, g, m, n, d, e) -> (m)>

// The loop over keys carries the state. Bases that the op has already are added to.
// CHECK: #[[ADD:.*]] = affine_map<(d0)[s0] -> (d0 + s0)>
// CHECK-LABEL: func @online
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<8x4xf32>, %[[K:[a-z0-9]+]]: tensor<?x4xf32>, %[[BASE:[a-z0-9]+]]: index
// CHECK: %[[N:.*]] = tensor.dim %[[K]], %c0
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %[[N]] step %c32 iter_args(%[[ACC:.*]] = %{{.*}}, %[[MAX:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}})
// CHECK: %[[KT:.*]] = tensor.extract_slice %[[K]][%[[I]], 0]
// CHECK-DAG: %[[LIMIT:.*]] = affine.apply #{{.*}}()[%[[BASE]], %[[N]]]
// CHECK-DAG: %[[KEYBASE:.*]] = affine.apply #[[ADD]](%[[I]])[%[[BASE]]]
// CHECK: %[[R:.*]]:3 = fa.online_attention {{.*}} key_base(%[[KEYBASE]]) key_limit(%[[LIMIT]]) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK: scf.yield
func.func @online(%q: tensor<8x4xf32>, %k: tensor<?x4xf32>, %base: index, %acc: tensor<8x4xf32>, %max: tensor<8xf32>,
                  %sum: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %r:3 = fa.online_attention {causal, indexing_maps = [#q, #k, #v, #o, #r, #r]}
    ins(%q, %k, %k : tensor<8x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) key_base(%base)
    outs(%acc, %max, %sum : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>)
    -> tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1, %r#2 : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 0, 32] : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>

// On memrefs tiles are views.
// CHECK-LABEL: func @memrefs
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[QT:.*]] = memref.subview %arg0[%[[I]], 0] [4, 4] [1, 1]
// CHECK: %[[OT:.*]] = memref.subview %arg1[%[[I]], 0] [4, 4] [1, 1]
// CHECK: fa.attention {{.*}} ins(%[[QT]], %{{.*}}, %{{.*}} : {{.*}}) query_base(%[[I]]) query_limit(%c8) outs(%[[OT]] :
func.func @memrefs(%q: memref<8x4xf32>, %o: memref<8x4xf32>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %q : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) outs(%o : memref<8x4xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 4, 0] : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>

func.func @packed(%q: tensor<8x4xf32>, %starts: tensor<3xi32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+3 {{tiling does not support query_offsets and key_offsets}}
  // expected-error @+2 {{to tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
    query_offsets(%starts : tensor<3xi32>) key_offsets(%starts : tensor<3xi32>)
    outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 4, 0] : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#r = affine_map<(b, h, g, m, n, d, e) -> (m)>

func.func @columns_with_lse(%q: tensor<8x4xf32>, %o: tensor<8x4xf32>, %l: tensor<8xf32>) -> tensor<8x4xf32> {
  // expected-error @+3 {{tiling e does not support an lse output}}
  // expected-error @+2 {{to tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %r:2 = fa.attention {indexing_maps = [#q, #k, #v, #o, #r]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
    outs(%o, %l : tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>, tensor<8xf32>
  return %r#0 : tensor<8x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 0, 2] : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, g, m, e)>

func.func @heads_and_groups(%q: tensor<6x4x8x4xf32>, %k: tensor<6x8x4xf32>, %o: tensor<6x4x8x4xf32>)
    -> tensor<6x4x8x4xf32> {
  // expected-error @+3 {{tiling both heads and groups does not support fa.index h}}
  // expected-error @+2 {{to tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %k : tensor<6x4x8x4xf32>, tensor<6x8x4xf32>, tensor<6x8x4xf32>)
    outs(%o : tensor<6x4x8x4xf32>)
    keep {
      %h = fa.index h
      %two = arith.constant 2 : index
      %c = arith.cmpi slt, %h, %two : index
      fa.yield %c : i1
    } -> tensor<6x4x8x4xf32>
  return %r : tensor<6x4x8x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [0, 2, 2, 0, 0] : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>

func.func @no_keys(%q: tensor<8x4xf32>, %k: tensor<0x4xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+3 {{tiling does not support an operand of static extent 0}}
  // expected-error @+2 {{to tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %k : tensor<8x4xf32>, tensor<0x4xf32>, tensor<0x4xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 4, 0] : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
