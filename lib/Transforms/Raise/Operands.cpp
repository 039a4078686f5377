//===- Operands.cpp - tensors of a raised attention -----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Operands.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace fa;
using namespace fa::raise;

Poly OperandBuilder::extentOf(Dim dim) const {
  Poly extent = 1;
  for (unsigned atom : roles.atoms[dim])
    extent = extent * graph.sizeOf(atom);
  return graph.canonical(extent);
}

std::optional<Value> OperandBuilder::index(const Poly &poly) {
  Value sum;
  const Poly known = graph.canonical(poly);
  for (const auto &[monomial, coefficient] : known.getTerms()) {
    Value product;
    for (unsigned id : monomial) {
      // Any name of this size will do that is defined here.
      Value factor;
      for (unsigned other = 0; other < graph.numSymbols() && !factor; ++other) {
        const auto &symbol = graph.symbol(other);
        if (graph.canonical(Poly::symbol(other)) != Poly::symbol(id) ||
            !dominance.properlyDominates(symbol.value, before))
          continue;
        if (symbol.dim >= 0)
          factor = tensor::DimOp::create(b, loc, symbol.value, symbol.dim);
        else
          factor = symbol.value;
      }
      if (!factor)
        return std::nullopt;
      if (!factor.getType().isIndex())
        factor = arith::IndexCastOp::create(b, loc, b.getIndexType(), factor);
      product =
          product ? arith::MulIOp::create(b, loc, product, factor) : factor;
    }
    if (!product || coefficient != 1) {
      Value constant = arith::ConstantIndexOp::create(b, loc, coefficient);
      product =
          product ? arith::MulIOp::create(b, loc, product, constant) : constant;
    }
    sum = sum ? arith::AddIOp::create(b, loc, sum, product) : product;
  }
  if (!sum)
    sum = arith::ConstantIndexOp::create(b, loc, 0);
  return sum;
}

std::optional<OpFoldResult> OperandBuilder::size(const Poly &poly) {
  if (auto constant = poly.constant())
    return OpFoldResult(b.getIndexAttr(*constant));
  auto value = index(poly);
  if (!value)
    return std::nullopt;
  return OpFoldResult(*value);
}

std::optional<Value> OperandBuilder::scalar(NodeRef node) {
  NodeRef original = graph.originalOf(node);
  for (NodeRef named : {node, original})
    if (named)
      for (const Reader::Place &place : reader.placesOf(named)) {
        if (!dominance.properlyDominates(place.tensor, before))
          continue;
        auto type = dyn_cast<RankedTensorType>(place.tensor.getType());
        if (!type)
          return place.tensor;
        SmallVector<Value> position;
        for (const Linear &linear : place.indices) {
          auto value = linear.isConstant() ? index(linear.constant)
                                           : std::optional<Value>();
          if (!value)
            break;
          position.push_back(*value);
        }
        if (position.size() == place.indices.size())
          return tensor::ExtractOp::create(b, loc, place.tensor, position)
              .getResult();
      }
  if (node->kind == Kind::Load && node->indices.empty() &&
      !isa<RankedTensorType>(node->source.getType()))
    return node->source;
  return std::nullopt;
}

/// An index as a mixed-radix number of atoms, plus an offset.
std::optional<OperandBuilder::DimPlan>
OperandBuilder::plan(const Linear &index) {
  DimPlan plan;
  plan.offset = index.constant;
  plan.extent = 1;
  std::map<unsigned, Poly> terms = index.terms;
  // Steps of one number in all terms are a stride.
  for (const auto &term : terms)
    if (llvm::all_of(terms, [&](const auto &other) {
          return other.second.dividedBy(term.second).has_value();
        }))
      plan.stride = term.second;
  for (auto &term : terms)
    if (auto factor = term.second.dividedBy(plan.stride))
      term.second = *factor;
  while (!terms.empty()) {
    auto it = llvm::find_if(
        terms, [&](const auto &term) { return term.second == plan.extent; });
    if (it == terms.end())
      return std::nullopt;
    plan.atoms.insert(plan.atoms.begin(), it->first);
    plan.extent = graph.canonical(plan.extent * graph.sizeOf(it->first));
    terms.erase(it);
  }
  return plan;
}

