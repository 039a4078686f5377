//===- TileBuilder.cpp - the tile program of one attention ----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/TileBuilder.h"
#include "fa/Transforms/AttentionProblem.h"
#include "fa/Transforms/Decompose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fa;

/// Head dimensions of tiles are multiples of a matrix instruction's k.
static int64_t padded(Value extent) {
  return llvm::alignTo(getConstantIntValue(extent).value_or(0), 16);
}

TileBuilder::TileBuilder(OpBuilder &b, OnlineAttentionOp online,
                         FinalizeOp finalize, ScheduleAttr schedule)
    : b(b), loc(online.getLoc()), index(b, loc),
      queryTile(schedule.getQueryTile()), keyTile(schedule.getKeyTile()),
      partialSums(schedule.getPartialSums()), online(online),
      finalize(finalize),
      self(cast<AttentionOpInterface>(online.getOperation())),
      left(self.getWindowReach(self.getWindowLeft())),
      right(self.getWindowReach(self.getWindowRight())),
      keysMayEndEarly(online.getKeyLengths() || online.getKeyLimit()),
      rowsMayEndEarly(online.getQueryLengths() || online.getQueryLimit()) {
  if (online.getCausal())
    right = std::min<int64_t>(right.value_or(0), 0);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A tensor as memory: what it was read from, or its buffer.
Value TileBuilder::memoryOf(Value v) {
  if (!v || isa<MemRefType>(v.getType()))
    return v;
  if (auto toTensor = v.getDefiningOp<bufferization::ToTensorOp>())
    return toTensor.getBuffer();
  auto type = cast<RankedTensorType>(v.getType());
  return bufferization::ToBufferOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType()), v,
      /*read_only=*/true);
}

Mapped TileBuilder::inMemory(OpOperand &operand) {
  return {memoryOf(operand.get()), self.getMapOf(operand)};
}

void TileBuilder::prepare(ArrayRef<Value> outputs) {
  scale = scaleOf(b, self);
  query = inMemory(online.getQueryMutable());
  key = inMemory(online.getKeyMutable());
  value = inMemory(online.getValueMutable());
  auto optional = [&](MutableOperandRange range) {
    return range.empty() ? Mapped() : inMemory(range[0]);
  };
  bias = optional(online.getBiasMutable());
  mask = optional(online.getMaskMutable());
  alibi = optional(online.getAlibiSlopesMutable());
  for (OpOperand &capture : online.getCapturesMutable()) {
    Mapped memory = inMemory(capture);
    // Taken whole, it stays a tensor that a tile only gathers from.
    if (self.isWholeCapture(capture))
      memory.value = bufferization::ToTensorOp::create(
          b, loc, capture.get().getType(), memory.value, /*restrict=*/true);
    captures.push_back(memory);
  }
  queryLengths = memoryOf(online.getQueryLengths());
  keyLengths = memoryOf(online.getKeyLengths());
  queryOffsets = memoryOf(online.getQueryOffsets());
  keyOffsets = memoryOf(online.getKeyOffsets());

  auto maps = finalize.getIndexingMaps().getAsValueRange<AffineMapAttr>();
  SmallVector<AffineMap> finalMaps(maps.begin(), maps.end());
  unsigned next = 3;
  if (finalize.getSinks())
    sinks = {memoryOf(finalize.getSinks()), finalMaps[next++]};
  out = {outputs[0], finalMaps[next++]};
  if (finalize.getLse() && outputs[1])
    lse = {outputs[1], finalMaps[next]};
  prepareExtents();
}

/// Sizes come from memory: a tile program has no tensors but tiles. They are
/// known before the loops.
void TileBuilder::prepareExtents() {
  SmallVector<Mapped> memory = {query, key, value, out};
  for (const Mapped &operand : scoreOperands())
    if (operand.value && isa<MemRefType>(operand.value.getType()))
      memory.push_back(operand);
  DomainBuilder domain(b, loc, memory);
  for (unsigned dim = 0; dim < NumDims; ++dim)
    extents[dim] = domain.extentValue(static_cast<Dim>(dim));
  paddedD = padded(extents[D]);
  paddedE = padded(extents[E]);
}

