// The machine program of preset nc3 gives attention, whatever arrives first; a length that is no multiple of either tile.
// RUN: %fa-simulate %S/../Conversion/FAGPUHopper/Inputs/nc3.mlir --arg=random:1x250x128xbf16 --arg=random:1x250x128xbf16 \
// RUN:   --arg=random:1x250x128xbf16 --arg=zeros:1x250x128xbf16 --arg=zeros:1x250xf32 --arg=0.1275174 --arg=250 --arg=2 \
// RUN:   --arg=4 --arg=2 --arg=zeros:1xi32 --grid=2 --seeds=2 --check-attention | FileCheck %s
// CHECK: attn, seed 0
// CHECK-NEXT: ok: out differs by at most {{.*}}, lse by
// CHECK: attn, seed 1
// CHECK-NEXT: ok: out differs by at most {{.*}}, lse by
