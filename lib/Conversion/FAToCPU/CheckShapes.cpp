//===- CheckShapes.cpp - extents that must agree, checked at run time -----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CheckOffsets.h"
#include "fa/Conversion/FAToCPU/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Transforms/DomainBuilder.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

namespace fa {
#define GEN_PASS_DEF_FACHECKSHAPES
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// An operand's name in messages.
using Names = DenseMap<unsigned, std::string>;

void nameCommon(AttentionOpInterface op, Names &names) {
  auto name = [&](MutableOperandRange range, StringRef text) {
    for (OpOperand &operand : range)
      names[operand.getOperandNumber()] = text.str();
  };
  for (auto [i, text] : llvm::enumerate(std::array{"query", "key", "value"}))
    names[i] = text;
  name(op.getBiasMutable(), "bias");
  name(op.getMaskMutable(), "mask");
  name(op.getAlibiSlopesMutable(), "alibi_slopes");
  name(op.getCapturesMutable(), "a capture");
}

Names namesOf(AttentionOp op) {
  Names names;
  nameCommon(cast<AttentionOpInterface>(op.getOperation()), names);
  for (OpOperand &operand : op.getSinksMutable())
    names[operand.getOperandNumber()] = "sinks";
  for (auto [i, operand] : llvm::enumerate(op.getOutputsMutable()))
    names[operand.getOperandNumber()] = i == 0 ? "out" : "lse";
  return names;
}

Names namesOf(AttentionBackwardOp op) {
  Names names;
  nameCommon(cast<AttentionOpInterface>(op.getOperation()), names);
  for (OpOperand &operand : op.getSinksMutable())
    names[operand.getOperandNumber()] = "sinks";
  names[op.getOutMutable().getOperandNumber()] = "out";
  names[op.getLseMutable().getOperandNumber()] = "lse";
  names[op.getDOutMutable().getOperandNumber()] = "d_out";
  for (OpOperand &operand : op.getDLseMutable())
    names[operand.getOperandNumber()] = "d_lse";
  for (auto [output, of] :
       llvm::zip_equal(op.getOutputsMutable(), op.getDifferentiated()))
    names[output.getOperandNumber()] =
        "the gradient of " + names[of->getOperandNumber()];
  return names;
}

/// Operands that hold the rows or keys of all packed sequences.
SmallVector<unsigned> packedOperands(AttentionOp op) {
  SmallVector<unsigned> numbers = {0, 1, 2};
  for (OpOperand &operand : op.getOutputsMutable())
    numbers.push_back(operand.getOperandNumber());
  return numbers;
}

SmallVector<unsigned> packedOperands(AttentionBackwardOp op) {
  SmallVector<unsigned> numbers = {0,
                                   1,
                                   2,
                                   op.getOutMutable().getOperandNumber(),
                                   op.getLseMutable().getOperandNumber(),
                                   op.getDOutMutable().getOperandNumber()};
  for (OpOperand &operand : op.getDLseMutable())
    numbers.push_back(operand.getOperandNumber());
  for (unsigned i = 0; i < 3; ++i)
    numbers.push_back(op.getOutputsMutable()[i].getOperandNumber());
  return numbers;
}

/// Checks the extents of one op over scores, right before it.
class ShapeChecker {
public:
  template <typename OpT>
  ShapeChecker(OpT op, bool readsOffsets, int64_t mostExtent)
      : op(cast<AttentionOpInterface>(op.getOperation())), names(namesOf(op)),
        packed(packedOperands(op)), b(op), readsOffsets(readsOffsets),
        mostExtent(mostExtent) {}

  LogicalResult check() {
    SmallVector<Extent> extents[NumDims], perSequence[NumDims];
    for (OpOperand *operand : op.getMappedOperands()) {
      if (op.isWholeCapture(*operand))
        continue;
      AffineMap map = op.getMapOf(*operand);
      for (unsigned i = 0; i < map.getNumResults(); ++i) {
        unsigned dim = map.getDimPosition(i);
        auto &list = isPerSequence(*operand, dim) ? perSequence : extents;
        list[dim].push_back(
            {names.lookup(operand->getOperandNumber()), operand->get(), i});
      }
    }
    for (auto [name, value] :
         {std::make_pair("query_lengths", op.getQueryLengths()),
          std::make_pair("key_lengths", op.getKeyLengths())})
      if (value)
        (op.isPacked() ? perSequence : extents)[B].push_back({name, value, 0});
    for (unsigned dim = 0; dim < NumDims; ++dim)
      for (const Extent &extent :
           llvm::drop_begin(extents[dim], !extents[dim].empty()))
        if (extent.isDynamic() || extents[dim][0].isDynamic())
          checkEqual(extents[dim][0], extent, letterOf(dim));
    if (op.isPacked())
      checkPacking(extents, perSequence);
    if (mostExtent == 0)
      return success();
    // Of a dimension of the domain any extent is like the first, apart from
    // those that are indexed within a sequence.
    for (unsigned dim = 0; dim < NumDims; ++dim) {
      ArrayRef<Extent> first = ArrayRef(extents[dim]).take_front();
      if (failed(checkMost(first, dim)) ||
          failed(checkMost(perSequence[dim], dim)))
        return failure();
    }
    return checkMostOutside();
  }

private:
  using ExtentLists = ArrayRef<SmallVector<Extent>>;

