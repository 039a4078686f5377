//===- RoundFragments.cpp - a warp rounds sums ----------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../FAGPU/GlobalTile.h"
#include "HopperUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fa::fagpu;

namespace {

/// What a lane reads at once: 4 columns' groups, 2 + 2 numbers of each, of the
/// rows r and r + 8. A piece, 16 rows of 32 columns, is 2 KiB for a warp.
constexpr int64_t kGroups = 4, kNumbers = 4, kLanes = 32, kRows = 16, kHalf = 8,
                  kColumns = 32, kChunk = 8, kParts = kBlockRows / kRows;
constexpr int64_t kLaneBytes = 16, kWarpBytes = kLanes * kLaneBytes,
                  kGroupBytes = kParts * kWarpBytes,
                  kBlockBytes = kGroups * kGroupBytes;

using Words = SmallVector<Value>;

/// In fragment order a quad of lanes has a row's 8 columns of each group, two a
/// lane. After an exchange each lane has the 8 columns of one group.
class Rounding {
public:
  Rounding(RoundFragmentsOp op, OpBuilder &b, GlobalTile &tile)
      : op(op), loc(op.getLoc()), tile(tile), rowParts(kParts / op.getParts()) {
    I32Builder i(b, loc);
    firstPart = i.mul(op.getPart(), rowParts);
    lane = i.rem(NVVM::ThreadIdXOp::create(b, loc, b.getI32Type()), kLanes);
    inQuad = i.rem(lane, 4);
    Value mine =
        arith::ExtUIOp::create(b, loc, b.getI64Type(), i.mul(lane, kLaneBytes));
    base = arith::AddIOp::create(b, loc,
                                 firstFragment(b, loc, op.getBuffer(),
                                               op.getOffsets(),
                                               op.getTileDims()[0]),
                                 mine);
    for (int64_t bit : {1, 2})
      isUpper.push_back(arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ne,
          arith::AndIOp::create(b, loc, inQuad, i.constant(bit)),
          i.constant(0)));
  }

  /// The most pieces, up to `most`, that can be read before the first is
  /// written.
  int64_t together(int64_t most) const {
    while (pieces() % most != 0 ||
           (most % rowParts != 0 && rowParts % most != 0))
      --most;
    return most;
  }

  void build(OpBuilder &at, int64_t together, bool isAligned) {
    auto loop = scf::WhileOp::create(
        at, loc, TypeRange(at.getI32Type()),
        ValueRange(I32Builder(at, loc).constant(0)),
        [&](OpBuilder &b, Location, ValueRange arguments) {
          // ptxas would unroll all of it, for which there are no registers.
          asmEffect(b, loc, ".pragma \"nounroll\";", "", {});
          Value piece = arguments.front();
          round(b, piece, together, isAligned);
          I32Builder i(b, loc);
          Value next = i.add(piece, together);
          scf::ConditionOp::create(b, loc, i.less(next, i.constant(pieces())),
                                   next);
        },
        [&](OpBuilder &b, Location, ValueRange arguments) {
          scf::YieldOp::create(b, loc, arguments);
        });
    at.setInsertionPointAfter(loop);
  }

private:
  int64_t pieces() const { return tile.staticExtent / kColumns * rowParts; }

  void round(OpBuilder &b, Value piece, int64_t together, bool isAligned) {
    I32Builder i(b, loc);
    Value block = i.div(piece, rowParts),
          part = i.add(firstPart, i.rem(piece, rowParts));
    Value bytes = i.add(i.mul(block, kBlockBytes), i.mul(part, kWarpBytes));
    Value from = GlobalTile::add(
        b, loc, base, arith::ExtUIOp::create(b, loc, b.getI64Type(), bytes));
    SmallVector<Words> numbers;
    for (int64_t p = 0; p < together; ++p)
      numbers.push_back(read(
          b, from, p / rowParts * kBlockBytes + p % rowParts * kWarpBytes));
    Value row = i.add(i.mul(part, kRows), i.div(lane, 4));
    Value column = i.add(i.mul(block, kColumns), i.mul(inQuad, kChunk));
    for (int64_t p = 0; p < together; ++p)
      for (int64_t half = 0; half < 2; ++half) {
        Value here = i.add(row, p % rowParts * kRows + half * kHalf);
        Words words = exchanged(b, rounded(b, numbers[p], half));
        Value address =
            tile.at(b, loc, here, i.add(column, p / rowParts * kColumns));
        Value isInside = i.less(here, tile.left.front());
        if (isAligned)
          writeAtOnce(b, words, address, isInside);
        else
          writeEach(b, words, address, isInside);
      }
  }

