//===- LowerTileMemory.cpp - tile loads and stores as copies --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Transforms/DomainBuilder.h"
#include "fa/Transforms/Passes.h"
#include "fa/Transforms/TileRanges.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace fa {
#define GEN_PASS_DEF_FALOWERTILEMEMORY
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// The part of a tile that lies inside memory.
class TileWindow {
public:
  TileWindow(OpBuilder &b, Location loc, Value memory, ValueRange offsets,
             Value limit, ArrayRef<int64_t> tileDims, RankedTensorType tile)
      : b(b), loc(loc), index(b, loc), memory(memory), offsets(offsets),
        tileDims(tileDims), tile(tile) {
    for (auto [i, dim] : llvm::enumerate(tileDims))
      sizes.push_back(sizeInside(dim, tile.getDimSize(i), offsets[dim],
                                 i == 0 ? limit : Value()));
  }

  /// i1: some of the tile is outside.
  Value isClipped() {
    Value clipped;
    for (auto [size, extent] : llvm::zip_equal(sizes, tile.getShape())) {
      Value differs = b.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::slt,
          getValueOrCreateConstantIndexOp(b, loc, size),
          index.constant(extent));
      clipped = clipped ? b.createOrFold<arith::OrIOp>(loc, clipped, differs)
                        : differs;
    }
    return clipped;
  }

  Value inBuffer(Value buffer) {
    if (sizes.empty())
      return buffer;
    SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)),
        ones(sizes.size(), b.getIndexAttr(1));
    return memref::SubViewOp::create(b, loc, buffer, zeros, sizes, ones);
  }

  /// The part in memory, its dimensions in the tile's order. Written out, not
  /// as a subview: which dimensions of extent 1 a subview drops is ambiguous.
  Value inMemory() {
    auto type = cast<MemRefType>(memory.getType());
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memory);
    SmallVector<int64_t> staticStrides = type.getStridesAndOffset().first;
    auto stride = [&](int64_t dim) -> OpFoldResult {
      if (ShapedType::isStatic(staticStrides[dim]))
        return b.getIndexAttr(staticStrides[dim]);
      return metadata.getStrides()[dim];
    };
    Value start = metadata.getOffset();
    for (auto [dim, offset] : llvm::enumerate(offsets))
      start =
          index.add(start, index.mul(offset, getValueOrCreateConstantIndexOp(
                                                 b, loc, stride(dim))));
    SmallVector<OpFoldResult> strides;
    SmallVector<int64_t> shape, resultStrides;
    for (auto [size, dim] : llvm::zip_equal(sizes, tileDims)) {
      strides.push_back(stride(dim));
      resultStrides.push_back(staticStrides[dim]);
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    }
    auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                                         resultStrides);
    return memref::ReinterpretCastOp::create(
        b, loc,
        MemRefType::get(shape, type.getElementType(), layout,
                        type.getMemorySpace()),
        metadata.getBaseBuffer(), start, sizes, strides);
  }

private:
  OpFoldResult sizeInside(int64_t dim, int64_t extent, Value offset,
                          Value limit) {
    Value end = getValueOrCreateConstantIndexOp(
        b, loc, extentOfDim(b, loc, memory, dim));
    if (limit)
      end = index.min(end, limit);
    Value left = index.clampToZero(index.sub(end, offset));
    return getAsOpFoldResult(index.min(left, index.constant(extent)));
  }

  OpBuilder &b;
  Location loc;
  IndexBuilder index;
  Value memory;
  SmallVector<Value> offsets;
  SmallVector<int64_t> tileDims;
  RankedTensorType tile;
  SmallVector<OpFoldResult> sizes;
};

