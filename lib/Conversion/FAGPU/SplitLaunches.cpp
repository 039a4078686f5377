//===- SplitLaunches.cpp - grids of any extent along y and z --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

namespace fa {
#define GEN_PASS_DEF_FASPLITLAUNCHES
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

constexpr int64_t mostBlocks = 65535;

Value extentOf(gpu::LaunchFuncOp launch, gpu::Dimension dim) {
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  return dim == gpu::Dimension::y ? grid.y : grid.z;
}

bool mayBeTooMany(gpu::LaunchFuncOp launch, gpu::Dimension dim) {
  std::optional<int64_t> extent = getConstantIntValue(extentOf(launch, dim));
  return !extent || *extent > mostBlocks;
}

bool readsExtent(gpu::GPUFuncOp kernel, gpu::Dimension dim) {
  auto reads = [&](gpu::GridDimOp op) {
    return op.getDimension() == dim ? WalkResult::interrupt()
                                    : WalkResult::advance();
  };
  return kernel.walk(reads).wasInterrupted();
}

/// Blocks of `kernel` count from a new argument.
void addFirst(gpu::GPUFuncOp kernel, gpu::Dimension dim) {
  Type type = IndexType::get(kernel.getContext());
  if (failed(kernel.insertArgument(kernel.getNumArguments(), type,
                                   DictionaryAttr(), kernel.getLoc())))
    llvm_unreachable("an argument at the end");
  Value first = kernel.getArguments().back();
  kernel.walk([&](gpu::BlockIdOp op) {
    if (op.getDimension() != dim)
      return;
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    auto sum = arith::AddIOp::create(b, op.getLoc(), op, first);
    op.getResult().replaceAllUsesExcept(sum, sum);
  });
}

/// Launches parts of `launch` in a loop, and tells each where it starts.
void splitLaunch(gpu::LaunchFuncOp launch, gpu::Dimension dim) {
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  Value extent = extentOf(launch, dim);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value most = arith::ConstantIndexOp::create(b, loc, mostBlocks);
  auto loop = scf::ForOp::create(b, loc, zero, extent, most);
  launch->moveBefore(loop.getBody()->getTerminator());
  b.setInsertionPoint(launch);
  Value first = loop.getInductionVar();
  Value left = arith::SubIOp::create(b, loc, extent, first);
  Value part = arith::MinSIOp::create(b, loc, left, most);
  auto &grid = dim == gpu::Dimension::y ? launch.getGridSizeYMutable()
                                        : launch.getGridSizeZMutable();
  grid.set(part);
  launch.getKernelOperandsMutable().append(first);
}

struct SplitLaunches : fa::impl::FASplitLaunchesBase<SplitLaunches> {
  void runOnOperation() override {
    llvm::MapVector<Operation *, SmallVector<gpu::LaunchFuncOp>> launches;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      Operation *kernel =
          SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel());
      if (isa_and_nonnull<gpu::GPUFuncOp>(kernel))
        launches[kernel].push_back(launch);
    });
    for (auto &[op, ofKernel] : launches)
      for (gpu::Dimension dim : {gpu::Dimension::y, gpu::Dimension::z})
        split(cast<gpu::GPUFuncOp>(op), ofKernel, dim);
  }

  static void split(gpu::GPUFuncOp kernel, ArrayRef<gpu::LaunchFuncOp> launches,
                    gpu::Dimension dim) {
    auto isBig = [&](gpu::LaunchFuncOp launch) {
      return mayBeTooMany(launch, dim);
    };
    if (llvm::none_of(launches, isBig) || readsExtent(kernel, dim))
      return;
    addFirst(kernel, dim);
    for (gpu::LaunchFuncOp launch : launches)
      splitLaunch(launch, dim);
  }
};

} // namespace
