//===- ChooseSchedule.cpp - tiles and staging for mma.sync kernels --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "fa/Transforms/BackwardTiles.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

namespace fa {
#define GEN_PASS_DEF_FACHOOSEGPUSCHEDULE
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

constexpr StringLiteral kScheduleName = "fa.schedule",
                        kMappingName = "fa.mapping";

/// Head dimensions as tiles have them; 0 where they are not known.
struct HeadDims {
  int64_t query, value;
  int64_t largest() const { return std::max(query, value); }
};

struct Tiles {
  int64_t query, key;
};

/// True if every score takes an element of its own from memory.
bool readsPerScore(AttentionOpInterface op) {
  return llvm::any_of(op.getMappedOperands(), [&](OpOperand *operand) {
    DimSet both = dims(M, N);
    return (dimsOf(op.getMapOf(*operand)) & both) == both;
  });
}

/// The largest tiles whose accumulators stay in registers, next to what each
/// score takes from memory.
Tiles tilesFor(int64_t headDim, bool readsPerScore) {
  if (headDim > 128)
    return {64, 64};
  return {128, readsPerScore && headDim > 32 ? 32 : 64};
}

/// Tiles of the gradients' kernels: a block keeps `query` rows or `key` keys;
/// `rows` or `keys` of the others pass by.
struct PairTiles {
  int64_t query, key, rows, keys;
};

/// A block's sums and two tiles of scores fill its registers: large head
/// dimensions, what each score takes from memory, and gradients of biases and
/// captures leave room for narrow tiles of scores.
PairTiles pairTilesFor(int64_t headDim, bool readsPerScore, bool hasOthers) {
  if (readsPerScore)
    return headDim > 128 ? PairTiles{64, 64, 16, 16}
                         : PairTiles{64, 64, 32, 32};
  if (headDim > 128)
    return {64, 64, 32, 32};
  if (headDim > 64)
    return {hasOthers ? 64 : 128, 64, 48, 32};
  return {128, 64, 64, hasOthers ? 32 : 64};
}

int64_t extentOf(OpOperand &operand, AttentionOpInterface op, Dim dim) {
  int64_t position = positionOf(op.getMapOf(operand), dim);
  int64_t extent =
      cast<ShapedType>(operand.get().getType()).getDimSize(position);
  return extent < 0 ? 0 : llvm::alignTo(extent, 16);
}

template <typename OpT> HeadDims headDimsOf(OpT op) {
  auto interface = cast<AttentionOpInterface>(op.getOperation());
  return {extentOf(op.getQueryMutable(), interface, D),
          extentOf(op.getValueMutable(), interface, E)};
}

/// Shared memory with two buffers for keys and values.
int64_t bytesTwice(HeadDims dims, ScheduleAttr schedule) {
  MLIRContext *context = schedule.getContext();
  auto bytes = [&](int64_t rows, int64_t columns, int64_t stages) {
    // Other element types are refused later.
    auto element = BFloat16Type::get(context);
    return fagpu::SmemType::get(context, {rows, columns}, element, stages)
        .getBytes();
  };
  return bytes(schedule.getQueryTile(), dims.query, 1) +
         bytes(schedule.getKeyTile(), dims.query, 2) +
         bytes(schedule.getKeyTile(), dims.value, 2);
}

/// One grid dimension per loop, however many iterations: a loop of one must not
/// disappear, for the whole would then be no kernel.
ArrayAttr mappingFor(ScheduleAttr schedule) {
  MLIRContext *context = schedule.getContext();
  const mlir::gpu::MappingId ids[] = {
      mlir::gpu::MappingId::LinearDim3, mlir::gpu::MappingId::LinearDim2,
      mlir::gpu::MappingId::LinearDim1, mlir::gpu::MappingId::LinearDim0};
  unsigned loops = schedule.getOrder() == LoopOrder::QueryOuter ? 4 : 3;
  SmallVector<Attribute> mapping;
  for (mlir::gpu::MappingId id : ArrayRef(ids).take_back(loops))
    mapping.push_back(mlir::gpu::GPUBlockMappingAttr::get(context, id));
  return ArrayAttr::get(context, mapping);
}

/// What these kernels cannot do whatever the schedule.
template <typename OpT> LogicalResult checkSupported(OpT op, HeadDims dims) {
  constexpr int64_t largest = 256;
  for (Value operand : {op.getQuery(), op.getKey(), op.getValue()}) {
    Type element = getElementTypeOrSelf(operand.getType());
    if (!element.isBF16() && !element.isF16())
      return op.emitError("tensor cores multiply bf16 or f16, not ")
             << element
             << "; convert query, key and value, or choose schedule=standard";
  }
  if (dims.query == 0 || dims.value == 0)
    return op.emitError("a GPU kernel needs head dimensions that are known at "
                        "compile time, or schedule=standard");
  if (dims.largest() > largest)
    return op.emitError("GPU kernels take head dimensions up to ")
           << largest << "; choose schedule=standard for larger ones";
  return success();
}

/// Tensor cores multiply values of one type: queries and keys, d_out and
/// values.
LogicalResult checkTypes(AttentionBackwardOp op) {
  auto check = [&](Value a, StringRef aName, Value b,
                   StringRef bName) -> LogicalResult {
    Type x = getElementTypeOrSelf(a.getType());
    Type y = getElementTypeOrSelf(b.getType());
    if (x == y)
      return success();
    return op.emitError("target sm_80 multiplies ")
           << aName << " and " << bName << " of one element type, got " << x
           << " and " << y << "; convert one, or choose target cpu";
  };
  return success(
      succeeded(check(op.getQuery(), "query", op.getKey(), "key")) &&
      succeeded(check(op.getDOut(), "d_out", op.getValue(), "value")));
}

/// Any order of additions is that of atomic ones: threads would have to take
/// turns at the elements that several of them read.
LogicalResult checkGradients(AttentionBackwardOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  for (OpOperand *of : op.getDifferentiated())
    if (self.isWholeCapture(*of)) {
      if (op.getDeterministic())
        return op.emitError("target sm_80 has no deterministic gradients of "
                            "captures that are taken whole; give the capture "
                            "an indexing map, or choose target cpu");
      op->setAttr(kAtomicCapturesName, UnitAttr::get(op.getContext()));
    }
  return success();
}

constexpr StringLiteral kBackwardName = "fa.backward_schedule";

struct ChooseSchedulePass
    : fa::impl::FAChooseGPUScheduleBase<ChooseSchedulePass> {
  using FAChooseGPUScheduleBase::FAChooseGPUScheduleBase;

  /// Of d_key and d_value a block of a large head dimension keeps one.
  LogicalResult chooseBackward(AttentionBackwardOp op, HeadDims dims) {
    Builder b(op.getContext());
    auto given = op->getAttrOfType<BackwardScheduleAttr>(kBackwardName);
    QueryGradient mode =
        given ? given.getDQuery() : *symbolizeQueryGradient(dQuery);
    bool isOneKernel =
        mode != QueryGradient::Recompute &&
        !(mode == QueryGradient::Atomic && op.getDeterministic());
    auto self = cast<AttentionOpInterface>(op.getOperation());
    bool hasOthers = op.getBiasGradient() || !op.getCaptureGradients().empty();
    bool reads = readsPerScore(self) || op->hasAttr(kAtomicCapturesName);
    PairTiles tiles = isOneKernel
                          ? PairTiles{64, 64, 64, 64}
                          : pairTilesFor(dims.largest(), reads, hasOthers);
    if (!given)
      op->setAttr(kBackwardName,
                  BackwardScheduleAttr::get(
                      op.getContext(), queryTile ? queryTile : tiles.query,
                      keyTile ? keyTile : tiles.key, mode));
    op->setAttr(kStreamedRowsName,
                b.getI64IntegerAttr(streamedRows ? streamedRows : tiles.rows));
    if (isOneKernel)
      return checkOneKernel(op, dims, mode);
    op->setAttr(kStreamedKeysName,
                b.getI64IntegerAttr(streamedKeys ? streamedKeys : tiles.keys));
    bool split = splitKeys.empty() ? dims.largest() > 128 : splitKeys == "true";
    if (split)
      op->setAttr(kSplitName, b.getUnitAttr());
    return success();
  }

  /// All products in one kernel: tiles of d_query are of streamed rows. With
  /// roles, no warpgroup has more than one sum.
  LogicalResult checkOneKernel(AttentionBackwardOp op, HeadDims dims,
                               QueryGradient mode) {
    constexpr int64_t largest = 128;
    if (dims.largest() > largest && !op->hasAttr(fagpu::kGradientsName))
      return op.emitError("target sm_80 takes d-query=")
             << stringifyQueryGradient(mode) << " for head dimensions up to "
             << largest << "; choose d-query=recompute";
    return success();
  }

  void runOnOperation() override {
    if (stages < 0 || stages > 2) {
      getOperation()->emitError("fa-choose-gpu-schedule: stages must be 1 or "
                                "2, or 0 to choose, got ")
          << int64_t(stages);
      return signalPassFailure();
    }
    if (!symbolizeQueryGradient(dQuery)) {
      getOperation()->emitError("fa-choose-gpu-schedule: d-query = '")
          << dQuery << "', expected owned, recompute or atomic";
      return signalPassFailure();
    }
    WalkResult result = getOperation()->walk([&](OnlineAttentionOp op) {
      HeadDims dims = headDimsOf(op);
      if (failed(checkSupported(op, dims)))
        return WalkResult::interrupt();
      auto schedule = op->getAttrOfType<ScheduleAttr>(kScheduleName);
      if (!schedule) {
        auto interface = cast<AttentionOpInterface>(op.getOperation());
        Tiles tiles = tilesFor(dims.largest(), readsPerScore(interface));
        schedule = ScheduleAttr::get(&getContext(), LoopOrder::QueryOuter,
                                     queryTile ? queryTile : tiles.query,
                                     keyTile ? keyTile : tiles.key,
                                     /*partial_sums=*/4);
        op->setAttr(kScheduleName, schedule);
      }
      op->setAttr(kMappingName, mappingFor(schedule));
      chooseStaging(op, dims, schedule);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    result = getOperation()->walk([&](AttentionBackwardOp op) -> WalkResult {
      HeadDims dims = headDimsOf(op);
      if (failed(checkSupported(op, dims)) || failed(checkTypes(op)) ||
          failed(checkGradients(op)) || failed(chooseBackward(op, dims)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  void chooseStaging(OnlineAttentionOp op, HeadDims dims,
                     ScheduleAttr schedule) {
    Builder b(op);
    bool isSmall = dims.largest() <= 64;
    int64_t chosen = stages;
    if (chosen == 0)
      chosen = isSmall && bytesTwice(dims, schedule) <= maxShared ? 2 : 1;
    bool early = earlyKeys.empty() ? !isSmall : earlyKeys == "true";
    op->setAttr(fagpu::kStagesName, b.getI64IntegerAttr(chosen));
    if (early && chosen == 1)
      op->setAttr(fagpu::kEarlyKeysName, b.getUnitAttr());
  }
};

} // namespace
