// RUN: %fa-opt %s --split-input-file --verify-diagnostics

// Types.
// expected-error @+1 {{rows must be a multiple of 8 and columns of 16}}
func.func private @type(!fagpu.swizzled<3x80x40xbf16>)

// -----

// expected-error @+1 {{elements must be bf16 or f16, got 'f32'}}
func.func private @type(!fagpu.tensor_map<64x64xf32>)

// -----

// expected-error @+1 {{a pending accumulator is 64xNxf32, N a multiple of 8 up to 256}}
func.func private @type(!fagpu.pending<64x80xbf16>)

// -----

// Kernel rule 1.
// expected-error @+1 {{rule 1: the roles want 67584 registers, but 512 threads have 128 each, 65536 in all}}
fagpu.kernel @registers() {
  fagpu.role producer warpgroups(1) registers(48) {
  }
  fagpu.role consumer warpgroups(3) registers(160) {
  ^bb0(%wg: i32):
  }
}

// -----

fagpu.kernel @registers() {
  // expected-error @+1 {{kernel rule 1: registers must be a multiple of 8 from 24 to 240, got 28}}
  fagpu.role producer warpgroups(1) registers(28) {
  }
}

// -----

fagpu.kernel @role() {
  // expected-error @+1 {{rule 1: a producer has one warpgroup and no argument}}
  fagpu.role producer warpgroups(2) registers(40) {
  }
}

// -----

fagpu.kernel @clear_other_slots(%n: i32) {
  %v = fagpu.smem : !fagpu.swizzled<3x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    // expected-error @+1 {{rule 2}}
    fagpu.clear_tail %r[%c] of %v from(%n) : !fagpu.ring<2>, !fagpu.cursor<2>, !fagpu.swizzled<3x64x64xbf16>
  }
}

// -----

fagpu.kernel @clear_one_of_several(%n: i32) {
  %v = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    // expected-error @+1 {{rule 2: a tile is chosen where the ring has one slot}}
    fagpu.clear_tail %r[%c] of %v[%n] from(%n) : !fagpu.ring<2>, !fagpu.cursor<2>, !fagpu.swizzled<2x64x64xbf16>
  }
}

// -----

fagpu.kernel @messenger_alone() {
  // expected-error @+1 {{kernel rule 1: a messenger lives in the warpgroup of the producer, the first role, and has as many registers}}
  fagpu.role messenger warpgroups(1) registers(40) {
  }
  fagpu.role producer warpgroups(1) registers(40) {
  }
}

// -----

fagpu.kernel @messenger_with_more_registers() {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  // expected-error @+1 {{kernel rule 1: a messenger lives in the warpgroup of the producer, the first role, and has as many registers}}
  fagpu.role messenger warpgroups(1) registers(48) {
  }
}

// -----

fagpu.kernel @messengers() {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
  }
  // expected-error @+1 {{kernel rule 1: a warpgroup has room for three messengers}}
  fagpu.role messenger warpgroups(1) registers(40) {
  }
}

// -----

fagpu.kernel @messenger_of_two() {
  // expected-error @+1 {{rule 1: a messenger has one warpgroup and no argument}}
  fagpu.role messenger warpgroups(2) registers(40) {
  }
}

// -----

fagpu.kernel @messenger_takes(%n: i32, %total: i32) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<1>
    // expected-error @+1 {{kernel rule 2: is not for a messenger}}
    fagpu.publish %n in %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

// -----

fagpu.kernel @count_in_consumer(%n: i32, %counts: memref<?xi32>) {
  fagpu.role consumer warpgroups(2) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 1: is for a messenger, a producer, a consumer of one warpgroup or a block without roles}}
    fagpu.await_count %counts[%n] reaches(%n) : memref<?xi32>
  }
}

// -----

fagpu.kernel @count_by_producer(%n: i32, %counts: memref<?xi32>) {
  fagpu.role producer warpgroups(1) registers(40) {
    fagpu.await_count %counts[%n] reaches(%n) : memref<?xi32>
    // expected-error @+1 {{rule 1: is for a messenger, a consumer of one warpgroup or a block without roles}}
    fagpu.add_count %counts[%n] wraps(%n) : memref<?xi32>
  }
}

