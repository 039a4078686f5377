// The CPU target's output runs under the distribution's mlir-runner, too.
// RUN: %fa-opt %s --fa-pipeline="target=cpu schedule='query-tile=16 key-tile=16' vector-bits=128" | %mlir-runner -O2 -e fa.main \
// RUN:   -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s

// Row i sees keys 0..i, all scores are equal, value j is j: the mean is i / 2.
// CHECK: Memref base@ = {{.*}} rank = 2 offset = 0 sizes = [5, 2] strides = [2, 1] data =
// CHECK-NEXT: [0, 0],
// CHECK-NEXT: [0.5, 0.5],
// CHECK-NEXT: [1, 1],
// CHECK-NEXT: [1.5, 1.5],
// CHECK-NEXT: [2, 2]

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func private @printMemrefF32(memref<*xf32>)

func.func @main() {
  %one = arith.constant 1.0 : f32
  %q = memref.alloc() : memref<5x3xf32>
  linalg.fill ins(%one : f32) outs(%q : memref<5x3xf32>)
  %v = memref.alloc() : memref<5x2xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    outs(%v : memref<5x2xf32>) {
  ^bb0(%x: f32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    %f = arith.sitofp %c : i32 to f32
    linalg.yield %f : f32
  }
  %o = memref.alloc() : memref<5x2xf32>
  fa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %v : memref<5x3xf32>, memref<5x3xf32>, memref<5x2xf32>) outs(%o : memref<5x2xf32>)
  %u = memref.cast %o : memref<5x2xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}
