//===- ExpandTruncations.cpp - f64 to bf16 without a library --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace fa {
#define GEN_PASS_DEF_FAEXPANDTRUNCATIONS
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

Type withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

/// The f32 next to `wide`; of two, the one whose last bit is 1. What it is
/// rounded to in turn is then what `wide` would have been rounded to: the last
/// bit says that there was more.
Value roundToOdd(OpBuilder &b, Location loc, Value wide) {
  Type type = wide.getType();
  Type f32 = withElement(type, b.getF32Type());
  Type i32 = withElement(type, b.getI32Type());
  auto constant = [&](TypedAttr scalar, Type of) -> Value {
    TypedAttr attribute = scalar;
    if (auto shaped = dyn_cast<ShapedType>(of))
      attribute = DenseElementsAttr::get(shaped, Attribute(scalar));
    return arith::ConstantOp::create(b, loc, attribute);
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  };
  Value near = arith::TruncFOp::create(b, loc, f32, wide);
  Value back = arith::ExtFOp::create(b, loc, type, near);
  // NaN stays NaN.
  Value isExact = compare(arith::CmpFPredicate::UEQ, back, wide);
  // Away from 0: above a positive number, below a negative one.
  Value isAway = arith::XOrIOp::create(
      b, loc, compare(arith::CmpFPredicate::OGT, back, wide),
      compare(arith::CmpFPredicate::OLT, wide,
              constant(b.getF64FloatAttr(0), type)));
  Value one = constant(b.getI32IntegerAttr(1), i32);
  Value bits = arith::BitcastOp::create(b, loc, i32, near);
  Value nearer = arith::SubIOp::create(b, loc, bits, one);
  Value toZero = arith::SelectOp::create(b, loc, isAway, nearer, bits);
  Value odd = arith::OrIOp::create(b, loc, toZero, one);
  Value chosen = arith::SelectOp::create(b, loc, isExact, bits, odd);
  return arith::BitcastOp::create(b, loc, f32, chosen);
}

struct ExpandTruncationsPass
    : fa::impl::FAExpandTruncationsBase<ExpandTruncationsPass> {
  void runOnOperation() override {
    getOperation()->walk([](arith::TruncFOp op) {
      if (!getElementTypeOrSelf(op.getIn().getType()).isF64() ||
          !getElementTypeOrSelf(op.getType()).isBF16() || op.getRoundingmode())
        return;
      OpBuilder b(op);
      op.getInMutable().set(roundToOdd(b, op.getLoc(), op.getIn()));
    });
  }
};

} // namespace
