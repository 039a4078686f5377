//===- Host.cpp - host functions that launch machine programs -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "fa/Simulator/Simulator.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;
using namespace fa::simulator;

namespace {

class HostInterpreter {
public:
  explicit HostInterpreter(const SimulationOptions &options)
      : options(options) {}

  LogicalResult run(func::FuncOp function,
                    ArrayRef<SimulatedArgument> arguments) {
    for (auto [value, argument] :
         llvm::zip(function.getArguments(), arguments)) {
      values[value] = argument;
      if (auto *f = std::get_if<double>(&argument))
        values[value] = roundTo(value.getType(), *f);
    }
    return runBlock(function.front());
  }

private:
  LogicalResult runBlock(Block &block) {
    for (Operation &op : block)
      if (!op.hasTrait<OpTrait::IsTerminator>() && failed(runOp(&op)))
        return failure();
    return success();
  }

  LogicalResult runOp(Operation *op) {
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](memref::DimOp o) {
          std::optional<int64_t> dim = o.getConstantIndex();
          if (!dim)
            return failure();
          values[o.getResult()] = buffer(o.getSource())->shape[*dim];
          return success();
        })
        .Case([&](memref::ExtractStridedMetadataOp o) { return describe(o); })
        .Case([&](memref::ExtractAlignedPointerAsIndexOp o) {
          values[o.getResult()] = int64_t(1) << 20;
          return success();
        })
        .Case([&](memref::AllocOp o) { return allocate(o); })
        .Case([](memref::DeallocOp) { return success(); })
        .Case([&](memref::CastOp o) {
          values[o.getResult()] = values[o.getSource()];
          return success();
        })
        .Case([&](MultiprocessorsOp o) {
          values[o.getResult()] = options.grid;
          return success();
        })
        .Case([&](EncodeTensorMapOp o) { return encode(o); })
        .Case([&](scf::IfOp o) {
          Region &region =
              integer(o.getCondition()) ? o.getThenRegion() : o.getElseRegion();
          if (o.getNumResults() != 0)
            return LogicalResult(
                o.emitError("the simulator runs no branch with results"));
          return region.empty() ? success() : runBlock(region.front());
        })
        .Case([&](cf::AssertOp o) {
          return integer(o.getArg()) ? success()
                                     : LogicalResult(o.emitError(o.getMsg()));
        })
        .Case([&](mlir::gpu::LaunchFuncOp o) { return launch(o); })
        .Default([&](Operation *o) { return evaluateScalar(o); });
  }

  SimulatedBuffer *buffer(Value v) {
    return std::get<SimulatedBuffer *>(values[v]);
  }
  int64_t integer(Value v) { return std::get<int64_t>(values[v]); }

  LogicalResult describe(memref::ExtractStridedMetadataOp op) {
    SimulatedBuffer *source = buffer(op.getSource());
    values[op.getOffset()] = int64_t(0);
    int64_t stride = 1;
    for (int64_t dim = source->shape.size() - 1; dim >= 0; --dim) {
      values[op.getSizes()[dim]] = source->shape[dim];
      values[op.getStrides()[dim]] = stride;
      stride *= source->shape[dim];
    }
    return success();
  }

  LogicalResult allocate(memref::AllocOp op) {
    auto made = std::make_unique<SimulatedBuffer>();
    int64_t size = 1;
    auto dynamic = op.getDynamicSizes().begin();
    for (int64_t extent : op.getType().getShape()) {
      made->shape.push_back(ShapedType::isDynamic(extent) ? integer(*dynamic++)
                                                          : extent);
      size *= made->shape.back();
    }
    made->elementType = op.getType().getElementType();
    // What nobody has written is no number.
    bool isZero = op->hasAttr(kKeptZeroName) || !made->elementType.isF32();
    made->data.assign(size, isZero ? 0 : std::nan(""));
    if (op->hasAttr(kKeptZeroName))
      keptZero.push_back({op, made.get()});
    values[op.getResult()] = made.get();
    workspaces.push_back(std::move(made));
    return success();
  }

  LogicalResult encode(EncodeTensorMapOp op) {
    SimulatedMap map;
    map.buffer = buffer(op.getSource());
    int64_t column = op.getColDim(), row = op.getRowDim();
    map.dims = {column, row};
    for (int64_t dim = map.buffer->shape.size() - 1; dim >= 0; --dim)
      if (dim != column && dim != row)
        map.dims.push_back(dim);
    values[op.getResult()] = map;
    return success();
  }

  LogicalResult launch(mlir::gpu::LaunchFuncOp op) {
    Operation *symbol =
        SymbolTable::lookupNearestSymbolFrom(op, op.getKernel());
    if (auto plain = dyn_cast_or_null<mlir::gpu::GPUFuncOp>(symbol))
      return launchBlocks(op, plain);
    auto kernel = dyn_cast_or_null<KernelOp>(symbol);
    if (!kernel)
      return op.emitError("the simulator finds no kernel");
    SimulationOptions inside = options;
    inside.grid = integer(op.getGridSizeX());
    if (integer(op.getBlockSizeX()) != kernel.getThreads())
      return op.emitError("the kernel has ")
             << kernel.getThreads() << " threads, the launch gives "
             << integer(op.getBlockSizeX());
    int64_t cluster =
        op.hasClusterSize() ? integer(op.getClusterSizeX()) : int64_t(1);
    if (cluster != static_cast<int64_t>(kernel.getCluster().value_or(1)))
      return op.emitError("the kernel has clusters of ")
             << kernel.getCluster().value_or(1) << " blocks, the launch gives "
             << cluster;
    if (failed(simulate(kernel, argumentsOf(op), inside)))
      return failure();
    for (auto [alloc, memory] : keptZero)
      if (llvm::any_of(memory->data, [](double v) { return v != 0; }))
        return alloc->emitError("this memory is not 0 after the launch");
    return success();
  }

  LogicalResult launchBlocks(mlir::gpu::LaunchFuncOp op,
                             mlir::gpu::GPUFuncOp kernel) {
    bool multiplies = kernel.walk([](MmaOp) { return WalkResult::interrupt(); })
                          .wasInterrupted();
    if (multiplies)
      return op.emitError("the simulator runs kernels with roles only, and "
                          "others that multiply no tiles");
    int64_t grid[] = {integer(op.getGridSizeX()), integer(op.getGridSizeY()),
                      integer(op.getGridSizeZ())};
    return simulate(kernel, argumentsOf(op), grid);
  }

  SmallVector<SimulatedArgument> argumentsOf(mlir::gpu::LaunchFuncOp op) {
    return llvm::map_to_vector(op.getKernelOperands(),
                               [&](Value v) { return values[v]; });
  }

  LogicalResult evaluateScalar(Operation *op) {
    SmallVector<Scalar> operands;
    for (Value v : op->getOperands()) {
      Scalar scalar;
      if (auto *i = std::get_if<int64_t>(&values[v]))
        scalar.i = *i;
      if (auto *f = std::get_if<double>(&values[v]))
        scalar.f = *f;
      operands.push_back(scalar);
    }
    std::optional<Scalar> result = evaluate(op, operands);
    if (!result)
      return op->emitError("the simulator does not know ") << op->getName();
    Value v = op->getResult(0);
    if (isa<FloatType>(v.getType()))
      values[v] = result->f;
    else
      values[v] = result->i;
    return success();
  }

  const SimulationOptions &options;
  DenseMap<Value, SimulatedArgument> values;
  std::vector<std::unique_ptr<SimulatedBuffer>> workspaces;
  SmallVector<std::pair<Operation *, SimulatedBuffer *>> keptZero;
};

} // namespace

LogicalResult fa::simulateHost(func::FuncOp function,
                               ArrayRef<SimulatedArgument> arguments,
                               const SimulationOptions &options) {
  if (arguments.size() != function.getNumArguments())
    return function.emitError("needs ")
           << function.getNumArguments() << " arguments, got "
           << arguments.size();
  if (!llvm::hasSingleElement(function.getBody()) ||
      function.getNumResults() != 0)
    return function.emitError("the simulator runs functions of one block "
                              "without results: bufferise it, and make what "
                              "it returns memrefs that it writes");
  return HostInterpreter(options).run(function, arguments);
}
