//===- VectorizeElementwise.cpp - elementwise work and reductions ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TileVectorizer.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fa;

Value fa::indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value fa::shiftedIndex(OpBuilder &b, Location loc, Value position,
                       int64_t offset) {
  if (offset == 0)
    return position;
  return arith::AddIOp::create(b, loc, position, indexConstant(b, loc, offset));
}

int64_t fa::lanesFor(int64_t extent, int64_t elementBits, int64_t vectorBits) {
  int64_t lanes = std::max<int64_t>(1, vectorBits / elementBits);
  while (extent % lanes != 0)
    lanes /= 2;
  return lanes;
}

namespace {

/// Checks and builds the body of a linalg op with one of its loops on vectors.
class BodyVectorizer {
public:
  BodyVectorizer(linalg::LinalgOp op, unsigned vectorLoop, int64_t vectorBits)
      : op(op), loc(op.getLoc()), vectorLoop(vectorLoop) {
    int64_t bits = 8;
    for (Value operand : op->getOperands())
      bits = std::max(bits, bitsOf(getElementTypeOrSelf(operand.getType())));
    for (Operation &nested : *op.getBlock())
      for (Type type : nested.getResultTypes())
        bits = std::max(bits, std::min<int64_t>(32, bitsOf(type)));
    lanes = lanesFor(op.getStaticLoopRanges()[vectorLoop], bits, vectorBits);
  }

  bool isPossible() {
    return lanes >= 2 &&
           llvm::all_of(op->getOpOperands(),
                        [&](auto &operand) { return isAccessible(operand); }) &&
           llvm::all_of(
               op.getBlock()->without_terminator(),
               [](Operation &nested) { return hasVectorForm(nested); });
  }

  VectorType vectorOf(Type element) const {
    return VectorType::get({lanes}, element);
  }

  /// The operand's elements at the loops' positions: a vector, or a scalar
  /// where the vector loop does not move it.
  Value load(OpBuilder &b, OpOperand &operand, ValueRange positions) {
    Value memory = operand.get();
    auto type = dyn_cast<MemRefType>(memory.getType());
    if (!type)
      return memory;
    SmallVector<Value> at = indicesOf(b, operand, positions);
    if (!isMoved(operand))
      return memref::LoadOp::create(b, loc, memory, at);
    if (type.getElementType().isInteger(1))
      return loadBooleans(b, memory, at);
    return vector::LoadOp::create(b, loc, vectorOf(type.getElementType()),
                                  memory, at);
  }

  void store(OpBuilder &b, Value value, OpOperand &operand,
             ValueRange positions) {
    SmallVector<Value> at = indicesOf(b, operand, positions);
    Type element = getElementTypeOrSelf(operand.get().getType());
    value = asVector(b, value);
    if (!element.isInteger(1)) {
      vector::StoreOp::create(b, loc, value, operand.get(), at);
      return;
    }
    Value bytes =
        arith::ExtUIOp::create(b, loc, vectorOf(b.getI8Type()), value);
    vector::StoreOp::create(b, loc, bytes, asBytes(b, operand.get()), at);
  }

  /// The body's results, in vectors or scalars, from those of its arguments.
  SmallVector<Value> inlineBody(OpBuilder &b, ValueRange arguments,
                                ValueRange positions) {
    IRMapping mapping;
    mapping.map(op.getBlock()->getArguments(), arguments);
    for (Operation &nested : op.getBlock()->without_terminator())
      inlineOp(b, nested, mapping, positions);
    SmallVector<Value> results;
    for (Value value : op.getBlock()->getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    return results;
  }

  Value asVector(OpBuilder &b, Value value) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, loc, vectorOf(value.getType()),
                                       value);
  }

  int64_t getLanes() const { return lanes; }

private:
  /// 0 where a vector of it is not laid out as an array: complex numbers, and
  /// integers that fill no bytes; i1 is converted.
  static int64_t bitsOf(Type type) {
    if (type.isIndex())
      return 64;
    if (!type.isIntOrFloat())
      return 0;
    int64_t bits = type.getIntOrFloatBitWidth();
    bool fits = bits == 1 || (bits % 8 == 0 && llvm::isPowerOf2_64(bits));
    return fits ? bits : 0;
  }

  static bool hasVectorForm(Operation &op) {
    if (!llvm::all_of(op.getResultTypes(), [](Type t) { return bitsOf(t); }))
      return false;
    return isa<linalg::IndexOp, memref::LoadOp>(op) ||
           op.hasTrait<OpTrait::ConstantLike>() ||
           OpTrait::hasElementwiseMappableTraits(&op);
  }

