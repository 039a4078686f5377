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

namespace fa {
#define GEN_PASS_DEF_FAGPULAZYRESCALE
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

/// alpha = exp2((old - new) * factor) per row, where new is the maximum of old
/// and a tile's scores.
struct Rescale {
  ScaleRowsOp scale;
  linalg::GenericOp alpha;
  Value oldMax, newMax, factor;

  static FailureOr<Rescale> match(ScaleRowsOp scale);
};

/// The operand of a generic that a body argument stands for.
Value operandOf(linalg::GenericOp op, Value v) {
  auto argument = dyn_cast<BlockArgument>(v);
  if (!argument || argument.getOwner() != op.getBody())
    return {};
  return op->getOperand(argument.getArgNumber());
}

FailureOr<Rescale> Rescale::match(ScaleRowsOp scale) {
  Rescale r;
  r.scale = scale;
  r.alpha = scale.getFactors().getDefiningOp<linalg::GenericOp>();
  if (!r.alpha || r.alpha.getNumResults() != 1 ||
      r.alpha.getNumParallelLoops() != 1)
    return failure();
  Value yielded = r.alpha.getBody()->getTerminator()->getOperand(0);
  auto power = yielded.getDefiningOp<math::Exp2Op>();
  auto product =
      power ? power.getOperand().getDefiningOp<arith::MulFOp>() : nullptr;
  auto difference =
      product ? product.getLhs().getDefiningOp<arith::SubFOp>() : nullptr;
  if (!difference)
    return failure();
  r.oldMax = operandOf(r.alpha, difference.getLhs());
  r.newMax = operandOf(r.alpha, difference.getRhs());
  r.factor = product.getRhs();
  if (!r.oldMax || !r.newMax || r.factor.getParentBlock() == r.alpha.getBody())
    return failure();
  auto reduce = r.newMax.getDefiningOp<linalg::ReduceOp>();
  if (!reduce || reduce.getInits().size() != 1 ||
      reduce.getInits()[0] != r.oldMax)
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
    SmallVector<ScaleRowsOp> scales;
    getOperation().walk([&](ScaleRowsOp op) { scales.push_back(op); });
    for (ScaleRowsOp scale : scales) {
      FailureOr<Rescale> rescale = Rescale::match(scale);
      if (succeeded(rescale))
        rewrite(*rescale);
    }
  }

  void rewrite(Rescale &r) {
    OpBuilder b(r.alpha);
    auto type = cast<RankedTensorType>(r.newMax.getType());
    AffineMap row = b.getMultiDimIdentityMap(1);
    SmallVector<AffineMap> maps(4, row);
    Value init = r.alpha.getOutputs()[0];
    auto lazy = linalg::GenericOp::create(
        b, r.alpha.getLoc(), TypeRange{type, type},
        ValueRange{r.oldMax, r.newMax}, ValueRange{init, init}, maps,
        ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
        [&](OpBuilder &b, Location loc, ValueRange a) {
          buildBody(b, loc, a[0], a[1], r.factor);
        });
    r.newMax.replaceAllUsesExcept(lazy.getResult(0), lazy);
    r.alpha.getResult(0).replaceAllUsesWith(lazy.getResult(1));
    r.alpha.erase();
    r.scale.setSkipIfOne(true);
  }

  void buildBody(OpBuilder &b, Location loc, Value oldMax, Value newMax,
                 Value factor) {
    auto constant = [&](double v) -> Value {
      return arith::ConstantOp::create(b, loc,
                                       b.getFloatAttr(oldMax.getType(), v));
    };
    Value difference = arith::SubFOp::create(b, loc, oldMax, newMax);
    Value exponent = arith::MulFOp::create(b, loc, difference, factor);
    // False where both are -inf: an empty row stays as it is.
    Value grows = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                        exponent, constant(-threshold));
    Value kept = arith::SelectOp::create(b, loc, grows, newMax, oldMax);
    Value power = math::Exp2Op::create(b, loc, exponent);
    Value alpha = arith::SelectOp::create(b, loc, grows, power, constant(1));
    linalg::YieldOp::create(b, loc, ValueRange{kept, alpha});
  }
};

} // namespace
