//===- VerifyOperands.cpp - rules 4 to 8: types, lengths, destinations ----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Verifier.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fa;
using namespace fa::verifier;

LogicalResult fa::verifier::verifyDestinations(DestinationStyleOpInterface op,
                                               ArrayRef<size_t> outputCounts,
                                               StringRef rule) {
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

LogicalResult fa::verifier::verifyNoAlias(DestinationStyleOpInterface op,
                                          StringRef rule) {
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
static LogicalResult verifyLengths(AttentionOpInterface op, int64_t batch,
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

/// Adds the inputs that all attention ops have.
static void addInputs(AttentionOpInterface op, MutableOperandRange sinks,
                      DimSet rows, DomainVerifier &domain) {
  DimSet noBatch = op.isPacked() ? dims(B) : dims();
  DimSet qDims = dims(B, H, G, M, D) & ~noBatch;
  DimSet kDims = dims(B, H, N, D) & ~noBatch;
  DimSet vDims = dims(B, H, N, E) & ~noBatch;
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
}

/// Rule 8: attributes.
static LogicalResult verifyAttributes(AttentionOpInterface op) {
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
  // `casual` must not mean: no mask. Others' attributes have a dialect's
  // prefix.
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!attribute.getName().strref().contains('.'))
      return op.emitOpError("rule 8: there is no attribute '")
             << attribute.getName().strref() << "'";
  return success();
}

LogicalResult fa::verifier::verifyAttention(
    AttentionOpInterface op, MutableOperandRange sinks,
    function_ref<void(DomainVerifier &, DimSet rows)> addOutputs) {
  if (failed(
          verifyMaps(op, op.getIndexingMaps(), op.getMappedOperands().size())))
    return failure();
  DomainVerifier domain(op, op.getIndexingMaps());
  DimSet rows = 0;
  for (Attribute map : op.getIndexingMaps().getValue().take_front(3))
    rows |= dimsOf(cast<AffineMapAttr>(map).getValue()) & dims(B, H, G, M);
  addInputs(op, sinks, rows, domain);
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
  return verifyAttributes(op);
}
