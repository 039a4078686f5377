//===- AttentionVerifier.cpp - the rules of the ops over the domain -------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// Messages cite the rule of the op's description.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fa;

namespace {

constexpr DimSet kHeads = dims(B, H, G);

/// One operand's share of rules 1-3.
struct MappedOperand {
  OpOperand *operand;
  StringRef name;
  DimSet allowed;
  DimSet required;
  bool isCapture = false;
  /// A trailing dimension outside the domain (partial row sums).
  bool mayHavePartials = false;
};

/// The part of rule 1 that needs no operand. All other code may rely on it.
LogicalResult verifyMaps(Operation *op, ArrayAttr maps, size_t count) {
  if (maps.size() != count)
    return op->emitOpError("rule 1: expected ")
           << count << " indexing maps, got " << maps.size();
  for (auto [i, attr] : llvm::enumerate(maps)) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    if (map.getNumDims() != NumDims || map.getNumSymbols() != 0 ||
        !map.isProjectedPermutation())
      return op->emitOpError("rule 1: indexing map ")
             << i
             << " must be a projected permutation of the 7 dimensions (b, h, "
                "g, m, n, d, e), got "
             << attr;
  }
  return success();
}

/// The dimensions of a row of the state, from acc's map.
DimSet rowsOf(ArrayAttr maps) {
  return dimsOf(cast<AffineMapAttr>(maps[0]).getValue()) & dims(B, H, G, M);
}

class DomainVerifier {
public:
  DomainVerifier(Operation *op, ArrayAttr maps) : op(op), maps(maps) {}

  void add(OpOperand &operand, StringRef name, DimSet allowed,
           DimSet required = 0) {
    operands.push_back({&operand, name, allowed, required});
  }
  void addCapture(OpOperand &operand, DimSet allowed) {
    operands.push_back({&operand, "capture", allowed, 0, /*isCapture=*/true});
  }
  void addRowSum(OpOperand &operand, DimSet dims) {
    operands.push_back({&operand, "row_sum", dims, dims, false,
                        /*mayHavePartials=*/true});
  }

  LogicalResult verify() {
    for (auto [operand, attr] : llvm::zip_equal(operands, maps))
      if (failed(verifyMap(operand, cast<AffineMapAttr>(attr).getValue())))
        return failure();
    return success();
  }

  /// The static extent of a dimension, or kDynamic.
  int64_t extent(Dim dim) const { return extents[dim]; }

private:
  LogicalResult verifyMap(const MappedOperand &o, AffineMap map) {
    auto type = cast<ShapedType>(o.operand->get().getType());
    if (o.isCapture && map.getNumResults() == 0)
      return success();
    int64_t rank = type.getRank();
    bool hasPartials = o.mayHavePartials && rank == map.getNumResults() + 1;
    if (rank != map.getNumResults() && !hasPartials)
      return op->emitOpError("rule 1: the map of ")
             << o.name << " has " << map.getNumResults()
             << " results, the operand has rank " << rank;
    DimSet used = dimsOf(map);
    if ((used & ~o.allowed) || (o.required & ~used))
      return op->emitOpError("rule 2: ")
             << o.name << " may use dimensions {" << letters(o.allowed)
             << "} and must use {" << letters(o.required) << "}, its map is "
             << AffineMapAttr::get(map);
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (failed(mergeExtent(o, cast<AffineDimExpr>(expr).getPosition(),
                             type.getDimSize(i))))
        return failure();
    return success();
  }

  LogicalResult mergeExtent(const MappedOperand &o, unsigned dim,
                            int64_t size) {
    if (size == 0 && (dim == D || dim == E))
      return op->emitOpError("rule 3: head dimension ")
             << letters(1u << dim) << " of " << o.name << " is 0";
    if (ShapedType::isDynamic(size))
      return success();
    if (ShapedType::isStatic(extents[dim]) && extents[dim] != size)
      return op->emitOpError("rule 3: dimension ")
             << letters(1u << dim) << " has extent " << size << " in " << o.name
             << " but " << extents[dim] << " elsewhere";
    extents[dim] = size;
    return success();
  }

  static std::string letters(DimSet set) {
    std::string text;
    for (unsigned i = 0; i < NumDims; ++i)
      if (set & (1u << i))
        text += (text.empty() ? "" : ", ") + std::string(1, "bhgmnde"[i]);
    return text;
  }

