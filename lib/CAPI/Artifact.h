//===- Artifact.h - what the C API hands out ------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CAPI_ARTIFACT_H
#define FA_LIB_CAPI_ARTIFACT_H

#include "HostKernel.h"
#include "fa-c/fa.h"
#include "fa/Compiler/Compiler.h"
#include "fa/Runtime/Runtime.h"
#include <map>
#include <string>

struct fa_artifact {
  /// What it was compiled from; empty if it was read from files.
  std::string source;
  fa::CompileOptions options;
  std::map<std::string, std::string> parts;
  /// Compiled for the host; null for a GPU.
  std::shared_ptr<fa::HostKernels> host;
};

struct fa_kernel {
  /// Holds the functions, for both kinds; launches for a GPU.
  std::unique_ptr<fa::runtime::Executable> executable;
  const fa::runtime::Function *function = nullptr;
  std::shared_ptr<fa::HostKernels> host;
};

struct fa_binding {
  fa_kernel *kernel;
  fa::runtime::Binding binding;
};

#endif // FA_LIB_CAPI_ARTIFACT_H
