//===- FADialect.cpp - registration, attributes, domain helpers -----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fa;

#include "fa/Dialect/FA/IR/FADialect.cpp.inc"
#include "fa/Dialect/FA/IR/FAEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fa/Dialect/FA/IR/FAAttrs.cpp.inc"

void FADialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fa/Dialect/FA/IR/FAAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fa/Dialect/FA/IR/FAOps.cpp.inc"
      >();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   LoopOrder, int64_t queryTile,
                                   int64_t keyTile, int64_t partialSums) {
  if (queryTile <= 0 || keyTile <= 0)
    return emitError() << "tile sizes must be positive, got query_tile = "
                       << queryTile << ", key_tile = " << keyTile;
  if (partialSums <= 0 || (partialSums > 1 && keyTile % (2 * partialSums) != 0))
    return emitError() << "partial_sums = " << partialSums
                       << " must be 1, or divide key_tile / 2 = "
                       << keyTile / 2;
  return success();
}

LogicalResult
BackwardScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             int64_t queryTile, int64_t keyTile,
                             QueryGradient) {
  if (queryTile <= 0 || keyTile <= 0)
    return emitError() << "tile sizes must be positive, got query_tile = "
                       << queryTile << ", key_tile = " << keyTile;
  return success();
}

DimSet fa::dimsOf(AffineMap map) {
  DimSet set = 0;
  for (AffineExpr e : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(e))
      set |= 1u << dim.getPosition();
  return set;
}

int64_t fa::positionOf(AffineMap map, Dim dim) {
  auto position =
      map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
  return position ? static_cast<int64_t>(*position) : -1;
}

AffineMap fa::mapOf(MLIRContext *context, ArrayRef<Dim> order) {
  SmallVector<AffineExpr> results;
  for (Dim d : order)
    results.push_back(getAffineDimExpr(d, context));
  return AffineMap::get(NumDims, 0, results, context);
}

Operation *fa::cloneWith(OpBuilder &b, Operation *op, TypeRange types,
                         ValueRange operands) {
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions()) {
    IRMapping mapping;
    region.cloneInto(state.addRegion(), mapping);
  }
  return b.create(state);
}
