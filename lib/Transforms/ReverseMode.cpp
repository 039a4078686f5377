//===- ReverseMode.cpp - derivatives of scalar regions --------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// The method is the reverse mode of Griewank and Walther, "Evaluating
// Derivatives", 2008: walk the ops backward and add to the adjoint of each
// operand the adjoint of the result times the partial derivative.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/ReverseMode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

using namespace mlir;
using namespace fa;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

/// Floating-point arithmetic at one place and type, to write the table with.
class Calculator {
public:
  Calculator(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), type(type) {}

  Value number(double v) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, v));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value square(Value x) { return mul(x, x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
  Value choose(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value less(Value x, Value y) {
    return compare(arith::CmpFPredicate::OLT, x, y);
  }
  Value equal(Value x, Value y) {
    return compare(arith::CmpFPredicate::OEQ, x, y);
  }
  /// 1 or -1, with the sign of x.
  Value unitWithSignOf(Value x) {
    return math::CopySignOp::create(b, loc, number(1), x);
  }
  template <typename OpT> Value call(Value x) { return OpT::create(b, loc, x); }

  OpBuilder &b;
  Location loc;
  Type type;
};

/// Operands and result of an op, floats cast to the type of adjoints, and the
/// adjoint of the result.
struct Application {
  SmallVector<Value> x;
  Value y, a;
};

using Adjoints = SmallVector<Value>;
/// One adjoint per operand; null means 0.
using Rule = Adjoints (*)(Calculator &, const Application &);

/// max and min: everything to the larger or smaller, half to each of two equal.
Adjoints adjointsOfChoice(Calculator &c, const Application &p, bool maximum) {
  Value first = maximum ? p.x[1] : p.x[0], second = maximum ? p.x[0] : p.x[1];
  Value zero = c.number(0);
  Value half = c.mul(p.a, c.number(0.5));
  Value same = c.equal(p.x[0], p.x[1]);
  Value toFirst = c.choose(c.less(first, second), p.a, zero);
  Value toSecond = c.choose(c.less(second, first), p.a, zero);
  return {c.choose(same, half, toFirst), c.choose(same, half, toSecond)};
}

Adjoints adjointsOfMax(Calculator &c, const Application &p) {
  return adjointsOfChoice(c, p, true);
}
Adjoints adjointsOfMin(Calculator &c, const Application &p) {
  return adjointsOfChoice(c, p, false);
}

Adjoints adjointsOfPowf(Calculator &c, const Application &p) {
  Value one = c.number(1), zero = c.number(0);
  Value lower =
      math::PowFOp::create(c.b, c.loc, p.x[0], c.sub(p.x[1], one)).getResult();
  Value byBase = c.mul(p.a, c.mul(p.x[1], lower));
  // x^0 does not depend on x, and x^y at x = 0 not on y.
  Value constant = c.equal(p.x[1], zero);
  Value byExponent = c.mul(p.a, c.mul(p.y, c.call<math::LogOp>(p.x[0])));
  Value atZero = c.equal(p.x[0], zero);
  return {c.choose(constant, zero, byBase), c.choose(atZero, zero, byExponent)};
}

Adjoints adjointsOfFPowI(Calculator &c, const Application &p) {
  Type integer = p.x[1].getType();
  Value zero =
      arith::ConstantOp::create(c.b, c.loc, c.b.getIntegerAttr(integer, 0));
  Value one =
      arith::ConstantOp::create(c.b, c.loc, c.b.getIntegerAttr(integer, 1));
  Value exponent = arith::SubIOp::create(c.b, c.loc, p.x[1], one);
  Value lower = math::FPowIOp::create(c.b, c.loc, p.x[0], exponent);
  Value factor = arith::SIToFPOp::create(c.b, c.loc, c.type, p.x[1]);
  Value constant =
      arith::CmpIOp::create(c.b, c.loc, arith::CmpIPredicate::eq, p.x[1], zero);
  return {c.choose(constant, c.number(0), c.mul(p.a, c.mul(factor, lower))),
          Value()};
}

Adjoints adjointsOfAtan2(Calculator &c, const Application &p) {
  Value norm = c.add(c.square(p.x[0]), c.square(p.x[1]));
  Value weight = c.div(p.a, norm);
  return {c.mul(weight, p.x[1]), c.neg(c.mul(weight, p.x[0]))};
}

Adjoints adjointsOfRem(Calculator &c, const Application &p) {
  Value quotient = c.call<math::TruncOp>(c.div(p.x[0], p.x[1]));
  return {p.a, c.neg(c.mul(p.a, quotient))};
}

/// Functions of one argument: adjoint of the result times f'(x); y = f(x).
Adjoints adjointOfErf(Calculator &c, const Application &p, double sign) {
  Value bell = c.call<math::ExpOp>(c.neg(c.square(p.x[0])));
  return {c.mul(p.a, c.mul(c.number(sign * 2 / std::sqrt(M_PI)), bell))};
}

#define RULE(...)                                                              \
  [](Calculator &c, const Application &p) -> Adjoints { return {__VA_ARGS__}; }
#define X p.x[0]
#define Y p.y
#define A p.a

/// Steps, whose derivative is 0 wherever there is one, are not here, apart from
/// comparisons: rounding a score is more often a mistake than a wish. Nor is
/// math.clampf, whose name and upstream definition, max(min(x, low), high),
/// disagree.
const llvm::StringMap<Rule> &table() {
  static const llvm::StringMap<Rule> rules = {
      {"arith.addf", RULE(A, A)},
      {"arith.subf", RULE(A, c.neg(A))},
      {"arith.mulf", RULE(c.mul(A, p.x[1]), c.mul(A, X))},
      {"arith.divf", RULE(c.div(A, p.x[1]), c.neg(c.div(c.mul(A, Y), p.x[1])))},
      {"arith.remf", adjointsOfRem},
      {"arith.negf", RULE(c.neg(A))},
      {"arith.maximumf", adjointsOfMax},
      {"arith.maxnumf", adjointsOfMax},
      {"arith.minimumf", adjointsOfMin},
      {"arith.minnumf", adjointsOfMin},
      {"arith.extf", RULE(A)},
      {"arith.truncf", RULE(A)},
      {"arith.select",
       RULE(Value(), c.choose(X, A, c.number(0)), c.choose(X, c.number(0), A))},
      {"arith.cmpf", RULE(Value(), Value())},
      {"math.isfinite", RULE(Value())},
      {"math.isnan", RULE(Value())},
      {"math.absf", RULE(c.choose(c.equal(X, c.number(0)), c.number(0),
                                  c.mul(A, c.unitWithSignOf(X))))},
      {"math.copysign",
       RULE(c.mul(A, c.mul(c.unitWithSignOf(X), c.unitWithSignOf(p.x[1]))),
            Value())},
      {"math.fma", RULE(c.mul(A, p.x[1]), c.mul(A, X), A)},
      {"math.exp", RULE(c.mul(A, Y))},
      {"math.exp2", RULE(c.mul(A, c.mul(Y, c.number(M_LN2))))},
      {"math.expm1", RULE(c.mul(A, c.add(Y, c.number(1))))},
      {"math.log", RULE(c.div(A, X))},
      {"math.log2", RULE(c.div(A, c.mul(X, c.number(M_LN2))))},
      {"math.log10", RULE(c.div(A, c.mul(X, c.number(M_LN10))))},
      {"math.log1p", RULE(c.div(A, c.add(X, c.number(1))))},
      {"math.sqrt", RULE(c.div(A, c.add(Y, Y)))},
      {"math.rsqrt", RULE(c.mul(c.number(-0.5), c.div(c.mul(A, Y), X)))},
      {"math.cbrt", RULE(c.div(A, c.mul(c.number(3), c.square(Y))))},
      {"math.powf", adjointsOfPowf},
      {"math.fpowi", adjointsOfFPowI},
      {"math.sin", RULE(c.mul(A, c.call<math::CosOp>(X)))},
      {"math.cos", RULE(c.neg(c.mul(A, c.call<math::SinOp>(X))))},
      {"math.tan", RULE(c.mul(A, c.add(c.number(1), c.square(Y))))},
      {"math.asin", RULE(c.div(A, c.sqrt(c.sub(c.number(1), c.square(X)))))},
      {"math.acos",
       RULE(c.neg(c.div(A, c.sqrt(c.sub(c.number(1), c.square(X))))))},
      {"math.atan", RULE(c.div(A, c.add(c.number(1), c.square(X))))},
      {"math.atan2", adjointsOfAtan2},
      {"math.sinh", RULE(c.mul(A, c.call<math::CoshOp>(X)))},
      {"math.cosh", RULE(c.mul(A, c.call<math::SinhOp>(X)))},
      {"math.tanh", RULE(c.mul(A, c.sub(c.number(1), c.square(Y))))},
      {"math.asinh", RULE(c.div(A, c.sqrt(c.add(c.square(X), c.number(1)))))},
      {"math.acosh", RULE(c.div(A, c.sqrt(c.sub(c.square(X), c.number(1)))))},
      {"math.atanh", RULE(c.div(A, c.sub(c.number(1), c.square(X))))},
      {"math.erf", [](Calculator &c,
                      const Application &p) { return adjointOfErf(c, p, 1); }},
      {"math.erfc",
       [](Calculator &c,
          const Application &p) { return adjointOfErf(c, p, -1); }},
  };
  return rules;
}

#undef RULE
#undef X
#undef Y
#undef A

Rule ruleFor(Operation &op) {
  auto it = table().find(op.getName().getStringRef());
  return it == table().end() ? nullptr : it->second;
}

} // namespace

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Any use in the op, its regions included.
template <typename Fn> static bool anyOperand(Operation &op, Fn &&test) {
  return op
      .walk([&](Operation *nested) {
        return llvm::any_of(nested->getOperands(), test)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

ReverseMode::ReverseMode(Region &region, ArrayRef<unsigned> activeArguments)
    : region(region) {
  for (unsigned i : activeArguments)
    active.insert(region.getArgument(i));
  for (Operation &op : region.front().without_terminator())
    // A comparison of reals is a decision, not a real.
    if (isActive(op) && !isa<arith::CmpFOp>(op))
      active.insert(op.result_begin(), op.result_end());
}

bool ReverseMode::isActive(Operation &op) const {
  return anyOperand(op, [&](Value v) { return active.contains(v); });
}

std::optional<unsigned> ReverseMode::accessedArgument(Operation &op) const {
  if (!isa<tensor::ExtractOp, memref::LoadOp>(op))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(op.getOperand(0));
  if (!argument || argument.getOwner() != &region.front() ||
      !active.contains(argument))
    return std::nullopt;
  return argument.getArgNumber();
}

SmallVector<Operation *> ReverseMode::relevantOps() {
  Block &block = region.front();
  llvm::DenseSet<Value> useful(block.getTerminator()->operand_begin(),
                               block.getTerminator()->operand_end());
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (llvm::none_of(op.getResults(),
                      [&](Value v) { return useful.contains(v); }))
      continue;
    op.walk([&](Operation *nested) {
      useful.insert(nested->operand_begin(), nested->operand_end());
    });
    if (isActive(op))
      ops.push_back(&op);
  }
  return ops;
}

LogicalResult ReverseMode::verify() {
  SmallVector<Operation *> ops = relevantOps();
  for (Operation *op : llvm::reverse(ops))
    if (!ruleFor(*op) && !accessedArgument(*op))
      return op->emitOpError("has no derivative here, but the result of the "
                             "score region depends on the score or a "
                             "differentiated capture through it");
  return success();
}

bool ReverseMode::reachesResult() {
  return active.contains(region.front().getTerminator()->getOperand(0)) ||
         !relevantOps().empty();
}

/// Whether the adjoint of an operand is 0 whatever the values are.
static bool hasNoAdjoint(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<math::CopySignOp>(op))
    return operand.getOperandNumber() == 1;
  if (isa<math::PowFOp, math::FPowIOp>(op) && operand.getOperandNumber() == 0)
    return matchPattern(op->getOperand(1), m_AnyZeroFloat()) ||
           matchPattern(op->getOperand(1), m_Zero());
  return !isa<FloatType>(operand.get().getType());
}

bool ReverseMode::flowsTo(unsigned argument) {
  llvm::DenseSet<Value> reached;
  reached.insert(region.front().getTerminator()->getOperand(0));
  for (Operation *op : relevantOps())
    if (reached.contains(op->getResult(0)))
      for (OpOperand &operand : op->getOpOperands())
        if (!hasNoAdjoint(operand))
          reached.insert(operand.get());
  return reached.contains(region.getArgument(argument));
}

SmallVector<std::pair<unsigned, unsigned>> ReverseMode::expectedAccesses() {
  SmallVector<std::pair<unsigned, unsigned>> result;
  for (Operation *op : relevantOps())
    if (auto argument = accessedArgument(*op))
      result.push_back({*argument, op->getNumOperands() - 1});
  return result;
}

void ReverseMode::add(OpBuilder &b, Location loc, Value of, Value adjoint) {
  Value &sum = adjoints[of];
  sum = sum ? arith::AddFOp::create(b, loc, sum, adjoint).getResult() : adjoint;
}

void ReverseMode::build(OpBuilder &b, const IRMapping &primal, Value adjoint,
                        Type type) {
  Value result = region.front().getTerminator()->getOperand(0);
  if (active.contains(result))
    adjoints[result] = adjoint;
  for (Operation *op : relevantOps()) {
    Location loc = op->getLoc();
    if (auto argument = accessedArgument(*op)) {
      Access access{*argument, {}, adjoints.lookup(op->getResult(0))};
      for (Value index : llvm::drop_begin(op->getOperands()))
        access.indices.push_back(primal.lookupOrDefault(index));
      if (!access.adjoint)
        access.adjoint = Calculator(b, loc, type).number(0);
      found.push_back(access);
      continue;
    }
    Value a = adjoints.lookup(op->getResult(0));
    if (!a)
      continue;
    auto value = [&](Value v) {
      v = primal.lookupOrDefault(v);
      return isa<FloatType>(v.getType())
                 ? convertScalarToDtype(b, loc, v, type, false)
                 : v;
    };
    Application application{{}, value(op->getResult(0)), a};
    for (Value operand : op->getOperands())
      application.x.push_back(value(operand));
    Calculator calculator(b, loc, type);
    Adjoints parts = ruleFor(*op)(calculator, application);
    for (auto [operand, part] : llvm::zip_equal(op->getOperands(), parts))
      if (part && active.contains(operand))
        add(b, loc, operand, part);
  }
}

Value ReverseMode::adjointOf(unsigned argument) const {
  return adjoints.lookup(region.getArgument(argument));
}
