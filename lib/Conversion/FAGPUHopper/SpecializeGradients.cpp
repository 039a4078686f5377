//===- SpecializeGradients.cpp - a kernel with roles for the gradients ----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GradientClear.h"
#include "GradientFinish.h"
#include "HopperUtils.h"
#include "OneLaunch.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUSPECIALIZEGRADIENTS
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

namespace {

bool dependsOnBlockX(Value v) {
  Operation *def = v.getDefiningOp();
  if (!def)
    return false;
  if (auto id = dyn_cast<gpu::BlockIdOp>(def))
    return id.getDimension() == gpu::Dimension::x;
  return llvm::any_of(def->getOperands(), dependsOnBlockX);
}

/// Creates the kernel with its arguments, memory and rings.
class KernelCreator {
public:
  explicit KernelCreator(GradientRoles &k)
      : k(k), function(k.source.function), b(function), loc(function.getLoc()) {
  }

  void create() {
    k.shared.rangesDiffer =
        dependsOnBlockX(k.source.loops.front().loop.getLowerBound()) ||
        dependsOnBlockX(k.source.loops.back().loop.getUpperBound());
    k.shared.follows = k.isOrdered();
    findArguments();
    createKernel();
    b.setInsertionPointToStart(&k.shared.kernel.getBody().front());
    declareMemory();
  }

private:
  void addExtent(Value buffer, int64_t dim) {
    Extent extent{cast<BlockArgument>(buffer), dim};
    if (cast<MemRefType>(buffer.getType()).isDynamicDim(dim) &&
        !llvm::is_contained(k.shared.extents, extent))
      k.shared.extents.push_back(extent);
  }

  /// Buffers that only TMA moves are not passed; their extents are.
  void findArguments() {
    llvm::SmallPtrSet<Operation *, 8> moved = {k.source.key, k.source.value,
                                               k.source.dKey, k.source.dValue};
    for (QueryLoop &part : k.source.loops) {
      moved.insert(part.query);
      moved.insert(part.dOut);
    }
    // Buffers first, then numbers.
    SmallVector<BlockArgument> numbers;
    for (BlockArgument argument : function.getArguments())
      if (llvm::any_of(argument.getUsers(), [&](Operation *user) {
            return !isa<memref::DimOp>(user) && !moved.contains(user);
          })) {
        bool isBuffer = isa<MemRefType>(argument.getType());
        (isBuffer ? k.shared.kept : numbers).push_back(argument);
      }
    llvm::append_range(k.shared.kept, numbers);
    function.walk([&](memref::DimOp op) {
      addExtent(op.getSource(), *op.getConstantIndex());
    });
    // Messengers count query tiles, whoever else asks for their number.
    LoadTileOp query = k.source.loops.front().query;
    if (k.isOrdered())
      addExtent(query.getSource(), query.getTileDims()[0]);
  }

  void createKernel() {
    SmallVector<Type> types;
    for (unsigned moved = 0; moved < k.maps.size(); ++moved) {
      RankedTensorType tile = k.source.movedTile(moved);
      types.push_back(TensorMapType::get(b.getContext(), tile.getShape(),
                                         tile.getElementType()));
    }
    if (k.isOrdered() || k.isPersistent())
      types.push_back(MemRefType::get({1}, b.getI32Type()));
    if (k.isOrdered())
      types.push_back(MemRefType::get({ShapedType::kDynamic}, b.getI32Type()));
    for (BlockArgument argument : k.shared.kept)
      types.push_back(argument.getType());
    constexpr unsigned gridArguments = 6;
    types.append(k.shared.extents.size() + gridArguments, b.getI32Type());
    auto type = b.getFunctionType(types, {});
    auto name = b.getStringAttr(function.getName() + "_tma");
    KernelOp kernel =
        KernelOp::create(b, loc, name, TypeAttr::get(type), ArrayAttr(),
                         ArrayAttr(), IntegerAttr(), IntegerAttr());
    if (k.isPaired())
      kernel.setCluster(k.blocks());
    k.shared.kernel = kernel;
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    kernel->setAttr(kGradientsName, k.schedule);
    Block *entry = b.createBlock(&kernel.getBody(), {}, types,
                                 SmallVector<Location>(types.size(), loc));
    ValueRange arguments = entry->getArguments();
    auto take = [&](size_t n) {
      ValueRange taken = arguments.take_front(n);
      arguments = arguments.drop_front(n);
      return taken;
    };
    llvm::copy(take(k.maps.size()), k.maps.begin());
    if (k.isOrdered() || k.isPersistent())
      k.counter = take(1).front();
    if (k.isOrdered())
      k.counts = take(1).front();
    llvm::append_range(k.shared.keptHere, take(k.shared.kept.size()));
    llvm::append_range(k.shared.extentsHere, take(k.shared.extents.size()));
    for (Value *v : {&k.shared.gridX, &k.shared.gridY, &k.shared.groups,
                     &k.shared.slices, &k.shared.together, &k.shared.total})
      *v = take(1).front();
  }