void lowerLoad(RewriterBase &rewriter, LoadTileOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getTile().getType());
  rewriter.setInsertionPoint(op);
  TileWindow window(rewriter, loc, op.getSource(), op.getOffsets(),
                    op.getLimit(), op.getTileDims(), type);
  Value buffer = memref::AllocOp::create(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()));
  auto clipped =
      scf::IfOp::create(rewriter, loc, window.isClipped(), /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(clipped.thenBlock());
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    linalg::FillOp::create(rewriter, loc, zero, buffer);
  }
  linalg::CopyOp::create(rewriter, loc, window.inMemory(),
                         window.inBuffer(buffer));
  rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(
      op, type, buffer, /*restrict=*/true, /*writable=*/true);
}

Value asBuffer(RewriterBase &rewriter, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return bufferization::ToBufferOp::create(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
      tile, /*read_only=*/true);
}

void lowerStore(RewriterBase &rewriter, StoreTileOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getTile().getType());
  rewriter.setInsertionPoint(op);
  TileWindow window(rewriter, loc, op.getDestination(), op.getOffsets(),
                    op.getLimit(), op.getTileDims(), type);
  Value buffer = asBuffer(rewriter, loc, op.getTile());
  linalg::CopyOp::create(rewriter, loc, window.inBuffer(buffer),
                         window.inMemory());
  rewriter.eraseOp(op);
}

/// Blocks of a tile program run one after another here, so every mode is a
/// load, an addition and a store.
void lowerAccumulate(RewriterBase &rewriter, AccumulateOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getTile().getType());
  rewriter.setInsertionPoint(op);
  TileWindow window(rewriter, loc, op.getWorkspace(), op.getOffsets(),
                    op.getLimit(), op.getTileDims(), type);
  Value buffer = asBuffer(rewriter, loc, op.getTile());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  linalg::GenericOp::create(
      rewriter, loc, TypeRange{}, ValueRange{window.inBuffer(buffer)},
      ValueRange{window.inMemory()}, ArrayRef<AffineMap>{identity, identity},
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [](OpBuilder &b, Location loc, ValueRange a) {
        linalg::YieldOp::create(
            b, loc, arith::AddFOp::create(b, loc, a[1], a[0]).getResult());
      });
  rewriter.eraseOp(op);
}

/// Element after element, in the order of the tile.
void lowerAccumulateAt(RewriterBase &rewriter, AccumulateAtOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getTile().getType());
  rewriter.setInsertionPoint(op);
  Value tile = asBuffer(rewriter, loc, op.getTile());
  auto indices = llvm::map_to_vector(
      op.getIndices(), [&](Value v) { return asBuffer(rewriter, loc, v); });
  IndexBuilder index(rewriter, loc);
  SmallVector<Value> zeros(type.getRank(), index.constant(0)),
      ones(type.getRank(), index.constant(1)), extents;
  for (int64_t extent : type.getShape())
    extents.push_back(index.constant(extent));
  scf::buildLoopNest(
      rewriter, loc, zeros, extents, ones,
      [&](OpBuilder &b, Location loc, ValueRange at) {
        auto place = llvm::map_to_vector(indices, [&](Value buffer) -> Value {
          return memref::LoadOp::create(b, loc, buffer, at);
        });
        Value old = memref::LoadOp::create(b, loc, op.getWorkspace(), place);
        Value sum = arith::AddFOp::create(
            b, loc, old, memref::LoadOp::create(b, loc, tile, at));
        memref::StoreOp::create(b, loc, sum, op.getWorkspace(), place);
      });
  rewriter.eraseOp(op);
}

struct LowerTileMemoryPass
    : fa::impl::FALowerTileMemoryBase<LowerTileMemoryPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadTileOp>(op))
        lowerLoad(rewriter, load);
      else if (auto store = dyn_cast<StoreTileOp>(op))
        lowerStore(rewriter, store);
      else if (auto accumulate = dyn_cast<AccumulateOp>(op))
        lowerAccumulate(rewriter, accumulate);
      else if (auto accumulate = dyn_cast<AccumulateAtOp>(op))
        lowerAccumulateAt(rewriter, accumulate);
    });
  }
};

} // namespace
