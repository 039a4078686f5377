//===- GradientOutputRoles.cpp - wide heads: a role per sum ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GradientKeyRole.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

namespace {

/// Of one key tile; a sum takes most registers of a warpgroup.
class OutputRole : public KeyRole {
public:
  using KeyRole::KeyRole;

protected:
  /// In the slot that the loader gives empty, of both rings one.
  LogicalResult storeInSlot(Scalars &scalars, StoreTileOp output, Value sum,
                            SmemOp smem, RingOp ring, State &state,
                            unsigned moved) {
    RingOp other = ring == k.queryRing ? k.dOutRing : k.queryRing;
    WaitFullOp::create(b, loc, other, state.cursor);
    ReleaseOp::create(b, loc, other, state.cursor);
    WaitFullOp::create(b, loc, ring, state.cursor);
    Value slot = SlotOp::create(b, loc, b.getI32Type(), state.cursor);
    if (failed(store(scalars, output, sum, smem, slot, moved)))
      return failure();
    ReleaseOp::create(b, loc, ring, state.cursor);
    state.cursor = AdvanceOp::create(b, loc, state.cursor);
    return success();
  }
};

/// S, P and d_value. Goes ahead of the other role as far as P's ring allows.
class ValueRole : public OutputRole {
public:
  using OutputRole::OutputRole;

private:
  State newCursors() override {
    State state;
    state.cursor = CursorOp::create(b, loc, k.cursorType());
    state.weightCursor = CursorOp::create(b, loc, k.weightCursorType());
    return state;
  }

  void addSums(State &state) override {
    state.dValue = zeros(k.source.movedTile(2));
  }

  LogicalResult step(QueryLoop &part, const Scalars &outer, Value row,
                     State &state, bool isLast) override {
    Scalars scalars = outer;
    scalars.map.map(part.loop.getInductionVar(), row);
    Value at = state.cursor;
    WaitFullOp::create(b, loc, k.queryRing, at, /*early=*/false,
                       /*again=*/true);
    scalars.map.map(part.lse.getTile(),
                    state.rows ? state.rows : readCols(part.lse, k.lse, at));
    scalars.map.map(part.scores.getResult(), state.scores);
    if (!part.weights)
      return part.dScores.emitError("machine stage: by output, dS must be a "
                                    "product with P");
    FailureOr<Factors> factors = factorsOf(part, scalars);
    if (failed(factors))
      return failure();
    Value packed = factors->weights;
    ReleaseOp::create(b, loc, k.queryRing, at);
    // Read by ordinary loads.
    AcquireOp::create(b, loc, k.weightRing, state.weightCursor);
    StoreFragmentsOp::create(b, loc, packed, k.weights, state.weightCursor,
                             warpgroup, /*unfenced=*/true);
    CommitOp::create(b, loc, k.weightRing, state.weightCursor,
                     b.getI64IntegerAttr(0));
    state.weightCursor = AdvanceOp::create(b, loc, state.weightCursor);
    WaitFullOp::create(b, loc, k.dOutRing, at);
    Value dValue = multiplyInto(state.dValue, packed, k.dOuts, at);
    Value next = AdvanceOp::create(b, loc, at);
    if (isLast) {
      state.dValue = waitFor({dValue})[0];
    } else {
      WaitFullOp::create(b, loc, k.queryRing, next, /*early=*/true,
                         /*again=*/false);
      Value scores = issueScores(next);
      std::tie(state.dValue, state.scores) =
          finish(part, dValue, scores, next, state);
    }
    ReleaseOp::create(b, loc, k.dOutRing, at);
    state.cursor = next;
    return success();
  }

  LogicalResult storeSums(Scalars &scalars, State &state) override {
    return storeInSlot(scalars, k.source.dValue, state.dValue, k.dValues,
                       k.dOutRing, state, 5);
  }
};

/// dP, dS and d_key.
class ScoreRole : public OutputRole {
public:
  using OutputRole::OutputRole;

private:
  State newCursors() override {
    State state = KeyRole::newCursors();
    state.weightCursor = CursorOp::create(b, loc, k.weightCursorType());
    return state;
  }

