//===- KernelVerifier.cpp - rules about a whole fagpu.kernel --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules are numbered in the op's description.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fa::fagpu;

//===----------------------------------------------------------------------===//
// Rule 1: registers
//===----------------------------------------------------------------------===//

static LogicalResult verifyRegisters(KernelOp kernel) {
  constexpr int64_t file = 65536, least = 24, most = 240, cap = 255,
                    mostMessengers = 3;
  int64_t threads = kernel.getThreads();
  if (threads == 0)
    return kernel.emitOpError("has no role");
  if (threads > 1024)
    return kernel.emitOpError("has more than 1024 threads: ") << threads;
  int64_t wanted = 0, messengers = 0;
  auto first = *kernel.getBody().getOps<RoleOp>().begin();
  for (auto role : kernel.getBody().getOps<RoleOp>()) {
    int64_t registers = role.getRegisters();
    if (registers % 8 != 0 || registers < least || registers > most)
      return role.emitOpError("kernel rule 1: registers must be a multiple of "
                              "8 from 24 to 240, got ")
             << registers;
    wanted += kGroupThreads * role.getOwnWarpgroups() * registers;
    if (role.getKind() != RoleKind::Messenger)
      continue;
    if (first.getKind() != RoleKind::Producer ||
        role.getRegisters() != first.getRegisters())
      return role.emitOpError("kernel rule 1: a messenger lives in the "
                              "warpgroup of the producer, the first role, and "
                              "has as many registers");
    if (++messengers > mostMessengers)
      return role.emitOpError("kernel rule 1: a warpgroup has room for three "
                              "messengers");
  }
  int64_t perThread =
      std::min(file / (threads * blocksOf(kernel)), cap) / 8 * 8;
  if (wanted > perThread * threads)
    return kernel.emitOpError("rule 1: the roles want ")
           << wanted << " registers, but " << threads << " threads have "
           << perThread << " each, " << perThread * threads << " in all";
  return success();
}

//===----------------------------------------------------------------------===//
// Rule 2: rings
//===----------------------------------------------------------------------===//

namespace {

/// One ring slot that a block has taken and not yet handed over.
struct OpenSlot {
  Value ring, cursor;
  Operation *taken;
};

/// What a block must hand over before it ends. `Take` and `Give` are the ops
/// of one side of a ring.
template <typename Take, typename Give> class RingChecker {
public:
  LogicalResult visit(Operation *op) {
    if (auto take = dyn_cast<Take>(op)) {
      if (isEarly(op))
        return success();
      if (find(take.getRing(), take.getCursor()))
        return op->emitOpError("kernel rule 2: takes a slot again that it "
                               "has not handed over");
      open.push_back({take.getRing(), take.getCursor(), op});
    } else if (auto give = dyn_cast<Give>(op)) {
      OpenSlot *slot = find(give.getRing(), give.getCursor());
      if (!slot && isTakenAhead(give.getRing(), give.getCursor()))
        return success();
      if (!slot)
        return op->emitOpError("kernel rule 2: hands over a slot that this "
                               "block has not taken");
      open.erase(slot);
    }
    return success();
  }

  /// The tile loop takes the slot of `via` for its body.
  void takeForLoop(ForEachTileOp loop) {
    open.push_back({loop.getVia(), loop.getBody().getArgument(1), loop});
  }

  LogicalResult finish() {
    if (open.empty())
      return success();
    return open.front().taken->emitOpError(
        "kernel rule 2: the slot is not handed over in the block that takes "
        "it");
  }

private:
  /// `fagpu.take_tile` takes a slot for the loop body that gets its tile.
  static bool isTakenAhead(Value ring, Value cursor) {
    auto argument = dyn_cast<BlockArgument>(cursor);
    return argument && isa<scf::WhileOp>(argument.getOwner()->getParentOp()) &&
           llvm::any_of(ring.getUsers(), llvm::IsaPred<TakeTileOp>);
  }

  /// Another wait for the slot follows.
  static bool isEarly(Operation *op) {
    auto wait = dyn_cast<WaitFullOp>(op);
    return wait && wait.getEarly();
  }

  OpenSlot *find(Value ring, Value cursor) {
    auto *it = llvm::find_if(open, [&](const OpenSlot &slot) {
      return slot.ring == ring && slot.cursor == cursor;
    });
    return it == open.end() ? nullptr : it;
  }
  SmallVector<OpenSlot> open;
};

} // namespace

