//===- GradientLoader.cpp - the role that loads for the gradients ---------===//
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

class Loader : public RoleBuilder {
public:
  using RoleBuilder::RoleBuilder;

private:
  Values startCursors() override {
    return {CursorOp::create(b, loc, k.cursorType())};
  }

  LogicalResult buildBlock(Scalars &role, const GradientBlock &block,
                           Values &cursors) override {
    if (!k.isPersistent() && failed(loadKeys(role, block)))
      return failure();
    Scalars scalars = block.scalarsOf(b, k, role, constant(0));
    if (failed(findRows(role, block)))
      return failure();
    slice = block.slice;
    if (k.isPersistent() && failed(prefetchKeys(role, block)))
      return failure();
    FailureOr<Values> after = forEachGroup(
        b, k, scalars, cursors, [&](Scalars &inner, ValueRange carried) {
          return loadRows(inner, carried.front(), role, block);
        });
    if (failed(after))
      return failure();
    cursors = *after;
    if (k.schedule.getByOutput())
      giveForOutputs(cursors.front());
    return success();
  }

  /// A slot of each ring, empty: outputs leave through it.
  void giveForOutputs(Value &cursor) {
    for (RingOp ring : {k.dOutRing, k.queryRing}) {
      AcquireOp::create(b, loc, ring, cursor);
      CommitOp::create(b, loc, ring, cursor, b.getI64IntegerAttr(0));
    }
    cursor = AdvanceOp::create(b, loc, cursor);
  }

  /// They are on their way to the cache while others still need the memory of
  /// the keys before them.
  LogicalResult prefetchKeys(Scalars &role, const GradientBlock &block) {
    for (int64_t tile = 0; tile < k.tiles(); ++tile) {
      Scalars scalars = block.scalarsOf(b, k, role, constant(tile));
      for (unsigned moved : {1, 2}) {
        LoadTileOp source = moved == 1 ? k.source.key : k.source.value;
        Values at = coordinates(scalars, source, source.getSource());
        if (at.empty())
          return failure();
        TmaPrefetchOp::create(b, loc, k.maps[moved], at.front(),
                              ArrayRef(at).drop_front());
      }
    }
    return success();
  }

  LogicalResult loadKeys(Scalars &role, const GradientBlock &block) {
    auto keys = cast<SwizzledType>(k.keys.getResult().getType());
    auto values = cast<SwizzledType>(k.values.getResult().getType());
    int64_t bytes = keys.getBytes() + values.getBytes();
    if (k.isPaired())
      bytes += cast<SwizzledType>(k.otherKeys.getResult().getType()).getBytes();
    takeKeys();
    CommitOp::create(b, loc, k.keyRing, keyCursor, b.getI64IntegerAttr(bytes));
    for (int64_t tile = 0; tile < k.tiles(); ++tile) {
      Value index = constant(tile);
      Scalars scalars = block.scalarsOf(b, k, role, index);
      if (failed(load(scalars, k.source.key, 1, k.keys, index, k.keyRing,
                      keyCursor)) ||
          failed(load(scalars, k.source.value, 2, k.values, index, k.keyRing,
                      keyCursor)))
        return failure();
    }
    return k.isPaired() ? loadOtherKeys(role, block) : success();
  }

  LogicalResult loadOtherKeys(Scalars &role, const GradientBlock &block) {
    I32Builder i(b, loc);
    Value other = i.sub(constant(1), block.rank);
    Scalars scalars = block.scalarsTogether(b, k, role, other);
    Values at = coordinates(scalars, k.source.key, k.source.key.getSource());
    if (at.empty())
      return failure();
    for (const ColumnPart &part : columnParts(block))
      TmaLoadOp::create(
          b, loc, k.maps[1], at.front(), ArrayRef(at).drop_front(), k.otherKeys,
          constant(part.number), k.keyRing, keyCursor, part.block);
    return success();
  }

  /// The first rows have memory of their own before the keys of the tile
  /// before this one are not needed any more.
  LogicalResult loadKeysBehindFirst(Scalars &role, const GradientBlock &block,
                                    Scalars &inner, Value row) {
    auto isEqual = [&](Value x, Value y) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
    };
    Value isFirst = isEqual(row, begin);
    if (scf::ForOp groups = k.source.groups) {
      Value group = inner.getI32(b, groups.getInductionVar());
      Value first = inner.getI32(b, groups.getLowerBound());
      if (!group || !first)
        return failure();
      isFirst = arith::AndIOp::create(b, loc, isFirst, isEqual(group, first));
    }
    auto branch = scf::IfOp::create(b, loc, isFirst);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Scalars here = role;
    return loadKeys(here, block);
  }

  FailureOr<Values> loadRows(Scalars &outer, Value cursor, Scalars &role,
                             const GradientBlock &block) {
    QueryLoop &source = k.source.loops.front();
    auto loop =
        scf::ForOp::create(b, loc, begin, end, constant(kBlockRows), cursor);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Scalars scalars = outer;
    scalars.map.map(source.loop.getInductionVar(),
                    rowAt(loop.getInductionVar()));
    Value at = loop.getRegionIterArgs().front();
    isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                    loop.getInductionVar(), begin);
    if (failed(loadTile(scalars, source.query, source.lse, 0, k.queries, k.lse,
                        k.queryRing, at)) ||
        failed(loadTile(scalars, source.dOut, source.delta, 3, k.dOuts, k.delta,
                        k.dOutRing, at)) ||
        (k.isPersistent() &&
         failed(loadKeysBehindFirst(role, block, scalars,
                                    loop.getInductionVar()))))
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
    awaitRows();
    BulkLoadOp::create(b, loc, scalars.map.lookup(rows.getSource()), offsets,
                       numbers, ring, cursor);
    return success();
  }

  /// Before the first copy of what other blocks have prepared; other copies are
  /// on their way.
  void awaitRows() {
    if (!k.isJoined() || !isFirst)
      return;
    auto branch = scf::IfOp::create(b, loc, isFirst);
    isFirst = {};
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    AwaitCountOp::create(b, loc, k.heads, slice, k.prepared);
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

  Value slice, isFirst;
};

} // namespace

LogicalResult fa::fagpu::buildLoader(GradientRoles &k) {
  return Loader(k).build(RoleKind::Producer, 1,
                         k.schedule.getProducerRegisters());
}
