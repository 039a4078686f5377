//===- SpecializeProducer.cpp - the role that loads tiles -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

namespace {

/// Per tile of the persistent loop: the query tiles of all consumers, the last
/// key tile, (a key tile, the value tile after it)..., the first value tile.
class ProducerBuilder {
public:
  explicit ProducerBuilder(RoleKernel &k)
      : k(k), loc(k.source.function.getLoc()), b(k.kernel) {}

  LogicalResult build() {
    b.setInsertionPointToEnd(&k.kernel.getBody().front());
    auto role = RoleOp::create(b, loc, RoleKind::Producer, /*warpgroups=*/1,
                               k.schedule.getProducerRegisters());
    b.createBlock(&role.getBody());
    Scalars scalars(b, k);
    Value cursor = CursorOp::create(b, loc, k.cursorType());
    auto tiles = ForEachTileOp::create(
        b, loc, TypeRange(k.cursorType()),
        k.counter ? Scheduler::Dynamic : Scheduler::Static, k.total,
        k.queryRing.getResult(), k.counter, /*inbox=*/Value(), cursor);
    Type i32 = b.getI32Type();
    Block *body = b.createBlock(&tiles.getBody(), {},
                                {i32, k.queryCursorType(), k.cursorType()},
                                {loc, loc, loc});
    return buildTile(scalars, body->getArgument(0), body->getArgument(1),
                     body->getArgument(2));
  }

private:
  LogicalResult buildTile(Scalars &role, Value number, Value queryCursor,
                          Value cursor) {
    BlockTile tile = BlockTile::decode(b, k, number);
    if (failed(loadQueries(role, tile, queryCursor)))
      return failure();
    auto [begin, end] = blockKeys(b, k, role, tile);
    if (!begin)
      return failure();
    I32Builder i(b, loc);
    Scalars inner =
        role.inBlock(tile.blockX(b, k, i.constant(0)), tile.y, tile.z);
    int64_t keyTile = k.source.keyTile();
    Value last = i.add(end, -keyTile);
    if (failed(loadKey(inner, last, cursor)))
      return failure();
    // What a loop starts from is the tile that has been loaded.
    Value sum = i.add(last, begin);
    auto loop =
        scf::ForOp::create(b, loc, begin, last, i.constant(keyTile), cursor);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value before = loop.getRegionIterArgs().front();
      Value next = AdvanceOp::create(b, loc, before);
      // Down from the tile before the last one.
      Value at = i.add(i.sub(sum, loop.getInductionVar()), -keyTile);
      if (failed(loadKey(inner, at, next)) ||
          failed(loadValue(inner, i.add(at, keyTile), before)))
        return failure();
      scf::YieldOp::create(b, loc, next);
    }
    Value end0 = loop.getResult(0);
    if (failed(loadValue(inner, begin, end0)))
      return failure();
    fagpu::YieldOp::create(b, loc, AdvanceOp::create(b, loc, end0).getResult());
    return success();
  }

  LogicalResult loadQueries(Scalars &role, const BlockTile &tile,
                            Value cursor) {
    LoadTileOp query = k.source.query;
    auto type = cast<SwizzledType>(k.queries.getResult().getType());
    CommitOp::create(b, loc, k.queryRing, cursor,
                     b.getI64IntegerAttr(type.getTileBytes() * k.consumers()));
    for (int64_t number = 0; number < k.consumers(); ++number) {
      Value index = arith::ConstantIntOp::create(b, loc, number, 32);
      Scalars scalars = role.inBlock(tile.blockX(b, k, index), tile.y, tile.z);
      SmallVector<Value> at =
          coordinatesOf(b, scalars, query.getSource().getType(),
                        query.getOffsets(), query.getTileDims());
      if (at.empty())
        return failure();
      TmaLoadOp::create(
          b, loc, k.maps[0], at.front(), ArrayRef(at).drop_front(), k.queries,
          k.queryIndex(b, loc, cursor, index), k.queryRing, cursor);
    }
    return success();
  }

  LogicalResult loadKey(Scalars &scalars, Value position, Value cursor) {
    return loadStreamed(scalars, k.source.loops.front().key, k.maps[1], k.keys,
                        k.keyRing, position, cursor);
  }
  LogicalResult loadValue(Scalars &scalars, Value position, Value cursor) {
    return loadStreamed(scalars, k.source.loops.front().value, k.maps[2],
                        k.values, k.valueRing, position, cursor);
  }

  LogicalResult loadStreamed(Scalars scalars, LoadTileOp load, Value map,
                             Value tiles, Value ring, Value position,
                             Value cursor) {
    scalars.map.map(k.source.loops.front().loop.getInductionVar(), position);
    SmallVector<Value> at =
        coordinatesOf(b, scalars, cast<MemRefType>(load.getSource().getType()),
                      load.getOffsets(), load.getTileDims());
    if (at.empty())
      return failure();
    int64_t bytes = cast<SwizzledType>(tiles.getType()).getTileBytes();
    AcquireOp::create(b, loc, ring, cursor);
    CommitOp::create(b, loc, ring, cursor, b.getI64IntegerAttr(bytes));
    TmaLoadOp::create(b, loc, map, at.front(), ArrayRef(at).drop_front(), tiles,
                      cursor, ring, cursor);
    return success();
  }

  RoleKernel &k;
  Location loc;
  OpBuilder b;
};

} // namespace

LogicalResult fa::fagpu::buildProducer(RoleKernel &kernel) {
  return ProducerBuilder(kernel).build();
}
