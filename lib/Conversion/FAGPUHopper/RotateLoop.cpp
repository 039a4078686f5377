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
// and a last PV. Several loops, each of which goes on where the one before
// ended, are rotated as one: the first one must run at least once, and is gone
// if it runs no more often than that (`fa.single`). A consumer
// holds two slots of the key and value rings at a time, so they need two
// stages.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "fa/Transforms/TileRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUROTATELOOP
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

bool takesTurns(scf::ForOp loop) {
  auto schedule =
      loop->getParentOfType<KernelOp>()->getAttrOfType<WarpScheduleAttr>(
          kWarpsName);
  return schedule && schedule.getTurns();
}

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
    return refuse(waitValue, "its ring needs at least two stages (stages=, or "
                             "overlap=false)");
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

  /// Peels the first tile: what the loop starts from after it, and where.
  SmallVector<Value> peel(Value &begin) {
    IRMapping first = firstTile();
    begin = arith::AddIOp::create(b, loc, loop.getLowerBound(), loop.getStep());
    return carriedAfter(first);
  }

  /// The rotated loop, from what passes to its first tile to what passes on.
  SmallVector<Value> rotate(Value begin, ValueRange inits) {
    auto rotated = scf::ForOp::create(
        b, loc, begin, loop.getUpperBound(), loop.getStep(), inits,
        [&](OpBuilder &inner, Location, Value i, ValueRange carried) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(inner.getInsertionBlock());
          buildBody(i, carried);
        });
    return SmallVector<Value>(rotated.getResults());
  }

  /// The last PV, and the results of the old loop.
  void finish(ValueRange carried) {
    // Slots that nothing reads any more are free before it; what does not
    // need its result goes on while it runs.
    Operation *after = loop;
    while (isa<ReleaseOp>(after->getNextNode()))
      after = after->getNextNode();
    b.setInsertionPointAfter(after);
    WgmmaOp value = issueValue(carried);
    Value cursor = carried[parts.cursor.getArgNumber() - 1];
    Value next = AdvanceOp::create(b, loc, cursor);
    Value acc = loop.getTiedLoopResult(
        &loop.getInitsMutable()[parts.acc.getArgNumber() - 1]);
    b.setInsertionPoint(firstReader(acc, next.getDefiningOp()));
    auto done = WgmmaWaitOp::create(
        b, parts.pvWait.getLoc(), parts.pvWait.getValues().getTypes(),
        TypeRange(), 0, ValueRange(value.getResult()), ValueRange());
    releaseValueAt(cursor);
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
      Value replacement = carried[argument.getArgNumber() - 1];
      if (argument == parts.cursor)
        replacement = next;
      if (argument == parts.acc)
        replacement = done.getValues().front();
      result.replaceAllUsesWith(replacement);
    }
  }

