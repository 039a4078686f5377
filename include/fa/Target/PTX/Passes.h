//===- Passes.h - passes that emit PTX ------------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TARGET_PTX_PASSES_H
#define FA_TARGET_PTX_PASSES_H

#include "mlir/Pass/Pass.h"

namespace fa {

#define GEN_PASS_DECL
#include "fa/Target/PTX/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fa/Target/PTX/Passes.h.inc"

} // namespace fa

#endif // FA_TARGET_PTX_PASSES_H
