//===- BackwardPairs.cpp - gradients: work on pairs of positions ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/BackwardTiles.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fa;

//===----------------------------------------------------------------------===//
// Tiles of inputs
//===----------------------------------------------------------------------===//

/// What lies past a length, or belongs to the next sequence, is read as 0: it
/// may be NaN, and 0 * NaN is NaN.
Value BackwardTiles::inputRowLimit(const Sequence &s, bool isFull) {
  if (isFull || (!rowsMayEndEarly && !isPacked()))
    return {};
  return index.add(s.visibility.rowsEnd, s.rowStart);
}

Value BackwardTiles::inputKeyLimit(const Sequence &s, bool isFull) {
  if (isFull || (!keysMayEndEarly && !isPacked()))
    return {};
  return index.add(s.visibility.keysEnd, s.keyStart);
}

/// Keys past it belong to the next packed sequence.
Value BackwardTiles::keyLimit(const Sequence &s) {
  return isPacked() ? index.add(s.keyStart, s.keyCount) : Value();
}

void BackwardTiles::loadRows(Tiles &tiles, const Sequence &s, Value row,
                             bool isFull) {
  Offsets at = packedOffsets(s, row, {});
  Value limit = inputRowLimit(s, isFull);
  tiles.query = loadTile(query, at, {M, D}, limit).value;
  tiles.dOut = loadTile(dOut, at, {M, E}, limit).value;
  tiles.lse = loadTile(lse, at, {M}, limit).value;
  tiles.delta = loadTile(delta, at, {M}, limit).value;
}

void BackwardTiles::loadKeys(Tiles &tiles, const Sequence &s, Value at,
                             bool isFull) {
  Offsets offsets = packedOffsets(s, {}, at);
  Value limit = inputKeyLimit(s, isFull);
  tiles.key = loadTile(key, offsets, {N, D}, limit).value;
  tiles.value = loadTile(value, offsets, {N, E}, limit).value;
}

//===----------------------------------------------------------------------===//
// Work on pairs
//===----------------------------------------------------------------------===//

void BackwardTiles::buildKernel(const Kernel &kernel) {
  // Sums that no loop carries are in memory.
  bool keepsRows = kernel.parallel & dims(M), keepsKeys = !keepsRows;
  queryTile = schedule.getQueryTile();
  keyTile = schedule.getKeyTile();
  for (unsigned i : kernel.gradients)
    if ((i == DQuery && keepsKeys) || (i >= FirstOther))
      ensureWorkspace(gradients[i]);
  // Rows of no sequence get zero gradients.
  for (unsigned i : {DQuery, DKey, DValue})
    if (isPacked() && kernel.has(i) && !gradients[i].workspace.value)
      fillZero(gradients[i].output);
  if (auto streamed = op->getAttrOfType<IntegerAttr>(
          keepsKeys ? kStreamedRowsName : kStreamedKeysName))
    (keepsKeys ? queryTile : keyTile) = streamed.getInt();
  scoreOrder = {M, N};
  bool isOfKeys = llvm::any_of(kernel.gradients, [&](unsigned i) {
    return (gradients[i].dims & dims(M, N)) == dims(N);
  });
  if (!kernel.has(DQuery) || kernel.has(DKey) || kernel.has(DValue))
    if (isOfKeys)
      scoreOrder = {N, M};

  SmallVector<Dim> loops;
  SmallVector<OpFoldResult> bounds;
  for (Dim dim : {B, H, G, M, N}) {
    if (!(kernel.parallel & dims(dim)))
      continue;
    loops.push_back(dim);
    if (dim == M || dim == N)
      bounds.push_back(dim == M ? queryTileCount() : keyTileCount());
    else
      bounds.push_back(headExtents()[static_cast<unsigned>(dim)]);
  }
  if (loops.empty())
    bounds.push_back(b.getIndexAttr(1));

  // Heads outside of what loops carry, and inside.
  DimSet carried = kHeads;
  for (unsigned i : {DQuery, DKey, DValue})
    if (kernel.has(i) && (i != DQuery || keepsRows))
      carried &= gradients[i].dims;
  DimSet rest = kHeads & ~kernel.parallel;
  forall(bounds, [&](ValueRange at) {
    Place place = {};
    for (auto [i, dim] : llvm::enumerate(loops)) {
      Value number = at[i];
      // The first keys of a causal mask are seen by the most rows. Targets
      // start with the last blocks.
      if (dim == N && right && !left)
        number = index.sub(
            index.add(getValueOrCreateConstantIndexOp(b, loc, bounds[i]), -1),
            number);
      place[dim] = index.mul(number, dim == M   ? queryTile
                                     : dim == N ? keyTile
                                                : 1);
    }
    forEachHead(rest & carried, place, {},
                [&](const Place &place, ValueRange) -> Values {
                  DimSet inner = rest & ~carried;
                  if (!keepsRows)
                    streamRows(kernel, inner, place);
                  else if (kernel.parallel & dims(N))
                    onePair(kernel, place);
                  else
                    streamKeys(kernel, inner, place);
                  return {};
                });
  });
}

