//===- Arguments.h - function arguments from the command line -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TOOLS_FA_RUN_ARGUMENTS_H
#define FA_TOOLS_FA_RUN_ARGUMENTS_H

#include "fa/Execution/CPUProgram.h"

namespace fa {

/// One value per argument of `signature`, from the texts of `--arg` in order
/// (`@file.npy`, `shape=2x8x64[xf32] [range=lo..hi | values=a,b,...]`, a
/// scalar, or `_`). An argument without text gets random data if its shape is
/// static.
llvm::Expected<std::vector<HostTensor>>
makeArguments(const Signature &signature, llvm::ArrayRef<std::string> texts,
              uint64_t seed);

} // namespace fa

#endif // FA_TOOLS_FA_RUN_ARGUMENTS_H
