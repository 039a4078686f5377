//===- BackwardTiles.h - the tile program of the gradients ----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_BACKWARDTILES_H
#define FA_TRANSFORMS_BACKWARDTILES_H

#include "fa/Transforms/TileProgram.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fa {

/// Attributes of the op, beside its schedule: the sizes of tiles of rows and of
/// keys that pass by one that a block keeps, where they are others; and d_key
/// and d_value by blocks of their own, where a block cannot keep both sums.
constexpr llvm::StringLiteral kStreamedRowsName = "fa.streamed_rows";
constexpr llvm::StringLiteral kStreamedKeysName = "fa.streamed_keys";
constexpr llvm::StringLiteral kSplitName = "fa.split_keys";
/// Of the op and of its tiles: gradients of captures taken whole are added to
/// by many blocks.
constexpr llvm::StringLiteral kAtomicCapturesName = "fa.atomic_captures";

/// Attribute of the op: lse is copied when delta is computed, so that a target
/// can lay out both.
constexpr llvm::StringLiteral kCopyLseName = "fa.copy_lse";

/// Attribute of the op: what would be atomic additions to d_query happens in
/// the order of blocks.
constexpr llvm::StringLiteral kOrderedSumsName = "fa.ordered_sums";

/// What a backward op on tensors computes, as loops over tiles: delta, the
/// gradients over pairs of positions in one or more kernels, and what is left
/// to do with their sums.
class BackwardTiles : public TileProgram {
public:
  BackwardTiles(mlir::OpBuilder &b, AttentionBackwardOp op,
                BackwardScheduleAttr schedule);

  /// Builds everything; gradients go to `outputs`, memory for each.
  void build(mlir::ArrayRef<mlir::Value> outputs);

  /// The kernels, in order.
  llvm::SmallVector<mlir::scf::ForallOp> kernels;

private:
  static constexpr DimSet kHeads = dims(B, H, G);

  /// One gradient that is a sum over pairs of positions.
  struct Gradient {
    mlir::OpOperand *of;
    Mapped output;
    /// Memory of sums, of the compute type; maybe the output itself. Null until
    /// a kernel needs it.
    Mapped workspace;
    /// Of b, h, g, m, n: whose sums these are.
    DimSet dims;
    int64_t capture = -1;
    bool isWhole = false;
    /// Belongs to neither rows nor keys, and `workspace` has its sums per row.
    bool isPerRow = false;
  };
  enum Which : unsigned { DQuery, DKey, DValue, FirstOther };

  /// Blocks that keep `parallel` and go over all else.
  struct Kernel {
    DimSet parallel;
    llvm::SmallVector<unsigned> gradients;
    bool has(unsigned which) const {
      return llvm::is_contained(gradients, which);
    }
  };
  /// What is known inside of loops: b, h and g, the first row, the first key.
  using Place = std::array<mlir::Value, NumDims>;
  using Values = llvm::SmallVector<mlir::Value>;
  using TileBody = llvm::function_ref<void(const Place &)>;
  using CarryBody = llvm::function_ref<Values(const Place &, mlir::ValueRange)>;

  // Operands and plans.
  void prepare(mlir::ArrayRef<mlir::Value> outputs);
  llvm::SmallVector<Kernel> planKernels();
  llvm::SmallVector<Kernel> planOneKernel();
  llvm::SmallVector<Kernel> planAtomic();
  llvm::SmallVector<Kernel> planRecompute();
  void addOthers(llvm::SmallVector<Kernel> &kernels);
  DimSet keptDims(DimSet dims) const;
  DimSet wholeCaptureBlocks() const;
  bool isSplit(const Kernel &kernel) const;
  mlir::Value makeWorkspace(const Mapped &like, mlir::Type type);
  void ensureWorkspace(Gradient &gradient);
  void addRowWorkspace(Gradient &gradient);

