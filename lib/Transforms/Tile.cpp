//===- Tile.cpp - online attention as a tile program ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Passes.h"
#include "fa/Transforms/TileBuilder.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace fa {
#define GEN_PASS_DEF_FATILE
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

static constexpr StringLiteral kScheduleName = "fa.schedule";
static constexpr StringLiteral kMappingName = "fa.mapping";

namespace {

using Sequence = TileBuilder::Sequence;
using State = TileBuilder::State;

//===----------------------------------------------------------------------===//
// Loop orders
//===----------------------------------------------------------------------===//

State asState(ValueRange values) { return {values[0], values[1], values[2]}; }

/// The key tiles that a query tile sees, one after another.
State streamKeys(TileBuilder &t, const Sequence &s, Value query, Value row) {
  TileRange range = t.keysSeen(s, row);
  SmallVector<Mapped> fixed = t.loadFixed(s, row, Value(), N);
  SmallVector<Value> state = t.emptyState().values();
  auto stream = [&](Value begin, Value end, bool isFull) {
    state = t.loop(begin, end, t.keyTile, state,
                   [&](Value key, ValueRange carried) {
                     Value keyTile = t.loadKey(s, key);
                     Value valueTile = t.loadValue(s, key, isFull);
                     return t
                         .step(s, asState(carried), query, keyTile, valueTile,
                               fixed, row, key, isFull)
                         .values();
                   });
  };
  stream(range.begin, range.fullBegin, /*isFull=*/false);
  stream(range.fullBegin, range.fullEnd, /*isFull=*/true);
  Value before = state.front();
  stream(range.fullEnd, range.end, /*isFull=*/false);
  if (range.lastIsSingle && state.front() != before)
    state.front().getDefiningOp()->setAttr(kSingleName, t.b.getUnitAttr());
  return asState(state);
}

/// FlashAttention-2: a query tile stays, keys stream.
scf::ForallOp buildQueryOuter(TileBuilder &t) {
  SmallVector<OpFoldResult> bounds = t.headExtents();
  bounds.push_back(t.queryTileCount());
  return scf::ForallOp::create(
      t.b, t.loc, bounds, ValueRange{}, std::nullopt,
      [&](OpBuilder &b, Location loc, ValueRange i) {
        // The tile builder inserts where this body is.
        OpBuilder::InsertionGuard guard(t.b);
        t.b.restoreInsertionPoint(b.saveInsertionPoint());
        Sequence s = t.enterSequence(i[0], i[1], i[2]);
        Value row = t.index.mul(i[3], t.queryTile);
        auto body = [&] {
          Value query = t.loadQuery(s, row);
          t.finish(s, streamKeys(t, s, query, row), row);
        };
        if (t.isPacked()) {
          Value inside = arith::CmpIOp::create(
              t.b, loc, arith::CmpIPredicate::slt, row, s.rowCount);
          auto guarded = scf::IfOp::create(t.b, loc, inside);
          t.b.setInsertionPointToStart(guarded.thenBlock());
          body();
          t.b.setInsertionPointAfter(guarded);
        } else {
          body();
        }
        scf::InParallelOp::create(t.b, loc);
      });
}

/// The query tiles that see a key tile, one after another; their state is in
/// memory between key tiles.
void streamQueries(TileBuilder &t, const Sequence &s,
                   const TileBuilder::StateMemory &memory, Value key) {
  TileRange range = t.rowsSeen(s, key);
  Value keyTile = t.loadKey(s, key);
  Value valueTile = t.loadValue(s, key, /*isFull=*/false);
  SmallVector<Mapped> fixed = t.loadFixed(s, Value(), key, M);
  auto stream = [&](Value begin, Value end, bool isFull) {
    t.loop(begin, end, t.queryTile, {}, [&](Value row, ValueRange) {
      Value query = t.loadQuery(s, row);
      State state = t.loadState(s, memory, row);
      state =
          t.step(s, state, query, keyTile, valueTile, fixed, row, key, isFull);
      t.storeState(s, memory, state, row);
      return SmallVector<Value>();
    });
  };
  stream(range.begin, range.fullBegin, /*isFull=*/false);
  stream(range.fullBegin, range.fullEnd, /*isFull=*/true);
  stream(range.fullEnd, range.end, /*isFull=*/false);
}

/// FlashAttention, algorithm 1: a key and value tile stay, queries stream.
scf::ForallOp buildKeyOuter(TileBuilder &t) {
  TileBuilder::StateMemory memory = t.allocateState();
  return scf::ForallOp::create(
      t.b, t.loc, t.headExtents(), ValueRange{}, std::nullopt,
      [&](OpBuilder &b, Location loc, ValueRange i) {
        OpBuilder::InsertionGuard guard(t.b);
        t.b.restoreInsertionPoint(b.saveInsertionPoint());
        Sequence s = t.enterSequence(i[0], i[1], i[2]);
        Value zero = t.index.constant(0);
        Value rowsEnd = t.index.roundUp(s.rowCount, t.queryTile);
        Value keysEnd = t.index.roundUp(s.visibility.keysEnd, t.keyTile);
        t.loop(zero, rowsEnd, t.queryTile, {}, [&](Value row, ValueRange) {
          t.storeState(s, memory, t.emptyState(), row);
          return SmallVector<Value>();
        });
        t.loop(zero, keysEnd, t.keyTile, {}, [&](Value key, ValueRange) {
          streamQueries(t, s, memory, key);
          return SmallVector<Value>();
        });
        t.loop(zero, rowsEnd, t.queryTile, {}, [&](Value row, ValueRange) {
          t.finish(s, t.loadState(s, memory, row), row);
          return SmallVector<Value>();
        });
        scf::InParallelOp::create(t.b, loc);
      });
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

bool isFilledWith(Value v, function_ref<bool(const APFloat &)> test) {
  auto fill = v.getDefiningOp<linalg::FillOp>();
  FloatAttr attr;
  return fill && matchPattern(fill.getInputs()[0], m_Constant(&attr)) &&
         test(attr.getValue());
}

/// Whether the state before the first key is the empty one.
bool startsEmpty(OnlineAttentionOp op) {
  auto isZero = [](const APFloat &v) { return v.isZero(); };
  auto isMinusInf = [](const APFloat &v) {
    return v.isInfinity() && v.isNegative();
  };
  return isFilledWith(op.getAcc(), isZero) &&
         isFilledWith(op.getRowMax(), isMinusInf) &&
         isFilledWith(op.getRowSum(), isZero);
}

/// The one fa.finalize that reads all three results, or null.
FinalizeOp finalizeOf(OnlineAttentionOp op) {
  // On memrefs there are no results to follow.
  if (op->getNumResults() == 0)
    return {};
  for (OpResult result : op->getResults())
    if (!result.hasOneUse())
      return {};
  auto finalize = dyn_cast<FinalizeOp>(*op->getResult(0).user_begin());
  if (finalize && finalize.getAcc() == op->getResult(0) &&
      finalize.getRowMax() == op->getResult(1) &&
      finalize.getRowSum() == op->getResult(2))
    return finalize;
  return {};
}

/// Whether one of two shaped values says how long a dimension is.
bool isStatic(Dim dim, Mapped x, Mapped y) {
  return llvm::any_of(ArrayRef<Mapped>{x, y}, [&](const Mapped &operand) {
    return !cast<ShapedType>(operand.value.getType())
                .isDynamicDim(positionOf(operand.map, dim));
  });
}

LogicalResult checkSupported(OnlineAttentionOp op, ScheduleAttr schedule) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto mapped = [&](OpOperand &operand) -> Mapped {
    return {operand.get(), self.getMapOf(operand)};
  };
  FinalizeOp finalize = finalizeOf(op);
  if (!finalize)
    return op.emitOpError("fa-tile supports only an online attention whose "
                          "three results one fa.finalize reads");
  if (!startsEmpty(op))
    return op.emitOpError("fa-tile supports only an online attention that "
                          "starts from acc = 0, row_max = -inf, row_sum = 0");
  if (!isStatic(D, mapped(op.getQueryMutable()), mapped(op.getKeyMutable())))
    return op.emitOpError("fa-tile does not support a dynamic head dimension "
                          "of query and key (d); make it static");
  auto outMap = cast<AffineMapAttr>(
      finalize.getIndexingMaps()[finalize.getSinks() ? 4 : 3]);
  if (!isStatic(E, mapped(op.getValueMutable()),
                {finalize.getOut(), outMap.getValue()}))
    return op.emitOpError("fa-tile does not support a dynamic head dimension "
                          "of value (e); make it static");
  if (schedule.getOrder() == LoopOrder::KeyOuter &&
      schedule.getPartialSums() != 1)
    return op.emitOpError("fa-tile supports partial_sums = ")
           << schedule.getPartialSums()
           << " only with order = q_outer: kv_outer keeps one row_sum per row "
              "in memory";
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The store of a result to memory, if that is its only use and nothing in
/// between touches memory.
bufferization::MaterializeInDestinationOp directStore(OpResult result) {
  if (!result.hasOneUse())
    return {};
  auto store =
      dyn_cast<bufferization::MaterializeInDestinationOp>(*result.user_begin());
  if (!store || !isa<MemRefType>(store.getDest().getType()) ||
      store->getBlock() != result.getOwner()->getBlock())
    return {};
  for (Operation *op = result.getOwner()->getNextNode(); op != store;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) &&
        !isa<bufferization::MaterializeInDestinationOp>(op))
      return {};
  return store;
}

class Tiler {
public:
  Tiler(RewriterBase &rewriter, OnlineAttentionOp online, ScheduleAttr schedule)
      : rewriter(rewriter), online(online), finalize(finalizeOf(online)),
        schedule(schedule) {}

