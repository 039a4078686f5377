//===- FatalErrors.cpp - LLVM's fatal errors as failures ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"
#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <mutex>

namespace {

/// One guarded call of this thread.
struct Guard {
  std::jmp_buf resume;
  std::string *error;
};

thread_local Guard *currentGuard = nullptr;
std::mutex handlerMutex;
unsigned handlerUses = 0;

/// LLVM calls this in the thread that failed, and would end the process when it
/// returned.
void onFatalError(void *, const char *reason, bool) {
  if (!currentGuard)
    return;
  *currentGuard->error = reason;
  std::longjmp(currentGuard->resume, 1);
}

/// LLVM has one handler for the process: installed by the first of our guards,
/// removed by the last.
void acquireHandler() {
  std::lock_guard<std::mutex> lock(handlerMutex);
  if (handlerUses++ == 0)
    llvm::install_fatal_error_handler(onFatalError);
}

void releaseHandler() {
  std::lock_guard<std::mutex> lock(handlerMutex);
  if (--handlerUses == 0)
    llvm::remove_fatal_error_handler();
}

} // namespace

bool fa::runWithoutFatalErrors(llvm::function_ref<void()> body,
                               std::string &error) {
  Guard guard;
  guard.error = &error;
  Guard *outer = currentGuard;
  acquireHandler();
  bool finished = false;
  if (setjmp(guard.resume) == 0) {
    currentGuard = &guard;
    body();
    finished = true;
  }
  currentGuard = outer;
  releaseHandler();
  return finished;
}
