//===- PrefixSymbols.cpp - names that no library has ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

namespace fa {
#define GEN_PASS_DEF_FAPREFIXSYMBOLS
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

bool isDefinition(Operation &op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return !function.isExternal();
  if (auto global = dyn_cast<memref::GlobalOp>(op))
    return !global.isExternal();
  return false;
}

struct PrefixSymbolsPass : fa::impl::FAPrefixSymbolsBase<PrefixSymbolsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (Operation &op : module.getOps()) {
      if (!isDefinition(op))
        continue;
      StringAttr name = StringAttr::get(
          &getContext(),
          fa::symbolPrefix + SymbolTable::getSymbolName(&op).getValue());
      if (failed(SymbolTable::replaceAllSymbolUses(&op, name, module))) {
        op.emitOpError("has uses that cannot be renamed");
        return signalPassFailure();
      }
      SymbolTable::setSymbolName(&op, name);
    }
  }
};

} // namespace
