//===- DeriveBackward.cpp - forward and backward twins of a function ------===//
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
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fa {
#define GEN_PASS_DEF_FADERIVEBACKWARD
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// Which optional gradients to derive.
struct Wanted {
  bool bias, sinks, captures;
};

/// A view or a scalar: cheaper to make again than to keep.
bool isCheap(Operation *op) {
  if (!isPure(op) || op->getNumRegions() != 0)
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::DimOp,
          tensor::EmptyOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op))
    return true;
  return llvm::none_of(op->getResultTypes(),
                       [](Type type) { return isa<ShapedType>(type); });
}

LogicalResult verifySupported(AttentionOp op, func::FuncOp function) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("fa-derive-backward needs attention on tensors: run "
                          "it before bufferization");
  if (op->getParentOp() != function)
    return op.emitOpError("fa-derive-backward does not support attention "
                          "inside ")
           << op->getParentOp()->getName()
           << ": move it to the top of the function";
  if (!function.getBody().hasOneBlock())
    return op.emitOpError("fa-derive-backward does not support functions of "
                          "more than one block");
  return success();
}

/// The attention with an lse among its outputs.
AttentionOp withLse(AttentionOp op) {
  if (op.getLse())
    return op;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  AffineMap map = self.getMapOf(op.getOutputsMutable()[0]);
  SmallVector<OpFoldResult> sizes;
  SmallVector<Dim> rows;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = static_cast<Dim>(cast<AffineDimExpr>(expr).getPosition());
    if (dim == E)
      continue;
    rows.push_back(dim);
    sizes.push_back(extentOfDim(b, loc, op.getOut(), i));
  }
  Value init = tensor::EmptyOp::create(b, loc, sizes, self.getComputeType());
  SmallVector<Type> types = {op.getResult(0).getType(), init.getType()};
  SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
  maps.push_back(AffineMapAttr::get(mapOf(b.getContext(), rows)));
  op.getOutputsMutable().append(init);
  op.setIndexingMapsAttr(b.getArrayAttr(maps));
  auto created = cast<AttentionOp>(clone(b, op, types, op->getOperands()));
  op->replaceAllUsesWith(created->getResults().take_front(1));
  op.erase();
  return created;
}

/// Builds both twins of one function.
class TwinBuilder {
public:
  TwinBuilder(func::FuncOp function, Wanted wanted)
      : function(function), wanted(wanted), b(function.getContext()) {}

  LogicalResult build(SymbolTable &symbols) {
    std::string name = function.getName().str();
    for (StringRef suffix : {"_forward", "_backward"})
      if (symbols.lookup(name + suffix.str()))
        return function.emitError("fa-derive-backward: @")
               << name << suffix << " exists already";
    createTwins(name);
    SmallVector<AttentionOp> attentions;
    forward.walk([&](AttentionOp op) { attentions.push_back(op); });
    for (AttentionOp &op : attentions) {
      // Whether lse flows back is a question about the original.
      usesLse.push_back(op.getLse() && !op.getResult(1).use_empty());
      op = withLse(op);
    }
    returned = llvm::to_vector(
        forward.getBody().front().getTerminator()->getOperands());
    for (auto [i, op] : llvm::enumerate(attentions))
      if (failed(differentiate(op, i)))
        return failure();
    finish();
    symbols.insert(backward, std::next(function->getIterator()));
    symbols.insert(forward, std::next(function->getIterator()));
    function->setAttr("fa.forward", FlatSymbolRefAttr::get(forward));
    function->setAttr("fa.backward", FlatSymbolRefAttr::get(backward));
    return success();
  }

private:
  void createTwins(StringRef name) {
    forward = function.clone();
    forward.setName((name + "_forward").str());
    forward.setPublic();
    backward =
        func::FuncOp::create(function.getLoc(), (name + "_backward").str(),
                             b.getFunctionType({}, {}));
    backward.addEntryBlock();
    b.setInsertionPointToStart(&backward.getBody().front());
  }

  /// The value in the backward function that `v` of the forward one becomes:
  /// the same argument, made again, or handed over as a result.
  Value carried(Value v) {
    if (Value known = mapping.lookupOrNull(v))
      return known;
    if (auto argument = dyn_cast<BlockArgument>(v))
      return addArgument(v,
                         {attribute("fa.argument", argument.getArgNumber())});
    Operation *op = v.getDefiningOp();
    if (isCheap(op)) {
      for (Value operand : op->getOperands())
        carried(operand);
      b.clone(*op, mapping);
      return mapping.lookup(v);
    }
    auto *it = llvm::find(returned, v);
    unsigned number = it - returned.begin();
    if (it == returned.end())
      returned.push_back(v);
    return addArgument(v, {attribute("fa.result", number)});
  }

