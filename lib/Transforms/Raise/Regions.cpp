//===- Regions.cpp - score and mask regions of a raised attention ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Operands.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fa;
using namespace fa::raise;

Block *RegionBuilder::start(std::unique_ptr<Region> &region, bool isScore) {
  region = std::make_unique<Region>();
  Block *block = new Block;
  region->push_back(block);
  if (isScore)
    block->addArgument(computeType, loc);
  for (const Mapped &mapped : captures)
    block->addArgument(
        mapped.map.getNumResults() == 0 &&
                cast<ShapedType>(mapped.value.getType()).getRank()
            ? mapped.value.getType()
            : cast<ShapedType>(mapped.value.getType()).getElementType(),
        loc);
  return block;
}

bool RegionBuilder::buildScore(NodeRef root, NodeRef scaled) {
  Block *block = start(score, /*isScore=*/true);
  OpBuilder b(loc.getContext());
  b.setInsertionPointToEnd(block);
  Memo memo;
  memo[scaled] = block->getArgument(0);
  Value result = emit(root, b, memo);
  if (!result)
    return false;
  YieldOp::create(b, loc, result);
  return true;
}

bool RegionBuilder::buildKeep(ArrayRef<NodeRef> conditions) {
  Block *block = start(keep, /*isScore=*/false);
  OpBuilder b(loc.getContext());
  b.setInsertionPointToEnd(block);
  Memo memo;
  Value all;
  for (NodeRef condition : conditions) {
    Value one = emit(condition, b, memo);
    if (!one)
      return false;
    all = all ? arith::AndIOp::create(b, loc, all, one).getResult() : one;
  }
  YieldOp::create(b, loc, all);
  return true;
}

Value RegionBuilder::capture(const Mapped &mapped, Type type, OpBuilder &b) {
  size_t position = 0;
  for (; position < captures.size(); ++position)
    if (captures[position].value == mapped.value &&
        captures[position].map == mapped.map)
      break;
  if (position == captures.size()) {
    captures.push_back(mapped);
    for (const auto &region : {score.get(), keep.get()})
      if (region && !region->empty())
        region->front().addArgument(type, loc);
  }
  Block *block = b.getInsertionBlock();
  bool isScore = score && block == &score->front();
  return block->getArgument(position + (isScore ? 1 : 0));
}

Value RegionBuilder::emit(NodeRef node, OpBuilder &b, Memo &memo) {
  if (Value known = memo.lookup(node))
    return known;
  Value value = emitUncached(node, b, memo);
  if (!value)
    value = fromPlace(node, b);
  if (value)
    memo[node] = value;
  return value;
}

Value RegionBuilder::fromPlace(NodeRef node, OpBuilder &b) {
  auto mapped = operands.build(node);
  if (!mapped)
    return nullptr;
  Type element = cast<ShapedType>(mapped->value.getType()).getElementType();
  Value value = capture(*mapped, element, b);
  if (isa<FloatType>(element))
    value = convertScalarToDtype(b, loc, value, computeType, false);
  return value;
}

Value RegionBuilder::emitUncached(NodeRef node, OpBuilder &b, Memo &memo) {
  switch (node->kind) {
  case Kind::Constant: {
    if (auto value = constantOf(node))
      return arith::ConstantOp::create(b, loc,
                                       b.getFloatAttr(computeType, *value));
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(node->attr));
  }
  case Kind::Integer: {
    Value value = emitIndex(node->index, b);
    if (!value || node->type.isIndex())
      return value;
    return arith::IndexCastOp::create(b, loc, node->type, value);
  }
  case Kind::Compare: {
    Value value = emitIndex(node->index, b);
    if (!value)
      return nullptr;
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    return arith::CmpIOp::create(b, loc, node->predicate, value, zero);
  }
  case Kind::Load:
  case Kind::Reduce:
    return nullptr; // from its tensor
  case Kind::Gather:
    return emitGather(node, b, memo);
  case Kind::Apply:
    return emitApply(node, b, memo);
  }
  return nullptr;
}

Value RegionBuilder::emitPoly(const Poly &poly, OpBuilder &b) {
  if (auto constant = poly.constant())
    return arith::ConstantIndexOp::create(b, loc, *constant);
  auto value = operands.index(poly);
  if (!value)
    return nullptr;
  auto mapped = operands.build(Reader::Place{*value, {}});
  return mapped ? capture(*mapped, b.getIndexType(), b) : Value();
}

