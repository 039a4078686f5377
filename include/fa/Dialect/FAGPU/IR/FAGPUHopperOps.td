//===- FAGPUHopperOps.td - warp-specialised kernels --------*- tablegen -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_DIALECT_FAGPU_IR_FAGPUHOPPEROPS_TD
#define FA_DIALECT_FAGPU_IR_FAGPUHOPPEROPS_TD

include "fa/Dialect/FAGPU/IR/FAGPUHostOps.td"
include "fa/Dialect/FAGPU/IR/FAGPUHopperTypes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class FAGPU_HopperOp<string mnemonic, list<Trait> traits = []> : Op<FAGPU_Dialect, mnemonic, traits>;

def FAGPU_RoleKindAttr : I32EnumAttr<"RoleKind", "what a warpgroup is for", [
    I32EnumAttrCase<"Producer", 0, "producer">, I32EnumAttrCase<"Consumer", 1, "consumer">,
    I32EnumAttrCase<"Messenger", 2, "messenger">]> {
  let cppNamespace = "::fa::fagpu";
}
def FAGPU_SchedulerAttr : I32EnumAttr<"Scheduler", "how blocks get tiles", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Static", 1, "static">,
    I32EnumAttrCase<"Dynamic", 2, "dynamic">, I32EnumAttrCase<"Ticket", 3, "ticket">,
    I32EnumAttrCase<"Drawn", 4, "drawn">]> {
  let cppNamespace = "::fa::fagpu";
}

//===----------------------------------------------------------------------===//
// Kernel and roles
//===----------------------------------------------------------------------===//

