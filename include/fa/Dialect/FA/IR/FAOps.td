//===- FAOps.td - the ops of the fa dialect ----------------*- tablegen -*-===//

#ifndef FA_DIALECT_FA_IR_FAOPS_TD
#define FA_DIALECT_FA_IR_FAOPS_TD

include "fa/Dialect/FA/IR/FABackwardOps.td"
include "fa/Dialect/FA/IR/FAOpBase.td"

//===----------------------------------------------------------------------===//
// fa.attention
//===----------------------------------------------------------------------===//

def FA_AttentionOp : FA_AttentionLikeOp<"attention", [FA_Tiling]> {
  let summary = "softmax(scores(query, key)) . value, with its masks";
  let description = [{
    For every batch b, query head (h, g) and query position m (letters as in the dialect's domain table):

    ```
    s[n]  = scale * sum_d query[m, d] * key[n, d]
    s[n]  = softcap * tanh(s[n] / softcap)                  if softcap
    s[n]  = score_region(s[n], captures...)                 if a score region
    s[n] += -alibi_slope * |m + offset - n|                 if alibi_slopes
    s[n] += bias                                            if bias
    s[n]  = keep(m, n) ? s[n] : -inf                        all masks ANDed
    lse   = log(sum_n exp(s[n]))                            natural logarithm; sinks join the sum
    out   = sum_n cast(exp(s[n] - lse)) * value[n]          cast to value's element type
    ```

    The order is fixed. `keep` is the AND of: the mask region; `mask` (true keeps); `causal`: n <= m + offset; the
    window: m + offset - window_left <= n <= m + offset + window_right (a missing side is unbounded, 0 is a real
    bound); lengths: m < query_length and n < key_length. Masks *select* -inf, whatever the score was (NaN too).

    **Offset.** 0 for `top_left`; key length - query length of that batch's *effective* lengths for `bottom_right`. Used by
    causal, window and alibi only. `fa.index` in a region is not shifted by it and counts within the sequence.

    **Empty rows.** A row whose maximum score is -inf, from whatever cause, gives out = 0 and lse = -inf, never NaN.
    A sink (one logit per query head) joins the maximum and the sum but has no value: an empty row with a sink gives
    out = 0 and lse = sink. Finite scores of any magnitude are scores; no finite value stands for -inf.

    **NaN.** Positions excluded by a *length* cannot reach any output, whatever is stored there. NaN or Inf at a key
    hidden by mask, causal or window may reach that row.

    **Numbers.** Dot products accumulate, and scores, softmax and lse are computed, in `softmax_type`: f32 by default,
    f64 where the query is f64. lse is of that type.

    ### Operands
    - `query` (b, h, g, m, d), `key` (b, h, n, d), `value` (b, h, n, e): any subset of these dimensions in any order;
      m and d, n and d, n and e must be there. The element types of query and key are equal.
    - `scale`: f32 or f64, any finite value, also negative or 0. Without it 1/sqrt(extent of d).
    - `bias`: added, any subset of (b, h, g, m, n); `mask`: i1, likewise.
    - `alibi_slopes`, `sinks`: any subset of (b, h, g).
    - `captures`: tensors that the regions read. With a map of (b, h, g, m, n) a capture arrives as the scalar at
      this position; a capture of rank > 0 whose map has no results arrives whole, to be read with `tensor.extract`.
    - `query_lengths`, `key_lengths`: i32 [B], effective lengths, each in [0, extent]. Query rows at or past
      the length are empty rows.
    - `query_offsets`, `key_offsets`: i32 [B + 1], ascending; then query, key, value and outputs have no b: sequence i is
      rows offsets[i] to offsets[i + 1] of their m or n. Bias, mask and captures index within the sequence.
    - `query_base`, `key_base`, `batch_base`, `head_base`: absolute position of the first query, key, batch and
      query head (tiling adds these; default 0). `query_limit`, `key_limit`: like one length for all
      batches, in absolute positions. `offset`: replaces the alignment's offset.
    - `outputs`: `out` (every dimension of b, h, g, m that an operand has, and e) and optionally `lse` (out's without e). Their
      contents are ignored. They must not alias an input.

    ### Regions
    Isolated, scalar, without side effects (they may be evaluated for masked positions, too). `score` takes the score (softmax_type) and one argument per capture
    and yields the new score; `keep` takes one argument per capture and yields i1. Both may use `fa.index`.

    ### Verifier
    1. One map per mapped operand (query, key, value, bias, mask, alibi_slopes, sinks, captures, outputs, in this
       order); each is a projected permutation of 7 dimensions without symbols, with as many results as the operand
       has dimensions (whole captures excepted).
    2. The maps use only the dimensions listed above; bias, mask, alibi_slopes, sinks and captures only those that the
       output has, n, and with offsets b.
    3. Static extents of one dimension agree. d, e are not 0.
    4. Element types: query = key; `softmax_type`, where given, is f32 or f64; lse is of that type.
    5. lengths and offsets: lengths have b's extent (1 where no map has b); query_offsets and key_offsets come together
       and have the same extent, one more than b's; they exclude lengths and limits, and b is in no map of
       query, key, value and outputs.
    6. One or two outputs, all operands on tensors or all on memrefs; one result per output on tensors, of the same
       type; none on memrefs.
    7. On memrefs, an output is no other operand.
    8. softcap is finite, normal and > 0 in softmax_type. `offset` excludes
       `alignment = #fa.alignment<bottom_right>`. Other attributes have a dialect's prefix.
    9. Regions: one block; argument and yield types as above; ops on scalars without side effects, and `tensor.extract` or
       `memref.load` of a capture taken whole; captures need a region.

    Source: Vaswani et al., "Attention Is All You Need", 2017; masks after PyTorch's scaled_dot_product_attention
    and ONNX Attention-23; sinks after gpt-oss; alibi after Press et al., 2022.

    Example (grouped-query attention, causal, with lse):
    ```mlir
    #q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
    #k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
    #v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
    #o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
    #l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
    %r:2 = fa.attention {causal, indexing_maps = [#q, #k, #v, #o, #l]}
      ins(%query, %key, %value : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>)
      outs(%out, %lse : tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>)
      -> tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>
    ```
  }];
  let arguments = !con(attentionOperands, (ins Optional<FA_FloatShaped>:$sinks), attentionState, attentionAttributes);
  let assemblyFormat = [{
    attr-dict
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)`
    (`scale` `(` $scale^ `:` type($scale) `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`alibi` `(` $alibi_slopes^ `:` type($alibi_slopes) `)`)?
    (`sinks` `(` $sinks^ `:` type($sinks) `)`)?
    (`captures` `(` $captures^ `:` type($captures) `)`)?
    (`query_lengths` `(` $query_lengths^ `:` type($query_lengths) `)`)?
    (`key_lengths` `(` $key_lengths^ `:` type($key_lengths) `)`)?
    (`query_offsets` `(` $query_offsets^ `:` type($query_offsets) `)`)?
    (`key_offsets` `(` $key_offsets^ `:` type($key_offsets) `)`)?
    (`query_base` `(` $query_base^ `)`)? (`key_base` `(` $key_base^ `)`)?
    (`batch_base` `(` $batch_base^ `)`)? (`head_base` `(` $head_base^ `)`)?
    (`query_limit` `(` $query_limit^ `)`)? (`key_limit` `(` $key_limit^ `)`)?
    (`offset` `(` $offset^ `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    (`score` $score_region^)? (`keep` $mask_region^)?
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = destinationStyle # [{
    ::mlir::Value getOut() { return getOutputs()[0]; }
    /// Null without an lse output.
    ::mlir::Value getLse() { return getOutputs().size() > 1 ? getOutputs()[1] : ::mlir::Value(); }
  }];
}

//===----------------------------------------------------------------------===//
// fa.online_attention
//===----------------------------------------------------------------------===//

def FA_OnlineAttentionOp : FA_AttentionLikeOp<"online_attention", [FA_Tiling]> {
  let summary = "attention over some keys, added to a running (acc, row_max, row_sum)";
  let description = [{
    The same scores and masks as `fa.attention`, added to the state of a streaming softmax:

    ```
    row_max' = max(row_max, max_n s[n])
    p[n]     = exp(s[n] - row_max')                 0 where row_max' is -inf
    alpha    = exp(row_max - row_max')              0 where row_max' is -inf
    row_sum' = row_sum * alpha + sum_n p[n]
    acc'     = acc * alpha + sum_n cast(p[n]) * value[n]
    ```

    Processing the keys in any number of pieces, in any order, from acc = 0, row_max = -inf, row_sum = 0 gives
    the state of the whole; `fa.merge` joins states of disjoint keys (split-KV); `fa.finalize` gives out and lse.

    `outputs` are acc (out's dimensions of `fa.attention`, element type softmax_type), row_max (acc's without e) and row_sum
    (as row_max, or with one more trailing dimension of extent P: partial sums, see `#fa.schedule`). They are read
    and updated. With `raw_max`, row_max holds the maximum of the *unscaled* dot products and exponents are
    formed as exp2(s * (scale * log2e) - row_max * (scale * log2e)): one multiply-add per score. It
    is only legal where scale > 0 is known and nothing but masks touches the score. Rows whose maximum times (scale * log2e)
    passes 2^30 use the power of two below that factor: its products are exact, and only the order of such scores counts.

    ### Verifier
    Rules 1-5 and 7-9 of `fa.attention`, and
    10. Three outputs, acc, row_max and row_sum, with maps as said above; element types are softmax_type. With partial
       sums, P and key's extent are static, and P is 1 or 2*P divides key's extent.
    11. `raw_max` excludes bias, alibi_slopes, softcap and a score region.

    Source: Milakov and Gimelshein 2018; Dao et al., FlashAttention, 2022; Dao, FlashAttention-2, 2023.

    Example:
    ```mlir
    #q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
    #k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
    #v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
    #acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
    #row = affine_map<(b, h, g, m, n, d, e) -> (m)>
    %s:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #acc, #row, #row]}
      ins(%q, %k, %v : tensor<64x128xbf16>, tensor<32x128xbf16>, tensor<32x128xbf16>)
      key_base(%n) key_limit(%len)
      outs(%acc, %max, %sum : tensor<64x128xf32>, tensor<64xf32>, tensor<64xf32>)
      -> tensor<64x128xf32>, tensor<64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = !con(attentionOperands, attentionState, attentionAttributes, (ins UnitAttr:$raw_max));
  let assemblyFormat = [{
    attr-dict
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)`
    (`scale` `(` $scale^ `:` type($scale) `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`alibi` `(` $alibi_slopes^ `:` type($alibi_slopes) `)`)?
    (`captures` `(` $captures^ `:` type($captures) `)`)?
    (`query_lengths` `(` $query_lengths^ `:` type($query_lengths) `)`)?
    (`key_lengths` `(` $key_lengths^ `:` type($key_lengths) `)`)?
    (`query_offsets` `(` $query_offsets^ `:` type($query_offsets) `)`)?
    (`key_offsets` `(` $key_offsets^ `:` type($key_offsets) `)`)?
    (`query_base` `(` $query_base^ `)`)? (`key_base` `(` $key_base^ `)`)?
    (`batch_base` `(` $batch_base^ `)`)? (`head_base` `(` $head_base^ `)`)?
    (`query_limit` `(` $query_limit^ `)`)? (`key_limit` `(` $key_limit^ `)`)?
    (`offset` `(` $offset^ `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    (`score` $score_region^)? (`keep` $mask_region^)?
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = destinationStyle # [{
    ::mlir::Value getAcc() { return getOutputs()[0]; }
    ::mlir::Value getRowMax() { return getOutputs()[1]; }
    ::mlir::Value getRowSum() { return getOutputs()[2]; }
  }];
}

//===----------------------------------------------------------------------===//
// fa.merge, fa.finalize
//===----------------------------------------------------------------------===//

def FA_MergeOp : FA_DomainOp<"merge"> {
  let summary = "join two online-softmax states over disjoint keys";
  let description = [{
    Adds the state (acc, row_max, row_sum) in `ins` to the one in `outs`:

    ```
    m    = max(row_max_i, row_max_o)
    a_i  = exp(row_max_i - m), a_o likewise         0 where m is -inf
    sum  = row_sum_i * a_i + row_sum_o * a_o
    acc  = acc_i * a_i + acc_o * a_o
    ```
    Commutative, and associative up to rounding: the reduction of split-KV. Both states are of the same types; row_max is the
    maximum of *scaled* scores (no raw_max).

    ### Verifier
    1. Three maps, of acc, row_max and row_sum, as for `fa.online_attention` (its rules 1-3).
    2. ins and outs have the same types; their element types are equal, f32 or f64.
    3. Tensors give three results of the outputs' types, memrefs none; on memrefs, an output is no other operand.

    Example:
    ```mlir
    #acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
    #row = affine_map<(b, h, g, m, n, d, e) -> (m)>
    %s:3 = fa.merge {indexing_maps = [#acc, #row, #row]}
      ins(%a0, %m0, %l0 : tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%a1, %m1, %l1 : tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>)
      -> tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>
    ```
  }];
  let arguments = (ins Variadic<FA_FloatShaped>:$inputs, Variadic<FA_FloatShaped>:$outputs,
                       AffineMapArrayAttr:$indexing_maps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = destinationStyle;
}

def FA_FinalizeOp : FA_DomainOp<"finalize"> {
  let summary = "out and lse from an online-softmax state";
  let description = [{
    ```
    m   = scale * row_max with `raw_max`, else row_max
    out = acc / row_sum,   lse = m + log(row_sum)                       without a sink
    M   = max(m, sink), sum = row_sum * exp(m - M) + exp(sink - M)
    out = acc * exp(m - M) / sum,   lse = M + log(sum)                  with one
    ```
    row_sum is first summed over its partial dimension, if it has one. A row whose m is -inf gives out = 0 and
    lse = -inf (or the sink). `scale` as in `fa.online_attention`; only read with `raw_max`, where it is required. Contents of
    outs are ignored.

    ### Verifier
    1. Maps, in order: acc, row_max, row_sum, sinks if present, out, lse if present, with the dimensions of
    `fa.online_attention` and `fa.attention` (rules 1-3 there).
    2. Element types: state and lse equal, f32 or f64.
    3. `raw_max` needs `scale`.
    4. Results and memrefs as rules 6 and 7 of `fa.attention`.

    Example:
    ```mlir
    #acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
    #row = affine_map<(b, h, g, m, n, d, e) -> (m)>
    %r:2 = fa.finalize {indexing_maps = [#acc, #row, #row, #acc, #row]}
      ins(%acc, %max, %sum : tensor<64x128xf32>, tensor<64xf32>, tensor<64xf32>)
      outs(%out, %lse : tensor<64x128xbf16>, tensor<64xf32>) -> tensor<64x128xbf16>, tensor<64xf32>
    ```
  }];
  let arguments = (ins FA_FloatShaped:$acc, FA_FloatShaped:$row_max, FA_FloatShaped:$row_sum,
                       Optional<FA_Scale>:$scale, Optional<FA_FloatShaped>:$sinks,
                       Variadic<FA_FloatShaped>:$outputs,
                       AffineMapArrayAttr:$indexing_maps, UnitAttr:$raw_max);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict
    `ins` `(` $acc `,` $row_max `,` $row_sum `:` type($acc) `,` type($row_max) `,` type($row_sum) `)`
    (`scale` `(` $scale^ `:` type($scale) `)`)?
    (`sinks` `(` $sinks^ `:` type($sinks) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = destinationStyle # [{
    ::mlir::Value getOut() { return getOutputs()[0]; }
    ::mlir::Value getLse() { return getOutputs().size() > 1 ? getOutputs()[1] : ::mlir::Value(); }
  }];
}

//===----------------------------------------------------------------------===//
// Region ops
//===----------------------------------------------------------------------===//

def FA_YieldOp : FA_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["AttentionOp", "OnlineAttentionOp", "AttentionBackwardOp", "OnlineAttentionBackwardOp"]>]> {
  let summary = "the result of a score or mask region";
  let description = "Yields the new score, or whether to keep the position. Example: `fa.yield %s : f32`.";
  let arguments = (ins AnyTypeOf<[AnyFloat, I1]>:$value);
  let assemblyFormat = "attr-dict $value `:` type($value)";
}

def FA_IndexOp : FA_Op<"index", [Pure]> {
  let summary = "a position, inside a score or mask region";
  let description = [{
    `b`: batch; `h`: query head, h*G + g; `q`, `k`: query and key position within the sequence, not shifted by an
    alignment. Absolute: tiling does not change what it reads. Example: `%q = fa.index q`.

    ### Verifier
    1. Inside a region of `fa.attention`, `fa.online_attention` or their backward ops.
  }];
  let arguments = (ins FA_AxisAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "`` $axis attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def FA_LoadTileOp : FA_Op<"load_tile", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a statically shaped tile of memory, as a value; 0 outside";
  let description = [{
    Reads `tile[i, j] = source[..., o + i, ..., p + j, ...]`: `tile_dims` names the source's dimension that each
    dimension of the tile runs along, `offsets` (one per source dimension) say where it starts; the other dimensions are
    at their offset. Elements outside the source read as 0 and are not touched in memory. With `limit`, elements
    at or past this coordinate of the source along the tile's *first* dimension are 0 too (they may hold NaN).
    Offsets are >= 0.

    A tile whose padding makes its columns wider than the source's row (head_dim 80 in a tile of 96) is the same case.
    These two ops are all the memory traffic of a tile program: what `bench/io` counts.

    ### Verifier
    1. One offset per source dimension.
    2. tile_dims: distinct, in range, one per tile dimension; the tile's shape is static, its element type the source's.
    3. `limit` needs a tile of at least one dimension.

    Example:
    ```mlir
    %k = fa.load_tile %key[%b, %h, %n, %c0] limit(%len) {tile_dims = array<i64: 2, 3>}
       : memref<?x?x?x128xbf16> -> tensor<64x128xbf16>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$source, Variadic<Index>:$offsets, Optional<Index>:$limit,
                       DenseI64ArrayAttr:$tile_dims);
  let results = (outs AnyStaticShapeTensor:$tile);
  let assemblyFormat = [{
    $source `[` $offsets `]` (`limit` `(` $limit^ `)`)? attr-dict `:` type($source) `->` type($tile)
  }];
  let hasVerifier = 1;
}

def FA_StoreTileOp : FA_Op<"store_tile", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write a tile to memory, clipped";
  let description = [{
    The inverse of `fa.load_tile`: elements outside the destination, or at or past `limit` along the tile's first
    dimension, are not written.

    ### Verifier
    As `fa.load_tile`.

    Example:
    ```mlir
    fa.store_tile %o, %out[%b, %h, %m, %c0] {tile_dims = array<i64: 2, 3>}
       : tensor<64x128xbf16>, memref<?x?x?x128xbf16>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile, AnyStridedMemRef:$destination, Variadic<Index>:$offsets,
                       Optional<Index>:$limit, DenseI64ArrayAttr:$tile_dims);
  let assemblyFormat = [{
    $tile `,` $destination `[` $offsets `]` (`limit` `(` $limit^ `)`)? attr-dict
    `:` type($tile) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def FA_AccumulateOp : FA_Op<"accumulate", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "add a tile to memory, clipped";
  let description = [{
    Adds a tile to the part of the workspace that `fa.store_tile` would write, in the workspace's element type. `mode` says what
    other blocks of the tile program do to these elements:

    - `owned`: nothing. This block alone adds to them, in program order.
    - `ordered`: they add, too, and additions happen in the order in which a sequential program would run the
      blocks. Bit-identical from run to run.
    - `atomic`: they add, too, in any order.

    So the sum, its order and whether it is deterministic are said here; the loops and tiles are the same for all.

    ### Verifier
    As `fa.load_tile`.

    Example:
    ```mlir
    fa.accumulate %dq into %d_query[%b, %h, %m, %c0] owned {tile_dims = array<i64: 2, 3>}
       : tensor<64x128xf32>, memref<?x?x?x128xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile, AnyStridedMemRef:$workspace, Variadic<Index>:$offsets,
                       Optional<Index>:$limit, FA_AccumulateModeAttr:$mode, DenseI64ArrayAttr:$tile_dims);
  let assemblyFormat = [{
    $tile `into` $workspace `[` $offsets `]` (`limit` `(` $limit^ `)`)? $mode attr-dict
    `:` type($tile) `,` type($workspace)
  }];
  let hasVerifier = 1;
}

def FA_AccumulateAtOp : FA_Op<"accumulate_at", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "add the elements of a tile to elements of memory that are computed";
  let description = [{
    Element by element, `workspace[indices...] += tile`: the gradient of a capture that a score region takes whole and
    reads at computed places. `indices` has one tile per dimension of the workspace. Several elements of a tile may go to one
    place. `mode` as in `fa.accumulate`; `atomic` holds among the elements of a tile, too.

    ### Verifier
    1. One tile of indices, of the shape of the tile, per dimension of the workspace; tile and workspace are of one element type.

    Example:
    ```mlir
    fa.accumulate_at %ds[%buckets] into %d_table atomic
      : tensor<64x32xf32>[tensor<64x32xindex>] into memref<?xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile, Variadic<AnyStaticShapeTensor>:$indices,
                       AnyStridedMemRef:$workspace, FA_AccumulateModeAttr:$mode);
  let assemblyFormat = [{
    $tile `[` $indices `]` `into` $workspace $mode attr-dict
    `:` type($tile) (`[` type($indices)^ `]`)? `into` type($workspace)
  }];
  let hasVerifier = 1;
}

#endif // FA_DIALECT_FA_IR_FAOPS_TD
