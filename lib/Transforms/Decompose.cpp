//===- Decompose.cpp - fa ops as linalg -----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Decompose.h"
#include "fa/Transforms/DomainBuilder.h"
#include "fa/Transforms/Passes.h"
#include "fa/Transforms/ScoreBuilder.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>

namespace fa {
#define GEN_PASS_DEF_FADECOMPOSE
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

namespace {

Value constant(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value castTo(OpBuilder &b, Location loc, Value v, Type type) {
  return convertScalarToDtype(b, loc, v, type, /*isUnsignedCast=*/false);
}

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kLog2e = 1.4426950408889634074;

/// exp(x - base). In f32 through exp2, which is what hardware has; in f64 the
/// library's exp, which is exact to the last bits.
Value expOfDifference(OpBuilder &b, Location loc, Value x, Value base) {
  Value difference = arith::SubFOp::create(b, loc, x, base);
  if (x.getType().isF64())
    return math::ExpOp::create(b, loc, difference);
  Value log2e = constant(b, loc, x.getType(), kLog2e);
  return math::Exp2Op::create(b, loc,
                              arith::MulFOp::create(b, loc, difference, log2e));
}

/// exp((x - base) * c / log2e) as exp2(x*c - base*c), one multiply-add.
Value exp2OfScaled(OpBuilder &b, Location loc, Value x, Value base, Value c) {
  Value shift = arith::MulFOp::create(b, loc, base, c);
  Value negated = arith::NegFOp::create(b, loc, shift);
  return math::Exp2Op::create(b, loc,
                              math::FmaOp::create(b, loc, x, c, negated));
}

/// x, or 0 where x is -inf: the maximum of an empty row, made safe to subtract.
Value finiteMax(OpBuilder &b, Location loc, Value x) {
  Value minusInf = constant(b, loc, x.getType(), -kInf);
  Value isEmpty =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, minusInf);
  return arith::SelectOp::create(b, loc, isEmpty,
                                 constant(b, loc, x.getType(), 0), x);
}

//===----------------------------------------------------------------------===//
// One attention over the domain
//===----------------------------------------------------------------------===//

/// What every decomposition of an attention op starts from.
class Problem {
public:
  Problem(OpBuilder &b, AttentionOpInterface op)
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

  Mapped mapped(OpOperand &operand) {
    return {operand.get(), op.getMapOf(operand)};
  }

  /// query . key, in the compute type; no scale.
  Mapped dotProducts() {
    Mapped out = domain.filled(scores, op.getComputeType(), 0);
    return {domain.contract(mapped(op.getQueryMutable()),
                            mapped(op.getKeyMutable()), out),
            out.map};
  }

  /// Scores and masks applied in place. Without `scale` they stay unscaled.
  Mapped finishedScores(Mapped dots, Value scale) {
    SmallVector<Mapped> inputs;
    auto addInput = [&](OpOperand &operand) -> int {
      inputs.push_back(mapped(operand));
      return inputs.size() - 1;
    };
    auto addOptional = [&](MutableOperandRange range) -> int {
      return range.empty() ? -1 : addInput(range[0]);
    };
    int bias = addOptional(op.getBiasMutable()),
        mask = addOptional(op.getMaskMutable()),
        alibi = addOptional(op.getAlibiSlopesMutable());
    SmallVector<std::pair<Value, int>> captures;
    for (OpOperand &capture : op.getCapturesMutable())
      captures.push_back(
          {capture.get(), op.isWholeCapture(capture) ? -1 : addInput(capture)});
    int queryLengths = addLengths(inputs, op.getQueryLengths()),
        keyLengths = addLengths(inputs, op.getKeyLengths());

    auto body = [&](OpBuilder &b, ValueRange arguments,
                    DomainBuilder::Indices index) -> SmallVector<Value> {
      auto scalar = [&](int i) { return i < 0 ? Value() : arguments[i]; };
      ScoreScalars s;
      s.scale = scale;
      s.bias = scalar(bias);
      s.mask = scalar(mask);
      s.alibiSlope = scalar(alibi);
      for (auto [capture, i] : captures)
        s.captures.push_back(i < 0 ? capture : arguments[i]);
      s.batch = shifted(b, index(B), op.getBatchBase());
      s.query = shifted(b, index(M), op.getQueryBase());
      s.key = shifted(b, index(N), op.getKeyBase());
      Value group = arith::MulIOp::create(b, loc, index(H), groupExtent);
      s.head = shifted(b, arith::AddIOp::create(b, loc, group, index(G)),
                       op.getHeadBase());
      Value queryEnd = clampedLength(b, queryLength, scalar(queryLengths));
      Value keyEnd = clampedLength(b, keyLength, scalar(keyLengths));
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
      Value score = buildScore(b, op, arguments.back(), s);
      if (Value keep = buildKeep(b, op, s))
        score = arith::SelectOp::create(
            b, loc, keep, score, constant(b, loc, score.getType(), -kInf));
      return {score};
    };
    groupExtent = domain.extentValue(G);
    return {domain.generic(scores, inputs, {dots}, body)[0], dots.map};
  }

