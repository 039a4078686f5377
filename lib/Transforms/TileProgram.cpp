//===- TileProgram.cpp - what every tile program is made of ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/TileProgram.h"
#include "fa/Transforms/Decompose.h"
#include "fa/Transforms/MaskReach.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fa;

/// Head dimensions of tiles are multiples of a matrix instruction's k.
static int64_t padded(Value extent) {
  return llvm::alignTo(getConstantIntValue(extent).value_or(0), 16);
}

TileProgram::TileProgram(OpBuilder &b, AttentionOpInterface self,
                         int64_t queryTile, int64_t keyTile)
    : b(b), loc(self.getLoc()), index(b, loc), queryTile(queryTile),
      keyTile(keyTile), self(self),
      left(self.getWindowReach(self.getWindowLeft())),
      right(self.getWindowReach(self.getWindowRight())),
      keysMayEndEarly(self.getKeyLengths() || self.getKeyLimit()),
      rowsMayEndEarly(self.getQueryLengths() || self.getQueryLimit()) {
  if (self.getCausal())
    right = std::min<int64_t>(right.value_or(0), 0);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A tensor as memory: what it was read from, or its buffer.
Value TileProgram::memoryOf(Value v) {
  if (!v || isa<MemRefType>(v.getType()))
    return v;
  if (auto toTensor = v.getDefiningOp<bufferization::ToTensorOp>())
    return toTensor.getBuffer();
  auto type = cast<RankedTensorType>(v.getType());
  return bufferization::ToBufferOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType()), v,
      /*read_only=*/true);
}

Mapped TileProgram::inMemory(OpOperand &operand) {
  return {memoryOf(operand.get()), self.getMapOf(operand)};
}

Mapped TileProgram::inMemory(MutableOperandRange optional) {
  return optional.empty() ? Mapped() : inMemory(optional[0]);
}

void TileProgram::prepareOperands() {
  scale = scaleOf(b, self);
  query = inMemory(self.getQueryMutable());
  key = inMemory(self.getKeyMutable());
  value = inMemory(self.getValueMutable());
  bias = inMemory(self.getBiasMutable());
  mask = inMemory(self.getMaskMutable());
  alibi = inMemory(self.getAlibiSlopesMutable());
  for (OpOperand &capture : self.getCapturesMutable()) {
    Mapped memory = inMemory(capture);
    // Taken whole, it stays a tensor that a tile only gathers from.
    if (self.isWholeCapture(capture)) {
      auto type = cast<ShapedType>(capture.get().getType());
      memory.value = bufferization::ToTensorOp::create(
          b, loc, RankedTensorType::get(type.getShape(), type.getElementType()),
          memory.value, /*restrict=*/true);
    }
    captures.push_back(memory);
  }
  queryLengths = memoryOf(self.getQueryLengths());
  keyLengths = memoryOf(self.getKeyLengths());
  queryOffsets = memoryOf(self.getQueryOffsets());
  keyOffsets = memoryOf(self.getKeyOffsets());
}

void TileProgram::prepareExtents(ArrayRef<Mapped> others) {
  SmallVector<Mapped> memory = {query, key, value};
  llvm::append_range(memory, others);
  for (const Mapped &operand : scoreOperands())
    if (operand.value && isa<MemRefType>(operand.value.getType()))
      memory.push_back(operand);
  DomainBuilder domain(b, loc, memory);
  for (unsigned dim = 0; dim < NumDims; ++dim)
    extents[dim] = domain.extentValue(static_cast<Dim>(dim));
  paddedD = padded(extents[D]);
  paddedE = padded(extents[E]);
}

SmallVector<OpFoldResult> TileProgram::headExtents() {
  Value batches = extents[B];
  if (isPacked()) {
    Value entries = getValueOrCreateConstantIndexOp(
        b, loc, extentOfDim(b, loc, queryOffsets, 0));
    batches = index.add(entries, -1);
  }
  return getAsOpFoldResult({batches, extents[H], extents[G]});
}

OpFoldResult TileProgram::queryTileCount() {
  return getAsOpFoldResult(index.ceilDiv(extents[M], queryTile));
}

