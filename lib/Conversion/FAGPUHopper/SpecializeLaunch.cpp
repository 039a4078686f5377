//===- SpecializeLaunch.cpp - the host's side of a kernel with roles ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
#include "Specialize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

namespace {

class LaunchBuilder {
public:
  LaunchBuilder(RoleKernel &k, mlir::gpu::LaunchFuncOp launch)
      : k(k), launch(launch), loc(launch.getLoc()), b(launch) {}

  void build() {
    for (Value buffer : k.source.movedBuffers())
      buffers.push_back(operandFor(buffer));
    countTiles();
    // The kernel counts its tiles in 32 bits, and positions too.
    Value possible = canAddress();
    auto require = [&](Value v, int64_t most) {
      Value holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, v,
                                          constant(most));
      possible = arith::AndIOp::create(b, loc, possible, holds);
    };
    require(total, INT32_MAX);
    for (unsigned i : {0, 1})
      require(memref::DimOp::create(b, loc, buffers[i], tileDims(i)[0]),
              kMostExtent);
    auto choice = scf::IfOp::create(b, loc, possible, /*withElseRegion=*/true);
    launch->moveBefore(choice.elseBlock()->getTerminator());
    b.setInsertionPointToStart(choice.thenBlock());
    createLaunch();
  }

private:
  Value operandFor(Value argument) {
    return launch.getKernelOperand(
        cast<BlockArgument>(argument).getArgNumber());
  }
  Value constant(int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  }

  /// The tile dimensions of buffer `i` of movedBuffers.
  ArrayRef<int64_t> tileDims(unsigned i) {
    ArrayRef<int64_t> all[] = {
        k.source.query.getTileDims(), k.source.loops.front().key.getTileDims(),
        k.source.loops.front().value.getTileDims(), k.source.out.getTileDims()};
    return all[i];
  }

  Value canAddress() {
    Value result;
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      Value holds = canAddressByTma(b, loc, buffer, tileDims(i)[1]);
      result = result ? arith::AndIOp::create(b, loc, result, holds).getResult()
                      : holds;
    }
    return result;
  }

  Value narrow(Value v) {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), v);
  }

  /// Slices whose keys and values fit in the second-level cache together take
  /// turns, so that the longest blocks of all start first.
  Value slicesTogether() {
    constexpr int64_t budget = 64 << 20, element = 2;
    Value bytes;
    for (unsigned i : {1, 2}) {
      Value matrix = constant(element);
      for (int64_t dim : tileDims(i))
        matrix = arith::MulIOp::create(
            b, loc, matrix, memref::DimOp::create(b, loc, buffers[i], dim));
      bytes = bytes ? arith::AddIOp::create(b, loc, bytes, matrix).getResult()
                    : matrix;
    }
    Value fit = arith::DivUIOp::create(b, loc, constant(budget), bytes);
    return arith::MaxUIOp::create(b, loc, fit, constant(1));
  }

  void countTiles() {
    mlir::gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
    groups =
        arith::CeilDivUIOp::create(b, loc, grid.x, constant(k.consumers()));
    slices = arith::MulIOp::create(b, loc, grid.y, grid.z);
    total = arith::MulIOp::create(b, loc, groups, slices);
  }

  void createLaunch() {
    SmallVector<Value> arguments;
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      ArrayRef<int64_t> dims = tileDims(i);
      arguments.push_back(EncodeTensorMapOp::create(b, loc, k.maps[i].getType(),
                                                    buffer, dims[1], dims[0]));
    }
    for (BlockArgument kept : k.kept)
      arguments.push_back(operandFor(kept));
    for (const Extent &extent : k.extents)
      arguments.push_back(narrow(memref::DimOp::create(
          b, loc, operandFor(extent.buffer), extent.dim)));
    mlir::gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
    Value together = k.rangesDiffer ? slicesTogether() : constant(1);
    for (Value v : {grid.x, grid.y, groups, slices, together, total})
      arguments.push_back(narrow(v));
    if (k.counter)
      arguments.push_back(allocateKeptZero(b, loc, {1}));
    Value processors = MultiprocessorsOp::create(b, loc, b.getIndexType());
    Value places = arith::MulIOp::create(b, loc, processors,
                                         constant(k.schedule.getBlocks()));
    Value blocks = arith::MinUIOp::create(b, loc, places, total);
    Value one = constant(1), threads = constant(k.kernel.getThreads());
    Value noShared = arith::ConstantIntOp::create(b, loc, 0, 32);
    auto module = k.kernel->getParentOfType<mlir::gpu::GPUModuleOp>();
    auto symbol =
        SymbolRefAttr::get(module.getNameAttr(),
                           {FlatSymbolRefAttr::get(k.kernel.getSymNameAttr())});
    mlir::gpu::LaunchFuncOp::create(
        b, loc, symbol, mlir::gpu::KernelDim3{blocks, one, one},
        mlir::gpu::KernelDim3{threads, one, one}, noShared, arguments);
  }

  RoleKernel &k;
  mlir::gpu::LaunchFuncOp launch;
  Location loc;
  OpBuilder b;
  SmallVector<Value> buffers;
  Value groups, slices, total;
};

} // namespace

void fa::fagpu::buildLaunch(RoleKernel &kernel,
                            mlir::gpu::LaunchFuncOp launch) {
  LaunchBuilder(kernel, launch).build();
}