BackwardTiles::Values
BackwardTiles::stream(const TileRange &range, int64_t step, ValueRange carried,
                      function_ref<Values(Value, ValueRange, bool)> body) {
  Values values(carried);
  auto part = [&](Value begin, Value end, bool isFull) {
    values = loop(begin, end, step, values, [&](Value at, ValueRange carried) {
      return body(at, carried, isFull);
    });
  };
  part(range.begin, range.fullBegin, false);
  part(range.fullBegin, range.fullEnd, true);
  part(range.fullEnd, range.end, false);
  return values;
}

void BackwardTiles::streamRows(const Kernel &kernel, DimSet inner,
                               const Place &outer) {
  Sequence s = enter(outer);
  SmallVector<unsigned> kept;
  for (unsigned i : {DKey, DValue})
    if (kernel.has(i))
      kept.push_back(i);
  auto overRows = [&](const Place &place, ValueRange carried,
                      Tiles tiles) -> Values {
    Sequence own = inner == dims(G) ? s : enter(place);
    if (inner == dims(G))
      own.g = place[G];
    if (!tiles.key)
      loadKeys(tiles, own, place[N], /*isFull=*/false);
    tiles.fixed = loadFixed(own, {}, place[N], M);
    TileRange range = rowsSeen(own, place[N]);
    return stream(range, queryTile, carried,
                  [&](Value row, ValueRange sums, bool isFull) -> Values {
                    Tiles all = tiles;
                    loadRows(all, own, row, isFull);
                    std::array<Value, 3> into = {};
                    for (auto [i, sum] : llvm::zip_equal(kept, sums))
                      into[i] = sum;
                    Values results =
                        step(kernel, own, all, into, row, place[N], isFull);
                    return llvm::map_to_vector(
                        kept, [&](unsigned i) { return results[i]; });
                  });
  };
  auto oneTile = [&](const Place &place) {
    Tiles tiles;
    // Keys that no inner loop tells apart are loaded once. A length does.
    DimSet toldApart = dimsOf(key.map) | dimsOf(value.map);
    if (keysMayEndEarly)
      toldApart |= dims(B);
    if (!(toldApart & inner))
      loadKeys(tiles, s, place[N], /*isFull=*/false);
    Values sums;
    for (unsigned i : kept)
      sums.push_back(i == DKey ? zeros({N, D}) : zeros({N, E}));
    sums = forEachHead(inner, place, sums,
                       [&](const Place &place, ValueRange carried) {
                         return overRows(place, carried, tiles);
                       });
    for (auto [i, sum] : llvm::zip_equal(kept, sums))
      storeSum(sum, gradients[i], place, s, i == DKey ? scale : Value());
  };
  if (outer[N])
    return ifInside(s, outer, [&] { oneTile(outer); });
  Value end = isPacked() ? s.keyCount : extents[N];
  loop(index.constant(0), index.roundUp(end, keyTile), keyTile, {},
       [&](Value at, ValueRange) -> Values {
         Place place = outer;
         place[N] = at;
         oneTile(place);
         return {};
       });
}

