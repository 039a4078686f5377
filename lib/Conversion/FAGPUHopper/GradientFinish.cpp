//===- GradientFinish.cpp - sums that the kernel rounds itself ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GradientFinish.h"
#include "HopperUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

/// Warps of a block that do nothing but round.
static constexpr int64_t kWarps = 2;

//===----------------------------------------------------------------------===//
// Which launch
//===----------------------------------------------------------------------===//

/// What sums are multiplied by, a scalar; null where by nothing, none where
/// there is other arithmetic.
static std::optional<Value> scaleOf(RoundingTiles &tiles) {
  Block *body = tiles.compute.getBody();
  Value in = tiles.rounding().getIn();
  if (in == body->getArgument(0))
    return Value();
  auto product = in.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  Value scale = product.getLhs() == body->getArgument(0) ? product.getRhs()
                                                         : product.getLhs();
  bool isOfSum =
      llvm::is_contained(product.getOperands(), body->getArgument(0));
  if (!isOfSum || scale.getParentBlock() == body)
    return std::nullopt;
  return scale;
}

std::optional<GradientFinish> GradientFinish::match(GradientRoles &k,
                                                    gpu::LaunchFuncOp launch) {
  GradientFinish finish(k);
  if (!finish.find(launch))
    return std::nullopt;
  return finish;
}

/// A program of one warpgroup whose blocks have a query tile each.
static bool isOfTiles(gpu::GPUFuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()))
    return false;
  return llvm::all_of(function.front(), [](Operation &op) {
    if (auto dim = dyn_cast<gpu::GridDimOp>(op))
      return dim.getDimension() != gpu::Dimension::z;
    return isa<LoadTileOp, StoreTileOp, gpu::BlockIdOp>(op) ||
           op.hasTrait<OpTrait::IsTerminator>() ||
           (isMemoryEffectFree(&op) && !isa<gpu::ThreadIdOp>(op));
  });
}

bool GradientFinish::find(gpu::LaunchFuncOp launch) {
  AccumulateOp sum = k.source.loops.front().sum;
  Value memory = launch.getKernelOperand(
      cast<BlockArgument>(sum.getWorkspace()).getArgNumber());
  for (Operation *user : memory.getUsers()) {
    auto other = dyn_cast<gpu::LaunchFuncOp>(user);
    if (!other || other == launch || other->getBlock() != launch->getBlock() ||
        other->isBeforeInBlock(launch))
      continue;
    if (finishing)
      return false;
    finishing = other;
  }
  if (!finishing || !isAlone(launch))
    return false;
  function = dyn_cast_or_null<gpu::GPUFuncOp>(
      SymbolTable::lookupNearestSymbolFrom(finishing, finishing.getKernel()));
  if (!function || !isOfTiles(function))
    return false;
  std::optional<RoundingTiles> found = RoundingTiles::match(function);
  if (!found || !scaleOf(*found))
    return false;
  tiles = *found;
  constexpr int64_t columns = 32;
  auto tile = cast<RankedTensorType>(tiles.store.getTile().getType());
  return llvm::count_if(function.front(),
                        [](Operation &op) { return isa<LoadTileOp>(op); }) ==
             1 &&
         tile.getDimSize(0) == kBlockRows && tile.getDimSize(1) % columns == 0;
}

/// Nothing else happens between the two launches.
bool GradientFinish::isAlone(gpu::LaunchFuncOp launch) {
  for (Operation *op = launch->getNextNode(); op != finishing;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<memref::AllocOp>(op))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The roles
//===----------------------------------------------------------------------===//

void GradientFinish::declare() {
  KernelOp kernel = k.shared.kernel;
  auto add = [&](Type type) -> Value {
    return kernel.getBody().addArgument(type, kernel.getLoc());
  };
  Type i32 = IntegerType::get(kernel.getContext(), 32);
  taken = add(MemRefType::get({1}, i32));
  for (Value *v : {&draws, &all, &ofHead, &gridX, &gridY})
    *v = add(i32);
  auto sums = tiles.compute.getDpsInputs()[0].getDefiningOp<LoadTileOp>();
  for (BlockArgument argument : function.getArguments())
    passed.push_back(argument == sums.getSource() ? k.sums()
                                                  : add(argument.getType()));
  k.afterTiles = [this](OpBuilder &b) { finish(b); };
}

/// Query tiles, whichever come next of all blocks', when their heads are done.
void GradientFinish::finish(OpBuilder &b) {
  Location loc = function.getLoc();
  auto loop = ForEachNumberOp::create(b, loc, taken, all, draws);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&loop.getBody(), {}, b.getI32Type(), loc);
  I32Builder i(b, loc);
  Value number = body->getArgument(0);
  Value head = arith::DivUIOp::create(b, loc, number, ofHead);
  // Cleared, and added to.
  AwaitCountOp::create(b, loc, k.heads, head, i.add(k.prepared, k.prepared));
  round(b, number);
  AddCountOp::create(b, loc, k.heads, head, k.all, /*relaxed=*/true);
}

