//===- SimulatedRun.cpp - machine programs in the simulator ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "fa/Simulator/Simulator.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include <chrono>

using namespace mlir;
using namespace fa;

namespace {

class SimulatedRunner : public Runner {
public:
  SimulatedRunner(OwningOpRef<ModuleOp> module, func::FuncOp function,
                  SimulationOptions options)
      : module(std::move(module)), function(function), options(options) {}

  llvm::Expected<std::vector<HostTensor>>
  run(std::vector<HostTensor> &arguments, double &seconds) override {
    std::vector<SimulatedBuffer> buffers(arguments.size());
    SmallVector<SimulatedArgument> values;
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      Type type = function.getArgumentTypes()[i];
      if (auto memref = dyn_cast<MemRefType>(type)) {
        buffers[i].shape.assign(argument.shape().begin(),
                                argument.shape().end());
        buffers[i].elementType = memref.getElementType();
        for (int64_t n = 0; n < argument.size(); ++n)
          buffers[i].data.push_back(argument.get(n));
        values.push_back(&buffers[i]);
      } else if (isa<FloatType>(type)) {
        values.push_back(argument.get(0));
      } else {
        values.push_back(static_cast<int64_t>(argument.get(0)));
      }
    }
    auto start = std::chrono::steady_clock::now();
    if (failed(simulateHost(function, values, options)))
      return llvm::createStringError("");
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    for (auto [argument, buffer] : llvm::zip(arguments, buffers))
      for (auto [n, value] : llvm::enumerate(buffer.data))
        argument.set(n, value);
    return std::vector<HostTensor>();
  }

private:
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  SimulationOptions options;
};

} // namespace

llvm::Expected<std::unique_ptr<Runner>>
fa::makeSimulatedRunner(ModuleOp module, const Signature &signature,
                        const PipelineOptions &options, int64_t multiprocessors,
                        uint64_t seed) {
  OwningOpRef<ModuleOp> lowered = module.clone();
  for (auto function : lowered->getOps<func::FuncOp>())
    if (function.getName() != signature.name)
      function.setPrivate();
  PipelineOptions pipeline = options;
  pipeline.target = "sm_90a";
  pipeline.stopAfter = "machine";
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (failed(buildPipeline(pm, pipeline, errors)))
    return llvm::createStringError(StringRef(message).trim());
  if (failed(pm.run(*lowered)))
    return llvm::createStringError("");
  auto function = lowered->lookupSymbol<func::FuncOp>(signature.name);
  SimulationOptions simulation;
  simulation.grid = multiprocessors;
  simulation.seed = seed;
  return std::make_unique<SimulatedRunner>(std::move(lowered), function,
                                           simulation);
}