  SmemOp declare(RankedTensorType tile, int64_t tiles) {
    return SmemOp::create(
        b, loc,
        SwizzledType::get(b.getContext(),
                          {tiles, tile.getDimSize(0), tile.getDimSize(1)},
                          tile.getElementType()),
        IntegerAttr(), UnitAttr());
  }
  RowsOp declareRows() {
    return RowsOp::create(
        b, loc,
        SharedRowsType::get(b.getContext(),
                            {k.schedule.getStages(), kBlockRows},
                            b.getF32Type()),
        IntegerAttr());
  }
  RingOp createRing(int64_t stages, UnitAttr mailbox = {}) {
    return RingOp::create(b, loc, RingType::get(b.getContext(), stages),
                          IntegerAttr(), IntegerAttr(), mailbox, IntegerAttr(),
                          UnitAttr());
  }

  void declareMemory() {
    GradientTiles &source = k.source;
    int64_t tiles = k.tiles();
    int64_t stages = k.schedule.getStages();
    k.keys = declare(source.movedTile(1), tiles);
    k.values = declare(source.movedTile(2), tiles);
    k.queries = declare(source.movedTile(0), stages);
    k.dOuts = declare(source.movedTile(3), stages);
    auto scores = RankedTensorType::get({kBlockRows, kBlockRows},
                                        source.movedTile(0).getElementType());
    k.dScores =
        declare(scores, k.tilesTogether() * k.schedule.getScoreStages());
    if (k.schedule.getByOutput())
      return declareByOutput(scores);
    // A warpgroup's value tile is its own, and not needed any more when the
    // sums are complete.
    k.dValues = k.values;
    k.dKeys = source.movedTile(4).getShape() == source.movedTile(5).getShape()
                  ? k.values
                  : declare(source.movedTile(4), tiles);
    declareRings();
  }

  /// Outputs take slots that the loader does not need any more.
  void declareByOutput(RankedTensorType scores) {
    k.dValues = k.dOuts;
    k.dKeys = k.queries;
    k.weights = declare(scores, k.schedule.getWeightStages());
    if (k.isPaired())
      k.otherKeys = declare(
          scores, llvm::divideCeil(k.source.movedTile(1).getDimSize(1), 128));
    declareRings();
    k.scoreRing.setPaired(k.isPaired());
    k.weightRing = createRing(k.schedule.getWeightStages());
  }

  void declareRings() {
    int64_t stages = k.schedule.getStages();
    k.lse = declareRows();
    k.delta = declareRows();
    if (k.isPersistent())
      k.tileRing = createRing(2, b.getUnitAttr());
    if (k.isPersistent() && k.isPaired())
      k.inbox = createRing(2, b.getUnitAttr());
    k.keyRing = createRing(1, k.isOrdered() ? b.getUnitAttr() : UnitAttr());
    k.queryRing = createRing(stages);
    k.dOutRing = createRing(stages);
    k.scoreRing = createRing(k.schedule.getScoreStages());
    if (!k.isOrdered())
      return;
    k.turnRing = createRing(k.schedule.getScoreStages());
    k.addedRing = createRing(k.schedule.getScoreStages());
  }

  GradientRoles &k;
  gpu::GPUFuncOp function;
  OpBuilder b;
  Location loc;
};

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

/// Launches the kernel instead of its source, and gives workspaces whole tiles
/// and fragment order.
class LaunchBuilder {
public:
  LaunchBuilder(GradientRoles &k, gpu::LaunchFuncOp launch)
      : k(k), launch(launch), loc(launch.getLoc()), b(launch) {}

  LogicalResult build() {
    createLaunch();
    QueryLoop &part = k.source.loops.front();
    for (LoadTileOp load : {part.lse, part.delta})
      if (failed(padRows(operandFor(load.getSource()), load.getTileDims()[0])))
        return failure();
    Value sum = operandFor(part.sum.getWorkspace());
    if (failed(padRows(sum, part.sum.getTileDims()[0])) ||
        failed(useFragments(sum)))
      return failure();
    launch.erase();
    return success();
  }