  Operation *op;
  ArrayAttr maps;
  SmallVector<MappedOperand> operands;
  std::array<int64_t, NumDims> extents = {
      ShapedType::kDynamic, ShapedType::kDynamic, ShapedType::kDynamic,
      ShapedType::kDynamic, ShapedType::kDynamic, ShapedType::kDynamic,
      ShapedType::kDynamic};
};

Type elementType(Value v) { return getElementTypeOrSelf(v.getType()); }

/// All shaped operands on tensors, with one result per output of its
/// type, or all on memrefs without results.
LogicalResult verifyDestinations(DestinationStyleOpInterface op,
                                 ArrayRef<size_t> outputCounts,
                                 StringRef rule = "rule 6") {
  auto inits = op.getDpsInits();
  if (!llvm::is_contained(outputCounts, inits.size()))
    return op.emitOpError(rule)
           << ": wrong number of outputs: " << inits.size();
  bool tensors = isa<TensorType>(inits[0].getType());
  for (Value v : op->getOperands())
    if (isa<ShapedType>(v.getType()) && isa<TensorType>(v.getType()) != tensors)
      return op.emitOpError(rule) << ": tensors and memrefs are mixed";
  if (op->getNumResults() != (tensors ? inits.size() : 0))
    return op.emitOpError(rule) << ": expected " << (tensors ? inits.size() : 0)
                                << " results, got " << op->getNumResults();
  if (tensors)
    for (auto [init, result] : llvm::zip_equal(inits, op->getResults()))
      if (init.getType() != result.getType())
        return op.emitOpError(rule)
               << ": result type " << result.getType()
               << " is not its output's " << init.getType();
  return success();
}

/// Memory that is written is no other operand. Tensors are values: sharing one
/// is harmless, bufferization copies it.
LogicalResult verifyNoAlias(DestinationStyleOpInterface op, StringRef rule) {
  for (OpOperand &output : op.getDpsInitsMutable())
    if (isa<MemRefType>(output.get().getType()))
      for (OpOperand &other : op->getOpOperands())
        if (&other != &output && other.get() == output.get())
          return op.emitOpError(rule)
                 << ": an output is also "
                 << (op.isDpsInit(&other) ? "another output" : "an input");
  return success();
}

/// Rule 5: the shapes of lengths and offsets.
LogicalResult verifyLengths(AttentionOpInterface op, int64_t batch,
                            bool hasBatch) {
  if (static_cast<bool>(op.getQueryOffsets()) !=
      static_cast<bool>(op.getKeyOffsets()))
    return op.emitOpError(
        "rule 5: query_offsets and key_offsets must come together");
  if (op.isPacked() && (op.getQueryLengths() || op.getKeyLengths()))
    return op.emitOpError("rule 5: lengths and offsets exclude each other");
  if (op.isPacked() && (op.getQueryLimit() || op.getKeyLimit()))
    return op.emitOpError("rule 5: limits and offsets exclude each other");
  if (!op.isPacked() && !hasBatch)
    batch = 1;
  auto extentOf = [](Value v) {
    return cast<ShapedType>(v.getType()).getDimSize(0);
  };
  for (Value lengths : {op.getQueryLengths(), op.getKeyLengths()})
    if (lengths && ShapedType::isStatic(extentOf(lengths)) &&
        ShapedType::isStatic(batch) && extentOf(lengths) != batch)
      return op.emitOpError("rule 5: lengths have ")
             << extentOf(lengths) << " elements, the batch has " << batch;
  int64_t entries = ShapedType::isStatic(batch) ? batch + 1 : batch;
  for (Value offsets : {op.getQueryOffsets(), op.getKeyOffsets()}) {
    if (!offsets || !ShapedType::isStatic(extentOf(offsets)))
      continue;
    if (extentOf(offsets) == 0)
      return op.emitOpError("rule 5: offsets need at least one element");
    if (ShapedType::isStatic(entries) && extentOf(offsets) != entries)
      return op.emitOpError("rule 5: offsets have ")
             << extentOf(offsets) << " elements, expected one more than the "
             << entries - 1 << " sequences";
    entries = extentOf(offsets);
  }
  return success();
}

