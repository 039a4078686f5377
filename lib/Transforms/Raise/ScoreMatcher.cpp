//===- ScoreMatcher.cpp - scores and masks taken apart --------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace fa::raise;

namespace {

/// At or below this a finite fill stands for -inf where no row can be empty: no
/// score of a program that means something comes near.
constexpr double kLargeFill = -1e30;

bool containsImpl(NodeRef node, NodeRef part,
                  llvm::SmallPtrSetImpl<NodeRef> &seen) {
  if (node == part)
    return true;
  if (!seen.insert(node).second)
    return false;
  return llvm::any_of(node->operands, [&](NodeRef operand) {
    return containsImpl(operand, part, seen);
  });
}

/// Contractions over which `key` is free, in order.
void collectDots(Graph &graph, NodeRef node, unsigned key,
                 llvm::SetVector<NodeRef> &dots,
                 llvm::SmallPtrSetImpl<NodeRef> &seen) {
  if (!seen.insert(node).second || !graph.dependsOn(node, key))
    return;
  if (node->kind == Kind::Reduce && node->isContraction) {
    dots.insert(node);
    return;
  }
  if (node->kind == Kind::Reduce)
    return;
  for (NodeRef operand : node->operands)
    collectDots(graph, operand, key, dots, seen);
}

/// Takes scale and softcap off a core that is nothing else.
bool takeScale(NodeRef node, Score &score) {
  while (node != score.dot) {
    if (node->is<arith::MulFOp>()) {
      unsigned of = contains(node->operands[0], score.dot) ? 0 : 1;
      NodeRef factor = node->operands[1 - of];
      if (auto c = constantOf(factor))
        score.scale *= *c;
      else if (factor->kind == Kind::Load && factor->indices.empty())
        score.scaleBy.push_back(factor);
      else
        return false;
      node = node->operands[of];
    } else if (node->is<arith::DivFOp>() &&
               node->operands[1]->kind == Kind::Load &&
               node->operands[1]->indices.empty()) {
      score.scaleDividedBy.push_back(node->operands[1]);
      node = node->operands[0];
    } else if (node->is<arith::NegFOp>()) {
      score.scale = -score.scale;
      node = node->operands[0];
    } else {
      return false;
    }
  }
  return true;
}

bool takeSoftcap(NodeRef node, Score &score) {
  if (!node->is<arith::MulFOp>() || !node->operands[0]->is<math::TanhOp>())
    return false;
  auto cap = constantOf(node->operands[1]);
  if (!cap || !(*cap > 0) || std::isinf(*cap))
    return false;
  NodeRef inner = node->operands[0]->operands[0];
  if (!takeScale(inner, score))
    return false;
  score.scale *= *cap;
  score.softcap = cap;
  score.scaled = inner;
  return true;
}

/// The largest expression around the product that only scales it.
NodeRef scaledProduct(NodeRef node, NodeRef dot) {
  Score trial;
  trial.dot = dot;
  if (takeScale(node, trial))
    return node;
  NodeRef found = nullptr;
  for (NodeRef operand : node->operands) {
    if (!contains(operand, dot))
      continue;
    NodeRef scaled = scaledProduct(operand, dot);
    if (found && scaled != found)
      return dot;
    found = scaled;
  }
  return found;
}

} // namespace

bool fa::raise::contains(NodeRef node, NodeRef part) {
  llvm::SmallPtrSet<NodeRef, 32> seen;
  return containsImpl(node, part, seen);
}

