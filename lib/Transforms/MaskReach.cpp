//===- MaskReach.cpp - where a mask region may hold, and surely does ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Intervals of index arithmetic, exact because static bounds (ScalarBounds)
// exclude that anything wraps. Where these need positions or captures to be
// below a limit, that is checked at run time, and nothing is known past it.
//
// A comparison with the streamed axis x on one side is solved for x step by
// step: `f(x) <= u` for all u in an interval becomes `x <= v` for all v in
// another. The largest v bounds where the comparison may hold, the smallest
// where it must.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/MaskReach.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fa;
using arith::CmpIPredicate;

namespace {

/// Larger than any position, and negative less than any.
constexpr int64_t kEnd = int64_t(1) << 47;

/// Larger than the size of any limit may be: sums of two do not wrap.
constexpr int64_t kMost = int64_t(1) << 61;

/// Of an integer in the tile, both included. `most` is a static bound of their
/// sizes.
struct Range {
  Value low, high;
  int64_t most;
};

enum class Side { AtMost, AtLeast };

Side opposite(Side side) {
  return side == Side::AtMost ? Side::AtLeast : Side::AtMost;
}

class Analysis {
public:
  Analysis(IndexBuilder &index, OpBuilder &b, AttentionOpInterface op,
           const MaskTile &tile)
      : index(index), b(b), loc(op.getLoc()), region(op.getMaskRegion()),
        tile(tile), bounds(region) {}

  Reach run() {
    auto yield = cast<YieldOp>(region.front().getTerminator());
    Reach reach = condition(yield.getValue(), /*isNegated=*/false);
    return guarded(reach);
  }

private:
  //===--------------------------------------------------------------------===//
  // Sets
  //===--------------------------------------------------------------------===//

  static Reach unknown() { return {}; }

  /// All or nothing, decided at run time.
  Reach when(Value may, Value must) {
    auto all = [&](Value condition) -> Span {
      if (getConstantIntValue(condition) == 1)
        return {};
      return {Value(), b.createOrFold<arith::SelectOp>(loc, condition,
                                                       index.constant(kEnd),
                                                       index.constant(-kEnd))};
    };
    return {all(may), all(must)};
  }

  Value larger(Value x, Value y) { return !x ? y : !y ? x : index.max(x, y); }
  Value smaller(Value x, Value y) { return !x ? y : !y ? x : index.min(x, y); }

  Span intersect(const Span &x, const Span &y) {
    return {larger(x.begin, y.begin), smaller(x.end, y.end)};
  }
  /// The hull.
  Span hull(const Span &x, const Span &y) {
    return {x.begin && y.begin ? index.min(x.begin, y.begin) : Value(),
            x.end && y.end ? index.max(x.end, y.end) : Value()};
  }

  /// Positions that are in both or at least in one: the hull if they touch,
  /// else the longer. An empty span that touches lies inside the other.
  Span unite(const Span &x, const Span &y) {
    if ((!x.begin && !y.begin) || (!x.end && !y.end))
      return hull(x, y);
    auto orStart = [&](Value v) { return v ? v : index.constant(-kEnd); };
    auto orEnd = [&](Value v) { return v ? v : index.constant(kEnd); };
    Value xb = orStart(x.begin), xe = orEnd(x.end);
    Value yb = orStart(y.begin), ye = orEnd(y.end);
    Value touch = conjunction(compare(CmpIPredicate::sle, xb, ye),
                              compare(CmpIPredicate::sle, yb, xe));
    Value first =
        compare(CmpIPredicate::sge, index.sub(xe, xb), index.sub(ye, yb));
    auto pick = [&](Value condition, Value ifTrue, Value ifFalse) {
      return b.createOrFold<arith::SelectOp>(loc, condition, ifTrue, ifFalse);
    };
    return {pick(touch, index.min(xb, yb), pick(first, xb, yb)),
            pick(touch, index.max(xe, ye), pick(first, xe, ye))};
  }

