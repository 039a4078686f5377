//===- Pipelines.cpp - the whole road, for every target -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Pipelines/Pipelines.h"
#include "CPU.h"
#include "GPU.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace fa;

static LogicalResult checkWord(llvm::StringRef option, llvm::StringRef word,
                               llvm::ArrayRef<llvm::StringRef> known,
                               llvm::raw_ostream &errors) {
  if (llvm::is_contained(known, word))
    return success();
  errors << "fa-pipeline: " << option << "=" << word << " is not known; there "
         << (known.size() == 1 ? "is " : "are ");
  llvm::interleaveComma(known, errors);
  errors << "\n";
  return failure();
}

LogicalResult fa::buildPipeline(OpPassManager &pm,
                                const PipelineOptions &options,
                                llvm::raw_ostream &errors) {
  if (StringRef(options.target).starts_with("sm_"))
    return buildGPUPipeline(pm, options, errors);
  if (failed(
          checkWord("target", options.target, {"reference", "sm_80"}, errors)))
    return failure();
  if (!options.stopAfter.empty()) {
    errors << "fa-pipeline: target=reference has no stages to stop after\n";
    return failure();
  }
  addReferencePipeline(pm);
  return success();
}

void fa::registerFAPipelines() {
  registerPassPipeline(
      "fa-pipeline",
      "Attention all the way to a target. Options: target=reference "
      "schedule=fa1|fa2|'query-tile=64 key-tile=64' "
      "stop-after=raise|online|tile|machine|nvvm",
      [](OpPassManager &pm, StringRef text,
         function_ref<LogicalResult(const Twine &)> errorHandler) {
        PipelineOptions options;
        std::string message;
        llvm::raw_string_ostream errors(message);
        if (succeeded(parsePipelineOptions(text, options, errors)) &&
            succeeded(buildPipeline(pm, options, errors)))
          return success();
        return errorHandler(StringRef(message).trim());
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}
