//===- AttentionProblem.cpp - what every decomposition starts from --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/AttentionProblem.h"
#include "fa/Transforms/Decompose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace fa;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value fa::floatConstant(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value fa::castTo(OpBuilder &b, Location loc, Value v, Type type) {
  return convertScalarToDtype(b, loc, v, type, /*isUnsignedCast=*/false);
}

Value fa::expOfDifference(OpBuilder &b, Location loc, Value x, Value base) {
  Value difference = arith::SubFOp::create(b, loc, x, base);
  if (x.getType().isF64())
    return math::ExpOp::create(b, loc, difference);
  Value log2e = floatConstant(b, loc, x.getType(), kLog2e);
  return math::Exp2Op::create(b, loc,
                              arith::MulFOp::create(b, loc, difference, log2e));
}

Value fa::isMinusInfinity(OpBuilder &b, Location loc, Value x) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x,
                               floatConstant(b, loc, x.getType(), -kInfinity));
}

Value fa::finiteMax(OpBuilder &b, Location loc, Value x) {
  Value isEmpty = isMinusInfinity(b, loc, x);
  return arith::SelectOp::create(b, loc, isEmpty,
                                 floatConstant(b, loc, x.getType(), 0), x);
}

Value fa::scaleOf(OpBuilder &b, AttentionOpInterface op) {
  Location loc = op.getLoc();
  Type type = op.getComputeType();
  if (op.getScale())
    return castTo(b, loc, op.getScale(), type);
  OpFoldResult headDim = extentOfDim(
      b, loc, op.getQuery(), positionOf(op.getMapOf(op.getQueryMutable()), D));
  if (auto constantDim = getConstantIntValue(headDim))
    return floatConstant(b, loc, type, 1.0 / std::sqrt(double(*constantDim)));
  Value wide =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), cast<Value>(headDim));
  Value real = arith::SIToFPOp::create(b, loc, type, wide);
  Value root = math::SqrtOp::create(b, loc, real);
  return arith::DivFOp::create(b, loc, floatConstant(b, loc, type, 1), root);
}

//===----------------------------------------------------------------------===//
// One attention over the domain
//===----------------------------------------------------------------------===//

SmallVector<Dim> fa::orderOf(AffineMap map) {
  SmallVector<Dim> order;
  for (AffineExpr e : map.getResults())
    order.push_back(static_cast<Dim>(cast<AffineDimExpr>(e).getPosition()));
  return order;
}

static SmallVector<Mapped> operandsOf(AttentionOpInterface op) {
  SmallVector<Mapped> operands;
  for (OpOperand *operand : op.getMappedOperands())
    operands.push_back({operand->get(), op.getMapOf(*operand)});
  return operands;
}

AttentionProblem::AttentionProblem(OpBuilder &b, AttentionOpInterface op)
    : op(op), loc(op.getLoc()), domain(b, loc, operandsOf(op)) {
  DimSet used = 0;
  for (OpOperand *operand :
       {&op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable()})
    used |= dimsOf(op.getMapOf(*operand));
  for (Dim dim : {B, H, G, M})
    if (used & dims(dim))
      rows.push_back(dim);
  scores = rows;
  scores.push_back(N);
  acc = rows;
  acc.push_back(E);
  queryLength = effectiveLength(b, M, op.getQueryBase(), op.getQueryLimit());
  keyLength = effectiveLength(b, N, op.getKeyBase(), op.getKeyLimit());
}

Mapped AttentionProblem::dotProducts() {
  Mapped out = domain.filled(scores, op.getComputeType(), 0);
  return {domain.contract(mapped(op.getQueryMutable()),
                          mapped(op.getKeyMutable()), out),
          out.map};
}

ScoreOperands AttentionProblem::scoreOperands() {
  ScoreOperands operands;
  SmallVector<Mapped> &inputs = operands.inputs;
  auto addInput = [&](OpOperand &operand) -> int {
    inputs.push_back(mapped(operand));
    return inputs.size() - 1;
  };
  auto addOptional = [&](MutableOperandRange range) -> int {
    return range.empty() ? -1 : addInput(range[0]);
  };
  operands.bias = addOptional(op.getBiasMutable());
  operands.mask = addOptional(op.getMaskMutable());
  operands.alibi = addOptional(op.getAlibiSlopesMutable());
  for (OpOperand &capture : op.getCapturesMutable())
    operands.captures.push_back(
        {capture.get(), op.isWholeCapture(capture) ? -1 : addInput(capture)});
  operands.queryLengths = addLengths(inputs, M);
  operands.keyLengths = addLengths(inputs, N);
  groupExtent = domain.extentValue(G);
  return operands;
}

