//===- NarrowScalars.cpp - positions of a role in 32 bits -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A tile program computes where its key loops begin and end as `index`, 64 bits
// wide. All consumers do that for every query tile, and multiplication and
// division by constants take three to ten times as many instructions in 64
// bits. Extents are no more than `kMostExtent`, so mostly all fits: those of
// queries and keys by the launch, all others of a program by
// `--fa-check-shapes`.
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

/// The most that a value is which a role knows by itself.
static std::optional<double> knownMost(Value v) {
  constexpr double most = INT32_MAX;
  if (v.getDefiningOp<memref::DimOp>())
    return double(kMostExtent);
  auto mostOf = [](gpu::Dimension dimension) {
    // The source's blocks along x are query tiles.
    return dimension == gpu::Dimension::x ? double(kMostExtent / kBlockRows + 1)
                                          : most;
  };
  if (auto id = v.getDefiningOp<gpu::BlockIdOp>())
    return mostOf(id.getDimension());
  if (auto grid = v.getDefiningOp<gpu::GridDimOp>())
    return mostOf(grid.getDimension());
  return {};
}

/// What the result of `op` lies between; none for other ops.
static std::optional<Narrow> boundsOf(Operation *op, const Narrow &x,
                                      const Narrow &y) {
  bool areNatural = x.isNatural() && y.isNatural();
  if (isa<arith::AddIOp>(op))
    return Narrow{{}, x.low + y.low, x.high + y.high};
  if (isa<arith::SubIOp>(op))
    return Narrow{{}, x.low - y.high, x.high - y.low};
  if (isa<arith::MulIOp>(op)) {
    auto [low, high] = std::minmax(
        {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
    return Narrow{{}, low, high};
  }
  if (isa<arith::MinSIOp>(op))
    return Narrow{{}, std::min(x.low, y.low), std::min(x.high, y.high)};
  if (isa<arith::MaxSIOp>(op))
    return Narrow{{}, std::max(x.low, y.low), std::max(x.high, y.high)};
  if (isa<arith::DivUIOp>(op) && areNatural)
    return Narrow{{}, 0, x.high / std::max(y.low, 1.0)};
  if (isa<arith::RemUIOp>(op) && areNatural)
    return Narrow{{}, 0, x.high};
  return {};
}

std::optional<Narrow> Scalars::getNarrow(OpBuilder &b, Value v) {
  if (auto found = narrow.find(v); found != narrow.end())
    return found->second;
  std::optional<Narrow> result = makeNarrow(b, v);
  return narrow[v] = result;
}

std::optional<Narrow> Scalars::makeNarrow(OpBuilder &b, Value v) {
  Location loc = v.getLoc();
  APInt constant;
  Value known = map.lookupOrNull(v);
  if (matchPattern(known ? known : v, m_ConstantInt(&constant)) &&
      constant.isSignedIntN(32)) {
    int64_t n = constant.getSExtValue();
    return Narrow{arith::ConstantIntOp::create(b, loc, n, 32), double(n),
                  double(n)};
  }
  if (std::optional<double> most = knownMost(v)) {
    auto wide = known ? known.getDefiningOp<arith::IndexCastOp>() : nullptr;
    if (!wide || !wide.getIn().getType().isInteger(32))
      return {};
    return Narrow{wide.getIn(), 0, *most};
  }
  Operation *def = v.getDefiningOp();
  if (!def || !(v.getType().isIndex() || v.getType().isInteger(32)))
    return {};
  if (auto cast = dyn_cast<arith::IndexCastOp>(def))
    return getNarrow(b, cast.getIn());
  if (auto select = dyn_cast<arith::SelectOp>(def))
    return narrowSelect(b, select);
  if (def->getNumOperands() != 2)
    return {};
  std::optional<Narrow> x = getNarrow(b, def->getOperand(0)),
                        y = getNarrow(b, def->getOperand(1));
  if (!x || !y)
    return {};
  std::optional<Narrow> result = boundsOf(def, *x, *y);
  if (!result || result->low < INT32_MIN || result->high > INT32_MAX)
    return {};
  // Flags about overflow speak of the wide type: they are left out.
  OperationState state(loc, def->getName());
  state.addOperands({x->value, y->value});
  state.addTypes(b.getI32Type());
  result->value = b.create(state)->getResult(0);
  return result;
}

std::optional<Narrow> Scalars::narrowSelect(OpBuilder &b,
                                            arith::SelectOp select) {
  std::optional<Narrow> x = getNarrow(b, select.getTrueValue()),
                        y = getNarrow(b, select.getFalseValue());
  if (!x || !y)
    return {};
  Location loc = select.getLoc();
  Value condition;
  if (auto cmp = select.getCondition().getDefiningOp<arith::CmpIOp>())
    condition = narrowCompare(b, cmp);
  if (!condition)
    condition = get(b, select.getCondition());
  if (!condition)
    return {};
  return Narrow{arith::SelectOp::create(b, loc, condition, x->value, y->value),
                std::min(x->low, y->low), std::max(x->high, y->high)};
}

Value Scalars::narrowCompare(OpBuilder &b, arith::CmpIOp cmp) {
  std::optional<Narrow> x = getNarrow(b, cmp.getLhs()),
                        y = getNarrow(b, cmp.getRhs());
  bool isSigned = cmp.getPredicate() <= arith::CmpIPredicate::sge;
  if (!x || !y || !(isSigned || (x->isNatural() && y->isNatural())))
    return {};
  return arith::CmpIOp::create(b, cmp.getLoc(), cmp.getPredicate(), x->value,
                               y->value);
}