void BackwardTiles::streamKeys(const Kernel &kernel, DimSet inner,
                               const Place &outer) {
  Sequence s = enter(outer);
  bool moves = kernel.has(DQuery);
  Value row = outer[M];
  auto overKeys = [&](const Place &place, ValueRange carried) -> Values {
    Sequence own = inner ? enter(place) : s;
    Tiles tiles;
    loadRows(tiles, own, row, /*isFull=*/false);
    tiles.fixed = loadFixed(own, row, {}, N);
    TileRange range = keysSeen(own, row);
    return stream(range, keyTile, carried,
                  [&](Value key, ValueRange sums, bool isFull) -> Values {
                    Tiles all = tiles;
                    loadKeys(all, own, key, isFull);
                    std::array<Value, 3> into = {};
                    if (moves)
                      into[DQuery] = sums[0];
                    Values results =
                        step(kernel, own, all, into, row, key, isFull);
                    return moves ? Values{results[DQuery]} : Values{};
                  });
  };
  ifInside(s, outer, [&] {
    Values sums;
    if (moves)
      sums = {zeros({M, D})};
    sums = forEachHead(inner, outer, sums, overKeys);
    if (moves)
      storeSum(sums[0], gradients[DQuery], outer, s, scale);
  });
}

void BackwardTiles::onePair(const Kernel &kernel, const Place &place) {
  Sequence s = enter(place);
  ifInside(s, place, [&] {
    Tiles tiles;
    loadRows(tiles, s, place[M], /*isFull=*/false);
    loadKeys(tiles, s, place[N], /*isFull=*/false);
    tiles.fixed = loadFixed(s, place[M], place[N], D);
    step(kernel, s, tiles, {}, place[M], place[N], /*isFull=*/false);
  });
}

BackwardTiles::Values BackwardTiles::step(const Kernel &kernel,
                                          const Sequence &s, const Tiles &tiles,
                                          std::array<Value, 3> sums, Value row,
                                          Value key, bool isFull) {
  MLIRContext *context = b.getContext();
  SmallVector<AffineMap> maps = {mapOf(context, {M, D}), mapOf(context, {N, D}),
                                 mapOf(context, {N, E})};
  SmallVector<Value> operands;
  for (const Mapped &tile : loadMissing(s, tiles.fixed, row, key, isFull)) {
    operands.push_back(tile.value);
    if (tile.value)
      maps.push_back(tile.map);
  }
  AffineMap rowMap = mapOf(context, {M});
  maps.append({rowMap, rowMap, mapOf(context, {M, E})});

  // d_query, d_key and d_value are always outputs; one that nobody reads is not
  // computed.
  Values outputs;
  const std::array<std::array<Dim, 2>, 3> orders = {
      std::array{M, D}, std::array{N, D}, std::array{N, E}};
  for (unsigned i : {DQuery, DKey, DValue}) {
    outputs.push_back(sums[i] ? sums[i] : zeros(orders[i]));
    maps.push_back(mapOf(context, orders[i]));
  }
  bool hasBias = false;
  SmallVector<int64_t> captureNumbers;
  for (unsigned i = FirstOther; i < gradients.size(); ++i) {
    const Gradient &gradient = gradients[i];
    if (!kernel.has(i))
      continue;
    if (gradient.capture < 0)
      hasBias = true;
    else
      captureNumbers.push_back(gradient.capture);
    if (gradient.isWhole) {
      auto memory = cast<MemRefType>(gradient.workspace.value.getType());
      outputs.push_back(bufferization::ToTensorOp::create(
          b, loc,
          RankedTensorType::get(memory.getShape(), memory.getElementType()),
          gradient.workspace.value, /*restrict=*/true, /*writable=*/true));
      maps.push_back(mapOf(context, {}));
      continue;
    }
    SmallVector<Dim> order = tileOrder(gradient);
    outputs.push_back(zeros(order));
    maps.push_back(mapOf(context, order));
  }
  Positions at = positionsOf(s, row, key, isFull, /*limitsRows=*/true);
  bool keepWindow = !isFull;
  auto tile = OnlineAttentionBackwardOp::create(
      b, loc, TypeRange(ValueRange(outputs)), tiles.query, tiles.key,
      tiles.value, scale, operands[0], operands[1], operands[2], tiles.lse,
      tiles.delta, tiles.dOut, ValueRange(operands).drop_front(3), Value(),
      Value(), Value(), Value(), at.queryBase, at.keyBase, at.batchBase,
      at.headBase, at.queryLimit, at.keyLimit, at.offset, outputs,
      b.getAffineMapArrayAttr(maps),
      keepWindow ? op.getCausalAttr() : UnitAttr(),
      keepWindow && left ? op.getWindowLeftAttr() : IntegerAttr(),
      keepWindow && op.getWindowRight() && right ? op.getWindowRightAttr()
                                                 : IntegerAttr(),
      AlignmentAttr::get(context, Alignment::TopLeft), op.getSoftcapAttr(),
      op.getSoftmaxTypeAttr(), hasBias ? b.getUnitAttr() : UnitAttr(),
      b.getDenseI64ArrayAttr(captureNumbers));
  if (op->hasAttr(kAtomicCapturesName))
    tile->setAttr(kAtomicCapturesName, b.getUnitAttr());
  IRMapping mapping;
  op.getScoreRegion().cloneInto(&tile.getScoreRegion(), mapping);
  if (appliesMask(isFull))
    op.getMaskRegion().cloneInto(&tile.getMaskRegion(), mapping);

  Values results(tile.getResults());
  if (kernel.has(DQuery) && !sums[DQuery])
    addToMemory(kernel, s, gradients[DQuery], results[DQuery], row, key);
  unsigned next = FirstOther;
  for (unsigned i = FirstOther; i < gradients.size(); ++i)
    if (kernel.has(i))
      addToMemory(kernel, s, gradients[i], results[next++], row, key);
  return results;
}

