//===- ScalarCloner.cpp - a linalg body, once per element -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ScalarCloner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fa::fagpu;

/// Indices from outside of a body are positions, extents, and differences of
/// two of these: `--fa-check-shapes` has seen to it that they are no more.
static constexpr double kPositionBound = double(kMostExtent);
static constexpr double kNarrowLimit = 2147483648.0;

ScalarCloner::ScalarCloner(OpBuilder &b, linalg::LinalgOp op,
                           ArrayRef<ValueRange> operands, ThreadContext &thread)
    : b(b), op(op), operands(operands), thread(thread) {
  // An operand that all loops index shows how iterations are laid out.
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || type.getRank() != op.getNumLoops())
      continue;
    loops = Fragment::of(type);
    dimZeroIsColumn = hasLayout<ColsAttr>(type);
    columnIsPartial = hasLayout<RowsPartialAttr>(type);
    break;
  }
}

/// What an op needs, in its nested regions too.
static SetVector<Value> inputsOf(Operation *op) {
  SetVector<Value> inputs;
  inputs.insert(op->operand_begin(), op->operand_end());
  if (op->getNumRegions() > 0)
    getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs;
}

unsigned ScalarCloner::dependenceOf(AffineMap map) {
  unsigned result = Nothing;
  for (AffineExpr e : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(e).getPosition();
    result |= dim == 1 || dimZeroIsColumn ? OnColumn : OnRow;
  }
  return result;
}

unsigned ScalarCloner::dependenceOf(Value v) {
  auto found = dependence.find(v);
  if (found != dependence.end())
    return found->second;
  unsigned result = Nothing;
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    if (argument.getOwner() == op.getBlock())
      result = dependenceOf(op.getMatchingIndexingMap(
          &op->getOpOperand(argument.getArgNumber())));
  } else if (v.getDefiningOp()->getBlock() == op.getBlock()) {
    Operation *def = v.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(def))
      result = index.getDim() == 1 || dimZeroIsColumn ? OnColumn : OnRow;
    for (Value input : inputsOf(def))
      result |= dependenceOf(input);
  }
  return dependence[v] = result;
}

Value ScalarCloner::get(Value v, int64_t row, int64_t column) {
  Scalar s = evaluate(v, row, column);
  return s.isNarrow() ? widened(s, v.getType()) : s.value;
}

Scalar ScalarCloner::evaluate(Value v, int64_t row, int64_t column) {
  unsigned depends = dependenceOf(v);
  if (!(depends & OnRow))
    row = 0;
  if (!(depends & OnColumn))
    column = 0;
  std::pair<Value, int64_t> key{v, row * loops.columns + column};
  auto found = cache.find(key);
  if (found != cache.end())
    return found->second;
  Scalar result;
  Operation *def = v.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(v);
      argument && argument.getOwner() == op.getBlock())
    result = this->argument(argument, row, column);
  else if (!def || def->getBlock() != op.getBlock())
    result = captured(v);
  else if (auto index = dyn_cast<linalg::IndexOp>(def))
    result = position(index.getDim(), row, column);
  else
    result = clone(cast<OpResult>(v), row, column);
  return cache[key] = result;
}

Scalar ScalarCloner::argument(BlockArgument v, int64_t row, int64_t column) {
  OpOperand &operand = op->getOpOperand(v.getArgNumber());
  ValueRange held = operands[v.getArgNumber()];
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || type.getRank() == 0)
    return {held.front()};
  unsigned depends = dependenceOf(op.getMatchingIndexingMap(&operand));
  return {held[Fragment::of(type).at(depends & OnRow ? row : 0,
                                     depends & OnColumn ? column : 0)]};
}

Scalar ScalarCloner::captured(Value v) {
  APInt constant;
  if (v.getType().isIndex()) {
    if (matchPattern(v, m_ConstantInt(&constant))) {
      double magnitude = std::abs(double(constant.getSExtValue()));
      if (magnitude + 1 < kNarrowLimit)
        return {I32Builder(b, op.getLoc()).constant(constant.getSExtValue()),
                magnitude + 1};
      return {v};
    }
    return {arith::IndexCastOp::create(b, op.getLoc(), b.getI32Type(), v),
            kPositionBound};
  }
  return {v};
}

Scalar ScalarCloner::position(int64_t dim, int64_t row, int64_t column) {
  double bound = double(op.getStaticLoopRanges()[dim]);
  if (dim == 0 && !dimZeroIsColumn)
    return {positions().firstRow, bound, ThreadContext::rowConstant(row)};
  if (columnIsPartial)
    return {positions().quadLane, bound};
  return {positions().firstColumn, bound,
          ThreadContext::columnConstant(column)};
}

ThreadContext &ScalarCloner::positions() {
  auto number = op->getAttrOfType<IntegerAttr>(kOwnPositionsName);
  if (!number || own)
    return own ? *own : thread;
  scf::ForOp around;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    around = loop;
  if (!around)
    return thread;
  // 0, and no compiler knows that it is.
  Location loc = op.getLoc();
  I32Builder i(b, loc);
  Value zero = arith::ShRSIOp::create(b, loc, around.getInductionVar(),
                                      i.constant(31 - number.getInt()));
  own.emplace(b, loc, i.add(thread.thread, zero));
  return *own;
}

