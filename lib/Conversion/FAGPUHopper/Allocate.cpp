//===- Allocate.cpp - tiles and rings in shared memory --------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUALLOCATE
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

/// Arrivals by the ops of one side of `ring`: all warps of every consumer that
/// has one, the thread of a producer or a messenger.
template <typename OpTy> static int64_t arrivalsAt(RingOp ring) {
  llvm::SmallPtrSet<Operation *, 2> roles;
  int64_t arrivals = 0;
  for (Operation *user : ring.getResult().getUsers())
    if (isa<OpTy>(user)) {
      auto role = user->getParentOfType<RoleOp>();
      if (roles.insert(role).second)
        arrivals +=
            role.isOneThread() ? 1 : role.getWarpgroups() * kGroupThreads / 32;
    }
  return arrivals;
}

static bool isInbox(RingOp ring) {
  return llvm::any_of(ring.getResult().getUsers(), [&](Operation *user) {
    auto loop = dyn_cast<ForEachTileOp>(user);
    return loop && loop.getInbox() == ring.getResult();
  });
}

namespace {

struct Allocate : fa::impl::FAGPUAllocateBase<Allocate> {
  using FAGPUAllocateBase::FAGPUAllocateBase;

  void runOnOperation() override {
    constexpr int64_t tileAlignment = 1024, barrier = 8, alignment = 16,
                      rowAlignment = 128;
    KernelOp kernel = getOperation();
    Builder b(kernel.getContext());
    int64_t end = 0;
    int64_t overlaid = 0;
    for (auto smem : kernel.getBody().getOps<SmemOp>()) {
      auto type = cast<SwizzledType>(smem.getResult().getType());
      // The swizzle repeats every 8 rows: a tile that is not a multiple of it
      // would leave the next one out of phase.
      if (type.getTiles() > 1 && type.getTileBytes() % tileAlignment != 0) {
        smem.emitError("tiles of ")
            << type.getTileBytes()
            << " bytes cannot lie one after another: make rows a multiple of 8";
        return signalPassFailure();
      }
      if (smem.getOverlay()) {
        smem.setOffset(0);
        overlaid = std::max<int64_t>(overlaid, type.getBytes());
        continue;
      }
      end = llvm::alignTo(end, tileAlignment);
      smem.setOffset(end);
      end += type.getBytes();
    }
    // Barriers are behind it.
    end = std::max(end, overlaid);
    for (auto rows : kernel.getBody().getOps<RowsOp>()) {
      end = llvm::alignTo(end, rowAlignment);
      rows.setOffset(end);
      end += cast<SharedRowsType>(rows.getResult().getType()).getBytes();
    }
    for (auto ring : kernel.getBody().getOps<RingOp>()) {
      end = llvm::alignTo(end, alignment);
      ring.setOffset(end);
      // Warps of both blocks of a pair release its slots.
      ring.setArrivals(arrivalsAt<ReleaseOp>(ring) *
                       (ring.getPaired() ? 2 : 1));
      // What `fagpu.for_each_tile` becomes releases it.
      if (isInbox(ring))
        ring.setArrivals(1);
      if (int64_t fills = arrivalsAt<CommitOp>(ring); fills > 1)
        ring.setFills(fills);
      if (*ring.getArrivals() == 0) {
        ring.emitError("no role releases this ring");
        return signalPassFailure();
      }
      int64_t stages = cast<RingType>(ring.getResult().getType()).getStages();
      end += 2 * barrier * stages;
      if (ring.getMailbox())
        end += llvm::alignTo(kMailboxBytes * stages, alignment);
    }
    for (auto draw : kernel.getBody().getOps<DrawOp>()) {
      end = llvm::alignTo(end, alignment);
      draw.setOffset(end);
      end += kDrawnBytes;
    }
    int64_t most = std::min<int64_t>(maxBytes, sharedOfBlock(blocksOf(kernel)));
    if (end > most) {
      kernel.emitError("needs ")
          << end << " bytes of shared memory, a block has " << most
          << ": choose smaller tiles, fewer stages or fewer blocks";
      return signalPassFailure();
    }
    // Launches ask for what it was.
    if (int64_t before = kernel.getSmemBytes().value_or(end); before != end) {
      kernel.emitError("needs ") << end << " bytes of shared memory, and had "
                                 << before << " allocated before";
      return signalPassFailure();
    }
    kernel.setSmemBytes(end);
    // The kernel is complete. With too many registers it would wait forever,
    // and nobody need run a verifier behind this pass.
    if (failed(verify(kernel)))
      return signalPassFailure();
  }
};

} // namespace
