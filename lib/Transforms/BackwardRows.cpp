//===- BackwardRows.cpp - gradients: work on rows and on sums ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/AttentionProblem.h"
#include "fa/Transforms/BackwardTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fa;

/// The fewest rows of a tile that a target must have.
static constexpr int64_t kLeastRows = 64;

/// rowsum(d_out * out) - d_lse; 0 in empty rows. What lies past a length is
/// read as 0.
void BackwardTiles::computeDelta() {
  delta = {makeWorkspace(lse, type), lse.map};
  Mapped copy;
  if (op->hasAttr(kCopyLseName))
    copy = {makeWorkspace(lse, getElementTypeOrSelf(lse.value)), lse.map};
  forEachTile(lse, [&](const Place &place) {
    Offsets at = offsetsAt(place);
    Value limit;
    if (rowsMayEndEarly)
      limit = enter(place).visibility.rowsEnd;
    auto load = [&](const Mapped &memory, ArrayRef<Dim> order) {
      return loadTile(memory, at, order, limit).value;
    };
    SmallVector<Value> rowTiles = {load(lse, {M})};
    if (dLse.value)
      rowTiles.push_back(load(dLse, {M}));

    AffineMap identity = b.getMultiDimIdentityMap(2);
    AffineMap row = identity.dropResult(1);
    // Not all columns at once, where these are many: nothing else needs them.
    constexpr int64_t mostElements = 4096;
    int64_t columns = paddedE, all = paddedE;
    // Halves of 32 columns can be read 16 bytes at a time, by roles.
    int64_t unit = copy.value ? 64 : 32;
    while (columns * queryTile > mostElements && columns % unit == 0)
      columns /= 2;
    paddedE = columns;
    auto addColumns = [&](Value first, ValueRange sums) -> Values {
      at[E] = first;
      Value outTile = load(out, {M, E}), dOutTile = load(dOut, {M, E});
      auto add = linalg::GenericOp::create(
          b, loc, sums.getTypes(), ValueRange{outTile, dOutTile}, sums,
          ArrayRef<AffineMap>{identity, identity, row},
          ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                        utils::IteratorType::reduction},
          [&](OpBuilder &b, Location loc, ValueRange a) {
            Value term = arith::MulFOp::create(
                b, loc, castTo(b, loc, a[0], type), castTo(b, loc, a[1], type));
            Value sum = arith::AddFOp::create(b, loc, a[2], term);
            linalg::YieldOp::create(b, loc, sum);
          });
      return {add.getResult(0)};
    };
    Value sums = loop(index.constant(0), index.constant(all), columns,
                      filledTile({queryTile}, 0), addColumns)[0];
    paddedE = all;
    at[E] = index.constant(0);
    AffineMap one = b.getMultiDimIdentityMap(1);
    Value tile =
        linalg::GenericOp::create(
            b, loc, TypeRange{sums.getType()}, rowTiles, ValueRange{sums},
            SmallVector<AffineMap>(rowTiles.size() + 1, one),
            ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
            [&](OpBuilder &b, Location loc, ValueRange a) {
              Value v = a.back();
              if (dLse.value)
                v = arith::SubFOp::create(b, loc, v, a[1]);
              Value none = floatConstant(b, loc, type, 0);
              v = arith::SelectOp::create(b, loc, isMinusInfinity(b, loc, a[0]),
                                          none, v);
              linalg::YieldOp::create(b, loc, v);
            })
            .getResult(0);
    storeTile(tile, delta, at, {M});
    if (copy.value)
      storeTile(rowTiles[0], copy, at, {M});
  });
  if (copy.value)
    lse = copy;
}

/// A sum over columns is what every target can do in a tile: as many rows as a
/// tile has at least, which all compute the same. The first is stored.
int64_t BackwardTiles::columnCopies() const {
  return mode == QueryGradient::Owned ? 1 : kLeastRows;
}

