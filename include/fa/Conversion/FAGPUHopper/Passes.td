//===- Passes.td - warp-specialised kernels to NVVM --------*- tablegen -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_FAGPUHOPPER_PASSES_TD
#define FA_CONVERSION_FAGPUHOPPER_PASSES_TD

include "mlir/Pass/PassBase.td"

class FAGPU_KernelPass<string name> : Pass<name, "::fa::fagpu::KernelOp"> {
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def FAGPUSplitLengths : Pass<"fagpu-split-lengths"> {
  let summary = "short sequences get kernels of their own";
  let description = [{
    Matches `fa.attention` on memrefs of bf16 or f16 for which `--fagpu-choose-warp-schedule` has a schedule for short sequences: those
    of at most so many queries,

    | larger head dimension | full | causal |
    |---|---|---|
    | up to 64 | | 512 |
    | up to 128 | 1024 | 2048 |
    | up to 192 | | 2048 |

    Where the number of queries is dynamic it becomes two, one of which runs at a time: the short one, marked `fagpu.short`, and
    the other. A static number is marked or not. Leaves alone: packed sequences, bias, mask, regions, left windows, everything
    else. Numerics: preserved; the two differ in their tiles.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def FAGPUChooseWarpSchedule : Pass<"fagpu-choose-warp-schedule"> {
  let summary = "tiles, warpgroups and stages for warp-specialised kernels, by head dimension";
  let description = [{
    Puts `fa.schedule` (64 query rows: what one consumer warpgroup owns) and `fagpu.warps` on every `fa.online_attention` on
    bf16 or f16 whose head dimensions are static and at most 256. Options override the choice.

    | head dimension | full: keys per tile, consumers, stages | causal | with bias, mask, regions or a left window |
    |---|---|---|---|
    | up to 64 | 128, 3, 2, ahead, 2 query slots | the same | 96, 2, 3, 2 query slots |
    | up to 96 | 112, 3, 2, static, ahead | 112, 3, 2, 2 query slots | 80, 2, 3, 2 query slots |
    | up to 128 | 80, 3, 2, static, ahead, 2 query slots | 80, 3, 3, 2 query slots | 80, 2, 3, 2 query slots |
    | up to 192 | 96, 2, 2 | 80, 2, 2 | 64, 2, 2, 2 query slots |
    | up to 256 | 80, 2, 2 | 80, 2, 2 | 48, 2, 2, 2 query slots |
    | up to 64, short | | 64, 3, 3, 2 query slots | |
    | up to 128, short | 128, 2, 2, static, ahead, 2 query slots, turns | 64, 3, 4, 2 query slots | |
    | up to 192, short | | 64, 2, 2, 2 query slots | |

    Short: marked `fagpu.short` by `--fagpu-split-lengths`. Measured on an H200: `bench/gpu/tune.py`, bench/results. Two different head
    dimensions take more shared memory than one, and options can: there is then one query slot, and unless an option says how many keys, the tile is the longest that fits. If an option says keys, consumers or
    stages, the scheduler is dynamic, with one query slot and one block and not ahead, unless others say so.

    Leaves alone: ops that have a schedule, and everything else. Numerics: as `--fa-tile`.
  }];
  let options = [
    Option<"keyTile", "key-tile", "int64_t", "0", "keys of a tile; 0: choose">,
    Option<"consumers", "consumers", "int64_t", "0", "consumer warpgroups, 1 to 3; 0: choose">,
    Option<"stages", "stages", "int64_t", "0", "slots of the key and value rings; 0: choose">,
    Option<"dynamic", "dynamic", "int64_t", "-1", "whether blocks ask for their next tile; -1: choose">,
    Option<"lazy", "lazy", "int64_t", "8", "threshold of --fagpu-lazy-rescale, 0: off">,
    Option<"overlap", "overlap", "bool", "true", "--fagpu-rotate-loop">,
    Option<"ahead", "ahead", "int64_t", "-1", "whether --fagpu-rotate-tiles; -1: choose">,
    Option<"querySlots", "query-slots", "int64_t", "0", "blocks' query tiles in shared memory; 0: choose">,
    Option<"blocks", "blocks", "int64_t", "0", "blocks that share a multiprocessor, 1 to 3; 0: choose">,
    Option<"turns", "turns", "int64_t", "-1", "whether consumers take turns (fagpu.await_turn); -1: choose">];
  let dependentDialects = ["::fa::FADialect", "::fa::fagpu::FAGPUDialect"];
}

def FAGPUWarpSpecialize : Pass<"fagpu-warp-specialize", "::mlir::ModuleOp"> {
  let summary = "a tile program's kernel to a producer and consumers";
  let description = [{
    Matches every launched `gpu.func` with `fagpu.warps` whose tiles have layouts (`--fa-assign-layouts`): a query tile of 64
    rows stays, loops stream key and value tiles, an output tile is stored. Makes a `fagpu.kernel` beside it, whose blocks
    take as many neighbouring query tiles as there are consumers:

    - the producer loads the query tiles of all consumers, then key and value tiles through rings, over the keys that
      any of them sees;
    - a consumer has the source's body for its own query tile: contractions on what the rings bring, each waited for at once
      (`--fagpu-rotate-loop` overlaps them), the output stored by TMA, by way of memory of its own or, where there is no
      room, of the queries'. Its key loops run from the last key to the first, so
      that the masked tiles come first; tiles that only other consumers see are passed by;
    - blocks are persistent: `fagpu.for_each_tile` over (y, z of the source's grid, groups of query tiles). Where the keys depend
      on the query tile, the longest come first, taking turns over as many heads as fit in the second-level cache.

    Where a length ends a sequence before its memory does, consumers clear what the last value tile has past it
    (`fagpu.clear_tail`): 0 * NaN is not 0.

    A query tile that sees no key takes one key tile all the same; all of it is masked. The launch becomes a choice at
    run time: this kernel where TMA can address query, key, value and out (base and strides multiples of 16 bytes,
    adjacent columns, nothing empty) and there are at most 2^29 queries and keys (positions are counted in 32 bits), the source otherwise.

    Leaves alone, with a remark why: kernels of another form (packed sequences), values to clear in a ring of one stage. An index
    that is not arithmetic is an error. Numerics: keys in descending order.
  }];
  let dependentDialects = [
    "::fa::fagpu::FAGPUDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::gpu::GPUDialect"];
}

def FAGPUStress : FAGPU_KernelPass<"fagpu-stress"> {
  let summary = "for tests: warps sleep for a random time before every hand-over";
  let description = [{
    Puts a `nanosleep` before every acquire, commit, wait, release, load, store, product, sum in memory and count of every role. Half of the times it
    sleeps for nothing, else for up to 2 microseconds, drawn from the clock, the block, the warp, the place and `seed`. A kernel whose
    hand-overs are right computes the same bits.

    Leaves alone: everything else; it runs where a schedule says `stress=SEED`. Numerics: preserved.
  }];
  let options = [Option<"seed", "seed", "int64_t", "1", "draws other times">];
}

def FAGPUChooseGradientSchedule : Pass<"fagpu-choose-gradient-schedule"> {
  let summary = "gradients by warp-specialised kernels where these can";
  let description = [{
    Matches `fa.attention_backward` on memrefs of bf16 or f16, of head dimensions 64, 96 or 128, with gradients of query, key and value only and more than 64 keys where their number is static. Biases,
    masks and captures must be the same for all queries; score regions need bf16, for their derivatives may be past the largest f16, and a derivative
    (not of a number, a position or a decision alone); mask regions must not ask for the head, hide everything, nor be there if the op is `deterministic`. Of head dimensions 192, 256, and 192 with values of 128, by output: only
    scores of products, causal and window masks, no lengths, not `deterministic`. It becomes a choice at run time: where TMA can address its buffers (as for `--fagpu-warp-specialize`), a copy with the
    schedule `fa.backward_schedule` of 64 queries, 64 keys and d_query by atomic additions, and `fagpu.gradients`; elsewhere
    the op as it was. A `deterministic` op gets `fa.ordered_sums` for that word: blocks add to d_query in one order.

    The options are parts of `fagpu.gradients`, whose description says what they do; by default they are what was fastest on an H200,
    by head dimension: `fold-delta packed-scores score-steps=3 late-scores=2` for 128, and where a mask is causal or a window
    `packed-scores rows-ahead=2 delta-ahead score-steps=2 late-scores=2`; `fold-delta packed-scores key-steps=2 score-steps=2
    late-scores=2` for 64; `fold-delta packed-scores score-steps=2` for 96. In f16 without
    `packed-scores`, because dP - delta may be past the largest number where dS is not, and for 128 with `score-steps=2` and
    `late-scores` alone, because more does not fit in registers; nor do rows and deltas ahead where scores are more than scaled products, nor
    more than `rows-ahead=1` beside lengths. One order of sums takes registers of the producer: from d_query's at 128, which has `score-steps=0` then.
    `one-launch` for 128 where the op is not `deterministic`, and `persistent` for all others but 256 where it is not. The two together are an
    error; `persistent` alone is without `one-launch`, and leaves a `deterministic` op alone.
    Heads wider than 128 are
    `by-output`, with what assembled without spills: no other schedule of theirs was measured. `cluster=2` is for head dimension 192 with
    values of 128, and leaves other heads alone: blocks of wider ones have no room for what the other block sends.

    Leaves alone: everything else; with `only` it is an error, so that the target `auto` takes `sm_80` for it. Numerics: the order
    of additions to d_query is not fixed, unless the op is `deterministic`; with
    `packed-scores` dS is rounded twice, as dP - delta and as its product with P, which was rounded for d_value.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "0", "slots of the query and d_out rings; 0: choose">,
    Option<"scoreStages", "score-stages", "int64_t", "2", "slots of the ring of dS">,
    Option<"queryRegisters", "query-registers", "int64_t", "0", "registers of the warpgroup for d_query; 0: choose">,
    Option<"keyRegisters", "key-registers", "int64_t", "0", "registers of those for d_key and d_value; 0: choose">,
    Option<"valueRegisters", "value-registers", "int64_t", "0", "registers of the one for d_value, by output; 0: choose">,
    Option<"weightStages", "weight-stages", "int64_t", "2", "slots of the ring of P, by output">,
    Option<"foldDelta", "fold-delta", "int64_t", "-1", "sums of dP start from -delta; -1: choose">,
    Option<"packedScores", "packed-scores", "int64_t", "-1", "dS is a product in 16 bits; -1: choose">,
    Option<"rowsAhead", "rows-ahead", "int64_t", "-1", "lse is read a tile ahead; -1: choose">,
    Option<"deltaAhead", "delta-ahead", "int64_t", "-1", "delta is read before the wait for dP; -1: choose">,
    Option<"keySteps", "key-steps", "int64_t", "-1", "steps of S whose keys are in registers; -1: choose">,
    Option<"scoreSteps", "score-steps", "int64_t", "-1", "steps of d_query whose dS is in registers; -1: choose">,
    Option<"lateScores", "late-scores", "int64_t", "-1",
           "dS is handed over behind the product for d_key (1), behind the next scores (2); -1: choose">,
    Option<"oneLaunch", "one-launch", "int64_t", "-1", "the same launch prepares and finishes; -1: choose">,
    Option<"prepareBlocks", "prepare-blocks", "int64_t", "0", "blocks that prepare; 0: a fifth of the multiprocessors">,
    Option<"finishTiles", "finish-tiles", "int64_t", "2", "tiles of d_query that a warpgroup finishes">,
    Option<"finishLead", "finish-lead", "int64_t", "-1",
           "blocks by which finishing d_query is behind; -1: twice the multiprocessors">,
    Option<"persistent", "persistent", "int64_t", "-1", "a block of each multiprocessor draws keys after keys; -1: choose">,
    Option<"only", "only", "bool", "false", "gradients that cannot have roles are an error">,
    Option<"byOutput", "by-output", "int64_t", "-1", "a warpgroup each for d_key and d_value of the same keys; -1: choose">,
    Option<"cluster", "cluster", "int64_t", "0", "blocks that add up d_query together, by output: 1 or 2; 0: choose">];
  let dependentDialects = ["::fa::FADialect", "::fa::fagpu::FAGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def FAGPUSpecializeGradients : Pass<"fagpu-specialize-gradients", "::mlir::ModuleOp"> {
  let summary = "the tile program of the gradients to a kernel with roles";
  let description = [{
    Matches the launched `gpu.func` with `fagpu.gradients` that keeps a key tile, streams query tiles and adds to d_query
    (`--fa-tile-backward`), after `--fa-assign-layouts`. Makes of it a `fagpu.kernel` whose blocks take two neighbouring key tiles:

    - a producer loads both key and value tiles, then query and d_out tiles with their rows of lse and delta;
    - two warpgroups have a key tile each and never meet: S^T = K Q^T and dP^T = V dO^T from shared memory, d_value and d_key
      with P^T and dS^T from registers. The products of a tile are issued in this order: dP, d_value; wait; d_key, the next
      tile's S; wait. dS goes to shared memory, too;
    - one warpgroup multiplies dS of both by K and adds to the sum of d_query, 64 columns at a time.

    Where the derivative of a score needs more than P (a softcap, a score region), dS is linear in dP - delta: its factor is what dS
    is for 1, is computed together with P and packed, too.

    Where sums of d_query are `ordered`, blocks take tickets, go through their query tiles from the last to the first, and add to a tile
    when the block before them has: two messengers wait for that block, and tell the next one. Tickets are of many heads in turns, so that blocks of
    one head begin one after another. Ranges of query tiles must not descend from one key tile to the next, as those of all masks of positions do not.

    With `by_output`, blocks take one key tile, and instead of the two warpgroups

    - one computes S^T = K Q^T and P, hands P over through shared memory and adds P^T dO to d_value, in flight together with the next tile's S;
    - one computes dP^T = V dO^T, dS of it and P, hands dS over and adds dS^T Q to d_key, in flight together with the next tile's dP.

    Their results go to memory through slots of d_out and query that the loader gives them empty, behind the last ones that it has filled.

    With `persistent`, as many blocks as there are multiprocessors draw tiles from a counter that is 0 before and after every launch. A tile's number goes through a ring of its own,
    and what carries on from tile to tile are cursors: rings do not begin anew. The loader fetches the next tile's first queries before its keys, for the
    keys' memory is free only when all roles have had their last product with the ones before. The first block of a pair draws for both.
    The launch that clears the sum, if it does nothing else, goes: a warp of each block clears it, some tiles ahead of who adds. So does then the launch that rounds it, if it is a tile program that
    does nothing but multiply by a scalar and round to 16 bits, of a multiple of 32 columns, and nothing else stands between: two warps of each block, and consumers that have no more tiles, share out parts of query tiles
    whose heads are done (`fagpu.for_each_number`). One count per head says how far it is.

    With `one_launch`, the launches that prepare lse and delta, clear the sum and round it become blocks of this one, where they are tile programs over
    the same heads and nothing else stands between them. Blocks draw tickets (`fagpu.draw`). The first `prepare_blocks` tickets prepare and clear, tile by tile in the order of heads; then come
    the blocks with roles, and behind so many of them that a head is done, blocks that finish it. One count per head says how far it is: each tile that is prepared, each block
    with roles and each finished tile adds 1, and the last one wraps it to 0. With roles, blocks wait for the first, finishing ones for the second.

    The sum of d_query is then in fragment order, also in the kernels that clear and round it; it, delta and the copy of
    lse get whole query tiles. Key tiles that see no query take one query tile all the same; all of it is masked.

    The kernel must be of this form: anything else is an error. Numerics: dS is computed from P as it was rounded for
    d_value, or from its factor, rounded likewise.
  }];
  let dependentDialects = [
    "::fa::fagpu::FAGPUDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::gpu::GPUDialect"];
}

def FAGPUHoistRows : Pass<"fagpu-hoist-rows", "::mlir::ModuleOp"> {
  let summary = "what is computed of a row's number alone is computed where the number is written";
  let description = [{
    Matches the numbers of rows that a `fagpu.kernel` copies from a workspace (`fagpu.bulk_load`, `fagpu.read_cols`). Where every linalg op that
    reads them first computes the same function of them, such as -lse * log2(e), that function moves to the kernel that
    stores the workspace: once per row instead of once per pair of tiles.

    Leaves alone: numbers that somebody reads as they are, workspaces that others read or that several kernels store. Numerics: preserved.
  }];
  let dependentDialects = ["::fa::fagpu::FAGPUDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FAGPUSizeLaunches : Pass<"fagpu-size-launches", "::mlir::ModuleOp"> {
  let summary = "launches ask for the shared memory of their kernels";
  let description = [{
    Matches every `gpu.launch_func` of a `fagpu.kernel` and sets its dynamic shared memory to the kernel's `smem_bytes`. Needs
    `--fagpu-allocate`. Leaves alone: other launches. Numerics: preserved.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FAGPULazyRescale : FAGPU_KernelPass<"fagpu-lazy-rescale"> {
  let summary = "rescale the accumulator only when a row maximum grows by much";
  let description = [{
    Matches `fagpu.scale_rows` by alpha = exp2(exponent) per row in a loop that carries the row maximum `old` to `now`; the
    exponent is a function of `old` and of what the tile's exponentials subtract (`now`, or 0 for an empty row). Where it is at
    least -threshold, the old maximum stays in use (for this tile's exponentials too) and alpha is exactly 1, so that
    a warp whose rows all stay skips the multiplications. Probabilities are then at most 2^threshold. The choice is by selects and
    the vote comes last: from the wait for scores on there is one basic block, in which the assembler mixes the maxima of one row, the
    exponentials of the other, conversions and sums. A kernel's `fagpu.warps` overrides the option; its `lazy = 0` means
    leave alone.

    Leaves alone: other `scale_rows`. Numerics: sums and products are of numbers up to 2^threshold times larger; f32 and
    bf16 lose nothing by that, f16 overflows for thresholds above 15. The exponent of an empty row is -inf or NaN: all
    is then as without this pass.
  }];
  let options = [Option<"threshold", "threshold", "double", "8.0", "log2 of the growth that is put up with, in (0, 64]">];
}

def FAGPURotateLoop : FAGPU_KernelPass<"fagpu-rotate-loop"> {
  let summary = "overlap the softmax of one key tile with the products of its neighbours";
  let description = [{
    Matches every loop of a consumer that has a product of shared memory (QK) and one that adds registers times
    shared memory (PV), each waited for by itself. PV of a tile then runs in the next iteration, after its QK has
    been issued: the order is wait K, QK, wait V (of the tile before), PV (of the tile before), wait 1, release K, softmax,
    wait 0, release V, pack, rescale. The first tile up to its softmax and the last PV are peeled. Loops each of which
    goes on from the results of the one before are rotated as one; the first of them must run at least once. The
    value ring needs two stages. Where `fagpu.warps` says `turns`, QK and PV are issued in turns (`fagpu.await_turn`). A kernel whose
    `fagpu.warps` says `overlap = false` is left alone.

    A loop with products that has another shape is an error at the op that differs. Numerics: preserved.
  }];
}

def FAGPURotateTiles : FAGPU_KernelPass<"fagpu-rotate-tiles"> {
  let summary = "overlap the end of one query tile with the first product of the next";
  let description = [{
    Matches the `fagpu.for_each_tile` of a consumer whose body starts with the product of queries and the first keys (as
    `--fagpu-rotate-loop` leaves it) and makes it an `scf.while`: after the last product of a tile it takes the next tile
    (`fagpu.take_tile`), passes its key tiles that only others see, and issues that tile's first product; what becomes of the
    old tile's outputs happens while it runs. Its scores are carried to the next turn.

    Runs where `fagpu.warps` says `ahead`. Leaves alone, with a remark why: loops of another shape, and outputs that go through the
    queries' memory (the next queries could not be there). Numerics: preserved.
  }];
}

def FAGPULowerTileLoop : FAGPU_KernelPass<"fagpu-lower-tile-loop"> {
  let summary = "fagpu.for_each_tile to scf.while";
  let description = [{
    Matches every `fagpu.for_each_tile` and `fagpu.take_tile`. With the dynamic scheduler the producer puts each tile's number in the mailbox of the
    loop's ring before it commits the slot, a number past the end last of all, and asks for its next tile before it
    starts with this one; of a pair of blocks the first one asks, and sends the other one the number at the end of this tile. With the static one a role
    computes where its tile is before it waits for the slot. Leaves alone: all other ops. Numerics: preserved.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect"];
}

def FAGPUAllocate : FAGPU_KernelPass<"fagpu-allocate"> {
  let summary = "place tiles and rings in shared memory";
  let description = [{
    Sets `offset` of every `fagpu.smem` (a multiple of 1024) and `fagpu.ring`, the rings' `arrivals`, and the kernel's `smem_bytes`. More
    than `max-bytes` is an error at the kernel, and so is another number than the `smem_bytes` of an earlier run, which launches ask for. Numerics: preserved.
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "232448", "shared memory of one block, in bytes">];
}

def FAGPULowerRings : FAGPU_KernelPass<"fagpu-lower-rings"> {
  let summary = "rings, cursors and TMA loads to mbarrier and cp.async.bulk";
  let description = [{
    A cursor becomes slot and phase (two i32) in loops and branches too; tiles are indexed by i32 afterwards. A producer
    waits for the other phase than a consumer. One lane per warp arrives at a release. Needs `--fagpu-allocate`.
    Leaves alone: everything on tensors. Numerics: preserved.
  }];
}

def FAGPUDistribute : FAGPU_KernelPass<"fagpu-distribute"> {
  let summary = "register tiles of a warp-specialised kernel to scalars per thread";
  let description = [{
    The same distribution as `--fa-distribute`, per warpgroup, and what only Hopper has: a `fagpu.wgmma` becomes one piece
    of assembly (fence, products over K, commit) whose accumulators are tied; a wait ties the accumulators that
    it completes; a pack is assembly that stays where it is; `scale_rows {skip_if_one}` is a warp vote and a branch;
    a `tma_store` goes through stmatrix. Needs `--fagpu-lower-rings`.

    Anything on a tile that is not covered is an error at the op. Numerics: sums over columns are added in another order.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def FAGPUHoistInvariants : Pass<"fagpu-hoist-invariants", "::mlir::gpu::GPUModuleOp"> {
  let summary = "what does not change out of key loops, and no further";
  let description = [{
    Loop-invariant code motion for every `scf.for`. Nothing leaves the loop over tiles (`scf.while`), nor a loop around others that go
    on with what it carries (gradients: query heads of a key head): an address that is needed once per tile would stay in a register
    all through the inner loops. Numerics: preserved.
  }];
}

def FAGPULowerKernel : Pass<"fagpu-lower-kernel"> {
  let summary = "fagpu.kernel to llvm.func";
  let description = [{
    Matches every `fagpu.kernel` in the op that the pass runs on (a module or gpu.module). Tensor maps become by-value
    constant parameters; thread 0 initialises the barriers; each role becomes a branch that sets its registers, and a producer's body
    runs on one thread. Where blocks draw what they are for, thread 0 takes the ticket before it initialises barriers. Shared memory is one external symbol aligned to 1024 bytes. Needs `--fagpu-lower-rings` and `--fagpu-distribute`.
    Leaves alone: all other ops. Numerics: preserved.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif // FA_CONVERSION_FAGPUHOPPER_PASSES_TD
