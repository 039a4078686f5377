//===- HostProgram.cpp - a host function as instructions ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "fa/Target/Manifest/Manifest.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Slots and instructions
//===----------------------------------------------------------------------===//

json::Array fa::HostProgram::toJson(ArrayRef<int64_t> values) {
  json::Array array;
  for (int64_t value : values)
    array.push_back(value);
  return array;
}

int64_t fa::HostProgram::getConstant(int64_t value) {
  // The two markers of a DenseMap of integers are not cached.
  bool cached = value < INT64_MAX && value > INT64_MIN;
  if (cached) {
    auto found = constantSlots.find(value);
    if (found != constantSlots.end())
      return found->second;
  }
  int64_t slot = newSlot();
  constants.push_back(
      json::Object{{"op", "const"}, {"to", slot}, {"value", value}});
  if (cached)
    constantSlots[value] = slot;
  return slot;
}

void fa::HostProgram::emitTo(int64_t to, StringRef op, ArrayRef<int64_t> in,
                             int64_t bits) {
  json::Object instruction{{"op", op}, {"in", toJson(in)}};
  if (to >= 0)
    instruction["to"] = to;
  if (bits)
    instruction["bits"] = bits;
  current->push_back(std::move(instruction));
}

int64_t fa::HostProgram::emit(StringRef op, ArrayRef<int64_t> in,
                              int64_t bits) {
  int64_t to = newSlot();
  emitTo(to, op, in, bits);
  return to;
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

static std::string getDType(Type type) {
  if (type.isIndex())
    return "i64";
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static bool isSupportedScalar(Type type) {
  return type.isIndex() || type.isF32() || type.isF64() || type.isF16() ||
         type.isBF16() || type.isInteger(1) || type.isInteger(8) ||
         type.isInteger(16) || type.isInteger(32) || type.isInteger(64);
}

/// Shape and strides of a buffer; the strides of a tensor are for the caller.
static LogicalResult describeBuffer(ShapedType type, ArrayAttr names,
                                    json::Object &object) {
  if (!type.hasRank())
    return failure();
  object["kind"] = "buffer";
  object["dtype"] = getDType(type.getElementType());
  json::Array shape;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    Attribute name = names && i < names.size() ? names[i] : Attribute();
    auto text = dyn_cast_or_null<StringAttr>(name);
    if (!ShapedType::isDynamic(size))
      shape.push_back(size);
    else if (auto number = dyn_cast_or_null<IntegerAttr>(name))
      shape.push_back(number.getInt());
    else if (text && !text.empty())
      shape.push_back(text.getValue());
    else
      shape.push_back(nullptr);
  }
  object["shape"] = std::move(shape);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity()) {
    object["strides"] = "contiguous";
    return success();
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) ||
      (offset != 0 && !ShapedType::isDynamic(offset)))
    return failure();
  json::Array list;
  for (int64_t stride : strides)
    if (ShapedType::isDynamic(stride))
      list.push_back(nullptr);
    else
      list.push_back(stride);
  object["strides"] = std::move(list);
  return success();
}

LogicalResult fa::HostProgram::addArgument(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  auto unsupported = [&] {
    return emitError(argument.getLoc())
           << "argument " << index << " of '" << function.getName()
           << "' is of type " << argument.getType()
           << "; a caller can give buffers without a static offset, and "
              "numbers";
  };
  json::Object object;
  auto name = function.getArgAttrOfType<StringAttr>(index, argumentNameAttr);
  object["name"] = name ? name.getValue().str() : "arg" + std::to_string(index);
  object["slot"] = numSlots;
  if (auto shaped = dyn_cast<ShapedType>(argument.getType())) {
    if (!isSupportedScalar(shaped.getElementType()) ||
        failed(describeBuffer(
            shaped,
            function.getArgAttrOfType<ArrayAttr>(index, argumentExtentsAttr),
            object)))
      return unsupported();
    object["access"] =
        function.getArgAttr(index, argumentWrittenAttr) ? "write" : "read";
    MemRef &memref = memrefs[argument];
    memref.pointer = newSlot();
    for (int64_t i = 0; i < shaped.getRank(); ++i)
      memref.sizes.push_back(newSlot());
    for (int64_t i = 0; i < shaped.getRank(); ++i)
      memref.strides.push_back(newSlot());
  } else {
    if (!isSupportedScalar(argument.getType()))
      return unsupported();
    object["kind"] = "scalar";
    object["dtype"] = getDType(argument.getType());
    scalars[argument] = newSlot();
  }
  arguments.push_back(std::move(object));
  return success();
}

