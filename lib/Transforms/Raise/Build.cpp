//===- Build.cpp - one attempt to raise: building -------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Raiser.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cmath>

using namespace mlir;
using namespace fa;
using namespace fa::raise;

/// What the op is made of.
struct Raiser::Parts {
  Parts(OpBuilder &b, Location loc, Raiser &raiser)
      : b(b), loc(loc), operands(b, loc, raiser.graph, raiser.reader,
                                 raiser.roles, raiser.out.getOwner()),
        regions(raiser.roles, operands, raiser.computeType, loc) {}

  OpBuilder &b;
  Location loc;
  OperandBuilder operands;
  RegionBuilder regions;
  Mapped query, key, value;
  std::optional<Mapped> bias, mask, sink;
  Value scale;
  std::vector<NodeRef> regionConditions;
  double scaleValue = 1;
  std::vector<NodeRef> scaleBy, scaleDividedBy;
};

namespace {

Type elementType(const Mapped &mapped) {
  return cast<RankedTensorType>(mapped.value.getType()).getElementType();
}

/// Adds a dimension of extent 1 before the last one.
Mapped withUnitQuery(OpBuilder &b, Location loc, const Mapped &mapped) {
  auto type = cast<RankedTensorType>(mapped.value.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.end() - 1, 1);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    groups.push_back({dim});
  groups.push_back({rank - 1, rank});
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == rank - 1)
      sizes.push_back(b.getIndexAttr(1));
    sizes.push_back(extentOfDim(b, loc, mapped.value, dim));
  }
  Value expanded = tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), mapped.value,
      groups, sizes);
  SmallVector<AffineExpr> results(mapped.map.getResults());
  results.insert(results.end() - 1, b.getAffineDimExpr(M));
  return {expanded, AffineMap::get(NumDims, 0, results, b.getContext())};
}

/// Erases what a failed attempt has created.
class Cleaner : public OpBuilder::Listener {
public:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    created.push_back(op);
  }
  void eraseAll() {
    for (Operation *op : llvm::reverse(created))
      op->erase();
    created.clear();
  }
  /// Erases what other ways to make an operand have left.
  void eraseDead() {
    for (Operation *op : llvm::reverse(created))
      if (isOpTriviallyDead(op))
        op->erase();
    created.clear();
  }

private:
  std::vector<Operation *> created;
};

} // namespace

//===----------------------------------------------------------------------===//
// Query, key, value
//===----------------------------------------------------------------------===//

/// The tensors that `node` can be read from, up to a scale, the narrowest
/// first.
std::vector<Raiser::Operand> Raiser::operandsFor(Parts &parts, NodeRef node,
                                                 bool allowScale, Dim needed) {
  std::vector<Operand> result;
  for (const Factor &factor : takeApart(graph, node, allowScale)) {
    Mapped hoisted;
    if (auto narrow =
            hoistGather(parts.b, parts.operands, factor, allowScale, hoisted);
        narrow && positionOf(hoisted.map, needed) >= 0)
      result.push_back({*narrow, hoisted});
    if (auto mapped = parts.operands.build(factor.node);
        mapped && positionOf(mapped->map, needed) >= 0)
      result.push_back({factor, *mapped});
  }
  return result;
}

bool Raiser::buildFactors(Parts &parts, Reason &reason) {
  auto queries = operandsFor(parts, query, !strict, Dim::D);
  auto keys = operandsFor(parts, key, !strict, Dim::D);
  bool found = false;
  for (const Operand &q : queries) {
    for (const Operand &k : keys) {
      if (found || elementType(q.mapped) != elementType(k.mapped))
        continue;
      found = true;
      parts.query = q.mapped;
      parts.key = k.mapped;
      for (const Factor *factor : {&q.factor, &k.factor}) {
        parts.scaleValue *= factor->scale;
        llvm::append_range(parts.scaleBy, factor->scaleBy);
        llvm::append_range(parts.scaleDividedBy, factor->scaleDividedBy);
      }
    }
  }
  if (!found)
    return reason("query or key is not a tensor of the program, up to slices "
                  "and reshapes, in one type");
  if (unitQuery)
    parts.query = withUnitQuery(parts.b, parts.loc, parts.query);
  // The attention rounds its weights to the type of its values. That is the
  // program's own precision only where the result is rounded to it.
  Type outType = cast<RankedTensorType>(out.getType()).getElementType();
  unsigned outWidth = cast<FloatType>(outType).getWidth();
  for (const Operand &v : operandsFor(parts, value, /*allowScale=*/false, E)) {
    unsigned width = cast<FloatType>(elementType(v.mapped)).getWidth();
    bool isNarrower = elementType(v.mapped) != value->type;
    if (isNarrower && (strict || outWidth > width))
      continue;
    parts.value = v.mapped;
    return true;
  }
  return reason("the values are not a tensor of the program, up to slices and "
                "reshapes");
}

