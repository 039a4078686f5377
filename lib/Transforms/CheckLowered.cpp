//===- CheckLowered.cpp - no op of the fa dialect may be left -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Transforms/Passes.h"

namespace fa {
#define GEN_PASS_DEF_FACHECKLOWERED
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// After tiling, memory is memrefs and tiles are tensors.
bool isOnTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

struct CheckLoweredPass : fa::impl::FACheckLoweredBase<CheckLoweredPass> {
  using FACheckLoweredBase::FACheckLoweredBase;

  void runOnOperation() override {
    bool isComplete = true;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa_and_present<FADialect>(op->getDialect()))
        return WalkResult::advance();
      if (stage == "tile" && isOnTensors(op))
        return WalkResult::skip();
      auto error = op->emitOpError() << "cannot be lowered for target '"
                                     << StringRef(target) << "'";
      if (!stage.empty())
        error << ": it is still there after stage '" << StringRef(stage) << "'";
      if (target == "sm_90a" && isa<AttentionBackwardOp>(op))
        error << "; target=sm_80 has all gradients, for this GPU too, and "
                 "schedule='gradients=roles' those that sm_90a has";
      isComplete = false;
      return WalkResult::skip();
    });
    if (!isComplete)
      signalPassFailure();
  }
};

} // namespace
