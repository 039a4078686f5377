//===- DomainBuilder.h - linalg over a subset of the attention domain -----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_DOMAINBUILDER_H
#define FA_TRANSFORMS_DOMAINBUILDER_H

#include "fa/Dialect/FA/IR/FA.h"

namespace fa {

/// A tensor and its map from the seven-dimensional domain.
struct Mapped {
  mlir::Value value;
  mlir::AffineMap map;
};

/// The extent of one dimension of a tensor or memref.
mlir::OpFoldResult extentOfDim(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Value shaped, int64_t dim);

/// Creates `linalg` ops on tensors whose dimensions are dimensions of the
/// attention domain. Dimensions that a problem does not have are dropped from
/// the loops, so what is created has no unit loops that nobody asked for.
class DomainBuilder {
public:
  using Indices = llvm::function_ref<mlir::Value(Dim)>;
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, mlir::ValueRange, Indices)>;

  DomainBuilder(mlir::OpBuilder &b, mlir::Location loc,
                llvm::ArrayRef<Mapped> operands);

  mlir::OpBuilder &builder() { return b; }
  mlir::Location location() { return loc; }
  mlir::OpFoldResult extent(Dim dim);
  mlir::Value extentValue(Dim dim);

  /// A new tensor over `order`, with a trailing dimension `partials` if it is
  /// not 0.
  Mapped empty(llvm::ArrayRef<Dim> order, mlir::Type type);
  Mapped filled(llvm::ArrayRef<Dim> order, mlir::Type type, double value);

  /// linalg.generic over `loops`; loops missing in every output's map are
  /// reductions. `body` gets the operands' scalars, outputs last, and a
  /// function for the position in a dimension (0 where it is no loop).
  llvm::SmallVector<mlir::Value> generic(llvm::ArrayRef<Dim> loops,
                                         llvm::ArrayRef<Mapped> inputs,
                                         llvm::ArrayRef<Mapped> outputs,
                                         Body body);
  /// linalg.contract: out += lhs . rhs, in out's type.
  mlir::Value contract(Mapped lhs, Mapped rhs, Mapped out);

private:
  mlir::AffineMap compress(mlir::AffineMap map, llvm::ArrayRef<Dim> loops);

  mlir::OpBuilder &b;
  mlir::Location loc;
  std::array<Mapped, NumDims> sources;
};

} // namespace fa

#endif // FA_TRANSFORMS_DOMAINBUILDER_H
