//===- Gradients.cpp - what only gradients need, in the simulator ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;
using namespace fa::simulator;

std::vector<double> Interpreter::operandOf(Operation *op, Value smem,
                                           Value index, int64_t tiles,
                                           Datum &reader) {
  auto &all = block.tiles[smem.getDefiningOp()];
  SharedTile *first = readable(op, smem, index);
  if (!first)
    return {};
  int64_t start = first - all.data();
  std::vector<double> data;
  for (int64_t i = start; i < start + tiles; ++i) {
    if (i >= static_cast<int64_t>(all.size()) || all[i].ring != first->ring ||
        all[i].round != first->round || all[i].issued != all[i].arrived) {
      op->emitError("early read: not all of the tiles are there");
      return {};
    }
    reader.reads.push_back({&all[i], all[i].issued});
    data.insert(data.end(), all[i].data.begin(), all[i].data.end());
  }
  return data;
}

LogicalResult Interpreter::bulkLoad(BulkLoadOp op) {
  if (failed(pause(op)))
    return failure();
  SimulatedBuffer *source = bufferOf(op, op.getSource());
  if (!source)
    return failure();
  int64_t offset = 0;
  for (auto [v, extent] : llvm::zip(op.getOffsets(), source->shape))
    offset = offset * extent + integer(v);
  auto type = cast<SharedRowsType>(op.getRows().getType());
  int64_t count = type.getRows(), size = source->data.size();
  if (offset < 0 || offset + count > size || offset % 4 != 0)
    return op.emitError("reads ")
           << count << " numbers from " << offset << " on of " << size;
  int64_t passed = at(op.getCursor()).count;
  Slot &slot = ringOf(op.getRing()).slots[passed % type.getSlots()];
  SharedTile *target =
      &block.rows[op.getRows().getDefiningOp()][passed % type.getSlots()];
  std::vector<double> data(source->data.begin() + offset,
                           source->data.begin() + offset + count);
  std::fill(target->data.begin(), target->data.end(), std::nan(""));
  ++target->issued;
  target->ring = op.getRing().getDefiningOp();
  target->round = passed;
  int64_t bytes = type.getSlotBytes();
  launch.turns.addCopy({[target, &slot, bytes, data = std::move(data)] {
    target->data = data;
    ++target->arrived;
    slot.bytesMissing -= bytes;
    finishFull(slot);
  }});
  return success();
}

LogicalResult Interpreter::readCols(ReadColsOp op) {
  auto type = cast<SharedRowsType>(op.getRows().getType());
  int64_t slot = at(op.getIndex()).count % type.getSlots();
  SharedTile &source = block.rows[op.getRows().getDefiningOp()][slot];
  bool holds =
      llvm::is_contained(agent.held, std::make_pair(source.ring, source.round));
  if (!holds || source.issued != source.arrived)
    return op.emitError("early read: this warpgroup has not waited for these "
                        "numbers");
  auto tile = std::make_shared<Tile>(
      cast<RankedTensorType>(op.getResult().getType()).getShape());
  for (auto [i, number] : llvm::enumerate(tile->data))
    number = source.data[i % type.getRows()];
  values[op.getResult()].tile = tile;
  return success();
}

LogicalResult Interpreter::storeFragments(StoreFragmentsOp op) {
  if (failed(pause(op)))
    return failure();
  auto &tiles = block.tiles[op.getSmem().getDefiningOp()];
  auto cursor = cast<CursorType>(op.getIndex().getType());
  int64_t stages = cursor.getStages(), perSlot = tiles.size() / stages;
  int64_t count = at(op.getIndex()).count, part = integer(op.getPart());
  if (part < 0 || part >= perSlot)
    return op.emitError("there is no such tile");
  SharedTile &target = tiles[count % stages * perSlot + part];
  if (target.ring) {
    Slot &slot = block.rings[target.ring].slots[count % stages];
    if (slot.emptyPhases != count / stages)
      return op.emitError("early write: the tile's last contents have not been "
                          "released by everybody");
  }
  target.data = at(op.getTile()).tile->data;
  target.unfenced = op.getUnfenced();
  ++target.issued;
  agent.written.push_back(&target);
  return success();
}

