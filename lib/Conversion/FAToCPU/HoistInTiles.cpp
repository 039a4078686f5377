//===- HoistInTiles.cpp - work out of the loops over tiles ----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace fa {
#define GEN_PASS_DEF_FAHOISTINTILES
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

struct HoistInTilesPass : fa::impl::FAHoistInTilesBase<HoistInTilesPass> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      if (!isa<scf::ForallOp>(loop.getOperation()))
        moveLoopInvariantCode(loop);
    });
  }
};

} // namespace
