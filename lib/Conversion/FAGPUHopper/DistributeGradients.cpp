//===- DistributeGradients.cpp - dS and rows by way of shared memory ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DistributeHopper.h"
#include "HopperUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fa::fagpu;

/// stmatrix: lane l says where row l mod 8 of matrix l / 8 goes; the four
/// matrices are rows 0-7 and 8-15 of two neighbouring 8-column groups.
void fa::fagpu::storeFragments(OpBuilder &b, Location loc, SmemOp smem,
                               Value index, const ThreadContext &thread,
                               ValueRange packed) {
  I32Builder i(b, loc);
  auto type = cast<SwizzledType>(smem.getResult().getType());
  Value matrix = i.div(thread.lane, 8), row8 = i.rem(thread.lane, 8);
  Value row =
      i.add(i.add(row8, i.mul(i.rem(matrix, 2), 8)), i.mul(thread.warp, 16));
  Value group = i.div(matrix, 2);
  Value tile = i.mul(index, type.getTileBytes());
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  for (int64_t j = 0; j < type.getCols() / 8; j += 2) {
    // Chunk c of row r of a 128-byte block lies at chunk c xor (r mod 8).
    Value chunk = arith::XOrIOp::create(b, loc, i.add(group, j % 8), row8);
    int64_t block = j / 8 * type.getRows() * 128;
    Value own = i.add(i.mul(row, 128), i.mul(chunk, 16));
    Value pointer = sharedPointer(b, loc, *smem.getOffset() + block, tile, own);
    NVVM::StMatrixOp::create(b, loc, pointer, packed.slice(2 * j, 4),
                             NVVM::MMALayout::row, shape,
                             NVVM::LdStMatrixEltType::B16);
  }
}

namespace {

/// The fence is in every thread that has written, before the arrival of its
/// warp: that orders its stores before what the tensor cores read after their
/// wait.
struct StoreFragmentsPattern : DistributePattern<StoreFragmentsOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(StoreFragmentsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value tile = I32Builder(b, loc).add(op.getIndex(), op.getPart());
    storeFragments(b, loc, op.getSmem().getDefiningOp<SmemOp>(), tile, thread,
                   adaptor.getTile());
    if (!op.getUnfenced())
      fenceShared(b, loc);
    b.eraseOp(op);
    return success();
  }
};

struct FenceProxyPattern : OpConversionPattern<FenceProxyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(FenceProxyOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    fenceShared(b, op.getLoc());
    b.eraseOp(op);
    return success();
  }
};

/// ldmatrix: lane l says where row l mod 8 of matrix l / 8 is. The four
/// matrices of a step are rows 0-7 and 8-15 of the warp's 16, of columns 0-7,
/// then of columns 8-15.
struct ReadFragmentsPattern : DistributePattern<ReadFragmentsOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(ReadFragmentsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto result = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Value> values;
    for (int64_t step = 0; step < result.getDimSize(1) / 16; ++step)
      llvm::append_range(values, op.getRowsAreColumns()
                                     ? readTransposed(b, op, step)
                                     : readStep(b, op, step));
    b.replaceOpWithMultiple(op, {values});
    return success();
  }

private:
  static SmallVector<Value> read(OpBuilder &b, Location loc, StringRef text,
                                 Value pointer, int64_t offset) {
    Type i32 = b.getI32Type();
    auto four = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                 SmallVector<Type>(4, i32));
    Value all = asmValue(b, loc, four, text, "=r,=r,=r,=r,r,n,~{memory}",
                         {pointer, immediate(b, loc, offset)},
                         /*hasSideEffects=*/true);
    SmallVector<Value> values;
    for (int64_t i = 0; i < 4; ++i)
      values.push_back(LLVM::ExtractValueOp::create(b, loc, all, i));
    return values;
  }

  /// A lane's row of a matrix: `row` of the tile and, before the swizzle, the
  /// 16 bytes `chunk` of it.
  Value pointerTo(OpBuilder &b, ReadFragmentsOp op, Value row,
                  Value chunk) const {
    Location loc = op.getLoc();
    I32Builder i(b, loc);
    auto type = cast<SwizzledType>(op.getSmem().getType());
    Value swizzled =
        arith::XOrIOp::create(b, loc, chunk, i.rem(thread.lane, 8));
    Value offset =
        i.add(i.add(i.mul(op.getIndex(), type.getTileBytes()), i.mul(row, 128)),
              i.mul(swizzled, 16));
    return sharedPointer(
        b, loc, *op.getSmem().getDefiningOp<SmemOp>().getOffset(), offset);
  }

  SmallVector<Value> readStep(OpBuilder &b, ReadFragmentsOp op,
                              int64_t step) const {
    I32Builder i(b, op.getLoc());
    auto type = cast<SwizzledType>(op.getSmem().getType());
    Value matrix = i.div(thread.lane, 8), row8 = i.rem(thread.lane, 8);
    Value row =
        i.add(i.add(row8, i.mul(i.rem(matrix, 2), 8)), i.mul(thread.warp, 16));
    constexpr int64_t perBlock = 8;
    Value chunk = i.add(i.div(matrix, 2), step * 2 % perBlock);
    int64_t block = step * 2 / perBlock * type.getRows() * 128;
    return read(b, op.getLoc(),
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0, $1, $2, $3}, "
                "[$4 + $5];",
                pointerTo(b, op, row, chunk), block);
  }

  /// Rows of shared memory are columns of the operand.
  SmallVector<Value> readTransposed(OpBuilder &b, ReadFragmentsOp op,
                                    int64_t step) const {
    I32Builder i(b, op.getLoc());
    Value matrix = i.div(thread.lane, 8), row8 = i.rem(thread.lane, 8);
    Value row = i.add(row8, i.mul(i.div(matrix, 2), 8));
    Value chunk = i.add(i.mul(thread.warp, 2), i.rem(matrix, 2));
    return read(b, op.getLoc(),
                "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, "
                "$3}, [$4 + $5];",
                pointerTo(b, op, row, chunk), step * 16 * 128);
  }
};