// -----

fagpu.kernel @drawn_numbers(%n: i32, %counter: memref<1xi32>) {
  // expected-error @+1 {{rule 1: the body takes the ticket (i32) and ends with fagpu.yield of two i32}}
  %part, %number = fagpu.draw counter(%counter : memref<1xi32>) of(%n) {
  ^bb0(%ticket: i32):
    fagpu.yield %ticket : i32
  }
}

// -----

fagpu.kernel @drawn_from(%n: i32, %counter: memref<2xi32>) {
  // expected-error @+1 {{rule 2: the counter is a memref of one i32}}
  %part, %number = fagpu.draw counter(%counter : memref<2xi32>) of(%n) {
  ^bb0(%ticket: i32):
    fagpu.yield %ticket, %ticket : i32, i32
  }
}

// -----

fagpu.kernel @drawn_twice(%n: i32, %counter: memref<1xi32>) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  %0:2 = fagpu.draw counter(%counter : memref<1xi32>) of(%n) {
  ^bb0(%ticket: i32):
    fagpu.yield %ticket, %ticket : i32, i32
  }
  // expected-error @+1 {{kernel rule 8: a block draws once}}
  %1:2 = fagpu.draw counter(%counter : memref<1xi32>) of(%n) {
  ^bb0(%ticket: i32):
    fagpu.yield %ticket, %ticket : i32, i32
  }
}

// -----

fagpu.kernel @without_number() {
  // expected-error @+1 {{rule 1: has one i32 argument, the number of the warpgroup}}
  fagpu.without_roles 1 {
  }
}

// -----

fagpu.kernel @without_part() {
  // expected-error @+1 {{rule 2: part is positive; 0 are blocks with roles}}
  fagpu.without_roles 0 {
  ^bb0(%wg: i32):
  }
}

// -----

fagpu.kernel @without_draw() {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  // expected-error @+1 {{kernel rule 8: needs a fagpu.draw}}
  fagpu.without_roles 1 {
  ^bb0(%wg: i32):
  }
}

// -----

fagpu.kernel @same_part(%n: i32, %counter: memref<1xi32>) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  %0:2 = fagpu.draw counter(%counter : memref<1xi32>) of(%n) {
  ^bb0(%ticket: i32):
    fagpu.yield %ticket, %ticket : i32, i32
  }
  fagpu.without_roles 1 {
  ^bb0(%wg: i32):
  }
  // expected-error @+1 {{kernel rule 8: another one has this number}}
  fagpu.without_roles 1 {
  ^bb0(%wg: i32):
  }
}

// -----

fagpu.kernel @ring_without_roles(%n: i32, %counter: memref<1xi32>) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role producer warpgroups(1) registers(40) {
  }
  %0:2 = fagpu.draw counter(%counter : memref<1xi32>) of(%n) {
  ^bb0(%ticket: i32):
    fagpu.yield %ticket, %ticket : i32, i32
  }
  fagpu.without_roles 1 {
  ^bb0(%wg: i32):
    // expected-error @+1 {{kernel rule 8: there are no rings without roles}}
    %c = fagpu.cursor : !fagpu.cursor<1>
  }
}

// -----

fagpu.kernel @count_of_floats(%n: i32, %counts: memref<?xf32>) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
    // expected-error @+1 {{rule 2: counts are a memref of i32 with one dimension}}
    fagpu.set_count %counts[%n] to(%n) : memref<?xf32>
  }
}

// -----

