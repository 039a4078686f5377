//===- TileRanges.h - which tiles are empty, full or partial --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_TILERANGES_H
#define FA_TRANSFORMS_TILERANGES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace fa {

/// arith on index that folds as it builds.
class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  /// x if x >= 0, else 0.
  mlir::Value clampToZero(mlir::Value x);
  /// For x >= 0 only; rounds up to a multiple.
  mlir::Value roundUp(mlir::Value x, int64_t multiple);
  mlir::Value roundDown(mlir::Value x, int64_t multiple);
  mlir::Value ceilDiv(mlir::Value x, int64_t divisor);
  mlir::Value select(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                     mlir::Value y, mlir::Value ifTrue, mlir::Value ifFalse);
  bool isMultipleOf(mlir::Value x, int64_t divisor);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// Which positions of one sequence may see each other, by position alone:
///   key < keysEnd, and row + diagonal - left <= key <= row + diagonal + right.
/// Positions are local: they count from the first row and key of the operands.
struct Visibility {
  mlir::Value rowsEnd, keysEnd; // >= 0
  mlir::Value diagonal;         // null where neither side is bounded
  std::optional<int64_t> left, right;
  /// There may be tiles of rows wholly past rowsEnd (a length says so).
  bool rowsMayEndEarly = false;
  /// The same of keys; only `visibleRows` asks.
  bool keysMayEndEarly = false;
  /// Rows past rowsEnd must be hidden: a tile that has some is not full. Else
  /// they may be computed like any other.
  bool hidesRows = false;
};

/// A range of tiles as positions, multiples of the tile size:
/// [begin, fullBegin) partial, [fullBegin, fullEnd) full, [fullEnd, end)
/// partial. Equal values where a part is empty whatever the sizes.
struct TileRange {
  mlir::Value begin, fullBegin, fullEnd, end;
  /// [fullEnd, end) is at most one tile.
  bool lastIsSingle = false;
};

/// On a loop of a tile program: it has at most one iteration.
constexpr llvm::StringLiteral kSingleName = "fa.single";

/// The tiles of keys that rows [row, row + queryTile) see.
TileRange visibleKeys(IndexBuilder &index, const Visibility &visibility,
                      mlir::Value row, int64_t queryTile, int64_t keyTile);
/// The tiles of rows that see keys [key, key + keyTile); key < keysEnd unless
/// keysMayEndEarly.
TileRange visibleRows(IndexBuilder &index, const Visibility &visibility,
                      mlir::Value key, int64_t queryTile, int64_t keyTile);

} // namespace fa

#endif // FA_TRANSFORMS_TILERANGES_H
