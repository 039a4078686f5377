//===- DecomposeBackward.cpp - gradients of attention as linalg -----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/AttentionProblem.h"
#include "fa/Transforms/BackwardTiles.h"
#include "fa/Transforms/Decompose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fa;

static Type elementType(Value v) { return getElementTypeOrSelf(v.getType()); }

/// A zero tensor of a tensor's shape.
static Value zerosLike(OpBuilder &b, Location loc, Value v, Type type) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0, e = cast<ShapedType>(v.getType()).getRank(); i < e; ++i)
    sizes.push_back(extentOfDim(b, loc, v, i));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type);
  return linalg::FillOp::create(b, loc, floatConstant(b, loc, type, 0),
                                ValueRange{empty})
      .getResult(0);
}

LogicalResult fa::verifyDifferentiable(Operation *op) {
  auto attention = cast<AttentionOpInterface>(op);
  if (attention.getScoreRegion().empty())
    return success();
  ArrayRef<int64_t> captures;
  if (auto backward = dyn_cast<AttentionBackwardOp>(op))
    captures = backward.getCaptureGradients();
  else
    captures = cast<OnlineAttentionBackwardOp>(op).getCaptureGradients();
  return differentiateScore(attention, captures).verify();
}

//===----------------------------------------------------------------------===//
// fa.online_attention_backward
//===----------------------------------------------------------------------===//

namespace {

/// Everything per pair of positions, as tensors over scores.
class PairGradients {
public:
  /// `keysFirst`: scores are (key, query), not (query, key).
  PairGradients(OpBuilder &b, OnlineAttentionBackwardOp op, bool isTile,
                bool keysFirst)
      : p(b, cast<AttentionOpInterface>(op.getOperation())), op(op),
        isTile(isTile), keysFirst(keysFirst), loc(op.getLoc()),
        type(p.op.getComputeType()), captures(op.getCaptureGradients()) {
    for (int64_t i : captures)
      isWhole.push_back(p.op.isWholeCapture(p.op.getCapturesMutable()[i]));
    if (!p.op.getScoreRegion().empty())
      ranks = differentiateScore(p.op, captures).expectedAccesses();
    if (keysFirst) {
      llvm::erase(p.scores, M);
      p.scores.push_back(M);
    }
    build(b);
  }

  AttentionProblem p;
  /// p in d_out's type, the adjoint of the scaled dot product in key's; the
  /// adjoint of the bias, and of each capture that is not taken whole.
  Mapped probabilities, scaledDot, bias;
  SmallVector<Mapped> captureTerms;
  /// Elements of captures taken whole.
  struct Access {
    int64_t capture;
    Mapped adjoint;
    SmallVector<Mapped> indices;
  };
  SmallVector<Access> accesses;

private:
  void build(OpBuilder &b) {
    scale = scaleOf(b, p.op);
    Mapped dots = products(op.getQueryMutable(), op.getKeyMutable());
    if (isTile && !p.op.getSoftcap() && p.op.getScoreRegion().empty())
      return buildInTwo(dots);
    Mapped dp = products(op.getDOutMutable(), op.getValueMutable());

    ScoreOperands operands = p.scoreOperands();
    SmallVector<Mapped> inputs = operands.inputs;
    unsigned first = inputs.size();
    inputs.append({p.mapped(op.getLseMutable()), p.mapped(op.getDeltaMutable()),
                   dots, dp});
    auto body = [&](OpBuilder &b, ValueRange arguments,
                    DomainBuilder::Indices index) {
      ScoreScalars scalars =
          p.scoreScalars(b, operands, arguments, index, scale);
      return pair(b, scalars, arguments.slice(first, 4));
    };
    SmallVector<Mapped> outputs = makeOutputs();
    SmallVector<Value> results =
        p.domain.generic(p.scores, inputs, outputs, body);
    distribute(results, outputs[0].map);
  }

