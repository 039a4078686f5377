//===- Simulator.h - machine programs on the CPU --------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Runs a `fagpu.kernel` with real numbers. Warpgroups are coroutines, rings are
// counters, and what arrives first is drawn from a seed. Faults of the program
// are errors at the op that commits them.
//
//===----------------------------------------------------------------------===//

#ifndef FA_SIMULATOR_SIMULATOR_H
#define FA_SIMULATOR_SIMULATOR_H

#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <variant>
#include <vector>

namespace fa {

/// Global memory of one kernel argument, row-major.
struct SimulatedBuffer {
  llvm::SmallVector<int64_t> shape;
  mlir::Type elementType;
  std::vector<double> data;
};

/// A tensor map: a buffer and its dimensions, innermost first (columns, rows,
/// outer).
struct SimulatedMap {
  SimulatedBuffer *buffer = nullptr;
  llvm::SmallVector<int64_t> dims;
};

/// A buffer (for memrefs, pointers, and maps of [outer..., rows, columns]), a
/// number, or a map.
using SimulatedArgument =
    std::variant<SimulatedBuffer *, int64_t, double, SimulatedMap>;

struct SimulationOptions {
  /// Blocks of the grid, which all run at the same time; of a host function,
  /// the device's multiprocessors.
  int64_t grid = 1;
  uint64_t seed = 0;
};

/// Runs the kernel once. Checks, with an error at the op's location:
/// - deadlock: everybody waits;
/// - early read: a tile that its reader has not waited for, or that is
/// arriving;
/// - early write: a load into a tile that somebody still reads;
/// - wrong phase: a barrier let somebody pass in another round than its own;
/// - unbalanced ring: more commits or releases than a phase takes, or slots
/// that
///   are full or taken at the end.
mlir::LogicalResult simulate(fagpu::KernelOp kernel,
                             llvm::ArrayRef<SimulatedArgument> arguments,
                             const SimulationOptions &options);

/// Runs all blocks of a kernel without roles, and without products of tiles.
mlir::LogicalResult simulate(mlir::gpu::GPUFuncOp kernel,
                             llvm::ArrayRef<SimulatedArgument> arguments,
                             llvm::ArrayRef<int64_t> grid);

/// Runs a host function of memrefs and numbers, without results, and the
/// kernels that it launches.
mlir::LogicalResult simulateHost(mlir::func::FuncOp function,
                                 llvm::ArrayRef<SimulatedArgument> arguments,
                                 const SimulationOptions &options);

} // namespace fa

#endif // FA_SIMULATOR_SIMULATOR_H