/// The copy reads when it arrives: whoever may write its source again has to
/// wait for somebody who has waited for it.
LogicalResult Interpreter::send(SendOp op) {
  if (failed(pause(op)))
    return failure();
  auto type = cast<SwizzledType>(op.getSmem().getType());
  Operation *smem = op.getSmem().getDefiningOp(),
            *ring = op.getRing().getDefiningOp();
  int64_t stages = cast<CursorType>(op.getCursor().getType()).getStages();
  int64_t count = at(op.getCursor()).count, perSlot = type.getTiles() / stages;
  int64_t first = count % stages * perSlot;
  SharedTile *from = &block.tiles[smem][first + op.getFrom()];
  SharedTile *to = &block.other->tiles[smem][first + op.getTo()];
  if (!llvm::is_contained(agent.written, from))
    return op.emitError("early read: this warpgroup has not written the tile "
                        "since it took the slot");
  if (from->unfenced)
    return op.emitError("early read: ordinary stores have filled the tile, "
                        "and nobody has fenced since");
  if (to->issued != to->arrived)
    return op.emitError("early write: an earlier copy into this tile has not "
                        "arrived");
  std::fill(to->data.begin(), to->data.end(), std::nan(""));
  ++to->issued;
  to->ring = ring;
  to->round = count;
  Slot *slot = &block.other->rings[ring].slots[count % stages];
  int64_t bytes = op.getBytes(), issued = from->issued;
  launch.turns.addCopy({[=, &turns = launch.turns]() mutable {
    if (from->issued != issued) {
      op.emitError("early write: the tile was written again before it was "
                   "copied");
      turns.fail();
    }
    to->data = from->data;
    ++to->arrived;
    slot->bytesMissing -= bytes;
    finishFull(*slot);
  }});
  return success();
}

LogicalResult Interpreter::readFragments(ReadFragmentsOp op) {
  if (failed(pause(op)))
    return failure();
  Datum reader;
  std::vector<double> all =
      operandOf(op, op.getSmem(), op.getIndex(), op.getTiles(), reader);
  if (all.empty())
    return failure();
  auto type = cast<SwizzledType>(op.getSmem().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto tile = std::make_shared<Tile>(result.getShape());
  int64_t m = result.getDimSize(0), columns = result.getDimSize(1);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < columns; ++j)
      tile->data[i * columns + j] =
          all[op.getRowsAreColumns() ? j * m + i : i * type.getCols() + j];
  values[op.getResult()].tile = tile;
  return success();
}

LogicalResult Interpreter::mulPacked(MulPackedOp op) {
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  auto tile = std::make_shared<Tile>(*at(op.getLhs()).tile);
  for (auto [x, y] : llvm::zip(tile->data, at(op.getRhs()).tile->data))
    x = roundTo(element, x * y);
  values[op.getResult()].tile = tile;
  return success();
}

/// Calls `f` with the element in a buffer in fragment order and the one in a
/// tile of 64 rows, which starts at 8 * `group` columns.
static LogicalResult forEachFragment(Operation *op, SimulatedBuffer &buffer,
                                     ArrayRef<int64_t> offsets, int64_t row,
                                     int64_t columns, int64_t group,
                                     function_ref<void(double &, int64_t)> f) {
  int64_t start = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets))
    if (static_cast<int64_t>(dim) != row)
      start = start * buffer.shape[dim] + offset;
  int64_t firstRow = offsets[row];
  if (firstRow % kBlockRows != 0 || firstRow + kBlockRows > buffer.shape[row])
    return op->emitError("rows from ") << firstRow << " on are no block";
  start = (start * buffer.shape[row] + firstRow) * buffer.shape.back();
  constexpr int64_t eight = 8, elements = 4;
  for (int64_t i = 0; i < kBlockRows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      // Who has it: warp i / 16, lane 4 * (i mod 8) + (j mod 8) / 2.
      int64_t thread = i / 16 * 32 + i % 8 * 4 + j % 8 / 2;
      int64_t place = i % 16 / 8 * 2 + j % 2;
      int64_t at = (group + j / eight) * kGroupThreads + thread;
      f(buffer.data[start + at * elements + place], i * columns + j);
    }
  return success();
}

