//===- LinalgToKernels.cpp - each linalg op becomes a GPU kernel ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/LinalgToKernels/Passes.h"
#include "fa/Target/Manifest/Manifest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace fa {
#define GEN_PASS_DEF_FALINALGTOKERNELS
#include "fa/Conversion/LinalgToKernels/Passes.h.inc"
} // namespace fa

using namespace mlir;
using fa::argumentWrittenAttr;

namespace {

constexpr int64_t threadsPerBlock = 256;

Value makeIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// What a kernel needs from outside: operands, and scalars that the body uses.
SetVector<Value> collectInputs(linalg::LinalgOp op) {
  SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  op.getBlock()->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentBlock() != op.getBlock() &&
          !op->isAncestor(operand.getParentBlock()->getParentOp()))
        inputs.insert(operand);
  });
  return inputs;
}

/// The body of one kernel: a thread computes one point of the parallel
/// dimensions.
class KernelBuilder {
public:
  KernelBuilder(OpBuilder &b, linalg::LinalgOp op, IRMapping &mapping)
      : b(b), loc(op.getLoc()), op(op), mapping(mapping) {}

  void build() {
    SmallVector<Value> extents = getExtents();
    SmallVector<unsigned> parallel, reduction;
    op.getParallelDims(parallel);
    op.getReductionDims(reduction);
    Value thread = getThread();
    Value total = makeIndex(b, loc, 1);
    for (unsigned dim : parallel)
      total = arith::MulIOp::create(b, loc, total, extents[dim]);
    Value inside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread, total);
    auto guard = scf::IfOp::create(b, loc, inside);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(guard.thenBlock());
    positions.resize(extents.size());
    for (unsigned dim : llvm::reverse(parallel)) {
      positions[dim] = arith::RemUIOp::create(b, loc, thread, extents[dim]);
      thread = arith::DivUIOp::create(b, loc, thread, extents[dim]);
    }
    SmallVector<Value> results = reduce(
        reduction, extents, loadOutputs(/*areCarried=*/!reduction.empty()));
    for (auto [operand, value] :
         llvm::zip_equal(op.getDpsInitsMutable(), results))
      memref::StoreOp::create(b, loc, value, mapping.lookup(operand.get()),
                              getIndices(operand));
  }

private:
  Value getThread() {
    Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
    Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
    Value threads = makeIndex(b, loc, threadsPerBlock);
    Value first = arith::MulIOp::create(b, loc, block, threads);
    return arith::AddIOp::create(b, loc, first, thread);
  }

  /// The iteration domain, from the first operand that spans each dimension.
  SmallVector<Value> getExtents() {
    SmallVector<Value> extents(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands())
      for (auto [i, result] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(result))
          if (!extents[dim.getPosition()])
            extents[dim.getPosition()] =
                memref::DimOp::create(b, loc, mapping.lookup(operand.get()), i);
    return extents;
  }

  SmallVector<Value> getIndices(OpOperand &operand) {
    SmallVector<Value> indices;
    for (AffineExpr result : op.getMatchingIndexingMap(&operand).getResults())
      indices.push_back(getIndex(result));
    return indices;
  }

  /// Of loops that the expression does not use there may be no position yet.
  Value getIndex(AffineExpr expression) {
    if (auto dim = dyn_cast<AffineDimExpr>(expression))
      return positions[dim.getPosition()];
    if (auto constant = dyn_cast<AffineConstantExpr>(expression))
      return makeIndex(b, loc, constant.getValue());
    AffineMap map =
        AffineMap::get(op.getNumLoops(), 0, expression, b.getContext());
    llvm::SmallBitVector unused = getUnusedDimsBitVector({map});
    SmallVector<Value> used;
    for (auto [i, position] : llvm::enumerate(positions))
      if (!unused[i])
        used.push_back(position);
    return affine::AffineApplyOp::create(b, loc, compressDims(map, unused),
                                         used);
  }

  Value load(OpOperand &operand) {
    Value value = mapping.lookup(operand.get());
    if (!isa<MemRefType>(value.getType()))
      return value;
    return memref::LoadOp::create(b, loc, value, getIndices(operand));
  }

  /// What outputs hold, where the body or a loop needs it.
  SmallVector<Value> loadOutputs(bool areCarried) {
    SmallVector<Value> values;
    for (OpOperand &operand : op.getDpsInitsMutable())
      values.push_back(areCarried || op.payloadUsesValueFromOperand(&operand)
                           ? load(operand)
                           : Value());
    return values;
  }

  /// One loop per reduction dimension around the scalar body.
  SmallVector<Value> reduce(ArrayRef<unsigned> dims, ArrayRef<Value> extents,
                            SmallVector<Value> running) {
    if (dims.empty())
      return cloneBody(running);
    auto loop =
        scf::ForOp::create(b, loc, makeIndex(b, loc, 0), extents[dims.front()],
                           makeIndex(b, loc, 1), running);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(loop.getBody());
    positions[dims.front()] = loop.getInductionVar();
    SmallVector<Value> next =
        reduce(dims.drop_front(), extents,
               SmallVector<Value>(loop.getRegionIterArgs()));
    scf::YieldOp::create(b, loc, next);
    return SmallVector<Value>(loop.getResults());
  }

  SmallVector<Value> cloneBody(ArrayRef<Value> running) {
    IRMapping body = mapping;
    unsigned output = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (op.isDpsInit(&operand)) {
        if (Value value = running[output++])
          body.map(argument, value);
      } else {
        body.map(argument, load(operand));
      }
    }
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        body.map(index.getResult(), positions[index.getDim()]);
      else
        b.clone(inner, body);
    }
    SmallVector<Value> results;
    for (Value value : op.getBlock()->getTerminator()->getOperands())
      results.push_back(body.lookupOrDefault(value));
    return results;
  }

  OpBuilder &b;
  Location loc;
  linalg::LinalgOp op;
  IRMapping &mapping;
  SmallVector<Value> positions;
};

