//===- Hopper.cpp - passes that end on sm_90a -----------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CPU.h"
#include "GPU.h"
#include "Schedule.h"
#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "fa/Conversion/FAGPUHopper/Pipeline.h"
#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fa;

namespace {

struct Schedule : FAGPUChooseWarpScheduleOptions {
  /// Seed of --fagpu-stress; 0: off.
  int64_t stress = 0;
};

LogicalResult setPreset(StringRef name, Schedule &schedule) {
  auto set = [&](int64_t consumers, int64_t keyTile, int64_t stages) {
    schedule.consumers = consumers;
    schedule.keyTile = keyTile;
    schedule.stages = stages;
    return success();
  };
  if (name == "fa3")
    return success();
  if (name == "nc2") {
    schedule.turns = 1;
    schedule.lazy = 0;
    return set(2, 128, 3);
  }
  if (name == "nc3" || name == "ca3")
    return set(3, 80, 3);
  if (name == "sm6" || name == "sm6c") {
    schedule.dynamic = 0;
    schedule.turns = name == "sm6";
    return set(2, 128, 2);
  }
  return failure();
}

LogicalResult setKnob(StringRef key, StringRef value, Schedule &schedule) {
  bool isTrue = value == "true";
  int64_t *flag = llvm::StringSwitch<int64_t *>(key)
                      .Case("dynamic", &schedule.dynamic)
                      .Case("ahead", &schedule.ahead)
                      .Case("turns", &schedule.turns)
                      .Default(nullptr);
  if (flag || key == "overlap") {
    if (flag)
      *flag = isTrue;
    else
      schedule.overlap = isTrue;
    return success(isTrue || value == "false");
  }
  int64_t *knob = llvm::StringSwitch<int64_t *>(key)
                      .Case("key-tile", &schedule.keyTile)
                      .Case("consumers", &schedule.consumers)
                      .Case("stages", &schedule.stages)
                      .Case("lazy", &schedule.lazy)
                      .Case("query-slots", &schedule.querySlots)
                      .Case("blocks", &schedule.blocks)
                      .Case("stress", &schedule.stress)
                      .Default(nullptr);
  int64_t least = key == "lazy" ? 0 : 1;
  return success(knob && !value.getAsInteger(10, *knob) && *knob >= least);
}

/// Whether gradients have roles where the schedule says nothing.
constexpr bool kRolesByDefault = true;

struct GradientSchedule : FAGPUChooseGradientScheduleOptions {
  GradientSchedule() { only = true; }
  bool byRoles = kRolesByDefault;
};

/// A word that begins with "gradient-" is for the gradients.
LogicalResult setGradientKnob(StringRef key, StringRef value,
                              GradientSchedule &schedule) {
  int64_t *knob = llvm::StringSwitch<int64_t *>(key)
                      .Case("stages", &schedule.stages)
                      .Case("score-stages", &schedule.scoreStages)
                      .Case("query-registers", &schedule.queryRegisters)
                      .Case("key-registers", &schedule.keyRegisters)
                      .Case("value-registers", &schedule.valueRegisters)
                      .Case("weight-stages", &schedule.weightStages)
                      .Case("by-output", &schedule.byOutput)
                      .Case("fold-delta", &schedule.foldDelta)
                      .Case("packed-scores", &schedule.packedScores)
                      .Case("rows-ahead", &schedule.rowsAhead)
                      .Case("delta-ahead", &schedule.deltaAhead)
                      .Case("key-steps", &schedule.keySteps)
                      .Case("score-steps", &schedule.scoreSteps)
                      .Case("reader-fences", &schedule.readerFences)
                      .Case("late-scores", &schedule.lateScores)
                      .Default(nullptr);
  return success(knob && !value.getAsInteger(10, *knob) && *knob >= 0);
}

/// What a key takes; nothing of one that is not known.
StringRef describeValues(StringRef key) {
  GradientSchedule gradients;
  if (key.consume_front("gradient-"))
    return succeeded(setGradientKnob(key, "0", gradients))
               ? "a number, 0 or more"
               : "";
  Schedule schedule;
  if (succeeded(setKnob(key, "true", schedule)))
    return "true or false";
  if (succeeded(setKnob(key, "0", schedule)))
    return "a number, 0 or more";
  if (succeeded(setKnob(key, "1", schedule)))
    return "a number, 1 or more";
  return llvm::StringSwitch<StringRef>(key)
      .Case("gradients", "roles or blocks")
      .Case("preset", "fa3, nc2, nc3, ca3, sm6 or sm6c")
      .Default("");
}

LogicalResult parseSchedule(StringRef text, Schedule &schedule,
                            GradientSchedule &gradients,
                            llvm::raw_ostream &errors) {
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    auto [key, value] = word.split('=');
    if (key == "gradients" && (value == "roles" || value == "blocks")) {
      gradients.byRoles = value == "roles";
      gradients.only = false;
      continue;
    }
    StringRef gradientKey = key;
    if (gradientKey.consume_front("gradient-") &&
        succeeded(setGradientKnob(gradientKey, value, gradients)))
      continue;
    if (succeeded(key == "preset" || value.empty()
                      ? setPreset(value.empty() ? key : value, schedule)
                      : setKnob(key, value, schedule)))
      continue;
    return refuseWord(
        word, describeValues(key), "sm_90a",
        "fa3, nc2, nc3, ca3, sm6, sm6c, standard (by itself), key-tile=, "
        "consumers=, stages=, query-slots=, blocks=, lazy=, dynamic=, "
        "overlap=, ahead=, turns=, stress=, gradients= and gradient-...= (an "
        "option of --fagpu-choose-gradient-schedule)",
        errors);
  }
  return success();
}

