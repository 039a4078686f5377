//===- DistributeHopper.h - shared between the patterns -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_DISTRIBUTEHOPPER_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_DISTRIBUTEHOPPER_H

#include "../FAGPU/Distribution.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"

namespace fa::fagpu {

/// Writes a fragment, packed, to tile `index` (i32) of `smem`.
void storeFragments(mlir::OpBuilder &b, mlir::Location loc, SmemOp smem,
                    mlir::Value index, const ThreadContext &thread,
                    mlir::ValueRange packed);

/// store_fragments, unpack and read_cols.
void populateDistributeGradientPatterns(const mlir::TypeConverter &converter,
                                        mlir::RewritePatternSet &patterns,
                                        ThreadContext &thread);

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_DISTRIBUTEHOPPER_H
