// The machine program of sm_90a against the naive one: full and causal, remainders, more queries than keys, rows without keys.
// RUN: %fa-run %S/../../Conversion/FAGPUHopper/Inputs/attention.mlir --entry full --target simulator --check \
// RUN:   --arg shape=1x2x200x128 --arg shape=1x2x163x128 --arg shape=1x2x163x128 --arg shape=1x2x200x128 --arg shape=1x2x200 \
// RUN:   | FileCheck %s
// RUN: %fa-run %S/../../Conversion/FAGPUHopper/Inputs/attention.mlir --entry causal --target simulator --check \
// RUN:   --arg shape=2x1x130x128 --arg shape=2x1x90x128 --arg shape=2x1x90x128 --arg shape=2x1x130x128 --arg shape=2x1x130 \
// RUN:   | FileCheck %s
// RUN: %fa-run %S/../../Conversion/FAGPUHopper/Inputs/attention.mlir --entry causal --target simulator --check --seed 3 \
// RUN:   --schedule 'consumers=2 key-tile=64 stages=2 dynamic=false' --multiprocessors 1 \
// RUN:   --arg shape=1x2x70x128 --arg shape=1x2x333x128 --arg shape=1x2x333x128 --arg shape=1x2x70x128 --arg shape=1x2x70 \
// RUN:   | FileCheck %s
// Outputs by way of the queries' memory.
// RUN: %fa-run %s --entry wide --target simulator --check --arg shape=1x100x256 --arg shape=1x130x256 --arg shape=1x130x256 \
// RUN:   --arg shape=1x100x256 --arg shape=1x100 | FileCheck %s
// Lengths: none, some, all; NaN past them in the values is for test_simulator.py.
// RUN: %fa-run %S/../../Conversion/FAGPUHopper/Inputs/lengths.mlir --target simulator --check --arg shape=3x1x130x64 \
// RUN:   --arg shape=3x1x170x64 --arg shape=3x1x170x64 --arg 'shape=3xi32 values=130,70,0' --arg 'shape=3xi32 values=0,99,170' \
// RUN:   --arg shape=3x1x130x64 --arg shape=3x1x130 | FileCheck %s --check-prefix=LENGTHS
// RUN: %fa-run %S/../../Conversion/FAGPUHopper/Inputs/static.mlir --entry full --target simulator --check | FileCheck %s --check-prefix=STATIC
// RUN: %fa-run %S/../../Conversion/FAGPUHopper/Inputs/static.mlir --entry causal --target simulator --check | FileCheck %s --check-prefix=STATIC
// STATIC: argument 3 {{.*}} ok
// LENGTHS: argument 5 {{.*}} ok
// LENGTHS: argument 6 {{.*}} ok
// CHECK: on simulator
// CHECK: argument 3 {{.*}} ok
// CHECK: argument 4 {{.*}} ok

// RUN: %fa-run %s --entry features --target simulator --check --arg 'shape=1x2x3x100x64 range=-20..20' --arg 'shape=1x2x210x64 range=-20..20' \
// RUN:   --arg shape=1x2x210x64 --arg shape=2x3 --arg _ --arg 'shape=1x2x3x100x64' | FileCheck %s --check-prefix=FEATURES
// FEATURES: argument 5 {{.*}} ok

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#s = affine_map<(b, h, g, m, n, d, e) -> (h, g)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>

// Groups of query heads, a window, softcap, ALiBi and sinks, on scores large enough to rescale again and again.
func.func @features(%query: memref<?x?x3x?x64xf16>, %key: memref<?x?x?x64xf16>, %value: memref<?x?x?x64xf16>,
                    %slopes: memref<2x3xf32>, %sinks: memref<2x3xf32>, %out: memref<?x?x3x?x64xf16>) {
  fa.attention {causal, window_left = 90, softcap = 50.0, alignment = #fa.alignment<bottom_right>,
                indexing_maps = [#q, #k, #v, #s, #s, #o]}
    ins(%query, %key, %value : memref<?x?x3x?x64xf16>, memref<?x?x?x64xf16>, memref<?x?x?x64xf16>)
    alibi(%slopes : memref<2x3xf32>) sinks(%sinks : memref<2x3xf32>) outs(%out : memref<?x?x3x?x64xf16>)
  return
}

#q3 = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k3 = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v3 = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o3 = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l3 = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
!w = memref<?x?x256xbf16>

func.func @wide(%query: !w, %key: !w, %value: !w, %out: !w, %lse: memref<?x?xf32>) {
  fa.attention {causal, indexing_maps = [#q3, #k3, #v3, #o3, #l3]} ins(%query, %key, %value : !w, !w, !w)
    outs(%out, %lse : !w, memref<?x?xf32>)
  return
}
