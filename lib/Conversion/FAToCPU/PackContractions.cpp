//===- PackContractions.cpp - operands of contractions, made ready --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace fa {
#define GEN_PASS_DEF_FAPACKCONTRACTIONS
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

/// The loops of a contraction of matrices.
struct Loops {
  unsigned row, column, reduction;
};

FailureOr<Loops> loopsOf(linalg::ContractOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [operand, map] : llvm::zip(op->getOperands(), maps)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape() || type.getRank() != 2 ||
        map.getNumDims() != 3 || !map.isProjectedPermutation())
      return failure();
  }
  Loops loops;
  loops.row = maps[2].getDimPosition(0);
  loops.column = maps[2].getDimPosition(1);
  loops.reduction = 3 - loops.row - loops.column;
  auto reads = [&](AffineMap map, unsigned loop) {
    return map.isFunctionOfDim(loop);
  };
  if (!reads(maps[0], loops.row) || !reads(maps[0], loops.reduction) ||
      !reads(maps[1], loops.column) || !reads(maps[1], loops.reduction))
    return failure();
  return loops;
}

/// The tile in the type of the products, which is how linalg.contract means it.
Value converted(OpBuilder &b, Location loc, Value tile, Type element) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementType() == element)
    return tile;
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), element);
  AffineMap identity = b.getMultiDimIdentityMap(2);
  return linalg::GenericOp::create(
             b, loc, TypeRange{empty.getType()}, tile, empty,
             ArrayRef<AffineMap>{identity, identity},
             SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               linalg::YieldOp::create(
                   b, loc,
                   convertScalarToDtype(b, loc, arguments[0], element,
                                        /*isUnsignedCast=*/false));
             })
      .getResult(0);
}

Value transposed(OpBuilder &b, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> shape = {type.getDimSize(1), type.getDimSize(0)};
  Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(b, loc, tile, empty,
                                     ArrayRef<int64_t>{1, 0})
      .getResult()[0];
}

void pack(RewriterBase &rewriter, linalg::ContractOp op, Loops loops) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Type element = getElementTypeOrSelf(op->getResultTypes()[0]);
  auto wanted = [&](unsigned first, unsigned second) {
    return AffineMap::get(
        3, 0,
        {rewriter.getAffineDimExpr(first), rewriter.getAffineDimExpr(second)},
        context);
  };
  SmallVector<AffineMap> newMaps = {wanted(loops.row, loops.reduction),
                                    wanted(loops.reduction, loops.column),
                                    maps[2]};
  SmallVector<Value> operands;
  for (unsigned i = 0; i < 2; ++i) {
    Value tile = converted(rewriter, loc, op->getOperand(i), element);
    if (maps[i] != newMaps[i])
      tile = transposed(rewriter, loc, tile);
    operands.push_back(tile);
  }
  rewriter.replaceOpWithNewOp<linalg::ContractOp>(
      op, op->getResultTypes(), operands, ValueRange{op->getOperand(2)},
      rewriter.getAffineMapArrayAttr(newMaps));
}

struct PackContractionsPass
    : fa::impl::FAPackContractionsBase<PackContractionsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::ContractOp> contractions;
    getOperation()->walk(
        [&](linalg::ContractOp op) { contractions.push_back(op); });
    for (linalg::ContractOp op : contractions)
      if (FailureOr<Loops> loops = loopsOf(op); succeeded(loops))
        pack(rewriter, op, *loops);
  }
};

} // namespace