/// Rule 9 for one op of a region: scalars in, scalars out. Only what a region
/// takes whole is more, and only tensor.extract or memref.load read it.
LogicalResult verifyNestedOp(Operation *op) {
  bool reads = isa<tensor::ExtractOp, memref::LoadOp>(op);
  auto isScalar = [](Value v) { return v.getType().isIntOrIndexOrFloat(); };
  if (!llvm::all_of(op->getOperands().drop_front(reads ? 1 : 0), isScalar) ||
      !llvm::all_of(op->getResults(), isScalar))
    return op->emitOpError("rule 9: works on more than scalars; a region of "
                           "attention reads captures with tensor.extract or "
                           "memref.load");
  // What is nested in an op with recursive effects is checked by itself.
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  bool isPure = effects ? effects.hasNoEffect()
                        : op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  if (!reads && !isPure)
    return op->emitOpError("rule 9: has side effects and cannot be used in a "
                           "region of attention");
  return success();
}

LogicalResult verifyRegion(AttentionOpInterface op, Region &region,
                           StringRef name, Type leading, Type yielded) {
  if (region.empty())
    return success();
  if (!region.hasOneBlock())
    return op.emitOpError("rule 9: region ") << name << " needs one block";
  SmallVector<Type> expected;
  if (leading)
    expected.push_back(leading);
  for (OpOperand &capture : op.getCapturesMutable())
    expected.push_back(op.isWholeCapture(capture) ? capture.get().getType()
                                                  : elementType(capture.get()));
  Block &block = region.front();
  if (block.getArgumentTypes() != TypeRange(expected))
    return op.emitOpError("rule 9: region ")
           << name << " takes (" << block.getArgumentTypes() << "), expected ("
           << TypeRange(expected) << ")";
  auto yield = block.mightHaveTerminator()
                   ? dyn_cast<YieldOp>(block.getTerminator())
                   : YieldOp();
  if (!yield)
    return op.emitOpError("rule 9: region ")
           << name << " must end with fa.yield";
  if (yield.getValue().getType() != yielded)
    return yield.emitOpError("rule 9: yields ")
           << yield.getValue().getType() << ", expected " << yielded;
  WalkResult walk = region.walk([](Operation *nested) {
    return isa<YieldOp>(nested) ? WalkResult::advance()
                                : WalkResult(verifyNestedOp(nested));
  });
  return failure(walk.wasInterrupted());
}

/// Rules 1-5 and 7-9, once for both attention ops. Adds the outputs' own
/// operands through `addOutputs`.
LogicalResult
verifyAttention(AttentionOpInterface op, MutableOperandRange sinks,
                function_ref<void(DomainVerifier &, DimSet rows)> addOutputs) {
  if (failed(
          verifyMaps(op, op.getIndexingMaps(), op.getMappedOperands().size())))
    return failure();
  DomainVerifier domain(op, op.getIndexingMaps());
  DimSet noBatch = op.isPacked() ? dims(B) : dims();
  DimSet qDims = dims(B, H, G, M, D) & ~noBatch;
  DimSet kDims = dims(B, H, N, D) & ~noBatch;
  DimSet vDims = dims(B, H, N, E) & ~noBatch;
  DimSet rows = 0;
  for (Attribute map : op.getIndexingMaps().getValue().take_front(3))
    rows |= dimsOf(cast<AffineMapAttr>(map).getValue()) & dims(B, H, G, M);
  // Packed sequences have a batch that is no dimension of the rows.
  DimSet heads = (rows & kHeads) | noBatch, scores = rows | noBatch | dims(N);
  domain.add(op.getQueryMutable(), "query", qDims, dims(M, D));
  domain.add(op.getKeyMutable(), "key", kDims, dims(N, D));
  domain.add(op.getValueMutable(), "value", vDims, dims(N, E));
  for (OpOperand &bias : op.getBiasMutable())
    domain.add(bias, "bias", scores);
  for (OpOperand &mask : op.getMaskMutable())
    domain.add(mask, "mask", scores);
  for (OpOperand &slopes : op.getAlibiSlopesMutable())
    domain.add(slopes, "alibi_slopes", heads);
  for (OpOperand &logits : sinks)
    domain.add(logits, "sinks", heads);
  for (OpOperand &capture : op.getCapturesMutable())
    domain.addCapture(capture, scores);
  addOutputs(domain, rows);
  if (failed(domain.verify()))
    return failure();

  if (elementType(op.getQuery()) != elementType(op.getKey()))
    return op.emitOpError("rule 4: element types of query and key differ");
  if (!isa<Float32Type, Float64Type>(op.getComputeType()))
    return op.emitOpError("rule 4: softmax_type must be f32 or f64");

  if (failed(verifyLengths(op, domain.extent(B), rows & dims(B))))
    return failure();

  if (failed(verifyNoAlias(cast<DestinationStyleOpInterface>(*op), "rule 7")))
    return failure();
  if (auto cap = op.getSoftcap()) {
    bool losesInfo;
    cap->convert(op.getComputeType().getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
    if (!cap->isFinite() || cap->isNegative() || cap->isZero() ||
        cap->isDenormal())
      return op.emitOpError("rule 8: softcap must be finite, normal and > 0 in "
                            "softmax_type");
  }
  if (op.getOffset() && op.getAlignment() == Alignment::BottomRight)
    return op.emitOpError("rule 8: offset replaces alignment; drop one");
  return success();
}

/// Rule 9, after the regions' ops have been verified.
LogicalResult verifyRegions(AttentionOpInterface op) {
  if (!op.getCaptures().empty() && op.getScoreRegion().empty() &&
      op.getMaskRegion().empty())
    return op.emitOpError("rule 9: captures without a region that reads them");
  Type score = op.getComputeType();
  if (failed(verifyRegion(op, op.getScoreRegion(), "score", score, score)))
    return failure();
  return verifyRegion(op, op.getMaskRegion(), "keep", Type(),
                      IntegerType::get(op.getContext(), 1));
}

} // namespace

