//===- Scalars.h - scalar arith and math on the CPU -----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_SIMULATOR_SCALARS_H
#define FA_LIB_SIMULATOR_SCALARS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace fa::simulator {

/// A scalar: integers sign-extended in `i`, floating-point numbers in `f`.
struct Scalar {
  int64_t i = 0;
  double f = 0;
};

/// An element of a tile or buffer of `type`, which keeps all as double.
Scalar scalarOf(mlir::Type type, double element);
double elementOf(mlir::Type type, const Scalar &scalar);

/// `value` rounded as a number of `type`.
double roundTo(mlir::Type type, double value);

/// Evaluates one side-effect free op of arith or math that has one result;
/// nothing if it is not known.
std::optional<Scalar> evaluate(mlir::Operation *op,
                               llvm::ArrayRef<Scalar> operands);

} // namespace fa::simulator

#endif // FA_LIB_SIMULATOR_SCALARS_H