/// Loops over key tiles stay loops where they are known to have one iteration:
/// `--fagpu-warp-specialize` and `--fagpu-rotate-loop` are about loops.
void addLoopCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass(
      GreedyRewriteConfig(), {"(anonymous namespace)::SimplifyTrivialLoops"}));
  pm.addPass(createCSEPass());
}

void addMachineStage(OpPassManager &pm) {
  pm.addPass(createFALowerTiles());
  addLoopCleanup(pm);
  pm.addPass(createFAOutlineKernels());
  addLoopCleanup(pm);
  pm.addNestedPass<gpu::GPUModuleOp>(createFAAssignLayouts());
  pm.addNestedPass<gpu::GPUModuleOp>(createFAWidenRowSums());
  pm.addPass(createFAGPUWarpSpecialize());
  pm.addPass(createFAGPUSpecializeGradients());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>().nest<fagpu::KernelOp>();
  addLoopCleanup(kernels);
  kernels.addPass(createFAGPULazyRescale());
  kernels.addPass(createFAGPURotateLoop());
  kernels.addPass(createFAGPURotateTiles());
  addCleanup(kernels);
  kernels.addPass(createFAGPUAllocate());
  FAStageSharedOptions staging;
  constexpr int64_t mostShared = 232448;
  staging.maxShared = mostShared;
  pm.addPass(createFAStageShared(staging));
  pm.addPass(createFAGPUSizeLaunches());
  addCleanup(pm);
}

void addKernelLowering(OpPassManager &pm, int64_t stress) {
  pm.addPass(createFAGPUHoistRows());
  addCleanup(pm);
  pm.addPass(createFASplitLaunches());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createFADistribute());
  kernels.addPass(math::createMathExtendToSupportedTypes());
  addHopperKernelLowering(kernels, stress);
}

} // namespace

LogicalResult fa::buildHopperPipeline(OpPassManager &pm,
                                      const PipelineOptions &options,
                                      llvm::raw_ostream &errors) {
  Schedule schedule;
  GradientSchedule gradients;
  if (failed(parseSchedule(options.schedule, schedule, gradients, errors)))
    return failure();
  StringRef stop = options.stopAfter;
  if (failed(checkGPUStage(stop, errors)))
    return failure();
  addRaising(pm);
  if (stop == "raise")
    return success();
  addShapeChecks(pm, options.checkOffsets, fagpu::kMostExtent);
  addBufferization(pm);
  pm.addPass(createFAFoldMasks());
  pm.addPass(createCanonicalizerPass());
  // A schedule that says which tiles is for all lengths.
  if (!schedule.consumers && !schedule.keyTile && !schedule.stages)
    pm.addPass(createFAGPUSplitLengths());
  pm.addPass(createFAFuseSoftmax());
  addCleanup(pm);
  if (stop == "online")
    return success();
  if (gradients.byRoles)
    pm.addPass(createFAGPUChooseGradientSchedule(gradients));
  pm.addPass(createFAGPUChooseWarpSchedule(schedule));
  pm.addPass(createFAChooseGPUSchedule());
  pm.addPass(createFATile());
  if (gradients.byRoles)
    pm.addPass(createFATileBackward());
  addLoopCleanup(pm);
  if (stop == "tile")
    return success();
  addLoweredCheck(pm, options.target, "tile");
  addMachineStage(pm);
  if (stop == "machine")
    return success();
  addKernelLowering(pm, schedule.stress);
  return success();
}
