//===- LowerTiles.cpp - fa ops on tiles as linalg -------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Decompose.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace fa {
#define GEN_PASS_DEF_FALOWERTILES
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// On tensors whose outputs have static shapes.
bool isOnTiles(DestinationStyleOpInterface op) {
  // The gradient of a capture taken whole is no tile.
  if (auto backward = dyn_cast<OnlineAttentionBackwardOp>(op.getOperation()))
    return backward.hasPureTensorSemantics() &&
           llvm::all_of(backward.getOutputs().take_front(3), [](Value v) {
             return cast<ShapedType>(v.getType()).hasStaticShape();
           });
  return op.hasPureTensorSemantics() &&
         llvm::all_of(op.getDpsInits(), [](Value v) {
           return cast<ShapedType>(v.getType()).hasStaticShape();
         });
}

/// delta is not needed before probabilities are: its load goes behind the first
/// contraction, which has less to keep then.
void loadLate(OnlineAttentionBackwardOp op) {
  auto load = op.getDelta().getDefiningOp<LoadTileOp>();
  if (!load || load->getBlock() != op->getBlock())
    return;
  for (Operation *next = load->getNextNode(); next != op;
       next = next->getNextNode()) {
    if (llvm::is_contained(load->getUsers(), next))
      return;
    if (isa<linalg::ContractOp>(next))
      return load->moveAfter(next);
  }
}

SmallVector<Value> decomposeTile(OpBuilder &b, Operation *op) {
  if (auto online = dyn_cast<OnlineAttentionOp>(op)) {
    bool isLoaded = online.getValue().getDefiningOp<LoadTileOp>() != nullptr;
    return decompose(b, online, /*valueTailIsZero=*/isLoaded);
  }
  if (auto merge = dyn_cast<MergeOp>(op))
    return decompose(b, merge);
  if (auto backward = dyn_cast<OnlineAttentionBackwardOp>(op)) {
    bool isLoaded = backward.getDOut().getDefiningOp<LoadTileOp>() != nullptr;
    SmallVector<Value> results =
        decompose(b, backward, /*tailsAreZero=*/isLoaded);
    loadLate(backward);
    return results;
  }
  return decompose(b, cast<FinalizeOp>(op));
}

struct LowerTilesPass : fa::impl::FALowerTilesBase<LowerTilesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> worklist;
    getOperation()->walk([&](DestinationStyleOpInterface op) {
      if (isa<OnlineAttentionOp, MergeOp, FinalizeOp,
              OnlineAttentionBackwardOp>(op.getOperation()) &&
          isOnTiles(op))
        worklist.push_back(op);
    });
    for (Operation *op : worklist) {
      if (isa<OnlineAttentionBackwardOp>(op) &&
          failed(verifyDifferentiable(op)))
        return signalPassFailure();
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, decomposeTile(rewriter, op));
    }
    gatherFromMemory(rewriter);
    eraseCopiesToSelf(rewriter);
  }

  /// What was added to memory in place.
  void eraseCopiesToSelf(RewriterBase &rewriter) {
    getOperation()->walk([&](bufferization::MaterializeInDestinationOp op) {
      auto source = op.getSource().getDefiningOp<bufferization::ToTensorOp>();
      if (source && source.getBuffer() == op.getDest())
        rewriter.eraseOp(op);
    });
  }

  /// Whole captures: a tile program has no tensors but tiles.
  void gatherFromMemory(RewriterBase &rewriter) {
    getOperation()->walk([&](tensor::ExtractOp op) {
      auto source = op.getTensor().getDefiningOp<bufferization::ToTensorOp>();
      if (!source || !op->getParentOfType<linalg::GenericOp>())
        return;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<memref::LoadOp>(op, source.getBuffer(),
                                                  op.getIndices());
    });
  }
};

} // namespace
