//===- TileBuilder.h - the tile program of one attention ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_TILEBUILDER_H
#define FA_TRANSFORMS_TILEBUILDER_H

#include "fa/Transforms/DomainBuilder.h"
#include "fa/Transforms/TileRanges.h"

namespace fa {

/// Builds tiles of an online attention over all keys and of its finalize: the
/// pieces that every loop order is made of. Positions are local unless named
/// absolute.
class TileBuilder {
public:
  /// What a sequence (one batch, one head) fixes for all of its tiles.
  struct Sequence {
    mlir::Value b, h, g;
    /// Where its rows start in query, key, value and the outputs.
    mlir::Value rowStart, keyStart;
    /// Rows that belong to it in memory.
    mlir::Value rowCount;
    Visibility visibility;
    /// Null: 0.
    mlir::Value offset;
  };
  struct State {
    mlir::Value acc, rowMax, rowSum;
    llvm::SmallVector<mlir::Value> values() const {
      return {acc, rowMax, rowSum};
    }
  };
  /// Memory of the state of all rows, between key tiles.
  using StateMemory = std::array<Mapped, 3>;

  TileBuilder(mlir::OpBuilder &b, OnlineAttentionOp online, FinalizeOp finalize,
              ScheduleAttr schedule);

  /// Creates what all tiles share, before the loops. `outputs`: memory for out
  /// and lse (null: not stored).
  void prepare(mlir::ArrayRef<mlir::Value> outputs);

  /// The extents of b, h and g.
  llvm::SmallVector<mlir::OpFoldResult> headExtents();
  /// How many query tiles the longest possible sequence has.
  mlir::OpFoldResult queryTileCount();
  bool isPacked() { return self.isPacked(); }

  Sequence enterSequence(mlir::Value b, mlir::Value h, mlir::Value g);

  mlir::Value loadQuery(const Sequence &sequence, mlir::Value row);
  mlir::Value loadKey(const Sequence &sequence, mlir::Value key);
  mlir::Value loadValue(const Sequence &sequence, mlir::Value key, bool isFull);

  State emptyState();
  /// Tiles of bias, mask, slopes and captures that do not move with `streamed`
  /// (M or N), for `step`: they are loaded outside of its loop.
  llvm::SmallVector<Mapped> loadFixed(const Sequence &sequence, mlir::Value row,
                                      mlir::Value key, Dim streamed);
  /// One fa.online_attention on tiles. What `fixed` lacks is loaded here.
  State step(const Sequence &sequence, const State &state, mlir::Value query,
             mlir::Value keyTile, mlir::Value valueTile,
             llvm::ArrayRef<Mapped> fixed, mlir::Value row, mlir::Value key,
             bool isFull);
  /// Finalizes a tile of rows and stores its outputs.
  void finish(const Sequence &sequence, State state, mlir::Value row);

  StateMemory allocateState();
  State loadState(const Sequence &sequence, const StateMemory &memory,
                  mlir::Value row);
  void storeState(const Sequence &sequence, const StateMemory &memory,
                  const State &state, mlir::Value row);

  /// scf.for over [begin, end) in steps of a tile; nothing where both are the
  /// same value. The body gets the position and the carried values.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value begin, mlir::Value end, int64_t step,
       mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                         mlir::ValueRange)>
           body);

  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexBuilder index;
  int64_t queryTile, keyTile, partialSums;

private:
  using Offsets = std::array<mlir::Value, NumDims>;

  void prepareExtents();
  Mapped inMemory(mlir::OpOperand &operand);
  /// Bias, mask, slopes and captures.
  llvm::SmallVector<Mapped> scoreOperands();
  mlir::Value memoryOf(mlir::Value v);
  Offsets localOffsets(const Sequence &sequence, mlir::Value row,
                       mlir::Value key);
  /// The same where rows and keys of all sequences are stored.
  Offsets packedOffsets(const Sequence &sequence, mlir::Value row,
                        mlir::Value key);
  int64_t tileExtent(Dim dim);
  llvm::SmallVector<mlir::Value> offsetsIn(const Mapped &memory,
                                           const Offsets &offsets);
  Mapped loadTile(const Mapped &memory, const Offsets &offsets,
                  mlir::ArrayRef<Dim> order, mlir::Value limit = {});
  void storeTile(mlir::Value tile, const Mapped &memory, const Offsets &offsets,
                 mlir::ArrayRef<Dim> order, mlir::Value limit = {});
  mlir::Value rowLimit(const Sequence &sequence);

  std::pair<mlir::Value, mlir::Value> packedRange(mlir::Value offsets,
                                                  mlir::Value sequence);
  mlir::Value lengthOf(mlir::Value lengths, mlir::Value b);
  mlir::Value absoluteEnd(mlir::Value base, mlir::Value limit,
                          mlir::Value lengths, mlir::Value count,
                          mlir::Value b);
  mlir::Value localEnd(mlir::Value absoluteEnd, mlir::Value base,
                       mlir::Value count);
  mlir::Value filledTile(llvm::ArrayRef<int64_t> shape, double value);
  mlir::Value keepRows(mlir::Value tile, mlir::Value rowsLeft, double other);
  void addPositions(OnlineAttentionOp tile, const Sequence &sequence,
                    mlir::Value row, mlir::Value key, bool isFull);

  OnlineAttentionOp online;
  FinalizeOp finalize;
  AttentionOpInterface self;
  Offsets extents;
  std::optional<int64_t> left, right;
  bool keysMayEndEarly, rowsMayEndEarly;
  int64_t paddedD = 0, paddedE = 0;
  mlir::Value scale;
  Mapped query, key, value, bias, mask, alibi, sinks, out, lse;
  llvm::SmallVector<Mapped> captures;
  mlir::Value queryLengths, keyLengths, queryOffsets, keyOffsets;
};

} // namespace fa

#endif // FA_TRANSFORMS_TILEBUILDER_H
