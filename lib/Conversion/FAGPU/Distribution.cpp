//===- Distribution.cpp - what a thread holds of a tile -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fa::fagpu;

//===----------------------------------------------------------------------===//
// Fragment
//===----------------------------------------------------------------------===//

Fragment Fragment::of(RankedTensorType type) {
  Fragment f;
  if (type.getRank() == 0)
    return f;
  Attribute layout = layoutOf(type);
  if (isa<ColsAttr>(layout)) {
    f.columns = type.getDimSize(0) / 4;
    return f;
  }
  f.rows = type.getDimSize(0) / kBlockRows * 2;
  if (isa<AccAttr, AOpAttr>(layout))
    f.columns = type.getDimSize(1) / 4;
  return f;
}

int64_t Fragment::at(int64_t row, int64_t column) const {
  if (rows == 1 || columns == 1)
    return row + column;
  int64_t eights = columns / 2;
  return ((row / 2 * eights + column / 2) * 2 + row % 2) * 2 + column % 2;
}

//===----------------------------------------------------------------------===//
// I32Builder
//===----------------------------------------------------------------------===//

Value I32Builder::constant(int64_t v) {
  return arith::ConstantIntOp::create(b, loc, v, 32);
}
Value I32Builder::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}
Value I32Builder::add(Value x, int64_t y) {
  return y == 0 ? x : add(x, constant(y));
}
Value I32Builder::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(loc, x, y);
}
Value I32Builder::mul(Value x, int64_t y) {
  return y == 1 ? x : b.createOrFold<arith::MulIOp>(loc, x, constant(y));
}
Value I32Builder::div(Value x, int64_t y) {
  return y == 1 ? x : b.createOrFold<arith::DivUIOp>(loc, x, constant(y));
}
Value I32Builder::rem(Value x, int64_t y) {
  return y == 1 ? constant(0)
                : b.createOrFold<arith::RemUIOp>(loc, x, constant(y));
}
Value I32Builder::less(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}
Value I32Builder::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}

//===----------------------------------------------------------------------===//
// ThreadContext
//===----------------------------------------------------------------------===//

ThreadContext::ThreadContext(mlir::gpu::GPUFuncOp kernel) {
  constexpr llvm::StringLiteral sharedName = "fa_shared";
  auto module = kernel->getParentOfType<mlir::gpu::GPUModuleOp>();
  Location loc = kernel.getLoc();
  MLIRContext *context = kernel.getContext();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(sharedName);
  if (!global) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
    global = LLVM::GlobalOp::create(
        b, loc, type, /*isConstant=*/false, LLVM::Linkage::External, sharedName,
        Attribute(), /*alignment=*/16,
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  }
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.front());
  auto pointer = LLVM::LLVMPointerType::get(
      context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  Value address =
      LLVM::AddressOfOp::create(b, loc, pointer, global.getSymName());
  shared = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), address);
  thread = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  splitThread(b, loc);
  anchor = b.getInsertionPoint() == kernel.front().end()
               ? nullptr
               : &*b.getInsertionPoint();
}

ThreadContext::ThreadContext(OpBuilder &b, Location loc, Value thread)
    : thread(thread) {
  splitThread(b, loc);
}

void ThreadContext::splitThread(OpBuilder &b, Location loc) {
  I32Builder i(b, loc);
  lane = i.rem(thread, 32);
  warp = i.div(thread, 32);
  quadLane = i.rem(thread, 4);
  firstRow = i.add(i.mul(warp, 16), i.div(lane, 4));
  firstColumn = i.mul(quadLane, 2);
}

Value ThreadContext::rowOfSlot(OpBuilder &b, Location loc, int64_t slot) {
  return I32Builder(b, loc).add(firstRow, rowConstant(slot));
}

Value ThreadContext::columnOfSlot(OpBuilder &b, Location loc, int64_t slot) {
  return I32Builder(b, loc).add(firstColumn, columnConstant(slot));
}

Value ThreadContext::matrixBase(Pattern pattern, int64_t pitch) {
  Value &base = bases[{static_cast<int>(pattern), pitch}];
  if (base)
    return base;
  OpBuilder b = entry();
  I32Builder i(b, anchor->getLoc());
  constexpr int64_t chunk = 16;
  Value row = i.rem(lane, 16), half = i.div(lane, 16);
  if (pattern == Pattern::A)
    row = i.add(row, i.mul(warp, 16));
  if (pattern == Pattern::BTransposed || pattern == Pattern::ATransposed) {
    row = i.add(i.rem(lane, 8), i.mul(half, 8));
    half = i.rem(i.div(lane, 8), 2);
  }
  base = i.add(shared, i.add(i.mul(row, pitch), i.mul(half, chunk)));
  if (pattern == Pattern::ATransposed)
    base = i.add(base, i.mul(warp, 2 * chunk));
  return base;
}

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

static LLVM::InlineAsmOp createAsm(OpBuilder &b, Location loc,
                                   TypeRange results, StringRef text,
                                   StringRef constraints, ValueRange operands,
                                   bool hasSideEffects) {
  return LLVM::InlineAsmOp::create(
      b, loc, results, operands, text, constraints, hasSideEffects,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

Value fa::fagpu::asmValue(OpBuilder &b, Location loc, Type result,
                          StringRef text, StringRef constraints,
                          ValueRange operands, bool hasSideEffects) {
  return createAsm(b, loc, result, text, constraints, operands, hasSideEffects)
      ->getResult(0);
}

void fa::fagpu::asmEffect(OpBuilder &b, Location loc, StringRef text,
                          StringRef constraints, ValueRange operands) {
  createAsm(b, loc, {}, text, constraints, operands, /*hasSideEffects=*/true);
}

Value fa::fagpu::immediate(OpBuilder &b, Location loc, int64_t v) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                  b.getI32IntegerAttr(v));
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

static Value asI32(OpBuilder &b, Location loc, Value pair) {
  return LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair);
}

Value fa::fagpu::packPair(OpBuilder &b, Location loc, Value first,
                          Value second) {
  auto type = VectorType::get({2}, first.getType());
  return asI32(
      b, loc,
      vector::FromElementsOp::create(b, loc, type, ValueRange{first, second}));
}

Value fa::fagpu::packRounded(OpBuilder &b, Location loc, FloatType type,
                             Value first, Value second) {
  // cvt.rn.{bf16x2,f16x2}.f32 d, high, low.
  StringRef text = type.isBF16() ? "cvt.rn.bf16x2.f32 $0, $1, $2;"
                                 : "cvt.rn.f16x2.f32 $0, $1, $2;";
  return asmValue(b, loc, b.getI32Type(), text, "=r,f,f", {second, first},
                  /*hasSideEffects=*/false);
}

//===----------------------------------------------------------------------===//
// TileConverter
//===----------------------------------------------------------------------===//

TileConverter::TileConverter() {
  addConversion([](Type type) { return type; });
  addConversion(
      [](RankedTensorType type,
         SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        if (type.getRank() == 0) {
          types.push_back(type.getElementType());
          return success();
        }
        Attribute layout = layoutOf(type);
        if (!layout || isa<SharedAttr>(layout))
          return failure();
        Fragment f = Fragment::of(type);
        if (isa<AOpAttr>(layout))
          types.append(f.size() / 2, IntegerType::get(type.getContext(), 32));
        else
          types.append(f.size(), type.getElementType());
        return success();
      });
}
