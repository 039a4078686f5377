//===- GlobalTile.h - a tile in global memory, by addresses -----*- C++ -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPU_GLOBALTILE_H
#define FA_LIB_CONVERSION_FAGPU_GLOBALTILE_H

#include "Distribution.h"

namespace fa::fagpu {

constexpr int64_t kChunkBytes = 16;

/// A tile in global memory: where it starts, how to move in it, how much of it
/// is inside. Offsets are formed in 64 bits; what is inside is counted in 32.
/// What does not change in the enclosing loop is added first, so that it leaves
/// the loop.
class GlobalTile {
public:
  GlobalTile(mlir::OpBuilder &b, mlir::Location loc, mlir::Operation *op,
             mlir::Value memref, mlir::ValueRange offsets, mlir::Value limit,
             llvm::ArrayRef<int64_t> tileDims);

  int64_t elementBytes() const;

  /// 16-byte accesses are possible: an i1, or null if surely not.
  mlir::Value isAligned(mlir::OpBuilder &b, mlir::Location loc);

  /// The address of element (row, column) of the tile; either i32 or null.
  mlir::Value at(mlir::OpBuilder &b, mlir::Location loc, mlir::Value row,
                 mlir::Value column);
  /// The address of element (0, 0), the same for all threads.
  mlir::Value start(mlir::OpBuilder &b, mlir::Location loc);

  static mlir::Value add(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                         mlir::Value y);
  static mlir::Value scaled(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value count, mlir::Value stride);

  mlir::MemRefType type;
  /// Bytes from one to the next, per tile dimension (i64).
  llvm::SmallVector<mlir::Value> strides;
  /// Extent of the part inside, per tile dimension (i32); more than the tile's
  /// where it goes on behind it, negative where the tile lies outside.
  llvm::SmallVector<mlir::Value> left;
  int64_t innerStride = 1, staticExtent = 1;

private:
  static mlir::Value wide(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value v);
  static mlir::Value narrow(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value v);
  mlir::Value bytes(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::Value elements);

  /// Address without what moves in the enclosing loop, that part (or null), and
  /// everything that must be a multiple of 16 for 16-byte accesses; i64.
  mlir::Value fixed, moving, alignment;
};

/// `fast` if 16-byte accesses are possible, else `slow`.
void chooseByAlignment(mlir::OpBuilder &b, mlir::Location loc, GlobalTile &tile,
                       llvm::function_ref<void(mlir::OpBuilder &)> fast,
                       llvm::function_ref<void(mlir::OpBuilder &)> slow);

/// An address in memory: a register and a constant, in bytes. A constant in the
/// instruction costs no register; an addition of its own costs two.
struct Address {
  mlir::Value base;
  int64_t offset = 0;
};

/// What is at the address if `predicate`, else 0.
mlir::Value loadElement(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Type element, Address address,
                        mlir::Value predicate);
void storeElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
                  Address address, mlir::Value predicate);

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPU_GLOBALTILE_H