LogicalResult fa::HostProgram::addSignatureResult(Type type, unsigned index) {
  auto shaped = dyn_cast<ShapedType>(type);
  json::Object object;
  if (!shaped || !isSupportedScalar(shaped.getElementType()) ||
      failed(describeBuffer(shaped, ArrayAttr(), object)))
    return emitError(function.getLoc())
           << "result " << index << " of '" << function.getName()
           << "' is of type " << type << "; a caller can take buffers only";
  object["name"] = "result" + std::to_string(index);
  object["slot"] = numSlots;
  resultSlots.push_back(numSlots);
  numSlots += 1 + 2 * shaped.getRank();
  results.push_back(std::move(object));
  return success();
}

//===----------------------------------------------------------------------===//
// Functions and blocks
//===----------------------------------------------------------------------===//

FailureOr<json::Object> fa::HostProgram::translate(bool withBody) {
  for (BlockArgument argument : function.getArguments())
    if (failed(addArgument(argument)))
      return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(addSignatureResult(type, i)))
      return failure();
  json::Array program;
  if (withBody) {
    if (!function.getBody().hasOneBlock())
      return emitError(function.getLoc())
             << "'" << function.getName()
             << "' branches between blocks; a manifest has scf.if and scf.for";
    auto terminator =
        dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
    if (!terminator || failed(findResultAllocations(terminator)) ||
        failed(translateBlock(function.getBody().front(), program)))
      return failure();
  }
  for (json::Value &instruction : program)
    constants.push_back(std::move(instruction));
  return json::Object{{"name", function.getName()},
                      {"arguments", std::move(arguments)},
                      {"results", std::move(results)},
                      {"slots", numSlots},
                      {"program", std::move(constants)}};
}

LogicalResult fa::HostProgram::translateBlock(Block &block, json::Array &into) {
  json::Array *outer = current;
  current = &into;
  for (Operation &op : block)
    if (failed(translateOp(op)))
      return failure();
  current = outer;
  return success();
}

LogicalResult fa::HostProgram::translateOp(Operation &op) {
  if (isa<scf::YieldOp, memref::AssumeAlignmentOp>(op) &&
      op.getNumResults() == 0)
    return success();
  StringRef dialect = op.getName().getDialectNamespace();
  if (dialect == "arith" || dialect == "math" || dialect == "index")
    return translateArith(op);
  if (dialect == "memref" || dialect == "gpu")
    return translateMemRef(op);
  if (dialect == "fagpu")
    return translateDevice(op);
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](scf::IfOp op) { return translateIf(op); })
      .Case([&](scf::ForOp op) { return translateFor(op); })
      .Case([&](func::ReturnOp op) { return translateReturn(op); })
      .Case([&](cf::AssertOp op) {
        emitTo(-1, "assert", {getSlot(op.getArg())});
        (*current->back().getAsObject())["message"] = op.getMsg();
        return success();
      })
      .Default([](Operation *op) {
        return emitError(op->getLoc())
               << "'" << op->getName()
               << "' cannot be part of a host program (manifest): it can hold "
                  "index arithmetic, workspaces and launches";
      });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<int64_t> fa::HostProgram::getSlots(Value value) {
  if (!isa<MemRefType>(value.getType()))
    return {getSlot(value)};
  const MemRef &memref = memrefs[value];
  SmallVector<int64_t> slots = {
      memref.pointer, memref.offset < 0 ? getConstant(0) : memref.offset};
  slots.append(memref.sizes);
  slots.append(memref.strides);
  return slots;
}

void fa::HostProgram::defineSlots(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type) {
    scalars[value] = newSlot();
    return;
  }
  MemRef memref;
  memref.pointer = newSlot();
  memref.offset = newSlot();
  for (int64_t i = 0; i < type.getRank(); ++i)
    memref.sizes.push_back(newSlot());
  for (int64_t i = 0; i < type.getRank(); ++i)
    memref.strides.push_back(newSlot());
  memrefs[value] = memref;
}

/// All at once: a loop may exchange its values.
void fa::HostProgram::emitAssignments(ValueRange from, ValueRange to) {
  SmallVector<std::pair<int64_t, int64_t>> moves;
  for (auto [source, target] : llvm::zip_equal(from, to))
    for (auto [s, t] : llvm::zip_equal(getSlots(source), getSlots(target)))
      moves.push_back({from.size() > 1 ? emit("set", {s}) : s, t});
  for (auto [s, t] : moves)
    emitTo(t, "set", {s});
}

LogicalResult fa::HostProgram::translateIf(scf::IfOp op) {
  for (Value result : op.getResults())
    defineSlots(result);
  auto branch = [&](Region &region, json::Array &block) -> LogicalResult {
    if (region.empty())
      return success();
    if (failed(translateBlock(region.front(), block)))
      return failure();
    json::Array *outer = current;
    current = &block;
    emitAssignments(region.front().getTerminator()->getOperands(),
                    op.getResults());
    current = outer;
    return success();
  };
  json::Array then, otherwise;
  if (failed(branch(op.getThenRegion(), then)) ||
      failed(branch(op.getElseRegion(), otherwise)))
    return failure();
  emitTo(-1, "if", {getSlot(op.getCondition())});
  json::Object &instruction = *current->back().getAsObject();
  instruction["then"] = std::move(then);
  instruction["else"] = std::move(otherwise);
  return success();
}

