//===- CopyResults.cpp - every result of a function is a buffer of its own ===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/LinalgToKernels/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace fa {
#define GEN_PASS_DEF_FACOPYRESULTS
#include "fa/Conversion/LinalgToKernels/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

struct CopyResultsPass : fa::impl::FACopyResultsBase<CopyResultsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic() &&
          function.getBody().hasOneBlock())
        copyResults(function);
  }

private:
  static Value getBase(Value value) {
    while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
      value = view.getViewSource();
    return value;
  }

  static void copyResults(func::FuncOp function) {
    auto op =
        dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
    if (!op)
      return;
    llvm::SmallDenseSet<Value> taken;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type || !type.getLayout().isIdentity())
        continue;
      Value base = getBase(operand.get());
      // Of the function's own block: an argument, or allocated here.
      bool isArgument = isa<BlockArgument>(base);
      bool isOwn = isArgument || (base.getDefiningOp<memref::AllocOp>() &&
                                  taken.insert(base).second);
      if (!isOwn)
        operand.set(copy(op, operand.get(), type));
    }
  }

  static Value copy(func::ReturnOp op, Value value, MemRefType type) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(memref::DimOp::create(b, loc, value, i));
    Value made = memref::AllocOp::create(b, loc, type, sizes);
    memref::CopyOp::create(b, loc, value, made);
    return made;
  }
};

} // namespace
