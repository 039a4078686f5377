//===- GradientClear.cpp - sums that the kernel clears itself -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GradientClear.h"
#include "GradientRole.h"
#include "HopperUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

/// What `fagpu.clear` counts, in numbers.
static constexpr int64_t kPart = 256;

//===----------------------------------------------------------------------===//
// Which launch
//===----------------------------------------------------------------------===//

std::optional<GradientClear> GradientClear::match(GradientRoles &k,
                                                  gpu::LaunchFuncOp launch) {
  GradientClear clear(k);
  if (!k.isPersistent() || !clear.find(launch))
    return std::nullopt;
  return clear;
}

static bool isZero(Value tile) {
  if (auto fill = tile.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs().front(), m_AnyZeroFloat());
  return matchPattern(tile, m_AnyZeroFloat());
}

/// Whether the program does nothing but store zeros.
static bool onlyClears(gpu::GPUFuncOp function) {
  unsigned stores = 0;
  WalkResult walk = function.walk([&](Operation *op) {
    if (op == function || op->hasTrait<OpTrait::IsTerminator>() ||
        isMemoryEffectFree(op))
      return WalkResult::advance();
    auto store = dyn_cast<StoreTileOp>(op);
    if (!store || !isZero(store.getTile()))
      return WalkResult::interrupt();
    ++stores;
    return WalkResult::advance();
  });
  return !walk.wasInterrupted() && stores == 1;
}

static bool isBlockId(Value v, gpu::Dimension dimension) {
  auto id = v.getDefiningOp<gpu::BlockIdOp>();
  return id && id.getDimension() == dimension;
}

bool GradientClear::find(gpu::LaunchFuncOp launch) {
  // The sums of a head lie one after another, and heads as they are numbered.
  AccumulateOp sum = k.source.loops.front().sum;
  auto offsets = sum.getOffsets();
  if (offsets.size() < 3 || !isBlockId(offsets[0], gpu::Dimension::z) ||
      !isBlockId(offsets[1], gpu::Dimension::y))
    return false;
  memory = launch.getKernelOperand(
      cast<BlockArgument>(sum.getWorkspace()).getArgNumber());
  if (!memory.getDefiningOp<memref::AllocOp>())
    return false;
  for (Operation *user : memory.getUsers()) {
    auto other = dyn_cast<gpu::LaunchFuncOp>(user);
    if (!other || other == launch || other->getBlock() != launch->getBlock() ||
        !other->isBeforeInBlock(launch))
      continue;
    function = dyn_cast_or_null<gpu::GPUFuncOp>(
        SymbolTable::lookupNearestSymbolFrom(other, other.getKernel()));
    if (clearing || !function || !onlyClears(function))
      return false;
    clearing = other;
  }
  return static_cast<bool>(clearing);
}

//===----------------------------------------------------------------------===//
// The role
//===----------------------------------------------------------------------===//

void GradientClear::declare() {
  KernelOp kernel = k.shared.kernel;
  auto add = [&](Type type) -> Value {
    return kernel.getBody().addArgument(type, kernel.getLoc());
  };
  OpBuilder b(kernel.getContext());
  Type i32 = b.getI32Type();
  taken = add(MemRefType::get({1}, i32));
  k.heads = add(MemRefType::get({ShapedType::kDynamic}, i32));
  for (Value *v : {&draws, &ahead, &unit, &ofHead, &k.prepared, &k.all})
    *v = add(i32);
}

namespace {

/// A unit is what belongs to one tile: they are cleared in the order of tiles.
/// Before its first tile a block clears some of those that nobody else will,
/// for each tile the one that is so many tiles ahead.
class ClearRole : public RoleBuilder {
public:
  ClearRole(GradientRoles &k, Value taken, Value draws, Value ahead, Value unit,
            Value ofHead)
      : RoleBuilder(k), taken(taken), draws(draws), ahead(ahead), unit(unit),
        ofHead(ofHead) {}

private:
  Values startCursors() override { return {}; }

  void startRole() override {
    auto loop = ForEachNumberOp::create(b, loc, taken, ahead, draws);
    Block *body = b.createBlock(&loop.getBody(), {}, b.getI32Type(), loc);
    clear(b, body->getArgument(0));
    b.setInsertionPointAfter(loop);
  }

  LogicalResult buildBlock(Scalars &role, const GradientBlock &block,
                           Values &cursors) override {
    I32Builder i(b, loc);
    Value number = i.add(block.number, ahead);
    auto branch = scf::IfOp::create(b, loc, i.less(number, k.shared.total));
    OpBuilder inner(branch.thenBlock()->getTerminator());
    clear(inner, number);
    return success();
  }

  void clear(OpBuilder &at, Value number) {
    I32Builder i(at, loc);
    auto times = [&](Value x, Value y) -> Value {
      return arith::MulIOp::create(at, loc, x, y);
    };
    Value head = arith::DivUIOp::create(at, loc, number, k.prepared);
    Value inHead = i.sub(number, times(head, k.prepared));
    Value begin = arith::MinSIOp::create(at, loc, times(inHead, unit), ofHead);
    Value left = i.sub(ofHead, begin);
    Value count = arith::MinSIOp::create(at, loc, unit, left);
    ClearOp::create(at, loc, k.sums(), i.add(times(head, ofHead), begin),
                    count);
    AddCountOp::create(at, loc, k.heads, head, k.all);
  }

  Value taken, draws, ahead, unit, ofHead;
};

} // namespace

LogicalResult GradientClear::build() {
  return ClearRole(k, taken, draws, ahead, unit, ofHead)
      .build(RoleKind::Messenger, 1, k.schedule.getProducerRegisters(),
             /*wholeWarp=*/true);
}

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

void GradientClear::join(const RoleLaunch &with, Value rounded) {
  gpu::LaunchFuncOp launch = with.launch;
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  auto times = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  auto least = [&](Value x, Value y) -> Value {
    return arith::MinUIOp::create(b, loc, x, y);
  };
  auto type = cast<MemRefType>(memory.getType());
  Value size = constant(1);
  for (int64_t dim = 2; dim < type.getRank(); ++dim)
    size = times(size, memref::DimOp::create(b, loc, memory, dim));
  Value parts = arith::DivUIOp::create(b, loc, size, constant(kPart));
  Value perHead = times(with.groups, constant(k.blocks()));
  // Heads that take turns are all ready before the first of them is added to.
  Value turns = times(least(with.together, with.slices), perHead);
  Value blocks = launch.getGridSizeX();
  Value lead =
      least(arith::AddIOp::create(b, loc, turns, times(blocks, constant(2))),
            with.total);
  SmallVector<Value> operands = {allocateKeptZero(b, loc, {1}),
                                 allocateHeadCounts(b, loc, with.slices)};
  // Every block takes one more number, which is none.
  Value allDraws = arith::AddIOp::create(b, loc, lead, blocks);
  Value ofUnit = arith::CeilDivUIOp::create(b, loc, parts, perHead);
  // A head is cleared, added to and maybe rounded.
  Value allCounts = times(perHead, constant(2));
  if (rounded)
    allCounts = arith::AddIOp::create(b, loc, allCounts, rounded);
  for (Value number : {allDraws, lead, ofUnit, parts, perHead, allCounts})
    operands.push_back(
        arith::IndexCastOp::create(b, loc, b.getI32Type(), number));
  launch.getKernelOperandsMutable().append(operands);
  KernelOp kernel = k.shared.kernel;
  kernel.setFunctionType(FunctionType::get(
      kernel.getContext(), kernel.getBody().getArgumentTypes(), {}));
  clearing.erase();
  function.erase();
}
