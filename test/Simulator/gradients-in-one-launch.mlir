// Messengers are warps of the producer's warpgroup: blocks without roles have none of them. Six tiles are more than a block has warpgroups.
// RUN: %fa-run %s --target simulator --schedule "gradient-one-launch=1" \
// RUN:   --arg shape=1x2x129x64 --arg shape=1x2x65x64 --arg shape=1x2x65x64 --arg shape=1x2x129x64 --arg shape=1x2x129 \
// RUN:   --arg shape=1x2x129x64 --arg shape=1x2x129x64 --arg shape=1x2x65x64 --arg shape=1x2x65x64 | FileCheck %s
// RUN: %fa-run %s --target simulator --schedule "gradient-one-launch=1 gradient-finish-tiles=1 gradient-prepare-blocks=1" \
// RUN:   --arg shape=1x2x129x64 --arg shape=1x2x65x64 --arg shape=1x2x65x64 --arg shape=1x2x129x64 --arg shape=1x2x129 \
// RUN:   --arg shape=1x2x129x64 --arg shape=1x2x129x64 --arg shape=1x2x65x64 --arg shape=1x2x65x64 | FileCheck %s

// CHECK: @ordered

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @ordered(%q: memref<?x?x?x64xf16>, %k: memref<?x?x?x64xf16>, %v: memref<?x?x?x64xf16>, %o: memref<?x?x?x64xf16>,
                   %l: memref<?x?x?xf32>, %do: memref<?x?x?x64xf16>, %dq: memref<?x?x?x64xf16>, %dk: memref<?x?x?x64xf16>,
                   %dv: memref<?x?x?x64xf16>) {
  fa.attention_backward {causal, deterministic, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x64xf16>, memref<?x?x?x64xf16>, memref<?x?x?x64xf16>, memref<?x?x?x64xf16>,
        memref<?x?x?xf32>, memref<?x?x?x64xf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x64xf16>, memref<?x?x?x64xf16>, memref<?x?x?x64xf16>)
  return
}
