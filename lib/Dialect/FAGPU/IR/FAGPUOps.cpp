//===- FAGPUOps.cpp - verifiers of the fagpu dialect ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace fa::fagpu;

#define GET_OP_CLASSES
#include "fa/Dialect/FAGPU/IR/FAGPUOps.cpp.inc"

static LogicalResult verifyTransfer(Operation *op, Type memref,
                                    size_t numOffsets,
                                    ArrayRef<int64_t> tileDims, Type element) {
  auto type = cast<MemRefType>(memref);
  if (static_cast<int64_t>(numOffsets) != type.getRank())
    return op->emitOpError("rule 1: needs one offset per dimension of ")
           << type;
  if (tileDims.size() != 2 || tileDims[0] == tileDims[1])
    return op->emitOpError("rule 1: tile_dims names two distinct dimensions");
  for (int64_t dim : tileDims)
    if (dim < 0 || dim >= type.getRank())
      return op->emitOpError("rule 1: tile_dims out of range");
  if (type.getElementType() != element)
    return op->emitOpError("rule 1: element types differ");
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  return verifyTransfer(*this, getSource().getType(), getOffsets().size(),
                        getTileDims(),
                        cast<SmemType>(getSmem().getType()).getElementType());
}

LogicalResult StoreThroughOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  auto smem = cast<SmemType>(getSmem().getType());
  if (!hasLayout<AccAttr>(tile) || tile.getShape() != smem.getShape() ||
      tile.getElementType() != smem.getElementType())
    return emitOpError("rule 1: the tile must be in #fagpu.acc, of smem's "
                       "shape and element type");
  return verifyTransfer(*this, getDestination().getType(), getOffsets().size(),
                        getTileDims(), tile.getElementType());
}

static std::pair<ArrayRef<int64_t>, Type> shapeOf(Type type) {
  if (auto smem = dyn_cast<SmemType>(type))
    return {smem.getShape(), smem.getElementType()};
  auto tensor = cast<RankedTensorType>(type);
  return {tensor.getShape(), tensor.getElementType()};
}

LogicalResult MmaOp::verify() {
  auto [a, aElement] = shapeOf(getA().getType());
  auto [b, bElement] = shapeOf(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  auto isShared = [](Type type) {
    return isa<SmemType>(type) || hasLayout<SharedAttr>(type);
  };
  if (!isShared(getA().getType()) && !hasLayout<AOpAttr>(getA().getType()))
    return emitOpError("a must be in shared memory or in #fagpu.a_op");
  if (!isShared(getB().getType()))
    return emitOpError("b must be in shared memory");
  if (!hasLayout<AccAttr>(acc) || !acc.getElementType().isF32())
    return emitOpError("acc must be f32 in #fagpu.acc");
  if (aElement != bElement || !(aElement.isBF16() || aElement.isF16()))
    return emitOpError("rule 1: a and b must both be bf16 or both f16");
  int64_t m = a[0], k = a[1];
  if (getATransposed())
    std::swap(m, k);
  int64_t n = getBTransposed() ? b[0] : b[1];
  if (k != (getBTransposed() ? b[1] : b[0]) ||
      acc.getShape() != ArrayRef<int64_t>{m, n})
    return emitOpError("rule 1: shapes do not agree");
  if (m % kBlockRows != 0 || k % 16 != 0 || n % 16 != 0)
    return emitOpError("rule 2: M, N, K must be multiples of 64, 16, 16");
  return success();
}

LogicalResult PutOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  auto smem = cast<SmemType>(getSmem().getType());
  if (!hasLayout<AOpAttr>(tile) || tile.getShape() != smem.getShape() ||
      tile.getElementType() != smem.getElementType())
    return emitOpError("rule 1: the tile must be in #fagpu.a_op, of smem's "
                       "shape and element type");
  return success();
}

LogicalResult PartialSumsOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!hasLayout<AccAttr>(source) || !hasLayout<RowsPartialAttr>(result) ||
      result.getShape() != ArrayRef<int64_t>{source.getDimSize(0), 4} ||
      source.getElementType() != result.getElementType())
    return emitOpError("rule 1: MxN in #fagpu.acc to Mx4 in "
                       "#fagpu.rows_partial");
  return success();
}
