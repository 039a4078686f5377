//===- Passes.h - linalg to plain GPU kernels -----------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_LINALGTOKERNELS_PASSES_H
#define FA_CONVERSION_LINALGTOKERNELS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace fa {

#define GEN_PASS_DECL
#include "fa/Conversion/LinalgToKernels/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fa/Conversion/LinalgToKernels/Passes.h.inc"

} // namespace fa

#endif // FA_CONVERSION_LINALGTOKERNELS_PASSES_H
