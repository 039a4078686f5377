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

/// A loop over query heads with sums through it, around loops over query
/// tiles. What is needed once per head would stay in a register all through
/// the inner loops, and there is none to spare.
bool isAroundSums(scf::ForOp loop) {
  auto isFloat = [](Value v) { return isa<FloatType>(v.getType()); };
  return !loop.getBody()->getOps<scf::ForOp>().empty() &&
         llvm::any_of(loop.getRegionIterArgs(), isFloat);
}

struct HoistInvariants : fa::impl::FAGPUHoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // Innermost first: what leaves one loop may leave the next.
    getOperation().walk([](scf::ForOp loop) {
      if (!isAroundSums(loop))
        moveLoopInvariantCode(loop);
    });
  }
};

} // namespace