  void run() {
    rewriter.setInsertionPoint(finalize);
    SmallVector<Value> outputs;
    for (OpResult result : finalize->getResults())
      outputs.push_back(memoryFor(result));
    TileBuilder t(rewriter, online, finalize, schedule);
    t.prepare(outputs);
    scf::ForallOp loops = schedule.getOrder() == LoopOrder::QueryOuter
                              ? buildQueryOuter(t)
                              : buildKeyOuter(t);
    describe(loops);
    rewriter.setInsertionPointAfter(loops);
    replaceResults(outputs);
  }

private:
  /// Loops carry the schedule and what else was said about the op, and go where
  /// `fa.mapping` says.
  void describe(scf::ForallOp loops) {
    for (NamedAttribute attribute : online->getDiscardableAttrs())
      if (attribute.getName() != kMappingName)
        loops->setAttr(attribute.getName(), attribute.getValue());
    loops->setAttr(kScheduleName, schedule);
    if (auto mapping = online->getAttrOfType<ArrayAttr>(kMappingName))
      loops.setMappingAttr(mapping);
  }

  /// Where out or lse goes.
  Value memoryFor(OpResult result) {
    if (result.use_empty() && result.getResultNumber() > 0)
      return {};
    if (auto store = directStore(result))
      return store.getDest();
    auto type = cast<RankedTensorType>(result.getType());
    Value init = finalize.getOutputs()[result.getResultNumber()];
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(
            tensor::DimOp::create(rewriter, finalize.getLoc(), init, i));
    return memref::AllocOp::create(
        rewriter, finalize.getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()), sizes);
  }