  Reach both(const Reach &x, const Reach &y) {
    Reach reach{intersect(x.may, y.may), std::nullopt};
    if (x.must && y.must)
      reach.must = intersect(*x.must, *y.must);
    return reach;
  }
  Reach either(const Reach &x, const Reach &y) {
    Reach reach{hull(x.may, y.may), std::nullopt};
    if (x.must && y.must)
      reach.must = unite(*x.must, *y.must);
    else
      reach.must = x.must ? x.must : y.must;
    return reach;
  }

  //===--------------------------------------------------------------------===//
  // Conditions
  //===--------------------------------------------------------------------===//

  Value compare(CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
  }
  Value conjunction(Value x, Value y) {
    return b.createOrFold<arith::AndIOp>(loc, x, y);
  }

  Reach condition(Value v, bool isNegated) {
    auto key = std::make_pair(v, unsigned(isNegated));
    if (auto known = reaches.find(key); known != reaches.end())
      return known->second;
    Reach reach = computeCondition(v, isNegated);
    reaches[key] = reach;
    return reach;
  }

  Reach computeCondition(Value v, bool isNegated) {
    APInt constant;
    if (matchPattern(v, m_ConstantInt(&constant)))
      return truth(constant.isOne() != isNegated);
    if (auto argument = dyn_cast<BlockArgument>(v))
      return ofCapture(argument, isNegated);
    auto combine = [&](Value x, Value y, bool isAnd) {
      Reach left = condition(x, isNegated), right = condition(y, isNegated);
      return isAnd != isNegated ? both(left, right) : either(left, right);
    };
    return llvm::TypeSwitch<Operation *, Reach>(v.getDefiningOp())
        .Case([&](arith::AndIOp op) {
          return combine(op.getLhs(), op.getRhs(), /*isAnd=*/true);
        })
        .Case([&](arith::OrIOp op) {
          return combine(op.getLhs(), op.getRhs(), /*isAnd=*/false);
        })
        .Case([&](arith::XOrIOp op) {
          if (matchPattern(op.getRhs(), m_ConstantInt(&constant)))
            return condition(op.getLhs(), isNegated != constant.isOne());
          if (matchPattern(op.getLhs(), m_ConstantInt(&constant)))
            return condition(op.getRhs(), isNegated != constant.isOne());
          return unknown();
        })
        .Case([&](arith::SelectOp op) {
          Value c = op.getCondition();
          Reach ifTrue = both(condition(c, false),
                              condition(op.getTrueValue(), isNegated));
          Reach ifFalse = both(condition(c, true),
                               condition(op.getFalseValue(), isNegated));
          return either(ifTrue, ifFalse);
        })
        .Case([&](arith::CmpIOp op) {
          CmpIPredicate predicate = op.getPredicate();
          if (isNegated)
            predicate = arith::invertPredicate(predicate);
          return comparison(predicate, op.getLhs(), op.getRhs());
        })
        .Default([](Operation *) { return unknown(); });
  }

  Reach truth(bool v) {
    Value condition = b.createOrFold<arith::ConstantIntOp>(loc, v, 1);
    return when(condition, condition);
  }

  Reach ofCapture(BlockArgument argument, bool isNegated) {
    Value v = tile.capture(argument.getArgNumber());
    if (!v || !v.getType().isInteger(1))
      return unknown();
    if (isNegated)
      v = b.createOrFold<arith::XOrIOp>(
          loc, v, arith::ConstantIntOp::create(b, loc, 1, 1));
    return when(v, v);
  }

