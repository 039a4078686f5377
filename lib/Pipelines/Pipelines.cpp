//===- Pipelines.cpp - the whole road, for every target -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Pipelines/Pipelines.h"
#include "CPU.h"
#include "GPU.h"
#include "Schedule.h"
#include "fa/Conversion/FAToCPU/Passes.h"
#include "fa/Target/PTX/PTX.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
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

/// The options of --fa-tile and --fa-tile-backward that a schedule names.
struct TileOptions {
  std::string forward, backward;
};

static FailureOr<TileOptions> tileOptions(StringRef schedule,
                                          llvm::raw_ostream &errors) {
  TileOptions options;
  SmallVector<StringRef> words;
  schedule.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    if (failed(checkCPUWord(word, errors)))
      return failure();
    StringRef key = word.split('=').first;
    if (key == word)
      options.forward += ("preset=" + word + " ").str();
    else if (key != "d-query")
      options.forward += (word + " ").str();
    if (key == "d-query" || key == "query-tile" || key == "key-tile")
      options.backward += (word + " ").str();
  }
  return options;
}

/// Adds --fa-tile and --fa-tile-backward with a schedule.
static LogicalResult addTiling(OpPassManager &pm, StringRef schedule,
                               llvm::raw_ostream &errors) {
  FailureOr<TileOptions> words = tileOptions(schedule, errors);
  if (failed(words))
    return failure();
  auto onError = [&](const Twine &message) {
    errors << "fa-pipeline: schedule: " << message << "\n";
    return failure();
  };
  auto add = [&](std::unique_ptr<Pass> pass, StringRef text) {
    if (failed(pass->initializeOptions(text.trim(), onError)))
      return failure();
    pm.addPass(std::move(pass));
    return success();
  };
  if (failed(add(createFATile(), words->forward)) ||
      failed(add(createFATileBackward(), words->backward)))
    return failure();
  return success();
}

static LogicalResult buildStages(OpPassManager &pm,
                                 const PipelineOptions &options,
                                 llvm::raw_ostream &errors) {
  bool isGPU = StringRef(options.target).starts_with("sm_");
  std::string error;
  if (isGPU && !isKnownChip(options.target, error)) {
    errors << "fa-pipeline: target: " << error << "\n";
    return failure();
  }
  if (isGPU && options.schedule == "standard") {
    if (!options.stopAfter.empty()) {
      errors << "fa-pipeline: schedule=standard has no stages to stop after\n";
      return failure();
    }
    addStandardGPUPipeline(pm);
    return success();
  }
  if (options.target == "sm_90a")
    return buildHopperPipeline(pm, options, errors);
  if (isGPU)
    return buildGPUPipeline(pm, options, errors);
  if (failed(checkWord("target", options.target,
                       {"cpu", "reference", "sm_80", "sm_90a"}, errors)))
    return failure();
  StringRef stop = options.stopAfter;
  if (!stop.empty() && failed(checkWord("stop-after", stop,
                                        {"raise", "online", "tile"}, errors)))
    return failure();
  if (options.target == "reference") {
    if (!stop.empty()) {
      errors << "fa-pipeline: target=reference has no stages to stop after\n";
      return failure();
    }
    addReferencePipeline(pm);
    return success();
  }

  addRaising(pm);
  if (stop == "raise")
    return success();
  pm.addPass(createFACheckShapes());
  addTensorPreparation(pm);
  addBufferization(pm);
  pm.addPass(createFAFoldMasks());
  pm.addPass(createFAFuseSoftmax());
  if (stop == "online")
    return success();
  if (failed(addTiling(pm, options.schedule, errors)))
    return failure();
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (stop == "tile")
    return success();
  addLoweredCheck(pm, options.target, "tile");
  addTileProgramLowering(pm, options.vectorBits ? options.vectorBits
                                                : hostVectorBits());
  return success();
}

void fa::addRaising(OpPassManager &pm) {
  pm.addPass(createFAInlineCalls());
  pm.addPass(createFARaiseAttention());
}

void fa::addLoweredCheck(OpPassManager &pm, StringRef target, StringRef stage) {
  FACheckLoweredOptions options;
  options.target = target.str();
  options.stage = stage.str();
  pm.addPass(createFACheckLowered(options));
}

LogicalResult fa::buildPipeline(OpPassManager &pm,
                                const PipelineOptions &options,
                                llvm::raw_ostream &errors) {
  if (failed(buildStages(pm, options, errors)))
    return failure();
  if (options.stopAfter.empty())
    addLoweredCheck(pm, options.target, "");
  return success();
}

void fa::registerFAPipelines() {
  registerPassPipeline(
      "fa-pipeline",
      "Attention all the way to a target. Options: "
      "target=cpu|sm_80|sm_90a|reference "
      "schedule=fa1|fa2|standard|'query-tile=64 key-tile=64' "
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
