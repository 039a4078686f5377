//===- ChooseGradientSchedule.cpp - which gradients get roles -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Transforms/BackwardTiles.h"
#include "fa/Transforms/ScoreBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUCHOOSEGRADIENTSCHEDULE
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

namespace {

enum class Mask { Any, None, Some };

/// What was fastest on an H200 (bench/gpu/gradients.py). In f16 dP - delta may
/// be past the largest number where dS is not; without packed scores, rows
/// ahead do not fit in registers at head dimension 128.
struct Defaults {
  int64_t headDim;
  bool isF16;
  Mask mask;
  int64_t stages, producerRegisters, queryRegisters, keyRegisters;
  int64_t foldDelta, packedScores, rowsAhead, deltaAhead, keySteps, scoreSteps,
      lateScores;

  static Defaults of(int64_t headDim, bool isF16, bool isMasked) {
    constexpr bool bf16 = false, f16 = true;
    constexpr Mask any = Mask::Any, none = Mask::None, some = Mask::Some;
    constexpr Defaults table[] = {
        // stages, registers; fold, packed, rows, delta; key, score, late
        {64, bf16, any, 4, 24, 72, 208, 1, 1, 0, 0, 2, 2, 2},
        {64, f16, any, 4, 24, 72, 208, 1, 0, 0, 0, 2, 2, 2},
        {96, bf16, any, 3, 24, 88, 200, 1, 1, 0, 0, 0, 2, 0},
        {96, f16, any, 3, 24, 88, 200, 1, 0, 0, 0, 0, 2, 0},
        {128, bf16, none, 3, 24, 72, 208, 1, 1, 0, 0, 0, 3, 2},
        {128, bf16, some, 3, 24, 72, 208, 0, 1, 2, 1, 0, 2, 2},
        {128, f16, any, 3, 24, 72, 208, 0, 0, 0, 0, 0, 2, 2},
        // What assembles without spills.
        {192, bf16, any, 3, 24, 104, 192, 0, 1, 1, 1, 0, 4, 0},
        {192, f16, any, 3, 24, 104, 192, 0, 0, 1, 1, 0, 4, 0},
        {256, bf16, any, 2, 24, 72, 208, 0, 1, 1, 1, 0, 2, 1},
        {256, f16, any, 2, 24, 72, 208, 0, 0, 1, 0, 0, 2, 1},
    };
    return *llvm::find_if(table, [&](const Defaults &row) {
      return row.headDim == headDim && row.isF16 == isF16 &&
             row.mask != (isMasked ? none : some);
    });
  }
};

/// Blocks that add up d_query together where the schedule says nothing and they
/// can.
constexpr int64_t kClusterByDefault = 2;

struct ChooseGradientSchedule
    : fa::impl::FAGPUChooseGradientScheduleBase<ChooseGradientSchedule> {
  using FAGPUChooseGradientScheduleBase::FAGPUChooseGradientScheduleBase;

  void runOnOperation() override {
    SmallVector<AttentionBackwardOp> ops;
    getOperation()->walk([&](AttentionBackwardOp op) { ops.push_back(op); });
    for (AttentionBackwardOp op : ops)
      if (canHaveRoles(op)) {
        if (failed(choose(op)))
          return signalPassFailure();
      } else if (only) {
        op.emitOpError("has no warp-specialised kernels for its gradients; the "
                       "target sm_80 has others, and so has this one with the "
                       "schedule gradients=roles");
        return signalPassFailure();
      }
  }

  static int64_t extentOf(AttentionBackwardOp op, OpOperand &operand, Dim dim) {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    int64_t at = positionOf(self.getMapOf(operand), dim);
    return at < 0 ? int64_t(-1)
                  : cast<ShapedType>(operand.get().getType()).getDimSize(at);
  }

  /// As any operand knows it; dynamic if none does.
  static int64_t extentOf(AttentionBackwardOp op, Dim dim) {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    for (OpOperand *operand : self.getMappedOperands()) {
      int64_t extent = extentOf(op, *operand, dim);
      if (extent >= 0)
        return extent;
    }
    return ShapedType::kDynamic;
  }

  static bool isLast(AttentionBackwardOp op, OpOperand &operand, Dim dim) {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    AffineMap map = self.getMapOf(operand);
    return positionOf(map, dim) ==
           static_cast<int64_t>(map.getNumResults()) - 1;
  }

  /// The tile program is then what --fagpu-specialize-gradients knows.
  bool canHaveRoles(AttentionBackwardOp op) {
    int64_t queryDim = extentOf(op, op.getQueryMutable(), D);
    int64_t valueDim = extentOf(op, op.getValueMutable(), E);
    int64_t rows = extentOf(op, M);
    bool hasWholeTiles = ShapedType::isDynamic(rows) || rows % kBlockRows == 0;
    // The tile program of one key tile asks for no block.
    int64_t keys = extentOf(op, N);
    bool hasKeyTiles = ShapedType::isDynamic(keys) || keys > kBlockRows;
    bool isKnown =
        isWide(op) ? canBeByOutput(op) && (queryDim == 192 || queryDim == 256)
                   : llvm::is_contained({64, 96, 128}, queryDim);
    bool isPair = valueDim == queryDim || (queryDim == 192 && valueDim == 128);
    return !op->hasAttr("fa.backward_schedule") && haveOneType(op) &&
           canHaveRolesFor(op) && isKnown && isPair && hasWholeTiles &&
           hasKeyTiles && isLast(op, op.getQueryMutable(), D) &&
           isLast(op, op.getKeyMutable(), D) &&
           isLast(op, op.getValueMutable(), E) &&
           isLast(op, op.getDOutMutable(), E) &&
           isLast(op, op.getLseMutable(), M) && haveColumnsLast(op) &&
           haveOneKeyEach(op) && haveTwoProducts(op);
  }

  static bool haveColumnsLast(AttentionBackwardOp op) {
    auto outputs = op.getOutputsMutable();
    return isLast(op, outputs[0], D) && isLast(op, outputs[1], D) &&
           isLast(op, outputs[2], E);
  }

  /// S and dP: of the same memory they would be one.
  static bool haveTwoProducts(AttentionBackwardOp op) {
    return op.getQuery() != op.getDOut() || op.getKey() != op.getValue();
  }

  /// A block's keys are of one batch and head, and nobody else's.
  static bool haveOneKeyEach(AttentionBackwardOp op) {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    auto headsOf = [&](OpOperand &operand) {
      return dimsOf(self.getMapOf(operand)) & dims(B, H);
    };
    DimSet heads = headsOf(op.getQueryMutable());
    return headsOf(op.getKeyMutable()) == heads &&
           headsOf(op.getValueMutable()) == heads &&
           headsOf(op.getLseMutable()) == heads;
  }

  /// Two sums do not fit in a warpgroup's registers.
  static bool isWide(AttentionBackwardOp op) {
    return extentOf(op, op.getQueryMutable(), D) > 128;
  }

  /// What is handed over is P: dS must be a product with it.
  bool canBeByOutput(AttentionBackwardOp op) {
    return byOutput != 0 &&
           cast<AttentionOpInterface>(op.getOperation()).hasPlainScore() &&
           !op.getScale() && !op.getBias() && !op.getMask() && !op.getSinks() &&
           !op.getAlibiSlopes() && op.getCaptures().empty() &&
           op.getMaskRegion().empty() && !op.getQueryLengths() &&
           !op.getKeyLengths() && !op.getDeterministic();
  }

  /// There is shared memory for what the other block sends, and there are
  /// registers for the product with it.
  static bool canBePaired(int64_t queryDim, int64_t valueDim) {
    return queryDim == 192 && valueDim == 128;
  }

  /// 16-bit tensors in memory.
  static bool haveOneType(AttentionBackwardOp op) {
    Type element = getElementTypeOrSelf(op.getQuery().getType());
    auto is = [&](Value v) {
      return isa<MemRefType>(v.getType()) &&
             getElementTypeOrSelf(v.getType()) == element;
    };
    return (element.isBF16() || element.isF16()) && op->getNumResults() == 0 &&
           is(op.getQuery()) && is(op.getKey()) && is(op.getValue()) &&
           is(op.getDOut()) && llvm::all_of(op.getOutputs(), is);
  }

  /// Sums of biases and captures are for other kernels; what scores are made of
  /// must be the same for all query tiles.
  static bool canHaveRolesFor(AttentionBackwardOp op) {
    if (op.getOutputs().size() != 3 || op.getQueryOffsets() ||
        op.getKeyOffsets())
      return false;
    // Their derivatives may be past the largest number where dS is not.
    Type element = getElementTypeOrSelf(op.getQuery().getType());
    if (!op.getScoreRegion().empty() &&
        (element.isF16() || !dependsOnProducts(op)))
      return false;
    if (!op.getMaskRegion().empty() && !canHaveMask(op))
      return false;
    auto self = cast<AttentionOpInterface>(op.getOperation());
    auto isOfKeys = [&](OpOperand &operand) {
      return positionOf(self.getMapOf(operand), M) < 0;
    };
    return llvm::all_of(op.getBiasMutable(), isOfKeys) &&
           llvm::all_of(op.getMaskMutable(), isOfKeys) &&
           llvm::all_of(op.getCapturesMutable(), [&](OpOperand &capture) {
             return !self.isWholeCapture(capture) && isOfKeys(capture);
           });
  }

  /// Else dS is 0, and nothing is left of the products that roles share.
  static bool dependsOnProducts(AttentionBackwardOp op) {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    return differentiateScore(self, {}).flowsTo(0);
  }

  /// What rows a block sees may follow from a mask region: it must be the same
  /// for all heads of a group; and blocks that add in order need ranges that do
  /// not descend. Where it hides everything there is nothing to share.
  static bool canHaveMask(AttentionBackwardOp op) {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    Operation *end = op.getMaskRegion().front().getTerminator();
    if (matchPattern(end->getOperand(0), m_Zero()))
      return false;
    bool asksForHead = op.getMaskRegion()
                           .walk([](IndexOp index) {
                             return index.getAxis() == Axis::Head
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           })
                           .wasInterrupted();
    return !op.getDeterministic() && !asksForHead &&
           llvm::none_of(op.getCapturesMutable(), [&](OpOperand &capture) {
             return positionOf(self.getMapOf(capture), G) >= 0;
           });
  }

  LogicalResult choose(AttentionBackwardOp op) {
    GradientScheduleAttr schedule = scheduleFor(op);
    if (!schedule)
      return failure();
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value possible = canAddress(b, op);
    auto branch = scf::IfOp::create(b, loc, possible, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    auto special = cast<AttentionBackwardOp>(b.clone(*op));
    MLIRContext *context = &getContext();
    special->setAttr("fa.backward_schedule",
                     BackwardScheduleAttr::get(context, kBlockRows, kBlockRows,
                                               QueryGradient::Atomic));
    special->setAttr(kCopyLseName, b.getUnitAttr());
    // One order of atomic additions is what the word asks for.
    if (op.getDeterministic()) {
      special.setDeterministic(false);
      special->setAttr(kOrderedSumsName, b.getUnitAttr());
    }
    special->setAttr(kGradientsName, schedule);
    op->moveBefore(branch.elseBlock()->getTerminator());
    return success();
  }

  /// Where the second-level cache is busy with additions, or blocks wait for
  /// each other anyway, it gains nothing.
  int64_t isInOneLaunch(AttentionBackwardOp op) {
    bool gains = extentOf(op, op.getQueryMutable(), D) == 128 &&
                 !op.getDeterministic() && persistent != 1;
    return oneLaunch < 0 ? gains : oneLaunch != 0;
  }

  /// Blocks that add in one order wait for those with smaller numbers, and
  /// wide heads keep the second-level cache busy with additions anyway.
  int64_t isPersistent(AttentionBackwardOp op) {
    bool canBe = !op.getDeterministic() && !isInOneLaunch(op);
    bool gains = !isWide(op) || isPaired(op);
    return canBe && (persistent < 0 ? gains : persistent != 0);
  }

  bool splits(AttentionBackwardOp op) {
    return isWide(op) || (byOutput == 1 && canBeByOutput(op));
  }

  /// Blocks of a pair would have to draw tickets together.
  int64_t blocksTogether() {
    if (cluster != 0)
      return cluster;
    return oneLaunch == 1 ? 1 : kClusterByDefault;
  }

  bool isPaired(AttentionBackwardOp op) {
    return splits(op) && blocksTogether() == 2 &&
           canBePaired(extentOf(op, op.getQueryMutable(), D),
                       extentOf(op, op.getValueMutable(), E));
  }

  /// Who counts rows from the last one needs more registers; steps of dS in
  /// registers are what d_query's warpgroup can do without. That rows are read
  /// ahead is what assembles without spills.
  static void makeRoomForOrder(Defaults &best) {
    if (best.headDim < 128) {
      best.producerRegisters += 16;
      best.keyRegisters -= 8;
      return;
    }
    best.producerRegisters += 8;
    best.queryRegisters -= 8;
    best.scoreSteps = 0;
    best.rowsAhead = std::max<int64_t>(best.rowsAhead, 1);
  }

  /// Null after an error.
  GradientScheduleAttr scheduleFor(AttentionBackwardOp op) {
    int64_t queryDim = extentOf(op, op.getQueryMutable(), D);
    Defaults best = Defaults::of(
        queryDim, getElementTypeOrSelf(op.getQuery().getType()).isF16(),
        op.getCausal() || op.getWindowLeft() || op.getWindowRight());
    if (op.getDeterministic())
      makeRoomForOrder(best);
    // So do who loads keys after keys, of several heads even, and who rounds.
    if (isPersistent(op) && best.headDim < 128) {
      int64_t more = extentOf(op, G) == 1 ? 16 : 24;
      best.producerRegisters += 2 * more;
      best.keyRegisters -= more;
    }
    // More arithmetic takes registers, too.
    auto self = cast<AttentionOpInterface>(op.getOperation());
    if (best.headDim == 128 &&
        (!self.hasPlainScore() || op.getMask() || !op.getMaskRegion().empty()))
      best.foldDelta = best.rowsAhead = best.deltaAhead = 0;
    // So do limits that are of a batch.
    if (best.headDim == 128 && (op.getQueryLengths() || op.getKeyLengths()))
      best.rowsAhead = std::min<int64_t>(best.rowsAhead, 1);
    auto choose = [](int64_t asked, int64_t otherwise) {
      return asked < 0 ? otherwise : asked;
    };
    auto chooseSize = [](int64_t asked, int64_t otherwise) {
      return asked == 0 ? otherwise : asked;
    };
    // The sum of narrower values takes less than that of keys.
    int64_t valueDim = extentOf(op, op.getValueMutable(), E);
    int64_t valueSize = best.keyRegisters;
    if (splits(op) && valueDim < queryDim) {
      best.queryRegisters = 136;
      valueSize = 160;
    }
    if (isPaired(op) && oneLaunch == 1) {
      op.emitError("schedule: one-launch=1 is for single blocks, and cluster=2 "
                   "asks for pairs of them; leave one of the two out");
      return {};
    }
    if (persistent == 1 && oneLaunch == 1) {
      op.emitError("schedule: one-launch=1 is for blocks of one tile each, and "
                   "persistent=1 asks for blocks of many; leave one of the two "
                   "out");
      return {};
    }
    if (isPaired(op)) {
      best.lateScores = 1;
      best.producerRegisters += 32;
      valueSize -= 8;
      best.queryRegisters -= 24;
    }
    constexpr int64_t stepColumns = 16;
    if (keySteps * stepColumns > queryDim) {
      op.emitError("schedule: key-steps=")
          << keySteps.getValue() << " is more than the "
          << queryDim / stepColumns << " steps of 16 that head dimension "
          << queryDim << " has";
      return {};
    }
    auto emitError = [&] { return op.emitError(); };
    return GradientScheduleAttr::getChecked(
        function_ref<InFlightDiagnostic()>(emitError), &getContext(),
        chooseSize(stages, best.stages), scoreStages.getValue(),
        best.producerRegisters, chooseSize(queryRegisters, best.queryRegisters),
        chooseSize(keyRegisters, best.keyRegisters),
        choose(foldDelta, best.foldDelta),
        choose(packedScores, best.packedScores),
        choose(rowsAhead, best.rowsAhead), choose(deltaAhead, best.deltaAhead),
        choose(keySteps, best.keySteps), choose(scoreSteps, best.scoreSteps),
        choose(lateScores, best.lateScores), int64_t(splits(op)),
        splits(op) ? chooseSize(valueRegisters, valueSize) : 0,
        splits(op) ? weightStages.getValue() : 0, int64_t(isPaired(op) ? 2 : 1),
        isInOneLaunch(op), prepareBlocks.getValue(), finishTiles.getValue(),
        finishLead.getValue(), isPersistent(op));
  }

  /// TMA moves all but lse and out; d_query in one launch only.
  Value canAddress(OpBuilder &b, AttentionBackwardOp op) {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    SmallVector<OpOperand *> moved = {
        &op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable(),
        &op.getDOutMutable()};
    auto outputs = op.getOutputsMutable();
    for (OpOperand *output : {&outputs[1], &outputs[2]})
      moved.push_back(output);
    if (isInOneLaunch(op))
      moved.push_back(&outputs[0]);
    Value result;
    for (OpOperand *operand : moved) {
      AffineMap map = self.getMapOf(*operand);
      int64_t column = std::max(positionOf(map, D), positionOf(map, E));
      Value holds = canAddressByTma(b, op.getLoc(), operand->get(), column);
      result =
          result
              ? arith::AndIOp::create(b, op.getLoc(), result, holds).getResult()
              : holds;
    }
    return result;
  }
};

} // namespace
