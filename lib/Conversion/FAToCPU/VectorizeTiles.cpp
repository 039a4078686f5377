//===- VectorizeTiles.cpp - linalg on tiles as loops over vectors ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TileVectorizer.h"
#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fa {
#define GEN_PASS_DEF_FAVECTORIZETILES
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

/// True if every shaped operand is a memref of static shape and, if it has
/// dimensions, rows of unit stride.
static bool isOnTiles(linalg::LinalgOp op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    if (isa<TensorType>(operand.getType()))
      return false;
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || type.getRank() == 0)
      return true;
    return type.hasStaticShape() && type.isLastDimUnitStride();
  });
}

namespace {

struct VectorizeTilesPass : fa::impl::FAVectorizeTilesBase<VectorizeTilesPass> {
  using FAVectorizeTilesBase::FAVectorizeTilesBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isOnTiles(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      if (succeeded(vectorizeContraction(rewriter, op, vectorBits)) ||
          succeeded(vectorizeTranspose(rewriter, op, vectorBits)) ||
          succeeded(vectorizeElementwise(rewriter, op, vectorBits)) ||
          succeeded(vectorizeReduction(rewriter, op, vectorBits)))
        rewriter.eraseOp(op);
    }
  }
};

} // namespace
