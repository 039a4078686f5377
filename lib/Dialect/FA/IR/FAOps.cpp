//===- FAOps.cpp - effects, shapes, folding of the fa ops -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fa;

#include "fa/Dialect/FA/IR/FAInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "fa/Dialect/FA/IR/FAOps.cpp.inc"

//===----------------------------------------------------------------------===//
// AttentionOpInterface
//===----------------------------------------------------------------------===//

using OperandRanges = ArrayRef<MutableOperandRange>;

/// `inputs`: what an op has between its captures and its outputs.
template <typename OpT>
static SmallVector<OpOperand *> mappedOperands(OpT op, OperandRanges sinks,
                                               OperandRanges inputs) {
  SmallVector<MutableOperandRange> ranges = {
      op.getQueryMutable(), op.getKeyMutable(),  op.getValueMutable(),
      op.getBiasMutable(),  op.getMaskMutable(), op.getAlibiSlopesMutable()};
  llvm::append_range(ranges, sinks);
  ranges.push_back(op.getCapturesMutable());
  llvm::append_range(ranges, inputs);
  ranges.push_back(op.getOutputsMutable());
  SmallVector<OpOperand *> operands;
  for (MutableOperandRange &range : ranges)
    for (OpOperand &operand : range)
      operands.push_back(&operand);
  return operands;
}

SmallVector<OpOperand *> AttentionOp::getMappedOperands() {
  return mappedOperands(*this, getSinksMutable(), {});
}

SmallVector<OpOperand *> OnlineAttentionOp::getMappedOperands() {
  return mappedOperands(*this, {}, {});
}

SmallVector<OpOperand *> AttentionBackwardOp::getMappedOperands() {
  return mappedOperands(
      *this, getSinksMutable(),
      {getOutMutable(), getLseMutable(), getDOutMutable(), getDLseMutable()});
}

SmallVector<OpOperand *> OnlineAttentionBackwardOp::getMappedOperands() {
  return mappedOperands(*this, {},
                        {getLseMutable(), getDeltaMutable(), getDOutMutable()});
}

/// Query, key, value, then what the attributes name.
template <typename OpT>
static SmallVector<OpOperand *> differentiated(OpT op, OperandRanges sinks) {
  SmallVector<OpOperand *> operands = {
      &op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable()};
  if (op.getBiasGradient())
    operands.push_back(&op.getBiasMutable()[0]);
  for (MutableOperandRange range : sinks)
    operands.push_back(&range[0]);
  for (int64_t capture : op.getCaptureGradients())
    operands.push_back(&op.getCapturesMutable()[capture]);
  return operands;
}

SmallVector<OpOperand *> AttentionBackwardOp::getDifferentiated() {
  if (getSinksGradient())
    return differentiated(*this, getSinksMutable());
  return differentiated(*this, {});
}

SmallVector<OpOperand *> OnlineAttentionBackwardOp::getDifferentiated() {
  return differentiated(*this, {});
}

FloatType AttentionOpInterface::getComputeType() {
  if (auto type = getSoftmaxType())
    return *type;
  MLIRContext *context = (*this)->getContext();
  if (getElementTypeOrSelf(getQuery().getType()).isF64())
    return Float64Type::get(context);
  return Float32Type::get(context);
}

AffineMap AttentionOpInterface::getMapOf(OpOperand &operand) {
  for (auto [mapped, map] :
       llvm::zip_equal(getMappedOperands(), getIndexingMaps()))
    if (mapped == &operand)
      return cast<AffineMapAttr>(map).getValue();
  llvm_unreachable("not a mapped operand");
}

