//===- ChooseSchedule.cpp - tile sizes for mma.sync kernels ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"

namespace fa {
#define GEN_PASS_DEF_FACHOOSEGPUSCHEDULE
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

struct Tiles {
  int64_t query, key;
};

/// `headDim` is the larger one of query's and value's.
Tiles tilesFor(int64_t headDim) {
  if (headDim <= 64)
    return {128, 64};
  if (headDim <= 128)
    return {128, 64};
  if (headDim <= 192)
    return {64, 64};
  return {64, 32};
}

int64_t extentOf(OpOperand &operand, AttentionOpInterface op, Dim dim) {
  int64_t position = positionOf(op.getMapOf(operand), dim);
  return cast<ShapedType>(operand.get().getType()).getDimSize(position);
}

struct ChooseSchedulePass
    : fa::impl::FAChooseGPUScheduleBase<ChooseSchedulePass> {
  using FAChooseGPUScheduleBase::FAChooseGPUScheduleBase;

  void runOnOperation() override {
    getOperation()->walk([&](OnlineAttentionOp op) {
      if (op->hasAttr("fa.schedule"))
        return;
      auto interface = cast<AttentionOpInterface>(op.getOperation());
      Tiles tiles =
          tilesFor(std::max(extentOf(op.getQueryMutable(), interface, D),
                            extentOf(op.getValueMutable(), interface, E)));
      op->setAttr("fa.schedule",
                  ScheduleAttr::get(&getContext(), LoopOrder::QueryOuter,
                                    queryTile ? queryTile : tiles.query,
                                    keyTile ? keyTile : tiles.key,
                                    /*partial_sums=*/4));
    });
  }
};

} // namespace