  /// value with rows past a length set to 0, so that NaN there cannot leak
  /// through 0 * NaN.
  Mapped safeValue() {
    Mapped value = mapped(op.getValueMutable());
    if (!op.getKeyLengths() && !op.getKeyLimit())
      return value;
    SmallVector<Dim> order;
    for (AffineExpr e : value.map.getResults())
      order.push_back(static_cast<Dim>(cast<AffineDimExpr>(e).getPosition()));
    Type type = getElementTypeOrSelf(value.value.getType());
    SmallVector<Mapped> inputs = {value};
    // One length for all batches fits a value without b.
    int lengths = addLengths(inputs, op.getKeyLengths());
    SmallVector<Dim> loops = order;
    if (lengths >= 0 && inputs.size() == 2 && !llvm::is_contained(loops, B) &&
        (dimsOf(inputs[1].map) & dims(B))) {
      loops.insert(loops.begin(), B);
      order.insert(order.begin(), B);
    }
    Mapped out = domain.empty(order, type);
    auto body = [&](OpBuilder &b, ValueRange arguments,
                    DomainBuilder::Indices index) -> SmallVector<Value> {
      Value end = clampedLength(b, keyLength,
                                lengths < 0 ? Value() : arguments[lengths]);
      Value key = shifted(b, index(N), op.getKeyBase());
      Value inside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, key, end);
      return {arith::SelectOp::create(b, loc, inside, arguments[0],
                                      constant(b, loc, type, 0))};
    };
    return {domain.generic(loops, inputs, {out}, body)[0], out.map};
  }

  /// p as value's element type.
  Mapped probabilitiesForValue(Mapped p) {
    Type type = getElementTypeOrSelf(op.getValue().getType());
    if (type == op.getComputeType())
      return p;
    Mapped out = domain.empty(scores, type);
    return {domain.generic(scores, {p}, {out},
                           [&](OpBuilder &b, ValueRange arguments,
                               DomainBuilder::Indices) -> SmallVector<Value> {
                             return {castTo(b, loc, arguments[0], type)};
                           })[0],
            out.map};
  }

  AttentionOpInterface op;
  Location loc;
  DomainBuilder domain;
  /// Dimensions of a row (row_max), of the scores and of acc.
  SmallVector<Dim> rows, scores, acc;

private:
  static SmallVector<Mapped> operandsOf(AttentionOpInterface op) {
    SmallVector<Mapped> operands;
    for (OpOperand *operand : op.getMappedOperands())
      operands.push_back({operand->get(), op.getMapOf(*operand)});
    return operands;
  }

  /// The end of a dimension in absolute positions, before per-batch lengths.
  Value effectiveLength(OpBuilder &b, Dim dim, Value base, Value limit) {
    if (limit)
      return limit;
    Value extent = domain.extentValue(dim);
    return base ? arith::AddIOp::create(b, loc, base, extent).getResult()
                : extent;
  }

  /// Lengths join the generic as an operand over b, or as one scalar where b is
  /// not a dimension of the problem.
  int addLengths(SmallVector<Mapped> &inputs, Value lengths) {
    if (!lengths)
      return -1;
    OpBuilder &b = domain.builder();
    if (llvm::is_contained(rows, B)) {
      inputs.push_back({lengths, mapOf(b.getContext(), {B})});
    } else {
      Value first = tensor::ExtractSliceOp::create(
          b, loc, RankedTensorType::get({}, b.getI32Type()), lengths,
          ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
          ArrayRef<OpFoldResult>{b.getIndexAttr(1)},
          ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
      inputs.push_back({first, mapOf(b.getContext(), {})});
    }
    return inputs.size() - 1;
  }

  Value clampedLength(OpBuilder &b, Value end, Value length) {
    if (!length)
      return end;
    Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), length);
    return arith::MinSIOp::create(b, loc, end, index);
  }

  Value shifted(OpBuilder &b, Value index, Value base) {
    return base ? arith::AddIOp::create(b, loc, index, base).getResult()
                : index;
  }

  Value queryLength, keyLength, groupExtent;
};