OpFoldResult TileProgram::keyTileCount() {
  return getAsOpFoldResult(index.ceilDiv(extents[N], keyTile));
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

static Value loadIndex(OpBuilder &b, Location loc, Value memory, Value at) {
  Value v = memref::LoadOp::create(b, loc, memory, at);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
}

/// Start and count of a packed sequence's rows, among `rows`. Offsets that
/// descend or leave the array give empty or shorter sequences: nothing is read
/// or written outside of it.
std::pair<Value, Value> TileProgram::packedRange(Value offsets, Value sequence,
                                                 Value rows) {
  auto inside = [&](Value at) {
    Value offset = loadIndex(b, loc, offsets, at);
    return index.min(index.clampToZero(offset), rows);
  };
  Value start = inside(sequence), end = inside(index.add(sequence, 1));
  return {start, index.clampToZero(index.sub(end, start))};
}

/// The end of rows or keys in absolute positions.
Value TileProgram::absoluteEnd(Value base, Value limit, Value lengths,
                               Value count, Value batch) {
  Value end = limit ? limit : base ? index.add(base, count) : count;
  return lengths ? index.min(end, loadIndex(b, loc, lengths, batch)) : end;
}

Value TileProgram::localEnd(Value absoluteEnd, Value base, Value count) {
  if (absoluteEnd == count)
    return count;
  Value end = base ? index.sub(absoluteEnd, base) : absoluteEnd;
  return index.clampToZero(index.min(end, count));
}

TileProgram::Sequence TileProgram::enterSequence(Value batch, Value h,
                                                 Value g) {
  Sequence s;
  s.b = batch;
  s.h = h;
  s.g = g;
  if (isPacked()) {
    std::tie(s.rowStart, s.rowCount) =
        packedRange(queryOffsets, batch, extents[M]);
    std::tie(s.keyStart, s.keyCount) =
        packedRange(keyOffsets, batch, extents[N]);
  } else {
    s.rowStart = s.keyStart = index.constant(0);
    s.rowCount = extents[M];
    s.keyCount = extents[N];
  }
  Value rowBase = self.getQueryBase(), keyBase = self.getKeyBase();
  Value rowsEnd = absoluteEnd(rowBase, self.getQueryLimit(), queryLengths,
                              s.rowCount, batch);
  Value keysEnd =
      absoluteEnd(keyBase, self.getKeyLimit(), keyLengths, s.keyCount, batch);
  Visibility &v = s.visibility;
  v.rowsEnd =
      rowsMayEndEarly ? localEnd(rowsEnd, rowBase, s.rowCount) : s.rowCount;
  v.keysEnd =
      keysMayEndEarly ? localEnd(keysEnd, keyBase, s.keyCount) : s.keyCount;
  v.rowsMayEndEarly = rowsMayEndEarly;
  v.left = left;
  v.right = right;
  if (!self.usesOffset())
    return s;
  if (self.getOffset())
    s.offset = self.getOffset();
  else if (self.getAlignment() == Alignment::BottomRight)
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

TileProgram::Offsets TileProgram::localOffsets(const Sequence &s, Value row,
                                               Value key) {
  Value zero = index.constant(0);
  return {s.b, s.h, s.g, row, key, zero, zero};
}

TileProgram::Offsets TileProgram::packedOffsets(const Sequence &s, Value row,
                                                Value key) {
  Offsets offsets = localOffsets(s, row, key);
  if (row)
    offsets[M] = index.add(row, s.rowStart);
  if (key)
    offsets[N] = index.add(key, s.keyStart);
  return offsets;
}

int64_t TileProgram::tileExtent(Dim dim) {
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

SmallVector<Value> TileProgram::offsetsIn(const Mapped &memory,
                                          const Offsets &offsets) {
  SmallVector<Value> result;
  for (unsigned i = 0; i < memory.map.getNumResults(); ++i)
    result.push_back(offsets[memory.map.getDimPosition(i)]);
  return result;
}

/// The tile along those dimensions of `order` that the operand has. Without
/// any it is one scalar, as a tensor of rank 0.
Mapped TileProgram::loadTile(const Mapped &memory, const Offsets &offsets,
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

void TileProgram::storeTile(Value tile, const Mapped &memory,
                            const Offsets &offsets, ArrayRef<Dim> order,
                            Value limit) {
  SmallVector<int64_t> tileDims;
  for (Dim dim : order)
    tileDims.push_back(positionOf(memory.map, dim));
  StoreTileOp::create(b, loc, tile, memory.value, offsetsIn(memory, offsets),
                      limit, tileDims);
}

/// Rows past it belong to the next packed sequence.
Value TileProgram::rowLimit(const Sequence &s) {
  return isPacked() ? index.add(s.rowStart, s.rowCount) : Value();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

TileRange TileProgram::keysSeen(const Sequence &s, Value row) {
  TileRange range = visibleKeys(index, s.visibility, row, queryTile, keyTile);
  return restrictByMask(range, s, Axis::Key, row);
}

TileRange TileProgram::rowsSeen(const Sequence &s, Value key) {
  TileRange range = visibleRows(index, s.visibility, key, queryTile, keyTile);
  return restrictByMask(range, s, Axis::Query, key);
}

TileRange TileProgram::restrictByMask(const TileRange &range, const Sequence &s,
                                      Axis streamed, Value at) {
  if (self.getMaskRegion().empty())
    return range;
  auto plus = [&](Value base, Value by) {
    return base ? index.add(base, by) : by;
  };
  bool isKey = streamed == Axis::Key;
  Value base = isKey ? self.getKeyBase() : self.getQueryBase();
  Value otherBase = isKey ? self.getQueryBase() : self.getKeyBase();
  Value otherEnd = isKey ? s.visibility.rowsEnd : s.visibility.keysEnd;
  Value end = isKey ? s.visibility.keysEnd : s.visibility.rowsEnd;
  // Rows and keys past the end need not be kept or hidden.
  int64_t otherTile = isKey ? queryTile : keyTile;
  Value last = index.add(at, otherTile);
  if (!index.isMultipleOf(otherEnd, otherTile))
    last = index.min(last, otherEnd);
  MaskTile tile;
  tile.streamed = streamed;
  tile.first = plus(otherBase, at);
  tile.last = plus(otherBase, index.add(last, -1));
  tile.batch = plus(self.getBatchBase(), s.b);
  tile.head = plus(self.getHeadBase(), headOf(s));
  tile.streamedBegin = base ? base : index.constant(0);
  tile.streamedEnd = plus(base, end);
  tile.isInMemory =
      !base && !otherBase && !self.getBatchBase() && !self.getHeadBase();
  auto capture = [&](unsigned i) { return scalarCapture(s, i); };
  tile.capture = capture;
  Reach reach = reachOfMask(index, b, self, tile);
  fullHidesNothing = reach.must.has_value();
  return restrictTo(index, range, reach, base, isKey ? keyTile : queryTile);
}

Value TileProgram::scalarCapture(const Sequence &s, unsigned i) {
  const Mapped &memory = captures[i];
  if (isa<RankedTensorType>(memory.value.getType()) ||
      (dimsOf(memory.map) & dims(M, N)))
    return {};
  Value zero = index.constant(0);
  return memref::LoadOp::create(b, loc, memory.value,
                                offsetsIn(memory, localOffsets(s, zero, zero)));
}

Value TileProgram::headOf(const Sequence &s) {
  return index.add(index.mul(s.h, extents[G]), s.g);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Absolute positions, as far as something in this tile asks for them.
TileProgram::Positions TileProgram::positionsOf(const Sequence &s, Value row,
                                                Value key, bool isFull,
                                                bool limitsRows) {
  Positions positions;
  bool hasRegions = !self.getScoreRegion().empty() ||
                    (!self.getMaskRegion().empty() && appliesMask(isFull));
  bool limitsKeys =
      !isFull && !index.isMultipleOf(s.visibility.keysEnd, keyTile);
  limitsRows = limitsRows && !isFull &&
               !index.isMultipleOf(s.visibility.rowsEnd, queryTile);
  bool usesDiagonal = (!isFull && (left || right)) || alibi.value;
  auto plus = [&](Value base, Value by) {
    return base ? index.add(base, by) : by;
  };
  if (hasRegions || usesDiagonal || limitsKeys || limitsRows) {
    positions.queryBase = plus(self.getQueryBase(), row);
    positions.keyBase = plus(self.getKeyBase(), key);
  }
  if (limitsKeys)
    positions.keyLimit = plus(self.getKeyBase(), s.visibility.keysEnd);
  if (limitsRows)
    positions.queryLimit = plus(self.getQueryBase(), s.visibility.rowsEnd);
  if (usesDiagonal)
    positions.offset = s.offset;
  if (!hasRegions)
    return positions;
  positions.batchBase = plus(self.getBatchBase(), s.b);
  positions.headBase = plus(self.getHeadBase(), headOf(s));
  return positions;
}

SmallVector<Mapped> TileProgram::scoreOperands() {
  SmallVector<Mapped> operands = {bias, mask, alibi};
  llvm::append_range(operands, captures);
  return operands;
}

SmallVector<Mapped> TileProgram::loadFixed(const Sequence &s, Value row,
                                           Value key, Dim streamed) {
  SmallVector<Mapped> tiles = scoreOperands();
  for (Mapped &operand : tiles) {
    // A tensor is a capture taken whole.
    if (!operand.value || isa<RankedTensorType>(operand.value.getType()))
      continue;
    if (dimsOf(operand.map) & dims(streamed))
      operand = {};
    else
      operand = loadTile(operand, localOffsets(s, row, key), scoreOrder);
  }
  return tiles;
}

SmallVector<Mapped> TileProgram::loadMissing(const Sequence &s,
                                             ArrayRef<Mapped> fixed, Value row,
                                             Value key, bool isFull) {
  SmallVector<Mapped> operands = scoreOperands(), tiles;
  // A full tile may have no region that reads captures.
  if (self.getScoreRegion().empty() && !appliesMask(isFull))
    operands.truncate(operands.size() - captures.size());
  for (auto [operand, loaded] :
       llvm::zip(operands, fixed.take_front(operands.size())))
    tiles.push_back(loaded.value ? loaded
                                 : loadTile(operand, localOffsets(s, row, key),
                                            scoreOrder));
  return tiles;
}

Value TileProgram::filledTile(ArrayRef<int64_t> shape, double v) {
  Type type = self.getComputeType();
  Value scalar = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, v));
  Value empty = tensor::EmptyOp::create(b, loc, shape, type);
  return linalg::FillOp::create(b, loc, scalar, empty).getResult(0);
}

/// `tile` with `other` in all rows at or past `rowsLeft`.
Value TileProgram::keepRows(Value tile, Value rowsLeft, double other) {
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

SmallVector<Value>
TileProgram::loop(Value begin, Value end, int64_t step, ValueRange carried,
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
