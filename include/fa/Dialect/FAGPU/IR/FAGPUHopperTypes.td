//===- FAGPUHopperTypes.td - handles and values in flight --*- tablegen -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_DIALECT_FAGPU_IR_FAGPUHOPPERTYPES_TD
#define FA_DIALECT_FAGPU_IR_FAGPUHOPPERTYPES_TD

include "fa/Dialect/FAGPU/IR/FAGPUDialect.td"

class FAGPU_Type<string name, string typeMnemonic> : TypeDef<FAGPU_Dialect, name> {
  let mnemonic = typeMnemonic;
}

/// A type that is a shape and an element type: `<3x80x128xbf16>`.
class FAGPU_TileType<string name, string typeMnemonic> : FAGPU_Type<name, typeMnemonic> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def FAGPU_SwizzledType : FAGPU_TileType<"Swizzled", "swizzled"> {
  let summary = "tiles in shared memory as TMA writes them and wgmma reads them";
  let description = [{
    `!fagpu.swizzled<TxRxCxE>`: T tiles of R rows and C columns. A tile is one block per 64 columns (the last one may be
    used in part), each R x 128 bytes with the 128-byte swizzle; every tile starts on a multiple of 1024 bytes. It
    has no address until `--fagpu-allocate`.

    Rules: 16-bit elements; R is a multiple of 8, C of 16.
  }];
  let extraClassDeclaration = [{
    int64_t getTiles() const { return getShape()[0]; }
    int64_t getRows() const { return getShape()[1]; }
    int64_t getCols() const { return getShape()[2]; }
    /// Blocks of 64 columns, and bytes of one.
    int64_t getBlocks() const { return (getCols() + 63) / 64; }
    int64_t getBlockBytes() const { return getRows() * 128; }
    int64_t getTileBytes() const { return getBlocks() * getBlockBytes(); }
    int64_t getBytes() const { return getTiles() * getTileBytes(); }
  }];
}

def FAGPU_TensorMapType : FAGPU_TileType<"TensorMap", "tensor_map"> {
  let summary = "a TMA descriptor, a kernel argument";
  let description = [{
    `!fagpu.tensor_map<RxCxE>`: loads or stores tiles of R rows and C columns, a box of 64 columns at a time. Dimensions
    of the map, innermost first: {columns, rows, outer...}; what is outside reads as 0 and is not written.
  }];
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getCols() const { return getShape()[1]; }
    int64_t getTileBytes() const { return (getCols() + 63) / 64 * 128 * getRows(); }
  }];
}

def FAGPU_PendingType : FAGPU_TileType<"Pending", "pending"> {
  let summary = "an accumulator that a wgmma still writes";
  let description = [{
    Not a tensor: it can only be waited for (`fagpu.wgmma_wait`), so nobody reads it early.
  }];
}

def FAGPU_RingType : FAGPU_Type<"Ring", "ring"> {
  let summary = "the barriers of a ring of slots between a producer and consumers";
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
}

def FAGPU_CursorType : FAGPU_Type<"Cursor", "cursor"> {
  let summary = "a position in rings of so many slots: slot and phase";
  let description = "Becomes two i32: the slot, and the parity of the round, which flips when the slot wraps.";
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
}

def FAGPU_WarpScheduleAttr : AttrDef<FAGPU_Dialect, "WarpSchedule"> {
  let mnemonic = "warp_schedule";
  let summary = "how a warp-specialised kernel is organised";
  let description = [{
    Warpgroups of 128 threads: one producer, and `consumers` consumers with 64 query rows each. Key and value tiles go
    through rings of `stages` slots. Registers are per thread. `dynamic`: blocks ask a counter for their next tile (else
    every block takes each grid-th one). `lazy`: `--fagpu-lazy-rescale` with this threshold, 0 for none. `overlap`:
    `--fagpu-rotate-loop`. `ahead`: `--fagpu-rotate-tiles`. `query_slots`: how many blocks' query tiles fit.
    `blocks`: how many blocks share a multiprocessor, its registers and its shared memory. `turns`: consumers
    issue their products in turns (`fagpu.await_turn`). Travels as `fagpu.warps` from the attention op to the kernel.

    Example: `#fagpu.warp_schedule<consumers = 3, stages = 3, producer_registers = 32, consumer_registers = 160, dynamic = true, lazy = 8, overlap = true>`
  }];
  let parameters = (ins "int64_t":$consumers, "int64_t":$stages, "int64_t":$producer_registers,
                        "int64_t":$consumer_registers, "bool":$dynamic, "int64_t":$lazy, "bool":$overlap,
                        DefaultValuedParameter<"bool", "false">:$ahead, DefaultValuedParameter<"int64_t", "1">:$query_slots,
                        DefaultValuedParameter<"int64_t", "1">:$blocks, DefaultValuedParameter<"bool", "false">:$turns);
  let assemblyFormat = "`<` struct(params) `>`";
}

def FAGPU_SharedRowsType : FAGPU_TileType<"SharedRows", "shared_rows"> {
  let summary = "slots of one number per row of a tile, in shared memory";
  let description = [{
    `!fagpu.shared_rows<TxRxf32>`: T slots of R numbers.

    Rules: f32; R is a multiple of 8 (what is copied at once is a multiple of 16 bytes).
  }];
  let extraClassDeclaration = [{
    int64_t getSlots() const { return getShape()[0]; }
    int64_t getRows() const { return getShape()[1]; }
    int64_t getSlotBytes() const { return getRows() * 4; }
    int64_t getBytes() const { return getSlots() * getSlotBytes(); }
  }];
}