  /// The same where a score's derivative needs nothing of its computation: the
  /// scores become probabilities before d_out . value is there, and fewer tiles
  /// live at once.
  void buildInTwo(Mapped dots) {
    ScoreOperands operands = p.scoreOperands();
    SmallVector<Mapped> inputs = operands.inputs;
    inputs.push_back(p.mapped(op.getLseMutable()));
    auto weigh = [&](OpBuilder &b, ValueRange a,
                     DomainBuilder::Indices index) -> SmallVector<Value> {
      ScoreScalars scalars = p.scoreScalars(b, operands, a, index, scale);
      Value lse = a.drop_back().back(), dot = a.back();
      Value weight = weightOf(b, scalars, dot, lse);
      if (Value keep = buildKeep(b, p.op, scalars)) {
        Value zero = floatConstant(b, loc, type, 0);
        weight = arith::SelectOp::create(b, loc, keep, weight, zero);
      }
      return {weight};
    };
    Mapped weights = {p.domain.generic(p.scores, inputs, {dots}, weigh)[0],
                      dots.map};
    Mapped dp = products(op.getDOutMutable(), op.getValueMutable());
    auto body = [&](OpBuilder &b, ValueRange a,
                    DomainBuilder::Indices) -> SmallVector<Value> {
      Value weight = a[0], delta = a[1], dp = a[2];
      Value adjoint = arith::MulFOp::create(
          b, loc, weight, arith::SubFOp::create(b, loc, dp, delta));
      if (hidesSome()) {
        // What is hidden may be NaN.
        Value zero = floatConstant(b, loc, type, 0);
        Value isHidden = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OEQ, weight, zero);
        adjoint = arith::SelectOp::create(b, loc, isHidden, zero, adjoint);
      }
      SmallVector<Value> results = {
          castTo(b, loc, weight, elementType(op.getDOut())),
          castTo(b, loc, adjoint, elementType(op.getKey()))};
      if (op.getBiasGradient())
        results.push_back(adjoint);
      return results;
    };
    SmallVector<Mapped> outputs = makeOutputs();
    SmallVector<Value> results = p.domain.generic(
        p.scores, {weights, p.mapped(op.getDeltaMutable()), dp}, outputs, body);
    distribute(results, outputs[0].map);
  }

  bool hidesSome() {
    return op.getCausal() || op.getWindowLeft() || op.getWindowRight() ||
           op.getMask() || op.getQueryLimit() || op.getKeyLimit() ||
           op.getQueryLengths() || op.getKeyLengths() ||
           !op.getMaskRegion().empty();
  }

  /// exp(score - lse).
  Value weightOf(OpBuilder &b, const ScoreScalars &scalars, Value dot,
                 Value lse) {
    Value base = finiteMax(b, loc, lse);
    FloatAttr factor;
    // One multiply-add, where the product with the scale cannot overflow: see
    // --fa-fuse-softmax on raw_max.
    bool isSmall = matchPattern(scale, m_Constant(&factor)) &&
                   factor.getValueAsDouble() >= 1e-30 &&
                   factor.getValueAsDouble() <= 0.6931;
    if (!p.op.hasPlainScore() || !type.isF32() || !isSmall)
      return expOfDifference(b, loc, buildScore(b, p.op, dot, scalars), base);
    Value log2e = floatConstant(b, loc, type, kLog2e);
    Value c = floatConstant(b, loc, type, factor.getValueAsDouble() * kLog2e);
    Value shift = arith::NegFOp::create(
        b, loc, arith::MulFOp::create(b, loc, base, log2e));
    return math::Exp2Op::create(b, loc,
                                math::FmaOp::create(b, loc, dot, c, shift));
  }

  /// Dot products of rows and keys; first what comes first in scores.
  Mapped products(OpOperand &ofRow, OpOperand &ofKey) {
    Mapped out = p.domain.filled(p.scores, type, 0);
    Mapped row = p.mapped(ofRow), key = p.mapped(ofKey);
    out.value = keysFirst ? p.domain.contract(key, row, out)
                          : p.domain.contract(row, key, out);
    return out;
  }

