//===- BackwardVerifier.cpp - the rules of the backward ops ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Verifier.h"

using namespace mlir;
using namespace fa;
using namespace fa::verifier;

/// Rule 13: the gradients that attributes ask for have something to belong to.
template <typename OpT> static LogicalResult verifyGradientAttributes(OpT op) {
  if (op.getBiasGradient() && !op.getBias())
    return op.emitOpError("rule 13: bias_gradient needs a bias");
  int64_t last = -1;
  for (int64_t i : op.getCaptureGradients()) {
    if (i <= last || i >= static_cast<int64_t>(op.getCaptures().size()))
      return op.emitOpError("rule 13: capture_gradients must list captures in "
                            "ascending order, got ")
             << i;
    last = i;
    if (!isa<FloatType>(elementType(op.getCaptures()[i])))
      return op.emitOpError("rule 13: capture ")
             << i << " is not of floats and has no gradient";
    // The arguments of a malformed region are rule 9's business.
    Region &score = op.getScoreRegion();
    if (score.empty() ||
        (score.getNumArguments() == op.getCaptures().size() + 1 &&
         score.getArgument(i + 1).use_empty()))
      return op.emitOpError("rule 13: no score region reads capture ")
             << i << ", so it has no gradient";
  }
  return success();
}

/// Rule 11: each output has the dimensions of what it is the gradient of. One
/// that is added up in pieces may have rows or keys beside.
template <typename OpT>
static void addGradients(OpT op, AttentionOpInterface self,
                         DomainVerifier &domain) {
  for (auto [i, output, of] :
       llvm::enumerate(op.getOutputsMutable(), op.getDifferentiated())) {
    if (self.isWholeCapture(*of)) {
      domain.addCapture(output, dims());
      continue;
    }
    DimSet needed = dimsOf(self.getMapOf(*of)), allowed = needed;
    if (isa<OnlineAttentionBackwardOp>(op.getOperation()) && i >= 3)
      allowed |= dims(M, N);
    domain.add(output, "a gradient", allowed, needed);
  }
}

/// What both backward ops check; `addInputs` adds their own operands.
template <typename OpT>
static LogicalResult
verifyBackward(OpT op, MutableOperandRange sinks,
               function_ref<void(DomainVerifier &, DimSet rows)> addInputs) {
  if (failed(verifyGradientAttributes(op)))
    return failure();
  size_t count = op.getDifferentiated().size();
  if (op.getOutputs().size() != count)
    return op.emitOpError("rule 10: expected ")
           << count << " outputs, got " << op.getOutputs().size();
  if (failed(verifyDestinations(op, {count})))
    return failure();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto addOperands = [&](DomainVerifier &domain, DimSet rows) {
    addInputs(domain, rows);
    addGradients(op, self, domain);
  };
  if (failed(verifyAttention(self, sinks, addOperands)))
    return failure();
  for (auto [output, of] :
       llvm::zip_equal(op.getOutputsMutable(), op.getDifferentiated())) {
    if (!self.isWholeCapture(*of))
      continue;
    auto type = cast<ShapedType>(output.get().getType());
    auto ofType = cast<ShapedType>(of->get().getType());
    if (!self.isWholeCapture(output) ||
        failed(verifyCompatibleShape(type, ofType)))
      return op.emitOpError("rule 11: the gradient of a capture of type ")
             << ofType << " is of type " << type;
  }
  return success();
}

LogicalResult AttentionBackwardOp::verify() {
  if (getSinksGradient() && !getSinks())
    return emitOpError("rule 13: sinks_gradient needs sinks");
  auto self = cast<AttentionOpInterface>(getOperation());
  auto addInputs = [&](DomainVerifier &domain, DimSet rows) {
    domain.add(getOutMutable(), "out", rows | dims(E), rows | dims(E));
    domain.add(getLseMutable(), "lse", rows, rows);
    domain.add(getDOutMutable(), "d_out", rows | dims(E), rows | dims(E));
    for (OpOperand &dLse : getDLseMutable())
      domain.add(dLse, "d_lse", rows, rows);
  };
  if (failed(verifyBackward(*this, getSinksMutable(), addInputs)))
    return failure();
  for (Value v : {getLse(), getDLse()})
    if (v && elementType(v) != self.getComputeType())
      return emitOpError("rule 12: lse and d_lse must be ")
             << self.getComputeType();
  return success();
}

LogicalResult AttentionBackwardOp::verifyRegions() {
  return verifier::verifyRegions(cast<AttentionOpInterface>(getOperation()));
}

LogicalResult OnlineAttentionBackwardOp::verify() {
  auto self = cast<AttentionOpInterface>(getOperation());
  auto addInputs = [&](DomainVerifier &domain, DimSet rows) {
    domain.add(getLseMutable(), "lse", rows, rows);
    domain.add(getDeltaMutable(), "delta", rows, rows);
    domain.add(getDOutMutable(), "d_out", rows | dims(E), rows | dims(E));
  };
  if (failed(
          verifyBackward(*this, MutableOperandRange(*this, 0, 0), addInputs)))
    return failure();
  SmallVector<Value> state = {getLse(), getDelta()};
  llvm::append_range(state, getOutputs());
  for (Value v : state)
    if (elementType(v) != self.getComputeType())
      return emitOpError("rule 14: lse, delta and the outputs must be ")
             << self.getComputeType();
  return success();
}

LogicalResult OnlineAttentionBackwardOp::verifyRegions() {
  return verifier::verifyRegions(cast<AttentionOpInterface>(getOperation()));
}
