//===- Matcher.h - attention in scalar expressions ------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_RAISE_MATCHER_H
#define FA_LIB_TRANSFORMS_RAISE_MATCHER_H

#include "Reader.h"
#include "fa/Dialect/FA/IR/FA.h"

namespace fa::raise {

/// Why something is not raised; the first reason stays.
struct Reason {
  std::string text;
  bool operator()(const llvm::Twine &why) {
    if (text.empty())
      text = why.str();
    return false;
  }
};

/// softmax over the atom `key`: exp(score - max) / sum exp(score - max).
struct Softmax {
  unsigned key = 0;
  NodeRef score = nullptr;
  /// The logit that joins maximum and sum, or null.
  NodeRef sink = nullptr;
  /// The pieces, as they occur.
  NodeRef max = nullptr, sum = nullptr;
  double factor = 1;
  /// Conditions on a row under which the program gives 0.
  std::vector<NodeRef> zeroIf;
};

/// Matches weights = softmax(...); `sum`, where given, is a divisor found
/// elsewhere: the weights are then not normalised.
std::optional<Softmax> matchSoftmax(Graph &graph, NodeRef weights, NodeRef sum,
                                    unsigned key, Reason &reason);

/// A score taken apart, from the outside in: all `keep` conditions select, else
/// -inf; the `biases` are added; then comes `core`.
struct Score {
  std::vector<NodeRef> keep;
  std::vector<NodeRef> biases;
  NodeRef core = nullptr;
  /// The product of query and key in `core`.
  NodeRef dot = nullptr;
  /// The scaled product in `core`: what a score region gets.
  NodeRef scaled = nullptr;
  /// What scales it: a constant and scalars of the program.
  double scale = 1;
  std::vector<NodeRef> scaleBy, scaleDividedBy;
  std::optional<double> softcap;
  /// `core` is more than a scaled, capped product.
  bool needsRegion = false;
  /// Some `keep` stands for a large negative fill, so no row may be empty.
  bool usesFill = false;
};

std::optional<Score> matchScore(Graph &graph, NodeRef score, unsigned key,
                                bool fillIsMask, Reason &reason);
/// True if `node` is or contains `part`.
bool contains(NodeRef node, NodeRef part);

/// What masks say in terms of positions.
struct Masks {
  bool causal = false;
  std::optional<int64_t> left, right;
  /// n <= m + offset. Zero is top_left.
  Poly offset;
  std::optional<Poly> keyLimit;
  /// What is left, to be ANDed.
  std::vector<NodeRef> conditions;
};
Masks classifyMasks(Graph &graph, llvm::ArrayRef<NodeRef> keep,
                    std::optional<unsigned> query, unsigned key);
/// Splits a condition into parts that are ANDed.
void flattenAnd(Graph &graph, NodeRef condition, bool isPositive,
                std::vector<NodeRef> &parts);

/// One operand of a product: a node that is read from a tensor, and what it is
/// multiplied with.
struct Factor {
  NodeRef node;
  double scale = 1;
  std::vector<NodeRef> scaleBy, scaleDividedBy;
};
/// The factors that `node` can be taken as, the most taken apart first.
std::vector<Factor> takeApart(Graph &graph, NodeRef node, bool allowScale);

/// Loops of the program as dimensions of fa.attention.
struct Roles {
  std::map<unsigned, Dim> of;
  std::array<std::vector<unsigned>, NumDims> atoms;
};

} // namespace fa::raise

#endif // FA_LIB_TRANSFORMS_RAISE_MATCHER_H