/// Every commit says the bytes that the block's loads bring to its slot, or the
/// other block of a pair, which sends what this one does.
static LogicalResult verifyBytes(Block &block) {
  for (auto commit : block.getOps<CommitOp>()) {
    int64_t bytes = 0;
    auto count = [&](auto op) {
      if (op.getRing() == commit.getRing() &&
          op.getCursor() == commit.getCursor())
        bytes += op.getBytes();
    };
    llvm::for_each(block.getOps<TmaLoadOp>(), count);
    llvm::for_each(block.getOps<SendOp>(), count);
    for (auto load : block.getOps<BulkLoadOp>())
      if (load.getRing() == commit.getRing() &&
          load.getCursor() == commit.getCursor())
        bytes += cast<SharedRowsType>(load.getRows().getType()).getSlotBytes();
    if (bytes != static_cast<int64_t>(commit.getBytes()))
      return commit.emitOpError("kernel rule 2: says ")
             << commit.getBytes() << " bytes, but the loads of this slot bring "
             << bytes;
  }
  return success();
}

template <typename Take, typename Give>
static LogicalResult verifyRings(Block &block, bool takesTiles) {
  RingChecker<Take, Give> checker;
  if (auto loop = dyn_cast<ForEachTileOp>(block.getParentOp());
      loop && takesTiles)
    checker.takeForLoop(loop);
  for (Operation &op : block)
    if (failed(checker.visit(&op)))
      return failure();
  return checker.finish();
}

/// Whether a messenger is who waits for slots of this ring.
static bool isForMessenger(Value ring) {
  return llvm::any_of(ring.getUsers(), [](Operation *user) {
    return isa<ReleaseOp>(user) &&
           user->getParentOfType<RoleOp>().getKind() == RoleKind::Messenger;
  });
}

static bool movesTiles(Operation *op) {
  return isa<PublishOp, TmaLoadOp, BulkLoadOp>(op);
}

/// What only producers do, as far as the op itself says.
static bool isForProducer(Operation *op, bool fillsSlots) {
  if (movesTiles(op))
    return true;
  if (fillsSlots)
    return false;
  if (auto acquire = dyn_cast<AcquireOp>(op))
    return !isForMessenger(acquire.getRing());
  auto commit = dyn_cast<CommitOp>(op);
  return commit && !isForMessenger(commit.getRing());
}

static bool isForConsumer(Operation *op) {
  return isa<WaitFullOp, ReleaseOp, ReadPublishedOp, TakeTileOp, ClearTailOp>(
      op);
}

static LogicalResult verifyRings(RoleOp role, Block &block) {
  bool isProducer = role.getKind() == RoleKind::Producer;
  // What consumers fill, they fill by ordinary stores.
  bool fillsSlots = !block.getOps<StoreFragmentsOp>().empty();
  bool isMessenger = role.getKind() == RoleKind::Messenger;
  for (Operation &op : block)
    if (isMessenger  ? movesTiles(&op) || isa<TakeTileOp, ClearTailOp>(op)
        : isProducer ? isForConsumer(&op)
                     : isForProducer(&op, fillsSlots))
      return op.emitOpError("kernel rule 2: is not for a ")
             << stringifyRoleKind(role.getKind());
  if (failed(verifyBytes(block)) ||
      failed(verifyRings<AcquireOp, CommitOp>(block, isProducer)))
    return failure();
  return verifyRings<WaitFullOp, ReleaseOp>(block, !isProducer);
}

//===----------------------------------------------------------------------===//
// Rules 3 to 6: what is in flight
//===----------------------------------------------------------------------===//