/// in-place elementwise work over `loops`, a one-result generic.
Mapped elementwise(DomainBuilder &domain, ArrayRef<Dim> loops,
                   ArrayRef<Mapped> inputs, Mapped out,
                   function_ref<Value(OpBuilder &, ValueRange)> body) {
  return {domain.generic(loops, inputs, {out},
                         [&](OpBuilder &b, ValueRange arguments,
                             DomainBuilder::Indices) -> SmallVector<Value> {
                           return {body(b, arguments)};
                         })[0],
          out.map};
}

Mapped rowMax(Problem &p, Mapped scores, Mapped init) {
  return elementwise(p.domain, p.scores, {scores}, init,
                     [&](OpBuilder &b, ValueRange a) -> Value {
                       return arith::MaxNumFOp::create(b, p.loc, a[1], a[0]);
                     });
}

Mapped rowSum(Problem &p, Mapped scores, Mapped init) {
  return elementwise(p.domain, p.scores, {scores}, init,
                     [&](OpBuilder &b, ValueRange a) -> Value {
                       return arith::AddFOp::create(b, p.loc, a[1], a[0]);
                     });
}

/// Copies into an output, with its type and layout.
Value storeTo(DomainBuilder &domain, ArrayRef<Dim> loops, Mapped in,
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

} // namespace

Value fa::scaleOf(OpBuilder &b, AttentionOpInterface op) {
  Location loc = op.getLoc();
  Type type = op.getComputeType();
  if (op.getScale())
    return castTo(b, loc, op.getScale(), type);
  OpFoldResult headDim = extentOfDim(
      b, loc, op.getQuery(), positionOf(op.getMapOf(op.getQueryMutable()), D));
  if (auto constantDim = getConstantIntValue(headDim))
    return constant(b, loc, type, 1.0 / std::sqrt(double(*constantDim)));
  Value wide =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), cast<Value>(headDim));
  Value real = arith::SIToFPOp::create(b, loc, type, wide);
  Value root = math::SqrtOp::create(b, loc, real);
  return arith::DivFOp::create(b, loc, constant(b, loc, type, 1), root);
}

//===----------------------------------------------------------------------===//
// fa.attention
//===----------------------------------------------------------------------===//

/// The softmax of every row, and its lse, with the whole score matrix in
/// memory.
static SmallVector<Value> decomposeUnpacked(OpBuilder &b, AttentionOp op) {
  Problem p(b, cast<AttentionOpInterface>(op.getOperation()));
  Location loc = op.getLoc();
  Type type = p.op.getComputeType();
  Mapped scores = p.finishedScores(p.dotProducts(), scaleOf(b, p.op));
  Mapped max = rowMax(p, scores, p.domain.filled(p.rows, type, -kInf));
  if (op.getSinks())
    max = elementwise(p.domain, p.rows, {p.mapped(op.getSinksMutable()[0])},
                      max, [&](OpBuilder &b, ValueRange a) -> Value {
                        return arith::MaxNumFOp::create(
                            b, loc, castTo(b, loc, a[0], type), a[1]);
                      });
  Mapped exps = elementwise(
      p.domain, p.scores, {max}, scores, [&](OpBuilder &b, ValueRange a) {
        return expOfDifference(b, loc, a[1], finiteMax(b, loc, a[0]));
      });
  Mapped sum = rowSum(p, exps, p.domain.filled(p.rows, type, 0));
  if (op.getSinks())
    sum =
        elementwise(p.domain, p.rows, {p.mapped(op.getSinksMutable()[0]), max},
                    sum, [&](OpBuilder &b, ValueRange a) -> Value {
                      Value weight =
                          expOfDifference(b, loc, castTo(b, loc, a[0], type),
                                          finiteMax(b, loc, a[1]));
                      return arith::AddFOp::create(b, loc, a[2], weight);
                    });
  Mapped probabilities = elementwise(
      p.domain, p.scores, {sum}, exps, [&](OpBuilder &b, ValueRange a) {
        Value zero = constant(b, loc, type, 0);
        Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                              a[0], zero);
        Value quotient = arith::DivFOp::create(b, loc, a[1], a[0]);
        return arith::SelectOp::create(b, loc, isEmpty, zero, quotient)
            .getResult();
      });
  Mapped acc = p.domain.filled(p.acc, type, 0);
  acc.value = p.domain.contract(p.probabilitiesForValue(probabilities),
                                p.safeValue(), acc);
  SmallVector<Value> results = {
      storeTo(p.domain, p.acc, acc, p.mapped(op.getOutputsMutable()[0]))};
  if (op.getLse()) {
    Mapped lse =
        elementwise(p.domain, p.rows, {max, sum}, p.domain.empty(p.rows, type),
                    [&](OpBuilder &b, ValueRange a) -> Value {
                      Value log = math::LogOp::create(b, loc, a[1]);
                      return arith::AddFOp::create(b, loc, a[0], log);
                    });
    results.push_back(
        storeTo(p.domain, p.rows, lse, p.mapped(op.getOutputsMutable()[1])));
  }
  return results;
}