void BackwardTiles::addToMemory(const Kernel &kernel, const Sequence &s,
                                Gradient &gradient, Value tile, Value row,
                                Value key) {
  if (gradient.isWhole) {
    bufferization::MaterializeInDestinationOp::create(
        b, loc, TypeRange{}, tile, gradient.workspace.value, /*restrict=*/true,
        /*writable=*/true);
    return;
  }
  // Rows of all sequences, or of one.
  bool isOfRows = &gradient == &gradients[DQuery] || gradient.isPerRow;
  SmallVector<int64_t> tileDims;
  for (Dim dim : tileOrder(gradient))
    tileDims.push_back(positionOf(gradient.workspace.map, dim));
  Offsets at =
      isOfRows ? packedOffsets(s, row, key) : localOffsets(s, row, key);
  bool isOwned = !(kernel.parallel & ~gradient.dims);
  AccumulateMode shared = op->hasAttr(kOrderedSumsName)
                              ? AccumulateMode::Ordered
                              : AccumulateMode::Atomic;
  AccumulateOp::create(b, loc, tile, gradient.workspace.value,
                       offsetsIn(gradient.workspace, at),
                       isOfRows ? rowLimit(s) : Value(),
                       isOwned ? AccumulateMode::Owned : shared, tileDims);
}

/// Stores a sum that loops carried.
void BackwardTiles::storeSum(Value sum, const Gradient &gradient,
                             const Place &place, const Sequence &s,
                             Value factor) {
  bool isQuery = &gradient == &gradients[DQuery];
  sum = scaledAndCast(sum, getElementTypeOrSelf(gradient.output.value), factor);
  Offsets at = packedOffsets(s, place[M], place[N]);
  SmallVector<Dim> order;
  for (Dim dim : {M, N, D, E})
    if (positionOf(gradient.output.map, dim) >= 0)
      order.push_back(dim);
  storeTile(sum, gradient.output, at, order,
            isQuery ? rowLimit(s) : keyLimit(s));
}