LogicalResult fa::HostProgram::translateFor(scf::ForOp op) {
  for (Value argument : op.getBody()->getArguments())
    defineSlots(argument);
  for (Value result : op.getResults())
    defineSlots(result);
  emitAssignments(op.getInitArgs(), op.getRegionIterArgs());
  json::Array body;
  if (failed(translateBlock(*op.getBody(), body)))
    return failure();
  json::Array *outer = current;
  current = &body;
  emitAssignments(op.getYieldedValues(), op.getRegionIterArgs());
  current = outer;
  emitTo(getSlot(op.getInductionVar()), "for",
         {getSlot(op.getLowerBound()), getSlot(op.getUpperBound()),
          getSlot(op.getStep())});
  (*current->back().getAsObject())["body"] = std::move(body);
  emitAssignments(op.getRegionIterArgs(), op.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value fa::HostProgram::getBase(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<memref::CastOp, memref::ReinterpretCastOp, memref::CollapseShapeOp,
            memref::ExpandShapeOp>(op))
      value = op->getOperand(0);
    else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
      value = metadata.getSource();
    else
      break;
  }
  return value;
}

LogicalResult fa::HostProgram::findResultAllocations(func::ReturnOp op) {
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    Value base = getBase(operand);
    if (isa<BlockArgument>(base) &&
        cast<BlockArgument>(base).getOwner()->getParentOp() == function)
      continue;
    if (!base.getDefiningOp<memref::AllocOp>())
      return emitError(op.getLoc())
             << "result " << i
             << " must be an argument or a buffer allocated in the function";
    if (!resultAllocations.try_emplace(base, i).second)
      return emitError(op.getLoc())
             << "result " << i << " is the same buffer as another result";
  }
  return success();
}

LogicalResult fa::HostProgram::translateReturn(func::ReturnOp op) {
  for (auto [operand, slot] : llvm::zip_equal(op.getOperands(), resultSlots)) {
    int64_t to = slot;
    emitTo(to++, "set", {getAddress(operand)});
    for (int64_t size : memrefs[operand].sizes)
      emitTo(to++, "set", {size});
    for (int64_t stride : memrefs[operand].strides)
      emitTo(to++, "set", {stride});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// How many parameters the compiled kernel has; -1: not lowered yet.
static int64_t countParameters(gpu::LaunchFuncOp op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto kernel = dyn_cast_or_null<LLVM::LLVMFuncOp>(
      SymbolTable::lookupNearestSymbolFrom(module, op.getKernel()));
  return kernel ? int64_t(kernel.getNumArguments()) : -1;
}

LogicalResult fa::HostProgram::translateLaunch(gpu::LaunchFuncOp op) {
  if (op.getAsyncToken() || !op.getAsyncDependencies().empty())
    return emitError(op.getLoc(), "asynchronous launches are not supported: a "
                                  "host program launches in stream order");
  // Memrefs as descriptors, or as bare pointers where the kernel says so.
  SmallVector<int64_t> expanded, bare;
  for (Value operand : op.getKernelOperands()) {
    if (!isa<MemRefType>(operand.getType())) {
      expanded.push_back(getSlot(operand));
      bare.push_back(getSlot(operand));
      continue;
    }
    SmallVector<int64_t> slots = getSlots(operand);
    expanded.push_back(slots.front());
    expanded.append(slots);
    bare.push_back(slots.front());
  }
  int64_t expected = countParameters(op);
  bool useBare =
      expected == int64_t(bare.size()) && bare.size() != expanded.size();
  if (expected >= 0 && !useBare && expected != int64_t(expanded.size()))
    return emitError(op.getLoc())
           << "the kernel takes " << expected
           << " parameters, the launch gives " << expanded.size();

  gpu::KernelDim3 grid = op.getGridSizeOperandValues();
  gpu::KernelDim3 block = op.getBlockSizeOperandValues();
  auto slotsOf = [&](gpu::KernelDim3 dims) {
    return toJson({getSlot(dims.x), getSlot(dims.y), getSlot(dims.z)});
  };
  json::Object launch{{"op", "launch"},
                      {"in", json::Array()},
                      {"kernel", op.getKernelName().getValue()},
                      {"grid", slotsOf(grid)},
                      {"block", slotsOf(block)},
                      {"parameters", toJson(useBare ? bare : expanded)}};
  if (op.hasClusterSize())
    launch["cluster"] = slotsOf(op.getClusterSizeOperandValues());
  if (Value shared = op.getDynamicSharedMemorySize())
    launch["shared"] = getSlot(shared);
  current->push_back(std::move(launch));
  return success();
}