// Kernel rule 2.
fagpu.kernel @acquire_only() {
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<2>
    // expected-error @+1 {{kernel rule 2: the slot is not handed over in the block that takes it}}
    fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// -----

fagpu.kernel @release_other_cursor() {
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    %d = fagpu.advance %c : !fagpu.cursor<2>
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    // expected-error @+1 {{kernel rule 2: hands over a slot that this block has not taken}}
    fagpu.release %r[%d] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// -----

fagpu.kernel @consumer_acquires() {
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    // expected-error @+1 {{kernel rule 2: is not for a consumer}}
    fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// -----

fagpu.kernel @bytes(%map: !fagpu.tensor_map<64x64xbf16>, %row: i32) {
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.tma_load %map[%row, %row] to %s[%c] on %r[%c]
      : !fagpu.tensor_map<64x64xbf16>, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
    // expected-error @+1 {{kernel rule 2: says 4096 bytes, but the loads of this slot bring 8192}}
    fagpu.commit %r[%c] bytes 4096 : !fagpu.ring<2>, !fagpu.cursor<2>
  }
}

// -----

fagpu.kernel @stages() {
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<3>
    // expected-error @+1 {{rule 1: ring and cursor must have the same number of stages}}
    fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<3>
  }
}

// -----

// Kernel rule 3.
fagpu.kernel @never_waited() {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{kernel rule 3: is still in flight at the end of its block}}
    %p = fagpu.wgmma %s[%wg : i32], %s[%wg : i32]
      : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
  }
}

// -----

fagpu.kernel @nested_wgmma(%n: i32) {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %true = arith.constant true
    %p = fagpu.wgmma %s[%wg : i32], %s[%wg : i32]
      : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    // expected-error @+1 {{kernel rule 3: contains a wgmma or its wait while one is in flight around it}}
    scf.if %true {
      %q = fagpu.wgmma %s[%wg : i32], %s[%wg : i32]
        : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
      %t = fagpu.wgmma_wait 0 done(%q : !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>)
    }
    %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>)
  }
}

// -----

// Kernel rule 4.
fagpu.kernel @wait_names_the_wrong_group() {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %p = fagpu.wgmma %s[%wg : i32], %s[%wg : i32]
      : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    %q = fagpu.wgmma %s[%wg : i32], %s[%wg : i32]
      : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    // expected-error @+1 {{kernel rule 4: live must name exactly the newest 1 groups in flight and done the 1 older ones}}
    %t, %l = fagpu.wgmma_wait 1 done(%q : !fagpu.pending<64x64xf32>) live(%p : !fagpu.pending<64x64xf32>)
      -> (tensor<64x64xf32, #fagpu.acc>), (!fagpu.pending<64x64xf32>)
  }
}

// -----

// Kernel rule 5.
fagpu.kernel @pack_in_flight(%unused: i32) {
  %s = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %e = arith.constant dense<0.0> : tensor<64x64xf32, #fagpu.acc>
    %a = fagpu.pack %e : tensor<64x64xf32, #fagpu.acc> -> tensor<64x64xbf16, #fagpu.a_op>
    %p = fagpu.wgmma %a, %s[%wg : i32]
      : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<1x64x64xbf16> -> !fagpu.pending<64x64xf32>
    // expected-error @+1 {{kernel rule 5: a wgmma with A in registers is in flight; wait for it first}}
    %b = fagpu.pack %e : tensor<64x64xf32, #fagpu.acc> -> tensor<64x64xbf16, #fagpu.a_op>
    %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>)
  }
}

// -----

// Kernel rule 6.
fagpu.kernel @released_while_read(%map: !fagpu.tensor_map<64x64xbf16>, %row: i32) {
  %q = fagpu.smem : !fagpu.swizzled<1x64x64xbf16>
  %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role producer warpgroups(1) registers(40) {
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.acquire %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.commit %r[%c] bytes 8192 : !fagpu.ring<2>, !fagpu.cursor<2>
    fagpu.tma_load %map[%row, %row] to %s[%c] on %r[%c]
      : !fagpu.tensor_map<64x64xbf16>, !fagpu.swizzled<2x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>, !fagpu.cursor<2>
  }
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<2>
    fagpu.wait_full %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    %p = fagpu.wgmma %q[%wg : i32], %s[%c : !fagpu.cursor<2>]
      : !fagpu.swizzled<1x64x64xbf16>, !fagpu.swizzled<2x64x64xbf16> -> !fagpu.pending<64x64xf32>
    // expected-error @+1 {{kernel rule 6: a wgmma that reads this slot is in flight; wait for it first}}
    fagpu.release %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>
    %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x64xf32>) -> (tensor<64x64xf32, #fagpu.acc>)
  }
}

// -----

