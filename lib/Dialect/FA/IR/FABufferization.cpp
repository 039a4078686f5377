//===- FABufferization.cpp - BufferizableOpInterface of the fa ops --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace fa;

/// A capture that a region takes whole is now a memref there, too.
static LogicalResult bufferizeWholeCaptures(RewriterBase &rewriter,
                                            AttentionOpInterface op) {
  for (Region *region : {&op.getScoreRegion(), &op.getMaskRegion()}) {
    if (region->empty())
      continue;
    unsigned firstCapture = region->getNumArguments() - op.getCaptures().size();
    for (auto [i, capture] : llvm::enumerate(op.getCaptures())) {
      BlockArgument argument = region->getArgument(firstCapture + i);
      if (!isa<TensorType>(argument.getType()))
        continue;
      argument.setType(capture.getType());
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        // Nested ops come first: a load of the argument's buffer already.
        if (auto buffer = dyn_cast<ToBufferOp>(user)) {
          for (Operation *load : buffer->getUsers())
            if (!isa<memref::LoadOp>(load))
              return load->emitOpError("bufferization supports only loads of a "
                                       "capture that is taken whole");
          rewriter.replaceAllUsesWith(buffer.getResult(), argument);
          rewriter.eraseOp(buffer);
          continue;
        }
        auto extract = dyn_cast<tensor::ExtractOp>(user);
        if (!extract)
          return user->emitOpError("bufferization supports only tensor.extract "
                                   "of a capture that is taken whole");
        rewriter.setInsertionPoint(extract);
        rewriter.replaceOpWithNewOp<memref::LoadOp>(extract, argument,
                                                    extract.getIndices());
      }
    }
  }
  return success();
}

/// Replaces every tensor operand of a destination-style op by its buffer.
static LogicalResult bufferizeDestinationStyle(
    RewriterBase &rewriter, DestinationStyleOpInterface op,
    const BufferizationOptions &options, BufferizationState &state) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  if (op.hasPureBufferSemantics())
    return success();
  SmallVector<Value> operands, results;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (isa<TensorType>(value.getType())) {
      FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
      if (failed(buffer))
        return failure();
      value = *buffer;
    }
    operands.push_back(value);
    if (op.isDpsInit(&operand))
      results.push_back(value);
  }
  OperationState newOp(op.getLoc(), op->getName(), operands, TypeRange(),
                       op->getAttrs());
  newOp.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions())
    newOp.addRegion()->takeBody(region);
  Operation *created = rewriter.create(newOp);
  if (auto attention = dyn_cast<AttentionOpInterface>(created))
    if (failed(bufferizeWholeCaptures(rewriter, attention)))
      return failure();
  replaceOpWithBufferizedValues(rewriter, op, results);
  return success();
}

static AliasingValueList aliasesOfOutput(DestinationStyleOpInterface op,
                                         OpOperand &operand) {
  if (op.isDpsInit(&operand))
    return {{op.getTiedOpResult(&operand), BufferRelation::Equivalent}};
  return {};
}

#define FA_BUFFERIZABLE(Op, READS_OUTPUTS)                                     \
  bool Op::bufferizesToMemoryRead(OpOperand &operand, const AnalysisState &) { \
    return READS_OUTPUTS || !isDpsInit(&operand);                              \
  }                                                                            \
  bool Op::bufferizesToMemoryWrite(OpOperand &operand,                         \
                                   const AnalysisState &) {                    \
    return isDpsInit(&operand);                                                \
  }                                                                            \
  AliasingValueList Op::getAliasingValues(OpOperand &operand,                  \
                                          const AnalysisState &) {             \
    return aliasesOfOutput(*this, operand);                                    \
  }                                                                            \
  LogicalResult Op::bufferize(RewriterBase &rewriter,                          \
                              const BufferizationOptions &options,             \
                              BufferizationState &state) {                     \
    return bufferizeDestinationStyle(rewriter, *this, options, state);         \
  }

FA_BUFFERIZABLE(AttentionOp, false)
FA_BUFFERIZABLE(OnlineAttentionOp, true)
FA_BUFFERIZABLE(AttentionBackwardOp, false)
FA_BUFFERIZABLE(OnlineAttentionBackwardOp, true)
FA_BUFFERIZABLE(MergeOp, true)
FA_BUFFERIZABLE(FinalizeOp, false)
