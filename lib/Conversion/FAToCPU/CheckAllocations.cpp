//===- CheckAllocations.cpp - sizes of memory, checked at run time --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fa {
#define GEN_PASS_DEF_FACHECKALLOCATIONS
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

/// Elements that no address space holds. Their product, formed in f64, cannot
/// wrap around as the product of integers that the allocation is lowered to.
constexpr double kTooMany = double(int64_t(1) << 47);

void checkSizes(memref::AllocOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  double fixed = 1;
  for (int64_t extent : op.getType().getShape())
    if (!ShapedType::isDynamic(extent))
      fixed *= double(extent);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value count =
      arith::ConstantOp::create(b, loc, b.getF64FloatAttr(fixed)).getResult();
  Value possible;
  for (Value size : op.getDynamicSizes()) {
    Value notNegative =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, size, zero);
    possible =
        possible
            ? arith::AndIOp::create(b, loc, possible, notNegative).getResult()
            : notNegative;
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
    Value real = arith::SIToFPOp::create(b, loc, b.getF64Type(), integer);
    count = arith::MulFOp::create(b, loc, count, real);
  }
  Value most = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(kTooMany))
                   .getResult();
  Value few =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, count, most);
  possible = arith::AndIOp::create(b, loc, possible, few);
  cf::AssertOp::create(b, loc, possible,
                       "an array with a negative extent, or larger than any "
                       "memory, is asked for");
}

struct CheckAllocationsPass
    : fa::impl::FACheckAllocationsBase<CheckAllocationsPass> {
  void runOnOperation() override {
    getOperation()->walk([](memref::AllocOp op) {
      if (!op.getDynamicSizes().empty())
        checkSizes(op);
    });
  }
};

} // namespace