  /// Both sides in known bounds, so that nothing wraps.
  Reach comparison(CmpIPredicate predicate, Value x, Value y) {
    auto xs = bounds.of(x), ys = bounds.of(y);
    if (!xs || !ys)
      return unknown();
    bool isSigned = xs->low >= 0 && ys->low >= 0;
    switch (predicate) {
    case CmpIPredicate::eq:
      return both(atMost(x, y, 0), atMost(y, x, 0));
    case CmpIPredicate::ne:
      return either(atMost(x, y, -1), atMost(y, x, -1));
    case CmpIPredicate::sle:
      return atMost(x, y, 0);
    case CmpIPredicate::slt:
      return atMost(x, y, -1);
    case CmpIPredicate::sge:
      return atMost(y, x, 0);
    case CmpIPredicate::sgt:
      return atMost(y, x, -1);
    case CmpIPredicate::ule:
    case CmpIPredicate::ult:
      return ofUnsigned(x, y, predicate == CmpIPredicate::ult ? -1 : 0,
                        isSigned, ys->low >= 0);
    case CmpIPredicate::uge:
    case CmpIPredicate::ugt:
      return ofUnsigned(y, x, predicate == CmpIPredicate::ugt ? -1 : 0,
                        isSigned, xs->low >= 0);
    }
    llvm_unreachable("covers every predicate");
  }

  /// x <= y + by, unsigned: negative numbers are the largest ones.
  Reach ofUnsigned(Value x, Value y, int64_t by, bool isSigned,
                   bool hasPositiveLimit) {
    if (isSigned)
      return atMost(x, y, by);
    if (hasPositiveLimit)
      return both(atMost(x, y, by), solve(x, Side::AtLeast, exactly(0)));
    if (bounds.of(x)->low >= 0)
      return either(atMost(x, y, by), solve(y, Side::AtMost, exactly(-1)));
    return unknown();
  }

  Range exactly(int64_t v) {
    return {index.constant(v), index.constant(v), std::abs(v)};
  }

  /// x <= y + by.
  Reach atMost(Value x, Value y, int64_t by) {
    if (!isStreamed(y)) {
      std::optional<Range> limit = range(y);
      return limit ? solve(x, Side::AtMost, shifted(*limit, by)) : unknown();
    }
    std::optional<Range> limit = isStreamed(x) ? std::nullopt : range(x);
    return limit ? solve(y, Side::AtLeast, shifted(*limit, -by)) : unknown();
  }

  //===--------------------------------------------------------------------===//
  // The streamed axis
  //===--------------------------------------------------------------------===//

  bool isStreamed(Value v) {
    if (auto position = v.getDefiningOp<IndexOp>())
      return position.getAxis() == tile.streamed;
    Operation *op = v.getDefiningOp();
    return op && llvm::any_of(op->getOperands(), [&](Value operand) {
             return isStreamed(operand);
           });
  }

  /// v <= limit or v >= limit, for each value that limit may have.
  Reach solve(Value v, Side side, Range limit) {
    if (limit.most > kMost)
      return unknown();
    if (!isStreamed(v)) {
      std::optional<Range> own = range(v);
      if (!own)
        return unknown();
      if (side == Side::AtLeast)
        std::swap(*own, limit);
      return when(compare(CmpIPredicate::sle, own->low, limit.high),
                  compare(CmpIPredicate::sle, own->high, limit.low));
    }
    if (v.getDefiningOp<IndexOp>()) {
      use(v);
      if (side == Side::AtMost)
        return {{Value(), index.add(limit.high, 1)},
                Span{Value(), index.add(limit.low, 1)}};
      return {{limit.low, Value()}, Span{limit.high, Value()}};
    }
    return solveOp(v.getDefiningOp(), side, limit);
  }

