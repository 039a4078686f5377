// Attention inside a loop or a branch of the host: what leaves it is copied into the buffer that the caller gets.
// RUN: %fa-compile %s --entry loop --ptxas none -o %t
// RUN: FileCheck %s --check-prefix=LOOP --input-file %t/manifest.json
// RUN: %fa-compile %s --entry branch --ptxas none -o %t
// RUN: FileCheck %s --check-prefix=BRANCH --input-file %t/manifest.json
// RUN: %fa-compile %s --entry twice --ptxas none -o %t
// RUN: FileCheck %s --check-prefix=TWICE --input-file %t/manifest.json
// RUN: not %fa-compile %S/Inputs/nested.mlir --ptxas none -o %t 2>&1 | FileCheck %s --check-prefix=NESTED

// LOOP: "op": "launch"
// LOOP: "op": "for"
// LOOP: "op": "alloc",
// LOOP-NEXT: "result": 0
// LOOP: "op": "copy"
// BRANCH: "op": "if"
// BRANCH: "op": "launch"
// BRANCH: "result": 0
// BRANCH: "op": "copy"
// TWICE: "result": 0
// TWICE: "result": 1
// NESTED: nested.mlir:8:12: error: attention in a module within a module cannot become a kernel: move its function to the outer module
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @loop(%q: tensor<8x16xbf16>, %k: tensor<32x16xbf16>, %o: tensor<8x16xbf16>) -> tensor<8x16xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = scf.for %i = %c0 to %c3 step %c1 iter_args(%it = %q) -> tensor<8x16xbf16> {
    %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%it, %k, %k : tensor<8x16xbf16>, tensor<32x16xbf16>, tensor<32x16xbf16>)
      outs(%o : tensor<8x16xbf16>) -> tensor<8x16xbf16>
    scf.yield %r : tensor<8x16xbf16>
  }
  return %z : tensor<8x16xbf16>
}
func.func @branch(%c: i1, %q: tensor<8x16xbf16>, %k: tensor<32x16xbf16>, %o: tensor<8x16xbf16>) -> tensor<8x16xbf16> {
  %z = scf.if %c -> tensor<8x16xbf16> {
    %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %k : tensor<8x16xbf16>, tensor<32x16xbf16>, tensor<32x16xbf16>)
      outs(%o : tensor<8x16xbf16>) -> tensor<8x16xbf16>
    scf.yield %r : tensor<8x16xbf16>
  } else {
    scf.yield %q : tensor<8x16xbf16>
  }
  return %z : tensor<8x16xbf16>
}
func.func @twice(%q: tensor<8x16xbf16>, %k: tensor<32x16xbf16>, %o: tensor<8x16xbf16>) -> (tensor<8x16xbf16>, tensor<8x16xbf16>) {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %k : tensor<8x16xbf16>, tensor<32x16xbf16>, tensor<32x16xbf16>)
    outs(%o : tensor<8x16xbf16>) -> tensor<8x16xbf16>
  return %r, %r : tensor<8x16xbf16>, tensor<8x16xbf16>
}
