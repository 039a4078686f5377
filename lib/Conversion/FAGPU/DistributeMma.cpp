//===- DistributeMma.cpp - fagpu.mma to ldmatrix and mma.sync -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fa::fagpu;

namespace {

using Four = std::array<Value, 4>;

/// Four 8x8 matrices from shared memory.
Four loadMatrices(OpBuilder &b, Location loc, Value base, int64_t offset,
                  bool isTransposed) {
  Type i32 = b.getI32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  StringRef text = isTransposed ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared."
                                  "b16 {$0, $1, $2, $3}, [$4 + $5];"
                                : "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                                  "{$0, $1, $2, $3}, [$4 + $5];";
  Value loaded =
      asmValue(b, loc, type, text, "=r,=r,=r,=r,r,n,~{memory}",
               {base, immediate(b, loc, offset)}, /*hasSideEffects=*/true);
  Four result;
  for (int64_t i = 0; i < 4; ++i)
    result[i] = LLVM::ExtractValueOp::create(b, loc, loaded, i);
  return result;
}

/// Blocks of a tile in shared memory, as instructions' operands.
class SharedOperand {
public:
  SharedOperand(OpBuilder &b, Location loc, ThreadContext &thread, Value smem,
                Value stage, ThreadContext::Pattern pattern)
      : type(cast<SmemType>(smem.getType())),
        base(thread.matrixBase(pattern, type.getPitch())),
        offset(smem.getDefiningOp<AllocOp>().getOffset()),
        isTransposed(pattern == ThreadContext::Pattern::B ||
                     pattern == ThreadContext::Pattern::ATransposed) {
    if (stage) {
      I32Builder i(b, loc);
      base = i.add(base, i.mul(stage, type.getStageBytes()));
    }
  }

  /// The 16x16 block whose first element is (row, column).
  Four block(OpBuilder &b, Location loc, int64_t row, int64_t column) {
    int64_t at =
        offset + row * type.getPitch() + column * type.getElementBytes();
    return loadMatrices(b, loc, base, at, isTransposed);
  }

private:
  SmemType type;
  Value base;
  int64_t offset;
  bool isTransposed;
};

struct MmaPattern : DistributePattern<MmaOp> {
  using DistributePattern::DistributePattern;

  LogicalResult matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto accType = cast<RankedTensorType>(op.getAcc().getType());
    auto bType = dyn_cast<SmemType>(op.getB().getType());
    if (!bType || !op.getB().getDefiningOp<AllocOp>())
      return op.emitError("machine stage: the right operand has no place in "
                          "shared memory");
    int64_t blocks = accType.getDimSize(0) / kBlockRows;
    int64_t n = accType.getDimSize(1);
    int64_t k = op.getBTransposed() ? bType.getColumns() : bType.getRows();
    int64_t eights = n / 8;
    auto element = cast<FloatType>(bType.getElementType());

    std::optional<SharedOperand> a;
    if (isa<SmemType>(op.getA().getType()))
      a.emplace(b, loc, thread, op.getA(), Value(),
                op.getATransposed() ? ThreadContext::Pattern::ATransposed
                                    : ThreadContext::Pattern::A);
    else if (op.getATransposed())
      return op.emitError("machine stage: a transposed left operand has no "
                          "place in shared memory");
    SharedOperand right(
        b, loc, thread, op.getB(),
        adaptor.getBStage().empty() ? Value() : adaptor.getBStage().front(),
        op.getBTransposed() ? ThreadContext::Pattern::BTransposed
                            : ThreadContext::Pattern::B);
    SmallVector<Value> acc(adaptor.getAcc());
    for (int64_t k16 = 0; k16 < k; k16 += 16) {
      SmallVector<Four> left(blocks);
      for (int64_t r = 0; r < blocks; ++r) {
        if (a) {
          left[r] = op.getATransposed() ? a->block(b, loc, k16, r * kBlockRows)
                                        : a->block(b, loc, r * kBlockRows, k16);
          continue;
        }
        for (int64_t i = 0; i < 4; ++i)
          left[r][i] = adaptor.getA()[(r * (k / 8) + k16 / 8) * 2 + i];
      }
      for (int64_t n16 = 0; n16 < n; n16 += 16) {
        Four two = op.getBTransposed() ? right.block(b, loc, n16, k16)
                                       : right.block(b, loc, k16, n16);
        for (int64_t r = 0; r < blocks; ++r)
          for (int64_t half = 0; half < 2; ++half)
            multiply(b, loc, element, left[r], two[2 * half], two[2 * half + 1],
                     MutableArrayRef(acc).slice(
                         (r * eights + n16 / 8 + half) * 4, 4));
      }
    }
    b.replaceOpWithMultiple(op, {acc});
    return success();
  }

  static void multiply(OpBuilder &b, Location loc, FloatType element,
                       const Four &left, Value low, Value high,
                       MutableArrayRef<Value> acc) {
    Type f32 = b.getF32Type();
    auto type =
        LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
    auto operand = [&](Value v) -> Value {
      if (element.isBF16())
        return v;
      auto pair = VectorType::get({2}, element);
      return LLVM::BitcastOp::create(b, loc, pair, v);
    };
    SmallVector<Value> a, right = {operand(low), operand(high)};
    for (Value v : left)
      a.push_back(operand(v));
    NVVM::MMATypes mmaType =
        element.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
    Value product = NVVM::MmaOp::create(
        b, loc, type, a, right, ValueRange(acc), ArrayRef<int64_t>{16, 8, 16},
        std::nullopt, std::nullopt,
        std::array<NVVM::MMATypes, 2>{mmaType, mmaType},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
    for (int64_t i = 0; i < 4; ++i)
      acc[i] = LLVM::ExtractValueOp::create(b, loc, product, i);
  }
};

} // namespace

void fa::fagpu::populateDistributeMmaPatterns(const TypeConverter &converter,
                                              RewritePatternSet &patterns,
                                              ThreadContext &thread) {
  patterns.add<MmaPattern>(converter, patterns.getContext(), thread);
}
