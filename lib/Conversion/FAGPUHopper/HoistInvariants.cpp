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

/// A loop over query heads around loops over query tiles, which go on with what
/// it carries. What is needed once per head would stay in a register all
/// through the inner loops, and there is none to spare.
bool isAroundLoops(scf::ForOp loop) {
  auto goesOn = [&](scf::ForOp inner) {
    return llvm::any_of(inner.getInitArgs(), [&](Value init) {
      auto argument = dyn_cast<BlockArgument>(init);
      return argument && argument.getOwner() == loop.getBody();
    });
  };
  return llvm::any_of(loop.getBody()->getOps<scf::ForOp>(), goesOn);
}

struct HoistInvariants : fa::impl::FAGPUHoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // Innermost first: what leaves one loop may leave the next.
    getOperation().walk([](scf::ForOp loop) {
      if (!isAroundLoops(loop))
        moveLoopInvariantCode(loop);
    });
  }
};

} // namespace
