// RUN: %fa-opt %s --pass-pipeline="builtin.module(fagpu.kernel(fagpu-allocate,fagpu-lower-rings,fagpu-distribute))" | FileCheck %s

!acc = tensor<64x16xf32, #fagpu.acc>

// CHECK-LABEL: fagpu.kernel @products
fagpu.kernel @products(%omap: !fagpu.tensor_map<64x64xbf16>, %rows: !llvm.ptr<1>, %base: i64, %row: i32, %limit: i32) {
  %q = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  %k = fagpu.smem : !fagpu.swizzled<1x16x64xbf16>
  %o = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    // One asm per product: fence, one wgmma per 16 of K, commit. The first step starts from 0.
    // CHECK: llvm.inline_asm has_side_effects {{.*}}mov.b64 {qlow, qhigh}, $8;\0Amov.b64 {klow, khigh}, $9;{{.*}}wgmma.fence.sync.aligned;\0Aadd.s32 at, qlow, 0;\0Amov.b64 qa, {at, qhigh};\0Aadd.s32 at, klow, 0;\0Amov.b64 kb, {at, khigh};
    // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, qa, kb, zero, 1, 1, 0, 0;
    // CHECK-SAME: add.s32 at, qlow, 6;\0Amov.b64 qa, {at, qhigh};\0Aadd.s32 at, klow, 6;
    // CHECK-SAME: qa, kb, add, 1, 1, 0, 0;\0Awgmma.commit_group
    // CHECK-SAME: "=f,=f,=f,=f,=f,=f,=f,=f,l,l,~{memory}"
    %s0 = fagpu.wgmma %q[%c0 : i32], %k[%c0 : i32]
      : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<1x16x64xbf16> -> !fagpu.pending<64x16xf32>
    // The wait ties what it completes.
    // CHECK: wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,~{memory}"
    %s = fagpu.wgmma_wait 0 done(%s0 : !fagpu.pending<64x16xf32>) -> (!acc)
    // CHECK-COUNT-4: llvm.inline_asm has_side_effects {{.*}}cvt.rn.bf16x2.f32
    %p = fagpu.pack %s : !acc -> tensor<64x16xbf16, #fagpu.a_op>
    // A in registers, the accumulator tied, B's rows along K.
    // CHECK: {{.*}}m64n64k16.f32.bf16.bf16 {{.*}}, {$64, $65, $66, $67}, kb, add, 1, 1, 1;
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #fagpu.acc>
    %o0 = fagpu.wgmma %p, %k[%c0 : i32] acc(%zero : tensor<64x64xf32, #fagpu.acc>) {b_rows_are_k}
      : tensor<64x16xbf16, #fagpu.a_op>, !fagpu.swizzled<1x16x64xbf16> -> !fagpu.pending<64x64xf32>
    %o1 = fagpu.wgmma_wait 0 done(%o0 : !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>)
    // CHECK: arith.cmpf une
    // CHECK: %[[ANY:.*]] = nvvm.vote.sync any
    // CHECK: scf.if %[[ANY]]
    // CHECK-COUNT-32: arith.mulf
    // CHECK: else
    %none = arith.constant dense<0xFF800000> : tensor<64xf32, #fagpu.rows>
    %max = linalg.reduce {arith.maxnumf} ins(%s : !acc) outs(%none : tensor<64xf32, #fagpu.rows>) dimensions = [1]
    %o2 = fagpu.scale_rows %o1 by %max {skip_if_one} : tensor<64x64xf32, #fagpu.acc>, tensor<64xf32, #fagpu.rows>
    // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
    // CHECK: bar.sync
    // CHECK-COUNT-4: nvvm.stmatrix
    // CHECK: nvvm.fence.proxy
    // CHECK: bar.sync
    // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
    // CHECK: nvvm.cp.async.bulk.commit.group
    fagpu.tma_store %o2 by %o[%c0] to %omap[%row, %c0]
      : tensor<64x64xf32, #fagpu.acc>, !fagpu.swizzled<1x64x64xbf16>, !fagpu.tensor_map<64x64xbf16>
    // A second one into the same memory waits for the first to be read, whether or not it waits for itself.
    // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
    // CHECK: bar.sync
    // CHECK-COUNT-4: nvvm.stmatrix
    // CHECK: nvvm.cp.async.bulk.commit.group
    // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
    // CHECK: bar.sync
    fagpu.tma_store %o1 by %o[%c0] to %omap[%row, %c0] {drain}
      : tensor<64x64xf32, #fagpu.acc>, !fagpu.swizzled<1x64x64xbf16>, !fagpu.tensor_map<64x64xbf16>
    // CHECK-COUNT-2: llvm.store
    fagpu.store_rows %max to %rows[%base, %row] limit(%limit) : tensor<64xf32, #fagpu.rows>, !llvm.ptr<1>
    // The block does not end before its stores have been written.
    // CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
  }
}

// With 512 threads, which start with 128 registers each, an instruction's results are at most 192 columns.
// CHECK-LABEL: fagpu.kernel @wide
fagpu.kernel @wide() {
  %k = fagpu.smem : !fagpu.swizzled<1x64x256xbf16>
  fagpu.role producer warpgroups(1) registers(24) {
  }
  fagpu.role consumer warpgroups(3) registers(160) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %scores = arith.constant dense<0.0> : tensor<64x64xf32, #fagpu.acc>
    %p = fagpu.pack %scores : tensor<64x64xf32, #fagpu.acc> -> tensor<64x64xbf16, #fagpu.a_op>
    %zero = arith.constant dense<0.0> : tensor<64x256xf32, #fagpu.acc>
    // The second half starts two blocks of 64 columns further.
    // CHECK: klow, 0;{{.*}}m64n128k16{{.*}}$63}, {$256, $257, $258, $259}, kb, add{{.*}}klow, 384;
    // CHECK-SAME: klow, 1024;{{.*}}m64n128k16{{[^{]*}}{$64, {{[^}]*}}$127}, {$256, $257, $258, $259}, kb, add
    %s0 = fagpu.wgmma %p, %k[%c0 : i32] acc(%zero : tensor<64x256xf32, #fagpu.acc>) {b_rows_are_k}
      : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x256xbf16> -> !fagpu.pending<64x256xf32>
    %s = fagpu.wgmma_wait 0 done(%s0 : !fagpu.pending<64x256xf32>) -> (tensor<64x256xf32, #fagpu.acc>)
  }
}