fagpu.kernel @shapes() {
  %q = fagpu.smem : !fagpu.swizzled<1x64x128xbf16>
  %s = fagpu.smem : !fagpu.swizzled<1x80x64xbf16>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 1: shapes do not agree}}
    %p = fagpu.wgmma %q[%wg : i32], %s[%wg : i32]
      : !fagpu.swizzled<1x64x128xbf16>, !fagpu.swizzled<1x80x64xbf16> -> !fagpu.pending<64x80xf32>
    %t = fagpu.wgmma_wait 0 done(%p : !fagpu.pending<64x80xf32>) -> (tensor<64x80xf32, #fagpu.acc>)
  }
}

// -----

fagpu.kernel @counter(%total: i32) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 1: counter belongs to dynamic, drawn and ticket, and only there}}
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @number_without_mailbox(%total: i32, %counter: !llvm.ptr<1>) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 4: via carries numbers of tiles: its ring needs a mailbox}}
    fagpu.for_each_tile dynamic total(%total) via(%r : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @ticket_without_mailbox(%total: i32, %counter: memref<1xi32>) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 4: via carries numbers of tiles: its ring needs a mailbox}}
    fagpu.for_each_tile ticket total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @take_tile(%total: i32) {
  %r = fagpu.ring : !fagpu.ring<2>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    // expected-error @below {{rule 1: ring and cursor must have the same number of stages}}
    %t, %more = fagpu.take_tile static total(%total) via(%r[%c]) : !fagpu.ring<2>, !fagpu.cursor<1>
  }
}

// -----

fagpu.kernel @take_tile_without_scheduler(%total: i32) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    %c = fagpu.cursor : !fagpu.cursor<1>
    // expected-error @below {{rule 2: needs a static or dynamic scheduler}}
    %t, %more = fagpu.take_tile none total(%total) via(%r[%c]) : !fagpu.ring<1>, !fagpu.cursor<1>
  }
}

// -----

func.func @scale_rows(%o: tensor<64x128xf32, #fagpu.acc>, %alpha: tensor<64xf32, #fagpu.rows>, %any: i1) {
  // expected-error @below {{rule 2: if and skip_if_one say the same}}
  %r = fagpu.scale_rows %o by %alpha if %any {skip_if_one} : tensor<64x128xf32, #fagpu.acc>, tensor<64xf32, #fagpu.rows>
  return
}

// -----

// Two blocks of a multiprocessor have half the registers each.
// expected-error @below {{rule 1: the roles want 33792 registers, but 384 threads have 80 each, 30720 in all}}
fagpu.kernel @two_blocks() attributes {fagpu.warps = #fagpu.warp_schedule<consumers = 2, stages = 2, producer_registers = 40,
    consumer_registers = 112, dynamic = false, lazy = 8, overlap = true, blocks = 2>} {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role consumer warpgroups(2) registers(112) {
  ^bb0(%wg: i32):
  }
}

// -----

fagpu.kernel @turns_of_one() {
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @below {{rule 1: turns are between the warpgroups of a role of at least two}}
    fagpu.await_turn %wg
  }
}

// -----

fagpu.kernel @turn_of_another(%other: i32) {
  fagpu.role consumer warpgroups(2) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @below {{rule 1: turns are between the warpgroups of a role of at least two; the operand is its argument}}
    fagpu.pass_turn %other
  }
}

// -----

fagpu.kernel @producer_of_a_warp() {
  // expected-error @+1 {{rule 2: only a messenger is a whole warp}}
  fagpu.role producer warpgroups(1) registers(40) attributes {whole_warp} {
  }
}

// -----

fagpu.kernel @consumer_of_a_warp() {
  // expected-error @+1 {{rule 2: only a messenger is a whole warp}}
  fagpu.role consumer warpgroups(1) registers(40) attributes {whole_warp} {
  ^bb0(%wg: i32):
  }
}

// -----

fagpu.kernel @added_by_two_warpgroups(%n: i32, %counts: memref<?xi32>) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  // Either kind of messenger may.
  fagpu.role messenger warpgroups(1) registers(40) {
    fagpu.add_count %counts[%n] wraps(%n) : memref<?xi32>
  }
  fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
    fagpu.add_count %counts[%n] wraps(%n) : memref<?xi32>
  }
  fagpu.role consumer warpgroups(2) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 1: is for a messenger, a consumer of one warpgroup or a block without roles}}
    fagpu.add_count %counts[%n] wraps(%n) : memref<?xi32>
  }
}

