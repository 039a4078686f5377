//===- FATiling.cpp - TilingInterface of the attention ops ----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// A tile is the same op on slices, plus state that keeps positions absolute:
// bases move by the tile's offset, and limits remember the extents from before
// tiling, so that masks, alignment and lengths never see a tile's shape.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace fa;

namespace {

/// fa.attention has no loop over keys: its softmax needs all of them. In
/// fa.online_attention the loop over keys carries the state, and the value's
/// columns are not a loop since every column needs the same row_max update.
template <typename OpT> constexpr std::array<Dim, 5> loopDims() {
  if constexpr (std::is_same_v<OpT, AttentionOp>)
    return {B, H, G, M, E};
  else
    return {B, H, G, M, N};
}

OpFoldResult sizeOf(OpBuilder &b, Location loc, Value v, int64_t dim) {
  auto type = cast<ShapedType>(v.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  if (isa<MemRefType>(type))
    return memref::DimOp::create(b, loc, v, dim).getResult();
  return tensor::DimOp::create(b, loc, v, dim).getResult();
}

/// The extent of a domain dimension: that of the first operand which has it.
OpFoldResult extentOf(OpBuilder &b, AttentionOpInterface op, Dim dim) {
  for (auto [operand, map] :
       llvm::zip_equal(op.getMappedOperands(), op.getIndexingMaps())) {
    int64_t position = positionOf(cast<AffineMapAttr>(map).getValue(), dim);
    if (position >= 0)
      return sizeOf(b, op.getLoc(), operand->get(), position);
  }
  return b.getIndexAttr(1);
}

OpFoldResult add(OpBuilder &b, Location loc, OpFoldResult x, OpFoldResult y) {
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  return affine::makeComposedFoldedAffineApply(b, loc, d0 + d1, {x, y});
}

struct Slice {
  SmallVector<OpFoldResult> offsets, sizes;
};

/// Where a tile of the domain lies in one operand.
Slice sliceOf(OpBuilder &b, Location loc, Value operand, AffineMap map,
              const std::array<OpFoldResult, NumDims> &offsets,
              const std::array<OpFoldResult, NumDims> &sizes) {
  Slice slice;
  int64_t rank = cast<ShapedType>(operand.getType()).getRank();
  for (int64_t i = 0; i < rank; ++i) {
    // Partial sums have a dimension without a map result.
    unsigned dim = i < map.getNumResults() ? map.getDimPosition(i) : NumDims;
    bool tiled = dim != NumDims && offsets[dim];
    slice.offsets.push_back(tiled ? offsets[dim] : b.getIndexAttr(0));
    slice.sizes.push_back(tiled ? sizes[dim] : sizeOf(b, loc, operand, i));
  }
  return slice;
}

Operation *createSlice(OpBuilder &b, Location loc, Value v,
                       const Slice &slice) {
  SmallVector<OpFoldResult> strides(slice.offsets.size(), b.getIndexAttr(1));
  if (isa<MemRefType>(v.getType()))
    return memref::SubViewOp::create(b, loc, v, slice.offsets, slice.sizes,
                                     strides);
  return tensor::ExtractSliceOp::create(b, loc, v, slice.offsets, slice.sizes,
                                        strides);
}

bool areEqual(OpFoldResult x, OpFoldResult y) {
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(x, y);
  return succeeded(equal) && *equal;
}

bool readsHead(AttentionOpInterface op) {
  bool reads = false;
  for (Region *region : {&op.getScoreRegion(), &op.getMaskRegion()})
    region->walk(
        [&](IndexOp index) { reads |= index.getAxis() == Axis::Head; });
  return reads;
}

template <typename OpT>
FailureOr<TilingResult> tile(OpT op, OpBuilder &b,
                             ArrayRef<OpFoldResult> loopOffsets,
                             ArrayRef<OpFoldResult> loopSizes) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  if (self.isPacked())
    return op.emitOpError("tiling does not support query_offsets and "
                          "key_offsets; run --fa-decompose first");

  std::array<OpFoldResult, NumDims> offsets, sizes;
  for (auto [i, dim] : llvm::enumerate(loopDims<OpT>())) {
    offsets[dim] = loopOffsets[i];
    sizes[dim] = loopSizes[i];
  }

  // Upstream's slices of nothing do not verify.
  for (OpOperand *operand : self.getMappedOperands())
    if (llvm::is_contained(
            cast<ShapedType>(operand->get().getType()).getShape(), 0))
      return op.emitOpError("tiling does not support an operand of static "
                            "extent 0; run --fa-decompose");
  OpFoldResult group = extentOf(b, self, G);
  if (readsHead(self) && getConstantIntValue(group) != 1 &&
      getConstantIntValue(sizes[H]) != 1 && !areEqual(group, sizes[G]))
    return op.emitOpError("tiling both heads and groups does not support "
                          "fa.index h: the head of a tile would not be affine");
  if (offsets[E] && op.getOutputs().size() > 1 &&
      !areEqual(sizes[E], extentOf(b, self, E)))
    return op.emitOpError("tiling e does not support an lse output: every tile "
                          "would write it");

  TilingResult result;
  SmallVector<Value> operands(op->getOperands());
  auto slice = [&](OpOperand &operand, const Slice &where) {
    Operation *sliceOp = createSlice(b, loc, operand.get(), where);
    result.generatedSlices.push_back(sliceOp);
    operands[operand.getOperandNumber()] = sliceOp->getResult(0);
  };
  for (auto [operand, map] :
       llvm::zip_equal(self.getMappedOperands(), self.getIndexingMaps())) {
    // A region's argument has the type of what it takes whole.
    if (cast<AffineMapAttr>(map).getValue().getNumResults() == 0)
      continue;
    slice(*operand,
          sliceOf(b, loc, operand->get(), cast<AffineMapAttr>(map).getValue(),
                  offsets, sizes));
  }
  for (MutableOperandRange lengths :
       {op.getQueryLengthsMutable(), op.getKeyLengthsMutable()})
    for (OpOperand &operand : lengths)
      slice(operand, {{offsets[B]}, {sizes[B]}});

  SmallVector<Type> resultTypes;
  for (OpOperand &output : op.getOutputsMutable())
    if (isa<TensorType>(output.get().getType()))
      resultTypes.push_back(operands[output.getOperandNumber()].getType());
  Operation *tiled = cloneWith(b, op, resultTypes, operands);
  auto tiledOp = cast<OpT>(tiled);

  auto moveBase = [&](MutableOperandRange range, OpFoldResult by) {
    if (isZeroInteger(by))
      return;
    OpFoldResult base =
        range.empty() ? b.getIndexAttr(0) : OpFoldResult(range[0].get());
    OpFoldResult moved = add(b, loc, base, by);
    range.assign(getValueOrCreateConstantIndexOp(b, loc, moved));
  };
  auto keepLimit = [&](MutableOperandRange limit, Value base, Dim dim) {
    OpFoldResult extent = extentOf(b, self, dim);
    if (!limit.empty() || (isZeroInteger(offsets[dim]) &&
                           isEqualConstantIntOrValue(sizes[dim], extent)))
      return;
    if (base)
      extent = add(b, loc, base, extent);
    limit.assign(getValueOrCreateConstantIndexOp(b, loc, extent));
  };
  // The tiled op was created before these values; they must dominate it.
  b.setInsertionPoint(tiled);
  if (offsets[N])
    keepLimit(tiledOp.getKeyLimitMutable(), self.getKeyBase(), N);
  keepLimit(tiledOp.getQueryLimitMutable(), self.getQueryBase(), M);
  moveBase(tiledOp.getBatchBaseMutable(), offsets[B]);
  moveBase(tiledOp.getQueryBaseMutable(), offsets[M]);
  if (offsets[N])
    moveBase(tiledOp.getKeyBaseMutable(), offsets[N]);
  AffineExpr h, g, extent;
  bindDims(b.getContext(), h, g);
  bindSymbols(b.getContext(), extent);
  moveBase(tiledOp.getHeadBaseMutable(),
           affine::makeComposedFoldedAffineApply(
               b, loc, h * extent + g, {offsets[H], offsets[G], group}));
  b.setInsertionPointAfter(tiled);

  result.tiledOps.push_back(tiled);
  result.tiledValues.append(tiled->result_begin(), tiled->result_end());
  return result;
}

template <typename OpT> SmallVector<Range> domainOf(OpT op, OpBuilder &b) {
  SmallVector<Range> ranges;
  for (Dim dim : loopDims<OpT>())
    ranges.push_back({b.getIndexAttr(0),
                      extentOf(b, cast<AttentionOpInterface>(*op), dim),
                      b.getIndexAttr(1)});
  return ranges;
}

template <typename OpT>
LogicalResult resultPosition(OpT op, OpBuilder &b, unsigned number,
                             ArrayRef<OpFoldResult> loopOffsets,
                             ArrayRef<OpFoldResult> loopSizes,
                             SmallVector<OpFoldResult> &resultOffsets,
                             SmallVector<OpFoldResult> &resultSizes) {
  std::array<OpFoldResult, NumDims> offsets, sizes;
  for (auto [i, dim] : llvm::enumerate(loopDims<OpT>())) {
    offsets[dim] = loopOffsets[i];
    sizes[dim] = loopSizes[i];
  }
  auto self = cast<AttentionOpInterface>(op.getOperation());
  OpOperand &output = op.getOutputsMutable()[number];
  Slice slice = sliceOf(b, op.getLoc(), output.get(), self.getMapOf(output),
                        offsets, sizes);
  resultOffsets = slice.offsets;
  resultSizes = slice.sizes;
  return success();
}

/// The tile of the domain that computes a slice of a result.
template <typename OpT>
FailureOr<TilingResult> resultTile(OpT op, OpBuilder &b, unsigned number,
                                   ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  AffineMap map = self.getMapOf(op.getOutputsMutable()[number]);
  SmallVector<OpFoldResult> loopOffsets, loopSizes;
  for (Dim dim : loopDims<OpT>()) {
    int64_t position = positionOf(map, dim);
    loopOffsets.push_back(position < 0 ? b.getIndexAttr(0) : offsets[position]);
    loopSizes.push_back(position < 0 ? extentOf(b, self, dim)
                                     : sizes[position]);
  }
  FailureOr<TilingResult> result = tile(op, b, loopOffsets, loopSizes);
  if (succeeded(result))
    result->tiledValues = {result->tiledValues[number]};
  return result;
}

} // namespace

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(5, utils::IteratorType::parallel);
}
SmallVector<utils::IteratorType> OnlineAttentionOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(5, utils::IteratorType::parallel);
  types.back() = utils::IteratorType::reduction;
  return types;
}

#define FA_TILING(Op)                                                          \
  SmallVector<Range> Op::getIterationDomain(OpBuilder &b) {                    \
    return domainOf(*this, b);                                                 \
  }                                                                            \
  FailureOr<TilingResult> Op::getTiledImplementation(                          \
      OpBuilder &b, ArrayRef<OpFoldResult> offsets,                            \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return tile(*this, b, offsets, sizes);                                     \
  }                                                                            \
  LogicalResult Op::getResultTilePosition(                                     \
      OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,           \
      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,  \
      SmallVector<OpFoldResult> &resultSizes) {                                \
    return resultPosition(*this, b, number, offsets, sizes, resultOffsets,     \
                          resultSizes);                                        \
  }                                                                            \
  FailureOr<TilingResult> Op::generateResultTileValue(                         \
      OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,           \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return resultTile(*this, b, number, offsets, sizes);                       \
  }

FA_TILING(AttentionOp)
FA_TILING(OnlineAttentionOp)
