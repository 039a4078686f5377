// RUN: %fa-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{rule 7: a cluster has 2 blocks, got 4}}
fagpu.kernel @four() attributes {cluster = 4 : i64} {
  fagpu.role producer warpgroups(1) registers(40) {
  }
}

// -----

fagpu.kernel @alone() {
  // expected-error @+1 {{kernel rule 7: only blocks of a cluster have paired rings}}
  %r = fagpu.ring {paired} : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
  }
}

// -----

fagpu.kernel @nothing_sent(%t: tensor<64x64xbf16, #fagpu.a_op>) attributes {cluster = 2 : i64} {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %r = fagpu.ring {paired} : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.store_fragments %t to %s[%c : !fagpu.cursor<1>] part %wg : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<2x64x64xbf16>
    // expected-error @+1 {{kernel rule 7: commit and send of a slot of a paired ring go together, in one block}}
    fagpu.commit %r[%c] bytes 0 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

// -----

fagpu.kernel @other_bytes(%t: tensor<64x64xbf16, #fagpu.a_op>) attributes {cluster = 2 : i64} {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %r = fagpu.ring {paired} : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
    fagpu.store_fragments %t to %s[%c : !fagpu.cursor<1>] part %wg : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<2x64x64xbf16>
    fagpu.send %s[%c] from 0 to 1 on %r : !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>
    // expected-error @+1 {{kernel rule 2: says 4096 bytes, but the loads of this slot bring 8192}}
    fagpu.commit %r[%c] bytes 4096 : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

// -----

func.func @send(%s: !fagpu.swizzled<4x64x64xbf16>, %c: !fagpu.cursor<2>, %r: !fagpu.ring<2>) {
  // expected-error @+1 {{rule 1: ring and cursor must have the same number of stages, and from and to must be two tiles of a slot}}
  fagpu.send %s[%c] from 0 to 2 on %r : !fagpu.swizzled<4x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>
  return
}

// -----

func.func @send(%s: !fagpu.swizzled<4x64x128xbf16>, %c: !fagpu.cursor<2>, %r: !fagpu.ring<2>) {
  // expected-error @+1 {{rule 2: the tile must have 64 rows of 64 columns}}
  fagpu.send %s[%c] from 0 to 1 on %r : !fagpu.swizzled<4x64x128xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>
  return
}

// -----

fagpu.kernel @not_paired() attributes {cluster = 2 : i64} {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    // expected-error @+1 {{rule 3: the ring is not paired}}
    fagpu.send %s[%c] from 0 to 1 on %r : !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>
  }
}

// -----

fagpu.kernel @two_warpgroups() attributes {cluster = 2 : i64} {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %r = fagpu.ring {paired} : !fagpu.ring<1>
  fagpu.role consumer warpgroups(2) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    // expected-error @+1 {{rule 4: is for a consumer of one warpgroup}}
    fagpu.send %s[%c] from 0 to 1 on %r : !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>
  }
}

// -----

func.func @halves(%a: tensor<64x64xbf16, #fagpu.a_op>, %s: !fagpu.swizzled<1x64x192xbf16>, %i: i32) {
  // expected-error @+1 {{rule 4: half_blocks goes with 32 columns that are chosen}}
  %p = fagpu.wgmma %a, %s[%i : i32] columns(%i) {b_rows_are_k, half_blocks}
    : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x192xbf16> -> !fagpu.pending<64x64xf32>
  return
}

// -----

func.func @columns(%map: !fagpu.tensor_map<64x64xbf16>, %s: !fagpu.swizzled<1x64x128xbf16>, %c: !fagpu.cursor<1>, %r: !fagpu.ring<1>, %i: i32) {
  // expected-error @+1 {{rule 1: '!fagpu.tensor_map<64x64xbf16>' does not fit a tile of '!fagpu.swizzled<1x64x128xbf16>'}}
  fagpu.tma_load %map[%i, %i] columns(%i) to %s[%c] on %r[%c]
    : !fagpu.tensor_map<64x64xbf16>, !fagpu.swizzled<1x64x128xbf16>, !fagpu.cursor<1>, !fagpu.ring<1>, !fagpu.cursor<1>
  return
}

// -----