  // Loops.
  mlir::scf::ForallOp forall(mlir::ArrayRef<mlir::OpFoldResult> bounds,
                             llvm::function_ref<void(mlir::ValueRange)> body);
  /// A forall over the tiles of memory.
  void forEachTile(const Mapped &memory, TileBody body);
  mlir::OpFoldResult tileCount(const Mapped &memory, Dim dim);
  Values forEachHead(DimSet over, Place place, mlir::ValueRange carried,
                     CarryBody body);
  void ifInside(const Sequence &sequence, const Place &place,
                llvm::function_ref<void()> body);
  Sequence enter(const Place &place);
  Offsets offsetsAt(const Place &place);

  // Work on rows.
  void computeDelta();
  void computeSinks(Mapped output);
  void fillZero(const Mapped &memory);
  void finish(const Gradient &gradient, mlir::Value factor);
  void finishWhole(const Gradient &gradient);
  /// The sum, over the rows of all heads that `output` does not tell apart, of
  /// one term per row: what `terms` makes of a place and of rows from a first
  /// one on, for as many copies as `columnCopies` says.
  using TermsOfRows = llvm::function_ref<mlir::Value(
      const Place &, const Sequence &, mlir::Value row, mlir::Value limit)>;
  void sumOverRows(const Mapped &output, TermsOfRows terms);
  using TermBody =
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>;
  mlir::Value copiedTerms(llvm::ArrayRef<mlir::Value> inputs, TermBody term);
  int64_t columnCopies() const;

  // Work on pairs.
  void buildKernel(const Kernel &kernel);
  /// A key tile stays, rows stream; a tile of rows stays, keys stream; both
  /// stay.
  void streamRows(const Kernel &kernel, DimSet inner, const Place &place);
  void streamKeys(const Kernel &kernel, DimSet inner, const Place &place);
  void onePair(const Kernel &kernel, const Place &place);
  struct Tiles {
    mlir::Value query, key, value, dOut, lse, delta;
    llvm::SmallVector<Mapped> fixed;
  };
  void loadRows(Tiles &tiles, const Sequence &sequence, mlir::Value row,
                bool isFull);
  void loadKeys(Tiles &tiles, const Sequence &sequence, mlir::Value key,
                bool isFull);
  /// One fa.online_attention_backward. `sums`: what d_query, d_key and d_value
  /// are added to. Other gradients of the kernel go to memory.
  Values step(const Kernel &kernel, const Sequence &sequence,
              const Tiles &tiles, std::array<mlir::Value, 3> sums,
              mlir::Value row, mlir::Value key, bool isFull);
  void addToMemory(const Kernel &kernel, const Sequence &sequence,
                   Gradient &gradient, mlir::Value tile, mlir::Value row,
                   mlir::Value key);
  Values
  stream(const TileRange &range, int64_t step, mlir::ValueRange carried,
         llvm::function_ref<Values(mlir::Value, mlir::ValueRange, bool)> body);
  void storeSum(mlir::Value sum, const Gradient &gradient, const Place &place,
                const Sequence &sequence, mlir::Value factor);
  mlir::Value scaledAndCast(mlir::Value tile, mlir::Type type,
                            mlir::Value factor);
  mlir::Value zeros(mlir::ArrayRef<Dim> order);
  mlir::SmallVector<Dim> tileOrder(const Gradient &gradient);
  /// Rows before it belong to the sequence and may be read; null: all.
  mlir::Value inputRowLimit(const Sequence &sequence, bool isFull);
  mlir::Value inputKeyLimit(const Sequence &sequence, bool isFull);
  mlir::Value keyLimit(const Sequence &sequence);

  AttentionBackwardOp op;
  BackwardScheduleAttr schedule;
  QueryGradient mode;
  mlir::Type type;
  DimSet rowDims;
  Mapped out, lse, dOut, dLse, delta, sinks;
  llvm::SmallVector<Gradient> gradients;
};

} // namespace fa

#endif // FA_TRANSFORMS_BACKWARDTILES_H
