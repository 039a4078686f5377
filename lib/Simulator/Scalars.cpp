//===- Scalars.cpp - scalar arith and math on the CPU ---------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace fa::simulator;

Scalar fa::simulator::scalarOf(Type type, double element) {
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    return {0, element};
  // Of a tile that nobody has written, NaN.
  return {std::isnan(element) ? 0 : static_cast<int64_t>(element), 0};
}

double fa::simulator::elementOf(Type type, const Scalar &scalar) {
  return isa<FloatType>(getElementTypeOrSelf(type)) ? scalar.f
                                                    : double(scalar.i);
}

double fa::simulator::roundTo(Type type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

static Scalar integer(Type type, int64_t v) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  // i1 is 0 or 1, wider integers are sign-extended.
  if (width == 1)
    return {v & 1, 0};
  return {width < 64 ? llvm::SignExtend64(v, width) : v, 0};
}

static uint64_t unsignedOf(Type type, int64_t v) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return width < 64 ? v & ((uint64_t(1) << width) - 1) : v;
}

static std::optional<Scalar> constant(arith::ConstantOp op) {
  if (auto i = dyn_cast<IntegerAttr>(op.getValue()))
    return integer(op.getType(), i.getValue().getSExtValue());
  if (auto f = dyn_cast<FloatAttr>(op.getValue()))
    return Scalar{0, f.getValueAsDouble()};
  return std::nullopt;
}

static std::optional<double> floatResult(Operation *op, ArrayRef<Scalar> x) {
  auto f = [&](unsigned i) { return x[i].f; };
  // NaN is missing data for maxnum and minnum, and spreads in maximum, minimum.
  auto spreads = [&] { return std::isnan(f(0)) || std::isnan(f(1)); };
  return TypeSwitch<Operation *, std::optional<double>>(op)
      .Case([&](arith::AddFOp) { return f(0) + f(1); })
      .Case([&](arith::SubFOp) { return f(0) - f(1); })
      .Case([&](arith::MulFOp) { return f(0) * f(1); })
      .Case([&](arith::DivFOp) { return f(0) / f(1); })
      .Case([&](arith::NegFOp) { return -f(0); })
      .Case([&](arith::MaxNumFOp) { return std::fmax(f(0), f(1)); })
      .Case([&](arith::MinNumFOp) { return std::fmin(f(0), f(1)); })
      .Case([&](arith::MaximumFOp) {
        return spreads() ? std::nan("") : std::fmax(f(0), f(1));
      })
      .Case([&](arith::MinimumFOp) {
        return spreads() ? std::nan("") : std::fmin(f(0), f(1));
      })
      .Case<arith::TruncFOp, arith::ExtFOp>([&](auto) { return f(0); })
      .Case([&](arith::SIToFPOp) { return double(x[0].i); })
      .Case([&](arith::UIToFPOp u) {
        return double(unsignedOf(u.getIn().getType(), x[0].i));
      })
      .Case([&](math::FloorOp) { return std::floor(f(0)); })
      .Case([&](math::SqrtOp) { return std::sqrt(f(0)); })
      .Case([&](math::SinOp) { return std::sin(f(0)); })
      .Case([&](math::CosOp) { return std::cos(f(0)); })
      .Case([&](math::FmaOp) { return std::fma(f(0), f(1), f(2)); })
      .Case([&](math::Exp2Op) { return std::exp2(f(0)); })
      .Case([&](math::ExpOp) { return std::exp(f(0)); })
      .Case([&](math::Log2Op) { return std::log2(f(0)); })
      .Case([&](math::LogOp) { return std::log(f(0)); })
      .Case([&](math::TanhOp) { return std::tanh(f(0)); })
      .Case([&](math::AbsFOp) { return std::fabs(f(0)); })
      .Default([](Operation *) { return std::nullopt; });
}

static bool compare(arith::CmpIPredicate p, Type type, int64_t x, int64_t y) {
  uint64_t ux = unsignedOf(type, x), uy = unsignedOf(type, y);
  switch (p) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return ux < uy;
  case arith::CmpIPredicate::ule:
    return ux <= uy;
  case arith::CmpIPredicate::ugt:
    return ux > uy;
  case arith::CmpIPredicate::uge:
    return ux >= uy;
  }
  llvm_unreachable("all predicates are covered");
}

