// The gradient of a table that a score region reads at computed places: blocks of rows add to it.
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 stop-after=tile" | FileCheck %s --check-prefix=TILE
// RUN: %fa-opt %s --fa-pipeline="target=sm_80 stop-after=machine" | FileCheck %s
// RUN: %fa-opt %s --fa-pipeline="target=sm_80" | FileCheck %s --check-prefix=NVVM
// RUN: %fa-opt %s --fa-tile-backward --fa-lower-tiles | FileCheck %s --check-prefix=CPU

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>
func.func @relative(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>,
                    %l: memref<?x?xf32>, %do: memref<?x?x64xbf16>, %table: memref<?xbf16>, %dq: memref<?x?x64xbf16>,
                    %dk: memref<?x?x64xbf16>, %dv: memref<?x?x64xbf16>, %dt: memref<?xbf16>) {
  fa.attention_backward {capture_gradients = array<i64: 0>,
                         indexing_maps = [#q, #k, #v, #whole, #o, #l, #o, #q, #k, #v, #whole]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>,
        memref<?x?x64xbf16>, memref<?x?xf32>, memref<?x?x64xbf16>)
    captures(%table : memref<?xbf16>)
    outs(%dq, %dk, %dv, %dt : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?xbf16>)
    score {
    ^bb0(%s: f32, %t: memref<?xbf16>):
      %i = fa.index q
      %j = fa.index k
      %sum = arith.addi %i, %j : index
      %x = memref.load %t[%sum] : memref<?xbf16>
      %wide = arith.extf %x : bf16 to f32
      %r = arith.addf %s, %wide : f32
      fa.yield %r : f32
    }
  return
}

// A kernel of its own, in blocks per tile of rows.
// TILE: scf.forall (%{{.*}}, %{{.*}}) in
// TILE: fa.online_attention_backward {{.*}}capture_gradients = array<i64: 0>, fa.atomic_captures

// CHECK: %[[SUMS:.*]] = memref.alloc({{.*}}) : memref<?xf32>
// CHECK: linalg.fill {{.*}} outs(%[[SUMS]]
// CHECK: gpu.launch_func {{.*}}%[[SUMS]] : memref<?xf32>
// CHECK: fa.accumulate_at %{{.*}}[%{{.*}}] into %{{.*}} atomic : tensor<64x32xf32, #fagpu.acc>[tensor<64x32xindex, #fagpu.acc>] into memref<?xf32>

// NVVM: @p red.global.add.f32

// CPU: fa.accumulate_at %{{.*}} owned
// CPU-NOT: materialize_in_destination
