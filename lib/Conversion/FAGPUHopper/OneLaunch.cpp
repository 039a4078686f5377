//===- OneLaunch.cpp - launches that become blocks of one kernel ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OneLaunch.h"
#include "HopperUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

//===----------------------------------------------------------------------===//
// Which launches
//===----------------------------------------------------------------------===//

std::optional<OneLaunch> OneLaunch::match(GradientRoles &k,
                                          gpu::LaunchFuncOp launch) {
  OneLaunch joined(k);
  // Blocks of a pair would have to draw together.
  if (!k.schedule.getOneLaunch() || k.isPaired() || !joined.find(launch))
    return std::nullopt;
  return joined;
}

bool OneLaunch::find(gpu::LaunchFuncOp launch) {
  QueryLoop &part = k.source.loops.front();
  Value lse = part.lse.getSource(), delta = part.delta.getSource(),
        sum = part.sum.getWorkspace();
  // Then tiles are numbered alike: heads, then rows.
  auto rank = [](Value v) { return cast<MemRefType>(v.getType()).getRank(); };
  if (rank(lse) != rank(delta) || rank(delta) + 1 != rank(sum))
    return false;
  for (Value memory : {lse, delta, sum})
    if (!addUsers(
            launch.getKernelOperand(cast<BlockArgument>(memory).getArgNumber()),
            launch))
      return false;
  if (before.empty() || after.size() != 1 || !areAlone(launch))
    return false;
  std::optional<RoundingTiles> found =
      RoundingTiles::match(after.front().function);
  if (found)
    rounding = *found;
  return found.has_value();
}

/// The launches before and after that use a workspace.
bool OneLaunch::addUsers(Value memory, gpu::LaunchFuncOp launch) {
  if (!memory.getDefiningOp<memref::AllocOp>())
    return false;
  for (Operation *user : memory.getUsers()) {
    if (user == launch || isa<memref::DimOp, memref::DeallocOp>(user))
      continue;
    auto other = dyn_cast<gpu::LaunchFuncOp>(user);
    if (!other || other->getBlock() != launch->getBlock() ||
        !add(other, other->isBeforeInBlock(launch) ? before : after))
      return false;
  }
  return true;
}