ScoreScalars AttentionProblem::scoreScalars(OpBuilder &b,
                                            const ScoreOperands &operands,
                                            ValueRange arguments,
                                            DomainBuilder::Indices index,
                                            Value scale) {
  auto scalar = [&](int i) { return i < 0 ? Value() : arguments[i]; };
  ScoreScalars s;
  s.scale = scale;
  s.bias = scalar(operands.bias);
  s.mask = scalar(operands.mask);
  s.alibiSlope = scalar(operands.alibi);
  for (auto [capture, i] : operands.captures)
    s.captures.push_back(i < 0 ? capture : arguments[i]);
  s.batch = shifted(b, index(B), op.getBatchBase());
  s.query = shifted(b, index(M), op.getQueryBase());
  s.key = shifted(b, index(N), op.getKeyBase());
  Value group = arith::MulIOp::create(b, loc, index(H), groupExtent);
  s.head = shifted(b, arith::AddIOp::create(b, loc, group, index(G)),
                   op.getHeadBase());
  Value queryEnd = clampedLength(b, queryLength, scalar(operands.queryLengths));
  Value keyEnd = clampedLength(b, keyLength, scalar(operands.keyLengths));
  if (op.getQueryLengths() || op.getQueryLimit())
    s.queryLength = queryEnd;
  if (op.getKeyLengths() || op.getKeyLimit())
    s.keyLength = keyEnd;
  if (op.usesOffset()) {
    if (op.getOffset())
      s.offset = op.getOffset();
    else if (op.getAlignment() == Alignment::BottomRight)
      s.offset = arith::SubIOp::create(b, loc, keyEnd, queryEnd);
  }
  return s;
}

Mapped AttentionProblem::finishedScores(Mapped dots, Value scale) {
  ScoreOperands operands = scoreOperands();
  auto body = [&](OpBuilder &b, ValueRange arguments,
                  DomainBuilder::Indices index) -> SmallVector<Value> {
    ScoreScalars s = scoreScalars(b, operands, arguments, index, scale);
    Value score = buildScore(b, op, arguments.back(), s);
    if (Value keep = buildKeep(b, op, s))
      score = arith::SelectOp::create(
          b, loc, keep, score,
          floatConstant(b, loc, score.getType(), -kInfinity));
    return {score};
  };
  return {domain.generic(scores, operands.inputs, {dots}, body)[0], dots.map};
}

int AttentionProblem::addLengths(SmallVector<Mapped> &inputs, Dim along) {
  Value lengths = along == M ? op.getQueryLengths() : op.getKeyLengths();
  if (!lengths)
    return -1;
  OpBuilder &b = domain.builder();
  if (llvm::is_contained(rows, B)) {
    inputs.push_back({lengths, mapOf(b.getContext(), {B})});
  } else {
    // b is no dimension of the problem: there is one length.
    Value first = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get({}, b.getI32Type()), lengths,
        ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    inputs.push_back({first, mapOf(b.getContext(), {})});
  }
  return inputs.size() - 1;
}

Value AttentionProblem::isInside(OpBuilder &b, ValueRange arguments,
                                 int lengths, DomainBuilder::Indices index,
                                 Dim along) {
  bool isQuery = along == M;
  if (lengths < 0 && !(isQuery ? op.getQueryLimit() : op.getKeyLimit()))
    return Value();
  Value end = clampedLength(b, isQuery ? queryLength : keyLength,
                            lengths < 0 ? Value() : arguments[lengths]);
  Value position =
      shifted(b, index(along), isQuery ? op.getQueryBase() : op.getKeyBase());
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position,
                               end);
}

Mapped AttentionProblem::withoutTail(Mapped operand, Dim along) {
  bool isQuery = along == M;
  if (!(isQuery ? op.getQueryLengths() : op.getKeyLengths()) &&
      !(isQuery ? op.getQueryLimit() : op.getKeyLimit()))
    return operand;
  SmallVector<Dim> loops = orderOf(operand.map);
  Type type = getElementTypeOrSelf(operand.value.getType());
  SmallVector<Mapped> inputs = {operand};
  int lengths = addLengths(inputs, along);
  // One length per batch makes one copy per batch of an operand without b.
  if (lengths >= 0 && (dimsOf(inputs[lengths].map) & dims(B)) &&
      !llvm::is_contained(loops, B))
    loops.insert(loops.begin(), B);
  Mapped out = domain.empty(loops, type);
  auto body = [&](OpBuilder &b, ValueRange arguments,
                  DomainBuilder::Indices index) -> SmallVector<Value> {
    Value inside = isInside(b, arguments, lengths, index, along);
    return {arith::SelectOp::create(b, loc, inside, arguments[0],
                                    floatConstant(b, loc, type, 0))};
  };
  return {domain.generic(loops, inputs, {out}, body)[0], out.map};
}

