//===- VectorizeContraction.cpp - products of tiles, blocked for registers ===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TileVectorizer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fa;

namespace {

/// A block of the result: `rows` x `vectors` registers of `lanes` elements.
struct RegisterBlock {
  int64_t rows, vectors, lanes;

  int64_t columns() const { return vectors * lanes; }
};

/// Accumulators, one row of the right operand and a broadcast fill the
/// registers: 16 + 2 + 1 of AVX-512's 32, 8 + 2 + 1 of 16 elsewhere.
RegisterBlock chooseBlock(int64_t rows, int64_t columns, int64_t elementBits,
                          int64_t vectorBits) {
  RegisterBlock block;
  block.rows = vectorBits >= 512 ? 8 : 4;
  while (rows % block.rows != 0)
    block.rows /= 2;
  block.lanes = lanesFor(columns, elementBits, vectorBits);
  block.vectors = columns % (2 * block.lanes) == 0 ? 2 : 1;
  return block;
}

class ContractionBuilder {
public:
  ContractionBuilder(linalg::LinalgOp op, RegisterBlock block)
      : loc(op.getLoc()), lhs(op->getOperand(0)), rhs(op->getOperand(1)),
        out(op->getOperand(2)), block(block) {
    element = cast<MemRefType>(out.getType()).getElementType();
    vector = VectorType::get({block.lanes}, element);
  }

  void build(OpBuilder &b) {
    auto outType = cast<MemRefType>(out.getType());
    Value zero = indexConstant(b, loc, 0);
    scf::buildLoopNest(b, loc, {zero, zero},
                       {indexConstant(b, loc, outType.getDimSize(1)),
                        indexConstant(b, loc, outType.getDimSize(0))},
                       {indexConstant(b, loc, block.columns()),
                        indexConstant(b, loc, block.rows)},
                       [&](OpBuilder &b, Location, ValueRange positions) {
                         buildBlock(b, positions[1], positions[0]);
                       });
  }

private:
  /// Calls `f(i, row, column)` for each register of the block.
  void forEachRegister(OpBuilder &b, Value row, Value column,
                       function_ref<void(size_t, Value, Value)> f) {
    size_t index = 0;
    for (int64_t i = 0; i < block.rows; ++i)
      for (int64_t j = 0; j < block.vectors; ++j)
        f(index++, shiftedIndex(b, loc, row, i),
          shiftedIndex(b, loc, column, j * block.lanes));
  }

  void buildBlock(OpBuilder &b, Value row, Value column) {
    SmallVector<Value> sums;
    forEachRegister(b, row, column, [&](size_t, Value i, Value j) {
      sums.push_back(
          vector::LoadOp::create(b, loc, vector, out, ValueRange{i, j}));
    });
    int64_t depth = cast<MemRefType>(lhs.getType()).getDimSize(1);
    auto loop = scf::ForOp::create(
        b, loc, indexConstant(b, loc, 0), indexConstant(b, loc, depth),
        indexConstant(b, loc, 1), sums,
        [&](OpBuilder &b, Location, Value k, ValueRange sums) {
          scf::YieldOp::create(b, loc, buildStep(b, row, column, k, sums));
        });
    forEachRegister(b, row, column, [&](size_t index, Value i, Value j) {
      vector::StoreOp::create(b, loc, loop.getResult(index), out,
                              ValueRange{i, j});
    });
  }

  /// One position of the reduction: an outer product.
  SmallVector<Value> buildStep(OpBuilder &b, Value row, Value column, Value k,
                               ValueRange sums) {
    SmallVector<Value> columns, results;
    for (int64_t j = 0; j < block.vectors; ++j)
      columns.push_back(vector::LoadOp::create(
          b, loc, vector, rhs,
          ValueRange{k, shiftedIndex(b, loc, column, j * block.lanes)}));
    for (int64_t i = 0; i < block.rows; ++i) {
      Value scalar = memref::LoadOp::create(
          b, loc, lhs, ValueRange{shiftedIndex(b, loc, row, i), k});
      Value factor = vector::BroadcastOp::create(b, loc, vector, scalar);
      for (int64_t j = 0; j < block.vectors; ++j)
        results.push_back(vector::FMAOp::create(b, loc, factor, columns[j],
                                                sums[i * block.vectors + j]));
    }
    return results;
  }

  Location loc;
  Value lhs, rhs, out;
  RegisterBlock block;
  Type element;
  VectorType vector;
};

} // namespace

LogicalResult fa::vectorizeContraction(OpBuilder &b, linalg::LinalgOp op,
                                       int64_t vectorBits) {
  auto contract = dyn_cast<linalg::ContractOp>(op.getOperation());
  if (!contract)
    return failure();
  MLIRContext *context = b.getContext();
  AffineExpr i, j, k;
  bindDims(context, i, j, k);
  SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
  // The order of the loops does not matter: rename them after the result.
  if (maps[2].getNumDims() != 3 || maps[2].getNumResults() != 2 ||
      !maps[2].isProjectedPermutation())
    return failure();
  unsigned row = maps[2].getDimPosition(0), column = maps[2].getDimPosition(1);
  AffineExpr rowDim = b.getAffineDimExpr(row),
             columnDim = b.getAffineDimExpr(column),
             reductionDim = b.getAffineDimExpr(3 - row - column);
  if (maps[0] != AffineMap::get(3, 0, {rowDim, reductionDim}, context) ||
      maps[1] != AffineMap::get(3, 0, {reductionDim, columnDim}, context))
    return failure();

  auto type = cast<MemRefType>(op->getOperand(2).getType());
  if (!isa<FloatType>(type.getElementType()))
    return failure();
  for (Value operand : op->getOperands())
    if (cast<MemRefType>(operand.getType()).getElementType() !=
        type.getElementType())
      return failure();
  RegisterBlock block = chooseBlock(type.getDimSize(0), type.getDimSize(1),
                                    type.getElementTypeBitWidth(), vectorBits);
  if (block.lanes < 2)
    return failure();
  ContractionBuilder(op, block).build(b);
  return success();
}
