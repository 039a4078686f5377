//===- TileKernel.cpp - the parts of a tile program in one kernel ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TileKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

TilePlace TilePlace::of(MemRefType type, ArrayRef<int64_t> tileDims) {
  TilePlace place{tileDims[0], tileDims[1], {}};
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim)
    if (dim != place.row && dim != place.column)
      place.outer.push_back(dim);
  return place;
}

SmallVector<Value> TileKernel::bounds() {
  SmallVector<Value> result = {loops.front().loop.getLowerBound()};
  for (KeyLoop &part : loops)
    result.push_back(part.loop.getUpperBound());
  return result;
}

namespace {

/// Finds the parts, and says what is in the way.
class Matcher {
public:
  Matcher(TileKernel &kernel, std::string &why) : kernel(kernel), why(why) {}

  LogicalResult match() {
    if (!llvm::hasSingleElement(kernel.function.getBody()))
      return no("it has several blocks");
    for (Operation &op : kernel.body())
      if (failed(visit(op)))
        return failure();
    if (!kernel.query || kernel.loops.empty() || !kernel.out)
      return no("it is not one query tile, loops over key tiles and one output "
                "tile");
    return checkLoops();
  }

private:
  LogicalResult no(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  static bool isShared(LoadTileOp load) {
    return hasLayout<SharedAttr>(load.getTile().getType());
  }

  LogicalResult visit(Operation &op) {
    if (auto load = dyn_cast<LoadTileOp>(op); load && isShared(load)) {
      if (kernel.query)
        return no("it has a second tile that stays in shared memory");
      kernel.query = load;
      return checkMoved(load.getSource(), load.getTileDims(), load.getOffsets(),
                        load.getLimit());
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return addLoop(loop);
    if (auto store = dyn_cast<StoreTileOp>(op);
        store && hasLayout<AccAttr>(store.getTile().getType())) {
      if (kernel.out)
        return no("it stores a second output tile");
      kernel.out = store;
      return checkOut(store);
    }
    if (op.getNumRegions() != 0 && !isa<linalg::LinalgOp>(op))
      return no("it branches around tiles (packed sequences do)");
    if (isa<MmaOp>(op))
      return no("it multiplies outside of the loops over key tiles");
    return success();
  }

  LogicalResult checkOut(StoreTileOp store) {
    auto generic = store.getTile().getDefiningOp<linalg::GenericOp>();
    Type element = getElementTypeOrSelf(store.getTile().getType());
    if (!generic || !generic->hasOneUse() ||
        !(element.isBF16() || element.isF16()))
      return no("its output is not rounded to bf16 or f16");
    Value yielded = generic.getBody()->getTerminator()->getOperand(0);
    if (!yielded.getDefiningOp<arith::TruncFOp>())
      return no("its output is not rounded from f32");
    return checkMoved(store.getDestination(), store.getTileDims(),
                      store.getOffsets(), store.getLimit());
  }

  /// TMA: a function argument, 16-bit, with at most three outer dimensions,
  /// from column 0 on, clipped by its extents only.
  LogicalResult checkMoved(Value memref, ArrayRef<int64_t> tileDims,
                           ValueRange offsets, Value limit) {
    auto type = cast<MemRefType>(memref.getType());
    if (!isa<BlockArgument>(memref))
      return no("a tile is not of a buffer that the kernel gets");
    if (tileDims.size() != 2 || type.getRank() > 5)
      return no("a buffer has more than five dimensions");
    if (limit)
      return no("rows past a length must be cleared");
    if (getConstantIntValue(offsets[tileDims[1]]) != 0)
      return no("a tile does not start at column 0");
    int64_t stride = type.getStridesAndOffset().first[tileDims[1]];
    if (stride != 1 && stride != ShapedType::kDynamic)
      return no("columns are not adjacent in memory");
    return success();
  }

  LogicalResult addLoop(scf::ForOp loop) {
    KeyLoop part;
    part.loop = loop;
    for (Operation &op : *loop.getBody()) {
      if (auto mma = dyn_cast<MmaOp>(op)) {
        MmaOp &slot = mma.getBTransposed() ? part.qk : part.pv;
        if (slot)
          return no("a loop over key tiles has more than two products");
        slot = mma;
      } else if (op.getNumRegions() != 0 && !isa<linalg::LinalgOp>(op)) {
        return no("a loop over key tiles branches");
      }
    }
    if (!part.qk || !part.pv)
      return no("a loop does not compute scores and output");
    part.key = part.qk.getB().getDefiningOp<LoadTileOp>();
    part.value = part.pv.getB().getDefiningOp<LoadTileOp>();
    if (!part.key || !part.value || part.key->getBlock() != loop.getBody() ||
        part.value->getBlock() != loop.getBody())
      return no("key and value tiles are not loaded in the loop");
    auto fill = part.qk.getAcc().getDefiningOp<linalg::FillOp>();
    if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
      return no("scores do not start from 0");
    if (part.qk.getA() != kernel.query.getTile())
      return no("scores are not of the query tile");
    kernel.loops.push_back(part);
    for (LoadTileOp load : {part.key, part.value})
      if (failed(checkMoved(load.getSource(), load.getTileDims(),
                            load.getOffsets(),
                            load == part.value ? Value() : load.getLimit())))
        return failure();
    return success();
  }

  /// The loops follow one another and differ in their masks only.
  LogicalResult checkLoops() {
    KeyLoop &first = kernel.loops.front();
    for (auto [before, after] :
         llvm::zip(kernel.loops, llvm::drop_begin(kernel.loops))) {
      if (after.loop.getLowerBound() != before.loop.getUpperBound() ||
          !llvm::equal(after.loop.getInitArgs(), before.loop.getResults()))
        return no("its loops over key tiles do not follow one another");
      if (after.key.getSource() != first.key.getSource() ||
          after.value.getSource() != first.value.getSource() ||
          after.key.getTile().getType() != first.key.getTile().getType())
        return no("its loops over key tiles have different tiles");
    }
    for (KeyLoop &part : kernel.loops)
      if (Value limit = part.value.getLimit();
          limit && limit != kernel.valueLimit())
        return no("its loops over key tiles have different limits");
    for (KeyLoop &part : kernel.loops)
      if (getConstantIntValue(part.loop.getStep()) != kernel.keyTile())
        return no("a loop does not advance by one key tile");
    return success();
  }

  TileKernel &kernel;
  std::string &why;
};

} // namespace

FailureOr<TileKernel> TileKernel::match(gpu::GPUFuncOp function,
                                        std::string &why) {
  TileKernel kernel;
  kernel.function = function;
  if (failed(Matcher(kernel, why).match()))
    return failure();
  return kernel;
}
