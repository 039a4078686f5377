//===- Decompose.cpp - fa ops as linalg -----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Decompose.h"
#include "fa/Transforms/AttentionProblem.h"
#include "fa/Transforms/Passes.h"
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
#include "llvm/ADT/TypeSwitch.h"

namespace fa {
#define GEN_PASS_DEF_FADECOMPOSE
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// What a raw maximum and its scores are multiplied by: c = scale * log2e.
///
/// x*c - base*c with one rounding less than two products is not 0 at the
/// maximum, but the rounding error of base*c. A row shares it, and it cancels,
/// unless base*c is so large (2^30) that the error itself leaves the range of
/// exp2. There any other score is at least 2^6 / c away and only the order of
/// scores counts: they are multiplied by a power of two, which is exact.
Value factorOfRow(OpBuilder &b, Location loc, Value base, Value c) {
  constexpr double kLargest = 1 << 30;
  constexpr int64_t kExponentBits = 0x7f800000;
  Type i32 = b.getI32Type();
  Value mask = arith::ConstantIntOp::create(b, loc, i32, kExponentBits);
  Value bits = arith::AndIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, i32, c), mask);
  Value powerOfTwo = arith::BitcastOp::create(b, loc, c.getType(), bits);
  Value limit = arith::DivFOp::create(
      b, loc, floatConstant(b, loc, c.getType(), kLargest), c);
  Value isLarge =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                            math::AbsFOp::create(b, loc, base), limit);
  return arith::SelectOp::create(b, loc, isLarge, powerOfTwo, c);
}

/// exp((x - base) * c / log2e) as exp2(x*c - base*c), one multiply-add.
Value exp2OfScaled(OpBuilder &b, Location loc, Value x, Value base, Value c) {
  c = factorOfRow(b, loc, base, c);
  Value shift = arith::MulFOp::create(b, loc, base, c);
  Value negated = arith::NegFOp::create(b, loc, shift);
  return math::Exp2Op::create(b, loc,
                              math::FmaOp::create(b, loc, x, c, negated));
}

Mapped rowMax(AttentionProblem &p, Mapped scores, Mapped init) {
  return elementwise(p.domain, p.scores, {scores}, init,
                     [&](OpBuilder &b, ValueRange a) -> Value {
                       return arith::MaxNumFOp::create(b, p.loc, a[1], a[0]);
                     });
}

Mapped rowSum(AttentionProblem &p, Mapped scores, Mapped init) {
  return sumInto(p.domain, p.scores, scores, init);
}

/// p as value's element type.
Mapped probabilitiesForValue(AttentionProblem &p, Mapped probabilities) {
  return p.castScores(probabilities,
                      getElementTypeOrSelf(p.op.getValue().getType()));
}

Mapped safeValue(AttentionProblem &p) {
  return p.withoutTail(p.mapped(p.op.getValueMutable()), N);
}

} // namespace

//===----------------------------------------------------------------------===//
// fa.attention
//===----------------------------------------------------------------------===//

/// The softmax of every row, and its lse, with the whole score matrix in
/// memory.
static SmallVector<Value> decomposeUnpacked(OpBuilder &b, AttentionOp op) {
  AttentionProblem p(b, cast<AttentionOpInterface>(op.getOperation()));
  Location loc = op.getLoc();
  Type type = p.op.getComputeType();
  Mapped scores = p.finishedScores(p.dotProducts(), scaleOf(b, p.op));
  Mapped max = rowMax(p, scores, p.domain.filled(p.rows, type, -kInfinity));
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
        Value zero = floatConstant(b, loc, type, 0);
        Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                              a[0], zero);
        Value quotient = arith::DivFOp::create(b, loc, a[1], a[0]);
        return arith::SelectOp::create(b, loc, isEmpty, zero, quotient)
            .getResult();
      });
  Mapped acc = p.domain.filled(p.acc, type, 0);
  acc.value = p.domain.contract(probabilitiesForValue(p, probabilities),
                                safeValue(p), acc);
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

