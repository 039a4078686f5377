//===- GradientOps.cpp - verifiers of what only gradients need ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"

using namespace mlir;
using namespace fa::fagpu;

LogicalResult
SharedRowsType::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<int64_t> shape, Type element) {
  if (shape.size() != 2 || shape[0] <= 0 || shape[1] <= 0 ||
      shape[1] % 8 != 0 || !element.isF32())
    return emitError() << "needs slots x rows of f32, rows a multiple of 8";
  return success();
}

LogicalResult GradientScheduleAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, int64_t stages,
    int64_t scoreStages, int64_t /*producerRegisters*/,
    int64_t /*queryRegisters*/, int64_t /*keyRegisters*/, int64_t /*foldDelta*/,
    int64_t /*packedScores*/, int64_t /*rowsAhead*/, int64_t /*deltaAhead*/,
    int64_t /*keySteps*/, int64_t scoreSteps, int64_t /*lateScores*/,
    int64_t byOutput, int64_t /*valueRegisters*/, int64_t weightStages,
    int64_t cluster, int64_t oneLaunch, int64_t /*prepareBlocks*/,
    int64_t finishTiles, int64_t /*finishLead*/, int64_t persistent) {
  if (stages < 2 || scoreStages < 1 || (byOutput && weightStages < 1))
    return emitError() << "rule 1: a gradient schedule needs two stages of "
                          "query and d_out, one of dS and, by output, one of "
                          "P";
  int64_t most = byOutput ? 4 : 8;
  if (scoreSteps > most)
    return emitError() << "rule 2: a gradient schedule has at most " << most
                       << " score steps, got " << scoreSteps;
  if (cluster != 1 && !(cluster == 2 && byOutput))
    return emitError()
           << "rule 3: a gradient schedule has clusters of 1 block, "
              "or 2 by output, got "
           << cluster;
  if (finishTiles < 1)
    return emitError() << "rule 4: a warpgroup finishes one tile at least";
  if (persistent && oneLaunch)
    return emitError() << "rule 5: blocks of one launch take one tile each; "
                          "persistent ones are of a launch of their own";
  return success();
}

LogicalResult ClearOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !role.getWholeWarp())
    return emitOpError("rule 1: is for a messenger of a whole warp");
  auto buffer = cast<MemRefType>(getBuffer().getType());
  if (!buffer.getElementType().isF32() || !buffer.getLayout().isIdentity())
    return emitOpError("rule 2: the buffer must be f32 and contiguous");
  return success();
}

LogicalResult BulkLoadOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  if (!source.getElementType().isF32() || !source.getLayout().isIdentity() ||
      source.getRank() != static_cast<int64_t>(getOffsets().size()))
    return emitOpError("rule 1: the buffer must be f32 and contiguous, with "
                       "one offset per dimension");
  int64_t stages = cast<RingType>(getRing().getType()).getStages();
  if (stages != cast<CursorType>(getCursor().getType()).getStages() ||
      stages != cast<SharedRowsType>(getRows().getType()).getSlots())
    return emitOpError("rule 2: ring, cursor and slots must have the same "
                       "number of stages");
  return success();
}

LogicalResult ReadColsOp::verify() {
  auto rows = cast<SharedRowsType>(getRows().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (result.getShape().back() != rows.getRows() ||
      !result.getElementType().isF32())
    return emitOpError("rule 1: needs as many f32 columns as a slot has "
                       "numbers");
  auto cursor = dyn_cast<CursorType>(getIndex().getType());
  if (cursor && cursor.getStages() != rows.getSlots())
    return emitOpError("rule 2: needs as many slots as the cursor has stages");
  return success();
}

LogicalResult StoreFragmentsOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  auto smem = cast<SwizzledType>(getSmem().getType());
  if (tile.getShape() != smem.getShape().drop_front() ||
      tile.getElementType() != smem.getElementType())
    return emitOpError("rule 1: the tile must be one of ") << smem;
  auto cursor = dyn_cast<CursorType>(getIndex().getType());
  if (cursor && smem.getTiles() % cursor.getStages() != 0)
    return emitOpError("rule 2: the number of tiles must be a multiple of the "
                       "cursor's stages");
  return success();
}

LogicalResult SendOp::verify() {
  auto smem = cast<SwizzledType>(getSmem().getType());
  int64_t stages = cast<CursorType>(getCursor().getType()).getStages();
  int64_t perSlot = smem.getTiles() / stages;
  auto isTile = [&](uint64_t tile) {
    return tile < static_cast<uint64_t>(perSlot);
  };
  if (stages != cast<RingType>(getRing().getType()).getStages() ||
      smem.getTiles() % stages != 0 || !isTile(getFrom()) || !isTile(getTo()) ||
      getFrom() == getTo())
    return emitOpError("rule 1: ring and cursor must have the same number of "
                       "stages, and from and to must be two tiles of a slot");
  if (smem.getRows() != kBlockRows || smem.getCols() != kBlockRows)
    return emitOpError("rule 2: the tile must have 64 rows of 64 columns");
  auto ring = getRing().getDefiningOp<RingOp>();
  if (ring && !ring.getPaired())
    return emitOpError("rule 3: the ring is not paired");
  auto role = (*this)->getParentOfType<RoleOp>();
  if (role &&
      (role.getKind() != RoleKind::Consumer || role.getWarpgroups() != 1))
    return emitOpError("rule 4: is for a consumer of one warpgroup");
  return success();
}