  /// What one pair gives, in the order of `makeOutputs`.
  SmallVector<Value> pair(OpBuilder &b, const ScoreScalars &scalars,
                          ValueRange rest) {
    Value lse = rest[0], delta = rest[1], dot = rest[2], dp = rest[3];
    ScoreTrace trace;
    Value score = buildScore(b, p.op, dot, scalars, &trace);
    Value keep = buildKeep(b, p.op, scalars);
    // Selected, not multiplied: what is hidden may be NaN.
    auto kept = [&](Value v) -> Value {
      if (!keep)
        return v;
      Value zero = v.getType().isIndex()
                       ? arith::ConstantIndexOp::create(b, loc, 0).getResult()
                       : floatConstant(b, loc, v.getType(), 0);
      return arith::SelectOp::create(b, loc, keep, v, zero);
    };
    Value weight = kept(expOfDifference(b, loc, score, finiteMax(b, loc, lse)));
    Value adjoint = arith::MulFOp::create(
        b, loc, weight, arith::SubFOp::create(b, loc, dp, delta));
    ScoreAdjoints adjoints =
        buildScoreAdjoints(b, p.op, trace, captures, adjoint);

    SmallVector<Value> results = {
        castTo(b, loc, weight, elementType(op.getDOut())),
        castTo(b, loc, kept(adjoints.scaledDot), elementType(op.getKey()))};
    if (op.getBiasGradient())
      results.push_back(kept(adjoint));
    for (auto [capture, whole] : llvm::zip_equal(adjoints.captures, isWhole))
      if (!whole)
        results.push_back(kept(capture));
    for (const ReverseMode::Access &access : adjoints.accesses) {
      results.push_back(kept(access.adjoint));
      for (Value index : access.indices)
        results.push_back(kept(index));
    }
    return results;
  }

  SmallVector<Mapped> makeOutputs() {
    SmallVector<Type> types = {elementType(op.getDOut()),
                               elementType(op.getKey())};
    unsigned terms =
        (op.getBiasGradient() ? 1 : 0) + llvm::count(isWhole, false);
    types.append(terms, type);
    for (auto [argument, rank] : ranks) {
      types.push_back(type);
      types.append(rank, p.domain.builder().getIndexType());
    }
    SmallVector<Mapped> outputs;
    for (Type t : types)
      outputs.push_back(p.domain.empty(p.scores, t));
    return outputs;
  }

  void distribute(ArrayRef<Value> results, AffineMap map) {
    auto next = [&]() -> Mapped {
      Mapped result = {results.front(), map};
      results = results.drop_front();
      return result;
    };
    probabilities = next();
    scaledDot = next();
    if (op.getBiasGradient())
      bias = next();
    for (bool whole : isWhole)
      captureTerms.push_back(whole ? Mapped() : next());
    for (auto [argument, rank] : ranks) {
      accesses.push_back({argument - 1, next(), {}});
      for (unsigned i = 0; i < rank; ++i)
        accesses.back().indices.push_back(next());
    }
  }

  OnlineAttentionBackwardOp op;
  bool isTile, keysFirst;
  Location loc;
  Type type;
  ArrayRef<int64_t> captures;
  SmallVector<bool> isWhole;
  SmallVector<std::pair<unsigned, unsigned>> ranks;
  Value scale;
};

} // namespace

/// The same in memory, where that is what the sum is in.
static bool scatterToMemory(OpBuilder &b, OnlineAttentionBackwardOp op,
                            const PairGradients::Access &access, Value into) {
  auto memory = into.getDefiningOp<bufferization::ToTensorOp>();
  if (!memory)
    return false;
  auto indices = llvm::map_to_vector(access.indices,
                                     [](const Mapped &m) { return m.value; });
  AccumulateAtOp::create(
      b, op.getLoc(), access.adjoint.value, indices, memory.getBuffer(),
      op->hasAttr(kAtomicCapturesName) ? AccumulateMode::Atomic
                                       : AccumulateMode::Owned);
  return true;
}

/// Adds each pair's adjoint to the element of a whole capture that it read.
static Value scatter(OpBuilder &b, PairGradients &pairs,
                     const PairGradients::Access &access, Value into) {
  Location loc = pairs.p.loc;
  SmallVector<Value> lower, upper, steps;
  for (Dim dim : pairs.p.scores) {
    lower.push_back(arith::ConstantIndexOp::create(b, loc, 0));
    upper.push_back(pairs.p.domain.extentValue(dim));
    steps.push_back(arith::ConstantIndexOp::create(b, loc, 1));
  }
  auto body = [&](OpBuilder &b, Location loc, ValueRange at,
                  ValueRange carried) -> scf::ValueVector {
    auto read = [&](const Mapped &m) -> Value {
      return tensor::ExtractOp::create(b, loc, m.value, at);
    };
    SmallVector<Value> indices = llvm::map_to_vector(access.indices, read);
    Value old = tensor::ExtractOp::create(b, loc, carried[0], indices);
    Value sum = arith::AddFOp::create(b, loc, old, read(access.adjoint));
    return {tensor::InsertOp::create(b, loc, sum, carried[0], indices)};
  };
  return scf::buildLoopNest(b, loc, lower, upper, steps, ValueRange{into}, body)
      .results[0];
}

