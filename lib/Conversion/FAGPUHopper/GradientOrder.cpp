//===- GradientOrder.cpp - the roles that order additions to d_query ------===//
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

/// What blocks tell each other takes longer than to add a tile. So threads of
/// their own wait for it, and not who adds.
class Messenger : public RoleBuilder {
public:
  using RoleBuilder::RoleBuilder;

protected:
  /// Before the rows of one head, and for a tile of them.
  virtual void start(const GradientBlock &block, Value progress) {}
  virtual void pass(const GradientBlock &block, Value progress, Value isLast,
                    Value cursor) = 0;

private:
  Values startCursors() override {
    return {CursorOp::create(b, loc, k.scoreCursorType())};
  }

  LogicalResult buildBlock(Scalars &role, const GradientBlock &block,
                           Values &cursors) override {
    Scalars scalars = block.scalarsOf(b, k, role, constant(0));
    if (failed(findRows(role, block)))
      return failure();
    auto body = [&](Scalars &inner, ValueRange carried) -> FailureOr<Values> {
      return passRows(inner, block, carried.front());
    };
    FailureOr<Values> after = forEachGroup(b, k, scalars, cursors, body);
    if (failed(after))
      return failure();
    cursors = *after;
    ReleaseOp::create(b, loc, k.keyRing, keyCursor);
    return success();
  }

  Values passRows(Scalars &scalars, const GradientBlock &block, Value cursor) {
    start(block, progressAt(scalars, end));
    auto loop =
        scf::ForOp::create(b, loc, begin, end, constant(kBlockRows), cursor);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value at = loop.getRegionIterArgs().front();
    Value position = loop.getInductionVar();
    Value isLast = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sge,
        I32Builder(b, loc).add(position, kBlockRows), end);
    pass(block, progressAt(scalars, rowAt(position)), isLast, at);
    scf::YieldOp::create(b, loc, AdvanceOp::create(b, loc, at).getResult());
    return Values(loop.getResults());
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
};

/// Says when it is this block's turn.
class TurnRole : public Messenger {
public:
  using Messenger::Messenger;

private:
  void pass(const GradientBlock &block, Value progress, Value isLast,
            Value cursor) override {
    Value least =
        arith::SelectOp::create(b, loc, block.isFirst, constant(0), progress);
    AcquireOp::create(b, loc, k.turnRing, cursor);
    AwaitCountOp::create(b, loc, k.counts, block.countBefore, least);
    CommitOp::create(b, loc, k.turnRing, cursor, b.getI64IntegerAttr(0));
  }
};

/// Tells the next block what this one has added.
class ProgressRole : public Messenger {
public:
  using Messenger::Messenger;

private:
  /// Nobody adds to the rows behind this block's that has not done so.
  void start(const GradientBlock &block, Value progress) override {
    SetCountOp::create(b, loc, k.counts, block.count, progress);
  }

  /// To set a count takes as long as to add a narrow tile, or longer: so only
  /// that of every second tile, and of the last.
  void pass(const GradientBlock &block, Value progress, Value isLast,
            Value cursor) override {
    WaitFullOp::create(b, loc, k.addedRing, cursor);
    Value isSecond =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                              I32Builder(b, loc).rem(progress, 2), constant(0));
    auto branch = scf::IfOp::create(
        b, loc, arith::OrIOp::create(b, loc, isLast, isSecond));
    OpBuilder inner = branch.getThenBodyBuilder();
    SetCountOp::create(inner, loc, k.counts, block.count, progress);
    ReleaseOp::create(b, loc, k.addedRing, cursor);
  }
};

} // namespace

LogicalResult fa::fagpu::buildOrderRoles(GradientRoles &k) {
  int64_t registers = k.schedule.getProducerRegisters();
  if (failed(TurnRole(k).build(RoleKind::Messenger, 1, registers)))
    return failure();
  return ProgressRole(k).build(RoleKind::Messenger, 1, registers);
}
