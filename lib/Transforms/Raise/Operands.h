//===- Operands.h - tensors and regions of a raised attention -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_RAISE_OPERANDS_H
#define FA_LIB_TRANSFORMS_RAISE_OPERANDS_H

#include "Matcher.h"
#include "fa/Transforms/DomainBuilder.h"
#include "mlir/IR/Dominance.h"

namespace fa::raise {

/// Makes operands of fa.attention from tensors of the program: slices and
/// reshapes, never a copy, that give every dimension of the domain one
/// dimension.
class OperandBuilder {
public:
  OperandBuilder(mlir::OpBuilder &b, mlir::Location loc, Graph &graph,
                 Reader &reader, const Roles &roles, mlir::Operation *before)
      : b(b), loc(loc), graph(graph), reader(reader), roles(roles),
        before(before), dominance(before->getParentOp()) {}

  /// The tensor whose element `node` is.
  std::optional<Mapped> build(NodeRef node);
  std::optional<Mapped> build(const Reader::Place &place);
  /// A size as a value, usable where the attention will be.
  std::optional<mlir::OpFoldResult> size(const Poly &poly);
  std::optional<mlir::Value> index(const Poly &poly);
  /// A scalar of the program.
  std::optional<mlir::Value> scalar(NodeRef node);
  Poly extentOf(Dim dim) const;

private:
  struct DimPlan {
    std::vector<unsigned> atoms; // outermost first
    Poly offset, extent, stride = 1;
  };
  std::optional<DimPlan> plan(const Linear &index);
  std::optional<mlir::Value> slice(mlir::Value tensor,
                                   std::vector<DimPlan> &plans);
  std::optional<Mapped> regroup(mlir::Value tensor,
                                llvm::ArrayRef<DimPlan> plans);

  mlir::OpBuilder &b;
  mlir::Location loc;
  Graph &graph;
  Reader &reader;
  const Roles &roles;
  mlir::Operation *before;
  mlir::DominanceInfo dominance;
};

/// Writes expressions as the regions of fa.attention.
class RegionBuilder {
public:
  RegionBuilder(const Roles &roles, OperandBuilder &operands,
                mlir::FloatType computeType, mlir::Location loc)
      : roles(roles), operands(operands), computeType(computeType), loc(loc) {}

  /// `root` as a function of `scaled`, the region's first argument.
  bool buildScore(NodeRef root, NodeRef scaled);
  bool buildKeep(llvm::ArrayRef<NodeRef> conditions);

  std::unique_ptr<mlir::Region> score, keep;
  std::vector<Mapped> captures;

private:
  using Memo = llvm::DenseMap<NodeRef, mlir::Value>;
  mlir::Value emit(NodeRef node, mlir::OpBuilder &b, Memo &memo);
  mlir::Value emitUncached(NodeRef node, mlir::OpBuilder &b, Memo &memo);
  mlir::Value emitIndex(const Linear &index, mlir::OpBuilder &b);
  mlir::Value emitTerm(unsigned atom, mlir::OpBuilder &b);
  mlir::Value emitHead(Linear &index, mlir::OpBuilder &b);
  mlir::Value emitPoly(const Poly &poly, mlir::OpBuilder &b);
  mlir::Value emitGather(NodeRef node, mlir::OpBuilder &b, Memo &memo);
  mlir::Value emitApply(NodeRef node, mlir::OpBuilder &b, Memo &memo);
  /// The argument of the region that `b` is in for a capture.
  mlir::Value capture(const Mapped &mapped, mlir::Type type,
                      mlir::OpBuilder &b);
  mlir::Block *start(std::unique_ptr<mlir::Region> &region, bool isScore);
  mlir::Value fromPlace(NodeRef node, mlir::OpBuilder &b);

  const Roles &roles;
  OperandBuilder &operands;
  mlir::FloatType computeType;
  mlir::Location loc;
};

} // namespace fa::raise

#endif // FA_LIB_TRANSFORMS_RAISE_OPERANDS_H
