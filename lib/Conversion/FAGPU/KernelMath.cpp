//===- KernelMath.cpp - f32 math to GPU instructions ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "fa/Conversion/FAGPU/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace fa {
#define GEN_PASS_DEF_FALOWERKERNELMATH
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

constexpr double kLog2e = 1.4426950408889634074, kLn2 = 0.69314718055994530942,
                 kLog10Of2 = 0.30102999566398119521;

Value f32(OpBuilder &b, Location loc, double v) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(v));
}
Value exp2(OpBuilder &b, Location loc, Value x) {
  return asmValue(b, loc, x.getType(), "ex2.approx.ftz.f32 $0, $1;", "=f,f", x,
                  false);
}
Value log2(OpBuilder &b, Location loc, Value x) {
  return asmValue(b, loc, x.getType(), "lg2.approx.f32 $0, $1;", "=f,f", x,
                  false);
}
Value reciprocal(OpBuilder &b, Location loc, Value x) {
  return asmValue(b, loc, x.getType(), "rcp.approx.ftz.f32 $0, $1;", "=f,f", x,
                  false);
}
Value mul(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::MulFOp::create(b, loc, x, y);
}

/// tanh: an odd polynomial near 0, where 1 - 2/(exp(2x)+1) cancels; the latter
/// elsewhere. No branch.
Value tanh(OpBuilder &b, Location loc, Value x) {
  Value magnitude = math::AbsFOp::create(b, loc, x);
  Value e = exp2(b, loc, mul(b, loc, magnitude, f32(b, loc, 2 * kLog2e)));
  Value denominator = arith::AddFOp::create(b, loc, e, f32(b, loc, 1));
  Value large = math::FmaOp::create(b, loc, reciprocal(b, loc, denominator),
                                    f32(b, loc, -2), f32(b, loc, 1));
  large = math::CopySignOp::create(b, loc, large, x);
  // Minimax on |x| < 0.625 in x^2 (the coefficients of Cephes' tanhf).
  const double coefficients[] = {-0.00570498872745, 0.0206390887954,
                                 -0.0537397155531, 0.133314422036,
                                 -0.333332819422};
  Value square = mul(b, loc, x, x);
  Value p = f32(b, loc, coefficients[0]);
  for (double c : ArrayRef(coefficients).drop_front())
    p = math::FmaOp::create(b, loc, p, square, f32(b, loc, c));
  Value cubic = mul(b, loc, p, square);
  Value small = math::FmaOp::create(b, loc, cubic, x, x);
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                        magnitude, f32(b, loc, 0.625));
  return arith::SelectOp::create(b, loc, isSmall, small, large);
}

/// Rewrites a math op on one f32.
template <typename OpTy> struct UnaryPattern : OpRewritePattern<OpTy> {
  using Builder = Value (*)(OpBuilder &, Location, Value);
  UnaryPattern(MLIRContext *context, Builder build)
      : OpRewritePattern<OpTy>(context), build(build) {}
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not on f32");
    rewriter.replaceOp(op, build(rewriter, op.getLoc(), op.getOperand()));
    return success();
  }
  Builder build;
};

/// A function that PTX has an instruction for; upstream would call libdevice.
template <typename OpTy> struct InstructionPattern : OpRewritePattern<OpTy> {
  InstructionPattern(MLIRContext *context, StringRef instruction)
      : OpRewritePattern<OpTy>(context), instruction(instruction) {}
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not on f32");
    rewriter.replaceOp(op, asmValue(rewriter, op.getLoc(), op.getType(),
                                    (instruction + " $0, $1;").str(), "=f,f",
                                    op.getOperand(), false));
    return success();
  }
  StringRef instruction;
};

struct CopySignPattern : OpRewritePattern<math::CopySignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CopySignOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not on f32");
    // PTX takes the sign first.
    rewriter.replaceOp(op, asmValue(rewriter, op.getLoc(), op.getType(),
                                    "copysign.f32 $0, $1, $2;", "=f,f,f",
                                    {op.getRhs(), op.getLhs()}, false));
    return success();
  }
};

/// Ops that LLVM selects instructions for.
template <typename From, typename To>
struct IntrinsicPattern : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not on a float");
    rewriter.replaceOpWithNewOp<To>(op, op.getType(), op->getOperands());
    return success();
  }
};

/// a (op) b on integers without a counterpart for them in the GPU lowering.
template <typename From, typename To, bool hasFlag>
struct BitsPattern : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isSignlessInteger())
      return rewriter.notifyMatchFailure(op, "not on an integer");
    if constexpr (hasFlag)
      rewriter.replaceOpWithNewOp<To>(op, op.getType(), op.getOperand(), false);
    else
      rewriter.replaceOpWithNewOp<To>(op, op.getType(), op.getOperand());
    return success();
  }
};

/// |x| of a position.
struct IndexMagnitudePattern : OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::AbsIOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isIndex())
      return rewriter.notifyMatchFailure(op, "not on an index");
    Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
    Value negative =
        arith::SubIOp::create(rewriter, op.getLoc(), zero, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, op.getOperand(), negative);
    return success();
  }
};

