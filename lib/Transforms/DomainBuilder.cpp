//===- DomainBuilder.cpp - linalg over a subset of the attention domain ---===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/DomainBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fa;

OpFoldResult fa::extentOfDim(OpBuilder &b, Location loc, Value shaped,
                             int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  if (isa<MemRefType>(type))
    return memref::DimOp::create(b, loc, shaped, dim).getResult();
  return tensor::DimOp::create(b, loc, shaped, dim).getResult();
}

DomainBuilder::DomainBuilder(OpBuilder &b, Location loc,
                             ArrayRef<Mapped> operands)
    : b(b), loc(loc) {
  for (const Mapped &operand : operands)
    for (unsigned dim = 0; dim < NumDims; ++dim) {
      int64_t position = positionOf(operand.map, static_cast<Dim>(dim));
      if (position < 0)
        continue;
      // Prefer an operand in which the extent is static.
      bool isStatic =
          !cast<ShapedType>(operand.value.getType()).isDynamicDim(position);
      if (!sources[dim].value || isStatic)
        sources[dim] = operand;
    }
}

OpFoldResult DomainBuilder::extent(Dim dim) {
  const Mapped &source = sources[dim];
  if (!source.value)
    return b.getIndexAttr(1);
  return extentOfDim(b, loc, source.value, positionOf(source.map, dim));
}

Value DomainBuilder::extentValue(Dim dim) {
  return getValueOrCreateConstantIndexOp(b, loc, extent(dim));
}

Mapped DomainBuilder::empty(ArrayRef<Dim> order, Type type) {
  SmallVector<OpFoldResult> sizes;
  for (Dim dim : order)
    sizes.push_back(extent(dim));
  return {tensor::EmptyOp::create(b, loc, sizes, type),
          mapOf(b.getContext(), order)};
}

Mapped DomainBuilder::filled(ArrayRef<Dim> order, Type type, double value) {
  Mapped init = empty(order, type);
  Value scalar = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  Value fill = linalg::FillOp::create(b, loc, scalar, init.value).getResult(0);
  return {fill, init.map};
}

AffineMap DomainBuilder::compress(AffineMap map, ArrayRef<Dim> loops) {
  SmallVector<AffineExpr> results;
  for (AffineExpr e : map.getResults()) {
    auto dim = static_cast<Dim>(cast<AffineDimExpr>(e).getPosition());
    results.push_back(
        b.getAffineDimExpr(llvm::find(loops, dim) - loops.begin()));
  }
  return AffineMap::get(loops.size(), 0, results, b.getContext());
}

SmallVector<Value> DomainBuilder::generic(ArrayRef<Dim> loops,
                                          ArrayRef<Mapped> inputs,
                                          ArrayRef<Mapped> outputs, Body body) {
  SmallVector<AffineMap> maps;
  SmallVector<Value> ins, outs;
  DimSet parallel = 0;
  for (const Mapped &input : inputs) {
    ins.push_back(input.value);
    maps.push_back(compress(input.map, loops));
  }
  for (const Mapped &output : outputs) {
    outs.push_back(output.value);
    maps.push_back(compress(output.map, loops));
    parallel |= dimsOf(output.map);
  }
  SmallVector<utils::IteratorType> iterators;
  for (Dim dim : loops)
    iterators.push_back((parallel & dims(dim))
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  auto op = linalg::GenericOp::create(
      b, loc, TypeRange(ValueRange(outs)), ins, outs, maps, iterators,
      [&](OpBuilder &nested, Location, ValueRange arguments) {
        auto index = [&](Dim dim) -> Value {
          const auto *loop = llvm::find(loops, dim);
          if (loop == loops.end())
            return arith::ConstantIndexOp::create(nested, loc, 0);
          return linalg::IndexOp::create(nested, loc, loop - loops.begin());
        };
        linalg::YieldOp::create(nested, loc, body(nested, arguments, index));
      });
  return llvm::to_vector_of<Value>(op.getResults());
}

Value DomainBuilder::contract(Mapped lhs, Mapped rhs, Mapped out) {
  DimSet left = dimsOf(lhs.map), right = dimsOf(rhs.map),
         kept = dimsOf(out.map);
  SmallVector<Dim> loops;
  for (unsigned i = 0; i < NumDims; ++i)
    if ((left | right | kept) & (1u << i))
      loops.push_back(static_cast<Dim>(i));
  // linalg.contract sums over what both inputs have and spreads over what one
  // of them has; problems without some of b, h, g may ask for more.
  if ((kept & ~(left | right)) || ((left ^ right) & ~kept))
    return generic(
        loops, {lhs, rhs}, {out},
        [&](OpBuilder &b, ValueRange a, Indices) -> SmallVector<Value> {
          auto cast = [&](Value v) {
            return convertScalarToDtype(b, loc, v, a[2].getType(), false);
          };
          Value product = arith::MulFOp::create(b, loc, cast(a[0]), cast(a[1]));
          return {arith::AddFOp::create(b, loc, a[2], product)};
        })[0];
  SmallVector<AffineMap> maps = {compress(lhs.map, loops),
                                 compress(rhs.map, loops),
                                 compress(out.map, loops)};
  auto op = linalg::ContractOp::create(
      b, loc, TypeRange{out.value.getType()}, ValueRange{lhs.value, rhs.value},
      ValueRange{out.value}, b.getAffineMapArrayAttr(maps));
  return op.getResult(0);
}
