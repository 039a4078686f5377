//===- Outlining.cpp - loops as functions ---------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fa;

Captures::Captures(Operation *op, bool withOperands) {
  llvm::SetVector<Value> used;
  if (withOperands)
    used.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    Operation *definition = value.getDefiningOp();
    if (definition && definition->hasTrait<OpTrait::ConstantLike>())
      constants.push_back(definition);
    else
      values.push_back(value);
  }
}

func::FuncOp
fa::outline(SymbolTable &symbols, Operation *op, StringRef suffix,
            const Captures &captures, ArrayRef<Type> types,
            function_ref<void(OpBuilder &, IRMapping &, ValueRange)> build) {
  auto parent = op->getParentOfType<func::FuncOp>();
  MLIRContext *context = op->getContext();
  SmallVector<Type> inputs(types);
  llvm::append_range(inputs, ValueRange(captures.values).getTypes());
  auto function =
      func::FuncOp::create(op->getLoc(), (parent.getName() + suffix).str(),
                           FunctionType::get(context, inputs, {}));
  function.setPrivate();
  // LLVM's inliner would undo it.
  function->setAttr(
      "passthrough",
      ArrayAttr::get(context, StringAttr::get(context, "noinline")));
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(context, LLVM::linkage::Linkage::Internal));
  symbols.insert(function, Block::iterator(parent));

  Block *entry = function.addEntryBlock();
  ValueRange arguments = entry->getArguments();
  IRMapping mapping;
  mapping.map(captures.values, arguments.drop_front(types.size()));
  OpBuilder b = OpBuilder::atBlockBegin(entry);
  for (Operation *constant : captures.constants)
    b.clone(*constant, mapping);
  build(b, mapping, arguments.take_front(types.size()));
  func::ReturnOp::create(b, op->getLoc());
  return function;
}
