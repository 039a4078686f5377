//===- KernelMath.cpp - f32 math to GPU instructions ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "fa/Conversion/FAGPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fa {
#define GEN_PASS_DEF_FALOWERKERNELMATH
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

constexpr double kLog2e = 1.4426950408889634074, kLn2 = 0.69314718055994530942;

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

/// Ops that LLVM has instructions for on f32; upstream would call libdevice.
template <typename From, typename To>
struct IntrinsicPattern : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not on f32");
    rewriter.replaceOpWithNewOp<To>(op, op.getType(), op->getOperands());
    return success();
  }
};

struct LowerKernelMathPass
    : fa::impl::FALowerKernelMathBase<LowerKernelMathPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
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
    patterns.add<IntrinsicPattern<math::FmaOp, LLVM::FMAOp>,
                 IntrinsicPattern<math::AbsFOp, LLVM::FAbsOp>,
                 IntrinsicPattern<math::CopySignOp, LLVM::CopySignOp>,
                 IntrinsicPattern<math::FloorOp, LLVM::FFloorOp>,
                 IntrinsicPattern<math::CeilOp, LLVM::FCeilOp>,
                 IntrinsicPattern<math::TruncOp, LLVM::FTruncOp>,
                 IntrinsicPattern<math::RoundEvenOp, LLVM::RoundEvenOp>,
                 IntrinsicPattern<math::SqrtOp, LLVM::SqrtOp>,
                 IntrinsicPattern<arith::MaxNumFOp, LLVM::MaxNumOp>,
                 IntrinsicPattern<arith::MinNumFOp, LLVM::MinNumOp>,
                 IntrinsicPattern<arith::MaximumFOp, LLVM::MaximumOp>,
                 IntrinsicPattern<arith::MinimumFOp, LLVM::MinimumOp>>(context);
    walkAndApply(patterns);
  }

  void walkAndApply(RewritePatternSet &patterns) {
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
