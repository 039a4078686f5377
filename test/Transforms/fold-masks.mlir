// RUN: %fa-opt %s --fa-fold-masks --canonicalize --split-input-file | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
!t = memref<2x?x16xf32>

// CHECK-LABEL: func @causal
// CHECK: fa.attention {causal, indexing_maps
// CHECK-NOT: keep
func.func @causal(%q: !t, %k: !t, %v: !t, %o: !t) {
  fa.attention {alignment = #fa.alignment<bottom_right>, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) keep {
    %m = fa.index q
    %n = fa.index k
    %keep = arith.cmpi sge, %m, %n : index
    fa.yield %keep : i1
  }
  return
}

// |q - k| < 8, both sides of a window.
// CHECK-LABEL: func @band
// CHECK: window_left = 7 : i64, window_right = 7 : i64
// CHECK-NOT: keep
func.func @band(%q: !t, %k: !t, %v: !t, %o: !t) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) keep {
    %m = fa.index q
    %n = fa.index k
    %d = arith.subi %m, %n : index
    %a = math.absi %d : index
    %c = arith.constant 8 : index
    %keep = arith.cmpi slt, %a, %c : index
    fa.yield %keep : i1
  }
  return
}

// What is no side of a band stays; the narrower window wins.
// CHECK-LABEL: func @rest
// CHECK: fa.attention {causal
// CHECK-SAME: window_left = 3 : i64}
// CHECK: keep
// CHECK-NOT: subi
// CHECK: arith.cmpi slt, %{{.*}}, %c20
func.func @rest(%q: !t, %k: !t, %v: !t, %o: !t) {
  fa.attention {causal, window_left = 3 : i64, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) keep {
    %m = fa.index q
    %n = fa.index k
    %c = arith.constant 5 : index
    %d = arith.subi %m, %n : index
    %near = arith.cmpi sle, %d, %c : index
    %p = arith.constant 20 : index
    %prefix = arith.cmpi slt, %n, %p : index
    %keep = arith.andi %near, %prefix : i1
    fa.yield %keep : i1
  }
  return
}

// A diagonal that another feature shifts; a strict one.
// CHECK-LABEL: func @shifted
// CHECK: keep
// CHECK: keep
func.func @shifted(%q: !t, %k: !t, %v: !t, %o: !t) {
  fa.attention {causal, alignment = #fa.alignment<bottom_right>, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) keep {
    %m = fa.index q
    %n = fa.index k
    %keep = arith.cmpi sge, %m, %n : index
    fa.yield %keep : i1
  }
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) keep {
    %m = fa.index q
    %n = fa.index k
    %keep = arith.cmpi sgt, %m, %n : index
    fa.yield %keep : i1
  }
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
!t = memref<2x?x16xf32>
!s = memref<2x100x16xf32>

// 32 bits may wrap, unless there are few positions.
// CHECK-LABEL: func @narrow
// CHECK-NOT: causal
// CHECK: keep
// CHECK: fa.attention {causal
// CHECK-NOT: keep
func.func @narrow(%q: !t, %k: !t, %v: !t, %o: !t, %qs: !s, %ks: !s, %vs: !s, %os: !s) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) keep {
    %m = fa.index q
    %n = fa.index k
    %x = arith.index_cast %m : index to i32
    %y = arith.index_cast %n : index to i32
    %keep = arith.cmpi sge, %x, %y : i32
    fa.yield %keep : i1
  }
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%qs, %ks, %vs : !s, !s, !s) outs(%os : !s) keep {
    %m = fa.index q
    %n = fa.index k
    %x = arith.index_cast %m : index to i32
    %y = arith.index_cast %n : index to i32
    %keep = arith.cmpi sge, %x, %y : i32
    fa.yield %keep : i1
  }
  return
}
