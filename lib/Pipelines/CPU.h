//===- CPU.h - parts of the CPU pipeline ----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_PIPELINES_CPU_H
#define FA_PIPELINES_CPU_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fa {

/// Tensors to buffers, function boundaries included, with plain layouts.
void addBufferization(mlir::OpPassManager &pm);

/// fa ops to naive linalg, linalg to loops, all of it to the llvm dialect.
void addReferencePipeline(mlir::OpPassManager &pm);

/// Loops, arithmetic, vectors and memrefs to the llvm dialect.
void addLLVMLowering(mlir::OpPassManager &pm);

} // namespace fa

#endif // FA_PIPELINES_CPU_H
