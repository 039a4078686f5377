// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-allocate,fagpu-lower-rings))" | FileCheck %s
// RUN: not %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-lower-rings))" 2>&1 | FileCheck %s --check-prefix=ORDER

// ORDER: error: shared memory is not allocated: run --fagpu-allocate before --fagpu-lower-rings

// CHECK-LABEL: fagpu.kernel @ring
fagpu.kernel @ring(%map: !fagpu.tensor_map<64x128xbf16>, %n: i32) {
  %s = fagpu.smem : !fagpu.swizzled<2x64x128xbf16>
  %r = fagpu.ring : !fagpu.ring<2>
  // A cursor is slot and phase; both start at 0.
  // CHECK: fagpu.role producer
  // CHECK: scf.for {{.*}} iter_args(%[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32)
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = fagpu.cursor : !fagpu.cursor<2>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%c = %first) -> (!fagpu.cursor<2>) : i32 {
      // A producer waits for the other parity.
      // CHECK: %[[PARITY:.*]] = arith.xori %[[PHASE]]
      // CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[PARITY]]
      fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
      // CHECK: nvvm.mbarrier.arrive.expect_tx
      fagpu.commit %r[%c] bytes 16384 : !fagpu.ring<2>, !fagpu.cursor<2>
      // A box of 64 columns at a time: {column, row, head}.
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%{{.*}}, %{{.*}}, %{{.*}}]
      // CHECK: %[[COLUMN:.*]] = arith.constant 64 : i32
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[COLUMN]], %{{.*}}, %{{.*}}]
      fagpu.tma_load %map[%i, %n] to %s[%c] on %r[%c]
        : !fagpu.tensor_map<64x128xbf16>, !fagpu.swizzled<2x64x128xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
      // The phase flips where the slot wraps.
      // CHECK: %[[WRAPS:.*]] = arith.cmpi eq
      // CHECK: %[[FLIP:.*]] = arith.extui %[[WRAPS]]
      // CHECK: arith.select %[[WRAPS]]
      // CHECK: arith.xori %[[PHASE]], %[[FLIP]]
      %next = fagpu.advance %c : !fagpu.cursor<2>
      scf.yield %next : !fagpu.cursor<2>
    }
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    // CHECK: nvvm.mbarrier.try_wait.parity
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    // One lane of a warp arrives.
    // CHECK: @$1 mbarrier.arrive.shared::cta.b64
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    // Rows of 128 bytes, 16 bytes a thread, only where there are some; then wgmma may read.
    // CHECK: %[[HAS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}}
    // CHECK: scf.if %[[HAS]]
    // CHECK: nvvm.mbarrier.try_wait.parity
    // CHECK: scf.for
    // CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>
    // CHECK: nvvm.fence.proxy
    // CHECK: bar.sync $0, 128
    fagpu.clear_tail %r[%c] of %s from(%n) : !fagpu.ring<2>, !fagpu.cursor<2>, !fagpu.swizzled<2x64x128xbf16>
  }
}

