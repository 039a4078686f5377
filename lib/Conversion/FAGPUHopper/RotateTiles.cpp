//===- RotateTiles.cpp - the next tile's first product before the end -----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The body of a consumer's loop over tiles,
//
//   pass tiles, wait K, QK, wait 0, release K | softmax, loop, last PV,
//   wait 0, release V | outputs
//
// has three parts: head, middle and end. After this pass,
//
//   take the first tile, head
//   while there is a tile: middle, take the next tile,
//     if it exists: head up to QK, end of this tile, wait 0, release K
//     else:         end of this tile
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUROTATETILES
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

/// What the three parts of a body are known by.
struct TileParts {
  ForEachTileOp loop;
  WgmmaOp product;
  WgmmaWaitOp productWait;
  ReleaseOp releaseKey;
  /// The first op of the end.
  Operation *end = nullptr;

  /// Null `why` at success.
  static TileParts find(ForEachTileOp loop, StringRef &why);

  Block &body() { return loop.getBody().front(); }
  BlockArgument tile() { return body().getArgument(0); }
  BlockArgument via() { return body().getArgument(1); }
  BlockArgument keys() { return body().getArgument(2); }
  Value firstKeys() { return product.getBIndex(); }
  Value scores() { return productWait.getValues().front(); }
  Value nextKeys() { return body().getTerminator()->getOperand(0); }

  /// Cloned wherever a result is needed: moves nothing, waits for nothing.
  static bool isPure(Operation &op) {
    return isMemoryEffectFree(&op) || isa<memref::LoadOp>(op);
  }
  bool isHead(Operation &op) {
    return &op == productWait || &op == releaseKey ||
           (!isPure(op) && !product->isBeforeInBlock(&op));
  }

private:
  StringRef findHead();
  StringRef findEnd();
  bool onlyPassesScores();
};

StringRef TileParts::findHead() {
  for (Operation &op : body())
    if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
      product = wgmma;
      break;
    }
  if (!product || !isa<SwizzledType>(product.getA().getType()) ||
      product.getAcc())
    return "its body does not start with a product of shared memory";
  productWait = dyn_cast<WgmmaWaitOp>(*product->getUsers().begin());
  if (!productWait || productWait.getGroups() != 0 ||
      productWait.getDone().size() != 1)
    return "its first product is not waited for by itself";
  for (Operation *user : firstKeys().getUsers())
    if (auto release = dyn_cast<ReleaseOp>(user);
        release && release->getBlock() == &body() &&
        productWait->isBeforeInBlock(release) &&
        (!releaseKey || release->isBeforeInBlock(releaseKey)))
      releaseKey = release;
  return releaseKey ? "" : "it does not release the keys of its first product";
}

/// Behind the last wait, what it lets go, and the cursor of the next tile.
StringRef TileParts::findEnd() {
  Operation *last = nullptr;
  for (Operation &op : body())
    if (isa<WgmmaWaitOp>(op))
      last = &op;
  if (last == productWait)
    return "its last product is not in its body";
  while (isa<ReleaseOp>(last->getNextNode()))
    last = last->getNextNode();
  Operation *next = nextKeys().getDefiningOp();
  if (next && next->getBlock() == &body() && last->isBeforeInBlock(next))
    last = next;
  end = last->getNextNode();
  for (Operation *user : via().getUsers())
    if (isa<ReleaseOp>(user) && !user->isBeforeInBlock(end))
      return "outputs go through the queries' memory";
  return "";
}

/// Whether the head tells the rest only where its keys are and what their
/// scores are.
bool TileParts::onlyPassesScores() {
  for (Operation &op : body()) {
    if (!isHead(op))
      continue;
    for (Value result : op.getResults())
      if (result != scores() && result != firstKeys())
        for (Operation *user : result.getUsers())
          if (!isHead(*body().findAncestorOpInBlock(*user)))
            return false;
  }
  return true;
}

TileParts TileParts::find(ForEachTileOp loop, StringRef &why) {
  TileParts parts;
  parts.loop = loop;
  why = loop.getScheduler() == Scheduler::None ? "it has one tile"
        : loop.getInits().size() != 1 || !loop->use_empty()
            ? "it carries more than the cursor of its keys"
            : parts.findHead();
  if (why.empty())
    why = parts.findEnd();
  if (why.empty() && !parts.onlyPassesScores())
    why = "more than scores passes from its first product to the rest";
  return parts;
}

class TileRotation {
public:
  explicit TileRotation(TileParts &parts)
      : parts(parts), loop(parts.loop), loc(loop.getLoc()), b(loop) {}

