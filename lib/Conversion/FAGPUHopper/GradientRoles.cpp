//===- GradientRoles.cpp - what warpgroups do for the gradients -----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GradientKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

using Values = SmallVector<Value>;

GradientRoles::GradientRoles(GradientTiles &source,
                             GradientScheduleAttr schedule,
                             TileKernel &function)
    : source(source), schedule(schedule), shared(function, {}) {}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static Value toIndex(OpBuilder &b, Location loc, Value v) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), v);
}

/// The first keys of a causal mask are seen by the most queries.
GradientBlock GradientBlock::decode(OpBuilder &b, GradientRoles &roles,
                                    Value number) {
  I32Builder i(b, number.getLoc());
  auto [pair, y, z] = GroupOfSlice::decode(b, roles.shared, number);
  GradientBlock block{i.mul(pair, roles.tiles()), y, z, {}, {}, {}};
  if (!roles.isOrdered())
    return block;
  auto narrow = [&](Value v) {
    return b.createOrFold<arith::IndexCastOp>(number.getLoc(), b.getI32Type(),
                                              v);
  };
  auto times = [&](Value v, Value by) -> Value {
    return arith::MulIOp::create(b, number.getLoc(), v, by);
  };
  Value slice = i.add(times(narrow(z), roles.shared.gridY), narrow(y));
  block.count = i.add(times(slice, roles.shared.groups), pair);
  block.isFirst = i.less(pair, i.constant(1));
  block.countBefore = arith::SelectOp::create(
      b, number.getLoc(), block.isFirst, block.count, i.add(block.count, -1));
  return block;
}

/// A tile past the end starts behind the last key: all of it is masked.
Scalars GradientBlock::scalarsOf(OpBuilder &b, GradientRoles &k, Scalars &role,
                                 Value tile) const {
  I32Builder i(b, tile.getLoc());
  Value number = i.add(first, tile);
  Value x =
      k.source.ascends ? number : i.sub(i.add(k.shared.gridX, -1), number);
  return role.inBlock(toIndex(b, tile.getLoc(), x), y, z);
}

std::pair<Value, Value> fa::fagpu::blockRows(OpBuilder &b, GradientRoles &k,
                                             Scalars &role,
                                             const GradientBlock &block) {
  Location loc = k.source.function.getLoc();
  I32Builder i(b, loc);
  Value begin, end;
  int64_t tiles = k.shared.rangesDiffer ? k.tiles() : 1;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    Scalars scalars = block.scalarsOf(b, k, role, i.constant(tile));
    Value from = scalars.getI32(b, k.source.loops.front().loop.getLowerBound());
    Value to = scalars.getI32(b, k.source.loops.back().loop.getUpperBound());
    if (!from || !to)
      return {};
    // Where keys end early, a tile that sees nothing may begin behind all rows.
    if (k.source.key.getLimit()) {
      constexpr int64_t behindAll = 1 << 30;
      Value isSeen =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, from, to);
      from =
          arith::SelectOp::create(b, loc, isSeen, from, i.constant(behindAll));
      to = arith::SelectOp::create(b, loc, isSeen, to, i.constant(0));
    }
    begin =
        begin ? arith::MinSIOp::create(b, loc, begin, from).getResult() : from;
    end = end ? arith::MaxSIOp::create(b, loc, end, to).getResult() : to;
  }
  Value isEmpty =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, begin, end);
  Value instead =
      arith::MaxSIOp::create(b, loc, i.add(end, -kBlockRows), i.constant(0));
  begin = arith::SelectOp::create(b, loc, isEmpty, instead, begin);
  end =
      arith::SelectOp::create(b, loc, isEmpty, i.add(instead, kBlockRows), end);
  return {begin, end};
}