/// Programs of tiles in registers, of one warpgroup.
bool OneLaunch::add(gpu::LaunchFuncOp other, SmallVector<Source> &to) {
  if (llvm::any_of(to, [&](Source &s) { return s.launch == other; }))
    return true;
  auto function = dyn_cast_or_null<gpu::GPUFuncOp>(
      SymbolTable::lookupNearestSymbolFrom(other, other.getKernel()));
  if (!function || !llvm::hasSingleElement(function.getBody()) ||
      getConstantIntValue(other.getBlockSizeX()) != kGroupThreads)
    return false;
  WalkResult walk = function.walk([](Operation *op) {
    auto load = dyn_cast<LoadTileOp>(op);
    bool isShared = load && hasLayout<SharedAttr>(load.getTile().getType());
    return isa<MmaOp, AccumulateOp, gpu::BarrierOp>(op) || isShared
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return false;
  to.push_back({other, function, {}, {}});
  return true;
}

/// Nothing else happens between the first of the launches and the last.
bool OneLaunch::areAlone(gpu::LaunchFuncOp launch) {
  Operation *first = before.front().launch;
  for (Source &source : before)
    if (source.launch->isBeforeInBlock(first))
      first = source.launch;
  auto isKnown = [&](Operation *op) {
    auto is = [&](Source &source) { return source.launch == op; };
    return op == launch || llvm::any_of(before, is) || llvm::any_of(after, is);
  };
  Operation *end = after.front().launch;
  for (Operation *op = first; op != end; op = op->getNextNode())
    if (!isKnown(op) && !isMemoryEffectFree(op) &&
        !isa<memref::AllocOp, cf::AssertOp>(op))
      return false;
  return true;
}

std::optional<RoundingTiles> RoundingTiles::match(gpu::GPUFuncOp function) {
  auto stores = function.front().getOps<StoreTileOp>();
  if (!llvm::hasSingleElement(stores))
    return std::nullopt;
  RoundingTiles tiles;
  tiles.store = *stores.begin();
  tiles.compute = tiles.store.getTile().getDefiningOp<linalg::GenericOp>();
  if (!tiles.compute || tiles.store.getLimit() ||
      tiles.compute.getNumDpsInputs() != 1 ||
      tiles.compute.getNumResults() != 1 ||
      tiles.compute.getNumLoops() != tiles.compute.getNumParallelLoops() ||
      getConstantIntValue(
          tiles.store.getOffsets()[tiles.store.getTileDims()[1]]) != 0)
    return std::nullopt;
  Value sum = tiles.compute.getDpsInputs()[0];
  auto rounding = tiles.rounding();
  if (!rounding || !rounding.getIn().getType().isF32() || !sum.hasOneUse() ||
      !sum.getDefiningOp<LoadTileOp>())
    return std::nullopt;
  return tiles;
}

arith::TruncFOp RoundingTiles::rounding() {
  Operation *end = compute.getBody()->getTerminator();
  return end->getOperand(0).getDefiningOp<arith::TruncFOp>();
}

//===----------------------------------------------------------------------===//
// What blocks draw
//===----------------------------------------------------------------------===//

Value OneLaunch::addArgument(Type type) {
  return k.shared.kernel.getBody().addArgument(type, k.shared.kernel.getLoc());
}

void OneLaunch::draw() {
  KernelOp kernel = k.shared.kernel;
  Location loc = kernel.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Type i32 = b.getI32Type();
  counter = k.counter ? k.counter : addArgument(MemRefType::get({1}, i32));
  k.heads = addArgument(MemRefType::get({ShapedType::kDynamic}, i32));
  for (Value *v : {&prepareBlocks, &lead, &mainStep, &finishStep, &steps,
                   &blocks, &tiles, &stepTiles, &k.prepared, &k.all})
    *v = addArgument(i32);
  for (SmallVector<Source> *sources : {&before, &after})
    for (Source &source : *sources) {
      source.gridX = addArgument(i32);
      source.gridY = addArgument(i32);
    }
  auto op = DrawOp::create(b, loc, counter, blocks, IntegerAttr());
  k.number = op.getNumber();
  Block *body = b.createBlock(&op.getBody(), {}, i32, loc);
  Value ticket = body->getArgument(0);
  I32Builder i(b, loc);
  auto times = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  auto choose = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  // First who prepares; `lead` blocks with roles; then, in steps, some more of
  // these and some that finish; then the rest of both.
  Value isPreparing = i.less(ticket, prepareBlocks);
  Value behind = i.sub(ticket, prepareBlocks);
  Value isAhead = i.less(behind, lead);
  Value inSteps = i.sub(behind, lead);
  Value perStep = i.add(mainStep, finishStep);
  Value step = arith::DivUIOp::create(b, loc, inSteps, perStep);
  Value inStep = i.sub(inSteps, times(step, perStep));
  Value behindSteps = i.sub(inSteps, times(steps, perStep));
  Value isInSteps = i.less(behindSteps, i.constant(0));
  Value mainBefore =
      i.add(lead, times(choose(isInSteps, step, steps), mainStep));
  Value place = choose(isInSteps, inStep, behindSteps);
  Value mainHere =
      choose(isInSteps, mainStep, i.sub(k.shared.total, mainBefore));
  Value hasRoles =
      arith::OrIOp::create(b, loc, isAhead, i.less(place, mainHere));
  Value mainNumber = choose(isAhead, behind, i.add(mainBefore, place));
  Value finishNumber = i.add(times(choose(isInSteps, step, steps), finishStep),
                             i.sub(place, mainHere));
  Value part = choose(hasRoles, i.constant(0), i.constant(kFinishing));
  Value number = choose(hasRoles, mainNumber, finishNumber);
  YieldOp::create(b, loc,
                  ValueRange{choose(isPreparing, i.constant(kPreparing), part),
                             choose(isPreparing, ticket, number)});
}

//===----------------------------------------------------------------------===//
// Blocks without roles
//===----------------------------------------------------------------------===//

void OneLaunch::join(const RoleLaunch &with) {
  launch = with.launch;
  for (auto [operand, argument] :
       llvm::zip(launch.getKernelOperands(),
                 k.shared.kernel.getBody().getArguments()))
    passed.try_emplace(operand, argument);
  addNumbers(with);
  prepare();
  finish();
  KernelOp kernel = k.shared.kernel;
  kernel.setFunctionType(FunctionType::get(
      kernel.getContext(), kernel.getBody().getArgumentTypes(), {}));
  for (SmallVector<Source> *sources : {&before, &after})
    for (Source &source : *sources) {
      source.launch.erase();
      source.function.erase();
    }
}

Value fa::fagpu::allocateHeadCounts(OpBuilder &b, Location loc, Value slices) {
  // It is kept for each size: few sizes.
  constexpr int64_t few = 1024;
  Value unit = arith::ConstantIndexOp::create(b, loc, few);
  Value units = arith::CeilDivUIOp::create(b, loc, slices, unit);
  Value size = arith::MulIOp::create(b, loc, units, unit);
  return allocateKeptZero(b, loc, {ShapedType::kDynamic}, size);
}

/// The host's side of what draw() has asked for.
void OneLaunch::addNumbers(const RoleLaunch &with) {
  launch->moveBefore(after.front().launch);
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  auto times = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  auto divide = [&](Value x, Value y) -> Value {
    return arith::DivUIOp::create(b, loc, x, y);
  };
  auto divideUp = [&](Value x, Value y) -> Value {
    return arith::CeilDivUIOp::create(b, loc, x, y);
  };
  auto least = [&](Value x, Value y) -> Value {
    return arith::MinUIOp::create(b, loc, x, y);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, loc, x, y);
  };
  int64_t warpgroups = k.shared.kernel.getThreads() / kGroupThreads;
  Value atOnce = constant(warpgroups);
  Value inBlock = constant(warpgroups * k.schedule.getFinishTiles());
  gpu::KernelDim3 grid = after.front().launch.getGridSizeOperandValues();
  Value all = times(times(grid.x, grid.y), grid.z);
  Value ofHead = divide(all, with.slices);
  // Heads that are finished in a step: all that take turns, and enough for a
  // block.
  Value together = least(with.together, with.slices);
  Value stepHeads = times(together, divideUp(inBlock, times(together, ofHead)));
  Value ofStep = times(stepHeads, ofHead);
  Value finishOfStep = divideUp(ofStep, inBlock);
  Value allSteps = divideUp(with.slices, stepHeads);
  Value mainOfStep = times(stepHeads, with.groups);
  Value processors = MultiprocessorsOp::create(b, loc, b.getIndexType());
  constexpr int64_t share = 5;
  Value preparing = k.schedule.getPrepareBlocks() > 0
                        ? constant(k.schedule.getPrepareBlocks())
                        : add(divide(processors, constant(share)), constant(1));
  preparing = least(preparing, divideUp(all, atOnce));
  Value ahead = k.schedule.getFinishLead() >= 0
                    ? constant(k.schedule.getFinishLead())
                    : add(processors, processors);
  ahead = least(ahead, with.total);
  Value behind = arith::SubIOp::create(b, loc, with.total, ahead);
  Value inSteps = least(divide(behind, mainOfStep), allSteps);
  Value count = add(add(preparing, with.total), times(allSteps, finishOfStep));

  SmallVector<Value> operands;
  if (counter != k.counter)
    operands.push_back(allocateKeptZero(b, loc, {1}));
  operands.push_back(allocateHeadCounts(b, loc, with.slices));
  SmallVector<Value> numbers = {
      preparing,  ahead,
      mainOfStep, finishOfStep,
      inSteps,    count,
      all,        ofStep,
      ofHead,     add(add(ofHead, ofHead), with.groups)};
  for (SmallVector<Source> *sources : {&before, &after})
    for (Source &source : *sources) {
      gpu::KernelDim3 own = source.launch.getGridSizeOperandValues();
      numbers.append({own.x, own.y});
    }
  for (Value number : numbers)
    operands.push_back(
        arith::IndexCastOp::create(b, loc, b.getI32Type(), number));
  launch.getKernelOperandsMutable().append(operands);
  launch.getGridSizeXMutable().assign(count);
}

/// The kernel's argument for an operand of another launch.
Value OneLaunch::argumentFor(Value operand) {
  Value &argument = passed[operand];
  if (!argument) {
    argument = addArgument(operand.getType());
    launch.getKernelOperandsMutable().append(operand);
  }
  return argument;
}

static WithoutRolesOp createPart(OpBuilder &b, KernelOp kernel, int64_t part) {
  b.setInsertionPointToEnd(&kernel.getBody().front());
  auto op = WithoutRolesOp::create(b, kernel.getLoc(), part);
  b.createBlock(&op.getBody(), {}, b.getI32Type(), kernel.getLoc());
  return op;
}

void OneLaunch::prepare() {
  KernelOp kernel = k.shared.kernel;
  OpBuilder b(kernel.getContext());
  Location loc = kernel.getLoc();
  WithoutRolesOp op = createPart(b, kernel, kPreparing);
  I32Builder i(b, loc);
  int64_t warpgroups = kernel.getThreads() / kGroupThreads;
  Value first = i.add(i.mul(k.number, warpgroups), op.getBody().getArgument(0));
  auto loop = scf::ForOp::create(b, loc, first, tiles,
                                 i.mul(prepareBlocks, warpgroups));
  b.setInsertionPointToStart(loop.getBody());
  Value tile = loop.getInductionVar();
  for (Source &source : before)
    clone(b, source, tile);
  Value head = arith::DivUIOp::create(b, loc, tile, k.prepared);
  AddCountOp::create(b, loc, k.heads, head, k.all);
}

void OneLaunch::finish() {
  KernelOp kernel = k.shared.kernel;
  OpBuilder b(kernel.getContext());
  Location loc = kernel.getLoc();
  WithoutRolesOp op = createPart(b, kernel, kFinishing);
  I32Builder i(b, loc);
  auto times = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  auto least = [&](Value x, Value y) -> Value {
    return arith::MinSIOp::create(b, loc, x, y);
  };
  int64_t warpgroups = kernel.getThreads() / kGroupThreads;
  int64_t inBlock = warpgroups * k.schedule.getFinishTiles();
  Value step = arith::DivUIOp::create(b, loc, k.number, finishStep);
  Value inStep = i.mul(i.sub(k.number, times(step, finishStep)), inBlock);
  Value start = times(step, stepTiles);
  Value end =
      least(least(i.add(inStep, inBlock), stepTiles), i.sub(tiles, start));
  auto loop =
      scf::ForOp::create(b, loc, i.add(inStep, op.getBody().getArgument(0)),
                         end, i.constant(warpgroups));
  b.setInsertionPointToStart(loop.getBody());
  Value tile = i.add(start, loop.getInductionVar());
  Value head = arith::DivUIOp::create(b, loc, tile, k.prepared);
  AwaitCountOp::create(b, loc, k.heads, head,
                       i.add(k.prepared, k.shared.groups));
  IRMapping map = clone(b, after.front(), tile);
  constexpr int64_t most = 128;
  auto type = cast<RankedTensorType>(rounding.store.getTile().getType());
  if (type.getDimSize(1) <= most)
    storeWhole(b, map);
  else
    storeParts(b, map);
  AddCountOp::create(b, loc, k.heads, head, k.all);
}

/// Grids number heads, which are y and z, and tiles of rows in them, x.
IRMapping OneLaunch::clone(OpBuilder &b, Source &source, Value tile) {
  Location loc = source.launch.getLoc();
  I32Builder i(b, loc);
  auto toIndex = [&](Value v) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
  };
  Value slice = arith::DivUIOp::create(b, loc, tile, source.gridX);
  Value x = i.sub(tile, arith::MulIOp::create(b, loc, slice, source.gridX));
  Value z = arith::DivUIOp::create(b, loc, slice, source.gridY);
  Value y = i.sub(slice, arith::MulIOp::create(b, loc, z, source.gridY));
  Value ids[] = {toIndex(x), toIndex(y), toIndex(z)};
  Value sizes[] = {toIndex(source.gridX), toIndex(source.gridY), Value()};
  IRMapping map;
  for (auto [argument, operand] : llvm::zip(source.function.getArguments(),
                                            source.launch.getKernelOperands()))
    map.map(argument, argumentFor(operand));
  bool isLast = source.launch == after.front().launch;
  for (Operation &op : source.function.front().without_terminator()) {
    if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      map.map(id.getResult(), ids[static_cast<size_t>(id.getDimension())]);
    else if (auto dim = dyn_cast<gpu::GridDimOp>(op))
      map.map(dim.getResult(), sizes[static_cast<size_t>(dim.getDimension())]);
    else if (!isLast || (&op != rounding.store && &op != rounding.compute &&
                         !isa<LoadFragmentsOp, tensor::EmptyOp>(op)))
      b.clone(op, map);
  }
  return map;
}