  void rotate() {
    Value via = CursorOp::create(b, loc, parts.via().getType());
    TakeTileOp first = take(via, Value());
    auto any = scf::IfOp::create(b, loc, first.getExists(),
                                 /*withElseRegion=*/false);
    b.setInsertionPointToStart(any.thenBlock());
    SmallVector<Value> state = {first.getTile(), via};
    llvm::append_range(state, issueHead(first, loop.getInits().front(), {}));
    scf::WhileOp::create(
        b, loc, ValueRange(state).getTypes(), state,
        [&](OpBuilder &inner, Location, ValueRange state) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(inner.getInsertionBlock());
          buildBody(state);
        },
        [](OpBuilder &b, Location loc, ValueRange state) {
          scf::YieldOp::create(b, loc, state);
        });
    loop.erase();
  }

private:
  TakeTileOp take(Value cursor, Value before) {
    return TakeTileOp::create(b, loc, b.getI32Type(), b.getI1Type(),
                              loop.getScheduler(), loop.getTotal(),
                              loop.getVia(), cursor, before);
  }

  void buildBody(ValueRange state) {
    IRMapping map;
    map.map(parts.tile(), state[0]);
    map.map(parts.via(), state[1]);
    map.map(parts.firstKeys(), state[2]);
    // Where no tile is passed by, both are the body's argument.
    map.map(parts.keys(), state[2]);
    map.map(parts.scores(), state[3]);
    for (Operation &op : parts.body()) {
      if (&op == parts.end)
        break;
      if (!parts.isHead(op))
        b.clone(op, map);
    }
    Value via = AdvanceOp::create(b, loc, state[1]);
    TakeTileOp next = take(via, state[0]);
    SmallVector<Value> passed = {next.getTile(), via};
    llvm::append_range(passed,
                       headIf(next, map.lookupOrDefault(parts.nextKeys()),
                              [&](OpBuilder &at) { cloneEnd(at, map); }));
    scf::ConditionOp::create(b, loc, next.getExists(), passed);
  }

  void cloneEnd(OpBuilder &at, IRMapping map) {
    for (Operation *op = parts.end; !op->hasTrait<OpTrait::IsTerminator>();
         op = op->getNextNode())
      at.clone(*op, map);
  }

  /// The head of a tile, with `meanwhile` in it; the cursor of its first keys
  /// and their scores.
  SmallVector<Value> issueHead(TakeTileOp taken, Value keys,
                               function_ref<void(OpBuilder &)> meanwhile) {
    IRMapping map;
    map.map(parts.tile(), taken.getTile());
    map.map(parts.via(), taken.getCursor());
    map.map(parts.keys(), keys);
    for (Operation &op : parts.body()) {
      if (parts.isHead(op) || parts.isPure(op))
        b.clone(op, map);
      if (&op == parts.product)
        break;
    }
    if (meanwhile)
      meanwhile(b);
    b.clone(*parts.productWait, map);
    b.clone(*parts.releaseKey, map);
    return {map.lookupOrDefault(parts.firstKeys()), map.lookup(parts.scores())};
  }

  /// The same if there is such a tile, else only `meanwhile`.
  SmallVector<Value> headIf(TakeTileOp taken, Value keys,
                            function_ref<void(OpBuilder &)> meanwhile) {
    Type types[] = {keys.getType(), parts.scores().getType()};
    auto choice = scf::IfOp::create(b, loc, types, taken.getExists(),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc, issueHead(taken, keys, meanwhile));
    b.setInsertionPointToStart(choice.elseBlock());
    meanwhile(b);
    // Nobody reads it: there is no next turn.
    auto type = cast<RankedTensorType>(parts.scores().getType());
    Value nothing = tensor::EmptyOp::create(
        b, loc, type.getShape(), type.getElementType(), type.getEncoding());
    scf::YieldOp::create(b, loc, {keys, nothing});
    return SmallVector<Value>(choice.getResults());
  }

  TileParts &parts;
  ForEachTileOp loop;
  Location loc;
  OpBuilder b;
};

struct RotateTiles : fa::impl::FAGPURotateTilesBase<RotateTiles> {
  void runOnOperation() override {
    auto schedule = getOperation()->getAttrOfType<WarpScheduleAttr>(kWarpsName);
    if (!schedule || !schedule.getAhead())
      return;
    SmallVector<ForEachTileOp> loops;
    for (auto role : getOperation().getBody().getOps<RoleOp>())
      if (role.getKind() == RoleKind::Consumer)
        role.walk([&](ForEachTileOp loop) { loops.push_back(loop); });
    for (ForEachTileOp loop : loops) {
      StringRef why;
      TileParts parts = TileParts::find(loop, why);
      if (why.empty())
        TileRotation(parts).rotate();
      else
        loop.emitRemark("the next tile does not start before the end of the "
                        "last one: ")
            << why;
    }
  }
};

} // namespace
