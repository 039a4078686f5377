//===- StageShared.cpp - tiles in shared memory, copies ahead of use ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// Rules kept here:
// - A tile is read only behind `wait_group` of its copy and a barrier.
// - A buffer is overwritten only behind a barrier that follows its last read.
// - Copies that would run past the last key tile are disabled, not branched
//   around: every iteration commits the same number of groups.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace fa {
#define GEN_PASS_DEF_FASTAGESHARED
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// A loop over key tiles whose copies can run ahead.
struct KeyLoop {
  scf::ForOp loop;
  LoadTileOp key, value;
  /// The contractions that read them.
  fagpu::MmaOp scores, output;
};

/// A loop over tiles of which each is the right operand of several
/// contractions: a backward program's.
struct StreamLoop {
  scf::ForOp loop;
  SmallVector<LoadTileOp> loads;
};

void wait(OpBuilder &b, Location loc) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, 0);
  mlir::gpu::BarrierOp::create(b, loc);
}

void commit(OpBuilder &b, Location loc) {
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

class Stager {
public:
  Stager(mlir::gpu::GPUFuncOp kernel, int64_t maxShared)
      : kernel(kernel), maxShared(maxShared), rewriter(kernel.getContext()) {
    if (auto stages = kernel->getAttrOfType<IntegerAttr>(fagpu::kStagesName))
      this->stages = stages.getInt();
    earlyKeys = kernel->hasAttr(fagpu::kEarlyKeysName);
    body = mainBlock(kernel);
  }

  LogicalResult run() {
    if (stages != 1 && stages != 2)
      return kernel.emitError("machine stage: ")
             << fagpu::kStagesName << " must be 1 or 2, got " << stages;
    putTransposed();
    SmallVector<SmallVector<KeyLoop>> chains = findChains();
    // Tiles that are loaded once must be under way before the loops wait.
    SmallPtrSet<Operation *, 8> inLoops;
    for (auto &chain : chains)
      for (KeyLoop &l : chain) {
        inLoops.insert(l.key);
        inLoops.insert(l.value);
      }
    SmallVector<SmallVector<StreamLoop>> streams = findStreams();
    for (auto &stream : streams)
      for (StreamLoop &l : stream)
        inLoops.insert(l.loads.begin(), l.loads.end());
    SmallVector<LoadTileOp> others;
    kernel.walk([&](LoadTileOp load) {
      if (fagpu::hasLayout<fagpu::SharedAttr>(load.getType()) &&
          !inLoops.contains(load))
        others.push_back(load);
    });
    SmallVector<LoadTileOp> tails;
    for (LoadTileOp load : others) {
      if (!isStraightLine(load))
        stageAlone(load, /*isWaitedFor=*/isReadOnlyBy(load, chains, streams));
      else if (isBehind(load, chains))
        tails.push_back(load);
      else
        stageInPool(load, /*isFirst=*/chains.empty(), chains);
    }
    bool first = pool.map.empty();
    for (auto &chain : chains) {
      if (stages == 2)
        stageChainTwice(chain, first);
      else
        stageChain(chain, first);
      first = false;
    }
    for (LoadTileOp load : tails)
      stageInPool(load, /*isFirst=*/false, chains);
    for (auto &stream : streams)
      stageStream(stream);
    stageStores();
    return success();
  }

  int64_t bytes() const { return used; }

private:
  //===--------------------------------------------------------------------===//
  // Finding loops
  //===--------------------------------------------------------------------===//

  /// Where a block's work is: past conditions under which all of its threads do
  /// nothing.
  static Block *mainBlock(mlir::gpu::GPUFuncOp kernel) {
    Block *block = &kernel.front();
    for (;;) {
      scf::IfOp guard;
      for (Operation &op : *block) {
        if (isa<LoadTileOp, StoreTileOp, LoopLikeOpInterface>(op))
          return block;
        if (auto branch = dyn_cast<scf::IfOp>(op)) {
          if (guard || branch.getNumResults() > 0 || branch.elseBlock())
            return block;
          guard = branch;
        }
      }
      if (!guard)
        return block;
      block = guard.thenBlock();
    }
  }

  /// `op`'s operands can be computed for another value of the loop's variable.
  bool dependsOnlyOnIndex(LoadTileOp load, scf::ForOp loop,
                          SetVector<Operation *> &slice) {
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.inclusive = false;
    options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
    (void)getBackwardSlice(load.getOperation(), &slice, options);
    auto isFine = [&](Value v) {
      auto argument = dyn_cast<BlockArgument>(v);
      return !argument || argument.getOwner() != loop.getBody() ||
             argument == loop.getInductionVar();
    };
    if (!llvm::all_of(load->getOperands(), isFine))
      return false;
    return llvm::all_of(slice, [&](Operation *op) {
      return isPure(op) && op->getNumRegions() == 0 &&
             op->getBlock() == loop.getBody() &&
             llvm::all_of(op->getOperands(), isFine);
    });
  }

  std::optional<KeyLoop> asKeyLoop(scf::ForOp loop) {
    KeyLoop result{loop, {}, {}, {}, {}};
    for (auto load : loop.getBody()->getOps<LoadTileOp>()) {
      if (!fagpu::hasLayout<fagpu::SharedAttr>(load.getType()))
        continue;
      if (!load->hasOneUse())
        return std::nullopt;
      auto mma = dyn_cast<fagpu::MmaOp>(*load->user_begin());
      if (!mma || mma->getBlock() != loop.getBody() ||
          mma.getB() != load.getResult())
        return std::nullopt;
      LoadTileOp &slot = mma.getBTransposed() ? result.key : result.value;
      if (slot)
        return std::nullopt;
      slot = load;
      (mma.getBTransposed() ? result.scores : result.output) = mma;
    }
    SetVector<Operation *> slice;
    if (!result.key || !result.value ||
        !result.scores->isBeforeInBlock(result.output) ||
        !dependsOnlyOnIndex(result.key, loop, slice) ||
        !dependsOnlyOnIndex(result.value, loop, slice))
      return std::nullopt;
    // Nothing nested may read shared memory in between.
    bool isNested =
        loop.getBody()
            ->walk([&](LoadTileOp load) {
              return load->getBlock() != loop.getBody() &&
                             fagpu::hasLayout<fagpu::SharedAttr>(load.getType())
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (isNested)
      return std::nullopt;
    return result;
  }

  static bool continues(KeyLoop &before, KeyLoop &after) {
    auto sameValue = [](Value a, Value b) {
      if (a == b)
        return true;
      auto x = getConstantIntValue(a), y = getConstantIntValue(b);
      return x && y && *x == *y;
    };
    return sameValue(before.loop.getUpperBound(), after.loop.getLowerBound()) &&
           sameValue(before.loop.getStep(), after.loop.getStep()) &&
           before.key.getSource() == after.key.getSource() &&
           before.value.getSource() == after.value.getSource() &&
           before.key.getType() == after.key.getType() &&
           before.value.getType() == after.value.getType();
  }

  SmallVector<SmallVector<KeyLoop>> findChains() {
    SmallVector<SmallVector<KeyLoop>> chains;
    for (auto loop : body->getOps<scf::ForOp>()) {
      std::optional<KeyLoop> keyLoop = asKeyLoop(loop);
      if (!keyLoop)
        continue;
      if (chains.empty() || !continues(chains.back().back(), *keyLoop))
        chains.emplace_back();
      chains.back().push_back(*keyLoop);
    }
    return chains;
  }

  /// Whether all reads of a tile are in loops that wait for copies first.
  bool isReadOnlyBy(LoadTileOp load, ArrayRef<SmallVector<KeyLoop>> chains,
                    ArrayRef<SmallVector<StreamLoop>> streams) {
    auto isInside = [](const auto &loops, Operation *user) {
      return llvm::any_of(loops, [&](const auto &chain) {
        return llvm::any_of(chain, [&](const auto &l) {
          return l.loop->isProperAncestor(user);
        });
      });
    };
    return load->getBlock() == body &&
           llvm::all_of(load->getUsers(), [&](Operation *user) {
             return isInside(chains, user) || isInside(streams, user);
           });
  }

  std::optional<StreamLoop> asStreamLoop(scf::ForOp loop) {
    StreamLoop result{loop, {}};
    SetVector<Operation *> slice;
    WalkResult walk = loop.walk([&](LoadTileOp load) -> WalkResult {
      if (!fagpu::hasLayout<fagpu::SharedAttr>(load.getType()))
        return WalkResult::advance();
      bool isRightOperand = llvm::all_of(load->getUses(), [&](OpOperand &use) {
        auto mma = dyn_cast<fagpu::MmaOp>(use.getOwner());
        return mma && mma->getBlock() == loop.getBody() &&
               mma.getB() == load.getResult() && mma.getA() != load.getResult();
      });
      if (load->getBlock() != loop.getBody() || !isRightOperand ||
          !dependsOnlyOnIndex(load, loop, slice))
        return WalkResult::interrupt();
      result.loads.push_back(load);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted() || result.loads.empty() || asKeyLoop(loop))
      return std::nullopt;
    return result;
  }

  static bool sameValue(Value a, Value b) {
    if (a == b)
      return true;
    auto x = getConstantIntValue(a), y = getConstantIntValue(b);
    return x && y && *x == *y;
  }

  static bool continues(StreamLoop &before, StreamLoop &after) {
    if (before.loop->getBlock() != after.loop->getBlock() ||
        before.loads.size() != after.loads.size() ||
        !sameValue(before.loop.getUpperBound(), after.loop.getLowerBound()) ||
        !sameValue(before.loop.getStep(), after.loop.getStep()))
      return false;
    for (auto [x, y] : llvm::zip_equal(before.loads, after.loads))
      if (x.getSource() != y.getSource() || x.getType() != y.getType())
        return false;
    return true;
  }

  SmallVector<SmallVector<StreamLoop>> findStreams() {
    SmallVector<SmallVector<StreamLoop>> streams;
    kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      std::optional<StreamLoop> found = asStreamLoop(loop);
      if (!found)
        return;
      if (streams.empty() || !continues(streams.back().back(), *found))
        streams.emplace_back();
      streams.back().push_back(*found);
    });
    return streams;
  }

  //===--------------------------------------------------------------------===//
  // Rewriting
  //===--------------------------------------------------------------------===//

  /// Computed left operands that are read with rows and columns exchanged:
  /// written when they are there, read when they are needed.
  void putTransposed() {
    SmallVector<fagpu::MmaOp> contractions;
    kernel.walk([&](fagpu::MmaOp mma) {
      if (mma.getATransposed() && isa<RankedTensorType>(mma.getA().getType()))
        contractions.push_back(mma);
    });
    DenseMap<Type, Value> places;
    for (fagpu::MmaOp mma : contractions) {
      auto type = cast<RankedTensorType>(mma.getA().getType());
      Value &place = places[type];
      if (!place)
        place = alloc(type, 1);
      Location loc = mma.getLoc();
      rewriter.setInsertionPointAfterValue(mma.getA());
      // The last tile there may still be read.
      mlir::gpu::BarrierOp::create(rewriter, loc);
      fagpu::PutOp::create(rewriter, loc, mma.getA(), place);
      rewriter.setInsertionPoint(mma);
      mlir::gpu::BarrierOp::create(rewriter, loc);
      mma.getAMutable().set(place);
    }
  }

  fagpu::AllocOp alloc(RankedTensorType tile, int64_t stages) {
    auto type = fagpu::SmemType::get(kernel.getContext(), tile.getShape(),
                                     tile.getElementType(), stages);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&kernel.front());
    auto op = fagpu::AllocOp::create(rewriter, kernel.getLoc(), type, used);
    used += type.getBytes();
    return op;
  }

  void copy(LoadTileOp load, ValueRange offsets, Value limit, Value enable,
            Value smem, Value stage = {}) {
    fagpu::CopyAsyncOp::create(rewriter, load.getLoc(), load.getSource(),
                               offsets, limit, enable, smem, stage,
                               load.getTileDims());
  }

  /// Copies the tile of another iteration.
  void copyFor(scf::ForOp loop, LoadTileOp load, Value index, Value enable,
               Value smem, Value stage = {}) {
    SetVector<Operation *> slice;
    dependsOnlyOnIndex(load, loop, slice);
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    for (Operation *op : topologicalSort(slice))
      rewriter.clone(*op, mapping);
    SmallVector<Value> offsets;
    for (Value offset : load.getOffsets())
      offsets.push_back(mapping.lookupOrDefault(offset));
    Value limit = load.getLimit();
    copy(load, offsets, limit ? mapping.lookupOrDefault(limit) : Value(),
         enable, smem, stage);
  }

  void replaceTile(LoadTileOp load, Value smem, Value stage = {}) {
    for (OpOperand &use : llvm::make_early_inc_range(load->getUses())) {
      auto mma = cast<fagpu::MmaOp>(use.getOwner());
      use.set(smem);
      if (stage && mma.getB() == smem)
        mma.getBStageMutable().assign(stage);
    }
    load.erase();
  }

  /// A tile on its own: copied where it was loaded. Somebody else waits for it
  /// if `isWaitedFor`.
  void stageAlone(LoadTileOp load, bool isWaitedFor) {
    fagpu::AllocOp smem = alloc(load.getType(), 1);
    Location loc = load.getLoc();
    rewriter.setInsertionPoint(load);
    bool isRepeated = load->getBlock() != body;
    if (isRepeated)
      mlir::gpu::BarrierOp::create(rewriter, loc);
    copy(load, load.getOffsets(), load.getLimit(), {}, smem);
    commit(rewriter, loc);
    if (!isWaitedFor)
      wait(rewriter, loc);
    replaceTile(load, smem);
  }

  /// A key or value tile of what was a loop of one iteration.
  bool isStraightLine(LoadTileOp load) {
    if (load->getBlock() != body || !load->hasOneUse())
      return false;
    auto mma = dyn_cast<fagpu::MmaOp>(*load->user_begin());
    return mma && mma.getB() == load.getResult();
  }

  static bool isBehind(LoadTileOp load, ArrayRef<SmallVector<KeyLoop>> chains) {
    return !chains.empty() && chains.back().back().loop->isBeforeInBlock(load);
  }

  /// A tile on its own that takes the memory of the loops' tiles, or of others
  /// like it.
  void stageInPool(LoadTileOp load, bool isFirst,
                   ArrayRef<SmallVector<KeyLoop>> chains) {
    auto mma = cast<fagpu::MmaOp>(*load->user_begin());
    Location loc = load.getLoc();
    Value &slot =
        pool[{mma.getBTransposed() ? "key" : "value", load.getType()}];
    bool isFresh = !slot && isFirst;
    if (!slot)
      slot = alloc(load.getType(), chains.empty() ? 1 : stages);
    rewriter.setInsertionPoint(load);
    if (!isFresh)
      wait(rewriter, loc);
    Value stage;
    if (cast<fagpu::SmemType>(slot.getType()).getStages() > 1)
      stage = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
    copy(load, load.getOffsets(), load.getLimit(), {}, slot, stage);
    commit(rewriter, loc);
    wait(rewriter, loc);
    replaceTile(load, slot, stage);
  }

  Value isBefore(Location loc, Value index, Value end) {
    return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                 index, end);
  }

  /// The loops' common buffers, shared with earlier chains of the same tiles.
  std::pair<Value, Value> buffers(KeyLoop &l) {
    auto get = [&](LoadTileOp load, StringRef role) -> Value {
      Value &slot = pool[{role, load.getType()}];
      if (!slot)
        slot = alloc(load.getType(), stages);
      return slot;
    };
    return {get(l.key, "key"), get(l.value, "value")};
  }

  /// What is needed before the first loop of a chain: its first tile under way.
  /// Returns the end of the chain.
  Value beginChain(MutableArrayRef<KeyLoop> chain, bool isFirst) {
    KeyLoop &front = chain.front();
    rewriter.setInsertionPoint(front.loop);
    if (!isFirst)
      wait(rewriter, front.loop.getLoc());
    return chain.back().loop.getUpperBound();
  }

  void stageChain(MutableArrayRef<KeyLoop> chain, bool isFirst) {
    KeyLoop &front = chain.front();
    Location loc = front.loop.getLoc();
    auto [key, value] = buffers(front);
    Value end = beginChain(chain, isFirst);
    // The end may be computed after the first loop begins only in broken IR:
    // bounds of one block's loops dominate the first use here.
    hoist(end, front.loop);
    rewriter.setInsertionPoint(front.loop);
    Value begin = front.loop.getLowerBound();
    copyFor(front.loop, front.key, begin, isBefore(loc, begin, end), key);
    commit(rewriter, loc);
    for (KeyLoop &l : chain) {
      rewriter.setInsertionPointToStart(l.loop.getBody());
      wait(rewriter, loc);
      copyFor(l.loop, l.value, l.loop.getInductionVar(), {}, value);
      commit(rewriter, loc);
      if (earlyKeys)
        rewriter.setInsertionPointAfter(l.scores);
      else
        rewriter.setInsertionPoint(l.output);
      wait(rewriter, loc);
      Value next = arith::AddIOp::create(
          rewriter, loc, l.loop.getInductionVar(), l.loop.getStep());
      copyFor(l.loop, l.key, next, isBefore(loc, next, end), key);
      commit(rewriter, loc);
      replaceTile(l.key, key);
      replaceTile(l.value, value);
    }
  }

  /// Two buffers per tile where they fit: wait for a tile, start the next, use
  /// it. Else one: start a tile, wait for it, use it.
  void stageStream(MutableArrayRef<StreamLoop> chain) {
    int64_t bytes = 0;
    for (LoadTileOp load : chain.front().loads)
      bytes +=
          fagpu::SmemType::get(kernel.getContext(), load.getType().getShape(),
                               load.getType().getElementType(), 2)
              .getBytes();
    bool isTwice = used + bytes <= maxShared;
    SmallVector<Value> smem;
    for (auto [i, load] : llvm::enumerate(chain.front().loads)) {
      std::string role =
          (isTwice ? "stream twice " : "stream ") + std::to_string(i);
      Value &slot = pool[{role, load.getType()}];
      if (!slot)
        slot = alloc(load.getType(), isTwice ? 2 : 1);
      smem.push_back(slot);
    }
    if (isTwice)
      streamTwice(chain, smem);
    else
      streamOnce(chain, smem);
  }

  void streamOnce(MutableArrayRef<StreamLoop> chain, ArrayRef<Value> smem) {
    for (StreamLoop &l : chain) {
      Location loc = l.loop.getLoc();
      rewriter.setInsertionPointToStart(l.loop.getBody());
      mlir::gpu::BarrierOp::create(rewriter, loc);
      for (auto [load, buffer] : llvm::zip_equal(l.loads, smem))
        copyFor(l.loop, load, l.loop.getInductionVar(), {}, buffer);
      commit(rewriter, loc);
      wait(rewriter, loc);
      for (auto [load, buffer] : llvm::zip_equal(l.loads, smem))
        replaceTile(load, buffer);
    }
  }

  void streamTwice(MutableArrayRef<StreamLoop> chain, ArrayRef<Value> smem) {
    for (unsigned i = 0; i < smem.size(); ++i)
      shareLimit(chain, i);
    StreamLoop &front = chain.front();
    Location loc = front.loop.getLoc();
    Value end = chain.back().loop.getUpperBound();
    hoist(end, front.loop);
    rewriter.setInsertionPoint(front.loop);
    // The buffers may still be read, by a loop before this one.
    wait(rewriter, loc);
    Value begin = front.loop.getLowerBound();
    Value enable = isBefore(loc, begin, end);
    for (auto [load, buffer] : llvm::zip_equal(front.loads, smem))
      copyFor(front.loop, load, begin, enable, buffer);
    commit(rewriter, loc);
    Value stage = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
    for (StreamLoop &l : chain) {
      auto [current, other, next] = alternate(l.loop, stage);
      Value enable = isBefore(loc, next, end);
      for (auto [load, buffer] : llvm::zip_equal(l.loads, smem))
        copyFor(l.loop, load, next, enable, buffer, other);
      commit(rewriter, loc);
      for (auto [load, buffer] : llvm::zip_equal(l.loads, smem))
        replaceTile(load, buffer, current);
    }
  }

  void shareLimit(MutableArrayRef<StreamLoop> chain, unsigned i) {
    SmallVector<std::pair<scf::ForOp, LoadTileOp>> loads;
    for (StreamLoop &l : chain)
      loads.push_back({l.loop, l.loads[i]});
    shareLimit(loads);
  }

  /// A tile that is copied ahead may be the first of the next loop: all loops
  /// copy with the limit that one of them has. It changes nothing in full
  /// tiles.
  void shareLimit(ArrayRef<std::pair<scf::ForOp, LoadTileOp>> loads) {
    Value limit;
    for (auto [loop, load] : loads)
      if (Value v = load.getLimit()) {
        limit = v;
        hoistFrom(loop, v);
      }
    if (!limit)
      return;
    hoist(limit, loads.front().first);
    for (auto [loop, load] : loads)
      if (!load.getLimit())
        load.getLimitMutable().assign(limit);
  }

  /// Takes what `v` needs out of the loop: a limit does not change there.
  static void hoistFrom(scf::ForOp loop, Value v) {
    if (loop.isDefinedOutsideOfLoop(v))
      return;
    Operation *def = v.getDefiningOp();
    if (!def || !isMemoryEffectFree(def))
      return;
    for (Value operand : def->getOperands())
      hoistFrom(loop, operand);
    def->moveBefore(loop);
  }

  /// The buffer that an iteration uses, the other one, and what goes there.
  struct Turn {
    Value current, other, next;
  };

  /// Makes the loop carry which of two buffers is used, from `stage` on, and
  /// waits for that one at the start of an iteration.
  Turn alternate(scf::ForOp &loop, Value &stage) {
    auto flip = [](OpBuilder &b, Location loc,
                   ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
      return {arith::XOrIOp::create(
          b, loc, arguments[0], arith::ConstantIntOp::create(b, loc, 1, 32))};
    };
    Location loc = loop.getLoc();
    loop = cast<scf::ForOp>(
        *cast<LoopLikeOpInterface>(loop.getOperation())
             .replaceWithAdditionalYields(rewriter, stage, false, flip));
    Value current = loop.getRegionIterArgs().back();
    stage = loop.getResults().back();
    rewriter.setInsertionPointToStart(loop.getBody());
    wait(rewriter, loc);
    Value next = arith::AddIOp::create(rewriter, loc, loop.getInductionVar(),
                                       loop.getStep());
    Value one = arith::ConstantIntOp::create(rewriter, loc, 1, 32);
    return {current, arith::XOrIOp::create(rewriter, loc, current, one), next};
  }

  void shareLimits(MutableArrayRef<KeyLoop> chain) {
    for (LoadTileOp KeyLoop::*role : {&KeyLoop::key, &KeyLoop::value}) {
      SmallVector<std::pair<scf::ForOp, LoadTileOp>> loads;
      for (KeyLoop &l : chain)
        loads.push_back({l.loop, l.*role});
      shareLimit(loads);
    }
  }

  void stageChainTwice(MutableArrayRef<KeyLoop> chain, bool isFirst) {
    shareLimits(chain);
    KeyLoop &front = chain.front();
    Location loc = front.loop.getLoc();
    auto [key, value] = buffers(front);
    Value end = beginChain(chain, isFirst);
    hoist(end, front.loop);
    rewriter.setInsertionPoint(front.loop);
    Value begin = front.loop.getLowerBound();
    Value enable = isBefore(loc, begin, end);
    copyFor(front.loop, front.key, begin, enable, key);
    copyFor(front.loop, front.value, begin, enable, value);
    commit(rewriter, loc);
    Value stage = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
    for (KeyLoop &l : chain) {
      auto [current, other, next] = alternate(l.loop, stage);
      Value enable = isBefore(loc, next, end);
      copyFor(l.loop, l.key, next, enable, key, other);
      copyFor(l.loop, l.value, next, enable, value, other);
      commit(rewriter, loc);
      replaceTile(l.key, key, current);
      replaceTile(l.value, value, current);
    }
  }

  /// Moves what computes `v` before `point`, where it comes after.
  void hoist(Value v, Operation *point) {
    Operation *def = v.getDefiningOp();
    if (!def || def->getBlock() != point->getBlock() ||
        def->isBeforeInBlock(point))
      return;
    for (Value operand : def->getOperands())
      hoist(operand, point);
    def->moveBefore(point);
  }

  /// Output tiles go through memory that nothing reads any more: that of the
  /// kernel's first tiles.
  void stageStores() {
    Operation *lastUse = nullptr;
    for (Operation &op : *body)
      op.walk([&](Operation *nested) {
        if (isa<fagpu::MmaOp, fagpu::LoadFragmentsOp>(nested))
          lastUse = &op;
      });
    SmallVector<StoreTileOp> stores;
    for (auto store : body->getOps<StoreTileOp>()) {
      auto type = cast<RankedTensorType>(store.getTile().getType());
      if (fagpu::hasLayout<fagpu::AccAttr>(type) &&
          type.getElementTypeBitWidth() == 16 && lastUse &&
          lastUse->isBeforeInBlock(store))
        stores.push_back(store);
    }
    for (StoreTileOp store : stores) {
      int64_t before = used;
      used = 0;
      fagpu::AllocOp smem =
          alloc(cast<RankedTensorType>(store.getTile().getType()), 1);
      used = std::max(before, used);
      rewriter.setInsertionPoint(store);
      NVVM::CpAsyncWaitGroupOp::create(rewriter, store.getLoc(), 0);
      fagpu::StoreThroughOp::create(
          rewriter, store.getLoc(), store.getTile(), store.getDestination(),
          store.getOffsets(), store.getLimit(), smem, store.getTileDims());
      store.erase();
    }
  }

  mlir::gpu::GPUFuncOp kernel;
  int64_t maxShared;
  Block *body;
  int64_t stages = 1, used = 0;
  bool earlyKeys = false;
  IRRewriter rewriter;
  struct Pool {
    std::map<std::pair<std::string, const void *>, Value> map;
    Value &operator[](std::pair<StringRef, Type> key) {
      return map[{key.first.str(), key.second.getAsOpaquePointer()}];
    }
  } pool;
};

struct StageSharedPass : fa::impl::FAStageSharedBase<StageSharedPass> {
  using FAStageSharedBase::FAStageSharedBase;

  void runOnOperation() override {
    llvm::StringMap<int64_t> bytes;
    WalkResult result =
        getOperation().walk([&](mlir::gpu::GPUFuncOp kernel) -> WalkResult {
          Stager stager(kernel, maxShared);
          if (failed(stager.run()))
            return WalkResult::interrupt();
          if (stager.bytes() > maxShared)
            return kernel.emitError("machine stage: tiles need ")
                   << stager.bytes() << " bytes of shared memory, more than "
                   << int64_t(maxShared)
                   << "; choose smaller tiles or fewer stages";
          bytes[kernel.getName()] = stager.bytes();
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](mlir::gpu::LaunchFuncOp launch) {
      auto found = bytes.find(launch.getKernelName().getValue());
      if (found == bytes.end())
        return;
      OpBuilder b(launch);
      launch.getDynamicSharedMemorySizeMutable().assign(
          arith::ConstantIntOp::create(b, launch.getLoc(), found->second, 32));
    });
  }
};

} // namespace
