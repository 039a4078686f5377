//===- CheckGradients.cpp - what a kernel of gradients should compute -----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CheckGradients.h"
#include <cmath>

using namespace fa;

/// One row of P, and what comes back for it.
void GradientCheck::visitRow(int64_t head, int64_t group, int64_t row,
                             bool adds) {
  SimulatedBuffer &query = *buffers[0], &key = *buffers[1];
  int64_t groups = query.shape[2], queries = query.shape[3],
          dim = query.shape[4], keys = key.shape[2],
          valueDim = buffers[2]->shape[3];
  int64_t padded = buffers[6]->shape[3];
  const double *q =
      &query.data[((head * groups + group) * queries + row) * dim];
  const double *g =
      &buffers[3]->data[((head * groups + group) * queries + row) * valueDim];
  const double *k = &key.data[head * keys * dim];
  const double *v = &buffers[2]->data[head * keys * valueDim];
  auto dot = [](const double *x, const double *y, int64_t n) {
    double sum = 0;
    for (int64_t d = 0; d < n; ++d)
      sum += x[d] * y[d];
    return sum;
  };
  int64_t visible = causal ? std::min(row + 1, keys) : keys;
  double scale = 1 / std::sqrt(double(dim)), sum = 0, delta = 0;
  std::vector<double> p(visible), dp(visible);
  for (int64_t j = 0; j < visible; ++j) {
    p[j] = std::exp(scale * dot(q, k + j * dim, dim));
    dp[j] = dot(g, v + j * valueDim, valueDim);
    sum += p[j];
    delta += p[j] * dp[j];
  }
  delta /= sum;
  int64_t at = (head * groups + group) * padded + row;
  buffers[6]->data[at] = std::log(sum);
  buffers[7]->data[at] = delta;
  if (!adds)
    return;
  double *dq = &dQuery[((head * groups + group) * queries + row) * dim];
  for (int64_t j = 0; j < visible; ++j) {
    double weight = p[j] / sum, ds = weight * (dp[j] - delta);
    for (int64_t d = 0; d < dim; ++d) {
      dq[d] += ds * k[j * dim + d];
      dKey[(head * keys + j) * dim + d] += ds * q[d] * scale;
    }
    for (int64_t d = 0; d < valueDim; ++d)
      dValue[(head * keys + j) * valueDim + d] += weight * g[d];
  }
}

void GradientCheck::prepare() {
  SimulatedBuffer &query = *buffers[0];
  dQuery.assign(query.data.size(), 0);
  dKey.assign(buffers[1]->data.size(), 0);
  dValue.assign(buffers[2]->data.size(), 0);
  for (int64_t head = 0; head < query.shape[0] * query.shape[1]; ++head)
    for (int64_t group = 0; group < query.shape[2]; ++group)
      for (int64_t row = 0; row < query.shape[3]; ++row)
        visitRow(head, group, row, /*adds=*/true);
}

double GradientCheck::largestError() {
  double worst = 0;
  auto compare = [&](const std::vector<double> &expected, auto got) {
    double largest = 0, error = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      double difference = std::fabs(got(i) - expected[i]);
      error = std::isnan(difference) ? INFINITY : std::max(error, difference);
      largest = std::max(largest, std::fabs(expected[i]));
    }
    worst = std::max(worst, error / largest);
  };
  compare(dKey, [&](size_t i) { return buffers[4]->data[i]; });
  compare(dValue, [&](size_t i) { return buffers[5]->data[i]; });
  const llvm::SmallVector<int64_t> &shape = buffers[0]->shape;
  int64_t queries = shape[3], dim = shape[4], padded = buffers[8]->shape[3];
  compare(dQuery, [&](size_t i) {
    int64_t column = i % dim, row = i / dim % queries,
            slice = i / dim / queries;
    int64_t inTile = row % 64, start = (slice * padded + row - inTile) * dim;
    int64_t thread = inTile / 16 * 32 + inTile % 8 * 4 + column % 8 / 2;
    int64_t place = inTile % 16 / 8 * 2 + column % 2;
    return buffers[8]->data[start + (column / 8 * 128 + thread) * 4 + place];
  });
  return worst;
}