void BackwardTiles::sumOverRows(const Mapped &output, TermsOfRows terms) {
  // A tile has one dimension at least.
  bool isNumber = output.map.getNumResults() == 0;
  Value memory = output.value;
  if (isNumber)
    memory = memref::AllocOp::create(
        b, loc, MemRefType::get({1}, getElementTypeOrSelf(memory)));
  SmallVector<Dim> loops;
  SmallVector<OpFoldResult> bounds;
  for (Dim dim : {B, H, G})
    if (positionOf(output.map, dim) >= 0) {
      loops.push_back(dim);
      bounds.push_back(headExtents()[static_cast<unsigned>(dim)]);
    }
  if (loops.empty())
    bounds.push_back(b.getIndexAttr(1));
  DimSet others =
      (rowDims | (isPacked() ? dims(B) : 0)) & kHeads & ~dimsOf(output.map);
  auto addRows = [&](const Place &place, ValueRange carried) {
    Sequence s = enter(place);
    return loop(
        index.constant(0), index.roundUp(s.visibility.rowsEnd, queryTile),
        queryTile, carried, [&](Value row, ValueRange sums) -> Values {
          Value limit = index.add(s.visibility.rowsEnd, s.rowStart);
          AffineMap identity = b.getMultiDimIdentityMap(2);
          auto add = linalg::GenericOp::create(
              b, loc, sums.getTypes(), ValueRange{terms(place, s, row, limit)},
              sums, ArrayRef<AffineMap>{identity, identity.dropResult(1)},
              ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                            utils::IteratorType::reduction},
              [](OpBuilder &b, Location loc, ValueRange a) {
                Value sum = arith::AddFOp::create(b, loc, a[1], a[0]);
                linalg::YieldOp::create(b, loc, sum);
              });
          return {add.getResult(0)};
        });
  };
  forall(bounds, [&](ValueRange at) {
    Place place = {};
    for (auto [i, dim] : llvm::enumerate(loops))
      place[dim] = at[i];
    Value sums =
        forEachHead(others, place, filledTile({columnCopies()}, 0), addRows)[0];
    sums = scaledAndCast(sums, getElementTypeOrSelf(output.value), {});
    SmallVector<Value> offsets = offsetsIn(output, offsetsAt(place));
    if (isNumber)
      offsets = {index.constant(0)};
    // Only one element, by the limit.
    StoreTileOp::create(b, loc, sums, memory, offsets, index.add(offsets[0], 1),
                        ArrayRef<int64_t>{0});
  });
  if (!isNumber)
    return;
  AffineMap element = b.getMultiDimIdentityMap(1);
  linalg::GenericOp::create(
      b, loc, TypeRange{}, ValueRange{memory}, ValueRange{output.value},
      ArrayRef<AffineMap>{element, element.dropResult(0)},
      ArrayRef<utils::IteratorType>{utils::IteratorType::reduction},
      [](OpBuilder &b, Location loc, ValueRange a) {
        linalg::YieldOp::create(b, loc, a[0]);
      });
}

/// d_sink = -sum exp(sink - lse) * delta over the rows that a sink has.
void BackwardTiles::computeSinks(Mapped output) {
  sumOverRows(output, [&](const Place &, const Sequence &s, Value row,
                          Value limit) {
    Offsets at = packedOffsets(s, row, {});
    SmallVector<Value> inputs = {
        loadTile(sinks, localOffsets(s, {}, {}), {}).value,
        loadTile(lse, at, {M}, limit).value,
        loadTile(delta, at, {M}, limit).value};
    auto term = [&](OpBuilder &b, ValueRange a) -> Value {
      // Of an empty row, delta is 0, as past the end.
      Value weight = expOfDifference(b, loc, castTo(b, loc, a[0], type),
                                     finiteMax(b, loc, a[1]));
      Value none = floatConstant(b, loc, type, 0);
      Value isNone =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, a[2], none);
      Value product = arith::MulFOp::create(b, loc, weight, a[2]);
      return arith::SelectOp::create(b, loc, isNone, none,
                                     arith::NegFOp::create(b, loc, product));
    };
    return copiedTerms(inputs, term);
  });
}

