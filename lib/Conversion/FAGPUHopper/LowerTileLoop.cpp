//===- LowerTileLoop.cpp - fagpu.for_each_tile to scf.while ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fa {
#define GEN_PASS_DEF_FAGPULOWERTILELOOP
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

/// One loop of one role. The state that the while carries is
/// [tile,] cursor of via, carried values; a dynamic consumer reads its tile and
/// carries none.
class TileLoop {
public:
  TileLoop(ForEachTileOp op)
      : op(op), loc(op.getLoc()), b(op),
        isProducer(op->getParentOfType<RoleOp>().getKind() ==
                   RoleKind::Producer) {}

  void lower() {
    Value tile = NVVM::BlockIdXOp::create(b, loc, b.getI32Type());
    Value cursor =
        CursorOp::create(b, loc, op.getBody().getArgument(1).getType());
    if (op.getScheduler() == Scheduler::None || takesTicket())
      return lowerOnce(tile, cursor);
    Value inboxCursor;
    if (isOfPair())
      inboxCursor = CursorOp::create(
          b, loc, CursorType::get(b.getContext(), kInboxStages));
    if (isDrawn() && isOfPair()) {
      tile = share(drawForPair(), inboxCursor);
      inboxCursor = AdvanceOp::create(b, loc, inboxCursor);
    } else if (isDrawn() && isProducer) {
      tile = takeNumber();
    }
    SmallVector<Value> inits;
    if (!readsTile())
      inits.push_back(tile);
    inits.push_back(cursor);
    llvm::append_range(inits, op.getInits());
    if (isOfPair())
      inits.push_back(inboxCursor);

    SmallVector<Type> types = {b.getI32Type(), cursor.getType()};
    llvm::append_range(types, op.getInits().getTypes());
    if (isOfPair())
      types.push_back(inits.back().getType());
    auto loop = scf::WhileOp::create(
        b, loc, types, inits,
        [&](OpBuilder &, Location, ValueRange state) { buildBefore(state); },
        [&](OpBuilder &, Location, ValueRange state) { buildAfter(state); });
    if (isProducer && isDynamic()) {
      b.setInsertionPointAfter(loop);
      CommitOp::create(b, loc, op.getVia(), loop.getResult(1),
                       b.getI64IntegerAttr(0));
    }
    op.replaceAllUsesWith(loop.getResults().slice(2, op.getInits().size()));
    op.erase();
  }

private:
  /// The first number, too.
  bool isDrawn() { return op.getScheduler() == Scheduler::Drawn; }
  bool isDynamic() {
    return op.getScheduler() == Scheduler::Dynamic || isDrawn();
  }
  bool takesTicket() { return op.getScheduler() == Scheduler::Ticket; }
  bool readsTile() { return isDynamic() && !isProducer; }
  /// One block of a pair draws for both.
  bool isOfPair() { return isProducer && op.getInbox(); }

public:
  /// Memory; else it is the number that has been drawn.
  static bool isDrawnFrom(Value counter) {
    return !counter.getType().isInteger(32);
  }

private:
  Operation *takeSlot(Value cursor) {
    if (isProducer)
      return AcquireOp::create(b, loc, op.getVia(), cursor);
    return WaitFullOp::create(b, loc, op.getVia(), cursor);
  }

  /// What follows from the tile's number alone is computed while the slot is
  /// not there yet.
  static void delay(Operation *taken) {
    Operation *next = taken->getNextNode();
    while (next && next->getNumRegions() == 0 && isMemoryEffectFree(next) &&
           !next->hasTrait<OpTrait::IsTerminator>())
      next = next->getNextNode();
    taken->moveBefore(next);
  }

