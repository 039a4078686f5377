// UNSUPPORTED: sanitize
// The distribution's mlir-opt knows the dialect and the passes after loading the plugin.
// RUN: %mlir-opt --load-dialect-plugin=%fa_lib/libFAPlugin.so --load-pass-plugin=%fa_lib/libFAPlugin.so \
// RUN:   --pass-pipeline="builtin.module(fa-decompose,canonicalize)" %s | FileCheck %s
// RUN: %mlir-opt --load-dialect-plugin=%fa_lib/libFAPlugin.so --load-pass-plugin=%fa_lib/libFAPlugin.so --help \
// RUN:   | FileCheck %s --check-prefix=HELP
// A tool that has FA already keeps its own.
// RUN: %fa-opt --load-dialect-plugin=%fa_lib/libFAPlugin.so --load-pass-plugin=%fa_lib/libFAPlugin.so --fa-decompose %s 2>%t.err \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=TWICE --input-file=%t.err
// TWICE: FA: warning: this tool has FA's dialects already; the plugin's are not used
// TWICE: FA: warning: this tool has FA's passes already; the plugin's are not used
// It links no MLIR of its own.
// RUN: llvm-readelf --needed-libs %fa_lib/libFAPlugin.so | FileCheck %s --check-prefix=NEEDED

// HELP: --fa-decompose
// NEEDED-NOT: MLIR
// NEEDED-NOT: LLVM

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
// CHECK-LABEL: func @attention
// CHECK-NOT: fa.attention
// CHECK: linalg.
func.func @attention(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x64xf32>,
                     %o: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = fa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
    outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
