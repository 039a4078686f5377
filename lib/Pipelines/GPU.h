//===- GPU.h - the pipeline to NVIDIA GPUs --------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_PIPELINES_GPU_H
#define FA_PIPELINES_GPU_H

#include "fa/Pipelines/Pipelines.h"

namespace fa {

/// `buildPipeline` for sm_80 and later.
mlir::LogicalResult buildGPUPipeline(mlir::OpPassManager &pm,
                                     const PipelineOptions &options,
                                     llvm::raw_ostream &errors);

/// `buildPipeline` for sm_90a: warp-specialised kernels, and mma.sync ones for
/// what they do not do.
mlir::LogicalResult buildHopperPipeline(mlir::OpPassManager &pm,
                                        const PipelineOptions &options,
                                        llvm::raw_ostream &errors);

/// Canonicalization and common subexpressions.
void addCleanup(mlir::OpPassManager &pm);

/// A stage that pipelines to a GPU can stop after, or an error.
mlir::LogicalResult checkGPUStage(llvm::StringRef stop,
                                  llvm::raw_ostream &errors);

/// What a call's shapes have to fulfil, and offsets where the host reads them.
/// `mostExtent`: of what kernels count; 0: anything.
void addShapeChecks(mlir::OpPassManager &pm, bool readsOffsets,
                    int64_t mostExtent);

/// Decomposed attention, one plain kernel per linalg op: the O(N^2) baseline.
void addStandardGPUPipeline(mlir::OpPassManager &pm);

/// What is around attention: one kernel per linalg op.
void addLinalgKernels(mlir::OpPassManager &pm);

/// Kernels of scalars, memrefs and loops to NVVM.
void addKernelsToNVVM(mlir::OpPassManager &kernels);

} // namespace fa

#endif // FA_PIPELINES_GPU_H
