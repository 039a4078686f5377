//===- FA.h - the fa dialect: attention from its meaning down to tiles ----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_DIALECT_FA_IR_FA_H
#define FA_DIALECT_FA_IR_FA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace fa {

/// The dimensions of the iteration domain of every op on attention, in order.
enum Dim : unsigned { B, H, G, M, N, D, E, NumDims };

/// A set of domain dimensions, one bit each.
using DimSet = unsigned;
constexpr DimSet dims() { return 0; }
template <typename... Rest> constexpr DimSet dims(Dim first, Rest... rest) {
  return (1u << first) | dims(rest...);
}
/// The dimensions that a projected permutation mentions.
DimSet dimsOf(mlir::AffineMap map);
/// The position of a domain dimension among the results of a map, or -1.
int64_t positionOf(mlir::AffineMap map, Dim dim);
/// Returns the projected permutation that lists `order`'s dimensions.
mlir::AffineMap mapOf(mlir::MLIRContext *context, llvm::ArrayRef<Dim> order);

/// Clones an op, regions and attributes and all, with other operands and result
/// types. Unlike mlir::clone, with empty regions and a listener, too.
mlir::Operation *cloneWith(mlir::OpBuilder &b, mlir::Operation *op,
                           mlir::TypeRange types, mlir::ValueRange operands);

} // namespace fa

#include "fa/Dialect/FA/IR/FADialect.h.inc"
#include "fa/Dialect/FA/IR/FAEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fa/Dialect/FA/IR/FAAttrs.h.inc"

#include "fa/Dialect/FA/IR/FAInterfaces.h.inc"

#define GET_OP_CLASSES
#include "fa/Dialect/FA/IR/FAOps.h.inc"

#endif // FA_DIALECT_FA_IR_FA_H
