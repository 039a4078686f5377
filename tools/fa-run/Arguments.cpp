//===- Arguments.cpp - function arguments from the command line -----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <random>
#include <unistd.h>

using namespace fa;
using llvm::StringRef;

namespace {

/// A place for one argument's error messages to say which one it is.
struct Slot {
  const Signature &signature;
  size_t index;

  const Parameter &parameter() const { return signature.arguments[index]; }
  llvm::Error fail(const llvm::Twine &message) const {
    return llvm::createStringError(
        "argument " + llvm::Twine(index) + " of @" + signature.name + " (" +
        describe(parameter().type, parameter().shape) + "): " + message);
  }
};

/// `shape=... range=... values=...`, as written.
struct Description {
  llvm::SmallVector<int64_t> shape;
  bool hasShape = false;
  std::optional<std::pair<double, double>> range;
  llvm::SmallVector<double> values;
};

llvm::Error parseShape(const Slot &slot, StringRef text, Description &result) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (size_t i = 0; i < parts.size(); ++i) {
    int64_t extent;
    if (!parts[i].getAsInteger(10, extent) && extent >= 0) {
      result.shape.push_back(extent);
      continue;
    }
    std::optional<DType> type = parseDType(parts[i]);
    if (!type || i + 1 != parts.size())
      return slot.fail("'" + text +
                       "' is no shape; write it like 2x8x128x64 "
                       "or 2x8x128x64xf32");
    if (*type != slot.parameter().type)
      return slot.fail("the element type is " + nameOf(slot.parameter().type) +
                       ", not " + nameOf(*type));
  }
  result.hasShape = true;
  return llvm::Error::success();
}

/// True if the element type can hold the number as it is: every number for
/// floats; integers within the type's range, and what a double holds exactly.
bool canHold(DType type, double value) {
  if (isFloat(type))
    return true;
  if (type == DType::I1)
    return value == 0 || value == 1;
  unsigned bits = std::min<unsigned>(8 * sizeOf(type), 54);
  double limit = std::ldexp(1.0, int(bits) - 1);
  return value == std::floor(value) && -limit <= value && value < limit;
}

llvm::Error parseRange(const Slot &slot, StringRef text, Description &result) {
  auto [low, high] = text.split("..");
  double from, to;
  if (low.getAsDouble(from) || high.getAsDouble(to) || !(from <= to))
    return slot.fail("'" + text + "' is no range; write it like -1..1");
  DType type = slot.parameter().type;
  bool isDrawn = isFloat(type) ? std::isfinite(to - from)
                               : std::ceil(from) <= std::floor(to) &&
                                     canHold(type, std::ceil(from)) &&
                                     canHold(type, std::floor(to));
  if (!isDrawn)
    return slot.fail("no " + nameOf(type) + " can be drawn from '" + text +
                     "'");
  result.range = {from, to};
  return llvm::Error::success();
}

llvm::Error parseValues(const Slot &slot, StringRef text, Description &result) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    double value;
    if (part.trim().getAsDouble(value))
      return slot.fail("'" + part + "' is no number");
    if (!canHold(slot.parameter().type, value))
      return slot.fail("'" + part + "' is no " + nameOf(slot.parameter().type));
    result.values.push_back(value);
  }
  return llvm::Error::success();
}

llvm::Expected<Description> parseDescription(const Slot &slot, StringRef text) {
  Description result;
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (StringRef word : words) {
    auto [key, value] = word.split('=');
    llvm::Error error = key == "shape"   ? parseShape(slot, value, result)
                        : key == "range" ? parseRange(slot, value, result)
                        : key == "values"
                            ? parseValues(slot, value, result)
                            : slot.fail("cannot read '" + word +
                                        "'; write @file.npy, shape=2x8x128x64, "
                                        "a number, or _ for random data");
    if (error)
      return error;
  }
  return result;
}

/// Normal numbers for floats; 0 or 1 for i1; 0..7 for integers.
void fillRandom(HostTensor &tensor, const Description &description,
                std::mt19937_64 &generator) {
  std::normal_distribution<double> normal;
  bool real = isFloat(tensor.type());
  std::pair<double, double> range = description.range.value_or(
      std::make_pair(0.0, tensor.type() == DType::I1 ? 1.0 : 7.0));
  std::uniform_real_distribution<double> uniform(range.first, range.second);
  std::uniform_int_distribution<int64_t> integer(
      int64_t(std::ceil(range.first)), int64_t(std::floor(range.second)));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.set(
        i, real ? (description.range ? uniform(generator) : normal(generator))
                : double(integer(generator)));
}

