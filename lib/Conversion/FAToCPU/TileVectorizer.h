//===- TileVectorizer.h - linalg on tiles as loops over vectors -----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FATOCPU_TILEVECTORIZER_H
#define FA_LIB_CONVERSION_FATOCPU_TILEVECTORIZER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fa {

/// Each builds at `b` what `op`, on memrefs of static shape, does; or fails and
/// builds nothing.
mlir::LogicalResult vectorizeContraction(mlir::OpBuilder &b,
                                         mlir::linalg::LinalgOp op,
                                         int64_t vectorBits);
mlir::LogicalResult vectorizeTranspose(mlir::OpBuilder &b,
                                       mlir::linalg::LinalgOp op,
                                       int64_t vectorBits);
mlir::LogicalResult vectorizeElementwise(mlir::OpBuilder &b,
                                         mlir::linalg::LinalgOp op,
                                         int64_t vectorBits);
mlir::LogicalResult vectorizeReduction(mlir::OpBuilder &b,
                                       mlir::linalg::LinalgOp op,
                                       int64_t vectorBits);

/// The most lanes, a power of 2, that fit a register and divide `extent`.
int64_t lanesFor(int64_t extent, int64_t elementBits, int64_t vectorBits);

mlir::Value indexConstant(mlir::OpBuilder &b, mlir::Location loc,
                          int64_t value);
/// position + offset.
mlir::Value shiftedIndex(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value position, int64_t offset);

} // namespace fa

#endif // FA_LIB_CONVERSION_FATOCPU_TILEVECTORIZER_H