//===----------------------------------------------------------------------===//
// Scale
//===----------------------------------------------------------------------===//

bool Raiser::buildScale(Parts &parts, Reason &reason) {
  parts.scaleValue *= score.scale;
  llvm::append_range(parts.scaleBy, score.scaleBy);
  llvm::append_range(parts.scaleDividedBy, score.scaleDividedBy);
  double scale = parts.scaleValue;
  if (!std::isfinite(scale))
    return reason("the scale is not finite");
  bool dynamic = !parts.scaleBy.empty() || !parts.scaleDividedBy.empty();
  Poly depth = parts.operands.extentOf(Dim::D);
  if (auto d = depth.constant(); d && !dynamic) {
    // The default, up to the rounding of a constant.
    double standard = 1 / std::sqrt(static_cast<double>(*d));
    double tolerance = computeType.isF64() ? 1e-15 : 2e-7;
    if (std::abs(scale - standard) <= tolerance * standard)
      return true;
  }
  OpBuilder &b = parts.b;
  parts.scale = arith::ConstantOp::create(b, parts.loc,
                                          b.getFloatAttr(computeType, scale));
  for (auto [list, divides] : {std::pair(&parts.scaleBy, false),
                               std::pair(&parts.scaleDividedBy, true)})
    for (NodeRef node : *list) {
      auto value = parts.operands.scalar(node);
      if (!value || !isa<FloatType>(value->getType()))
        return reason("the scale is computed in a way that is not followed");
      Value wide =
          convertScalarToDtype(b, parts.loc, *value, computeType, false);
      if (divides)
        parts.scale = arith::DivFOp::create(b, parts.loc, parts.scale, wide);
      else
        parts.scale = arith::MulFOp::create(b, parts.loc, parts.scale, wide);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Scores and masks
//===----------------------------------------------------------------------===//

/// True if a bias or mask is better read from the tensor that the program makes
/// than computed per score: it is no more than a tensor, or is small beside the
/// scores, or takes more than scalar arithmetic.
bool Raiser::preferTensor(NodeRef node) {
  unsigned n = softmax.key;
  auto isFull = [&](NodeRef of) {
    if (!graph.dependsOn(of, n))
      return false;
    return llvm::any_of(roles.atoms[M],
                        [&](unsigned m) { return graph.dependsOn(of, m); });
  };
  if (node->kind == Kind::Load || !isFull(node))
    return true;
  llvm::SetVector<NodeRef> nodes;
  nodes.insert(node);
  for (size_t i = 0; i < nodes.size(); ++i) {
    NodeRef cur = nodes[i];
    if (cur->kind == Kind::Reduce || cur->kind == Kind::Gather ||
        (cur->kind == Kind::Load && isFull(cur)))
      return true;
    for (NodeRef operand : cur->operands)
      nodes.insert(operand);
  }
  return nodes.size() > 40;
}

bool Raiser::buildScores(Parts &parts, Reason &reason) {
  NodeRef root = score.core;
  bool needsRegion = score.needsRegion;
  // The innermost bias was found last.
  for (NodeRef bias : llvm::reverse(score.biases)) {
    if (!parts.bias && preferTensor(bias))
      if (auto mapped = parts.operands.build(bias);
          mapped && isa<FloatType>(elementType(*mapped))) {
        parts.bias = *mapped;
        continue;
      }
    root = graph.apply<arith::AddFOp>({root, bias}, Type());
    needsRegion = true;
  }
  if (!needsRegion)
    return true;
  // A softcap comes before the region, so it need not go into it.
  NodeRef argument = score.softcap ? score.core : score.scaled;
  if (!parts.regions.buildScore(root, argument))
    return reason("the scores are not a function of the product of query and "
                  "key, positions and tensors of the program");
  return true;
}

/// Takes a constant mask over (m, n) as causal if it is.
static std::optional<Poly> diagonalOf(NodeRef node, unsigned m, unsigned n) {
  if (node->kind != Kind::Load || node->indices.size() < 2)
    return std::nullopt;
  DenseElementsAttr elements;
  if (!matchPattern(node->source, m_Constant(&elements)) ||
      !elements.getElementType().isInteger(1))
    return std::nullopt;
  int64_t rank = node->indices.size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    std::optional<unsigned> want;
    if (dim >= rank - 2)
      want = dim == rank - 2 ? m : n;
    bool isUnit = node->indices[dim] == Linear() &&
                  elements.getType().getDimSize(dim) == 1;
    if (want ? node->indices[dim].asAtom() != want : !isUnit)
      return std::nullopt;
  }
  int64_t rows = elements.getType().getDimSize(rank - 2);
  int64_t keys = elements.getType().getDimSize(rank - 1);
  auto values = llvm::to_vector(elements.getValues<bool>());
  std::optional<int64_t> offset;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t visible = 0;
    while (visible < keys && values[row * keys + visible])
      ++visible;
    for (int64_t j = visible; j < keys; ++j)
      if (values[row * keys + j])
        return std::nullopt;
    // Rows that see all keys only bound the offset from below.
    int64_t here = visible - 1 - row;
    if (!offset)
      offset = here;
    if (visible == keys ? *offset < here : *offset != here)
      return std::nullopt;
  }
  return offset ? std::optional(Poly(*offset)) : std::nullopt;
}

