//===- CheckOffsets.cpp - offsets of packed sequences, checked at run time ===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CheckOffsets.h"
#include "fa/Transforms/DomainBuilder.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fa;

Value fa::sizeOf(OpBuilder &b, Location loc, const Extent &extent) {
  return getValueOrCreateConstantIndexOp(
      b, loc, extentOfDim(b, loc, extent.value, extent.dim));
}

namespace {

class OffsetChecker {
public:
  OffsetChecker(OpBuilder &b, Location loc, StringRef opName,
                const PackedSequences &sequences)
      : b(b), loc(loc), opName(opName), sequences(sequences) {}

  void check() {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Extent all{sequences.name, sequences.offsets, 0};
    Value count = sizeOf(b, loc, all);
    if (all.isDynamic())
      assertNotGreater(one, count, "are empty");
    assertNotGreater(zero, offsetAt(zero), "start below 0");
    Value rows = sizeOf(b, loc, sequences.rows);
    SmallVector<Value> limits;
    for (const Extent &extent : sequences.perSequence)
      limits.push_back(sizeOf(b, loc, extent));
    auto loop = scf::ForOp::create(b, loc, one, count, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value end = loop.getInductionVar();
    Value begin = arith::SubIOp::create(b, loc, end, one);
    checkSequence(offsetAt(begin), offsetAt(end), rows, limits);
  }

private:
  void checkSequence(Value begin, Value end, Value rows,
                     ArrayRef<Value> limits) {
    assertNotGreater(begin, end, "descend");
    assertNotGreater(end, rows, "end past the rows of " + sequences.rows.name);
    Value length = arith::SubIOp::create(b, loc, end, begin);
    for (auto [limit, extent] : llvm::zip_equal(limits, sequences.perSequence))
      assertNotGreater(length, limit,
                       "have a sequence that is longer than dimension " +
                           std::to_string(extent.dim) + " of " + extent.name);
  }

  Value offsetAt(Value i) {
    Value offset =
        isa<TensorType>(sequences.offsets.getType())
            ? tensor::ExtractOp::create(b, loc, sequences.offsets, i)
                  .getResult()
            : memref::LoadOp::create(b, loc, sequences.offsets, i).getResult();
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), offset);
  }

  void assertNotGreater(Value x, Value y, const Twine &otherwise) {
    Value holds =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, x, y);
    cf::AssertOp::create(
        b, loc, holds,
        (opName + ": " + sequences.name + " " + otherwise).str());
  }

  OpBuilder &b;
  Location loc;
  StringRef opName;
  const PackedSequences &sequences;
};

} // namespace

void fa::checkOffsets(OpBuilder &b, Location loc, StringRef opName,
                      const PackedSequences &sequences) {
  OffsetChecker(b, loc, opName, sequences).check();
}
