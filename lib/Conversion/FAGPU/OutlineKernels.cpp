//===- OutlineKernels.cpp - scf.forall to gpu.launch_func -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "fa/Target/Manifest/Manifest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fa {
#define GEN_PASS_DEF_FAOUTLINEKERNELS
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// Cheaper to repeat in the kernel than to pass.
bool shouldSink(Operation *op) {
  if (!op)
    return false;
  if (matchPattern(op, m_Constant()))
    return true;
  return isa<memref::DimOp, tensor::EmptyOp, linalg::FillOp>(op);
}

/// Moves what `region` should recompute into it, and returns what it still
/// takes from outside.
SetVector<Value> sinkInto(Region &region) {
  OpBuilder b(region);
  SetVector<Value> inputs;
  SmallVector<Value> worklist;
  auto collect = [&] {
    inputs.clear();
    getUsedValuesDefinedAbove(region, inputs);
    worklist.clear();
    for (Value v : inputs)
      if (shouldSink(v.getDefiningOp()))
        worklist.push_back(v);
  };
  for (collect(); !worklist.empty(); collect())
    for (Value v : worklist) {
      b.setInsertionPointToStart(&region.front());
      Operation *copy = b.clone(*v.getDefiningOp());
      Value replacement = copy->getResult(cast<OpResult>(v).getResultNumber());
      replaceAllUsesInRegionWith(v, replacement, region);
    }
  return inputs;
}

/// Counts loops over positions in 32 bits: extents are no more than
/// `kMostExtent`, and a 64-bit
/// counter would take two registers.
void narrowLoops(gpu::GPUFuncOp kernel) {
  DenseMap<std::pair<Value, Block *>, Value> casts;
  SmallVector<scf::ForOp> loops;
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (loop.getInductionVar().getType().isIndex())
      loops.push_back(loop);
  });
  OpBuilder b(kernel.getContext());
  for (scf::ForOp loop : loops) {
    Location loc = loop.getLoc();
    b.setInsertionPoint(loop);
    auto narrow = [&](Value v) -> Value {
      Value &cast = casts[{v, loop->getBlock()}];
      if (!cast)
        cast = arith::IndexCastOp::create(b, loc, b.getI32Type(), v);
      return cast;
    };
    for (OpOperand *bound :
         {&loop.getLowerBoundMutable(), &loop.getUpperBoundMutable(),
          &loop.getStepMutable()})
      bound->set(narrow(bound->get()));
    Value position = loop.getInductionVar();
    position.setType(b.getI32Type());
    b.setInsertionPointToStart(loop.getBody());
    Value wide = arith::IndexCastOp::create(b, loc, b.getIndexType(), position);
    position.replaceAllUsesExcept(wide, wide.getDefiningOp());
  }
}

class Outliner {
public:
  Outliner(gpu::GPUModuleOp kernels, int64_t minBlocks)
      : kernels(kernels), symbols(kernels), minBlocks(minBlocks) {}