Mapped AttentionProblem::castScores(Mapped p, Type type) {
  if (type == getElementTypeOrSelf(p.value.getType()))
    return p;
  return elementwise(
      domain, scores, {p}, domain.empty(scores, type),
      [&](OpBuilder &b, ValueRange a) { return castTo(b, loc, a[0], type); });
}

Value AttentionProblem::effectiveLength(OpBuilder &b, Dim dim, Value base,
                                        Value limit) {
  if (limit)
    return limit;
  Value extent = domain.extentValue(dim);
  return base ? arith::AddIOp::create(b, loc, base, extent).getResult()
              : extent;
}

Value AttentionProblem::clampedLength(OpBuilder &b, Value end, Value length) {
  if (!length)
    return end;
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), length);
  return arith::MinSIOp::create(b, loc, end, index);
}

Value AttentionProblem::shifted(OpBuilder &b, Value index, Value base) {
  return base ? arith::AddIOp::create(b, loc, index, base).getResult() : index;
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

Mapped fa::elementwise(DomainBuilder &domain, ArrayRef<Dim> loops,
                       ArrayRef<Mapped> inputs, Mapped out, ElementBody body) {
  return {domain.generic(loops, inputs, {out},
                         [&](OpBuilder &b, ValueRange arguments,
                             DomainBuilder::Indices) -> SmallVector<Value> {
                           return {body(b, arguments)};
                         })[0],
          out.map};
}

Mapped fa::sumInto(DomainBuilder &domain, ArrayRef<Dim> loops, Mapped in,
                   Mapped out) {
  return elementwise(
      domain, loops, {in}, out, [&](OpBuilder &b, ValueRange a) -> Value {
        return arith::AddFOp::create(b, domain.location(), a[1], a[0]);
      });
}

Value fa::storeTo(DomainBuilder &domain, ArrayRef<Dim> loops, Mapped in,
                  Mapped out) {
  Type type = getElementTypeOrSelf(out.value.getType());
  if (in.map == out.map && in.value.getType() == out.value.getType())
    return in.value;
  return elementwise(domain, loops, {in}, out,
                     [&](OpBuilder &b, ValueRange a) {
                       return castTo(b, domain.location(), a[0], type);
                     })
      .value;
}

//===----------------------------------------------------------------------===//
// Packed sequences
//===----------------------------------------------------------------------===//

namespace {

/// The rows of one sequence of a packed problem.
class Sequence {
public:
  Sequence(OpBuilder &b, AttentionOpInterface op, Value number)
      : b(b), loc(op.getLoc()), number(number) {
    std::tie(queryStart, queryCount) = rowsOf(op.getQueryOffsets());
    std::tie(keyStart, keyCount) = rowsOf(op.getKeyOffsets());
  }

  struct Slice {
    Mapped tensor;
    SmallVector<OpFoldResult> offsets, sizes;
  };

  /// Its part of a tensor. b is dropped.
  Slice sliceOf(const PackedTensor &packed) {
    Slice slice;
    Value v = packed.tensor.value;
    AffineMap map = packed.tensor.map;
    SmallVector<AffineExpr> results;
    SmallVector<int64_t> kept;
    auto type = cast<RankedTensorType>(v.getType());
    for (int64_t i = 0; i < type.getRank(); ++i) {
      OpFoldResult offset = b.getIndexAttr(0), size;
      int64_t staticSize = ShapedType::kDynamic;
      unsigned dim = i < map.getNumResults() ? map.getDimPosition(i) : NumDims;
      if (dim == B) {
        offset = number;
        size = b.getIndexAttr(1);
      } else if (dim == M || dim == N) {
        size = dim == M ? queryCount : keyCount;
        if (packed.holdsAll)
          offset = dim == M ? queryStart : keyStart;
      } else {
        size = extentOfDim(b, loc, v, i);
        staticSize = type.getDimSize(i);
      }
      slice.offsets.push_back(offset);
      slice.sizes.push_back(size);
      if (dim == B)
        continue;
      kept.push_back(staticSize);
      if (dim != NumDims)
        results.push_back(map.getResult(i));
    }
    slice.tensor.map = AffineMap::get(NumDims, 0, results, b.getContext());
    slice.tensor.value = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(kept, type.getElementType()), v,
        slice.offsets, slice.sizes, unitStrides(slice));
    return slice;
  }

  Value insert(Value v, Value into, const Slice &slice) {
    return tensor::InsertSliceOp::create(b, loc, v, into, slice.offsets,
                                         slice.sizes, unitStrides(slice));
  }

private:
  SmallVector<OpFoldResult> unitStrides(const Slice &slice) {
    return SmallVector<OpFoldResult>(slice.offsets.size(), b.getIndexAttr(1));
  }

  std::pair<Value, Value> rowsOf(Value offsets) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto at = [&](Value i) -> Value {
      Value v = tensor::ExtractOp::create(b, loc, offsets, i);
      return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
    };
    Value start = at(number);
    Value end = at(arith::AddIOp::create(b, loc, number, one));
    return {start, arith::SubIOp::create(b, loc, end, start)};
  }

  OpBuilder &b;
  Location loc;
  Value number, queryStart, queryCount, keyStart, keyCount;
};

} // namespace

