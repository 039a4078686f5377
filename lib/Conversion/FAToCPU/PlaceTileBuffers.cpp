//===- PlaceTileBuffers.cpp - buffers of tiles on the stack ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fa {
#define GEN_PASS_DEF_FAPLACETILEBUFFERS
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

/// A cache line, and the widest vector.
constexpr int64_t kAlignment = 64;

int64_t bytesOf(MemRefType type) {
  int64_t bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  return llvm::alignTo(type.getNumElements() * llvm::divideCeil(bits, 8),
                       kAlignment);
}

struct PlaceTileBuffersPass
    : fa::impl::FAPlaceTileBuffersBase<PlaceTileBuffersPass> {
  using FAPlaceTileBuffersBase::FAPlaceTileBuffersBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>(
        [&](scf::ForallOp forall) -> WalkResult {
          // Other loops have allocations that are freed.
          if (!forall->hasAttr("fa.schedule"))
            return WalkResult::advance();
          return failed(place(forall)) ? WalkResult::interrupt()
                                       : WalkResult::skip();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult place(scf::ForallOp forall) {
    SmallVector<memref::AllocOp> allocations;
    int64_t bytes = 0;
    forall.walk([&](memref::AllocOp op) {
      if (!op.getType().hasStaticShape())
        return;
      allocations.push_back(op);
      bytes += bytesOf(op.getType());
    });
    if (bytes > limit)
      return forall.emitOpError("its tiles take ")
             << bytes << " bytes of stack, more than " << limit.getValue()
             << "; choose smaller tiles";
    OpBuilder b(&getContext());
    for (memref::AllocOp op : allocations) {
      b.setInsertionPointToStart(forall.getBody());
      auto placed = memref::AllocaOp::create(b, op.getLoc(), op.getType(),
                                             b.getI64IntegerAttr(kAlignment));
      op.replaceAllUsesWith(placed.getResult());
      op.erase();
    }
    return success();
  }
};

} // namespace
