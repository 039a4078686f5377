//===- Stress.cpp - warps that wait for no reason -------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../FAGPU/Distribution.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace fa {
#define GEN_PASS_DEF_FAGPUSTRESS
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

/// A number of nanoseconds from the clock, the warp, the block, and $0, which
/// is the place and the seed: every other time 0, else up to 2047.
static constexpr StringLiteral kSleep = R"({
  .reg .b32 x, y;
  .reg .pred p;
  mov.u32 x, %clock;
  mov.u32 y, %tid.x;
  shr.u32 y, y, 5;
  xor.b32 x, x, y;
  mov.u32 y, %ctaid.x;
  shl.b32 y, y, 8;
  xor.b32 x, x, y;
  xor.b32 x, x, $0;
  mul.lo.u32 x, x, 0x9e3779b1;
  shr.u32 y, x, 15;
  xor.b32 x, x, y;
  mul.lo.u32 x, x, 0x85ebca77;
  shr.u32 x, x, 20;
  setp.lt.u32 p, x, 2048;
  @p nanosleep.u32 x;
)";

namespace {

struct Stress : fa::impl::FAGPUStressBase<Stress> {
  using FAGPUStressBase::FAGPUStressBase;

  void runOnOperation() override {
    SmallVector<Operation *> places;
    getOperation().walk([&](Operation *op) {
      if (isa<AcquireOp, CommitOp, WaitFullOp, ReleaseOp, PublishOp,
              ReadPublishedOp, TmaLoadOp, TmaStoreOp, WgmmaOp, WgmmaWaitOp,
              ClearTailOp, AwaitTurnOp, PassTurnOp, AwaitCountOp, SetCountOp,
              BulkLoadOp, StoreFragmentsOp, ReadFragmentsOp, ReduceAddOp,
              AddCountOp, SendOp>(op))
        places.push_back(op);
    });
    for (auto [i, op] : llvm::enumerate(places))
      sleepBefore(op, i);
  }

  void sleepBefore(Operation *op, int64_t place) {
    OpBuilder b(op);
    // The lanes of a warp read one clock; what follows needs them together. A
    // producer or a messenger is one thread.
    auto role = op->getParentOfType<RoleOp>();
    bool isOneThread = role && role.isOneThread();
    std::string text = kSleep.str();
    text += isOneThread ? "}" : "  bar.warp.sync -1;\n}";
    Value where = arith::ConstantIntOp::create(
        b, op->getLoc(), int32_t(uint32_t(seed * 7919 + place) << 12), 32);
    asmEffect(b, op->getLoc(), text, "r,~{memory}", where);
  }
};

} // namespace
