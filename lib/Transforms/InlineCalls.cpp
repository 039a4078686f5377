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
    auto hasCalls = getOperation().walk(
        [](func::CallOp) { return WalkResult::interrupt(); });
    if (!hasCalls.wasInterrupted())
      return;
    OpPassManager pipeline(ModuleOp::getOperationName());
    pipeline.addPass(createInlinerPass());
    if (failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }
};

} // namespace