//===----------------------------------------------------------------------===//
// Effects and shapes of destination-style ops
//===----------------------------------------------------------------------===//

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void destinationEffects(DestinationStyleOpInterface op,
                               bool readsOutputs, Effects &effects) {
  if (op.hasPureTensorSemantics())
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool output = op.isDpsInit(&operand);
    if (!output || readsOutputs)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (output)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

void AttentionOp::getEffects(Effects &effects) {
  destinationEffects(*this, /*readsOutputs=*/false, effects);
}
void OnlineAttentionOp::getEffects(Effects &effects) {
  destinationEffects(*this, /*readsOutputs=*/true, effects);
}
void AttentionBackwardOp::getEffects(Effects &effects) {
  destinationEffects(*this, /*readsOutputs=*/false, effects);
}
void OnlineAttentionBackwardOp::getEffects(Effects &effects) {
  destinationEffects(*this, /*readsOutputs=*/true, effects);
}
void MergeOp::getEffects(Effects &effects) {
  destinationEffects(*this, /*readsOutputs=*/true, effects);
}
void FinalizeOp::getEffects(Effects &effects) {
  destinationEffects(*this, /*readsOutputs=*/false, effects);
}

/// A result has the shape of its output.
static LogicalResult reifyFromOutputs(DestinationStyleOpInterface op,
                                      OpBuilder &b,
                                      ReifiedRankedShapedTypeDims &shapes) {
  for (Value init : op.getDpsInits())
    shapes.push_back(tensor::getMixedSizes(b, op.getLoc(), init));
  return success();
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &b,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromOutputs(*this, b, shapes);
}
LogicalResult
OnlineAttentionOp::reifyResultShapes(OpBuilder &b,
                                     ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromOutputs(*this, b, shapes);
}
LogicalResult
AttentionBackwardOp::reifyResultShapes(OpBuilder &b,
                                       ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromOutputs(*this, b, shapes);
}
LogicalResult OnlineAttentionBackwardOp::reifyResultShapes(
    OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromOutputs(*this, b, shapes);
}
LogicalResult MergeOp::reifyResultShapes(OpBuilder &b,
                                         ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromOutputs(*this, b, shapes);
}
LogicalResult
FinalizeOp::reifyResultShapes(OpBuilder &b,
                              ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromOutputs(*this, b, shapes);
}

//===----------------------------------------------------------------------===//
// Canonicalisation
//===----------------------------------------------------------------------===//

namespace {

/// Captures whose gradient an op gives; these stay.
template <typename OpT> SmallVector<int64_t> captureGradients(OpT op) {
  if constexpr (std::is_same_v<OpT, AttentionBackwardOp> ||
                std::is_same_v<OpT, OnlineAttentionBackwardOp>)
    return llvm::to_vector(op.getCaptureGradients());
  else
    return {};
}

/// A mask region that always keeps says nothing; a score region that yields its
/// argument neither.
template <typename OpT> struct DropTrivialRegions : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Region &score = op.getScoreRegion(), &keep = op.getMaskRegion();
    bool dropScore = !score.empty() && captureGradients(op).empty() &&
                     yielded(score) == score.getArgument(0);
    bool dropKeep = !keep.empty() && matchPattern(yielded(keep), m_One());
    if (!dropScore && !dropKeep)
      return rewriter.notifyMatchFailure(op, "no trivial region");
    // By the rewriter: it may have ops of the regions on its worklist.
    rewriter.modifyOpInPlace(op, [&] {
      if (dropScore)
        rewriter.eraseBlock(&score.front());
      if (dropKeep)
        rewriter.eraseBlock(&keep.front());
    });
    return success();
  }

private:
  static Value yielded(Region &region) {
    return cast<YieldOp>(region.front().getTerminator()).getValue();
  }
};

/// Captures that no region reads are dropped with their arguments and maps.
template <typename OpT> struct DropUnusedCaptures : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> gradients = captureGradients(op);
    SmallVector<unsigned> unused;
    for (unsigned i = 0; i < op.getCaptures().size(); ++i)
      if (!llvm::is_contained(gradients, i) &&
          isUnused(op.getScoreRegion(), i + 1) &&
          isUnused(op.getMaskRegion(), i))
        unused.push_back(i);
    if (unused.empty())
      return rewriter.notifyMatchFailure(op, "every capture is read");
    SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
    // Before operands go: positions among the mapped ones.
    unsigned first = op.getCaptures().getBeginOperandIndex();
    auto mapped =
        cast<AttentionOpInterface>(op.getOperation()).getMappedOperands();
    size_t firstMap =
        llvm::find_if(mapped,
                      [&](OpOperand *operand) {
                        return operand->getOperandNumber() == first;
                      }) -
        mapped.begin();
    rewriter.modifyOpInPlace(op, [&] {
      for (unsigned i : llvm::reverse(unused)) {
        maps.erase(maps.begin() + firstMap + i);
        if (!op.getScoreRegion().empty())
          op.getScoreRegion().eraseArgument(i + 1);
        if (!op.getMaskRegion().empty())
          op.getMaskRegion().eraseArgument(i);
        op.getCapturesMutable().erase(i);
        for (int64_t &gradient : gradients)
          gradient -= gradient > i;
      }
      op.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
      if constexpr (std::is_same_v<OpT, AttentionBackwardOp> ||
                    std::is_same_v<OpT, OnlineAttentionBackwardOp>)
        op.setCaptureGradients(gradients);
    });
    return success();
  }