  const RoleLaunch &created() const { return result; }

private:
  Value operandFor(Value argument) {
    return launch.getKernelOperand(
        cast<BlockArgument>(argument).getArgNumber());
  }
  Value constant(int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  }
  Value narrow(Value v) {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), v);
  }

  void createLaunch() {
    SmallVector<Value> arguments;
    std::array<Value, 6> moved = k.source.movedBuffers();
    for (auto [i, buffer] : llvm::enumerate(moved)) {
      ArrayRef<int64_t> dims = k.source.movedDims(i);
      arguments.push_back(EncodeTensorMapOp::create(
          b, loc, k.maps[i].getType(), operandFor(buffer), dims[1], dims[0]));
    }
    gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
    Value groups =
        arith::CeilDivUIOp::create(b, loc, grid.x, constant(k.tilesTogether()));
    Value slices = arith::MulIOp::create(b, loc, grid.y, grid.z);
    Value total = arith::MulIOp::create(b, loc, groups, slices);
    if (k.isPaired())
      total = arith::MulIOp::create(b, loc, total, constant(k.blocks()));
    // What tickets, or tiles, are drawn from.
    if (k.isOrdered() || k.isPersistent())
      arguments.push_back(allocateKeptZero(b, loc, {1}));
    if (k.isOrdered())
      arguments.push_back(allocateCounts(total));
    for (BlockArgument kept : k.shared.kept)
      arguments.push_back(operandFor(kept));
    for (const Extent &extent : k.shared.extents)
      arguments.push_back(narrow(memref::DimOp::create(
          b, loc, operandFor(extent.buffer), extent.dim)));
    Value together =
        k.shared.slicesTakeTurns() ? slicesTogether() : constant(1);
    for (Value v : {grid.x, grid.y, groups, slices, together, total})
      arguments.push_back(narrow(v));
    Value one = constant(1), threads = constant(k.shared.kernel.getThreads());
    Value noShared = arith::ConstantIntOp::create(b, loc, 0, 32);
    auto module = k.shared.kernel->getParentOfType<gpu::GPUModuleOp>();
    auto symbol = SymbolRefAttr::get(
        module.getNameAttr(),
        {FlatSymbolRefAttr::get(k.shared.kernel.getSymNameAttr())});
    Value blocks = total;
    if (k.isPersistent())
      blocks = arith::MinUIOp::create(b, loc, total, multiprocessors());
    std::optional<gpu::KernelDim3> cluster;
    if (k.isPaired())
      cluster = gpu::KernelDim3{constant(k.blocks()), one, one};
    auto made = gpu::LaunchFuncOp::create(
        b, loc, symbol, gpu::KernelDim3{blocks, one, one},
        gpu::KernelDim3{threads, one, one}, noShared, arguments,
        /*asyncTokenType=*/Type(), /*asyncDependencies=*/ValueRange(), cluster);
    result = {made, groups, slices, together, total};
  }

  /// All of them, or as many as are in pairs; one pair at least.
  Value multiprocessors() {
    Value all = MultiprocessorsOp::create(b, loc, b.getIndexType());
    if (!k.isPaired())
      return all;
    Value size = constant(k.blocks());
    Value pairs = arith::DivUIOp::create(b, loc, all, size);
    pairs = arith::MaxUIOp::create(b, loc, pairs, constant(1));
    return arith::MulIOp::create(b, loc, pairs, size);
  }

  /// A count per block, which a kernel of its own clears.
  Value allocateCounts(Value total) {
    auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
    Value counts = memref::AllocOp::create(b, loc, type, total);
    gpu::GPUFuncOp kernel = createClearing(type);
    Value one = constant(1);
    Value blocks =
        arith::CeilDivUIOp::create(b, loc, total, constant(kBlockRows));
    Value noShared = arith::ConstantIntOp::create(b, loc, 0, 32);
    gpu::LaunchFuncOp::create(
        b, loc, kernel, gpu::KernelDim3{blocks, one, one},
        gpu::KernelDim3{constant(kGroupThreads), one, one}, noShared,
        ValueRange(counts));
    return counts;
  }

  gpu::GPUFuncOp createClearing(MemRefType type) {
    OpBuilder at(k.source.function);
    auto kernel = gpu::GPUFuncOp::create(
        at, loc, (k.source.function.getName() + "_clear").str(),
        at.getFunctionType(type, {}));
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), at.getUnitAttr());
    kernel.setKnownBlockSize(
        std::array<int32_t, 3>{int32_t(kGroupThreads), 1, 1});
    at.setInsertionPointToStart(&kernel.getBody().front());
    auto tile = RankedTensorType::get({kBlockRows}, at.getI32Type(),
                                      RowsAttr::get(at.getContext()));
    Value zeros = arith::ConstantOp::create(
        at, loc, DenseElementsAttr::get(tile, at.getI32IntegerAttr(0)));
    Value first = arith::MulIOp::create(
        at, loc, gpu::BlockIdOp::create(at, loc, gpu::Dimension::x),
        arith::ConstantIndexOp::create(at, loc, kBlockRows));
    StoreTileOp::create(at, loc, zeros, kernel.getArgument(0),
                        ValueRange(first), Value(), ArrayRef<int64_t>{0});
    gpu::ReturnOp::create(at, loc);
    return kernel;
  }

  /// Slices whose queries, d_out and sums in f32 fit in a part of the
  /// second-level cache together. In one order, so many that blocks of a slice
  /// begin too far apart to wait for each other; they follow each other so
  /// closely that not all of a slice need fit.
  Value slicesTogether() {
    constexpr int64_t element = 2, sum = 4;
    bool isOrdered = k.isOrdered();
    // Blocks have half of the tiles.
    int64_t scale = k.shared.rangesDiffer ? 2 : 1;
    int64_t budget = (isOrdered ? scale * 64 : 16) << 20;
    Value bytes;
    std::array<Value, 6> moved = k.source.movedBuffers();
    for (unsigned i : {0, 3}) {
      Value matrix = constant(i == 0 ? element + sum : element);
      for (int64_t dim : k.source.movedDims(i))
        matrix = arith::MulIOp::create(
            b, loc, matrix,
            memref::DimOp::create(b, loc, operandFor(moved[i]), dim));
      bytes = bytes ? arith::AddIOp::create(b, loc, bytes, matrix).getResult()
                    : matrix;
    }
    Value fit = arith::DivUIOp::create(b, loc, constant(budget), bytes);
    if (isOrdered)
      fit = arith::MinUIOp::create(b, loc, fit, mostInOrder());
    return arith::MaxUIOp::create(b, loc, fit, constant(1));
  }

  /// How many that is: of few and narrow rows more, since their blocks end
  /// sooner.
  Value mostInOrder() {
    constexpr int64_t few = 32, elements = few << 16;
    if (k.shared.rangesDiffer)
      return constant(2 * few);
    int64_t rows = elements / k.source.movedTile(0).getDimSize(1);
    Value queries =
        memref::DimOp::create(b, loc, operandFor(k.source.movedBuffers()[0]),
                              k.source.movedDims(0)[0]);
    queries = arith::MaxUIOp::create(b, loc, queries, constant(1));
    Value most = arith::DivUIOp::create(b, loc, constant(rows), queries);
    return arith::MaxUIOp::create(b, loc, most, constant(few));
  }

  LogicalResult padRows(Value memory, int64_t dim) {
    auto alloc = memory.getDefiningOp<memref::AllocOp>();
    if (!alloc)
      return launch.emitError("machine stage: sums and rows of the gradients "
                              "must be in workspaces");
    MemRefType type = alloc.getType();
    if (!type.isDynamicDim(dim)) {
      if (type.getDimSize(dim) % kBlockRows == 0)
        return success();
      return alloc.emitError("machine stage: a workspace of static size must "
                             "hold whole tiles of 64 queries");
    }
    OpOperand &size =
        alloc.getDynamicSizesMutable()[type.getDynamicDimIndex(dim)];
    OpBuilder before(alloc);
    Value rows = arith::ConstantIndexOp::create(before, loc, kBlockRows);
    Value tiles = arith::CeilDivUIOp::create(before, loc, size.get(), rows);
    size.set(arith::MulIOp::create(before, loc, tiles, rows));
    return success();
  }

  /// In the other kernels that use the sum.
  LogicalResult useFragments(Value memory) {
    for (OpOperand &use : memory.getUses()) {
      auto other = dyn_cast<gpu::LaunchFuncOp>(use.getOwner());
      if (!other || other == launch)
        continue;
      auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(
          SymbolTable::lookupNearestSymbolFrom(other, other.getKernel()));
      if (!kernel)
        continue;
      unsigned first = other.getKernelOperands().getBeginOperandIndex();
      BlockArgument argument =
          kernel.getArgument(use.getOperandNumber() - first);
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
        if (auto load = dyn_cast<LoadTileOp>(user)) {
          if (failed(loadFragments(load)))
            return failure();
        } else if (auto store = dyn_cast<StoreTileOp>(user)) {
          if (failed(putFragments(store)))
            return failure();
        } else if (!isa<memref::DimOp>(user)) {
          return user->emitError("machine stage: this cannot use a sum in "
                                 "fragment order");
        }
    }
    return success();
  }

  LogicalResult loadFragments(LoadTileOp load) {
    if (!hasLayout<AccAttr>(load.getTile().getType()) ||
        getConstantIntValue(load.getOffsets().back()) != 0)
      return load.emitError("machine stage: this cannot read a sum in "
                            "fragment order");
    OpBuilder at(load);
    auto fragments = LoadFragmentsOp::create(
        at, load.getLoc(), load.getTile().getType(), load.getSource(),
        load.getOffsets().drop_back(), Value(),
        at.getDenseI64ArrayAttr(load.getTileDims()));
    load.getTile().replaceAllUsesWith(fragments.getTile());
    load.erase();
    return success();
  }

  LogicalResult putFragments(StoreTileOp store) {
    if (!hasLayout<AccAttr>(store.getTile().getType()) || store.getLimit() ||
        getConstantIntValue(store.getOffsets().back()) != 0)
      return store.emitError("machine stage: this cannot write a sum in "
                             "fragment order");
    OpBuilder at(store);
    PutFragmentsOp::create(at, store.getLoc(), store.getTile(),
                           store.getDestination(),
                           store.getOffsets().drop_back(),
                           at.getDenseI64ArrayAttr(store.getTileDims()));
    store.erase();
    return success();
  }

  GradientRoles &k;
  gpu::LaunchFuncOp launch;
  Location loc;
  OpBuilder b;
  RoleLaunch result;
};

