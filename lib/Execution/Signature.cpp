//===- Signature.cpp - how a function is called ---------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Execution/CPUProgram.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace fa;

static bool isRowMajor(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  int64_t expected = 1;
  for (int64_t i = type.getRank(); i-- > 0;) {
    bool isDynamic =
        ShapedType::isDynamic(strides[i]) || ShapedType::isDynamic(expected);
    if (!isDynamic && strides[i] != expected && type.getDimSize(i) != 1)
      return false;
    expected = ShapedType::isDynamic(expected) || type.isDynamicDim(i)
                   ? ShapedType::kDynamic
                   : expected * type.getDimSize(i);
  }
  return offset == 0 || ShapedType::isDynamic(offset);
}

static llvm::Expected<Parameter> parameterOf(StringRef function, Type type) {
  auto fail = [&](StringRef why) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "@" << function << " takes or returns " << type << ": " << why;
    return llvm::createStringError(text);
  };
  Parameter parameter;
  Type element = type;
  parameter.kind = Parameter::Scalar;
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    if (!isa<RankedTensorType, MemRefType>(type))
      return fail("only ranked tensors, ranked memrefs and scalars can be "
                  "passed");
    if (auto memref = dyn_cast<MemRefType>(type)) {
      if (!isRowMajor(memref))
        return fail(
            "only row-major memrefs can be passed; use a strided layout "
            "with dynamic strides");
      if (memref.getMemorySpaceAsInt() != 0)
        return fail("the memory space is not the host's");
    }
    parameter.kind =
        isa<MemRefType>(type) ? Parameter::MemRef : Parameter::Tensor;
    element = shaped.getElementType();
    llvm::append_range(parameter.shape, shaped.getShape());
  }
  std::optional<DType> dtype = dtypeOf(element);
  if (!dtype)
    return fail("element types are bf16, f16, f32, f64, i1, i8, i16, i32, i64 "
                "and index");
  parameter.type = *dtype;
  return parameter;
}

llvm::Expected<Signature> Signature::of(func::FuncOp function) {
  Signature signature;
  signature.name = function.getName().str();
  for (auto [types, parameters] :
       {std::make_pair(function.getArgumentTypes(), &signature.arguments),
        std::make_pair(function.getResultTypes(), &signature.results)})
    for (Type type : types) {
      llvm::Expected<Parameter> parameter =
          parameterOf(function.getName(), type);
      if (!parameter)
        return parameter.takeError();
      parameters->push_back(*parameter);
    }
  return signature;
}
