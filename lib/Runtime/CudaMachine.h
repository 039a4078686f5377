//===- CudaMachine.h - what host programs do to a device ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_CUDAMACHINE_H
#define FA_LIB_RUNTIME_CUDAMACHINE_H

#include "Context.h"
#include "Program.h"
#include <atomic>

namespace fa::runtime {

/// What a kernel may use without asking.
constexpr int defaultShared = 48 * 1024;

struct Kernel {
  std::string name;
  CUfunction function = nullptr;
  std::atomic<int> sharedLimit{defaultShared};
};

/// The effects of one call, on one stream.
class CudaMachine final : public Machine {
public:
  CudaMachine(const Driver &driver, const DeviceInfo &device,
              std::vector<Kernel> &kernels, CUstream stream,
              const Allocator *allocator);
  ~CudaMachine() override;

  bool launch(const Launch &launch, int64_t *slots) override;
  bool allocate(int result, int64_t bytes, int64_t &pointer) override;
  bool encode(const TensorMap &map, const int64_t *slots, int64_t *to) override;
  bool getMultiprocessors(int64_t &count) override;
  bool read(int64_t from, int64_t bytes, int64_t &bits) override;
  bool getKeptZero(const void *owner, int64_t bytes, int64_t &pointer) override;
  bool fill(int64_t pointer, int64_t bytes, uint8_t value) override;
  bool copy(int64_t to, int64_t from, int64_t bytes) override;

private:
  using Extents = int64_t[3];

  /// False. `isArgument`: sizes that the caller gave ask for it.
  bool fail(const Kernel &kernel, const std::string &reason,
            bool isArgument = false);
  bool checkExtents(const Kernel &kernel, const Extents &grid,
                    const Extents &block);
  bool checkCluster(const Kernel &kernel, const Extents &grid,
                    const Extents &cluster);
  bool reserveShared(Kernel &kernel, int64_t shared);
  bool allocateWorkspace(int64_t bytes, int64_t &pointer);
  CUresult launchCluster(const Kernel &kernel, const Extents &grid,
                         const Extents &block, const Extents &cluster,
                         unsigned shared);

  const Driver &driver;
  const DeviceInfo &device;
  std::vector<Kernel> &kernels;
  CUstream stream;
  const Allocator *allocator;
  std::vector<void *> parameters;
  std::vector<CUdeviceptr> workspaces;
};

} // namespace fa::runtime

#endif // FA_LIB_RUNTIME_CUDAMACHINE_H
