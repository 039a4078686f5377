//===- Interpreter.cpp - control flow and arithmetic of one agent ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;
using namespace fa::simulator;

Interpreter::Interpreter(Launch &launch, simulator::Block &block, Agent &agent)
    : launch(launch), block(block), agent(agent) {
  for (auto [value, argument] :
       llvm::zip(launch.body.getArguments(), launch.arguments)) {
    Datum &datum = values[value];
    if (auto *i = std::get_if<int64_t>(&argument))
      datum.scalar.i = *i;
    if (auto *f = std::get_if<double>(&argument))
      datum.scalar.f = roundTo(value.getType(), *f);
  }
}

LogicalResult Interpreter::run() {
  for (auto op : launch.body.getOps<arith::ConstantOp>())
    if (failed(runConstant(op)))
      return failure();
  Results ignored;
  for (auto op : launch.body.getOps<DrawOp>())
    if (failed(draw(op)))
      return failure();
  if (block.part != 0) {
    // Messengers are warps of the first warpgroup, which is there already.
    if (agent.role.getKind() == RoleKind::Messenger)
      return success();
    for (auto op : launch.body.getOps<WithoutRolesOp>())
      if (op.getPart() == block.part) {
        values[op.getBody().getArgument(0)].scalar.i = agent.inBlock;
        return runBlock(op.getBody().front(), ignored);
      }
    return agent.role.emitError("a block has drawn a part that is not there");
  }
  mlir::Block &body = agent.role.getBody().front();
  if (body.getNumArguments() == 1)
    values[body.getArgument(0)].scalar.i = agent.warpgroup;
  return runBlock(body, ignored);
}

/// Whoever of the block comes first draws.
LogicalResult Interpreter::draw(DrawOp op) {
  if (failed(pause(op)))
    return failure();
  if (block.ticket < 0) {
    if (failed(takeTicket(op, op.getCounter())))
      return failure();
    if (integer(op.getBlocks()) != launch.options.grid)
      return op.emitError("the grid must have as many blocks as tickets are "
                          "drawn");
    values[op.getBody().getArgument(0)].scalar.i = block.ticket;
    Results drawn;
    if (failed(runBlock(op.getBody().front(), drawn)))
      return failure();
    block.part = drawn[0].scalar.i;
    block.drawn = drawn[1].scalar.i;
  }
  values[op.getPart()].scalar.i = block.part;
  values[op.getNumber()].scalar.i = block.drawn;
  return success();
}

LogicalResult Interpreter::runBlockOfGrid(ArrayRef<int64_t> at,
                                          ArrayRef<int64_t> size) {
  place = at;
  grid = size;
  Results ignored;
  return runBlock(launch.body.front(), ignored);
}

LogicalResult Interpreter::readGrid(Operation *op, mlir::gpu::Dimension dim,
                                    ArrayRef<int64_t> of) {
  auto number = static_cast<size_t>(dim);
  if (number >= of.size())
    return op->emitError("the simulator does not know this op in a role");
  values[op->getResult(0)].scalar.i = of[number];
  return success();
}

LogicalResult Interpreter::runBlock(mlir::Block &body, Results &yielded) {
  for (Operation &op : body) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      for (Value v : op.getOperands())
        yielded.push_back(values[v]);
      break;
    }
    if (failed(runOp(&op)))
      return failure();
  }
  return success();
}