namespace {

/// Follows the groups in flight through one block.
class FlightChecker {
public:
  LogicalResult visit(Operation &op) {
    if (auto wgmma = dyn_cast<WgmmaOp>(op))
      return visitProduct(wgmma);
    if (auto wait = dyn_cast<WgmmaWaitOp>(op))
      return visitWait(wait);
    if (flight.empty())
      return success();
    if (isa<PackOp>(op))
      return visitPack(op);
    if (auto release = dyn_cast<ReleaseOp>(op))
      return visitRelease(release);
    if (op.getNumRegions() != 0 && op.walk([&](Operation *nested) {
                                       return isa<WgmmaOp, WgmmaWaitOp>(nested)
                                                  ? WalkResult::interrupt()
                                                  : WalkResult::advance();
                                     }).wasInterrupted())
      return op.emitOpError("kernel rule 3: contains a wgmma or its wait while "
                            "one is in flight around it");
    for (Value operand : op.getOperands())
      if (isa<PendingType>(operand.getType()))
        return op.emitOpError("kernel rule 3: a pending value cannot leave its "
                              "block");
    return success();
  }

  LogicalResult finish() {
    if (flight.empty())
      return success();
    return flight.front().products.front().emitOpError(
        "kernel rule 3: is still in flight at the end of its block");
  }

private:
  struct Group {
    Value pending;
    SmallVector<WgmmaOp, 1> products;
  };

  LogicalResult visitProduct(WgmmaOp wgmma) {
    Value acc = wgmma.getAcc();
    if (!acc || !isa<PendingType>(acc.getType())) {
      flight.push_back({wgmma.getResult(), {wgmma}});
      return success();
    }
    if (flight.empty() || flight.back().pending != acc)
      return wgmma.emitOpError("kernel rule 3: adds to what is not of the "
                               "newest group in flight");
    flight.back().pending = wgmma.getResult();
    flight.back().products.push_back(wgmma);
    return success();
  }

  LogicalResult visitWait(WgmmaWaitOp wait) {
    size_t groups = wait.getGroups();
    if (groups > flight.size())
      return wait.emitOpError("kernel rule 4: only ")
             << flight.size() << " groups are in flight";
    size_t older = flight.size() - groups;
    auto matches = [](ArrayRef<Group> flight, OperandRange named) {
      return flight.size() == named.size() &&
             llvm::all_of(flight, [&](const Group &group) {
               return llvm::is_contained(named, group.pending);
             });
    };
    ArrayRef<Group> all = flight;
    if (!matches(all.take_front(older), wait.getDone()) ||
        !matches(all.drop_front(older), wait.getLive()))
      return wait.emitOpError("kernel rule 4: live must name exactly the "
                              "newest ")
             << groups << " groups in flight and done the " << older
             << " older ones";
    flight.erase(flight.begin(), flight.begin() + older);
    for (Group &group : flight) {
      auto at = llvm::find(wait.getLive(), group.pending);
      group.pending =
          wait.getPending()[std::distance(wait.getLive().begin(), at)];
    }
    return success();
  }

  LogicalResult visitPack(Operation &pack) {
    for (Group &group : flight)
      for (WgmmaOp wgmma : group.products)
        if (isa<RankedTensorType>(wgmma.getA().getType()) || wgmma.getHead())
          return pack.emitOpError("kernel rule 5: a wgmma with A in registers "
                                  "is in flight; wait for it first");
    return success();
  }

  /// A slot belongs to a wgmma that reads shared memory at the same cursor.
  LogicalResult visitRelease(ReleaseOp release) {
    for (Group &group : flight)
      for (WgmmaOp wgmma : group.products)
        if ((wgmma.getBIndex() == release.getCursor() ||
             wgmma.getAIndex() == release.getCursor()) &&
            loadsFrom(release.getRing(), wgmma))
          return release.emitOpError("kernel rule 6: a wgmma that reads this "
                                     "slot is in flight; wait for it first");
    return success();
  }

