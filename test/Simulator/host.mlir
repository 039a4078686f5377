// What the pipeline makes for sm_90a runs in the simulator, from the function on memrefs.
// RUN: %fa-opt %s --fa-pipeline="target=sm_90a stop-after=machine" > %t.mlir
// RUN: %fa-simulate %t.mlir --entry attention --grid=2 --arg random:1x2x64x128xbf16 --arg random:1x2x96x128xbf16 --arg random:1x2x96x128xbf16 \
// RUN:   --arg zeros:1x2x64x128xbf16 | FileCheck %s
// RUN: not %fa-simulate %t.mlir --arg random:1x2x64x128xbf16 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not %fa-simulate %t.mlir --arg 1 --arg random:1x2x96x128xbf16 --arg random:1x2x96x128xbf16 --arg zeros:1x2x64x128xbf16 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMBER
// RUN: not %fa-simulate %t.mlir --arg random:1x2x64x64xbf16 --arg random:1x2x96x128xbf16 --arg random:1x2x96x128xbf16 --arg zeros:1x2x64x128xbf16 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHAPE
// RUN: not %fa-simulate %t.mlir --entry other 2>&1 | FileCheck %s --check-prefix=ENTRY

// CHECK: attention, seed 0
// COUNT: fa-simulate: the function needs 4 --arg, got 1
// NUMBER: fa-simulate: --arg=1 is not
// SHAPE: fa-simulate: --arg=random:1x2x64x64xbf16 is not
// ENTRY: fa-simulate: needs one function that launches kernels, found 0; choose one by --entry
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
!t = memref<?x?x?x128xbf16>
func.func @attention(%query: !t, %key: !t, %value: !t, %out: !t) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !t, !t, !t) outs(%out : !t)
  return
}
