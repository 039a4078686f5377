//===- HostKernel.h - functions compiled for the host ---------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CAPI_HOSTKERNEL_H
#define FA_LIB_CAPI_HOSTKERNEL_H

#include "fa/Runtime/Runtime.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace fa {

class CPUProgram;

/// The functions of a module in the llvm dialect, called with strided buffers.
class HostKernels {
public:
  static std::unique_ptr<HostKernels> create(mlir::ModuleOp module,
                                             std::string &error);
  ~HostKernels();

  /// As `runtime::Executable::launch`, and waits.
  bool call(const runtime::Binding &binding, void *const *pointers,
            const runtime::Allocator *allocator, std::vector<int64_t> *results,
            runtime::CallError &error);

private:
  HostKernels();
  std::unique_ptr<CPUProgram> program;
};

} // namespace fa

#endif // FA_LIB_CAPI_HOSTKERNEL_H