private:
  /// The first op behind `after` that needs `v`. A value slot is held until
  /// then: nobody may wait for another one meanwhile.
  Operation *firstReader(Value v, Operation *after) {
    Block *block = loop->getBlock();
    llvm::SmallPtrSet<Operation *, 4> readers;
    for (Operation *user : v.getUsers())
      readers.insert(block->findAncestorOpInBlock(*user));
    Operation *op = after->getNextNode();
    while (op->getNextNode() && !readers.contains(op) &&
           !op->walk([](WaitFullOp) {
                return WalkResult::interrupt();
              }).wasInterrupted())
      op = op->getNextNode();
    return op;
  }

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
    for (Operation &op : *loop.getBody()) {
      if (isLater(&op))
        continue;
      // Before the first tile O is 0, and so it is scaled.
      if (auto scale = dyn_cast<ScaleRowsOp>(op);
          scale && isZero(map.lookupOrDefault(scale.getTile()))) {
        map.map(scale.getResult(), map.lookupOrDefault(scale.getTile()));
        continue;
      }
      b.clone(op, map);
    }
    return map;
  }

  static bool isZero(Value v) {
    if (auto fill = v.getDefiningOp<linalg::FillOp>())
      return matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
    return matchPattern(v, m_AnyZeroFloat());
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

    bool inTurns = takesTurns(loop);
    Value warpgroup = loop->getParentOfType<RoleOp>().getBody().getArgument(0);
    auto op = loop.getBody()->begin();
    for (; &*op != parts.qkWait; ++op) {
      if (inTurns && &*op == parts.qk)
        AwaitTurnOp::create(b, loc, warpgroup);
      if (!isLater(&*op))
        b.clone(*op, map);
    }
    WgmmaOp value = issueValue(carried);
    if (inTurns)
      PassTurnOp::create(b, loc, warpgroup);
    auto wait = WgmmaWaitOp::create(
        b, parts.qkWait.getLoc(), parts.qkWait.getValues().getTypes(),
        TypeRange(value.getType()), 1,
        map.lookup(parts.qkWait.getDone().front()), value.getResult());
    map.map(parts.qkWait.getValues(), wait.getValues());
    ++op;
    SmallVector<Operation *> afterValue;
    for (; op != loop.getBody()->end(); ++op)
      if (!isLater(&*op) && !(inTurns && &*op == parts.releaseKey)) {
        if (needsValue(&*op))
          afterValue.push_back(&*op);
        else
          b.clone(*op, map);
      }
    // The exponentials are this warpgroup's work while others have their turn.
    if (inTurns)
      releaseKeyAfter(
          map.lookup(parts.packed.getDefiningOp<PackOp>().getSource()), map);
    auto done = WgmmaWaitOp::create(
        b, parts.pvWait.getLoc(), parts.pvWait.getValues().getTypes(),
        TypeRange(), 0, wait.getPending(), ValueRange());
    releaseValueAt(before);
    map.map(parts.acc, done.getValues().front());
    // Scaling is a branch: what the assembler may mix with the exponentials
    // comes before it.
    for (bool packs : {true, false})
      for (Operation *late : afterValue)
        if (isa<PackOp>(late) == packs)
          b.clone(*late, map);
    scf::YieldOp::create(b, loc, carriedAfter(map));
  }

  /// Packing waits for PV, for rule 5; scaling needs its result.
  bool needsValue(Operation *op) {
    if (isa<PackOp>(op) || llvm::is_contained(op->getOperands(), parts.acc))
      return true;
    // The vote is the last thing: nothing waits for it.
    if (isa<AnyRowOp>(op) && op->hasOneUse() &&
        isa<ScaleRowsOp>(*op->user_begin()))
      return true;
    return llvm::any_of(op->getOperands(), [&](Value v) {
      Operation *def = v.getDefiningOp();
      return def && def->getBlock() == loop.getBody() &&
             (isa<PackOp>(def) ||
              llvm::is_contained(def->getOperands(), parts.acc));
    });
  }

  void releaseKeyAfter(Value exponentials, const IRMapping &map) {
    ReleaseOp::create(b, parts.releaseKey.getLoc(), parts.releaseKey.getRing(),
                      map.lookupOrDefault(parts.releaseKey.getCursor()),
                      exponentials);
  }

  void releaseValueAt(Value cursor) {
    ReleaseOp::create(b, parts.releaseValue.getLoc(),
                      parts.releaseValue.getRing(), cursor);
  }

  TileLoopParts &parts;
  scf::ForOp loop;
  Location loc;
  OpBuilder b;
};

/// Loops that go on where the one before ended.
using Chain = SmallVector<TileLoopParts>;

struct RotateLoop : fa::impl::FAGPURotateLoopBase<RotateLoop> {
  void runOnOperation() override {
    auto schedule = getOperation()->getAttrOfType<WarpScheduleAttr>(kWarpsName);
    // Gradients have an order of their own.
    if ((schedule && !schedule.getOverlap()) ||
        getOperation()->hasAttr(kGradientsName))
      return;
    SmallVector<Chain> chains;
    WalkResult walk = getOperation().walk([&](scf::ForOp loop) {
      if (loop.getBody()->getOps<WgmmaOp>().empty())
        return WalkResult::advance();
      FailureOr<TileLoopParts> parts = TileLoopParts::find(loop);
      if (failed(parts))
        return WalkResult::interrupt();
      if (chains.empty() || !follows(chains.back().back(), *parts))
        chains.emplace_back();
      chains.back().push_back(*parts);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (Chain &chain : chains)
      rotate(chain);
  }

  /// The last warpgroup passes, so that the first one begins.
  static void startTurns(scf::ForOp loop) {
    if (!takesTurns(loop))
      return;
    auto role = loop->getParentOfType<RoleOp>();
    OpBuilder b = OpBuilder::atBlockBegin(&role.getBody().front());
    Location loc = role.getLoc();
    Value warpgroup = role.getBody().getArgument(0);
    Value last =
        arith::ConstantIntOp::create(b, loc, role.getWarpgroups() - 1, 32);
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         warpgroup, last);
    auto branch = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    PassTurnOp::create(b, loc, warpgroup);
  }

  static bool follows(TileLoopParts &before, TileLoopParts &after) {
    return llvm::equal(before.loop.getResults(), after.loop.getInitArgs()) &&
           before.cursor.getArgNumber() == after.cursor.getArgNumber() &&
           before.acc.getArgNumber() == after.acc.getArgNumber();
  }

  static void rotate(Chain &chain) {
    startTurns(chain.front().loop);
    SmallVector<Value> carried;
    for (TileLoopParts &parts : chain) {
      Rotation rotation(parts);
      Value begin = parts.loop.getLowerBound();
      bool isPeeled = carried.empty();
      if (isPeeled)
        carried = rotation.peel(begin);
      // The peeled tile may be all.
      if (!isPeeled || !parts.loop->hasAttr(fa::kSingleName))
        carried = rotation.rotate(begin, carried);
    }
    Rotation(chain.back()).finish(carried);
    for (TileLoopParts &parts : llvm::reverse(chain))
      parts.loop.erase();
  }
};

} // namespace