template <typename OpTy>
static SmallVector<int64_t> offsetsOf(OpTy op,
                                      function_ref<int64_t(Value)> valueOf) {
  return llvm::map_to_vector(op.getOffsets(), valueOf);
}

/// The first group of columns that an op moves, of parts of so many columns.
template <typename OpTy>
static int64_t groupOf(OpTy op, int64_t part,
                       function_ref<int64_t(Value)> valueOf) {
  constexpr int64_t eight = 8;
  return op.getColumns() ? valueOf(op.getColumns()) * part / eight : 0;
}

LogicalResult Interpreter::reduceAdd(ReduceAddOp op) {
  if (failed(pause(op)))
    return failure();
  SimulatedBuffer *target = bufferOf(op, op.getBuffer());
  if (!target)
    return failure();
  int64_t group = groupOf(op, op.getHalfBlocks() ? 32 : 64,
                          [&](Value v) { return integer(v); });
  Tile &tile = *at(op.getTile()).tile;
  bool inTurn = true;
  auto add = [&](double &sum, int64_t i) {
    sum = static_cast<float>(sum + tile.data[i]);
    if (i != 0)
      return;
    int64_t &last = launch.lastAdders.try_emplace(&sum, -1).first->second;
    inTurn = last < block.ticket;
    last = block.ticket;
  };
  if (failed(forEachFragment(op, *target,
                             offsetsOf(op, [&](Value v) { return integer(v); }),
                             op.getTileDims()[0], tile.shape[1], group, add)))
    return failure();
  if (op.getOrdered() && !inTurn)
    return op.emitError("adds out of turn: a block with a larger ticket has "
                        "been there");
  return success();
}

LogicalResult Interpreter::loadFragments(LoadFragmentsOp op) {
  SimulatedBuffer *source = bufferOf(op, op.getBuffer());
  if (!source)
    return failure();
  auto tile = std::make_shared<Tile>(
      cast<RankedTensorType>(op.getTile().getType()).getShape());
  values[op.getTile()].tile = tile;
  return forEachFragment(
      op, *source, offsetsOf(op, [&](Value v) { return integer(v); }),
      op.getTileDims()[0], tile->shape[1],
      groupOf(op, 64, [&](Value v) { return integer(v); }),
      [&](double &from, int64_t i) { tile->data[i] = from; });
}

LogicalResult Interpreter::roundFragments(RoundFragmentsOp op) {
  SimulatedBuffer *source = bufferOf(op, op.getBuffer());
  if (!source || failed(pause(op)))
    return failure();
  auto type = cast<MemRefType>(op.getDestination().getType());
  float scale = at(op.getScale()).scalar.f;
  int64_t columns = source->shape.back(), rows = kBlockRows / op.getParts(),
          first = integer(op.getPart()) * rows;
  Tile tile({rows, columns});
  auto round = [&](double &from, int64_t i) {
    int64_t to = i - first * columns;
    if (to < 0 || to >= rows * columns)
      return;
    float scaled = static_cast<float>(from) * scale;
    tile.data[to] = roundTo(type.getElementType(), scaled);
  };
  if (failed(forEachFragment(op, *source,
                             offsetsOf(op, [&](Value v) { return integer(v); }),
                             op.getTileDims()[0], columns, /*group=*/0, round)))
    return failure();
  SmallVector<int64_t> to =
      llvm::map_to_vector(op.getTo(), [&](Value v) { return integer(v); });
  to[op.getToDims()[0]] += first;
  return storeClipped(op, tile, op.getDestination(), to, INT64_MAX,
                      op.getToDims());
}

LogicalResult Interpreter::putFragments(PutFragmentsOp op) {
  SimulatedBuffer *target = bufferOf(op, op.getBuffer());
  if (!target)
    return failure();
  Tile &tile = *at(op.getTile()).tile;
  return forEachFragment(op, *target,
                         offsetsOf(op, [&](Value v) { return integer(v); }),
                         op.getTileDims()[0], tile.shape[1], /*group=*/0,
                         [&](double &to, int64_t i) { to = tile.data[i]; });
}
