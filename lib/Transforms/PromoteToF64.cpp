//===- PromoteToF64.cpp - the same program in double precision ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace fa {
#define GEN_PASS_DEF_FAPROMOTETOF64
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

Attribute promoted(DenseElementsAttr attr, ShapedType type) {
  auto convert = [](const APFloat &value) -> APInt {
    return APFloat(toDouble(value)).bitcastToAPInt();
  };
  return cast<DenseFPElementsAttr>(attr).mapValues(
      Float64Type::get(type.getContext()), convert);
}

struct PromoteToF64Pass : fa::impl::FAPromoteToF64Base<PromoteToF64Pass> {
  void runOnOperation() override {
    // Reinterpreted bits have no double precision counterpart.
    WalkResult result = getOperation()->walk([](Operation *op) -> WalkResult {
      if (!isa<arith::BitcastOp>(op) || !isFloatCast(op))
        return WalkResult::advance();
      return op->emitOpError("fa-promote-to-f64: bits of a float are read or "
                             "made here; there is no f64 program that means "
                             "the same");
    });
    if (result.wasInterrupted())
      return signalPassFailure();

    AttrTypeReplacer replacer;
    replacer.addReplacement([](FloatType type) -> std::optional<Type> {
      if (type.getWidth() > 64)
        return std::nullopt;
      return Float64Type::get(type.getContext());
    });
    replacer.addReplacement(
        [](FloatAttr attr) -> std::optional<std::pair<Attribute, WalkResult>> {
          if (attr.getType().getIntOrFloatBitWidth() > 64)
            return std::nullopt;
          return {{FloatAttr::get(Float64Type::get(attr.getContext()),
                                  toDouble(attr.getValue())),
                   WalkResult::skip()}};
        });
    replacer.addReplacement(
        [](DenseElementsAttr attr)
            -> std::optional<std::pair<Attribute, WalkResult>> {
          if (!isa<FloatType>(attr.getElementType()))
            return {{attr, WalkResult::skip()}};
          return {{promoted(attr, attr.getType()), WalkResult::skip()}};
        });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);

    // Conversions from a float to another are the identity now.
    getOperation()->walk([](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
        return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    });
  }

  static bool isFloatCast(Operation *op) {
    return isa<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType())) ||
           isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  }
};

} // namespace
