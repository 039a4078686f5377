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
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"

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
    OpBuilder b(r.alpha->getContext());
    b.setInsertionPointAfter(r.last());
    auto type = cast<RankedTensorType>(r.now.getType());
    SmallVector<AffineMap> maps(6, b.getMultiDimIdentityMap(1));
    Value init = r.alpha.getOutputs()[0];
    auto lazy = linalg::GenericOp::create(
        b, r.alpha.getLoc(), TypeRange{type, type, type},
        ValueRange{r.old, r.base, r.now}, ValueRange{init, init, init}, maps,
        ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
        [&](OpBuilder &b, Location loc, ValueRange a) {
          buildBody(b, loc, r, a);
        });
    auto replace = [&](Value v, Value by) {
      v.replaceUsesWithIf(by, [&](OpOperand &use) {
        return use.getOwner() != lazy && use.getOwner() != r.alpha;
      });
    };
    replace(r.now, lazy.getResult(0));
    if (r.base != r.now)
      replace(r.base, lazy.getResult(1));
    replace(r.alpha.getResult(0), lazy.getResult(2));
    if (r.alpha->use_empty())
      r.alpha.erase();
    r.scale.setSkipIfOne(true);
  }

  void buildBody(OpBuilder &b, Location loc, Rescale &r, ValueRange a) {
    auto constant = [&](double v) -> Value {
      return arith::ConstantOp::create(b, loc,
                                       b.getFloatAttr(a[0].getType(), v));
    };
    IRMapping map;
    for (auto [input, argument] :
         llvm::zip(r.alpha.getInputs(), r.alpha.getBody()->getArguments()))
      map.map(argument, input == r.old ? a[0] : a[1]);
    for (Operation &op : r.alpha.getBody()->without_terminator())
      b.clone(op, map);
    Value exponent = map.lookupOrDefault(r.power.getOperand());
    // True for NaN: then everything is as without this.
    Value grows = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ULT,
                                        exponent, constant(-threshold));
    Value now = arith::SelectOp::create(b, loc, grows, a[2], a[0]);
    Value base = arith::SelectOp::create(b, loc, grows, a[1], a[0]);
    Value alpha = arith::SelectOp::create(
        b, loc, grows, map.lookup(r.power.getResult()), constant(1));
    linalg::YieldOp::create(b, loc, ValueRange{now, base, alpha});
  }
};

} // namespace