  LogicalResult outline(scf::ForallOp forall) {
    if (forall.getNumResults() != 0)
      return forall.emitError("tile program with tensor results cannot become "
                              "a kernel; store tiles with fa.store_tile");
    OpBuilder b(forall);
    Location loc = forall.getLoc();
    SmallVector<Value> counts = tripCounts(b, forall);
    auto [lower, step] = bounds(b, forall);
    // Bounds are needed inside, too.
    SetVector<Value> captured = sinkInto(forall.getRegion());
    auto isNeeded = [&](unsigned dim) {
      return dim > 0 &&
             gridDim(dim - 1, counts.size()) == gridDim(dim, counts.size());
    };
    for (auto [i, count] : llvm::enumerate(counts)) {
      // Extents are needed where two loops share a dimension of the grid.
      if (isNeeded(i) && !matchPattern(count, m_Constant()))
        captured.insert(count);
      for (Value v : {lower[i], step[i]})
        if (!matchPattern(v, m_Constant()))
          captured.insert(v);
    }
    // The function's arguments in their order, then the rest.
    SetVector<Value> inputs;
    for (Value argument : forall->getParentRegion()->getArguments())
      if (captured.contains(argument))
        inputs.insert(argument);
    inputs.insert(captured.begin(), captured.end());

    std::array<Value, 3> grid = gridOf(b, loc, counts);
    gpu::GPUFuncOp kernel = createKernel(forall, inputs.getArrayRef());
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), kernel.getArguments());
    OpBuilder inside = OpBuilder::atBlockBegin(&kernel.front());
    auto mapped = [&](Value v) -> Value {
      if (Value m = mapping.lookupOrNull(v))
        return m;
      Operation *copy = inside.clone(*v.getDefiningOp());
      mapping.map(v, copy->getResult(0));
      return copy->getResult(0);
    };
    SmallVector<Value> ids = indicesOf(inside, loc, counts, mapped);
    for (auto [i, id] : llvm::enumerate(ids)) {
      Value position = id;
      if (!matchPattern(step[i], m_One()))
        position =
            arith::MulIOp::create(inside, loc, position, mapped(step[i]));
      if (!matchPattern(lower[i], m_Zero()))
        position =
            arith::AddIOp::create(inside, loc, position, mapped(lower[i]));
      mapping.map(forall.getInductionVars()[i], position);
    }
    for (Operation &op : forall.getBody()->without_terminator())
      inside.clone(op, mapping);
    markWritten(forall);
    gpu::ReturnOp::create(inside, loc);
    narrowLoops(kernel);

    Value threads =
        arith::ConstantIndexOp::create(b, loc, fagpu::kGroupThreads);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value noShared = arith::ConstantIntOp::create(b, loc, 0, 32);
    gpu::LaunchFuncOp::create(
        b, loc, kernel, gpu::KernelDim3{grid[0], grid[1], grid[2]},
        gpu::KernelDim3{threads, one, one}, noShared, inputs.getArrayRef());
    forall.erase();
    return success();
  }

