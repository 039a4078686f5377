//===- JoinLaunches.cpp - what clears memory, in the kernel next to it ----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fa {
#define GEN_PASS_DEF_FAJOINLAUNCHES
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

namespace {

/// A launch, and its kernel, which nobody else launches.
struct Launch {
  gpu::LaunchFuncOp op;
  gpu::GPUFuncOp kernel;
};

bool hasTensorCores(Operation &op) {
  return op
      .walk([](Operation *inner) {
        auto load = dyn_cast<LoadTileOp>(inner);
        bool isShared = load && hasLayout<SharedAttr>(load.getTile().getType());
        return isShared || isa<MmaOp, AccumulateOp, gpu::BarrierOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Stores values that it got from nowhere.
bool onlyStores(gpu::GPUFuncOp kernel) {
  return llvm::all_of(kernel.front(), [](Operation &op) {
    return isa<StoreTileOp, PutFragmentsOp, gpu::ReturnOp>(op) ||
           isMemoryEffectFree(&op);
  });
}

/// Into memory that the other launch does not know.
bool sharesNothing(gpu::LaunchFuncOp clear, gpu::LaunchFuncOp other) {
  return llvm::all_of(clear.getKernelOperands(), [&](Value operand) {
    return !isa<MemRefType>(operand.getType()) ||
           (operand.getDefiningOp<memref::AllocOp>() &&
            !llvm::is_contained(other.getKernelOperands(), operand));
  });
}

bool areEqual(gpu::KernelDim3 a, gpu::KernelDim3 b) {
  auto same = [](Value x, Value y) {
    std::optional<int64_t> constant = getConstantIntValue(x);
    return x == y || (constant && constant == getConstantIntValue(y));
  };
  return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}

/// What a kernel's attributes say beside its name and its arguments.
NamedAttrList attributesOf(gpu::GPUFuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrs());
  attributes.erase(SymbolTable::getSymbolAttrName());
  attributes.erase(kernel.getFunctionTypeAttrName());
  return attributes;
}

bool canJoin(Launch a, Launch b) {
  return areEqual(a.op.getGridSizeOperandValues(),
                  b.op.getGridSizeOperandValues()) &&
         areEqual(a.op.getBlockSizeOperandValues(),
                  b.op.getBlockSizeOperandValues()) &&
         attributesOf(a.kernel).getDictionary(a.op.getContext()) ==
             attributesOf(b.kernel).getDictionary(a.op.getContext());
}

/// Moves what `clear` does to the front of the other kernel: its stores are on
/// their way while the other's loads are.
void join(Launch clear, Launch other) {
  gpu::GPUFuncOp kernel = other.kernel;
  Block &from = clear.kernel.front(), &to = kernel.front();
  for (BlockArgument argument : from.getArguments()) {
    if (failed(kernel.insertArgument(kernel.getNumArguments(),
                                     argument.getType(), DictionaryAttr(),
                                     argument.getLoc())))
      llvm_unreachable("an argument at the end");
    argument.replaceAllUsesWith(kernel.getArguments().back());
  }
  from.getTerminator()->erase();
  to.getOperations().splice(to.begin(), from.getOperations());
  if (other.op->isBeforeInBlock(clear.op))
    other.op->moveBefore(clear.op);
  other.op.getKernelOperandsMutable().append(clear.op.getKernelOperands());
  clear.op.erase();
  clear.kernel.erase();
}

struct JoinLaunches : fa::impl::FAJoinLaunchesBase<JoinLaunches> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SymbolUserMap users(symbols, getOperation());
    SmallVector<Block *> blocks;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (!llvm::is_contained(blocks, launch->getBlock()))
        blocks.push_back(launch->getBlock());
    });
    for (Block *block : blocks)
      joinIn(*block, users);
  }

  static void joinIn(Block &block, const SymbolUserMap &users) {
    std::optional<Launch> last;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
      if (!launch) {
        if (!isMemoryEffectFree(&op) && !isa<memref::AllocOp, cf::AssertOp>(op))
          last.reset();
        continue;
      }
      std::optional<Launch> here = match(launch, users);
      if (!last || !here || !canJoin(*last, *here)) {
        last = here;
        continue;
      }
      auto clears = [](Launch clear, Launch other) {
        return onlyStores(clear.kernel) && sharesNothing(clear.op, other.op);
      };
      bool isLater = clears(*here, *last);
      if (!isLater && !clears(*last, *here)) {
        last = here;
        continue;
      }
      Launch clear = isLater ? *here : *last, other = isLater ? *last : *here;
      join(clear, other);
      last = other;
    }
  }

  /// Programs of tiles in registers.
  static std::optional<Launch> match(gpu::LaunchFuncOp launch,
                                     const SymbolUserMap &users) {
    auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(
        SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel()));
    Value shared = launch.getDynamicSharedMemorySize();
    if (!kernel || !llvm::hasSingleElement(kernel.getBody()) ||
        !llvm::hasSingleElement(users.getUsers(kernel)) ||
        launch.hasClusterSize() || launch.getAsyncToken() ||
        !launch.getAsyncDependencies().empty() ||
        (shared && getConstantIntValue(shared) != 0) ||
        llvm::any_of(kernel.front(), hasTensorCores))
      return std::nullopt;
    return Launch{launch, kernel};
  }
};

} // namespace
