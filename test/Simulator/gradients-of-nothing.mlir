// A mask that is known to hide all pairs leaves less to do in the loop that looks at it than in the one that need not: the shorter one
// is not for all tiles.
// RUN: %fa-run %s --target simulator --check --arg shape=1x100x64 --arg shape=1x150x64 --arg shape=1x150x64 --arg shape=1x100x64 \
// RUN:   --arg shape=1x100 --arg shape=1x100x64 --arg shape=1x100x64 --arg shape=1x150x64 --arg shape=1x150x64 | FileCheck %s
// CHECK: on simulator
// CHECK: argument 6 {{.*}} ok
// CHECK: argument 7 {{.*}} ok
// CHECK: argument 8 {{.*}} ok

#q = affine_map<(b, h, g, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, m)>
!x = memref<1x?x64xbf16>
!l = memref<1x?xf32>
func.func @no_second_batch(%q: !x, %k: !x, %v: !x, %o: !x, %lse: !l, %d_o: !x, %d_q: !x, %d_k: !x, %d_v: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %d_o : !x, !x, !x, !x, !l, !x) outs(%d_q, %d_k, %d_v : !x, !x, !x)
    keep {
      %b = fa.index b
      %one = arith.constant 1 : index
      %r = arith.cmpi sge, %b, %one : index
      fa.yield %r : i1
    }
  return
}
