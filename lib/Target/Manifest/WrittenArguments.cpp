//===- WrittenArguments.cpp - which buffers a function writes -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "WrittenArguments.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {

class Finder {
public:
  llvm::BitVector find(func::FuncOp function) {
    // A function that calls itself adds nothing by that.
    auto [known, isNew] = written.try_emplace(
        function, llvm::BitVector(function.getNumArguments()));
    if (!isNew)
      return known->second;
    llvm::BitVector bits(function.getNumArguments());
    markWritable(function, bits);
    BufferViewFlowAnalysis views(function);
    function.walk([&](Operation *op) {
      for (Value value : getWritten(op))
        for (Value origin : views.resolveReverse(value))
          if (auto argument = dyn_cast<BlockArgument>(origin))
            if (argument.getOwner() == &function.getBody().front())
              bits.set(argument.getArgNumber());
    });
    return written[function] = bits;
  }

private:
  static void markWritable(func::FuncOp function, llvm::BitVector &bits) {
    auto name = bufferization::BufferizationDialect::kWritableAttrName;
    for (unsigned i = 0; i < bits.size(); ++i) {
      auto writable = function.getArgAttrOfType<BoolAttr>(i, name);
      if (isa<TensorType>(function.getArgument(i).getType()) && writable &&
          writable.getValue())
        bits.set(i);
    }
  }

  /// Values of buffers that an op writes, nested ops apart.
  SmallVector<Value> getWritten(Operation *op) {
    SmallVector<Value> values;
    if (auto call = dyn_cast<CallOpInterface>(op))
      return getWrittenByCall(call);
    // What is made of such a tensor may be put into the buffer.
    auto toTensor = dyn_cast<bufferization::ToTensorOp>(op);
    if (toTensor && toTensor.getWritable())
      addBuffer(toTensor.getBuffer(), values);
    if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
      SmallVector<MemoryEffects::EffectInstance> effects;
      interface.getEffects(effects);
      for (const MemoryEffects::EffectInstance &effect : effects)
        if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
          addBuffer(effect.getValue(), values);
    } else if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
      for (Value operand : op->getOperands())
        addBuffer(operand, values);
    }
    return values;
  }

  SmallVector<Value> getWrittenByCall(CallOpInterface call) {
    SmallVector<Value> values;
    auto callee = dyn_cast_or_null<func::FuncOp>(call.resolveCallable());
    bool isKnown = callee && !callee.isExternal();
    llvm::BitVector bits = isKnown ? find(callee) : llvm::BitVector();
    for (auto [i, operand] : llvm::enumerate(call.getArgOperands()))
      if (!isKnown || bits.test(i))
        addBuffer(operand, values);
    return values;
  }

  static void addBuffer(Value value, SmallVectorImpl<Value> &values) {
    if (isa<BaseMemRefType>(value.getType()))
      values.push_back(value);
  }

  DenseMap<func::FuncOp, llvm::BitVector> written;
};

} // namespace

llvm::BitVector fa::findWrittenArguments(func::FuncOp function) {
  return Finder().find(function);
}
