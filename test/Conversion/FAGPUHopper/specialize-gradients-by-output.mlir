// Wide heads: d_key and d_value of the same keys are two warpgroups'.
// RUN: %fa-opt %s --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// CHECK: fagpu.kernel @causal_kernel_1_tma
// CHECK: %[[K:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<1x64x256xbf16>
// CHECK-NEXT: %[[V:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<1x64x256xbf16>
// CHECK-NEXT: %[[Q:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<2x64x256xbf16>
// CHECK-NEXT: %[[DO:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<2x64x256xbf16>
// CHECK-NEXT: %[[DS:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<2x64x64xbf16>
// CHECK-NEXT: %[[P:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<2x64x64xbf16>
// CHECK: %[[KR:.*]] = fagpu.ring {arrivals = 12 : i64
// CHECK-NEXT: %[[QR:.*]] = fagpu.ring {arrivals = 8 : i64
// CHECK-NEXT: %[[DOR:.*]] = fagpu.ring {arrivals = 8 : i64
// CHECK-NEXT: %[[DSR:.*]] = fagpu.ring {arrivals = 4 : i64, fills = 4 : i64
// CHECK-NEXT: %[[PR:.*]] = fagpu.ring {arrivals = 4 : i64, fills = 4 : i64
// Behind the last rows the loader gives a slot of either ring empty.
// CHECK: fagpu.role producer warpgroups(1) registers(24) {
// CHECK: fagpu.for_each_tile none
// CHECK: %[[END:.*]] = scf.for
// CHECK: fagpu.commit %[[QR]][{{.*}} bytes 33024
// CHECK: fagpu.commit %[[DOR]][{{.*}} bytes 33024
// CHECK: fagpu.acquire %[[DOR]][%[[END]]]
// CHECK-NEXT: fagpu.commit %[[DOR]][%[[END]]] bytes 0
// CHECK-NEXT: fagpu.acquire %[[QR]][%[[END]]]
// CHECK-NEXT: fagpu.commit %[[QR]][%[[END]]] bytes 0
// CHECK: fagpu.role consumer warpgroups(1) registers(72) {
// CHECK: fagpu.wgmma %[[DS]][{{.*}} columns({{.*}} head(

// P and d_value: S of the first tile, three loops, the last tile.
// CHECK: fagpu.role consumer warpgroups(1) registers(208) {
// CHECK: fagpu.wait_full %[[QR]][{{.*}} {early}
// CHECK: fagpu.wgmma %[[K]]{{.*}}, %[[Q]][
// CHECK: fagpu.wgmma_wait 0
// CHECK: scf.for
// CHECK: arith.cmpi slt
// CHECK: %[[W:.*]] = fagpu.pack
// CHECK-NEXT: fagpu.release %[[QR]]
// CHECK-NEXT: fagpu.acquire %[[PR]]
// CHECK-NEXT: fagpu.store_fragments %[[W]] to %[[P]]{{.*}} {unfenced}
// CHECK-NEXT: fagpu.commit %[[PR]]
// CHECK: fagpu.wait_full %[[DOR]]
// CHECK-NEXT: fagpu.wgmma %[[W]], %[[DO]]
// CHECK: fagpu.wait_full %[[QR]]{{.*}} {early}
// CHECK-NEXT: fagpu.wgmma %[[K]]{{.*}}, %[[Q]][
// CHECK: fagpu.wgmma_wait 0 done(%{{.*}}, %{{.*}} :
// CHECK-NEXT: fagpu.release %[[DOR]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: fagpu.release %[[KR]]
// CHECK-NEXT: fagpu.wait_full %[[QR]][%[[EMPTY:.*]]] :
// CHECK-NEXT: fagpu.release %[[QR]][%[[EMPTY]]]
// CHECK-NEXT: fagpu.wait_full %[[DOR]][%[[EMPTY]]]
// CHECK-NEXT: %[[SLOT:.*]] = fagpu.slot %[[EMPTY]]
// CHECK: fagpu.tma_store %{{.*}} by %[[DO]][%[[SLOT]]] {{.*}} {drain}
// CHECK-NEXT: fagpu.release %[[DOR]][%[[EMPTY]]]

// dS and d_key. dS of full tiles is a product of 16-bit numbers.
// CHECK: fagpu.role consumer warpgroups(1) registers(208) {
// CHECK: fagpu.wait_full %[[DOR]]{{.*}} {early}
// CHECK: fagpu.wgmma %[[V]]{{.*}}, %[[DO]][
// CHECK: scf.for
// CHECK: scf.for
// CHECK: fagpu.wait_full %[[PR]]
// CHECK-NEXT: %[[PT:.*]] = fagpu.read_fragments %[[P]]
// CHECK: %[[DST:.*]] = fagpu.mul_packed %[[PT]]
// CHECK-NEXT: fagpu.release %[[PR]]
// CHECK-NEXT: fagpu.release %[[DOR]]
// CHECK-NEXT: fagpu.acquire %[[DSR]]
// CHECK-NEXT: fagpu.store_fragments %[[DST]] to %[[DS]]
// CHECK-NEXT: fagpu.wait_full %[[QR]]
// CHECK-NEXT: fagpu.wgmma %[[DST]], %[[Q]]
// CHECK-NEXT: fagpu.fence_proxy
// CHECK-NEXT: fagpu.commit %[[DSR]]
// CHECK: fagpu.wait_full %[[DOR]]{{.*}} {early}
// CHECK-NEXT: fagpu.wgmma %[[V]]{{.*}}, %[[DO]][
// CHECK: fagpu.wgmma_wait 0 done(%{{.*}}, %{{.*}} :
// CHECK-NEXT: fagpu.release %[[QR]]
// CHECK: scf.for
// CHECK: fagpu.release %[[KR]]
// CHECK-NEXT: fagpu.wait_full %[[DOR]][%[[EMPTY:.*]]] :
// CHECK-NEXT: fagpu.release %[[DOR]][%[[EMPTY]]]
// CHECK-NEXT: fagpu.wait_full %[[QR]][%[[EMPTY]]]
// CHECK-NEXT: %[[SLOT:.*]] = fagpu.slot %[[EMPTY]]
// CHECK: fagpu.tma_store %{{.*}} by %[[Q]][%[[SLOT]]] {{.*}} {drain}
// CHECK-NEXT: fagpu.release %[[QR]][%[[EMPTY]]]
func.func @causal(%q: memref<?x?x?x?x256xbf16>, %k: memref<?x?x?x256xbf16>, %v: memref<?x?x?x256xbf16>, %o: memref<?x?x?x?x256xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x256xbf16>, %dq: memref<?x?x?x?x256xbf16>, %dk: memref<?x?x?x256xbf16>, %dv: memref<?x?x?x256xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?x?x256xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x256xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x256xbf16>, memref<?x?x?x256xbf16>, memref<?x?x?x256xbf16>)
  return
}
