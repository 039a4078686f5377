//===- Fold.cpp - what scalar expressions fold to -------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Two kinds of rewrite. `foldApply` is exact: integers are evaluated as linear
// expressions (32 bits or more, taken not to overflow, as sizes of tensors do
// not), logic as logic, float constants with the rounding of their type.
// `simplifyReal` treats floats as real numbers.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace fa::raise;
using arith::CmpIPredicate;

namespace {

constexpr double kLn2 = 0.69314718055994530942;

CmpIPredicate inverse(CmpIPredicate predicate) {
  return arith::invertPredicate(predicate);
}

/// The signed predicate with the same meaning on numbers >= 0.
CmpIPredicate asSigned(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::ult:
    return CmpIPredicate::slt;
  case CmpIPredicate::ule:
    return CmpIPredicate::sle;
  case CmpIPredicate::ugt:
    return CmpIPredicate::sgt;
  case CmpIPredicate::uge:
    return CmpIPredicate::sge;
  default:
    return predicate;
  }
}

bool isUnsigned(CmpIPredicate predicate) {
  return asSigned(predicate) != predicate;
}

NodeRef roundedConstant(Graph &graph, double value, Type type) {
  if (!type)
    return graph.real(value);
  return graph.constant(FloatAttr::get(type, value), type);
}

} // namespace

//===----------------------------------------------------------------------===//
// Integers and logic
//===----------------------------------------------------------------------===//

NodeRef Graph::compare(CmpIPredicate predicate, const Linear &index) {
  Linear zeroBased = index;
  zeroBased.constant = canonical(index.constant);
  Poly low = lowerBound(zeroBased), high = upperBound(zeroBased);
  bool atLeast0 = isNonNegative(low), atLeast1 = isNonNegative(low - 1);
  bool atMost0 = isNonNegative(Poly(0) - high);
  bool below0 = isNonNegative(Poly(-1) - high);
  std::optional<bool> known;
  switch (predicate) {
  case CmpIPredicate::sge:
    known = atLeast0 ? std::optional(true)
            : below0 ? std::optional(false)
                     : std::nullopt;
    break;
  case CmpIPredicate::sgt:
    known = atLeast1  ? std::optional(true)
            : atMost0 ? std::optional(false)
                      : std::nullopt;
    break;
  case CmpIPredicate::sle:
    known = atMost0    ? std::optional(true)
            : atLeast1 ? std::optional(false)
                       : std::nullopt;
    break;
  case CmpIPredicate::slt:
    known = below0     ? std::optional(true)
            : atLeast0 ? std::optional(false)
                       : std::nullopt;
    break;
  case CmpIPredicate::eq:
  case CmpIPredicate::ne:
    if (atLeast1 || below0)
      known = predicate == CmpIPredicate::ne;
    else if (zeroBased.isConstant() && zeroBased.constant.isZero())
      known = predicate == CmpIPredicate::eq;
    break;
  default:
    break;
  }
  if (known)
    return boolean(*known);
  Node node;
  node.kind = Kind::Compare;
  node.predicate = predicate;
  node.index = zeroBased;
  node.type = IntegerType::get(context, 1);
  return intern(node);
}

NodeRef Graph::negate(NodeRef condition) {
  if (auto value = booleanOf(condition))
    return boolean(!*value);
  if (condition->kind == Kind::Compare)
    return compare(inverse(condition->predicate), condition->index);
  if (condition->is<arith::XOrIOp>() &&
      booleanOf(condition->operands[1]) == true)
    return condition->operands[0];
  Node node;
  node.kind = Kind::Apply;
  node.name = OperationName(arith::XOrIOp::getOperationName(), context);
  node.operands = {condition, boolean(true)};
  node.type = condition->type;
  return intern(node);
}

