//===- KernelsToNVVM.cpp - what is left in a kernel to LLVM and NVVM ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Upstream's `convert-gpu-to-nvvm` runs a greedy rewrite of the whole module
// before its conversion, and that folds and walks all that is there as often as
// a canonicaliser does: half of its time. It is for ops that no kernel of ours
// has. The conversion is upstream's.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

namespace fa {
#define GEN_PASS_DEF_FAKERNELSTONVVM
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

struct KernelsToNVVMPass : fa::impl::FAKernelsToNVVMBase<KernelsToNVVMPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context, DataLayout(module));
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);
    LLVMConversionTarget target(*context);
    RewritePatternSet patterns(context);
    // Before what a dialect says of itself.
    constexpr unsigned benefit = 10;
    populateGpuToNVVMConversionPatterns(converter, patterns, benefit);
    for (Dialect *dialect : context->getLoadedDialects()) {
      auto *lowering = dyn_cast<ConvertToLLVMPatternInterface>(dialect);
      // On a GPU there are no functions of the C library.
      if (lowering && !isa<math::MathDialect>(dialect))
        lowering->populateConvertToLLVMConversionPatterns(target, converter,
                                                          patterns);
    }
    configureGpuToNVVMConversionLegality(target);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    eraseDead();
  }

  /// Some of upstream's patterns leave constants that nobody uses.
  void eraseDead() {
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }
};

} // namespace
