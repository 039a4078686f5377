//===- ScalarCloner.h - a linalg body, once per element -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_FAGPU_SCALARCLONER_H
#define FA_CONVERSION_FAGPU_SCALARCLONER_H

#include "Distribution.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace fa::fagpu {

/// A scalar during cloning. Positions are kept in 32 bits while that is exact:
/// `value` + `constant` is then, in i32, an index or i64 of magnitude below
/// 2^31.
struct Scalar {
  mlir::Value value;
  /// 0: `value` is what it seems. Otherwise a bound on the magnitude.
  double narrowBound = 0;
  /// What the slot adds to a position: elements that differ by no more share
  /// `value`.
  int64_t constant = 0;

  bool isNarrow() const { return narrowBound != 0; }
};

/// Clones ops of a linalg op's body for given slots of its iteration space.
/// Results that do not depend on a row (or column) are computed once for all
/// rows (columns).
class ScalarCloner {
public:
  /// `operands` are the distributed operands, `fragments` who holds which.
  ScalarCloner(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
               llvm::ArrayRef<mlir::ValueRange> operands,
               ThreadContext &thread);

  /// The fragment that the iterations make up.
  Fragment iterations() const { return loops; }
  /// The value of `v`, defined in or visible from the body, at an iteration.
  mlir::Value get(mlir::Value v, int64_t row, int64_t column);

private:
  enum Depends : unsigned { Nothing = 0, OnRow = 1, OnColumn = 2 };

  unsigned dependenceOf(mlir::Value v);
  unsigned dependenceOf(mlir::AffineMap map);
  Scalar evaluate(mlir::Value v, int64_t row, int64_t column);
  Scalar argument(mlir::BlockArgument v, int64_t row, int64_t column);
  Scalar captured(mlir::Value v);
  Scalar position(int64_t dim, int64_t row, int64_t column);
  Scalar clone(mlir::OpResult v, int64_t row, int64_t column);
  /// The op in 32 bits, or a null value where that may not be exact.
  Scalar cloneNarrow(mlir::Operation *op, llvm::ArrayRef<Scalar> operands);
  /// The sum of two narrow scalars, the difference, or their comparison.
  Scalar addNarrow(mlir::Operation *op, const Scalar &x, const Scalar &y);
  Scalar compareNarrow(mlir::arith::CmpIOp op, const Scalar &x,
                       const Scalar &y);
  /// The op on two values, which is made once.
  mlir::Value sharedOp(mlir::Operation *op, mlir::OperationName name,
                       mlir::Value x, mlir::Value y);
  /// `value` + `constant`.
  mlir::Value whole(const Scalar &s);
  mlir::Value widened(const Scalar &s, mlir::Type type);
  /// Who says where the thread is.
  ThreadContext &positions();

  mlir::OpBuilder &b;
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<mlir::ValueRange> operands;
  ThreadContext &thread;
  std::optional<ThreadContext> own;
  Fragment loops;
  bool dimZeroIsColumn = false, columnIsPartial = false;
  llvm::DenseMap<mlir::Value, unsigned> dependence;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Scalar> cache;
  llvm::DenseMap<std::tuple<mlir::Operation *, mlir::Value, mlir::Value>,
                 mlir::Value>
      shared;
};

} // namespace fa::fagpu

#endif // FA_CONVERSION_FAGPU_SCALARCLONER_H