// One thread acquires for those that get a slot from it, and releases what others did before they filled one; who fills is a
// warp at a time, who releases one lane.
// CHECK-LABEL: fagpu.kernel @counts
fagpu.kernel @counts(%counts: memref<?xi32>, %n: i32) attributes {smem_bytes = 32 : i64} {
  %turn = fagpu.ring {offset = 0 : i64, arrivals = 4 : i64} : !fagpu.ring<1>
  %added = fagpu.ring {offset = 16 : i64, arrivals = 1 : i64, fills = 4 : i64} : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<1>
    // CHECK: nvvm.mbarrier.try_wait.parity
    fagpu.acquire %turn[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    // CHECK: ld.acquire.gpu.global.s32
    fagpu.await_count %counts[%n] reaches(%n) : memref<?xi32>
    // CHECK: "mbarrier.arrive.shared::cta.b64
    fagpu.commit %turn[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<1>
    // CHECK: nvvm.mbarrier.try_wait.parity
    fagpu.wait_full %added[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    // CHECK: st.release.gpu.global.s32
    fagpu.set_count %counts[%n] to(%n) : memref<?xi32>
    // CHECK-NOT: bar.warp.sync
    // CHECK: mbarrier.arrive.shared::cta.b64
    fagpu.release %added[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %turn[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.release %turn[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.acquire %added[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    // CHECK: bar.warp.sync
    // CHECK: @$1 mbarrier.arrive.shared::cta.b64
    fagpu.commit %added[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

// One thread adds what all have done before the barrier. Those who copy what the others wrote do so through another proxy; what wraps is the most
// that it is, and one.
// CHECK-LABEL: fagpu.kernel @added
fagpu.kernel @added(%counts: memref<?xi32>, %n: i32) attributes {smem_bytes = 0 : i64} {
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c-1_i32
    // CHECK: fence.proxy.async.global
    // CHECK: bar.sync $0, 128
    // CHECK: scf.if
    // CHECK: red.release.gpu.global.inc.u32 {{.*}}, %[[LAST]]
    fagpu.add_count %counts[%n] wraps(%n) : memref<?xi32>
  }
}

// CHECK-LABEL: fagpu.kernel @copied
fagpu.kernel @copied(%counts: memref<?xi32>, %n: i32) attributes {smem_bytes = 0 : i64} {
  fagpu.role producer warpgroups(1) registers(40) {
    // CHECK: ld.acquire.gpu.global.s32
    // CHECK-NEXT: fence.proxy.async.global
    fagpu.await_count %counts[%n] reaches(%n) : memref<?xi32>
  }
}

// One lane takes a warp's number for all, of a messenger and of each warp of a consumer. Who waits for others there polls now and then; who only counts
// releases nothing.
// CHECK-LABEL: fagpu.kernel @numbers
// CHECK-SAME: %{{.*}}: memref<1xi32>, %{{.*}}: memref<?xi32>, %[[TOTAL:[^:]*]]: i32, %[[DRAWS:[^:]*]]: i32
fagpu.kernel @numbers(%counter: memref<1xi32>, %counts: memref<?xi32>, %total: i32, %draws: i32) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    // CHECK: scf.while
    // CHECK: %[[LAST:.*]] = arith.addi %[[DRAWS]], %c-1
    // CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0
    // CHECK: %[[NUMBER:.*]] = llvm.inline_asm has_side_effects
    // CHECK-SAME: mov.u32 $0, 0;
    // CHECK-SAME: @$3 atom.global.inc.u32 $0, [$1], $2;
    // CHECK-SAME: shfl.sync.idx.b32 $0, $0, 0, 31, -1;
    // CHECK-SAME: "=&r,l,r,b,~{memory}" %{{.*}}, %[[LAST]], %[[FIRST]]
    // CHECK: %[[IS:.*]] = arith.cmpi ult, %[[NUMBER]], %[[TOTAL]]
    // CHECK: scf.condition(%[[IS]]) %[[NUMBER]]
    // CHECK: ^bb0(%[[NUMBER:.*]]: i32):
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%total) draws(%draws) {
    ^bb0(%number: i32):
      // CHECK: ld.acquire.gpu.global.s32
      // CHECK-SAME: @p nanosleep.u32
      fagpu.await_count %counts[%number] reaches(%total) : memref<?xi32>
      // CHECK-NOT: fence.proxy
      // CHECK: red.relaxed.gpu.global.inc.u32
      fagpu.add_count %counts[%number] wraps(%draws) {relaxed} : memref<?xi32>
      // CHECK: fence.proxy.async.global
      // CHECK: red.release.gpu.global.inc.u32
      fagpu.add_count %counts[%number] wraps(%draws) : memref<?xi32>
      // CHECK: scf.yield
    }
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(2) registers(40) {
  ^bb0(%wg: i32):
    // CHECK-NOT: nanosleep
    // CHECK: scf.while
    // CHECK: @$3 atom.global.inc.u32 $0, [$1], $2;
    // CHECK-SAME: shfl.sync.idx.b32
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%total) draws(%draws) {
    ^bb0(%number: i32):
      // CHECK: @p nanosleep.u32
      // CHECK: bar.warp.sync
      // CHECK-NOT: barrier
      // CHECK: red.relaxed.gpu.global.inc.u32
      fagpu.await_count %counts[%number] reaches(%total) : memref<?xi32>
      fagpu.add_count %counts[%number] wraps(%draws) {relaxed} : memref<?xi32>
    }
  }
}

// A KiB at a time, each lane two times 16 bytes of it that lie next to its neighbours'. All lanes have stored before one of them counts, for readers
// of any kind, and before one of them gives the slot back.
// CHECK-LABEL: fagpu.kernel @cleared
// CHECK-SAME: %[[SUM:[^:]*]]: memref<?x?x64xf32>, %{{[^:]*}}: memref<?xi32>, %[[BEGIN:[^:]*]]: i32, %[[N:[^:]*]]: i32
fagpu.kernel @cleared(%sum: memref<?x?x64xf32>, %counts: memref<?xi32>, %first: i32, %n: i32) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    // CHECK: memref.extract_aligned_pointer_as_index %[[SUM]]
    // CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.tid.x
    // CHECK: %[[LANE:.*]] = arith.remui %[[ID]], %c32
    // CHECK: %[[WIDE:.*]] = arith.extsi %[[LANE]]
    // CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %c16
    // CHECK: %[[BASE:.*]] = arith.addi %{{.*}}, %[[BYTES]]
    // CHECK: %[[END:.*]] = arith.addi %[[BEGIN]], %[[N]]
    // CHECK: scf.for %[[PART:.*]] = %[[BEGIN]] to %[[END]]
    // CHECK: %[[WIDE:.*]] = arith.extsi %[[PART]]
    // CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %c1024
    // CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[BYTES]]
    // CHECK: %[[HERE:.*]] = arith.addi %[[AT]], %c0
    // CHECK: "st.global.v4.b32 [$0], {$1, $1, $1, $1};", "l,r,~{memory}" %[[HERE]], %c0
    // CHECK: %[[HERE:.*]] = arith.addi %[[AT]], %c512
    // CHECK: "st.global.v4.b32 [$0], {$1, $1, $1, $1};", "l,r,~{memory}" %[[HERE]], %c0
    // CHECK-NOT: st.global
    fagpu.clear %sum[%first] count(%n) : memref<?x?x64xf32>
    // CHECK: %[[LAST:.*]] = arith.addi %[[N]], %c-1_i32
    // CHECK-NEXT: llvm.inline_asm {{.*}}fence.proxy.async.global
    // CHECK-NEXT: llvm.inline_asm {{.*}}bar.warp.sync
    // CHECK-NOT: bar.sync
    // CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31
    // CHECK: %[[ELECTED:.*]] = arith.cmpi eq, %[[LANE]], %c0
    // CHECK: scf.if %[[ELECTED]] {
    // CHECK-NEXT: llvm.inline_asm {{.*}}"red.release.gpu.global.inc.u32 [$0], $1;", "l,r,~{memory}" %{{.*}}, %[[LAST]]
    // CHECK-NEXT: }
    fagpu.add_count %counts[%first] wraps(%n) : memref<?xi32>
    // CHECK: bar.warp.sync
    // CHECK: @$1 mbarrier.arrive.shared::cta.b64
    fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
  // One thread counts what it has done itself.
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) {
    // CHECK: fence.proxy.async.global
    // CHECK-NEXT: llvm.inline_asm {{.*}}red.release.gpu.global.inc.u32
    // CHECK-NOT: warp.sync
    fagpu.add_count %counts[%first] wraps(%n) : memref<?xi32>
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
  }
}

// The boxes that the load takes, one for 64 columns, and no barrier.
// CHECK-LABEL: fagpu.kernel @ahead
// CHECK-SAME: %{{[^:]*}}: !fagpu.tensor_map<80x128xbf16>, %[[ROW:[^:]*]]: i32, %[[HEAD:[^:]*]]: i32
fagpu.kernel @ahead(%map: !fagpu.tensor_map<80x128xbf16>, %row: i32, %head: i32) {
  fagpu.role producer warpgroups(1) registers(40) {
    // CHECK: %[[COLUMN:.*]] = arith.constant 0 : i32
    // CHECK: nvvm.cp.async.bulk.tensor.prefetch %{{.*}}, box[%[[COLUMN]], %[[ROW]], %[[HEAD]]]
    // CHECK: %[[COLUMN:.*]] = arith.constant 64 : i32
    // CHECK: nvvm.cp.async.bulk.tensor.prefetch %{{.*}}, box[%[[COLUMN]], %[[ROW]], %[[HEAD]]]
    // CHECK-NOT: nvvm.cp.async
    // CHECK-NOT: mbarrier
    fagpu.tma_prefetch %map[%row, %head] : !fagpu.tensor_map<80x128xbf16>
  }
}

// 16 rows of 32 columns at a time: what a lane reads of four groups of columns is exchanged in its quad, so that it has eight columns of a row, which it writes at
// once, or one by one where that is not possible. Of 192 columns a quarter of the rows, of 64 all.
// CHECK-LABEL: fagpu.kernel @rounded
fagpu.kernel @rounded(%sum: memref<2x64x192xf32>, %to: memref<2x50x192xbf16>, %narrow: memref<2x64x64xf32>, %toNarrow: memref<2x50x64xf16>, %scale: f32, %counter: memref<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  fagpu.role producer warpgroups(1) registers(40) {
  }
  // CHECK: fagpu.role messenger
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // CHECK: scf.if
      // CHECK: scf.while (%[[PIECE:.*]] = %c0
      // CHECK: .pragma \22nounroll\22;
      // The next 32 columns are 8 KiB on, the next rows of a quarter 512 bytes, the next 8 columns 2 KiB.
      // CHECK: arith.muli %{{.*}}, %c8192_i32
      // CHECK: arith.muli %{{.*}}, %c512_i32
      // CHECK: %[[GROUP:.*]] = llvm.getelementptr %[[FROM:.*]][0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      // CHECK-NEXT: llvm.load %[[GROUP]] {{.*}}alignment = 16 : i64{{.*}} : !llvm.ptr<1> -> vector<4xf32>
      // CHECK: %[[GROUP:.*]] = llvm.getelementptr %[[FROM]][2048] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      // CHECK-NEXT: llvm.load %[[GROUP]] {{.*}}alignment = 16 : i64{{.*}} : !llvm.ptr<1> -> vector<4xf32>
      // CHECK: %[[GROUP:.*]] = llvm.getelementptr %[[FROM]][4096] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      // CHECK-NEXT: llvm.load %[[GROUP]] {{.*}}alignment = 16 : i64{{.*}} : !llvm.ptr<1> -> vector<4xf32>
      // CHECK: %[[GROUP:.*]] = llvm.getelementptr %[[FROM]][6144] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      // CHECK-NEXT: llvm.load %[[GROUP]] {{.*}}alignment = 16 : i64{{.*}} : !llvm.ptr<1> -> vector<4xf32>
      // CHECK-NOT: llvm.load
      // CHECK-COUNT-4: cvt.rn.bf16x2.f32
      // CHECK-COUNT-2: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c1_i32
      // CHECK-COUNT-2: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c2_i32
      // CHECK: @$5 st.global.v4.b32
      // CHECK-COUNT-4: cvt.rn.bf16x2.f32
      // CHECK: @$5 st.global.v4.b32
      // CHECK: arith.cmpi slt, %{{.*}}, %c6_i32
      // CHECK: } else {
      // CHECK-NOT: st.global.v4
      // CHECK-COUNT-16: @$3 st.global.b16
      // CHECK-NOT: st.global
      fagpu.round_fragments %sum[%c0, %c0] part %i of 4 times %scale to %to[%c0, %c0, %c0] {tile_dims = array<i64: 1, 2>, to_dims = array<i64: 1, 2>} : memref<2x64x192xf32>, memref<2x50x192xbf16>
      // CHECK: fagpu.role consumer
    }
  }
  // More registers, more pieces at once.
  fagpu.role consumer warpgroups(1) registers(112) {
  ^bb0(%wg: i32):
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%i: i32):
      // CHECK: .pragma \22nounroll\22;
      // CHECK: llvm.getelementptr %{{.*}}[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      // CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
      // CHECK: llvm.getelementptr %{{.*}}[512] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      // CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
      // CHECK: llvm.getelementptr %{{.*}}[1024] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      // CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
      // CHECK: llvm.getelementptr %{{.*}}[1536] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      // CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
      // CHECK-NOT: llvm.load
      // CHECK: cvt.rn.f16x2.f32
      // CHECK-NOT: bf16x2
      // CHECK-COUNT-8: @$5 st.global.v4.b32
      // CHECK: arith.cmpi slt, %{{.*}}, %c8_i32
      fagpu.round_fragments %narrow[%c0, %c0] part %i of 1 times %scale to %toNarrow[%c0, %c0, %c0] {tile_dims = array<i64: 1, 2>, to_dims = array<i64: 1, 2>} : memref<2x64x64xf32>, memref<2x50x64xf16>
    }
  }
}