namespace {

/// Builds the attention of one sequence of a packed batch.
class Unpacker {
public:
  Unpacker(OpBuilder &b, AttentionOp op, Value sequence)
      : b(b), op(op), loc(op.getLoc()), sequence(sequence) {
    std::tie(queryStart, queryCount) = rowsOf(op.getQueryOffsets());
    std::tie(keyStart, keyCount) = rowsOf(op.getKeyOffsets());
  }

  /// Results of the sequence's attention, inserted into `outputs`.
  SmallVector<Value> build(ValueRange outputs) {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    SmallVector<Value> operands(op->getOperands());
    SmallVector<Attribute> maps;
    SmallVector<Slice> outputSlices;
    unsigned firstOutput = op.getOutputs().getBeginOperandIndex();
    for (OpOperand *operand : self.getMappedOperands()) {
      unsigned number = operand->getOperandNumber();
      bool isOutput = number >= firstOutput;
      Value v = isOutput ? outputs[number - firstOutput] : operand->get();
      AffineMap map = self.getMapOf(*operand);
      // Outputs, query, key and value hold all sequences; the rest index
      // within one.
      bool holdsAll = isOutput || number < 3;
      Slice slice = sliceOf(v, map, holdsAll);
      operands[number] = slice.value;
      maps.push_back(AffineMapAttr::get(slice.map));
      if (isOutput)
        outputSlices.push_back(slice);
    }
    Operation *inner = createInner(operands, maps);
    SmallVector<Value> results;
    for (auto [i, slice] : llvm::enumerate(outputSlices))
      results.push_back(tensor::InsertSliceOp::create(
          b, loc, inner->getResult(i), outputs[i], slice.offsets, slice.sizes,
          unitStrides(slice.offsets.size())));
    return results;
  }

private:
  struct Slice {
    Value value;
    AffineMap map;
    SmallVector<OpFoldResult> offsets, sizes;
  };

  SmallVector<OpFoldResult> unitStrides(size_t rank) {
    return SmallVector<OpFoldResult>(rank, b.getIndexAttr(1));
  }

  std::pair<Value, Value> rowsOf(Value offsets) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto at = [&](Value i) -> Value {
      Value v = tensor::ExtractOp::create(b, loc, offsets, i);
      return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
    };
    Value start = at(sequence);
    Value end = at(arith::AddIOp::create(b, loc, sequence, one));
    return {start, arith::SubIOp::create(b, loc, end, start)};
  }

