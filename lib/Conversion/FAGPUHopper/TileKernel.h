//===- TileKernel.h - the parts of a tile program in one kernel -----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_TILEKERNEL_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_TILEKERNEL_H

#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace fa::fagpu {

/// One loop over key tiles.
struct KeyLoop {
  mlir::scf::ForOp loop;
  LoadTileOp key, value;
  MmaOp qk, pv;
};

/// What a tile program with layouts (`--fa-assign-layouts`) is made of: a query
/// tile stays, one to three loops stream key and value tiles and carry the same
/// state, an output tile is stored.
struct TileKernel {
  mlir::gpu::GPUFuncOp function;
  LoadTileOp query;
  llvm::SmallVector<KeyLoop> loops;
  StoreTileOp out;

  /// Fails with the reason in `why` where the kernel is something else.
  static mlir::FailureOr<TileKernel> match(mlir::gpu::GPUFuncOp function,
                                           std::string &why);

  mlir::Block &body() { return function.front(); }
  int64_t keyTile() {
    return mlir::cast<mlir::RankedTensorType>(
               loops.front().key.getTile().getType())
        .getDimSize(0);
  }
  /// The four operands that TMA moves.
  std::array<mlir::Value, 4> movedBuffers() {
    return {query.getSource(), loops.front().key.getSource(),
            loops.front().value.getSource(), out.getDestination()};
  }
  /// Rows of values past it are 0 for this kernel, whatever they hold; null:
  /// nothing is past the end of the buffer. Only the last tile of keys that a
  /// query tile sees may have such rows.
  mlir::Value valueLimit() { return loops.back().value.getLimit(); }
  /// Where the loops meet, in program order: begin, ..., end.
  llvm::SmallVector<mlir::Value> bounds();
};

/// The matrix that a tile is part of: which dimension its rows are, and its
/// columns.
struct TilePlace {
  int64_t row, column;
  /// All other dimensions, last to first.
  llvm::SmallVector<int64_t> outer;

  static TilePlace of(mlir::MemRefType type, llvm::ArrayRef<int64_t> tileDims);
};

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_TILEKERNEL_H
