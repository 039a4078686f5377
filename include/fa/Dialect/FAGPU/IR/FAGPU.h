//===- FAGPU.h - the fagpu dialect: machine programs ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_DIALECT_FAGPU_IR_FAGPU_H
#define FA_DIALECT_FAGPU_IR_FAGPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fa/Dialect/FAGPU/IR/FAGPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fa/Dialect/FAGPU/IR/FAGPUAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "fa/Dialect/FAGPU/IR/FAGPUTypes.h.inc"

#define GET_OP_CLASSES
#include "fa/Dialect/FAGPU/IR/FAGPUOps.h.inc"

namespace fa::fagpu {

/// Threads that own a tile together, and rows of one of its blocks.
constexpr int64_t kGroupThreads = 128, kBlockRows = 64;

/// Kernels count positions in 32 bits, and add up to four of them. This is the
/// most that an extent may be, which a program checks before it launches.
constexpr int64_t kMostExtent = 1 << 29;

/// How a kernel's copies run ahead (`--fa-stage-shared`), or how it is split
/// into roles (`--fagpu-warp-specialize`): attributes that pass from the
/// attention op to its loops and the kernel.
constexpr llvm::StringLiteral kStagesName = "fagpu.stages",
                              kEarlyKeysName = "fagpu.early_keys",
                              kWarpsName = "fagpu.warps",
                              kGradientsName = "fagpu.gradients",
                              kShortName = "fagpu.short";

/// On a `fa.load_tile` in the accumulator's layout: which thread gets which
/// column of a row does not matter, if it is the same for all loads with it.
constexpr llvm::StringLiteral kAnyColumnsName = "fagpu.any_columns";

/// On a memref.alloc of a host program: device memory that is 0 before its
/// first use, that kernels leave 0, and that stays from call to call.
constexpr llvm::StringLiteral kKeptZeroName = "fagpu.kept_zero";

/// A tile's layout; null if it has none.
mlir::Attribute layoutOf(mlir::Type type);
template <typename Layout> bool hasLayout(mlir::Type type) {
  return llvm::isa_and_nonnull<Layout>(layoutOf(type));
}
/// Why a type cannot have its layout, or an empty string.
std::string whyIllegal(mlir::RankedTensorType type);

} // namespace fa::fagpu

#endif // FA_DIALECT_FAGPU_IR_FAGPU_H