  Slice sliceOf(Value v, AffineMap map, bool holdsAll) {
    Slice slice;
    SmallVector<AffineExpr> results;
    SmallVector<int64_t> kept;
    auto type = cast<RankedTensorType>(v.getType());
    for (int64_t i = 0; i < type.getRank(); ++i) {
      OpFoldResult offset = b.getIndexAttr(0), size;
      int64_t staticSize = ShapedType::kDynamic;
      unsigned dim = i < map.getNumResults() ? map.getDimPosition(i) : NumDims;
      if (dim == B) {
        offset = sequence;
        size = b.getIndexAttr(1);
      } else if (dim == M || dim == N) {
        size = dim == M ? queryCount : keyCount;
        if (holdsAll)
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
    slice.map = AffineMap::get(NumDims, 0, results, b.getContext());
    auto sliceType = RankedTensorType::get(kept, type.getElementType());
    slice.value = tensor::ExtractSliceOp::create(
        b, loc, sliceType, v, slice.offsets, slice.sizes,
        unitStrides(slice.offsets.size()));
    return slice;
  }

  Operation *createInner(SmallVector<Value> operands,
                         ArrayRef<Attribute> maps) {
    SmallVector<Type> types;
    unsigned firstOutput = op.getOutputs().getBeginOperandIndex();
    for (unsigned i = 0; i < op.getOutputs().size(); ++i)
      types.push_back(operands[firstOutput + i].getType());
    // The cloned op verifies only once it is whole, so edit before inserting.
    auto inner = cast<AttentionOp>(clone(b, op, types, operands));
    inner.getQueryOffsetsMutable().clear();
    inner.getKeyOffsetsMutable().clear();
    Value batch = sequence;
    b.setInsertionPoint(inner);
    if (op.getBatchBase())
      batch = arith::AddIOp::create(b, loc, batch, op.getBatchBase());
    inner.getBatchBaseMutable().assign(batch);
    inner.setIndexingMapsAttr(b.getArrayAttr(maps));
    b.setInsertionPointAfter(inner);
    return inner;
  }

  OpBuilder &b;
  AttentionOp op;
  Location loc;
  Value sequence, queryStart, queryCount, keyStart, keyCount;
};

} // namespace

/// One attention after another for every sequence of a packed batch.
static SmallVector<Value> decomposePacked(OpBuilder &b, AttentionOp op) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value entries = getValueOrCreateConstantIndexOp(
      b, loc, extentOfDim(b, loc, op.getQueryOffsets(), 0));
  Value count = arith::SubIOp::create(b, loc, entries, one);
  auto loop = scf::ForOp::create(b, loc, zero, count, one, op.getOutputs());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results =
      Unpacker(b, op, loop.getInductionVar()).build(loop.getRegionIterArgs());
  scf::YieldOp::create(b, loc, results);
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> fa::decompose(OpBuilder &b, AttentionOp op) {
  return op.getQueryOffsets() ? decomposePacked(b, op)
                              : decomposeUnpacked(b, op);
}

//===----------------------------------------------------------------------===//
// fa.online_attention
//===----------------------------------------------------------------------===//

/// row_sum * alpha + sums of p, for row_sum with a trailing dimension of P
/// partial sums: column c adds to partial (c / 2) mod P.
static Value updatePartialSums(OpBuilder &b, Problem &p, Mapped probabilities,
                               Mapped alpha, Value rowSum) {
  Location loc = p.loc;
  auto type = cast<RankedTensorType>(rowSum.getType());
  auto scoreType = cast<RankedTensorType>(probabilities.value.getType());
  int64_t rank = scoreType.getRank(), partials = type.getShape().back();
  SmallVector<int64_t> shape(scoreType.getShape().drop_back());
  shape.append({scoreType.getShape().back() / (2 * partials), partials, 2});
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank - 1; ++i)
    groups.push_back({i});
  groups.push_back({rank - 1, rank, rank + 1});
  Value expanded = tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()),
      probabilities.value, groups);
  Value zero = constant(b, loc, type.getElementType(), 0);
  Value init = linalg::FillOp::create(
                   b, loc, zero,
                   ValueRange{tensor::EmptyOp::create(b, loc, type.getShape(),
                                                      type.getElementType())})
                   .getResult(0);
  Value sums =
      linalg::ReduceOp::create(
          b, loc, expanded, init, SmallVector<int64_t>{rank - 1, rank + 1},
          [&](OpBuilder &b, Location loc, ValueRange a) {
            linalg::YieldOp::create(
                b, loc, arith::AddFOp::create(b, loc, a[0], a[1]).getResult());
          })
          .getResult(0);
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap row = identity.dropResult(rank - 1);
  auto update = linalg::GenericOp::create(
      b, loc, TypeRange{type}, ValueRange{sums, alpha.value},
      ValueRange{rowSum}, ArrayRef<AffineMap>{identity, row, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange a) {
        linalg::YieldOp::create(
            b, loc, math::FmaOp::create(b, loc, a[2], a[1], a[0]).getResult());
      });
  return update.getResult(0);
}

