//===- Gathers.cpp - operands copied by index -----------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// torch-mlir guards dynamic dimensions against broadcasting by reading each
// operand element by element at (extent == 1 ? 0 : i). Where that cannot be
// proved to be i, the copy stays; but casts and scales commute with it, so it
// copies the narrow tensor that they were applied to.
//
//===----------------------------------------------------------------------===//

#include "Raiser.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fa;
using namespace fa::raise;

/// The op whose body is just an element of `source`.
static linalg::GenericOp copyOf(ArrayRef<Reader::Place> places, Value source) {
  for (const Reader::Place &place : places) {
    auto op = place.tensor.getDefiningOp<linalg::GenericOp>();
    if (!op || op->getNumResults() != 1 || op.getNumReductionLoops() != 0)
      continue;
    auto extract = op.getBody()
                       ->getTerminator()
                       ->getOperand(0)
                       .getDefiningOp<tensor::ExtractOp>();
    if (extract && extract.getTensor() == source &&
        extract->getBlock() == op.getBody())
      return op;
  }
  return nullptr;
}

/// The factor that `factor`, a copy, is of what its source was made from, and
/// that copy as an operand.
std::optional<Factor> Raiser::hoistGather(OpBuilder &b,
                                          OperandBuilder &operands,
                                          const Factor &factor, bool allowScale,
                                          Mapped &mapped) {
  NodeRef node = factor.node;
  if (node->kind != Kind::Gather)
    return std::nullopt;
  auto copy = copyOf(reader.placesOf(node), node->source);
  if (!copy || copy->getBlock() != out.getOwner()->getBlock())
    return std::nullopt;
  std::vector<Linear> identity;
  for (size_t dim = 0; dim < node->operands.size(); ++dim)
    identity.push_back(
        Linear::atom(graph.newAtom(reader.sizeOf(node->source, dim))));
  NodeRef element = reader.read(node->source, identity);
  if (!element)
    return std::nullopt;
  for (const Factor &inner : takeApart(graph, element, allowScale)) {
    if (inner.node == element || inner.node->kind != Kind::Load ||
        inner.node->indices != identity)
      continue;
    Value source = inner.node->source;
    auto type = cast<RankedTensorType>(copy.getResult(0).getType());
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      auto size = operands.size(reader.sizeOf(copy.getResult(0), dim));
      if (!size)
        return std::nullopt;
      sizes.push_back(*size);
    }
    Value init =
        tensor::EmptyOp::create(b, out.getLoc(), sizes, inner.node->type);
    SmallVector<Value> ins(copy.getInputs());
    auto narrow = linalg::GenericOp::create(
        b, out.getLoc(), init.getType(), ins, ValueRange{init},
        copy.getIndexingMapsArray(), copy.getIteratorTypesArray(),
        [&](OpBuilder &nested, Location loc, ValueRange arguments) {
          IRMapping mapping;
          mapping.map(copy.getBody()->getArguments(), arguments);
          Operation *yield = copy.getBody()->getTerminator();
          auto extract =
              yield->getOperand(0).getDefiningOp<tensor::ExtractOp>();
          for (Operation &op : copy.getBody()->without_terminator())
            if (&op != extract)
              nested.clone(op, mapping);
          SmallVector<Value> indices;
          for (Value index : extract.getIndices())
            indices.push_back(mapping.lookupOrDefault(index));
          Value element =
              tensor::ExtractOp::create(nested, loc, source, indices);
          linalg::YieldOp::create(nested, loc, element);
        });
    for (const Reader::Place &place : reader.placesOf(node))
      if (place.tensor == copy.getResult(0)) {
        auto built = operands.build({narrow.getResult(0), place.indices});
        if (!built)
          return std::nullopt;
        mapped = *built;
        Factor result = inner;
        result.scale *= factor.scale;
        llvm::append_range(result.scaleBy, factor.scaleBy);
        llvm::append_range(result.scaleDividedBy, factor.scaleDividedBy);
        return result;
      }
  }
  return std::nullopt;
}