NodeRef Graph::foldInteger(const Node &node) {
  StringRef name = node.name->getStringRef();
  for (NodeRef operand : node.operands)
    if (operand->kind != Kind::Integer)
      return nullptr;
  if (node.operands.empty() || node.name->getDialectNamespace() != "arith")
    return nullptr;
  const Linear &x = node.operands[0]->index;
  if (node.operands.size() == 1) {
    bool wide = node.type && (node.type.isIndex() ||
                              (isa<IntegerType>(node.type) &&
                               node.type.getIntOrFloatBitWidth() >= 32));
    if (wide && (name == "arith.index_cast" || name == "arith.extsi" ||
                 name == "arith.trunci" ||
                 ((name == "arith.extui" || name == "arith.index_castui") &&
                  isNonNegative(lowerBound(x)))))
      return integer(x, node.type);
    return nullptr;
  }
  if (node.operands.size() != 2)
    return nullptr;
  const Linear &y = node.operands[1]->index;
  std::optional<Linear> exact;
  if (name == "arith.addi")
    exact = x + y;
  else if (name == "arith.subi")
    exact = x - y;
  else if (name == "arith.muli" && y.isConstant())
    exact = x * y.constant;
  else if (name == "arith.muli" && x.isConstant())
    exact = y * x.constant;
  if (exact) {
    // Sizes do not overflow 32 bits; a constant that stands for infinity may.
    auto constant = exact->constant.constant();
    if (!node.type.isIndex() && node.type.getIntOrFloatBitWidth() == 32 &&
        constant && std::abs(*constant) > (int64_t(1) << 30))
      return nullptr;
    return integer(*exact, node.type);
  }
  bool isMax = name == "arith.maxsi", isMin = name == "arith.minsi";
  if (isMax || isMin) {
    if (isNonNegative(lowerBound(x - y)))
      return isMax ? node.operands[0] : node.operands[1];
    if (isNonNegative(lowerBound(y - x)))
      return isMax ? node.operands[1] : node.operands[0];
    return nullptr;
  }
  if ((name == "arith.divsi" || name == "arith.divui" ||
       name == "arith.floordivsi" || name == "arith.ceildivsi") &&
      y.isConstant() && x.isConstant()) {
    auto a = x.constant.constant(), c = y.constant.constant();
    if (a && c && *a >= 0 && *c > 0)
      return integer(
          Poly(name == "arith.ceildivsi" ? (*a + *c - 1) / *c : *a / *c),
          node.type);
    if (auto quotient = x.constant.dividedBy(y.constant))
      return integer(*quotient, node.type);
  }
  return nullptr;
}