/// x / c as a product: a division is a dozen instructions and a branch.
struct DivideByConstantPattern : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    APFloat divisor(0.0f);
    if (!op.getType().isF32() ||
        !matchPattern(op.getRhs(), m_ConstantFloat(&divisor)))
      return rewriter.notifyMatchFailure(op, "no f32 by a constant");
    APFloat reciprocal(1.0f);
    reciprocal.divide(divisor, APFloat::rmNearestTiesToEven);
    if (!divisor.isNormal() || !reciprocal.isNormal())
      return rewriter.notifyMatchFailure(op, "the reciprocal loses digits");
    Value factor = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getFloatAttr(op.getType(), reciprocal));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), factor);
    return success();
  }
};

void populateInstructions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<UnaryPattern<math::Exp2Op>>(context, &exp2);
  patterns.add<UnaryPattern<math::Log2Op>>(context, &log2);
  patterns.add<UnaryPattern<math::TanhOp>>(context, &tanh);
  patterns.add<UnaryPattern<math::ExpOp>>(
      context, [](OpBuilder &b, Location loc, Value x) {
        return exp2(b, loc, mul(b, loc, x, f32(b, loc, kLog2e)));
      });
  patterns.add<UnaryPattern<math::LogOp>>(
      context, [](OpBuilder &b, Location loc, Value x) {
        return mul(b, loc, log2(b, loc, x), f32(b, loc, kLn2));
      });
  patterns.add<UnaryPattern<math::Log10Op>>(
      context, [](OpBuilder &b, Location loc, Value x) {
        return mul(b, loc, log2(b, loc, x), f32(b, loc, kLog10Of2));
      });
  patterns.add<InstructionPattern<math::AbsFOp>>(context, "abs.f32");
  patterns.add<InstructionPattern<math::FloorOp>>(context, "cvt.rmi.f32.f32");
  patterns.add<InstructionPattern<math::CeilOp>>(context, "cvt.rpi.f32.f32");
  patterns.add<InstructionPattern<math::TruncOp>>(context, "cvt.rzi.f32.f32");
  patterns.add<InstructionPattern<math::RoundEvenOp>>(context,
                                                      "cvt.rni.f32.f32");
  patterns.add<InstructionPattern<math::SqrtOp>>(context, "sqrt.rn.f32");
  patterns.add<
      CopySignPattern, DivideByConstantPattern, IndexMagnitudePattern,
      IntrinsicPattern<math::FmaOp, LLVM::FMAOp>,
      IntrinsicPattern<arith::MaxNumFOp, LLVM::MaxNumOp>,
      IntrinsicPattern<arith::MinNumFOp, LLVM::MinNumOp>,
      IntrinsicPattern<arith::MaximumFOp, LLVM::MaximumOp>,
      IntrinsicPattern<arith::MinimumFOp, LLVM::MinimumOp>,
      BitsPattern<math::AbsIOp, LLVM::AbsOp, true>,
      BitsPattern<math::CountLeadingZerosOp, LLVM::CountLeadingZerosOp, true>,
      BitsPattern<math::CountTrailingZerosOp, LLVM::CountTrailingZerosOp, true>,
      BitsPattern<math::CtPopOp, LLVM::CtPopOp, false>>(context);
}

/// Upstream's polynomials and formulas, on f32.
void populateApproximations(RewritePatternSet &patterns) {
  auto hasNoInstruction = [](StringRef name) {
    return !llvm::is_contained(
        {"math.exp", "math.exp2", "math.log", "math.log2", "math.tanh"}, name);
  };
  populateMathPolynomialApproximationPatterns(patterns, hasNoInstruction);
  math::populateExpansionPatterns(patterns, {"sinh", "cosh", "tan", "asinh",
                                             "acosh", "atanh", "powf", "fpowi",
                                             "round", "rsqrt", "clampf"});
}

struct LowerKernelMathPass
    : fa::impl::FALowerKernelMathBase<LowerKernelMathPass> {
  void runOnOperation() override {
    lowerAffine();
    if (failed(lowerMath()) || failed(checkNothingIsLeft()))
      signalPassFailure();
  }

  void lowerAffine() {
    RewritePatternSet patterns(&getContext());
    populateAffineToStdConversionPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

  /// Only what patterns are about, and what they make: the ops of a kernel are
  /// many, and mostly others.
  LogicalResult lowerMath() {
    RewritePatternSet patterns(&getContext());
    populateInstructions(patterns);
    populateApproximations(patterns);
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::MathDialect>(op->getDialect()) ||
          isa<arith::DivFOp, arith::MaxNumFOp, arith::MinNumFOp,
              arith::MaximumFOp, arith::MinimumFOp>(op))
        ops.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setScope(&getOperation().getRegion());
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    // Canonicalisation follows.
    config.enableFolding(false);
    return applyOpPatternsGreedily(ops, std::move(patterns), config);
  }

  /// What is left would become a call of a library that nobody links in.
  LogicalResult checkNothingIsLeft() {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      bool isMath = isa<math::MathDialect>(op->getDialect());
      if (!isMath && !isa<arith::RemFOp>(op))
        return WalkResult::advance();
      return op->emitError("machine stage: GPU kernels cannot compute ")
             << op->getName() << " on " << op->getResult(0).getType()
             << "; compute it in f32, from other functions, or outside the "
                "attention";
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