/// What `tiles` compute of a tile of sums; as f32 without the rounding.
static Value compute(OpBuilder &b, RoundingTiles tiles, IRMapping &map,
                     Value sums, bool rounds) {
  linalg::GenericOp generic = tiles.compute;
  Location loc = generic.getLoc();
  auto from = cast<RankedTensorType>(sums.getType());
  Type element = rounds ? cast<RankedTensorType>(generic.getResult(0).getType())
                              .getElementType()
                        : from.getElementType();
  auto type =
      RankedTensorType::get(from.getShape(), element, from.getEncoding());
  Value init = tensor::EmptyOp::create(b, loc, type.getShape(), element,
                                       type.getEncoding());
  auto body = [&](OpBuilder &inside, Location loc, ValueRange in) {
    IRMapping here = map;
    here.map(generic.getBody()->getArgument(0), in[0]);
    arith::TruncFOp rounding = tiles.rounding();
    for (Operation &op : generic.getBody()->without_terminator())
      if (rounds || &op != rounding)
        inside.clone(op, here);
    Value result = rounds ? rounding.getResult() : rounding.getIn();
    linalg::YieldOp::create(inside, loc, here.lookupOrDefault(result));
  };
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, TypeRange(type), ValueRange(sums),
                                   ValueRange(init), maps, loops, body)
      .getResult(0);
}