  NamedAttribute attribute(StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  }

  Value addArgument(Value v, ArrayRef<NamedAttribute> attributes) {
    Value argument = addArgument(v.getType(), attributes);
    mapping.map(v, argument);
    return argument;
  }

  Value addArgument(Type type, ArrayRef<NamedAttribute> attributes) {
    argumentAttributes.push_back(b.getDictionaryAttr(attributes));
    return backward.getBody().front().addArgument(type, function.getLoc());
  }

  /// What flows back into a result of attention `number`.
  Value addCotangent(Value v, StringRef name, int64_t number) {
    return addArgument(v.getType(),
                       {attribute("fa.attention", number),
                        b.getNamedAttr("fa.cotangent", b.getStringAttr(name))});
  }

  SmallVector<int64_t> differentiableCaptures(AttentionOp op) {
    SmallVector<int64_t> captures;
    if (!wanted.captures || op.getScoreRegion().empty())
      return captures;
    for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
      if (isa<FloatType>(getElementTypeOrSelf(capture.getType())) &&
          ReverseMode(op.getScoreRegion(), {unsigned(i + 1)}).reachesResult())
        captures.push_back(i);
    return captures;
  }

  LogicalResult differentiate(AttentionOp op, int64_t number) {
    Location loc = op.getLoc();
    auto self = cast<AttentionOpInterface>(op.getOperation());
    SetVector<Value> above;
    getUsedValuesDefinedAbove(op->getRegions(), above);
    for (Value v : above)
      carried(v);

    SmallVector<OpOperand *> of = {&op.getQueryMutable(), &op.getKeyMutable(),
                                   &op.getValueMutable()};
    bool bias = op.getBias() && wanted.bias;
    bool sinks = op.getSinks() && wanted.sinks;
    if (bias)
      of.push_back(&op.getBiasMutable()[0]);
    if (sinks)
      of.push_back(&op.getSinksMutable()[0]);
    SmallVector<int64_t> captures = differentiableCaptures(op);
    for (int64_t i : captures)
      of.push_back(&op.getCapturesMutable()[i]);

    auto one = [&](Value v) { return v ? carried(v) : Value(); };
    Value query = one(op.getQuery()), key = one(op.getKey()),
          value = one(op.getValue()), scale = one(op.getScale()),
          biasValue = one(op.getBias()), mask = one(op.getMask()),
          alibi = one(op.getAlibiSlopes()), sinkValue = one(op.getSinks()),
          queryLengths = one(op.getQueryLengths()),
          keyLengths = one(op.getKeyLengths()),
          queryOffsets = one(op.getQueryOffsets()),
          keyOffsets = one(op.getKeyOffsets()),
          queryBase = one(op.getQueryBase()), keyBase = one(op.getKeyBase()),
          batchBase = one(op.getBatchBase()), headBase = one(op.getHeadBase()),
          queryLimit = one(op.getQueryLimit()),
          keyLimit = one(op.getKeyLimit()), offset = one(op.getOffset());
    SmallVector<Value> captured = llvm::map_to_vector(op.getCaptures(), one);
    Value out = carried(op.getResult(0)), lse = carried(op.getResult(1));
    Value dOut = addCotangent(op.getResult(0), "out", number), dLse;
    if (usesLse[number])
      dLse = addCotangent(op.getResult(1), "lse", number);

    SmallVector<Value> outputs;
    SmallVector<Type> types;
    for (OpOperand *operand : of) {
      outputs.push_back(emptyLike(loc, carried(operand->get())));
      types.push_back(outputs.back().getType());
    }
    auto gradients = AttentionBackwardOp::create(
        b, loc, types, query, key, value, scale, biasValue, mask, alibi,
        sinkValue, out, lse, dOut, dLse, captured, queryLengths, keyLengths,
        queryOffsets, keyOffsets, queryBase, keyBase, batchBase, headBase,
        queryLimit, keyLimit, offset, outputs, mapsOf(self, op, of, dLse),
        op.getCausalAttr(), op.getWindowLeftAttr(), op.getWindowRightAttr(),
        op.getAlignmentAttr(), op.getSoftcapAttr(), op.getSoftmaxTypeAttr(),
        bias ? b.getUnitAttr() : UnitAttr(), b.getDenseI64ArrayAttr(captures),
        sinks ? b.getUnitAttr() : UnitAttr(), /*deterministic=*/UnitAttr());
    op.getScoreRegion().cloneInto(&gradients.getScoreRegion(), mapping);
    op.getMaskRegion().cloneInto(&gradients.getMaskRegion(), mapping);
    if (failed(verifyDifferentiable(gradients)))
      return failure();
    for (auto [operand, gradient] : llvm::zip_equal(of, gradients.getResults()))
      addGradient(op, *operand, gradient, number);
    return success();
  }

