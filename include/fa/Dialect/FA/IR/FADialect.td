//===- FADialect.td - the fa dialect and its attributes ----*- tablegen -*-===//

#ifndef FA_DIALECT_FA_IR_FADIALECT_TD
#define FA_DIALECT_FA_IR_FADIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def FA_Dialect : Dialect {
  let name = "fa";
  let cppNamespace = "::fa";
  let summary = "Attention, from its meaning down to tiles";
  let description = [{
    Three levels live here. `fa.attention` says *what* is computed. `fa.online_attention`, `fa.merge` and
    `fa.finalize` say that the softmax is a streaming recurrence (Milakov and Gimelshein, "Online normalizer
    calculation for softmax", 2018; Dao et al., "FlashAttention", 2022). `fa.load_tile` and `fa.store_tile` move
    one tile between memory and a tile program. All arithmetic below that is upstream `linalg` and `arith`.

    ### The iteration domain

    Every op of the first two levels works over one fixed domain of seven dimensions, always in this order:

    | dim | letter | meaning |
    |---|---|---|
    | d0 | b | batch |
    | d1 | h | key/value head |
    | d2 | g | query head within the group that shares a key/value head (grouped-query attention) |
    | d3 | m | query position |
    | d4 | n | key position |
    | d5 | d | head dimension of query and key |
    | d6 | e | head dimension of value and output |

    Indexing maps lead from this domain to each operand, as in `linalg`. They are projected permutations, so a
    layout (BHSD, BSHD, transposed keys ...) is a map, never a copy. A dimension that no map mentions has extent 1.
    Query head `h*G + g` shares key/value head `h`, where `G` is the extent of `g`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::bufferization::BufferizationDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
}

class FA_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<FA_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def FA_Alignment : I32Enum<"Alignment", "where the diagonal of a causal or window mask starts", [
    I32EnumCase<"TopLeft", 0, "top_left">,
    I32EnumCase<"BottomRight", 1, "bottom_right">]> {
  let cppNamespace = "::fa";
}
def FA_AlignmentAttr : EnumAttr<FA_Dialect, FA_Alignment, "alignment"> {
  let assemblyFormat = "`<` $value `>`";
}

def FA_Axis : I32Enum<"Axis", "a position that fa.index reads", [
    I32EnumCase<"Batch", 0, "b">, I32EnumCase<"Head", 1, "h">,
    I32EnumCase<"Query", 2, "q">, I32EnumCase<"Key", 3, "k">]> {
  let cppNamespace = "::fa";
}
def FA_AxisAttr : EnumAttr<FA_Dialect, FA_Axis, "axis">;

def FA_AccumulateMode : I32Enum<"AccumulateMode", "who else adds to the same memory, and in which order", [
    I32EnumCase<"Owned", 0, "owned">, I32EnumCase<"Ordered", 1, "ordered">,
    I32EnumCase<"Atomic", 2, "atomic">]> {
  let cppNamespace = "::fa";
}
def FA_AccumulateModeAttr : EnumAttr<FA_Dialect, FA_AccumulateMode, "accumulate_mode">;

def FA_LoopOrder : I32Enum<"LoopOrder", "which loop of the tile program is outermost", [
    I32EnumCase<"QueryOuter", 0, "q_outer">,
    I32EnumCase<"KeyOuter", 1, "kv_outer">]> {
  let cppNamespace = "::fa";
}
def FA_LoopOrderAttr : EnumAttr<FA_Dialect, FA_LoopOrder, "loop_order">;

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def FA_ScheduleAttr : FA_Attr<"Schedule", "schedule"> {
  let summary = "Tile sizes and loop order of a tile program";
  let description = [{
    What `--fa-tile` decides, as data. `query_tile` and `key_tile` are rows of query and of key per tile.
    `partial_sums` (P) is how many partial row sums are carried per row: key column `c` of a tile adds to partial
    sum `(c / 2) mod P`, which with P = 4 is the order of a tensor core's accumulator fragment, so that a GPU thread
    never exchanges a sum inside the loop; 1 elsewhere.

    `order`: `q_outer` keeps one query tile and streams keys (FlashAttention-2, Dao 2023); `kv_outer` keeps one
    key/value tile and streams queries, with the running state in memory (FlashAttention, Dao et al. 2022,
    algorithm 1).

    Example:
    ```mlir
    #fa.schedule<order = q_outer, query_tile = 64, key_tile = 64, partial_sums = 1>
    ```
  }];
  let parameters = (ins
    EnumParameter<FA_LoopOrder>:$order,
    "int64_t":$query_tile, "int64_t":$key_tile, "int64_t":$partial_sums);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def FA_QueryGradient : I32Enum<"QueryGradient", "how a backward tile program sums gradients of queries over keys", [
    I32EnumCase<"Owned", 0, "owned">, I32EnumCase<"Recompute", 1, "recompute">,
    I32EnumCase<"Atomic", 2, "atomic">]> {
  let cppNamespace = "::fa";
}

def FA_BackwardScheduleAttr : FA_Attr<"BackwardSchedule", "backward_schedule"> {
  let summary = "Tile sizes and kernels of a backward tile program";
  let description = [{
    What `--fa-tile-backward` decides, as data. A block that keeps a key tile has all that d_key and d_value of it
    sum, but only a part of each d_query; `d_query` says what becomes of that part.

    | `d_query` | blocks | products per pair of tiles | order of additions |
    |---|---|---|---|
    | `owned` | one per sequence and key head; key tiles one after another, d_query in memory | 5 | fixed |
    | `recompute` | one per key tile, then one per query tile that computes the scores again | 7 | fixed |
    | `atomic` | one per key tile; d_query is added to memory by atomic additions | 5 | left to chance |

    Gradients of biases and captures are computed in a block that has all of their sum, if there is one among these; else in
    blocks of their own (`recompute`), by fewer and larger blocks (`owned`) or by atomic additions (`atomic`). One that has neither
    rows nor keys is added up per row first, unless a block has all of it. Captures taken whole: `fa.accumulate_at`.

    Example:
    ```mlir
    #fa.backward_schedule<query_tile = 64, key_tile = 64, d_query = recompute>
    ```
  }];
  let parameters = (ins "int64_t":$query_tile, "int64_t":$key_tile, EnumParameter<FA_QueryGradient>:$d_query);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // FA_DIALECT_FA_IR_FADIALECT_TD
