//===- Hopper.cpp - rings, TMA and wgmma in the simulator -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;
using namespace fa::simulator;

/// Lets others go first; later on, what can happen has happened in some order.
LogicalResult Interpreter::pause(Operation *op, std::function<bool()> canGo) {
  return success(launch.turns.yield(agent, op, std::move(canGo)));
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::acquire(Operation *op, Value v, int64_t count) {
  Ring &ring = ringOf(v);
  int64_t stages = ring.slots.size(), round = count / stages;
  Slot &slot = ring.slots[count % stages];
  // Passes when the phase of parity (round - 1) mod 2 is complete.
  if (failed(pause(op, [&slot, round] {
        return (slot.emptyPhases & 1) == (round & 1);
      })))
    return failure();
  if (slot.emptyPhases != round)
    return op->emitError("wrong phase: slot ")
           << count % stages << " was released " << slot.emptyPhases
           << " times, and is acquired for round " << round;
  return success();
}

LogicalResult Interpreter::pauseUntilFull(Operation *op, Value v,
                                          int64_t count) {
  Ring &ring = ringOf(v);
  int64_t stages = ring.slots.size(), round = count / stages;
  Slot &slot = ring.slots[count % stages];
  if (failed(pause(
          op, [&slot, round] { return (slot.fullPhases & 1) != (round & 1); })))
    return failure();
  if (slot.fullPhases != round + 1)
    return op->emitError("wrong phase: slot ")
           << count % stages << " was filled " << slot.fullPhases
           << " times, and round " << round << " is waited for";
  return success();
}

LogicalResult Interpreter::waitFull(Operation *op, Value v, int64_t count) {
  std::pair<Operation *, int64_t> slotHere{v.getDefiningOp(), count};
  auto wait = dyn_cast<WaitFullOp>(op);
  if (wait && wait.getAgain())
    return llvm::is_contained(agent.held, slotHere)
               ? success()
               : op->emitError("early read: nobody has waited for this slot "
                               "before");
  if (failed(pauseUntilFull(op, v, count)))
    return failure();
  agent.hasFenced = false;
  if (!llvm::is_contained(agent.held, slotHere))
    agent.held.push_back(slotHere);
  return success();
}

LogicalResult Interpreter::clearTail(ClearTailOp op) {
  auto type = cast<SwizzledType>(op.getSmem().getType());
  int64_t from = std::max<int64_t>(integer(op.getFrom()), 0);
  if (from >= type.getRows())
    return success();
  int64_t count = at(op.getCursor()).count;
  if (failed(pauseUntilFull(op, op.getRing(), count)))
    return failure();
  SharedTile *tile =
      tileOf(op.getSmem(), op.getTile() ? op.getTile() : op.getCursor());
  if (tile->ring != op.getRing().getDefiningOp() || tile->round != count)
    return op.emitError("the slot brings another tile");
  std::fill(tile->data.begin() + from * type.getCols(), tile->data.end(), 0.0);
  return success();
}

void fa::simulator::finishFull(Slot &slot) {
  if (slot.commits != slot.fills || slot.bytesMissing != 0)
    return;
  slot.commits = 0;
  ++slot.fullPhases;
}

LogicalResult Interpreter::arriveFull(Operation *op, Value v, int64_t count,
                                      int64_t bytes) {
  Ring &ring = ringOf(v);
  Slot &slot = ring.slots[count % ring.slots.size()];
  if (slot.commits == slot.fills)
    return op->emitError("unbalanced ring: the slot is committed twice in one "
                         "round");
  ++slot.commits;
  slot.bytesMissing += bytes;
  finishFull(slot);
  return success();
}

LogicalResult Interpreter::commit(CommitOp op) {
  if (failed(pause(op)))
    return failure();
  int64_t count = at(op.getCursor()).count;
  for (SharedTile *tile : agent.written) {
    tile->ring = op.getRing().getDefiningOp();
    tile->round = count;
    tile->arrived = tile->issued;
  }
  agent.written.clear();
  return arriveFull(op, op.getRing(), count, op.getBytes());
}

LogicalResult Interpreter::release(ReleaseOp op) {
  if (failed(pause(op)))
    return failure();
  int64_t count = at(op.getCursor()).count;
  Operation *declaration = op.getRing().getDefiningOp();
  auto held = llvm::find(agent.held, std::make_pair(declaration, count));
  if (held == agent.held.end())
    return op.emitError("unbalanced ring: releases a slot that it does not "
                        "hold");
  agent.held.erase(held);
  auto arrive = [&](simulator::Block &at) {
    Ring &ring = at.rings[declaration];
    Slot &slot = ring.slots[count % ring.slots.size()];
    if (++slot.releases == ring.consumers) {
      slot.releases = 0;
      ++slot.emptyPhases;
    }
  };
  arrive(block);
  if (!cast<RingOp>(declaration).getPaired())
    return success();
  if (failed(pause(op)))
    return failure();
  arrive(*block.other);
  return success();
}

double *Interpreter::countOf(Operation *op, Value counts, Value index) {
  SimulatedBuffer *buffer = bufferOf(op, counts);
  if (!buffer)
    return nullptr;
  int64_t at = integer(index);
  if (at >= 0 && at < static_cast<int64_t>(buffer->data.size()))
    return &buffer->data[at];
  op->emitError("there is no such count");
  return nullptr;
}

/// In the last thing that a role does.
static bool keepsNobodyWaiting(Operation *op) {
  Operation *loop = op->getParentOfType<ForEachNumberOp>();
  while (loop && (loop = loop->getNextNode()))
    if (isa<ForEachTileOp>(loop))
      return false;
  return static_cast<bool>(op->getParentOfType<ForEachNumberOp>());
}

LogicalResult Interpreter::awaitCount(AwaitCountOp op) {
  double *count = countOf(op, op.getCounts(), op.getIndex());
  int64_t least = integer(op.getLeast());
  if (!count || failed(pause(op, [count, least] { return *count >= least; })))
    return failure();
  // Who has set it, or who was the last to add of those that are waited for.
  auto setter = launch.setters.find(count);
  auto adders = launch.adders.find(count);
  int64_t last = -1;
  if (least > 0 && setter != launch.setters.end())
    last = setter->second;
  if (adders != launch.adders.end())
    for (int64_t i = 0; i < least; ++i)
      last = std::max(last, adders->second[i]);
  if (last >= ticket() && last >= 0 && !keepsNobodyWaiting(op))
    return op.emitError("waits for a block that may not have begun");
  return success();
}

LogicalResult Interpreter::setCount(SetCountOp op) {
  double *count = countOf(op, op.getCounts(), op.getIndex());
  if (failed(pause(op)) || !count)
    return failure();
  *count = integer(op.getValue());
  launch.setters[count] = block.ticket;
  return success();
}

LogicalResult Interpreter::addCount(AddCountOp op) {
  double *count = countOf(op, op.getCounts(), op.getIndex());
  if (failed(pause(op)) || !count)
    return failure();
  launch.adders[count].push_back(ticket());
  if (++*count >= integer(op.getWraps())) {
    *count = 0;
    launch.adders.erase(count);
  }
  return success();
}

/// A consumer's warps take numbers for each other, and each one that is none.
LogicalResult Interpreter::runNumbers(ForEachNumberOp op) {
  SimulatedBuffer *counter = bufferOf(op, op.getCounter());
  if (!counter)
    return failure();
  mlir::Block &body = op.getBody().front();
  int64_t total = integer(op.getTotal()), draws = integer(op.getDraws());
  int64_t left = op.getWarps() / agent.role.getWarpgroups();
  while (left > 0) {
    if (failed(pause(op)))
      return failure();
    int64_t number = counter->data[0];
    counter->data[0] = number + 1 == draws ? 0 : number + 1;
    left -= number >= total;
    if (number >= total)
      continue;
    values[body.getArgument(0)].scalar.i = number;
    Results none;
    if (failed(runBlock(body, none)))
      return failure();
  }
  return success();
}

LogicalResult Interpreter::clear(ClearOp op) {
  SimulatedBuffer *buffer = bufferOf(op, op.getBuffer());
  if (!buffer || failed(pause(op)))
    return failure();
  constexpr int64_t part = 256;
  int64_t first = integer(op.getFirst()) * part,
          count = integer(op.getCount()) * part;
  if (count <= 0)
    return success();
  if (first < 0 || first + count > static_cast<int64_t>(buffer->data.size()))
    return op.emitError("clears what is not in the buffer");
  std::fill_n(buffer->data.begin() + first, count, 0);
  return success();
}

LogicalResult Interpreter::awaitTurn(AwaitTurnOp op) {
  std::vector<int64_t> &passed = block.passed[agent.role],
                       &taken = block.taken[agent.role];
  int64_t n = agent.warpgroup, before = (n + passed.size() - 1) % passed.size();
  if (failed(pause(op, [&, n, before] { return passed[before] > taken[n]; })))
    return failure();
  ++taken[n];
  return success();
}

/// A hardware barrier would take a second pass for the next one's arrival.
LogicalResult Interpreter::passTurn(PassTurnOp op) {
  if (failed(pause(op)))
    return failure();
  std::vector<int64_t> &passed = block.passed[agent.role],
                       &taken = block.taken[agent.role];
  int64_t n = agent.warpgroup, next = (n + 1) % passed.size();
  if (passed[n] > taken[next])
    return op.emitError("passes on a turn that is not its own");
  ++passed[n];
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SimulatedBuffer *Interpreter::bufferOf(Operation *op, Value argument) {
  auto block = dyn_cast<BlockArgument>(argument);
  if (block && block.getOwner() == &launch.body.front())
    if (auto *buffer = std::get_if<SimulatedBuffer *>(
            &launch.arguments[block.getArgNumber()]))
      return *buffer;
  op->emitError("the simulator needs a buffer for this argument");
  return nullptr;
}

SharedTile *Interpreter::tileOf(Value smem, Value index) {
  auto &tiles = block.tiles[smem.getDefiningOp()];
  int64_t i;
  if (auto cursor = dyn_cast<CursorType>(index.getType()))
    i = at(index).count % cursor.getStages() *
        (tiles.size() / cursor.getStages());
  else
    i = integer(index);
  if (i < 0 || i >= static_cast<int64_t>(tiles.size()))
    return nullptr;
  return &tiles[i];
}

SimulatedMap Interpreter::mapOf(Operation *op, Value argument) {
  auto block = cast<BlockArgument>(argument);
  if (auto *map =
          std::get_if<SimulatedMap>(&launch.arguments[block.getArgNumber()]))
    return *map;
  SimulatedMap map;
  map.buffer = bufferOf(op, argument);
  if (map.buffer)
    for (int64_t dim = map.buffer->shape.size() - 1; dim >= 0; --dim)
      map.dims.push_back(dim);
  return map;
}

/// Calls `f` with the offset in the buffer and in the tile of every element
/// that is inside the buffer.
static LogicalResult forEachElement(Operation *op, const SimulatedMap &map,
                                    ArrayRef<int64_t> tile, int64_t row,
                                    int64_t column, ArrayRef<int64_t> outer,
                                    function_ref<void(int64_t, int64_t)> f) {
  ArrayRef<int64_t> shape = map.buffer->shape;
  if (map.dims.size() != outer.size() + 2)
    return op->emitError("the buffer needs a dimension per coordinate");
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = shape.size() - 1; dim > 0; --dim)
    strides[dim - 1] = strides[dim] * shape[dim];
  int64_t start = 0;
  for (auto [at, dim] : llvm::zip(outer, ArrayRef(map.dims).drop_front(2))) {
    if (at < 0 || at >= shape[dim])
      return op->emitError("outer coordinate ")
             << at << " is not in [0, " << shape[dim] << ")";
    start += at * strides[dim];
  }
  int64_t columnDim = map.dims[0], rowDim = map.dims[1];
  for (int64_t i = 0; i < tile[0]; ++i)
    for (int64_t j = 0; j < tile[1]; ++j)
      if (row + i >= 0 && row + i < shape[rowDim] &&
          column + j < shape[columnDim])
        f(start + (row + i) * strides[rowDim] +
              (column + j) * strides[columnDim],
          i * tile[1] + j);
  return success();
}

LogicalResult Interpreter::tmaLoad(TmaLoadOp op) {
  if (failed(pause(op)))
    return failure();
  SimulatedMap source = mapOf(op, op.getMap());
  SharedTile *target = tileOf(op.getSmem(), op.getIndex());
  if (!source.buffer || !target)
    return target ? failure() : op.emitError("there is no such tile");
  int64_t row = integer(op.getRow());
  if (row < 0)
    return op.emitError("row coordinate ") << row << " is negative";
  auto type = cast<SwizzledType>(op.getSmem().getType());
  SmallVector<int64_t> outer;
  for (Value v : op.getOuter())
    outer.push_back(integer(v));
  if (target->issued != target->arrived)
    return op.emitError("early write: an earlier load into this tile has not "
                        "arrived");
  Ring &ring = ringOf(op.getRing());
  int64_t stages = ring.slots.size(), count = at(op.getCursor()).count;
  Slot &slot = ring.slots[count % stages];
  if (target->ring && slot.emptyPhases != count / stages)
    return op.emitError("early write: the tile's last contents have not been "
                        "released by everybody");
  if (target->readers != 0)
    return op.emitError("early write: a store through this tile may not have "
                        "read it");
  constexpr int64_t block = 64;
  int64_t column = op.getColumns() ? integer(op.getColumns()) * block : 0;
  std::vector<double> data(type.getRows() * type.getCols(), 0);
  if (failed(forEachElement(op, source, type.getShape().drop_front(), row,
                            column, outer, [&](int64_t from, int64_t to) {
                              data[to] = source.buffer->data[from];
                            })))
    return failure();
  // Until it arrives, the tile holds neither the old nor the new contents.
  std::fill(target->data.begin(), target->data.end(), std::nan(""));
  ++target->issued;
  target->ring = op.getRing().getDefiningOp();
  target->round = count;
  int64_t bytes = op.getBytes();
  launch.turns.addCopy({[target, &slot, bytes, data = std::move(data)] {
    target->data = data;
    ++target->arrived;
    slot.bytesMissing -= bytes;
    finishFull(slot);
  }});
  return success();
}

/// Memory of its own, or of a slot that this warpgroup has, also an empty one.
LogicalResult Interpreter::writeForStore(TmaStoreOp op, SharedTile &tile) {
  auto hasSlot = [&](const std::pair<Operation *, int64_t> &slot) {
    if (slot.first != tile.ring)
      return false;
    auto stages =
        static_cast<int64_t>(block.rings.find(tile.ring)->second.slots.size());
    return slot.second >= tile.round &&
           (slot.second - tile.round) % stages == 0;
  };
  if (tile.issued != tile.arrived ||
      (tile.ring && llvm::none_of(agent.held, hasSlot)))
    return op.emitError("early write: this warpgroup does not have the slot "
                        "that it stores through");
  // Whoever reads it still is wrong. Copies before have read what they store.
  std::fill(tile.data.begin(), tile.data.end(), std::nan(""));
  for (SharedTile *stored : agent.stored)
    --stored->readers;
  agent.stored.clear();
  if (op.getDrain())
    return success();
  ++tile.readers;
  agent.stored.push_back(&tile);
  return success();
}

LogicalResult Interpreter::tmaStore(TmaStoreOp op) {
  if (failed(pause(op)))
    return failure();
  SimulatedMap target = mapOf(op, op.getMap());
  if (!target.buffer)
    return failure();
  SharedTile *through = tileOf(op.getSmem(), op.getIndex());
  if (!through)
    return op.emitError("there is no such tile");
  if (op.getEnable() && !integer(op.getEnable()))
    return success();
  if (failed(writeForStore(op, *through)))
    return failure();
  auto type = cast<TensorMapType>(op.getMap().getType());
  SmallVector<int64_t> outer;
  for (Value v : op.getOuter())
    outer.push_back(integer(v));
  Tile &tile = *at(op.getTile()).tile;
  return forEachElement(op, target, type.getShape(), integer(op.getRow()),
                        /*column=*/0, outer, [&](int64_t to, int64_t from) {
                          target.buffer->data[to] =
                              roundTo(type.getElementType(), tile.data[from]);
                        });
}

LogicalResult Interpreter::storeRows(StoreRowsOp op) {
  SimulatedBuffer *target = bufferOf(op, op.getPointer());
  if (!target)
    return failure();
  Tile &rows = *at(op.getRows()).tile;
  for (auto [i, value] : llvm::enumerate(rows.data)) {
    int64_t row = integer(op.getRow()) + static_cast<int64_t>(i);
    if (row < 0 || row >= integer(op.getLimit()))
      continue;
    int64_t at = integer(op.getBase()) + row;
    if (at < 0 || at >= static_cast<int64_t>(target->data.size()))
      return op.emitError("writes past the end of the buffer");
    target->data[at] = value;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

SharedTile *Interpreter::readable(Operation *op, Value smem, Value index) {
  SharedTile *tile = tileOf(smem, index);
  if (!tile) {
    op->emitError("there is no such tile");
    return nullptr;
  }
  bool holds =
      llvm::is_contained(agent.held, std::make_pair(tile->ring, tile->round));
  if (!tile->ring || tile->issued != tile->arrived || !holds) {
    op->emitError("early read: this warpgroup has not waited for what is in "
                  "the tile");
    return nullptr;
  }
  return tile;
}

/// The first columns of `a` come from registers.
void Interpreter::replaceHead(WgmmaOp op, std::vector<double> &a, int64_t k) {
  Tile &head = *at(op.getHead()).tile;
  int64_t m = head.shape[0], columns = head.shape[1];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < columns; ++l)
      a[op.getARowsAreK() ? l * m + i : i * k + l] = head.data[i * columns + l];
}

LogicalResult Interpreter::wgmma(WgmmaOp op) {
  if (failed(pause(op)))
    return failure();
  Datum &result = values[op.getResult()];
  result = Datum();
  bool aIsShared = isa<SwizzledType>(op.getA().getType());
  std::vector<double> b =
      operandOf(op, op.getB(), op.getBIndex(),
                op.getBRowsAreK() ? op.getTiles() : 1, result);
  std::vector<double> a;
  if (aIsShared)
    a = operandOf(op, op.getA(), op.getAIndex(),
                  op.getARowsAreK() ? op.getTiles() : 1, result);
  else
    a = at(op.getA()).tile->data;
  if (a.empty() || b.empty())
    return failure();
  if (aIsShared && tileOf(op.getA(), op.getAIndex())->unfenced &&
      !agent.hasFenced)
    return op.emitError("early read: ordinary stores have filled the tile, "
                        "and nobody has fenced since");
  ArrayRef<int64_t> shape =
      cast<PendingType>(op.getResult().getType()).getShape();
  auto rhs = cast<SwizzledType>(op.getB().getType());
  int64_t m = shape[0], n = shape[1], width = rhs.getCols();
  int64_t k = op.getBRowsAreK() ? rhs.getRows() * op.getTiles() : width;
  if (op.getHead())
    replaceHead(op, a, k);
  int64_t unit = op.getHalfBlocks() ? 32 : 64;
  int64_t first = op.getBColumns() ? integer(op.getBColumns()) * unit : 0;
  if (op.getBRowsAreK() && first + n > width)
    return op.emitError("there are no such columns");
  if (op.getAcc())
    llvm::append_range(result.reads, at(op.getAcc()).reads);
  auto tile = op.getAcc() ? std::make_shared<Tile>(*at(op.getAcc()).tile)
                          : std::make_shared<Tile>(shape, 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = tile->data[i * n + j];
      for (int64_t l = 0; l < k; ++l) {
        double x = op.getARowsAreK() ? a[l * m + i] : a[i * k + l];
        double y = op.getBRowsAreK() ? b[l * width + first + j] : b[j * k + l];
        sum += static_cast<float>(x) * static_cast<float>(y);
      }
      tile->data[i * n + j] = sum;
    }
  result.tile = tile;
  return success();
}

LogicalResult Interpreter::wait(WgmmaWaitOp op) {
  if (failed(pause(op)))
    return failure();
  for (auto [pending, value] : llvm::zip(op.getDone(), op.getValues())) {
    for (auto [tile, issued] : at(pending).reads)
      if (tile->issued != issued)
        return op.emitError("early write: a tile was loaded again while a "
                            "wgmma that is waited for here read it");
    values[value].tile = at(pending).tile;
  }
  for (auto [from, to] : llvm::zip(op.getLive(), op.getPending()))
    values[to] = at(from);
  return success();
}

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

/// Warpgroups of all roles that have such an op on `ring`.
template <typename OpTy> static int64_t warpgroupsWith(RingOp ring) {
  llvm::SmallPtrSet<Operation *, 2> roles;
  int64_t warpgroups = 0;
  for (Operation *user : ring.getResult().getUsers())
    if (isa<OpTy>(user)) {
      auto role = user->getParentOfType<RoleOp>();
      if (roles.insert(role).second)
        warpgroups += role.getWarpgroups();
    }
  return warpgroups;
}

static void declare(KernelOp kernel, simulator::Block &block) {
  for (auto smem : kernel.getBody().getOps<SmemOp>()) {
    auto type = cast<SwizzledType>(smem.getResult().getType());
    SharedTile tile;
    tile.data.assign(type.getRows() * type.getCols(), std::nan(""));
    block.tiles[smem].assign(type.getTiles(), tile);
  }
  for (auto rows : kernel.getBody().getOps<RowsOp>()) {
    auto type = cast<SharedRowsType>(rows.getResult().getType());
    SharedTile tile;
    tile.data.assign(type.getRows(), std::nan(""));
    block.rows[rows].assign(type.getSlots(), tile);
  }
  for (auto role : kernel.getBody().getOps<RoleOp>()) {
    block.passed[role].assign(role.getWarpgroups(), 0);
    block.taken[role].assign(role.getWarpgroups(), 0);
  }
  for (auto op : kernel.getBody().getOps<RingOp>()) {
    Ring &ring = block.rings[op];
    ring.slots.resize(cast<RingType>(op.getResult().getType()).getStages());
    ring.consumers = warpgroupsWith<ReleaseOp>(op) * (op.getPaired() ? 2 : 1);
    for (Slot &slot : ring.slots)
      slot.fills = std::max<int64_t>(warpgroupsWith<CommitOp>(op), 1);
  }
}

/// Everything that was filled has been released.
static LogicalResult checkBalance(simulator::Block &block) {
  for (auto &[op, ring] : block.rings) {
    int64_t full = 0, empty = 0;
    for (Slot &slot : ring.slots) {
      full += slot.fullPhases;
      empty += slot.emptyPhases;
      if (slot.commits != 0 || slot.releases != 0)
        return op->emitError("unbalanced ring: a slot is half full or half "
                             "released at the end");
    }
    if (full - (ring.finished ? 1 : 0) != empty)
      return op->emitError("unbalanced ring: filled ")
             << full << " times, released " << empty << " times";
  }
  return success();
}

LogicalResult fa::simulate(KernelOp kernel,
                           ArrayRef<SimulatedArgument> arguments,
                           const SimulationOptions &options) {
  if (arguments.size() != kernel.getArgumentTypes().size())
    return kernel.emitError("needs ") << kernel.getArgumentTypes().size()
                                      << " arguments, got " << arguments.size();
  Turns turns(options.seed);
  Launch launch{kernel.getBody(), arguments, options, turns};
  std::vector<simulator::Block> blocks(options.grid);
  if (kernel.getCluster() && options.grid % 2 != 0)
    return kernel.emitError("a grid of ")
           << options.grid << " blocks cannot be made of clusters of 2";
  for (int64_t number = 0; number < options.grid; ++number) {
    blocks[number].number = number;
    if (kernel.getCluster())
      blocks[number].other = &blocks[number ^ 1];
    declare(kernel, blocks[number]);
    int64_t inBlock = 0;
    for (auto role : kernel.getBody().getOps<RoleOp>())
      for (int64_t i = 0; i < role.getWarpgroups(); ++i) {
        Agent agent;
        agent.role = role;
        agent.block = number;
        agent.warpgroup = i;
        agent.inBlock = inBlock;
        inBlock += role.getKind() == RoleKind::Messenger ? 0 : 1;
        turns.add(std::move(agent));
      }
  }
  bool good = turns.run([&](Agent &agent) {
    Interpreter interpreter(launch, blocks[agent.block], agent);
    if (failed(interpreter.run()))
      turns.fail();
  });
  if (!good)
    return failure();
  for (simulator::Block &block : blocks)
    if (failed(checkBalance(block)))
      return failure();
  return success();
}
