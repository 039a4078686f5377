//===- Pipeline.h - warp-specialised kernels to NVVM, pass by pass --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_FAGPUHOPPER_PIPELINE_H
#define FA_CONVERSION_FAGPUHOPPER_PIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fa {

/// Adds all passes from a machine program to NVVM, for the kernels of every
/// gpu.module.
void buildHopperToNVVM(mlir::OpPassManager &pm);

/// `--fagpu-hopper-to-nvvm`.
void registerHopperPipelines();

} // namespace fa

#endif // FA_CONVERSION_FAGPUHOPPER_PIPELINE_H
