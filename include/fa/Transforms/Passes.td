//===- Passes.td - passes over attention -------------------*- tablegen -*-===//

#ifndef FA_TRANSFORMS_PASSES_TD
#define FA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FADecompose : Pass<"fa-decompose"> {
  let summary = "fa ops on whole tensors to naive linalg: the golden reference";
  let description = [{
    Matches `fa.attention`, `fa.online_attention`, `fa.merge`, `fa.finalize`, `fa.attention_backward` and
    `fa.online_attention_backward` on tensors or memrefs and rewrites each into `linalg` that says what it means, with the whole score matrix in memory: the reference for every other
    lowering and the O(N^2) baseline. Every operand, attribute and region is supported; a score region of a backward op
    that has no derivative is an error at its first op without one.

    Leaves alone: everything else. Numerics: defines them. The order of additions within a contraction is that of
    upstream's lowering of `linalg`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::bufferization::BufferizationDialect"];
}

def FAInlineCalls : Pass<"fa-inline-calls", "::mlir::ModuleOp"> {
  let summary = "bodies of called functions in their callers' place";
  let description = [{
    JAX makes a private function of every `where`, and so of every mask; `--fa-raise-attention` sees nothing through a call. Where a private
    function is called, upstream's inliner puts bodies in the place of calls, and the callers are canonicalised; private functions that
    nobody calls any more are gone.

    Leaves alone: modules without such calls, functions without calls, calls of recursive and of external functions.
    Numerics: preserved.
  }];
}

def FARaiseAttention : Pass<"fa-raise-attention"> {
  let summary = "attention in linalg on tensors to fa.attention, by meaning";
  let description = [{
    Matches softmax(scores(query . key)) . value, however it is spelled. The pass asks what one element of the
    result is, as a scalar expression over canonical loops, by looking through any linalg op, reshapes, transposes,
    broadcasts, slices, concatenations and casts; sizes are polynomials over the dynamic extents, made equal where ops
    that run or `cf.assert` say so. In that expression it checks that the maximum and the sum are those of these scores over these
    keys, and takes the scores apart into scale, softcap, bias, masks (causal and window where integer arithmetic proves
    them) and, for the rest, a score or mask region. Layouts, grouped heads and merged batch dimensions become
    indexing maps, slices and `tensor.expand_shape`; nothing is copied.

    Leaves alone: everything that it cannot prove, with a remark at the exponential that says why; softmaxes whose
    scores or weights have another use; a softmax without the row maximum subtracted. A finite fill (-1e9, the lowest
    float) gives uniform rows where everything is masked and stays a score, unless it is below -1e30 and no row can be
    all masked. Dead producers of what was raised are erased, other ops are not touched.

    Numerics: rows that are all -inf give 0, also where the program gave NaN; scores and weights that the program
    rounds to a narrower type stay in softmax_type; a scale may move from query or key to the scores; a mask that
    the program adds as -inf is selected. Values that the program widens are taken as they are where the result is
    rounded to their type anyway, and then the weights are rounded to it too. With `strict`, programs where the first or
    the second matters are not raised, scales and widened values stay where they are. Both are about finite inputs:
    whether a NaN or an infinity at a hidden key reaches the row is open in `fa.attention` itself, so it is with `strict`, too.
  }];
  let options = [
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Only raise what computes the same without rounding less or making rows of NaN zero">];
  let dependentDialects = [
    "::fa::FADialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::mlir::math::MathDialect"];
}

def FADeriveBackward : Pass<"fa-derive-backward", "::mlir::ModuleOp"> {
  let summary = "for each function with attention, a forward twin that keeps residuals and a backward twin";
  let description = [{
    Matches every function that has `fa.attention` on tensors at its top level and adds two functions; the function itself
    stays, with attributes `fa.forward` and `fa.backward` that name them:

    - `@NAME_forward`: the same computation; each attention also yields its lse. Its results are those of the
      function, followed by the *residuals*: out and lse of each attention, and every operand of an attention that
      is computed in the function and is not a view or a scalar (those are made again).
    - `@NAME_backward`: for each attention, one `fa.attention_backward`. Each argument says what it is by an attribute:
      `fa.argument = i` argument i of the function; `fa.result = i` result i of the forward twin;
      `fa.attention = k, fa.cotangent = "out"` (or `"lse"`, if the function uses the lse) what flows back into that
      result of attention k. Each result says `fa.attention = k, fa.gradient = "query"` (`"key"`, `"value"`, `"bias"`,
      `"sinks"`, `"captureN"`), and `fa.argument = i` where this operand is an argument of the function.

    Only attention is differentiated. What a function does around it (projections, reshapes) is the caller's: cotangents are those
    of an attention's results, gradients those of its operands, and an operand that two attentions share has two.

    The score region is differentiated by reverse mode; an op without a derivative between the score (or a float capture) and the
    region's result is an error. Captures that the result does not depend on have no gradient.

    Attention in a loop or a branch, on memrefs, and functions of several blocks are errors. Leaves alone: functions without
    attention. Numerics: those of `fa.attention_backward`.
  }];
  let options = [
    Option<"biasGradient", "bias-gradient", "bool", "true", "derive gradients of biases">,
    Option<"sinksGradient", "sinks-gradient", "bool", "true", "derive gradients of sinks">,
    Option<"captureGradients", "capture-gradients", "bool", "true", "derive gradients of float captures">];
  let dependentDialects = [
    "::fa::FADialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"];
}

def FAPromoteToF64 : Pass<"fa-promote-to-f64", "::mlir::ModuleOp"> {
  let summary = "the same program with every float type replaced by f64: the reference for errors";
  let description = [{
    Replaces every float type of at most 64 bits by f64, in types, constants and attributes (function signatures
    too), and drops the conversions between float types that this leaves without effect. With `--fa-decompose`
    it gives the float64 result that errors are measured against.

    Refuses `arith.bitcast` from or to floats. Leaves alone: integers, tf32-like attributes. Numerics: changes
    rounding, that is its purpose; constants keep the value that they had in their narrow type.
  }];
}

def FAFuseSoftmax : Pass<"fa-fuse-softmax"> {
  let summary = "fa.attention to a streaming softmax: fa.online_attention and fa.finalize";
  let description = [{
    Matches every `fa.attention`, on tensors or memrefs, and rewrites it into `fa.online_attention` over all keys, started
    from the empty state (acc = 0, row_max = -inf, row_sum = 0), and `fa.finalize`. Memrefs are read through
    `bufferization.to_tensor` and written by `bufferization.materialize_in_destination`. Every operand, attribute and
    region is carried over; sinks move to `fa.finalize`.

    Leaves alone: everything else. Numerics: P is cast to value's type before it is divided by the row sum, not after;
    the rest only changes the order of rounding. `raw_max` (maximum before scaling, one multiply-add per score) is chosen
    where the score is plain, softmax is in f32, and the scale is a constant between 1e-30 and ln 2 (1/sqrt(head_dim) is,
    from head_dim 3 on): positive, so that the order of scores is kept, and never overflowing a finite score.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::bufferization::BufferizationDialect"];
}

def FAFoldMasks : Pass<"fa-fold-masks"> {
  let summary = "mask regions that say causal or window to these attributes";
  let description = [{
    Matches the mask region of every attention op. Of a conjunction (`arith.andi`, or `arith.select` with false) it takes the comparisons
    that are key - query <= c or query - key <= c with a constant c >= 0, also as |query - key| <= c, and narrows
    `causal`, `window_left` and `window_right` by them; what is left of the region stays. Schedules and tiles are then
    those of the attribute.

    Leaves alone: regions of ops whose positions are shifted (`offset`, bases, a bottom-right alignment that is in use);
    arithmetic in less than 64 bits, which may wrap; a strict diagonal (c < 0), prefixes, documents and the like, of
    which `--fa-tile` derives which tiles are visible. Numerics: none, the same pairs are hidden.
  }];
  let dependentDialects = ["::fa::FADialect", "::mlir::arith::ArithDialect"];
}

def FATile : Pass<"fa-tile"> {
  let summary = "fa.online_attention and fa.finalize to a tile program";
  let description = [{
    Matches each `fa.finalize` of an `fa.online_attention` that starts from the empty state (what `--fa-fuse-softmax` makes)
    and rewrites the pair into loops over statically shaped tiles, which `fa.load_tile` and `fa.store_tile` move. Tiles
    keep the two ops, on tile tensors, with absolute positions as operands; `--fa-lower-tiles` makes them `linalg`.

    `order = q_outer` (FlashAttention-2): `scf.forall` over (batch, kv head, group, query tile); inside, a query tile
    stays and `scf.for` streams key tiles, carrying acc, row_max and row_sum. `order = kv_outer` (FlashAttention,
    algorithm 1): `scf.forall` over (batch, kv head, group); inside, a key and value tile stay and query tiles stream, the
    state of every query tile living in memory, loaded and stored each time; it starts and ends in one pass each.

    Inner tiles are of three kinds. *Empty*: causal, window or lengths hide all of it; it is never visited. *Full*: none
    of them hides anything of it; its loop has none of these attributes. *Partial*: the rest, at most one loop before
    (window) and one after (causal, window, lengths, the remainder) the full ones. Which is which is exact
    integer arithmetic, done once per outer tile. A mask region takes part as far as intervals tell: comparisons of integers
    with one occurrence of the inner position, under +, -, * and / by constants, min, max and abs, combined by and, or,
    not and select; captures that are one scalar per sequence are known when the kernel runs. Outside of where the region
    may hold tiles are empty; where it surely holds, they do not apply it; a part of it that is not understood may hold anywhere and surely
    holds nowhere, and a region without any known part is applied in all visited tiles, as a mask operand is. Rows past the end of the queries never make a tile partial. Packed sequences (query_offsets) give each sequence
    as many query tiles as the whole batch would need; those past its end do nothing.

    Elements moved per query head, without masks, for Nq rows, Nk keys, head dimensions d and e, Tq query tiles and Tk key
    tiles (an lse adds Nq):
    - q_outer: `Nq*d + Tq*Nk*(d + e)` read, `Nq*e` written;
    - kv_outer: `Nk*(d + e) + Tk*Nq*(d + e + 2)` read and `(Tk + 1)*Nq*(e + 2)` written as in algorithm 1, and
      `Nq*(e + 2)` read and `Nq*e` written by the last pass, since acc is not normalised before.

    Head dimensions must be static; tiles are padded to a multiple of 16 with zeros, which changes no result.
    `partial-sums` above 1 needs q_outer. An attribute `fa.schedule = #fa.schedule<...>` on the op overrides the options;
    the forall carries the schedule under the same name, and the op's other discardable attributes; `fa.mapping`, an array
    with one attribute per loop, becomes the forall's `mapping`.

    Operands on tensors are read through `bufferization.to_buffer`; results that
    `bufferization.materialize_in_destination` writes to memory are stored there straight away, others to a new buffer.

    Leaves alone: everything else. An online attention that it cannot tile is an error. Numerics: the recurrence over
    tiles; the order of keys is ascending.
  }];
  let options = [
    Option<"preset", "preset", "std::string", "\"\"", "fa1 (kv_outer) or fa2 (q_outer); other options still apply">,
    Option<"order", "order", "std::string", "\"\"", "q_outer (default) or kv_outer">,
    Option<"queryTile", "query-tile", "int64_t", "64", "query rows of a tile">,
    Option<"keyTile", "key-tile", "int64_t", "64", "keys of a tile">,
    Option<"partialSums", "partial-sums", "int64_t", "1", "partial row sums carried per row">];
  let dependentDialects = [
    "::fa::FADialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::bufferization::BufferizationDialect"];
}

def FATileBackward : Pass<"fa-tile-backward"> {
  let summary = "fa.attention_backward to a tile program";
  let description = [{
    Matches every `fa.attention_backward`, on memrefs or tensors, and rewrites it into loops over statically shaped tiles.
    Probabilities are computed again from query, key and lse, tile by tile (`fa.online_attention_backward` on tiles);
    nothing of N x N elements is in memory, except where a bias that large has a gradient.

    1. `delta = rowsum(out * d_out) - d_lse`, one loop over rows; gradients of sinks from it.
    2. Gradients over pairs of positions. Each is a sum over the dimensions of (b, h, g, m, n) that it does not
       have. A block (`scf.forall`) that keeps a subset of its dimensions has all of its sum: sums of d_key and d_value
       (or of d_query) are carried by the loops inside, others are added to memory by `fa.accumulate`, `owned` where
       that is so, else `atomic`. `d-query` decides which blocks there are, see `#fa.backward_schedule`.
    3. Sums in memory are scaled and rounded to the outputs.

    Empty, full and partial tiles are as in `--fa-tile`; here rows past the end make a tile partial, since sums go over
    rows. An attribute `fa.backward_schedule` on the op overrides the options; `deterministic` on the op turns `atomic`
    into `recompute`. Loops carry the op's other discardable attributes and the schedule, and are mapped to blocks,
    so that one of a single iteration stays a loop.

    A score region that has no derivative, and dynamic head dimensions, are errors. Leaves alone: everything else.
    Numerics: those of `fa.attention_backward`.
  }];
  let options = [
    Option<"queryTile", "query-tile", "int64_t", "64", "query rows of a tile">,
    Option<"keyTile", "key-tile", "int64_t", "64", "keys of a tile">,
    Option<"dQuery", "d-query", "std::string", "\"owned\"", "owned, recompute or atomic">];
  let dependentDialects = [
    "::fa::FADialect", "::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::bufferization::BufferizationDialect"];
}

def FALowerTiles : Pass<"fa-lower-tiles"> {
  let summary = "fa ops on tiles to linalg on tiles";
  let description = [{
    Matches `fa.online_attention`, `fa.merge` and `fa.finalize` on tensors of static shape and rewrites each into
    `linalg.contract`, `linalg.generic` and `linalg.reduce` on tile tensors, score and mask regions inlined. A value tile that
    `fa.load_tile` loads is 0 past its limit, so nothing is selected there; nothing at all stands between a tile's load and
    its contraction. Reads of a whole capture become `memref.load`.

    Leaves alone: everything else. Numerics: those of `--fa-decompose`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::bufferization::BufferizationDialect"];
}

def FALowerTileMemory : Pass<"fa-lower-tile-memory"> {
  let summary = "fa.load_tile, fa.store_tile and fa.accumulate to copies and sums between memrefs";
  let description = [{
    Matches `fa.load_tile`, `fa.store_tile` and `fa.accumulate`. A load becomes a new buffer, filled with zeros if the tile reaches past the
    source (or its limit), and a `linalg.copy` of the part inside; the buffer is a tensor by `bufferization.to_tensor`.
    A store becomes the copy of the part inside; `fa.accumulate` of any mode its addition, which needs blocks that run one after
    another.

    Leaves alone: everything else. Numerics: exact.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::bufferization::BufferizationDialect"];
}

def FACountIO : Pass<"fa-count-io", "::mlir::func::FuncOp"> {
  let summary = "replace the work of a program by counts of the elements that it moves";
  let description = [{
    Every function gets a last argument `memref<3xi64>`, in which it counts: elements loaded, elements stored, elements
    allocated. `fa.load_tile`, `fa.store_tile` and `fa.accumulate` (both) count what lies inside memory; `linalg` ops on memrefs count the operands
    that they read and the outputs that they write; `memref.alloc` outside of `scf.forall` counts its size. What
    is counted is erased, and the arithmetic on tiles becomes dead (`--canonicalize`): what stays is the program's own loop nest, which
    runs in no time for any length. `bench/io` compares it with the papers' formulas.

    For functions on memrefs, after `--fa-tile` or after bufferization. Single scalars (`memref.load`) are not counted.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"];
}

def FACheckLowered : Pass<"fa-check-lowered"> {
  let summary = "an op of the fa dialect that is left is an error at that op";
  let description = [{
    Matches every op of the `fa` dialect and reports it with the target that cannot lower it and the stage after which it
    is still there. With `stage=tile` the ops of a tile program, which are on tensors, may still be there. The
    pipelines end with this pass and have it after their tiling: what a target has no lowering for is refused by name,
    whatever it is.

    Leaves alone: everything. Numerics: none.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "what to name in the error">,
    Option<"stage", "stage", "std::string", "\"\"", "what to name in the error; tile: only ops on memrefs">];
}

#endif // FA_TRANSFORMS_PASSES_TD
