//===- CudaMachine.cpp - what host programs do to a device ----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CudaMachine.h"
#include "KeptZero.h"

using namespace fa::runtime;

static std::string describe(const int64_t (&extents)[3]) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) +
         " x " + std::to_string(extents[2]);
}

static void readSlots(const int32_t (&from)[3], const int64_t *slots,
                      int64_t (&to)[3]) {
  for (int i = 0; i < 3; ++i)
    to[i] = slots[from[i]];
}

//===----------------------------------------------------------------------===//
// What was launched
//===----------------------------------------------------------------------===//

namespace {

/// No allocation: this is part of every launch.
struct LaunchedNames {
  char text[256] = "";
  size_t length = 0;

  void clear() { text[length = 0] = 0; }
  void add(const std::string &name) {
    size_t separator = length ? 1 : 0;
    if (length + separator + name.size() >= sizeof text)
      return;
    if (separator)
      text[length++] = ' ';
    name.copy(text + length, name.size());
    text[length += name.size()] = 0;
  }
};

thread_local LaunchedNames launched;

} // namespace

const char *fa::runtime::getLastLaunched() { return launched.text; }

CudaMachine::CudaMachine(const Driver &driver, const DeviceInfo &device,
                         std::vector<Kernel> &kernels, CUstream stream,
                         const Allocator *allocator)
    : driver(driver), device(device), kernels(kernels), stream(stream),
      allocator(allocator) {
  launched.clear();
}