  /// Whether some load brings a tile that `wgmma` reads by way of `ring`.
  static bool loadsFrom(Value ring, WgmmaOp wgmma) {
    return llvm::any_of(ring.getUsers(), [&](Operation *user) {
      auto load = dyn_cast<TmaLoadOp>(user);
      return load &&
             (load.getSmem() == wgmma.getB() || load.getSmem() == wgmma.getA());
    });
  }

  SmallVector<Group> flight;
};

} // namespace

static LogicalResult verifyFlight(Block &block) {
  FlightChecker checker;
  for (BlockArgument argument : block.getArguments())
    if (isa<PendingType>(argument.getType()))
      return block.getParentOp()->emitOpError(
          "kernel rule 3: a pending value cannot enter a block");
  for (Operation &op : block)
    if (failed(checker.visit(op)))
      return failure();
  return checker.finish();
}

//===----------------------------------------------------------------------===//
// Rule 7: pairs of blocks
//===----------------------------------------------------------------------===//

/// Whether `op` has an `Other` for its slot in its block.
template <typename Other, typename OpTy> static bool hasPartner(OpTy op) {
  return llvm::any_of(op->getBlock()->template getOps<Other>(),
                      [&](Other other) {
                        return other.getRing() == op.getRing() &&
                               other.getCursor() == op.getCursor();
                      });
}

/// A block's commit expects what the other one sends.
static LogicalResult verifyPairedCommits(RingOp ring) {
  for (Operation *user : ring.getResult().getUsers()) {
    auto commit = dyn_cast<CommitOp>(user);
    auto send = dyn_cast<SendOp>(user);
    if ((commit && !hasPartner<SendOp>(commit)) ||
        (send && !hasPartner<CommitOp>(send)))
      return user->emitOpError("kernel rule 7: commit and send of a slot of a "
                               "paired ring go together, in one block");
  }
  return success();
}

static LogicalResult verifyPairs(KernelOp kernel) {
  std::optional<uint64_t> cluster = kernel.getCluster();
  if (cluster && *cluster != 2)
    return kernel.emitOpError("rule 7: a cluster has 2 blocks, got ")
           << *cluster;
  for (auto ring : kernel.getBody().getOps<RingOp>()) {
    if (!ring.getPaired())
      continue;
    if (!cluster)
      return ring.emitOpError("kernel rule 7: only blocks of a cluster have "
                              "paired rings");
    if (failed(verifyPairedCommits(ring)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rule 8: blocks without roles
//===----------------------------------------------------------------------===//

static LogicalResult verifyWithoutRoles(KernelOp kernel) {
  auto draws = kernel.getBody().getOps<DrawOp>();
  if (!draws.empty() && !llvm::hasSingleElement(draws))
    return (*std::next(draws.begin()))
        .emitOpError("kernel rule 8: a block draws once");
  if (!draws.empty() && kernel.getCluster())
    return kernel.emitOpError("rule 8: blocks of a cluster draw nothing");
  llvm::SmallDenseSet<int64_t> parts;
  for (auto part : kernel.getBody().getOps<WithoutRolesOp>()) {
    if (draws.empty())
      return part.emitOpError("kernel rule 8: needs a fagpu.draw");
    if (!parts.insert(part.getPart()).second)
      return part.emitOpError("kernel rule 8: another one has this number");
    WalkResult walk = part.walk([](Operation *op) {
      bool hasRing = llvm::any_of(op->getOperandTypes(),
                                  llvm::IsaPred<RingType, CursorType>);
      if (!hasRing && !isa<CursorOp>(op))
        return WalkResult::advance();
      op->emitOpError("kernel rule 8: there are no rings without roles");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (failed(verifyRegisters(*this)) || failed(verifyPairs(*this)) ||
      failed(verifyWithoutRoles(*this)))
    return failure();
  // A lowered tile loop takes a slot in its condition and hands it over in its
  // body.
  bool ringsAreStructured = !(*this)->hasAttr("fagpu.tile_loops_lowered");
  for (auto role : getBody().getOps<RoleOp>()) {
    WalkResult walk = role.walk([&](Block *block) {
      if ((ringsAreStructured && failed(verifyRings(role, *block))) ||
          failed(verifyFlight(*block)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}
