//===- VerifyDomain.cpp - rules 1 to 3: indexing maps and extents ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Verifier.h"

using namespace mlir;
using namespace fa;
using namespace fa::verifier;

static std::string letters(DimSet set) {
  std::string text;
  for (unsigned i = 0; i < NumDims; ++i)
    if (set & (1u << i))
      text += (text.empty() ? "" : ", ") + std::string(1, "bhgmnde"[i]);
  return text;
}

LogicalResult fa::verifier::verifyMaps(Operation *op, ArrayAttr maps,
                                       size_t count) {
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

LogicalResult DomainVerifier::verify() {
  for (auto [operand, attr] : llvm::zip_equal(operands, maps))
    if (failed(verifyMap(operand, cast<AffineMapAttr>(attr).getValue())))
      return failure();
  return success();
}

LogicalResult DomainVerifier::verifyMap(const MappedOperand &o, AffineMap map) {
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

LogicalResult DomainVerifier::mergeExtent(const MappedOperand &o, unsigned dim,
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