  void lowerOnce(Value tile, Value cursor) {
    takeSlot(cursor);
    if (op.getCounter() && !isDrawnFrom(op.getCounter())) {
      tile = op.getCounter();
    } else if (takesTicket() && isProducer) {
      tile = takeNumber();
      PublishOp::create(b, loc, tile, op.getVia(), cursor);
    } else if (takesTicket()) {
      tile =
          ReadPublishedOp::create(b, loc, b.getI32Type(), op.getVia(), cursor);
    }
    SmallVector<Value> state = {tile, cursor};
    llvm::append_range(state, op.getInits());
    SmallVector<Value> results = cloneBody(state);
    op.replaceAllUsesWith(results);
    op.erase();
  }

  /// The condition: is there a tile? With the dynamic scheduler the slot is
  /// taken first, for the number travels with it.
  void buildBefore(ValueRange state) {
    Value tile = readsTile() ? Value() : state.front();
    SmallVector<Value> rest(readsTile() ? state : state.drop_front());
    if (isDynamic())
      takeSlot(rest[0]);
    if (isDynamic() && isProducer)
      PublishOp::create(b, loc, tile, op.getVia(), rest[0]);
    if (readsTile())
      tile =
          ReadPublishedOp::create(b, loc, b.getI32Type(), op.getVia(), rest[0]);
    Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, tile,
                                       op.getTotal());
    rest.insert(rest.begin(), tile);
    scf::ConditionOp::create(b, loc, more, rest);
  }

  void buildAfter(ValueRange state) {
    Value next;
    if (isOfPair())
      next = drawForPair();
    else if (!readsTile())
      next = nextTile(state[0]);
    Operation *taken = isDynamic() ? nullptr : takeSlot(state[1]);
    SmallVector<Value> results =
        cloneBody(state.take_front(op.getBody().getNumArguments()));
    if (taken)
      delay(taken);
    if (isOfPair()) {
      next = share(next, state.back());
      results.push_back(AdvanceOp::create(b, loc, state.back()));
    }
    SmallVector<Value> yields;
    if (next)
      yields.push_back(next);
    yields.push_back(AdvanceOp::create(b, loc, state[1]));
    llvm::append_range(yields, results);
    scf::YieldOp::create(b, loc, yields);
  }

  //===--------------------------------------------------------------------===//
  // Pairs of blocks
  //===--------------------------------------------------------------------===//

  Value rank() { return NVVM::ClusterId::create(b, loc, b.getI32Type()); }

  scf::IfOp ifFirst() {
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank(), zero);
    return scf::IfOp::create(b, loc, TypeRange(b.getI32Type()), isFirst,
                             /*withElseRegion=*/true);
  }

  void yieldFrom(Block *block, llvm::function_ref<Value()> build) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    Value value = build();
    scf::YieldOp::create(b, loc, value);
  }

  /// It takes a while; nobody needs it before the tile's end.
  Value drawForPair() {
    auto branch = ifFirst();
    yieldFrom(branch.thenBlock(), [&] { return takeNumber(); });
    yieldFrom(branch.elseBlock(), [&] {
      return arith::ConstantIntOp::create(b, loc, 0, 32).getResult();
    });
    return branch.getResult(0);
  }

  /// The tile after this one, of what the first block has drawn. The inbox has
  /// two slots: who draws for tile t + 1 has tile t, so that the other block
  /// has had its number of tile t - 1, without which tile t - 1 would not have
  /// ended here.
  Value share(Value drawn, Value cursor) {
    Value inbox = op.getInbox();
    auto branch = ifFirst();
    yieldFrom(branch.thenBlock(), [&] {
      SendNumberOp::create(b, loc, drawn, inbox, cursor);
      return drawn;
    });
    yieldFrom(branch.elseBlock(), [&] {
      CommitOp::create(b, loc, inbox, cursor,
                       b.getI64IntegerAttr(kMailboxBytes));
      WaitFullOp::create(b, loc, inbox, cursor);
      Value number =
          ReadPublishedOp::create(b, loc, b.getI32Type(), inbox, cursor);
      ReleaseOp::create(b, loc, inbox, cursor);
      return number;
    });
    I32Builder i(b, loc);
    Value tile = i.add(i.mul(branch.getResult(0), kBlocksOfPair), rank());
    if (isDrawn())
      return tile;
    return i.add(tile, NVVM::GridDimXOp::create(b, loc, b.getI32Type()));
  }

  /// The number after `tile` for this block.
  Value nextTile(Value tile) {
    if (isDrawn())
      return takeNumber();
    Value blocks = NVVM::GridDimXOp::create(b, loc, b.getI32Type());
    if (!isDynamic())
      return arith::AddIOp::create(b, loc, tile, blocks);
    return arith::AddIOp::create(b, loc, takeNumber(), blocks);
  }

  /// The counter counts up to total - 1 and wraps: after all tiles of a launch
  /// it is 0 again. Where first numbers are drawn, too, every block draws one
  /// that is none.
  Value takeNumber() {
    Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
    I32Builder i(b, loc);
    Value total = op.getTotal();
    if (isDrawn())
      total = i.add(total, NVVM::GridDimXOp::create(b, loc, b.getI32Type()));
    if (isOfPair())
      total = i.div(total, kBlocksOfPair);
    Value last = arith::SubIOp::create(b, loc, total, one);
    return asmValue(b, loc, b.getI32Type(), "atom.global.inc.u32 $0, [$1], $2;",
                    "=r,l,r,~{memory}", {counterAddress(), last},
                    /*hasSideEffects=*/true);
  }

  Value counterAddress() {
    if (!isa<MemRefType>(op.getCounter().getType()))
      return op.getCounter();
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, op.getCounter());
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  }

  SmallVector<Value> cloneBody(ValueRange arguments) {
    IRMapping map;
    Block &body = op.getBody().front();
    map.map(body.getArguments(), arguments);
    for (Operation &nested : body.without_terminator())
      b.clone(nested, map);
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(value));
    return results;
  }

  ForEachTileOp op;
  static constexpr int64_t kBlocksOfPair = 2, kInboxStages = 2;

  Location loc;
  OpBuilder b;
  bool isProducer;
};

