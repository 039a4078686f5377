//===- Memory.cpp - global memory, read and written by threads ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;
using namespace fa::simulator;

/// Calls `f` with the offset in memory (-1 where that is outside) and in the
/// tile of every element of a tile.
static void forEachElement(const SimulatedBuffer &buffer,
                           ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> tileDims, int64_t limit,
                           function_ref<void(int64_t, int64_t)> f) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t n = 0; n < count; ++n) {
    SmallVector<int64_t> at(offsets);
    int64_t rest = n;
    for (int64_t d = shape.size() - 1; d >= 0; --d) {
      at[tileDims[d]] += rest % shape[d];
      rest /= shape[d];
    }
    bool inside = at[tileDims.front()] < limit;
    int64_t offset = 0;
    for (auto [position, extent] : llvm::zip(at, buffer.shape)) {
      inside &= position >= 0 && position < extent;
      offset = offset * extent + position;
    }
    f(inside ? offset : -1, n);
  }
}

LogicalResult Interpreter::loadTile(LoadTileOp op) {
  SimulatedBuffer *source = bufferOf(op, op.getSource());
  if (!source)
    return failure();
  SmallVector<int64_t> offsets;
  for (Value v : op.getOffsets())
    offsets.push_back(integer(v));
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getTile().getType()).getShape();
  auto tile = std::make_shared<Tile>(shape);
  int64_t limit = op.getLimit() ? integer(op.getLimit()) : INT64_MAX;
  forEachElement(*source, offsets, shape, op.getTileDims(), limit,
                 [&](int64_t from, int64_t to) {
                   tile->data[to] = from < 0 ? 0 : source->data[from];
                 });
  values[op.getTile()].tile = tile;
  return success();
}

LogicalResult Interpreter::storeClipped(Operation *op, const Tile &source,
                                        Value to, ArrayRef<int64_t> offsets,
                                        int64_t limit,
                                        ArrayRef<int64_t> tileDims) {
  SimulatedBuffer *target = bufferOf(op, to);
  if (!target)
    return failure();
  forEachElement(*target, offsets, source.shape, tileDims, limit,
                 [&](int64_t to, int64_t from) {
                   if (to >= 0)
                     target->data[to] = source.data[from];
                 });
  return success();
}

template <typename OpTy> LogicalResult Interpreter::storeWhole(OpTy op) {
  SmallVector<int64_t> offsets =
      llvm::map_to_vector(op.getOffsets(), [&](Value v) { return integer(v); });
  int64_t limit = op.getLimit() ? integer(op.getLimit()) : INT64_MAX;
  return storeClipped(op, *at(op.getTile()).tile, op.getDestination(), offsets,
                      limit, op.getTileDims());
}

LogicalResult Interpreter::storeTile(StoreTileOp op) { return storeWhole(op); }

LogicalResult Interpreter::storeThrough(StoreThroughOp op) {
  return storeWhole(op);
}

LogicalResult Interpreter::loadElement(memref::LoadOp op) {
  SimulatedBuffer *source = bufferOf(op, op.getMemRef());
  if (!source)
    return failure();
  int64_t offset = 0;
  for (auto [v, extent] : llvm::zip(op.getIndices(), source->shape)) {
    int64_t position = integer(v);
    if (position < 0 || position >= extent)
      return op.emitError("reads outside of the buffer: ")
             << position << " is not in [0, " << extent << ")";
    offset = offset * extent + position;
  }
  values[op.getResult()].scalar =
      scalarOf(op.getMemRefType(), source->data[offset]);
  return success();
}

LogicalResult Interpreter::readExtent(memref::DimOp op) {
  SimulatedBuffer *buffer = bufferOf(op, op.getSource());
  std::optional<int64_t> dim = op.getConstantIndex();
  if (!buffer || !dim)
    return failure();
  values[op.getResult()].scalar.i = buffer->shape[*dim];
  return success();
}
