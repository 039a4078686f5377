// RUN: %fa-run %s --check --memory --repeat 3 --arg shape=1x70x40 --arg shape=1x90x40 --arg shape=1x90x24 --arg shape=1x70x24 \
// RUN:   --arg shape=1x70 --arg shape=1x90xi1 --arg 'shape=1xi32 values=65' | FileCheck %s
// RUN: %fa-run %s --check --schedule fa1 --arg shape=2x70x40 --arg shape=2x90x40 --arg shape=2x90x24 --arg shape=2x70x24 \
// RUN:   --arg shape=2x70 --arg shape=2x90xi1 --arg 'shape=2xi32 values=0,90' | FileCheck %s
// Tiles that the usual stack has no room for.
// RUN: %fa-run %s --check --schedule 'query-tile=512 key-tile=4096' --arg shape=1x70x40 --arg shape=1x90x40 --arg shape=1x90x24 \
// RUN:   --arg shape=1x70x24 --arg shape=1x70 --arg shape=1x90xi1 --arg 'shape=1xi32 values=65' | FileCheck %s
// RUN: not %fa-run %s --schedule 'query-tile=8192 key-tile=16384' --arg shape=2x70x40 --arg shape=2x90x40 --arg shape=2x90x24 \
// RUN:   --arg shape=2x70x24 --arg shape=2x70 --arg shape=2x90xi1 --arg 'shape=2xi32 values=0,90' 2>&1 | FileCheck %s --check-prefix=BIG
// RUN: not %fa-run %s --arg shape=2x70x40 --arg shape=2x90x40 --arg shape=2x80x24 --arg shape=2x70x24 --arg shape=2x70 \
// RUN:   --arg shape=2x90xi1 --arg 'shape=2xi32 values=0,90' 2>&1 | FileCheck %s --check-prefix=SHAPES
// RUN: not %fa-run %s --target reference --arg shape=2x70x40 --arg shape=2x90x40 --arg shape=2x80x24 --arg shape=2x70x24 \
// RUN:   --arg shape=2x70 --arg shape=2x90xi1 --arg 'shape=2xi32 values=0,90' 2>&1 | FileCheck %s --check-prefix=SHAPES
// SHAPES: fa-run: error: fa.attention: dimension 1 of key (n) and dimension 1 of value (n) differ
// CHECK: @attention on cpu: {{.*}} ms
// CHECK: result 0 {{.}}x70x24xbf16: error {{.*}} ok
// CHECK: result 1 {{.}}x70xf32: error {{.*}} ok
// BIG: bytes of stack, more than 268435456; choose smaller tiles

#q = affine_map<(b, h, g, m, n, d, e) -> (b, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, n, e)>
#mask = affine_map<(b, h, g, m, n, d, e) -> (b, n)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, m)>
func.func @attention(%q: tensor<?x?x40xbf16>, %k: tensor<?x?x40xbf16>, %v: tensor<?x?x24xbf16>, %o: tensor<?x?x24xbf16>,
                     %l: tensor<?x?xf32>, %mask: tensor<?x?xi1>, %lengths: tensor<?xi32>)
    -> (tensor<?x?x24xbf16>, tensor<?x?xf32>) {
  %r:2 = fa.attention {causal, alignment = #fa.alignment<bottom_right>, softcap = 20.0, indexing_maps = [#q, #k, #v, #mask, #o, #l]}
    ins(%q, %k, %v : tensor<?x?x40xbf16>, tensor<?x?x40xbf16>, tensor<?x?x24xbf16>)
    mask(%mask : tensor<?x?xi1>) key_lengths(%lengths : tensor<?xi32>)
    outs(%o, %l : tensor<?x?x24xbf16>, tensor<?x?xf32>) -> tensor<?x?x24xbf16>, tensor<?x?xf32>
  return %r#0, %r#1 : tensor<?x?x24xbf16>, tensor<?x?xf32>
}