struct LinalgToKernels : fa::impl::FALinalgToKernelsBase<LinalgToKernels> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(replaceCopies(module)))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> ops;
    module.walk([&](linalg::LinalgOp op) {
      if (!op->getParentOfType<gpu::GPUModuleOp>())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      if (failed(check(op)))
        return signalPassFailure();
    if (ops.empty())
      return;
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
    count = 0;
    SymbolTable(module).insert(kernels);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    b.getUnitAttr());
    for (linalg::LinalgOp op : ops)
      if (failed(convert(op)))
        return signalPassFailure();
  }

private:
  /// A copy that changes strides needs a kernel; one that does not stays.
  LogicalResult replaceCopies(ModuleOp module) {
    SmallVector<memref::CopyOp> copies;
    module.walk([&](memref::CopyOp op) { copies.push_back(op); });
    for (memref::CopyOp copy : copies) {
      auto source = dyn_cast<MemRefType>(copy.getSource().getType());
      auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
      if (!source || !target)
        return emitError(copy.getLoc(), "an unranked copy has no kernel");
      // A constant is in the kernels' memory.
      bool isConstant = copy.getSource().getDefiningOp<memref::GetGlobalOp>();
      if (!isConstant && source.getLayout().isIdentity() &&
          target.getLayout().isIdentity())
        continue;
      OpBuilder b(copy);
      AffineMap map = b.getMultiDimIdentityMap(source.getRank());
      SmallVector<utils::IteratorType> iterators(source.getRank(),
                                                 utils::IteratorType::parallel);
      linalg::GenericOp::create(
          b, copy.getLoc(), copy.getSource(), copy.getTarget(),
          ArrayRef<AffineMap>{map, map}, iterators,
          [](OpBuilder &b, Location loc, ValueRange arguments) {
            linalg::YieldOp::create(b, loc, arguments.front());
          });
      copy.erase();
    }
    return success();
  }

  static LogicalResult check(linalg::LinalgOp op) {
    if (!op.hasPureBufferSemantics())
      return emitError(op.getLoc())
             << "'" << op->getName() << "' works on tensors: bufferize first";
    return success();
  }

  LogicalResult convert(linalg::LinalgOp op) {
    OpBuilder b(op);
    SetVector<Value> inputs = collectInputs(op);
    // Constants are copied into the kernel.
    SmallVector<Value> arguments;
    SmallVector<Operation *> constants;
    for (Value input : inputs) {
      if (matchPattern(input, m_Constant()))
        constants.push_back(input.getDefiningOp());
      else
        arguments.push_back(input);
    }
    gpu::GPUFuncOp kernel = createKernel(op, ValueRange(arguments));
    launch(b, op, kernel, arguments);
    IRMapping mapping;
    mapping.map(arguments, kernel.getArguments());
    b.setInsertionPointToStart(&kernel.getBody().front());
    for (Operation *constant : constants)
      b.clone(*constant, mapping);
    KernelBuilder(b, op, mapping).build();
    gpu::ReturnOp::create(b, op.getLoc());
    markWritten(op);
    op->erase();
    return success();
  }

  /// Tells the launcher which of the function's arguments are written.
  static void markWritten(linalg::LinalgOp op) {
    auto function = op->getParentOfType<func::FuncOp>();
    for (Value init : op.getDpsInits()) {
      while (auto view = init.getDefiningOp<ViewLikeOpInterface>())
        init = view.getViewSource();
      auto argument = dyn_cast<BlockArgument>(init);
      if (function && argument &&
          argument.getOwner()->getParentOp() == function)
        function.setArgAttr(argument.getArgNumber(), argumentWrittenAttr,
                            UnitAttr::get(op->getContext()));
    }
  }

  gpu::GPUFuncOp createKernel(linalg::LinalgOp op, ValueRange arguments) {
    OpBuilder b = OpBuilder::atBlockEnd(kernels.getBody());
    auto type = b.getFunctionType(arguments.getTypes(), {});
    auto function = op->getParentOfType<func::FuncOp>();
    std::string name = (function ? function.getName().str() : "kernel") + "_" +
                       std::to_string(count++);
    auto kernel = gpu::GPUFuncOp::create(b, op.getLoc(), name, type);
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    kernel.setKnownBlockSizeAttr(
        b.getDenseI32ArrayAttr({int32_t(threadsPerBlock), 1, 1}));
    return kernel;
  }

  void launch(OpBuilder &b, linalg::LinalgOp op, gpu::GPUFuncOp kernel,
              ValueRange arguments) {
    Location loc = op.getLoc();
    SmallVector<unsigned> parallel;
    op.getParallelDims(parallel);
    Value total = makeIndex(b, loc, 1);
    for (unsigned dim : parallel)
      total = arith::MulIOp::create(b, loc, total, getExtent(b, op, dim));
    Value threads = makeIndex(b, loc, threadsPerBlock);
    Value blocks = arith::CeilDivUIOp::create(b, loc, total, threads);
    Value one = makeIndex(b, loc, 1);
    gpu::LaunchFuncOp::create(b, loc, kernel, {blocks, one, one},
                              {threads, one, one}, Value(), arguments);
  }

  Value getExtent(OpBuilder &b, linalg::LinalgOp op, unsigned dim) {
    Value operand;
    unsigned position;
    (void)op.mapIterationSpaceDimToOperandDim(dim, operand, position);
    return memref::DimOp::create(b, op.getLoc(), operand, position);
  }

  gpu::GPUModuleOp kernels;
  unsigned count = 0;
};

} // namespace