FailureOr<Values> fa::fagpu::forEachGroup(OpBuilder &b, GradientRoles &k,
                                          const Scalars &outer,
                                          ValueRange carried, CarryBody body) {
  Scalars scalars = outer;
  scf::ForOp source = k.source.groups;
  if (!source)
    return body(scalars, carried);
  Values bounds;
  for (Value v :
       {source.getLowerBound(), source.getUpperBound(), source.getStep()}) {
    bounds.push_back(scalars.getI32(b, v));
    if (!bounds.back())
      return failure();
  }
  auto loop = scf::ForOp::create(b, source.getLoc(), bounds[0], bounds[1],
                                 bounds[2], carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scalars.map.map(source.getInductionVar(), loop.getInductionVar());
  FailureOr<Values> results = body(scalars, loop.getRegionIterArgs());
  if (failed(results))
    return failure();
  scf::YieldOp::create(b, source.getLoc(), *results);
  return Values(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

namespace {

/// A role whose blocks have one pair of key tiles each.
class RoleBuilder {
public:
  explicit RoleBuilder(GradientRoles &k)
      : k(k), loc(k.source.function.getLoc()), b(k.shared.kernel) {}
  virtual ~RoleBuilder() = default;

  LogicalResult build(RoleKind kind, int64_t warpgroups, int64_t registers) {
    b.setInsertionPointToEnd(&k.shared.kernel.getBody().front());
    auto role = RoleOp::create(b, loc, kind, warpgroups, registers);
    Block *entry = b.createBlock(&role.getBody());
    Type i32 = b.getI32Type();
    if (kind == RoleKind::Consumer)
      warpgroup = entry->addArgument(i32, loc);
    Scalars scalars(b, k.shared);
    auto tiles = ForEachTileOp::create(
        b, loc, TypeRange(),
        k.isOrdered() ? Scheduler::Ticket : Scheduler::None, k.shared.total,
        k.keyRing.getResult(), k.counter, ValueRange());
    Block *body =
        b.createBlock(&tiles.getBody(), {},
                      {i32, CursorType::get(b.getContext(), 1)}, {loc, loc});
    keyCursor = body->getArgument(1);
    GradientBlock block = GradientBlock::decode(b, k, body->getArgument(0));
    if (failed(buildBlock(scalars, block)))
      return failure();
    fagpu::YieldOp::create(b, loc, ValueRange());
    return success();
  }

protected:
  /// Columns of the left operand that one step of a product takes.
  static constexpr int64_t kStepColumns = 16;

  virtual LogicalResult buildBlock(Scalars &role,
                                   const GradientBlock &block) = 0;

  Value constant(int64_t v) {
    return arith::ConstantIntOp::create(b, loc, v, 32);
  }

  LogicalResult findRows(Scalars &role, const GradientBlock &block) {
    std::tie(begin, end) = blockRows(b, k, role, block);
    return success(static_cast<bool>(begin));
  }

  /// The row of a loop from `begin` to `end`. Blocks that wait for those with
  /// smaller numbers go from the last one, which all of them see under a causal
  /// mask, to the first.
  Value rowAt(Value position) {
    I32Builder i(b, loc);
    return k.isOrdered()
               ? i.sub(i.add(i.add(begin, end), -kBlockRows), position)
               : position;
  }

  /// Coordinates of a tile of memory in its tensor map; empty after an error.
  template <typename OpTy>
  Values coordinates(Scalars &scalars, OpTy op, Value memref) {
    return Values(coordinatesOf(b, scalars, cast<MemRefType>(memref.getType()),
                                op.getOffsets(), op.getTileDims()));
  }

  GradientRoles &k;
  Location loc;
  OpBuilder b;
  Value warpgroup, keyCursor, begin, end;
};

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

class Loader : public RoleBuilder {
public:
  using RoleBuilder::RoleBuilder;

private:
  LogicalResult buildBlock(Scalars &role, const GradientBlock &block) override {
    if (failed(loadKeys(role, block)))
      return failure();
    Scalars scalars = block.scalarsOf(b, k, role, constant(0));
    if (failed(findRows(role, block)))
      return failure();
    Value cursor = CursorOp::create(b, loc, k.cursorType());
    return forEachGroup(b, k, scalars, cursor,
                        [&](Scalars &inner, ValueRange carried) {
                          return loadRows(inner, carried.front());
                        });
  }

  LogicalResult loadKeys(Scalars &role, const GradientBlock &block) {
    auto keys = cast<SwizzledType>(k.keys.getResult().getType());
    auto values = cast<SwizzledType>(k.values.getResult().getType());
    CommitOp::create(b, loc, k.keyRing, keyCursor,
                     b.getI64IntegerAttr(keys.getBytes() + values.getBytes()));
    for (int64_t tile = 0; tile < k.tiles(); ++tile) {
      Value index = constant(tile);
      Scalars scalars = block.scalarsOf(b, k, role, index);
      if (failed(load(scalars, k.source.key, 1, k.keys, index, k.keyRing,
                      keyCursor)) ||
          failed(load(scalars, k.source.value, 2, k.values, index, k.keyRing,
                      keyCursor)))
        return failure();
    }
    return success();
  }

  FailureOr<Values> loadRows(Scalars &outer, Value cursor) {
    QueryLoop &source = k.source.loops.front();
    auto loop =
        scf::ForOp::create(b, loc, begin, end, constant(kBlockRows), cursor);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Scalars scalars = outer;
    scalars.map.map(source.loop.getInductionVar(),
                    rowAt(loop.getInductionVar()));
    Value at = loop.getRegionIterArgs().front();
    if (failed(loadTile(scalars, source.query, source.lse, 0, k.queries, k.lse,
                        k.queryRing, at)) ||
        failed(loadTile(scalars, source.dOut, source.delta, 3, k.dOuts, k.delta,
                        k.dOutRing, at)))
      return failure();
    scf::YieldOp::create(b, loc, AdvanceOp::create(b, loc, at).getResult());
    return Values(loop.getResults());
  }

  /// A tile and a number for each of its rows.
  LogicalResult loadTile(Scalars &scalars, LoadTileOp tile, LoadTileOp rows,
                         unsigned moved, SmemOp smem, RowsOp numbers,
                         RingOp ring, Value cursor) {
    auto type = cast<SwizzledType>(smem.getResult().getType());
    auto rowType = cast<SharedRowsType>(numbers.getResult().getType());
    AcquireOp::create(b, loc, ring, cursor);
    CommitOp::create(
        b, loc, ring, cursor,
        b.getI64IntegerAttr(type.getTileBytes() + rowType.getSlotBytes()));
    if (failed(load(scalars, tile, moved, smem, cursor, ring, cursor)))
      return failure();
    Values offsets;
    for (Value offset : rows.getOffsets()) {
      offsets.push_back(scalars.get(b, offset));
      if (!offsets.back())
        return failure();
    }
    BulkLoadOp::create(b, loc, scalars.map.lookup(rows.getSource()), offsets,
                       numbers, ring, cursor);
    return success();
  }

  LogicalResult load(Scalars &scalars, LoadTileOp tile, unsigned moved,
                     SmemOp smem, Value index, RingOp ring, Value cursor) {
    Values at = coordinates(scalars, tile, tile.getSource());
    if (at.empty())
      return failure();
    TmaLoadOp::create(b, loc, k.maps[moved], at.front(),
                      ArrayRef(at).drop_front(), smem, index, ring, cursor);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// d_query
//===----------------------------------------------------------------------===//

/// dS of both key tiles times K, 64 columns at a time.
class QueryRole : public RoleBuilder {
public:
  using RoleBuilder::RoleBuilder;

private:
  LogicalResult buildBlock(Scalars &role, const GradientBlock &block) override {
    Scalars scalars = block.scalarsOf(b, k, role, constant(0));
    if (failed(findRows(role, block)) || failed(clearKeys(role, block)))
      return failure();
    Value cursor = CursorOp::create(b, loc, k.scoreCursorType());
    auto body = [&](Scalars &inner, ValueRange carried) {
      return addRows(inner, block, carried.front());
    };
    if (failed(forEachGroup(b, k, scalars, cursor, body)))
      return failure();
    ReleaseOp::create(b, loc, k.keyRing, keyCursor);
    return success();
  }

  /// Only this role has keys summed over: what lies past a length may be NaN.
  LogicalResult clearKeys(Scalars &role, const GradientBlock &block) {
    LoadTileOp load = k.source.key;
    if (!load.getLimit())
      return success();
    I32Builder i(b, loc);
    for (int64_t tile = 0; tile < k.tiles(); ++tile) {
      Scalars scalars = block.scalarsOf(b, k, role, constant(tile));
      Value limit = scalars.getI32(b, load.getLimit());
      Value row = scalars.getI32(b, load.getOffsets()[load.getTileDims()[0]]);
      if (!limit || !row)
        return failure();
      ClearTailOp::create(b, loc, k.keyRing, keyCursor, k.keys,
                          i.sub(limit, row), constant(tile));
    }
    return success();
  }

  /// How far a block is that has added the tile of `row`, of the current head
  /// of a group. Descending rows, ascending numbers; 0 before all.
  Value progressAt(Scalars &scalars, Value row) {
    I32Builder i(b, loc);
    LoadTileOp query = k.source.loops.front().query;
    Value rows =
        scalars.extent(b, loc, query.getSource(), query.getTileDims()[0]);
    Value tiles = i.div(i.add(rows, kBlockRows - 1), kBlockRows);
    Value left = i.sub(tiles, i.div(row, kBlockRows));
    scf::ForOp groups = k.source.groups;
    if (!groups)
      return left;
    Value group = scalars.getI32(b, groups.getInductionVar());
    return i.add(arith::MulIOp::create(b, loc, group, tiles), left);
  }

  /// Adds where this block's turn has come.
  void inTurn(Scalars &scalars, const GradientBlock &block, Value row,
              llvm::function_ref<void()> add) {
    if (!k.isOrdered())
      return add();
    Value progress = progressAt(scalars, row);
    Value least =
        arith::SelectOp::create(b, loc, block.isFirst, constant(0), progress);
    AwaitCountOp::create(b, loc, k.counts, block.countBefore, least);
    add();
    SetCountOp::create(b, loc, k.counts, block.count, progress);
  }

  FailureOr<Values> addRows(Scalars &outer, const GradientBlock &block,
                            Value cursor) {
    // Nobody adds to the rows behind this block's that has not done so.
    if (k.isOrdered())
      SetCountOp::create(b, loc, k.counts, block.count, progressAt(outer, end));
    auto loop =
        scf::ForOp::create(b, loc, begin, end, constant(kBlockRows), cursor);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    QueryLoop &source = k.source.loops.front();
    Scalars scalars = outer;
    Value row = rowAt(loop.getInductionVar());
    scalars.map.map(source.loop.getInductionVar(), row);
    Values offsets;
    for (Value offset : source.sum.getOffsets().drop_back()) {
      offsets.push_back(scalars.get(b, offset));
      if (!offsets.back())
        return failure();
    }
    Value at = loop.getRegionIterArgs().front();
    WaitFullOp::create(b, loc, k.scoreRing, at);
    Value head = readHead(at);
    Value sum = scalars.map.lookup(source.sum.getWorkspace());
    auto add = [&](Value part, int64_t width) {
      Value tile = multiply(at, head, part, width);
      ReduceAddOp::create(b, loc, tile, sum, offsets, part,
                          b.getDenseI64ArrayAttr(source.sum.getTileDims()));
    };
    // A loop, so that parts have the same registers.
    int64_t columns = k.source.movedTile(1).getDimSize(1);
    int64_t parts = columns / kPartColumns, rest = columns % kPartColumns;
    inTurn(scalars, block, row, [&] {
      auto each =
          scf::ForOp::create(b, loc, constant(0), constant(parts), constant(1));
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(each.getBody());
      add(each.getInductionVar(), kPartColumns);
      b.setInsertionPointAfter(each);
      if (rest)
        add(constant(parts), rest);
    });
    ReleaseOp::create(b, loc, k.scoreRing, at);
    scf::YieldOp::create(b, loc, AdvanceOp::create(b, loc, at).getResult());
    return Values(loop.getResults());
  }

  /// What comes to wgmma in registers; what it reads from shared memory was
  /// written by ordinary stores.
  Value readHead(Value at) {
    if (k.schedule.getReaderFences() && !k.readsAllScores())
      FenceProxyOp::create(b, loc);
    if (k.schedule.getScoreSteps() == 0)
      return {};
    auto type = RankedTensorType::get(
        {kBlockRows, k.schedule.getScoreSteps() * kStepColumns},
        k.source.movedTile(0).getElementType(), AOpAttr::get(b.getContext()));
    return ReadFragmentsOp::create(b, loc, type, k.dScores, at,
                                   /*rows_are_columns=*/true, k.tiles());
  }

  Value multiply(Value cursor, Value head, Value part, int64_t width) {
    auto type = RankedTensorType::get({kBlockRows, width}, b.getF32Type(),
                                      AccAttr::get(b.getContext()));
    auto pending =
        PendingType::get(b.getContext(), type.getShape(), b.getF32Type());
    bool isAll = k.readsAllScores();
    auto product =
        WgmmaOp::create(b, loc, pending, isAll ? head : k.dScores.getResult(),
                        isAll ? Value() : cursor, k.keys, keyCursor, Value(),
                        /*b_rows_are_k=*/true, /*a_rows_are_k=*/!isAll,
                        k.tiles(), part, isAll ? Value() : head);
    auto wait =
        WgmmaWaitOp::create(b, loc, TypeRange(type), TypeRange(), 0,
                            ValueRange(product.getResult()), ValueRange());
    return wait.getValues().front();
  }

  static constexpr int64_t kPartColumns = 64;
};

//===----------------------------------------------------------------------===//
// d_key and d_value
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
    readHead();
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
    auto upTo = [&](QueryLoop &part, Value until) {
      LogicalResult built = buildLoop(part, scalars, from, until, state);
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
    state.scores = state.rows = Value();
    return state.all();
  }

  /// What the first tile's step starts from.
  virtual void issueFirst(State &state) {
    WaitFullOp::create(b, loc, k.queryRing, state.cursor, /*early=*/true,
                       /*again=*/false);
    Value scores = issueScores(state.cursor);
    if (k.schedule.getRowsAhead())
      state.rows = readCols(k.source.loops.front().lse, k.lse, state.cursor);
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
    bool folds = k.schedule.getFoldDelta();
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
    int64_t late = k.schedule.getLateScores();
    if (!late)
      publish(state.scoreCursor);
    // d_key and the scores of the next tile.
    Value dKey = multiplyInto(state.dKey, *packedScores, k.queries, at);
    if (late == kBehindKey || (late && isLast))
      publish(state.scoreCursor);
    Value next = AdvanceOp::create(b, loc, at);
    if (isLast) {
      state.dKey = waitFor({dKey})[0];
    } else {
      WaitFullOp::create(b, loc, k.queryRing, next, /*early=*/true,
                         /*again=*/false);
      Value scores = issueScores(next);
      if (late == kBehindScores)
        publish(state.scoreCursor);
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

  /// Where dS is handed over late.
  static constexpr int64_t kBehindKey = 1, kBehindScores = 2;

  bool fences() { return !k.schedule.getReaderFences() && !k.readsAllScores(); }

  void writeScores(Value packed, Value cursor) {
    AcquireOp::create(b, loc, k.scoreRing, cursor);
    StoreFragmentsOp::create(b, loc, packed, k.dScores, cursor, warpgroup,
                             /*unfenced=*/!fences() ||
                                 k.schedule.getLateScores());
  }

  /// Late, the fence waits for the stores while the tensor cores are busy.
  void publish(Value cursor) {
    if (fences() && k.schedule.getLateScores())
      FenceProxyOp::create(b, loc);
    CommitOp::create(b, loc, k.scoreRing, cursor, b.getI64IntegerAttr(0));
  }

  /// Waits for d_key and the next tile's scores. What is read ahead takes
  /// registers: fewer when d_key's operand is not needed any more.
  std::pair<Value, Value> finish(QueryLoop &part, Value dKey, Value scores,
                                 Value next, State &state) {
    constexpr int64_t behindKey = 2;
    if (k.schedule.getRowsAhead() == behindKey) {
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
    readHead();
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
    state.weightCursor = AdvanceOp::create(b, loc, state.weightCursor);
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

  /// dP, and delta if that is read ahead.
  Value issueNext(State &state, Value at) {
    WaitFullOp::create(b, loc, k.dOutRing, at, /*early=*/true,
                       /*again=*/false);
    bool folds = k.schedule.getFoldDelta();
    Value dWeights = issueDWeights(at, folds ? spread(at) : Value());
    if (!folds && k.schedule.getDeltaAhead())
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
    int64_t late = k.schedule.getLateScores();
    if (!late)
      publish(state.scoreCursor);
    WaitFullOp::create(b, loc, k.queryRing, at);
    Value dKey = multiplyInto(state.dKey, *packedScores, k.queries, at);
    if (late == kBehindKey || (late && isLast))
      publish(state.scoreCursor);
    Value next = AdvanceOp::create(b, loc, at);
    if (isLast) {
      state.dKey = waitFor({dKey})[0];
    } else {
      Value dWeights = issueNext(state, next);
      if (late == kBehindScores)
        publish(state.scoreCursor);
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

LogicalResult fa::fagpu::buildLoader(GradientRoles &k) {
  return Loader(k).build(RoleKind::Producer, 1,
                         k.schedule.getProducerRegisters());
}
LogicalResult fa::fagpu::buildQueryRole(GradientRoles &k) {
  return QueryRole(k).build(RoleKind::Consumer, 1,
                            k.schedule.getQueryRegisters());
}
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