SmallVector<Value> fa::decompose(OpBuilder &b, OnlineAttentionOp op,
                                 bool valueTailIsZero) {
  Problem p(b, cast<AttentionOpInterface>(op.getOperation()));
  Location loc = op.getLoc();
  Type type = p.op.getComputeType();
  Value scale = scaleOf(b, p.op), c;
  if (op.getRawMax())
    c = arith::MulFOp::create(b, loc, scale, constant(b, loc, type, kLog2e));
  auto exponential = [&](OpBuilder &b, Value x, Value base) {
    return c ? exp2OfScaled(b, loc, x, base, c)
             : expOfDifference(b, loc, x, base);
  };

  Mapped dots = p.dotProducts();
  bool changesScores =
      !op.getRawMax() || op.getMask() || op.getCausal() || op.getWindowLeft() ||
      op.getWindowRight() || op.getQueryLengths() || op.getKeyLengths() ||
      op.getQueryLimit() || op.getKeyLimit() || !op.getMaskRegion().empty();
  Mapped scores = changesScores
                      ? p.finishedScores(dots, op.getRawMax() ? Value() : scale)
                      : dots;

  Mapped oldMax = p.mapped(op.getOutputsMutable()[1]);
  Mapped newMax = rowMax(p, scores, oldMax);
  Mapped base = elementwise(
      p.domain, p.rows, {newMax}, p.domain.empty(p.rows, type),
      [&](OpBuilder &b, ValueRange a) { return finiteMax(b, loc, a[0]); });
  Mapped alpha = elementwise(
      p.domain, p.rows, {oldMax, base}, p.domain.empty(p.rows, type),
      [&](OpBuilder &b, ValueRange a) { return exponential(b, a[0], a[1]); });
  Mapped exps = elementwise(
      p.domain, p.scores, {base}, scores,
      [&](OpBuilder &b, ValueRange a) { return exponential(b, a[1], a[0]); });

  Mapped oldSum = p.mapped(op.getOutputsMutable()[2]);
  auto timesAlpha = [&](OpBuilder &b, ValueRange a) -> Value {
    return arith::MulFOp::create(b, loc, a[1], a[0]);
  };
  Value newSum;
  if (cast<ShapedType>(op.getRowSum().getType()).getRank() ==
      oldSum.map.getNumResults()) {
    Mapped scaled = elementwise(p.domain, p.rows, {alpha}, oldSum, timesAlpha);
    newSum = rowSum(p, exps, scaled).value;
  } else {
    newSum = updatePartialSums(b, p, exps, alpha, op.getRowSum());
  }

  Mapped acc = elementwise(p.domain, p.acc, {alpha},
                           p.mapped(op.getOutputsMutable()[0]), timesAlpha);
  Mapped value =
      valueTailIsZero ? p.mapped(op.getValueMutable()) : p.safeValue();
  acc.value = p.domain.contract(p.probabilitiesForValue(exps), value, acc);
  return {acc.value, newMax.value, newSum};
}

//===----------------------------------------------------------------------===//
// fa.merge, fa.finalize
//===----------------------------------------------------------------------===//

static SmallVector<Dim> orderOf(AffineMap map) {
  SmallVector<Dim> order;
  for (AffineExpr e : map.getResults())
    order.push_back(static_cast<Dim>(cast<AffineDimExpr>(e).getPosition()));
  return order;
}

static SmallVector<Mapped> zipMaps(ValueRange values,
                                   ArrayRef<AffineMap> maps) {
  SmallVector<Mapped> mapped;
  for (auto [value, map] : llvm::zip(values, maps))
    mapped.push_back({value, map});
  return mapped;
}

/// Sums over the trailing dimension of partial sums, if there is one.
static Value withoutPartials(OpBuilder &b, Location loc, Mapped rowSum) {
  auto type = cast<RankedTensorType>(rowSum.value.getType());
  int64_t rank = type.getRank();
  if (rank == rowSum.map.getNumResults())
    return rowSum.value;
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < rank - 1; ++i)
    sizes.push_back(extentOfDim(b, loc, rowSum.value, i));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value zero = constant(b, loc, type.getElementType(), 0);
  Value init =
      linalg::FillOp::create(b, loc, zero, ValueRange{empty}).getResult(0);
  return linalg::ReduceOp::create(
             b, loc, rowSum.value, init, SmallVector<int64_t>{rank - 1},
             [](OpBuilder &b, Location loc, ValueRange a) {
               linalg::YieldOp::create(
                   b, loc,
                   arith::AddFOp::create(b, loc, a[0], a[1]).getResult());
             })
      .getResult(0);
}