NodeRef Graph::foldLogic(const Node &node) {
  auto operand = [&](unsigned i) { return node.operands[i]; };
  if (node.is<arith::CmpIOp>() && operand(0)->kind == Kind::Integer &&
      operand(1)->kind == Kind::Integer) {
    auto predicate = cast<arith::CmpIPredicateAttr>(
                         cast<DictionaryAttr>(node.attr).get("predicate"))
                         .getValue();
    const Linear &x = operand(0)->index, &y = operand(1)->index;
    if (isUnsigned(predicate)) {
      if (!isNonNegative(lowerBound(x)) || !isNonNegative(lowerBound(y)))
        return nullptr;
      predicate = asSigned(predicate);
    }
    return compare(predicate, x - y);
  }
  if (node.is<arith::SelectOp>()) {
    NodeRef c = operand(0), x = operand(1), y = operand(2);
    if (x == y)
      return x;
    if (auto value = booleanOf(c))
      return *value ? x : y;
    auto ifTrue = booleanOf(x), ifFalse = booleanOf(y);
    if (ifTrue && ifFalse)
      return *ifTrue ? c : negate(c);
    if (ifFalse == false)
      return apply<arith::AndIOp>({c, x}, node.type);
    if (ifTrue == true)
      return apply<arith::OrIOp>({c, y}, node.type);
    if (ifTrue == false)
      return apply<arith::AndIOp>({negate(c), y}, node.type);
    if (ifFalse == true)
      return apply<arith::OrIOp>({negate(c), x}, node.type);
    // size == 1 ? 0 : i with i < size.
    if (c->kind == Kind::Compare && c->predicate == CmpIPredicate::eq &&
        c->index.isConstant() && x->kind == Kind::Integer &&
        x->index == Linear() && y->kind == Kind::Integer) {
      if (auto atom = y->index.asAtom())
        for (int64_t sign : {1, -1})
          if (c->index.constant * Poly(sign) == sizeOf(*atom) - 1)
            return y;
    }
    return nullptr;
  }
  bool isAnd = node.is<arith::AndIOp>(), isOr = node.is<arith::OrIOp>();
  if ((isAnd || isOr) && node.type.isInteger(1)) {
    NodeRef x = operand(0), y = operand(1);
    if (x == y)
      return x;
    for (auto [a, b] : {std::pair(x, y), std::pair(y, x)})
      if (auto value = booleanOf(a))
        return *value == isAnd ? b : a;
    return nullptr;
  }
  if (node.is<arith::XOrIOp>() && node.type.isInteger(1)) {
    for (auto [a, b] :
         {std::pair(operand(0), operand(1)), std::pair(operand(1), operand(0))})
      if (auto value = booleanOf(a)) {
        if (!*value)
          return b;
        if (b->kind == Kind::Compare || booleanOf(b) || b->is<arith::XOrIOp>())
          return negate(b);
      }
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

NodeRef Graph::foldFloat(const Node &node) {
  StringRef name = node.name->getStringRef();
  std::vector<double> values;
  for (NodeRef operand : node.operands) {
    auto value = constantOf(operand);
    if (value)
      values.push_back(*value);
  }
  bool allConstant = values.size() == node.operands.size() && !values.empty();
  if (name == "arith.sitofp" || name == "arith.uitofp") {
    NodeRef x = node.operands[0];
    if (x->kind == Kind::Integer && x->index.constantValue())
      return roundedConstant(*this, *x->index.constantValue(), node.type);
    if (auto value = booleanOf(x))
      return roundedConstant(
          *this, *value ? (name == "arith.sitofp" ? -1 : 1) : 0, node.type);
    return nullptr;
  }
  if (allConstant) {
    // A double holds every narrower type, and one correctly rounded operation
    // in it rounds correctly again to any type of at most half its precision.
    double x = values[0], y = values.size() > 1 ? values[1] : 0;
    std::optional<double> result;
    if (name == "arith.extf" || name == "arith.truncf")
      result = x;
    else if (name == "arith.negf")
      result = -x;
    else if (name == "arith.addf")
      result = x + y;
    else if (name == "arith.subf")
      result = x - y;
    else if (name == "arith.mulf")
      result = x * y;
    else if (name == "arith.divf")
      result = x / y;
    else if (name == "math.sqrt")
      result = std::sqrt(x);
    else if (name == "arith.maximumf" && !std::isnan(x) && !std::isnan(y))
      result = std::max(x, y);
    else if (name == "arith.minimumf" && !std::isnan(x) && !std::isnan(y))
      result = std::min(x, y);
    if (result)
      return roundedConstant(*this, *result, node.type);
    if (name == "arith.cmpf" && !std::isnan(x) && !std::isnan(y)) {
      auto predicate = cast<arith::CmpFPredicateAttr>(
                           cast<DictionaryAttr>(node.attr).get("predicate"))
                           .getValue();
      return boolean(
          arith::applyCmpPredicate(predicate, APFloat(x), APFloat(y)));
    }
    return nullptr;
  }
  auto isNeutral = [&](unsigned i, double value) {
    return isFloatConstant(node.operands[i], value);
  };
  double inf = std::numeric_limits<double>::infinity();
  struct Neutral {
    StringRef name;
    double value;
    bool bothSides;
  };
  for (Neutral rule :
       {Neutral{"arith.maximumf", -inf, true},
        Neutral{"arith.maxnumf", -inf, true}, Neutral{"arith.addf", 0, true},
        Neutral{"arith.subf", 0, false}, Neutral{"arith.mulf", 1, true},
        Neutral{"arith.divf", 1, false}}) {
    if (name != rule.name)
      continue;
    if (isNeutral(1, rule.value))
      return node.operands[0];
    if (rule.bothSides && isNeutral(0, rule.value))
      return node.operands[1];
  }
  return nullptr;
}

NodeRef Graph::foldApply(const Node &node) {
  if (NodeRef folded = foldInteger(node))
    return folded;
  if (NodeRef folded = foldLogic(node))
    return folded;
  return foldFloat(node);
}

//===----------------------------------------------------------------------===//
// Real numbers
//===----------------------------------------------------------------------===//

NodeRef Graph::asReal(NodeRef node) {
  if (NodeRef known = reals.lookup(node))
    return known;
  NodeRef result = node;
  bool isFloat = node->type && isa<FloatType>(node->type);
  if (isFloat && node->kind == Kind::Constant) {
    result = real(*constantOf(node));
  } else if (node->is<arith::ExtFOp>() || node->is<arith::TruncFOp>()) {
    result = asReal(node->operands[0]);
  } else if (!node->operands.empty()) {
    std::vector<NodeRef> operands;
    for (NodeRef operand : node->operands)
      operands.push_back(asReal(operand));
    result =
        simplifyReal(rebuild(node, operands, isFloat ? Type() : node->type));
  }
  originals.try_emplace(result, node);
  reals[node] = result;
  reals.try_emplace(result, result);
  return result;
}

NodeRef Graph::simplifyReal(NodeRef node) {
  auto constantOperand =
      [&](NodeRef of) -> std::pair<NodeRef, std::optional<double>> {
    if (auto c = constantOf(of->operands[1]))
      return {of->operands[0], c};
    return {of->operands[1], constantOf(of->operands[0])};
  };
  if (node->is<arith::NegFOp>() && node->operands[0]->is<arith::NegFOp>())
    return node->operands[0]->operands[0];
  if (node->is<arith::AddFOp>()) {
    // x + (-y) = x - y
    for (unsigned i : {0, 1})
      if (node->operands[i]->is<arith::NegFOp>())
        return simplifyReal(apply<arith::SubFOp>(
            {node->operands[1 - i], node->operands[i]->operands[0]}, Type()));
  }
  if (node->is<arith::DivFOp>()) {
    // x / c = x * (1/c), constants only.
    if (auto c = constantOf(node->operands[1]); c && *c != 0)
      return simplifyReal(
          apply<arith::MulFOp>({node->operands[0], real(1 / *c)}, Type()));
  }
  if (node->is<arith::MulFOp>()) {
    // x * (1/y) = x / y
    for (unsigned i : {0, 1}) {
      NodeRef factor = node->operands[i];
      if (factor->is<arith::DivFOp>() &&
          isFloatConstant(factor->operands[0], 1))
        return apply<arith::DivFOp>(
            {node->operands[1 - i], factor->operands[1]}, Type());
    }
    auto [x, c] = constantOperand(node);
    // A constant is the second operand, and there is one.
    if (c && x->is<arith::MulFOp>())
      if (auto [y, d] = constantOperand(x); d)
        return simplifyReal(apply<arith::MulFOp>({y, real(*c * *d)}, Type()));
    // (k ? x : -inf) * c = k ? x*c : -inf
    if (c && *c > 0 && x->is<arith::SelectOp>() &&
        isMinusInfinity(x->operands[2]))
      return apply<arith::SelectOp>({x->operands[0],
                                     simplifyReal(apply<arith::MulFOp>(
                                         {x->operands[1], real(*c)}, Type())),
                                     x->operands[2]},
                                    Type());
    if (c)
      return apply<arith::MulFOp>({x, real(*c)}, Type());
  }
  if (node->is<arith::SubFOp>()) {
    // x*c - y*c = (x - y)*c
    NodeRef x = node->operands[0], y = node->operands[1];
    if (x->is<arith::MulFOp>() && y->is<arith::MulFOp>()) {
      auto [a, c] = constantOperand(x);
      auto [b, d] = constantOperand(y);
      if (c && d && *c == *d)
        return apply<arith::MulFOp>(
            {simplifyReal(apply<arith::SubFOp>({a, b}, Type())), real(*c)},
            Type());
    }
  }
  if (node->is<math::Exp2Op>()) {
    // 2^x = e^(x ln2); a program's own log2(e), rounded to f32, cancels.
    NodeRef x = simplifyReal(
        apply<arith::MulFOp>({node->operands[0], real(kLn2)}, Type()));
    if (x->is<arith::MulFOp>())
      if (auto c = constantOf(x->operands[1]); c && std::abs(*c - 1) < 1e-7)
        x = x->operands[0];
    return apply<math::ExpOp>({x}, Type());
  }
  if (node->is<arith::SelectOp>()) {
    // c ? e^x : 0 = e^(c ? x : -inf)
    NodeRef c = node->operands[0], x = node->operands[1], y = node->operands[2];
    double minusInf = -std::numeric_limits<double>::infinity();
    if (y->is<math::ExpOp>() && isFloatConstant(x, 0)) {
      std::swap(x, y);
      c = negate(c);
    }
    if (x->is<math::ExpOp>() && isFloatConstant(y, 0))
      return apply<math::ExpOp>(
          {simplifyReal(apply<arith::SelectOp>(
              {c, x->operands[0], real(minusInf)}, Type()))},
          Type());
    // c ? (x - m) : -inf = (c ? x : -inf) - m
    if (x->is<arith::SubFOp>() && isMinusInfinity(y))
      return apply<arith::SubFOp>(
          {simplifyReal(apply<arith::SelectOp>({c, x->operands[0], y}, Type())),
           x->operands[1]},
          Type());
    // c ? x : -inf once is enough.
    if (x->is<arith::SelectOp>() && x->operands[0] == c)
      return apply<arith::SelectOp>({c, x->operands[1], y}, Type());
    // No condition inside -inf: c ? -inf : x has the condition negated.
    if (isMinusInfinity(x) && !isMinusInfinity(y))
      return simplifyReal(apply<arith::SelectOp>({negate(c), y, x}, Type()));
  }
  return node;
}
