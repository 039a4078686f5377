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
