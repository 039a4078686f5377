//===- TmaAddress.cpp - whether TMA can address a buffer ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

/// Adjacent columns, everything else a multiple of 16 bytes, nothing empty.
Value fa::fagpu::canAddressByTma(OpBuilder &b, Location loc, Value buffer,
                                 int64_t column) {
  constexpr int64_t element = 2, unit = 16;
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  Value result;
  auto require = [&](arith::CmpIPredicate predicate, Value x, int64_t y) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, x, constant(y));
    result = result ? arith::AndIOp::create(b, loc, result, holds).getResult()
                    : holds;
  };
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  Value offset =
      arith::MulIOp::create(b, loc, metadata.getOffset(), constant(element));
  Value all = arith::OrIOp::create(b, loc, address, offset);
  for (auto [dim, size] : llvm::enumerate(metadata.getSizes())) {
    Value stride = metadata.getStrides()[dim];
    if (static_cast<int64_t>(dim) == column) {
      require(arith::CmpIPredicate::eq, stride, 1);
    } else {
      // The stride of a single element means nothing.
      Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          size, constant(1));
      Value bytes = arith::MulIOp::create(b, loc, stride, constant(element));
      bytes = arith::SelectOp::create(b, loc, isOne, constant(0), bytes);
      all = arith::OrIOp::create(b, loc, all, bytes);
    }
    if (ShapedType::isDynamic(
            cast<MemRefType>(buffer.getType()).getDimSize(dim)))
      require(arith::CmpIPredicate::sgt, size, 0);
  }
  // Of a negative stride the sign bit stays.
  constexpr int64_t mask = INT64_MIN | (unit - 1);
  Value low = arith::AndIOp::create(b, loc, all, constant(mask));
  require(arith::CmpIPredicate::eq, low, 0);
  return result;
}
