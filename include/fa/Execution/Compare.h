//===- Compare.h - how far a result is from the reference -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_EXECUTION_COMPARE_H
#define FA_EXECUTION_COMPARE_H

#include "fa/Execution/HostTensor.h"

namespace fa {

struct Comparison {
  /// Largest absolute difference to the float64 reference, of the result and of
  /// the naive program in the result's own types.
  double error = 0, naiveError = 0;
  double tolerance = 0;
  /// Positions where the reference is NaN (rows that the source program divides
  /// by 0); there the result may be NaN or 0.
  int64_t undefined = 0;
  /// Where the error is largest.
  int64_t worst = 0;
  bool passed = true;
};

/// error <= 2 * naiveError + 2 ulp of the type at the largest reference value
/// (at least 1e-6 of it for log-sum-exps); in f64 1e-12 of it. Integers agree
/// exactly.
Comparison compare(const HostTensor &result, const HostTensor &naive,
                   const HostTensor &reference, bool isLogSumExp);

} // namespace fa

#endif // FA_EXECUTION_COMPARE_H
