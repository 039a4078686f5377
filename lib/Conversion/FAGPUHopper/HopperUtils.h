//===- HopperUtils.h - addresses in shared memory -------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_HOPPERUTILS_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_HOPPERUTILS_H

#include "../FAGPU/Distribution.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace fa::fagpu {

/// Whether consumers hold more than scores in registers, or have three kinds of
/// key loops: tiles of bias or mask, or what regions need. Of an attention or
/// online attention.
template <typename AttentionOpTy> bool holdsMore(AttentionOpTy op) {
  return op.getBias() || op.getMask() || op.getWindowLeftAttr() ||
         !op.getCaptures().empty() || !op.getScoreRegion().empty() ||
         !op.getMaskRegion().empty();
}

/// Where a ring's parts lie, in bytes after its offset.
constexpr int64_t kBarrierBytes = 8, kMailboxBytes = 4;
/// What a block has drawn: its part and its number.
constexpr int64_t kDrawnBytes = 8;

/// A pointer to shared memory at `offset` bytes (constant) + `bytes` (i32 or
/// null) + `own` (i32 or null): what a thread adds is a register of its own for
/// good, what all have in common is uniform arithmetic.
mlir::Value sharedPointer(mlir::OpBuilder &b, mlir::Location loc,
                          int64_t offset, mlir::Value bytes = {},
                          mlir::Value own = {});

/// The full or empty barrier of a slot (i32).
mlir::Value barrierPointer(mlir::OpBuilder &b, mlir::Location loc, RingOp ring,
                           mlir::Value slot, bool empty);
mlir::Value mailboxPointer(mlir::OpBuilder &b, mlir::Location loc, RingOp ring,
                           mlir::Value slot);

/// Where block `block` (64 columns) of tile `index` (i32) of a declaration
/// starts.
mlir::Value tilePointer(mlir::OpBuilder &b, mlir::Location loc, SmemOp smem,
                        mlir::Value index, int64_t block);

/// Columns of a block, and of a box of a tensor map.
constexpr int64_t kBoxColumns = 64;

/// The coordinates of that block's box in a tensor map, innermost first.
llvm::SmallVector<mlir::Value> boxCoordinates(mlir::OpBuilder &b,
                                              mlir::Location loc, int64_t block,
                                              mlir::Value row,
                                              mlir::ValueRange outer);

/// The address (i64) of an element of a contiguous buffer of f32.
mlir::Value globalAddress(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value buffer, mlir::ValueRange offsets);

/// Host: whether TMA can address a 16-bit buffer (i1), boxes of whose dimension
/// `column` it moves.
mlir::Value canAddressByTma(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value buffer, int64_t column);

/// A tensor map argument as the pointer that it will be.
mlir::Value mapPointer(mlir::OpBuilder &b, mlir::Location loc, mlir::Value map);

/// All threads of the warpgroup that `op`, of a consumer or without roles, runs
/// on meet.
void synchroniseWarpgroup(mlir::OpBuilder &b, mlir::Operation *op);

/// What a thread has stored to shared memory before is seen by TMA and wgmma
/// after.
void fenceShared(mlir::OpBuilder &b, mlir::Location loc);

/// On the host, numbers (i32) that are 0 before every launch, because every
/// launch leaves them so.
mlir::Value allocateKeptZero(mlir::OpBuilder &b, mlir::Location loc,
                             llvm::ArrayRef<int64_t> shape,
                             mlir::ValueRange sizes = {});

/// Of LowerRings: `fagpu.round_fragments`.
void populateRoundFragmentsPatterns(const mlir::TypeConverter &converter,
                                    mlir::RewritePatternSet &patterns);

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_HOPPERUTILS_H