  void addSums(State &state) override {
    state.dKey = zeros(k.source.movedTile(1));
  }

  void issueFirst(State &state) override {
    Value dWeights = issueNext(state, state.cursor);
    state.scores = waitFor(dWeights).front();
  }

  Value readAhead(QueryLoop &part, Value cursor) override {
    bool reads = k.schedule.getDeltaAhead() && !k.schedule.getFoldDelta();
    return reads ? readCols(part.delta, k.delta, cursor) : Value();
  }

  /// dP, and delta if that is read ahead.
  Value issueNext(State &state, Value at) {
    WaitFullOp::create(b, loc, k.dOutRing, at, /*early=*/true,
                       /*again=*/false);
    bool folds = k.schedule.getFoldDelta();
    Value dWeights = issueDWeights(at, folds ? spread(at) : Value());
    if (state.rows)
      state.rows = readCols(k.source.loops.front().delta, k.delta, at);
    return dWeights;
  }

  LogicalResult step(QueryLoop &part, const Scalars &outer, Value row,
                     State &state, bool isLast) override {
    Scalars scalars = outer;
    scalars.map.map(part.loop.getInductionVar(), row);
    Value at = state.cursor;
    WaitFullOp::create(b, loc, k.dOutRing, at, /*early=*/false,
                       /*again=*/true);
    Value delta = state.rows;
    if (!delta && !k.schedule.getFoldDelta())
      delta = readCols(part.delta, k.delta, at);
    WaitFullOp::create(b, loc, k.weightRing, state.weightCursor);
    FailureOr<Value> packedScores = scoresOf(
        part, scalars, readWeights(state.weightCursor), state.scores, delta);
    if (failed(packedScores))
      return failure();
    ReleaseOp::create(b, loc, k.weightRing, state.weightCursor);
    ReleaseOp::create(b, loc, k.dOutRing, at);
    writeScores(*packedScores, state.scoreCursor);
    // The next keys wait for the last product with these.
    if (isLast)
      publish(state.scoreCursor);
    else
      publishAt(kAtOnce, state.scoreCursor);
    WaitFullOp::create(b, loc, k.queryRing, at);
    Value dKey = multiplyInto(state.dKey, *packedScores, k.queries, at);
    if (!isLast)
      publishAt(kBehindKey, state.scoreCursor);
    Value next = AdvanceOp::create(b, loc, at);
    if (isLast) {
      state.dKey = waitFor({dKey})[0];
    } else {
      Value dWeights = issueNext(state, next);
      publishAt(kBehindScores, state.scoreCursor);
      Values both = waitFor({dKey, dWeights});
      state.dKey = both[0];
      state.scores = both[1];
    }
    ReleaseOp::create(b, loc, k.queryRing, at);
    state.cursor = next;
    state.scoreCursor = AdvanceOp::create(b, loc, state.scoreCursor);
    state.weightCursor = AdvanceOp::create(b, loc, state.weightCursor);
    return success();
  }

  Value readWeights(Value cursor) {
    auto type = RankedTensorType::get({kBlockRows, kBlockRows},
                                      k.source.movedTile(0).getElementType(),
                                      AOpAttr::get(b.getContext()));
    return ReadFragmentsOp::create(b, loc, type, k.weights, cursor,
                                   /*rows_are_columns=*/false, /*tiles=*/1);
  }

  LogicalResult storeSums(Scalars &scalars, State &state) override {
    return storeInSlot(scalars, k.source.dKey, state.dKey, k.dKeys, k.queryRing,
                       state, kLastStored);
  }
};

} // namespace

LogicalResult fa::fagpu::buildOutputRoles(GradientRoles &k) {
  if (failed(ValueRole(k).build(RoleKind::Consumer, 1,
                                k.schedule.getValueRegisters())))
    return failure();
  return ScoreRole(k).build(RoleKind::Consumer, 1,
                            k.schedule.getKeyRegisters());
}
