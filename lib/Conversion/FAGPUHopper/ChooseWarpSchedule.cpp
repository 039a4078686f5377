//===- ChooseWarpSchedule.cpp - tiles and roles by head dimension ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "llvm/Support/MathExtras.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUCHOOSEWARPSCHEDULE
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

static constexpr StringLiteral kScheduleName = "fa.schedule";

namespace {

/// One row of the table of schedules.
struct Choice {
  /// For head dimensions (the larger of query's and value's) up to this.
  int64_t headDim;
  int64_t keyTile, consumers, stages;
};

// Accumulators (value head dim / 2 + 3/4 * key tile, per thread) keep within
// 216 registers with two consumers and within 128 with three.
constexpr Choice kPlain[] = {
    {64, 128, 3, 2}, {96, 112, 3, 2}, {128, 80, 3, 3},
    {192, 96, 2, 2}, {256, 80, 2, 2},
};
// Tiles of bias or mask in registers, or three kinds of key loops.
constexpr Choice kWithMore[] = {
    {64, 96, 2, 3},  {96, 80, 2, 3},  {128, 80, 2, 3},
    {192, 64, 2, 2}, {256, 48, 2, 2},
};
// Fewer rows are lost at the end of a short sequence; under a causal mask also
// fewer keys beside the diagonal (H200, S = 512 and 1024: 1.14 times as fast).
constexpr Choice kShort = {128, 128, 2, 2};
constexpr Choice kShortCausal = {128, 64, 3, 4};

/// What --fagpu-allocate will need: tiles of 64 columns, at least two rings,
/// and outputs in the queries' memory where both have one shape and room is
/// short.
bool fits(const Choice &choice, int64_t queryDim, int64_t valueDim) {
  constexpr int64_t most = 232448, barriers = 256, columns = 64, element = 2;
  int64_t query = llvm::alignTo(queryDim, columns) * element;
  int64_t value = llvm::alignTo(valueDim, columns) * element;
  int64_t rows = kBlockRows * choice.consumers;
  int64_t bytes = choice.stages * choice.keyTile * (query + value) + barriers;
  // The shapes are of tiles: head dimensions in multiples of 16.
  bool shares = llvm::alignTo(queryDim, 16) == llvm::alignTo(valueDim, 16);
  return bytes + rows * (shares ? query : query + value) <= most;
}

/// Of the producer's and of a consumer's threads. What the producer does not
/// need is the consumers'.
std::pair<int64_t, int64_t> registersOf(int64_t consumers, int64_t blocks) {
  if (blocks == 1)
    return consumers >= 3 ? std::pair(32, 160) : std::pair(40, 232);
  constexpr int64_t file = 65536, unit = 8, least = 24, most = 232;
  int64_t threads = (consumers + 1) * kGroupThreads;
  int64_t perThread = file / (threads * blocks) / unit * unit;
  int64_t left = perThread * (consumers + 1) - least;
  return {least, std::min(left / consumers / unit * unit, most)};
}

int64_t extentOf(OpOperand &operand, AttentionOpInterface op, Dim dim) {
  int64_t position = positionOf(op.getMapOf(operand), dim);
  return cast<ShapedType>(operand.get().getType()).getDimSize(position);
}

struct ChooseWarpSchedule
    : fa::impl::FAGPUChooseWarpScheduleBase<ChooseWarpSchedule> {
  using FAGPUChooseWarpScheduleBase::FAGPUChooseWarpScheduleBase;

  void runOnOperation() override {
    getOperation()->walk([&](OnlineAttentionOp op) {
      auto interface = cast<AttentionOpInterface>(op.getOperation());
      int64_t queryDim = extentOf(op.getQueryMutable(), interface, D);
      int64_t valueDim = extentOf(op.getValueMutable(), interface, E);
      int64_t headDim = std::max(queryDim, valueDim);
      bool holdsMore = op.getBias() || op.getMask() || op.getWindowLeftAttr() ||
                       !op.getCaptures().empty() ||
                       !op.getScoreRegion().empty() ||
                       !op.getMaskRegion().empty();
      if (queryDim <= 0 || valueDim <= 0)
        return;
      const Choice &ofShort = op.getCausal() ? kShortCausal : kShort;
      if (op->hasAttr(kShortName) && !holdsMore &&
          fits(ofShort, queryDim, valueDim))
        return choose(op, ofShort);
      for (const Choice &choice :
           holdsMore ? ArrayRef(kWithMore) : ArrayRef(kPlain))
        if (headDim <= choice.headDim)
          return choose(op, fitting(choice, queryDim, valueDim));
    });
  }

  /// Two different head dimensions leave less room: shorter key tiles then.
  static Choice fitting(Choice choice, int64_t queryDim, int64_t valueDim) {
    constexpr int64_t step = 16;
    while (choice.keyTile > step && !fits(choice, queryDim, valueDim))
      choice.keyTile -= step;
    return choice;
  }

  void choose(OnlineAttentionOp op, const Choice &choice) {
    MLIRContext *context = &getContext();
    Type element = getElementTypeOrSelf(op.getQuery().getType());
    if (!(element.isBF16() || element.isF16()) || op->hasAttr(kScheduleName) ||
        op->hasAttr(kWarpsName))
      return;
    auto pick = [](int64_t option, int64_t choice) {
      return option ? option : choice;
    };
    int64_t chosen = pick(consumers, choice.consumers);
    int64_t together = pick(blocks, 1);
    auto [ofProducer, ofConsumer] = registersOf(chosen, together);
    auto warps = WarpScheduleAttr::get(
        context, chosen, pick(stages, choice.stages), ofProducer, ofConsumer,
        dynamic && !op->hasAttr(kShortName), lazy, overlap, ahead,
        pick(querySlots, 1), together);
    op->setAttr(kWarpsName, warps);
    op->setAttr(kScheduleName, ScheduleAttr::get(context, LoopOrder::QueryOuter,
                                                 /*query_tile=*/kBlockRows,
                                                 pick(keyTile, choice.keyTile),
                                                 /*partial_sums=*/4));
  }
};

} // namespace
