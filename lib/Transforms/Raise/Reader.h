//===- Reader.h - reads tensor programs as scalar expressions -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_RAISE_READER_H
#define FA_LIB_TRANSFORMS_RAISE_READER_H

#include "Graph.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace fa::raise {

/// The attributes of a scalar op that say what it computes.
mlir::Attribute meaningfulAttributes(mlir::Operation *op);

/// True if the op sums products.
bool isContraction(mlir::linalg::LinalgOp op);

/// Answers "what is element i, j, ... of this tensor?" by looking through the
/// ops that made it, however they are spelled: any linalg op, reshapes, slices,
/// concatenations, elementwise ops on tensors. What it cannot look through is a
/// load of that tensor.
///
/// A reshape may need a loop to be seen as two nested loops, a concatenation
/// as two consecutive ones. Then the read fails with `needsRestart`; the
/// reader has split the loop, and reading again from the start succeeds.
class Reader {
public:
  Reader(Graph &graph, mlir::Block *block);

  /// The element of a tensor.
  NodeRef read(mlir::Value tensor, llvm::ArrayRef<Linear> indices);
  /// A scalar of the program, outside any body.
  NodeRef readScalar(mlir::Value value);
  /// The extent of a dimension.
  Poly sizeOf(mlir::Value tensor, int64_t dim);
  /// The index that runs over dimension `dim` of `tensor`, as a root loop.
  Linear rootIndex(mlir::Value tensor, int64_t dim);

  bool needsRestart() const { return restart; }
  /// Forgets all expressions; splits stay.
  void startAgain();

  /// Tensors whose element a node is, with the indices, the first one made
  /// first.
  struct Place {
    mlir::Value tensor;
    std::vector<Linear> indices;
  };
  llvm::ArrayRef<Place> placesOf(NodeRef node) const;
  /// Ops that were looked through, since the start.
  const llvm::SetVector<mlir::Operation *> &getVisited() const {
    return visited;
  }

private:
  using Env = llvm::DenseMap<mlir::Value, NodeRef>;
  struct Body;

  NodeRef readUncached(mlir::Value tensor, llvm::ArrayRef<Linear> indices);
  NodeRef readLinalg(mlir::linalg::LinalgOp op, unsigned result,
                     llvm::ArrayRef<Linear> indices);
  NodeRef readReduction(unsigned result, Body &body,
                        llvm::ArrayRef<Linear> indices);
  NodeRef readSoftmax(mlir::linalg::SoftmaxOp op,
                      llvm::ArrayRef<Linear> indices);
  NodeRef readReshape(mlir::Value source, mlir::Value result,
                      llvm::ArrayRef<Linear> indices);
  NodeRef readSlice(mlir::tensor::ExtractSliceOp op,
                    llvm::ArrayRef<Linear> indices);
  NodeRef readConcat(mlir::tensor::ConcatOp op, llvm::ArrayRef<Linear> indices);
  NodeRef readConstant(mlir::Value tensor, mlir::Attribute attr,
                       llvm::ArrayRef<Linear> indices);
  NodeRef readElementwise(mlir::Operation *op, llvm::ArrayRef<Linear> indices);

  NodeRef evaluate(mlir::Value value, Env &env, Body *body);
  NodeRef evaluateOp(mlir::Operation *op, Env &env, Body *body);
  NodeRef evaluateIf(mlir::Operation *op, Env &env, Body *body);
  NodeRef evaluateExtract(mlir::tensor::ExtractOp op, Env &env, Body *body);
  NodeRef evaluateAffine(mlir::Operation *op, Env &env, Body *body);
  NodeRef argumentOf(Body &body, unsigned argument);
  NodeRef opaqueScalar(mlir::Value value);

  std::optional<Poly> polyOf(mlir::OpFoldResult value);
  Poly sizeFromScalar(mlir::Value value);
  Poly sizeOfUncached(mlir::Value tensor, int64_t dim);
  std::optional<Poly> loopSize(mlir::linalg::LinalgOp op, unsigned loop);
  std::optional<std::vector<Linear>> delinearize(Linear index,
                                                 llvm::ArrayRef<Poly> sizes);
  bool requestSplit(const Linear &rest, const Poly &size);
  bool splitIndex(const Linear &index, const Poly &size, Linear &quotient,
                  Linear &rest);

  /// An index over the atoms that `atom` was split into.
  Linear expand(unsigned atom);
  /// The consecutive ranges that `atom` was cut into.
  std::vector<Linear> piecesOf(unsigned atom);
  unsigned keyedAtom(void *key, int64_t index, const Poly &size);

  void collectEqualities(mlir::Block *block);

  Graph &graph;
  std::map<std::pair<void *, int64_t>, unsigned> keyed;
  std::map<unsigned, std::pair<unsigned, unsigned>> splits;
  std::map<unsigned, std::pair<unsigned, unsigned>> cuts;
  /// Loops of reductions that may be cut, and the contraction depth they are
  /// at.
  std::map<unsigned, unsigned> cuttable;
  std::map<std::tuple<void *, unsigned, std::vector<Linear>>, NodeRef> memo;
  Env scalars;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Poly> sizes;
  llvm::DenseMap<NodeRef, llvm::SmallVector<Place, 1>> places;
  llvm::SetVector<mlir::Operation *> visited;
  /// Contractions that are being looked through; two suffice for attention.
  unsigned contractionDepth = 0;
  bool restart = false;
};

} // namespace fa::raise

#endif // FA_LIB_TRANSFORMS_RAISE_READER_H
