//===- SpecializeConsumer.cpp - the role that computes --------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"
#include "fa/Transforms/TileRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

namespace {

/// The operand that a generic's body yields unchanged but for one op.
template <typename OpTy> OpTy onlyOpOf(linalg::GenericOp op) {
  Block *body = op.getBody();
  if (body->getOperations().size() != 2)
    return {};
  auto only = dyn_cast<OpTy>(body->front());
  return only && body->getTerminator()->getOperand(0) == only.getResult()
             ? only
             : OpTy();
}

Value operandOf(linalg::GenericOp op, Value argument) {
  auto blockArgument = dyn_cast<BlockArgument>(argument);
  if (!blockArgument || blockArgument.getOwner() != op.getBody())
    return {};
  return op->getOperand(blockArgument.getArgNumber());
}

/// The f32 tile that `op` rounds to a packed operand; null if it does more.
Value roundedOperand(linalg::GenericOp op) {
  auto trunc = onlyOpOf<arith::TruncFOp>(op);
  if (!trunc || !hasLayout<AOpAttr>(op->getResult(0).getType()))
    return {};
  return operandOf(op, trunc.getIn());
}

/// The tile and the factors of rows if `op` is their product.
std::pair<Value, Value> scaledRows(linalg::GenericOp op) {
  auto product = onlyOpOf<arith::MulFOp>(op);
  if (!product || !hasLayout<AccAttr>(op->getResult(0).getType()))
    return {};
  Value x = operandOf(op, product.getLhs()),
        y = operandOf(op, product.getRhs());
  if (!x || !y)
    return {};
  if (hasLayout<RowsAttr>(x.getType()))
    std::swap(x, y);
  if (!hasLayout<AccAttr>(x.getType()) || !hasLayout<RowsAttr>(y.getType()))
    return {};
  return {x, y};
}

/// The body of the source for one query tile: key loops from the last key to
/// the first, products on what the rings bring.
class ConsumerBuilder {
public:
  explicit ConsumerBuilder(RoleKernel &k)
      : k(k), loc(k.source.function.getLoc()), b(k.kernel) {}

  LogicalResult build() {
    b.setInsertionPointToEnd(&k.kernel.getBody().front());
    auto role = RoleOp::create(b, loc, RoleKind::Consumer, k.consumers(),
                               k.schedule.getConsumerRegisters());
    Type i32 = b.getI32Type();
    warpgroup = b.createBlock(&role.getBody(), {}, i32, loc)->getArgument(0);
    Scalars scalars(b, k);
    Value cursor = CursorOp::create(b, loc, k.cursorType());
    auto tiles = ForEachTileOp::create(
        b, loc, TypeRange(k.cursorType()),
        k.counter ? Scheduler::Dynamic : Scheduler::Static, k.total,
        k.queryRing.getResult(), k.counter, /*inbox=*/Value(), cursor);
    Block *body = b.createBlock(&tiles.getBody(), {},
                                {i32, k.queryCursorType(), k.cursorType()},
                                {loc, loc, loc});
    queryCursor = body->getArgument(1);
    return buildTile(scalars, body->getArgument(0), body->getArgument(2));
  }

private:
  /// Which of the block's query tiles is this warpgroup's. Where the last one
  /// sees the most keys, every other time it is another's: who is done first
  /// then goes on first, as far as queries and keys are there.
  Value positionInTile() {
    if (!k.rangesDiffer || k.schedule.getQuerySlots() < 2)
      return warpgroup;
    I32Builder i(b, loc);
    Value isOdd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        SlotOp::create(b, loc, queryCursor),
                                        i.constant(0));
    Value mirrored = i.sub(i.constant(k.consumers() - 1), warpgroup);
    return arith::SelectOp::create(b, loc, isOdd, mirrored, warpgroup);
  }