LogicalResult Interpreter::runOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp o) { return runFor(o); })
      .Case([&](scf::IfOp o) { return runIf(o); })
      .Case([&](scf::WhileOp o) { return runWhile(o); })
      .Case([&](ForEachTileOp o) { return runTiles(o); })
      .Case([&](TakeTileOp o) { return takeTile(o); })
      .Case([&](AcquireOp o) {
        return acquire(o, o.getRing(), at(o.getCursor()).count);
      })
      .Case([&](WaitFullOp o) {
        return waitFull(o, o.getRing(), at(o.getCursor()).count);
      })
      .Case([&](CommitOp o) { return commit(o); })
      .Case([&](ReleaseOp o) { return release(o); })
      .Case([&](SendOp o) { return send(o); })
      .Case([&](AwaitCountOp o) { return awaitCount(o); })
      .Case([&](SetCountOp o) { return setCount(o); })
      .Case([&](AddCountOp o) { return addCount(o); })
      .Case([&](ForEachNumberOp o) { return runNumbers(o); })
      .Case([&](ClearOp o) { return clear(o); })
      .Case([&](RoundFragmentsOp o) { return roundFragments(o); })
      .Case([&](AwaitTurnOp o) { return awaitTurn(o); })
      .Case([&](PassTurnOp o) { return passTurn(o); })
      .Case([&](ClearTailOp o) { return clearTail(o); })
      .Case([&](LoadTileOp o) { return loadTile(o); })
      .Case([&](StoreTileOp o) { return storeTile(o); })
      .Case([&](StoreThroughOp o) { return storeThrough(o); })
      // What moves data within a block is of no interest without roles.
      .Case<AllocOp, NVVM::CpAsyncWaitGroupOp>(
          [](Operation *) { return success(); })
      .Case([&](memref::LoadOp o) { return loadElement(o); })
      .Case([&](TmaPrefetchOp) { return success(); })
      .Case([&](TmaLoadOp o) { return tmaLoad(o); })
      .Case([&](TmaStoreOp o) { return tmaStore(o); })
      .Case([&](StoreRowsOp o) { return storeRows(o); })
      .Case([&](WgmmaOp o) { return wgmma(o); })
      .Case([&](WgmmaWaitOp o) { return wait(o); })
      .Case([&](ScaleRowsOp o) { return scaleRows(o); })
      .Case([&](AnyRowOp o) {
        values[o.getResult()].scalar.i = llvm::any_of(
            at(o.getRows()).tile->data, [](double row) { return row != 0; });
        return success();
      })
      .Case([&](PackOp o) { return pack(o); })
      .Case([&](BulkLoadOp o) { return bulkLoad(o); })
      .Case([&](ReadColsOp o) { return readCols(o); })
      .Case([&](StoreFragmentsOp o) { return storeFragments(o); })
      .Case([&](ReadFragmentsOp o) { return readFragments(o); })
      .Case([&](MulPackedOp o) { return mulPacked(o); })
      .Case([&](FenceProxyOp o) {
        agent.hasFenced = true;
        for (SharedTile *tile : agent.written)
          tile->unfenced = false;
        return success();
      })
      .Case([&](ReduceAddOp o) { return reduceAdd(o); })
      .Case([&](LoadFragmentsOp o) { return loadFragments(o); })
      .Case([&](PutFragmentsOp o) { return putFragments(o); })
      .Case([&](memref::DimOp o) { return readExtent(o); })
      .Case([&](mlir::gpu::BlockIdOp o) {
        return readGrid(o, o.getDimension(), place);
      })
      .Case([&](mlir::gpu::GridDimOp o) {
        return readGrid(o, o.getDimension(), grid);
      })
      .Case([&](UnpackOp o) {
        values[o.getResult()] = at(o.getSource());
        return success();
      })
      .Case([&](PartialSumsOp o) { return runPartialSums(o); })
      .Case([&](linalg::LinalgOp o) { return runLinalg(o); })
      .Case([&](arith::ConstantOp o) { return runConstant(o); })
      .Case([&](CursorOp o) {
        values[o.getResult()] = Datum();
        return success();
      })
      .Case([&](AdvanceOp o) {
        values[o.getResult()].count = at(o.getCursor()).count + 1;
        return success();
      })
      .Case([&](SlotOp o) {
        int64_t stages = cast<CursorType>(o.getCursor().getType()).getStages();
        values[o.getSlot()].scalar.i = at(o.getCursor()).count % stages;
        return success();
      })
      .Case([&](tensor::EmptyOp o) {
        values[o.getResult()].tile =
            std::make_shared<Tile>(o.getType().getShape(), std::nan(""));
        return success();
      })
      // Tensors of rank 0 are tiles of one element.
      .Case([&](tensor::FromElementsOp o) {
        auto tile = std::make_shared<Tile>(o.getType().getShape());
        tile->data[0] =
            elementOf(o.getType(), at(o.getElements().front()).scalar);
        values[o.getResult()].tile = tile;
        return success(o.getType().getRank() == 0);
      })
      .Case([&](tensor::ExtractOp o) {
        values[o.getResult()].scalar =
            scalarOf(o.getTensor().getType(), at(o.getTensor()).tile->data[0]);
        return success(o.getTensor().getType().getRank() == 0);
      })
      .Default([&](Operation *o) { return runScalar(o); });
}

