//===- CPU.cpp - passes that end on a CPU ---------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CPU.h"
#include "fa/Conversion/FAToCPU/Passes.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/RequestCWrappers.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Shape/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

void fa::addBufferization(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.allowReturnAllocsFromLoops = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// LLVM's x86 back end calls library functions that no C library has for bf16
/// (and f16 on older machines); conversions written as integer code need none.
static void addSmallFloatExpansion(OpPassManager &pm) {
  math::MathExtendToSupportedTypesOptions mathOptions;
  mathOptions.targetTypeStr = "f32";
  pm.addPass(math::createMathExtendToSupportedTypes(mathOptions));
  pm.addPass(fa::createFADropFastMath());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16", "f16"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  pm.addPass(fa::createFAExpandTruncations());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
}

/// The C library has no powers by integers.
static void addMathExpansion(OpPassManager &pm) {
  math::MathExpandOpsPassOptions expand;
  expand.opMnemonics = {"fpowi", "clampf"};
  pm.addPass(math::createMathExpandOpsPass(expand));
  pm.addPass(createConvertMathToFuncs());
}

void fa::addLLVMLowering(OpPassManager &pm) {
  pm.addPass(createFAPrefixSymbols());
  pm.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  pm.addPass(createFACheckAllocations());
  pm.addPass(createFAOutlineLoops());
  pm.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertComplexToStandardPass());
  addSmallFloatExpansion(pm);
  addMathExpansion(pm);
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  // Takes vectors apart.
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void fa::addTensorPreparation(OpPassManager &pm) {
  // One-shot bufferization does not see that one block reads what another one
  // before it has overwritten.
  pm.addPass(createLiftControlFlowToSCFPass());
  pm.addNestedPass<func::FuncOp>(createShapeToShapeLoweringPass());
  pm.addPass(createConvertShapeToStandardPass());
  pm.addPass(createFAPrepareTensors());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createConvertTensorToLinalgPass());
}

void fa::addTileProgramLowering(OpPassManager &pm, int64_t vectorBits) {
  // Frees what functions allocate, apart from what they return. Before there
  // are buffers of tiles: those live on the stack.
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createFALowerTiles());
  pm.addPass(createFAPackContractions());
  pm.addPass(createFALowerTileMemory());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFAHoistInTiles());

  bufferization::OneShotBufferizePassOptions options;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  FAPlaceTileBuffersOptions place;
  // CPUProgram sees to it that a call has the stack.
  place.limit = 256 << 20;
  pm.addPass(createFAPlaceTileBuffers(place));
  pm.addPass(createFAOutlineTiles());

  FAVectorizeTilesOptions vectorize;
  vectorize.vectorBits = vectorBits;
  pm.addPass(createFAVectorizeTiles(vectorize));
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFAExpandMath());
  addLLVMLowering(pm);
}

int64_t fa::hostVectorBits() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512f"))
    return 512;
  return features.lookup("avx2") && features.lookup("fma") ? 256 : 128;
}

void fa::addReferencePipeline(OpPassManager &pm) {
  pm.addPass(createFACheckShapes());
  pm.addPass(createFADecompose());
  addLoweredCheck(pm, "reference", "decompose");
  pm.addPass(createCSEPass());
  addTensorPreparation(pm);
  addBufferization(pm);
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createConvertLinalgToLoopsPass());
  addLLVMLowering(pm);
}