  bool isMoved(OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand).isFunctionOfDim(vectorLoop);
  }

  /// The vector loop may only run along the rows of memory.
  bool isAccessible(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
        !bitsOf(getElementTypeOrSelf(operand.get().getType())))
      return false;
    if (!isMoved(operand))
      return true;
    return isa<MemRefType>(operand.get().getType()) &&
           map.getResults().back() ==
               getAffineDimExpr(vectorLoop, op.getContext());
  }

  SmallVector<Value> indicesOf(OpBuilder &b, OpOperand &operand,
                               ValueRange positions) {
    SmallVector<Value> at;
    for (AffineExpr e : op.getMatchingIndexingMap(&operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(e);
      at.push_back(dim ? positions[dim.getPosition()]
                       : indexConstant(b, loc, 0));
    }
    return at;
  }

  /// A memref of i1 holds bytes, a vector of i1 bits: such memory is read and
  /// written as the i8 that it is. Both types have one lowering, so the cast
  /// goes away there.
  Value asBytes(OpBuilder &b, Value memory) {
    auto type = cast<MemRefType>(memory.getType());
    auto bytes = MemRefType::get(type.getShape(), b.getI8Type(),
                                 type.getLayout(), type.getMemorySpace());
    return UnrealizedConversionCastOp::create(b, loc, bytes, memory)
        .getResult(0);
  }

  Value loadBooleans(OpBuilder &b, Value memory, ValueRange at) {
    auto type = vectorOf(b.getI8Type());
    Value bytes = vector::LoadOp::create(b, loc, type, asBytes(b, memory), at);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bytes, zero);
  }

  void inlineOp(OpBuilder &b, Operation &nested, IRMapping &mapping,
                ValueRange positions) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      Value position = positions[index.getDim()];
      if (index.getDim() == vectorLoop)
        position = arith::AddIOp::create(
            b, loc, asVector(b, position),
            vector::StepOp::create(b, loc, vectorOf(b.getIndexType())));
      mapping.map(index.getResult(), position);
      return;
    }
    SmallVector<Value> operands;
    bool isVector = false;
    for (Value operand : nested.getOperands()) {
      operands.push_back(mapping.lookupOrDefault(operand));
      isVector |= isa<VectorType>(operands.back().getType());
    }
    if (!isVector) {
      b.clone(nested, mapping);
      return;
    }
    if (auto load = dyn_cast<memref::LoadOp>(nested)) {
      mapping.map(load.getResult(), gather(b, operands));
      return;
    }
    SmallVector<Type> types;
    for (Type type : nested.getResultTypes())
      types.push_back(vectorOf(type));
    for (Value &operand : operands)
      operand = asVector(b, operand);
    OperationState state(loc, nested.getName(), operands, types,
                         nested.getAttrs());
    state.propertiesAttr = nested.getPropertiesAsAttribute();
    mapping.map(nested.getResults(), b.create(state)->getResults());
  }

  /// A load of a whole capture, lane by lane.
  Value gather(OpBuilder &b, ArrayRef<Value> operands) {
    auto element = cast<MemRefType>(operands[0].getType()).getElementType();
    Value result =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorOf(element)));
    for (int64_t lane = 0; lane < lanes; ++lane) {
      SmallVector<Value> at;
      for (Value index : operands.drop_front())
        at.push_back(
            isa<VectorType>(index.getType())
                ? vector::ExtractOp::create(b, loc, index, lane).getResult()
                : index);
      Value scalar = memref::LoadOp::create(b, loc, operands[0], at);
      result = vector::InsertOp::create(b, loc, scalar, result, lane);
    }
    return result;
  }

  linalg::LinalgOp op;
  Location loc;
  unsigned vectorLoop;
  int64_t lanes;
};

/// Loops over all of `op`'s but the last of `order`, in this order; `body` gets
/// the positions by loop number, the last one null.
void buildLoops(OpBuilder &b, linalg::LinalgOp op, ArrayRef<unsigned> order,
                function_ref<void(OpBuilder &, SmallVector<Value>)> body) {
  Location loc = op.getLoc();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<Value> lower, upper, step;
  for (unsigned loop : order.drop_back()) {
    lower.push_back(indexConstant(b, loc, 0));
    upper.push_back(indexConstant(b, loc, extents[loop]));
    step.push_back(indexConstant(b, loc, 1));
  }
  scf::buildLoopNest(b, loc, lower, upper, step,
                     [&](OpBuilder &b, Location, ValueRange at) {
                       SmallVector<Value> positions(extents.size());
                       for (auto [loop, position] : llvm::zip(order, at))
                         positions[loop] = position;
                       body(b, positions);
                     });
}

/// The loops in the order of an output's dimensions.
SmallVector<unsigned> orderOf(AffineMap map) {
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    order.push_back(map.getDimPosition(i));
  return order;
}

} // namespace

