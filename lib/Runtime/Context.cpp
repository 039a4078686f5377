//===- Context.cpp - devices and their contexts ---------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "fa/Runtime/Runtime.h"
#include <map>
#include <mutex>

using namespace fa::runtime;

namespace {

bool queryDevice(const Driver &driver, DeviceInfo &info, std::string &error) {
  int count = 0;
  if (!driver.check(driver.cuDeviceGetCount(&count),
                    "cannot count CUDA devices", error))
    return false;
  if (info.ordinal < 0 || info.ordinal >= count) {
    error = "no CUDA device " + std::to_string(info.ordinal) + "; there are " +
            std::to_string(count);
    return false;
  }
  CUdevice device;
  char name[256] = "";
  int major = 0, minor = 0;
  auto query = [&](int attribute, int &value) {
    return driver.check(driver.cuDeviceGetAttribute(&value, attribute, device),
                        "cannot query the CUDA device", error);
  };
  if (!driver.check(driver.cuDeviceGet(&device, info.ordinal),
                    "cannot open the CUDA device", error) ||
      !driver.check(driver.cuDeviceGetName(name, sizeof name, device),
                    "cannot query the CUDA device", error) ||
      !query(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major) ||
      !query(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor) ||
      !query(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
             info.maximumShared) ||
      !query(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, info.multiprocessors))
    return false;
  info.name = name;
  info.capability = major * 10 + minor;
  return driver.check(driver.cuDevicePrimaryCtxRetain(&info.context, device),
                      "cannot open a CUDA context", error);
}

} // namespace

const DeviceInfo *fa::runtime::getDevice(const Driver &driver, int ordinal,
                                         std::string &error) {
  static std::mutex mutex;
  static std::map<int, DeviceInfo> devices;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = devices.find(ordinal);
  if (found != devices.end())
    return &found->second;
  DeviceInfo info;
  info.ordinal = ordinal;
  if (!queryDevice(driver, info, error))
    return nullptr;
  return &devices.emplace(ordinal, info).first->second;
}

int fa::runtime::countDevices(std::string &error) {
  const Driver *driver = Driver::get(error);
  int count = 0;
  if (!driver || !driver->check(driver->cuDeviceGetCount(&count),
                                "cannot count CUDA devices", error))
    return -1;
  return count;
}

std::unique_ptr<Device> Device::open(int ordinal, std::string &error) {
  const Driver *driver = Driver::get(error);
  const DeviceInfo *info =
      driver ? getDevice(*driver, ordinal, error) : nullptr;
  if (!info)
    return nullptr;
  std::unique_ptr<Device> device(new Device());
  device->ordinal = ordinal;
  device->context = info->context;
  device->capability = info->capability;
  device->name = info->name;
  return device;
}

Device::~Device() = default;

namespace {

/// Runs `body` with the driver in a device's context.
template <typename Body>
bool inContext(void *context, const char *what, std::string &error, Body body) {
  const Driver *driver = Driver::get(error);
  ContextScope scope(*driver, static_cast<CUcontext>(context));
  return driver->check(body(*driver), what, error);
}

} // namespace

void *Device::allocate(uint64_t bytes, std::string &error) {
  CUdeviceptr pointer = 0;
  // The driver refuses 0 bytes.
  inContext(context, "cannot allocate device memory", error,
            [&](const Driver &driver) {
              return driver.cuMemAlloc(&pointer, bytes ? bytes : 1);
            });
  return reinterpret_cast<void *>(pointer);
}

void Device::release(void *data) {
  std::string ignored;
  inContext(context, "", ignored, [&](const Driver &driver) {
    return driver.cuMemFree(reinterpret_cast<CUdeviceptr>(data));
  });
}

bool Device::copyToDevice(void *device, const void *host, uint64_t bytes,
                          std::string &error) {
  return bytes == 0 ||
         inContext(context, "cannot copy to the device", error,
                   [&](const Driver &driver) {
                     return driver.cuMemcpyHtoD(
                         reinterpret_cast<CUdeviceptr>(device), host, bytes);
                   });
}

bool Device::copyToHost(void *host, const void *device, uint64_t bytes,
                        std::string &error) {
  return bytes == 0 ||
         inContext(context, "cannot copy from the device", error,
                   [&](const Driver &driver) {
                     return driver.cuMemcpyDtoH(
                         host, reinterpret_cast<CUdeviceptr>(device), bytes);
                   });
}

bool Device::synchronize(std::string &error) {
  return inContext(
      context, "a kernel failed", error,
      [&](const Driver &driver) { return driver.cuCtxSynchronize(); });
}
