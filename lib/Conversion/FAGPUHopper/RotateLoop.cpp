//===- RotateLoop.cpp - overlap one tile's softmax with other products ----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A loop over key tiles, as it is written,
//
//   wait K, QK, wait 0, softmax, pack, scale O, wait V, PV, wait 0
//
// becomes, at distance 1, a first tile up to its softmax, then
//
//   wait K, QK, wait V of the tile before, PV of the tile before, wait 1,
//   softmax, wait 0, pack, scale O
//
// and a last PV. The loop must run at least once. A consumer holds two slots of
// the key and value rings at a time, so they need two stages.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUROTATELOOP
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

/// The parts of a loop body that have a name in the schedule.
struct TileLoopParts {
  scf::ForOp loop;
  WgmmaOp qk, pv;
  WgmmaWaitOp qkWait, pvWait;
  WaitFullOp waitValue;
  ReleaseOp releaseValue, releaseKey;
  /// The cursor of the loop and its position among the carried values.
  BlockArgument cursor, acc;
  Value packed;

  static FailureOr<TileLoopParts> find(scf::ForOp loop);

private:
  LogicalResult findProducts();
  LogicalResult findRings();
  LogicalResult findCarried();
  LogicalResult refuse(Operation *op, const Twine &why) {
    return op->emitError("cannot rotate the loop over key tiles: ") << why;
  }
};

/// Two waits and no more: everything in flight is known by name.
LogicalResult TileLoopParts::findProducts() {
  for (Operation &op : *loop.getBody()) {
    if (auto product = dyn_cast<WgmmaOp>(op)) {
      bool fromRegisters = isa<RankedTensorType>(product.getA().getType());
      WgmmaOp &slot = fromRegisters ? pv : qk;
      if (slot)
        return refuse(product, "it has a second such product");
      slot = product;
    }
    if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
      WgmmaWaitOp &slot = pv ? pvWait : qkWait;
      if (slot || wait.getGroups() != 0 || wait.getDone().size() != 1)
        return refuse(wait, "each product must be waited for once, by itself");
      slot = wait;
    }
  }
  if (!qk || !pv || !qkWait || !pvWait || !pv.getAcc())
    return refuse(loop, "it needs a product of shared memory and one that adds "
                        "registers times shared memory");
  packed = pv.getA();
  if (!packed.getDefiningOp<PackOp>())
    return refuse(pv, "its left operand is not packed in the loop");
  return success();
}

LogicalResult TileLoopParts::findRings() {
  for (Operation &op : *loop.getBody()) {
    if (auto wait = dyn_cast<WaitFullOp>(op))
      if (qkWait->isBeforeInBlock(wait))
        waitValue = wait;
    if (auto release = dyn_cast<ReleaseOp>(op))
      (pv->isBeforeInBlock(release) ? releaseValue : releaseKey) = release;
  }
  if (!waitValue || !releaseValue || !releaseKey)
    return refuse(loop, "it does not wait for and release keys and values");
  if (!releaseKey->isBeforeInBlock(waitValue) ||
      !pvWait->isBeforeInBlock(releaseValue))
    return refuse(loop, "keys must be released before values are waited for");
  int64_t stages = cast<RingType>(waitValue.getRing().getType()).getStages();
  if (stages < 2)
    return refuse(waitValue, "its ring needs at least two stages");
  return success();
}

LogicalResult TileLoopParts::findCarried() {
  cursor = dyn_cast<BlockArgument>(waitValue.getCursor());
  if (!cursor || cursor.getOwner() != loop.getBody())
    return refuse(waitValue, "the cursor must be carried by the loop");
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (loop.getTiedLoopYieldedValue(argument)->get() ==
        pvWait.getValues().front())
      acc = argument;
  if (!acc)
    return refuse(pv, "its accumulator must be carried by the loop");
  auto next =
      loop.getTiedLoopYieldedValue(cursor)->get().getDefiningOp<AdvanceOp>();
  if (!next || next.getCursor() != cursor)
    return refuse(loop, "the cursor must advance by one per tile");
  return success();
}

FailureOr<TileLoopParts> TileLoopParts::find(scf::ForOp loop) {
  TileLoopParts parts;
  parts.loop = loop;
  if (failed(parts.findProducts()) || failed(parts.findRings()) ||
      failed(parts.findCarried()))
    return failure();
  return parts;
}

/// Builds the rotated loop before the old one.
class Rotation {
public:
  explicit Rotation(TileLoopParts &parts)
      : parts(parts), loop(parts.loop), loc(parts.loop.getLoc()),
        b(parts.loop) {}

  void rotate() {
    IRMapping first = firstTile();
    SmallVector<Value> inits = carriedAfter(first);
    Value step = loop.getStep();
    Value begin = arith::AddIOp::create(b, loc, loop.getLowerBound(), step);
    auto rotated = scf::ForOp::create(
        b, loc, begin, loop.getUpperBound(), step, inits,
        [&](OpBuilder &inner, Location, Value i, ValueRange carried) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(inner.getInsertionBlock());
          buildBody(i, carried);
        });
    finish(rotated);
  }

