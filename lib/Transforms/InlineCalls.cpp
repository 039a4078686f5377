//===- InlineCalls.cpp - functions that frontends split off ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace fa {
#define GEN_PASS_DEF_FAINLINECALLS
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

struct InlineCalls : fa::impl::FAInlineCallsBase<InlineCalls> {
  void runOnOperation() override {
    llvm::SetVector<func::FuncOp> callers;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](func::CallOp call) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr());
        if (callee && callee.isPrivate() && !callee.isExternal())
          callers.insert(function);
      });
    if (callers.empty())
      return;
    OpPassManager inlining(ModuleOp::getOperationName());
    inlining.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    if (failed(runPipeline(inlining, getOperation())))
      return signalPassFailure();
    OpPassManager simplifying(func::FuncOp::getOperationName());
    simplifying.addPass(createCanonicalizerPass());
    // Callers that were private may be gone.
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (callers.contains(function) &&
          failed(runPipeline(simplifying, function)))
        return signalPassFailure();
  }
};

} // namespace
