//===- GradientKeyRole.cpp - the roles that compute d_key, d_value --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GradientKeyRole.h"
#include "../FAGPU/Distribution.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

using Values = SmallVector<Value>;

KeyRole::State KeyRole::newCursors() {
  State state;
  state.cursor = CursorOp::create(b, loc, k.cursorType());
  state.scoreCursor = CursorOp::create(b, loc, k.scoreCursorType());
  return state;
}

void KeyRole::addSums(State &state) {
  state.dKey = zeros(k.source.movedTile(1));
  state.dValue = zeros(k.source.movedTile(2));
}

Values KeyRole::startCursors() {
  cursors = newCursors();
  return cursors.all();
}

LogicalResult KeyRole::storeSums(Scalars &scalars, State &state) {
  if (failed(store(scalars, k.source.dValue, state.dValue, k.dValues, warpgroup,
                   5)))
    return failure();
  return store(scalars, k.source.dKey, state.dKey, k.dKeys, warpgroup,
               kLastStored);
}

LogicalResult KeyRole::buildBlock(Scalars &role, const GradientBlock &block,
                                  Values &carried) {
  Scalars scalars = block.scalarsOf(b, k, role, warpgroup);
  if (failed(findRows(role, block)))
    return failure();
  State state = cursors.with(carried);
  addSums(state);
  takeKeys();
  auto body = [&](Scalars &inner, ValueRange values) -> FailureOr<Values> {
    if (failed(loadFixed(inner)))
      return failure();
    return buildLoops(inner, state.with(values));
  };
  FailureOr<Values> sums = forEachGroup(b, k, scalars, state.all(), body);
  if (failed(sums))
    return failure();
  state = state.with(*sums);
  // Where they do not take the place of keys.
  if (k.schedule.getByOutput())
    ReleaseOp::create(b, loc, k.keyRing, keyCursor);
  if (failed(storeSums(scalars, state)))
    return failure();
  carried = state.as(cursors);
  if (!k.schedule.getByOutput())
    ReleaseOp::create(b, loc, k.keyRing, keyCursor);
  return success();
}

LogicalResult KeyRole::loadFixed(Scalars &scalars) {
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

Value KeyRole::zeros(RankedTensorType like) {
  auto type = RankedTensorType::get(like.getShape(), b.getF32Type(),
                                    AccAttr::get(b.getContext()));
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(0)));
}