LogicalResult AttentionOp::verify() {
  if (failed(verifyDestinations(*this, {1, 2})))
    return failure();
  auto self = cast<AttentionOpInterface>(getOperation());
  auto addOutputs = [&](DomainVerifier &domain, DimSet rows) {
    unsigned first = getOutputs().getBeginOperandIndex();
    domain.add((*this)->getOpOperand(first), "out", rows | dims(E),
               rows | dims(E));
    if (getLse())
      domain.add((*this)->getOpOperand(first + 1), "lse", rows, rows);
  };
  if (failed(verifyAttention(self, getSinksMutable(), addOutputs)))
    return failure();
  if (getLse() && elementType(getLse()) != self.getComputeType())
    return emitOpError("rule 4: lse must be ") << self.getComputeType();
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  return ::verifyRegions(cast<AttentionOpInterface>(getOperation()));
}

/// Rule 10: columns map to partial sums by their position, so both extents are
/// known.
static LogicalResult verifyPartialSums(OnlineAttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto type = cast<ShapedType>(op.getRowSum().getType());
  AffineMap map = self.getMapOf(op.getOutputsMutable()[2]);
  if (type.getRank() == map.getNumResults())
    return success();
  int64_t partials = type.getShape().back();
  int64_t position = positionOf(self.getMapOf(op.getKeyMutable()), N);
  int64_t keys = cast<ShapedType>(op.getKey().getType()).getDimSize(position);
  if (self.isPacked() || ShapedType::isDynamic(partials) ||
      ShapedType::isDynamic(keys) || partials == 0 ||
      (partials > 1 && keys % (2 * partials) != 0))
    return op.emitOpError("rule 10: partial sums need static extents of P "
                          "and key and no offsets; P must be 1, or 2*P divide "
                          "key's extent");
  return success();
}

LogicalResult OnlineAttentionOp::verify() {
  if (failed(verifyDestinations(*this, {3})))
    return failure();
  auto self = cast<AttentionOpInterface>(getOperation());
  auto addOutputs = [&](DomainVerifier &domain, DimSet rows) {
    unsigned first = getOutputs().getBeginOperandIndex();
    domain.add((*this)->getOpOperand(first), "acc", rows | dims(E),
               rows | dims(E));
    domain.add((*this)->getOpOperand(first + 1), "row_max", rows, rows);
    domain.addRowSum((*this)->getOpOperand(first + 2), rows);
  };
  if (failed(
          verifyAttention(self, MutableOperandRange(*this, 0, 0), addOutputs)))
    return failure();
  for (Value state : getOutputs())
    if (elementType(state) != self.getComputeType())
      return emitOpError("rule 10: the state's element type must be ")
             << self.getComputeType();
  if (failed(verifyPartialSums(*this)))
    return failure();
  if (getRawMax() && !self.hasPlainScore())
    return emitOpError("rule 11: raw_max excludes bias, alibi_slopes, softcap "
                       "and a score region");
  return success();
}

