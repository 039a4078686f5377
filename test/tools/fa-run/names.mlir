// Functions with the names of library functions that compiled code calls.
// RUN: %fa-run %s --entry memcpy --check --arg shape=70x16 --arg shape=90x16 --arg shape=90x16 --arg shape=70x16 | FileCheck %s
// RUN: %fa-run %s --entry malloc --check --arg shape=70x16 --arg shape=90x16 --arg shape=90x16 --arg shape=70x16 | FileCheck %s
// RUN: %fa-run %s --entry puts --check --arg shape=70x16 --arg shape=90x16 --arg shape=90x16 --arg shape=70x16 | FileCheck %s
// RUN: %fa-run %s --entry _mlir_ciface_attend --check --arg shape=70x16 --arg shape=90x16 --arg shape=90x16 --arg shape=70x16 | FileCheck %s
// RUN: %fa-run %s --entry abort --target reference --check --arg shape=70x16 --arg shape=90x16 --arg shape=90x16 --arg shape=70x16 | FileCheck %s
// CHECK: error {{.*}} ok

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func private @free(%q: tensor<70x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>) -> tensor<70x16xf32> {
  %o = tensor.empty() : tensor<70x16xf32>
  %r = fa.attention {softcap = 3.0, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<70x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
    outs(%o : tensor<70x16xf32>) -> tensor<70x16xf32>
  return %r : tensor<70x16xf32>
}
func.func @memcpy(%q: tensor<70x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %x: tensor<70x16xf32>) -> tensor<70x16xf32> {
  %r = call @free(%q, %k, %v) : (tensor<70x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<70x16xf32>
  %s = arith.addf %r, %x : tensor<70x16xf32>
  return %s : tensor<70x16xf32>
}
func.func @malloc(%q: tensor<70x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %x: tensor<70x16xf32>) -> tensor<70x16xf32> {
  %r = call @free(%q, %k, %v) : (tensor<70x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<70x16xf32>
  %s = arith.addf %r, %x : tensor<70x16xf32>
  return %s : tensor<70x16xf32>
}
func.func @puts(%q: tensor<70x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %x: tensor<70x16xf32>) -> tensor<70x16xf32> {
  %r = call @free(%q, %k, %v) : (tensor<70x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<70x16xf32>
  %s = arith.addf %r, %x : tensor<70x16xf32>
  return %s : tensor<70x16xf32>
}
func.func @abort(%q: tensor<70x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %x: tensor<70x16xf32>) -> tensor<70x16xf32> {
  %r = call @free(%q, %k, %v) : (tensor<70x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<70x16xf32>
  %s = arith.addf %r, %x : tensor<70x16xf32>
  return %s : tensor<70x16xf32>
}
func.func @_mlir_ciface_attend(%q: tensor<70x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %x: tensor<70x16xf32>) -> tensor<70x16xf32> {
  %r = call @free(%q, %k, %v) : (tensor<70x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<70x16xf32>
  %s = arith.addf %r, %x : tensor<70x16xf32>
  return %s : tensor<70x16xf32>
}
