//===- Overlap.cpp - whether two arrays share memory ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"
#include <algorithm>

using namespace fa::runtime;

bool fa::runtime::findSpan(const Buffer &buffer, Span &span) {
  constexpr int64_t limit = int64_t(1) << 61;
  int64_t width = getSize(buffer.dtype), low = 0, high = width;
  bool isEmpty = false, isGood = true;
  for (int d = 0; d < buffer.rank; ++d) {
    int64_t size = buffer.sizes[d], reach;
    isGood &= size >= 0;
    isEmpty |= size == 0;
    if (size <= 1)
      continue;
    if (__builtin_mul_overflow(buffer.strides[d], size - 1, &reach) ||
        __builtin_mul_overflow(reach, width, &reach) || reach > limit ||
        reach < -limit)
      isGood = isEmpty;
    else
      (reach < 0 ? low : high) += reach;
    if (low < -limit || high > limit)
      isGood = false;
  }
  span.low = isEmpty ? 0 : low;
  span.high = isEmpty ? 0 : high;
  return isGood || isEmpty;
}

namespace {

/// One array of a call.
struct Placed {
  const Parameter *parameter;
  const int64_t *slots;
  int64_t low, high;

  int64_t width() const { return getSize(parameter->dtype); }
};

/// Looks for two elements, one of each array, in one place: a solution of
/// lower <= sum of x[i] * stride[i] <= upper with 0 <= x[i] <= most[i].
class ElementSearch {
public:
  ElementSearch(const Placed &a, const Placed &b) {
    addSteps(a);
    addSteps(b);
    std::sort(steps.begin(), steps.end(),
              [](const Step &x, const Step &y) { return x.stride > y.stride; });
    mergeEqual();
    reach.assign(steps.size() + 1, 0);
    for (size_t i = steps.size(); i-- > 0;)
      reach[i] = reach[i + 1] + steps[i].stride * steps[i].most;
    // Steps of `b` are counted from its end, so that all are added.
    int64_t start = a.low - (b.high - b.width());
    lower = 1 - a.width() - start;
    upper = b.width() - 1 - start;
  }

  /// True also where the search gives up, of arrays with strides that have
  /// little in common.
  bool find() { return find(0, lower, upper); }

private:
  struct Step {
    int64_t stride, most;
  };

  void addSteps(const Placed &array) {
    size_t rank = array.parameter->sizes.size();
    for (size_t d = 0; d < rank; ++d) {
      int64_t size = array.slots[1 + d], stride = array.slots[1 + rank + d];
      if (size > 1 && stride != 0)
        steps.push_back({std::abs(stride) * array.width(), size - 1});
    }
  }

  void mergeEqual() {
    size_t kept = 0;
    for (const Step &step : steps)
      if (kept && steps[kept - 1].stride == step.stride)
        steps[kept - 1].most += step.most;
      else
        steps[kept++] = step;
    steps.resize(kept);
  }

  bool find(size_t i, int64_t low, int64_t high) {
    if (high < 0 || low > reach[i])
      return false;
    if (i == steps.size())
      return true;
    int64_t stride = steps[i].stride, left = low - reach[i + 1];
    int64_t first = left <= 0 ? 0 : (left + stride - 1) / stride;
    int64_t last = std::min(steps[i].most, high / stride);
    for (int64_t x = first; x <= last; ++x)
      if (--budget < 0 || find(i + 1, low - x * stride, high - x * stride))
        return true;
    return false;
  }

  std::vector<Step> steps;
  std::vector<int64_t> reach;
  int64_t lower, upper;
  int budget = 10000;
};

bool fail(const Function &function, size_t written, size_t other,
          std::string &error) {
  const std::vector<Parameter> &parameters = function.parameters;
  error = describe(parameters[written], written) + " shares memory with " +
          describe(parameters[other], other) +
          ": the function writes it, so it must be memory of its own";
  return false;
}

} // namespace

std::string fa::runtime::describe(const Parameter &parameter, size_t index) {
  std::string text = "argument " + std::to_string(index);
  if (!parameter.name.empty())
    text += " ('" + parameter.name + "')";
  return text;
}

bool fa::runtime::checkOverlap(const Binding &binding, void *const *pointers,
                               std::string &error) {
  const std::vector<Parameter> &parameters = binding.function->parameters;
  auto place = [&](const Span &span) {
    const Parameter &parameter = parameters[span.parameter];
    const int64_t *slots = binding.slots.data() + parameter.slot;
    int64_t pointer =
        pointers
            ? reinterpret_cast<int64_t>(pointers[&span - binding.spans.data()])
            : slots[0];
    return Placed{&parameter, slots, pointer + span.low, pointer + span.high};
  };
  for (const Span &span : binding.spans) {
    if (!parameters[span.parameter].isWritten || span.low == span.high)
      continue;
    Placed written = place(span);
    for (const Span &other : binding.spans) {
      if (&other == &span || other.low == other.high)
        continue;
      Placed read = place(other);
      if (written.low < read.high && read.low < written.high &&
          ElementSearch(written, read).find())
        return fail(*binding.function, span.parameter, other.parameter, error);
    }
  }
  return true;
}
