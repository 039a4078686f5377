//===- FABackwardOps.td - gradients of attention -----------*- tablegen -*-===//

#ifndef FA_DIALECT_FA_IR_FABACKWARDOPS_TD
#define FA_DIALECT_FA_IR_FABACKWARDOPS_TD

include "fa/Dialect/FA/IR/FAOpBase.td"

class FA_AttentionBackwardLikeOp<string mnemonic> : FA_AttentionLikeOp<mnemonic> {
  /// Which optional gradients there are, in the order of the outputs.
  dag gradientAttributes = (ins
    UnitAttr:$bias_gradient,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$capture_gradients);
  code gradientOutputs = [{
    /// What each output is the gradient of, in order.
    ::llvm::SmallVector<::mlir::OpOperand *> getDifferentiated();
  }];
}

//===----------------------------------------------------------------------===//
// fa.attention_backward
//===----------------------------------------------------------------------===//

def FA_AttentionBackwardOp : FA_AttentionBackwardLikeOp<"attention_backward"> {
  let summary = "the gradients of fa.attention";
  let description = [{
    The gradients of `sum(out * d_out) + sum(lse * d_lse)` of one `fa.attention` with the same operands, attributes and
    regions. Probabilities are computed again from `lse`, so no score matrix has to be kept:

    ```
    s[n]     as in fa.attention, from x[n] = scale * dot(query[m], key[n])
    p[n]     = exp(s[n] - lse)                              0 where lse is -inf or the position is hidden
    delta    = sum_e out[e] * d_out[e] - d_lse              0 where lse is -inf
    dp[n]    = sum_e d_out[e] * value[n, e]
    ds[n]    = p[n] * (dp[n] - delta)                       0 where the position is hidden
    dx[n]    = ds[n] * ds/dx                                through the score region and softcap
    d_value[n] = sum_m cast(p[n]) * d_out[m]                cast to d_out's element type
    d_query    = scale * sum_n cast(dx[n]) * key[n]         cast to key's element type
    d_key[n]   = scale * sum_m cast(dx[n]) * query[m]       cast to query's element type
    d_bias     = ds
    d_sink     = -exp(sink - lse) * delta
    d_capture  = ds * ds/dcapture                           summed into the element that was read
    ```

    Each gradient has the dimensions of what it belongs to and is summed over all others: d_key and d_value over the
    group of query heads, d_bias over every dimension that the bias is broadcast along, d_sink over the rows.

    **Empty rows** (lse is -inf) give zero gradients, and their d_lse is ignored. An empty row with a sink has
    lse = sink and gives d_sink = d_lse.

    **NaN.** Positions excluded by a *length* give zero gradients and reach no other one, whatever query, key,
    value, out, lse, d_out and d_lse hold there.

    **Score region.** Differentiated by reverse mode, per scalar. An op that carries the score, or a capture that
    has a gradient, must be in the table of lib/Transforms/ReverseMode.cpp; otherwise lowering stops with an error at that op. Derivatives
    at kinks: abs has 0 at 0; max and min of two equal values give half to each; select passes to the branch taken. Adjoints are kept in `softmax_type`.

    **What has no gradient.** `scale`: it is one number for the whole problem, nearly always a constant, and where it is
    not, d_scale = sum(query * d_query) / scale is one reduction away. `alibi_slopes`: constants of the model; learned
    slopes are a capture of a score region. Masks, lengths and offsets are not real numbers.

    **Numbers.** As in `fa.attention`: everything between the operands and the outputs is in `softmax_type`, apart from
    the casts above. `deterministic`: gradients must be bit-identical from run to run, so no lowering may leave the order of
    additions to chance.

    ### Operands
    - those of `fa.attention`, with the same meaning;
    - `out`, `lse`: its results. lse is required, out too (for delta);
    - `d_out` (out's dimensions), `d_lse` (lse's dimensions): what flows back;
    - `outputs`: d_query, d_key, d_value; then d_bias with `bias_gradient`, d_sinks with `sinks_gradient`, and one per
      capture that `capture_gradients` lists. Their contents are ignored.

    ### Verifier
    Rules 1-5 and 7-9 of `fa.attention`, with maps in the order query, key, value, bias, mask, alibi_slopes, sinks,
    captures, out, lse, d_out, d_lse, outputs; and
    10. Outputs: three and one for each optional gradient; tensors and results as in rule 6.
    11. A gradient has the dimensions of what it belongs to, in any order.
    12. lse and d_lse are of `softmax_type`.
    13. `bias_gradient` and `sinks_gradient` need that operand; `capture_gradients` lists captures of floats, ascending, that a score region reads.

    Source: Dao et al., FlashAttention, 2022, appendix B; the reverse mode of Griewank and Walther, "Evaluating
    Derivatives", 2008.

    Example:
    ```mlir
    #q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
    #k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
    #v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
    #o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
    #l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>
    %g:3 = fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
      ins(%query, %key, %value, %out, %lse, %d_out : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>,
          tensor<1x8x?x128xbf16>, tensor<1x8x4x?x128xbf16>, tensor<1x8x4x?xf32>, tensor<1x8x4x?x128xbf16>)
      outs(%dq, %dk, %dv : tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>)
      -> tensor<1x8x4x?x128xbf16>, tensor<1x8x?x128xbf16>, tensor<1x8x?x128xbf16>
    ```
  }];
  let arguments = !con(attentionOperands,
    (ins Optional<FA_FloatShaped>:$sinks,
         FA_FloatShaped:$out, FA_FloatShaped:$lse, FA_FloatShaped:$d_out, Optional<FA_FloatShaped>:$d_lse),
    attentionState, attentionAttributes, gradientAttributes, (ins UnitAttr:$sinks_gradient, UnitAttr:$deterministic));
  let assemblyFormat = [{
    attr-dict
    `ins` `(` $query `,` $key `,` $value `,` $out `,` $lse `,` $d_out `:`
      type($query) `,` type($key) `,` type($value) `,` type($out) `,` type($lse) `,` type($d_out) `)`
    (`d_lse` `(` $d_lse^ `:` type($d_lse) `)`)?
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
  let extraClassDeclaration = destinationStyle # gradientOutputs;
}

//===----------------------------------------------------------------------===//
// fa.online_attention_backward
//===----------------------------------------------------------------------===//

def FA_OnlineAttentionBackwardOp : FA_AttentionBackwardLikeOp<"online_attention_backward"> {
  let summary = "gradients of attention over some queries and keys, added to accumulators";
  let description = [{
    The part of `fa.attention_backward` that goes over pairs of positions, with `delta` given and gradients *added* to
    `outputs`:

    ```
    d_value += ..., d_bias += ..., d_captures += ...        as fa.attention_backward
    d_query += sum_n cast(dx[n]) * key[n]                   without the factor scale
    d_key   += sum_m cast(dx[n]) * query[m]                 without the factor scale
    ```

    Processing the pairs of a problem in any number of pieces of queries and keys, in any order, from zeros gives the
    gradients of the whole; the factor `scale` of d_query and d_key is applied once at the end. What `fa.online_attention` is
    to the forward pass, this is to the backward pass: a tile program is this op on tiles.

    Where lse is -inf, p is 0.

    ### Verifier
    Rules 1-5 and 7-9 of `fa.attention`, with maps in the order query, key, value, bias, mask, alibi_slopes, captures,
    lse, delta, d_out, outputs; rules 10-13 of `fa.attention_backward`, where a gradient of a bias or capture may have rows (m) or
    keys (n) beside its dimensions and is then summed over less; and
    14. lse, delta and the outputs are of `softmax_type`.

    Example:
    ```mlir
    #q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
    #k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
    #v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
    #o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
    #row = affine_map<(b, h, g, m, n, d, e) -> (m)>
    %g:3 = fa.online_attention_backward {indexing_maps = [#q, #k, #v, #row, #row, #o, #q, #k, #v]}
      ins(%q, %k, %v, %lse, %delta, %do : tensor<64x128xbf16>, tensor<32x128xbf16>, tensor<32x128xbf16>,
          tensor<64xf32>, tensor<64xf32>, tensor<64x128xbf16>)
      outs(%dq, %dk, %dv : tensor<64x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>)
      -> tensor<64x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>
    ```
  }];
  let arguments = !con(attentionOperands,
    (ins FA_FloatShaped:$lse, FA_FloatShaped:$delta, FA_FloatShaped:$d_out),
    attentionState, attentionAttributes, gradientAttributes);
  let assemblyFormat = [{
    attr-dict
    `ins` `(` $query `,` $key `,` $value `,` $lse `,` $delta `,` $d_out `:`
      type($query) `,` type($key) `,` type($value) `,` type($lse) `,` type($delta) `,` type($d_out) `)`
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
  let extraClassDeclaration = destinationStyle # gradientOutputs;
}

#endif // FA_DIALECT_FA_IR_FABACKWARDOPS_TD
