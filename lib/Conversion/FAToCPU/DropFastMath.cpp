//===- DropFastMath.cpp - flags that LLVM has no place for ----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fa {
#define GEN_PASS_DEF_FADROPFASTMATH
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

struct DropFastMathPass : fa::impl::FADropFastMathBase<DropFastMathPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op))
        op->removeAttr("fastmath");
    });
  }
};

} // namespace
