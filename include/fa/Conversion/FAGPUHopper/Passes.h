//===- Passes.h - warp-specialised kernels to NVVM ------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_FAGPUHOPPER_PASSES_H
#define FA_CONVERSION_FAGPUHOPPER_PASSES_H

#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Pass/Pass.h"

namespace fa {

#define GEN_PASS_DECL
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"

} // namespace fa

#endif // FA_CONVERSION_FAGPUHOPPER_PASSES_H