  void replaceResults(ArrayRef<Value> outputs) {
    for (auto [result, memory] : llvm::zip(finalize->getResults(), outputs)) {
      if (auto store = directStore(result)) {
        eraseWithDeadOperands(store);
      } else if (!result.use_empty()) {
        Value tensor = bufferization::ToTensorOp::create(
            rewriter, finalize.getLoc(), result.getType(), memory,
            /*restrict=*/true, /*writable=*/true);
        rewriter.replaceAllUsesWith(result, tensor);
      }
    }
    eraseWithDeadOperands(finalize);
  }

  /// Erases an op, and what was there only for it.
  void eraseWithDeadOperands(Operation *op) {
    SmallVector<Operation *> producers;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (!llvm::is_contained(producers, producer))
          producers.push_back(producer);
    rewriter.eraseOp(op);
    for (Operation *producer : producers)
      if (producer != finalize && isOpTriviallyDead(producer))
        eraseWithDeadOperands(producer);
  }

  RewriterBase &rewriter;
  OnlineAttentionOp online;
  FinalizeOp finalize;
  ScheduleAttr schedule;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct TilePass : fa::impl::FATileBase<TilePass> {
  using FATileBase::FATileBase;

  void runOnOperation() override {
    std::optional<LoopOrder> loopOrder = chooseOrder();
    if (!loopOrder)
      return signalPassFailure();
    Location loc = getOperation()->getLoc();
    if (failed(ScheduleAttr::verify(
            [&] { return mlir::emitError(loc, "fa-tile: "); }, *loopOrder,
            queryTile.getValue(), keyTile.getValue(), partialSums.getValue())))
      return signalPassFailure();
    auto fromOptions =
        ScheduleAttr::get(&getContext(), *loopOrder, queryTile.getValue(),
                          keyTile.getValue(), partialSums.getValue());

    IRRewriter rewriter(&getContext());
    SmallVector<OnlineAttentionOp> worklist;
    getOperation()->walk([&](OnlineAttentionOp op) {
      if (!isTile(op))
        worklist.push_back(op);
    });
    for (OnlineAttentionOp op : worklist) {
      auto own = op->getAttrOfType<ScheduleAttr>(kScheduleName);
      ScheduleAttr schedule = own ? own : fromOptions;
      if (failed(checkSupported(op, schedule)))
        return signalPassFailure();
      Tiler(rewriter, op, schedule).run();
    }
  }

  /// Already part of a tile program.
  static bool isTile(OnlineAttentionOp op) {
    for (auto loop = op->getParentOfType<scf::ForallOp>(); loop;
         loop = loop->getParentOfType<scf::ForallOp>())
      if (loop->hasAttr(kScheduleName))
        return true;
    return false;
  }

  std::optional<LoopOrder> chooseOrder() {
    LoopOrder chosen = LoopOrder::QueryOuter;
    if (preset == "fa1")
      chosen = LoopOrder::KeyOuter;
    else if (!preset.empty() && preset != "fa2")
      return refuse("preset", preset, "fa1 or fa2");
    if (order.empty())
      return chosen;
    if (std::optional<LoopOrder> named = symbolizeLoopOrder(order))
      return named;
    return refuse("order", order, "q_outer or kv_outer");
  }

  std::nullopt_t refuse(StringRef option, StringRef got, StringRef expected) {
    mlir::emitError(getOperation()->getLoc(), "fa-tile: ")
        << option << " = '" << got << "', expected " << expected;
    return std::nullopt;
  }
};

} // namespace
