//===- LazyRescale.cpp - keep an old row maximum while it is good enough --===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace fa {
#define GEN_PASS_DEF_FAGPULAZYRESCALE
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

/// A loop carries the maximum `old` to `now`. alpha = exp2(exponent) per row,
/// where the exponent is a function of `old` and of `base`, what the tile's
/// exponentials subtract: `now`, or 0 where that is -inf.
struct Rescale {
  ScaleRowsOp scale;
  linalg::GenericOp alpha;
  math::Exp2Op power;
  Value old, now, base;

  static FailureOr<Rescale> match(ScaleRowsOp scale);
  /// The last of the ops that define these.
  Operation *last();
  /// The exponent for other values of `old` and `base`.
  Value cloneExponent(OpBuilder &b, Value oldHere, Value baseHere);
  /// c where the exponent is old * c - base * c for a constant c > 0, unless
  /// both are so large that any difference is a large one.
  std::optional<double> exponentPerUnit();
  /// Whether something reads alpha or the base before the choice is made.
  bool isUsedBefore(Operation *at);

private:
  LogicalResult findCarried();
};

/// The maximum is what alpha reads of the loop.
LogicalResult Rescale::findCarried() {
  for (Value input : alpha.getInputs()) {
    auto argument = dyn_cast<BlockArgument>(input);
    if (!argument) {
      base = input;
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar() || old)
      return failure();
    old = argument;
    now = loop.getTiedLoopYieldedValue(argument)->get();
  }
  Block *block = alpha->getBlock();
  return success(old && base && now.getDefiningOp() &&
                 now.getDefiningOp()->getBlock() == block &&
                 base.getDefiningOp()->getBlock() == block &&
                 cast<BlockArgument>(old).getOwner() == block);
}

Operation *Rescale::last() {
  Operation *result = alpha;
  for (Value v : {now, base})
    if (result->isBeforeInBlock(v.getDefiningOp()))
      result = v.getDefiningOp();
  return result;
}

Value Rescale::cloneExponent(OpBuilder &b, Value oldHere, Value baseHere) {
  IRMapping map;
  for (auto [input, argument] :
       llvm::zip(alpha.getInputs(), alpha.getBody()->getArguments()))
    map.map(argument, input == old ? oldHere : baseHere);
  for (Operation &op : alpha.getBody()->without_terminator())
    if (&op != power)
      b.clone(op, map);
  return map.lookupOrDefault(power.getOperand());
}

std::optional<double> Rescale::exponentPerUnit() {
  auto difference = power.getOperand().getDefiningOp<arith::SubFOp>();
  if (!difference)
    return {};
  auto from = difference.getLhs().getDefiningOp<arith::MulFOp>();
  auto to = difference.getRhs().getDefiningOp<arith::MulFOp>();
  if (!from || !to || from.getRhs() != to.getRhs())
    return {};
  Value factor = from.getRhs();
  if (auto choice = factor.getDefiningOp<arith::SelectOp>())
    factor = choice.getFalseValue();
  FloatAttr constant;
  if (!matchPattern(factor, m_Constant(&constant)) ||
      !(constant.getValueAsDouble() > 0))
    return {};
  return constant.getValueAsDouble();
}

bool Rescale::isUsedBefore(Operation *at) {
  for (Value v : {alpha.getResult(0), base, now})
    for (Operation *user : v.getUsers())
      if (user != alpha && user->getBlock() == at->getBlock() &&
          user->isBeforeInBlock(at))
        return true;
  return false;
}

FailureOr<Rescale> Rescale::match(ScaleRowsOp scale) {
  Rescale r;
  r.scale = scale;
  r.alpha = scale.getFactors().getDefiningOp<linalg::GenericOp>();
  if (!r.alpha || r.alpha.getNumResults() != 1 ||
      r.alpha.getNumParallelLoops() != 1 || r.alpha.getInputs().size() != 2)
    return failure();
  r.power = r.alpha.getBody()
                ->getTerminator()
                ->getOperand(0)
                .getDefiningOp<math::Exp2Op>();
  if (!r.power || failed(r.findCarried()))
    return failure();
  return r;
}

struct LazyRescale : fa::impl::FAGPULazyRescaleBase<LazyRescale> {
  using FAGPULazyRescaleBase::FAGPULazyRescaleBase;