SmallVector<Value> fa::forEachSequence(
    OpBuilder &b, AttentionOpInterface op, ArrayRef<PackedTensor> inputs,
    ArrayRef<PackedTensor> outputs,
    function_ref<SmallVector<Value>(OpBuilder &, Value, ArrayRef<Mapped>,
                                    ArrayRef<Mapped>)>
        body) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value entries = getValueOrCreateConstantIndexOp(
      b, loc, extentOfDim(b, loc, op.getQueryOffsets(), 0));
  Value count = arith::SubIOp::create(b, loc, entries, one);
  SmallVector<Value> carried;
  for (const PackedTensor &output : outputs)
    carried.push_back(output.tensor.value);
  auto loop = scf::ForOp::create(b, loc, zero, count, one, carried);

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Sequence sequence(b, op, loop.getInductionVar());
  SmallVector<Mapped> inputSlices, outputSlices;
  SmallVector<Sequence::Slice> places;
  for (const PackedTensor &input : inputs)
    inputSlices.push_back(sequence.sliceOf(input).tensor);
  for (auto [output, v] : llvm::zip_equal(outputs, loop.getRegionIterArgs())) {
    places.push_back(
        sequence.sliceOf({{v, output.tensor.map}, output.holdsAll}));
    outputSlices.push_back(places.back().tensor);
  }
  SmallVector<Value> results =
      body(b, loop.getInductionVar(), inputSlices, outputSlices);
  for (auto [result, v, place] :
       llvm::zip_equal(results, loop.getRegionIterArgs(), places))
    result = sequence.insert(result, v, place);
  scf::YieldOp::create(b, loc, results);
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> fa::unpack(OpBuilder &b, AttentionOpInterface op,
                              function_ref<bool(OpOperand &)> holdsAll) {
  auto destinations = cast<DestinationStyleOpInterface>(op.getOperation());
  SmallVector<PackedTensor> inputs, outputs;
  SmallVector<OpOperand *> mapped = op.getMappedOperands();
  for (OpOperand *operand : mapped)
    (destinations.isDpsInit(operand) ? outputs : inputs)
        .push_back(
            {{operand->get(), op.getMapOf(*operand)}, holdsAll(*operand)});
  auto body = [&](OpBuilder &b, Value sequence, ArrayRef<Mapped> inputs,
                  ArrayRef<Mapped> outputs) {
    SmallVector<Value> operands(op->getOperands());
    SmallVector<Attribute> maps;
    SmallVector<Type> types;
    SmallVector<Mapped> slices(inputs);
    llvm::append_range(slices, outputs);
    for (auto [operand, slice] : llvm::zip_equal(mapped, slices)) {
      operands[operand->getOperandNumber()] = slice.value;
      maps.push_back(AffineMapAttr::get(slice.map));
    }
    for (const Mapped &output : outputs)
      types.push_back(output.value.getType());
    auto inner = cast<AttentionOpInterface>(cloneWith(b, op, types, operands));
    inner.getQueryOffsetsMutable().clear();
    inner.getKeyOffsetsMutable().clear();
    inner->setAttr("indexing_maps", b.getArrayAttr(maps));
    Value batch = sequence;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(inner);
    if (op.getBatchBase())
      batch = arith::AddIOp::create(b, op.getLoc(), batch, op.getBatchBase());
    inner.getBatchBaseMutable().assign(batch);
    return llvm::to_vector_of<Value>(inner->getResults());
  };
  return forEachSequence(b, op, inputs, outputs, body);
}
