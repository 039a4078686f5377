//===- SpecializeScalars.cpp - what a role knows about its tiles ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static Value toIndex(OpBuilder &b, Location loc, Value v) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), v);
}

Scalars::Scalars(OpBuilder &b, RoleKernel &kernel) : kernel(&kernel) {
  for (auto [from, to] : llvm::zip_equal(kernel.kept, kernel.keptHere))
    map.map(from, to);
  gpu::GPUFuncOp source = kernel.source.function;
  Value gridX = toIndex(b, source.getLoc(), kernel.gridX);
  Value gridY = toIndex(b, source.getLoc(), kernel.gridY);
  source.walk([&](gpu::GridDimOp op) {
    if (op.getDimension() == gpu::Dimension::x)
      map.map(op.getResult(), gridX);
    if (op.getDimension() == gpu::Dimension::y)
      map.map(op.getResult(), gridY);
  });
  source.walk([&](memref::DimOp op) {
    Value here = extent(b, op.getLoc(), op.getSource(), *op.getConstantIndex());
    map.map(op.getResult(), toIndex(b, op.getLoc(), here));
  });
}

Value Scalars::extent(OpBuilder &b, Location loc, Value buffer, int64_t dim) {
  int64_t fixed = cast<MemRefType>(buffer.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(fixed))
    return arith::ConstantIntOp::create(b, loc, fixed, 32);
  auto *found =
      llvm::find(kernel->extents, Extent{cast<BlockArgument>(buffer), dim});
  return kernel->extentsHere[found - kernel->extents.begin()];
}

Scalars Scalars::inBlock(Value x, Value y, Value z) {
  Scalars inner = *this;
  kernel->source.function.walk([&](gpu::BlockIdOp op) {
    Value id = op.getDimension() == gpu::Dimension::x   ? x
               : op.getDimension() == gpu::Dimension::y ? y
                                                        : z;
    inner.map.map(op.getResult(), id);
  });
  return inner;
}

Value Scalars::get(OpBuilder &b, Value v) {
  if (Value known = map.lookupOrNull(v))
    return known;
  Operation *def = v.getDefiningOp();
  bool isScalar = def && def->getNumRegions() == 0 &&
                  (isMemoryEffectFree(def) || isa<memref::LoadOp>(def));
  if (!isScalar) {
    emitError(v.getLoc(), "machine stage: a position or a bound of a loop over "
                          "key tiles is not arithmetic on the kernel's "
                          "arguments");
    return {};
  }
  for (Value operand : def->getOperands())
    if (!get(b, operand))
      return {};
  b.clone(*def, map);
  return map.lookup(v);
}

Value Scalars::getI32(OpBuilder &b, Value v) {
  if (std::optional<Narrow> n = getNarrow(b, v))
    return n->value;
  Value here = get(b, v);
  if (!here || here.getType().isInteger(32))
    return here;
  return b.createOrFold<arith::IndexCastOp>(v.getLoc(), b.getI32Type(), here);
}