private:
  static bool isUnused(Region &region, unsigned argument) {
    return region.empty() || region.getArgument(argument).use_empty();
  }
};

} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns
      .add<DropTrivialRegions<AttentionOp>, DropUnusedCaptures<AttentionOp>>(
          context);
}
void OnlineAttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  patterns.add<DropTrivialRegions<OnlineAttentionOp>,
               DropUnusedCaptures<OnlineAttentionOp>>(context);
}
void AttentionBackwardOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropTrivialRegions<AttentionBackwardOp>,
               DropUnusedCaptures<AttentionBackwardOp>>(context);
}
void OnlineAttentionBackwardOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropTrivialRegions<OnlineAttentionBackwardOp>,
               DropUnusedCaptures<OnlineAttentionBackwardOp>>(context);
}

//===----------------------------------------------------------------------===//
// IndexOp, tiles
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  if (!(*this)->getParentOfType<AttentionOpInterface>())
    return emitOpError("rule 1: must be inside a region of fa.attention, "
                       "fa.online_attention or their backward ops");
  return success();
}

static LogicalResult verifyTile(Operation *op, RankedTensorType tile,
                                MemRefType memory, OperandRange offsets,
                                ArrayRef<int64_t> tileDims, Value limit) {
  if (static_cast<int64_t>(offsets.size()) != memory.getRank())
    return op->emitOpError("rule 1: expected ")
           << memory.getRank() << " offsets, got " << offsets.size();
  if (static_cast<int64_t>(tileDims.size()) != tile.getRank())
    return op->emitOpError("rule 2: expected ")
           << tile.getRank() << " tile_dims, got " << tileDims.size();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : tileDims)
    if (dim < 0 || dim >= memory.getRank() || !seen.insert(dim).second)
      return op->emitOpError("rule 2: tile_dims must be distinct dimensions "
                             "of the memref, got ")
             << dim;
  if (tile.getElementType() != memory.getElementType())
    return op->emitOpError("rule 2: element types differ: ")
           << tile.getElementType() << " and " << memory.getElementType();
  if (limit && tile.getRank() == 0)
    return op->emitOpError("rule 3: limit needs a tile of at least one "
                           "dimension");
  return success();
}

LogicalResult LoadTileOp::verify() {
  return verifyTile(*this, cast<RankedTensorType>(getTile().getType()),
                    cast<MemRefType>(getSource().getType()), getOffsets(),
                    getTileDims(), getLimit());
}

LogicalResult StoreTileOp::verify() {
  return verifyTile(*this, cast<RankedTensorType>(getTile().getType()),
                    cast<MemRefType>(getDestination().getType()), getOffsets(),
                    getTileDims(), getLimit());
}

LogicalResult AccumulateOp::verify() {
  return verifyTile(*this, cast<RankedTensorType>(getTile().getType()),
                    cast<MemRefType>(getWorkspace().getType()), getOffsets(),
                    getTileDims(), getLimit());
}

LogicalResult AccumulateAtOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  auto memory = cast<MemRefType>(getWorkspace().getType());
  if (static_cast<int64_t>(getIndices().size()) != memory.getRank())
    return emitOpError("rule 1: needs one tile of indices per dimension of ")
           << memory;
  for (Value indices : getIndices())
    if (indices.getType() !=
        RankedTensorType::get(
            tile.getShape(), IndexType::get(getContext()),
            cast<RankedTensorType>(indices.getType()).getEncoding()))
      return emitOpError("rule 1: indices must be of type index, in the shape "
                         "of ")
             << tile << ", got " << indices.getType();
  if (tile.getElementType() != memory.getElementType())
    return emitOpError("rule 1: element types differ: ")
           << tile.getElementType() << " and " << memory.getElementType();
  return success();
}

void LoadTileOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

void StoreTileOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getDestinationMutable());
}

void AccumulateAtOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getWorkspaceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getWorkspaceMutable());
}

void AccumulateOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getWorkspaceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getWorkspaceMutable());
}
