//===- ScoreBuilder.h - the scalar program of one score -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// The order scale, softcap, region, alibi, bias, masks is written down here
// and nowhere else; every lowering calls it, per scalar.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_SCOREBUILDER_H
#define FA_TRANSFORMS_SCOREBUILDER_H

#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Transforms/ReverseMode.h"

namespace fa {

/// The scalars that belong to one (query, key) pair. Null where the op has no
/// such operand or nothing asks for it.
struct ScoreScalars {
  mlir::Value scale; // compute type; null: leave the dot product unscaled
  mlir::Value bias, mask, alibiSlope;
  llvm::SmallVector<mlir::Value> captures;
  /// Absolute positions, index.
  mlir::Value batch, head, query, key;
  /// Effective lengths, index; a null length bounds nothing.
  mlir::Value queryLength, keyLength;
  /// Shift of the diagonal, index; null is 0.
  mlir::Value offset;
};

/// What the derivative of a score needs of its computation.
struct ScoreTrace {
  mlir::Value tanh;       // of softcap
  mlir::IRMapping region; // values of the score region
};

/// The score of a pair from its dot product (compute type), before masks.
mlir::Value buildScore(mlir::OpBuilder &b, AttentionOpInterface op,
                       mlir::Value dot, const ScoreScalars &scalars,
                       ScoreTrace *trace = nullptr);

/// The ops of the score region as a function of the score and `captures`.
ReverseMode differentiateScore(AttentionOpInterface op,
                               llvm::ArrayRef<int64_t> captures);

/// Where the adjoint of a score flows to. The bias gets it as it is.
struct ScoreAdjoints {
  /// Of the *scaled* dot product.
  mlir::Value scaledDot;
  /// One per differentiated capture; null for those taken whole.
  llvm::SmallVector<mlir::Value> captures;
  /// Elements of captures taken whole; `argument` is the capture's number.
  llvm::SmallVector<ReverseMode::Access> accesses;
};
ScoreAdjoints buildScoreAdjoints(mlir::OpBuilder &b, AttentionOpInterface op,
                                 const ScoreTrace &trace,
                                 llvm::ArrayRef<int64_t> captures,
                                 mlir::Value adjoint);

/// Whether the pair is kept (i1), or null if nothing can hide it.
mlir::Value buildKeep(mlir::OpBuilder &b, AttentionOpInterface op,
                      const ScoreScalars &scalars);

} // namespace fa

#endif // FA_TRANSFORMS_SCOREBUILDER_H
