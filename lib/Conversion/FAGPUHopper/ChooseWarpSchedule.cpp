//===- ChooseWarpSchedule.cpp - tiles and roles by head dimension ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
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
  bool dynamic = true, ahead = false;
  int64_t querySlots = 1, blocks = 1;
  bool turns = false;
};

// Accumulators (value head dim / 2 + 3/4 * key tile, per thread) keep within
// 216 registers with two consumers and within 128 with three.
//
// Where all tiles are alike nobody has to ask for the next one, and it can
// start before the last one ends.
constexpr Choice kFull[] = {
    {64, 128, 3, 2, true, true, 2},
    {96, 112, 3, 2, false, true},
    {128, 80, 3, 2, false, true, 2},
    {192, 96, 2, 2},
    {256, 80, 2, 2},
};
// A consumer that has seen all its keys goes on with the next queries if they
// are there.
constexpr Choice kCausal[] = {
    {64, 128, 3, 2, true, true, 2},
    {96, 112, 3, 2, true, false, 2},
    {128, 80, 3, 3, true, false, 2},
    {192, 80, 2, 2},
    {256, 80, 2, 2},
};
// Tiles of bias or mask in registers, or three kinds of key loops.
constexpr Choice kWithMore[] = {
    {64, 96, 2, 3, true, false, 2},  {96, 80, 2, 3, true, false, 2},
    {128, 80, 2, 3, true, false, 2}, {192, 64, 2, 2, true, false, 2},
    {256, 48, 2, 2, true, false, 2},
};
// Fewer rows are lost at the end of a short sequence, and under a causal mask
// fewer keys beside the diagonal.
constexpr Choice kShortFull[] = {
    {128, 128, 2, 2, false, true, 2, 1, true},
};
constexpr Choice kShortCausal[] = {
    {64, 64, 3, 3, true, false, 2},
    {128, 64, 3, 4, true, false, 2},
    {192, 64, 2, 2, true, false, 2},
};

/// What --fagpu-allocate will need: tiles of 64 columns, at least two rings,
/// and outputs in the queries' memory where both have one shape, room is
/// short, and the next queries need not be there at the same time.
bool fits(const Choice &choice, int64_t queryDim, int64_t valueDim) {
  constexpr int64_t barriers = 256, columns = 64, element = 2;
  int64_t query = llvm::alignTo(queryDim, columns) * element;
  int64_t value = llvm::alignTo(valueDim, columns) * element;
  int64_t rows = kBlockRows * choice.consumers;
  int64_t bytes = choice.stages * choice.keyTile * (query + value) + barriers +
                  rows * choice.querySlots * query;
  // The shapes are of tiles: head dimensions in multiples of 16.
  bool shares = !choice.ahead &&
                llvm::alignTo(queryDim, 16) == llvm::alignTo(valueDim, 16);
  if (!shares)
    bytes += rows * value;
  return bytes <= sharedOfBlock(choice.blocks);
}

/// Of the producer's and of a consumer's threads. What the producer does not
/// need is the consumers'.
std::pair<int64_t, int64_t> registersOf(int64_t consumers, int64_t blocks) {
  if (blocks == 1)
    return consumers >= 3 ? std::pair(32, 160) : std::pair(40, 232);
  constexpr int64_t file = 65536, unit = 8, least = 32, most = 232;
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
      bool holdsMore = fagpu::holdsMore(op);
      if (queryDim <= 0 || valueDim <= 0)
        return;
      bool isShort = op->hasAttr(kShortName) && !holdsMore;
      for (bool ofShort : {isShort, false})
        for (const Choice &row : tableFor(op, holdsMore, ofShort)) {
          if (headDim > row.headDim)
            continue;
          Choice choice = withOptions(row);
          if (!ofShort && !keyTile)
            choice = fitting(choice, queryDim, valueDim);
          if (!ofShort || fits(choice, queryDim, valueDim))
            return choose(op, choice);
        }
    });
  }

  static ArrayRef<Choice> tableFor(OnlineAttentionOp op, bool holdsMore,
                                   bool isShort) {
    if (holdsMore)
      return kWithMore;
    if (op.getCausal())
      return isShort ? ArrayRef(kShortCausal) : ArrayRef(kCausal);
    return isShort ? ArrayRef(kShortFull) : ArrayRef(kFull);
  }

  /// Two different head dimensions leave less room: fewer queries and shorter
  /// key tiles then.
  Choice fitting(Choice choice, int64_t queryDim, int64_t valueDim) {
    constexpr int64_t step = 16;
    if (!querySlots && !fits(choice, queryDim, valueDim))
      choice.querySlots = 1;
    while (choice.keyTile > step && !fits(choice, queryDim, valueDim))
      choice.keyTile -= step;
    return choice;
  }

  /// The options go first. Tiles that the table does not know go without what
  /// suits its own.
  Choice withOptions(Choice c) {
    auto pick = [](int64_t option, int64_t choice) {
      return option ? option : choice;
    };
    if (keyTile || consumers || stages) {
      c.dynamic = true;
      c.ahead = false;
      c.querySlots = c.blocks = 1;
      c.turns = false;
    }
    c.keyTile = pick(keyTile, c.keyTile);
    c.consumers = pick(consumers, c.consumers);
    c.stages = pick(stages, c.stages);
    c.querySlots = pick(querySlots, c.querySlots);
    c.blocks = pick(blocks, c.blocks);
    c.dynamic = dynamic < 0 ? c.dynamic : dynamic != 0;
    c.ahead = ahead < 0 ? c.ahead : ahead != 0;
    c.turns = turns < 0 ? c.turns : turns != 0;
    return c;
  }

  void choose(OnlineAttentionOp op, const Choice &c) {
    MLIRContext *context = &getContext();
    Type element = getElementTypeOrSelf(op.getQuery().getType());
    if (!(element.isBF16() || element.isF16()) || op->hasAttr(kScheduleName) ||
        op->hasAttr(kWarpsName))
      return;
    auto [ofProducer, ofConsumer] = registersOf(c.consumers, c.blocks);
    auto warps = WarpScheduleAttr::get(
        context, c.consumers, c.stages, ofProducer, ofConsumer, c.dynamic, lazy,
        overlap, c.ahead, c.querySlots, c.blocks, c.turns);
    op->setAttr(kWarpsName, warps);
    op->setAttr(kScheduleName,
                ScheduleAttr::get(context, LoopOrder::QueryOuter,
                                  /*query_tile=*/kBlockRows, c.keyTile,
                                  /*partial_sums=*/4));
  }
};

} // namespace