/// Numbers and one value per row, as `columnCopies` rows of terms.
Value BackwardTiles::copiedTerms(ArrayRef<Value> inputs, TermBody term) {
  AffineMap identity = b.getMultiDimIdentityMap(2);
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(cast<RankedTensorType>(input.getType()).getRank() == 0
                       ? AffineMap::get(2, 0, b.getContext())
                       : identity.dropResult(0));
  maps.push_back(identity);
  Value empty = tensor::EmptyOp::create(
      b, loc, ArrayRef<int64_t>{columnCopies(), queryTile}, type);
  using utils::IteratorType;
  return linalg::GenericOp::create(
             b, loc, TypeRange{empty.getType()}, inputs, empty, maps,
             ArrayRef<IteratorType>{IteratorType::parallel,
                                    IteratorType::parallel},
             [&](OpBuilder &b, Location loc, ValueRange a) {
               linalg::YieldOp::create(b, loc, term(b, a));
             })
      .getResult(0);
}

/// The dimensions of a tile of a gradient.
SmallVector<Dim> BackwardTiles::tileOrder(const Gradient &gradient) {
  SmallVector<Dim> order;
  const Mapped &memory =
      gradient.isPerRow ? gradient.workspace : gradient.output;
  for (Dim dim : {scoreOrder[0], scoreOrder[1], D, E})
    if (positionOf(memory.map, dim) >= 0)
      order.push_back(dim);
  return order;
}

Value BackwardTiles::zeros(ArrayRef<Dim> order) {
  SmallVector<int64_t> shape;
  for (Dim dim : order)
    shape.push_back(tileExtent(dim));
  return filledTile(shape, 0);
}

void BackwardTiles::fillZero(const Mapped &memory) {
  SmallVector<Dim> order;
  for (Dim dim : {M, N, D, E})
    if (positionOf(memory.map, dim) >= 0)
      order.push_back(dim);
  // With the grid of delta where the tiles are the same: one launch does both.
  bool isLikeRows = keptDims(dimsOf(memory.map)) == keptDims(dimsOf(lse.map));
  forEachTile(isLikeRows ? lse : memory, [&](const Place &place) {
    Value tile =
        scaledAndCast(zeros(order), getElementTypeOrSelf(memory.value), {});
    storeTile(tile, memory, offsetsAt(place), order);
  });
}

Value BackwardTiles::scaledAndCast(Value tile, Type element, Value factor) {
  auto from = cast<RankedTensorType>(tile.getType());
  if (!factor && from.getElementType() == element)
    return tile;
  AffineMap identity = b.getMultiDimIdentityMap(from.getRank());
  Value empty = tensor::EmptyOp::create(b, loc, from.getShape(), element);
  return linalg::GenericOp::create(
             b, loc, TypeRange{empty.getType()}, ValueRange{tile},
             ValueRange{empty}, ArrayRef<AffineMap>{identity, identity},
             SmallVector<utils::IteratorType>(from.getRank(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location loc, ValueRange a) {
               Value v = a[0];
               if (factor)
                 v = arith::MulFOp::create(b, loc, v, factor);
               linalg::YieldOp::create(b, loc, castTo(b, loc, v, element));
             })
      .getResult(0);
}

void BackwardTiles::finishWhole(const Gradient &gradient) {
  auto rank = cast<MemRefType>(gradient.output.value.getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  linalg::GenericOp::create(
      b, loc, TypeRange{}, ValueRange{gradient.workspace.value},
      ValueRange{gradient.output.value},
      ArrayRef<AffineMap>{identity, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange a) {
        linalg::YieldOp::create(b, loc, castTo(b, loc, a[0], a[1].getType()));
      });
}

/// Sums in memory to the output.
void BackwardTiles::finish(const Gradient &gradient, Value factor) {
  if (gradient.isWhole)
    return finishWhole(gradient);
  if (gradient.isPerRow)
    return sumOverRows(gradient.output, [&](const Place &, const Sequence &s,
                                            Value row, Value limit) {
      Offsets at = packedOffsets(s, row, {});
      Value terms = loadTile(gradient.workspace, at, {M}, limit).value;
      return copiedTerms({terms},
                         [](OpBuilder &, ValueRange a) { return a[0]; });
    });
  SmallVector<Dim> order;
  for (Dim dim : {M, N, D, E})
    if (positionOf(gradient.output.map, dim) >= 0)
      order.push_back(dim);
  Type element = getElementTypeOrSelf(gradient.output.value);
  forEachTile(gradient.output, [&](const Place &place) {
    Offsets at = offsetsAt(place);
    Value tile = loadTile(gradient.workspace, at, order).value;
    storeTile(scaledAndCast(tile, element, factor), gradient.output, at, order);
  });
}