Value RegionBuilder::emitTerm(unsigned atom, OpBuilder &b) {
  auto role = roles.of.find(atom);
  if (role == roles.of.end() || roles.atoms[role->second].size() != 1)
    return nullptr;
  auto position = [&](Axis axis) -> Value {
    return IndexOp::create(b, loc, axis);
  };
  switch (role->second) {
  case Dim::B:
    return position(Axis::Batch);
  case Dim::M:
    return position(Axis::Query);
  case Dim::N:
    return position(Axis::Key);
  case Dim::H:
  case Dim::G: {
    // Query heads count h*G + g.
    if (roles.atoms[G].empty() || roles.atoms[H].empty())
      return position(Axis::Head);
    Value groups = emitPoly(operands.extentOf(G), b);
    if (!groups)
      return nullptr;
    if (role->second == Dim::H)
      return arith::DivUIOp::create(b, loc, position(Axis::Head), groups);
    return arith::RemUIOp::create(b, loc, position(Axis::Head), groups);
  }
  default:
    return nullptr;
  }
}

/// Takes c * (h*G + g) off `index`, if it is in there.
Value RegionBuilder::emitHead(Linear &index, OpBuilder &b) {
  if (roles.atoms[H].size() != 1 || roles.atoms[G].size() != 1)
    return nullptr;
  auto h = index.terms.find(roles.atoms[H].front());
  auto g = index.terms.find(roles.atoms[G].front());
  if (h == index.terms.end() || g == index.terms.end() ||
      h->second != g->second * operands.extentOf(G))
    return nullptr;
  Value head = IndexOp::create(b, loc, Axis::Head);
  Value factor = emitPoly(g->second, b);
  if (!factor)
    return nullptr;
  index.terms.erase(h);
  index.terms.erase(g);
  return arith::MulIOp::create(b, loc, head, factor);
}

Value RegionBuilder::emitIndex(const Linear &index, OpBuilder &b) {
  Linear rest = index;
  Value sum = emitHead(rest, b);
  auto add = [&](Value value) {
    sum = sum ? arith::AddIOp::create(b, loc, sum, value).getResult() : value;
  };
  for (const auto &[atom, coefficient] : rest.terms) {
    Value term = emitTerm(atom, b);
    Value factor = emitPoly(coefficient, b);
    if (!term || !factor)
      return nullptr;
    if (coefficient != Poly(1))
      term = arith::MulIOp::create(b, loc, term, factor);
    add(term);
  }
  if (!rest.constant.isZero() || !sum) {
    Value constant = emitPoly(rest.constant, b);
    if (!constant)
      return nullptr;
    add(constant);
  }
  return sum;
}

Value RegionBuilder::emitGather(NodeRef node, OpBuilder &b, Memo &memo) {
  SmallVector<Value> indices;
  for (NodeRef operand : node->operands) {
    Value index = emit(operand, b, memo);
    if (!index)
      return nullptr;
    if (!index.getType().isIndex())
      index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
    indices.push_back(index);
  }
  auto type = cast<RankedTensorType>(node->source.getType());
  if (type.getRank() == 0)
    return nullptr;
  Value whole = capture({node->source, mapOf(b.getContext(), {})}, type, b);
  Value element = tensor::ExtractOp::create(b, loc, whole, indices);
  if (isa<FloatType>(element.getType()))
    element = convertScalarToDtype(b, loc, element, computeType, false);
  return element;
}

Value RegionBuilder::emitApply(NodeRef node, OpBuilder &b, Memo &memo) {
  StringRef dialect = node->name->getDialectNamespace();
  if ((dialect != "arith" && dialect != "math") || node->is<arith::BitcastOp>())
    return nullptr;
  OperationState state(loc, *node->name);
  for (NodeRef operand : node->operands) {
    Value value = emit(operand, b, memo);
    if (!value)
      return nullptr;
    state.addOperands(value);
  }
  bool isFloat = !node->type || isa<FloatType>(node->type);
  state.addTypes(isFloat ? computeType : node->type);
  if (auto attributes = dyn_cast_or_null<DictionaryAttr>(node->attr))
    state.addAttributes(attributes.getValue());
  return b.create(state)->getResult(0);
}