LogicalResult OnlineAttentionOp::verifyRegions() {
  return ::verifyRegions(cast<AttentionOpInterface>(getOperation()));
}

/// The types of a state and lse.
static bool areState(ValueRange values) {
  Type type = elementType(values[0]);
  return isa<Float32Type, Float64Type>(type) &&
         llvm::all_of(values, [&](Value v) { return elementType(v) == type; });
}

LogicalResult MergeOp::verify() {
  if (getInputs().size() != 3 || getOutputs().size() != 3)
    return emitOpError("rule 1: three inputs and three outputs expected");
  if (failed(verifyMaps(*this, getIndexingMaps(), 3)))
    return failure();
  DomainVerifier domain(*this, getIndexingMaps());
  DimSet rows = rowsOf(getIndexingMaps());
  unsigned first = getOutputs().getBeginOperandIndex();
  domain.add((*this)->getOpOperand(first), "acc", rows | dims(E),
             rows | dims(E));
  domain.add((*this)->getOpOperand(first + 1), "row_max", rows, rows);
  domain.addRowSum((*this)->getOpOperand(first + 2), rows);
  if (failed(domain.verify()))
    return failure();
  if (getInputs().getTypes() != getOutputs().getTypes())
    return emitOpError("rule 2: ins and outs must have the same types");
  if (!areState(getOutputs()))
    return emitOpError("rule 2: a state's element types must be equal, f32 or "
                       "f64");
  if (failed(verifyDestinations(*this, {3}, "rule 3")))
    return failure();
  return verifyNoAlias(*this, "rule 3");
}

LogicalResult FinalizeOp::verify() {
  if (failed(verifyDestinations(*this, {1, 2}, "rule 4")))
    return failure();
  size_t count = 3 + getOutputs().size() + (getSinks() ? 1 : 0);
  if (failed(verifyMaps(*this, getIndexingMaps(), count)))
    return failure();
  DomainVerifier domain(*this, getIndexingMaps());
  DimSet rows = rowsOf(getIndexingMaps());
  domain.add(getAccMutable(), "acc", rows | dims(E), rows | dims(E));
  domain.add(getRowMaxMutable(), "row_max", rows, rows);
  domain.addRowSum(getRowSumMutable(), rows);
  // The rows of packed sequences have no b, their sinks may.
  if (getSinks())
    domain.add(getSinksMutable()[0], "sinks", (rows & kHeads) | dims(B));
  domain.add(getOutputsMutable()[0], "out", rows | dims(E), rows | dims(E));
  if (getLse())
    domain.add(getOutputsMutable()[1], "lse", rows, rows);
  if (failed(domain.verify()))
    return failure();
  SmallVector<Value> state = {getAcc(), getRowMax(), getRowSum()};
  if (getLse())
    state.push_back(getLse());
  if (!areState(state))
    return emitOpError("rule 2: element types of the state and lse must be "
                       "equal, f32 or f64");
  if (getRawMax() && !getScale())
    return emitOpError("rule 3: raw_max needs scale");
  return verifyNoAlias(*this, "rule 4");
}

//===----------------------------------------------------------------------===//
// Backward ops
//===----------------------------------------------------------------------===//

/// Rule 13: the gradients that attributes ask for have something to belong to.
template <typename OpT> static LogicalResult verifyGradientAttributes(OpT op) {
  if (op.getBiasGradient() && !op.getBias())
    return op.emitOpError("rule 13: bias_gradient needs a bias");
  int64_t last = -1;
  for (int64_t i : op.getCaptureGradients()) {
    if (i <= last || i >= static_cast<int64_t>(op.getCaptures().size()))
      return op.emitOpError("rule 13: capture_gradients must list captures in "
                            "ascending order, got ")
             << i;
    last = i;
    if (!isa<FloatType>(elementType(op.getCaptures()[i])))
      return op.emitOpError("rule 13: capture ")
             << i << " is not of floats and has no gradient";
    // The arguments of a malformed region are rule 9's business.
    Region &score = op.getScoreRegion();
    if (score.empty() ||
        (score.getNumArguments() == op.getCaptures().size() + 1 &&
         score.getArgument(i + 1).use_empty()))
      return op.emitOpError("rule 13: no score region reads capture ")
             << i << ", so it has no gradient";
  }
  return success();
}

