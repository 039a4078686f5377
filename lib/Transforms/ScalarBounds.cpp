//===- ScalarBounds.cpp - static bounds of integers in a mask region ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/MaskReach.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fa;

using Interval = ScalarBounds::Interval;

/// Bits of a position or a capture. No memory holds 2^46 rows; sums of a few
/// fit in 64 bits, those of 2^28 in 32.
static constexpr unsigned kWideBits = 46, kNarrowBits = 28;
/// Of intermediate values, far from where int64_t ends.
static constexpr unsigned kMostBits = 62;

static unsigned widthOf(Type type) {
  return isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

static std::optional<int64_t> constantOf(Value v) {
  APInt constant;
  if (!matchPattern(v, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > kMostBits)
    return std::nullopt;
  return constant.getSExtValue();
}

static bool fits(Interval x, Type type) {
  unsigned bits = std::min(widthOf(type), kMostBits);
  return llvm::isIntN(bits, x.low) && llvm::isIntN(bits, x.high);
}

ScalarBounds::ScalarBounds(Region &region) {
  isNarrow = false;
  region.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (type.isInteger() && !type.isInteger(1))
        isNarrow |= widthOf(type) < 64;
  });
  limit = int64_t(1) << (isNarrow ? kNarrowBits : kWideBits);
}

bool ScalarBounds::mayExceed(Type type) const {
  return widthOf(type) > (isNarrow ? kNarrowBits : kWideBits);
}

/// A position or a capture.
std::optional<Interval> ScalarBounds::ofLeaf(Value v) const {
  if (v.getDefiningOp<IndexOp>())
    return Interval{0, limit - 1};
  if (!isa<BlockArgument>(v) || !v.getType().isIntOrIndex())
    return std::nullopt;
  if (mayExceed(v.getType()))
    return Interval{1 - limit, limit - 1};
  unsigned bits = widthOf(v.getType());
  return Interval{llvm::minIntN(bits), llvm::maxIntN(bits)};
}

namespace {

/// The bounds of one op's result from those of its operands.
class OpBounds {
public:
  OpBounds(Operation *op, Interval x, Interval y) : op(op), x(x), y(y) {}

  std::optional<Interval> get() {
    return llvm::TypeSwitch<Operation *, std::optional<Interval>>(op)
        .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
            [&](auto) { return x; })
        .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
            [&](auto) { return ifNotNegative(x); })
        .Case([&](arith::AddIOp) {
          return Interval{x.low + y.low, x.high + y.high};
        })
        .Case([&](arith::SubIOp) {
          return Interval{x.low - y.high, x.high - y.low};
        })
        .Case<arith::MinSIOp>([&](auto) {
          return Interval{std::min(x.low, y.low), std::min(x.high, y.high)};
        })
        .Case<arith::MaxSIOp>([&](auto) {
          return Interval{std::max(x.low, y.low), std::max(x.high, y.high)};
        })
        .Case(
            [&](math::AbsIOp) { return Interval{0, std::max(-x.low, x.high)}; })
        .Case([&](arith::MulIOp) { return product(); })
        .Case<arith::FloorDivSIOp>([&](auto) { return quotient(); })
        .Case<arith::DivSIOp, arith::DivUIOp>(
            [&](auto) { return x.low >= 0 ? quotient() : std::nullopt; })
        .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return remainder(); })
        .Default([](Operation *) { return std::nullopt; });
  }

private:
  static std::optional<Interval> ifNotNegative(Interval v) {
    return v.low >= 0 ? std::optional(v) : std::nullopt;
  }
  std::optional<Interval> product() {
    Interval result{INT64_MAX, INT64_MIN};
    for (int64_t a : {x.low, x.high})
      for (int64_t b : {y.low, y.high}) {
        int64_t p;
        if (llvm::MulOverflow(a, b, p))
          return std::nullopt;
        result = {std::min(result.low, p), std::max(result.high, p)};
      }
    return result;
  }
  std::optional<Interval> quotient() {
    if (y.low != y.high || y.low <= 0)
      return std::nullopt;
    return Interval{llvm::divideFloorSigned(x.low, y.low),
                    llvm::divideFloorSigned(x.high, y.low)};
  }
  std::optional<Interval> remainder() {
    if (y.low != y.high || y.low <= 0 || x.low < 0)
      return std::nullopt;
    return Interval{0, std::min(x.high, y.low - 1)};
  }

  Operation *op;
  Interval x, y;
};

} // namespace

std::optional<Interval> ScalarBounds::of(Value v) const {
  if (!v.getType().isIntOrIndex())
    return std::nullopt;
  auto [known, isNew] = memory.try_emplace(v, std::nullopt);
  if (!isNew)
    return known->second;
  std::optional<Interval> result;
  Operation *op = v.getDefiningOp();
  if (std::optional<int64_t> constant = constantOf(v)) {
    result = Interval{*constant, *constant};
  } else if (!op || isa<IndexOp>(op)) {
    result = ofLeaf(v);
  } else if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
             (op->getNumOperands() == 1 || op->getNumOperands() == 2)) {
    std::optional<Interval> x = of(op->getOperand(0));
    std::optional<Interval> y = of(op->getOperands().back());
    if (x && y)
      result = OpBounds(op, *x, *y).get();
  }
  if (result && !fits(*result, v.getType()))
    result.reset();
  return memory[v] = result;
}
