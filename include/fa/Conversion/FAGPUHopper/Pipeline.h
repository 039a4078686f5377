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

/// Adds all passes from the machine programs of a gpu.module to NVVM. A
/// gpu.func beside them is lowered too as far as it has no tiles any more.
void addHopperKernelLowering(mlir::OpPassManager &module);

/// The same for every gpu.module.
void buildHopperToNVVM(mlir::OpPassManager &pm);

/// `--fagpu-hopper-to-nvvm`.
void registerHopperPipelines();

} // namespace fa

#endif // FA_CONVERSION_FAGPUHOPPER_PIPELINE_H
