//===- Bind.cpp - checking the arguments of a call ------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"
#include "Program.h"
#include <algorithm>
#include <cstdlib>

using namespace fa::runtime;

namespace {

/// What fixed an extent first.
struct Extent {
  int64_t size;
  size_t argument;
  int dimension;
};

class Binder {
public:
  Binder(const Function &function, Binding &binding, std::string &error)
      : function(function), binding(binding), error(error) {}

  bool bindAll(const Argument *arguments, size_t count) {
    if (count != function.parameters.size()) {
      error = "function '" + function.name + "' takes " +
              std::to_string(function.parameters.size()) + " arguments, not " +
              std::to_string(count);
      return false;
    }
    for (size_t i = 0; i < count; ++i)
      if (!bindOne(function.parameters[i], arguments[i], i))
        return false;
    return true;
  }

private:
  bool fail(const Parameter &parameter, size_t index,
            const std::string &reason) {
    error = describe(parameter, index) + ": " + reason;
    return false;
  }

  bool bindOne(const Parameter &parameter, const Argument &argument,
               size_t index) {
    if (parameter.isScalar != argument.isScalar)
      return fail(parameter, index,
                  parameter.isScalar ? "a scalar is expected"
                                     : "an array is expected");
    DType type =
        argument.isScalar ? argument.scalarType : argument.buffer.dtype;
    if (type != parameter.dtype)
      return fail(parameter, index,
                  std::string("dtype is ") + getName(type) + ", expected " +
                      getName(parameter.dtype));
    if (parameter.isScalar) {
      binding.slots[parameter.slot] = int64_t(argument.scalarBits);
      return true;
    }
    return bindBuffer(parameter, argument.buffer, index);
  }

  bool bindBuffer(const Parameter &parameter, const Buffer &buffer,
                  size_t index) {
    size_t rank = parameter.sizes.size();
    if (size_t(buffer.rank) != rank)
      return fail(parameter, index,
                  "rank is " + std::to_string(buffer.rank) + ", expected " +
                      std::to_string(rank));
    int64_t *slots = binding.slots.data() + parameter.slot;
    slots[0] = reinterpret_cast<int64_t>(buffer.data);
    for (size_t d = 0; d < rank; ++d) {
      if (!checkSize(parameter, buffer.sizes[d], index, d))
        return false;
      slots[1 + d] = buffer.sizes[d];
    }
    Span span;
    span.parameter = int32_t(index);
    if (!findSpan(buffer, span))
      return fail(parameter, index,
                  "its sizes and strides reach over more than 2^61 bytes");
    binding.spans.push_back(span);
    return bindStrides(parameter, buffer, index, slots + 1 + rank) &&
           (!parameter.isWritten || checkWritten(parameter, buffer, index));
  }

  bool checkWritten(const Parameter &parameter, const Buffer &buffer,
                    size_t index) {
    if (buffer.isReadOnly)
      return fail(parameter, index,
                  "the function writes it, but the array is read-only");
    if (mayOverlap(buffer))
      return fail(parameter, index,
                  "the function writes it, but elements of the array share "
                  "memory (see its strides); make a copy");
    return true;
  }

  /// Whether a step in one dimension may end on an element that smaller steps
  /// in others reach. True for some arrays whose elements interleave.
  static bool mayOverlap(const Buffer &buffer) {
    std::vector<std::pair<int64_t, int64_t>> steps;
    for (int d = 0; d < buffer.rank; ++d) {
      if (buffer.sizes[d] == 0)
        return false;
      if (buffer.sizes[d] > 1)
        steps.push_back({std::abs(buffer.strides[d]), buffer.sizes[d]});
    }
    std::sort(steps.begin(), steps.end());
    int64_t reach = 0;
    for (auto [stride, size] : steps) {
      if (stride <= reach)
        return true;
      reach += stride * (size - 1);
    }
    return false;
  }

  bool checkSize(const Parameter &parameter, int64_t size, size_t index,
                 size_t d) {
    int64_t expected = parameter.sizes[d];
    if (expected >= 0 && size != expected)
      return fail(parameter, index,
                  "dimension " + std::to_string(d) + " is " +
                      std::to_string(size) + ", expected " +
                      std::to_string(expected));
    const std::string &name = parameter.sizeNames[d];
    if (name.empty())
      return true;
    auto [known, isNew] =
        extents.try_emplace(name, Extent{size, index, int(d)});
    if (isNew || known->second.size == size)
      return true;
    const Extent &first = known->second;
    return fail(
        parameter, index,
        "dimension " + std::to_string(d) + " is " + std::to_string(size) +
            ", but " +
            describe(function.parameters[first.argument], first.argument) +
            " has " + std::to_string(first.size) + " in dimension " +
            std::to_string(first.dimension));
  }

  /// Strides of extents 0 and 1 are never used, and libraries put anything
  /// there: those that must have a value get it.
  bool bindStrides(const Parameter &parameter, const Buffer &buffer,
                   size_t index, int64_t *slots) {
    int64_t rowMajor = 1;
    bool isEmpty = false;
    for (int d = 0; d < buffer.rank; ++d)
      isEmpty |= buffer.sizes[d] == 0;
    for (int d = buffer.rank; d-- > 0;) {
      int64_t expected = parameter.contiguous ? rowMajor : parameter.strides[d];
      int64_t stride = buffer.strides[d];
      if (expected >= 0 && stride != expected) {
        if (buffer.sizes[d] > 1 && !isEmpty)
          return fail(
              parameter, index,
              "stride " + std::to_string(d) + " is " + std::to_string(stride) +
                  ", expected " + std::to_string(expected) +
                  (parameter.contiguous ? " (a contiguous array)" : ""));
        stride = expected;
      }
      slots[d] = stride;
      rowMajor *= buffer.sizes[d];
    }
    return true;
  }

  const Function &function;
  Binding &binding;
  std::string &error;
  std::map<std::string, Extent> extents;
};

} // namespace

bool fa::runtime::bind(const Function &function, const Argument *arguments,
                       size_t count, Binding &binding, std::string &error) {
  binding.function = &function;
  binding.slots.assign(size_t(function.numSlots), 0);
  binding.spans.clear();
  return Binder(function, binding, error).bindAll(arguments, count);
}