/// d_key and d_value are sums over rows: scores by (key, query) are their left
/// operand as they are. So are they for other gradients of keys alone.
static bool prefersKeysFirst(OnlineAttentionBackwardOp op) {
  auto isRead = [&](unsigned i) { return !op.getResult(i).use_empty(); };
  if (isRead(1) || isRead(2))
    return true;
  auto self = cast<AttentionOpInterface>(op.getOperation());
  return !isRead(0) && llvm::any_of(llvm::drop_begin(op.getOutputsMutable(), 3),
                                    [&](OpOperand &output) {
                                      AffineMap map = self.getMapOf(output);
                                      return positionOf(map, N) >= 0 &&
                                             positionOf(map, M) < 0;
                                    });
}

static SmallVector<Value> decomposeUnpacked(OpBuilder &b,
                                            OnlineAttentionBackwardOp op,
                                            bool tailsAreZero) {
  auto isRead = [&](unsigned i) { return !op.getResult(i).use_empty(); };
  bool keysFirst = tailsAreZero && prefersKeysFirst(op);
  PairGradients pairs(b, op, /*isTile=*/tailsAreZero, keysFirst);
  AttentionProblem &p = pairs.p;
  MutableOperandRange outputs = op.getOutputsMutable();
  auto safe = [&](OpOperand &operand, Dim along) {
    return tailsAreZero ? p.mapped(operand)
                        : p.withoutTail(p.mapped(operand), along);
  };
  SmallVector<Value> results(3);
  auto addProduct = [&](unsigned i, Mapped factor, OpOperand &operand,
                        Dim summed) {
    results[i] = isRead(i) ? p.domain.contract(factor, safe(operand, summed),
                                               p.mapped(outputs[i]))
                           : outputs[i].get();
  };
  // Last where its factor has rows and columns exchanged, which takes a while.
  auto addQuery = [&] {
    addProduct(0, pairs.scaledDot, op.getKeyMutable(), N);
  };
  if (!keysFirst)
    addQuery();
  addProduct(1, pairs.scaledDot, op.getQueryMutable(), M);
  addProduct(2, pairs.probabilities, op.getDOutMutable(), M);
  if (keysFirst)
    addQuery();
  auto nextOutput = [&] { return p.mapped(outputs[results.size()]); };
  if (op.getBiasGradient())
    results.push_back(
        sumInto(p.domain, p.scores, pairs.bias, nextOutput()).value);
  for (auto [capture, term] :
       llvm::zip_equal(op.getCaptureGradients(), pairs.captureTerms)) {
    Mapped sum = nextOutput();
    if (term.value)
      sum = sumInto(p.domain, p.scores, term, sum);
    for (const PairGradients::Access &access : pairs.accesses)
      if (access.capture == capture &&
          !(tailsAreZero && scatterToMemory(b, op, access, sum.value)))
        sum.value = scatter(b, pairs, access, sum.value);
    results.push_back(sum.value);
  }
  return results;
}

SmallVector<Value> fa::decompose(OpBuilder &b, OnlineAttentionBackwardOp op,
                                 bool tailsAreZero) {
  if (!op.getQueryOffsets())
    return decomposeUnpacked(b, op, tailsAreZero);
  // The gradients of bias and captures index within a sequence, as these do.
  auto isOf = [](OpOperand &operand, MutableOperandRange range,
                 unsigned count) {
    unsigned number = operand.getOperandNumber();
    unsigned first = range[0].getOperandNumber();
    return number >= first && number < first + count;
  };
  return unpack(b, cast<AttentionOpInterface>(op.getOperation()),
                [&](OpOperand &operand) {
                  return operand.getOperandNumber() < 3 ||
                         isOf(operand, op.getLseMutable(), 3) ||
                         isOf(operand, op.getOutputsMutable(), 3);
                });
}

