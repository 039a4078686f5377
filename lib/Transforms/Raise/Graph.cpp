//===- Graph.cpp - scalar expressions, made unique ------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace fa::raise;

//===----------------------------------------------------------------------===//
// Symbols and atoms
//===----------------------------------------------------------------------===//

Poly Graph::symbolFor(Value value, int64_t dim) {
  auto [it, isNew] = symbolIds.try_emplace({value, dim}, symbols.size());
  if (isNew)
    symbols.push_back({value, dim, std::nullopt, dim >= 0});
  return canonical(Poly::symbol(it->second));
}

Poly Graph::canonical(const Poly &poly) const {
  return poly.replaced([&](unsigned id) {
    const auto &replacement = symbols[id].replacement;
    return replacement ? canonical(*replacement) : Poly::symbol(id);
  });
}

void Graph::equate(const Poly &a, const Poly &b) {
  Poly x = canonical(a), y = canonical(b);
  if (x == y)
    return;
  // The newest symbol that the equation can be solved for goes.
  Poly difference = x - y;
  std::optional<unsigned> solved;
  int64_t sign = 1;
  for (const auto &[monomial, coefficient] : difference.getTerms()) {
    if (monomial.size() != 1 || std::abs(coefficient) != 1)
      continue;
    Poly rest = difference - Poly::symbol(monomial[0]) * Poly(coefficient);
    if (rest.mentions(monomial[0]) || (solved && *solved > monomial[0]))
      continue;
    solved = monomial[0];
    sign = coefficient;
  }
  if (!solved)
    return;
  Poly rest = difference - Poly::symbol(*solved) * Poly(sign);
  symbols[*solved].replacement = rest * Poly(-sign);
}

bool Graph::isNonNegative(const Poly &poly) const {
  for (const auto &[monomial, coefficient] : poly.getTerms()) {
    if (coefficient < 0)
      return false;
    for (unsigned id : monomial)
      if (!symbols[id].nonNegative)
        return false;
  }
  return true;
}

unsigned Graph::newAtom(const Poly &size) {
  atomSizes.push_back(size);
  return atomSizes.size() - 1;
}

Poly Graph::lowerBound(const Linear &index) const {
  Poly bound = index.constant;
  for (const auto &[atom, coefficient] : index.terms)
    if (!isNonNegative(coefficient))
      bound = bound + coefficient * (sizeOf(atom) - 1);
  return bound;
}

Poly Graph::upperBound(const Linear &index) const {
  Poly bound = index.constant;
  for (const auto &[atom, coefficient] : index.terms)
    if (isNonNegative(coefficient))
      bound = bound + coefficient * (sizeOf(atom) - 1);
  return bound;
}

//===----------------------------------------------------------------------===//
// Uniqueness
//===----------------------------------------------------------------------===//