LogicalResult Interpreter::runScalar(Operation *op) {
  SmallVector<Scalar> operands;
  for (Value v : op->getOperands())
    operands.push_back(values[v].scalar);
  std::optional<Scalar> result = evaluate(op, operands);
  if (!result)
    return op->emitError("the simulator does not know ") << op->getName();
  values[op->getResult(0)].scalar = *result;
  return success();
}

LogicalResult Interpreter::runConstant(arith::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return runScalar(op);
  if (!dense.isSplat())
    return op.emitError("the simulator only knows splat tiles");
  auto type = cast<RankedTensorType>(op.getType());
  double value = isa<FloatType>(type.getElementType())
                     ? dense.getSplatValue<APFloat>().convertToDouble()
                     : dense.getSplatValue<APInt>().getSExtValue();
  values[op.getResult()].tile = std::make_shared<Tile>(type.getShape(), value);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::runFor(scf::ForOp op) {
  Results carried;
  for (Value v : op.getInitArgs())
    carried.push_back(values[v]);
  int64_t end = integer(op.getUpperBound()), step = integer(op.getStep());
  for (int64_t i = integer(op.getLowerBound()); i < end; i += step) {
    values[op.getInductionVar()].scalar.i = i;
    for (auto [argument, datum] : llvm::zip(op.getRegionIterArgs(), carried))
      values[argument] = datum;
    carried.clear();
    if (failed(runBlock(*op.getBody(), carried)))
      return failure();
  }
  for (auto [result, datum] : llvm::zip(op.getResults(), carried))
    values[result] = datum;
  return success();
}

LogicalResult Interpreter::runIf(scf::IfOp op) {
  Region &region =
      integer(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
  Results results;
  if (!region.empty() && failed(runBlock(region.front(), results)))
    return failure();
  for (auto [result, datum] : llvm::zip(op.getResults(), results))
    values[result] = datum;
  return success();
}

LogicalResult Interpreter::runWhile(scf::WhileOp op) {
  Results state;
  for (Value v : op.getInits())
    state.push_back(values[v]);
  auto enter = [&](mlir::Block *body) {
    for (auto [argument, datum] : llvm::zip(body->getArguments(), state))
      values[argument] = datum;
    state.clear();
    return runBlock(*body, state);
  };
  while (true) {
    // The condition goes before what it passes on.
    if (failed(enter(op.getBeforeBody())))
      return failure();
    bool more = state.front().scalar.i;
    state.erase(state.begin());
    if (!more)
      break;
    if (failed(enter(op.getAfterBody())))
      return failure();
  }
  for (auto [result, datum] : llvm::zip(op.getResults(), state))
    values[result] = datum;
  return success();
}

LogicalResult Interpreter::takeTile(TakeTileOp op) {
  int64_t count = at(op.getCursor()).count;
  bool isDynamic = op.getScheduler() == Scheduler::Dynamic;
  if (isDynamic && failed(waitFull(op, op.getVia(), count)))
    return failure();
  int64_t tile = isDynamic ? mailboxOf(op.getVia(), count)
                 : op.getBefore()
                     ? integer(op.getBefore()) + launch.options.grid
                     : block.number;
  bool exists = tile < integer(op.getTotal());
  values[op.getTile()].scalar.i = tile;
  values[op.getExists()].scalar.i = exists;
  if (exists && !isDynamic)
    return waitFull(op, op.getVia(), count);
  return success();
}

LogicalResult Interpreter::takeTicket(Operation *op, Value memory) {
  SimulatedBuffer *counter = bufferOf(op, memory);
  if (!counter)
    return failure();
  block.ticket = counter->data[0];
  counter->data[0] = (block.ticket + 1) % launch.options.grid;
  return success();
}

/// The tile after number `count` of this block. Blocks of a pair draw together.
FailureOr<int64_t> Interpreter::drawTile(ForEachTileOp op, int64_t count) {
  SimulatedBuffer *counter = bufferOf(op, op.getCounter());
  if (!counter)
    return failure();
  int64_t together = op->getParentOfType<KernelOp>().getCluster().value_or(1);
  int64_t grid = launch.options.grid, total = integer(op.getTotal());
  bool drawsFirst = op.getScheduler() == Scheduler::Drawn;
  std::vector<int64_t> &drawn = launch.drawn[block.number / together];
  if (count == static_cast<int64_t>(drawn.size())) {
    int64_t number = counter->data[0];
    int64_t draws = (drawsFirst ? total + grid : total) / together;
    counter->data[0] = number + 1 == draws ? 0 : number + 1;
    drawn.push_back(number);
  }
  int64_t first = drawsFirst ? 0 : grid;
  return drawn[count] * together + first + block.number % together;
}

LogicalResult Interpreter::runTiles(ForEachTileOp op) {
  bool isProducer = agent.role.getKind() == RoleKind::Producer;
  bool drawsFirst = op.getScheduler() == Scheduler::Drawn;
  bool isDynamic = op.getScheduler() == Scheduler::Dynamic || drawsFirst;
  int64_t total = integer(op.getTotal()), grid = launch.options.grid;
  bool isDrawn = op.getCounter() && op.getCounter().getType().isInteger(32);
  bool takesTicket = op.getScheduler() == Scheduler::Ticket && !isDrawn;
  if ((takesTicket || op.getScheduler() == Scheduler::None) && grid != total)
    return op.emitError("without a scheduler the grid must have as many "
                        "blocks as there are tiles");
  mlir::Block &body = op.getBody().front();
  Results carried;
  for (Value v : op.getInits())
    carried.push_back(values[v]);
  Value via = op.getVia();
  Ring &ring = ringOf(via);
  int64_t tile = isDrawn ? integer(op.getCounter()) : block.number;
  int64_t draws = 0;
  auto draw = [&]() -> LogicalResult {
    FailureOr<int64_t> drawn = drawTile(op, draws++);
    if (succeeded(drawn))
      tile = *drawn;
    return drawn;
  };
  if (drawsFirst && isProducer && (failed(pause(op)) || failed(draw())))
    return failure();
  for (int64_t count = 0;; ++count) {
    bool takesFirst = isDynamic || takesTicket;
    if ((takesTicket || isDrawn) && count > 0)
      break;
    if (takesTicket && isProducer) {
      if (failed(pause(op)) || failed(takeTicket(op, op.getCounter())))
        return failure();
      tile = block.ticket;
    }
    auto take = [&] {
      return isProducer ? acquire(op, via, count) : waitFull(op, via, count);
    };
    if (takesFirst) {
      if (failed(take()))
        return failure();
      if (isProducer)
        mailboxOf(via, count) = tile;
      else
        tile = mailboxOf(via, count);
    }
    if (tile >= total) {
      if (isDynamic && isProducer) {
        ring.finished = true;
        return arriveFull(op, via, count, /*bytes=*/0);
      }
      break;
    }
    if (drawsFirst)
      agent.ticket = tile;
    int64_t here = tile;
    tile += grid;
    if (isDynamic && isProducer && failed(draw()))
      return failure();
    if (!takesFirst && failed(take()))
      return failure();
    values[body.getArgument(0)].scalar.i = here;
    values[body.getArgument(1)].count = count;
    for (auto [argument, datum] :
         llvm::zip(body.getArguments().drop_front(2), carried))
      values[argument] = datum;
    carried.clear();
    if (failed(runBlock(body, carried)))
      return failure();
  }
  for (auto [result, datum] : llvm::zip(op.getResults(), carried))
    values[result] = datum;
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles in registers
//===----------------------------------------------------------------------===//

/// Goes through the loops of a linalg op in row-major order and runs its body.
LogicalResult Interpreter::runLinalg(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Tile *> tiles;
  for (OpOperand &operand : op->getOpOperands()) {
    Datum &datum = values[operand.get()];
    if (op.isDpsInit(&operand)) {
      // Results start as copies of the inits.
      OpResult result = op.getTiedOpResult(&operand);
      values[result].tile = std::make_shared<Tile>(*datum.tile);
      tiles.push_back(values[result].tile.get());
    } else {
      tiles.push_back(datum.tile.get());
    }
    if (!maps[operand.getOperandNumber()].isProjectedPermutation())
      return op.emitError("the simulator only knows projected permutations");
  }
  mlir::Block &body = *op.getBlock();
  SmallVector<int64_t> position(extents.size(), 0);
  auto offsetOf = [&](unsigned operand) {
    int64_t offset = 0;
    for (auto [e, extent] :
         llvm::zip(maps[operand].getResults(), tiles[operand]->shape))
      offset = offset * extent + position[cast<AffineDimExpr>(e).getPosition()];
    return offset;
  };
  DenseMap<Value, Scalar> scalars;
  auto lookup = [&](Value v) {
    auto found = scalars.find(v);
    return found != scalars.end() ? found->second : values[v].scalar;
  };
  int64_t iterations = 1;
  for (int64_t extent : extents)
    iterations *= extent;
  SmallVector<Scalar> operands;
  for (int64_t n = 0; n < iterations; ++n) {
    for (int64_t d = extents.size() - 1, rest = n; d >= 0; --d) {
      position[d] = rest % extents[d];
      rest /= extents[d];
    }
    for (auto [i, tile] : llvm::enumerate(tiles))
      scalars[body.getArgument(i)] =
          tile ? scalarOf(op->getOperand(i).getType(), tile->data[offsetOf(i)])
               : values[op->getOperand(i)].scalar;
    for (Operation &nested : body.without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
        scalars[index.getResult()].i = position[index.getDim()];
        continue;
      }
      operands.clear();
      for (Value v : nested.getOperands())
        operands.push_back(lookup(v));
      std::optional<Scalar> result = evaluate(&nested, operands);
      if (!result)
        return nested.emitError("the simulator does not know ")
               << nested.getName();
      scalars[nested.getResult(0)] = *result;
    }
    unsigned firstInit = op.getNumDpsInputs();
    for (auto [i, v] : llvm::enumerate(body.getTerminator()->getOperands()))
      tiles[firstInit + i]->data[offsetOf(firstInit + i)] =
          elementOf(op->getResult(i).getType(), lookup(v));
  }
  return success();
}

LogicalResult Interpreter::runPartialSums(PartialSumsOp op) {
  Tile &source = *at(op.getSource()).tile;
  constexpr int64_t partials = 4;
  auto result =
      std::make_shared<Tile>(ArrayRef<int64_t>{source.shape[0], partials}, 0);
  Type f32 = Float32Type::get(op.getContext());
  for (int64_t row = 0; row < source.shape[0]; ++row)
    for (int64_t column = 0; column < source.shape[1]; ++column) {
      double &sum = result->data[row * partials + column / 2 % partials];
      sum = roundTo(f32, sum + source.data[row * source.shape[1] + column]);
    }
  values[op.getResult()].tile = result;
  return success();
}

LogicalResult Interpreter::scaleRows(ScaleRowsOp op) {
  auto result = std::make_shared<Tile>(*at(op.getTile()).tile);
  Tile &factors = *at(op.getFactors()).tile;
  int64_t columns = result->shape[1];
  Type f32 = Float32Type::get(op.getContext());
  for (auto [i, value] : llvm::enumerate(result->data))
    value = roundTo(f32, value * factors.data[i / columns]);
  values[op.getResult()].tile = result;
  return success();
}

LogicalResult Interpreter::pack(PackOp op) {
  auto result = std::make_shared<Tile>(*at(op.getSource()).tile);
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  for (double &value : result->data)
    value = roundTo(element, value);
  values[op.getResult()].tile = result;
  return success();
}
