//===- TileBuilder.cpp - the tile program of one attention ----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/TileBuilder.h"
#include "fa/Transforms/AttentionProblem.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fa;

TileBuilder::TileBuilder(OpBuilder &b, OnlineAttentionOp online,
                         FinalizeOp finalize, ScheduleAttr schedule)
    : TileProgram(b, cast<AttentionOpInterface>(online.getOperation()),
                  schedule.getQueryTile(), schedule.getKeyTile()),
      partialSums(schedule.getPartialSums()), online(online),
      finalize(finalize) {}

void TileBuilder::prepare(ArrayRef<Value> outputs) {
  prepareOperands();
  auto maps = finalize.getIndexingMaps().getAsValueRange<AffineMapAttr>();
  SmallVector<AffineMap> finalMaps(maps.begin(), maps.end());
  unsigned next = 3;
  if (finalize.getSinks())
    sinks = {memoryOf(finalize.getSinks()), finalMaps[next++]};
  out = {outputs[0], finalMaps[next++]};
  if (finalize.getLse() && outputs[1])
    lse = {outputs[1], finalMaps[next]};
  prepareExtents(out);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

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

TileBuilder::State TileBuilder::step(const Sequence &s, const State &state,
                                     Value queryTile, Value keyTile,
                                     Value valueTile, ArrayRef<Mapped> fixed,
                                     Value row, Value key, bool isFull) {
  MLIRContext *context = b.getContext();
  AffineMap rowMap = mapOf(context, {M});
  SmallVector<AffineMap> maps = {mapOf(context, {M, D}), mapOf(context, {N, D}),
                                 mapOf(context, {N, E})};
  SmallVector<Value> tiles;
  for (const Mapped &tile : loadMissing(s, fixed, row, key, isFull)) {
    tiles.push_back(tile.value);
    if (tile.value)
      maps.push_back(tile.map);
  }
  Positions at = positionsOf(s, row, key, isFull, /*limitsRows=*/false);
  Value biasTile = tiles[0], maskTile = tiles[1], slope = tiles[2];
  ValueRange captureTiles = ValueRange(tiles).drop_front(3);
  maps.append({mapOf(context, {M, E}), rowMap, rowMap});
  SmallVector<Value> values = state.values();
  bool keepWindow = !isFull;
  auto tile = OnlineAttentionOp::create(
      b, loc, TypeRange(ValueRange(values)), queryTile, keyTile, valueTile,
      scale, biasTile, maskTile, slope, captureTiles, Value(), Value(), Value(),
      Value(), at.queryBase, at.keyBase, at.batchBase, at.headBase,
      at.queryLimit, at.keyLimit, at.offset, values,
      b.getAffineMapArrayAttr(maps),
      keepWindow ? online.getCausalAttr() : UnitAttr(),
      keepWindow && left ? online.getWindowLeftAttr() : IntegerAttr(),
      keepWindow && online.getWindowRight() && right
          ? online.getWindowRightAttr()
          : IntegerAttr(),
      AlignmentAttr::get(context, Alignment::TopLeft), online.getSoftcapAttr(),
      online.getSoftmaxTypeAttr(), online.getRawMaxAttr());
  IRMapping mapping;
  online.getScoreRegion().cloneInto(&tile.getScoreRegion(), mapping);
  if (appliesMask(isFull))
    online.getMaskRegion().cloneInto(&tile.getMaskRegion(), mapping);
  return {tile.getResult(0), tile.getResult(1), tile.getResult(2)};
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