Value ScalarCloner::whole(const Scalar &s) {
  return I32Builder(b, op.getLoc()).add(s.value, s.constant);
}

Value ScalarCloner::widened(const Scalar &s, Type type) {
  Location loc = op.getLoc();
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, type, whole(s));
  return arith::ExtSIOp::create(b, loc, type, whole(s));
}

Value ScalarCloner::sharedOp(Operation *def, OperationName name, Value x,
                             Value y) {
  Value &result = shared[{def, x, y}];
  if (!result) {
    OperationState state(def->getLoc(), name);
    state.addOperands({x, y});
    state.addTypes(b.getI32Type());
    result = b.create(state)->getResult(0);
  }
  return result;
}

Scalar ScalarCloner::addNarrow(Operation *def, const Scalar &x,
                               const Scalar &y) {
  double bound = x.narrowBound + y.narrowBound;
  // The values may be larger than the sums by what the slots add.
  if (bound + std::abs(double(x.constant)) + std::abs(double(y.constant)) >
      kNarrowLimit)
    return {};
  int64_t sign = isa<arith::SubIOp>(def) ? -1 : 1;
  return {sharedOp(def, def->getName(), x.value, y.value), bound,
          x.constant + sign * y.constant};
}

/// x + c < y + d if c - d < y - x: one difference for all slots, which compare
/// it to constants.
Scalar ScalarCloner::compareNarrow(arith::CmpIOp cmp, const Scalar &x,
                                   const Scalar &y) {
  if (cmp.getPredicate() > arith::CmpIPredicate::sge)
    return {};
  Location loc = cmp.getLoc();
  double reach = x.narrowBound + y.narrowBound + std::abs(double(x.constant)) +
                 std::abs(double(y.constant));
  if ((x.constant == 0 && y.constant == 0) || reach > kNarrowLimit)
    return {
        arith::CmpIOp::create(b, loc, cmp.getPredicate(), whole(x), whole(y))};
  OperationName sub(arith::SubIOp::getOperationName(), b.getContext());
  Value difference = sharedOp(cmp, sub, y.value, x.value);
  Value limit = I32Builder(b, loc).constant(x.constant - y.constant);
  return {arith::CmpIOp::create(b, loc, cmp.getPredicate(), limit, difference)};
}

Scalar ScalarCloner::clone(OpResult v, int64_t row, int64_t column) {
  Operation *def = v.getOwner();
  if (def->getNumRegions() == 0 && def->getNumResults() == 1) {
    SmallVector<Scalar> values;
    for (Value operand : def->getOperands())
      values.push_back(evaluate(operand, row, column));
    if (Scalar narrow = cloneNarrow(def, values); narrow.value)
      return narrow;
  }
  IRMapping mapping;
  for (Value input : inputsOf(def))
    mapping.map(input, get(input, row, column));
  return {b.clone(*def, mapping)->getResult(v.getResultNumber())};
}

Scalar ScalarCloner::cloneNarrow(Operation *def, ArrayRef<Scalar> values) {
  Location loc = def->getLoc();
  APInt constant;
  Type type = def->getResult(0).getType();
  if (type.isIndex() && matchPattern(def, m_ConstantInt(&constant)))
    return captured(def->getResult(0));
  // From or to another width.
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(def)) {
    Type from = def->getOperand(0).getType();
    if (type.isInteger(32) && values[0].isNarrow())
      return {whole(values[0])};
    bool isWider = type.isIndex() || type.isInteger(64);
    if (isWider && values[0].isNarrow())
      return values[0];
    if (isWider && from.isInteger(32))
      return {values[0].value, kNarrowLimit};
    return {};
  }
  if (!llvm::any_of(values, [](const Scalar &s) { return s.isNarrow(); }))
    return {};
  auto all = [&](unsigned first) {
    return llvm::all_of(values.drop_front(first),
                        [](const Scalar &s) { return s.isNarrow(); });
  };
  Type i32 = b.getI32Type();
  auto create = [&](double bound) -> Scalar {
    if (bound > kNarrowLimit)
      return {};
    SmallVector<Value> narrowed;
    for (const Scalar &s : values)
      narrowed.push_back(s.isNarrow() ? whole(s) : s.value);
    OperationState state(loc, def->getName());
    state.addOperands(narrowed);
    // Flags about overflow speak of the wide type: they are left out.
    state.addTypes(bound == 0 ? type : i32);
    return {b.create(state)->getResult(0), bound};
  };
  if (isa<arith::SIToFPOp>(def) && all(0))
    return create(0);
  if (isa<arith::SelectOp>(def) && all(1))
    return create(std::max(values[1].narrowBound, values[2].narrowBound));
  if (values.size() != 2 || !all(0))
    return {};
  double x = values[0].narrowBound, y = values[1].narrowBound;
  if (isa<arith::AddIOp, arith::SubIOp>(def))
    return addNarrow(def, values[0], values[1]);
  if (isa<arith::MulIOp>(def))
    return create(x * y);
  if (isa<arith::MaxSIOp, arith::MinSIOp>(def))
    return create(std::max(x, y));
  if (auto cmp = dyn_cast<arith::CmpIOp>(def))
    return compareNarrow(cmp, values[0], values[1]);
  return {};
}
