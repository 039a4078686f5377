//===- Stack.cpp - calls that need stack ----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Execution/Stack.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <pthread.h>

using namespace fa;

namespace {

/// What a main thread usually has; memory that is not touched costs nothing.
constexpr uint64_t kLeastOwnStack = 8 << 20;
constexpr uint64_t kPage = 1 << 16;

struct Bounds {
  uintptr_t low = 0, high = 0;
};

/// Nothing if it cannot be known.
Bounds boundsOfThread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes))
    return {};
  void *low = nullptr;
  size_t size = 0;
  bool isKnown = !pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  auto address = reinterpret_cast<uintptr_t>(low);
  return isKnown ? Bounds{address, address + size} : Bounds();
}

/// Also false on a stack that is not the thread's, as coroutines have.
bool hasLeft(uint64_t bytes) {
  // Asking the system takes a while: once per thread.
  static thread_local const Bounds bounds = boundsOfThread();
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here > bounds.low && here <= bounds.high && here - bounds.low >= bytes;
}

void *callFunction(void *function) {
  (*static_cast<llvm::function_ref<void()> *>(function))();
  return nullptr;
}

} // namespace

llvm::Error fa::runWithStack(uint64_t bytes,
                             llvm::function_ref<void()> function) {
  if (hasLeft(bytes)) {
    function();
    return llvm::Error::success();
  }
  // The frames of the thread itself come on top.
  uint64_t size = llvm::alignTo(std::max(bytes, kLeastOwnStack) + kPage, kPage);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  bool isStarted =
      !pthread_attr_setstacksize(&attributes, size) &&
      !pthread_create(&thread, &attributes, callFunction, &function);
  pthread_attr_destroy(&attributes);
  if (!isStarted)
    return llvm::createStringError(
        "out of memory: a stack of " + llvm::Twine(size) +
        " bytes is needed, and this thread's is smaller");
  pthread_join(thread, nullptr);
  return llvm::Error::success();
}