  void runOnOperation() override {
    if (!(threshold > 0 && threshold <= 64)) {
      getOperation().emitError("--fagpu-lazy-rescale: threshold must be in "
                               "(0, 64]");
      return signalPassFailure();
    }
    // A kernel's own schedule goes first.
    if (auto schedule =
            getOperation()->getAttrOfType<WarpScheduleAttr>(kWarpsName)) {
      if (schedule.getLazy() == 0)
        return;
      threshold = schedule.getLazy();
    }
    SmallVector<ScaleRowsOp> scales;
    getOperation().walk([&](ScaleRowsOp op) { scales.push_back(op); });
    for (ScaleRowsOp scale : scales) {
      FailureOr<Rescale> rescale = Rescale::match(scale);
      if (succeeded(rescale) && !rescale->isUsedBefore(rescale->last()))
        rewrite(*rescale);
    }
  }

  /// Puts the choice after everything that it reads.
  void rewrite(Rescale &r) {
    Location loc = r.alpha.getLoc();
    OpBuilder b(r.alpha->getContext());
    b.setInsertionPointAfter(r.last());
    Value grows = createTest(b, loc, r);
    Operation *choice = createChoice(b, loc, r, grows);
    b.setInsertionPoint(r.scale);
    Value any = AnyRowOp::create(b, loc, b.getI1Type(), grows);

    auto replace = [&](Value v, Value by) {
      v.replaceUsesWithIf(by, [&](OpOperand &use) {
        Operation *user = use.getOwner();
        return user != grows.getDefiningOp() && user != r.alpha &&
               user != choice;
      });
    };
    replace(r.now, choice->getResult(0));
    replace(r.alpha.getResult(0), choice->getResult(2));
    if (r.base != r.now) {
      replace(r.base, choice->getResult(1));
      if (r.alpha->use_empty())
        r.alpha.erase();
    } else if (r.alpha->use_empty()) {
      r.alpha.erase();
    }
    r.scale.getChangesMutable().assign(any);
  }

  linalg::GenericOp
  createPerRow(OpBuilder &b, Location loc, ValueRange inputs, TypeRange results,
               function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
    SmallVector<Value> inits;
    for (Type result : results) {
      auto type = cast<RankedTensorType>(result);
      inits.push_back(tensor::EmptyOp::create(
          b, loc, type.getShape(), type.getElementType(), type.getEncoding()));
    }
    SmallVector<AffineMap> maps(inputs.size() + inits.size(),
                                b.getMultiDimIdentityMap(1));
    return linalg::GenericOp::create(
        b, loc, results, inputs, inits, maps,
        ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
        [&](OpBuilder &b, Location loc, ValueRange a) {
          linalg::YieldOp::create(b, loc, body(b, a));
        });
  }

  /// Per row, whether the maximum grows by more than the threshold. True for
  /// NaN: then everything is as without this.
  Value createTest(OpBuilder &b, Location loc, Rescale &r) {
    auto type = cast<RankedTensorType>(r.now.getType());
    auto bits = RankedTensorType::get(type.getShape(), b.getI1Type(),
                                      type.getEncoding());
    std::optional<double> unit = r.exponentPerUnit();
    auto test = [&](OpBuilder &b, ValueRange a) -> SmallVector<Value> {
      auto constant = [&](double v) -> Value {
        return arith::ConstantOp::create(b, loc,
                                         b.getFloatAttr(a[0].getType(), v));
      };
      Value grown = unit ? arith::SubFOp::create(b, loc, a[0], a[1]).getResult()
                         : r.cloneExponent(b, a[0], a[1]);
      double least = unit ? -threshold / *unit : -threshold;
      return {arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ULT, grown,
                                    constant(least))};
    };
    return createPerRow(b, loc, {r.old, unit ? r.now : r.base}, bits, test)
        .getResult(0);
  }

  /// The maximum, what exponentials subtract, and alpha.
  Operation *createChoice(OpBuilder &b, Location loc, Rescale &r, Value grows) {
    Type type = r.now.getType();
    return createPerRow(
        b, loc, {r.old, r.base, r.now, grows}, {type, type, type},
        [&](OpBuilder &b, ValueRange a) -> SmallVector<Value> {
          Value one = arith::ConstantOp::create(
              b, loc, b.getFloatAttr(a[0].getType(), 1));
          Value power =
              math::Exp2Op::create(b, loc, r.cloneExponent(b, a[0], a[1]));
          auto choose = [&](Value x, Value y) -> Value {
            return arith::SelectOp::create(b, loc, a[3], x, y);
          };
          return {choose(a[2], a[0]), choose(a[1], a[0]), choose(power, one)};
        });
  }
};

} // namespace