/// One attention after another, without offsets. Query, key, value and the
/// outputs hold all sequences; the rest index within one.
template <typename OpT>
static SmallVector<Value> unpackSequences(OpBuilder &b, OpT op) {
  unsigned firstOutput = op.getOutputs().getBeginOperandIndex();
  return unpack(b, cast<AttentionOpInterface>(op.getOperation()),
                [&](OpOperand &operand) {
                  unsigned number = operand.getOperandNumber();
                  return number < 3 || number >= firstOutput;
                });
}

SmallVector<Value> fa::decompose(OpBuilder &b, AttentionOp op) {
  return op.getQueryOffsets() ? unpackSequences(b, op)
                              : decomposeUnpacked(b, op);
}

//===----------------------------------------------------------------------===//
// fa.online_attention
//===----------------------------------------------------------------------===//

/// row_sum * alpha + sums of p, for row_sum with a trailing dimension of P
/// partial sums: column c adds to partial (c / 2) mod P.
static Value updatePartialSums(OpBuilder &b, AttentionProblem &p,
                               Mapped probabilities, Mapped alpha,
                               Mapped rowSum) {
  Location loc = p.loc;
  auto type = cast<RankedTensorType>(rowSum.value.getType());
  auto scoreType = cast<RankedTensorType>(probabilities.value.getType());
  int64_t rank = scoreType.getRank(), partials = type.getShape().back();
  // Columns come in pairs, except that a single partial sum takes them all.
  int64_t pair = partials == 1 ? 1 : 2;
  SmallVector<int64_t> shape(scoreType.getShape().drop_back());
  shape.append(
      {scoreType.getShape().back() / (pair * partials), partials, pair});
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < rank - 1; ++i) {
    groups.push_back({i});
    sizes.push_back(extentOfDim(b, loc, probabilities.value, i));
  }
  groups.push_back({rank - 1, rank, rank + 1});
  sizes.push_back(b.getIndexAttr(partials));
  Value expanded = tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()),
      probabilities.value, groups);
  Value zero = floatConstant(b, loc, type.getElementType(), 0);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value init =
      linalg::FillOp::create(b, loc, zero, ValueRange{empty}).getResult(0);
  Value sums =
      linalg::ReduceOp::create(
          b, loc, expanded, init, SmallVector<int64_t>{rank - 1, rank + 1},
          [&](OpBuilder &b, Location loc, ValueRange a) {
            linalg::YieldOp::create(
                b, loc, arith::AddFOp::create(b, loc, a[0], a[1]).getResult());
          })
          .getResult(0);
  // Loops: the rows, in the order of the scores, and the partial sums.
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap row = identity.dropResult(rank - 1);
  SmallVector<AffineExpr> stored;
  for (unsigned i = 0; i < rowSum.map.getNumResults(); ++i)
    stored.push_back(b.getAffineDimExpr(
        llvm::find(p.rows, static_cast<Dim>(rowSum.map.getDimPosition(i))) -
        p.rows.begin()));
  stored.push_back(b.getAffineDimExpr(rank - 1));
  AffineMap storedMap = AffineMap::get(rank, 0, stored, b.getContext());
  auto update = linalg::GenericOp::create(
      b, loc, TypeRange{type}, ValueRange{sums, alpha.value},
      ValueRange{rowSum.value}, ArrayRef<AffineMap>{identity, row, storedMap},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange a) {
        linalg::YieldOp::create(
            b, loc, math::FmaOp::create(b, loc, a[2], a[1], a[0]).getResult());
      });
  return update.getResult(0);
}

