//===- Driver.cpp - the CUDA driver, opened at run time -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace fa::runtime;

namespace {

/// CUDA 12.0: the first with everything above and with PTX 8.0.
constexpr int oldestVersion = 12000;

/// Fills the table; an empty string, or why it cannot be.
std::string open(Driver &driver) {
  // FA_CUDA_DRIVER: another driver library, such as the stand-in that the tests
  // use.
  const char *requested = std::getenv("FA_CUDA_DRIVER");
  const char *name = requested && *requested ? requested : "libcuda.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return std::string("no CUDA driver: ") + dlerror();

  std::string error;
  driver.cuDriverGetVersion = reinterpret_cast<CUresult (*)(int *)>(
      dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (!driver.cuDriverGetVersion || driver.cuDriverGetVersion(&version) != 0)
    return std::string(name) + " is not a CUDA driver";
  if (version < oldestVersion)
    return "the CUDA driver is for CUDA " + describeVersion(version) +
           "; FA needs a driver for CUDA " + describeVersion(oldestVersion) +
           " or newer";

#define X(NAME, SYMBOL, PARAMETERS)                                            \
  driver.NAME =                                                                \
      reinterpret_cast<CUresult(*) PARAMETERS>(dlsym(library, SYMBOL));        \
  if (!driver.NAME)                                                            \
    return "the CUDA driver lacks " SYMBOL;
  FA_DRIVER_FUNCTIONS(X)
#undef X
#define X(NAME, SYMBOL, PARAMETERS)                                            \
  driver.NAME =                                                                \
      reinterpret_cast<CUresult(*) PARAMETERS>(dlsym(library, SYMBOL));
  FA_OPTIONAL_DRIVER_FUNCTIONS(X)
#undef X
  driver.version = version;

  if (!driver.check(driver.cuInit(0), "cannot initialise the CUDA driver",
                    error))
    return error;
  return "";
}

} // namespace

std::string fa::runtime::describeVersion(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

const Driver *Driver::get(std::string &error) {
  static Driver driver;
  static const std::string failure = open(driver);
  if (failure.empty())
    return &driver;
  error = failure;
  return nullptr;
}

bool Driver::check(CUresult result, const char *what,
                   std::string &error) const {
  if (result == 0)
    return true;
  const char *name = nullptr;
  const char *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  error = std::string(what) + ": " +
          (name ? std::string(name) : "CUDA error " + std::to_string(result)) +
          (text ? std::string(" (") + text + ")" : "");
  return false;
}
