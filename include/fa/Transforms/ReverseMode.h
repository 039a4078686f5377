//===- ReverseMode.h - derivatives of scalar regions ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_REVERSEMODE_H
#define FA_TRANSFORMS_REVERSEMODE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace fa {

/// Reverse-mode differentiation of a region of one block of scalar arith and
/// math ops that ends with a terminator of one operand. The table of
/// derivatives is in ReverseMode.cpp.
///
/// Only what an *active* argument reaches is differentiated; everything else
/// may be any op. A shaped active argument may only be read at an element
/// (tensor.extract, memref.load).
class ReverseMode {
public:
  /// An element of a shaped argument, and what flows into it.
  struct Access {
    unsigned argument;
    llvm::SmallVector<mlir::Value> indices;
    mlir::Value adjoint;
  };

  ReverseMode(mlir::Region &region, llvm::ArrayRef<unsigned> activeArguments);

  /// Fails with an error at the first op that has no derivative and lies
  /// between an active argument and the result.
  mlir::LogicalResult verify();

  /// Whether the result depends on an active argument.
  bool reachesResult();

  /// Whether anything flows into an active argument: what the result depends on
  /// by decisions and signs alone has a derivative of 0.
  bool flowsTo(unsigned argument);

  /// Builds the adjoints of the active arguments, given the one of the result.
  /// `primal` maps the region's values to values at the insertion point. All
  /// adjoints are of `type`, a floating-point type: those of narrower values,
  /// too, so that sums of them lose nothing.
  void build(mlir::OpBuilder &b, const mlir::IRMapping &primal,
             mlir::Value adjoint, mlir::Type type);

  /// After `build`: the adjoint of a scalar argument, null where nothing flows.
  mlir::Value adjointOf(unsigned argument) const;
  /// After `build`: in program order from the last.
  llvm::ArrayRef<Access> accesses() const { return found; }
  /// How many `Access`es `build` finds, with their argument and rank.
  llvm::SmallVector<std::pair<unsigned, unsigned>> expectedAccesses();

private:
  bool isActive(mlir::Operation &op) const;
  /// Ops through which the result depends on an active argument.
  llvm::SmallVector<mlir::Operation *> relevantOps();
  std::optional<unsigned> accessedArgument(mlir::Operation &op) const;
  void add(mlir::OpBuilder &b, mlir::Location loc, mlir::Value of,
           mlir::Value adjoint);

  mlir::Region &region;
  llvm::DenseSet<mlir::Value> active;
  llvm::DenseMap<mlir::Value, mlir::Value> adjoints;
  llvm::SmallVector<Access> found;
};

} // namespace fa

#endif // FA_TRANSFORMS_REVERSEMODE_H