// A product joins the newest group only.
fagpu.kernel @older(%a: tensor<64x64xbf16, #fagpu.a_op>) {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %p = fagpu.wgmma %a, %s[%wg : i32] {b_rows_are_k} : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    %q = fagpu.wgmma %a, %s[%wg : i32] {b_rows_are_k} : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    // expected-error @+1 {{kernel rule 3: adds to what is not of the newest group in flight}}
    %n = fagpu.wgmma %a, %s[%wg : i32] acc(%p : !fagpu.pending<64x64xf32>) {b_rows_are_k}
      : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    %t:2 = fagpu.wgmma_wait 0 done(%q, %n : !fagpu.pending<64x64xf32>, !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>, tensor<64x64xf32, #fagpu.acc>)
  }
}

// -----

// What joined is of one group with what it joined.
fagpu.kernel @joined(%a: tensor<64x64xbf16, #fagpu.a_op>) {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %p = fagpu.wgmma %a, %s[%wg : i32] {b_rows_are_k} : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    %q = fagpu.wgmma %a, %s[%wg : i32] acc(%p : !fagpu.pending<64x64xf32>) {b_rows_are_k}
      : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    // expected-error @+1 {{kernel rule 4: live must name exactly the newest 0 groups in flight and done the 1 older ones}}
    %t:2 = fagpu.wgmma_wait 0 done(%p, %q : !fagpu.pending<64x64xf32>, !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>, tensor<64x64xf32, #fagpu.acc>)
  }
}

// -----

// expected-error @+1 {{rule 3: a gradient schedule has clusters of 1 block, or 2 by output, got 2}}
func.func private @schedule() attributes {x = #fagpu.gradient_schedule<stages = 3, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208, cluster = 2>}

// -----

fagpu.kernel @pair_without_inbox(%total: i32, %counter: !llvm.ptr<1>) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 3: an inbox, of two slots, belongs to dynamic or drawn tiles of a kernel with clusters, and only there}}
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @inbox_alone(%total: i32, %counter: !llvm.ptr<1>) {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  %inbox = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 3: an inbox, of two slots, belongs to dynamic or drawn tiles of a kernel with clusters, and only there}}
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @inbox_of_three(%total: i32, %counter: !llvm.ptr<1>) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  %inbox = fagpu.ring {mailbox} : !fagpu.ring<3>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 3: an inbox, of two slots, belongs to dynamic or drawn tiles of a kernel with clusters, and only there}}
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) inbox(%inbox : !fagpu.ring<3>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @inbox_of_static_tiles(%total: i32, %counter: !llvm.ptr<1>) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  %inbox = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 3: an inbox, of two slots, belongs to dynamic or drawn tiles of a kernel with clusters, and only there}}
    fagpu.for_each_tile static total(%total) via(%r : !fagpu.ring<1>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @inbox_without_mailbox(%total: i32, %counter: !llvm.ptr<1>) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  %inbox = fagpu.ring : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 4: the inbox needs a mailbox}}
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

func.func @send_number(%n: i32, %r: !fagpu.ring<2>, %c: !fagpu.cursor<2>) {
  // expected-error @+1 {{rule 1: only blocks of a cluster send numbers}}
  fagpu.send_number %n to %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  return
}

// -----

fagpu.kernel @send_number_alone(%n: i32) {
  %r = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<2>
    // expected-error @+1 {{rule 1: only blocks of a cluster send numbers}}
    fagpu.send_number %n to %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// -----

fagpu.kernel @send_number_to_another_slot(%n: i32) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<3>
    // expected-error @+1 {{rule 2: ring and cursor must have the same number of stages}}
    fagpu.send_number %n to %r[%c] : !fagpu.ring<2>, !fagpu.cursor<3>
  }
}

// -----

fagpu.kernel @send_number_without_mailbox(%n: i32) attributes {cluster = 2 : i64} {
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<2>
    // expected-error @+1 {{rule 3: the ring needs a mailbox}}
    fagpu.send_number %n to %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// -----

fagpu.kernel @drawn_pair_without_inbox(%total: i32, %counter: memref<1xi32>) attributes {cluster = 2 : i64} {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 3: an inbox, of two slots, belongs to dynamic or drawn tiles of a kernel with clusters, and only there}}
    fagpu.for_each_tile drawn total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @drawn_alone_with_inbox(%total: i32, %counter: memref<1xi32>) {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  %inbox = fagpu.ring {mailbox} : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 3: an inbox, of two slots, belongs to dynamic or drawn tiles of a kernel with clusters, and only there}}
    fagpu.for_each_tile drawn total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) inbox(%inbox : !fagpu.ring<2>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}
