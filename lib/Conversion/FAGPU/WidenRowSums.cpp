//===- WidenRowSums.cpp - 16 bytes at a time where order does not matter --===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fa {
#define GEN_PASS_DEF_FAWIDENROWSUMS
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// The load of `input`, if it may be in any order.
LoadTileOp loadFor(linalg::GenericOp sum, OpOperand &input) {
  constexpr int64_t columns = 32;
  auto load = input.get().getDefiningOp<LoadTileOp>();
  auto type = dyn_cast<RankedTensorType>(input.get().getType());
  bool isWide =
      load && load->hasOneUse() && type.getRank() == 2 &&
      fagpu::hasLayout<fagpu::AccAttr>(type) &&
      type.getElementType().isFloat() && type.getElementTypeBitWidth() == 16 &&
      type.getDimSize(1) % columns == 0 && load.getTileDims().size() == 2 &&
      sum.getMatchingIndexingMap(&input).isIdentity();
  return isWide ? load : nullptr;
}

bool isRowSum(linalg::GenericOp op) {
  MLIRContext *context = op.getContext();
  return op.getNumLoops() == 2 && op->getNumResults() == 1 &&
         op.getIteratorTypesArray()[0] == utils::IteratorType::parallel &&
         op.getIteratorTypesArray()[1] == utils::IteratorType::reduction &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)) ==
             AffineMap::get(2, 0, getAffineDimExpr(0, context)) &&
         op.getBody()->getOps<linalg::IndexOp>().empty();
}

struct WidenRowSums : fa::impl::FAWidenRowSumsBase<WidenRowSums> {
  void runOnOperation() override {
    getOperation().walk([](linalg::GenericOp op) {
      if (!isRowSum(op))
        return;
      SmallVector<LoadTileOp> loads;
      for (OpOperand *input : op.getDpsInputOperands())
        loads.push_back(loadFor(op, *input));
      if (llvm::is_contained(loads, nullptr))
        return;
      for (LoadTileOp load : loads)
        load->setAttr(fagpu::kAnyColumnsName, UnitAttr::get(op.getContext()));
    });
  }
};

} // namespace
