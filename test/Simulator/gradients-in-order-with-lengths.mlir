// Blocks that add in one order, where keys end early: those behind the last key see nothing, and must wait for nobody who never comes
// where they are; nor must those before the first key that anybody sees.
// RUN: %fa-run %s --entry causal --target simulator --check --multiprocessors 3 --arg shape=2x330x64 --arg shape=2x700x64 --arg shape=2x700x64 \
// RUN:   --arg shape=2x330x64 --arg shape=2x330 --arg shape=2x330x64 --arg 'shape=2xi32 values=150,260' --arg shape=2x330x64 --arg shape=2x700x64 \
// RUN:   --arg shape=2x700x64 | FileCheck %s
// RUN: %fa-run %s --entry causal --target simulator --check --multiprocessors 1 --arg shape=3x64x64 --arg shape=3x500x64 --arg shape=3x500x64 \
// RUN:   --arg shape=3x64x64 --arg shape=3x64 --arg shape=3x64x64 --arg 'shape=3xi32 values=0,1,500' --arg shape=3x64x64 --arg shape=3x500x64 \
// RUN:   --arg shape=3x500x64 | FileCheck %s
// RUN: %fa-run %s --entry window --target simulator --check --multiprocessors 3 --arg shape=2x330x64 --arg shape=2x700x64 --arg shape=2x700x64 \
// RUN:   --arg shape=2x330x64 --arg shape=2x330 --arg shape=2x330x64 --arg 'shape=2xi32 values=640,129' --arg shape=2x330x64 --arg shape=2x700x64 \
// RUN:   --arg shape=2x700x64 | FileCheck %s
// RUN: %fa-run %s --entry window --target simulator --check --multiprocessors 1 --arg shape=2x65x64 --arg shape=2x500x64 --arg shape=2x500x64 \
// RUN:   --arg shape=2x65x64 --arg shape=2x65 --arg shape=2x65x64 --arg 'shape=2xi32 values=256,300' --arg shape=2x65x64 --arg shape=2x500x64 \
// RUN:   --arg shape=2x500x64 | FileCheck %s
// CHECK: on simulator
// CHECK: argument 7 {{.*}} ok
// CHECK: argument 8 {{.*}} ok
// CHECK: argument 9 {{.*}} ok

#q = affine_map<(b, h, g, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, m)>
!x = memref<?x?x64xbf16>
!l = memref<?x?xf32>
func.func @causal(%q: !x, %k: !x, %v: !x, %o: !x, %lse: !l, %d_o: !x, %lengths: memref<?xi32>, %d_q: !x, %d_k: !x, %d_v: !x) {
  fa.attention_backward {causal, deterministic, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %d_o : !x, !x, !x, !x, !l, !x) key_lengths(%lengths : memref<?xi32>) outs(%d_q, %d_k, %d_v : !x, !x, !x)
  return
}

func.func @window(%q: !x, %k: !x, %v: !x, %o: !x, %lse: !l, %d_o: !x, %lengths: memref<?xi32>, %d_q: !x, %d_k: !x, %d_v: !x) {
  fa.attention_backward {deterministic, window_left = 20 : i64, window_right = 90 : i64, alignment = #fa.alignment<bottom_right>,
                         indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %lse, %d_o : !x, !x, !x, !x, !l, !x) key_lengths(%lengths : memref<?xi32>) outs(%d_q, %d_k, %d_v : !x, !x, !x)
  return
}
