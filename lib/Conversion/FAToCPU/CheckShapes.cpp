//===- CheckShapes.cpp - extents that must agree, checked at run time -----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

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

/// One dimension of one operand.
struct Extent {
  std::string name;
  Value value;
  int64_t dim;

  bool isDynamic() const {
    return cast<ShapedType>(value.getType()).isDynamicDim(dim);
  }
};

/// Checks one attention's extents, right before it.
class ShapeChecker {
public:
  explicit ShapeChecker(AttentionOp op)
      : op(op), self(cast<AttentionOpInterface>(op.getOperation())), b(op) {}

  void check() {
    SmallVector<Extent> extents[NumDims];
    for (OpOperand *operand : self.getMappedOperands()) {
      if (self.isWholeCapture(*operand))
        continue;
      AffineMap map = self.getMapOf(*operand);
      for (unsigned i = 0; i < map.getNumResults(); ++i) {
        unsigned dim = map.getDimPosition(i);
        if (isPerSequence(*operand, dim))
          continue;
        extents[dim].push_back({nameOf(*operand), operand->get(), i});
      }
    }
    for (auto [name, value] :
         {std::make_pair("query_lengths", op.getQueryLengths()),
          std::make_pair("key_lengths", op.getKeyLengths())})
      if (value)
        extents[B].push_back({name, value, 0});
    constexpr StringLiteral kLetters = "bhgmnde";
    for (unsigned dim = 0; dim < NumDims; ++dim)
      for (const Extent &extent :
           llvm::drop_begin(extents[dim], !extents[dim].empty()))
        if (extent.isDynamic() || extents[dim][0].isDynamic())
          checkEqual(extents[dim][0], extent, kLetters.substr(dim, 1));
  }

private:
  /// With packed sequences, bias, mask and captures index within one.
  bool isPerSequence(OpOperand &operand, unsigned dim) {
    if (!op.getQueryOffsets() || (dim != B && dim != M && dim != N))
      return false;
    unsigned number = operand.getOperandNumber();
    return number >= 3 && number < op.getOutputs().getBeginOperandIndex();
  }

  std::string nameOf(OpOperand &operand) {
    Value value = operand.get();
    unsigned number = operand.getOperandNumber();
    unsigned firstOutput = op.getOutputs().getBeginOperandIndex();
    if (number >= firstOutput)
      return number == firstOutput ? "out" : "lse";
    if (number < 3)
      return std::array{"query", "key", "value"}[number];
    if (value == op.getBias())
      return "bias";
    if (value == op.getMask())
      return "mask";
    if (value == op.getAlibiSlopes())
      return "alibi_slopes";
    return value == op.getSinks() ? "sinks" : "a capture";
  }

  void checkEqual(const Extent &x, const Extent &y, StringRef letter) {
    Location loc = op.getLoc();
    auto sizeOf = [&](const Extent &extent) {
      return getValueOrCreateConstantIndexOp(
          b, loc, extentOfDim(b, loc, extent.value, extent.dim));
    };
    Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        sizeOf(x), sizeOf(y));
    std::string message =
        llvm::formatv("fa.attention: dimension {0} of {1} (its {2}) and of {3} "
                      "(its {4}) differ",
                      letter, x.name, x.dim, y.name, y.dim);
    cf::AssertOp::create(b, loc, equal, message);
  }

  AttentionOp op;
  AttentionOpInterface self;
  OpBuilder b;
};

struct CheckShapesPass : fa::impl::FACheckShapesBase<CheckShapesPass> {
  void runOnOperation() override {
    getOperation()->walk([](AttentionOp op) { ShapeChecker(op).check(); });
  }
};

} // namespace
