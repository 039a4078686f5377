//===- PrepareTensors.cpp - source programs as bufferization takes them ---===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fa {
#define GEN_PASS_DEF_FAPREPARETENSORS
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

/// linalg.softmax and others that stand for several ops with loops.
LogicalResult decomposeAggregate(RewriterBase &rewriter,
                                 linalg::AggregatedOpInterface op) {
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
    return op->emitOpError("supports only tensors");
  FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
  if (failed(results))
    return op->emitOpError("cannot be written as ops that have loops");
  rewriter.replaceOp(op, *results);
  return success();
}

LogicalResult lowerPacking(RewriterBase &rewriter, Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
    return op->emitOpError("supports only tensors");
  auto pack = dyn_cast<linalg::PackOp>(op);
  bool isLowered = pack ? succeeded(linalg::lowerPack(rewriter, pack))
                        : succeeded(linalg::lowerUnPack(
                              rewriter, cast<linalg::UnPackOp>(op)));
  return isLowered ? success()
                   : op->emitOpError("supports only tiles of static shape");
}

/// A tensor that control flow passes on where nobody reads it.
void replacePoison(RewriterBase &rewriter, ub::PoisonOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return;
  Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
  SmallVector<Value> sizes(type.getNumDynamicDims(), zero);
  rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, type, sizes);
}

/// Lowering memref.reshape reads a shape of i32 as if it were of i64.
void castShapeToIndex(RewriterBase &rewriter, tensor::ReshapeOp op) {
  auto type = cast<RankedTensorType>(op.getShape().getType());
  if (type.getElementType().isIndex())
    return;
  auto indexType = type.clone(rewriter.getIndexType());
  Value shape = arith::IndexCastOp::create(rewriter, op.getLoc(), indexType,
                                           op.getShape());
  rewriter.modifyOpInPlace(op, [&] { op.getShapeMutable().assign(shape); });
}

bool isAllocation(Value buffer) {
  auto allocation = buffer.getDefiningOp<MemoryEffectOpInterface>();
  return allocation &&
         allocation.getEffectOnValue<MemoryEffects::Allocate>(buffer);
}

struct PrepareTensorsPass : fa::impl::FAPrepareTensorsBase<PrepareTensorsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> worklist;
    getOperation()->walk([&](Operation *op) { worklist.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (Operation *op : worklist) {
      rewriter.setInsertionPoint(op);
      if (failed(prepare(rewriter, op)))
        return signalPassFailure();
    }
  }

  LogicalResult prepare(RewriterBase &rewriter, Operation *op) {
    if (auto aggregate = dyn_cast<linalg::AggregatedOpInterface>(op))
      return decomposeAggregate(rewriter, aggregate);
    if (isa<linalg::PackOp, linalg::UnPackOp>(op))
      return lowerPacking(rewriter, op);
    if (auto poison = dyn_cast<ub::PoisonOp>(op)) {
      replacePoison(rewriter, poison);
    } else if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
      castShapeToIndex(rewriter, reshape);
    } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      if (!isAllocation(dealloc.getMemref()))
        return op->emitOpError("frees memory that its function has not "
                               "allocated; leave that to the caller");
      rewriter.eraseOp(op);
    }
    return success();
  }
};

} // namespace
