//===- Pipeline.cpp - warp-specialised kernels to NVVM, pass by pass ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPUHopper/Pipeline.h"
#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void fa::addHopperKernelLowering(OpPassManager &module, int64_t stress) {
  OpPassManager &kernel = module.nest<fagpu::KernelOp>();
  kernel.addPass(createFAGPULowerTileLoop());
  kernel.addPass(createFAGPUAllocate());
  if (stress != 0) {
    FAGPUStressOptions options;
    options.seed = stress;
    kernel.addPass(createFAGPUStress(options));
  }
  kernel.addPass(createFAGPULowerRings());
  kernel.addPass(createFAGPUDistribute());
  module.addPass(createFAGPULowerKernel());
  module.addPass(createFALowerKernelMath());
  // Addresses and descriptors do not depend on the loop: no optimiser may run
  // after this.
  module.addPass(createCSEPass());
  module.addPass(createFAGPUHoistInvariants());
  module.addPass(createCSEPass());
  module.addPass(createSCFToControlFlowPass());
  module.addPass(createFAKernelsToNVVM());
  module.addPass(createConvertNVVMToLLVMPass());
  module.addPass(createReconcileUnrealizedCastsPass());
}

void fa::buildHopperToNVVM(OpPassManager &pm) {
  addHopperKernelLowering(pm.nest<gpu::GPUModuleOp>());
}

void fa::registerHopperPipelines() {
  PassPipelineRegistration<>("fagpu-hopper-to-nvvm",
                             "fagpu.kernels of every gpu.module to NVVM",
                             buildHopperToNVVM);
}