private:
  /// Tells the launcher which of the function's arguments the kernel writes.
  void markWritten(scf::ForallOp forall) {
    auto function = forall->getParentOfType<FunctionOpInterface>();
    forall.walk([&](Operation *op) {
      Value memory;
      if (auto store = dyn_cast<StoreTileOp>(op))
        memory = store.getDestination();
      else if (auto accumulate = dyn_cast<AccumulateOp>(op))
        memory = accumulate.getWorkspace();
      else if (auto accumulate = dyn_cast<AccumulateAtOp>(op))
        memory = accumulate.getWorkspace();
      auto argument = dyn_cast_or_null<BlockArgument>(memory);
      if (argument && argument.getOwner()->getParentOp() == function)
        function.setArgAttr(argument.getArgNumber(), argumentWrittenAttr,
                            UnitAttr::get(function.getContext()));
    });
  }

  using Bounds = std::pair<SmallVector<Value>, SmallVector<Value>>;

  Bounds bounds(OpBuilder &b, scf::ForallOp forall) {
    return {getValueOrCreateConstantIndexOp(b, forall.getLoc(),
                                            forall.getMixedLowerBound()),
            getValueOrCreateConstantIndexOp(b, forall.getLoc(),
                                            forall.getMixedStep())};
  }

  SmallVector<Value> tripCounts(OpBuilder &b, scf::ForallOp forall) {
    Location loc = forall.getLoc();
    auto [lower, step] = bounds(b, forall);
    SmallVector<Value> upper =
        getValueOrCreateConstantIndexOp(b, loc, forall.getMixedUpperBound());
    SmallVector<Value> counts;
    for (auto [lo, up, by] : llvm::zip(lower, upper, step)) {
      Value span = up;
      if (!matchPattern(lo, m_Zero()))
        span = arith::SubIOp::create(b, loc, up, lo);
      counts.push_back(
          matchPattern(by, m_One())
              ? span
              : arith::CeilDivSIOp::create(b, loc, span, by).getResult());
    }
    return counts;
  }

  /// Grid dimension (0 = x) of a loop dimension.
  static unsigned gridDim(unsigned dim, unsigned rank) {
    if (dim == rank - 1)
      return 0;
    return dim == 0 && rank >= 3 ? 2 : 1;
  }

  std::array<Value, 3> gridOf(OpBuilder &b, Location loc, ValueRange counts) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    std::array<Value, 3> grid = {one, one, one};
    for (auto [i, count] : llvm::enumerate(counts)) {
      Value &extent = grid[gridDim(i, counts.size())];
      extent = extent == one
                   ? count
                   : arith::MulIOp::create(b, loc, extent, count).getResult();
    }
    return grid;
  }

  /// The loop indices of this block.
  SmallVector<Value> indicesOf(OpBuilder &b, Location loc, ValueRange counts,
                               function_ref<Value(Value)> mapped) {
    Type i32 = b.getI32Type();
    auto toI32 = [&](Value v) -> Value {
      return arith::IndexCastOp::create(b, loc, i32, v);
    };
    std::array<Value, 3> rest;
    const gpu::Dimension dims[] = {gpu::Dimension::x, gpu::Dimension::y,
                                   gpu::Dimension::z};
    for (unsigned i = 0; i < 3; ++i)
      rest[i] = toI32(gpu::BlockIdOp::create(b, loc, dims[i]));
    Value last = arith::SubIOp::create(
        b, loc, toI32(gpu::GridDimOp::create(b, loc, gpu::Dimension::x)),
        arith::ConstantIntOp::create(b, loc, 1, 32));
    rest[0] = arith::SubIOp::create(b, loc, last, rest[0]);
    unsigned rank = counts.size();
    SmallVector<Value> ids(rank);
    for (int i = rank - 1; i >= 0; --i) {
      unsigned dim = gridDim(i, rank);
      bool isOutermost = i == 0 || gridDim(i - 1, rank) != dim;
      Value id = rest[dim];
      if (!isOutermost) {
        Value count = toI32(mapped(counts[i]));
        id = arith::RemUIOp::create(b, loc, rest[dim], count);
        rest[dim] = arith::DivUIOp::create(b, loc, rest[dim], count);
      }
      ids[i] = arith::IndexCastOp::create(b, loc, b.getIndexType(), id);
    }
    return ids;
  }

  gpu::GPUFuncOp createKernel(scf::ForallOp forall, ArrayRef<Value> inputs) {
    auto function = forall->getParentOfType<FunctionOpInterface>();
    OpBuilder b = OpBuilder::atBlockEnd(kernels.getBody());
    auto type = b.getFunctionType(
        llvm::map_to_vector(inputs, [](Value v) { return v.getType(); }), {});
    auto kernel = gpu::GPUFuncOp::create(
        b, forall.getLoc(), (function.getName() + "_kernel").str(), type);
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    kernel.setKnownBlockSizeAttr(
        b.getDenseI32ArrayAttr({fagpu::kGroupThreads, 1, 1}));
    for (StringRef name : {fagpu::kStagesName, fagpu::kEarlyKeysName,
                           fagpu::kWarpsName, fagpu::kGradientsName})
      if (Attribute staging = forall->getAttr(name))
        kernel->setAttr(name, staging);
    if (minBlocks > 0)
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(minBlocks));
    symbols.insert(kernel);
    return kernel;
  }

  gpu::GPUModuleOp kernels;
  SymbolTable symbols;
  int64_t minBlocks;
};

struct OutlineKernelsPass : fa::impl::FAOutlineKernelsBase<OutlineKernelsPass> {
  using FAOutlineKernelsBase::FAOutlineKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<scf::ForallOp> foralls;
    module->walk<WalkOrder::PreOrder>([&](scf::ForallOp forall) {
      bool movesTiles = forall
                            ->walk([](Operation *op) {
                              return isa<LoadTileOp, StoreTileOp>(op)
                                         ? WalkResult::interrupt()
                                         : WalkResult::advance();
                            })
                            .wasInterrupted();
      if (movesTiles)
        foralls.push_back(forall);
      return movesTiles ? WalkResult::skip() : WalkResult::advance();
    });
    if (foralls.empty())
      return;
    for (scf::ForallOp forall : foralls)
      if (forall->getParentOfType<ModuleOp>() != module) {
        forall.emitError("attention in a module within a module cannot become "
                         "a kernel: move its function to the outer module");
        return signalPassFailure();
      }
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "fa_kernels");
    SymbolTable(module).insert(kernels);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    b.getUnitAttr());
    Outliner outliner(kernels, minBlocks);
    for (scf::ForallOp forall : foralls)
      if (failed(outliner.outline(forall)))
        return signalPassFailure();
  }
};

} // namespace