/// Of a tile, which is more than a warp should do alone: in the end all wait
/// for the last.
int64_t GradientFinish::parts() {
  constexpr int64_t most = 256;
  auto type = cast<RankedTensorType>(tiles.store.getTile().getType());
  int64_t columns = type.getDimSize(1);
  return columns * 4 <= most ? 1 : columns * 2 <= most ? 2 : 4;
}

/// The program of one of its blocks, by a warp.
void GradientFinish::round(OpBuilder &b, Value number) {
  Location loc = function.getLoc();
  I32Builder i(b, loc);
  IRMapping map = cloneScalars(b, i.div(number, parts()));
  auto load = tiles.compute.getDpsInputs()[0].getDefiningOp<LoadTileOp>();
  StoreTileOp store = tiles.store;
  auto lookup = [&](ValueRange values) {
    return llvm::map_to_vector(values,
                               [&](Value v) { return map.lookupOrDefault(v); });
  };
  Value scale = *scaleOf(tiles);
  if (scale)
    scale = map.lookupOrDefault(scale);
  else
    scale = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
  RoundFragmentsOp::create(
      b, loc, map.lookupOrDefault(load.getSource()),
      lookup(load.getOffsets().drop_back()), i.rem(number, parts()), parts(),
      scale, map.lookupOrDefault(store.getDestination()),
      lookup(store.getOffsets()), load.getTileDims(), store.getTileDims());
}

/// Grids number heads, which are y and z, and tiles of rows in them, x.
IRMapping GradientFinish::cloneScalars(OpBuilder &b, Value tile) {
  Location loc = function.getLoc();
  I32Builder i(b, loc);
  auto toIndex = [&](Value v) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
  };
  auto split = [&](Value v, Value by) {
    Value quotient = arith::DivUIOp::create(b, loc, v, by);
    Value product = arith::MulIOp::create(b, loc, quotient, by);
    return std::pair(quotient, i.sub(v, product));
  };
  auto [slice, x] = split(tile, gridX);
  auto [z, y] = split(slice, gridY);
  Value ids[] = {toIndex(x), toIndex(y), toIndex(z)};
  Value sizes[] = {toIndex(gridX), toIndex(gridY)};
  IRMapping map;
  for (auto [argument, here] : llvm::zip(function.getArguments(), passed))
    map.map(argument, here);
  for (Operation &op : function.front().without_terminator()) {
    if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      map.map(id.getResult(), ids[size_t(id.getDimension())]);
    else if (auto dim = dyn_cast<gpu::GridDimOp>(op))
      map.map(dim.getResult(), sizes[size_t(dim.getDimension())]);
    else if (!isa<LoadTileOp, StoreTileOp, linalg::GenericOp, tensor::EmptyOp>(
                 op))
      b.clone(op, map);
  }
  return map;
}

/// These do nothing else; consumers help when they have no more tiles.
void GradientFinish::build() {
  KernelOp kernel = k.shared.kernel;
  for (int64_t warp = 0; warp < kWarps; ++warp) {
    OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
    auto role =
        RoleOp::create(b, kernel.getLoc(), RoleKind::Messenger,
                       /*warpgroups=*/1, k.schedule.getProducerRegisters(),
                       /*wholeWarp=*/true);
    b.createBlock(&role.getBody());
    finish(b);
  }
}

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

Value GradientFinish::join(const RoleLaunch &with) {
  gpu::LaunchFuncOp launch = with.launch;
  launch->moveBefore(finishing);
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  auto times = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  gpu::KernelDim3 grid = finishing.getGridSizeOperandValues();
  Value all = times(times(grid.x, grid.y), times(grid.z, constant(parts())));
  Value perHead = arith::DivUIOp::create(b, loc, all, with.slices);
  // Every warp takes one more number, which is none.
  int64_t warps = 0;
  k.shared.kernel.walk([&](ForEachNumberOp op) {
    if (op.getCounter() == taken)
      warps += op.getWarps();
  });
  Value allDraws = arith::AddIOp::create(
      b, loc, all, times(launch.getGridSizeX(), constant(warps)));
  SmallVector<Value> operands = {allocateKeptZero(b, loc, {1})};
  for (Value number : {allDraws, all, perHead, grid.x, grid.y})
    operands.push_back(
        arith::IndexCastOp::create(b, loc, b.getI32Type(), number));
  for (auto [here, operand] : llvm::zip(passed, finishing.getKernelOperands()))
    if (here != k.sums())
      operands.push_back(operand);
  launch.getKernelOperandsMutable().append(operands);
  KernelOp kernel = k.shared.kernel;
  kernel.setFunctionType(FunctionType::get(
      kernel.getContext(), kernel.getBody().getArgumentTypes(), {}));
  finishing.erase();
  function.erase();
  return perHead;
}
