//===- KeptZero.cpp - memory that kernels leave as they found it ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KeptZero.h"
#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

using namespace fa::runtime;

namespace {

/// No two uses share a line of the L2 cache.
constexpr int64_t granule = 128;
constexpr int64_t chunkBytes = 256 * granule;

/// Lets this thread allocate while a stream is being captured, whichever
/// thread captures it.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver(driver) {
    driver.cuThreadExchangeStreamCaptureMode(&mode);
  }
  ~RelaxedCapture() { driver.cuThreadExchangeStreamCaptureMode(&mode); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const Driver &driver;
  int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// On a stream of its own: the default one must not be used in a capture.
bool clear(const Driver &driver, CUdeviceptr memory, size_t bytes,
           std::string &error) {
  CUstream stream = nullptr;
  if (!driver.check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                    "cannot make a stream", error))
    return false;
  CUresult result = driver.cuMemsetD8Async(memory, 0, bytes, stream);
  if (result == 0)
    result = driver.cuStreamSynchronize(stream);
  driver.cuStreamDestroy(stream);
  return driver.check(result, "cannot clear memory", error);
}

/// The memory of one device. It lives until the process ends: graphs may hold
/// it.
class Pool {
public:
  CUdeviceptr get(const Driver &driver, const KeptZeroUse &use,
                  std::string &error) {
    int isCapturing = 0;
    if (!driver.check(driver.cuStreamIsCapturing(use.stream, &isCapturing),
                      "cannot query the stream", error))
      return 0;
    std::lock_guard<std::mutex> lock(mutex);
    if (isCapturing)
      return take(driver, use.bytes, error);
    // CU_STREAM_PER_THREAD names one stream per thread.
    bool isPerThread = reinterpret_cast<uintptr_t>(use.stream) == 2;
    Key key(use.owner, use.bytes, use.stream,
            isPerThread ? std::this_thread::get_id() : std::thread::id());
    CUdeviceptr &memory = known[key];
    if (!memory)
      memory = take(driver, use.bytes, error);
    return memory;
  }

private:
  using Key = std::tuple<const void *, int64_t, CUstream, std::thread::id>;

  CUdeviceptr take(const Driver &driver, int64_t bytes, std::string &error) {
    if (bytes < 0 || bytes > INT32_MAX) {
      error = "memory that is kept 0 cannot be of " + std::to_string(bytes) +
              " bytes";
      return 0;
    }
    bytes = bytes ? (bytes + granule - 1) / granule * granule : granule;
    if (left < bytes && !grow(driver, std::max(bytes, chunkBytes), error))
      return 0;
    CUdeviceptr taken = next;
    next += CUdeviceptr(bytes);
    left -= bytes;
    return taken;
  }

  bool grow(const Driver &driver, int64_t bytes, std::string &error) {
    RelaxedCapture relaxed(driver);
    CUdeviceptr chunk = 0;
    if (!driver.check(driver.cuMemAlloc(&chunk, size_t(bytes)),
                      "cannot allocate memory", error))
      return false;
    if (!clear(driver, chunk, size_t(bytes), error)) {
      driver.cuMemFree(chunk);
      return false;
    }
    next = chunk;
    left = bytes;
    return true;
  }

  std::mutex mutex;
  std::map<Key, CUdeviceptr> known;
  CUdeviceptr next = 0;
  int64_t left = 0;
};

Pool &getPool(int ordinal) {
  static std::mutex mutex;
  // Never destroyed: the driver may be gone by then.
  static auto &pools = *new std::map<int, Pool>();
  std::lock_guard<std::mutex> lock(mutex);
  return pools[ordinal];
}

} // namespace

CUdeviceptr fa::runtime::getKeptZero(const Driver &driver,
                                     const DeviceInfo &device,
                                     const KeptZeroUse &use,
                                     std::string &error) {
  return getPool(device.ordinal).get(driver, use, error);
}
