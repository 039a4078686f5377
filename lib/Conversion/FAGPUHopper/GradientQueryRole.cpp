//===- GradientQueryRole.cpp - the role that computes d_query -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GradientRole.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

using Values = SmallVector<Value>;

namespace {

/// dS of both key tiles times K, 64 columns at a time.
class QueryRole : public RoleBuilder {
public:
  using RoleBuilder::RoleBuilder;

private:
  Values startCursors() override {
    return {CursorOp::create(b, loc, k.scoreCursorType())};
  }

  LogicalResult buildBlock(Scalars &role, const GradientBlock &block,
                           Values &cursors) override {
    Scalars scalars = block.scalarsOf(b, k, role, constant(0));
    if (failed(findRows(role, block)))
      return failure();
    takeKeys();
    if (failed(clearKeys(role, block)))
      return failure();
    if (k.heads)
      AwaitCountOp::create(b, loc, k.heads, block.slice, k.prepared);
    auto body = [&](Scalars &inner, ValueRange carried) {
      return addRows(inner, block, carried.front());
    };
    FailureOr<Values> after = forEachGroup(b, k, scalars, cursors, body);
    if (failed(after))
      return failure();
    cursors = *after;
    ReleaseOp::create(b, loc, k.keyRing, keyCursor);
    if (k.heads)
      AddCountOp::create(b, loc, k.heads, block.slice, k.all);
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

  FailureOr<Values> addRows(Scalars &outer, const GradientBlock &block,
                            Value cursor) {
    auto loop =
        scf::ForOp::create(b, loc, begin, end, constant(kBlockRows), cursor);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    QueryLoop &source = k.source.loops.front();
    Scalars scalars = outer;
    scalars.map.map(source.loop.getInductionVar(),
                    rowAt(loop.getInductionVar()));
    Values offsets;
    for (Value offset : source.sum.getOffsets().drop_back()) {
      offsets.push_back(scalars.get(b, offset));
      if (!offsets.back())
        return failure();
    }
    Value at = loop.getRegionIterArgs().front();
    WaitFullOp::create(b, loc, k.scoreRing, at);
    if (k.isPaired()) {
      addHalf(block, at, scalars.map.lookup(source.sum.getWorkspace()),
              offsets);
      scf::YieldOp::create(b, loc, AdvanceOp::create(b, loc, at).getResult());
      return Values(loop.getResults());
    }
    if (k.isOrdered())
      WaitFullOp::create(b, loc, k.turnRing, at);
    Value head = readHead(at, k.tiles());
    Value sum = scalars.map.lookup(source.sum.getWorkspace());
    auto add = [&](Value part, int64_t width) {
      Value tile = multiply(at, head, part, width);
      ReduceAddOp::create(b, loc, tile, sum, offsets, part,
                          b.getDenseI64ArrayAttr(source.sum.getTileDims()),
                          /*half_blocks=*/false, k.isOrdered());
    };
    // A loop, so that parts have the same registers.
    int64_t columns = k.source.movedTile(1).getDimSize(1);
    int64_t parts = columns / kPartColumns, rest = columns % kPartColumns;
    auto each =
        scf::ForOp::create(b, loc, constant(0), constant(parts), constant(1));
    {
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(each.getBody());
      add(each.getInductionVar(), kPartColumns);
    }
    if (rest)
      add(constant(parts), rest);
    ReleaseOp::create(b, loc, k.scoreRing, at);
    if (k.isOrdered())
      endTurn(at);
    scf::YieldOp::create(b, loc, AdvanceOp::create(b, loc, at).getResult());
    return Values(loop.getResults());
  }

  /// Others hear of it from a thread that has time to wait until the additions
  /// are performed.
  void endTurn(Value at) {
    ReleaseOp::create(b, loc, k.turnRing, at);
    AcquireOp::create(b, loc, k.addedRing, at);
    CommitOp::create(b, loc, k.addedRing, at, b.getI64IntegerAttr(0));
  }

  /// What comes to wgmma in registers, of dS of so many key tiles.
  Value readHead(Value at, int64_t tiles) {
    if (k.schedule.getScoreSteps() == 0)
      return {};
    auto type = RankedTensorType::get(
        {kBlockRows, k.schedule.getScoreSteps() * kStepColumns},
        k.source.movedTile(0).getElementType(), AOpAttr::get(b.getContext()));
    return ReadFragmentsOp::create(b, loc, type, k.dScores, at,
                                   /*rows_are_columns=*/true, tiles);
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
    return waitFor(product);
  }

  //===--------------------------------------------------------------------===//
  // Of a pair: half of the columns, for the keys of both blocks
  //===--------------------------------------------------------------------===//

  /// Each part is added before the next is multiplied: many additions at once
  /// keep other warps from shared memory.
  void addHalf(const GradientBlock &block, Value at, Value sum,
               ValueRange offsets) {
    constexpr int64_t tiles = 2;
    I32Builder i(b, loc);
    Value first = i.mul(SlotOp::create(b, loc, b.getI32Type(), at), tiles);
    Value own = i.add(first, kOwnTile), other = i.add(first, kOtherTile);
    Value ownHead = readHead(own, 1), otherHead = readHead(other, 1);
    SmallVector<ColumnPart> parts = columnParts(block);
    for (const ColumnPart &part : parts) {
      Value product = multiplyTile(own, ownHead, k.keys, keyCursor,
                                   part.columns, part.isHalf, Value());
      product =
          multiplyTile(other, otherHead, k.otherKeys, constant(part.number),
                       part.otherColumns, part.isHalf, product);
      Value tile = waitFor(product);
      // One product has used all that was read, if that is all of dS.
      if (&part == (k.readsAllScores() ? &parts.front() : &parts.back()))
        ReleaseOp::create(b, loc, k.scoreRing, at);
      ReduceAddOp::create(
          b, loc, tile, sum, offsets, part.columns,
          b.getDenseI64ArrayAttr(k.source.loops.front().sum.getTileDims()),
          /*half_blocks=*/part.isHalf, /*ordered=*/false);
    }
  }

  Value waitFor(Value product) {
    auto pending = cast<PendingType>(product.getType());
    auto type = RankedTensorType::get(pending.getShape(), b.getF32Type(),
                                      AccAttr::get(b.getContext()));
    return WgmmaWaitOp::create(b, loc, TypeRange(type), TypeRange(), 0, product,
                               ValueRange())
        .getValues()
        .front();
  }

  /// One tile of dS times columns of its keys, added to `acc` in flight.
  Value multiplyTile(Value tile, Value head, SmemOp keys, Value index,
                     Value columns, bool isHalf, Value acc) {
    auto type = PendingType::get(
        b.getContext(), {kBlockRows, isHalf ? kPartColumns / 2 : kPartColumns},
        b.getF32Type());
    bool isAll = k.readsAllScores();
    return WgmmaOp::create(b, loc, type, isAll ? head : k.dScores.getResult(),
                           isAll ? Value() : tile, keys, index, acc,
                           /*b_rows_are_k=*/true, /*a_rows_are_k=*/!isAll,
                           /*tiles=*/1, columns, isAll ? Value() : head,
                           isHalf);
  }
};

} // namespace

LogicalResult fa::fagpu::buildQueryRole(GradientRoles &k) {
  return QueryRole(k).build(RoleKind::Consumer, 1,
                            k.schedule.getQueryRegisters());
}
