//===- GlobalTile.cpp - a tile in global memory, by addresses -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GlobalTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fa::fagpu;

GlobalTile::GlobalTile(OpBuilder &b, Location loc, Operation *op, Value memref,
                       ValueRange offsets, Value limit,
                       ArrayRef<int64_t> tileDims)
    : type(cast<MemRefType>(memref.getType())) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  Value base = wide(
      b, loc, memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref));
  base = add(b, loc, base, bytes(b, loc, metadata.getOffset()));
  alignment = base;
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    Value stride = bytes(b, loc, metadata.getStrides()[i]);
    bool isInner = !tileDims.empty() && int64_t(i) == tileDims.back();
    auto also = [&](Value v) {
      alignment = arith::OrIOp::create(b, loc, alignment, v);
    };
    also(isInner ? bytes(b, loc, offset) : stride);
    strides.push_back(stride);
    if (getConstantIntValue(offset) == 0)
      continue;
    Value term = arith::MulIOp::create(b, loc, wide(b, loc, offset), stride);
    bool isInvariant =
        offset.getParentRegion()->isProperAncestor(op->getParentRegion());
    Value &sum = isInvariant ? base : moving;
    sum = sum ? add(b, loc, sum, term) : term;
  }
  fixed = base;
  SmallVector<Value> tileStrides;
  for (auto [i, dim] : llvm::enumerate(tileDims)) {
    Value extent = narrow(b, loc, memref::DimOp::create(b, loc, memref, dim));
    if (i == 0 && limit)
      extent = arith::MinSIOp::create(b, loc, extent, narrow(b, loc, limit));
    left.push_back(
        arith::SubIOp::create(b, loc, extent, narrow(b, loc, offsets[dim])));
    tileStrides.push_back(strides[dim]);
    innerStride = type.getStridesAndOffset().first[dim];
    staticExtent = type.getDimSize(dim);
  }
  strides = tileStrides;
}

int64_t GlobalTile::elementBytes() const {
  Type element = type.getElementType();
  return element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
}

Value GlobalTile::isAligned(OpBuilder &b, Location loc) {
  int64_t chunk = kChunkBytes / elementBytes();
  if (innerStride != 1 && innerStride != ShapedType::kDynamic)
    return {};
  if (staticExtent != ShapedType::kDynamic && staticExtent % chunk != 0)
    return {};
  auto i64 = [&](int64_t v) -> Value {
    return arith::ConstantIntOp::create(b, loc, v, 64);
  };
  Value low = arith::AndIOp::create(b, loc, alignment, i64(kChunkBytes - 1));
  Value aligned =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, low, i64(0));
  I32Builder i(b, loc);
  // Threads keep their offset in the tile in 32 bits: 128 rows at most.
  aligned =
      i.both(aligned, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            strides.front(), i64(1 << 23)));
  if (innerStride == ShapedType::kDynamic)
    aligned = i.both(
        aligned, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       strides.back(), i64(elementBytes())));
  if (staticExtent == ShapedType::kDynamic)
    aligned =
        i.both(aligned,
               arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     i.rem(left.back(), chunk), i.constant(0)));
  return aligned;
}

Value GlobalTile::at(OpBuilder &b, Location loc, Value row, Value column) {
  Value address = start(b, loc);
  if (row)
    address = add(b, loc, address, scaled(b, loc, row, strides.front()));
  if (column)
    address = add(b, loc, address, scaled(b, loc, column, strides.back()));
  return address;
}

Value GlobalTile::start(OpBuilder &b, Location loc) {
  return moving ? add(b, loc, fixed, moving) : fixed;
}

Value GlobalTile::add(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}

Value GlobalTile::scaled(OpBuilder &b, Location loc, Value count,
                         Value stride) {
  Value wide = arith::ExtSIOp::create(b, loc, b.getI64Type(), count);
  return arith::MulIOp::create(b, loc, wide, stride);
}

Value GlobalTile::wide(OpBuilder &b, Location loc, Value v) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
}

Value GlobalTile::narrow(OpBuilder &b, Location loc, Value v) {
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), v);
}

Value GlobalTile::bytes(OpBuilder &b, Location loc, Value elements) {
  return arith::MulIOp::create(
      b, loc, wide(b, loc, elements),
      arith::ConstantIntOp::create(b, loc, elementBytes(), 64));
}

void fa::fagpu::chooseByAlignment(OpBuilder &b, Location loc, GlobalTile &tile,
                                  function_ref<void(OpBuilder &)> fast,
                                  function_ref<void(OpBuilder &)> slow) {
  Value aligned = tile.isAligned(b, loc);
  if (!aligned)
    return slow(b);
  auto branch = scf::IfOp::create(b, loc, aligned, /*withElseRegion=*/true);
  OpBuilder thenBuilder = branch.getThenBodyBuilder();
  fast(thenBuilder);
  OpBuilder elseBuilder = branch.getElseBodyBuilder();
  slow(elseBuilder);
}

//===----------------------------------------------------------------------===//
// Single elements, predicated
//===----------------------------------------------------------------------===//

namespace {
struct ElementAccess {
  StringRef suffix, constraint;
  Type type;
};

ElementAccess accessFor(Type element) {
  MLIRContext *context = element.getContext();
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
  case 8:
    return {"u8", "r", IntegerType::get(context, 32)};
  case 16:
    return {"b16", "h", IntegerType::get(context, 16)};
  case 32:
    return {"b32", "r", IntegerType::get(context, 32)};
  default:
    return {"b64", "l", IntegerType::get(context, 64)};
  }
}
} // namespace

Value fa::fagpu::loadElement(OpBuilder &b, Location loc, Type element,
                             Address address, Value predicate) {
  ElementAccess access = accessFor(element);
  StringRef move = access.suffix == "u8" ? "b32" : access.suffix;
  std::string text = ("mov." + move + " $0, 0; @$3 ld.global." + access.suffix +
                      " $0, [$1 + $2];")
                         .str();
  std::string constraints = ("=&" + access.constraint + ",l,n,b").str();
  Value bits =
      asmValue(b, loc, access.type, text, constraints,
               {address.base, immediate(b, loc, address.offset), predicate},
               /*hasSideEffects=*/false);
  if (element.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits,
                                 arith::ConstantIntOp::create(b, loc, 0, 32));
  if (element.isInteger(8))
    return arith::TruncIOp::create(b, loc, element, bits);
  return element == access.type
             ? bits
             : arith::BitcastOp::create(b, loc, element, bits).getResult();
}

void fa::fagpu::storeElement(OpBuilder &b, Location loc, Value v,
                             Address address, Value predicate) {
  ElementAccess access = accessFor(v.getType());
  Value bits = v;
  if (v.getType().getIntOrFloatBitWidth() < 16)
    bits = arith::ExtUIOp::create(b, loc, access.type, v);
  else if (v.getType() != access.type)
    bits = arith::BitcastOp::create(b, loc, access.type, v);
  std::string text =
      ("@$3 st.global." + access.suffix + " [$0 + $1], $2;").str();
  std::string constraints = ("l,n," + access.constraint + ",b,~{memory}").str();
  asmEffect(b, loc, text, constraints,
            {address.base, immediate(b, loc, address.offset), bits, predicate});
}
