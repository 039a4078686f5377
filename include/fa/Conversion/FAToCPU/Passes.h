//===- Passes.h - from tile programs to the CPU ---------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_FATOCPU_PASSES_H
#define FA_CONVERSION_FATOCPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace fa {

/// What --fa-prefix-symbols puts before the names of a program.
inline constexpr llvm::StringLiteral symbolPrefix = "fa.";

#define GEN_PASS_DECL
#include "fa/Conversion/FAToCPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fa/Conversion/FAToCPU/Passes.h.inc"

} // namespace fa

#endif // FA_CONVERSION_FATOCPU_PASSES_H