/// Memory of a stream-ordered pool stays valid for what was launched before.
CudaMachine::~CudaMachine() {
  for (CUdeviceptr workspace : workspaces)
    if (allocator)
      allocator->release(allocator->context,
                         reinterpret_cast<void *>(workspace), stream);
    else
      driver.cuMemFreeAsync(workspace, stream);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

bool CudaMachine::fail(const Kernel &kernel, const std::string &reason,
                       bool isArgument) {
  error = {"kernel '" + kernel.name + "': " + reason, isArgument};
  return false;
}

bool CudaMachine::checkExtents(const Kernel &kernel, const Extents &grid,
                               const Extents &block) {
  constexpr int64_t gridLimits[] = {INT32_MAX, 65535, 65535};
  constexpr int64_t blockLimits[] = {1024, 1024, 64};
  bool isGridGood = true, isBlockGood = true;
  for (int i = 0; i < 3; ++i) {
    isGridGood &= grid[i] > 0 && grid[i] <= gridLimits[i];
    isBlockGood &= block[i] > 0 && block[i] <= blockLimits[i];
  }
  if (!isGridGood)
    return fail(kernel,
                "the launch needs a grid of " + describe(grid) +
                    " blocks, more than CUDA allows (2147483647 x 65535 x "
                    "65535)",
                /*isArgument=*/true);
  if (!isBlockGood || block[0] * block[1] * block[2] > 1024)
    return fail(kernel,
                "a block of " + describe(block) + " threads; CUDA allows 1024");
  return true;
}

bool CudaMachine::checkCluster(const Kernel &kernel, const Extents &grid,
                               const Extents &cluster) {
  for (int i = 0; i < 3; ++i)
    if (cluster[i] <= 0 || cluster[i] > 8 || grid[i] % cluster[i])
      return fail(kernel, "a grid of " + describe(grid) +
                              " blocks cannot be made of clusters of " +
                              describe(cluster));
  if (cluster[0] * cluster[1] * cluster[2] > 8)
    return fail(kernel,
                "a cluster of " + describe(cluster) + " blocks; CUDA allows 8");
  return true;
}

bool CudaMachine::reserveShared(Kernel &kernel, int64_t shared) {
  if (shared <= kernel.sharedLimit.load(std::memory_order_relaxed))
    return shared >= 0 ||
           fail(kernel, "a negative number of bytes of shared memory");
  if (shared > device.maximumShared) {
    error.reason = "the kernel needs " + std::to_string(shared) +
                   " bytes of shared memory per block; device " +
                   std::to_string(device.ordinal) + " (" + device.name +
                   ") has " + std::to_string(device.maximumShared);
    return false;
  }
  if (!driver.check(driver.cuFuncSetAttribute(
                        kernel.function,
                        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                        int(shared)),
                    "cannot reserve shared memory", error.reason))
    return false;
  kernel.sharedLimit.store(int(shared), std::memory_order_relaxed);
  return true;
}

CUresult CudaMachine::launchCluster(const Kernel &kernel, const Extents &grid,
                                    const Extents &block,
                                    const Extents &cluster, unsigned shared) {
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {unsigned(cluster[0]), unsigned(cluster[1]),
                                unsigned(cluster[2])};
  CUlaunchConfig config = {unsigned(grid[0]),
                           unsigned(grid[1]),
                           unsigned(grid[2]),
                           unsigned(block[0]),
                           unsigned(block[1]),
                           unsigned(block[2]),
                           shared,
                           stream,
                           &attribute,
                           1};
  return driver.cuLaunchKernelEx(&config, kernel.function, parameters.data(),
                                 nullptr);
}

bool CudaMachine::launch(const Launch &launch, int64_t *slots) {
  Extents grid, block, cluster;
  readSlots(launch.grid, slots, grid);
  readSlots(launch.block, slots, block);
  for (int i = 0; i < 3; ++i)
    if (grid[i] == 0 || block[i] == 0)
      return true;
  Kernel &kernel = kernels[launch.kernel];
  int64_t shared = launch.shared < 0 ? 0 : slots[launch.shared];
  if (!checkExtents(kernel, grid, block) || !reserveShared(kernel, shared))
    return false;
  parameters.clear();
  for (int32_t slot : launch.parameters)
    parameters.push_back(slots + slot);
  CUresult result;
  if (launch.cluster[0] < 0) {
    result = driver.cuLaunchKernel(kernel.function, unsigned(grid[0]),
                                   unsigned(grid[1]), unsigned(grid[2]),
                                   unsigned(block[0]), unsigned(block[1]),
                                   unsigned(block[2]), unsigned(shared), stream,
                                   parameters.data(), nullptr);
  } else {
    readSlots(launch.cluster, slots, cluster);
    if (!checkCluster(kernel, grid, cluster))
      return false;
    result = launchCluster(kernel, grid, block, cluster, unsigned(shared));
  }
  if (!driver.check(result, "cannot launch the kernel", error.reason))
    return false;
  launched.add(kernel.name);
  return true;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool CudaMachine::allocateWorkspace(int64_t bytes, int64_t &pointer) {
  CUdeviceptr allocated = 0;
  std::string what =
      "cannot allocate " + std::to_string(bytes) + " bytes of workspace";
  if (!driver.check(
          driver.cuMemAllocAsync(&allocated, bytes ? bytes : 1, stream),
          what.c_str(), error.reason))
    return false;
  pointer = int64_t(allocated);
  return true;
}

bool CudaMachine::allocate(int result, int64_t bytes, int64_t &pointer) {
  pointer = 0;
  if (bytes < 0) {
    error.reason = "a workspace has a negative size";
    return false;
  }
  if (allocator) {
    pointer = reinterpret_cast<int64_t>(allocator->allocate(
        allocator->context, result, uint64_t(bytes), stream));
    if (!pointer && bytes) {
      error.reason = "out of memory: " + std::to_string(bytes) + " bytes";
      return false;
    }
  } else if (result >= 0) {
    error.reason =
        "the function has results: the caller must give an allocator";
    return false;
  } else if (!allocateWorkspace(bytes, pointer)) {
    return false;
  }
  if (result < 0 && pointer)
    workspaces.push_back(CUdeviceptr(pointer));
  return true;
}

bool CudaMachine::fill(int64_t pointer, int64_t bytes, uint8_t value) {
  return bytes <= 0 ||
         driver.check(
             driver.cuMemsetD8Async(CUdeviceptr(pointer), value, bytes, stream),
             "cannot fill memory", error.reason);
}

bool CudaMachine::copy(int64_t to, int64_t from, int64_t bytes) {
  return bytes <= 0 ||
         driver.check(driver.cuMemcpyDtoDAsync(
                          CUdeviceptr(to), CUdeviceptr(from), bytes, stream),
                      "cannot copy memory", error.reason);
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

bool CudaMachine::encode(const TensorMap &map, const int64_t *slots,
                         int64_t *to) {
  return encodeTensorMap(driver, map, slots, to, error.reason);
}

bool CudaMachine::getMultiprocessors(int64_t &count) {
  count = device.multiprocessors;
  return true;
}

bool CudaMachine::read(int64_t from, int64_t bytes, int64_t &bits) {
  int isCapturing = 0;
  if (!driver.check(driver.cuStreamIsCapturing(stream, &isCapturing),
                    "cannot query the stream", error.reason))
    return false;
  if (isCapturing) {
    error.reason =
        "the program reads numbers on the device before it launches, which "
        "a CUDA graph cannot hold: call it outside of a capture";
    return false;
  }
  constexpr char what[] = "cannot read memory of the device";
  return driver.check(driver.cuMemcpyDtoHAsync(&bits, CUdeviceptr(from),
                                               size_t(bytes), stream),
                      what, error.reason) &&
         driver.check(driver.cuStreamSynchronize(stream), what, error.reason);
}

bool CudaMachine::getKeptZero(const void *owner, int64_t bytes,
                              int64_t &pointer) {
  pointer = int64_t(runtime::getKeptZero(driver, device, {owner, bytes, stream},
                                         error.reason));
  return pointer != 0;
}
