//===- TileRanges.cpp - which tiles are empty, full or partial ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// Every bound is clamped to >= 0 before it is divided, so that an unsigned
// division (a shift, for most tile sizes) is the floor.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/TileRanges.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fa;

Value IndexBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}
Value IndexBuilder::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}
Value IndexBuilder::add(Value x, int64_t y) {
  return y == 0 ? x : add(x, constant(y));
}
Value IndexBuilder::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(loc, x, y);
}
Value IndexBuilder::mul(Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(loc, x, y);
}
Value IndexBuilder::mul(Value x, int64_t y) { return mul(x, constant(y)); }
Value IndexBuilder::min(Value x, Value y) {
  return x == y ? x : b.createOrFold<arith::MinSIOp>(loc, x, y);
}
Value IndexBuilder::max(Value x, Value y) {
  return x == y ? x : b.createOrFold<arith::MaxSIOp>(loc, x, y);
}
Value IndexBuilder::clampToZero(Value x) { return max(x, constant(0)); }
Value IndexBuilder::ceilDiv(Value x, int64_t divisor) {
  return b.createOrFold<arith::DivUIOp>(loc, add(x, divisor - 1),
                                        constant(divisor));
}
Value IndexBuilder::roundDown(Value x, int64_t multiple) {
  if (isMultipleOf(x, multiple))
    return x;
  return mul(b.createOrFold<arith::DivUIOp>(loc, x, constant(multiple)),
             multiple);
}
Value IndexBuilder::roundUp(Value x, int64_t multiple) {
  return isMultipleOf(x, multiple) ? x : mul(ceilDiv(x, multiple), multiple);
}
Value IndexBuilder::select(arith::CmpIPredicate predicate, Value x, Value y,
                           Value ifTrue, Value ifFalse) {
  Value condition = b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
  return b.createOrFold<arith::SelectOp>(loc, condition, ifTrue, ifFalse);
}
bool IndexBuilder::isMultipleOf(Value x, int64_t divisor) {
  std::optional<int64_t> constant = getConstantIntValue(x);
  return constant && *constant % divisor == 0;
}

/// Orders the four bounds: the full range inside the visible one.
static TileRange ordered(IndexBuilder &index, Value begin, Value fullBegin,
                         Value fullEnd, Value end) {
  if (fullEnd != end)
    fullEnd = index.min(index.max(fullEnd, begin), end);
  if (fullBegin != begin)
    fullBegin = index.min(fullBegin, fullEnd);
  return {begin, fullBegin, fullEnd, end, /*lastIsSingle=*/false};
}

TileRange fa::visibleKeys(IndexBuilder &index, const Visibility &v, Value row,
                          int64_t queryTile, int64_t keyTile) {
  // Rows past the end are computed but stored nowhere: they bound nothing.
  Value tileEnd = index.add(row, queryTile), rowEnd = tileEnd;
  bool hasRemainder = !index.isMultipleOf(v.rowsEnd, queryTile);
  if (hasRemainder)
    rowEnd = index.min(rowEnd, v.rowsEnd);

  Value last = v.keysEnd, lastFull = v.keysEnd;
  if (v.right) {
    // Of the last row, and of the first.
    last = index.min(last, index.add(index.add(rowEnd, v.diagonal), *v.right));
    lastFull = index.min(lastFull,
                         index.add(index.add(row, v.diagonal), *v.right + 1));
  }
  Value end = index.roundUp(index.clampToZero(last), keyTile);
  Value fullEnd = index.roundDown(index.clampToZero(lastFull), keyTile);
  Value begin = index.constant(0), fullBegin = begin;
  if (v.left) {
    Value first =
        index.sub(index.add(row, v.diagonal), index.constant(*v.left));
    Value firstFull =
        index.sub(index.add(rowEnd, v.diagonal), index.constant(*v.left + 1));
    begin = index.roundDown(index.clampToZero(first), keyTile);
    fullBegin = index.roundUp(index.clampToZero(firstFull), keyTile);
    // Behind the last row, the last row's reach is before this tile's.
    if (v.hidesRows && hasRemainder)
      fullBegin = index.max(fullBegin, begin);
  }
  // No row of the tile is in the sequence: visit nothing.
  if (v.rowsMayEndEarly)
    end = index.select(arith::CmpIPredicate::sge, row, v.rowsEnd, begin, end);
  // Behind the reach of the last key nothing is visible. The part after the
  // full tiles stays: it hides what a kernel visits anyway.
  if (!v.right && !v.left && index.isMultipleOf(v.keysEnd, keyTile))
    fullEnd = end;
  if (v.hidesRows && hasRemainder)
    fullEnd = index.select(arith::CmpIPredicate::sgt, tileEnd, v.rowsEnd, begin,
                           fullEnd);
  TileRange range = ordered(index, begin, fullBegin, fullEnd, end);
  // Only what the last key leaves of a tile.
  range.lastIsSingle = !v.right && !v.hidesRows;
  return range;
}

TileRange fa::visibleRows(IndexBuilder &index, const Visibility &v, Value key,
                          int64_t queryTile, int64_t keyTile) {
  Value keyEnd = index.add(key, keyTile);
  bool hasRemainder = !index.isMultipleOf(v.keysEnd, keyTile);
  Value lastKeyEnd = hasRemainder ? index.min(keyEnd, v.keysEnd) : keyEnd;

  Value begin = index.constant(0), fullBegin = begin;
  if (v.right) {
    Value first = index.add(index.sub(key, v.diagonal), -*v.right);
    Value firstFull = index.add(index.sub(keyEnd, v.diagonal), -*v.right - 1);
    begin = index.roundDown(index.clampToZero(first), queryTile);
    fullBegin = index.roundUp(index.clampToZero(firstFull), queryTile);
  }
  Value rowsEnd = index.roundUp(v.rowsEnd, queryTile);
  Value end = rowsEnd, fullEnd = rowsEnd;
  if (v.left) {
    Value last = index.add(index.sub(lastKeyEnd, v.diagonal), *v.left);
    end = index.min(index.roundUp(index.clampToZero(last), queryTile), end);
    Value lastFull =
        index.clampToZero(index.add(index.sub(key, v.diagonal), *v.left + 1));
    // Past the last row there is nothing to hide.
    fullEnd = index.select(arith::CmpIPredicate::sge, lastFull, v.rowsEnd,
                           rowsEnd, index.roundDown(lastFull, queryTile));
  }
  if (hasRemainder)
    fullEnd = index.select(arith::CmpIPredicate::sgt, keyEnd, v.keysEnd, begin,
                           fullEnd);
  if (v.hidesRows && !index.isMultipleOf(v.rowsEnd, queryTile))
    fullEnd = index.min(fullEnd, index.roundDown(v.rowsEnd, queryTile));
  if (v.keysMayEndEarly)
    end = index.select(arith::CmpIPredicate::sge, key, v.keysEnd, begin, end);
  return ordered(index, begin, fullBegin, fullEnd, end);
}
