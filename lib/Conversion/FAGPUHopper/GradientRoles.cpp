//===- GradientRoles.cpp - what warpgroups do for the gradients -----------===//
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

GradientRoles::GradientRoles(GradientTiles &source,
                             GradientScheduleAttr schedule,
                             TileKernel &function)
    : source(source), schedule(schedule), shared(function, {}) {}

Value GradientRoles::sums() {
  Value memory = source.loops.front().sum.getWorkspace();
  auto *at = llvm::find(shared.kept, memory);
  return shared.keptHere[at - shared.kept.begin()];
}

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
  Value rank, ofBlock = number;
  if (roles.isPaired()) {
    rank = i.rem(number, roles.blocks());
    number = i.div(number, roles.blocks());
  }
  auto [pair, y, z] = GroupOfSlice::decode(b, roles.shared, number);
  GradientBlock block;
  block.number = ofBlock;
  block.first = i.mul(pair, roles.tilesTogether());
  block.y = y;
  block.z = z;
  if (rank) {
    block.rank = rank;
    block.firstOfBoth = block.first;
    block.first = i.add(block.first, rank);
  }
  if (!roles.isOrdered() && !roles.heads)
    return block;
  auto narrow = [&](Value v) {
    return b.createOrFold<arith::IndexCastOp>(number.getLoc(), b.getI32Type(),
                                              v);
  };
  auto times = [&](Value v, Value by) -> Value {
    return arith::MulIOp::create(b, number.getLoc(), v, by);
  };
  block.slice = i.add(times(narrow(z), roles.shared.gridY), narrow(y));
  if (!roles.isOrdered())
    return block;
  block.count = i.add(times(block.slice, roles.shared.groups), pair);
  block.isFirst = i.less(pair, i.constant(1));
  block.countBefore = arith::SelectOp::create(
      b, number.getLoc(), block.isFirst, block.count, i.add(block.count, -1));
  return block;
}

/// A tile past the end starts behind the last key: all of it is masked.
static Scalars scalarsAt(OpBuilder &b, GradientRoles &k, Scalars &role,
                         const GradientBlock &block, Value number) {
  I32Builder i(b, number.getLoc());
  Value x =
      k.source.ascends ? number : i.sub(i.add(k.shared.gridX, -1), number);
  return role.inBlock(toIndex(b, number.getLoc(), x), block.y, block.z);
}

Scalars GradientBlock::scalarsOf(OpBuilder &b, GradientRoles &k, Scalars &role,
                                 Value tile) const {
  I32Builder i(b, tile.getLoc());
  return scalarsAt(b, k, role, *this, i.add(first, tile));
}

Scalars GradientBlock::scalarsTogether(OpBuilder &b, GradientRoles &k,
                                       Scalars &role, Value tile) const {
  I32Builder i(b, tile.getLoc());
  return scalarsAt(b, k, role, *this, i.add(rank ? firstOfBoth : first, tile));
}

/// Where keys end early and blocks wait for the one before: the tile that a
/// block visits whose first keys see nothing, as all of its keys do. It is the
/// last one behind keys that see something, and the first one before them, so
/// that neither begins nor ends descend. Null after an error.
static Value rowsForNothing(OpBuilder &b, GradientRoles &k, Scalars &scalars,
                            Value from) {
  Location loc = k.source.function.getLoc();
  I32Builder i(b, loc);
  LoadTileOp query = k.source.loops.front().query, key = k.source.key;
  Value rows =
      scalars.extent(b, loc, query.getSource(), query.getTileDims()[0]);
  Value first = scalars.getI32(b, key.getOffsets()[key.getTileDims()[0]]);
  Value limit = scalars.getI32(b, key.getLimit());
  if (!first || !limit)
    return {};
  Value last = i.mul(i.div(i.add(rows, -1), kBlockRows), kBlockRows);
  Value isBehind = arith::OrIOp::create(b, loc, i.less(i.constant(0), from),
                                        i.less(limit, i.add(first, 1)));
  return arith::SelectOp::create(b, loc, isBehind, last, i.constant(0));
}

