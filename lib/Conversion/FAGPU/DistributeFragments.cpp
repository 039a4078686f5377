//===- DistributeFragments.cpp - buffers in fragment order ----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fa::fagpu;

static constexpr int64_t kElementBytes = 4, kGroupElements = 4;

Value fa::fagpu::firstFragment(OpBuilder &b, Location loc, Value buffer,
                               ValueRange offsets, int64_t row) {
  Type i64 = b.getI64Type();
  auto wide = [&](Value v) -> Value {
    return arith::IndexCastOp::create(b, loc, i64, v);
  };
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIntOp::create(b, loc, v, 64);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, loc, x, y);
  };
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  auto extent = [&](int64_t dim) {
    return wide(memref::DimOp::create(b, loc, buffer, dim));
  };
  // Rows are the innermost but the columns, wherever their dimension is.
  Value outer;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    if (static_cast<int64_t>(dim) == row)
      continue;
    Value here = wide(offset);
    outer = outer ? add(mul(outer, extent(dim)), here) : here;
  }
  Value position = wide(offsets[row]);
  if (outer)
    position = add(mul(outer, extent(row)), position);
  int64_t columns = cast<MemRefType>(buffer.getType()).getShape().back();
  Value base =
      wide(memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer));
  return add(base, mul(position, constant(columns * kElementBytes)));
}

namespace {

/// The address of a thread's first group of a tile's columns.
template <typename OpTy>
Value firstGroup(OpBuilder &b, OpTy op, const ThreadContext &thread) {
  Location loc = op.getLoc();
  Value base = firstFragment(b, loc, op.getBuffer(), op.getOffsets(),
                             op.getTileDims()[0]);
  Value mine = arith::ExtUIOp::create(b, loc, b.getI64Type(), thread.thread);
  Value bytes =
      arith::ConstantIntOp::create(b, loc, kGroupElements * kElementBytes, 64);
  return arith::AddIOp::create(b, loc, base,
                               arith::MulIOp::create(b, loc, mine, bytes));
}

/// Bytes from that to the group of columns 8 * n and on.
int64_t groupOffset(int64_t n) {
  return n * kGroupThreads * kGroupElements * kElementBytes;
}

/// The same, of a part of the columns, which are counted in parts of so many.
template <typename OpTy>
Value firstOfColumns(OpBuilder &b, OpTy op, const ThreadContext &thread,
                     int64_t part) {
  Location loc = op.getLoc();
  Value base = firstGroup(b, op, thread);
  Value columns = op.getColumns();
  if (!columns)
    return base;
  constexpr int64_t eight = 8;
  Value bytes = I32Builder(b, loc).mul(columns, groupOffset(part / eight));
  bytes = arith::ExtUIOp::create(b, loc, b.getI64Type(), bytes);
  return arith::AddIOp::create(b, loc, base, bytes);
}

struct ReduceAddPattern : DistributePattern<ReduceAddOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(ReduceAddOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value base = firstOfColumns(b, op, thread, op.getHalfBlocks() ? 32 : 64);
    ValueRange tile = adaptor.getTile();
    for (size_t n = 0; n < tile.size() / kGroupElements; ++n) {
      SmallVector<Value> operands = {base, immediate(b, loc, groupOffset(n))};
      llvm::append_range(operands,
                         tile.slice(n * kGroupElements, kGroupElements));
      asmEffect(b, loc, "red.global.add.v4.f32 [$0 + $1], {$2, $3, $4, $5};",
                "l,n,f,f,f,f,~{memory}", operands);
    }
    b.eraseOp(op);
    return success();
  }
};

struct LoadFragmentsPattern : DistributePattern<LoadFragmentsOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(LoadFragmentsOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value base = firstOfColumns(b, op, thread, 64);
    auto type = cast<RankedTensorType>(op.getTile().getType());
    auto four = VectorType::get(kGroupElements, b.getF32Type());
    auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
    Value start = LLVM::IntToPtrOp::create(b, loc, global, base);
    SmallVector<Value> values;
    for (int64_t n = 0; n < type.getDimSize(1) / 8; ++n) {
      Value pointer = LLVM::GEPOp::create(
          b, loc, global, b.getI8Type(), start,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(groupOffset(n))});
      Value group = LLVM::LoadOp::create(b, loc, four, pointer,
                                         kGroupElements * kElementBytes);
      for (int64_t i = 0; i < kGroupElements; ++i) {
        Value place = arith::ConstantIntOp::create(b, loc, i, 32);
        values.push_back(LLVM::ExtractElementOp::create(b, loc, group, place));
      }
    }
    b.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct PutFragmentsPattern : DistributePattern<PutFragmentsOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(PutFragmentsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value base = firstGroup(b, op, thread);
    ValueRange tile = adaptor.getTile();
    for (size_t n = 0; n < tile.size() / kGroupElements; ++n) {
      SmallVector<Value> operands = {base, immediate(b, loc, groupOffset(n))};
      llvm::append_range(operands,
                         tile.slice(n * kGroupElements, kGroupElements));
      asmEffect(b, loc, "st.global.v4.f32 [$0 + $1], {$2, $3, $4, $5};",
                "l,n,f,f,f,f,~{memory}", operands);
    }
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void fa::fagpu::populateDistributeFragmentPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns,
    ThreadContext &thread) {
  patterns.add<ReduceAddPattern, LoadFragmentsPattern, PutFragmentsPattern>(
      converter, patterns.getContext(), thread);
}
