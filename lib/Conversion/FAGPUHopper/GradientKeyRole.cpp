//===- GradientKeyRole.cpp - the roles that compute d_key, d_value --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GradientRole.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

using Values = SmallVector<Value>;

namespace {

//===----------------------------------------------------------------------===//

class KeyRole : public RoleBuilder {
public:
  using RoleBuilder::RoleBuilder;

protected:
  /// What the loops over query tiles carry, or null: cursors, sums, the product
  /// that was issued a tile ahead (S), its rows (lse) if they are read ahead.
  struct State {
    Value cursor, scoreCursor, weightCursor, dKey, dValue, scores, rows;

    std::array<Value *, 7> members() {
      return {&cursor, &scoreCursor, &weightCursor, &dKey,
              &dValue, &scores,      &rows};
    }
    Values all() {
      Values values;
      for (Value *member : members())
        if (*member)
          values.push_back(*member);
      return values;
    }
    /// The same members with other values.
    State with(ValueRange values) const {
      State state = *this;
      for (Value *member : state.members())
        if (*member) {
          *member = values.front();
          values = values.drop_front();
        }
      return state;
    }
  };

  virtual State start() {
    State state;
    state.cursor = CursorOp::create(b, loc, k.cursorType());
    state.scoreCursor = CursorOp::create(b, loc, k.scoreCursorType());
    state.dKey = zeros(k.source.movedTile(1));
    state.dValue = zeros(k.source.movedTile(2));
    return state;
  }

  virtual LogicalResult storeSums(Scalars &scalars, State sums) {
    if (failed(store(scalars, k.source.dValue, sums.dValue, k.dValues,
                     warpgroup, 5)))
      return failure();
    return store(scalars, k.source.dKey, sums.dKey, k.dKeys, warpgroup,
                 kLastStored);
  }

  LogicalResult buildBlock(Scalars &role, const GradientBlock &block) override {
    Scalars scalars = block.scalarsOf(b, k, role, warpgroup);
    if (failed(findRows(role, block)))
      return failure();
    State state = start();
    auto body = [&](Scalars &inner, ValueRange carried) -> FailureOr<Values> {
      if (failed(loadFixed(inner)))
        return failure();
      return buildLoops(inner, state.with(carried));
    };
    FailureOr<Values> sums = forEachGroup(b, k, scalars, state.all(), body);
    if (failed(sums) || failed(storeSums(scalars, state.with(*sums))))
      return failure();
    ReleaseOp::create(b, loc, k.keyRing, keyCursor);
    return success();
  }

  /// What is the same for all query tiles.
  LogicalResult loadFixed(Scalars &scalars) {
    for (QueryLoop &part : k.source.loops)
      for (Value v : part.fixed) {
        auto load = v.getDefiningOp<LoadTileOp>();
        if (scalars.map.contains(v))
          continue;
        auto isKnown = [&](Value operand) {
          return static_cast<bool>(scalars.get(b, operand));
        };
        if (!(load ? llvm::all_of(load->getOperands(), isKnown) : isKnown(v)))
          return failure();
        if (load)
          b.clone(*load, scalars.map);
      }
    return success();
  }