//===----------------------------------------------------------------------===//
// fa.attention_backward
//===----------------------------------------------------------------------===//

namespace {

/// What `fa.attention_backward` has besides its pairs: work on rows.
class RowGradients {
public:
  RowGradients(OpBuilder &b, AttentionBackwardOp op)
      : b(b), op(op), loc(op.getLoc()),
        p(b, cast<AttentionOpInterface>(op.getOperation())),
        type(p.op.getComputeType()),
        domain(b, loc,
               {p.mapped(op.getLseMutable()), p.mapped(op.getOutMutable()),
                p.mapped(op.getDOutMutable())}) {}

  /// rowsum(d_out * out) - d_lse; 0 in empty rows and past a length.
  Mapped delta() {
    auto product = [&](OpBuilder &b, ValueRange a) -> Value {
      Value term = arith::MulFOp::create(b, loc, castTo(b, loc, a[0], type),
                                         castTo(b, loc, a[1], type));
      return arith::AddFOp::create(b, loc, a[2], term);
    };
    Mapped sums = elementwise(
        domain, p.acc,
        {p.mapped(op.getOutMutable()), p.mapped(op.getDOutMutable())},
        domain.filled(p.rows, type, 0), product);
    SmallVector<Mapped> inputs = {p.mapped(op.getLseMutable())};
    for (OpOperand &dLse : op.getDLseMutable())
      inputs.push_back(p.mapped(dLse));
    int lengths = p.addLengths(inputs, M);
    auto body = [&](OpBuilder &b, ValueRange a,
                    DomainBuilder::Indices index) -> SmallVector<Value> {
      Value delta = a.back();
      if (op.getDLse())
        delta = arith::SubFOp::create(b, loc, delta, a[1]);
      return {orZero(b, a, lengths, index, a[0], delta)};
    };
    return {domain.generic(p.rows, inputs, {sums}, body)[0], sums.map};
  }

  /// Adds the rows of one sequence, or of all batches, to d_sinks.
  Value addSinks(Mapped sinks, Mapped lse, Mapped delta, Mapped sum) {
    SmallVector<Mapped> inputs = {sinks, lse, delta};
    int lengths = p.addLengths(inputs, M);
    auto body = [&](OpBuilder &b, ValueRange a,
                    DomainBuilder::Indices index) -> SmallVector<Value> {
      Value weight = expOfDifference(b, loc, castTo(b, loc, a[0], type), a[1]);
      Value term = arith::MulFOp::create(b, loc, weight, a[2]);
      term = orZero(b, a, lengths, index, a[1], term);
      return {arith::SubFOp::create(b, loc, a.back(), term)};
    };
    return domain.generic(p.rows, inputs, {sum}, body)[0];
  }

  Value sinks(Mapped delta, OpOperand &output) {
    Mapped sinks = p.mapped(op.getSinksMutable()[0]);
    Mapped lse = p.mapped(op.getLseMutable());
    Mapped sum = {zerosLike(b, loc, output.get(), type), p.op.getMapOf(output)};
    if (!p.op.isPacked())
      return addSinks(sinks, lse, delta, sum);
    return forEachSequence(
        b, p.op, {{sinks, false}, {lse, true}, {delta, true}}, {{sum, false}},
        [&](OpBuilder &, Value, ArrayRef<Mapped> in,
            ArrayRef<Mapped> out) -> SmallVector<Value> {
          return {addSinks(in[0], in[1], in[2], out[0])};
        })[0];
  }

  /// An accumulator as an output, times `factor` if there is one.
  Value finish(Value sum, OpOperand &output, Value factor) {
    Value out = output.get();
    Type to = elementType(out);
    if (!factor && to == type)
      return sum;
    auto outType = cast<RankedTensorType>(out.getType());
    AffineMap identity = b.getMultiDimIdentityMap(outType.getRank());
    SmallVector<utils::IteratorType> loops(outType.getRank(),
                                           utils::IteratorType::parallel);
    auto body = [&](OpBuilder &b, Location loc, ValueRange a) {
      Value v = a[0];
      if (factor)
        v = arith::MulFOp::create(b, loc, v, factor);
      linalg::YieldOp::create(b, loc, castTo(b, loc, v, to));
    };
    return linalg::GenericOp::create(
               b, loc, TypeRange{outType}, ValueRange{sum}, ValueRange{out},
               ArrayRef<AffineMap>{identity, identity}, loops, body)
        .getResult(0);
  }

private:
  /// v, or 0 in an empty row and past a length.
  Value orZero(OpBuilder &b, ValueRange a, int lengths,
               DomainBuilder::Indices index, Value lse, Value v) {
    Value zero = floatConstant(b, loc, type, 0);
    v = arith::SelectOp::create(b, loc, isMinusInfinity(b, loc, lse), zero, v);
    if (Value inside = p.isInside(b, a, lengths, index, M))
      v = arith::SelectOp::create(b, loc, inside, v, zero);
    return v;
  }