  Reach solveOp(Operation *op, Side side, Range limit) {
    return llvm::TypeSwitch<Operation *, Reach>(op)
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
              arith::IndexCastOp, arith::IndexCastUIOp>(
            [&](auto cast) { return solve(cast.getIn(), side, limit); })
        .Case([&](arith::AddIOp sum) {
          return solveSum(sum.getLhs(), sum.getRhs(), side, limit);
        })
        .Case([&](arith::SubIOp difference) {
          return solveDifference(difference.getLhs(), difference.getRhs(), side,
                                 limit);
        })
        .Case([&](arith::MulIOp product) {
          std::optional<int64_t> factor = constant(product.getRhs());
          return factor ? solveProduct(product.getLhs(), *factor, side, limit)
                        : unknown();
        })
        .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
            [&](auto quotient) {
              std::optional<int64_t> divisor = constant(quotient.getRhs());
              return divisor ? solveQuotient(quotient.getLhs(), *divisor, side,
                                             limit)
                             : unknown();
            })
        .Case([&](arith::MinSIOp least) {
          Reach x = solve(least.getLhs(), side, limit);
          Reach y = solve(least.getRhs(), side, limit);
          return side == Side::AtMost ? either(x, y) : both(x, y);
        })
        .Case([&](arith::MaxSIOp most) {
          Reach x = solve(most.getLhs(), side, limit);
          Reach y = solve(most.getRhs(), side, limit);
          return side == Side::AtMost ? both(x, y) : either(x, y);
        })
        .Case([&](math::AbsIOp magnitude) {
          Value in = magnitude.getOperand();
          Reach x = solve(in, side, limit);
          Reach y = solve(in, opposite(side), negated(limit));
          return side == Side::AtMost ? both(x, y) : either(x, y);
        })
        .Default([](Operation *) { return unknown(); });
  }

  Reach solveSum(Value x, Value y, Side side, Range limit) {
    if (isStreamed(y))
      std::swap(x, y);
    std::optional<Range> other = isStreamed(y) ? std::nullopt : range(y);
    return other ? solve(x, side, minus(limit, *other)) : unknown();
  }

  Reach solveDifference(Value x, Value y, Side side, Range limit) {
    bool isFirst = isStreamed(x);
    if (isFirst == isStreamed(y))
      return unknown();
    std::optional<Range> other = range(isFirst ? y : x);
    if (!other)
      return unknown();
    return isFirst ? solve(x, side, plus(limit, *other))
                   : solve(y, opposite(side), minus(*other, limit));
  }

  Reach solveProduct(Value x, int64_t factor, Side side, Range limit) {
    if (factor == 0)
      return unknown();
    if (factor < 0)
      return solveProduct(x, -factor, opposite(side), negated(limit));
    auto divide = [&](Value v) {
      return floorDiv(side == Side::AtMost ? v : index.add(v, factor - 1),
                      factor);
    };
    return solve(x, side, {divide(limit.low), divide(limit.high), limit.most});
  }

  /// The quotient is the floor: ScalarBounds knows no other.
  Reach solveQuotient(Value x, int64_t divisor, Side side, Range limit) {
    int64_t most =
        llvm::SaturatingMultiplyAdd<uint64_t>(limit.most, divisor, divisor);
    if (most < 0 || most > kMost)
      return unknown();
    auto multiply = [&](Value v) {
      return index.add(index.mul(v, divisor),
                       side == Side::AtMost ? divisor - 1 : 0);
    };
    return solve(x, side, {multiply(limit.low), multiply(limit.high), most});
  }

  //===--------------------------------------------------------------------===//
  // Everything else
  //===--------------------------------------------------------------------===//

  static std::optional<int64_t> constant(Value v) {
    return getConstantIntValue(v);
  }

  Range plus(Range x, Range y) {
    return {index.add(x.low, y.low), index.add(x.high, y.high),
            x.most + y.most};
  }
  Range minus(Range x, Range y) {
    return {index.sub(x.low, y.high), index.sub(x.high, y.low),
            x.most + y.most};
  }
  Range negated(Range x) { return minus(exactly(0), x); }
  Range shifted(Range x, int64_t by) {
    return {index.add(x.low, by), index.add(x.high, by), x.most + std::abs(by)};
  }

  Value floorDiv(Value x, int64_t divisor) {
    if (divisor == 1)
      return x;
    if (std::optional<int64_t> c = getConstantIntValue(x))
      return index.constant(llvm::divideFloorSigned(*c, divisor));
    Value d = index.constant(divisor);
    Value down = index.sub(index.constant(-1), x);
    Value ifNegative = index.sub(index.constant(-1),
                                 b.createOrFold<arith::DivSIOp>(loc, down, d));
    return index.select(CmpIPredicate::slt, x, index.constant(0), ifNegative,
                        b.createOrFold<arith::DivSIOp>(loc, x, d));
  }