def FAGPU_GradientScheduleAttr : AttrDef<FAGPU_Dialect, "GradientSchedule"> {
  let mnemonic = "gradient_schedule";
  let summary = "how the kernel of the gradients is organised";
  let description = [{
    Warpgroups: one that loads, one that computes d_query, two with 64 keys each. Query and d_out tiles go through rings of
    `stages` slots, dS through one of `score_stages`. Registers are per thread. Travels as `fagpu.gradients` from the
    attention op to its kernels. Of the rest, 0 is the plain way:

    - `fold_delta`: the sums of dP start from -delta in the loop over full tiles;
    - `packed_scores`: dS of tiles without a mask is a product of numbers rounded to 16 bits;
    - `rows_ahead`: rows of lse are read before the wait for the scores that they go with; 2: when d_key is done, so that fewer
      registers are live at a time; in the loop over full tiles;
    - `delta_ahead`: rows of delta are read before the wait for dP;
    - `key_steps`, `score_steps`: so many of the steps of 16 of S (dS K) have their left operand in registers, of S in the loop over full tiles;
    - `late_scores`: dS is written before the product for d_key is issued, fenced and handed over behind it; 2: behind the next
      scores;
    - `by_output`: for wide heads, whose two sums do not fit in one warpgroup's registers: both warpgroups have the same 64 keys. One,
      of `value_registers`, computes P and adds to d_value; the other gets P through a ring of `weight_stages` slots, computes
      dS and adds to d_key;
    - `cluster`: 2 with `by_output`: two blocks with neighbouring keys send each other dS, and each adds half of the columns of d_query, for the keys of
      both; 1 otherwise;
    - `one_launch`: blocks of the same launch prepare rows and clear sums (`prepare_blocks` of them; 0: a fifth of the multiprocessors) and finish d_query: `finish_tiles`
      tiles a warpgroup, `finish_lead` blocks behind those that add to it (-1: twice the multiprocessors). Not with `cluster`;
    - `persistent`: as many blocks as multiprocessors, which draw keys after keys, both of a pair together: the next ones are loaded while the last
      sums are stored. Not with `one_launch`, and nothing where blocks add in one order.

    ### Verifier
    1. At least two stages: the next tile's product is issued before a slot is released. At least one slot of dS, and of P with
    `by_output`. 2. `score_steps` at most those of a block's keys: 8, or 4 with `by_output`. 3. `cluster` is 1, or 2 with `by_output`.
    4. `finish_tiles` is positive. 5. `persistent` goes without `one_launch`.

    Example: `#fagpu.gradient_schedule<stages = 3, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208>`
  }];
  let parameters = (ins "int64_t":$stages, "int64_t":$score_stages, "int64_t":$producer_registers,
                        "int64_t":$query_registers, "int64_t":$key_registers,
                        DefaultValuedParameter<"int64_t", "0">:$fold_delta,
                        DefaultValuedParameter<"int64_t", "0">:$packed_scores,
                        DefaultValuedParameter<"int64_t", "0">:$rows_ahead,
                        DefaultValuedParameter<"int64_t", "0">:$delta_ahead,
                        DefaultValuedParameter<"int64_t", "0">:$key_steps,
                        DefaultValuedParameter<"int64_t", "0">:$score_steps,
                        DefaultValuedParameter<"int64_t", "0">:$late_scores,
                        DefaultValuedParameter<"int64_t", "0">:$by_output,
                        DefaultValuedParameter<"int64_t", "0">:$value_registers,
                        DefaultValuedParameter<"int64_t", "0">:$weight_stages,
                        DefaultValuedParameter<"int64_t", "1">:$cluster,
                        DefaultValuedParameter<"int64_t", "0">:$one_launch,
                        DefaultValuedParameter<"int64_t", "0">:$prepare_blocks,
                        DefaultValuedParameter<"int64_t", "2">:$finish_tiles,
                        DefaultValuedParameter<"int64_t", "-1">:$finish_lead,
                        DefaultValuedParameter<"int64_t", "0">:$persistent);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

class FAGPU_IsA<string cpp, string text> : Type<CPred<"::llvm::isa<::fa::fagpu::" # cpp # ">($_self)">, text>;
def FAGPU_AnySwizzled : FAGPU_IsA<"SwizzledType", "tiles in shared memory">;
def FAGPU_AnyTensorMap : FAGPU_IsA<"TensorMapType", "TMA descriptor">;
def FAGPU_AnyPending : FAGPU_IsA<"PendingType", "accumulator in flight">;
def FAGPU_AnyRing : FAGPU_IsA<"RingType", "ring">;
def FAGPU_AnySharedRows : FAGPU_IsA<"SharedRowsType", "numbers of rows in shared memory">;
def FAGPU_AnyCursor : FAGPU_IsA<"CursorType", "cursor">;
/// Which tile of a `!fagpu.swizzled`: a ring's position, or a number.
def FAGPU_TileIndex : AnyTypeOf<[FAGPU_AnyCursor, I32]>;

class FAGPU_InLayout<string layout> : Type<
    CPred<"::fa::fagpu::hasLayout<::fa::fagpu::" # layout # "Attr>($_self)">, "tensor in the layout " # layout>;
def FAGPU_AccTensor : FAGPU_InLayout<"Acc">;
def FAGPU_RowsTensor : FAGPU_InLayout<"Rows">;
def FAGPU_ColsTensor : FAGPU_InLayout<"Cols">;
def FAGPU_AOpTensor : FAGPU_InLayout<"AOp">;

#endif // FA_DIALECT_FAGPU_IR_FAGPUHOPPERTYPES_TD
