//===- SplitLengths.cpp - short sequences get kernels of their own --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUSPLITLENGTHS
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

struct SplitLengths : fa::impl::FAGPUSplitLengthsBase<SplitLengths> {
  using FAGPUSplitLengthsBase::FAGPUSplitLengthsBase;

  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops)
      if (isDecided(op))
        split(op);
  }

  int64_t extentOf(AttentionOp op, OpOperand &operand, Dim dim) {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    int64_t at = positionOf(self.getMapOf(operand), dim);
    return cast<ShapedType>(operand.get().getType()).getDimSize(at);
  }

  int64_t headDimOf(AttentionOp op) {
    return std::max(extentOf(op, op.getQueryMutable(), D),
                    extentOf(op, op.getValueMutable(), E));
  }

  /// Most queries of a short sequence, 0 where all are alike.
  int64_t boundFor(AttentionOp op) {
    if (fagpu::holdsMore(op) || op.getQueryOffsets())
      return 0;
    int64_t headDim = headDimOf(op);
    if (headDim <= 64)
      return op.getCausal() ? 512 : 0;
    if (headDim <= 128)
      return op.getCausal() ? 2048 : 1024;
    if (headDim <= 192)
      return op.getCausal() ? 2048 : 0;
    return 0;
  }

  /// Whether the schedules of long and short sequences differ.
  bool isDecided(AttentionOp op) {
    auto type = dyn_cast<MemRefType>(op.getQuery().getType());
    bool isHalf = type && (type.getElementType().isF16() ||
                           type.getElementType().isBF16());
    return isHalf && op->getNumResults() == 0 && headDimOf(op) > 0 &&
           boundFor(op) > 0;
  }

  void split(AttentionOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto mark = [&](Operation *marked) {
      marked->setAttr(fagpu::kShortName, b.getUnitAttr());
    };
    int64_t length = extentOf(op, op.getQueryMutable(), M);
    if (!ShapedType::isDynamic(length)) {
      if (length <= boundFor(op))
        mark(op);
      return;
    }
    auto self = cast<AttentionOpInterface>(op.getOperation());
    int64_t at = positionOf(self.getMapOf(op.getQueryMutable()), M);
    Value extent = memref::DimOp::create(b, loc, op.getQuery(), at);
    Value most = arith::ConstantIndexOp::create(b, loc, boundFor(op));
    Value isShort =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, extent, most);
    auto branch = scf::IfOp::create(b, loc, isShort, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    mark(b.clone(*op));
    op->moveBefore(branch.elseBlock()->getTerminator());
  }
};

} // namespace
