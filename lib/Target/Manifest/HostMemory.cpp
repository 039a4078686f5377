//===- HostMemory.cpp - memrefs of a host function ------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace json = llvm::json;

static int64_t getElementSize(MemRefType type) {
  Type element = type.getElementType();
  return element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
}

/// The address of the first element.
int64_t fa::HostProgram::getAddress(Value value) {
  const MemRef &memref = memrefs[value];
  if (memref.offset < 0)
    return memref.pointer;
  int64_t scale =
      getConstant(getElementSize(cast<MemRefType>(value.getType())));
  int64_t bytes = emit("mul", {memref.offset, scale});
  return emit("add", {memref.pointer, bytes});
}

int64_t fa::HostProgram::getByteSize(Value value) {
  int64_t bytes =
      getConstant(getElementSize(cast<MemRefType>(value.getType())));
  for (int64_t size : memrefs[value].sizes)
    bytes = emit("mul", {bytes, size});
  return bytes;
}

LogicalResult fa::HostProgram::translateAlloc(Value result,
                                              ValueRange dynamicSizes,
                                              bool isKeptZero) {
  auto type = cast<MemRefType>(result.getType());
  if (!type.getLayout().isIdentity() ||
      !(type.getElementType().isIntOrIndexOrFloat()))
    return emitError(result.getLoc())
           << "a workspace of type " << type
           << " is not supported: it must be contiguous, of numbers";
  MemRef memref;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      memref.sizes.push_back(getConstant(size));
      continue;
    }
    memref.sizes.push_back(getSlot(dynamicSizes.front()));
    dynamicSizes = dynamicSizes.drop_front();
  }
  int64_t stride = getConstant(1);
  memref.strides.resize(memref.sizes.size());
  for (size_t i = memref.sizes.size(); i-- > 0;) {
    memref.strides[i] = stride;
    if (i)
      stride = emit("mul", {stride, memref.sizes[i]});
  }
  memref.pointer = newSlot();
  memrefs[result] = memref;
  emitTo(memref.pointer, "alloc", {getByteSize(result)});
  if (isKeptZero) {
    (*current->back().getAsObject())["kept_zero"] = true;
    require(2);
  }
  auto found = resultAllocations.find(result);
  if (found != resultAllocations.end())
    (*current->back().getAsObject())["result"] = found->second;
  return success();
}

LogicalResult
fa::HostProgram::translateReinterpretCast(memref::ReinterpretCastOp op) {
  const MemRef &source = memrefs[op.getSource()];
  auto slotOf = [&](OpFoldResult value) {
    if (auto constant = getConstantIntValue(value))
      return getConstant(*constant);
    return getSlot(cast<Value>(value));
  };
  MemRef memref;
  memref.pointer = source.pointer;
  memref.offset = slotOf(op.getMixedOffsets().front());
  for (OpFoldResult size : op.getMixedSizes())
    memref.sizes.push_back(slotOf(size));
  for (OpFoldResult stride : op.getMixedStrides())
    memref.strides.push_back(slotOf(stride));
  memrefs[op.getResult()] = memref;
  return success();
}

void fa::HostProgram::translateMetadata(memref::ExtractStridedMetadataOp op) {
  MemRef source = memrefs[op.getSource()];
  MemRef base;
  base.pointer = source.pointer;
  memrefs[op.getBaseBuffer()] = base;
  scalars[op.getOffset()] = source.offset < 0 ? getConstant(0) : source.offset;
  for (auto [value, slot] : llvm::zip_equal(op.getSizes(), source.sizes))
    scalars[value] = slot;
  for (auto [value, slot] : llvm::zip_equal(op.getStrides(), source.strides))
    scalars[value] = slot;
}

LogicalResult fa::HostProgram::translateCopy(Operation &op, Value source,
                                             Value target) {
  for (Value value : {source, target})
    if (!cast<MemRefType>(value.getType()).getLayout().isIdentity())
      return emitError(op.getLoc())
             << "a copy between strided buffers cannot be part of a host "
                "program (manifest); it needs a kernel";
  emitTo(-1, "copy",
         {getAddress(target), getAddress(source), getByteSize(source)});
  return success();
}

