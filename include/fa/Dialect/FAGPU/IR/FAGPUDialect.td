//===- FAGPUDialect.td - machine programs of NVIDIA GPUs ---*- tablegen -*-===//

#ifndef FA_DIALECT_FAGPU_IR_FAGPUDIALECT_TD
#define FA_DIALECT_FAGPU_IR_FAGPUDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def FAGPU_Dialect : Dialect {
  let name = "fagpu";
  let cppNamespace = "::fa::fagpu";
  let summary = "Machine programs: who computes, when, from which memory";
  let description = [{
    A tile program becomes a machine program in two steps. Every tile tensor gets a *layout* as its encoding, from the
    closed set below: which thread holds which element. Then tiles that tensor cores read from shared memory become
    `!fagpu.smem` handles with explicit asynchronous copies. What is left, `linalg` on tensors with layouts, is
    distributed over threads by `--fa-distribute`.

    ### Layouts
    A group of 128 threads (4 warps; lane = 4*g + t) owns a tile. Rows come in blocks of 64, and warp w owns rows
    16w..16w+15 of each block; within them a thread holds what `mma.sync.m16n8k16` (and `wgmma`) gives it.

    | encoding | tile | a thread holds |
    |---|---|---|
    | `#fagpu.acc` | 64R x 8C | rows g and g+8 of its 16, columns 2t and 2t+1 of each 8 |
    | `#fagpu.a_op` | 64R x 16C, 16-bit | the same elements, two columns packed in 32 bits |
    | `#fagpu.rows` | 64R | its 2R rows; the four lanes of a quad hold copies |
    | `#fagpu.cols` | 8C | its 2C columns; lanes of equal t, and all warps, hold copies |
    | `#fagpu.rows_partial` | 64R x 4 | of its 2R rows, partial result t |
    | `#fagpu.shared` | any, 16-bit | nothing: the tile is in shared memory |

    `#acc` to `#a_op` is a truncation and moves nothing between threads. No other change of layout exists.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class FAGPU_Layout<string name, string attrMnemonic, string text>
    : AttrDef<FAGPU_Dialect, name> {
  let mnemonic = attrMnemonic;
  let summary = text;
  let description = "See the dialect's table of layouts.";
}

def FAGPU_AccAttr : FAGPU_Layout<"Acc", "acc", "accumulator tile in registers">;
def FAGPU_AOpAttr : FAGPU_Layout<"AOp", "a_op", "packed 16-bit left operand of a matrix multiply, in registers">;
def FAGPU_RowsAttr : FAGPU_Layout<"Rows", "rows", "one value per row, in registers">;
def FAGPU_ColsAttr : FAGPU_Layout<"Cols", "cols", "one value per column, in registers">;
def FAGPU_RowsPartialAttr
    : FAGPU_Layout<"RowsPartial", "rows_partial", "four partial results per row, one per lane of a quad">;
def FAGPU_SharedAttr : FAGPU_Layout<"Shared", "shared", "tile that lives in shared memory">;

def FAGPU_SmemType : TypeDef<FAGPU_Dialect, "Smem"> {
  let mnemonic = "smem";
  let summary = "Tiles in shared memory";
  let description = [{
    `stages` tiles of `shape`, one after another. Rows are padded to an odd number of 16-byte chunks: eight
    consecutive rows of a chunk then lie in different banks (which is what `ldmatrix` reads at once), and every address is a
    thread's base plus a constant.

    Example: `!fagpu.smem<64x128xbf16, stages = 2>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int64_t":$stages);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getColumns() const { return getShape()[1]; }
    int64_t getElementBytes() const { return getElementType().getIntOrFloatBitWidth() / 8; }
    /// Bytes from one row to the next.
    int64_t getPitch() const;
    int64_t getStageBytes() const { return getPitch() * getRows(); }
    int64_t getBytes() const { return getStageBytes() * getStages(); }
  }];
}

#endif // FA_DIALECT_FAGPU_IR_FAGPUDIALECT_TD
