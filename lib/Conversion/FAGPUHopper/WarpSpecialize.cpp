//===- WarpSpecialize.cpp - a tile program's kernel with roles ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUWARPSPECIALIZE
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

Value RoleKernel::queryIndex(OpBuilder &b, Location loc, Value cursor,
                             Value consumer) {
  if (schedule.getQuerySlots() == 1)
    return consumer;
  I32Builder i(b, loc);
  return i.add(i.mul(SlotOp::create(b, loc, cursor), consumers()), consumer);
}

namespace {

/// Whether `v` is computed from the block's x: its query tile.
bool dependsOnQueryTile(Value v, DenseMap<Value, bool> &known) {
  auto [found, isNew] = known.try_emplace(v, false);
  if (!isNew)
    return found->second;
  Operation *def = v.getDefiningOp();
  if (!def)
    return false;
  auto id = dyn_cast<mlir::gpu::BlockIdOp>(def);
  bool result = id && id.getDimension() == mlir::gpu::Dimension::x;
  for (Value operand : def->getOperands())
    result |= dependsOnQueryTile(operand, known);
  return known[v] = result;
}

/// Creates the kernel with its arguments, memory and rings.
class KernelCreator {
public:
  KernelCreator(RoleKernel &k)
      : k(k), function(k.source.function), b(function), loc(function.getLoc()) {
  }

  void create() {
    DenseMap<Value, bool> known;
    for (Value v : k.source.bounds())
      k.rangesDiffer |= dependsOnQueryTile(v, known);
    checkTurns();
    findArguments();
    createKernel();
    b.setInsertionPointToStart(&k.kernel.getBody().front());
    int64_t stages = k.schedule.getStages();
    int64_t querySlots = k.schedule.getQuerySlots();
    k.queries = declare(0, k.consumers() * querySlots);
    k.keys = declare(1, stages);
    k.values = declare(2, stages);
    if (!mustShare())
      k.outputs = declare(3, k.consumers());
    k.queryRing = createRing(querySlots);
    // A tile's number travels with its queries.
    k.queryRing.setMailbox(k.schedule.getDynamic());
    k.keyRing = createRing(stages);
    k.valueRing = createRing(stages);
  }

private:
  /// All consumers must take as many turns.
  void checkTurns() {
    WarpScheduleAttr s = k.schedule;
    if (!s.getTurns() || (s.getConsumers() >= 2 && !k.rangesDiffer))
      return;
    function.emitRemark("consumers issue as they come, not in turns: ")
        << (k.rangesDiffer ? "they see different numbers of keys"
                           : "there is one");
    k.schedule = WarpScheduleAttr::get(
        s.getContext(), s.getConsumers(), s.getStages(),
        s.getProducerRegisters(), s.getConsumerRegisters(), s.getDynamic(),
        s.getLazy(), s.getOverlap(), s.getAhead(), s.getQuerySlots(),
        s.getBlocks(), /*turns=*/false);
  }

  void addExtent(Value buffer, int64_t dim) {
    Extent extent{cast<BlockArgument>(buffer), dim};
    if (cast<MemRefType>(buffer.getType()).isDynamicDim(dim) &&
        !llvm::is_contained(k.extents, extent))
      k.extents.push_back(extent);
  }

  /// Buffers that only TMA moves are not passed; their extents are.
  void findArguments() {
    llvm::SmallPtrSet<Operation *, 8> moved = {k.source.query, k.source.out};
    for (KeyLoop &part : k.source.loops) {
      moved.insert(part.key);
      moved.insert(part.value);
    }
    for (BlockArgument argument : function.getArguments())
      if (llvm::any_of(argument.getUsers(), [&](Operation *user) {
            return !isa<memref::DimOp>(user) && !moved.contains(user);
          }))
        k.kept.push_back(argument);
    function.walk([&](memref::DimOp op) {
      addExtent(op.getSource(), *op.getConstantIndex());
    });
  }

  RankedTensorType tileOf(unsigned moved) {
    Value tiles[] = {
        k.source.query.getTile(), k.source.loops.front().key.getTile(),
        k.source.loops.front().value.getTile(), k.source.out.getTile()};
    return cast<RankedTensorType>(tiles[moved].getType());
  }