std::pair<Value, Value> fa::fagpu::blockRows(OpBuilder &b, GradientRoles &k,
                                             Scalars &role,
                                             const GradientBlock &block) {
  Location loc = k.source.function.getLoc();
  I32Builder i(b, loc);
  Value begin, end, forNothing;
  int64_t tiles = k.shared.rangesDiffer ? k.tilesTogether() : 1;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    Scalars scalars = block.scalarsTogether(b, k, role, i.constant(tile));
    Value from = scalars.getI32(b, k.source.loops.front().loop.getLowerBound());
    Value to = scalars.getI32(b, k.source.loops.back().loop.getUpperBound());
    if (!from || !to)
      return {};
    if (tile == 0 && k.isOrdered() && k.source.key.getLimit()) {
      forNothing = rowsForNothing(b, k, scalars, from);
      if (!forNothing)
        return {};
    }
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
  Value instead = forNothing;
  if (!instead)
    instead =
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

LogicalResult RoleBuilder::build(RoleKind kind, int64_t warpgroups,
                                 int64_t registers, bool wholeWarp) {
  b.setInsertionPointToEnd(&k.shared.kernel.getBody().front());
  auto role = RoleOp::create(b, loc, kind, warpgroups, registers, wholeWarp);
  Block *entry = b.createBlock(&role.getBody());
  Type i32 = b.getI32Type();
  if (kind == RoleKind::Consumer)
    warpgroup = entry->addArgument(i32, loc);
  Scalars scalars(b, k.shared);
  startRole();
  Values cursors = startCursors();
  auto keyType = CursorType::get(b.getContext(), 1);
  if (k.isPersistent())
    cursors.push_back(CursorOp::create(b, loc, keyType));
  RingOp via = k.isPersistent() ? k.tileRing : k.keyRing;
  auto tiles = ForEachTileOp::create(
      b, loc, ValueRange(cursors).getTypes(), k.scheduler(), k.shared.total,
      via.getResult(), k.isJoined() ? k.number : k.counter,
      k.inbox ? k.inbox.getResult() : Value(), cursors);
  SmallVector<Type> types = {i32, k.cursorTypeOf(via)};
  llvm::append_range(types, ValueRange(cursors).getTypes());
  SmallVector<Location> locations(types.size(), loc);
  Block *body = b.createBlock(&tiles.getBody(), {}, types, locations);
  cursors.assign(body->args_begin() + 2, body->args_end());
  keyCursor = body->getArgument(1);
  if (k.isPersistent()) {
    passNumber(kind, keyCursor);
    keyCursor = cursors.pop_back_val();
  }
  GradientBlock block = GradientBlock::decode(b, k, body->getArgument(0));
  if (failed(buildBlock(scalars, block, cursors)))
    return failure();
  if (k.isPersistent())
    cursors.push_back(AdvanceOp::create(b, loc, keyCursor));
  fagpu::YieldOp::create(b, loc, cursors);
  b.setInsertionPointAfter(tiles);
  if (kind == RoleKind::Consumer && k.afterTiles)
    k.afterTiles(b);
  return success();
}

void RoleBuilder::passNumber(RoleKind kind, Value cursor) {
  if (kind == RoleKind::Producer)
    CommitOp::create(b, loc, k.tileRing, cursor, b.getI64IntegerAttr(0));
  else
    ReleaseOp::create(b, loc, k.tileRing, cursor);
}

void RoleBuilder::takeKeys() {
  if (!k.isPersistent())
    return;
  if (warpgroup)
    WaitFullOp::create(b, loc, k.keyRing, keyCursor);
  else
    AcquireOp::create(b, loc, k.keyRing, keyCursor);
}

Value RoleBuilder::constant(int64_t v) {
  return arith::ConstantIntOp::create(b, loc, v, 32);
}

SmallVector<RoleBuilder::ColumnPart>
RoleBuilder::columnParts(const GradientBlock &block) {
  I32Builder i(b, loc);
  int64_t blocks = k.source.movedTile(1).getDimSize(1) / kPartColumns;
  SmallVector<ColumnPart> parts;
  for (int64_t first = 0; first + 1 < blocks; first += 2) {
    Value mine = i.add(block.rank, first);
    parts.push_back({first / 2, mine, mine, constant(0), /*isHalf=*/false});
  }
  if (blocks % 2 != 0) {
    int64_t last = blocks - 1;
    parts.push_back({last / 2, constant(last), i.add(block.rank, 2 * last),
                     block.rank, /*isHalf=*/true});
  }
  return parts;
}

LogicalResult RoleBuilder::findRows(Scalars &role, const GradientBlock &block) {
  std::tie(begin, end) = blockRows(b, k, role, block);
  return success(static_cast<bool>(begin));
}

Value RoleBuilder::rowAt(Value position) {
  I32Builder i(b, loc);
  return k.isOrdered() ? i.sub(i.add(i.add(begin, end), -kBlockRows), position)
                       : position;
}
