//===- Runner.h - what runs a function ------------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TOOLS_FA_RUN_RUNNER_H
#define FA_TOOLS_FA_RUN_RUNNER_H

#include "fa/Execution/CPUProgram.h"
#include "fa/Pipelines/Pipelines.h"

namespace fa {

/// A function of a module, compiled for one target.
class Runner {
public:
  virtual ~Runner() = default;
  /// Calls the function on `arguments`, which it may write to, and returns its
  /// results; `seconds` becomes the time of the call, without transfers.
  virtual llvm::Expected<std::vector<HostTensor>>
  run(std::vector<HostTensor> &arguments, double &seconds) = 0;
};

/// Lowers a copy of `module` by the pipeline and compiles it. Diagnostics have
/// been printed where the error's message is empty.
llvm::Expected<std::unique_ptr<Runner>>
makeCPURunner(mlir::ModuleOp module, const Signature &signature,
              const PipelineOptions &options);

/// The machine program of sm_90a in the simulator. The function must write to
/// memrefs and return nothing. `multiprocessors`: blocks that run at once.
llvm::Expected<std::unique_ptr<Runner>>
makeSimulatedRunner(mlir::ModuleOp module, const Signature &signature,
                    const PipelineOptions &options, int64_t multiprocessors,
                    uint64_t seed);

/// The same on the first CUDA GPU.
llvm::Expected<std::unique_ptr<Runner>>
makeCUDARunner(mlir::ModuleOp module, const Signature &signature,
               llvm::StringRef schedule);

/// The naive program with every float an f64.
llvm::Expected<std::unique_ptr<Runner>>
makeFloat64Reference(mlir::ModuleOp module, const Signature &signature);

} // namespace fa

#endif // FA_TOOLS_FA_RUN_RUNNER_H
