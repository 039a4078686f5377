//===- GPU.cpp - passes that end on an NVIDIA GPU -------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GPU.h"
#include "CPU.h"
#include "Schedule.h"
#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fa;

namespace {

/// The schedule's knobs, by the pass that they belong to.
struct GPUSchedule {
  FAChooseGPUScheduleOptions tiles;
  FAOutlineKernelsOptions outline;
  FAStageSharedOptions staging;
  bool skipRescale = true;
};

/// What a key takes; nothing of one that is not known.
StringRef describeValues(StringRef key, bool isNumber) {
  if (isNumber)
    return "a number from 1 to 1048576";
  return llvm::StringSwitch<StringRef>(key)
      .Cases({"early-keys", "skip-rescale", "split-keys"}, "true or false")
      .Default("");
}

/// Reads 'fa2', or 'key=value ...'.
LogicalResult parseSchedule(StringRef text, GPUSchedule &schedule,
                            llvm::raw_ostream &errors) {
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    if (word == "fa2" || word == "preset=fa2" || word == "order=q_outer" ||
        word == "partial-sums=4")
      continue;
    auto [key, value] = word.split('=');
    int64_t *knob = llvm::StringSwitch<int64_t *>(key)
                        .Case("query-tile", &schedule.tiles.queryTile)
                        .Case("key-tile", &schedule.tiles.keyTile)
                        .Case("min-blocks", &schedule.outline.minBlocks)
                        .Case("stages", &schedule.tiles.stages)
                        .Case("max-shared", &schedule.tiles.maxShared)
                        .Case("streamed-rows", &schedule.tiles.streamedRows)
                        .Case("streamed-keys", &schedule.tiles.streamedKeys)
                        .Default(nullptr);
    if (key == "early-keys" && (value == "true" || value == "false")) {
      schedule.tiles.earlyKeys = value.str();
      continue;
    }
    if (key == "skip-rescale" && (value == "true" || value == "false")) {
      schedule.skipRescale = value == "true";
      continue;
    }
    if (key == "split-keys" && (value == "true" || value == "false")) {
      schedule.tiles.splitKeys = value.str();
      continue;
    }
    if (key == "d-query") {
      schedule.tiles.dQuery = value.str();
      continue;
    }
    constexpr int64_t most = 1 << 20;
    if (!knob || value.getAsInteger(10, *knob) || *knob < 1 || *knob > most)
      return refuseWord(word, describeValues(key, knob), "GPUs",
                        "fa2, standard (by itself), query-tile=, key-tile=, "
                        "stages=, early-keys=, skip-rescale=, min-blocks=, "
                        "max-shared=, streamed-rows=, streamed-keys=, "
                        "split-keys= and d-query=",
                        errors);
  }
  schedule.staging.maxShared = schedule.tiles.maxShared;
  return success();
}

void addMachineStage(OpPassManager &pm, const GPUSchedule &schedule) {
  pm.addPass(createFALowerTiles());
  addCleanup(pm);
  pm.addPass(createFAOutlineKernels(schedule.outline));
  addCleanup(pm);
  pm.addNestedPass<gpu::GPUModuleOp>(createFAAssignLayouts());
  if (schedule.skipRescale)
    pm.addNestedPass<gpu::GPUModuleOp>(createFASkipRescale());
  pm.addPass(createFAJoinLaunches());
  pm.addPass(createFAStageShared(schedule.staging));
  addCleanup(pm);
}

void addKernelLowering(OpPassManager &pm) {
  pm.addPass(createFASplitLaunches());
  pm.addNestedPass<gpu::GPUModuleOp>(createFADistribute());
  addLinalgKernels(pm);
  addKernelsToNVVM(pm.nest<gpu::GPUModuleOp>());
}

} // namespace

void fa::addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

LogicalResult fa::checkGPUStage(StringRef stop, llvm::raw_ostream &errors) {
  if (llvm::is_contained({"", "raise", "online", "tile", "machine", "nvvm"},
                         stop))
    return success();
  errors << "fa-pipeline: stop-after=" << stop
         << " is not known; there are raise, online, tile, machine, nvvm\n";
  return failure();
}

LogicalResult fa::buildGPUPipeline(OpPassManager &pm,
                                   const PipelineOptions &options,
                                   llvm::raw_ostream &errors) {
  GPUSchedule schedule;
  if (failed(parseSchedule(options.schedule, schedule, errors)))
    return failure();
  StringRef stop = options.stopAfter;
  if (failed(checkGPUStage(stop, errors)))
    return failure();
  addRaising(pm);
  if (stop == "raise")
    return success();
  addShapeChecks(pm, options.checkOffsets, fagpu::kMostExtent);
  addTensorPreparation(pm);
  addBufferization(pm);
  pm.addPass(createFAFoldMasks());
  pm.addPass(createFAFuseSoftmax());
  addCleanup(pm);
  if (stop == "online")
    return success();
  pm.addPass(createFAChooseGPUSchedule(schedule.tiles));
  pm.addPass(createFATile());
  pm.addPass(createFATileBackward());
  addCleanup(pm);
  if (stop == "tile")
    return success();
  addLoweredCheck(pm, options.target, "tile");
  addMachineStage(pm, schedule);
  if (stop == "machine")
    return success();
  addKernelLowering(pm);
  return success();
}
