//===- HoistRows.cpp - functions of rows, once per row --------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUHOISTROWS
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

namespace {

/// What a linalg body computes of one of its arguments alone: all uses of the
/// argument are on the way to `value`.
struct RowFunction {
  BlockArgument argument;
  Value value;

  static FailureOr<RowFunction> of(BlockArgument argument) {
    SetVector<Value> known;
    known.insert(argument);
    for (Operation &op : argument.getOwner()->without_terminator())
      if (op.getNumResults() == 1 && isPure(&op) && usesKnown(op, known))
        known.insert(op.getResult(0));
    SmallVector<Value> ends;
    for (Value v : known)
      if (llvm::any_of(v.getUsers(), [&](Operation *user) {
            return user->hasTrait<OpTrait::IsTerminator>() ||
                   !known.contains(user->getResult(0));
          }))
        ends.push_back(v);
    if (ends.size() != 1 || ends.front() == argument)
      return failure();
    return RowFunction{argument, ends.front()};
  }

  bool isSameAs(const RowFunction &other) const {
    return areSame(value, other.value, other);
  }

  /// The function of `in`, where `b` is.
  Value clone(OpBuilder &b, Value in) const {
    IRMapping map;
    map.map(argument, in);
    return clone(b, value, map);
  }

private:
  static bool isConstant(Value v) { return matchPattern(v, m_Constant()); }

  /// Of known values and constants only, one of the former at least.
  static bool usesKnown(Operation &op, const SetVector<Value> &known) {
    return llvm::any_of(op.getOperands(),
                        [&](Value v) { return known.contains(v); }) &&
           llvm::all_of(op.getOperands(), [&](Value v) {
             return known.contains(v) || isConstant(v);
           });
  }

  bool areSame(Value x, Value y, const RowFunction &other) const {
    if (x == argument || y == other.argument)
      return x == argument && y == other.argument;
    Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
    return a && b && a->getName() == b->getName() &&
           a->getAttrDictionary() == b->getAttrDictionary() &&
           a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute() &&
           x.getType() == y.getType() &&
           a->getNumOperands() == b->getNumOperands() &&
           llvm::all_of(llvm::zip(a->getOperands(), b->getOperands()),
                        [&](auto pair) {
                          auto [p, q] = pair;
                          return areSame(p, q, other);
                        });
  }

  Value clone(OpBuilder &b, Value v, IRMapping &map) const {
    if (Value done = map.lookupOrNull(v))
      return done;
    Operation *op = v.getDefiningOp();
    for (Value operand : op->getOperands())
      clone(b, operand, map);
    return b.clone(*op, map)->getResult(0);
  }
};

/// Numbers of rows in memory, from the store to all that use them.
class Rows {
public:
  explicit Rows(RowsOp op, gpu::LaunchFuncOp launch) : op(op), launch(launch) {}

  void hoist() {
    std::optional<RowFunction> common = findCommon();
    if (!common || !findStore())
      return;
    OpBuilder b(store);
    store.getTileMutable().assign(apply(b, *common));
    for (RowFunction &function : functions) {
      function.value.replaceAllUsesWith(function.argument);
      dropIdentity(
          cast<linalg::GenericOp>(function.argument.getOwner()->getParentOp()));
    }
  }

private:
  /// What every user computes of the numbers.
  std::optional<RowFunction> findCommon() {
    for (Operation *user : op.getResult().getUsers()) {
      auto read = dyn_cast<ReadColsOp>(user);
      if (!read)
        continue;
      for (OpOperand &use : read.getResult().getUses())
        if (!addUse(use))
          return std::nullopt;
    }
    if (functions.empty())
      return std::nullopt;
    for (const RowFunction &function : functions)
      if (!function.isSameAs(functions.front()))
        return std::nullopt;
    return functions.front();
  }

