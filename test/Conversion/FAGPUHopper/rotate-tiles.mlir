// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='consumers=2 key-tile=64 stages=2 ahead=true query-slots=2'" | FileCheck %s
// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='consumers=2 key-tile=128 stages=3 ahead=true'" 2>&1 | FileCheck %s --check-prefix=SHARED

// SHARED: remark: the next tile does not start before the end of the last one: outputs go through the queries' memory
// SHARED-NOT: fagpu.take_tile

// The first tile's first product, before the loop.
// CHECK-LABEL: fagpu.kernel @full_kernel_tma
// CHECK: fagpu.ring {{.*}}: !fagpu.ring<2>
// CHECK: fagpu.role consumer
// CHECK: %[[FIRST:.*]], %[[ANY:.*]] = fagpu.take_tile dynamic
// CHECK: scf.if %[[ANY]]
// CHECK: fagpu.wgmma
// CHECK: fagpu.wgmma_wait 0
// CHECK: scf.while
// Its key loop starts with scores that are there.
// CHECK-NOT: fagpu.wgmma %
// CHECK: fagpu.pack
// CHECK: scf.for
// The last product, then the next tile: its first product runs during the end of this one.
// CHECK: fagpu.wgmma {{.*}} {b_rows_are_k}
// CHECK: fagpu.wgmma_wait 0
// CHECK: %[[NEXT:.*]], %[[MORE:.*]] = fagpu.take_tile dynamic {{.*}} after(%
// CHECK: scf.if %[[MORE]]
// CHECK: %[[S:.*]] = fagpu.wgmma %
// CHECK: fagpu.tma_store
// CHECK: fagpu.wgmma_wait 0 done(%[[S]]
// CHECK-NEXT: fagpu.release
// CHECK: } else {
// CHECK-NOT: fagpu.wgmma
// CHECK: fagpu.tma_store
// CHECK: scf.condition(%[[MORE]])