/// A tile ahead of its turn: what the loops above do, for one tile.
void lowerTakeTile(TakeTileOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  // A vote, for the assembler keeps to uniform registers only behind branches
  // that it knows to be uniform.
  auto isMore = [&](Value tile) -> Value {
    Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, tile,
                                       op.getTotal());
    Value all = arith::ConstantIntOp::create(b, loc, -1, 32);
    return NVVM::VoteSyncOp::create(b, loc, b.getI1Type(), all, more,
                                    NVVM::VoteSyncKind::any);
  };
  Value tile, exists;
  if (op.getScheduler() == Scheduler::Dynamic) {
    WaitFullOp::create(b, loc, op.getVia(), op.getCursor());
    tile = ReadPublishedOp::create(b, loc, b.getI32Type(), op.getVia(),
                                   op.getCursor());
    exists = isMore(tile);
  } else {
    tile = op.getBefore();
    if (tile)
      tile = arith::AddIOp::create(
          b, loc, tile, NVVM::GridDimXOp::create(b, loc, b.getI32Type()));
    else
      tile = NVVM::BlockIdXOp::create(b, loc, b.getI32Type());
    exists = isMore(tile);
    auto choice = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
    b.setInsertionPointToStart(choice.thenBlock());
    WaitFullOp::create(b, loc, op.getVia(), op.getCursor());
  }
  op.replaceAllUsesWith(ValueRange{tile, exists});
  op.erase();
}

struct LowerTileLoop : fa::impl::FAGPULowerTileLoopBase<LowerTileLoop> {
  void runOnOperation() override {
    SmallVector<ForEachTileOp> loops;
    getOperation().walk([&](ForEachTileOp op) { loops.push_back(op); });
    for (ForEachTileOp loop : loops)
      TileLoop(loop).lower();
    getOperation().walk(lowerTakeTile);
    // Rule 2 of the kernel no longer holds block by block.
    getOperation()->setAttr("fagpu.tile_loops_lowered",
                            UnitAttr::get(&getContext()));
  }
};

} // namespace