SmallVector<Value> fa::decompose(OpBuilder &b, OnlineAttentionOp op,
                                 bool valueTailIsZero) {
  if (op.getQueryOffsets())
    return unpackSequences(b, op);
  AttentionProblem p(b, cast<AttentionOpInterface>(op.getOperation()));
  Location loc = op.getLoc();
  Type type = p.op.getComputeType();
  Value scale = scaleOf(b, p.op), c;
  if (op.getRawMax())
    c = arith::MulFOp::create(b, loc, scale,
                              floatConstant(b, loc, type, kLog2e));
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
  Mapped ownMax = rowMax(p, scores, p.domain.filled(p.rows, type, -kInfinity));
  Mapped base = elementwise(
      p.domain, p.rows, {oldMax, ownMax}, p.domain.empty(p.rows, type),
      [&](OpBuilder &b, ValueRange a) {
        return finiteMax(b, loc, arith::MaxNumFOp::create(b, loc, a[0], a[1]));
      });
  Mapped alpha = elementwise(
      p.domain, p.rows, {oldMax, base}, p.domain.empty(p.rows, type),
      [&](OpBuilder &b, ValueRange a) -> Value {
        if (!c)
          return expOfDifference(b, loc, a[0], a[1]);
        // The state was built on the *rounded* product of the old maximum; an
        // exact one would not cancel it.
        Value factor = factorOfRow(b, loc, a[1], c);
        Value from = arith::MulFOp::create(b, loc, a[0], factor);
        Value to = arith::MulFOp::create(b, loc, a[1], factor);
        return math::Exp2Op::create(b, loc,
                                    arith::SubFOp::create(b, loc, from, to));
      });
  // After the last read of the old maximum, so that it can be updated in place.
  Mapped newMax =
      elementwise(p.domain, p.rows, {ownMax}, oldMax,
                  [&](OpBuilder &b, ValueRange a) -> Value {
                    return arith::MaxNumFOp::create(b, loc, a[1], a[0]);
                  });
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
    newSum = updatePartialSums(b, p, exps, alpha, oldSum);
  }

  Mapped acc = elementwise(p.domain, p.acc, {alpha},
                           p.mapped(op.getOutputsMutable()[0]), timesAlpha);
  Mapped value =
      valueTailIsZero ? p.mapped(op.getValueMutable()) : safeValue(p);
  acc.value = p.domain.contract(probabilitiesForValue(p, exps), value, acc);
  return {acc.value, newMax.value, newSum};
}

//===----------------------------------------------------------------------===//
// fa.merge, fa.finalize
//===----------------------------------------------------------------------===//

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
  Value zero = floatConstant(b, loc, type.getElementType(), 0);
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
                   Value zero = floatConstant(b, loc, a[0].getType(), 0);
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
    Value zero = floatConstant(b, loc, type, 0);
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
      return reciprocal(b, floatConstant(b, loc, type, 1), a[0]);
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
  auto tensorOp = cast<DestinationStyleOpInterface>(
      cloneWith(rewriter, op, types, operands));
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

/// A sink for every packed sequence needs to know which rows are its own.
LogicalResult verifySinks(FinalizeOp op) {
  auto maps = op.getIndexingMaps().getValue();
  auto mapAt = [&](unsigned i) {
    return cast<AffineMapAttr>(maps[i]).getValue();
  };
  if (!op.getSinks() || !(dimsOf(mapAt(3)) & ~dimsOf(mapAt(1))))
    return success();
  return op.emitOpError(
      "fa-decompose does not support sinks over a dimension that the rows do "
      "not have (b, of packed sequences); decompose fa.attention instead");
}

struct DecomposePass : fa::impl::FADecomposeBase<DecomposePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // A packed attention becomes a loop over unpacked ones, a backward op one
    // over pairs: repeat.
    while (true) {
      SmallVector<Operation *> worklist;
      getOperation()->walk([&](Operation *op) {
        if (isa<AttentionOp, OnlineAttentionOp, MergeOp, FinalizeOp,
                AttentionBackwardOp, OnlineAttentionBackwardOp>(op))
          worklist.push_back(op);
      });
      if (worklist.empty())
        return;
      for (Operation *op : worklist)
        if (isa<AttentionBackwardOp, OnlineAttentionBackwardOp>(op) &&
            failed(verifyDifferentiable(op)))
          return signalPassFailure();
        else if (auto finalize = dyn_cast<FinalizeOp>(op);
                 finalize && failed(verifySinks(finalize)))
          return signalPassFailure();
      for (Operation *op : worklist)
        rewrite(rewriter, cast<DestinationStyleOpInterface>(op));
    }
  }

  void rewrite(IRRewriter &rewriter, DestinationStyleOpInterface op) {
    if (!op.hasPureTensorSemantics())
      op = convertToTensors(rewriter, op);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> results =
        llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
            .Case<AttentionOp, OnlineAttentionOp, MergeOp, FinalizeOp,
                  AttentionBackwardOp, OnlineAttentionBackwardOp>(
                [&](auto op) { return decompose(rewriter, op); });
    rewriter.replaceOp(op, results);
  }
};

} // namespace