SmallVector<OpFoldResult> TileBuilder::headExtents() {
  Value batches = extents[B];
  if (isPacked()) {
    Value entries = getValueOrCreateConstantIndexOp(
        b, loc, extentOfDim(b, loc, queryOffsets, 0));
    batches = index.add(entries, -1);
  }
  return getAsOpFoldResult({batches, extents[H], extents[G]});
}

OpFoldResult TileBuilder::queryTileCount() {
  return getAsOpFoldResult(index.ceilDiv(extents[M], queryTile));
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

static Value loadIndex(OpBuilder &b, Location loc, Value memory, Value at) {
  Value v = memref::LoadOp::create(b, loc, memory, at);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
}

/// Start and count of a packed sequence's rows.
std::pair<Value, Value> TileBuilder::packedRange(Value offsets,
                                                 Value sequence) {
  Value start = loadIndex(b, loc, offsets, sequence);
  Value end = loadIndex(b, loc, offsets, index.add(sequence, 1));
  return {start, index.sub(end, start)};
}

/// The end of rows or keys in absolute positions.
Value TileBuilder::absoluteEnd(Value base, Value limit, Value lengths,
                               Value count, Value batch) {
  Value end = limit ? limit : base ? index.add(base, count) : count;
  return lengths ? index.min(end, loadIndex(b, loc, lengths, batch)) : end;
}

Value TileBuilder::localEnd(Value absoluteEnd, Value base, Value count) {
  if (absoluteEnd == count)
    return count;
  Value end = base ? index.sub(absoluteEnd, base) : absoluteEnd;
  return index.clampToZero(index.min(end, count));
}

TileBuilder::Sequence TileBuilder::enterSequence(Value batch, Value h,
                                                 Value g) {
  Sequence s;
  s.b = batch;
  s.h = h;
  s.g = g;
  Value keyCount;
  if (isPacked()) {
    std::tie(s.rowStart, s.rowCount) = packedRange(queryOffsets, batch);
    std::tie(s.keyStart, keyCount) = packedRange(keyOffsets, batch);
  } else {
    s.rowStart = s.keyStart = index.constant(0);
    s.rowCount = extents[M];
    keyCount = extents[N];
  }
  Value rowBase = online.getQueryBase(), keyBase = online.getKeyBase();
  Value rowsEnd = absoluteEnd(rowBase, online.getQueryLimit(), queryLengths,
                              s.rowCount, batch);
  Value keysEnd =
      absoluteEnd(keyBase, online.getKeyLimit(), keyLengths, keyCount, batch);
  Visibility &v = s.visibility;
  v.rowsEnd =
      rowsMayEndEarly ? localEnd(rowsEnd, rowBase, s.rowCount) : s.rowCount;
  v.keysEnd = keysMayEndEarly ? localEnd(keysEnd, keyBase, keyCount) : keyCount;
  v.rowsMayEndEarly = rowsMayEndEarly;
  v.left = left;
  v.right = right;
  if (!self.usesOffset())
    return s;
  if (online.getOffset())
    s.offset = online.getOffset();
  else if (online.getAlignment() == Alignment::BottomRight)
    s.offset = index.sub(keysEnd, rowsEnd);
  v.diagonal = s.offset ? s.offset : index.constant(0);
  if (rowBase)
    v.diagonal = index.add(v.diagonal, rowBase);
  if (keyBase)
    v.diagonal = index.sub(v.diagonal, keyBase);
  return s;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

TileBuilder::Offsets TileBuilder::localOffsets(const Sequence &s, Value row,
                                               Value key) {
  Value zero = index.constant(0);
  return {s.b, s.h, s.g, row, key, zero, zero};
}

TileBuilder::Offsets TileBuilder::packedOffsets(const Sequence &s, Value row,
                                                Value key) {
  Offsets offsets = localOffsets(s, row, key);
  if (row)
    offsets[M] = index.add(row, s.rowStart);
  if (key)
    offsets[N] = index.add(key, s.keyStart);
  return offsets;
}

int64_t TileBuilder::tileExtent(Dim dim) {
  switch (dim) {
  case M:
    return queryTile;
  case N:
    return keyTile;
  case D:
    return paddedD;
  case E:
    return paddedE;
  default:
    return 1;
  }
}

SmallVector<Value> TileBuilder::offsetsIn(const Mapped &memory,
                                          const Offsets &offsets) {
  SmallVector<Value> result;
  for (unsigned i = 0; i < memory.map.getNumResults(); ++i)
    result.push_back(offsets[memory.map.getDimPosition(i)]);
  return result;
}

/// The tile along those dimensions of `order` that the operand has. Without
/// any it is one scalar, as a tensor of rank 0.
Mapped TileBuilder::loadTile(const Mapped &memory, const Offsets &offsets,
                             ArrayRef<Dim> order, Value limit) {
  if (!memory.value)
    return {};
  SmallVector<Dim> present;
  SmallVector<int64_t> tileDims, shape;
  for (Dim dim : order) {
    int64_t position = positionOf(memory.map, dim);
    if (position < 0)
      continue;
    present.push_back(dim);
    tileDims.push_back(position);
    shape.push_back(tileExtent(dim));
  }
  AffineMap map = mapOf(b.getContext(), present);
  auto type = RankedTensorType::get(
      shape, cast<MemRefType>(memory.value.getType()).getElementType());
  SmallVector<Value> at = offsetsIn(memory, offsets);
  if (present.empty()) {
    Value scalar = memref::LoadOp::create(b, loc, memory.value, at);
    return {tensor::FromElementsOp::create(b, loc, type, scalar), map};
  }
  return {LoadTileOp::create(b, loc, type, memory.value, at, limit, tileDims),
          map};
}

void TileBuilder::storeTile(Value tile, const Mapped &memory,
                            const Offsets &offsets, ArrayRef<Dim> order,
                            Value limit) {
  SmallVector<int64_t> tileDims;
  for (Dim dim : order)
    tileDims.push_back(positionOf(memory.map, dim));
  StoreTileOp::create(b, loc, tile, memory.value, offsetsIn(memory, offsets),
                      limit, tileDims);
}

Value TileBuilder::loadQuery(const Sequence &s, Value row) {
  return loadTile(query, packedOffsets(s, row, {}), {M, D}).value;
}

Value TileBuilder::loadKey(const Sequence &s, Value at) {
  return loadTile(key, packedOffsets(s, {}, at), {N, D}).value;
}

/// Keys past a length may hold NaN, and 0 * NaN is NaN: they are loaded as 0.
Value TileBuilder::loadValue(const Sequence &s, Value at, bool isFull) {
  Value limit;
  if (!isFull && (keysMayEndEarly || isPacked()))
    limit = index.add(s.visibility.keysEnd, s.keyStart);
  return loadTile(value, packedOffsets(s, {}, at), {N, E}, limit).value;
}

/// Rows past it belong to the next packed sequence.
Value TileBuilder::rowLimit(const Sequence &s) {
  return isPacked() ? index.add(s.rowStart, s.rowCount) : Value();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

Value TileBuilder::filledTile(ArrayRef<int64_t> shape, double v) {
  Type type = self.getComputeType();
  Value scalar = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, v));
  Value empty = tensor::EmptyOp::create(b, loc, shape, type);
  return linalg::FillOp::create(b, loc, scalar, empty).getResult(0);
}

TileBuilder::State TileBuilder::emptyState() {
  SmallVector<int64_t> sumShape = {queryTile};
  if (partialSums > 1)
    sumShape.push_back(partialSums);
  return {filledTile({queryTile, paddedE}, 0),
          filledTile({queryTile}, -kInfinity), filledTile(sumShape, 0)};
}

TileBuilder::StateMemory TileBuilder::allocateState() {
  StateMemory memory;
  unsigned first = online.getOutputs().getBeginOperandIndex();
  for (unsigned i = 0; i < 3; ++i) {
    OpOperand &operand = online->getOpOperand(first + i);
    auto type = cast<RankedTensorType>(operand.get().getType());
    AffineMap map = self.getMapOf(operand);
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(extents[map.getDimPosition(d)]);
    memory[i] = {memref::AllocOp::create(
                     b, loc,
                     MemRefType::get(type.getShape(), type.getElementType()),
                     sizes),
                 map};
  }
  return memory;
}

TileBuilder::State TileBuilder::loadState(const Sequence &s,
                                          const StateMemory &memory,
                                          Value row) {
  Offsets at = packedOffsets(s, row, {});
  return {loadTile(memory[0], at, {M, E}).value,
          loadTile(memory[1], at, {M}).value,
          loadTile(memory[2], at, {M}).value};
}

void TileBuilder::storeState(const Sequence &s, const StateMemory &memory,
                             const State &state, Value row) {
  Offsets at = packedOffsets(s, row, {});
  storeTile(state.acc, memory[0], at, {M, E}, rowLimit(s));
  storeTile(state.rowMax, memory[1], at, {M}, rowLimit(s));
  storeTile(state.rowSum, memory[2], at, {M}, rowLimit(s));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Absolute positions, as far as something in this tile asks for them.
void TileBuilder::addPositions(OnlineAttentionOp tile, const Sequence &s,
                               Value row, Value key, bool isFull) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(tile);
  bool hasRegions =
      !online.getScoreRegion().empty() || !online.getMaskRegion().empty();
  bool limitsKeys =
      !isFull && !index.isMultipleOf(s.visibility.keysEnd, keyTile);
  bool usesDiagonal = (!isFull && (left || right)) || alibi.value;
  auto plus = [&](Value base, Value by) {
    return base ? index.add(base, by) : by;
  };
  if (hasRegions || usesDiagonal || limitsKeys) {
    tile.getQueryBaseMutable().assign(plus(online.getQueryBase(), row));
    tile.getKeyBaseMutable().assign(plus(online.getKeyBase(), key));
  }
  if (limitsKeys)
    tile.getKeyLimitMutable().assign(
        plus(online.getKeyBase(), s.visibility.keysEnd));
  if (usesDiagonal && s.offset)
    tile.getOffsetMutable().assign(s.offset);
  if (!hasRegions)
    return;
  tile.getBatchBaseMutable().assign(plus(online.getBatchBase(), s.b));
  Value head = index.add(index.mul(s.h, extents[G]), s.g);
  tile.getHeadBaseMutable().assign(plus(online.getHeadBase(), head));
}

SmallVector<Mapped> TileBuilder::scoreOperands() {
  SmallVector<Mapped> operands = {bias, mask, alibi};
  llvm::append_range(operands, captures);
  return operands;
}

SmallVector<Mapped> TileBuilder::loadFixed(const Sequence &s, Value row,
                                           Value key, Dim streamed) {
  SmallVector<Mapped> tiles = scoreOperands();
  for (Mapped &operand : tiles) {
    // A tensor is a capture taken whole.
    if (!operand.value || isa<RankedTensorType>(operand.value.getType()))
      continue;
    if (dimsOf(operand.map) & dims(streamed))
      operand = {};
    else
      operand = loadTile(operand, localOffsets(s, row, key), {M, N});
  }
  return tiles;
}

TileBuilder::State TileBuilder::step(const Sequence &s, const State &state,
                                     Value queryTile, Value keyTile,
                                     Value valueTile, ArrayRef<Mapped> fixed,
                                     Value row, Value key, bool isFull) {
  MLIRContext *context = b.getContext();
  AffineMap rowMap = mapOf(context, {M});
  SmallVector<AffineMap> maps = {mapOf(context, {M, D}), mapOf(context, {N, D}),
                                 mapOf(context, {N, E})};
  SmallVector<Value> tiles;
  for (auto [operand, loaded] : llvm::zip_equal(scoreOperands(), fixed)) {
    Mapped tile = loaded.value
                      ? loaded
                      : loadTile(operand, localOffsets(s, row, key), {M, N});
    tiles.push_back(tile.value);
    if (tile.value)
      maps.push_back(tile.map);
  }
  Value biasTile = tiles[0], maskTile = tiles[1], slope = tiles[2];
  ValueRange captureTiles = ValueRange(tiles).drop_front(3);
  maps.append({mapOf(context, {M, E}), rowMap, rowMap});
  SmallVector<Value> values = state.values();
  bool keepWindow = !isFull;
  auto tile = OnlineAttentionOp::create(
      b, loc, TypeRange(ValueRange(values)), queryTile, keyTile, valueTile,
      scale, biasTile, maskTile, slope, captureTiles, Value(), Value(), Value(),
      Value(), Value(), Value(), Value(), Value(), Value(), Value(), Value(),
      values, b.getAffineMapArrayAttr(maps),
      keepWindow ? online.getCausalAttr() : UnitAttr(),
      keepWindow && left ? online.getWindowLeftAttr() : IntegerAttr(),
      keepWindow && online.getWindowRight() && right
          ? online.getWindowRightAttr()
          : IntegerAttr(),
      AlignmentAttr::get(context, Alignment::TopLeft), online.getSoftcapAttr(),
      online.getSoftmaxTypeAttr(), online.getRawMaxAttr());
  IRMapping mapping;
  online.getScoreRegion().cloneInto(&tile.getScoreRegion(), mapping);
  online.getMaskRegion().cloneInto(&tile.getMaskRegion(), mapping);
  addPositions(tile, s, row, key, isFull);
  return {tile.getResult(0), tile.getResult(1), tile.getResult(2)};
}

/// `tile` with `other` in all rows at or past `rowsLeft`.
Value TileBuilder::keepRows(Value tile, Value rowsLeft, double other) {
  auto type = cast<RankedTensorType>(tile.getType());
  return linalg::GenericOp::create(
             b, loc, TypeRange{type}, ValueRange{}, ValueRange{tile},
             b.getMultiDimIdentityMap(type.getRank()),
             SmallVector<utils::IteratorType>(type.getRank(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location loc, ValueRange a) {
               Value i = linalg::IndexOp::create(b, loc, 0);
               Value keep = arith::CmpIOp::create(
                   b, loc, arith::CmpIPredicate::slt, i, rowsLeft);
               Value instead = arith::ConstantOp::create(
                   b, loc, b.getFloatAttr(type.getElementType(), other));
               Value v = arith::SelectOp::create(b, loc, keep, a[0], instead);
               linalg::YieldOp::create(b, loc, v);
             })
      .getResult(0);
}

void TileBuilder::finish(const Sequence &s, State state, Value row) {
  MLIRContext *context = b.getContext();
  // Rows past a query length are empty rows. They were computed like any
  // other, maybe from NaN.
  if (rowsMayEndEarly) {
    Value rowsLeft = index.sub(s.visibility.rowsEnd, row);
    state = {keepRows(state.acc, rowsLeft, 0),
             keepRows(state.rowMax, rowsLeft, -kInfinity),
             keepRows(state.rowSum, rowsLeft, 0)};
  }
  AffineMap rowMap = mapOf(context, {M}), accMap = mapOf(context, {M, E});
  SmallVector<AffineMap> maps = {accMap, rowMap, rowMap};
  Value sink;
  if (sinks.value) {
    Mapped tile = loadTile(sinks, localOffsets(s, row, {}), {});
    sink = tile.value;
    maps.push_back(tile.map);
  }
  auto elementType = [](Value v) { return getElementTypeOrSelf(v.getType()); };
  SmallVector<Value> outs = {tensor::EmptyOp::create(
      b, loc, ArrayRef<int64_t>{queryTile, paddedE}, elementType(out.value))};
  maps.push_back(accMap);
  if (lse.value) {
    outs.push_back(tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{queryTile},
                                           elementType(lse.value)));
    maps.push_back(rowMap);
  }
  auto tile = FinalizeOp::create(
      b, loc, TypeRange(ValueRange(outs)), state.acc, state.rowMax,
      state.rowSum, online.getRawMax() ? scale : Value(), sink, outs,
      b.getAffineMapArrayAttr(maps), finalize.getRawMaxAttr());
  Offsets at = packedOffsets(s, row, {});
  storeTile(tile.getResult(0), out, at, {M, E}, rowLimit(s));
  if (lse.value)
    storeTile(tile.getResult(1), lse, at, {M}, rowLimit(s));
}

SmallVector<Value>
TileBuilder::loop(Value begin, Value end, int64_t step, ValueRange carried,
                  function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (begin == end || (getConstantIntValue(begin) &&
                       getConstantIntValue(begin) == getConstantIntValue(end)))
    return llvm::to_vector(carried);
  auto loop =
      scf::ForOp::create(b, loc, begin, end, index.constant(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  // A loop that carries nothing has its terminator already.
  if (!carried.empty())
    scf::YieldOp::create(b, loc, results);
  return llvm::to_vector_of<Value>(loop.getResults());
}
