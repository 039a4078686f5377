//===- SinkGlobals.cpp - constants in memory go where they are read -------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/LinalgToKernels/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace fa {
#define GEN_PASS_DEF_FASINKGLOBALS
#include "fa/Conversion/LinalgToKernels/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

/// The ops that make a constant's memref, the first of them memref.get_global;
/// empty for any other value.
SmallVector<Operation *> findChain(Value value) {
  SmallVector<Operation *> chain;
  while (Operation *op = value.getDefiningOp()) {
    chain.push_back(op);
    if (isa<memref::GetGlobalOp>(op))
      return SmallVector<Operation *>(llvm::reverse(chain));
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view || op->getNumResults() != 1)
      break;
    for (Value operand : op->getOperands())
      if (operand != view.getViewSource() &&
          !matchPattern(operand, m_Constant()))
        return {};
    value = view.getViewSource();
  }
  return {};
}

struct SinkGlobalsPass : fa::impl::FASinkGlobalsBase<SinkGlobalsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<gpu::LaunchFuncOp> launches;
    DenseMap<SymbolRefAttr, unsigned> uses;
    module.walk([&](gpu::LaunchFuncOp op) {
      launches.push_back(op);
      ++uses[op.getKernelAttr()];
    });
    for (gpu::LaunchFuncOp launch : launches)
      if (uses[launch.getKernelAttr()] == 1)
        sinkInto(launch);
    for (auto global :
         llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
      if (SymbolTable::symbolKnownUseEmpty(global, module))
        global.erase();
  }

private:
  void sinkInto(gpu::LaunchFuncOp launch) {
    auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(
        SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr()));
    if (!kernel || kernel.isExternal())
      return;
    SmallVector<Value> kept;
    llvm::BitVector dropped(kernel.getNumArguments());
    SmallVector<Operation *> last;
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.front());
    for (auto [i, operand] : llvm::enumerate(launch.getKernelOperands())) {
      SmallVector<Operation *> chain = findChain(operand);
      if (chain.empty()) {
        kept.push_back(operand);
        continue;
      }
      kernel.getArgument(i).replaceAllUsesWith(clone(b, chain, kernel));
      dropped.set(i);
      last.push_back(chain.back());
    }
    if (dropped.none())
      return;
    (void)kernel.eraseArguments(dropped);
    launch.getKernelOperandsMutable().assign(kept);
    for (Operation *op : last)
      eraseUnused(op);
  }

  /// The memref, made in the kernel.
  Value clone(OpBuilder &b, ArrayRef<Operation *> chain,
              gpu::GPUFuncOp kernel) {
    auto get = cast<memref::GetGlobalOp>(chain.front());
    Value made = memref::GetGlobalOp::create(
        b, get.getLoc(), get.getType(), cloneGlobal(get, kernel).getSymName());
    IRMapping mapping;
    mapping.map(get.getResult(), made);
    for (Operation *op : chain.drop_front()) {
      for (Value operand : op->getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand, b.clone(*operand.getDefiningOp())->getResult(0));
      made = b.clone(*op, mapping)->getResult(0);
    }
    return made;
  }

  memref::GlobalOp cloneGlobal(memref::GetGlobalOp get, gpu::GPUFuncOp kernel) {
    auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        get, get.getNameAttr());
    memref::GlobalOp &copy = copies[{module, global}];
    if (!copy) {
      copy = cast<memref::GlobalOp>(global->clone());
      SymbolTable(module).insert(copy, module.getBody()->begin());
    }
    return copy;
  }

  static void eraseUnused(Operation *op) {
    while (op && op->use_empty()) {
      auto view = dyn_cast<ViewLikeOpInterface>(op);
      Operation *next = view ? view.getViewSource().getDefiningOp() : nullptr;
      op->erase();
      op = next;
    }
  }

  DenseMap<std::pair<Operation *, Operation *>, memref::GlobalOp> copies;
};

} // namespace
