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

// Blocks of a pair that draw tiles together.
// CHECK-LABEL: fagpu.kernel @pair
fagpu.kernel @pair(%total: i32, %counter: memref<1xi32>) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  %inbox = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %first = fagpu.cursor : !fagpu.cursor<3>
    // CHECK: fagpu.for_each_tile dynamic total(%{{.*}}) via(%{{.*}} : !fagpu.ring<1>) counter(%{{.*}} : memref<1xi32>) inbox(%{{.*}} : !fagpu.ring<2>) iter_args(%{{.*}} : !fagpu.cursor<3>) -> !fagpu.cursor<3> {
    %last = fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) inbox(%inbox : !fagpu.ring<2>)
        iter_args(%first : !fagpu.cursor<3>) -> !fagpu.cursor<3> {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>, %at: !fagpu.cursor<3>):
      fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield %at : !fagpu.cursor<3>
    }
    %c = fagpu.cursor : !fagpu.cursor<2>
    // CHECK: fagpu.send_number %{{.*}} to %{{.*}}[%{{.*}}] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.send_number %total to %inbox[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// A warp of its own takes numbers, clears what they stand for and says so; those of a consumer round; the producer draws its first tile, too, and asks for a box ahead.
// CHECK-LABEL: fagpu.kernel @clears
fagpu.kernel @clears(%map: !fagpu.tensor_map<80x128xbf16>, %sum: memref<?x?x64xf32>, %counter: memref<1xi32>, %counts: memref<?xi32>, %n: i32, %to: memref<?x64xf16>, %scale: f32) {
  %row = arith.constant 0 : index
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
    // CHECK: fagpu.for_each_tile drawn total(%{{.*}}) via(%{{.*}} : !fagpu.ring<1>) counter(%{{.*}} : memref<1xi32>) {
    fagpu.for_each_tile drawn total(%n) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
      // CHECK: fagpu.tma_prefetch %{{.*}}[%{{.*}}] : !fagpu.tensor_map<80x128xbf16>
      fagpu.tma_prefetch %map[%tile] : !fagpu.tensor_map<80x128xbf16>
      // CHECK: fagpu.tma_prefetch %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : !fagpu.tensor_map<80x128xbf16>
      fagpu.tma_prefetch %map[%tile, %n, %n, %n] : !fagpu.tensor_map<80x128xbf16>
      fagpu.yield
    }
  }
  // CHECK: fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    // CHECK: fagpu.for_each_number counter(%{{.*}} : memref<1xi32>) total(%{{.*}}) draws(%{{.*}}) {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    // CHECK-NEXT: ^bb0(%[[NUMBER:.*]]: i32):
    ^bb0(%number: i32):
      // CHECK: fagpu.clear %{{.*}}[%[[NUMBER]]] count(%{{.*}}) : memref<?x?x64xf32>
      fagpu.clear %sum[%number] count(%n) : memref<?x?x64xf32>
      // CHECK: fagpu.add_count %{{.*}}[%[[NUMBER]]] wraps(%{{.*}}) : memref<?xi32>
      fagpu.add_count %counts[%number] wraps(%n) : memref<?xi32>
      // CHECK: fagpu.add_count %{{.*}}[%[[NUMBER]]] wraps(%{{.*}}) {relaxed} : memref<?xi32>
      fagpu.add_count %counts[%number] wraps(%n) {relaxed} : memref<?xi32>
    }
  }
  // In a consumer each of its warps.
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    fagpu.for_each_tile drawn total(%n) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
    // CHECK: fagpu.for_each_number counter(%{{.*}} : memref<1xi32>) total(%{{.*}}) draws(%{{.*}}) {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    // CHECK-NEXT: ^bb0(%[[PART:.*]]: i32):
    ^bb0(%part: i32):
      // CHECK: fagpu.await_count %{{.*}}[%[[PART]]] reaches(%{{.*}}) : memref<?xi32>
      fagpu.await_count %counts[%part] reaches(%n) : memref<?xi32>
      // CHECK: fagpu.round_fragments %{{.*}}[%[[ROW:.*]], %[[ROW]]] part %[[PART]] of 2 times %{{.*}} to %{{.*}}[%[[ROW]], %[[ROW]]] {tile_dims = array<i64: 1, 2>, to_dims = array<i64: 0, 1>} : memref<?x?x64xf32>, memref<?x64xf16>
      fagpu.round_fragments %sum[%row, %row] part %part of 2 times %scale to %to[%row, %row] {tile_dims = array<i64: 1, 2>, to_dims = array<i64: 0, 1>} : memref<?x?x64xf32>, memref<?x64xf16>
    }
  }
}

// CHECK-LABEL: func.func private @schedule
// CHECK-SAME: persistent = 1>
func.func private @schedule() attributes {x = #fagpu.gradient_schedule<stages = 3, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208, persistent = 1>}
