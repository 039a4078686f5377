//===- SoftmaxMatcher.cpp - softmax by meaning ----------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The maximum and the sum that the weights should have are built and compared
// with those they have: equal expressions are one node. How the program spells
// them, and in how many ops, does not matter.
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fa::raise;

namespace {

std::optional<arith::CmpFPredicate> predicateOf(NodeRef node) {
  if (!node->is<arith::CmpFOp>())
    return std::nullopt;
  return cast<arith::CmpFPredicateAttr>(
             cast<DictionaryAttr>(node->attr).get("predicate"))
      .getValue();
}

/// True if the condition says that `x` is the constant `value`.
NodeRef comparedWith(NodeRef condition, double value) {
  auto predicate = predicateOf(condition);
  if (!predicate || (*predicate != arith::CmpFPredicate::OEQ &&
                     *predicate != arith::CmpFPredicate::UEQ))
    return nullptr;
  for (unsigned i : {0, 1})
    if (isFloatConstant(condition->operands[i], value))
      return condition->operands[1 - i];
  return nullptr;
}

/// x with x = constant ? other : x looked through.
NodeRef withoutGuard(NodeRef node, double value) {
  if (node->is<arith::SelectOp>()) {
    NodeRef condition = node->operands[0];
    if (comparedWith(condition, value) == node->operands[2] &&
        constantOf(node->operands[1]))
      return node->operands[2];
  }
  return node;
}

/// x with x * c, c > 0, looked through.
NodeRef withoutFactor(NodeRef node, double &factor) {
  factor = 1;
  if (node->is<arith::MulFOp>())
    if (auto c = constantOf(node->operands[1]); c && *c > 0) {
      factor = *c;
      return node->operands[0];
    }
  return node;
}

/// The y of max(x, y), where x is given; null if `node` is just x.
std::optional<NodeRef> otherOperand(NodeRef node, NodeRef x,
                                    llvm::ArrayRef<StringRef> names) {
  if (node == x)
    return nullptr;
  for (StringRef name : names)
    if (node->isApply(name))
      for (unsigned i : {0, 1})
        if (node->operands[i] == x)
          return node->operands[1 - i];
  return std::nullopt;
}

constexpr double kMinusInf = -std::numeric_limits<double>::infinity();

/// Strips row ? 0 : weights.
NodeRef withoutZeroRows(Graph &graph, NodeRef node, unsigned key,
                        std::vector<NodeRef> &zeroIf) {
  while (node->is<arith::SelectOp>()) {
    NodeRef condition = node->operands[0];
    if (graph.dependsOn(condition, key))
      break;
    if (isFloatConstant(node->operands[1], 0)) {
      zeroIf.push_back(condition);
      node = node->operands[2];
    } else if (isFloatConstant(node->operands[2], 0)) {
      zeroIf.push_back(graph.negate(condition));
      node = node->operands[1];
    } else {
      break;
    }
  }
  return node;
}

} // namespace

std::optional<Softmax> fa::raise::matchSoftmax(Graph &graph, NodeRef weights,
                                               NodeRef sum, unsigned key,
                                               Reason &reason) {
  auto fail = [&](const Twine &why) {
    reason(why);
    return std::nullopt;
  };
  Softmax match;
  match.key = key;
  NodeRef node = withoutZeroRows(graph, weights, key, match.zeroIf);
  if (!sum) {
    if (!node->is<arith::DivFOp>())
      return fail("the weights are not divided by their sum");
    sum = node->operands[1];
    node = withoutZeroRows(graph, node->operands[0], key, match.zeroIf);
  }
  if (!node->is<math::ExpOp>())
    return fail("the weights are not an exponential");
  NodeRef exponent = withoutFactor(node->operands[0], match.factor);
  if (!exponent->is<arith::SubFOp>() ||
      graph.dependsOn(exponent->operands[1], key))
    return fail("no row maximum is subtracted before the exponential");

  NodeRef score = exponent->operands[0];
  match.max = exponent->operands[1];
  NodeRef max = withoutGuard(match.max, kMinusInf);
  NodeRef expected = graph.reduce(Combine::Max, score, {key}, false);
  auto sink = otherOperand(max, expected, {"arith.maximumf", "arith.maxnumf"});
  if (!sink || (*sink && graph.dependsOn(*sink, key)))
    return fail("what is subtracted before the exponential is not the maximum "
                "of the scores over the keys");
  match.sink = *sink;

  match.sum = sum;
  sum = withoutGuard(sum, 0);
  NodeRef expectedSum = graph.reduce(Combine::Sum, node, {key}, false);
  // The largest weight is 1, so a lower bound of at most 1 changes nothing.
  if (sum->is<arith::MaximumFOp>() || sum->is<arith::MaxNumFOp>())
    if (auto c = constantOf(sum->operands[1]); c && *c <= 1)
      sum = sum->operands[0];
  auto sinkWeight = otherOperand(sum, expectedSum, {"arith.addf"});
  if (!sinkWeight)
    return fail("the divisor is not the sum of the weights over the keys");
  if (static_cast<bool>(*sinkWeight) != static_cast<bool>(match.sink))
    return fail("maximum and sum are over different scores");
  if (match.sink) {
    double factor = 1;
    NodeRef weight = *sinkWeight;
    NodeRef shifted = weight->is<math::ExpOp>()
                          ? withoutFactor(weight->operands[0], factor)
                          : weight;
    if (!shifted->is<arith::SubFOp>() || shifted->operands[0] != match.sink ||
        shifted->operands[1] != match.max || factor != match.factor)
      return fail("maximum and sum are over different scores");
  }

  // A program may subtract the maximum twice.
  while (score->is<arith::SubFOp>()) {
    NodeRef shift = score->operands[1], inner = score->operands[0];
    NodeRef innerSink = nullptr;
    if (match.sink) {
      if (!match.sink->is<arith::SubFOp>() || match.sink->operands[1] != shift)
        break;
      innerSink = match.sink->operands[0];
    }
    auto other =
        otherOperand(shift, graph.reduce(Combine::Max, inner, {key}, false),
                     {"arith.maximumf", "arith.maxnumf"});
    if (!other || *other != innerSink)
      break;
    score = inner;
    match.sink = innerSink;
  }
  NodeRef factor = graph.real(match.factor);
  match.score = graph.realApply<arith::MulFOp>({score, factor});
  if (match.sink)
    match.sink = graph.realApply<arith::MulFOp>({match.sink, factor});
  return match;
}