SmallVector<Value> fa::fagpu::coordinatesOf(OpBuilder &b, Scalars &scalars,
                                            MemRefType type, ValueRange offsets,
                                            ArrayRef<int64_t> tileDims) {
  TilePlace place = TilePlace::of(type, tileDims);
  SmallVector<Value> coordinates = {scalars.getI32(b, offsets[place.row])};
  for (int64_t dim : place.outer)
    coordinates.push_back(scalars.getI32(b, offsets[dim]));
  if (llvm::is_contained(coordinates, Value()))
    return {};
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Tiles of the persistent loop
//===----------------------------------------------------------------------===//

GroupOfSlice GroupOfSlice::decode(OpBuilder &b, RoleKernel &k, Value number) {
  Location loc = number.getLoc();
  I32Builder i(b, loc);
  auto divide = [&](Value x, Value y) -> Value {
    return arith::DivUIOp::create(b, loc, x, y);
  };
  auto times = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  Value slice, group;
  if (k.slicesTakeTurns()) {
    Value perSet = times(k.together, k.groups);
    Value set = divide(number, perSet);
    Value inSet = i.sub(number, times(set, perSet));
    Value before = times(set, k.together);
    Value size =
        arith::MinSIOp::create(b, loc, k.together, i.sub(k.slices, before));
    group = divide(inSet, size);
    slice = i.add(before, i.sub(inSet, times(group, size)));
  } else {
    slice = divide(number, k.groups);
    group = i.sub(number, times(slice, k.groups));
  }
  Value z = divide(slice, k.gridY);
  Value y = i.sub(slice, times(z, k.gridY));
  return {group, toIndex(b, loc, y), toIndex(b, loc, z)};
}

/// The last group of query tiles first.
BlockTile BlockTile::decode(OpBuilder &b, RoleKernel &k, Value tile) {
  I32Builder i(b, tile.getLoc());
  auto [group, y, z] = GroupOfSlice::decode(b, k, tile);
  int64_t consumers = k.consumers();
  Value first = k.rangesDiffer
                    ? i.sub(k.gridX, i.mul(i.add(group, 1), consumers))
                    : i.mul(i.sub(i.add(k.groups, -1), group), consumers);
  return {first, y, z};
}

/// The source counts its query tiles from the last one.
Value BlockTile::blockX(OpBuilder &b, RoleKernel &k, Value number) const {
  Location loc = number.getLoc();
  I32Builder i(b, loc);
  Value tile = i.add(first, number);
  if (k.rangesDiffer)
    tile = arith::MaxSIOp::create(b, loc, tile, i.constant(0));
  return toIndex(b, loc, i.sub(i.add(k.gridX, -1), tile));
}

Value BlockTile::isMissing(OpBuilder &b, RoleKernel &k, Value number) const {
  I32Builder i(b, number.getLoc());
  Value tile = i.add(first, number);
  return k.rangesDiffer ? i.less(tile, i.constant(0))
                        : i.less(i.add(k.gridX, -1), tile);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

SmallVector<Value> fa::fagpu::keyBounds(OpBuilder &b, RoleKernel &k,
                                        Scalars &scalars, Value isMissing) {
  Location loc = k.source.function.getLoc();
  I32Builder i(b, loc);
  SmallVector<Value> bounds;
  for (Value v : k.source.bounds()) {
    bounds.push_back(scalars.getI32(b, v));
    if (!bounds.back())
      return {};
  }
  int64_t keyTile = k.source.keyTile();
  Value begin = bounds.front(), end = bounds.back();
  Value isEmpty =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, begin, end);
  // A consumer without rows leaves the tensor cores to the others.
  if (isMissing)
    isEmpty = arith::OrIOp::create(b, loc, isEmpty, isMissing);
  Value instead =
      arith::MaxSIOp::create(b, loc, i.add(end, -keyTile), i.constant(0));
  begin = arith::SelectOp::create(b, loc, isEmpty, instead, begin);
  end = arith::SelectOp::create(b, loc, isEmpty, i.add(instead, keyTile), end);
  for (Value &inner : MutableArrayRef(bounds).drop_front().drop_back()) {
    inner = arith::MaxSIOp::create(b, loc, inner, begin);
    inner = arith::MinSIOp::create(b, loc, inner, end);
  }
  bounds.front() = begin;
  bounds.back() = end;
  return bounds;
}

std::pair<Value, Value> fa::fagpu::blockKeys(OpBuilder &b, RoleKernel &k,
                                             Scalars &role,
                                             const BlockTile &tile) {
  Location loc = k.source.function.getLoc();
  I32Builder i(b, loc);
  Value begin, end;
  // The first consumer is never missing where all see the same keys.
  int64_t tiles = k.rangesDiffer ? k.consumers() : 1;
  for (int64_t number = 0; number < tiles; ++number) {
    Value index = i.constant(number);
    Scalars scalars = role.inBlock(tile.blockX(b, k, index), tile.y, tile.z);
    Value isMissing = k.rangesDiffer ? tile.isMissing(b, k, index) : Value();
    SmallVector<Value> bounds = keyBounds(b, k, scalars, isMissing);
    if (bounds.empty())
      return {};
    begin =
        begin
            ? arith::MinSIOp::create(b, loc, begin, bounds.front()).getResult()
            : bounds.front();
    end = end ? arith::MaxSIOp::create(b, loc, end, bounds.back()).getResult()
              : bounds.back();
  }
  return {begin, end};
}
