// Which tiles a mask region hides, keeps or cuts.
// RUN: %fa-opt %s --fa-fuse-softmax --fa-tile="query-tile=64 key-tile=32" --canonicalize --cse --split-input-file | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
!t = memref<256x16xf32>

// Blocks of 64: the query tile's own two key tiles, both full. The loops beside them have no iteration.
// CHECK-LABEL: func @blocks
// CHECK: scf.forall (%[[TILE:.*]]) in
// CHECK: %[[ROW:.*]] = arith.muli %[[TILE]], %c64
// CHECK: scf.for
// CHECK: keep
// CHECK: scf.for
// CHECK-NOT: keep
// CHECK: scf.for
// CHECK: keep
func.func @blocks(%q: !t, %k: !t, %v: !t, %o: !t) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) keep {
    %m = fa.index q
    %n = fa.index k
    %c = arith.constant 64 : index
    %x = arith.divui %m, %c : index
    %y = arith.divui %n, %c : index
    %keep = arith.cmpi eq, %x, %y : index
    fa.yield %keep : i1
  }
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
!t = memref<256x16xf32>

// A prefix: nothing before the full tiles.
// CHECK-LABEL: func @prefix
// CHECK: scf.for %{{.*}} = %c0 to %[[FULL:.*]] step %c32
// CHECK-NOT: keep
// CHECK: scf.for %{{.*}} = %[[FULL]] to %{{.*}} step %c32
// CHECK: keep
// CHECK-NOT: scf.for
func.func @prefix(%q: !t, %k: !t, %v: !t, %o: !t) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) keep {
    %m = fa.index q
    %n = fa.index k
    %c = arith.constant 40 : index
    %x = arith.cmpi slt, %n, %c : index
    %y = arith.cmpi sge, %m, %n : index
    %keep = arith.ori %x, %y : i1
    fa.yield %keep : i1
  }
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#c = affine_map<(b, h, g, m, n, d, e) -> ()>
#cm = affine_map<(b, h, g, m, n, d, e) -> (m)>
!t = memref<256x16xf32>

// Nothing is known of a capture per row: one loop. Beside causal, what causal hides is not visited.
// CHECK-LABEL: func @unknown
// CHECK: scf.for %{{.*}} = %c0 to %c256 step %c32
// CHECK: keep
// CHECK-NOT: scf.for
// CHECK: scf.forall (%[[TILE:.*]]) in
// CHECK: scf.for %{{.*}} = %c0 to %{{[0-9]+}} step %c32
// CHECK: keep
func.func @unknown(%q: !t, %k: !t, %v: !t, %o: !t, %rows: memref<256xi64>) {
  fa.attention {indexing_maps = [#q, #k, #v, #cm, #o]} ins(%q, %k, %v : !t, !t, !t)
    captures(%rows : memref<256xi64>) outs(%o : !t) keep {
  ^bb0(%row: i64):
    %n = fa.index k
    %x = arith.index_cast %n : index to i64
    %keep = arith.cmpi slt, %x, %row : i64
    fa.yield %keep : i1
  }
  fa.attention {indexing_maps = [#q, #k, #v, #cm, #o]} ins(%q, %k, %v : !t, !t, !t)
    captures(%rows : memref<256xi64>) outs(%o : !t) keep {
  ^bb0(%row: i64):
    %m = fa.index q
    %n = fa.index k
    %x = arith.index_cast %n : index to i64
    %y = arith.cmpi slt, %x, %row : i64
    %z = arith.cmpi sge, %m, %n : index
    %keep = arith.andi %y, %z : i1
    fa.yield %keep : i1
  }
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#c = affine_map<(b, h, g, m, n, d, e) -> ()>
!t = memref<256x16xf32>

// A scalar is known when the kernel runs; one that would make the sum wrap leaves all tiles.
// CHECK-LABEL: func @scalar
// CHECK: %[[LIMIT:.*]] = memref.load %{{.*}}[] : memref<i64>
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[LIMIT]] : i64 to index
// CHECK: %[[VALID:.*]] = arith.cmpi ult
// CHECK: arith.select %[[VALID]]
// CHECK: scf.for
// CHECK-NOT: keep
// CHECK: scf.for
// CHECK: keep
func.func @scalar(%q: !t, %k: !t, %v: !t, %o: !t, %limit: memref<i64>) {
  fa.attention {indexing_maps = [#q, #k, #v, #c, #o]} ins(%q, %k, %v : !t, !t, !t)
    captures(%limit : memref<i64>) outs(%o : !t) keep {
  ^bb0(%l: i64):
    %m = fa.index q
    %n = fa.index k
    %x = arith.index_cast %n : index to i64
    %y = arith.index_cast %m : index to i64
    %end = arith.addi %y, %l : i64
    %keep = arith.cmpi slt, %x, %end : i64
    fa.yield %keep : i1
  }
  return
}
