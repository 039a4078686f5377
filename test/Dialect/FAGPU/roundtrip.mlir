// RUN: %fa-opt %s | %fa-opt | FileCheck %s

// CHECK-LABEL: func.func @ops
func.func @ops(%key: memref<?x?x?x128xbf16>, %out: memref<?x?x?x128xbf16>, %i: index, %stage: i32, %enable: i1,
    %p: tensor<128x64xbf16, #fagpu.a_op>, %acc: tensor<128x128xf32, #fagpu.acc>,
    %scores: tensor<128x64xf32, #fagpu.acc>, %o: tensor<128x128xbf16, #fagpu.acc>,
    %row: tensor<128xf32, #fagpu.rows>, %column: tensor<64xf32, #fagpu.cols>) {
  // CHECK: fagpu.alloc {offset = 0 : i64} : !fagpu.smem<128x128xbf16, stages = 1>
  %q = fagpu.alloc {offset = 0 : i64} : !fagpu.smem<128x128xbf16, stages = 1>
  %k = fagpu.alloc {offset = 34816 : i64} : !fagpu.smem<64x128xbf16, stages = 2>
  // CHECK: fagpu.copy_async %{{.*}}[%{{.*}}] limit(%{{.*}}) if %{{.*}} into %{{.*}} stage %{{.*}} {tile_dims = array<i64: 2, 3>}
  fagpu.copy_async %key[%i, %i, %i, %i] limit(%i) if %enable into %k stage %stage {tile_dims = array<i64: 2, 3>}
    : memref<?x?x?x128xbf16>, !fagpu.smem<64x128xbf16, stages = 2>
  // CHECK: fagpu.mma {{.*}} {b_transposed}
  %s = fagpu.mma %q, %k stage %stage, %scores {b_transposed}
    : !fagpu.smem<128x128xbf16, stages = 1>, !fagpu.smem<64x128xbf16, stages = 2>, tensor<128x64xf32, #fagpu.acc>
  // CHECK: fagpu.mma {{.*}} : tensor<128x64xbf16, #fagpu.a_op>, !fagpu.smem<64x128xbf16, stages = 2>
  %o1 = fagpu.mma %p, %k, %acc
    : tensor<128x64xbf16, #fagpu.a_op>, !fagpu.smem<64x128xbf16, stages = 2>, tensor<128x128xf32, #fagpu.acc>
  // CHECK: fagpu.partial_sums
  %sums = fagpu.partial_sums %s : tensor<128x64xf32, #fagpu.acc> -> tensor<128x4xf32, #fagpu.rows_partial>
  // CHECK: fagpu.store_through
  fagpu.store_through %o, %out[%i, %i, %i, %i] by %q {tile_dims = array<i64: 2, 3>}
    : tensor<128x128xbf16, #fagpu.acc>, memref<?x?x?x128xbf16>, !fagpu.smem<128x128xbf16, stages = 1>
  return
}

// CHECK-LABEL: func @transposed
func.func @transposed(%ds: tensor<64x64xbf16, #fagpu.a_op>, %place: !fagpu.smem<64x64xbf16, stages = 1>,
                      %k: !fagpu.smem<64x128xbf16, stages = 1>, %dq: tensor<64x128xf32, #fagpu.acc>) {
  // CHECK: fagpu.put %{{.*}} into %{{.*}} : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.smem<64x64xbf16, stages = 1>
  fagpu.put %ds into %place : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.smem<64x64xbf16, stages = 1>
  // CHECK: fagpu.mma {{.*}} {a_transposed} : !fagpu.smem<64x64xbf16, stages = 1>
  %0 = fagpu.mma %place, %k, %dq {a_transposed}
    : !fagpu.smem<64x64xbf16, stages = 1>, !fagpu.smem<64x128xbf16, stages = 1>, tensor<64x128xf32, #fagpu.acc>
  return
}
