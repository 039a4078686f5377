//===- Context.h - devices and their contexts -----------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_CONTEXT_H
#define FA_LIB_RUNTIME_CONTEXT_H

#include "Driver.h"

namespace fa::runtime {

/// What is known of a device; kept until the process ends.
struct DeviceInfo {
  int ordinal = 0;
  CUcontext context = nullptr;
  int capability = 0;
  int maximumShared = 0;
  int multiprocessors = 0;
  std::string name;
};

/// The device with its primary context, the one that frameworks use. Null with
/// the reason.
const DeviceInfo *getDevice(const Driver &driver, int ordinal,
                            std::string &error);

/// Makes a context current for a scope.
class ContextScope {
public:
  ContextScope(const Driver &driver, CUcontext context) : driver(driver) {
    CUcontext current = nullptr;
    if (driver.cuCtxGetCurrent(&current) == 0 && current == context)
      return;
    pushed = driver.cuCtxPushCurrent(context) == 0;
  }
  ~ContextScope() {
    CUcontext popped;
    if (pushed)
      driver.cuCtxPopCurrent(&popped);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  const Driver &driver;
  bool pushed = false;
};

} // namespace fa::runtime

#endif // FA_LIB_RUNTIME_CONTEXT_H
