//===- Blocks.cpp - kernels without roles in the simulator ----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace mlir;
using namespace fa;
using namespace fa::simulator;

/// Blocks share nothing and do not wait for anybody: one after another.
LogicalResult fa::simulate(mlir::gpu::GPUFuncOp kernel,
                           ArrayRef<SimulatedArgument> arguments,
                           ArrayRef<int64_t> grid) {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitError("the simulator runs kernels of one block of ops");
  SimulationOptions options;
  Turns turns(options.seed);
  Launch launch{kernel.getBody(), arguments, options, turns};
  for (int64_t z = 0; z < grid[2]; ++z)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t x = 0; x < grid[0]; ++x) {
        simulator::Block block;
        Agent agent;
        if (failed(Interpreter(launch, block, agent)
                       .runBlockOfGrid({x, y, z}, grid)))
          return failure();
      }
  return success();
}