SmallVector<Value> fa::decompose(OpBuilder &b, MergeOp op) {
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps =
      llvm::to_vector(op.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  SmallVector<Mapped> in = zipMaps(op.getInputs(), maps),
                      out = zipMaps(op.getOutputs(), maps);
  SmallVector<Mapped> operands = in;
  llvm::append_range(operands, out);
  DomainBuilder domain(b, loc, operands);
  SmallVector<Dim> rows = orderOf(maps[1]), acc = orderOf(maps[0]);
  Type type = getElementTypeOrSelf(op.getOutputs()[1].getType());

  Mapped max = elementwise(
      domain, rows, {in[1]}, out[1], [&](OpBuilder &b, ValueRange a) -> Value {
        return arith::MaxNumFOp::create(b, loc, a[1], a[0]);
      });
  auto weight = [&](Mapped oldMax) {
    return elementwise(domain, rows, {oldMax, max}, domain.empty(rows, type),
                       [&](OpBuilder &b, ValueRange a) {
                         return expOfDifference(b, loc, a[0],
                                                finiteMax(b, loc, a[1]));
                       });
  };
  Mapped weightIn = weight(in[1]), weightOut = weight(out[1]);
  auto combine = [&](OpBuilder &b, ValueRange a) -> Value {
    Value added = arith::MulFOp::create(b, loc, a[0], a[1]);
    Value kept = arith::MulFOp::create(b, loc, a[3], a[2]);
    return arith::AddFOp::create(b, loc, kept, added);
  };
  Value newAcc =
      elementwise(domain, acc, {in[0], weightIn, weightOut}, out[0], combine)
          .value;
  Mapped sumIn = {withoutPartials(b, loc, in[2]), maps[2]};
  bool partial = sumIn.value != in[2].value;
  Mapped sumOut = {withoutPartials(b, loc, out[2]), maps[2]};
  Value newSum =
      elementwise(domain, rows, {sumIn, weightIn, weightOut}, sumOut, combine)
          .value;
  if (partial) {
    // The merged sum becomes partial 0; the others are 0.
    auto type = cast<RankedTensorType>(out[2].value.getType());
    int64_t rank = type.getRank();
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    newSum = linalg::GenericOp::create(
                 b, loc, TypeRange{type}, ValueRange{newSum},
                 ValueRange{out[2].value},
                 ArrayRef<AffineMap>{identity.dropResult(rank - 1), identity},
                 SmallVector<utils::IteratorType>(
                     rank, utils::IteratorType::parallel),
                 [&](OpBuilder &b, Location loc, ValueRange a) {
                   Value i = linalg::IndexOp::create(b, loc, rank - 1);
                   Value first = arith::CmpIOp::create(
                       b, loc, arith::CmpIPredicate::eq, i,
                       arith::ConstantIndexOp::create(b, loc, 0));
                   Value zero = constant(b, loc, a[0].getType(), 0);
                   linalg::YieldOp::create(
                       b, loc,
                       arith::SelectOp::create(b, loc, first, a[0], zero)
                           .getResult());
                 })
                 .getResult(0);
  }
  return {newAcc, max.value, newSum};
}

SmallVector<Value> fa::decompose(OpBuilder &b, FinalizeOp op) {
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps =
      llvm::to_vector(op.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  SmallVector<Value> values = {op.getAcc(), op.getRowMax(), op.getRowSum()};
  if (op.getSinks())
    values.push_back(op.getSinks());
  llvm::append_range(values, op.getOutputs());
  SmallVector<Mapped> mapped = zipMaps(values, maps);
  DomainBuilder domain(b, loc, mapped);
  Mapped acc = mapped[0], max = mapped[1];
  Mapped sum = {withoutPartials(b, loc, mapped[2]), maps[2]};
  SmallVector<Dim> rows = orderOf(max.map);
  Type type = getElementTypeOrSelf(max.value.getType());
  auto rowwise = [&](ArrayRef<Mapped> inputs,
                     function_ref<Value(OpBuilder &, ValueRange)> body) {
    return elementwise(domain, rows, inputs, domain.empty(rows, type), body);
  };

  if (op.getRawMax()) {
    Value scale = castTo(b, loc, op.getScale(), type);
    max = rowwise({max}, [&](OpBuilder &b, ValueRange a) -> Value {
      return arith::MulFOp::create(b, loc, a[0], scale);
    });
  }
  // The weight of acc: 1 / sum, after a sink has joined.
  Mapped accScale;
  auto reciprocal = [&](OpBuilder &b, Value numerator, Value sum) -> Value {
    Value zero = constant(b, loc, type, 0);
    Value isEmpty =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, zero);
    return arith::SelectOp::create(
        b, loc, isEmpty, zero, arith::DivFOp::create(b, loc, numerator, sum));
  };
  if (op.getSinks()) {
    Mapped sink = mapped[3];
    Mapped joint =
        rowwise({max, sink}, [&](OpBuilder &b, ValueRange a) -> Value {
          return arith::MaxNumFOp::create(b, loc, a[0],
                                          castTo(b, loc, a[1], type));
        });
    Mapped weight = rowwise({max, joint}, [&](OpBuilder &b, ValueRange a) {
      return expOfDifference(b, loc, a[0], finiteMax(b, loc, a[1]));
    });
    sum = rowwise(
        {sum, weight, sink, joint}, [&](OpBuilder &b, ValueRange a) -> Value {
          Value kept = arith::MulFOp::create(b, loc, a[0], a[1]);
          Value added = expOfDifference(b, loc, castTo(b, loc, a[2], type),
                                        finiteMax(b, loc, a[3]));
          return arith::AddFOp::create(b, loc, kept, added);
        });
    max = joint;
    accScale = rowwise({weight, sum}, [&](OpBuilder &b, ValueRange a) {
      return reciprocal(b, a[0], a[1]);
    });
  } else {
    accScale = rowwise({sum}, [&](OpBuilder &b, ValueRange a) {
      return reciprocal(b, constant(b, loc, type, 1), a[0]);
    });
  }

  Mapped out = mapped[3 + (op.getSinks() ? 1 : 0)];
  Type outType = getElementTypeOrSelf(out.value.getType());
  SmallVector<Value> results = {
      elementwise(domain, orderOf(acc.map), {acc, accScale}, out,
                  [&](OpBuilder &b, ValueRange a) -> Value {
                    return castTo(b, loc,
                                  arith::MulFOp::create(b, loc, a[0], a[1]),
                                  outType);
                  })
          .value};
  if (op.getLse())
    results.push_back(
        elementwise(domain, rows, {max, sum}, mapped.back(),
                    [&](OpBuilder &b, ValueRange a) -> Value {
                      Value log = math::LogOp::create(b, loc, a[1]);
                      return arith::AddFOp::create(b, loc, a[0], log);
                    })
            .value);
  return results;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

DestinationStyleOpInterface
fa::convertToTensors(RewriterBase &rewriter, DestinationStyleOpInterface op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands;
  SmallVector<Type> types;
  SmallVector<Value> destinations;
  for (OpOperand &operand : op->getOpOperands()) {
    Value v = operand.get();
    if (auto memref = dyn_cast<MemRefType>(v.getType())) {
      auto type =
          RankedTensorType::get(memref.getShape(), memref.getElementType());
      // Outputs alias no input, so every view of memory here is exclusive.
      v = bufferization::ToTensorOp::create(
          rewriter, loc, type, v,
          /*restrict=*/true,
          /*writable=*/op.isDpsInit(&operand));
    }
    operands.push_back(v);
    if (op.isDpsInit(&operand)) {
      types.push_back(v.getType());
      destinations.push_back(operand.get());
    }
  }
  auto tensorOp =
      cast<DestinationStyleOpInterface>(clone(rewriter, op, types, operands));
  // A capture that a region takes whole changes its type there, too.
  if (auto attention = dyn_cast<AttentionOpInterface>(tensorOp.getOperation()))
    for (Region *region :
         {&attention.getScoreRegion(), &attention.getMaskRegion()})
      if (!region->empty())
        for (auto [argument, capture] :
             llvm::zip(region->getArguments().take_back(
                           attention.getCaptures().size()),
                       attention.getCaptures()))
          if (isa<MemRefType>(argument.getType())) {
            argument.setType(capture.getType());
            for (Operation *user :
                 llvm::make_early_inc_range(argument.getUsers())) {
              rewriter.setInsertionPoint(user);
              rewriter.replaceOpWithNewOp<tensor::ExtractOp>(
                  user, argument, user->getOperands().drop_front());
            }
          }
  rewriter.setInsertionPointAfter(tensorOp);
  for (auto [result, destination] :
       llvm::zip_equal(tensorOp->getResults(), destinations)) {
    auto store = bufferization::MaterializeInDestinationOp::create(
        rewriter, loc, TypeRange{}, result, destination, /*restrict=*/true,
        /*writable=*/true);
    (void)store;
  }
  rewriter.eraseOp(op);
  return tensorOp;
}

namespace {

struct DecomposePass : fa::impl::FADecomposeBase<DecomposePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // A packed attention becomes a loop over unpacked ones: repeat.
    while (true) {
      SmallVector<Operation *> worklist;
      getOperation()->walk([&](Operation *op) {
        if (isa<AttentionOp, OnlineAttentionOp, MergeOp, FinalizeOp>(op))
          worklist.push_back(op);
      });
      if (worklist.empty())
        return;
      for (Operation *op : worklist)
        rewrite(rewriter, cast<DestinationStyleOpInterface>(op));
    }
  }

  void rewrite(IRRewriter &rewriter, DestinationStyleOpInterface op) {
    if (!op.hasPureTensorSemantics())
      op = convertToTensors(rewriter, op);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> results;
    if (auto attention = dyn_cast<AttentionOp>(op.getOperation()))
      results = decompose(rewriter, attention);
    else if (auto online = dyn_cast<OnlineAttentionOp>(op.getOperation()))
      results = decompose(rewriter, online);
    else if (auto merge = dyn_cast<MergeOp>(op.getOperation()))
      results = decompose(rewriter, merge);
    else
      results = decompose(rewriter, cast<FinalizeOp>(op.getOperation()));
    rewriter.replaceOp(op, results);
  }
};

} // namespace
