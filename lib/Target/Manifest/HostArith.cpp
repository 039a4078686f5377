//===- HostArith.cpp - arithmetic of a host function ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A slot holds an integer sign-extended to 64 bits (i1: 0 or 1), or the bits of
// a float. Sign extension keeps signed and unsigned order; results that may
// leave their width are cut back to it.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

static unsigned getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// The instruction of an op whose operands and result are of one type; empty if
/// it is none of these.
static StringRef getInstruction(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.addi", "add")
      .Case("arith.subi", "sub")
      .Case("arith.muli", "mul")
      .Case("arith.divsi", "div")
      .Case("arith.divui", "udiv")
      .Case("arith.floordivsi", "floordiv")
      .Case("arith.ceildivsi", "ceildiv")
      .Case("arith.remsi", "rem")
      .Case("arith.remui", "urem")
      .Case("arith.minsi", "min")
      .Case("arith.maxsi", "max")
      .Case("arith.minui", "umin")
      .Case("arith.maxui", "umax")
      .Case("arith.andi", "and")
      .Case("arith.ori", "or")
      .Case("arith.xori", "xor")
      .Case("arith.shli", "shl")
      .Case("arith.shrsi", "shr")
      .Case("arith.shrui", "ushr")
      .Case("index.add", "add")
      .Case("index.sub", "sub")
      .Case("index.mul", "mul")
      .Case("index.divs", "div")
      .Case("index.divu", "udiv")
      .Case("index.floordivs", "floordiv")
      .Case("index.ceildivs", "ceildiv")
      .Case("index.rems", "rem")
      .Case("index.remu", "urem")
      .Case("index.mins", "min")
      .Case("index.maxs", "max")
      .Case("arith.addf", "fadd")
      .Case("arith.subf", "fsub")
      .Case("arith.mulf", "fmul")
      .Case("arith.divf", "fdiv")
      .Case("arith.minnumf", "fmin")
      .Case("arith.maxnumf", "fmax")
      .Case("arith.negf", "fneg")
      .Case("math.sqrt", "sqrt")
      .Case("math.rsqrt", "rsqrt")
      .Default("");
}

static bool readsUnsigned(StringRef instruction) {
  return instruction == "udiv" || instruction == "urem" ||
         instruction == "ushr";
}

static bool mayOverflow(StringRef instruction) {
  return instruction == "add" || instruction == "sub" || instruction == "mul" ||
         instruction == "shl" || instruction == "div" ||
         readsUnsigned(instruction);
}

static StringRef getComparison(arith::CmpIPredicate predicate) {
  static const StringRef names[] = {"eq", "ne",  "lt",  "le",  "gt",
                                    "ge", "ult", "ule", "ugt", "uge"};
  return names[unsigned(predicate)];
}

LogicalResult fa::HostProgram::translateConstant(Operation &op) {
  Attribute value = op.getAttr("value");
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    APInt bits = integer.getValue();
    scalars[op.getResult(0)] =
        getConstant(bits.getBitWidth() == 1 ? int64_t(bits.getZExtValue())
                                            : bits.getSExtValue());
    return success();
  }
  if (auto number = dyn_cast<FloatAttr>(value)) {
    scalars[op.getResult(0)] =
        getConstant(int64_t(number.getValue().bitcastToAPInt().getZExtValue()));
    return success();
  }
  return emitError(op.getLoc(),
                   "constant data cannot be part of a host program "
                   "(manifest); make it an argument");
}

/// Conversions between widths and kinds.
LogicalResult fa::HostProgram::translateCast(Operation &op) {
  Value source = op.getOperand(0);
  int64_t from = getSlot(source);
  unsigned fromWidth = getWidth(source.getType());
  unsigned toWidth = getWidth(op.getResult(0).getType());
  int64_t &result = scalars[op.getResult(0)];
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp, index::CastUOp,
                        arith::UIToFPOp>(op);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    if (isUnsigned && fromWidth < 64)
      from = emit("zext", {from}, fromWidth);
    result = emit("int_to_float", {from}, toWidth);
  } else if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    result = emit("float_to_float", {from}, toWidth);
  } else if (toWidth > fromWidth) {
    // A 1-bit slot is 0 or 1 already.
    if (fromWidth == 1)
      result = isUnsigned ? from : emit("sub", {getConstant(0), from});
    else
      result = isUnsigned ? emit("zext", {from}, fromWidth) : from;
  } else if (toWidth < fromWidth) {
    result = emit(toWidth == 1 ? "zext" : "sext", {from}, toWidth);
  } else {
    result = from;
  }
  return success();
}

static bool isSupportedFloat(Type type) { return type.isF32() || type.isF64(); }

LogicalResult fa::HostProgram::translateArith(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>())
    return translateConstant(op);
  bool isScalar =
      llvm::all_of(op.getOperandTypes(),
                   [](Type type) {
                     return type.isIntOrIndex() || isSupportedFloat(type);
                   }) &&
      llvm::all_of(op.getResultTypes(), [](Type type) {
        return type.isIntOrIndex() || isSupportedFloat(type);
      });
  StringRef instruction = getInstruction(op.getName().getStringRef());
  if (isScalar && !instruction.empty()) {
    unsigned width = getWidth(op.getResult(0).getType());
    bool isFloat = isa<FloatType>(op.getResult(0).getType());
    SmallVector<int64_t> in;
    for (Value operand : op.getOperands())
      in.push_back(readsUnsigned(instruction) && width < 64
                       ? emit("zext", {getSlot(operand)}, width)
                       : getSlot(operand));
    int64_t result = emit(instruction, in, isFloat ? width : 0);
    if (!isFloat && width < 64 && mayOverflow(instruction))
      result = emit(width == 1 ? "zext" : "sext", {result}, width);
    scalars[op.getResult(0)] = result;
    return success();
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && isScalar) {
    scalars[compare.getResult()] =
        emit(getComparison(compare.getPredicate()),
             {getSlot(compare.getLhs()), getSlot(compare.getRhs())});
    return success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op); select && isScalar) {
    scalars[select.getResult()] =
        emit("select",
             {getSlot(select.getCondition()), getSlot(select.getTrueValue()),
              getSlot(select.getFalseValue())});
    return success();
  }
  if (auto divide = dyn_cast<arith::CeilDivUIOp>(op); divide && isScalar) {
    // Exact for the sizes that a host program divides; larger ones would be
    // negative.
    scalars[divide.getResult()] =
        emit("ceildiv", {getSlot(divide.getLhs()), getSlot(divide.getRhs())});
    return success();
  }
  if (isScalar &&
      isa<arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp, index::CastSOp, index::CastUOp, arith::SIToFPOp,
          arith::UIToFPOp, arith::ExtFOp, arith::TruncFOp>(op))
    return translateCast(op);
  return emitError(op.getLoc())
         << "'" << op.getName()
         << "' cannot be part of a host program (manifest)";
}
