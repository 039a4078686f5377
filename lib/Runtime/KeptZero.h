//===- KeptZero.h - memory that kernels leave as they found it ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_KEPTZERO_H
#define FA_LIB_RUNTIME_KEPTZERO_H

#include "Context.h"

namespace fa::runtime {

/// What memory is for. `owner` is one allocation of one program; launches on
/// one stream follow each other and share its memory.
struct KeptZeroUse {
  const void *owner;
  int64_t bytes;
  CUstream stream;
};

/// Device memory that is 0 before and after every kernel. A launch that is
/// captured in a graph has its own, since the graph may run beside the stream
/// it was captured on. The device's context must be current. 0 with the reason.
CUdeviceptr getKeptZero(const Driver &driver, const DeviceInfo &device,
                        const KeptZeroUse &use, std::string &error);

} // namespace fa::runtime

#endif // FA_LIB_RUNTIME_KEPTZERO_H
