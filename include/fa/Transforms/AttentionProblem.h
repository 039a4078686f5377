//===- AttentionProblem.h - what every decomposition starts from ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_ATTENTIONPROBLEM_H
#define FA_TRANSFORMS_ATTENTIONPROBLEM_H

#include "fa/Transforms/DomainBuilder.h"
#include "fa/Transforms/ScoreBuilder.h"
#include <limits>

namespace fa {

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLog2e = 1.4426950408889634074;

mlir::Value floatConstant(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Type type, double value);
mlir::Value castTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
                   mlir::Type type);
/// exp(x - base). In f32 through exp2, which is what hardware has; in f64 the
/// library's exp, which is exact to the last bits.
mlir::Value expOfDifference(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value x, mlir::Value base);
/// Whether x is -inf: the maximum or the lse of an empty row.
mlir::Value isMinusInfinity(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value x);
/// x, or 0 where x is -inf: safe to subtract.
mlir::Value finiteMax(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);

//===----------------------------------------------------------------------===//
// One attention over the domain
//===----------------------------------------------------------------------===//

/// The dimensions that a map lists, in its order.
llvm::SmallVector<Dim> orderOf(mlir::AffineMap map);

/// The operands that a `linalg.generic` over scores needs, and what is which.
struct ScoreOperands {
  llvm::SmallVector<Mapped> inputs;
  /// Positions in `inputs`, -1 for none.
  int bias = -1, mask = -1, alibi = -1, queryLengths = -1, keyLengths = -1;
  /// A capture is read whole where its position is -1.
  llvm::SmallVector<std::pair<mlir::Value, int>> captures;
};

/// An op over scores on tensors, and its parts as `linalg`.
class AttentionProblem {
public:
  AttentionProblem(mlir::OpBuilder &b, AttentionOpInterface op);

  Mapped mapped(mlir::OpOperand &operand) {
    return {operand.get(), op.getMapOf(operand)};
  }

  /// query . key, in the compute type; no scale.
  Mapped dotProducts();
  /// Scores and masks applied in place. Without `scale` they stay unscaled.
  Mapped finishedScores(Mapped dots, mlir::Value scale);

  ScoreOperands scoreOperands();
  /// The scalars of one pair, in a generic whose first inputs are `operands`.
  ScoreScalars scoreScalars(mlir::OpBuilder &b, const ScoreOperands &operands,
                            mlir::ValueRange arguments,
                            DomainBuilder::Indices index, mlir::Value scale);

  /// `operand` with rows past a length of `along` (M or N) set to 0, so that
  /// NaN there cannot leak through 0 * NaN.
  Mapped withoutTail(Mapped operand, Dim along);
  /// Adds what `isInside` needs to the inputs of a generic; its position or -1.
  int addLengths(llvm::SmallVector<Mapped> &inputs, Dim along);
  /// Whether a position is before the length of `along`, i1; null if always.
  mlir::Value isInside(mlir::OpBuilder &b, mlir::ValueRange arguments,
                       int lengths, DomainBuilder::Indices index, Dim along);

  /// p as another element type.
  Mapped castScores(Mapped p, mlir::Type type);

  AttentionOpInterface op;
  mlir::Location loc;
  DomainBuilder domain;
  /// Dimensions of a row (row_max), of the scores and of acc.
  llvm::SmallVector<Dim> rows, scores, acc;

private:
  mlir::Value clampedLength(mlir::OpBuilder &b, mlir::Value end,
                            mlir::Value length);
  mlir::Value shifted(mlir::OpBuilder &b, mlir::Value index, mlir::Value base);
  mlir::Value effectiveLength(mlir::OpBuilder &b, Dim dim, mlir::Value base,
                              mlir::Value limit);

  mlir::Value queryLength, keyLength, groupExtent;
};

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

using ElementBody =
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>;

/// In-place elementwise work or a reduction over `loops`: a generic with one
/// result.
Mapped elementwise(DomainBuilder &domain, llvm::ArrayRef<Dim> loops,
                   llvm::ArrayRef<Mapped> inputs, Mapped out, ElementBody body);
/// out + the sum of `in` over the dimensions that out does not have.
Mapped sumInto(DomainBuilder &domain, llvm::ArrayRef<Dim> loops, Mapped in,
               Mapped out);
/// Copies into an output, with its type and layout.
mlir::Value storeTo(DomainBuilder &domain, llvm::ArrayRef<Dim> loops, Mapped in,
                    Mapped out);

//===----------------------------------------------------------------------===//
// Packed sequences
//===----------------------------------------------------------------------===//

/// A tensor of a packed problem, and whether its rows are those of all
/// sequences (query, key, value, out ...) or of one (bias, mask, captures).
struct PackedTensor {
  Mapped tensor;
  bool holdsAll;
};

/// A loop over the sequences of a packed problem that carries `outputs`: `body`
/// gets the slices of one sequence and returns the new slices of the outputs.
llvm::SmallVector<mlir::Value> forEachSequence(
    mlir::OpBuilder &b, AttentionOpInterface op,
    llvm::ArrayRef<PackedTensor> inputs, llvm::ArrayRef<PackedTensor> outputs,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(
        mlir::OpBuilder &, mlir::Value sequence, llvm::ArrayRef<Mapped> inputs,
        llvm::ArrayRef<Mapped> outputs)>
        body);

/// `op` for each sequence: the decomposition of any packed op over scores.
/// `holdsAll` says which of the mapped operands hold all sequences.
llvm::SmallVector<mlir::Value>
unpack(mlir::OpBuilder &b, AttentionOpInterface op,
       llvm::function_ref<bool(mlir::OpOperand &)> holdsAll);

} // namespace fa

#endif // FA_TRANSFORMS_ATTENTIONPROBLEM_H