  std::optional<Range> range(Value v) {
    std::optional<ScalarBounds::Interval> known = bounds.of(v);
    if (!known)
      return std::nullopt;
    if (std::optional<int64_t> c = constant(v))
      return exactly(*c);
    std::optional<std::pair<Value, Value>> ends = endsOf(v);
    if (!ends)
      return std::nullopt;
    return Range{ends->first, ends->second, std::max(-known->low, known->high)};
  }

  using Ends = std::optional<std::pair<Value, Value>>;

  Ends endsOf(Value v) {
    if (auto position = v.getDefiningOp<IndexOp>()) {
      use(v);
      switch (position.getAxis()) {
      case Axis::Batch:
        return {{tile.batch, tile.batch}};
      case Axis::Head:
        return {{tile.head, tile.head}};
      default:
        return {{tile.first, tile.last}};
      }
    }
    if (auto argument = dyn_cast<BlockArgument>(v))
      return endsOfCapture(argument);
    return endsOfOp(v.getDefiningOp());
  }

  Ends endsOfCapture(BlockArgument argument) {
    Value v = tile.capture(argument.getArgNumber());
    if (!v)
      return std::nullopt;
    if (!v.getType().isIndex())
      v = arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
    captures.insert({argument, v});
    return {{v, v}};
  }

  Ends endsOfOp(Operation *op) {
    SmallVector<Range> operands;
    for (Value operand : op->getOperands()) {
      std::optional<Range> known = range(operand);
      if (!known)
        return std::nullopt;
      operands.push_back(*known);
    }
    Range x = operands.front(), y = operands.back();
    auto ends = [](const Range &range) -> Ends {
      return {{range.low, range.high}};
    };
    return llvm::TypeSwitch<Operation *, Ends>(op)
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
              arith::IndexCastOp, arith::IndexCastUIOp>(
            [&](auto) { return ends(x); })
        .Case([&](arith::AddIOp) { return ends(plus(x, y)); })
        .Case([&](arith::SubIOp) { return ends(minus(x, y)); })
        .Case([&](arith::MinSIOp) -> Ends {
          return {{index.min(x.low, y.low), index.min(x.high, y.high)}};
        })
        .Case([&](arith::MaxSIOp) -> Ends {
          return {{index.max(x.low, y.low), index.max(x.high, y.high)}};
        })
        .Case([&](arith::MulIOp product) -> Ends {
          std::optional<int64_t> factor = constant(product.getRhs());
          if (!factor)
            return std::nullopt;
          Value low = index.mul(x.low, *factor);
          Value high = index.mul(x.high, *factor);
          return *factor < 0 ? Ends({high, low}) : Ends({low, high});
        })
        .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
            [&](auto quotient) -> Ends {
              int64_t divisor = *constant(quotient.getRhs());
              return {{floorDiv(x.low, divisor), floorDiv(x.high, divisor)}};
            })
        .Case<arith::RemSIOp, arith::RemUIOp>([&](auto remainder) -> Ends {
          int64_t divisor = *constant(remainder.getRhs());
          if (x.low != x.high)
            return {{index.constant(0), index.constant(divisor - 1)}};
          Value rest = b.createOrFold<arith::RemUIOp>(loc, x.low,
                                                      index.constant(divisor));
          return {{rest, rest}};
        })
        .Default([](Operation *) -> Ends { return std::nullopt; });
  }

  //===--------------------------------------------------------------------===//
  // Limits
  //===--------------------------------------------------------------------===//

  void use(Value position) {
    axes.insert(position.getDefiningOp<IndexOp>().getAxis());
  }

  /// Nothing is known where a position or a capture exceeds what the static
  /// bounds assume.
  Reach guarded(Reach reach) {
    Value valid;
    auto require = [&](Value v, int64_t lowest, int64_t count) {
      Value holds = compare(CmpIPredicate::ult, index.add(v, -lowest),
                            index.constant(count));
      if (getConstantIntValue(holds) != 1)
        valid = valid ? conjunction(valid, holds) : holds;
    };
    auto requirePosition = [&](Value v) { require(v, 0, bounds.limit); };
    if (!tile.isInMemory || bounds.isNarrow) {
      if (axes.contains(tile.streamed)) {
        requirePosition(tile.streamedBegin);
        requirePosition(tile.streamedEnd);
      }
      Axis other = tile.streamed == Axis::Key ? Axis::Query : Axis::Key;
      if (axes.contains(other)) {
        requirePosition(tile.first);
        requirePosition(tile.last);
      }
      if (axes.contains(Axis::Batch))
        requirePosition(tile.batch);
      if (axes.contains(Axis::Head))
        requirePosition(tile.head);
    }
    for (auto [argument, v] : captures)
      if (bounds.mayExceed(argument.getType()))
        require(v, 1 - bounds.limit, 2 * bounds.limit - 1);
    if (!valid)
      return reach;
    auto orElse = [&](Value bound, int64_t otherwise) {
      if (!bound)
        return bound;
      return b.createOrFold<arith::SelectOp>(loc, valid, bound,
                                             index.constant(otherwise));
    };
    reach.may = {orElse(reach.may.begin, -kEnd), orElse(reach.may.end, kEnd)};
    if (reach.must) {
      Value end = reach.must->end ? reach.must->end : index.constant(kEnd);
      reach.must->end = orElse(end, -kEnd);
    }
    return reach;
  }

  IndexBuilder &index;
  OpBuilder &b;
  Location loc;
  Region &region;
  const MaskTile &tile;
  ScalarBounds bounds;
  llvm::SmallSetVector<Axis, 4> axes;
  llvm::SmallMapVector<BlockArgument, Value, 4> captures;
  llvm::DenseMap<std::pair<Value, unsigned>, Reach> reaches;
};

} // namespace