def FAGPU_KernelOp : FAGPU_HopperOp<"kernel", [
    IsolatedFromAbove, SingleBlock, NoTerminator, FunctionOpInterface]> {
  let summary = "a kernel whose warpgroups have different roles";
  let description = [{
    The body declares shared memory (`fagpu.smem`) and rings (`fagpu.ring`) and then has one `fagpu.role` per kind of
    warpgroup, in the order of their warpgroup numbers. Arguments are tensor maps, buffers, global pointers and scalars.
    `smem_bytes` and every handle's `offset` are set by `--fagpu-allocate`. With `cluster` of 2, blocks 2i and 2i + 1 of the grid are a pair: they run at
    the same time, fill each other's slots of `paired` rings, and neither ends before the other.

    ### Verifier
    Rules about the whole kernel, checked on this op and reported where they are broken:

    1. Registers. A block of T threads, B of which share a multiprocessor (`fagpu.warps`), starts with floor8(65536 / (T * B)) registers per thread, at most 255; the roles' registers are
       multiples of 8 from 24 to 240 and 128 * sum(warpgroups * registers) fits in what the block has. Messengers, at most three, live in
       the warpgroup of the kernel's producer, its first role, with the same registers.
    2. Rings. In every block, `acquire` and `commit`, and `wait_full` and `release`, come in pairs on the same ring and
       cursor, in this order (an `early` wait_full has none). Producers acquire and commit, consumers wait and release; a consumer
       may also fill slots for others, by `store_fragments`, or for a messenger; a messenger may be on either side. `commit` says as many bytes as the loads of its slot bring.
    3. Pending values live and die in one block; a wgmma adds to one only if it is of the newest group, which it joins; while one is in flight, no op with a region is entered that contains
       a `wgmma` or a wait.
    4. `wgmma_wait n` names, as `live`, exactly the newest n groups in flight, and as `done` all older ones.
    5. No `pack` while a wgmma whose A operand is in registers is in flight: ptxas would serialise both (C7513).
    6. A slot is released only after the wgmmas that read it are done.
    7. `cluster` is 2 if it is there. Only then are there `paired` rings; every commit of one goes with a `fagpu.send`, and every send with a commit.
    8. Blocks without roles. A kernel has at most one `fagpu.draw`, and `fagpu.without_roles` only with it, each with a number of its own. There
    are no rings in these, and no clusters.

    Example:
    ```mlir
    fagpu.kernel @copy(%in: !fagpu.tensor_map<64x64xbf16>, %total: i32) {
      %s = fagpu.smem : !fagpu.swizzled<2x64x64xbf16>
      %r = fagpu.ring : !fagpu.ring<2>
      fagpu.role producer warpgroups(1) registers(40) { }
      fagpu.role consumer warpgroups(2) registers(232) {
      ^bb0(%warpgroup: i32):
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<I64Attr>:$smem_bytes, OptionalAttr<I64Attr>:$cluster);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    int64_t getThreads();
  }];
}

def FAGPU_RoleOp : FAGPU_HopperOp<"role", [HasParent<"KernelOp">, SingleBlock, NoTerminator]> {
  let summary = "what some warpgroups of a kernel do";
  let description = [{
    A `producer` runs on one thread of its first warpgroup. A `consumer` runs on all threads of all its warpgroups; its
    argument is the warpgroup's number within the role. A `messenger` is one more thread of the producer's warpgroup, in a warp of its own: it passes on
    what blocks tell each other. With `whole_warp` all of that warp does. `registers` is per thread (`setmaxnreg`).

    ### Verifier
    1. A producer (a messenger) has no argument and one warpgroup, a consumer one i32 argument. 2. Only a messenger is a `whole_warp`.
  }];
  let arguments = (ins FAGPU_RoleKindAttr:$kind, ConfinedAttr<I32Attr, [IntPositive]>:$warpgroups, I32Attr:$registers,
                       UnitAttr:$whole_warp);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$kind `warpgroups` `(` $warpgroups `)` `registers` `(` $registers `)` attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Or a warp that counts as one.
    bool isOneThread() { return getKind() != RoleKind::Consumer; }
    /// Those that nobody else has.
    int64_t getOwnWarpgroups() { return getKind() == RoleKind::Messenger ? 0 : getWarpgroups(); }
  }];
}

def FAGPU_DrawOp : FAGPU_HopperOp<"draw", [HasParent<"KernelOp">, SingleBlock]> {
  let summary = "what a block is for, by the order in which blocks begin";
  let description = [{
    The first thing that a block does: one of its threads takes a ticket from `counter`, an i32 in memory that is 0 before the first launch
    and 0 again after every launch of `blocks` blocks, and computes two numbers from it in the body. `part` is 0 for blocks that have the kernel's roles, else the
    number of a `fagpu.without_roles`; `number` is that of the block among those. A block with a smaller ticket runs already, or has: it may be waited for.

    `offset` as in `fagpu.smem`: where the two numbers are, for the other threads.

    ### Verifier
    1. The body takes the ticket (i32) and ends with `fagpu.yield` of two i32. 2. `counter` is a memref of one i32.

    Example:
    ```mlir
    fagpu.kernel @draw(%counter: memref<1xi32>, %blocks: i32, %count: i32) {
      %part, %number = fagpu.draw counter(%counter : memref<1xi32>) of(%blocks) {
      ^bb0(%ticket: i32):
        %isFirst = arith.cmpi ult, %ticket, %count : i32
        %rest = arith.subi %ticket, %count : i32
        %n = arith.select %isFirst, %ticket, %rest : i32
        %p = arith.extui %isFirst : i1 to i32
        fagpu.yield %p, %n : i32, i32
      }
      fagpu.role producer warpgroups(1) registers(40) { }
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$counter, I32:$blocks, OptionalAttr<I64Attr>:$offset);
  let results = (outs I32:$part, I32:$number);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`counter` `(` $counter `:` type($counter) `)` `of` `(` $blocks `)` attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def FAGPU_WithoutRolesOp : FAGPU_HopperOp<"without_roles", [HasParent<"KernelOp">, SingleBlock, NoTerminator]> {
  let summary = "what every warpgroup of some blocks does, by itself";
  let description = [{
    Instead of the roles, in blocks whose `part` (`fagpu.draw`) is this one's. The argument is the warpgroup's number in the block. All have the
    registers that the kernel is launched with, and the block's shared memory is theirs (`fagpu.smem` with `overlay`).

    ### Verifier
    1. It has one i32 argument. 2. `part` is positive.

    Example:
    ```mlir
    fagpu.kernel @without_roles(%counter: memref<1xi32>, %counts: memref<?xi32>, %all: i32) {
      %part, %number = fagpu.draw counter(%counter : memref<1xi32>) of(%all) {
      ^bb0(%ticket: i32):
        %one = arith.constant 1 : i32
        fagpu.yield %one, %ticket : i32, i32
      }
      fagpu.role producer warpgroups(1) registers(40) { }
      fagpu.without_roles 1 {
      ^bb0(%warpgroup: i32):
        fagpu.add_count %counts[%number] wraps(%all) : memref<?xi32>
      }
    }
    ```
  }];
  let arguments = (ins I32Attr:$part);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$part attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def FAGPU_ForEachTileOp : FAGPU_HopperOp<"for_each_tile", [
    AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "the tiles of one block, the same in every role";
  let description = [{
    Runs the body for tiles in [0, total), each tile in one block of the grid:

    - `none`: one tile per block, its number is the block's;
    - `static`: block i takes i, i + grid, i + 2*grid, ...;
    - `dynamic`: the first tile is the block's number, further ones come from the global `counter`, an i32 that is 0 before the first
      launch and 0 again after every launch. The producer tells the consumers through `via`. Blocks of a cluster take tiles 2i and 2i + 1
      together: the first one draws i, and tells the other's producer through `inbox`, a ring of two slots. `total` is even there;
    - `drawn`: as `dynamic`, but the first tile's number comes from the counter, too: blocks that have smaller numbers run already, or have;
    - `ticket`: one tile per block, and its number comes from the counter: blocks with smaller numbers run already, or have. An i32 as `counter`
      is the number itself (of `fagpu.draw`).

    `via` is a ring of which a tile takes one slot: when the body starts, the slot is free in the producer
    and full in a consumer; the producer's body commits it (after which consumers see the tile's number) and the
    consumers' bodies release it. Arguments of the body: the tile (i32), the cursor of `via`, the carried values.

    ### Verifier
    1. `counter` is there exactly for `dynamic`, `drawn` and `ticket`. 2. Body arguments, inits, yields and results agree; the body's cursor has as many
    stages as `via`. 3. `inbox` is there exactly for `dynamic` and `drawn` in a kernel with clusters, and has two slots. 4. Rings that numbers travel with
    have mailboxes: `via` for `dynamic` and `drawn`, and for `ticket` unless the counter is the number itself; `inbox`.
  }];
  let arguments = (ins FAGPU_SchedulerAttr:$scheduler, I32:$total, FAGPU_AnyRing:$via, Optional<AnyType>:$counter,
                       Optional<FAGPU_AnyRing>:$inbox, Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $scheduler `total` `(` $total `)` `via` `(` $via `:` type($via) `)`
    (`counter` `(` $counter^ `:` type($counter) `)`)? (`inbox` `(` $inbox^ `:` type($inbox) `)`)? (`iter_args` `(` $inits^ `:` type($inits) `)`)?
    (`->` type($results)^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def FAGPU_TakeTileOp : FAGPU_HopperOp<"take_tile"> {
  let summary = "consumer: a tile of the block, ahead of its turn";
  let description = [{
    What `fagpu.for_each_tile` does between two tiles, where a consumer has become an `scf.while` (`--fagpu-rotate-tiles`): the number
    of the block's first tile, or of the one `after` a tile, and whether there is one. If there is, slot `cursor` of `via` is full
    afterwards, and whoever gets the tile releases it.

    ### Verifier
    1. The cursor has as many stages as `via`. 2. The scheduler is `static` or `dynamic`.

    Example: `%t, %more = fagpu.take_tile dynamic total(%total) via(%r[%c]) after(%before) : !fagpu.ring<2>, !fagpu.cursor<2>`.
  }];
  let arguments = (ins FAGPU_SchedulerAttr:$scheduler, I32:$total, FAGPU_AnyRing:$via, FAGPU_AnyCursor:$cursor,
                       Optional<I32>:$before);
  let results = (outs I32:$tile, I1:$exists);
  let assemblyFormat = [{
    $scheduler `total` `(` $total `)` `via` `(` $via `[` $cursor `]` `)` (`after` `(` $before^ `)`)? attr-dict
    `:` type($via) `,` type($cursor)
  }];
  let hasVerifier = 1;
}

def FAGPU_YieldOp : FAGPU_HopperOp<"yield", [Pure, Terminator, ParentOneOf<["ForEachTileOp", "DrawOp"]>]> {
  let summary = "the values that the next tile starts from, or that a block has drawn";
  let description = "Example: `fagpu.yield %c : !fagpu.cursor<3>`.";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===----------------------------------------------------------------------===//
// Shared memory, rings, cursors
//===----------------------------------------------------------------------===//

def FAGPU_SmemOp : FAGPU_HopperOp<"smem", [HasParent<"KernelOp">]> {
  let summary = "declare tiles in shared memory";
  let description = [{
    `offset`: bytes from the start, set by `--fagpu-allocate`. `overlay`: over all others, for blocks without roles.

    Example: `%k = fagpu.smem : !fagpu.swizzled<3x80x128xbf16>`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset, UnitAttr:$overlay);
  let results = (outs FAGPU_AnySwizzled:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def FAGPU_RingOp : FAGPU_HopperOp<"ring", [HasParent<"KernelOp">]> {
  let summary = "declare a ring of slots";
  let description = [{
    Per slot a barrier "full" (one arrival: the producer's commit, and its bytes; one per warp where consumers commit) and a barrier "empty" (one arrival per
    warp of every consumer that releases it). `mailbox`: room for one i32 that travels with each slot.
    `paired`: of a pair of blocks that fill each other's slots (`fagpu.send`). A slot is full when this block's warps have committed it and the other block's
    bytes have come, and empty when consumers of both blocks have released it: both blocks' slots of the same number are released together.
    `offset` as in `fagpu.smem`; `arrivals`, how many warps release a slot, and `fills`, how many commits fill it, are set with it. Example: `%r = fagpu.ring : !fagpu.ring<3>`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$arrivals, UnitAttr:$mailbox,
                       OptionalAttr<I64Attr>:$fills, UnitAttr:$paired);
  let results = (outs FAGPU_AnyRing:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def FAGPU_SharedBaseOp : FAGPU_HopperOp<"shared_base", [Pure]> {
  let summary = "where the kernel's shared memory starts";
  let description = "Between passes only. Example: `%p = fagpu.shared_base : !llvm.ptr<3>`.";
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def FAGPU_CursorOp : FAGPU_HopperOp<"cursor", [Pure]> {
  let summary = "the first slot of a ring, in the first round";
  let description = "Example: `%c = fagpu.cursor : !fagpu.cursor<3>`.";
  let results = (outs FAGPU_AnyCursor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def FAGPU_AdvanceOp : FAGPU_HopperOp<"advance", [Pure, SameOperandsAndResultType]> {
  let summary = "the next slot";
  let description = "Example: `%n = fagpu.advance %c : !fagpu.cursor<3>`.";
  let arguments = (ins FAGPU_AnyCursor:$cursor);
  let results = (outs FAGPU_AnyCursor:$result);
  let assemblyFormat = "$cursor attr-dict `:` type($cursor)";
}

class FAGPU_RingAccessOp<string mnemonic, string text, dag extra = (ins), string format = "">
    : FAGPU_HopperOp<mnemonic> {
  let summary = text;
  let arguments = !con((ins FAGPU_AnyRing:$ring, FAGPU_AnyCursor:$cursor), extra);
  let assemblyFormat = "$ring `[` $cursor `]` " # format # " attr-dict `:` type($ring) `,` type($cursor)";
  let hasVerifier = 1;
}

def FAGPU_AcquireOp : FAGPU_RingAccessOp<"acquire", "producer: wait until the slot is empty"> {
  let description = [{
    ### Verifier
    1. Ring and cursor have the same number of stages.

    Example: `fagpu.acquire %r[%c] : !fagpu.ring<3>, !fagpu.cursor<3>`.
  }];
}
def FAGPU_CommitOp : FAGPU_RingAccessOp<"commit", "producer: the slot is full once these bytes have arrived",
    (ins I64Attr:$bytes), "`bytes` $bytes"> {
  let description = [{
    With 0 bytes it is full at once: a consumer may have its memory, for outputs, until it releases it. The loads may be issued before or after. A consumer's bytes are those that the other block of the pair sends: as many as this one. Example: `fagpu.commit %r[%c] bytes 20480 : ...`.

    ### Verifier
    1. As `fagpu.acquire`. 2. 0 <= bytes < 2^20: what a barrier counts.
  }];
}
def FAGPU_WaitFullOp : FAGPU_RingAccessOp<"wait_full", "consumer: wait until the slot is full", (ins UnitAttr:$early, UnitAttr:$again)> {
  let description = [{
    `early`: another wait for the same slot follows, in a later block, and a release after that. `again`: it is that one, whatever
    block came before, and nothing is left to wait for.

    ### Verifier
    1. As `fagpu.acquire`.
  }];
}
def FAGPU_ReleaseOp : FAGPU_RingAccessOp<"release", "consumer: this warp no longer reads the slot",
    (ins Optional<FAGPU_AccTensor>:$after), "(`after` `(` $after^ `:` type($after) `)`)?"> {
  let description = [{
    With `after` not before this tile of exponentials has been begun to be computed. Nothing else depends on that: it keeps the
    assembler from moving the release, and the wait for a product behind it, before the exponentials, which would then wait as well.

    ### Verifier
    1. As `fagpu.acquire`.

    Example: `fagpu.release %r[%c] after(%exps : tensor<64x128xf32, #fagpu.acc>) : !fagpu.ring<3>, !fagpu.cursor<3>`.
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$ring, "::mlir::Value":$cursor), [{
    build($_builder, $_state, ring, cursor, ::mlir::Value());
  }]>];
}

def FAGPU_IsComputedOp : FAGPU_HopperOp<"is_computed", [Pure]> {
  let summary = "true, as nobody knows before one of the tile's numbers is there";
  let description = [{
    The tile holds exponentials: numbers that are not negative, or NaN.

    Example: `%true = fagpu.is_computed %exps : tensor<64x128xf32, #fagpu.acc>`.
  }];
  let arguments = (ins FAGPU_AccTensor:$tile);
  let results = (outs I1:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}

class FAGPU_TurnOp<string mnemonic, string text> : FAGPU_HopperOp<mnemonic> {
  let summary = "consumer: " # text;
  let arguments = (ins I32:$warpgroup);
  let assemblyFormat = "$warpgroup attr-dict";
  let hasVerifier = 1;
}

def FAGPU_AwaitTurnOp : FAGPU_TurnOp<"await_turn", "wait until it is this warpgroup's turn"> {
  let description = [{
    The warpgroups of a role take turns in a circle: a turn comes when the warpgroup before has passed. At the start the last
    warpgroup passes, so that the first one begins. Between `await_turn` and `pass_turn` a warpgroup issues products; the tensor
    cores run them while it goes through its softmax, and the next warpgroup issues (the "ping-pong" of FlashAttention-3). All
    warpgroups must take as many turns, or they wait forever: `fa-simulate` reports that.

    ### Verifier
    1. In a role of at least two warpgroups, with the role's argument as operand.

    Example: `fagpu.await_turn %c`.
  }];
}
def FAGPU_PassTurnOp : FAGPU_TurnOp<"pass_turn", "the next warpgroup's turn comes"> {
  let description = [{
    Ends what `fagpu.await_turn` began.

    ### Verifier
    1. As `fagpu.await_turn`.

    Example: `fagpu.pass_turn %c`.
  }];
}

def FAGPU_SlotOp : FAGPU_HopperOp<"slot", [Pure]> {
  let summary = "the number of a cursor's slot";
  let description = "Where a slot holds several tiles. Example: `%i = fagpu.slot %c : !fagpu.cursor<2>`.";
  let arguments = (ins FAGPU_AnyCursor:$cursor);
  let results = (outs I32:$slot);
  let assemblyFormat = "$cursor attr-dict `:` type($cursor)";
}

def FAGPU_PublishOp : FAGPU_HopperOp<"publish"> {
  let summary = "producer: put a number in a slot's mailbox";
  let description = "Between acquire and commit. Example: `fagpu.publish %t in %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>`.";
  let arguments = (ins I32:$value, FAGPU_AnyRing:$ring, FAGPU_AnyCursor:$cursor);
  let assemblyFormat = "$value `in` $ring `[` $cursor `]` attr-dict `:` type($ring) `,` type($cursor)";
}
def FAGPU_SendNumberOp : FAGPU_HopperOp<"send_number"> {
  let summary = "producer of a pair: put a number in a mailbox of the other block";
  let description = [{
    `fagpu.for_each_tile` becomes it. The slot there is full with these 4 bytes, which the other block's producer commits. Who sends knows that the
    other block has read what it sent as many numbers ago as the ring has slots: nothing is acquired.

    ### Verifier
    1. In a kernel with clusters. 2. Ring and cursor have the same number of stages. 3. The ring has mailboxes.

    Example: `fagpu.send_number %t to %r[%c] : !fagpu.ring<2>, !fagpu.cursor<2>`.
  }];
  let arguments = (ins I32:$value, FAGPU_AnyRing:$ring, FAGPU_AnyCursor:$cursor);
  let assemblyFormat = "$value `to` $ring `[` $cursor `]` attr-dict `:` type($ring) `,` type($cursor)";
  let hasVerifier = 1;
}
def FAGPU_ReadPublishedOp : FAGPU_HopperOp<"read_published"> {
  let summary = "consumer: the number in a slot's mailbox";
  let description = "Between wait_full and release. Example: `%t = fagpu.read_published %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>`.";
  let arguments = (ins FAGPU_AnyRing:$ring, FAGPU_AnyCursor:$cursor);
  let results = (outs I32:$value);
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` type($ring) `,` type($cursor)";
}

def FAGPU_ClearTailOp : FAGPU_RingAccessOp<"clear_tail", "consumer: rows of a slot's tile from here on are 0",
    (ins FAGPU_AnySwizzled:$smem, I32:$from, Optional<I32>:$tile)> {
  let description = [{
    Where the slot's tile of `smem` (of several, number `tile`) has rows at or past `from`, this warpgroup waits until the slot is full and writes 0 there, for its
    own wgmmas: they must not read what lies past a sequence's end, be it NaN. It must still wait for the slot
    as always, and hand it over. All consumers that read the tile do this: they write the same. `from` may be negative or past
    the tile.

    ### Verifier
    1. As `fagpu.acquire`. 2. A tile per slot, or a ring of one slot and `tile`.

    Example:
    ```mlir
    fagpu.clear_tail %ring[%c] of %v from(%left) : !fagpu.ring<3>, !fagpu.cursor<3>, !fagpu.swizzled<3x80x128xbf16>
    ```
  }];
  let assemblyFormat = [{
    $ring `[` $cursor `]` `of` $smem (`[` $tile^ `]`)? `from` `(` $from `)` attr-dict
    `:` type($ring) `,` type($cursor) `,` type($smem)
  }];
}

//===----------------------------------------------------------------------===//
// Order among blocks
//===----------------------------------------------------------------------===//

def FAGPU_AwaitCountOp : FAGPU_HopperOp<"await_count"> {
  let summary = "wait until other blocks have come so far";
  let description = [{
    Waits until element `index` of `counts` is at least `least`. What others did to global memory before they set it or added to it comes before
    what this warpgroup, or the one thread of a producer or messenger, does after (in a producer also what it copies), and before what others do who then
    get a slot from a messenger. Only what blocks with smaller numbers do may be waited for, and only where numbers are tickets
    (`fagpu.for_each_tile`, `fagpu.draw`): such a block runs already.

    ### Verifier
    1. In a producer, a messenger, a consumer of one warpgroup, a `fagpu.for_each_number` or a block without roles. 2. `counts` is a memref of i32 with one dimension.

    Example: `fagpu.await_count %counts[%before] reaches(%n) : memref<?xi32>`.
  }];
  let arguments = (ins AnyMemRef:$counts, I32:$index, I32:$least);
  let assemblyFormat = "$counts `[` $index `]` `reaches` `(` $least `)` attr-dict `:` type($counts)";
  let hasVerifier = 1;
}

def FAGPU_SetCountOp : FAGPU_HopperOp<"set_count"> {
  let summary = "messenger: tell other blocks how far this one has come";
  let description = [{
    Sets element `index` of `counts`, after all that others had done to global memory before they filled the slots that this thread has waited for.

    ### Verifier
    As `fagpu.await_count`, and not in a producer.

    Example: `fagpu.set_count %counts[%number] to(%n) : memref<?xi32>`.
  }];
  let arguments = (ins AnyMemRef:$counts, I32:$index, I32:$value);
  let assemblyFormat = "$counts `[` $index `]` `to` `(` $value `)` attr-dict `:` type($counts)";
  let hasVerifier = 1;
}

def FAGPU_AddCountOp : FAGPU_HopperOp<"add_count"> {
  let summary = "tell other blocks that one more has come so far";
  let description = [{
    Adds 1 to element `index` of `counts`, after all that the warpgroup's threads have done to global memory so far, also for those who copy it by TMA. What would be `wraps` becomes 0: when
    everybody has added who is to, nothing is left to clear. With `relaxed` it only counts: nobody who waits for it has anything to see.

    ### Verifier
    As `fagpu.set_count`.

    Example: `fagpu.add_count %counts[%head] wraps(%all) : memref<?xi32>`.
  }];
  let arguments = (ins AnyMemRef:$counts, I32:$index, I32:$wraps, UnitAttr:$relaxed);
  let assemblyFormat = "$counts `[` $index `]` `wraps` `(` $wraps `)` attr-dict `:` type($counts)";
  let hasVerifier = 1;
}

def FAGPU_ForEachNumberOp : FAGPU_HopperOp<"for_each_number", [SingleBlock, NoTerminator]> {
  let summary = "warps of all blocks share out numbers";
  let description = [{
    The body runs for the numbers in [0, `total`), for each by one warp, which takes the next one from `counter` whenever it is ready; all of the warp's threads
    run it. In a consumer each of its warps takes numbers for itself. Every warp takes one more number, which is none, so there are `draws` in all: `total` and as
    many as there are warps in all such ops of `counter`, in all blocks. Then it is 0 again, as it was at first.

    What a body waits for (`fagpu.await_count`) may be of any block if no tiles of the role follow: then it keeps nobody waiting.

    ### Verifier
    1. In a messenger that is a `whole_warp` or a consumer. 2. `counter` is a memref of one i32. 3. The body has one i32 argument.

    Example:
    ```mlir
    fagpu.kernel @clear(%sum: memref<?x4x64xf32>, %counter: memref<1xi32>, %n: i32, %all: i32) {
      %one = arith.constant 1 : i32
      fagpu.role producer warpgroups(1) registers(40) { }
      fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
        fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%all) {
        ^bb0(%number: i32):
          fagpu.clear %sum[%number] count(%one) : memref<?x4x64xf32>
        }
      }
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$counter, I32:$total, I32:$draws);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`counter` `(` $counter `:` type($counter) `)` `total` `(` $total `)` `draws` `(` $draws `)` attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether an op runs once per warp.
    static bool isOfWarp(::mlir::Operation *op);
    /// Those of a block that take numbers here.
    int64_t getWarps();
  }];
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

def FAGPU_TmaPrefetchOp : FAGPU_HopperOp<"tma_prefetch"> {
  let summary = "start copying a box of global memory to the second-level cache";
  let description = [{
    The box that `fagpu.tma_load` of the same coordinates reads.

    ### Verifier
    1. At most three outer coordinates. 2. In a producer.

    Example: `fagpu.tma_prefetch %map[%row, %head] : !fagpu.tensor_map<80x128xbf16>`.
  }];
  let arguments = (ins FAGPU_AnyTensorMap:$map, I32:$row, Variadic<I32>:$outer);
  let assemblyFormat = "$map `[` $row (`,` $outer^)? `]` attr-dict `:` type($map)";
  let hasVerifier = 1;
}

def FAGPU_TmaLoadOp : FAGPU_HopperOp<"tma_load", [AttrSizedOperandSegments]> {
  let summary = "start copying a box of global memory to a tile; 0 outside";
  let description = [{
    Reads rows `row`, row + 1, ... of the matrix at `outer` (up to three coordinates, innermost first: head, batch) into tile `index` of `smem` and
    counts its bytes on the slot of `ring`. A row coordinate must not be negative. With `columns(%i)` the tile is columns 64i and on of the matrix.

    ### Verifier
    1. The tile has the map's rows, columns (with `columns`: at most) and element type. 2. At most three outer coordinates.
    3. Ring and cursor have the same number of stages; so does an index that is a cursor.

    Example:
    ```mlir
    fagpu.tma_load %map[%row, %head] to %k[%c] on %ring[%c]
      : !fagpu.tensor_map<80x128xbf16>, !fagpu.swizzled<3x80x128xbf16>, !fagpu.cursor<3>, !fagpu.ring<3>, !fagpu.cursor<3>
    ```
  }];
  let arguments = (ins FAGPU_AnyTensorMap:$map, I32:$row, Variadic<I32>:$outer, FAGPU_AnySwizzled:$smem,
                       FAGPU_TileIndex:$index, FAGPU_AnyRing:$ring, FAGPU_AnyCursor:$cursor, Optional<I32>:$columns);
  let assemblyFormat = [{
    $map `[` $row (`,` $outer^)? `]` (`columns` `(` $columns^ `)`)? `to` $smem `[` $index `]` `on` $ring `[` $cursor `]` attr-dict
    `:` type($map) `,` type($smem) `,` type($index) `,` type($ring) `,` type($cursor)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$map, "::mlir::Value":$row, "::mlir::ValueRange":$outer,
                                 "::mlir::Value":$smem, "::mlir::Value":$index, "::mlir::Value":$ring, "::mlir::Value":$cursor), [{
    build($_builder, $_state, map, row, outer, smem, index, ring, cursor, ::mlir::Value());
  }]>];
  let extraClassDeclaration = [{
    /// What it brings.
    int64_t getBytes() { return ::llvm::cast<SwizzledType>(getSmem().getType()).getTileBytes(); }
  }];
  let hasVerifier = 1;
}

def FAGPU_TmaStoreOp : FAGPU_HopperOp<"tma_store", [AttrSizedOperandSegments]> {
  let summary = "write a register tile to global memory through shared memory, clipped";
  let description = [{
    The warpgroup waits until its previous store has been read out of `smem`, writes the tile there rounded to smem's
    element type, and one thread starts the copy, if `enable`. Stores are complete when the kernel ends. With `drain` the
    warpgroup goes on when the copy has been read out of `smem`: then that may be another tile's memory, here
    the queries' own before their slot is released.

    ### Verifier
    1. tile is f32 in `#fagpu.acc`, of the smem tile's and the map's shape; element types of both agree.
    2. At most three outer coordinates.

    Example:
    ```mlir
    fagpu.tma_store %o by %os[%wg] to %map[%row, %head]
      : tensor<64x128xf32, #fagpu.acc>, !fagpu.swizzled<3x64x128xbf16>, !fagpu.tensor_map<64x128xbf16>
    ```
  }];
  let arguments = (ins FAGPU_AccTensor:$tile, FAGPU_AnySwizzled:$smem, I32:$index, FAGPU_AnyTensorMap:$map, I32:$row,
                       Variadic<I32>:$outer, Optional<I1>:$enable, UnitAttr:$drain);
  let assemblyFormat = [{
    $tile `by` $smem `[` $index `]` `to` $map `[` $row (`,` $outer^)? `]` (`if` $enable^)? attr-dict
    `:` type($tile) `,` type($smem) `,` type($map)
  }];
  let hasVerifier = 1;
}

def FAGPU_StoreRowsOp : FAGPU_HopperOp<"store_rows"> {
  let summary = "write one value per row to global memory, clipped";
  let description = [{
    pointer[base + row + i] = rows[i] where 0 <= row + i < limit.

    Example: `fagpu.store_rows %lse to %p[%base, %row] limit(%n) : tensor<64xf32, #fagpu.rows>, !llvm.ptr<1>`.
  }];
  let arguments = (ins FAGPU_RowsTensor:$rows, AnyType:$pointer, I64:$base, I32:$row, I32:$limit);
  let assemblyFormat = [{
    $rows `to` $pointer `[` $base `,` $row `]` `limit` `(` $limit `)` attr-dict `:` type($rows) `,` type($pointer)
  }];
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

def FAGPU_WgmmaOp : FAGPU_HopperOp<"wgmma", [AttrSizedOperandSegments]> {
  let summary = "start a . b, or acc + a . b, on a warpgroup's tensor core";
  let description = [{
    One group of asynchronous `wgmma` over the whole of K. `a` is 64xK, a tile in shared memory or an `#fagpu.a_op` tensor; Kx64
    in shared memory with `a_rows_are_k`. `b` is a tile in shared memory: NxK, or KxN with `b_rows_are_k`; with `columns(%i)` it is
    columns 64i to 64i + N - 1 of the tile, with `half_blocks` columns 32i to 32i + 31. An operand whose rows are K is `tiles` tiles from the index on, one below the other; a cursor
    names the first of its slot's tiles. Without `acc` it starts from 0; with one that is in flight it joins that product's group. `head`: the first columns of `a`, in registers: what is
    not read from shared memory leaves its data path to others.

    ### Verifier
    1. Shapes agree; M = 64; K is a multiple of 16; N is a multiple of 8, at most 256. 2. a and b have the same type, bf16 or f16;
    acc and the result are f32. 3. The number of tiles in smem is the number of stages of a cursor that indexes them, times
    `tiles` where rows are K. 4. `columns` only with `b_rows_are_k`; the tile has at least N columns; `half_blocks` only with `columns`, N is 32. 5. `a_rows_are_k`: a is in shared
    memory. 6. `head` goes with an a in shared memory; it has 64 rows, a multiple of 16 columns, at most K, and a's type.

    Example:
    ```mlir
    %s = fagpu.wgmma %q[%wg : i32], %k[%c : !fagpu.cursor<3>]
      : !fagpu.swizzled<3x64x128xbf16>, !fagpu.swizzled<3x80x128xbf16> -> !fagpu.pending<64x80xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[FAGPU_AnySwizzled, FAGPU_AOpTensor]>:$a, Optional<FAGPU_TileIndex>:$a_index,
                       FAGPU_AnySwizzled:$b, FAGPU_TileIndex:$b_index, Optional<AnyTypeOf<[FAGPU_AccTensor, FAGPU_AnyPending]>>:$acc,
                       UnitAttr:$b_rows_are_k, UnitAttr:$a_rows_are_k, DefaultValuedAttr<I64Attr, "1">:$tiles, Optional<I32>:$b_columns,
                       Optional<FAGPU_AOpTensor>:$head, UnitAttr:$half_blocks);
  let results = (outs FAGPU_AnyPending:$result);
  let assemblyFormat = [{
    $a (`[` $a_index^ `:` type($a_index) `]`)? `,` $b `[` $b_index `:` type($b_index) `]`
    (`columns` `(` $b_columns^ `)`)? (`acc` `(` $acc^ `:` type($acc) `)`)? (`head` `(` $head^ `:` type($head) `)`)? attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def FAGPU_WgmmaWaitOp : FAGPU_HopperOp<"wgmma_wait", [AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let summary = "wait until at most so many groups are in flight";
  let description = [{
    Results: for each `done` its accumulator as an `#fagpu.acc` tensor, then each `live` again, still pending.

    ### Verifier
    1. Result types follow from the operands'. 2. As many `live` as `groups`.

    Example:
    ```mlir
    %s, %o1 = fagpu.wgmma_wait 1 done(%s0 : !fagpu.pending<64x80xf32>) live(%o0 : !fagpu.pending<64x128xf32>)
      -> (tensor<64x80xf32, #fagpu.acc>), (!fagpu.pending<64x128xf32>)
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$groups, Variadic<FAGPU_AnyPending>:$done,
                       Variadic<FAGPU_AnyPending>:$live);
  let results = (outs Variadic<FAGPU_AccTensor>:$values, Variadic<FAGPU_AnyPending>:$pending);
  let assemblyFormat = [{
    $groups (`done` `(` $done^ `:` type($done) `)`)? (`live` `(` $live^ `:` type($live) `)`)? attr-dict
    `->` `(` type($values) `)` (`,` `(` type($pending)^ `)`)?
  }];
  let hasVerifier = 1;
}

def FAGPU_PackOp : FAGPU_HopperOp<"pack", []> {
  let summary = "round an accumulator to the 16-bit A operand of the next product";
  let description = [{
    Moves nothing between threads. It is not pure: it stays after the wait before it.

    ### Verifier
    1. Same shape; f32 to bf16 or f16; columns a multiple of 16.

    Example: `%p = fagpu.pack %e : tensor<64x80xf32, #fagpu.acc> -> tensor<64x80xbf16, #fagpu.a_op>`.
  }];
  let arguments = (ins FAGPU_AccTensor:$source);
  let results = (outs FAGPU_AOpTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def FAGPU_AnyRowOp : FAGPU_HopperOp<"any_row", [Pure]> {
  let summary = "whether something holds for any row of a warp";
  let description = [{
    The same for all threads of a warp, and perhaps different from warp to warp: what it guards must not change rows for
    which it does not hold.

    Example: `%any = fagpu.any_row %grows : tensor<64xi1, #fagpu.rows>`.
  }];
  let arguments = (ins FAGPU_RowsTensor:$rows);
  let results = (outs I1:$result);
  let assemblyFormat = "$rows attr-dict `:` type($rows)";
}

def FAGPU_ScaleRowsOp : FAGPU_HopperOp<"scale_rows", [
    Pure, AllTypesMatch<["tile", "result"]>]> {
  let summary = "multiply each row by a factor";
  let description = [{
    With `skip_if_one`, a warp whose factors are all exactly 1 branches round the multiplications. With `if`, so does a warp for which
    it is false: its factors are known to be 1 (`fagpu.any_row`).

    ### Verifier
    1. As many factors as rows. 2. `if` or `skip_if_one`, not both.

    Example: `%r = fagpu.scale_rows %o by %alpha {skip_if_one} : tensor<64x128xf32, #fagpu.acc>, tensor<64xf32, #fagpu.rows>`.
  }];
  let arguments = (ins FAGPU_AccTensor:$tile, FAGPU_RowsTensor:$factors, Optional<I1>:$changes,
                       UnitAttr:$skip_if_one);
  let results = (outs FAGPU_AccTensor:$result);
  let assemblyFormat = "$tile `by` $factors (`if` $changes^)? attr-dict `:` type($tile) `,` type($factors)";
  let hasVerifier = 1;
}

include "fa/Dialect/FAGPU/IR/FAGPUGradientOps.td"

#endif // FA_DIALECT_FAGPU_IR_FAGPUHOPPEROPS_TD
