//===- CheckGradients.h - what a kernel of gradients should compute -------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TOOLS_FA_SIMULATE_CHECKGRADIENTS_H
#define FA_TOOLS_FA_SIMULATE_CHECKGRADIENTS_H

#include "fa/Simulator/Simulator.h"

namespace fa {

/// Arguments are query and d_out [batch, heads, group, queries, dim], key and
/// value [batch, heads, keys, dim], in the order query, key, value, d_out,
/// d_key, d_value, then lse, delta (whole tiles of 64 queries) and the sum of
/// d_query in fragment order.
struct GradientCheck {
  llvm::SmallVector<SimulatedBuffer *> buffers;
  bool causal = false;

  /// Sets lse and delta to what query, key, value and d_out say.
  void prepare();
  /// The largest difference of any gradient, relative to its largest value.
  double largestError();

private:
  struct Row;
  void visitRow(int64_t head, int64_t group, int64_t row, bool adds);

  std::vector<double> dQuery, dKey, dValue;
};

} // namespace fa

#endif // FA_TOOLS_FA_SIMULATE_CHECKGRADIENTS_H
