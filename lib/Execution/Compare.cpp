//===- Compare.cpp - how far a result is from the reference ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Execution/Compare.h"
#include <algorithm>
#include <cmath>

using namespace fa;

/// The distance of 1 to the next number.
static double ulpOf(DType type) {
  switch (type) {
  case DType::BF16:
    return std::ldexp(1.0, -7);
  case DType::F16:
    return std::ldexp(1.0, -10);
  case DType::F32:
    return std::ldexp(1.0, -23);
  default:
    return 0;
  }
}

static double difference(double x, double reference) {
  if (x == reference || (std::isnan(x) && std::isnan(reference)))
    return 0;
  double d = std::abs(x - reference);
  return std::isnan(d) ? HUGE_VAL : d;
}

Comparison fa::compare(const HostTensor &result, const HostTensor &naive,
                       const HostTensor &reference, bool isLogSumExp) {
  Comparison c;
  double largest = 0;
  for (int64_t i = 0; i < result.size(); ++i) {
    double expected = reference.get(i), got = result.get(i);
    // What overflows the type does so in the naive program, too.
    if (std::isnan(expected)) {
      ++c.undefined;
      if (std::isnan(got) || got == 0)
        continue;
    }
    if (std::isfinite(expected))
      largest = std::max(largest, std::abs(expected));
    double error = difference(got, expected);
    if (error > c.error) {
      c.error = error;
      c.worst = i;
    }
    c.naiveError = std::max(c.naiveError, difference(naive.get(i), expected));
  }
  if (isFloat(result.type())) {
    double floor = result.type() == DType::F64
                       ? 1e-12 * largest
                       : 2 * ulpOf(result.type()) * largest;
    if (isLogSumExp && result.type() != DType::F64)
      floor = 1e-6 * std::max(1.0, largest);
    c.tolerance = 2 * c.naiveError + floor;
    // An infinite naive error would let anything pass.
    if (!std::isfinite(c.naiveError))
      c.tolerance = floor;
  }
  c.passed = c.error <= c.tolerance;
  return c;
}
