//===- ExpandMath.cpp - functions on vectors as polynomials ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fa {
#define GEN_PASS_DEF_FAEXPANDMATH
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

bool isF32Vector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isF32();
}

/// Arithmetic on vectors of one shape.
class VectorMath {
public:
  VectorMath(OpBuilder &b, Location loc, VectorType type)
      : b(b), loc(loc), type(type), integers(type.clone(b.getI32Type())) {}

  Value real(double value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(value)));
  }
  Value integer(int32_t value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(integers, b.getI32IntegerAttr(value)));
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }

  /// 2^n * 2^f, 0 where x < low. n is of integer value in [-125, 128]; |f| <=
  /// 1/2 unless the result overflows.
  Value exp2Of(Value n, Value f, Value x, double low) {
    // 2 * 2^f, least squares of the relative error, which is 2e-9 before
    // rounding. The 2 leaves n - 1 for the exponent, so that 2^128 needs no
    // case of its own: it overflows to infinity.
    constexpr double kCoefficients[] = {2 * 0.00015337576981825317,
                                        2 * 0.00133998603633656,
                                        2 * 0.009618519533875353,
                                        2 * 0.055503289975170886,
                                        2 * 0.2402264660871722,
                                        2 * 0.6931472056005112,
                                        2 * 1.0};
    Value polynomial = real(kCoefficients[0]);
    for (double coefficient : llvm::ArrayRef(kCoefficients).drop_front())
      polynomial = fma(polynomial, f, real(coefficient));
    Value exponent = arith::FPToSIOp::create(b, loc, integers, n);
    Value biased = arith::AddIOp::create(b, loc, exponent, integer(126));
    Value bits = arith::ShLIOp::create(b, loc, biased, integer(23));
    Value power = arith::BitcastOp::create(b, loc, type, bits);
    Value result = arith::MulFOp::create(b, loc, polynomial, power);
    Value isLow =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, real(low));
    return arith::SelectOp::create(b, loc, isLow, real(0), result);
  }

  /// The nearest integer of a bounded x; a bound where x is NaN.
  Value rounded(Value x, double low, double high) {
    x = arith::MaxNumFOp::create(b, loc, x, real(low));
    x = arith::MinNumFOp::create(b, loc, x, real(high));
    return math::RoundEvenOp::create(b, loc, x);
  }

private:
  OpBuilder &b;
  Location loc;
  VectorType type, integers;
};

struct ExpandExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (!isF32Vector(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a vector of f32");
    Location loc = op.getLoc();
    VectorMath m(rewriter, loc, cast<VectorType>(op.getType()));
    Value x = op.getOperand();
    Value n = m.rounded(x, -125, 128);
    // From x itself: infinity and NaN go through the polynomial.
    Value f = arith::SubFOp::create(rewriter, loc, x, n);
    rewriter.replaceOp(op, m.exp2Of(n, f, x, -125));
    return success();
  }
};

/// exp(x) = 2^n * 2^(x*log2(e) - n), the difference in two pieces so that the
/// rounding of x*log2(e) is not multiplied by n.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32Vector(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a vector of f32");
    constexpr double kLog2e = 1.4426950408889634;
    // ln 2 in two parts, the first of few bits: n * high is exact.
    constexpr double kLn2High = 0.693359375, kLn2Low = -2.12194440e-4;
    Location loc = op.getLoc();
    VectorMath m(rewriter, loc, cast<VectorType>(op.getType()));
    Value x = op.getOperand();
    Value n = m.rounded(arith::MulFOp::create(rewriter, loc, x, m.real(kLog2e)),
                        -125, 128);
    Value rest = m.fma(n, m.real(-kLn2High), x);
    rest = m.fma(n, m.real(-kLn2Low), rest);
    Value f = arith::MulFOp::create(rewriter, loc, rest, m.real(kLog2e));
    constexpr double kLow = -86.6434;
    rewriter.replaceOp(op, m.exp2Of(n, f, x, kLow));
    return success();
  }
};

/// To 1.7 units in the last place; upstream's rational function is off by 4.5,
/// which a softcap multiplies by its cap: scores of exponentials.
struct ExpandTanh : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32Vector(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a vector of f32");
    // x + x^3 * P(x^2) up to the limit, minimax of the relative error, which is
    // 5e-9 before rounding; beyond it 1 - 2 / (exp(2 |x|) + 1).
    constexpr double kLimit = 0.625;
    constexpr double kCoefficients[] = {-0.005704974336, 0.02063907527,
                                        -0.05373971114, 0.1333144215,
                                        -0.3333328194};
    Location loc = op.getLoc();
    VectorMath m(rewriter, loc, cast<VectorType>(op.getType()));
    Value x = op.getOperand();
    auto times = [&](Value a, Value b) -> Value {
      return arith::MulFOp::create(rewriter, loc, a, b);
    };
    Value square = times(x, x), polynomial = m.real(kCoefficients[0]);
    for (double coefficient : llvm::ArrayRef(kCoefficients).drop_front())
      polynomial = m.fma(polynomial, square, m.real(coefficient));
    Value small = m.fma(times(x, square), polynomial, x);

    Value size = math::AbsFOp::create(rewriter, loc, x);
    Value power = math::ExpOp::create(rewriter, loc, times(size, m.real(2)));
    Value rest = arith::DivFOp::create(
        rewriter, loc, m.real(2),
        arith::AddFOp::create(rewriter, loc, power, m.real(1)));
    Value large = math::CopySignOp::create(
        rewriter, loc, arith::SubFOp::create(rewriter, loc, m.real(1), rest),
        x);
    Value isSmall = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, size, m.real(kLimit));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isSmall, small, large);
    return success();
  }
};

struct ExpandMathPass : fa::impl::FAExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp2, ExpandExp, ExpandTanh>(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == math::LogOp::getOperationName() ||
             name == math::Log2Op::getOperationName();
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