std::optional<Score> fa::raise::matchScore(Graph &graph, NodeRef node,
                                           unsigned key, bool fillIsMask,
                                           Reason &reason) {
  Score score;
  llvm::SetVector<NodeRef> dots;
  llvm::SmallPtrSet<NodeRef, 32> seen;
  collectDots(graph, node, key, dots, seen);
  if (dots.empty()) {
    reason("the scores are not a product of a query and a key");
    return std::nullopt;
  }
  score.dot = dots.front();
  auto has = [&](NodeRef part) { return contains(part, score.dot); };
  auto isFill = [&](NodeRef part) {
    auto value = constantOf(part);
    if (value && fillIsMask && *value <= kLargeFill && !std::isinf(*value))
      return score.usesFill = true;
    return isMinusInfinity(part);
  };
  for (bool more = true; more;) {
    more = false;
    if (node->is<arith::SelectOp>() && !has(node->operands[0])) {
      NodeRef condition = node->operands[0];
      for (unsigned i : {1, 2})
        if (has(node->operands[i]) && isFill(node->operands[3 - i])) {
          score.keep.push_back(i == 1 ? condition : graph.negate(condition));
          node = node->operands[i];
          more = true;
          break;
        }
      continue;
    }
    bool isSub = node->is<arith::SubFOp>();
    if (!isSub && !node->is<arith::AddFOp>())
      continue;
    unsigned of = has(node->operands[0]) ? 0 : 1;
    NodeRef added = node->operands[1 - of];
    if (has(added) || (isSub && of == 1))
      continue;
    if (isSub)
      added = graph.realApply<arith::NegFOp>({added});
    // A mask as 0 or -inf, on its own or around a bias.
    while (added->is<arith::SelectOp>()) {
      NodeRef condition = added->operands[0];
      if (isFill(added->operands[2])) {
        score.keep.push_back(condition);
        added = added->operands[1];
      } else if (isFill(added->operands[1])) {
        score.keep.push_back(graph.negate(condition));
        added = added->operands[2];
      } else {
        break;
      }
    }
    if (!isFloatConstant(added, 0))
      score.biases.push_back(added);
    node = node->operands[of];
    more = true;
  }
  score.core = score.scaled = node;
  if (takeScale(node, score))
    return score;
  score.scale = 1;
  score.scaleBy.clear();
  score.scaleDividedBy.clear();
  if (takeSoftcap(node, score))
    return score;
  score.scale = 1;
  score.scaleBy.clear();
  score.scaleDividedBy.clear();
  score.needsRegion = true;
  score.scaled = scaledProduct(node, score.dot);
  takeScale(score.scaled, score);
  return score;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

void fa::raise::flattenAnd(Graph &graph, NodeRef condition, bool isPositive,
                           std::vector<NodeRef> &parts) {
  bool isAnd = condition->is<arith::AndIOp>();
  bool isOr = condition->is<arith::OrIOp>();
  if ((isAnd && isPositive) || (isOr && !isPositive)) {
    for (NodeRef operand : condition->operands)
      flattenAnd(graph, operand, isPositive, parts);
    return;
  }
  if (condition->is<arith::XOrIOp>() &&
      booleanOf(condition->operands[1]) == true) {
    flattenAnd(graph, condition->operands[0], !isPositive, parts);
    return;
  }
  NodeRef part = isPositive ? condition : graph.negate(condition);
  if (booleanOf(part) != true)
    parts.push_back(part);
}

namespace {

/// Bounds on n - m, and what else there is.
struct Bounds {
  std::vector<Poly> upper, lower;
};

/// The condition as `index` >= 0.
std::optional<Linear> asNonNegative(NodeRef condition) {
  if (condition->kind != Kind::Compare)
    return std::nullopt;
  switch (condition->predicate) {
  case arith::CmpIPredicate::sge:
    return condition->index;
  case arith::CmpIPredicate::sgt:
    return condition->index - Linear(Poly(1));
  case arith::CmpIPredicate::sle:
    return condition->index * Poly(-1);
  case arith::CmpIPredicate::slt:
    return condition->index * Poly(-1) - Linear(Poly(1));
  default:
    return std::nullopt;
  }
}

/// Sorts one condition into bounds, a limit on the key, or neither.
bool sortBound(Graph &graph, const Linear &index, std::optional<unsigned> query,
               unsigned key, Bounds &bounds, Masks &masks) {
  auto coefficient = [&](unsigned atom) -> int64_t {
    auto it = index.terms.find(atom);
    if (it == index.terms.end())
      return 0;
    return it->second.constant().value_or(2);
  };
  int64_t n = coefficient(key), m = query ? coefficient(*query) : 0;
  if (index.terms.size() == 2 && n == -1 && m == 1) {
    bounds.upper.push_back(index.constant);
    return true;
  }
  if (index.terms.size() == 2 && n == 1 && m == -1) {
    bounds.lower.push_back(Poly(0) - index.constant);
    return true;
  }
  if (index.terms.size() == 1 && n == -1 && !masks.keyLimit) {
    // n <= c, where c is no less than -1.
    if (!graph.isNonNegative(index.constant + 1))
      return false;
    masks.keyLimit = index.constant + 1;
    return true;
  }
  return false;
}

std::optional<Poly> tightest(Graph &graph, ArrayRef<Poly> values, bool least,
                             bool &isOne) {
  isOne = true;
  std::optional<Poly> result;
  for (const Poly &value : values) {
    if (!result ||
        graph.isNonNegative(least ? *result - value : value - *result))
      result = value;
    else if (!graph.isNonNegative(least ? value - *result : *result - value))
      isOne = false;
  }
  return result;
}

} // namespace

Masks fa::raise::classifyMasks(Graph &graph, ArrayRef<NodeRef> keep,
                               std::optional<unsigned> query, unsigned key) {
  Masks masks;
  Bounds bounds;
  std::vector<NodeRef> parts, sorted;
  for (NodeRef condition : keep)
    flattenAnd(graph, condition, true, parts);
  for (NodeRef part : parts) {
    auto index = asNonNegative(part);
    if (index && sortBound(graph, *index, query, key, bounds, masks))
      sorted.push_back(part);
    else if (!llvm::is_contained(masks.conditions, part))
      masks.conditions.push_back(part);
  }
  bool oneUpper, oneLower;
  auto upper = tightest(graph, bounds.upper, /*least=*/true, oneUpper);
  auto lower = tightest(graph, bounds.lower, /*least=*/false, oneLower);
  bool expressible = oneUpper && oneLower;
  if (upper && lower) {
    // The window is the distance of the two, from the upper bound.
    auto width = (*upper - *lower).constant();
    if (width && *width >= 0) {
      masks.causal = true;
      masks.offset = *upper;
      masks.left = *width;
      auto right = upper->constant();
      auto left = lower->constant();
      if (right && left && *right > 0 && *left <= 0) {
        masks.causal = false;
        masks.offset = Poly();
        masks.left = -*left;
        masks.right = *right;
      }
    } else {
      expressible = false;
    }
  } else if (upper) {
    masks.causal = true;
    masks.offset = *upper;
  } else if (lower) {
    auto left = lower->constant();
    if (left && *left <= 0) {
      masks.left = -*left;
    } else {
      masks.left = 0;
      masks.offset = *lower;
    }
  }
  if (expressible)
    return masks;
  Masks plain;
  plain.conditions = parts;
  return plain;
}
