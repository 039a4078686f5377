//===- VerifyRegions.cpp - rule 9: score and mask regions -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Verifier.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fa;
using namespace fa::verifier;

/// Rule 9 for one op of a region: scalars in, scalars out. Only what a region
/// takes whole is more, and only tensor.extract or memref.load read it.
static LogicalResult verifyNestedOp(Operation *op) {
  bool reads = isa<tensor::ExtractOp, memref::LoadOp>(op);
  auto isScalar = [](Value v) { return v.getType().isIntOrIndexOrFloat(); };
  if (!llvm::all_of(op->getOperands().drop_front(reads ? 1 : 0), isScalar) ||
      !llvm::all_of(op->getResults(), isScalar))
    return op->emitOpError("rule 9: works on more than scalars; a region of "
                           "attention reads captures with tensor.extract or "
                           "memref.load");
  // What is nested in an op with recursive effects is checked by itself.
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  bool isPure = effects ? effects.hasNoEffect()
                        : op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  if (!reads && !isPure)
    return op->emitOpError("rule 9: has side effects and cannot be used in a "
                           "region of attention");
  return success();
}

static LogicalResult verifyRegion(AttentionOpInterface op, Region &region,
                                  StringRef name, Type leading, Type yielded) {
  if (region.empty())
    return success();
  if (!region.hasOneBlock())
    return op.emitOpError("rule 9: region ") << name << " needs one block";
  SmallVector<Type> expected;
  if (leading)
    expected.push_back(leading);
  for (OpOperand &capture : op.getCapturesMutable())
    expected.push_back(op.isWholeCapture(capture) ? capture.get().getType()
                                                  : elementType(capture.get()));
  Block &block = region.front();
  if (block.getArgumentTypes() != TypeRange(expected))
    return op.emitOpError("rule 9: region ")
           << name << " takes (" << block.getArgumentTypes() << "), expected ("
           << TypeRange(expected) << ")";
  auto yield = block.mightHaveTerminator()
                   ? dyn_cast<YieldOp>(block.getTerminator())
                   : YieldOp();
  if (!yield)
    return op.emitOpError("rule 9: region ")
           << name << " must end with fa.yield";
  if (yield.getValue().getType() != yielded)
    return yield.emitOpError("rule 9: yields ")
           << yield.getValue().getType() << ", expected " << yielded;
  WalkResult walk = region.walk([](Operation *nested) {
    return isa<YieldOp>(nested) ? WalkResult::advance()
                                : WalkResult(verifyNestedOp(nested));
  });
  return failure(walk.wasInterrupted());
}

LogicalResult fa::verifier::verifyRegions(AttentionOpInterface op) {
  if (!op.getCaptures().empty() && op.getScoreRegion().empty() &&
      op.getMaskRegion().empty())
    return op.emitOpError("rule 9: captures without a region that reads them");
  Type score = op.getComputeType();
  if (failed(verifyRegion(op, op.getScoreRegion(), "score", score, score)))
    return failure();
  return verifyRegion(op, op.getMaskRegion(), "keep", Type(),
                      IntegerType::get(op.getContext(), 1));
}
