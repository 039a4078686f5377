//===- FatalErrors.h - LLVM's fatal errors as failures --------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TARGET_PTX_FATALERRORS_H
#define FA_LIB_TARGET_PTX_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace fa {

/// Runs `body`. If LLVM reports a fatal error meanwhile (instruction selection
/// does, for input that it cannot select), returns false with the reason in
/// `error` where the process would have ended. What `body` had allocated is
/// then lost: this is for a back end that is thrown away.
bool runWithoutFatalErrors(llvm::function_ref<void()> body, std::string &error);

} // namespace fa

#endif // FA_LIB_TARGET_PTX_FATALERRORS_H