  /// The maps of the backward op: the forward one's, and for each gradient that
  /// of what it belongs to.
  ArrayAttr mapsOf(AttentionOpInterface self, AttentionOp op,
                   ArrayRef<OpOperand *> of, Value dLse) {
    SmallVector<Attribute> maps(op.getIndexingMaps().getValue().drop_back(2));
    auto add = [&](OpOperand &operand) {
      maps.push_back(AffineMapAttr::get(self.getMapOf(operand)));
    };
    OpOperand &out = op.getOutputsMutable()[0],
              &lse = op.getOutputsMutable()[1];
    add(out);
    add(lse);
    add(out);
    if (dLse)
      add(lse);
    for (OpOperand *operand : of)
      add(*operand);
    return b.getArrayAttr(maps);
  }

  Value emptyLike(Location loc, Value v) {
    auto type = cast<RankedTensorType>(v.getType());
    SmallVector<OpFoldResult> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      sizes.push_back(extentOfDim(b, loc, v, i));
    return tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  }

  void addGradient(AttentionOp op, OpOperand &of, Value gradient,
                   int64_t number) {
    unsigned i = of.getOperandNumber(), first = 0;
    std::string name;
    if (i < 3)
      name = std::array<const char *, 3>{"query", "key", "value"}[i];
    else if (of.get() == op.getBias() && &of == &op.getBiasMutable()[0])
      name = "bias";
    else if (op.getSinks() && &of == &op.getSinksMutable()[0])
      name = "sinks";
    else {
      first = op.getCaptures().getBeginOperandIndex();
      name = "capture" + std::to_string(i - first);
    }
    SmallVector<NamedAttribute> attributes = {
        attribute("fa.attention", number),
        b.getNamedAttr("fa.gradient", b.getStringAttr(name))};
    if (auto argument = dyn_cast<BlockArgument>(of.get()))
      attributes.push_back(attribute("fa.argument", argument.getArgNumber()));
    gradients.push_back(gradient);
    resultAttributes.push_back(b.getDictionaryAttr(attributes));
  }

  /// Terminators and types of both functions.
  void finish() {
    Operation *terminator = forward.getBody().front().getTerminator();
    terminator->setOperands(returned);
    forward.setType(b.getFunctionType(forward.getArgumentTypes(),
                                      TypeRange(ValueRange(returned))));
    SmallVector<Attribute> known;
    if (ArrayAttr attributes = forward.getResAttrsAttr())
      llvm::append_range(known, attributes);
    known.resize(returned.size(), b.getDictionaryAttr({}));
    forward.setAllResultAttrs(known);

    func::ReturnOp::create(b, function.getLoc(), gradients);
    backward.setType(
        b.getFunctionType(backward.getBody().front().getArgumentTypes(),
                          TypeRange(ValueRange(gradients))));
    backward.setAllArgAttrs(argumentAttributes);
    backward.setAllResultAttrs(resultAttributes);
  }

  func::FuncOp function, forward, backward;
  Wanted wanted;
  OpBuilder b;
  /// From the forward twin to the backward one.
  IRMapping mapping;
  SmallVector<bool> usesLse;
  SmallVector<Value> returned, gradients;
  SmallVector<Attribute> argumentAttributes, resultAttributes;
};

struct DeriveBackwardPass : fa::impl::FADeriveBackwardBase<DeriveBackwardPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      WalkResult result = function.walk([&](AttentionOp op) -> WalkResult {
        return verifySupported(op, function);
      });
      if (result.wasInterrupted())
        return signalPassFailure();
      bool any =
          function.walk([](AttentionOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
      if (any)
        functions.push_back(function);
    }
    for (func::FuncOp function : functions)
      if (failed(TwinBuilder(function,
                             {biasGradient, sinksGradient, captureGradients})
                     .build(symbols)))
        return signalPassFailure();
  }
};

} // namespace
