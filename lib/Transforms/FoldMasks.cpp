//===- FoldMasks.cpp - mask regions that are causal or a window -----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/MaskReach.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace fa {
#define GEN_PASS_DEF_FAFOLDMASKS
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using arith::CmpIPredicate;

namespace {

/// query * q + key * k + constant.
struct Linear {
  int64_t q = 0, k = 0, constant = 0;
};

Linear sum(const Linear &x, const Linear &y, int64_t sign) {
  return {x.q + sign * y.q, x.k + sign * y.k, x.constant + sign * y.constant};
}

/// How far keys may be from the query: q - left <= k <= q + right.
struct Band {
  std::optional<int64_t> left, right;
};

/// Takes the conditions of one mask region that are sides of a band.
class Folder {
public:
  explicit Folder(AttentionOpInterface op)
      : op(op), region(op.getMaskRegion()), bounds(region) {}

  void fold() {
    auto yield = cast<YieldOp>(region.front().getTerminator());
    take(yield.getValue());
    if (!band.left && !band.right)
      return;
    OpBuilder b(yield);
    Value keep;
    for (Value v : others)
      keep = keep
                 ? arith::AndIOp::create(b, yield.getLoc(), keep, v).getResult()
                 : v;
    if (!keep)
      keep = arith::ConstantIntOp::create(b, yield.getLoc(), 1, 1);
    yield.getValueMutable().assign(keep);
    setAttributes(b);
  }

private:
  /// Splits a conjunction. Once is enough for what is in it twice.
  void take(Value v) {
    if (!taken.insert(v).second)
      return;
    if (auto both = v.getDefiningOp<arith::AndIOp>()) {
      take(both.getLhs());
      return take(both.getRhs());
    }
    // if a then b else false.
    if (auto select = v.getDefiningOp<arith::SelectOp>();
        select && matchPattern(select.getFalseValue(), m_Zero())) {
      take(select.getCondition());
      return take(select.getTrueValue());
    }
    auto compare = v.getDefiningOp<arith::CmpIOp>();
    if (!compare || !takeComparison(compare))
      others.push_back(v);
  }

  bool takeComparison(arith::CmpIOp op) {
    // Without bounds something may wrap.
    if ((bounds.isNarrow && !isShort()) || !bounds.of(op.getLhs()) ||
        !bounds.of(op.getRhs()))
      return false;
    Value x = op.getLhs(), y = op.getRhs();
    switch (op.getPredicate()) {
    case CmpIPredicate::sle:
      return takeAtMost(x, y, 0);
    case CmpIPredicate::slt:
      return takeAtMost(x, y, -1);
    case CmpIPredicate::sge:
      return takeAtMost(y, x, 0);
    case CmpIPredicate::sgt:
      return takeAtMost(y, x, -1);
    default:
      return false;
    }
  }

  /// Whether positions are known to be within what narrow integers assume.
  bool isShort() {
    auto extent = [&](OpOperand &operand, Dim dim) {
      int64_t at = positionOf(op.getMapOf(operand), dim);
      return at < 0 ? 1
                    : cast<ShapedType>(operand.get().getType()).getDimSize(at);
    };
    auto isBelow = [&](int64_t size) {
      return !ShapedType::isDynamic(size) && size <= bounds.limit;
    };
    return isBelow(extent(op.getQueryMutable(), M)) &&
           isBelow(extent(op.getKeyMutable(), N));
  }

  /// x <= y + by.
  bool takeAtMost(Value x, Value y, int64_t by) {
    std::optional<Linear> limit = linear(y);
    if (!limit)
      return false;
    limit->constant += by;
    if (auto magnitude = x.getDefiningOp<math::AbsIOp>()) {
      std::optional<Linear> inside = linear(magnitude.getOperand());
      if (!inside)
        return false;
      return takeSides(
          {sum(*inside, *limit, -1),
           sum({-inside->q, -inside->k, -inside->constant}, *limit, -1)});
    }
    std::optional<Linear> left = linear(x);
    return left && takeSides({sum(*left, *limit, -1)});
  }

  /// All of `sides` <= 0, if each is a side of a band that an attribute can be.
  bool takeSides(ArrayRef<Linear> sides) {
    Band taken = band;
    for (const Linear &side : sides) {
      bool isRight = side.k == 1 && side.q == -1;
      bool isLeft = side.k == -1 && side.q == 1;
      int64_t reach = -side.constant;
      if ((!isRight && !isLeft) || reach < 0 || reach >= int64_t(1) << 40)
        return false;
      std::optional<int64_t> &of = isRight ? taken.right : taken.left;
      of = std::min(reach, of.value_or(reach));
    }
    band = taken;
    return true;
  }

  std::optional<Linear> linear(Value v) {
    if (auto known = linears.find(v); known != linears.end())
      return known->second;
    std::optional<Linear> result = computeLinear(v);
    linears[v] = result;
    return result;
  }

  std::optional<Linear> computeLinear(Value v) {
    APInt constant;
    if (matchPattern(v, m_ConstantInt(&constant)))
      return Linear{0, 0, constant.getSExtValue()};
    Operation *def = v.getDefiningOp();
    if (auto index = dyn_cast_or_null<IndexOp>(def)) {
      if (index.getAxis() == Axis::Query)
        return Linear{1, 0, 0};
      if (index.getAxis() == Axis::Key)
        return Linear{0, 1, 0};
      return std::nullopt;
    }
    if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(def))
      return linear(def->getOperand(0));
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(def))
      return std::nullopt;
    std::optional<Linear> x = linear(def->getOperand(0));
    std::optional<Linear> y = linear(def->getOperand(1));
    if (!x || !y)
      return std::nullopt;
    return sum(*x, *y, isa<arith::AddIOp>(def) ? 1 : -1);
  }

  /// The narrower of what was there and the band.
  void setAttributes(OpBuilder &b) {
    auto narrow = [&](StringRef name, std::optional<uint64_t> before,
                      std::optional<int64_t> side) {
      if (side && (!before || *before > static_cast<uint64_t>(*side)))
        op->setAttr(name, b.getI64IntegerAttr(*side));
    };
    op->setAttr("alignment",
                AlignmentAttr::get(b.getContext(), Alignment::TopLeft));
    if (band.right && *band.right == 0)
      op->setAttr("causal", b.getUnitAttr());
    else if (!op.getCausal())
      narrow("window_right", op.getWindowRight(), band.right);
    narrow("window_left", op.getWindowLeft(), band.left);
  }

  AttentionOpInterface op;
  Region &region;
  ScalarBounds bounds;
  Band band;
  SmallVector<Value> others;
  llvm::DenseSet<Value> taken;
  llvm::DenseMap<Value, std::optional<Linear>> linears;
};

struct FoldMasks : fa::impl::FAFoldMasksBase<FoldMasks> {
  void runOnOperation() override {
    getOperation()->walk([&](AttentionOpInterface op) {
      if (op.getMaskRegion().empty() || !isUnshifted(op))
        return;
      Folder(op).fold();
    });
  }

  /// Whether an attribute would mean the same pairs of positions as a region.
  static bool isUnshifted(AttentionOpInterface op) {
    if (op.getOffset() || op.getQueryBase() || op.getKeyBase())
      return false;
    return op.getAlignment() == Alignment::TopLeft || !op.usesOffset();
  }
};

} // namespace