  LogicalResult buildTile(Scalars &role, Value number, Value cursor) {
    BlockTile tile = BlockTile::decode(b, k, number);
    Value position = positionInTile();
    Scalars scalars = role.inBlock(tile.blockX(b, k, position), tile.y, tile.z);
    isMissing = tile.isMissing(b, k, position);
    queryIndex = k.queryIndex(b, loc, queryCursor, position);
    bool loopsAreBuilt = false;
    for (Operation &op : k.source.body().without_terminator()) {
      if (&op == k.source.query)
        continue;
      if (isa<scf::ForOp>(op)) {
        if (!loopsAreBuilt && failed(buildLoops(role, scalars, tile, cursor)))
          return failure();
        loopsAreBuilt = true;
        continue;
      }
      if (&op == k.source.out) {
        // What is left of the block's keys, as late as the output lets it.
        cursor = skipTiles(blockBegin, begin, cursor);
        if (failed(storeOutput(scalars)))
          return failure();
      } else if (failed(cloneOp(op, scalars))) {
        return failure();
      }
    }
    fagpu::YieldOp::create(b, loc, cursor);
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Key loops
  //===--------------------------------------------------------------------===//

  LogicalResult buildLoops(Scalars &role, Scalars &scalars,
                           const BlockTile &tile, Value &cursor) {
    I32Builder i(b, loc);
    int64_t keyTile = k.source.keyTile();
    // Whoever has no rows takes its turns all the same.
    SmallVector<Value> bounds =
        keyBounds(b, k, scalars, k.schedule.getTurns() ? Value() : isMissing);
    if (bounds.empty())
      return failure();
    auto [first, last] = blockKeys(b, k, role, tile);
    if (!first)
      return failure();
    // All start with the last key, or none where the keys differ.
    if (k.rangesDiffer)
      cursor = skipTiles(bounds.back(), last, cursor);
    blockBegin = first;
    clearTail(scalars, bounds.back(), cursor);
    SmallVector<Value> state = {cursor};
    for (Value init : k.source.loops.front().loop.getInitArgs())
      state.push_back(scalars.map.lookup(init));
    // The first loop that runs takes a tile in any case: it masks most.
    Value from = bounds.back();
    for (int64_t n = k.source.loops.size() - 1; n >= 0; --n) {
      bool isFirst = n + 1 == static_cast<int64_t>(k.source.loops.size());
      Value until = arith::MinSIOp::create(
          b, loc, bounds[n], isFirst ? i.add(from, -keyTile) : from);
      if (failed(buildLoop(k.source.loops[n], scalars, until, from, state)))
        return failure();
      from = until;
    }
    if (k.outputs)
      ReleaseOp::create(b, loc, k.queryRing, queryCursor);
    cursor = state.front();
    begin = bounds.front();
    scalars.map.map(k.source.loops.back().loop.getResults(),
                    ArrayRef(state).drop_front());
    return success();
  }

  /// The last key tile, which comes first, may reach past the end of the
  /// sequence.
  void clearTail(Scalars scalars, Value end, Value cursor) {
    Value limit = k.source.valueLimit();
    if (!limit)
      return;
    I32Builder i(b, loc);
    LoadTileOp load = k.source.loops.back().value;
    scalars.map.map(k.source.loops.back().loop.getInductionVar(),
                    i.add(end, -k.source.keyTile()));
    Value row = scalars.getI32(b, load.getOffsets()[load.getTileDims()[0]]);
    ClearTailOp::create(b, loc, k.valueRing, cursor, k.values,
                        i.sub(scalars.getI32(b, limit), row), Value());
  }

  /// Passes tiles that only other consumers of the block need.
  Value skipTiles(Value begin, Value end, Value cursor) {
    Value step = arith::ConstantIntOp::create(b, loc, k.source.keyTile(), 32);
    auto loop = scf::ForOp::create(b, loc, begin, end, step, cursor);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value at = loop.getRegionIterArgs().front();
    for (Value ring : {k.keyRing.getResult(), k.valueRing.getResult()}) {
      WaitFullOp::create(b, loc, ring, at);
      ReleaseOp::create(b, loc, ring, at);
    }
    scf::YieldOp::create(b, loc, AdvanceOp::create(b, loc, at).getResult());
    return loop.getResult(0);
  }

  /// Key tiles of [until, from), the last one first; `state` is the cursor and
  /// what the source's loop carries.
  LogicalResult buildLoop(KeyLoop &part, const Scalars &outer, Value until,
                          Value from, SmallVector<Value> &state) {
    I32Builder i(b, loc);
    int64_t keyTile = k.source.keyTile();
    Value sum = i.add(i.add(until, from), -keyTile);
    auto loop = scf::ForOp::create(b, part.loop.getLoc(), until, from,
                                   i.constant(keyTile), state);
    if (part.loop->hasAttr(kSingleName))
      loop->setAttr(kSingleName, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Scalars scalars = outer;
    scalars.map.map(part.loop.getInductionVar(),
                    i.sub(sum, loop.getInductionVar()));
    ValueRange carried = loop.getRegionIterArgs();
    scalars.map.map(part.loop.getRegionIterArgs(), carried.drop_front());
    cursorHere = carried.front();
    for (Operation &op : part.loop.getBody()->without_terminator()) {
      if (&op == part.key || &op == part.value)
        continue;
      if (auto mma = dyn_cast<MmaOp>(op))
        multiply(mma, mma == part.qk, scalars);
      else if (failed(cloneOp(op, scalars)))
        return failure();
    }
    SmallVector<Value> yields = {AdvanceOp::create(b, loc, cursorHere)};
    for (Value v : part.loop.getYieldedValues())
      yields.push_back(scalars.map.lookupOrDefault(v));
    scf::YieldOp::create(b, loc, yields);
    state.assign(loop.result_begin(), loop.result_end());
    return success();
  }

  /// A product on the tile at the loop's cursor, waited for at once.
  void multiply(MmaOp mma, bool isScore, Scalars &scalars) {
    Location at = mma.getLoc();
    auto type = cast<RankedTensorType>(mma.getResult().getType());
    auto pending = PendingType::get(b.getContext(), type.getShape(),
                                    type.getElementType());
    Value ring = isScore ? k.keyRing : k.valueRing;
    WaitFullOp::create(b, at, ring, cursorHere);
    WgmmaOp product =
        isScore
            ? WgmmaOp::create(b, at, pending, k.queries, queryIndex, k.keys,
                              cursorHere, Value(), /*b_rows_are_k=*/false,
                              /*a_rows_are_k=*/false, /*tiles=*/1, Value(),
                              Value())
            : WgmmaOp::create(b, at, pending, scalars.map.lookup(mma.getA()),
                              Value(), k.values, cursorHere,
                              scalars.map.lookup(mma.getAcc()),
                              /*b_rows_are_k=*/true, /*a_rows_are_k=*/false,
                              /*tiles=*/1, Value(), Value());
    auto wait =
        WgmmaWaitOp::create(b, at, TypeRange(type), TypeRange(), 0,
                            ValueRange(product.getResult()), ValueRange());
    ReleaseOp::create(b, at, ring, cursorHere);
    scalars.map.map(mma.getResult(), wait.getValues().front());
  }

  //===--------------------------------------------------------------------===//
  // Other ops
  //===--------------------------------------------------------------------===//

  LogicalResult cloneOp(Operation &op, Scalars &scalars) {
    if (op.getNumResults() == 1 && scalars.map.contains(op.getResult(0)))
      return success();
    if (op.getNumResults() == 1 && isScalarOp(op))
      return success(scalars.get(b, op.getResult(0)));
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (generic.getResult(0) == k.source.out.getTile())
        return success();
      if (Value source = roundedOperand(generic)) {
        auto pack = PackOp::create(b, op.getLoc(), op.getResultTypes().front(),
                                   scalars.map.lookup(source));
        scalars.map.map(op.getResult(0), pack.getResult());
        return success();
      }
      if (auto [tile, factors] = scaledRows(generic); tile) {
        auto scale =
            ScaleRowsOp::create(b, op.getLoc(), scalars.map.lookup(tile),
                                scalars.map.lookup(factors), Value(), false);
        scalars.map.map(op.getResult(0), scale.getResult());
        return success();
      }
      if (hasLayout<AOpAttr>(generic.getResult(0).getType()))
        return op.emitError("machine stage: a packed operand must be a "
                            "rounded f32 tile");
    }
    Operation *clone = b.clone(op, scalars.map);
    if (auto store = dyn_cast<StoreTileOp>(clone))
      limitStore(store);
    return success();
  }

  /// A missing query tile stores nothing.
  void limitStore(StoreTileOp store) {
    b.setInsertionPoint(store);
    Value limit = store.getLimit();
    constexpr int64_t everything = 1 << 30;
    if (!limit)
      limit = arith::ConstantIndexOp::create(b, loc, everything);
    Value nothing = arith::ConstantIndexOp::create(b, loc, 0);
    limit = arith::SelectOp::create(b, loc, isMissing, nothing, limit);
    store.getLimitMutable().assign(limit);
    b.setInsertionPointAfter(store);
  }
  Value isPresent() {
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    return arith::XOrIOp::create(b, loc, isMissing, yes);
  }

  static bool isScalarOp(Operation &op) {
    return op.getNumRegions() == 0 &&
           op.getResult(0).getType().isIntOrIndexOrFloat() &&
           (isMemoryEffectFree(&op) || isa<memref::LoadOp>(op));
  }

  /// TMA rounds on the way: the source's rounding goes.
  LogicalResult storeOutput(Scalars &scalars) {
    StoreTileOp store = k.source.out;
    auto generic = store.getTile().getDefiningOp<linalg::GenericOp>();
    SmallVector<Value> at = coordinatesOf(
        b, scalars, cast<MemRefType>(store.getDestination().getType()),
        store.getOffsets(), store.getTileDims());
    if (at.empty())
      return failure();
    TmaStoreOp::create(b, store.getLoc(), unrounded(generic, scalars),
                       k.outputs ? k.outputs : k.queries,
                       k.outputs ? warpgroup : queryIndex, k.maps[3],
                       at.front(), ArrayRef(at).drop_front(), isPresent(),
                       /*drain=*/!k.outputs);
    if (!k.outputs)
      ReleaseOp::create(b, loc, k.queryRing, queryCursor);
    return success();
  }

  /// What `generic` rounds, in f32.
  Value unrounded(linalg::GenericOp generic, Scalars &scalars) {
    auto rounded = cast<RankedTensorType>(generic.getResult(0).getType());
    auto type = RankedTensorType::get(rounded.getShape(), b.getF32Type(),
                                      rounded.getEncoding());
    auto clone = cast<linalg::GenericOp>(b.clone(*generic, scalars.map));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(clone);
    Value init = tensor::EmptyOp::create(
        b, loc, type.getShape(), type.getElementType(), type.getEncoding());
    clone.getOutputsMutable().assign(init);
    clone->getResult(0).setType(type);
    Block *body = clone.getBody();
    body->getArguments().back().setType(type.getElementType());
    auto trunc = body->getTerminator()->getOperand(0).getDefiningOp();
    body->getTerminator()->setOperand(0, trunc->getOperand(0));
    if (trunc->use_empty())
      trunc->erase();
    // Mostly that is a factor per row.
    auto [tile, factors] = scaledRows(clone);
    if (!tile)
      return clone->getResult(0);
    b.setInsertionPointAfter(clone);
    Value scaled =
        ScaleRowsOp::create(b, clone.getLoc(), tile, factors, Value(), false);
    clone.erase();
    return scaled;
  }

  RoleKernel &k;
  Location loc;
  OpBuilder b;
  Value warpgroup, queryCursor, queryIndex, cursorHere, isMissing;
  /// Where the block's keys begin, and where this consumer's do.
  Value blockBegin, begin;
};

} // namespace

LogicalResult fa::fagpu::buildConsumer(RoleKernel &kernel) {
  return ConsumerBuilder(kernel).build();
}