/// Memory is filled by bytes: 0, or a value whose bytes are equal.
/// A program that needs a number of the device waits for it.
LogicalResult fa::HostProgram::translateLoad(memref::LoadOp op) {
  MemRefType type = op.getMemRefType();
  if (!type.getElementType().isIntOrIndex())
    return emitError(op.getLoc(), "the host program (manifest) can read "
                                  "integers of a buffer only");
  int64_t width = getElementSize(type);
  const MemRef memref = memrefs[op.getMemRef()];
  int64_t at = memref.offset < 0 ? getConstant(0) : memref.offset;
  for (auto [index, stride] : llvm::zip_equal(op.getIndices(), memref.strides))
    at = emit("add", {at, emit("mul", {getSlot(index), stride})});
  int64_t bytes = emit("mul", {at, getConstant(width)});
  int64_t address = emit("add", {memref.pointer, bytes});
  scalars[op.getResult()] = emit("read", {address}, width * 8);
  require(3);
  return success();
}

LogicalResult fa::HostProgram::translateFill(gpu::MemsetOp op) {
  auto type = cast<MemRefType>(op.getDst().getType());
  Attribute value;
  if (!type.getLayout().isIdentity() || op.getAsyncToken() ||
      !matchPattern(op.getValue(), m_Constant(&value)))
    return emitError(op.getLoc(),
                     "gpu.memset needs a contiguous buffer, a constant and no "
                     "async token to be part of a host program (manifest)");
  APInt bits = isa<FloatAttr>(value)
                   ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                   : cast<IntegerAttr>(value).getValue();
  if (bits.getBitWidth() < 8)
    bits = bits.zext(8);
  if (!bits.isSplat(8))
    return emitError(op.getLoc(), "gpu.memset of a value whose bytes differ "
                                  "needs a kernel");
  emitTo(-1, "fill", {getAddress(op.getDst()), getByteSize(op.getDst())});
  (*current->back().getAsObject())["value"] =
      int64_t(bits.extractBitsAsZExtValue(8, 0));
  return success();
}

LogicalResult fa::HostProgram::translateMemRef(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](gpu::LaunchFuncOp op) { return translateLaunch(op); })
      .Case([&](gpu::MemsetOp op) { return translateFill(op); })
      .Case([&](memref::AllocOp op) {
        return translateAlloc(op.getResult(), op.getDynamicSizes(),
                              op->hasAttr(fagpu::kKeptZeroName));
      })
      .Case([&](memref::AllocaOp op) {
        return translateAlloc(op.getResult(), op.getDynamicSizes());
      })
      // Workspaces live until the end of the call.
      .Case([&](memref::DeallocOp) { return success(); })
      .Case([&](memref::CastOp op) {
        memrefs[op.getResult()] = MemRef(memrefs[op.getSource()]);
        return success();
      })
      .Case([&](memref::AssumeAlignmentOp op) {
        memrefs[op.getResult()] = MemRef(memrefs[op.getMemref()]);
        return success();
      })
      .Case([&](memref::MemorySpaceCastOp op) {
        memrefs[op.getDest()] = MemRef(memrefs[op.getSource()]);
        return success();
      })
      .Case([&](memref::ReinterpretCastOp op) {
        return translateReinterpretCast(op);
      })
      .Case([&](memref::ExtractStridedMetadataOp op) {
        translateMetadata(op);
        return success();
      })
      .Case([&](memref::ExtractAlignedPointerAsIndexOp op) {
        scalars[op.getResult()] = memrefs[op.getSource()].pointer;
        return success();
      })
      .Case([&](memref::CopyOp op) {
        return translateCopy(*op, op.getSource(), op.getTarget());
      })
      .Case([&](memref::DimOp op) -> LogicalResult {
        std::optional<int64_t> index = op.getConstantIndex();
        const MemRef &memref = memrefs[op.getSource()];
        if (!index || *index < 0 || *index >= int64_t(memref.sizes.size()))
          return emitError(op.getLoc(), "memref.dim needs a constant dimension "
                                        "in range");
        scalars[op.getResult()] = memref.sizes[*index];
        return success();
      })
      .Case([&](memref::LoadOp op) { return translateLoad(op); })
      .Default([](Operation *op) {
        return emitError(op->getLoc())
               << "'" << op->getName()
               << "' cannot be part of a host program (manifest)";
      });
}