  static StringRef letterOf(unsigned dim) {
    constexpr StringLiteral kLetters = "bhgmnde";
    return kLetters.substr(dim, 1);
  }

  LogicalResult checkMost(ArrayRef<Extent> extents, unsigned dim) {
    return success(llvm::all_of(extents, [&](const Extent &extent) {
      return succeeded(checkMost(extent, " (" + letterOf(dim) + ")"));
    }));
  }

  LogicalResult checkMost(const Extent &extent, const Twine &letter = "") {
    std::string what =
        llvm::formatv("dimension {0} of {1}", extent.dim, extent.name).str() +
        letter.str();
    if (extent.isDynamic()) {
      assertMost(sizeOf(b, op.getLoc(), extent), what);
      return success();
    }
    auto type = cast<ShapedType>(extent.value.getType());
    if (type.getDimSize(extent.dim) > mostExtent)
      return op->emitError(tooMuch(what));
    return success();
  }

  /// What has no dimension of the domain.
  LogicalResult checkMostOutside() {
    for (OpOperand *operand : op.getMappedOperands())
      if (auto type = dyn_cast<ShapedType>(operand->get().getType());
          type && op.isWholeCapture(*operand))
        for (int64_t i = 0; i < type.getRank(); ++i)
          if (failed(checkMost({names.lookup(operand->getOperandNumber()),
                                operand->get(), i})))
            return failure();
    for (auto [name, base] : {std::make_pair("query_base", op.getQueryBase()),
                              std::make_pair("key_base", op.getKeyBase()),
                              std::make_pair("batch_base", op.getBatchBase()),
                              std::make_pair("head_base", op.getHeadBase()),
                              std::make_pair("offset", op.getOffset())}) {
      if (!base)
        continue;
      Location loc = op.getLoc();
      Value minus = arith::SubIOp::create(
          b, loc, arith::ConstantIndexOp::create(b, loc, 0), base);
      assertMost(arith::MaxSIOp::create(b, loc, base, minus), name);
    }
    return success();
  }

  std::string tooMuch(const Twine &what) {
    return llvm::formatv("{0}: {1} is more than {2}, the most that kernels "
                         "for GPUs count to",
                         op->getName().getStringRef(), what.str(), mostExtent);
  }

  /// Unsigned: the magnitude of the least number is no magnitude.
  void assertMost(Value v, const Twine &what) {
    Location loc = op.getLoc();
    Value holds = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ule, v,
        arith::ConstantIndexOp::create(b, loc, mostExtent));
    cf::AssertOp::create(b, loc, holds, tooMuch(what));
  }

  void checkPacking(ExtentLists extents, ExtentLists perSequence) {
    Location loc = op.getLoc();
    StringRef opName = op->getName().getStringRef();
    Extent query{"query_offsets", op.getQueryOffsets(), 0};
    Extent key{"key_offsets", op.getKeyOffsets(), 0};
    Value count = sizeOf(b, loc, query);
    auto checkCount = [&](Value size, const Twine &what) {
      Value equal =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, size);
      cf::AssertOp::create(b, loc, equal, (opName + ": " + what).str());
    };
    if (query.isDynamic() || key.isDynamic())
      checkCount(sizeOf(b, loc, key),
                 "query_offsets and key_offsets differ in length");
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    for (const Extent &extent : perSequence[B])
      checkCount(arith::AddIOp::create(b, loc, sizeOf(b, loc, extent), one),
                 extent.name +
                     " has not as many sequences as query_offsets say");
    if (!readsOffsets)
      return;
    for (auto [offsets, dim] : {std::make_pair(query, M), {key, N}})
      checkOffsets(b, loc, opName,
                   {offsets.name, offsets.value, extents[dim].front(),
                    perSequence[dim]});
  }

  /// With packed sequences, bias, mask and captures index within one.
  bool isPerSequence(OpOperand &operand, unsigned dim) {
    if (!op.isPacked() || (dim != B && dim != M && dim != N))
      return false;
    return !llvm::is_contained(packed, operand.getOperandNumber());
  }

  void checkEqual(const Extent &x, const Extent &y, StringRef letter) {
    Location loc = op.getLoc();
    Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        sizeOf(b, loc, x), sizeOf(b, loc, y));
    std::string message = llvm::formatv(
        "{0}: dimension {1} of {2} ({3}) and dimension {4} of {5} ({3}) differ",
        op->getName().getStringRef(), x.dim, x.name, letter, y.dim, y.name);
    cf::AssertOp::create(b, loc, equal, message);
  }

  AttentionOpInterface op;
  Names names;
  SmallVector<unsigned> packed;
  OpBuilder b;
  bool readsOffsets;
  int64_t mostExtent;
};

struct CheckShapesPass : fa::impl::FACheckShapesBase<CheckShapesPass> {
  using FACheckShapesBase::FACheckShapesBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](Operation *op) -> WalkResult {
      if (auto attention = dyn_cast<AttentionOp>(op))
        return ShapeChecker(attention, offsets, mostExtent).check();
      if (auto backward = dyn_cast<AttentionBackwardOp>(op))
        return ShapeChecker(backward, offsets, mostExtent).check();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
