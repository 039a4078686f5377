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

void fa::buildHopperToNVVM(OpPassManager &pm) {
  OpPassManager &module = pm.nest<gpu::GPUModuleOp>();
  OpPassManager &kernel = module.nest<fagpu::KernelOp>();
  kernel.addPass(createFAGPULowerTileLoop());
  kernel.addPass(createFAGPUAllocate());
  kernel.addPass(createFAGPULowerRings());
  kernel.addPass(createFAGPUDistribute());
  module.addPass(createFAGPULowerKernel());
  module.addPass(createFALowerKernelMath());
  // Addresses and descriptors do not depend on the loop: no optimiser may run
  // after this.
  module.addPass(createCSEPass());
  module.addPass(createLoopInvariantCodeMotionPass());
  module.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertNVVMToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void fa::registerHopperPipelines() {
  PassPipelineRegistration<>("fagpu-hopper-to-nvvm",
                             "fagpu.kernels of every gpu.module to NVVM",
                             buildHopperToNVVM);
}
