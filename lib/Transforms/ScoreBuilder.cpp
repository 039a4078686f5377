//===- ScoreBuilder.cpp - the scalar program of one score -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/ScoreBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fa;

namespace {

Value positionOf(const ScoreScalars &scalars, Axis axis) {
  switch (axis) {
  case Axis::Batch:
    return scalars.batch;
  case Axis::Head:
    return scalars.head;
  case Axis::Query:
    return scalars.query;
  case Axis::Key:
    return scalars.key;
  }
  llvm_unreachable("covers every axis");
}

/// Clones a region's body; fa.index becomes the position it names.
Value inlineRegion(OpBuilder &b, AttentionOpInterface op, Region &region,
                   ValueRange arguments, const ScoreScalars &scalars,
                   IRMapping &mapping) {
  mapping.map(region.getArguments(), arguments);
  for (Operation &nested : region.front().without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(nested)) {
      mapping.map(index.getResult(), positionOf(scalars, index.getAxis()));
      continue;
    }
    // In a branch of the region, too.
    b.clone(nested, mapping)->walk([&](IndexOp index) {
      index.replaceAllUsesWith(positionOf(scalars, index.getAxis()));
      index.erase();
    });
  }
  auto yield = cast<YieldOp>(region.front().getTerminator());
  return mapping.lookupOrDefault(yield.getValue());
}

/// m + offset.
Value shiftedQuery(OpBuilder &b, Location loc, const ScoreScalars &scalars) {
  if (!scalars.offset)
    return scalars.query;
  return arith::AddIOp::create(b, loc, scalars.query, scalars.offset);
}

Value buildAlibi(OpBuilder &b, Location loc, Type type,
                 const ScoreScalars &scalars) {
  Value distance =
      arith::SubIOp::create(b, loc, shiftedQuery(b, loc, scalars), scalars.key);
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), distance);
  Value real = arith::SIToFPOp::create(b, loc, type, wide);
  Value slope = convertScalarToDtype(b, loc, scalars.alibiSlope, type,
                                     /*isUnsignedCast=*/false);
  Value product =
      arith::MulFOp::create(b, loc, slope, math::AbsFOp::create(b, loc, real));
  return arith::NegFOp::create(b, loc, product);
}

} // namespace

Value fa::buildScore(OpBuilder &b, AttentionOpInterface op, Value dot,
                     const ScoreScalars &scalars, ScoreTrace *trace) {
  Location loc = op.getLoc();
  FloatType type = op.getComputeType();
  ScoreTrace unused;
  if (!trace)
    trace = &unused;
  Value s = dot;
  if (scalars.scale)
    s = arith::MulFOp::create(b, loc, s, scalars.scale);
  if (auto softcap = op.getSoftcap()) {
    Value cap = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(type, softcap->convertToDouble()));
    Value ratio = arith::DivFOp::create(b, loc, s, cap);
    trace->tanh = math::TanhOp::create(b, loc, ratio);
    s = arith::MulFOp::create(b, loc, cap, trace->tanh);
  }
  if (!op.getScoreRegion().empty()) {
    SmallVector<Value> arguments = {s};
    llvm::append_range(arguments, scalars.captures);
    s = inlineRegion(b, op, op.getScoreRegion(), arguments, scalars,
                     trace->region);
  }
  if (scalars.alibiSlope)
    s = arith::AddFOp::create(b, loc, s, buildAlibi(b, loc, type, scalars));
  if (scalars.bias) {
    Value bias = convertScalarToDtype(b, loc, scalars.bias, type, false);
    s = arith::AddFOp::create(b, loc, s, bias);
  }
  return s;
}

ReverseMode fa::differentiateScore(AttentionOpInterface op,
                                   ArrayRef<int64_t> captures) {
  SmallVector<unsigned> arguments = {0};
  for (int64_t capture : captures)
    arguments.push_back(capture + 1);
  return ReverseMode(op.getScoreRegion(), arguments);
}

ScoreAdjoints fa::buildScoreAdjoints(OpBuilder &b, AttentionOpInterface op,
                                     const ScoreTrace &trace,
                                     ArrayRef<int64_t> captures,
                                     Value adjoint) {
  Location loc = op.getLoc();
  FloatType type = op.getComputeType();
  ScoreAdjoints result;
  result.scaledDot = adjoint;
  if (!op.getScoreRegion().empty()) {
    ReverseMode region = differentiateScore(op, captures);
    region.build(b, trace.region, adjoint, type);
    auto orZero = [&](Value v) -> Value {
      return v ? v
               : arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0))
                     .getResult();
    };
    result.scaledDot = orZero(region.adjointOf(0));
    for (int64_t i : captures) {
      bool whole = op.isWholeCapture(op.getCapturesMutable()[i]);
      result.captures.push_back(whole ? Value()
                                      : orZero(region.adjointOf(i + 1)));
    }
    for (ReverseMode::Access access : region.accesses()) {
      --access.argument;
      result.accesses.push_back(access);
    }
  }
  if (trace.tanh) {
    // d/ds of softcap * tanh(s / softcap).
    Value square = arith::MulFOp::create(b, loc, trace.tanh, trace.tanh);
    Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1));
    Value slope = arith::SubFOp::create(b, loc, one, square);
    result.scaledDot = arith::MulFOp::create(b, loc, result.scaledDot, slope);
  }
  return result;
}

Value fa::buildKeep(OpBuilder &b, AttentionOpInterface op,
                    const ScoreScalars &scalars) {
  Location loc = op.getLoc();
  Value keep;
  auto also = [&](Value condition) {
    keep = keep ? arith::AndIOp::create(b, loc, keep, condition).getResult()
                : condition;
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    also(arith::CmpIOp::create(b, loc, predicate, x, y));
  };
  auto shiftedBy = [&](int64_t by) -> Value {
    Value row = shiftedQuery(b, loc, scalars);
    if (by == 0)
      return row;
    return arith::AddIOp::create(b, loc, row,
                                 arith::ConstantIndexOp::create(b, loc, by));
  };
  using arith::CmpIPredicate;
  if (scalars.queryLength)
    compare(CmpIPredicate::slt, scalars.query, scalars.queryLength);
  // Where the keys end is a row's: one comparison per score.
  std::optional<int64_t> right = op.getWindowReach(op.getWindowRight());
  if (op.getCausal())
    right = std::min<int64_t>(right.value_or(0), 0);
  if (scalars.keyLength && right) {
    Value end = arith::MinSIOp::create(b, loc, scalars.keyLength,
                                       shiftedBy(*right + 1));
    compare(CmpIPredicate::slt, scalars.key, end);
  } else if (scalars.keyLength) {
    compare(CmpIPredicate::slt, scalars.key, scalars.keyLength);
  } else if (right) {
    compare(CmpIPredicate::sle, scalars.key, shiftedBy(*right));
  }
  if (auto left = op.getWindowReach(op.getWindowLeft()))
    compare(CmpIPredicate::sge, scalars.key, shiftedBy(-*left));
  if (scalars.mask)
    also(scalars.mask);
  IRMapping mapping;
  if (!op.getMaskRegion().empty())
    also(inlineRegion(b, op, op.getMaskRegion(), scalars.captures, scalars,
                      mapping));
  return keep;
}