LogicalResult UnpackOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getShape() != to.getShape() || from.getRank() != 2 ||
      !to.getElementType().isF32())
    return emitOpError("rule 1: RxC bf16 or f16 to RxC f32");
  return success();
}

LogicalResult ReadFragmentsOp::verify() {
  auto smem = cast<SwizzledType>(getSmem().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  int64_t rows = getRowsAreColumns() ? smem.getCols() : smem.getRows();
  int64_t columns =
      getRowsAreColumns() ? smem.getRows() * getTiles() : smem.getCols();
  if (result.getRank() != 2 || result.getDimSize(0) != kBlockRows ||
      rows != kBlockRows || result.getDimSize(1) % 16 != 0 ||
      result.getDimSize(1) > columns ||
      result.getElementType() != smem.getElementType())
    return emitOpError("rule 1: the result must be 64 rows of the operand, a "
                       "multiple of 16 of its columns");
  auto cursor = dyn_cast<CursorType>(getIndex().getType());
  if (cursor &&
      cursor.getStages() * static_cast<int64_t>(getTiles()) != smem.getTiles())
    return emitOpError("rule 2: needs as many tiles as the cursor has stages, "
                       "times tiles");
  return success();
}

/// Whether a buffer with these offsets can be in fragment order, with a
/// multiple of so many columns.
template <typename OpTy>
static bool hasFragmentOrder(OpTy op, int64_t columns) {
  auto buffer = cast<MemRefType>(op.getBuffer().getType());
  ArrayRef<int64_t> dims = op.getTileDims();
  int64_t rank = buffer.getRank();
  bool hasDims = dims.size() == 2 && dims[0] >= 0 && dims[0] < rank &&
                 dims[1] == rank - 1 && dims[0] != dims[1];
  return buffer.getElementType().isF32() && buffer.getLayout().isIdentity() &&
         hasDims && static_cast<int64_t>(op.getOffsets().size()) == rank - 1 &&
         !buffer.isDynamicDim(rank - 1) &&
         buffer.getDimSize(rank - 1) % columns == 0;
}

LogicalResult RoundFragmentsOp::verify() {
  if (!(*this)->getParentOfType<ForEachNumberOp>())
    return emitOpError("rule 1: is for the body of fagpu.for_each_number");
  if (!hasFragmentOrder(*this, /*columns=*/32))
    return emitOpError("rule 2: the buffer must be f32, contiguous, with "
                       "columns, a static multiple of 32, as its last "
                       "dimension and an offset for every other one");
  int64_t columns = cast<MemRefType>(getBuffer().getType()).getShape().back();
  auto to = cast<MemRefType>(getDestination().getType());
  ArrayRef<int64_t> dims = getToDims();
  int64_t rank = to.getRank();
  auto isDim = [&](int64_t dim) { return dim >= 0 && dim < rank; };
  bool hasDims =
      dims.size() == 2 && dims[0] != dims[1] && llvm::all_of(dims, isDim);
  Type element = to.getElementType();
  if (!(element.isBF16() || element.isF16()) || !hasDims ||
      static_cast<int64_t>(getTo().size()) != rank ||
      to.getDimSize(dims[1]) != columns)
    return emitOpError("rule 3: the destination must be bf16 or f16, with an "
                       "offset per dimension and as many columns as the "
                       "buffer");
  if (getParts() != 1 && getParts() != 2 && getParts() != 4)
    return emitOpError("rule 4: there must be 1, 2 or 4 parts");
  return success();
}

template <typename OpTy> static LogicalResult verifyFragments(OpTy op) {
  auto buffer = cast<MemRefType>(op.getBuffer().getType());
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  int64_t rank = buffer.getRank();
  if (!hasFragmentOrder(op, /*columns=*/8))
    return op.emitOpError("rule 1: the buffer must be f32, contiguous, with "
                          "columns, a static multiple of 8, as its last "
                          "dimension and an offset for every other one");
  if (tile.getRank() != 2 || tile.getDimSize(0) != kBlockRows ||
      !tile.getElementType().isF32() ||
      tile.getDimSize(1) > buffer.getDimSize(rank - 1))
    return op.emitOpError("rule 2: the tile must be 64 rows of f32 within the "
                          "buffer's columns");
  return success();
}

LogicalResult ReduceAddOp::verify() { return verifyFragments(*this); }
LogicalResult LoadFragmentsOp::verify() { return verifyFragments(*this); }
LogicalResult PutFragmentsOp::verify() { return verifyFragments(*this); }