LogicalResult fa::vectorizeElementwise(OpBuilder &b, linalg::LinalgOp op,
                                       int64_t vectorBits) {
  if (op.getNumLoops() == 0 || op.getNumParallelLoops() != op.getNumLoops())
    return failure();
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!outMap.isPermutation())
    return failure();
  for (OpOperand &out : op.getDpsInitsMutable())
    if (op.getMatchingIndexingMap(&out) != outMap)
      return failure();
  SmallVector<unsigned> order = orderOf(outMap);
  BodyVectorizer body(op, order.back(), vectorBits);
  if (!body.isPossible())
    return failure();
  Location loc = op.getLoc();
  buildLoops(b, op, order, [&](OpBuilder &b, SmallVector<Value> positions) {
    int64_t extent = op.getStaticLoopRanges()[order.back()];
    scf::ForOp::create(
        b, loc, indexConstant(b, loc, 0), indexConstant(b, loc, extent),
        indexConstant(b, loc, body.getLanes()), ValueRange(),
        [&](OpBuilder &b, Location, Value position, ValueRange) {
          positions[order.back()] = position;
          SmallVector<Value> arguments;
          for (OpOperand &operand : op->getOpOperands()) {
            bool isUsed = !op.getMatchingBlockArgument(&operand).use_empty();
            arguments.push_back(isUsed ? body.load(b, operand, positions)
                                       : Value());
          }
          SmallVector<Value> results = body.inlineBody(b, arguments, positions);
          for (auto [i, result] : llvm::enumerate(results))
            body.store(b, result, *op.getDpsInitOperand(i), positions);
          scf::YieldOp::create(b, loc);
        });
  });
  return success();
}

/// How to fold a vector of what `combiner` combines, and from where to start.
static std::optional<std::pair<vector::CombiningKind, double>>
combiningKindOf(Operation *combiner) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  using vector::CombiningKind;
  if (isa<arith::AddFOp>(combiner))
    return {{CombiningKind::ADD, 0.0}};
  if (isa<arith::MulFOp>(combiner))
    return {{CombiningKind::MUL, 1.0}};
  if (isa<arith::MaxNumFOp>(combiner))
    return {{CombiningKind::MAXNUMF, -kInf}};
  if (isa<arith::MinNumFOp>(combiner))
    return {{CombiningKind::MINNUMF, kInf}};
  if (isa<arith::MaximumFOp>(combiner))
    return {{CombiningKind::MAXIMUMF, -kInf}};
  if (isa<arith::MinimumFOp>(combiner))
    return {{CombiningKind::MINIMUMF, kInf}};
  return std::nullopt;
}

LogicalResult fa::vectorizeReduction(OpBuilder &b, linalg::LinalgOp op,
                                     int64_t vectorBits) {
  if (op.getNumReductionLoops() != 1 || op.getNumDpsInits() != 1)
    return failure();
  OpOperand &out = *op.getDpsInitOperand(0);
  AffineMap outMap = op.getMatchingIndexingMap(&out);
  if (!outMap.isProjectedPermutation() ||
      outMap.getNumResults() + 1 != op.getNumLoops())
    return failure();
  SmallVector<Operation *> combiners;
  BlockArgument carried = op.getMatchingBlockArgument(&out);
  if (!matchReduction({carried}, 0, combiners) || combiners.size() != 1)
    return failure();
  auto kind = combiningKindOf(combiners[0]);
  if (!kind)
    return failure();
  SmallVector<unsigned> order = orderOf(outMap), reductions;
  op.getReductionDims(reductions);
  order.push_back(reductions[0]);
  BodyVectorizer body(op, order.back(), vectorBits);
  if (!body.isPossible())
    return failure();

  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(out.get().getType());
  buildLoops(b, op, order, [&](OpBuilder &b, SmallVector<Value> positions) {
    Value neutral = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(element, kind->second));
    int64_t extent = op.getStaticLoopRanges()[order.back()];
    auto loop = scf::ForOp::create(
        b, loc, indexConstant(b, loc, 0), indexConstant(b, loc, extent),
        indexConstant(b, loc, body.getLanes()), body.asVector(b, neutral),
        [&](OpBuilder &b, Location, Value position, ValueRange partial) {
          positions[order.back()] = position;
          SmallVector<Value> arguments;
          for (OpOperand &operand : op->getOpOperands())
            arguments.push_back(&operand == &out
                                    ? partial[0]
                                    : body.load(b, operand, positions));
          SmallVector<Value> results = body.inlineBody(b, arguments, positions);
          scf::YieldOp::create(b, loc, results);
        });
    Value before = body.load(b, out, positions);
    Value folded =
        vector::ReductionOp::create(b, loc, kind->first, loop.getResult(0));
    Value after = b.create(loc, combiners[0]->getName().getIdentifier(),
                           ValueRange{before, folded}, TypeRange{element})
                      ->getResult(0);
    SmallVector<Value> at;
    for (unsigned loop : orderOf(outMap))
      at.push_back(positions[loop]);
    memref::StoreOp::create(b, loc, after, out.get(), at);
  });
  return success();
}