struct SpecializeGradients
    : fa::impl::FAGPUSpecializeGradientsBase<SpecializeGradients> {
  void runOnOperation() override {
    SmallVector<gpu::LaunchFuncOp> launches;
    getOperation().walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
    for (gpu::LaunchFuncOp launch : launches) {
      auto function = dyn_cast_or_null<gpu::GPUFuncOp>(
          SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel()));
      if (!function)
        continue;
      auto schedule =
          function->getAttrOfType<GradientScheduleAttr>(kGradientsName);
      function->removeAttr(kGradientsName);
      if (schedule && addsUp(function) &&
          failed(specialize(launch, function, schedule)))
        return signalPassFailure();
    }
  }

  /// Other kernels of the gradients prepare and finish.
  static bool addsUp(gpu::GPUFuncOp function) {
    return function.walk([](AccumulateOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  LogicalResult specialize(gpu::LaunchFuncOp launch, gpu::GPUFuncOp function,
                           GradientScheduleAttr schedule) {
    std::string why;
    FailureOr<GradientTiles> source =
        GradientTiles::match(launch, function, why);
    if (failed(source))
      return function.emitError("machine stage: this kernel cannot have "
                                "roles: ")
             << why << "; the target sm_80 has others";
    TileKernel scalars;
    scalars.function = function;
    GradientRoles roles(*source, schedule, scalars);
    std::optional<OneLaunch> joined = OneLaunch::match(roles, launch);
    std::optional<GradientClear> clear = GradientClear::match(roles, launch);
    std::optional<GradientFinish> finish =
        clear ? GradientFinish::match(roles, launch) : std::nullopt;
    KernelCreator(roles).create();
    if (joined)
      joined->draw();
    if (finish)
      finish->declare();
    if (clear)
      clear->declare();
    LaunchBuilder host(roles, launch);
    if (failed(buildLoader(roles)) ||
        (roles.isOrdered() && failed(buildOrderRoles(roles))) ||
        (clear && failed(clear->build())))
      return failure();
    if (finish)
      finish->build();
    if (failed(buildQueryRole(roles)) ||
        failed(schedule.getByOutput() ? buildOutputRoles(roles)
                                      : buildKeyRole(roles)) ||
        failed(host.build()))
      return failure();
    if (joined)
      joined->join(host.created());
    Value rounded = finish ? finish->join(host.created()) : Value();
    if (clear)
      clear->join(host.created(), rounded);
    function.erase();
    return success();
  }
};

} // namespace
