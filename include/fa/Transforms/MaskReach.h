//===- MaskReach.h - where a mask region may hold, and surely does --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_MASKREACH_H
#define FA_TRANSFORMS_MASKREACH_H

#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Transforms/TileRanges.h"

namespace fa {

/// Positions [begin, end) along one axis, absolute. Null: from 0, or without
/// end.
struct Span {
  mlir::Value begin, end;
};

/// Of a condition on positions, for one tile of the other axis: outside of
/// `may` it holds for no pair; inside of `must` it holds for every pair. No
/// `must`: nothing is known, whatever the tile.
struct Reach {
  Span may;
  std::optional<Span> must;
};

/// What does not change while tiles stream along `streamed` (query or key).
struct MaskTile {
  Axis streamed;
  /// Positions of the other axis, both in the tile.
  mlir::Value first, last;
  mlir::Value batch, head;
  /// Where positions along the streamed axis are.
  mlir::Value streamedBegin, streamedEnd;
  /// All positions are of rows and keys in memory, counted from 0.
  bool isInMemory;
  /// The scalar that capture i is in the whole tile, null where it is none.
  llvm::function_ref<mlir::Value(unsigned)> capture;
};

/// Analyses a mask region by intervals. Conditions may be combined by and, or,
/// not and select; comparisons may be of integers with one occurrence of the
/// streamed axis, under +, -, * and / by constants, min, max and abs. All
/// else may hold anywhere.
Reach reachOfMask(IndexBuilder &index, mlir::OpBuilder &b,
                  AttentionOpInterface op, const MaskTile &tile);

/// The part of `range` that `reach` leaves: tiles outside of `may` are empty,
/// those outside of `must` not full. `base` is the absolute position of local
/// position 0 or null.
TileRange restrictTo(IndexBuilder &index, const TileRange &range,
                     const Reach &reach, mlir::Value base, int64_t tile);

/// Static bounds of the integers of a mask region, if positions are in
/// [0, limit) and captures in (-limit, limit).
class ScalarBounds {
public:
  explicit ScalarBounds(mlir::Region &region);

  struct Interval {
    int64_t low, high;
  };
  /// Nothing where the value may not fit in its type or is of an op that is not
  /// known.
  std::optional<Interval> of(mlir::Value v) const;
  /// Whether a value of this type may exceed the limit.
  bool mayExceed(mlir::Type type) const;

  int64_t limit;
  /// Whether something is computed in less than 64 bits.
  bool isNarrow;

private:
  std::optional<Interval> ofLeaf(mlir::Value v) const;

  mutable llvm::DenseMap<mlir::Value, std::optional<Interval>> memory;
};

} // namespace fa

#endif // FA_TRANSFORMS_MASKREACH_H
