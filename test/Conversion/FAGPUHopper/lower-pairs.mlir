// Two blocks of a cluster that fill each other's slots, in assembly.
// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-allocate,fagpu-lower-rings))" | FileCheck %s
// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-allocate,fagpu-lower-rings,fagpu-distribute),fagpu-lower-kernel)" | FileCheck %s --check-prefix=KERNEL

// CHECK-LABEL: fagpu.kernel @pair
// Warps of both blocks release a slot.
// CHECK: fagpu.ring {arrivals = 8 : i64, fills = 4 : i64, {{.*}}paired} : !fagpu.ring<2>

// KERNEL: llvm.func @pair
// KERNEL-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// KERNEL: nvvm.fence.mbarrier.init
// KERNEL-NOT: nvvm.barrier0
// KERNEL: nvvm.cluster.arrive
// KERNEL-NEXT: nvvm.cluster.wait
// KERNEL: nvvm.setmaxregister
// The second product joins the first one's group: 32 columns, 64 bytes on in every second half of a block.
// KERNEL: arith.constant 4 : i32
// KERNEL: wgmma.fence
// KERNEL-NOT: commit_group
// KERNEL: wgmma.fence
// KERNEL-SAME: m64n32k16
// KERNEL-SAME: wgmma.commit_group
// KERNEL: wgmma.wait_group.sync.aligned 0
// 32 columns of fragments are 8 KiB.
// KERNEL: arith.constant 8192 : i32
// KERNEL-COUNT-4: red.global.add.v4.f32
// Neither block ends before the other has done what it does there.
// KERNEL: nvvm.cluster.arrive
// KERNEL-NEXT: nvvm.cluster.wait
// KERNEL-NEXT: llvm.return
fagpu.kernel @pair(%map: !fagpu.tensor_map<64x192xbf16>, %sum: memref<?x192xf32>) attributes {cluster = 2 : i64} {
  %s = fagpu.smem : !fagpu.swizzled<4x64x64xbf16>
  %k = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  %keys = fagpu.ring : !fagpu.ring<1>
  %r = fagpu.ring {paired} : !fagpu.ring<2>
  // CHECK: fagpu.role producer
  fagpu.role producer warpgroups(1) registers(40) {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %keys[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.commit %keys[%c] bytes 8192 : !fagpu.ring<1>, !fagpu.cursor<1>
    // Block 2 starts at column 128.
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%c128{{.*}}, %{{.*}}]
    fagpu.tma_load %map[%c0] columns(%c2) to %k[%c] on %keys[%c]
      : !fagpu.tensor_map<64x192xbf16>, !fagpu.swizzled<1x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>, !fagpu.cursor<1>
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    %one = arith.constant dense<1.0> : tensor<64x64xf32, #fagpu.acc>
    %p = fagpu.pack %one : tensor<64x64xf32, #fagpu.acc> -> tensor<64x64xbf16, #fagpu.a_op>
    fagpu.store_fragments %p to %s[%c : !fagpu.cursor<2>] part %wg : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<4x64x64xbf16>
    // CHECK: fagpu.store_fragments
    // CHECK: bar.warp.sync
    // CHECK: mapa.shared::cluster.u32 there, $0, $3
    // CHECK-SAME: mapa.shared::cluster.u32 full, $2, $3
    // CHECK-SAME: @$4 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [there], [$1], $5, [full]
    fagpu.send %s[%c] from 0 to 1 on %r : !fagpu.swizzled<4x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>
    // Each of four warps expects its quarter.
    // CHECK: bar.warp.sync
    // CHECK: %[[QUARTER:.*]] = llvm.mlir.constant(2048 : i32)
    // CHECK: @$1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $2;
    fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
  }
  // CHECK: fagpu.role consumer
  fagpu.role consumer warpgroups(1) registers(80) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : index
    %c = fagpu.cursor : !fagpu.cursor<2>
    %d = fagpu.cursor : !fagpu.cursor<1>
    fagpu.wait_full %keys[%d] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    %h = fagpu.read_fragments %s[%c : !fagpu.cursor<2>] {rows_are_columns, tiles = 2 : i64} : !fagpu.swizzled<4x64x64xbf16> -> tensor<64x64xbf16, #fagpu.a_op>
    %x = fagpu.wgmma %h, %k[%d : !fagpu.cursor<1>] columns(%wg) {b_rows_are_k, half_blocks}
      : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x32xf32>
    %y = fagpu.wgmma %h, %k[%d : !fagpu.cursor<1>] columns(%wg) acc(%x : !fagpu.pending<64x32xf32>) {b_rows_are_k, half_blocks}
      : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x32xf32>
    %v = fagpu.wgmma_wait 0 done(%y : !fagpu.pending<64x32xf32>) -> (tensor<64x32xf32, #fagpu.acc>)
    // CHECK: @$1 mbarrier.arrive.shared::cta.b64 _, [$0];
    // CHECK: mapa.shared::cluster.u32 there, $0, $1
    // CHECK-SAME: @$2 mbarrier.arrive.shared::cluster.b64 _, [there];
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.release %keys[%d] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.reduce_add %v into %sum[%c0] columns(%wg) {half_blocks, tile_dims = array<i64: 0, 1>} : tensor<64x32xf32, #fagpu.acc>, memref<?x192xf32>
  }
}

// A number to the other block's mailbox: 4 bytes that its slot waits for.
// CHECK-LABEL: fagpu.kernel @numbers
fagpu.kernel @numbers(%n: i32) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<2>
  // CHECK: fagpu.role producer
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<2>
    // The mailbox is behind the slots' barriers: 32 bytes, then 4 for each slot.
    // CHECK: %[[MAILBOX:.*]] = llvm.getelementptr %{{.*}}[32]
    // CHECK: %[[FULL:.*]] = llvm.getelementptr %{{.*}}[0]
    // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
    // CHECK: %[[OTHER:.*]] = arith.xori %[[RANK]],
    // CHECK: mapa.shared::cluster.u32 there, $0, $3
    // CHECK-SAME: mapa.shared::cluster.u32 full, $2, $3
    // CHECK-SAME: st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [there], $1, [full];
    // CHECK-SAME: %[[MAILBOX]], %{{.*}}, %[[FULL]], %[[OTHER]]
    fagpu.send_number %n to %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.commit %r[%c] bytes 0 : !fagpu.ring<2>, !fagpu.cursor<2>
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}
