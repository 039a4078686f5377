//===- StandardGPU.cpp - standard attention on a GPU ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CPU.h"
#include "GPU.h"
#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Conversion/FAToCPU/Passes.h"
#include "fa/Conversion/LinalgToKernels/Passes.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void fa::addLinalgKernels(OpPassManager &pm) {
  pm.addPass(createFACopyResults());
  pm.addPass(createFALinalgToKernels());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addPass(createFASinkGlobals());
}

/// One pass over a kernel of thousands of ops finds all that there is, and
/// blocks without anything in them are LLVM's affair.
static void addKernelCleanup(OpPassManager &kernels) {
  GreedyRewriteConfig config;
  config.setMaxIterations(1);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  kernels.addPass(createCanonicalizerPass(config));
  kernels.addPass(createCSEPass());
}

void fa::addKernelsToNVVM(OpPassManager &kernels) {
  kernels.addPass(math::createMathExtendToSupportedTypes());
  kernels.addPass(createFALowerKernelMath());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  // Canonical forms of ops with regions and hundreds of results take longer
  // than all the rest.
  SCFToControlFlowPassOptions branches;
  branches.allowPatternRollback = false;
  kernels.addPass(createSCFToControlFlowPass(branches));
  addKernelCleanup(kernels);
  kernels.addPass(createFAKernelsToNVVM());
  addKernelCleanup(kernels);
}

void fa::addShapeChecks(OpPassManager &pm, bool readsOffsets,
                        int64_t mostExtent) {
  FACheckShapesOptions options;
  options.offsets = readsOffsets;
  options.mostExtent = mostExtent;
  pm.addPass(createFACheckShapes(options));
}

void fa::addStandardGPUPipeline(OpPassManager &pm) {
  pm.addPass(createFAInlineCalls());
  // The host reads offsets in any case: it launches sequence by sequence.
  addShapeChecks(pm, /*readsOffsets=*/true, /*mostExtent=*/0);
  pm.addPass(createFADecompose());
  addLoweredCheck(pm, "a GPU, schedule=standard", "decompose");
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addTensorPreparation(pm);
  addBufferization(pm);
  addLinalgKernels(pm);
  addKernelsToNVVM(pm.nest<gpu::GPUModuleOp>());
}