  Words read(OpBuilder &b, Value from, int64_t offset) {
    auto four = VectorType::get(kNumbers, b.getF32Type());
    auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
    Value start = LLVM::IntToPtrOp::create(b, loc, global, from);
    Words numbers;
    for (int64_t group = 0; group < kGroups; ++group) {
      Value pointer = LLVM::GEPOp::create(
          b, loc, global, b.getI8Type(), start,
          ArrayRef<LLVM::GEPArg>{int32_t(offset + group * kGroupBytes)});
      Value read = LLVM::LoadOp::create(b, loc, four, pointer, kLaneBytes);
      for (int64_t n = 0; n < kNumbers; ++n) {
        Value place = arith::ConstantIntOp::create(b, loc, n, 32);
        numbers.push_back(LLVM::ExtractElementOp::create(b, loc, read, place));
      }
    }
    return numbers;
  }

  /// A word per group: of the upper or the lower rows.
  Words rounded(OpBuilder &b, const Words &numbers, int64_t half) {
    auto type = cast<FloatType>(tile.type.getElementType());
    auto scaled = [&](int64_t n) -> Value {
      return arith::MulFOp::create(b, loc, numbers[n], op.getScale());
    };
    Words words;
    for (int64_t group = 0; group < kGroups; ++group) {
      int64_t first = group * kNumbers + half * 2;
      words.push_back(
          packRounded(b, loc, type, scaled(first), scaled(first + 1)));
    }
    return words;
  }

  /// Word w of lane l becomes word l of lane w.
  Words exchanged(OpBuilder &b, Words words) {
    for (int64_t step = 0; step < 2; ++step) {
      int64_t distance = 1 << step;
      for (int64_t low = 0; low < kGroups; ++low)
        if ((low & distance) == 0)
          swap(b, words[low], words[low + distance], distance, isUpper[step]);
    }
    return words;
  }

  /// The upper lane of two keeps `high`, the lower one `low`, and each gives
  /// the other word.
  void swap(OpBuilder &b, Value &low, Value &high, int64_t distance,
            Value upper) {
    I32Builder i(b, loc);
    auto choose = [&](Value x, Value y) -> Value {
      return arith::SelectOp::create(b, loc, upper, x, y);
    };
    Value got = NVVM::ShflOp::create(
        b, loc, b.getI32Type(), i.constant(-1), choose(low, high),
        i.constant(distance), i.constant(31), NVVM::ShflKind::bfly, UnitAttr());
    Value newLow = choose(got, low), newHigh = choose(high, got);
    low = newLow;
    high = newHigh;
  }

  void writeAtOnce(OpBuilder &b, const Words &words, Value address,
                   Value isInside) {
    SmallVector<Value> operands = {address};
    operands.append(words);
    operands.push_back(isInside);
    asmEffect(b, loc, "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};",
              "l,r,r,r,r,b,~{memory}", operands);
  }

  void writeEach(OpBuilder &b, const Words &words, Value address,
                 Value isInside) {
    Type i16 = b.getI16Type();
    I32Builder i(b, loc);
    auto write = [&](Value bits, int64_t column) {
      Value bytes =
          GlobalTile::scaled(b, loc, i.constant(column), tile.strides.back());
      storeElement(b, loc, arith::TruncIOp::create(b, loc, i16, bits),
                   {GlobalTile::add(b, loc, address, bytes)}, isInside);
    };
    for (auto [n, word] : llvm::enumerate(words)) {
      write(word, 2 * n);
      write(arith::ShRUIOp::create(b, loc, word, i.constant(16)), 2 * n + 1);
    }
  }

  RoundFragmentsOp op;
  Location loc;
  GlobalTile &tile;
  /// Pieces below each other, and the number of the first of 4.
  int64_t rowParts;
  Value firstPart;
  Value lane, inQuad, base;
  /// Of lanes at a distance of 1 and of 2.
  SmallVector<Value> isUpper;
};

struct RoundFragmentsPattern : OpConversionPattern<RoundFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(RoundFragmentsOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    GlobalTile tile(b, op.getLoc(), op, op.getDestination(), op.getTo(),
                    /*limit=*/Value(), op.getToDims());
    Rounding rounding(op, b, tile);
    // 16 registers a piece, and two dozen and more for the rest. A messenger
    // shares them with the loader, whatever that needs.
    constexpr int64_t forFour = 112, forTwo = 72;
    auto role = op->getParentOfType<RoleOp>();
    int64_t registers = role.getRegisters();
    int64_t most = role.getWholeWarp()    ? 1
                   : registers >= forFour ? 4
                   : registers >= forTwo  ? 2
                                          : 1;
    auto fast = [&](OpBuilder &b) {
      rounding.build(b, rounding.together(most), /*isAligned=*/true);
    };
    auto slow = [&](OpBuilder &b) {
      rounding.build(b, /*together=*/1, /*isAligned=*/false);
    };
    chooseByAlignment(b, op.getLoc(), tile, fast, slow);
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void fa::fagpu::populateRoundFragmentsPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<RoundFragmentsPattern>(converter, patterns.getContext());
}