private:
  /// The values that pass from tile to tile: those of the old loop (the cursor
  /// not yet advanced, the accumulator scaled and not yet added to), and P.
  SmallVector<Value> carriedAfter(IRMapping &map) {
    SmallVector<Value> values;
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      if (argument == parts.cursor)
        values.push_back(map.lookup(argument));
      else if (argument == parts.acc)
        values.push_back(map.lookup(parts.pv.getAcc()));
      else
        values.push_back(
            map.lookupOrDefault(loop.getTiedLoopYieldedValue(argument)->get()));
    }
    values.push_back(map.lookup(parts.packed));
    return values;
  }

  /// Ops of the part that runs a tile later, and the yield.
  bool isLater(Operation *op) {
    return op == parts.waitValue || op == parts.pv || op == parts.pvWait ||
           op == parts.releaseValue || isa<scf::YieldOp>(op) ||
           isCursorAdvance(op);
  }
  bool isCursorAdvance(Operation *op) {
    return op->getNumResults() == 1 &&
           op->getResult(0) ==
               loop.getTiedLoopYieldedValue(parts.cursor)->get();
  }

  IRMapping firstTile() {
    IRMapping map;
    map.map(loop.getInductionVar(), loop.getLowerBound());
    map.map(loop.getRegionIterArgs(), loop.getInitArgs());
    for (Operation &op : *loop.getBody())
      if (!isLater(&op))
        b.clone(op, map);
    return map;
  }

  /// PV of the tile whose state `carried` is; the product in flight.
  WgmmaOp issueValue(ValueRange carried) {
    IRMapping map;
    map.map(loop.getRegionIterArgs(), carried.drop_back());
    map.map(parts.pv.getAcc(), carried[parts.acc.getArgNumber() - 1]);
    map.map(parts.packed, carried.back());
    b.clone(*parts.waitValue, map);
    return cast<WgmmaOp>(b.clone(*parts.pv, map));
  }

  void buildBody(Value i, ValueRange carried) {
    Value before = carried[parts.cursor.getArgNumber() - 1];
    IRMapping map;
    map.map(loop.getInductionVar(), i);
    map.map(loop.getRegionIterArgs(), carried.drop_back());
    map.map(parts.cursor, AdvanceOp::create(b, loc, before).getResult());

    auto op = loop.getBody()->begin();
    for (; &*op != parts.qkWait; ++op)
      if (!isLater(&*op))
        b.clone(*op, map);
    WgmmaOp value = issueValue(carried);
    auto wait = WgmmaWaitOp::create(
        b, parts.qkWait.getLoc(), parts.qkWait.getValues().getTypes(),
        TypeRange(value.getType()), 1,
        map.lookup(parts.qkWait.getDone().front()), value.getResult());
    map.map(parts.qkWait.getValues(), wait.getValues());
    ++op;
    SmallVector<Operation *> afterValue;
    for (; op != loop.getBody()->end(); ++op)
      if (!isLater(&*op)) {
        if (needsValue(&*op))
          afterValue.push_back(&*op);
        else
          b.clone(*op, map);
      }
    auto done = WgmmaWaitOp::create(
        b, parts.pvWait.getLoc(), parts.pvWait.getValues().getTypes(),
        TypeRange(), 0, wait.getPending(), ValueRange());
    releaseValueAt(before);
    map.map(parts.acc, done.getValues().front());
    for (Operation *late : afterValue)
      b.clone(*late, map);
    scf::YieldOp::create(b, loc, carriedAfter(map));
  }

  /// Packing waits for PV, for rule 5; scaling needs its result.
  bool needsValue(Operation *op) {
    if (isa<PackOp>(op) || llvm::is_contained(op->getOperands(), parts.acc))
      return true;
    return llvm::any_of(op->getOperands(), [&](Value v) {
      Operation *def = v.getDefiningOp();
      return def && def->getBlock() == loop.getBody() &&
             (isa<PackOp>(def) ||
              llvm::is_contained(def->getOperands(), parts.acc));
    });
  }

  void releaseValueAt(Value cursor) {
    ReleaseOp::create(b, parts.releaseValue.getLoc(),
                      parts.releaseValue.getRing(), cursor);
  }

  /// The last PV, and the results of the old loop.
  void finish(scf::ForOp rotated) {
    ValueRange carried = rotated.getResults();
    WgmmaOp value = issueValue(carried);
    auto done = WgmmaWaitOp::create(
        b, parts.pvWait.getLoc(), parts.pvWait.getValues().getTypes(),
        TypeRange(), 0, ValueRange(value.getResult()), ValueRange());
    Value cursor = carried[parts.cursor.getArgNumber() - 1];
    releaseValueAt(cursor);
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
      Value replacement = carried[argument.getArgNumber() - 1];
      if (argument == parts.cursor)
        replacement = AdvanceOp::create(b, loc, cursor);
      if (argument == parts.acc)
        replacement = done.getValues().front();
      result.replaceAllUsesWith(replacement);
    }
    loop.erase();
  }

  TileLoopParts &parts;
  scf::ForOp loop;
  Location loc;
  OpBuilder b;
};

struct RotateLoop : fa::impl::FAGPURotateLoopBase<RotateLoop> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<WgmmaOp>().empty())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      FailureOr<TileLoopParts> parts = TileLoopParts::find(loop);
      if (failed(parts))
        return signalPassFailure();
      Rotation(*parts).rotate();
    }
  }
};

} // namespace