static LoadFragmentsOp findSums(gpu::GPUFuncOp function) {
  return *function.front().getOps<LoadFragmentsOp>().begin();
}

static SmallVector<Value> lookup(IRMapping &map, ValueRange values) {
  return llvm::map_to_vector(values,
                             [&](Value v) { return map.lookupOrDefault(v); });
}

/// By TMA, through a warpgroup's own part of shared memory.
void OneLaunch::storeWhole(OpBuilder &b, IRMapping &map) {
  Source &source = after.front();
  StoreTileOp store = rounding.store;
  Location loc = store.getLoc();
  LoadFragmentsOp load = findSums(source.function);
  auto sums = cast<LoadFragmentsOp>(b.clone(*load, map));
  Value tile = compute(b, rounding, map, sums.getTile(), /*rounds=*/false);
  auto type = cast<RankedTensorType>(store.getTile().getType());
  int64_t warpgroups = k.shared.kernel.getThreads() / kGroupThreads;
  OpBuilder first(k.keys);
  auto smem = SmemOp::create(
      first, loc,
      SwizzledType::get(b.getContext(),
                        {warpgroups, type.getDimSize(0), type.getDimSize(1)},
                        type.getElementType()),
      IntegerAttr(), first.getUnitAttr());
  OpBuilder host(launch);
  Value destination = store.getDestination();
  Value encoded = EncodeTensorMapOp::create(
      host, loc,
      TensorMapType::get(b.getContext(), type.getShape(),
                         type.getElementType()),
      source.launch.getKernelOperand(
          cast<BlockArgument>(destination).getArgNumber()),
      store.getTileDims()[1], store.getTileDims()[0]);
  auto place = TilePlace::of(cast<MemRefType>(destination.getType()),
                             store.getTileDims());
  auto narrow = [&](int64_t dim) -> Value {
    return arith::IndexCastOp::create(
        b, loc, b.getI32Type(), map.lookupOrDefault(store.getOffsets()[dim]));
  };
  SmallVector<Value> outer;
  for (int64_t dim : place.outer)
    outer.push_back(narrow(dim));
  auto part = cast<WithoutRolesOp>(k.shared.kernel.getBody().front().back());
  TmaStoreOp::create(b, loc, tile, smem, part.getBody().getArgument(0),
                     argumentFor(encoded), narrow(place.row), outer,
                     /*enable=*/Value(), /*drain=*/UnitAttr());
}

