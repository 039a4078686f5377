//===- AttentionVerifier.cpp - the rules of attention and its state -------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Verifier.h"

using namespace mlir;
using namespace fa;
using namespace fa::verifier;

LogicalResult AttentionOp::verify() {
  if (failed(verifyDestinations(*this, {1, 2})))
    return failure();
  auto self = cast<AttentionOpInterface>(getOperation());
  auto addOutputs = [&](DomainVerifier &domain, DimSet rows) {
    unsigned first = getOutputs().getBeginOperandIndex();
    domain.add((*this)->getOpOperand(first), "out", rows | dims(E),
               rows | dims(E));
    if (getLse())
      domain.add((*this)->getOpOperand(first + 1), "lse", rows, rows);
  };
  if (failed(verifyAttention(self, getSinksMutable(), addOutputs)))
    return failure();
  if (getLse() && elementType(getLse()) != self.getComputeType())
    return emitOpError("rule 4: lse must be ") << self.getComputeType();
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  return verifier::verifyRegions(cast<AttentionOpInterface>(getOperation()));
}

/// The dimensions of a row of the state, from acc's map.
static DimSet rowsOf(ArrayAttr maps) {
  return dimsOf(cast<AffineMapAttr>(maps[0]).getValue()) & dims(B, H, G, M);
}

/// Rule 10: columns map to partial sums by their position, so both extents are
/// known.
static LogicalResult verifyPartialSums(OnlineAttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto type = cast<ShapedType>(op.getRowSum().getType());
  AffineMap map = self.getMapOf(op.getOutputsMutable()[2]);
  if (type.getRank() == map.getNumResults())
    return success();
  int64_t partials = type.getShape().back();
  int64_t position = positionOf(self.getMapOf(op.getKeyMutable()), N);
  int64_t keys = cast<ShapedType>(op.getKey().getType()).getDimSize(position);
  if (self.isPacked() || ShapedType::isDynamic(partials) ||
      ShapedType::isDynamic(keys) || partials == 0 ||
      (partials > 1 && keys % (2 * partials) != 0))
    return op.emitOpError("rule 10: partial sums need static extents of P "
                          "and key and no offsets; P must be 1, or 2*P divide "
                          "key's extent");
  return success();
}

LogicalResult OnlineAttentionOp::verify() {
  if (failed(verifyDestinations(*this, {3})))
    return failure();
  auto self = cast<AttentionOpInterface>(getOperation());
  auto addOutputs = [&](DomainVerifier &domain, DimSet rows) {
    unsigned first = getOutputs().getBeginOperandIndex();
    domain.add((*this)->getOpOperand(first), "acc", rows | dims(E),
               rows | dims(E));
    domain.add((*this)->getOpOperand(first + 1), "row_max", rows, rows);
    domain.addRowSum((*this)->getOpOperand(first + 2), rows);
  };
  if (failed(
          verifyAttention(self, MutableOperandRange(*this, 0, 0), addOutputs)))
    return failure();
  for (Value state : getOutputs())
    if (elementType(state) != self.getComputeType())
      return emitOpError("rule 10: the state's element type must be ")
             << self.getComputeType();
  if (failed(verifyPartialSums(*this)))
    return failure();
  if (getRawMax() && !self.hasPlainScore())
    return emitOpError("rule 11: raw_max excludes bias, alibi_slopes, softcap "
                       "and a score region");
  return success();
}

LogicalResult OnlineAttentionOp::verifyRegions() {
  return verifier::verifyRegions(cast<AttentionOpInterface>(getOperation()));
}

/// The types of a state and lse.
static bool areState(ValueRange values) {
  Type type = elementType(values[0]);
  return isa<Float32Type, Float64Type>(type) &&
         llvm::all_of(values, [&](Value v) { return elementType(v) == type; });
}

LogicalResult MergeOp::verify() {
  if (getInputs().size() != 3 || getOutputs().size() != 3)
    return emitOpError("rule 1: three inputs and three outputs expected");
  if (failed(verifyMaps(*this, getIndexingMaps(), 3)))
    return failure();
  DomainVerifier domain(*this, getIndexingMaps());
  DimSet rows = rowsOf(getIndexingMaps());
  unsigned first = getOutputs().getBeginOperandIndex();
  domain.add((*this)->getOpOperand(first), "acc", rows | dims(E),
             rows | dims(E));
  domain.add((*this)->getOpOperand(first + 1), "row_max", rows, rows);
  domain.addRowSum((*this)->getOpOperand(first + 2), rows);
  if (failed(domain.verify()))
    return failure();
  if (getInputs().getTypes() != getOutputs().getTypes())
    return emitOpError("rule 2: ins and outs must have the same types");
  if (!areState(getOutputs()))
    return emitOpError("rule 2: a state's element types must be equal, f32 or "
                       "f64");
  if (failed(verifyDestinations(*this, {3}, "rule 3")))
    return failure();
  return verifyNoAlias(*this, "rule 3");
}

LogicalResult FinalizeOp::verify() {
  if (failed(verifyDestinations(*this, {1, 2}, "rule 4")))
    return failure();
  size_t count = 3 + getOutputs().size() + (getSinks() ? 1 : 0);
  if (failed(verifyMaps(*this, getIndexingMaps(), count)))
    return failure();
  DomainVerifier domain(*this, getIndexingMaps());
  DimSet rows = rowsOf(getIndexingMaps());
  domain.add(getAccMutable(), "acc", rows | dims(E), rows | dims(E));
  domain.add(getRowMaxMutable(), "row_max", rows, rows);
  domain.addRowSum(getRowSumMutable(), rows);
  // The rows of packed sequences have no b, their sinks may.
  if (getSinks())
    domain.add(getSinksMutable()[0], "sinks", (rows & kHeads) | dims(B));
  domain.add(getOutputsMutable()[0], "out", rows | dims(E), rows | dims(E));
  if (getLse())
    domain.add(getOutputsMutable()[1], "lse", rows, rows);
  if (failed(domain.verify()))
    return failure();
  SmallVector<Value> state = {getAcc(), getRowMax(), getRowSum()};
  if (getLse())
    state.push_back(getLse());
  if (!areState(state))
    return emitOpError("rule 2: element types of the state and lse must be "
                       "equal, f32 or f64");
  if (getRawMax() && !getScale())
    return emitOpError("rule 3: raw_max needs scale");
  return verifyNoAlias(*this, "rule 4");
}
