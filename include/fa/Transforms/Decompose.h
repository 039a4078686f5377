//===- Decompose.h - fa ops as linalg -------------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_DECOMPOSE_H
#define FA_TRANSFORMS_DECOMPOSE_H

#include "fa/Dialect/FA/IR/FA.h"

namespace fa {

/// Each builds, before `op` and on tensors, the values that replace its
/// results.
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b, AttentionOp op);
/// `valueTailIsZero`: rows of value past a length already hold 0 (a tile does).
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b,
                                         OnlineAttentionOp op,
                                         bool valueTailIsZero = false);
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b, MergeOp op);
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b, FinalizeOp op);
/// Into fa.online_attention_backward between work on rows: delta before it; the
/// factor scale, casts and the gradient of sinks after it.
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b,
                                         AttentionBackwardOp op);
/// `tailsAreZero`: rows of query, key and d_out past a length already hold 0.
llvm::SmallVector<mlir::Value> decompose(mlir::OpBuilder &b,
                                         OnlineAttentionBackwardOp op,
                                         bool tailsAreZero = false);

/// Fails with an error if the score region of a backward op has no derivative.
/// To be called before `decompose`.
mlir::LogicalResult verifyDifferentiable(mlir::Operation *op);

/// The scale of an attention as a value of its compute type: the operand, or
/// 1/sqrt(head_dim).
mlir::Value scaleOf(mlir::OpBuilder &b, AttentionOpInterface op);

/// An op on memrefs, on tensors instead: its memrefs as
/// bufferization.to_tensor, its results written back by
/// bufferization.materialize_in_destination. Returns the new op; the old one is
/// erased.
mlir::DestinationStyleOpInterface
convertToTensors(mlir::RewriterBase &rewriter,
                 mlir::DestinationStyleOpInterface op);

} // namespace fa

#endif // FA_TRANSFORMS_DECOMPOSE_H
