//===- Factors.cpp - queries, keys and values under casts and scales ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"

using namespace mlir;
using namespace fa::raise;

std::vector<Factor> fa::raise::takeApart(Graph &graph, NodeRef node,
                                         bool allowScale) {
  std::vector<Factor> factors = {{node, 1, {}, {}}};
  auto isUniform = [&](NodeRef of) {
    return graph.atomsOf(of).empty() && !graph.atomsOf(node).empty();
  };
  for (bool more = true; more;) {
    more = false;
    Factor next = factors.back();
    NodeRef cur = next.node;
    if (cur->is<arith::ExtFOp>()) {
      next.node = cur->operands[0];
      more = true;
    } else if (allowScale && cur->is<arith::MulFOp>()) {
      for (unsigned i : {0, 1}) {
        NodeRef scale = graph.asReal(cur->operands[1 - i]);
        if (!isUniform(scale) || isUniform(cur->operands[i]))
          continue;
        next.node = cur->operands[i];
        if (auto c = constantOf(scale))
          next.scale *= *c;
        else
          next.scaleBy.push_back(scale);
        more = true;
        break;
      }
    } else if (allowScale && cur->is<arith::DivFOp>() &&
               isUniform(cur->operands[1])) {
      NodeRef scale = graph.asReal(cur->operands[1]);
      next.node = cur->operands[0];
      if (auto c = constantOf(scale); c && *c != 0)
        next.scale /= *c;
      else
        next.scaleDividedBy.push_back(scale);
      more = true;
    }
    if (more)
      factors.push_back(next);
  }
  std::reverse(factors.begin(), factors.end());
  return factors;
}
