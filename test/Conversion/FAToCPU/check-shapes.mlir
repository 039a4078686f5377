// RUN: %fa-opt %s --fa-check-shapes | FileCheck %s
// RUN: %fa-opt %s --fa-check-shapes=most-extent=536870912 --cse | FileCheck %s --check-prefix=MOST

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
// CHECK-LABEL: func.func @dynamic(
// CHECK: cf.assert {{.*}}, "fa.attention: dimension 0 of query (m) and dimension 0 of out (m) differ"
// CHECK: cf.assert {{.*}}, "fa.attention: dimension 0 of key (n) and dimension 0 of value (n) differ"
// CHECK-NOT: cf.assert
// CHECK: fa.attention
func.func @dynamic(%q: memref<?x8xf32>, %k: memref<?x8xf32>, %v: memref<16x8xf32>, %o: memref<?x8xf32>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : memref<?x8xf32>, memref<?x8xf32>, memref<16x8xf32>) outs(%o : memref<?x8xf32>)
  return
}

// CHECK-LABEL: func.func @static(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @static(%q: tensor<4x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<4x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Offsets are read, those of memrefs and those of tensors.
// CHECK-LABEL: func.func @packed(
// CHECK: cf.assert {{.*}}, "fa.attention: query_offsets and key_offsets differ in length"
// CHECK: cf.assert {{.*}}, "fa.attention: query_offsets are empty"
// CHECK: memref.load %{{.*}} : memref<?xi32>
// CHECK: cf.assert {{.*}}, "fa.attention: query_offsets start below 0"
// CHECK: scf.for
// CHECK: cf.assert {{.*}}, "fa.attention: query_offsets descend"
// CHECK: cf.assert {{.*}}, "fa.attention: query_offsets end past the rows of query"
// CHECK: cf.assert {{.*}}, "fa.attention: key_offsets start below 0"
// CHECK: fa.attention
func.func @packed(%q: memref<9x8xf32>, %o: memref<9x8xf32>, %offsets: memref<?xi32>, %more: memref<3xi32>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %q : memref<9x8xf32>, memref<9x8xf32>, memref<9x8xf32>)
    query_offsets(%offsets : memref<?xi32>) key_offsets(%more : memref<3xi32>) outs(%o : memref<9x8xf32>)
  return
}

// Kernels that count in 32 bits. Of a dimension of the domain the first operand's extent stands for all.
#none = affine_map<(b, h, g, m, n, d, e) -> ()>
// MOST-LABEL: func.func @dynamic(
// MOST: %[[MOST:.*]] = arith.constant 536870912 : index
// MOST: %[[HOLDS:.*]] = arith.cmpi ule, %{{.*}}, %[[MOST]] : index
// MOST: cf.assert %[[HOLDS]], "fa.attention: dimension 0 of query (m) is more than 536870912, the most that kernels for GPUs count to"
// MOST: cf.assert {{.*}}, "fa.attention: dimension 0 of key (n) is more than 536870912, the most that kernels for GPUs count to"
// MOST-NOT: cf.assert
// MOST: fa.attention

// MOST-LABEL: func.func @outside(
// MOST: cf.assert {{.*}}, "fa.attention: dimension 0 of a capture is more than
// MOST: arith.maxsi
// MOST: cf.assert {{.*}}, "fa.attention: query_base is more than
// MOST: arith.maxsi
// MOST: cf.assert {{.*}}, "fa.attention: offset is more than
// MOST-NOT: cf.assert
// MOST: fa.attention
func.func @outside(%q: memref<4x8xf32>, %k: memref<16x8xf32>, %o: memref<4x8xf32>, %table: memref<?xf32>, %base: index,
                   %offset: index) {
  fa.attention {indexing_maps = [#q, #k, #v, #none, #o]}
    ins(%q, %k, %k : memref<4x8xf32>, memref<16x8xf32>, memref<16x8xf32>)
    captures(%table : memref<?xf32>) query_base(%base) offset(%offset) outs(%o : memref<4x8xf32>) score {
  ^bb0(%s: f32, %whole: memref<?xf32>):
    %k0 = fa.index k
    %x = memref.load %whole[%k0] : memref<?xf32>
    %y = arith.addf %s, %x : f32
    fa.yield %y : f32
  }
  return
}
