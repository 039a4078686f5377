//===- Compiler.cpp - from MLIR text to what is run -----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Compiler/Compiler.h"
#include "fa/Pipelines/Pipelines.h"
#include "fa/Target/Manifest/Manifest.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace {

/// Functions other than the entry are called by it or not at all.
LogicalResult selectEntry(ModuleOp module, StringRef entry) {
  if (entry.empty())
    return success();
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function || function.isExternal())
    return emitError(module.getLoc())
           << "there is no function '" << entry << "' with a body";
  for (auto other : module.getOps<func::FuncOp>())
    other.setPrivate();
  function.setPublic();
  return success();
}

/// Passes leave verified IR, which a build with assertions sees to after each
/// of them (so does fa-opt). Otherwise the last one's is verified.
LogicalResult runVerified(PassManager &pm, ModuleOp module) {
#ifdef NDEBUG
  pm.enableVerifier(false);
#endif
  return success(succeeded(pm.run(module)) && succeeded(verify(module)));
}

/// Views and affine arithmetic become what a manifest has.
LogicalResult simplifyHost(ModuleOp module) {
  PassManager pm(module.getContext());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  // Only functions change, and kernels are large.
  pm.enableVerifier(false);
  return success(
      succeeded(pm.run(module)) &&
      llvm::all_of(module.getOps<func::FuncOp>(),
                   [](func::FuncOp f) { return succeeded(verify(f)); }));
}

/// A tensor that is given is a value: bufferization must not reuse its memory.
void protectTensorArguments(ModuleOp module) {
  auto name = bufferization::BufferizationDialect::kWritableAttrName;
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments())
      if (!function.isExternal() && function.isPublic() &&
          isa<TensorType>(argument.getType()) &&
          !function.getArgAttr(argument.getArgNumber(), name))
        function.setArgAttr(argument.getArgNumber(), name,
                            BoolAttr::get(module.getContext(), false));
}

/// What was noted is in the signatures now; LLVM does not know it.
void clearDescriptions(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (StringRef name : {fa::argumentNameAttr, fa::argumentExtentsAttr,
                             fa::argumentWrittenAttr})
        function.removeArgAttr(i, name);
}

/// Raises attention and notes what the arguments are to it, which only this
/// stage knows.
LogicalResult describeSource(ModuleOp module,
                             const fa::CompileOptions &options) {
  // Standard attention has no stages to stop after.
  bool hasStages =
      options.target != "reference" && options.schedule != "standard";
  if (hasStages && failed(fa::runPipeline(module, options, "raise")))
    return failure();
  fa::describeArguments(module);
  protectTensorArguments(module);
  return success();
}

FailureOr<gpu::GPUModuleOp> getKernelModule(ModuleOp module) {
  fa::mergeGPUModules(module);
  auto modules = module.getOps<gpu::GPUModuleOp>();
  if (modules.empty()) {
    emitError(module.getLoc(), "there is no kernel to compile: the module has "
                               "no attention that this target can run");
    return failure();
  }
  return *modules.begin();
}

/// PTX, and machine code if there is an assembler.
LogicalResult emitKernels(gpu::GPUModuleOp kernels,
                          const fa::CompileOptions &options,
                          fa::Artifact &artifact) {
  fa::PTXOptions ptx = options.ptx;
  ptx.chip = options.target;
  FailureOr<std::string> text = fa::translateToPTX(kernels, ptx);
  if (failed(text))
    return failure();
  artifact.ptx = *text;
  if (options.ptxas == "none")
    return success();
  std::string error;
  std::optional<std::string> ptxas = fa::findPtxas(options.ptxas, error);
  if (!ptxas)
    return error.empty() ? success()
                         : LogicalResult(emitError(kernels.getLoc()) << error);
  FailureOr<fa::Assembly> assembly =
      fa::assemblePTX(kernels, artifact.ptx, *ptxas, ptx);
  if (failed(assembly))
    return failure();
  artifact.cubin = std::move(assembly->cubin);
  artifact.log = std::move(assembly->log);
  return success();
}

} // namespace

OwningOpRef<ModuleOp> fa::parseModule(MLIRContext *context, StringRef text,
                                      StringRef name) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
}

LogicalResult fa::runPipeline(ModuleOp module, const CompileOptions &options,
                              StringRef stage) {
  if (failed(selectEntry(module, options.entry)))
    return failure();
  std::string message;
  llvm::raw_string_ostream errors(message);
  PipelineOptions pipeline;
  pipeline.target = options.target;
  pipeline.schedule = options.schedule;
  pipeline.stopAfter = stage.str();
  pipeline.checkOffsets = options.checkOffsets;
  PassManager pm(module.getContext());
  if (failed(buildPipeline(pm, pipeline, errors)))
    return emitError(module.getLoc()) << StringRef(message).rtrim();
  return runVerified(pm, module);
}

FailureOr<fa::Artifact> fa::compileForGPU(ModuleOp module,
                                          const CompileOptions &options) {
  std::string error;
  if (!isKnownChip(options.target, error))
    return emitError(module.getLoc()) << error;
  if (options.isLowered ? failed(selectEntry(module, options.entry))
                        : failed(describeSource(module, options)) ||
                              failed(runPipeline(module, options, "")))
    return failure();
  FailureOr<gpu::GPUModuleOp> kernels = getKernelModule(module);
  if (failed(kernels) || failed(simplifyHost(module)))
    return failure();
  Artifact artifact;
  if (failed(emitKernels(*kernels, options, artifact)))
    return failure();
  ManifestOptions manifest;
  manifest.target = options.target;
  manifest.ptxFile = "kernel.ptx";
  if (!artifact.cubin.empty()) {
    manifest.cubinFile = "kernel.cubin";
    manifest.cubinTarget = options.ptx.assembleFor;
    manifest.log = &artifact.log;
  }
  FailureOr<std::string> text = translateToManifest(module, manifest);
  if (failed(text))
    return failure();
  artifact.manifest = std::move(*text);
  return artifact;
}

FailureOr<std::string> fa::compileForHost(ModuleOp module,
                                          const CompileOptions &options) {
  if (failed(selectEntry(module, options.entry)) ||
      failed(describeSource(module, options)))
    return failure();
  ManifestOptions manifest;
  manifest.target = options.target;
  FailureOr<std::string> text = translateSignatures(module, manifest);
  if (failed(text))
    return failure();
  clearDescriptions(module);
  if (failed(runPipeline(module, options, "")))
    return failure();
  return text;
}