FailureOr<Values> KeyRole::buildLoops(Scalars &scalars, State state) {
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

Value KeyRole::readAhead(QueryLoop &part, Value cursor) {
  return k.schedule.getRowsAhead() ? readCols(part.lse, k.lse, cursor)
                                   : Value();
}

void KeyRole::issueFirst(State &state) {
  WaitFullOp::create(b, loc, k.queryRing, state.cursor, /*early=*/true,
                     /*again=*/false);
  Value scores = issueScores(state.cursor);
  state.scores = waitFor(scores).front();
}

LogicalResult KeyRole::buildLoop(QueryLoop &part, Scalars &scalars, Value from,
                                 Value until, State &state) {
  auto loop = scf::ForOp::create(b, part.loop.getLoc(), from, until,
                                 constant(kBlockRows), state.all());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  State inner = state.with(loop.getRegionIterArgs());
  if (failed(step(part, scalars, rowAt(loop.getInductionVar()), inner, false)))
    return failure();
  scf::YieldOp::create(b, loc, inner.all());
  state = state.with(loop.getResults());
  return success();
}

LogicalResult KeyRole::step(QueryLoop &part, const Scalars &outer, Value row,
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
  auto [dWeights, delta] = multiply(part, packed, state);
  // dS.
  FailureOr<Value> packedScores =
      scoresOf(part, scalars, factors->ofScores, dWeights, delta);
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

bool KeyRole::isTight() {
  constexpr int64_t tile = kBlockRows * kBlockRows / kGroupThreads,
                    addresses = 24;
  int64_t sums = (k.source.movedTile(1).getDimSize(1) +
                  k.source.movedTile(2).getDimSize(1)) /
                 2;
  // dP, P and the other factor of dS, packed.
  return k.schedule.getKeyRegisters() < sums + 2 * tile + addresses;
}

KeyRole::DWeights KeyRole::multiply(QueryLoop &part, Value packed,
                                    State &state) {
  Value at = state.cursor;
  bool isFull = &part == &k.source.full();
  bool folds = k.schedule.getFoldDelta() && isFull;
  auto issue = [&] { return issueDWeights(at, folds ? spread(at) : Value()); };
  // The loop over full tiles has registers for P's exact values beside dP, and
  // rounds them while the tensor cores compute that. Where there are none, the
  // sum of d_value comes first, and waits for rounded ones; with a second
  // factor of dS, it must have read them before dP takes their place.
  bool isAlone = isTight() && !part.weights;
  Value dWeights, delta;
  if (!isTight() || (isFull && !isAlone))
    dWeights = issue();
  Value dValue = multiplyInto(state.dValue, packed, k.dOuts, at);
  if (isAlone)
    state.dValue = waitFor(dValue).front();
  if (!dWeights)
    dWeights = issue();
  if (!folds && k.schedule.getDeltaAhead())
    delta = readCols(part.delta, k.delta, at);
  if (isAlone)
    dWeights = waitFor(dWeights).front();
  else
    std::tie(dWeights, state.dValue) = waitForBoth(dWeights, dValue);
  if (!folds && !delta)
    delta = readCols(part.delta, k.delta, at);
  return {dWeights, delta};
}

LogicalResult KeyRole::clearTail(LoadTileOp load, Scalars &scalars, RingOp ring,
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

void KeyRole::writeScores(Value packed, Value cursor) {
  AcquireOp::create(b, loc, k.scoreRing, cursor);
  StoreFragmentsOp::create(b, loc, packed, k.dScores, cursor, warpgroup,
                           /*unfenced=*/!fences() ||
                               k.schedule.getLateScores());
}

void KeyRole::publishAt(int64_t place, Value cursor, bool isLast) {
  int64_t chosen = k.schedule.getLateScores();
  if (isLast)
    chosen = std::min(chosen, kBehindKey);
  if (place == chosen)
    publish(cursor);
}

void KeyRole::publish(Value cursor) {
  if (fences() && k.schedule.getLateScores())
    FenceProxyOp::create(b, loc);
  int64_t bytes = 0;
  if (k.isPaired())
    bytes = SendOp::create(b, loc, k.dScores, cursor, kOwnTile, kOtherTile,
                           k.scoreRing)
                .getBytes();
  CommitOp::create(b, loc, k.scoreRing, cursor, b.getI64IntegerAttr(bytes));
}

std::pair<Value, Value> KeyRole::finish(QueryLoop &part, Value dKey,
                                        Value scores, Value next,
                                        State &state) {
  constexpr int64_t behindKey = 2;
  if (state.rows && k.schedule.getRowsAhead() == behindKey) {
    auto [sum, pending] = waitForFirst(dKey, scores);
    state.rows = readCols(part.lse, k.lse, next);
    return {sum, waitFor(pending).front()};
  }
  if (state.rows)
    state.rows = readCols(part.lse, k.lse, next);
  return waitForBoth(dKey, scores);
}

std::pair<Value, Value> KeyRole::waitForBoth(Value first, Value second) {
  Values both = waitFor({first, second});
  return {both[0], both[1]};
}

std::pair<Value, Value> KeyRole::waitForFirst(Value first, Value second) {
  auto pending = cast<PendingType>(first.getType());
  auto type = RankedTensorType::get(pending.getShape(), b.getF32Type(),
                                    AccAttr::get(b.getContext()));
  auto wait =
      WgmmaWaitOp::create(b, loc, TypeRange(type), TypeRange(second.getType()),
                          1, ValueRange(first), ValueRange(second));
  return {wait.getValues().front(), wait.getPending().front()};
}

Value KeyRole::spread(Value at) {
  auto type = RankedTensorType::get({kBlockRows, kBlockRows}, b.getF32Type(),
                                    AccAttr::get(b.getContext()));
  Value delta = ReadColsOp::create(b, loc, type, k.delta, at);
  return elementwise({delta}, [](OpBuilder &b, Location loc, ValueRange in) {
    return arith::NegFOp::create(b, loc, in[0]).getResult();
  });
}

Value KeyRole::elementwise(
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

FailureOr<KeyRole::Factors> KeyRole::factorsOf(QueryLoop &part,
                                               Scalars &scalars) {
  if (!part.weights)
    return bothFactors(part, scalars);
  if (failed(needScalars(part.weights, scalars)))
    return failure();
  Operation *weights = b.clone(*part.weights, scalars.map);
  computePositions(part, weights);
  Value packed = pack(weights->getResult(0));
  return Factors{packed, packed};
}

FailureOr<KeyRole::Factors> KeyRole::bothFactors(QueryLoop &part,
                                                 Scalars &scalars) {
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
  computePositions(part, both);
  return Factors{pack(both.getResult(0)), pack(both.getResult(1))};
}

void KeyRole::computePositions(QueryLoop &part, Operation *op) {
  if (k.source.groups && isTight() && &part != &k.source.full())
    op->setAttr(kOwnPositionsName, b.getI32IntegerAttr(positionsOf++));
}

Value KeyRole::multiplyFactor(QueryLoop &part, Value factor, Value dWeights,
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

FailureOr<Value> KeyRole::scoresOf(QueryLoop &part, Scalars &scalars,
                                   Value packed, Value dWeights, Value delta) {
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

Value KeyRole::subtract(Value tile, Value cols) {
  return elementwise(
      {tile, cols}, [](OpBuilder &b, Location loc, ValueRange in) {
        return arith::SubFOp::create(b, loc, in[0], in[1]).getResult();
      });
}

void KeyRole::readHead() {
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

PendingType KeyRole::pendingLike(Value tile) {
  return PendingType::get(b.getContext(),
                          cast<RankedTensorType>(tile.getType()).getShape(),
                          b.getF32Type());
}

Value KeyRole::issueScores(Value cursor) {
  auto type = PendingType::get(b.getContext(), {kBlockRows, kBlockRows},
                               b.getF32Type());
  return WgmmaOp::create(b, loc, type, k.keys, warpgroup, k.queries, cursor,
                         Value(), /*b_rows_are_k=*/false,
                         /*a_rows_are_k=*/false, /*tiles=*/1, Value(), head);
}

Value KeyRole::issueDWeights(Value cursor, Value start) {
  auto type = PendingType::get(b.getContext(), {kBlockRows, kBlockRows},
                               b.getF32Type());
  return WgmmaOp::create(b, loc, type, k.values, warpgroup, k.dOuts, cursor,
                         start, /*b_rows_are_k=*/false,
                         /*a_rows_are_k=*/false, /*tiles=*/1, Value(), Value());
}

Value KeyRole::multiplyInto(Value sum, Value a, SmemOp tiles, Value cursor) {
  return WgmmaOp::create(b, loc, pendingLike(sum), a, Value(), tiles, cursor,
                         sum, /*b_rows_are_k=*/true,
                         /*a_rows_are_k=*/false, /*tiles=*/1, Value(), Value());
}

Values KeyRole::waitFor(ValueRange pending) {
  SmallVector<Type> types;
  for (Value v : pending)
    types.push_back(
        RankedTensorType::get(cast<PendingType>(v.getType()).getShape(),
                              b.getF32Type(), AccAttr::get(b.getContext())));
  return Values(
      WgmmaWaitOp::create(b, loc, types, TypeRange(), 0, pending, ValueRange())
          .getValues());
}

Value KeyRole::readCols(LoadTileOp load, RowsOp rows, Value cursor) {
  return ReadColsOp::create(b, loc, load.getTile().getType(), rows, cursor);
}

Value KeyRole::pack(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = k.source.movedTile(0).getElementType();
  return PackOp::create(b, loc,
                        RankedTensorType::get(type.getShape(), element,
                                              AOpAttr::get(b.getContext())),
                        tile);
}

LogicalResult KeyRole::needScalars(linalg::GenericOp op, Scalars &scalars) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return success(llvm::all_of(
      used, [&](Value v) { return static_cast<bool>(scalars.get(b, v)); }));
}

FailureOr<Value> KeyRole::inFloat(linalg::GenericOp op, unsigned number,
                                  Scalars &scalars, QueryLoop *folded) {
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

LogicalResult KeyRole::store(Scalars &scalars, StoreTileOp store, Value sum,
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
                     /*drain=*/moved == kLastStored ||
                         k.schedule.getByOutput());
  return success();
}

LogicalResult fa::fagpu::buildKeyRole(GradientRoles &k) {
  return KeyRole(k).build(RoleKind::Consumer, k.tiles(),
                          k.schedule.getKeyRegisters());
}