  Value zeros(RankedTensorType like) {
    auto type = RankedTensorType::get(like.getShape(), b.getF32Type(),
                                      AccAttr::get(b.getContext()));
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(0)));
  }

  /// Masked tiles, full ones, masked ones; the last tile, which issues no
  /// scores of a next one, by itself.
  FailureOr<Values> buildLoops(Scalars &scalars, State state) {
    I32Builder i(b, loc);
    issueFirst(state);
    Value last = i.add(end, -kBlockRows), from = begin;
    QueryLoop &full = k.source.full(), &general = k.source.general();
    // Registers are scarce, and the masked copies have no use for speed.
    auto upTo = [&](QueryLoop &part, Value until) {
      if (&part == &full) {
        readHead();
        state.rows = readAhead(part, state.cursor);
      }
      LogicalResult built = buildLoop(part, scalars, from, until, state);
      head = state.rows = Value();
      from = until;
      return built;
    };
    if (&full != &general) {
      Value ends[] = {scalars.getI32(b, full.loop.getLowerBound()),
                      scalars.getI32(b, full.loop.getUpperBound())};
      if (!ends[0] || !ends[1])
        return failure();
      if (k.isOrdered()) {
        Value sum = i.add(begin, end);
        std::swap(ends[0], ends[1]);
        for (Value &at : ends)
          at = i.sub(sum, at);
      }
      for (Value &at : ends) {
        at = arith::MaxSIOp::create(b, loc, at, begin);
        at = arith::MinSIOp::create(b, loc, at, last);
      }
      ends[1] = arith::MaxSIOp::create(b, loc, ends[0], ends[1]);
      QueryLoop &first =
          k.isOrdered() ? k.source.loops.back() : k.source.loops.front();
      if ((&full != &first && failed(upTo(general, ends[0]))) ||
          failed(upTo(full, ends[1])))
        return failure();
    }
    if (failed(upTo(general, last)) ||
        failed(step(general, scalars, rowAt(last), state, /*isLast=*/true)))
      return failure();
    state.scores = Value();
    return state.all();
  }

  /// Rows that a step of the loop over full tiles starts with, if any.
  virtual Value readAhead(QueryLoop &part, Value cursor) {
    return k.schedule.getRowsAhead() ? readCols(part.lse, k.lse, cursor)
                                     : Value();
  }

  /// What the first tile's step starts from.
  virtual void issueFirst(State &state) {
    WaitFullOp::create(b, loc, k.queryRing, state.cursor, /*early=*/true,
                       /*again=*/false);
    Value scores = issueScores(state.cursor);
    state.scores = waitFor(scores).front();
  }

  LogicalResult buildLoop(QueryLoop &part, Scalars &scalars, Value from,
                          Value until, State &state) {
    auto loop = scf::ForOp::create(b, part.loop.getLoc(), from, until,
                                   constant(kBlockRows), state.all());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    State inner = state.with(loop.getRegionIterArgs());
    if (failed(
            step(part, scalars, rowAt(loop.getInductionVar()), inner, false)))
      return failure();
    scf::YieldOp::create(b, loc, inner.all());
    state = state.with(loop.getResults());
    return success();
  }

  //===--------------------------------------------------------------------===//
  // One query tile
  //===--------------------------------------------------------------------===//

  virtual LogicalResult step(QueryLoop &part, const Scalars &outer, Value row,
                             State &state, bool isLast) {
    Scalars scalars = outer;
    scalars.map.map(part.loop.getInductionVar(), row);
    Value at = state.cursor;
    WaitFullOp::create(b, loc, k.queryRing, at, /*early=*/false,
                       /*again=*/true);
    if (failed(clearTail(part.query, scalars, k.queryRing, k.queries, at)))
      return failure();
    scalars.map.map(part.lse.getTile(),
                    state.rows ? state.rows : readCols(part.lse, k.lse, at));
    scalars.map.map(part.scores.getResult(), state.scores);
    FailureOr<Factors> factors = factorsOf(part, scalars);
    if (failed(factors))
      return failure();
    Value packed = factors->weights;
    // dP and d_value.
    WaitFullOp::create(b, loc, k.dOutRing, at);
    if (failed(clearTail(part.dOut, scalars, k.dOutRing, k.dOuts, at)))
      return failure();
    bool folds = k.schedule.getFoldDelta() && &part == &k.source.full();
    Value start = folds ? spread(at) : Value();
    Value dWeights = issueDWeights(at, start);
    Value dValue = multiplyInto(state.dValue, packed, k.dOuts, at);
    Value delta = !folds && k.schedule.getDeltaAhead()
                      ? readCols(part.delta, k.delta, at)
                      : Value();
    Values done = waitFor({dWeights, dValue});
    if (!folds && !delta)
      delta = readCols(part.delta, k.delta, at);
    state.dValue = done[1];
    // dS.
    FailureOr<Value> packedScores =
        scoresOf(part, scalars, factors->ofScores, done[0], delta);
    if (failed(packedScores))
      return failure();
    ReleaseOp::create(b, loc, k.dOutRing, at);
    writeScores(*packedScores, state.scoreCursor);
    publishAt(kAtOnce, state.scoreCursor);
    // d_key and the scores of the next tile.
    Value dKey = multiplyInto(state.dKey, *packedScores, k.queries, at);
    publishAt(kBehindKey, state.scoreCursor, isLast);
    Value next = AdvanceOp::create(b, loc, at);
    if (isLast) {
      state.dKey = waitFor({dKey})[0];
    } else {
      WaitFullOp::create(b, loc, k.queryRing, next, /*early=*/true,
                         /*again=*/false);
      Value scores = issueScores(next);
      publishAt(kBehindScores, state.scoreCursor);
      std::tie(state.dKey, state.scores) =
          finish(part, dKey, scores, next, state);
    }
    ReleaseOp::create(b, loc, k.queryRing, at);
    state.cursor = next;
    state.scoreCursor = AdvanceOp::create(b, loc, state.scoreCursor);
    return success();
  }

  /// What lies past a length may be NaN, and d_key and d_value are sums over
  /// rows.
  LogicalResult clearTail(LoadTileOp load, Scalars &scalars, RingOp ring,
                          SmemOp smem, Value cursor) {
    if (!load.getLimit())
      return success();
    Value limit = scalars.getI32(b, load.getLimit());
    Value row = scalars.getI32(b, load.getOffsets()[load.getTileDims()[0]]);
    if (!limit || !row)
      return failure();
    ClearTailOp::create(b, loc, ring, cursor, smem,
                        I32Builder(b, loc).sub(limit, row), Value());
    return success();
  }

  /// Where dS is handed over: `late_scores`.
  static constexpr int64_t kAtOnce = 0, kBehindKey = 1, kBehindScores = 2;

  /// What is sent to the other block is read by a copy, of the asynchronous
  /// proxy.
  bool fences() { return k.isPaired() || !k.readsAllScores(); }

  void writeScores(Value packed, Value cursor) {
    AcquireOp::create(b, loc, k.scoreRing, cursor);
    StoreFragmentsOp::create(b, loc, packed, k.dScores, cursor, warpgroup,
                             /*unfenced=*/!fences() ||
                                 k.schedule.getLateScores());
  }

  /// Late, the fence waits for the stores while the tensor cores are busy. The
  /// last tile has no next scores.
  void publishAt(int64_t place, Value cursor, bool isLast = false) {
    int64_t chosen = k.schedule.getLateScores();
    if (isLast)
      chosen = std::min(chosen, kBehindKey);
    if (place != chosen)
      return;
    if (fences() && k.schedule.getLateScores())
      FenceProxyOp::create(b, loc);
    int64_t bytes = 0;
    if (k.isPaired())
      bytes = SendOp::create(b, loc, k.dScores, cursor, kOwnTile, kOtherTile,
                             k.scoreRing)
                  .getBytes();
    CommitOp::create(b, loc, k.scoreRing, cursor, b.getI64IntegerAttr(bytes));
  }

  /// Waits for d_key and the next tile's scores. What is read ahead takes
  /// registers: fewer when d_key's operand is not needed any more.
  std::pair<Value, Value> finish(QueryLoop &part, Value dKey, Value scores,
                                 Value next, State &state) {
    constexpr int64_t behindKey = 2;
    if (state.rows && k.schedule.getRowsAhead() == behindKey) {
      auto [sum, pending] = waitForFirst(dKey, scores);
      state.rows = readCols(part.lse, k.lse, next);
      return {sum, waitFor(pending).front()};
    }
    if (state.rows)
      state.rows = readCols(part.lse, k.lse, next);
    Values both = waitFor({dKey, scores});
    return {both[0], both[1]};
  }

  std::pair<Value, Value> waitForFirst(Value first, Value second) {
    auto pending = cast<PendingType>(first.getType());
    auto type = RankedTensorType::get(pending.getShape(), b.getF32Type(),
                                      AccAttr::get(b.getContext()));
    auto wait = WgmmaWaitOp::create(b, loc, TypeRange(type),
                                    TypeRange(second.getType()), 1,
                                    ValueRange(first), ValueRange(second));
    return {wait.getValues().front(), wait.getPending().front()};
  }

  /// -delta, which the sums of dP start from. Of rows alone: it moves to where
  /// delta is computed.
  Value spread(Value at) {
    auto type = RankedTensorType::get({kBlockRows, kBlockRows}, b.getF32Type(),
                                      AccAttr::get(b.getContext()));
    Value delta = ReadColsOp::create(b, loc, type, k.delta, at);
    return elementwise({delta}, [](OpBuilder &b, Location loc, ValueRange in) {
      return arith::NegFOp::create(b, loc, in[0]).getResult();
    });
  }

  /// Of the first tile's type; others may be numbers of columns.
  Value elementwise(
      Values tiles,
      llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
    auto type = cast<RankedTensorType>(tiles.front().getType());
    Value init = tensor::EmptyOp::create(
        b, loc, type.getShape(), type.getElementType(), type.getEncoding());
    AffineMap all = b.getMultiDimIdentityMap(2);
    SmallVector<AffineMap> maps;
    for (Value tile : tiles)
      maps.push_back(cast<RankedTensorType>(tile.getType()).getRank() == 2
                         ? all
                         : AffineMap::get(2, 0, b.getAffineDimExpr(1)));
    maps.push_back(all);
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, loc, TypeRange(type), tiles, ValueRange(init), maps, loops,
               [&](OpBuilder &b, Location loc, ValueRange in) {
                 linalg::YieldOp::create(b, loc, body(b, loc, in));
               })
        .getResult(0);
  }

  /// Packed: P, and what times dP - delta is dS. Mostly that is P, too.
  struct Factors {
    Value weights, ofScores;
  };

  FailureOr<Factors> factorsOf(QueryLoop &part, Scalars &scalars) {
    if (!part.weights)
      return bothFactors(part, scalars);
    if (failed(needScalars(part.weights, scalars)))
      return failure();
    Value packed = pack(b.clone(*part.weights, scalars.map)->getResult(0));
    return Factors{packed, packed};
  }

  /// dS is linear in dP - delta: its factor is what it is for 1.
  FailureOr<Factors> bothFactors(QueryLoop &part, Scalars &scalars) {
    linalg::GenericOp op = part.dScores;
    if (failed(needScalars(op, scalars)))
      return failure();
    Values inputs;
    SmallVector<AffineMap> maps;
    SmallVector<BlockArgument> arguments;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (input->get() == part.delta.getTile() ||
          input->get() == part.dWeights.getResult())
        continue;
      inputs.push_back(scalars.map.lookup(input->get()));
      maps.push_back(op.getMatchingIndexingMap(input));
      arguments.push_back(op.getMatchingBlockArgument(input));
    }
    auto type = cast<RankedTensorType>(
        scalars.map.lookup(part.scores.getResult()).getType());
    maps.append(2, b.getMultiDimIdentityMap(type.getRank()));
    Value init = tensor::EmptyOp::create(
        b, loc, type.getShape(), type.getElementType(), type.getEncoding());
    auto body = [&](OpBuilder &inside, Location at, ValueRange here) {
      IRMapping map = scalars.map;
      for (auto [from, to] : llvm::zip(arguments, here))
        map.map(from, to);
      Value one = arith::ConstantOp::create(inside, at, b.getF32FloatAttr(1));
      for (Operation &nested : op.getBody()->without_terminator())
        if (part.isDifference(&nested))
          map.map(nested.getResult(0), one);
        else
          inside.clone(nested, map);
      Values results;
      for (unsigned number : {part.weightsResult(), part.dScoresResult()}) {
        Value rounded = op.getBody()->getTerminator()->getOperand(number);
        results.push_back(
            map.lookup(rounded.getDefiningOp<arith::TruncFOp>().getIn()));
      }
      linalg::YieldOp::create(inside, at, results);
    };
    auto both = linalg::GenericOp::create(b, loc, TypeRange{type, type}, inputs,
                                          ValueRange{init, init}, maps,
                                          op.getIteratorTypesArray(), body);
    return Factors{pack(both.getResult(0)), pack(both.getResult(1))};
  }

  /// The product with dP - delta; null: dP has lost delta already.
  Value multiplyFactor(QueryLoop &part, Value factor, Value dWeights,
                       Value delta) {
    bool hides = part.hidesSome();
    if (k.schedule.getPackedScores() && !hides)
      return MulPackedOp::create(
          b, loc, factor, pack(delta ? subtract(dWeights, delta) : dWeights));
    Values inputs = {
        UnpackOp::create(b, loc, dWeights.getType(), factor).getResult(),
        dWeights};
    if (delta)
      inputs.push_back(delta);
    auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Value {
      Value rest = in[1];
      if (delta)
        rest = arith::SubFOp::create(b, loc, rest, in[2]);
      Value product = arith::MulFOp::create(b, loc, in[0], rest);
      if (!hides)
        return product;
      // What is hidden may be NaN.
      Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
      Value isHidden =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, in[0], zero);
      return arith::SelectOp::create(b, loc, isHidden, zero, product);
    };
    return pack(elementwise(inputs, body));
  }

  /// dS of its factor and dP, from which delta is subtracted if it is null.
  FailureOr<Value> scoresOf(QueryLoop &part, Scalars &scalars, Value packed,
                            Value dWeights, Value delta) {
    if (!part.weights)
      return multiplyFactor(part, packed, dWeights, delta);
    auto type = cast<RankedTensorType>(dWeights.getType());
    bool isProduct = part.isProductWithDifference();
    if (!delta && !part.hasDifference())
      return part.dScores.emitError("machine stage: delta is not subtracted "
                                    "from dP");
    scalars.map.map(part.dWeights.getResult(), dWeights);
    if (k.schedule.getPackedScores() && isProduct)
      return Value(MulPackedOp::create(
          b, loc, packed, pack(delta ? subtract(dWeights, delta) : dWeights)));
    Value exact = UnpackOp::create(b, loc, type, packed);
    scalars.map.map(part.weights.getResult(0), exact);
    scalars.map.map(part.delta.getTile(), delta);
    FailureOr<Value> dScores = inFloat(part.dScores, part.dScoresResult(),
                                       scalars, delta ? nullptr : &part);
    if (failed(dScores))
      return failure();
    return pack(*dScores);
  }

  Value subtract(Value tile, Value cols) {
    return elementwise(
        {tile, cols}, [](OpBuilder &b, Location loc, ValueRange in) {
          return arith::SubFOp::create(b, loc, in[0], in[1]).getResult();
        });
  }

  /// The first columns of the keys, that scores read them from registers.
  void readHead() {
    int64_t steps = k.schedule.getKeySteps();
    head = {};
    if (steps == 0)
      return;
    RankedTensorType tile = k.source.movedTile(1);
    auto type = RankedTensorType::get({kBlockRows, steps * kStepColumns},
                                      tile.getElementType(),
                                      AOpAttr::get(b.getContext()));
    head = ReadFragmentsOp::create(b, loc, type, k.keys, warpgroup,
                                   /*rows_are_columns=*/false, /*tiles=*/1);
  }

  PendingType pendingLike(Value tile) {
    return PendingType::get(b.getContext(),
                            cast<RankedTensorType>(tile.getType()).getShape(),
                            b.getF32Type());
  }

  Value issueScores(Value cursor) {
    auto type = PendingType::get(b.getContext(), {kBlockRows, kBlockRows},
                                 b.getF32Type());
    return WgmmaOp::create(b, loc, type, k.keys, warpgroup, k.queries, cursor,
                           Value(), /*b_rows_are_k=*/false,
                           /*a_rows_are_k=*/false, /*tiles=*/1, Value(), head);
  }

  /// dP, from `start` on.
  Value issueDWeights(Value cursor, Value start) {
    auto type = PendingType::get(b.getContext(), {kBlockRows, kBlockRows},
                                 b.getF32Type());
    return WgmmaOp::create(b, loc, type, k.values, warpgroup, k.dOuts, cursor,
                           start, /*b_rows_are_k=*/false,
                           /*a_rows_are_k=*/false, /*tiles=*/1, Value(),
                           Value());
  }

  Value multiplyInto(Value sum, Value a, SmemOp tiles, Value cursor) {
    return WgmmaOp::create(b, loc, pendingLike(sum), a, Value(), tiles, cursor,
                           sum, /*b_rows_are_k=*/true,
                           /*a_rows_are_k=*/false, /*tiles=*/1, Value(),
                           Value());
  }

  Values waitFor(ValueRange pending) {
    SmallVector<Type> types;
    for (Value v : pending)
      types.push_back(
          RankedTensorType::get(cast<PendingType>(v.getType()).getShape(),
                                b.getF32Type(), AccAttr::get(b.getContext())));
    return Values(WgmmaWaitOp::create(b, loc, types, TypeRange(), 0, pending,
                                      ValueRange())
                      .getValues());
  }

  Value readCols(LoadTileOp load, RowsOp rows, Value cursor) {
    return ReadColsOp::create(b, loc, load.getTile().getType(), rows, cursor);
  }

  Value pack(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    Type element = k.source.movedTile(0).getElementType();
    return PackOp::create(b, loc,
                          RankedTensorType::get(type.getShape(), element,
                                                AOpAttr::get(b.getContext())),
                          tile);
  }

  //===--------------------------------------------------------------------===//
  // Elementwise
  //===--------------------------------------------------------------------===//

  /// Scalars that the body of `op` refers to.
  LogicalResult needScalars(linalg::GenericOp op, Scalars &scalars) {
    SetVector<Value> used;
    getUsedValuesDefinedAbove(op->getRegions(), used);
    return success(llvm::all_of(
        used, [&](Value v) { return static_cast<bool>(scalars.get(b, v)); }));
  }

  /// What result `number` of `op` is before it is rounded. With `folded`, dP
  /// is what it is without delta.
  FailureOr<Value> inFloat(linalg::GenericOp op, unsigned number,
                           Scalars &scalars, QueryLoop *folded = nullptr) {
    Value rounded = op.getBody()->getTerminator()->getOperand(number);
    auto rounding = rounded.getDefiningOp<arith::TruncFOp>();
    if (!rounding || !rounding.getIn().getType().isF32())
      return op.emitError("machine stage: this tile is not rounded from f32");
    if (failed(needScalars(op, scalars)))
      return failure();
    auto like = cast<RankedTensorType>(op.getResult(number).getType());
    auto type = RankedTensorType::get(like.getShape(), b.getF32Type(),
                                      AccAttr::get(b.getContext()));
    Values inputs;
    SmallVector<AffineMap> maps;
    SmallVector<BlockArgument> arguments;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (folded && input->get() == folded->delta.getTile())
        continue;
      inputs.push_back(scalars.map.lookupOrDefault(input->get()));
      maps.push_back(op.getMatchingIndexingMap(input));
      arguments.push_back(op.getMatchingBlockArgument(input));
    }
    maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(number)));
    Value init = tensor::EmptyOp::create(
        b, loc, type.getShape(), type.getElementType(), type.getEncoding());
    auto body = [&](OpBuilder &inside, Location at, ValueRange here) {
      IRMapping map = scalars.map;
      for (auto [from, to] : llvm::zip(arguments, here))
        map.map(from, to);
      for (Operation &nested : op.getBody()->without_terminator())
        if (folded && folded->isDifference(&nested))
          map.map(nested.getResult(0), map.lookup(nested.getOperand(0)));
        else
          inside.clone(nested, map);
      linalg::YieldOp::create(inside, at, map.lookup(rounding.getIn()));
    };
    return linalg::GenericOp::create(b, loc, TypeRange(type), inputs,
                                     ValueRange(init), maps,
                                     op.getIteratorTypesArray(), body)
        .getResult(0);
  }

  Value head;
  /// d_key: its memory is the loader's again.
  static constexpr unsigned kLastStored = 4;

  /// Rounds a sum on the way to memory.
  LogicalResult store(Scalars &scalars, StoreTileOp store, Value sum,
                      SmemOp smem, Value index, unsigned moved) {
    auto rounding = store.getTile().getDefiningOp<linalg::GenericOp>();
    Scalars inner = scalars;
    inner.map.map(rounding.getDpsInputs()[0], sum);
    FailureOr<Value> tile = inFloat(rounding, 0, inner);
    Values at = coordinates(inner, store, store.getDestination());
    if (failed(tile) || at.empty())
      return failure();
    TmaStoreOp::create(b, loc, *tile, smem, index, k.maps[moved], at.front(),
                       ArrayRef(at).drop_front(), Value(),
                       /*drain=*/moved == kLastStored);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// By output: d_value and P, d_key and dS
//===----------------------------------------------------------------------===//

/// Of one key tile; a sum takes most registers of a warpgroup.
class OutputRole : public KeyRole {
public:
  using KeyRole::KeyRole;

protected:
  /// In the slot after the last: what it held is not read any more when both
  /// roles have released it, and the loader has no more.
  LogicalResult storeInSlot(Scalars &scalars, StoreTileOp output, Value sum,
                            SmemOp smem, RingOp ring, Value cursor,
                            unsigned moved) {
    AcquireOp::create(b, loc, ring, cursor, /*last=*/true);
    Value slot = SlotOp::create(b, loc, b.getI32Type(), cursor);
    return store(scalars, output, sum, smem, slot, moved);
  }
};

/// S, P and d_value. Goes ahead of the other role as far as P's ring allows.
class ValueRole : public OutputRole {
public:
  using OutputRole::OutputRole;

private:
  State start() override {
    State state;
    state.cursor = CursorOp::create(b, loc, k.cursorType());
    state.weightCursor = CursorOp::create(b, loc, k.weightCursorType());
    state.dValue = zeros(k.source.movedTile(2));
    return state;
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

  LogicalResult storeSums(Scalars &scalars, State sums) override {
    return storeInSlot(scalars, k.source.dValue, sums.dValue, k.dValues,
                       k.dOutRing, sums.cursor, 5);
  }
};

/// dP, dS and d_key.
class ScoreRole : public OutputRole {
public:
  using OutputRole::OutputRole;

private:
  State start() override {
    State state;
    state.cursor = CursorOp::create(b, loc, k.cursorType());
    state.scoreCursor = CursorOp::create(b, loc, k.scoreCursorType());
    state.weightCursor = CursorOp::create(b, loc, k.weightCursorType());
    state.dKey = zeros(k.source.movedTile(1));
    return state;
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
    publishAt(kAtOnce, state.scoreCursor);
    WaitFullOp::create(b, loc, k.queryRing, at);
    Value dKey = multiplyInto(state.dKey, *packedScores, k.queries, at);
    publishAt(kBehindKey, state.scoreCursor, isLast);
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

  LogicalResult storeSums(Scalars &scalars, State sums) override {
    return storeInSlot(scalars, k.source.dKey, sums.dKey, k.dKeys, k.queryRing,
                       sums.cursor, kLastStored);
  }
};

} // namespace

LogicalResult fa::fagpu::buildKeyRole(GradientRoles &k) {
  return KeyRole(k).build(RoleKind::Consumer, k.tiles(),
                          k.schedule.getKeyRegisters());
}
LogicalResult fa::fagpu::buildOutputRoles(GradientRoles &k) {
  if (failed(ValueRole(k).build(RoleKind::Consumer, 1,
                                k.schedule.getValueRegisters())))
    return failure();
  return ScoreRole(k).build(RoleKind::Consumer, 1,
                            k.schedule.getKeyRegisters());
}
