//===- Pipelines.h - the whole road, for every target ---------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// One function builds the pipeline that every tool and library runs.
//
//===----------------------------------------------------------------------===//

#ifndef FA_PIPELINES_PIPELINES_H
#define FA_PIPELINES_PIPELINES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fa {

/// What `--fa-pipeline="..."` says, one member per `key=value`.
struct PipelineOptions {
  /// cpu | sm_80 | sm_90a | reference. `reference` is standard attention on the
  /// CPU, with the whole score matrix in memory: what results are compared
  /// with.
  std::string target = "cpu";
  /// fa1 | fa2 | 'query-tile=64 key-tile=64 ...' (options of --fa-tile); empty
  /// is the target's own choice.
  std::string schedule;
  /// Empty (the end), or the stage whose IR is wanted:
  /// raise | online | tile | machine | nvvm.
  std::string stopAfter;
  /// Width of a CPU's vector registers; 0: as this machine has.
  int64_t vectorBits = 0;
  /// GPUs: the host reads the offsets of packed sequences before a launch, and
  /// refuses bad ones; it waits for the device to do so. Kernels clip them
  /// anyhow. CPUs always check.
  bool checkOffsets = false;
};

/// Parses `key=value` pairs; values with spaces are quoted. On a mistake writes
/// one line to `errors`.
mlir::LogicalResult parsePipelineOptions(llvm::StringRef text,
                                         PipelineOptions &options,
                                         llvm::raw_ostream &errors);

/// Appends the passes that bring a module of `builtin`, `func`, `linalg`,
/// `tensor`, ... and `fa` ops to what the target runs (for CPUs: the `llvm`
/// dialect, with C wrappers). On a mistake in the options writes one line to
/// `errors` and fails.
mlir::LogicalResult buildPipeline(mlir::OpPassManager &pm,
                                  const PipelineOptions &options,
                                  llvm::raw_ostream &errors);

/// Registers `--fa-pipeline`.
void registerFAPipelines();

} // namespace fa

#endif // FA_PIPELINES_PIPELINES_H
