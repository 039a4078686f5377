//===- Raiser.h - one attempt to raise an attention -----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_RAISE_RAISER_H
#define FA_LIB_TRANSFORMS_RAISE_RAISER_H

#include "Operands.h"

namespace fa::raise {

/// Matches the value `out` as an attention and replaces it.
class Raiser {
public:
  Raiser(mlir::OpResult out, bool strict);

  /// True if `out` was replaced; else `reason` says why not.
  bool run(Reason &reason);
  /// Ops of the program that the attention was read from.
  llvm::ArrayRef<mlir::Operation *> getReplacedOps() const { return replaced; }

private:
  /// A tensor of the program that the attention gives.
  struct Output {
    mlir::OpResult value;
    std::vector<Linear> indices;
    /// Its loops as runs of one role in one dimension, in order.
    struct Piece {
      int64_t dim;
      Dim role;
      std::vector<unsigned> atoms;
    };
    std::vector<Piece> pieces;
    Mapped init;
  };

  NodeRef readOut(Reason &reason);
  bool match(NodeRef node, Reason &reason);
  bool matchProduct(NodeRef product, NodeRef sum,
                    llvm::ArrayRef<NodeRef> zeroIf, Reason &reason);
  bool matchWith(NodeRef weights, NodeRef value, NodeRef sum, unsigned key,
                 llvm::ArrayRef<NodeRef> zeroIf, Reason &reason);
  bool splitDot(unsigned key, Reason &reason);
  bool assignRoles(Reason &reason);
  std::optional<unsigned> queryOfMasks() const;
  unsigned lastRow(llvm::ArrayRef<unsigned> rows) const;
  bool matchMasks(Reason &reason);
  bool noRowIsEmpty() const;
  bool isEmptyRow(NodeRef condition) const;
  bool checkZeroRows(Reason &reason);
  bool checkUses(Reason &reason);
  std::optional<std::vector<Linear>> indicesOfLse(mlir::Value value);
  bool findLse(llvm::ArrayRef<mlir::Operation *> users);
  bool checkStrict(Reason &reason);
  bool isRounded(NodeRef node, llvm::DenseMap<NodeRef, bool> &memo) const;

  bool build(mlir::OpBuilder &b, Reason &reason);
  struct Parts;
  bool buildFactors(Parts &parts, Reason &reason);
  bool buildScale(Parts &parts, Reason &reason);
  bool buildScores(Parts &parts, Reason &reason);
  bool buildMasks(Parts &parts, Reason &reason);
  bool buildOut(Parts &parts, Output &output, Reason &reason);
  std::optional<Factor> hoistGather(mlir::OpBuilder &b,
                                    OperandBuilder &operands,
                                    const Factor &factor, bool allowScale,
                                    Mapped &mapped);
  struct Operand {
    Factor factor;
    Mapped mapped;
  };
  std::vector<Operand> operandsFor(Parts &parts, NodeRef node, bool allowScale,
                                   Dim needed);
  AttentionOp createOp(Parts &parts, llvm::ArrayRef<mlir::AffineMap> maps,
                       mlir::ValueRange captures, mlir::ValueRange inits,
                       mlir::Value offset, mlir::Value keyLimit,
                       Alignment alignment);
  mlir::Value reshapeResult(Parts &parts, Output &output, mlir::Value result);
  bool preferTensor(NodeRef node);

  mlir::OpResult out;
  bool strict;
  mutable Graph graph;
  Reader reader;
  std::vector<Linear> outIndices;

  NodeRef product = nullptr;
  NodeRef query = nullptr, key = nullptr, value = nullptr;
  NodeRef weights = nullptr;
  Softmax softmax;
  Score score;
  Masks masks;
  Roles roles;
  bool unitQuery = false;
  std::optional<Output> lse;
  mlir::FloatType computeType;
  std::vector<mlir::Operation *> replaced;
};

} // namespace fa::raise

#endif // FA_LIB_TRANSFORMS_RAISE_RAISER_H