  /// Loops carry the numbers of their next iteration.
  bool addUse(OpOperand &use) {
    Operation *owner = use.getOwner();
    auto addAll = [&](Value v) {
      if (!visited.insert(v).second)
        return true;
      return llvm::all_of(v.getUses(),
                          [&](OpOperand &next) { return addUse(next); });
    };
    if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      if (use.getOperandNumber() < loop.getNumControlOperands())
        return false;
      return addAll(loop.getTiedLoopRegionIterArg(&use)) &&
             addAll(loop.getTiedLoopResult(&use));
    }
    if (isa<scf::YieldOp>(owner)) {
      auto loop = dyn_cast<scf::ForOp>(owner->getParentOp());
      return loop && addAll(loop.getResult(use.getOperandNumber())) &&
             addAll(loop.getRegionIterArg(use.getOperandNumber()));
    }
    auto generic = dyn_cast<linalg::GenericOp>(owner);
    if (!generic || !generic.isDpsInput(&use))
      return false;
    FailureOr<RowFunction> function =
        RowFunction::of(generic.getMatchingBlockArgument(&use));
    if (failed(function))
      return false;
    functions.push_back(*function);
    return true;
  }

  /// The only store to the workspace, which nobody else reads.
  bool findStore() {
    BlockArgument argument;
    for (Operation *user : op.getResult().getUsers())
      if (auto load = dyn_cast<BulkLoadOp>(user)) {
        auto source = dyn_cast<BlockArgument>(load.getSource());
        if (!source || (argument && argument != source))
          return false;
        argument = source;
      }
    if (!argument)
      return false;
    for (Operation *user : argument.getUsers())
      if (!isa<BulkLoadOp, memref::DimOp>(user) && !addStore(user))
        return false;
    auto alloc = launch.getKernelOperand(argument.getArgNumber())
                     .getDefiningOp<memref::AllocOp>();
    if (!alloc)
      return false;
    for (OpOperand &use : alloc.getResult().getUses()) {
      if (isa<memref::DimOp, memref::DeallocOp>(use.getOwner()))
        continue;
      auto other = dyn_cast<gpu::LaunchFuncOp>(use.getOwner());
      if (!other || (other != launch && !addWriter(other, use)))
        return false;
    }
    return static_cast<bool>(store);
  }

  bool addWriter(gpu::LaunchFuncOp other, OpOperand &use) {
    auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(
        SymbolTable::lookupNearestSymbolFrom(other, other.getKernel()));
    if (!kernel)
      return false;
    unsigned first = other.getKernelOperands().getBeginOperandIndex();
    for (Operation *user :
         kernel.getArgument(use.getOperandNumber() - first).getUsers()) {
      if (!isa<memref::DimOp>(user) && !addStore(user))
        return false;
    }
    return true;
  }

  bool addStore(Operation *user) {
    auto found = dyn_cast<StoreTileOp>(user);
    if (!found || store)
      return false;
    store = found;
    return true;
  }

  Value apply(OpBuilder &b, const RowFunction &function) {
    Location loc = store.getLoc();
    auto type = cast<RankedTensorType>(store.getTile().getType());
    Value init = tensor::EmptyOp::create(
        b, loc, type.getShape(), type.getElementType(), type.getEncoding());
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto body = [&](OpBuilder &inside, Location loc, ValueRange in) {
      linalg::YieldOp::create(inside, loc, function.clone(inside, in[0]));
    };
    return linalg::GenericOp::create(b, loc, TypeRange(type),
                                     ValueRange(store.getTile()),
                                     ValueRange(init), maps, loops, body)
        .getResult(0);
  }

  static void dropIdentity(linalg::GenericOp generic) {
    Operation *end = generic.getBody()->getTerminator();
    if (generic.getNumDpsInputs() != 1 || generic->getNumResults() != 1 ||
        end->getOperand(0) != generic.getBody()->getArgument(0) ||
        generic.getDpsInputs()[0].getType() != generic.getResult(0).getType())
      return;
    generic.getResult(0).replaceAllUsesWith(generic.getDpsInputs()[0]);
    generic.erase();
  }

  RowsOp op;
  gpu::LaunchFuncOp launch;
  StoreTileOp store;
  SmallVector<RowFunction> functions;
  llvm::DenseSet<Value> visited;
};

struct HoistRows : fa::impl::FAGPUHoistRowsBase<HoistRows> {
  void runOnOperation() override {
    SmallVector<std::pair<RowsOp, gpu::LaunchFuncOp>> all;
    llvm::DenseMap<Operation *, int> launches;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = dyn_cast_or_null<KernelOp>(
          SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel()));
      if (!kernel)
        return;
      ++launches[kernel];
      for (auto rows : kernel.getBody().getOps<RowsOp>())
        all.push_back({rows, launch});
    });
    for (auto [rows, launch] : all)
      if (launches[rows->getParentOp()] == 1)
        Rows(rows, launch).hoist();
  }
};

} // namespace