llvm::Expected<HostTensor> makeArray(const Slot &slot,
                                     const Description &description,
                                     std::mt19937_64 &generator) {
  const Parameter &parameter = slot.parameter();
  llvm::ArrayRef<int64_t> shape =
      description.hasShape ? description.shape : parameter.shape;
  if (!description.hasShape && !parameter.isStatic())
    return slot.fail("its shape has dimensions that are only known at run "
                     "time; give them with --arg shape=...");
  bool fits = shape.size() == parameter.shape.size();
  if (fits)
    for (auto [given, wanted] : llvm::zip(shape, parameter.shape))
      fits &= wanted == mlir::ShapedType::kDynamic || given == wanted;
  if (!fits)
    return slot.fail("shape " + describe(parameter.type, shape) +
                     " does not fit");
  double memory = double(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  double bytes = double(sizeOf(parameter.type));
  for (int64_t extent : shape)
    bytes *= double(extent);
  if (bytes > memory)
    return slot.fail("this is more than the machine's memory of " +
                     llvm::Twine(int64_t(memory / 1e9)) + " GB");
  HostTensor tensor(parameter.type, shape);
  if (description.values.empty()) {
    fillRandom(tensor, description, generator);
    return tensor;
  }
  int64_t given = description.values.size();
  if (given != 1 && given != tensor.size())
    return slot.fail(llvm::Twine(given) + " values for " +
                     llvm::Twine(tensor.size()) + " elements");
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.set(i, description.values[given == 1 ? 0 : i]);
  return tensor;
}

llvm::Expected<HostTensor> readArray(const Slot &slot, StringRef path) {
  llvm::Expected<HostTensor> tensor = readNpy(path);
  if (!tensor)
    return slot.fail(llvm::toString(tensor.takeError()));
  const Parameter &parameter = slot.parameter();
  bool fits = tensor->type() == parameter.type &&
              tensor->shape().size() == parameter.shape.size();
  if (fits)
    for (auto [is, wanted] : llvm::zip(tensor->shape(), parameter.shape))
      fits &= wanted == mlir::ShapedType::kDynamic || is == wanted;
  if (!fits)
    return slot.fail("'" + path + "' holds " +
                     describe(tensor->type(), tensor->shape()));
  return tensor;
}

llvm::Expected<HostTensor> makeArgument(const Slot &slot, StringRef text,
                                        std::mt19937_64 &generator) {
  if (text.consume_front("@") || text.consume_front("npy:"))
    return readArray(slot, text);
  Description description;
  double number;
  if (text.empty() || text == "_") {
    if (slot.parameter().kind == Parameter::Scalar)
      return slot.fail("a scalar needs a value: --arg NUMBER");
  } else if (!text.getAsDouble(number)) {
    if (llvm::Error error = parseValues(slot, text, description))
      return error;
  } else {
    llvm::Expected<Description> parsed = parseDescription(slot, text);
    if (!parsed)
      return parsed.takeError();
    description = *parsed;
  }
  return makeArray(slot, description, generator);
}

} // namespace

llvm::Expected<std::vector<HostTensor>>
fa::makeArguments(const Signature &signature, llvm::ArrayRef<std::string> texts,
                  uint64_t seed) {
  if (texts.size() > signature.arguments.size())
    return llvm::createStringError("@" + signature.name + " takes " +
                                   llvm::Twine(signature.arguments.size()) +
                                   " arguments, " + llvm::Twine(texts.size()) +
                                   " are given");
  std::vector<HostTensor> arguments;
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    // A generator per argument: its data does not depend on the others' shapes.
    std::seed_seq sequence = {uint32_t(seed), uint32_t(seed >> 32),
                              uint32_t(i)};
    std::mt19937_64 generator(sequence);
    StringRef text = i < texts.size() ? StringRef(texts[i]).trim() : "";
    llvm::Expected<HostTensor> argument =
        makeArgument({signature, i}, text, generator);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}