// -----

func.func @shared_out_outside(%n: i32, %counter: memref<1xi32>) {
  // expected-error @+1 {{rule 1: is for a messenger of a whole warp or a consumer}}
  fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
  ^bb0(%number: i32):
  }
  return
}

// -----

fagpu.kernel @shared_out_by_producer(%n: i32, %counter: memref<1xi32>) {
  fagpu.role producer warpgroups(1) registers(40) {
    // expected-error @+1 {{rule 1: is for a messenger of a whole warp or a consumer}}
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%number: i32):
    }
  }
}

// -----

fagpu.kernel @shared_out_by_thread(%n: i32, %counter: memref<1xi32>) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
    // expected-error @+1 {{rule 1: is for a messenger of a whole warp or a consumer}}
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%number: i32):
    }
  }
}

// -----

fagpu.kernel @shared_out_of_two(%n: i32, %counter: memref<2xi32>) {
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 2: the counter is a memref of one i32}}
    fagpu.for_each_number counter(%counter : memref<2xi32>) total(%n) draws(%n) {
    ^bb0(%number: i32):
    }
  }
}

// -----

fagpu.kernel @shared_out_of_floats(%n: i32, %counter: memref<1xf32>) {
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 2: the counter is a memref of one i32}}
    fagpu.for_each_number counter(%counter : memref<1xf32>) total(%n) draws(%n) {
    ^bb0(%number: i32):
    }
  }
}

// -----

fagpu.kernel @nobody_takes_number(%n: i32, %counter: memref<1xi32>) {
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 3: the body takes the number (i32)}}
    fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%n) {
    ^bb0(%number: index):
    }
  }
}

// -----

fagpu.kernel @prefetched_by_consumer(%n: i32, %map: !fagpu.tensor_map<64x64xbf16>) {
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 2: is for a producer}}
    fagpu.tma_prefetch %map[%n] : !fagpu.tensor_map<64x64xbf16>
  }
}

// -----

fagpu.kernel @prefetched_by_messenger(%n: i32, %map: !fagpu.tensor_map<64x64xbf16>) {
  fagpu.role producer warpgroups(1) registers(40) {
  }
  fagpu.role messenger warpgroups(1) registers(40) {
    // expected-error @+1 {{rule 2: is for a producer}}
    fagpu.tma_prefetch %map[%n] : !fagpu.tensor_map<64x64xbf16>
  }
}

// -----

fagpu.kernel @prefetched_far_out(%n: i32, %map: !fagpu.tensor_map<64x64xbf16>) {
  fagpu.role producer warpgroups(1) registers(40) {
    // expected-error @+1 {{rule 1: a box has at most three outer coordinates}}
    fagpu.tma_prefetch %map[%n, %n, %n, %n, %n] : !fagpu.tensor_map<64x64xbf16>
  }
}

// -----

fagpu.kernel @drawn_from_nothing(%total: i32) {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 1: counter belongs to dynamic, drawn and ticket, and only there}}
    fagpu.for_each_tile drawn total(%total) via(%r : !fagpu.ring<1>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @static_with_counter(%total: i32, %counter: memref<1xi32>) {
  %r = fagpu.ring {mailbox} : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 1: counter belongs to dynamic, drawn and ticket, and only there}}
    fagpu.for_each_tile static total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}

// -----

fagpu.kernel @drawn_without_mailbox(%total: i32, %counter: memref<1xi32>) {
  %r = fagpu.ring : !fagpu.ring<1>
  fagpu.role consumer warpgroups(1) registers(40) {
  ^bb0(%wg: i32):
    // expected-error @+1 {{rule 4: via carries numbers of tiles: its ring needs a mailbox}}
    fagpu.for_each_tile drawn total(%total) via(%r : !fagpu.ring<1>) counter(%counter : memref<1xi32>) {
    ^bb0(%tile: i32, %c: !fagpu.cursor<1>):
      fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      fagpu.yield
    }
  }
}
