//===- MergeModules.cpp - all kernels in one gpu.module -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Target/PTX/PTX.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace {

/// A name that neither module has.
StringAttr getFreshName(SymbolTable &first, SymbolTable &second,
                        StringRef name) {
  std::string fresh;
  for (unsigned i = 0;; ++i) {
    fresh = (name + "_" + Twine(i)).str();
    if (!first.lookup(fresh) && !second.lookup(fresh))
      return StringAttr::get(first.getOp()->getContext(), fresh);
  }
}

/// Moves everything from `source` to the end of `target`.
void moveSymbols(gpu::GPUModuleOp source, gpu::GPUModuleOp target) {
  SymbolTable targetTable(target);
  SymbolTable sourceTable(source);
  for (Operation &op :
       llvm::make_early_inc_range(source.getBody()->getOperations())) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (symbol && targetTable.lookup(symbol.getNameAttr()))
      (void)sourceTable.rename(
          &op, getFreshName(targetTable, sourceTable, symbol.getName()));
    op.moveBefore(target.getBody(), target.getBody()->end());
    if (symbol)
      targetTable.insert(&op);
  }
}

/// Points launches of kernels of `source` at `target`.
void retargetLaunches(Operation *root, gpu::GPUModuleOp source,
                      gpu::GPUModuleOp target) {
  root->walk([&](gpu::LaunchFuncOp launch) {
    if (launch.getKernelModuleName() == source.getNameAttr())
      launch.setKernelAttr(
          SymbolRefAttr::get(target.getNameAttr(),
                             {FlatSymbolRefAttr::get(launch.getKernelName())}));
  });
}

} // namespace

void fa::mergeGPUModules(Operation *root) {
  gpu::GPUModuleOp target;
  SmallVector<gpu::GPUModuleOp> others;
  root->walk([&](gpu::GPUModuleOp module) {
    if (target)
      others.push_back(module);
    else
      target = module;
  });
  for (gpu::GPUModuleOp source : others) {
    // Renaming a kernel within its module also updates the launches, which name
    // it through the module.
    moveSymbols(source, target);
    retargetLaunches(root, source, target);
    source.erase();
  }
}
