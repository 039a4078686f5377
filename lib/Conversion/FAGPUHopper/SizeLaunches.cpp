//===- SizeLaunches.cpp - launches ask for the memory of their kernels ----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUSIZELAUNCHES
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

struct SizeLaunches : fa::impl::FAGPUSizeLaunchesBase<SizeLaunches> {
  void runOnOperation() override {
    WalkResult walk =
        getOperation().walk([](mlir::gpu::LaunchFuncOp launch) -> WalkResult {
          auto kernel = dyn_cast_or_null<KernelOp>(
              SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel()));
          if (!kernel)
            return WalkResult::advance();
          if (!kernel.getSmemBytes())
            return kernel.emitError("shared memory is not allocated: run "
                                    "--fagpu-allocate first");
          OpBuilder b(launch);
          Value bytes = arith::ConstantIntOp::create(
              b, launch.getLoc(), *kernel.getSmemBytes(), 32);
          launch.getDynamicSharedMemorySizeMutable().assign(bytes);
          return WalkResult::advance();
        });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
