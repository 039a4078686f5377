//===- InitAll.h - every dialect and pass of FA ---------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The one list that the tools, the plugin and the C API register from.
//
//===----------------------------------------------------------------------===//

#ifndef FA_INITALL_H
#define FA_INITALL_H

#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "fa/Conversion/FAGPUHopper/Pipeline.h"
#include "fa/Conversion/FAToCPU/Passes.h"
#include "fa/Conversion/LinalgToKernels/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "fa/Pipelines/Pipelines.h"
#include "fa/Target/PTX/PTX.h"
#include "fa/Target/PTX/Passes.h"
#include "fa/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"

namespace fa {

/// Adds FA's dialects, and nothing of upstream's.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<FADialect, fagpu::FAGPUDialect>();
}

/// Adds FA's passes and pipelines.
inline void registerAllPasses() {
  registerFAPasses();
  registerFAGPUPasses();
  registerFAGPUHopperPasses();
  registerHopperPipelines();
  registerFAToCPUPasses();
  registerFAPTXPasses();
  registerFALinalgToKernelsPasses();
  registerFAPipelines();
}

} // namespace fa

#endif // FA_INITALL_H
