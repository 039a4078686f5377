//===- VectorizeTranspose.cpp - transposes of tiles, in registers ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TileVectorizer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fa;

/// Transposes n vectors of n lanes, n a power of 2. Each round interleaves rows
/// i and i + n/2: after log2(n) of them every element has gone to its place.
static SmallVector<Value> transposeBlock(OpBuilder &b, Location loc,
                                         SmallVector<Value> rows) {
  int64_t n = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < n; ++i) {
    int64_t from = (i % 2) * n + i / 2;
    low.push_back(from);
    high.push_back(from + n / 2);
  }
  for (int64_t distance = 1; distance < n; distance *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < n / 2; ++i)
      for (ArrayRef<int64_t> lanes : {low, high})
        next.push_back(
            vector::ShuffleOp::create(b, loc, rows[i], rows[i + n / 2], lanes));
    rows = next;
  }
  return rows;
}

LogicalResult fa::vectorizeTranspose(OpBuilder &b, linalg::LinalgOp op,
                                     int64_t vectorBits) {
  auto transpose = dyn_cast<linalg::TransposeOp>(op.getOperation());
  if (!transpose || transpose.getPermutation() != ArrayRef<int64_t>{1, 0})
    return failure();
  Value in = transpose.getInput(), out = transpose.getInit();
  auto type = cast<MemRefType>(in.getType());
  // Vectors of i1 are packed bits; memrefs of i1 are bytes.
  if (!type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() < 8)
    return failure();
  int64_t bits = type.getElementTypeBitWidth();
  int64_t n = std::min(lanesFor(type.getDimSize(0), bits, vectorBits),
                       lanesFor(type.getDimSize(1), bits, vectorBits));
  if (n < 2)
    return failure();
  // More rows than registers would only be spilled.
  n = std::min<int64_t>(n, 16);
  Location loc = op.getLoc();
  auto vector = VectorType::get({n}, type.getElementType());
  Value zero = indexConstant(b, loc, 0), step = indexConstant(b, loc, n);
  scf::buildLoopNest(
      b, loc, {zero, zero},
      {indexConstant(b, loc, type.getDimSize(0)),
       indexConstant(b, loc, type.getDimSize(1))},
      {step, step}, [&](OpBuilder &b, Location, ValueRange at) {
        SmallVector<Value> rows;
        for (int64_t i = 0; i < n; ++i)
          rows.push_back(vector::LoadOp::create(
              b, loc, vector, in,
              ValueRange{shiftedIndex(b, loc, at[0], i), at[1]}));
        for (auto [i, row] : llvm::enumerate(transposeBlock(b, loc, rows)))
          vector::StoreOp::create(
              b, loc, row, out,
              ValueRange{shiftedIndex(b, loc, at[1], i), at[0]});
      });
  return success();
}
