//===- TileProgram.h - what every tile program is made of -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_TILEPROGRAM_H
#define FA_TRANSFORMS_TILEPROGRAM_H

#include "fa/Transforms/DomainBuilder.h"
#include "fa/Transforms/TileRanges.h"

namespace fa {

/// Tiles of the operands of one op over scores, by sequence and position: what
/// forward and backward tile programs share. Positions are local unless named
/// absolute.
class TileProgram {
public:
  /// What a sequence (one batch, one head) fixes for all of its tiles.
  struct Sequence {
    mlir::Value b, h, g;
    /// Where its rows start in query, key, value and the outputs.
    mlir::Value rowStart, keyStart;
    /// Rows and keys that belong to it in memory.
    mlir::Value rowCount, keyCount;
    Visibility visibility;
    /// Null: 0.
    mlir::Value offset;
  };

  TileProgram(mlir::OpBuilder &b, AttentionOpInterface self, int64_t queryTile,
              int64_t keyTile);

  /// The extents of b, h and g.
  llvm::SmallVector<mlir::OpFoldResult> headExtents();
  /// How many tiles the longest possible sequence has.
  mlir::OpFoldResult queryTileCount();
  mlir::OpFoldResult keyTileCount();
  bool isPacked() { return self.isPacked(); }

  Sequence enterSequence(mlir::Value b, mlir::Value h, mlir::Value g);

  /// scf.for over [begin, end) in steps of a tile; nothing where both are the
  /// same value. The body gets the position and the carried values.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value begin, mlir::Value end, int64_t step,
       mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                         mlir::ValueRange)>
           body);

  /// The tiles of keys that the rows at `row` see, and of rows that see the
  /// keys at `key`: by position, and by what is known of the mask region.
  TileRange keysSeen(const Sequence &sequence, mlir::Value row);
  TileRange rowsSeen(const Sequence &sequence, mlir::Value key);

  /// Tiles of bias, mask, slopes and captures that do not move with `streamed`
  /// (M or N), for `loadMissing`: they are loaded outside of its loop.
  llvm::SmallVector<Mapped> loadFixed(const Sequence &sequence, mlir::Value row,
                                      mlir::Value key, Dim streamed);

  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexBuilder index;
  int64_t queryTile, keyTile;

protected:
  using Offsets = std::array<mlir::Value, NumDims>;

  /// Where the operands that all ops over scores have are in memory. To be
  /// called before the loops.
  void prepareOperands();
  /// Sizes come from memory: a tile program has no tensors but tiles.
  void prepareExtents(llvm::ArrayRef<Mapped> others);
  Mapped inMemory(mlir::OpOperand &operand);
  Mapped inMemory(mlir::MutableOperandRange optional);
  mlir::Value memoryOf(mlir::Value v);
  /// Bias, mask, slopes and captures.
  llvm::SmallVector<Mapped> scoreOperands();
  /// Completes `fixed` with tiles at a position.
  llvm::SmallVector<Mapped> loadMissing(const Sequence &sequence,
                                        llvm::ArrayRef<Mapped> fixed,
                                        mlir::Value row, mlir::Value key,
                                        bool isFull);

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
  /// Rows past it belong to the next packed sequence; null where there is none.
  mlir::Value rowLimit(const Sequence &sequence);

  /// Absolute positions for an op on tiles, as far as something in the tile
  /// asks for them; null otherwise.
  struct Positions {
    mlir::Value queryBase, keyBase, batchBase, headBase, queryLimit, keyLimit,
        offset;
  };
  /// `limitsRows`: rows past the end must be hidden, too.
  Positions positionsOf(const Sequence &sequence, mlir::Value row,
                        mlir::Value key, bool isFull, bool limitsRows);

  /// Whether a tile applies the mask region. Full ones do if nothing is known
  /// of it; to be asked after `keysSeen` or `rowsSeen`.
  bool appliesMask(bool isFull) { return !isFull || !fullHidesNothing; }

  mlir::Value filledTile(llvm::ArrayRef<int64_t> shape, double value);
  /// `tile` with `other` in all rows at or past `rowsLeft`.
  mlir::Value keepRows(mlir::Value tile, mlir::Value rowsLeft, double other);

  AttentionOpInterface self;
  /// Which dimension of a tile of scores comes first.
  std::array<Dim, 2> scoreOrder = {M, N};
  Offsets extents;
  std::optional<int64_t> left, right;
  bool keysMayEndEarly, rowsMayEndEarly;
  int64_t paddedD = 0, paddedE = 0;
  mlir::Value scale;
  Mapped query, key, value, bias, mask, alibi;
  llvm::SmallVector<Mapped> captures;
  mlir::Value queryLengths, keyLengths, queryOffsets, keyOffsets;

private:
  TileRange restrictByMask(const TileRange &range, const Sequence &sequence,
                           Axis streamed, mlir::Value at);
  /// A capture that is one scalar for the whole sequence, or null.
  mlir::Value scalarCapture(const Sequence &sequence, unsigned i);
  mlir::Value headOf(const Sequence &sequence);

  bool fullHidesNothing = false;
  std::pair<mlir::Value, mlir::Value>
  packedRange(mlir::Value offsets, mlir::Value sequence, mlir::Value rows);
  mlir::Value absoluteEnd(mlir::Value base, mlir::Value limit,
                          mlir::Value lengths, mlir::Value count,
                          mlir::Value b);
  mlir::Value localEnd(mlir::Value absoluteEnd, mlir::Value base,
                       mlir::Value count);
};

} // namespace fa

#endif // FA_TRANSFORMS_TILEPROGRAM_H