static bool compare(arith::CmpFPredicate p, double x, double y) {
  unsigned outcome = std::isnan(x) || std::isnan(y) ? 8
                     : x == y                       ? 1
                     : x > y                        ? 2
                                                    : 4;
  // The bits of an ordered predicate say which of equal, greater and less make
  // it true. UEQ to UNE follow in the same order, then UNO.
  auto bits = static_cast<unsigned>(p);
  if (p == arith::CmpFPredicate::UNO)
    bits = 8;
  else if (p == arith::CmpFPredicate::AlwaysTrue)
    bits = 15;
  else if (p >= arith::CmpFPredicate::UEQ)
    bits = 8 | (bits - static_cast<unsigned>(arith::CmpFPredicate::UEQ) + 1);
  return bits & outcome;
}

static std::optional<int64_t> integerResult(Operation *op, ArrayRef<Scalar> x) {
  Type type = op->getOperand(0).getType();
  auto i = [&](unsigned n) { return x[n].i; };
  auto u = [&](unsigned n) { return unsignedOf(type, x[n].i); };
  bool divides =
      isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
          arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op);
  if (divides && i(1) == 0)
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) { return i(0) + i(1); })
      .Case([&](arith::SubIOp) { return i(0) - i(1); })
      .Case([&](arith::MulIOp) { return i(0) * i(1); })
      .Case([&](arith::DivUIOp) { return int64_t(u(0) / u(1)); })
      .Case([&](arith::DivSIOp) { return i(0) / i(1); })
      .Case([&](arith::CeilDivUIOp) {
        return int64_t(u(0) / u(1) + (u(0) % u(1) != 0));
      })
      .Case([&](arith::CeilDivSIOp) {
        return llvm::divideCeilSigned(i(0), i(1));
      })
      .Case([&](arith::FloorDivSIOp) {
        return llvm::divideFloorSigned(i(0), i(1));
      })
      .Case([&](arith::RemUIOp) { return int64_t(u(0) % u(1)); })
      .Case([&](arith::RemSIOp) { return i(0) % i(1); })
      .Case([&](arith::AndIOp) { return i(0) & i(1); })
      .Case([&](arith::OrIOp) { return i(0) | i(1); })
      .Case([&](arith::XOrIOp) { return i(0) ^ i(1); })
      .Case([&](arith::ShLIOp) { return i(0) << (i(1) & 63); })
      .Case([&](arith::ShRUIOp) { return int64_t(u(0) >> (i(1) & 63)); })
      .Case([&](arith::ShRSIOp) { return i(0) >> (i(1) & 63); })
      .Case([&](arith::MaxSIOp) { return std::max(i(0), i(1)); })
      .Case([&](math::AbsIOp) { return std::abs(i(0)); })
      .Case([&](arith::MinSIOp) { return std::min(i(0), i(1)); })
      .Case([&](arith::MaxUIOp) { return int64_t(std::max(u(0), u(1))); })
      .Case([&](arith::MinUIOp) { return int64_t(std::min(u(0), u(1))); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto) { return i(0); })
      .Case([&](arith::ExtUIOp) { return int64_t(u(0)); })
      .Case([&](arith::CmpIOp c) {
        return int64_t(compare(c.getPredicate(), type, i(0), i(1)));
      })
      .Case([&](arith::CmpFOp c) {
        return int64_t(compare(c.getPredicate(), x[0].f, x[1].f));
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Scalar> fa::simulator::evaluate(Operation *op,
                                              ArrayRef<Scalar> operands) {
  if (auto c = dyn_cast<arith::ConstantOp>(op))
    return constant(c);
  if (isa<arith::SelectOp>(op))
    return operands[0].i ? operands[1] : operands[2];
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return std::nullopt;
  Type type = op->getResult(0).getType();
  if (isa<FloatType>(type)) {
    if (auto result = floatResult(op, operands))
      return Scalar{0, roundTo(type, *result)};
    return std::nullopt;
  }
  if (type.isIntOrIndex())
    if (auto result = integerResult(op, operands))
      return integer(type, *result);
  return std::nullopt;
}