/// Cuts out what the plans cover and drops the dimensions without atoms.
std::optional<Value> OperandBuilder::slice(Value tensor,
                                           std::vector<DimPlan> &plans) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> kept;
  bool isWhole = true;
  for (auto [dim, plan] : llvm::enumerate(plans)) {
    auto offset = size(plan.offset), extent = size(plan.extent);
    auto stride = size(plan.stride);
    if (!offset || !extent || !stride)
      return std::nullopt;
    strides.push_back(*stride);
    offsets.push_back(*offset);
    sizes.push_back(*extent);
    if (!plan.offset.isZero() || reader.sizeOf(tensor, dim) != plan.extent ||
        plan.atoms.empty() || plan.stride != Poly(1))
      isWhole = false;
    if (!plan.atoms.empty())
      kept.push_back(plan.extent.constant().value_or(ShapedType::kDynamic));
  }
  llvm::erase_if(plans, [](const DimPlan &plan) { return plan.atoms.empty(); });
  if (isWhole)
    return tensor;
  auto resultType = RankedTensorType::get(kept, type.getElementType());
  return tensor::ExtractSliceOp::create(b, loc, resultType, tensor, offsets,
                                        sizes, strides)
      .getResult();
}

/// Splits dimensions of several roles, joins those that make one role.
std::optional<Mapped> OperandBuilder::regroup(Value tensor,
                                              ArrayRef<DimPlan> plans) {
  // The atoms of each piece of each dimension.
  struct Piece {
    Dim role;
    std::vector<unsigned> atoms;
  };
  std::vector<std::vector<Piece>> pieces;
  for (const DimPlan &plan : plans) {
    auto &row = pieces.emplace_back();
    for (unsigned atom : plan.atoms) {
      auto role = roles.of.find(atom);
      if (role == roles.of.end())
        return std::nullopt;
      if (!row.empty() && row.back().role == role->second)
        row.back().atoms.push_back(atom);
      else
        row.push_back({role->second, {atom}});
    }
  }
  SmallVector<ReassociationIndices> expandGroups, collapseGroups;
  SmallVector<OpFoldResult> expandedSizes;
  SmallVector<int64_t> expandedShape;
  std::vector<Piece> joined;
  int64_t position = 0;
  bool expands = false, collapses = false;
  for (const auto &row : pieces) {
    auto &group = expandGroups.emplace_back();
    expands |= row.size() != 1;
    for (const Piece &piece : row) {
      Poly extent = 1;
      for (unsigned atom : piece.atoms)
        extent = extent * graph.sizeOf(atom);
      extent = graph.canonical(extent);
      auto value = size(extent);
      if (!value)
        return std::nullopt;
      expandedSizes.push_back(*value);
      expandedShape.push_back(extent.constant().value_or(ShapedType::kDynamic));
      if (!joined.empty() && joined.back().role == piece.role) {
        llvm::append_range(joined.back().atoms, piece.atoms);
        collapseGroups.back().push_back(position);
        collapses = true;
      } else {
        joined.push_back(piece);
        collapseGroups.push_back({position});
      }
      group.push_back(position++);
    }
  }
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  SmallVector<Dim> order;
  for (const Piece &piece : joined) {
    if (piece.atoms != roles.atoms[piece.role] ||
        llvm::is_contained(order, piece.role))
      return std::nullopt;
    order.push_back(piece.role);
  }
  if (expands)
    tensor = tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(expandedShape, element), tensor,
        expandGroups, expandedSizes);
  if (collapses)
    tensor = tensor::CollapseShapeOp::create(b, loc, tensor, collapseGroups);
  return Mapped{tensor, mapOf(b.getContext(), order)};
}

std::optional<Mapped> OperandBuilder::build(const Reader::Place &place) {
  if (!dominance.properlyDominates(place.tensor, before))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(place.tensor.getType());
  if (!type) {
    Value boxed = tensor::FromElementsOp::create(
        b, loc, RankedTensorType::get({}, place.tensor.getType()),
        place.tensor);
    return Mapped{boxed, mapOf(b.getContext(), {})};
  }
  std::vector<DimPlan> plans;
  for (const Linear &index : place.indices) {
    auto dim = plan(index);
    if (!dim)
      return std::nullopt;
    plans.push_back(*dim);
  }
  auto sliced = slice(place.tensor, plans);
  if (!sliced)
    return std::nullopt;
  return regroup(*sliced, plans);
}

std::optional<Mapped> OperandBuilder::build(NodeRef node) {
  NodeRef original = graph.originalOf(node);
  // Loops that only repeat an element: it may be read where they are 0.
  auto withoutRepeats = [&](Reader::Place place, NodeRef of) {
    for (Linear &index : place.indices) {
      Linear kept(index.constant);
      for (const auto &[atom, factor] : index.terms)
        if (graph.dependsOn(of, atom))
          kept.add(atom, factor);
      index = kept;
    }
    return place;
  };
  for (NodeRef named : {node, original})
    if (named)
      for (const Reader::Place &place : reader.placesOf(named))
        if (auto mapped = build(withoutRepeats(place, named)))
          return mapped;
  return std::nullopt;
}
