//===- SkipRescale.cpp - branch round multiplications by one --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fa {
#define GEN_PASS_DEF_FASKIPRESCALE
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

/// The factors if `op` multiplies each row of its output by one; else null.
Value rowFactorsOf(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != 2 || op.getNumParallelLoops() != 2)
    return {};
  Block *body = op.getBody();
  auto product =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  Value factor = body->getArgument(0), element = body->getArgument(1);
  if (!product || llvm::range_size(body->without_terminator()) != 1)
    return {};
  bool isProduct =
      (product.getLhs() == element && product.getRhs() == factor) ||
      (product.getLhs() == factor && product.getRhs() == element);
  auto factors = dyn_cast<RankedTensorType>(op.getInputs()[0].getType());
  auto tile = dyn_cast<RankedTensorType>(op.getOutputs()[0].getType());
  bool isByRow = factors && hasLayout<RowsAttr>(factors) && tile &&
                 hasLayout<AccAttr>(tile) && tile.getElementType().isF32() &&
                 op.getIndexingMapsArray()[1].isIdentity();
  return isProduct && isByRow ? op.getInputs()[0] : Value();
}

struct SkipRescalePass : fa::impl::FASkipRescaleBase<SkipRescalePass> {
  void runOnOperation() override {
    SmallVector<MmaOp> contractions;
    getOperation().walk([&](MmaOp op) { contractions.push_back(op); });
    for (MmaOp mma : contractions) {
      auto scale = mma.getAcc().getDefiningOp<linalg::GenericOp>();
      if (!scale || !scale->hasOneUse() || scale->getBlock() != mma->getBlock())
        continue;
      Value factors = rowFactorsOf(scale);
      if (!factors)
        continue;
      OpBuilder b(mma);
      auto rows = ScaleRowsOp::create(b, scale.getLoc(), mma.getAcc().getType(),
                                      scale.getOutputs()[0], factors, Value(),
                                      /*skip_if_one=*/true);
      mma.getAccMutable().assign(rows.getResult());
      scale->erase();
    }
  }
};

} // namespace