/// Rule 11: each output has the dimensions of what it is the gradient of.
template <typename OpT>
static void addGradients(OpT op, AttentionOpInterface self,
                         DomainVerifier &domain) {
  for (auto [output, of] :
       llvm::zip_equal(op.getOutputsMutable(), op.getDifferentiated())) {
    if (self.isWholeCapture(*of))
      domain.addCapture(output, dims());
    else
      domain.add(output, "a gradient", dimsOf(self.getMapOf(*of)),
                 dimsOf(self.getMapOf(*of)));
  }
}

/// What both backward ops check; `addInputs` adds their own operands.
template <typename OpT>
static LogicalResult
verifyBackward(OpT op, MutableOperandRange sinks,
               function_ref<void(DomainVerifier &, DimSet rows)> addInputs) {
  if (failed(verifyGradientAttributes(op)))
    return failure();
  size_t count = op.getDifferentiated().size();
  if (op.getOutputs().size() != count)
    return op.emitOpError("rule 10: expected ")
           << count << " outputs, got " << op.getOutputs().size();
  if (failed(verifyDestinations(op, {count})))
    return failure();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto addOperands = [&](DomainVerifier &domain, DimSet rows) {
    addInputs(domain, rows);
    addGradients(op, self, domain);
  };
  if (failed(verifyAttention(self, sinks, addOperands)))
    return failure();
  for (auto [output, of] :
       llvm::zip_equal(op.getOutputsMutable(), op.getDifferentiated())) {
    if (!self.isWholeCapture(*of))
      continue;
    auto type = cast<ShapedType>(output.get().getType());
    auto ofType = cast<ShapedType>(of->get().getType());
    if (!self.isWholeCapture(output) ||
        failed(verifyCompatibleShape(type, ofType)))
      return op.emitOpError("rule 11: the gradient of a capture of type ")
             << ofType << " is of type " << type;
  }
  return success();
}

LogicalResult AttentionBackwardOp::verify() {
  if (getSinksGradient() && !getSinks())
    return emitOpError("rule 13: sinks_gradient needs sinks");
  auto self = cast<AttentionOpInterface>(getOperation());
  auto addInputs = [&](DomainVerifier &domain, DimSet rows) {
    domain.add(getOutMutable(), "out", rows | dims(E), rows | dims(E));
    domain.add(getLseMutable(), "lse", rows, rows);
    domain.add(getDOutMutable(), "d_out", rows | dims(E), rows | dims(E));
    for (OpOperand &dLse : getDLseMutable())
      domain.add(dLse, "d_lse", rows, rows);
  };
  if (failed(verifyBackward(*this, getSinksMutable(), addInputs)))
    return failure();
  for (Value v : {getLse(), getDLse()})
    if (v && elementType(v) != self.getComputeType())
      return emitOpError("rule 12: lse and d_lse must be ")
             << self.getComputeType();
  return success();
}

LogicalResult AttentionBackwardOp::verifyRegions() {
  return ::verifyRegions(cast<AttentionOpInterface>(getOperation()));
}

LogicalResult OnlineAttentionBackwardOp::verify() {
  auto self = cast<AttentionOpInterface>(getOperation());
  auto addInputs = [&](DomainVerifier &domain, DimSet rows) {
    domain.add(getLseMutable(), "lse", rows, rows);
    domain.add(getDeltaMutable(), "delta", rows, rows);
    domain.add(getDOutMutable(), "d_out", rows | dims(E), rows | dims(E));
  };
  if (failed(
          verifyBackward(*this, MutableOperandRange(*this, 0, 0), addInputs)))
    return failure();
  SmallVector<Value> state = {getLse(), getDelta()};
  llvm::append_range(state, getOutputs());
  for (Value v : state)
    if (elementType(v) != self.getComputeType())
      return emitOpError("rule 14: lse, delta and the outputs must be ")
             << self.getComputeType();
  return success();
}

LogicalResult OnlineAttentionBackwardOp::verifyRegions() {
  return ::verifyRegions(cast<AttentionOpInterface>(getOperation()));
}