struct MulPackedPattern : OpConversionPattern<MulPackedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MulPackedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type element =
        cast<RankedTensorType>(op.getLhs().getType()).getElementType();
    StringRef text = element.isBF16() ? "mul.rn.bf16x2 $0, $1, $2;"
                                      : "mul.rn.f16x2 $0, $1, $2;";
    SmallVector<Value> values;
    for (auto [x, y] : llvm::zip(adaptor.getLhs(), adaptor.getRhs()))
      values.push_back(asmValue(b, op.getLoc(), b.getI32Type(), text, "=r,r,r",
                                {x, y}, /*hasSideEffects=*/true));
    b.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct UnpackPattern : OpConversionPattern<UnpackOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(UnpackOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type element =
        cast<RankedTensorType>(op.getSource().getType()).getElementType();
    SmallVector<Value> values;
    for (Value pair : adaptor.getSource())
      for (bool isUpper : {false, true})
        values.push_back(element.isBF16()
                             ? extendBF16(b, op.getLoc(), pair, isUpper)
                             : extendF16(b, op.getLoc(), pair, isUpper));
    b.replaceOpWithMultiple(op, {values});
    return success();
  }

private:
  static Value extendBF16(OpBuilder &b, Location loc, Value pair,
                          bool isUpper) {
    auto constant = [&](int64_t v) -> Value {
      return arith::ConstantIntOp::create(b, loc, v, 32);
    };
    Value bits =
        isUpper ? arith::AndIOp::create(b, loc, pair, constant(0xFFFF0000))
                      .getResult()
                : arith::ShLIOp::create(b, loc, pair, constant(16)).getResult();
    return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
  }
  static Value extendF16(OpBuilder &b, Location loc, Value pair, bool isUpper) {
    Value bits = pair;
    if (isUpper)
      bits = arith::ShRUIOp::create(
          b, loc, pair, arith::ConstantIntOp::create(b, loc, 16, 32));
    bits = arith::TruncIOp::create(b, loc, b.getI16Type(), bits);
    Value half = arith::BitcastOp::create(b, loc, b.getF16Type(), bits);
    return arith::ExtFOp::create(b, loc, b.getF32Type(), half);
  }
};

/// Assembly, so that no load is moved before the wait.
struct ReadColsPattern : DistributePattern<ReadColsOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(ReadColsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    I32Builder i(b, loc);
    auto rows = op.getRows().getDefiningOp<RowsOp>();
    auto type = cast<SharedRowsType>(op.getRows().getType());
    constexpr int64_t element = 4, group = 8;
    Value offset = i.add(i.mul(op.getIndex(), type.getSlotBytes()),
                         i.mul(thread.firstColumn, element));
    Value base = sharedPointer(b, loc, *rows.getOffset(), offset);
    Type f32 = b.getF32Type();
    auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32});
    // An accumulator has two rows of each column; loads of their own, for
    // registers that are nobody else's.
    int64_t copies = hasLayout<AccAttr>(op.getResult().getType()) ? 2 : 1;
    SmallVector<Value> values;
    for (int64_t n = 0; n < type.getRows() / group * copies; ++n) {
      int64_t column = n / copies * group;
      Value both = asmValue(
          b, loc, pair, "ld.shared.v2.f32 {$0, $1}, [$2 + $3];",
          "=f,=f,r,n,~{memory}", {base, immediate(b, loc, column * element)},
          /*hasSideEffects=*/true);
      for (int64_t i : {0, 1})
        values.push_back(LLVM::ExtractValueOp::create(b, loc, both, i));
    }
    b.replaceOpWithMultiple(op, {values});
    return success();
  }
};

} // namespace

void fa::fagpu::populateDistributeGradientPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns,
    ThreadContext &thread) {
  MLIRContext *context = patterns.getContext();
  patterns.add<UnpackPattern, FenceProxyPattern, MulPackedPattern>(converter,
                                                                   context);
  patterns.add<StoreFragmentsPattern, ReadColsPattern, ReadFragmentsPattern>(
      converter, context, thread);
}
