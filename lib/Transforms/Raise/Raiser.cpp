//===- Raiser.cpp - one attempt to raise: matching ------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Raiser.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fa;
using namespace fa::raise;

Raiser::Raiser(OpResult out, bool strict)
    : out(out), strict(strict), graph(out.getContext()),
      reader(graph, out.getOwner()->getBlock()) {}

bool Raiser::run(Reason &reason) {
  NodeRef node = readOut(reason);
  if (!node || !match(graph.asReal(node), reason))
    return false;
  if (!assignRoles(reason) || !matchMasks(reason) || !checkZeroRows(reason) ||
      !checkStrict(reason) || !checkUses(reason))
    return false;
  OpBuilder b(out.getOwner());
  return build(b, reason);
}

/// Reads the element of `out` over its own loops; splits loops until every
/// reshape on the way is a regrouping of loops.
NodeRef Raiser::readOut(Reason &reason) {
  constexpr int kMaxSplits = 64;
  for (int i = 0; i < kMaxSplits; ++i) {
    outIndices.clear();
    int64_t rank = cast<RankedTensorType>(out.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      outIndices.push_back(reader.rootIndex(out, dim));
    NodeRef node = reader.read(out, outIndices);
    if (!reader.needsRestart())
      return node;
    reader.startAgain();
  }
  reason("its loops are reshaped too often to follow");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

bool Raiser::match(NodeRef node, Reason &reason) {
  std::vector<NodeRef> zeroIf;
  while (node->is<arith::SelectOp>()) {
    if (isFloatConstant(node->operands[1], 0)) {
      zeroIf.push_back(node->operands[0]);
      node = node->operands[2];
    } else if (isFloatConstant(node->operands[2], 0)) {
      zeroIf.push_back(graph.negate(node->operands[0]));
      node = node->operands[1];
    } else {
      break;
    }
  }
  NodeRef sum = nullptr;
  if (node->is<arith::DivFOp>()) {
    sum = node->operands[1];
    node = node->operands[0];
  }
  if (node->kind != Kind::Reduce || !node->isContraction)
    return reason("it does not end in a product of weights and values");
  return matchProduct(node, sum, zeroIf, reason);
}

static bool hasExponential(NodeRef node, llvm::DenseSet<NodeRef> &seen) {
  if (!seen.insert(node).second)
    return false;
  if (node->is<math::ExpOp>() || node->is<math::Exp2Op>())
    return true;
  return llvm::any_of(node->operands,
                      [&](NodeRef of) { return hasExponential(of, seen); });
}

static NodeRef withoutCasts(NodeRef node) {
  while (node->is<arith::ExtFOp>() || node->is<arith::TruncFOp>())
    node = node->operands[0];
  return node;
}

bool Raiser::matchProduct(NodeRef node, NodeRef sum, ArrayRef<NodeRef> zeroIf,
                          Reason &reason) {
  product = graph.originalOf(node);
  if (!product || product->kind != Kind::Reduce)
    return reason("the product of weights and values is not one op");
  const Graph::Opened opened = graph.open(product);
  if (opened.atoms.size() != 1)
    return reason("the keys are seen as several loops");
  unsigned n = opened.atoms.front();
  NodeRef body = withoutCasts(opened.body);
  if (!body->is<arith::MulFOp>())
    return reason("the last contraction is not a product");
  Reason first, second;
  bool any = false;
  for (unsigned i : {0, 1}) {
    NodeRef w = body->operands[i], v = body->operands[1 - i];
    llvm::DenseSet<NodeRef> seen;
    if (!graph.dependsOn(w, n) || !graph.dependsOn(v, n) ||
        !hasExponential(w, seen))
      continue;
    if (matchWith(w, v, sum, n, zeroIf, any ? second : first))
      return true;
    any = true;
  }
  return reason(any ? first.text : "no softmax goes into the product");
}

bool Raiser::matchWith(NodeRef w, NodeRef v, NodeRef sum, unsigned n,
                       ArrayRef<NodeRef> zeroIf, Reason &reason) {
  auto matched = matchSoftmax(graph, graph.asReal(w), sum, n, reason);
  if (!matched)
    return false;
  softmax = *matched;
  llvm::append_range(softmax.zeroIf, zeroIf);
  weights = w;
  value = v;
  auto parsed =
      matchScore(graph, softmax.score, n, /*fillIsMask=*/true, reason);
  if (!parsed)
    return false;
  score = *parsed;
  return splitDot(n, reason);
}

/// Which side of the product is the query, which the key.
bool Raiser::splitDot(unsigned n, Reason &reason) {
  NodeRef dot = graph.originalOf(score.dot);
  if (!dot || dot->kind != Kind::Reduce)
    return reason("the product of query and key is not one op");
  const Graph::Opened opened = graph.open(dot);
  NodeRef body = withoutCasts(opened.body);
  if (!body->is<arith::MulFOp>())
    return reason("the product of query and key is not a product");
  for (unsigned i : {0, 1}) {
    query = body->operands[i];
    key = body->operands[1 - i];
    if (!graph.dependsOn(query, n) && graph.dependsOn(key, n)) {
      roles.atoms[D] = opened.atoms;
      roles.atoms[N] = {n};
      return true;
    }
  }
  return reason("query and key both depend on the key's position");
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// The loop that masks compare with the key's position.
std::optional<unsigned> Raiser::queryOfMasks() const {
  std::vector<NodeRef> parts;
  for (NodeRef condition : score.keep)
    flattenAnd(graph, condition, true, parts);
  unsigned n = softmax.key;
  for (NodeRef part : parts)
    if (part->kind == Kind::Compare && part->index.terms.size() == 2 &&
        part->index.terms.count(n))
      for (const auto &term : part->index.terms)
        if (term.first != n)
          return term.first;
  return std::nullopt;
}

/// The row loop that is innermost in the program's row maximum: query positions
/// rather than heads of a group. Both are right; but a sink is per head.
unsigned Raiser::lastRow(ArrayRef<unsigned> rows) const {
  std::vector<unsigned> candidates;
  for (unsigned row : rows)
    if (!softmax.sink || !graph.dependsOn(softmax.sink, row))
      candidates.push_back(row);
  if (candidates.empty())
    return rows.back();
  NodeRef max = graph.originalOf(softmax.max);
  for (const Reader::Place &place : reader.placesOf(max))
    for (const Linear &index : llvm::reverse(place.indices))
      for (unsigned row : candidates)
        if (auto it = index.terms.find(row);
            it != index.terms.end() && it->second == Poly(1))
          return row;
  return candidates.back();
}

bool Raiser::assignRoles(Reason &reason) {
  auto has = [&](NodeRef node, unsigned atom) {
    return graph.dependsOn(node, atom);
  };
  auto assign = [&](Dim dim, unsigned atom) {
    roles.atoms[dim].push_back(atom);
  };
  // Loops of the output in its order, each once.
  llvm::SetVector<unsigned> loops;
  for (const Linear &index : outIndices) {
    std::vector<std::pair<unsigned, Poly>> terms(index.terms.begin(),
                                                 index.terms.end());
    // Outer loops have the larger factors: their factor divides by the others'.
    llvm::sort(terms, [](const auto &a, const auto &c) {
      return a.second != c.second && a.second.dividedBy(c.second);
    });
    for (const auto &term : terms)
      loops.insert(term.first);
  }
  std::vector<unsigned> batch, rows;
  for (unsigned atom : loops) {
    bool inWeights = has(softmax.score, atom) || has(weights, atom);
    bool inKey = has(key, atom), inValue = has(value, atom);
    if (inValue && !inWeights)
      assign(E, atom);
    else if (inKey && inValue)
      batch.push_back(atom);
    else if (inKey || inValue)
      return reason("keys and values do not have the same batch dimensions");
    else if (inWeights)
      rows.push_back(atom);
    else
      return reason("the output has a dimension that nothing else has");
  }
  for (unsigned atom : roles.atoms[D])
    if (!has(query, atom) || !has(key, atom))
      return reason("query and key are not contracted over the same loops");
  if (roles.atoms[D].empty() || roles.atoms[E].empty())
    return reason("a head dimension of size 1");

  auto asked = queryOfMasks();
  if (!rows.empty()) {
    unsigned m =
        asked && llvm::is_contained(rows, *asked) ? *asked : lastRow(rows);
    assign(M, m);
    for (unsigned atom : rows)
      if (atom != m)
        assign(G, atom);
  } else {
    unitQuery = true;
    assign(M, graph.newAtom(1));
  }
  if (!batch.empty()) {
    assign(H, batch.back());
    batch.pop_back();
    for (unsigned atom : batch)
      assign(B, atom);
  }
  for (unsigned dim = 0; dim < NumDims; ++dim)
    for (unsigned atom : roles.atoms[dim])
      roles.of[atom] = static_cast<Dim>(dim);
  return true;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

bool Raiser::noRowIsEmpty() const {
  if (!masks.conditions.empty() || masks.keyLimit || unitQuery)
    return false;
  Poly rows = 1;
  for (unsigned atom : roles.atoms[M])
    rows = rows * graph.sizeOf(atom);
  Poly keys = graph.sizeOf(softmax.key);
  // Row m sees key min(m + offset + right, keys - 1), if that is one.
  if (masks.causal || masks.right)
    if (!graph.isNonNegative(masks.offset + masks.right.value_or(0)))
      return false;
  if (masks.left)
    return graph.isNonNegative(keys - rows - masks.offset + *masks.left);
  return true;
}

bool Raiser::matchMasks(Reason &reason) {
  auto classify = [&] {
    std::optional<unsigned> m;
    if (!unitQuery && roles.atoms[M].size() == 1)
      m = roles.atoms[M].front();
    masks = classifyMasks(graph, score.keep, m, softmax.key);
  };
  classify();
  if (!score.usesFill || noRowIsEmpty())
    return true;
  // A finite fill stays a score: a row of fills alone is uniform, not empty.
  auto parsed = matchScore(graph, softmax.score, softmax.key,
                           /*fillIsMask=*/false, reason);
  if (!parsed)
    return false;
  score = *parsed;
  classify();
  return true;
}

//===----------------------------------------------------------------------===//
// Rows that the program sets to zero
//===----------------------------------------------------------------------===//

static void collectAddends(NodeRef node, std::vector<NodeRef> &addends) {
  addends.push_back(node);
  if (node->is<arith::AddFOp>())
    for (NodeRef operand : node->operands)
      collectAddends(operand, addends);
}

/// True if the condition implies that all scores of the row are -inf.
bool Raiser::isEmptyRow(NodeRef condition) const {
  auto equals = [&](NodeRef node, double constant) -> NodeRef {
    if (!node->is<arith::CmpFOp>())
      return nullptr;
    auto predicate = cast<arith::CmpFPredicateAttr>(
                         cast<DictionaryAttr>(node->attr).get("predicate"))
                         .getValue();
    if (predicate != arith::CmpFPredicate::OEQ &&
        predicate != arith::CmpFPredicate::UEQ)
      return nullptr;
    for (unsigned i : {0, 1})
      if (isFloatConstant(node->operands[i], constant))
        return node->operands[1 - i];
    return nullptr;
  };
  double minusInf = -std::numeric_limits<double>::infinity();
  std::vector<NodeRef> addends;
  collectAddends(softmax.score, addends);
  auto isScore = [&](NodeRef node) {
    return llvm::is_contained(addends, node);
  };
  auto atKey = [&](NodeRef reduction) {
    return graph.substitute(
        reduction->operands[0],
        {{reduction->atoms.front(), Linear::atom(softmax.key)}});
  };
  if (NodeRef row = equals(condition, minusInf)) {
    if (row == softmax.max)
      return true;
    return row->kind == Kind::Reduce && row->combine == Combine::Max &&
           row->atoms.size() == 1 && isScore(atKey(row));
  }
  if (NodeRef row = equals(condition, 0))
    return row == softmax.sum;
  bool isAll = condition->kind == Kind::Reduce &&
               condition->combine == Combine::And &&
               condition->atoms.size() == 1;
  NodeRef hidden = isAll ? atKey(condition) : nullptr;
  if (condition->is<arith::XOrIOp>() &&
      condition->operands[0]->kind == Kind::Reduce &&
      condition->operands[0]->combine == Combine::Or &&
      condition->operands[0]->atoms.size() == 1)
    hidden = graph.negate(atKey(condition->operands[0]));
  if (!hidden)
    return false;
  if (NodeRef of = equals(hidden, minusInf))
    return isScore(of);
  std::vector<NodeRef> parts;
  for (NodeRef keep : score.keep)
    flattenAnd(graph, keep, true, parts);
  NodeRef shown = graph.negate(hidden);
  return !score.usesFill && (llvm::is_contained(parts, shown) ||
                             llvm::is_contained(score.keep, shown));
}

bool Raiser::checkZeroRows(Reason &reason) {
  for (NodeRef condition : softmax.zeroIf)
    if (!isEmptyRow(condition))
      return reason("rows are set to 0 under a condition other than that all "
                    "their scores are -inf");
  return true;
}

//===----------------------------------------------------------------------===//
// Strictness and uses
//===----------------------------------------------------------------------===//

/// True if between the product of query and key and the weights something is
/// rounded to a type narrower than the softmax type.
bool Raiser::isRounded(NodeRef node,
                       llvm::DenseMap<NodeRef, bool> &memo) const {
  if (node->kind == Kind::Load || node->kind == Kind::Constant ||
      node->kind == Kind::Integer || node->kind == Kind::Compare)
    return false;
  auto [it, isNew] = memo.try_emplace(node, false);
  if (!isNew)
    return it->second;
  bool rounded = node->is<arith::TruncFOp>();
  if (auto type = dyn_cast_or_null<FloatType>(node->type))
    rounded |= type.getWidth() < FloatType(computeType).getWidth();
  bool isDot = node->kind == Kind::Reduce && node->isContraction;
  if (!rounded && !isDot)
    for (NodeRef operand : node->operands)
      rounded |= isRounded(operand, memo);
  return memo[node] = rounded;
}

bool Raiser::checkStrict(Reason &reason) {
  // f32 unless the program is in f64.
  Builder b(graph.getContext());
  computeType = b.getF32Type();
  NodeRef max = graph.originalOf(softmax.max);
  if ((max && max->type && max->type.isF64()) || query->type.isF64())
    computeType = b.getF64Type();
  if (!strict)
    return true;
  llvm::DenseMap<NodeRef, bool> memo;
  if (isRounded(weights, memo))
    return reason("strict: the program rounds scores or weights to a narrower "
                  "type");
  bool mayBeEmpty = !score.keep.empty() && !noRowIsEmpty();
  if (softmax.zeroIf.empty() &&
      (mayBeEmpty || score.needsRegion || !score.biases.empty()))
    return reason("strict: a row of -inf gives NaN in the program");
  return true;
}

static bool isDead(Operation *op, unsigned depth = 0) {
  if (depth > 8 || op->hasTrait<OpTrait::IsTerminator>() ||
      !isMemoryEffectFree(op))
    return false;
  return llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return isDead(user, depth + 1); });
}

/// Everything between the scores and the output has no other use: else the
/// program would go on computing it.
bool Raiser::checkUses(Reason &reason) {
  const auto &visited = reader.getVisited();
  llvm::SetVector<Operation *> chain;
  for (const Reader::Place &place :
       reader.placesOf(graph.originalOf(score.dot)))
    if (Operation *op = place.tensor.getDefiningOp())
      chain.insert(op);
  llvm::SetVector<Operation *> others;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (chain[i] == out.getOwner())
      continue;
    for (Operation *nested : chain[i]->getUsers()) {
      Operation *user = chain[i]->getBlock()->findAncestorOpInBlock(*nested);
      if (!user)
        user = nested;
      if (chain.contains(user) || isa<tensor::DimOp>(user))
        continue;
      if (user == out.getOwner() || visited.contains(user))
        chain.insert(user);
      else if (!isDead(user))
        others.insert(user);
    }
  }
  if (!others.empty() && !findLse(others.getArrayRef()))
    return reason("its scores or weights have another use");
  replaced.assign(visited.begin(), visited.end());
  return true;
}
