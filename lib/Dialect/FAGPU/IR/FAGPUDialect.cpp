//===- FAGPUDialect.cpp - registration, layouts, shared memory ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fa::fagpu;

#include "fa/Dialect/FAGPU/IR/FAGPUDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fa/Dialect/FAGPU/IR/FAGPUAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "fa/Dialect/FAGPU/IR/FAGPUTypes.cpp.inc"

void FAGPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fa/Dialect/FAGPU/IR/FAGPUAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "fa/Dialect/FAGPU/IR/FAGPUTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fa/Dialect/FAGPU/IR/FAGPUOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fa/Dialect/FAGPU/IR/FAGPUHopperOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// !fagpu.smem
//===----------------------------------------------------------------------===//

int64_t SmemType::getPitch() const {
  constexpr int64_t chunk = 16;
  int64_t chunks = llvm::divideCeil(getColumns() * getElementBytes(), chunk);
  return (chunks | 1) * chunk;
}

LogicalResult SmemType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               int64_t stages) {
  if (shape.size() != 2 || shape[0] <= 0 || shape[1] <= 0)
    return emitError() << "a shared memory tile has two positive extents";
  if (!elementType.isIntOrFloat() ||
      elementType.getIntOrFloatBitWidth() % 8 != 0)
    return emitError() << "elements must be whole bytes";
  if (stages <= 0)
    return emitError() << "stages must be positive";
  return success();
}

Type SmemType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  int64_t stages;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() ||
      parser.parseKeyword("stages") || parser.parseEqual() ||
      parser.parseInteger(stages) || parser.parseGreater())
    return {};
  return parser.getChecked<SmemType>(parser.getContext(), shape, element,
                                     stages);
}

void SmemType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", stages = " << getStages() << '>';
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Attribute fa::fagpu::layoutOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding() ||
      !isa<FAGPUDialect>(tensor.getEncoding().getDialect()))
    return {};
  return tensor.getEncoding();
}

std::string fa::fagpu::whyIllegal(RankedTensorType type) {
  Attribute layout = layoutOf(type);
  auto rank = [&](int64_t n) { return type.getRank() == n; };
  auto multiple = [&](int64_t dim, int64_t of) {
    return type.getDimSize(dim) % of == 0;
  };
  bool is16Bit = type.getElementType().isIntOrFloat() &&
                 type.getElementType().getIntOrFloatBitWidth() == 16;
  if (isa<AccAttr>(layout) &&
      !(rank(2) && multiple(0, kBlockRows) && multiple(1, 8)))
    return "#fagpu.acc needs 64R x 8C elements";
  if (isa<AOpAttr>(layout) &&
      !(rank(2) && multiple(0, kBlockRows) && multiple(1, 16) && is16Bit))
    return "#fagpu.a_op needs 64R x 16C elements of 16 bits";
  if (isa<RowsAttr>(layout) && !(rank(1) && multiple(0, kBlockRows)))
    return "#fagpu.rows needs 64R elements";
  if (isa<ColsAttr>(layout) && !(rank(1) && multiple(0, 8)))
    return "#fagpu.cols needs 8C elements";
  if (isa<RowsPartialAttr>(layout) &&
      !(rank(2) && multiple(0, kBlockRows) && type.getDimSize(1) == 4))
    return "#fagpu.rows_partial needs 64R x 4 elements";
  if (isa<SharedAttr>(layout) &&
      !(rank(2) && multiple(0, 16) && multiple(1, 16) && is16Bit))
    return "#fagpu.shared needs 16R x 16C elements of 16 bits";
  return "";
}
