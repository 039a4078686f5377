//===- HoistInvariants.cpp - invariant code out of key loops --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUHOISTINVARIANTS
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

struct HoistInvariants : fa::impl::FAGPUHoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // Innermost first: what leaves one loop may leave the next.
    getOperation().walk([](scf::ForOp loop) { moveLoopInvariantCode(loop); });
  }
};

} // namespace