  OpBuilder &b;
  AttentionBackwardOp op;
  Location loc;

public:
  AttentionProblem p;
  Type type;

private:
  /// Extents of the rows; those of a packed problem's bias are others.
  DomainBuilder domain;
};

} // namespace

/// The op over pairs, from zeros.
static OnlineAttentionBackwardOp
createOnline(OpBuilder &b, AttentionBackwardOp op, Mapped delta) {
  Location loc = op.getLoc();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  Type type = self.getComputeType();
  SmallVector<Attribute> maps;
  auto addMap = [&](AffineMap map) { maps.push_back(AffineMapAttr::get(map)); };
  for (MutableOperandRange range :
       {MutableOperandRange(op.getQueryMutable()),
        MutableOperandRange(op.getKeyMutable()),
        MutableOperandRange(op.getValueMutable()), op.getBiasMutable(),
        op.getMaskMutable(), op.getAlibiSlopesMutable(),
        op.getCapturesMutable(), MutableOperandRange(op.getLseMutable())})
    for (OpOperand &operand : range)
      addMap(self.getMapOf(operand));
  addMap(delta.map);
  addMap(self.getMapOf(op.getDOutMutable()));
  SmallVector<Value> sums;
  SmallVector<Type> types;
  for (auto [output, of] :
       llvm::zip_equal(op.getOutputsMutable(), op.getDifferentiated())) {
    if (op.getSinks() && of == &op.getSinksMutable()[0])
      continue;
    sums.push_back(zerosLike(b, loc, output.get(), type));
    types.push_back(sums.back().getType());
    addMap(self.getMapOf(output));
  }
  auto online = OnlineAttentionBackwardOp::create(
      b, loc, types, op.getQuery(), op.getKey(), op.getValue(), op.getScale(),
      op.getBias(), op.getMask(), op.getAlibiSlopes(), op.getLse(), delta.value,
      op.getDOut(), op.getCaptures(), op.getQueryLengths(), op.getKeyLengths(),
      op.getQueryOffsets(), op.getKeyOffsets(), op.getQueryBase(),
      op.getKeyBase(), op.getBatchBase(), op.getHeadBase(), op.getQueryLimit(),
      op.getKeyLimit(), op.getOffset(), sums, b.getArrayAttr(maps),
      op.getCausalAttr(), op.getWindowLeftAttr(), op.getWindowRightAttr(),
      op.getAlignmentAttr(), op.getSoftcapAttr(), op.getSoftmaxTypeAttr(),
      op.getBiasGradientAttr(), op.getCaptureGradientsAttr());
  IRMapping mapping;
  op.getScoreRegion().cloneInto(&online.getScoreRegion(), mapping);
  op.getMaskRegion().cloneInto(&online.getMaskRegion(), mapping);
  return online;
}

SmallVector<Value> fa::decompose(OpBuilder &b, AttentionBackwardOp op) {
  RowGradients rows(b, op);
  Mapped delta = rows.delta();
  SmallVector<Value> sums =
      llvm::to_vector_of<Value>(createOnline(b, op, delta).getResults());
  MutableOperandRange outputs = op.getOutputsMutable();
  if (op.getSinksGradient()) {
    unsigned position = op.getBiasGradient() ? 4 : 3;
    sums.insert(sums.begin() + position, rows.sinks(delta, outputs[position]));
  }
  Value scale = scaleOf(b, rows.p.op);
  SmallVector<Value> results;
  for (auto [i, sum] : llvm::enumerate(sums))
    results.push_back(rows.finish(sum, outputs[i], i < 2 ? scale : Value()));
  return results;
}
