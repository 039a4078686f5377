//===- HostTensor.cpp - arrays in host memory -----------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Execution/HostTensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <cstring>

using namespace fa;

size_t fa::sizeOf(DType type) {
  switch (type) {
  case DType::I1:
  case DType::I8:
    return 1;
  case DType::BF16:
  case DType::F16:
  case DType::I16:
    return 2;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::F64:
  case DType::I64:
    return 8;
  }
  llvm_unreachable("a new DType");
}

llvm::StringRef fa::nameOf(DType type) {
  switch (type) {
  case DType::BF16:
    return "bf16";
  case DType::F16:
    return "f16";
  case DType::F32:
    return "f32";
  case DType::F64:
    return "f64";
  case DType::I1:
    return "i1";
  case DType::I8:
    return "i8";
  case DType::I16:
    return "i16";
  case DType::I32:
    return "i32";
  case DType::I64:
    return "i64";
  }
  llvm_unreachable("a new DType");
}

std::optional<DType> fa::parseDType(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<DType>>(name)
      .Case("bf16", DType::BF16)
      .Case("f16", DType::F16)
      .Case("f32", DType::F32)
      .Case("f64", DType::F64)
      .Case("i1", DType::I1)
      .Case("i8", DType::I8)
      .Case("i16", DType::I16)
      .Case("i32", DType::I32)
      .Cases({"i64", "index"}, DType::I64)
      .Default(std::nullopt);
}

std::optional<DType> fa::dtypeOf(mlir::Type type) {
  if (type.isBF16())
    return DType::BF16;
  if (type.isF16())
    return DType::F16;
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (type.isIndex())
    return DType::I64;
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type))
    return parseDType(("i" + llvm::Twine(integer.getWidth())).str());
  return std::nullopt;
}

bool fa::isFloat(DType type) {
  return type == DType::BF16 || type == DType::F16 || type == DType::F32 ||
         type == DType::F64;
}

HostTensor::HostTensor(DType type, llvm::ArrayRef<int64_t> shape)
    : elementType(type), extents(shape), count(1) {
  for (int64_t extent : shape)
    count *= extent;
  bytes.resize(byteSize());
}

namespace {

template <typename T> T read(const char *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T> void write(char *at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

double fromHalf(uint16_t bits) {
  int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double magnitude = exponent == 31 ? (fraction ? std::nan("") : HUGE_VAL)
                     : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                    : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double fromBFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  return read<float>(reinterpret_cast<const char *>(&wide));
}

uint16_t roundTo(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat f(value);
  bool losesInfo;
  f.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return uint16_t(f.bitcastToAPInt().getZExtValue());
}

} // namespace

double HostTensor::get(int64_t i) const {
  const char *at = bytes.data() + i * sizeOf(elementType);
  switch (elementType) {
  case DType::BF16:
    return fromBFloat(read<uint16_t>(at));
  case DType::F16:
    return fromHalf(read<uint16_t>(at));
  case DType::F32:
    return read<float>(at);
  case DType::F64:
    return read<double>(at);
  case DType::I1:
    return *at & 1;
  case DType::I8:
    return read<int8_t>(at);
  case DType::I16:
    return read<int16_t>(at);
  case DType::I32:
    return read<int32_t>(at);
  case DType::I64:
    return double(read<int64_t>(at));
  }
  llvm_unreachable("a new DType");
}

void HostTensor::set(int64_t i, double value) {
  char *at = bytes.data() + i * sizeOf(elementType);
  switch (elementType) {
  case DType::BF16:
    return write(at, roundTo(llvm::APFloat::BFloat(), value));
  case DType::F16:
    return write(at, roundTo(llvm::APFloat::IEEEhalf(), value));
  case DType::F32:
    return write(at, float(value));
  case DType::F64:
    return write(at, value);
  case DType::I1:
    return write(at, uint8_t(value != 0));
  case DType::I8:
    return write(at, int8_t(value));
  case DType::I16:
    return write(at, int16_t(value));
  case DType::I32:
    return write(at, int32_t(value));
  case DType::I64:
    return write(at, int64_t(value));
  }
}

HostTensor HostTensor::convertedTo(DType type) const {
  HostTensor result(type, extents);
  for (int64_t i = 0; i < count; ++i)
    result.set(i, get(i));
  return result;
}

std::string fa::describe(DType type, llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (extent == mlir::ShapedType::kDynamic ? std::string("?")
                                                  : std::to_string(extent)) +
            "x";
  return text + nameOf(type).str();
}
