//===- Pipeline.h - warp-specialised kernels to NVVM, pass by pass --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_FAGPUHOPPER_PIPELINE_H
#define FA_CONVERSION_FAGPUHOPPER_PIPELINE_H

#include <cstdint>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fa {

/// Adds all passes from the machine programs of a gpu.module to NVVM. A
/// gpu.func beside them is lowered too as far as it has no tiles any more. With
/// a seed that is not 0, warps sleep now and then (`--fagpu-stress`).
void addHopperKernelLowering(mlir::OpPassManager &module, int64_t stress = 0);

/// The same for every gpu.module.
void buildHopperToNVVM(mlir::OpPassManager &pm);

/// `--fagpu-hopper-to-nvvm`.
void registerHopperPipelines();

} // namespace fa

#endif // FA_CONVERSION_FAGPUHOPPER_PIPELINE_H