bool Raiser::buildMasks(Parts &parts, Reason &reason) {
  bool sees = masks.causal || masks.left || masks.right;
  for (NodeRef condition : masks.conditions) {
    if (!sees && !unitQuery && roles.atoms[M].size() == 1)
      if (auto offset =
              diagonalOf(condition, roles.atoms[M].front(), softmax.key)) {
        masks.causal = sees = true;
        masks.offset = *offset;
        continue;
      }
    if (!parts.mask && preferTensor(condition))
      if (auto mapped = parts.operands.build(condition);
          mapped && elementType(*mapped).isInteger(1)) {
        parts.mask = *mapped;
        continue;
      }
    parts.regionConditions.push_back(condition);
  }
  if (parts.regionConditions.empty())
    return true;
  if (!parts.regions.buildKeep(parts.regionConditions))
    return reason("a mask is not a function of positions and tensors of the "
                  "program");
  return true;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

bool Raiser::buildOut(Parts &parts, Output &output, Reason &reason) {
  OpBuilder &b = parts.b;
  for (auto [dim, index] : llvm::enumerate(output.indices)) {
    std::vector<std::pair<Poly, unsigned>> terms;
    for (const auto &[atom, factor] : index.terms)
      terms.push_back({factor, atom});
    // From the innermost outwards.
    std::vector<unsigned> order;
    Poly factor = 1;
    while (order.size() < terms.size()) {
      auto it = llvm::find_if(
          terms, [&](const auto &term) { return term.first == factor; });
      if (it == terms.end())
        return reason("the output's loops are not a product of extents");
      order.insert(order.begin(), it->second);
      factor = factor * graph.sizeOf(it->second);
    }
    for (unsigned atom : order) {
      Dim role = roles.of[atom];
      if (!output.pieces.empty() && output.pieces.back().role == role &&
          output.pieces.back().dim == static_cast<int64_t>(dim))
        output.pieces.back().atoms.push_back(atom);
      else
        output.pieces.push_back({static_cast<int64_t>(dim), role, {atom}});
    }
  }
  SmallVector<Dim> order;
  std::vector<unsigned> joined;
  for (const Output::Piece &piece : output.pieces) {
    if (order.empty() || order.back() != piece.role) {
      if (!order.empty() && joined != roles.atoms[order.back()])
        return reason("loops of one dimension are apart in the output");
      order.push_back(piece.role);
      joined.clear();
    }
    llvm::append_range(joined, piece.atoms);
  }
  if (order.empty() || joined != roles.atoms[order.back()])
    return reason("loops of one dimension are apart in the output");
  if (unitQuery)
    order.insert(order.end() - 1, M);
  SmallVector<OpFoldResult> sizes;
  for (Dim dim : order) {
    auto size = parts.operands.size(parts.operands.extentOf(dim));
    if (!size)
      return reason("an extent of the output is not known before it");
    sizes.push_back(*size);
  }
  Type element =
      cast<RankedTensorType>(output.value.getType()).getElementType();
  output.init = {tensor::EmptyOp::create(b, parts.loc, sizes, element),
                 mapOf(b.getContext(), order)};
  return true;
}

/// The op's result in the shape of the program's tensor.
Value Raiser::reshapeResult(Parts &parts, Output &output, Value result) {
  OpBuilder &b = parts.b;
  auto outType = cast<RankedTensorType>(output.value.getType());
  Type element = outType.getElementType();
  auto extentOf = [&](const Output::Piece &piece) {
    Poly extent = 1;
    for (unsigned atom : piece.atoms)
      extent = extent * graph.sizeOf(atom);
    return graph.canonical(extent);
  };
  // Dimensions of the op -> pieces.
  SmallVector<ReassociationIndices> toPieces, toDims;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  bool expands = false;
  for (auto [position, piece] : llvm::enumerate(output.pieces)) {
    bool continues =
        position > 0 && output.pieces[position - 1].role == piece.role;
    if (continues) {
      toPieces.back().push_back(position);
      expands = true;
    } else {
      toPieces.push_back({static_cast<int64_t>(position)});
    }
    if (position > 0 && output.pieces[position - 1].dim == piece.dim)
      toDims.back().push_back(position);
    else
      toDims.push_back({static_cast<int64_t>(position)});
    auto size = parts.operands.size(extentOf(piece));
    if (!size)
      return nullptr;
    sizes.push_back(*size);
    shape.push_back(extentOf(piece).constant().value_or(ShapedType::kDynamic));
  }
  if (unitQuery) {
    // The unit dimension is the last but one; the last joins it.
    SmallVector<ReassociationIndices> groups;
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    for (int64_t dim = 0; dim + 2 < rank; ++dim)
      groups.push_back({dim});
    groups.push_back({rank - 2, rank - 1});
    result = tensor::CollapseShapeOp::create(b, parts.loc, result, groups);
  }
  if (expands)
    result = tensor::ExpandShapeOp::create(
        b, parts.loc, RankedTensorType::get(shape, element), result, toPieces,
        sizes);
  if (toDims.size() != output.pieces.size())
    result = tensor::CollapseShapeOp::create(b, parts.loc, result, toDims);
  if (static_cast<int64_t>(toDims.size()) != outType.getRank()) {
    // Dimensions of extent 1 come back.
    SmallVector<ReassociationIndices> groups;
    SmallVector<int64_t> finalShape;
    SmallVector<OpFoldResult> finalSizes;
    // Each goes with the dimension before it, the first ones with the next.
    bool onlyUnits = true;
    for (int64_t dim = 0; dim < outType.getRank(); ++dim) {
      bool isUnit = output.indices[dim].terms.empty();
      if (groups.empty() || (!isUnit && !onlyUnits))
        groups.emplace_back();
      onlyUnits &= isUnit;
      groups.back().push_back(dim);
      auto size = parts.operands.size(reader.sizeOf(output.value, dim));
      if (!size)
        return nullptr;
      finalSizes.push_back(*size);
      finalShape.push_back(reader.sizeOf(output.value, dim)
                               .constant()
                               .value_or(ShapedType::kDynamic));
    }
    result = tensor::ExpandShapeOp::create(
        b, parts.loc, RankedTensorType::get(finalShape, element), result,
        groups, finalSizes);
  }
  if (result.getType() != output.value.getType())
    result =
        tensor::CastOp::create(b, parts.loc, output.value.getType(), result);
  return result;
}

AttentionOp Raiser::createOp(Parts &parts, ArrayRef<AffineMap> maps,
                             ValueRange captures, ValueRange inits,
                             Value offset, Value keyLimit,
                             Alignment alignment) {
  OpBuilder &b = parts.b;
  auto valueOf = [](const std::optional<Mapped> &mapped) {
    return mapped ? mapped->value : Value();
  };
  auto bound = [&](std::optional<int64_t> value) {
    return value ? b.getI64IntegerAttr(*value) : IntegerAttr();
  };
  Type defaultType =
      elementType(parts.query).isF64() ? b.getF64Type() : Type(b.getF32Type());
  auto op = AttentionOp::create(
      b, parts.loc, TypeRange(ValueRange(inits)), parts.query.value,
      parts.key.value, parts.value.value, parts.scale, valueOf(parts.bias),
      valueOf(parts.mask), /*alibi_slopes=*/Value(), valueOf(parts.sink),
      captures, /*query_lengths=*/Value(), /*key_lengths=*/Value(),
      /*query_offsets=*/Value(), /*key_offsets=*/Value(),
      /*query_base=*/Value(), /*key_base=*/Value(), /*batch_base=*/Value(),
      /*head_base=*/Value(), /*query_limit=*/Value(), keyLimit, offset, inits,
      b.getAffineMapArrayAttr(maps), masks.causal, bound(masks.left),
      bound(masks.right), alignment,
      score.softcap ? b.getF64FloatAttr(*score.softcap) : FloatAttr(),
      computeType == defaultType ? TypeAttr() : TypeAttr::get(computeType));
  if (parts.regions.score)
    op.getScoreRegion().takeBody(*parts.regions.score);
  if (parts.regions.keep)
    op.getMaskRegion().takeBody(*parts.regions.keep);
  return op;
}

bool Raiser::build(OpBuilder &builder, Reason &reason) {
  Cleaner cleaner;
  OpBuilder b(builder.getContext(), &cleaner);
  b.setInsertionPoint(out.getOwner());
  Parts parts(b, out.getLoc(), *this);
  auto fail = [&](const Twine &why) {
    parts.regions.score.reset();
    parts.regions.keep.reset();
    cleaner.eraseAll();
    return reason(why);
  };
  if (!buildFactors(parts, reason) || !buildScale(parts, reason) ||
      !buildMasks(parts, reason) || !buildScores(parts, reason))
    return fail("");
  std::vector<Output> outputs = {{out, outIndices, {}, {}}};
  if (lse)
    outputs.push_back(*lse);
  SmallVector<Value> inits;
  for (Output &output : outputs) {
    if (!buildOut(parts, output, reason))
      return fail("");
    inits.push_back(output.init.value);
  }
  if (softmax.sink) {
    parts.sink = parts.operands.build(softmax.sink);
    if (!parts.sink)
      return fail("the sink is not a tensor of the program");
  }

  std::vector<AffineMap> maps = {parts.query.map, parts.key.map,
                                 parts.value.map};
  for (const auto &optional : {parts.bias, parts.mask, parts.sink})
    if (optional)
      maps.push_back(optional->map);
  SmallVector<Value> captures;
  for (const Mapped &capture : parts.regions.captures) {
    captures.push_back(capture.value);
    maps.push_back(capture.map);
  }
  for (const Output &output : outputs)
    maps.push_back(output.init.map);
  Value offset;
  auto alignment = Alignment::TopLeft;
  if (!masks.offset.isZero()) {
    if (masks.offset == graph.canonical(parts.operands.extentOf(N) -
                                        parts.operands.extentOf(M))) {
      alignment = Alignment::BottomRight;
    } else {
      auto value = parts.operands.index(masks.offset);
      if (!value)
        return fail("the offset of a mask is not known before the attention");
      offset = *value;
    }
  }
  Value keyLimit;
  if (masks.keyLimit) {
    auto value = parts.operands.index(*masks.keyLimit);
    if (!value)
      return fail("the number of keys is not known before the attention");
    keyLimit = *value;
  }
  AttentionOp op =
      createOp(parts, maps, captures, inits, offset, keyLimit, alignment);
  SmallVector<Value> results;
  for (auto [output, result] : llvm::zip(outputs, op.getResults())) {
    results.push_back(reshapeResult(parts, output, result));
    if (!results.back())
      return fail("an extent of the output is not known before it");
  }
  for (auto [output, result] : llvm::zip(outputs, results))
    output.value.replaceAllUsesWith(result);
  cleaner.eraseDead();
  return true;
}
