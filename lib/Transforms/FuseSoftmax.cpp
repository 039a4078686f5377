//===- FuseSoftmax.cpp - attention as a streaming recurrence --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/AttentionProblem.h"
#include "fa/Transforms/Decompose.h"
#include "fa/Transforms/DomainBuilder.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>

namespace fa {
#define GEN_PASS_DEF_FAFUSESOFTMAX
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// The scale as a compile-time constant, if it is one.
std::optional<double> constantScale(AttentionOpInterface op) {
  if (Value scale = op.getScale()) {
    FloatAttr attr;
    if (!matchPattern(scale, m_Constant(&attr)))
      return std::nullopt;
    return attr.getValueAsDouble();
  }
  int64_t position = positionOf(op.getMapOf(op.getQueryMutable()), D);
  auto type = cast<ShapedType>(op.getQuery().getType());
  if (type.isDynamicDim(position))
    return std::nullopt;
  return 1.0 / std::sqrt(double(type.getDimSize(position)));
}

/// True where the row maximum may be taken before scaling. A positive scale
/// keeps the order of scores. At most ln 2 (so scale * log2e <= 1) it cannot
/// make a finite dot product overflow; and where it is not tiny, the product
/// with log2e keeps all of its digits.
bool mayUseRawMax(AttentionOpInterface op) {
  if (!op.hasPlainScore() || !op.getComputeType().isF32())
    return false;
  std::optional<double> scale = constantScale(op);
  return scale && *scale >= 1e-30 && *scale <= 0.6931;
}

class Fuser {
public:
  Fuser(OpBuilder &b, AttentionOp op)
      : b(b), op(op), self(cast<AttentionOpInterface>(op.getOperation())),
        loc(op.getLoc()), domain(b, loc, operandsOf(self)) {
    AffineMap out = self.getMapOf(op.getOutputsMutable()[0]);
    for (Dim dim : {B, H, G, M})
      if (dimsOf(out) & dims(dim))
        rows.push_back(dim);
    acc = rows;
    acc.push_back(E);
  }

  ValueRange build() {
    rawMax = mayUseRawMax(self);
    if (op.getScale() || rawMax)
      scale = op.getScale() ? op.getScale() : scaleOf(b, self);
    return finalize(stream());
  }

private:
  static SmallVector<Mapped> operandsOf(AttentionOpInterface op) {
    SmallVector<Mapped> operands;
    for (OpOperand *operand : op.getMappedOperands())
      operands.push_back({operand->get(), op.getMapOf(*operand)});
    return operands;
  }

  ArrayAttr mapsOf(ArrayRef<AffineMap> maps) {
    return b.getAffineMapArrayAttr(maps);
  }

  AffineMap rowMap() { return mapOf(b.getContext(), rows); }
  AffineMap accMap() { return mapOf(b.getContext(), acc); }

  /// The recurrence over all keys, from the empty state.
  OnlineAttentionOp stream() {
    Type type = self.getComputeType();
    SmallVector<Value> state = {domain.filled(acc, type, 0).value,
                                domain.filled(rows, type, -kInfinity).value,
                                domain.filled(rows, type, 0).value};
    SmallVector<AffineMap> maps;
    auto addMap = [&](OpOperand &operand) {
      maps.push_back(self.getMapOf(operand));
    };
    addMap(op.getQueryMutable());
    addMap(op.getKeyMutable());
    addMap(op.getValueMutable());
    for (MutableOperandRange range :
         {op.getBiasMutable(), op.getMaskMutable(), op.getAlibiSlopesMutable(),
          op.getCapturesMutable()})
      for (OpOperand &operand : range)
        addMap(operand);
    maps.append({accMap(), rowMap(), rowMap()});
    auto online = OnlineAttentionOp::create(
        b, loc, TypeRange(ValueRange(state)), op.getQuery(), op.getKey(),
        op.getValue(), scale, op.getBias(), op.getMask(), op.getAlibiSlopes(),
        op.getCaptures(), op.getQueryLengths(), op.getKeyLengths(),
        op.getQueryOffsets(), op.getKeyOffsets(), op.getQueryBase(),
        op.getKeyBase(), op.getBatchBase(), op.getHeadBase(),
        op.getQueryLimit(), op.getKeyLimit(), op.getOffset(), state,
        mapsOf(maps), op.getCausalAttr(), op.getWindowLeftAttr(),
        op.getWindowRightAttr(), op.getAlignmentAttr(), op.getSoftcapAttr(),
        op.getSoftmaxTypeAttr(), unitIf(rawMax));
    online->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
    online.getScoreRegion().takeBody(op.getScoreRegion());
    online.getMaskRegion().takeBody(op.getMaskRegion());
    return online;
  }

  ValueRange finalize(OnlineAttentionOp online) {
    SmallVector<AffineMap> maps = {accMap(), rowMap(), rowMap()};
    for (MutableOperandRange range :
         {op.getSinksMutable(), op.getOutputsMutable()})
      for (OpOperand &operand : range)
        maps.push_back(self.getMapOf(operand));
    return FinalizeOp::create(b, loc, op.getResultTypes(), online.getResult(0),
                              online.getResult(1), online.getResult(2),
                              rawMax ? scale : Value(), op.getSinks(),
                              op.getOutputs(), mapsOf(maps), unitIf(rawMax))
        .getResults();
  }

  UnitAttr unitIf(bool condition) {
    return condition ? b.getUnitAttr() : UnitAttr();
  }

  OpBuilder &b;
  AttentionOp op;
  AttentionOpInterface self;
  Location loc;
  DomainBuilder domain;
  SmallVector<Dim> rows, acc;
  bool rawMax = false;
  Value scale;
};

struct FuseSoftmaxPass : fa::impl::FAFuseSoftmaxBase<FuseSoftmaxPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<AttentionOp> worklist;
    getOperation()->walk([&](AttentionOp op) { worklist.push_back(op); });
    for (AttentionOp op : worklist) {
      auto destination = cast<DestinationStyleOpInterface>(op.getOperation());
      if (!destination.hasPureTensorSemantics())
        op = cast<AttentionOp>(
            convertToTensors(rewriter, destination).getOperation());
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, Fuser(rewriter, op).build());
    }
  }
};

} // namespace
