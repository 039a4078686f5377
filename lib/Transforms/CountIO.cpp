//===- CountIO.cpp - the memory traffic of a program, counted -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Transforms/DomainBuilder.h"
#include "fa/Transforms/Passes.h"
#include "fa/Transforms/TileRanges.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fa {
#define GEN_PASS_DEF_FACOUNTIO
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// Which of the counts a number of elements is added to.
enum Count : int64_t { Loaded, Stored, Allocated, NumCounts };

/// Counts in one function.
class Counter {
public:
  Counter(func::FuncOp function) : b(function.getContext()) {
    auto type = MemRefType::get({NumCounts}, b.getI64Type());
    Location loc = function.getLoc();
    (void)function.insertArgument(function.getNumArguments(), type, {}, loc);
    counts = function.getArguments().back();
    b.setInsertionPointToStart(&function.front());
    Value zero = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
    for (int64_t i = 0; i < NumCounts; ++i)
      memref::StoreOp::create(
          b, loc, zero, counts,
          ValueRange{arith::ConstantIndexOp::create(b, loc, i)});
  }

  void visit(Operation *op) {
    b.setInsertionPoint(op);
    loc = op->getLoc();
    if (auto load = dyn_cast<LoadTileOp>(op))
      return visitLoad(load);
    if (auto store = dyn_cast<StoreTileOp>(op)) {
      add(Stored,
          elementsInside(store.getDestination(), store.getOffsets(),
                         store.getLimit(), store.getTileDims(),
                         cast<RankedTensorType>(store.getTile().getType())));
      return op->erase();
    }
    if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      Value elements = elementsInside(
          accumulate.getWorkspace(), accumulate.getOffsets(),
          accumulate.getLimit(), accumulate.getTileDims(),
          cast<RankedTensorType>(accumulate.getTile().getType()));
      add(Loaded, elements);
      add(Stored, elements);
      return op->erase();
    }
    if (isa<OnlineAttentionOp, MergeOp, FinalizeOp, OnlineAttentionBackwardOp>(
            op))
      return skip(cast<DestinationStyleOpInterface>(op));
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      return visitLinalg(linalgOp);
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      add(Loaded, elementsOf(copy.getSource()));
      add(Stored, elementsOf(copy.getTarget()));
      return op->erase();
    }
    if (isa<memref::AllocOp>(op) && !op->getParentOfType<scf::ForallOp>()) {
      b.setInsertionPointAfter(op);
      add(Allocated, elementsOf(op->getResult(0)));
    }
  }

private:
  void visitLoad(LoadTileOp op) {
    auto type = cast<RankedTensorType>(op.getTile().getType());
    add(Loaded, elementsInside(op.getSource(), op.getOffsets(), op.getLimit(),
                               op.getTileDims(), type));
    Value any =
        tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
    op.replaceAllUsesWith(any);
    op.erase();
  }

  /// A step of the streaming softmax computes nothing: what loops carry stays
  /// as it was, and the loops carry nothing.
  void skip(DestinationStyleOpInterface op) {
    if (!op.hasPureTensorSemantics())
      return;
    op->replaceAllUsesWith(op.getDpsInits());
    op->erase();
  }

  void visitLinalg(linalg::LinalgOp op) {
    if (!op.hasPureBufferSemantics())
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      bool isRead = !op.getMatchingBlockArgument(&operand).use_empty();
      if (isRead)
        add(Loaded, elementsOf(operand.get()));
      if (op.isDpsInit(&operand))
        add(Stored, elementsOf(operand.get()));
    }
    op->erase();
  }

  Value elementsOf(Value memory) {
    IndexBuilder index(b, loc);
    Value product = index.constant(1);
    for (int64_t i = 0; i < cast<MemRefType>(memory.getType()).getRank(); ++i)
      product = index.mul(product, getValueOrCreateConstantIndexOp(
                                       b, loc, extentOfDim(b, loc, memory, i)));
    return product;
  }

  /// The part of a tile that lies in memory.
  Value elementsInside(Value memory, ValueRange offsets, Value limit,
                       ArrayRef<int64_t> tileDims, RankedTensorType tile) {
    IndexBuilder index(b, loc);
    Value product = index.constant(1);
    for (auto [i, dim] : llvm::enumerate(tileDims)) {
      Value end = getValueOrCreateConstantIndexOp(
          b, loc, extentOfDim(b, loc, memory, dim));
      if (limit && i == 0)
        end = index.min(end, limit);
      Value left = index.clampToZero(index.sub(end, offsets[dim]));
      product = index.mul(product,
                          index.min(left, index.constant(tile.getDimSize(i))));
    }
    return product;
  }

  void add(Count count, Value elements) {
    Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), elements);
    memref::AtomicRMWOp::create(
        b, loc, arith::AtomicRMWKind::addi, wide, counts,
        ValueRange{arith::ConstantIndexOp::create(b, loc, count)});
  }

  OpBuilder b;
  Location loc = b.getUnknownLoc();
  Value counts;
};

struct CountIOPass : fa::impl::FACountIOBase<CountIOPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (isa<LoadTileOp, StoreTileOp, AccumulateOp, OnlineAttentionOp, MergeOp,
              FinalizeOp, OnlineAttentionBackwardOp, linalg::LinalgOp,
              memref::CopyOp, memref::AllocOp>(op))
        ops.push_back(op);
    });
    Counter counter(function);
    for (Operation *op : ops)
      counter.visit(op);
  }
};

} // namespace
