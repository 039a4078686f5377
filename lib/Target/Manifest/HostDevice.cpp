//===- HostDevice.cpp - what kernels need of a device ---------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "fa/Target/Manifest/Manifest.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace json = llvm::json;

/// A CUtensorMap is 16 slots on a boundary of 8.
static constexpr int64_t mapSlots = 16, mapAlignment = 8;

/// Columns of a box, bytes of its swizzle and of what a read brings to L2.
static constexpr int64_t boxColumns = 64, swizzleBytes = 128, l2Bytes = 256;

int64_t fa::HostProgram::newSlots(int64_t count, int64_t alignment) {
  int64_t first = llvm::alignTo(numSlots, alignment);
  numSlots = first + count;
  return first;
}

/// The name of the argument that a buffer is a view of; else its number.
static std::string getNameOfBase(func::FuncOp function, Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  if (!argument || argument.getOwner()->getParentOp() != function)
    return "workspace";
  unsigned index = argument.getArgNumber();
  auto name =
      function.getArgAttrOfType<StringAttr>(index, fa::argumentNameAttr);
  return name ? name.str() : "arg" + std::to_string(index);
}

/// The buffer's dimensions in the order of the map, outermost first: the
/// others, rows, columns.
static SmallVector<int64_t> getDimensions(fa::fagpu::EncodeTensorMapOp op) {
  int64_t row = op.getRowDim(), col = op.getColDim();
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < op.getSource().getType().getRank(); ++d)
    if (d != row && d != col)
      order.push_back(d);
  order.append({row, col});
  return order;
}

LogicalResult fa::HostProgram::translateTensorMap(fagpu::EncodeTensorMapOp op) {
  const MemRef memref = memrefs[op.getSource()];
  SmallVector<int64_t> order = getDimensions(op);
  SmallVector<int64_t> in = {getAddress(op.getSource())};
  for (int64_t d : order)
    in.push_back(memref.sizes[d]);
  for (int64_t d : order)
    in.push_back(memref.strides[d]);
  SmallVector<int64_t> box(order.size(), 1);
  box.back() = boxColumns;
  box[box.size() - 2] =
      cast<fagpu::TensorMapType>(op.getResult().getType()).getRows();
  std::string dtype;
  llvm::raw_string_ostream(dtype) << op.getSource().getType().getElementType();

  int64_t to = newSlots(mapSlots, mapAlignment);
  scalars[op.getResult()] = to;
  current->push_back(
      json::Object{{"op", "tensor_map"},
                   {"name", getNameOfBase(function, getBase(op.getSource()))},
                   {"in", toJson(in)},
                   {"to", to},
                   {"dtype", dtype},
                   {"box", toJson(box)},
                   {"swizzle", swizzleBytes},
                   {"l2_promotion", l2Bytes}});
  require(2);
  return success();
}

LogicalResult fa::HostProgram::translateDevice(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](fagpu::EncodeTensorMapOp op) { return translateTensorMap(op); })
      .Case([&](fagpu::MultiprocessorsOp op) {
        scalars[op.getResult()] = emit("multiprocessors", {});
        require(2);
        return success();
      })
      .Default([](Operation *op) {
        return emitError(op->getLoc())
               << "'" << op->getName()
               << "' cannot be part of a host program (manifest)";
      });
}
