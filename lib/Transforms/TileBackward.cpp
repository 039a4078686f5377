//===- TileBackward.cpp - gradients of attention as a tile program --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/BackwardTiles.h"
#include "fa/Transforms/Decompose.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace fa {
#define GEN_PASS_DEF_FATILEBACKWARD
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

static constexpr StringLiteral kScheduleName = "fa.backward_schedule";

namespace {

LogicalResult checkSupported(AttentionBackwardOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto isStatic = [&](OpOperand &operand, Dim dim) {
    return !cast<ShapedType>(operand.get().getType())
                .isDynamicDim(positionOf(self.getMapOf(operand), dim));
  };
  if (!isStatic(op.getQueryMutable(), D) && !isStatic(op.getKeyMutable(), D))
    return op.emitOpError("fa-tile-backward does not support a dynamic head "
                          "dimension of query and key (d); make it static");
  if (!isStatic(op.getValueMutable(), E) && !isStatic(op.getOutMutable(), E) &&
      !isStatic(op.getDOutMutable(), E))
    return op.emitOpError("fa-tile-backward does not support a dynamic head "
                          "dimension of value (e); make it static");
  return verifyDifferentiable(op);
}

class BackwardTiler {
public:
  BackwardTiler(RewriterBase &rewriter, AttentionBackwardOp op,
                BackwardScheduleAttr schedule)
      : rewriter(rewriter), op(op), schedule(schedule) {}

  void run() {
    SmallVector<Value> memory(op.getOutputs());
    bool isOnTensors = op.getNumResults() > 0;
    if (!isOnTensors)
      // Regions that take captures whole read tensors inside of tiles.
      op = cast<AttentionBackwardOp>(
          convertToTensors(rewriter,
                           cast<DestinationStyleOpInterface>(op.getOperation()))
              .getOperation());
    rewriter.setInsertionPoint(op);
    if (isOnTensors)
      for (Value &output : memory)
        output = allocateFor(output);
    BackwardTiles tiles(rewriter, op, schedule);
    tiles.build(memory);
    for (scf::ForallOp loops : tiles.kernels)
      describe(loops);
    if (isOnTensors)
      replaceResults(memory);
    else
      eraseStores();
    rewriter.eraseOp(op);
  }

private:
  Value allocateFor(Value init) {
    auto type = cast<RankedTensorType>(init.getType());
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(tensor::DimOp::create(rewriter, op.getLoc(), init, i));
    return memref::AllocOp::create(
        rewriter, op.getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()), sizes);
  }

  void replaceResults(ArrayRef<Value> memory) {
    for (auto [result, buffer] : llvm::zip_equal(op->getResults(), memory)) {
      Value tensor = bufferization::ToTensorOp::create(
          rewriter, op.getLoc(), result.getType(), buffer, /*restrict=*/true,
          /*writable=*/true);
      rewriter.replaceAllUsesWith(result, tensor);
    }
  }

  /// Results are in memory already.
  void eraseStores() {
    for (OpResult result : op->getResults())
      for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
        rewriter.eraseOp(user);
  }

  void describe(scf::ForallOp loops) {
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      loops->setAttr(attribute.getName(), attribute.getValue());
    loops->setAttr(kScheduleName, schedule);
    loops.setMappingAttr(mappingFor(loops.getRank()));
  }

  /// One dimension of the grid per loop. A loop of one iteration stays a loop
  /// then: its body is the work of a block, wherever that runs.
  ArrayAttr mappingFor(unsigned rank) {
    constexpr unsigned last = unsigned(gpu::MappingId::LinearDim0);
    SmallVector<Attribute> mapping;
    for (unsigned i = rank; i-- > 0;)
      mapping.push_back(gpu::GPUBlockMappingAttr::get(
          op.getContext(), static_cast<gpu::MappingId>(last + i)));
    return rewriter.getArrayAttr(mapping);
  }

  RewriterBase &rewriter;
  AttentionBackwardOp op;
  BackwardScheduleAttr schedule;
};

BackwardScheduleAttr scheduleFor(AttentionBackwardOp op,
                                 BackwardScheduleAttr fromOptions) {
  auto schedule = op->getAttrOfType<BackwardScheduleAttr>(kScheduleName);
  if (!schedule)
    schedule = fromOptions;
  if (!op.getDeterministic() || schedule.getDQuery() != QueryGradient::Atomic)
    return schedule;
  return BackwardScheduleAttr::get(op.getContext(), schedule.getQueryTile(),
                                   schedule.getKeyTile(),
                                   QueryGradient::Recompute);
}

struct TileBackwardPass : fa::impl::FATileBackwardBase<TileBackwardPass> {
  using FATileBackwardBase::FATileBackwardBase;

  void runOnOperation() override {
    Location loc = getOperation()->getLoc();
    std::optional<QueryGradient> mode = symbolizeQueryGradient(dQuery);
    if (!mode) {
      mlir::emitError(loc, "fa-tile-backward: d-query = '")
          << dQuery << "', expected owned, recompute or atomic";
      return signalPassFailure();
    }
    auto onError = [&] { return mlir::emitError(loc, "fa-tile-backward: "); };
    if (failed(BackwardScheduleAttr::verify(onError, queryTile.getValue(),
                                            keyTile.getValue(), *mode)))
      return signalPassFailure();
    auto fromOptions = BackwardScheduleAttr::get(
        &getContext(), queryTile.getValue(), keyTile.getValue(), *mode);
    IRRewriter rewriter(&getContext());
    SmallVector<AttentionBackwardOp> worklist;
    getOperation()->walk(
        [&](AttentionBackwardOp op) { worklist.push_back(op); });
    for (AttentionBackwardOp op : worklist) {
      if (failed(checkSupported(op)))
        return signalPassFailure();
      BackwardTiler(rewriter, op, scheduleFor(op, fromOptions)).run();
    }
  }
};

} // namespace
