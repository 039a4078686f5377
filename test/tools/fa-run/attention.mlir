// RUN: %fa-run %s --entry tensors --target reference --check --arg shape=2x3x17x8 --arg shape=2x3x21x8xf16 \
// RUN:   --arg shape=2x3x21x8 --arg shape=2x3x17x8 --arg shape=2x3x17 | FileCheck %s --check-prefix=TENSORS
// TENSORS: @tensors on reference: {{.*}} ms
// TENSORS: result 0 2x3x17x8xf16: error {{.*}} ok
// TENSORS: result 1 2x3x17xf32: error {{.*}} ok
// TENSORS: naive program: {{.*}} ms

// RUN: %fa-run %s --entry memrefs --target reference --check --arg _ --arg 'shape=6x8xf64 range=-1..1' --arg 0.5 \
// RUN:   --arg 0.25 --save %t.npy | FileCheck %s --check-prefix=MEMREFS
// MEMREFS: argument 4 4x8xf64: error 0 (naive 0, allowed {{.*}}) ok
// MEMREFS-NOT: argument
// RUN: %fa-run %s --entry copy --target reference --arg @%t.npy --save %t2.npy
// RUN: cmp %t.npy %t2.npy

// RUN: %fa-run %s --entry scalars --target reference --check --arg 1.5 --arg 4 --arg 'shape=2xi32 values=3,4' | FileCheck %s --check-prefix=SCALARS
// SCALARS: result 0 f32: error 0
// SCALARS: result 1 2xi32: error 0

// RUN: not %fa-run %s --target reference 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: fa-run: error: the module has several functions; choose one by --entry: @tensors @memrefs @copy @scalars
// RUN: not %fa-run %s --entry no --target reference 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: fa-run: error: no public function @no; there are @tensors @memrefs @copy @scalars
// RUN: not %fa-run %s --entry tensors --target reference 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: fa-run: error: argument 0 of @tensors (?x?x?x8xf16): its shape has dimensions that are only known at run time; give them with --arg shape=...
// RUN: not %fa-run %s --entry tensors --target reference --arg shape=1x2 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: fa-run: error: argument 0 of @tensors (?x?x?x8xf16): shape 1x2xf16 does not fit
// RUN: not %fa-run %s --entry tensors --target reference --arg shape=1x2x3x8xf32 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: the element type is f16, not f32
// RUN: not %fa-run %s --entry copy --target reference --arg @%s 2>&1 | FileCheck %s --check-prefix=NONPY
// NONPY: fa-run: error: argument 0 of @copy (4x8xf64): '{{.*}}' is not a .npy file
// RUN: not %fa-run %s --entry memrefs --target reference --arg _ --arg _ --arg @%t.npy 2>&1 | FileCheck %s --check-prefix=WRONGNPY
// WRONGNPY: fa-run: error: argument 2 of @memrefs (6x8xf64): '{{.*}}' holds 4x8xf64
// RUN: not %fa-run %s --entry copy --target reference --save %t.no/such/folder.npy 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: fa-run: error: cannot write
// RUN: not %fa-run %s --entry scalars --target reference 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: argument 0 of @scalars (f32): a scalar needs a value: --arg NUMBER
// RUN: not %fa-run %s --entry copy --target tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: fa-run: error: --target=tpu is not known
// RUN: not %fa-run %s --entry copy --target sm_80 2>&1 | FileCheck %s --check-prefix=PROCESSOR
// PROCESSOR: fa-run: error: --target=sm_80 is not known; {{.*}}; say cuda to run on this machine's GPU
// RUN: echo "func.func @f(" | not %fa-run 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: error: expected
// RUN: %fa-run --help | FileCheck %s --check-prefix=HELP
// HELP: shape=2x8x128x64

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @tensors(%q: tensor<?x?x?x8xf16>, %k: tensor<?x?x?x8xf16>, %v: tensor<?x?x?x8xf16>,
                   %o: tensor<?x?x?x8xf16>, %l: tensor<?x?x?xf32>) -> (tensor<?x?x?x8xf16>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention {causal, indexing_maps = [#q, #k, #v, #o, #l]}
    ins(%q, %k, %v : tensor<?x?x?x8xf16>, tensor<?x?x?x8xf16>, tensor<?x?x?x8xf16>)
    outs(%o, %l : tensor<?x?x?x8xf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x8xf16>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x8xf16>, tensor<?x?x?xf32>
}

#q2 = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k2 = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v2 = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o2 = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @memrefs(%q: memref<4x8xf64>, %k: memref<6x8xf64>, %v: memref<6x8xf64>, %scale: f64,
                   %o: memref<4x8xf64, strided<[?, ?], offset: ?>>) {
  fa.attention {indexing_maps = [#q2, #k2, #v2, #o2]}
    ins(%q, %k, %v : memref<4x8xf64>, memref<6x8xf64>, memref<6x8xf64>) scale(%scale : f64)
    outs(%o : memref<4x8xf64, strided<[?, ?], offset: ?>>)
  return
}

func.func @copy(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  return %x : tensor<4x8xf64>
}

func.func @scalars(%x: f32, %i: index, %v: tensor<2xi32>) -> (f32, tensor<2xi32>) {
  %y = arith.addf %x, %x : f32
  %w = arith.addi %v, %v : tensor<2xi32>
  return %y, %w : f32, tensor<2xi32>
}