Reach fa::reachOfMask(IndexBuilder &index, OpBuilder &b,
                      AttentionOpInterface op, const MaskTile &tile) {
  return Analysis(index, b, op, tile).run();
}

/// begin <= fullBegin <= fullEnd <= end again. Where nothing may be visible,
/// the part after the full tiles is there: it hides what a kernel visits
/// anyway.
static TileRange orderedParts(IndexBuilder &index, TileRange range,
                              bool mayBeEmpty) {
  if (mayBeEmpty || range.fullEnd != range.end)
    range.fullEnd = index.min(index.max(range.fullEnd, range.begin), range.end);
  if (range.fullBegin != range.begin)
    range.fullBegin =
        index.max(index.min(range.fullBegin, range.fullEnd), range.begin);
  return range;
}

TileRange fa::restrictTo(IndexBuilder &index, const TileRange &range,
                         const Reach &reach, Value base, int64_t tile) {
  auto local = [&](Value v) {
    return index.clampToZero(base ? index.sub(v, base) : v);
  };
  TileRange result = range;
  bool moves = reach.may.begin || reach.may.end;
  if (reach.may.end)
    result.end =
        index.min(range.end, index.roundUp(local(reach.may.end), tile));
  if (reach.may.begin)
    result.begin =
        index.max(range.begin, index.roundDown(local(reach.may.begin), tile));
  // No end is below 0.
  if (moves && getConstantIntValue(result.begin) != 0) {
    bool hadFirst = range.fullBegin != range.begin || reach.may.begin;
    result.begin = index.min(result.begin, result.end);
    if (!hadFirst)
      result.fullBegin = result.begin;
  }
  // Every tile applies the region: one loop.
  if (!reach.must && moves)
    return {result.begin, result.begin, result.begin, result.end, false};
  if (reach.must && reach.must->begin)
    result.fullBegin = index.max(range.fullBegin,
                                 index.roundUp(local(reach.must->begin), tile));
  result.lastIsSingle &= !reach.must || !reach.must->end;
  if (reach.must && reach.must->end)
    result.fullEnd =
        index.min(range.fullEnd, index.roundDown(local(reach.must->end), tile));
  return orderedParts(index, result, moves);
}
