//===- SerializeGPU.cpp - gpu.module to gpu.binary ------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Target/PTX/PTX.h"
#include "fa/Target/PTX/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

namespace fa {
#define GEN_PASS_DEF_FASERIALIZEGPU
#include "fa/Target/PTX/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

gpu::KernelMetadataAttr describeKernel(LLVM::LLVMFuncOp kernel,
                                       const fa::KernelResources *resources) {
  Builder b(kernel.getContext());
  DictionaryAttr metadata;
  if (resources)
    metadata = b.getDictionaryAttr({
        b.getNamedAttr("registers", b.getI64IntegerAttr(resources->registers)),
        b.getNamedAttr("shared_memory",
                       b.getI64IntegerAttr(resources->sharedMemory)),
        b.getNamedAttr("spill_loads",
                       b.getI64IntegerAttr(resources->spillLoads)),
        b.getNamedAttr("spill_stores",
                       b.getI64IntegerAttr(resources->spillStores)),
    });
  return gpu::KernelMetadataAttr::get(
      cast<FunctionOpInterface>(kernel.getOperation()), metadata);
}

gpu::KernelTableAttr describeKernels(gpu::GPUModuleOp module,
                                     const fa::AssemblerLog &log) {
  SmallVector<gpu::KernelMetadataAttr> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      kernels.push_back(describeKernel(function, log.find(function.getName())));
  return gpu::KernelTableAttr::get(module.getContext(), kernels);
}

void reportResources(gpu::GPUModuleOp module, const fa::AssemblerLog &log) {
  for (const fa::KernelResources &kernel : log.kernels)
    if (Operation *op = SymbolTable::lookupSymbolIn(module, kernel.name))
      emitRemark(op->getLoc())
          << kernel.registers << " registers, "
          << kernel.spillStores + kernel.spillLoads << " bytes spilled, "
          << kernel.sharedMemory << " bytes of static shared memory";
}

struct SerializeGPU : fa::impl::FASerializeGPUBase<SerializeGPU> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    fa::registerPTXTranslations(registry);
  }

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp module : modules)
      if (failed(serialize(module)))
        return signalPassFailure();
  }

private:
  /// The pass options, completed by the module's own target.
  fa::PTXOptions getOptions(gpu::GPUModuleOp module) {
    fa::PTXOptions options;
    if (ArrayAttr targets = module.getTargetsAttr())
      for (auto target : targets.getAsRange<Attribute>())
        if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
          options.chip = nvvm.getChip().str();
    if (!chip.empty())
      options.chip = chip;
    options.features = features;
    options.optLevel = optLevel;
    options.codegenLevel = codegenLevel;
    for (StringRef flag : llvm::split(ptxasFlags, ','))
      if (!flag.empty())
        options.ptxasFlags.push_back(flag.str());
    return options;
  }

  LogicalResult serialize(gpu::GPUModuleOp module) {
    fa::PTXOptions options = getOptions(module);
    FailureOr<std::string> ptx = fa::translateToPTX(module, options);
    if (failed(ptx))
      return failure();
    OpBuilder b(module);
    auto target = NVVM::NVVMTargetAttr::get(
        b.getContext(), optLevel, "nvptx64-nvidia-cuda", options.chip,
        options.features.empty() ? fa::defaultPTXFeatures(options.chip)
                                 : options.features);
    SmallVector<Attribute> objects;
    auto addObject = [&](gpu::CompilationTarget format, StringRef bytes,
                         const fa::AssemblerLog &log) {
      objects.push_back(gpu::ObjectAttr::get(b.getContext(), target, format,
                                             b.getStringAttr(bytes), nullptr,
                                             describeKernels(module, log)));
    };
    addObject(gpu::CompilationTarget::Assembly, *ptx, {});
    if (ptxas != "none") {
      std::string error;
      std::optional<std::string> tool = fa::findPtxas(ptxas, error);
      if (!tool && !error.empty())
        return emitError(module.getLoc()) << error;
      if (!tool) {
        emitRemark(module.getLoc(), "no ptxas found: PTX only");
      } else {
        FailureOr<fa::Assembly> assembly =
            fa::assemblePTX(module, *ptx, *tool, options);
        if (failed(assembly))
          return failure();
        if (report)
          reportResources(module, assembly->log);
        addObject(gpu::CompilationTarget::Binary, assembly->cubin,
                  assembly->log);
      }
    }
    gpu::BinaryOp::create(b, module.getLoc(), module.getName(), nullptr,
                          objects);
    module.erase();
    return success();
  }
};

} // namespace