namespace {

void flatten(std::vector<uint64_t> &key, const Poly &poly) {
  key.push_back(poly.getTerms().size());
  for (const auto &[monomial, coefficient] : poly.getTerms()) {
    key.push_back(monomial.size());
    key.insert(key.end(), monomial.begin(), monomial.end());
    key.push_back(coefficient);
  }
}

void flatten(std::vector<uint64_t> &key, const Linear &linear) {
  key.push_back(linear.terms.size());
  for (const auto &[atom, coefficient] : linear.terms) {
    key.push_back(atom);
    flatten(key, coefficient);
  }
  flatten(key, linear.constant);
}

uint64_t bits(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

} // namespace

NodeRef Graph::intern(Node node) {
  std::vector<uint64_t> key = {static_cast<uint64_t>(node.kind),
                               bits(node.type.getAsOpaquePointer()),
                               bits(node.attr.getAsOpaquePointer()),
                               bits(node.source.getAsOpaquePointer()),
                               static_cast<uint64_t>(node.predicate),
                               static_cast<uint64_t>(node.combine),
                               node.isContraction};
  key.push_back(node.name ? bits(node.name->getAsOpaquePointer()) : 0);
  key.push_back(node.operands.size());
  for (NodeRef operand : node.operands)
    key.push_back(operand->id);
  key.push_back(node.indices.size());
  for (const Linear &index : node.indices)
    flatten(key, index);
  flatten(key, node.index);
  key.insert(key.end(), node.atoms.begin(), node.atoms.end());
  auto [it, isNew] = unique.try_emplace(std::move(key), nullptr);
  if (isNew) {
    node.id = nodes.size();
    for (NodeRef operand : node.operands)
      node.level = std::max(node.level, operand->level);
    if (node.kind == Kind::Reduce)
      ++node.level;
    nodes.push_back(std::move(node));
    it->second = &nodes.back();
  }
  return it->second;
}

void Graph::clearNodes() {
  nodes.clear();
  unique.clear();
  reals.clear();
  originals.clear();
  freeAtoms.clear();
  openings.clear();
}

NodeRef Graph::constant(Attribute attr, Type type) {
  // Integers of 32 bits or more have one form.
  if (auto integerAttr = dyn_cast<IntegerAttr>(attr))
    if (type && (type.isIndex() || type.getIntOrFloatBitWidth() >= 32) &&
        integerAttr.getValue().getSignificantBits() <= 64)
      return integer(Poly(integerAttr.getValue().getSExtValue()), type);
  Node node;
  node.kind = Kind::Constant;
  node.attr = attr;
  node.type = type;
  return intern(node);
}

NodeRef Graph::real(double value) {
  return constant(FloatAttr::get(Float64Type::get(context), value), Type());
}

NodeRef Graph::boolean(bool value) {
  return constant(BoolAttr::get(context, value), IntegerType::get(context, 1));
}

NodeRef Graph::integer(const Linear &index, Type type) {
  Node node;
  node.kind = Kind::Integer;
  node.index = index;
  node.type = type;
  return intern(node);
}

NodeRef Graph::load(Value source, ArrayRef<Linear> indices, Type type) {
  Node node;
  node.kind = Kind::Load;
  node.source = source;
  node.indices.assign(indices.begin(), indices.end());
  node.type = type;
  return intern(node);
}

NodeRef Graph::gather(Value source, ArrayRef<NodeRef> indices, Type type) {
  Node node;
  node.kind = Kind::Gather;
  node.source = source;
  node.operands.assign(indices.begin(), indices.end());
  node.type = type;
  return intern(node);
}

NodeRef Graph::apply(OperationName name, Attribute attributes,
                     ArrayRef<NodeRef> operands, Type type) {
  Node node;
  node.kind = Kind::Apply;
  node.name = name;
  node.attr = attributes;
  node.operands.assign(operands.begin(), operands.end());
  node.type = type;
  // One order for operands that commute; constants last.
  if (operands.size() == 2 && name.hasTrait<OpTrait::IsCommutative>()) {
    auto rank = [](NodeRef x) {
      return std::pair(x->kind == Kind::Constant, x->id);
    };
    if (rank(node.operands[1]) < rank(node.operands[0]))
      std::swap(node.operands[0], node.operands[1]);
  }
  if (NodeRef folded = foldApply(node))
    return folded;
  return intern(node);
}

NodeRef Graph::reduce(Combine combine, NodeRef body, ArrayRef<unsigned> atoms,
                      bool isContraction) {
  // Number the bound atoms by depth.
  std::map<unsigned, Linear> rename;
  Node node;
  node.kind = Kind::Reduce;
  node.combine = combine;
  node.isContraction = isContraction;
  node.type = body->type;
  for (auto [position, atom] : llvm::enumerate(atoms)) {
    auto [it, isNew] = boundAtoms.try_emplace(
        {body->level, static_cast<unsigned>(position), sizeOf(atom)}, 0);
    if (isNew)
      it->second = newAtom(sizeOf(atom));
    if (it->second != atom)
      rename[atom] = Linear::atom(it->second);
    node.atoms.push_back(it->second);
  }
  node.operands = {substitute(body, rename)};
  NodeRef result = intern(node);
  openings.try_emplace(result, Opened{body, {atoms.begin(), atoms.end()}});
  return result;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

NodeRef Graph::rebuild(NodeRef node, ArrayRef<NodeRef> operands, Type type) {
  switch (node->kind) {
  case Kind::Apply:
    return apply(*node->name, node->attr, operands, type);
  case Kind::Gather:
    return gather(node->source, operands, node->type);
  case Kind::Reduce:
    return reduce(node->combine, operands[0], node->atoms, node->isContraction);
  default:
    return node;
  }
}

NodeRef Graph::substituteIn(NodeRef node, const std::map<unsigned, Linear> &by,
                            llvm::DenseMap<NodeRef, NodeRef> &memo) {
  if (NodeRef known = memo.lookup(node))
    return known;
  auto replace = [&](const Linear &index) {
    Linear result(index.constant);
    for (const auto &[atom, coefficient] : index.terms) {
      auto it = by.find(atom);
      result = result +
               (it == by.end() ? Linear::atom(atom) : it->second) * coefficient;
    }
    return result;
  };
  NodeRef result = node;
  if (node->kind == Kind::Integer) {
    result = integer(replace(node->index), node->type);
  } else if (node->kind == Kind::Compare) {
    result = compare(node->predicate, replace(node->index));
  } else if (node->kind == Kind::Load) {
    std::vector<Linear> indices;
    for (const Linear &index : node->indices)
      indices.push_back(replace(index));
    result = load(node->source, indices, node->type);
  } else if (!node->operands.empty()) {
    std::vector<NodeRef> operands;
    for (NodeRef operand : node->operands)
      operands.push_back(substituteIn(operand, by, memo));
    result =
        operands == node->operands ? node : rebuild(node, operands, node->type);
  }
  return memo[node] = result;
}

NodeRef Graph::substitute(NodeRef node,
                          const std::map<unsigned, Linear> &replacements) {
  if (replacements.empty())
    return node;
  llvm::DenseMap<NodeRef, NodeRef> memo;
  return substituteIn(node, replacements, memo);
}

const std::vector<unsigned> &Graph::atomsOf(NodeRef node) {
  auto it = freeAtoms.find(node);
  if (it != freeAtoms.end())
    return it->second;
  std::set<unsigned> atoms;
  auto addAll = [&](const Linear &index) {
    for (const auto &term : index.terms)
      atoms.insert(term.first);
  };
  addAll(node->index);
  for (const Linear &index : node->indices)
    addAll(index);
  for (NodeRef operand : node->operands) {
    const auto &nested = atomsOf(operand);
    atoms.insert(nested.begin(), nested.end());
  }
  for (unsigned bound : node->atoms)
    atoms.erase(bound);
  return freeAtoms[node] = {atoms.begin(), atoms.end()};
}

bool Graph::dependsOn(NodeRef node, unsigned atom) {
  const auto &atoms = atomsOf(node);
  return std::binary_search(atoms.begin(), atoms.end(), atom);
}

std::optional<double> fa::raise::constantOf(NodeRef node) {
  if (node->kind != Kind::Constant)
    return std::nullopt;
  auto attr = dyn_cast<FloatAttr>(node->attr);
  if (!attr)
    return std::nullopt;
  return attr.getValueAsDouble();
}

std::optional<bool> fa::raise::booleanOf(NodeRef node) {
  if (node->kind != Kind::Constant)
    return std::nullopt;
  auto attr = dyn_cast<IntegerAttr>(node->attr);
  if (!attr || !attr.getType().isInteger(1))
    return std::nullopt;
  return !attr.getValue().isZero();
}
