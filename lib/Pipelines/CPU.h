//===- CPU.h - parts of the CPU pipeline ----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_PIPELINES_CPU_H
#define FA_PIPELINES_CPU_H

#include "mlir/Support/LLVM.h"
#include <cstdint>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fa {

/// Attention raised from what frontends write: calls of private functions,
/// which JAX makes of every `where`, are inlined first.
void addRaising(mlir::OpPassManager &pm);

/// Tensors to buffers, function boundaries included, with plain layouts.
void addBufferization(mlir::OpPassManager &pm);

/// What a tile program takes away from tensors at stage 0: ops that
/// bufferization does not know.
void addTensorPreparation(mlir::OpPassManager &pm);

/// A tile program (scf.forall over fa.load_tile, linalg on tile tensors,
/// fa.store_tile) to the llvm dialect, for vectors of `vectorBits`.
void addTileProgramLowering(mlir::OpPassManager &pm, int64_t vectorBits);

/// The widest vectors of this machine that have f32 multiply-add.
int64_t hostVectorBits();

/// fa ops to naive linalg, linalg to loops, all of it to the llvm dialect.
void addReferencePipeline(mlir::OpPassManager &pm);

/// What no pass up to here has taken is an error. After `stage` "tile", ops of
/// tile programs may be left.
void addLoweredCheck(mlir::OpPassManager &pm, llvm::StringRef target,
                     llvm::StringRef stage);

/// Loops, arithmetic, vectors and memrefs to the llvm dialect.
void addLLVMLowering(mlir::OpPassManager &pm);

} // namespace fa

#endif // FA_PIPELINES_CPU_H