  void createKernel() {
    SmallVector<Type> types;
    for (unsigned moved = 0; moved < k.maps.size(); ++moved)
      types.push_back(TensorMapType::get(b.getContext(),
                                         tileOf(moved).getShape(),
                                         tileOf(moved).getElementType()));
    for (BlockArgument argument : k.kept)
      types.push_back(argument.getType());
    constexpr unsigned gridArguments = 6;
    types.append(k.extents.size() + gridArguments, b.getI32Type());
    if (k.schedule.getDynamic())
      types.push_back(MemRefType::get({1}, b.getI32Type()));
    auto type = b.getFunctionType(types, {});
    auto name = b.getStringAttr(function.getName() + "_tma");
    k.kernel = KernelOp::create(b, loc, name, TypeAttr::get(type), ArrayAttr(),
                                ArrayAttr(), IntegerAttr(), IntegerAttr());
    k.kernel->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    k.kernel->setAttr(kWarpsName, k.schedule);
    Block *entry = b.createBlock(&k.kernel.getBody(), {}, types,
                                 SmallVector<Location>(types.size(), loc));
    ValueRange arguments = entry->getArguments();
    auto take = [&](size_t n) {
      ValueRange taken = arguments.take_front(n);
      arguments = arguments.drop_front(n);
      return taken;
    };
    llvm::copy(take(k.maps.size()), k.maps.begin());
    llvm::append_range(k.keptHere, take(k.kept.size()));
    llvm::append_range(k.extentsHere, take(k.extents.size()));
    for (Value *v :
         {&k.gridX, &k.gridY, &k.groups, &k.slices, &k.together, &k.total})
      *v = take(1).front();
    if (k.schedule.getDynamic())
      k.counter = arguments.front();
  }

  SwizzledType memoryOf(unsigned moved, int64_t tiles) {
    ArrayRef<int64_t> tile = tileOf(moved).getShape();
    return SwizzledType::get(b.getContext(), {tiles, tile[0], tile[1]},
                             tileOf(moved).getElementType());
  }
  SmemOp declare(unsigned moved, int64_t tiles) {
    return SmemOp::create(b, loc, memoryOf(moved, tiles), IntegerAttr(),
                          UnitAttr());
  }

  /// Whether outputs of the queries' shape must go where the queries were,
  /// because there is no room for both. That delays the next tile's queries.
  bool mustShare() {
    constexpr int64_t barriers = 256;
    int64_t most = sharedOfBlock(k.schedule.getBlocks());
    int64_t stages = k.schedule.getStages(), bytes = barriers;
    int64_t tiles[] = {k.consumers() * k.schedule.getQuerySlots(), stages,
                       stages, k.consumers()};
    for (unsigned moved = 0; moved < 4; ++moved)
      bytes += memoryOf(moved, tiles[moved]).getBytes();
    return bytes > most && tileOf(0).getShape() == tileOf(3).getShape() &&
           tileOf(0).getElementType() == tileOf(3).getElementType();
  }

  RingOp createRing(int64_t stages) {
    return RingOp::create(b, loc, RingType::get(b.getContext(), stages),
                          IntegerAttr(), IntegerAttr(), UnitAttr(),
                          IntegerAttr(), UnitAttr());
  }

  RoleKernel &k;
  mlir::gpu::GPUFuncOp function;
  OpBuilder b;
  Location loc;
};

struct WarpSpecialize : fa::impl::FAGPUWarpSpecializeBase<WarpSpecialize> {
  void runOnOperation() override {
    SmallVector<mlir::gpu::LaunchFuncOp> launches;
    getOperation().walk(
        [&](mlir::gpu::LaunchFuncOp op) { launches.push_back(op); });
    for (mlir::gpu::LaunchFuncOp launch : launches) {
      auto function = dyn_cast_or_null<mlir::gpu::GPUFuncOp>(
          SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel()));
      if (!function)
        continue;
      auto schedule = function->getAttrOfType<WarpScheduleAttr>(kWarpsName);
      if (schedule && failed(specialize(launch, function, schedule)))
        return signalPassFailure();
    }
  }

  LogicalResult specialize(mlir::gpu::LaunchFuncOp launch,
                           mlir::gpu::GPUFuncOp function,
                           WarpScheduleAttr schedule) {
    function->removeAttr(kWarpsName);
    std::string why;
    FailureOr<TileKernel> source = TileKernel::match(function, why);
    if (failed(source)) {
      function.emitRemark("this kernel stays with mma.sync: ") << why;
      return success();
    }
    // The tail is cleared before any key is released, and the last values come
    // after a second tile of keys.
    if (source->valueLimit() && schedule.getStages() < 2) {
      function.emitRemark("this kernel stays with mma.sync: values to clear "
                          "past a length need two stages");
      return success();
    }
    RoleKernel kernel(*source, schedule);
    KernelCreator(kernel).create();
    if (failed(buildProducer(kernel)) || failed(buildConsumer(kernel)))
      return failure();
    buildLaunch(kernel, launch);
    return success();
  }
};

} // namespace
