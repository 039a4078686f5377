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

/// A number of a schedule, and what it may be.
struct Knob {
  int64_t *value = nullptr;
  int64_t least = 0, most = 0;

  LogicalResult set(StringRef text) const {
    int64_t number;
    if (!value || text.getAsInteger(10, number) || number < least ||
        number > most)
      return failure();
    *value = number;
    return success();
  }
};

Knob findKnob(StringRef key, Schedule &schedule) {
  return llvm::StringSwitch<Knob>(key)
      .Case("key-tile", {&schedule.keyTile, 1, 256})
      .Case("consumers", {&schedule.consumers, 1, 3})
      .Case("stages", {&schedule.stages, 1, 16})
      .Case("lazy", {&schedule.lazy, 0, 64})
      .Case("query-slots", {&schedule.querySlots, 1, 4})
      .Case("blocks", {&schedule.blocks, 1, 4})
      .Case("stress", {&schedule.stress, 1, INT32_MAX})
      .Default({});
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
  return findKnob(key, schedule).set(value);
}

/// Whether gradients have roles where the schedule says nothing.
constexpr bool kRolesByDefault = true;

struct GradientSchedule : FAGPUChooseGradientScheduleOptions {
  GradientSchedule() { only = true; }
  bool byRoles = kRolesByDefault;
};

/// Of a word that begins with "gradient-", which is left out here.
Knob findKnob(StringRef key, GradientSchedule &schedule) {
  constexpr int64_t mostStages = 16, mostRegisters = 240;
  return llvm::StringSwitch<Knob>(key)
      .Case("stages", {&schedule.stages, 0, mostStages})
      .Case("score-stages", {&schedule.scoreStages, 1, mostStages})
      .Case("query-registers", {&schedule.queryRegisters, 0, mostRegisters})
      .Case("key-registers", {&schedule.keyRegisters, 0, mostRegisters})
      .Case("value-registers", {&schedule.valueRegisters, 0, mostRegisters})
      .Case("weight-stages", {&schedule.weightStages, 1, mostStages})
      .Case("by-output", {&schedule.byOutput, 0, 1})
      .Case("cluster", {&schedule.cluster, 1, 2})
      .Case("fold-delta", {&schedule.foldDelta, 0, 1})
      .Case("packed-scores", {&schedule.packedScores, 0, 1})
      .Case("rows-ahead", {&schedule.rowsAhead, 0, 2})
      .Case("delta-ahead", {&schedule.deltaAhead, 0, 1})
      .Case("key-steps", {&schedule.keySteps, 0, 16})
      .Case("score-steps", {&schedule.scoreSteps, 0, 8})
      .Case("late-scores", {&schedule.lateScores, 0, 2})
      .Case("one-launch", {&schedule.oneLaunch, 0, 1})
      .Case("persistent", {&schedule.persistent, 0, 1})
      .Case("prepare-blocks", {&schedule.prepareBlocks, 0, 1024})
      .Case("finish-tiles", {&schedule.finishTiles, 1, 1024})
      .Case("finish-lead", {&schedule.finishLead, 0, INT32_MAX})
      .Default({});
}

/// What a key takes; nothing of one that is not known.
std::string describeValues(StringRef key) {
  auto ofKnob = [](const Knob &knob) -> std::string {
    if (!knob.value)
      return "";
    return "a number from " + std::to_string(knob.least) + " to " +
           std::to_string(knob.most);
  };
  GradientSchedule gradients;
  if (key.consume_front("gradient-"))
    return ofKnob(findKnob(key, gradients));
  Schedule schedule;
  if (succeeded(setKnob(key, "true", schedule)))
    return "true or false";
  if (key == "gradients")
    return "roles or blocks";
  if (key == "preset")
    return "fa3, nc2, nc3, ca3, sm6 or sm6c";
  return ofKnob(findKnob(key, schedule));
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
        succeeded(findKnob(gradientKey, gradients).set(value)))
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
  pm.addPass(createFAJoinLaunches());
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