/// More columns than fit in registers, 64 at a time.
void OneLaunch::storeParts(OpBuilder &b, IRMapping &map) {
  constexpr int64_t width = 64;
  Source &source = after.front();
  StoreTileOp store = rounding.store;
  Location loc = store.getLoc();
  I32Builder i(b, loc);
  LoadFragmentsOp load = findSums(source.function);
  auto whole = cast<RankedTensorType>(load.getTile().getType());
  auto type =
      RankedTensorType::get({whole.getDimSize(0), width},
                            whole.getElementType(), whole.getEncoding());
  auto loop = scf::ForOp::create(b, loc, i.constant(0),
                                 i.constant(whole.getDimSize(1) / width),
                                 i.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value part = loop.getInductionVar();
  auto sums = LoadFragmentsOp::create(
      b, loc, type, map.lookupOrDefault(load.getBuffer()),
      lookup(map, load.getOffsets()), part,
      b.getDenseI64ArrayAttr(load.getTileDims()));
  Value tile = compute(b, rounding, map, sums.getTile(), /*rounds=*/true);
  SmallVector<Value> offsets = lookup(map, store.getOffsets());
  offsets[store.getTileDims()[1]] =
      arith::IndexCastOp::create(b, loc, b.getIndexType(), i.mul(part, width));
  StoreTileOp::create(b, loc, tile, map.lookupOrDefault(store.getDestination()),
                      offsets, Value(), store.getTileDims());
}
