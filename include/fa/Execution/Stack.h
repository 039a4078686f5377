//===- Stack.h - calls that need stack ------------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_EXECUTION_STACK_H
#define FA_EXECUTION_STACK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace fa {

/// What the compiler needs: passes and LLVM's code generation recurse.
inline constexpr uint64_t compilerStackBytes = 1 << 20;

/// Calls `function` here if this thread's stack has `bytes` left, else on a
/// thread of its own with a stack that has, and waits. Threads of other
/// libraries and languages have as little as 16 KiB. Fails if there is no
/// memory for such a stack; `function` was not called then.
llvm::Error runWithStack(uint64_t bytes, llvm::function_ref<void()> function);

} // namespace fa

#endif // FA_EXECUTION_STACK_H
