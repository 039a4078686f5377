//===- Reader.cpp - elements of tensors through views and shapes ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fa::raise;

Reader::Reader(Graph &graph, Block *block) : graph(graph) {
  // Twice: an equality may need another one to be read.
  for (int i = 0; i < 2; ++i) {
    for (Block *b = block; b;) {
      collectEqualities(b);
      Operation *parent = b->getParentOp();
      b = parent && !parent->hasTrait<OpTrait::IsIsolatedFromAbove>()
              ? parent->getBlock()
              : nullptr;
    }
    startAgain();
  }
}

void Reader::startAgain() {
  restart = false;
  contractionDepth = 0;
  memo.clear();
  scalars.clear();
  sizes.clear();
  places.clear();
  visited.clear();
  graph.clearNodes();
}

ArrayRef<Reader::Place> Reader::placesOf(NodeRef node) const {
  auto it = places.find(node);
  return it == places.end() ? ArrayRef<Place>() : ArrayRef<Place>(it->second);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Ops that run state that sizes are equal: the loops of a linalg op, and
/// assertions. Only ops that run whenever `block` does may be asked.
void Reader::collectEqualities(Block *block) {
  for (Operation &op : *block) {
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
      if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
        continue;
      NodeRef x = readScalar(compare.getLhs()),
              y = readScalar(compare.getRhs());
      if (x->kind == Kind::Integer && y->kind == Kind::Integer &&
          x->index.isConstant() && y->index.isConstant())
        graph.equate(x->index.constant, y->index.constant);
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.hasPureTensorSemantics())
      continue;
    std::vector<std::optional<Poly>> loops(linalgOp.getNumLoops());
    for (OpOperand &operand : op.getOpOperands()) {
      if (linalgOp.isScalar(&operand))
        continue;
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop)
          continue;
        Poly size = sizeOf(operand.get(), dim);
        auto &known = loops[loop.getPosition()];
        if (known)
          graph.equate(*known, size);
        else
          known = size;
      }
    }
  }
}

Poly Reader::sizeFromScalar(Value value) {
  NodeRef node = readScalar(value);
  if (node->kind == Kind::Integer && node->index.isConstant()) {
    if (auto symbol = node->index.constant.asSymbol())
      graph.markAsSize(*symbol);
    return node->index.constant;
  }
  Poly size = graph.symbolFor(value, -1);
  if (auto symbol = size.asSymbol())
    graph.markAsSize(*symbol);
  return size;
}

std::optional<Poly> Reader::polyOf(OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return Poly(*constant);
  if (auto v = dyn_cast<Value>(value)) {
    NodeRef node = readScalar(v);
    if (node->kind == Kind::Integer && node->index.isConstant())
      return node->index.constant;
  }
  return std::nullopt;
}

Poly Reader::sizeOf(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  auto it = sizes.find({tensor, dim});
  if (it != sizes.end())
    return graph.canonical(it->second);
  Poly size = sizeOfUncached(tensor, dim);
  sizes[{tensor, dim}] = size;
  return graph.canonical(size);
}

Poly Reader::sizeOfUncached(Value tensor, int64_t dim) {
  Operation *op = tensor.getDefiningOp();
  auto fromFold = [&](OpFoldResult value) -> Poly {
    if (auto constant = getConstantIntValue(value))
      return *constant;
    return sizeFromScalar(cast<Value>(value));
  };
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return sizeFromScalar(empty.getDynamicSize(dim));
  if (auto dps = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    return sizeOf(dps.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? sizeOf(cast.getSource(), dim)
               : graph.symbolFor(tensor, dim);
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return fromFold(expand.getMixedOutputShape()[dim]);
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    Poly product = 1;
    auto groups = collapse.getReassociationIndices();
    for (int64_t source : groups[dim])
      product = product * sizeOf(collapse.getSrc(), source);
    return product;
  }
  if (auto reshape = dyn_cast_or_null<tensor::ReshapeOp>(op)) {
    NodeRef size = read(reshape.getShape(), {Linear(Poly(dim))});
    if (size && size->kind == Kind::Integer && size->index.isConstant())
      return size->index.constant;
    return graph.symbolFor(tensor, dim);
  }
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op)) {
    auto dropped = slice.getDroppedDims();
    int64_t position = 0;
    for (auto [source, size] : llvm::enumerate(slice.getMixedSizes())) {
      if (dropped.test(source))
        continue;
      if (position++ == dim)
        return fromFold(size);
    }
  }
  if (auto concat = dyn_cast_or_null<tensor::ConcatOp>(op)) {
    if (static_cast<int64_t>(concat.getDim()) != dim)
      return sizeOf(concat.getInputs().front(), dim);
    Poly sum;
    for (Value input : concat.getInputs())
      sum = sum + sizeOf(input, dim);
    return sum;
  }
  if (op && OpTrait::hasElementwiseMappableTraits(op) &&
      isa<RankedTensorType>(op->getOperands().back().getType()))
    return sizeOf(op->getOperands().back(), dim);
  return graph.symbolFor(tensor, dim);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

unsigned Reader::keyedAtom(void *key, int64_t index, const Poly &size) {
  auto [it, isNew] = keyed.try_emplace({key, index}, 0);
  if (isNew)
    it->second = graph.newAtom(size);
  return it->second;
}

Linear Reader::expand(unsigned atom) {
  if (graph.sizeOf(atom) == Poly(1))
    return Linear();
  auto it = splits.find(atom);
  if (it == splits.end())
    return Linear::atom(atom);
  auto [outer, inner] = it->second;
  return expand(outer) * graph.sizeOf(inner) + expand(inner);
}

std::vector<Linear> Reader::piecesOf(unsigned atom) {
  auto it = cuts.find(atom);
  if (it == cuts.end())
    return {expand(atom)};
  std::vector<Linear> pieces = piecesOf(it->second.first);
  for (Linear piece : piecesOf(it->second.second)) {
    piece.constant = piece.constant + graph.sizeOf(it->second.first);
    pieces.push_back(piece);
  }
  return pieces;
}

Linear Reader::rootIndex(Value tensor, int64_t dim) {
  return expand(
      keyedAtom(tensor.getAsOpaquePointer(), dim, sizeOf(tensor, dim)));
}

/// index = quotient * size + rest with 0 <= rest < size.
bool Reader::splitIndex(const Linear &index, const Poly &size, Linear &quotient,
                        Linear &rest) {
  if (size == Poly(1)) {
    quotient = index;
    return true;
  }
  for (const auto &[atom, coefficient] : index.terms) {
    if (auto factor = coefficient.dividedBy(size))
      quotient.add(atom, *factor);
    else
      rest.add(atom, coefficient);
  }
  auto constant = index.constant.constant(), divisor = size.constant();
  if (auto factor = index.constant.dividedBy(size)) {
    quotient.constant = *factor;
  } else if (constant && divisor && *constant >= 0 && *divisor > 0) {
    quotient.constant = *constant / *divisor;
    rest.constant = *constant % *divisor;
  } else {
    rest.constant = index.constant;
  }
  return graph.isNonNegative(graph.lowerBound(rest)) &&
         graph.isNonNegative(size - 1 - graph.upperBound(rest));
}

bool Reader::requestSplit(const Linear &rest, const Poly &size) {
  for (const auto &[atom, coefficient] : rest.terms) {
    auto inner = size.dividedBy(coefficient);
    if (!inner || *inner == Poly(1))
      continue;
    auto outer = graph.sizeOf(atom).dividedBy(*inner);
    if (!outer || *outer == Poly(1))
      continue;
    splits[atom] = {graph.newAtom(*outer), graph.newAtom(*inner)};
    return restart = true;
  }
  return false;
}

std::optional<std::vector<Linear>> Reader::delinearize(Linear index,
                                                       ArrayRef<Poly> sizes) {
  std::vector<Linear> result(sizes.size());
  for (int64_t dim = static_cast<int64_t>(sizes.size()) - 1; dim > 0; --dim) {
    Linear quotient;
    if (!splitIndex(index, sizes[dim], quotient, result[dim])) {
      requestSplit(result[dim], sizes[dim]);
      return std::nullopt;
    }
    index = quotient;
  }
  if (!sizes.empty())
    result[0] = sizes[0] == Poly(1) ? Linear() : index;
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

NodeRef Reader::read(Value tensor, ArrayRef<Linear> indices) {
  auto key = std::make_tuple(tensor.getAsOpaquePointer(), contractionDepth,
                             indices.vec());
  // Canonical: sizes that are equal have one name in an index too.
  auto it = memo.find(key);
  if (it != memo.end())
    return it->second;
  NodeRef node = readUncached(tensor, indices);
  if (restart)
    return nullptr;
  if (!node)
    node =
        graph.load(tensor, indices,
                   cast<RankedTensorType>(tensor.getType()).getElementType());
  memo[key] = node;
  places[node].push_back({tensor, indices.vec()});
  return node;
}

NodeRef Reader::readUncached(Value tensor, ArrayRef<Linear> indices) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return nullptr;
  if (op->getNumRegions() == 0 || isa<linalg::LinalgOp>(op))
    visited.insert(op);
  Attribute attr;
  if (matchPattern(op, m_Constant(&attr)))
    return readConstant(tensor, attr, indices);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return readLinalg(linalgOp, cast<OpResult>(tensor).getResultNumber(),
                      indices);
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return readSoftmax(softmax, indices);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? read(cast.getSource(), indices)
               : nullptr;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp>(
          op))
    return isa<RankedTensorType>(op->getOperand(0).getType())
               ? readReshape(op->getOperand(0), tensor, indices)
               : nullptr;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return readSlice(slice, indices);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return readConcat(concat, indices);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return readScalar(splat.getInput());
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    // Only one element at a time, so of rank 0 or 1.
    if (indices.empty())
      return readScalar(elements.getElements()[0]);
    auto position = indices[0].constantValue();
    if (indices.size() == 1 && position && *position >= 0 &&
        *position < static_cast<int64_t>(elements.getElements().size()))
      return readScalar(elements.getElements()[*position]);
    return nullptr;
  }
  if (OpTrait::hasElementwiseMappableTraits(op))
    return readElementwise(op, indices);
  return nullptr;
}

/// A constant that counts, like an iota that was folded, as a linear index.
static std::optional<Linear> readProgression(DenseElementsAttr elements,
                                             ArrayRef<Linear> indices) {
  constexpr int64_t kMaxElements = 1 << 20;
  Type type = elements.getElementType();
  if (!isa<IntegerType, IndexType>(type) ||
      (!type.isIndex() && type.getIntOrFloatBitWidth() < 32) ||
      elements.getNumElements() > kMaxElements || elements.empty())
    return std::nullopt;
  ArrayRef<int64_t> shape = elements.getType().getShape();
  SmallVector<int64_t> values;
  for (const APInt &value : elements.getValues<APInt>())
    values.push_back(value.getSExtValue());
  SmallVector<int64_t> steps(shape.size(), 0);
  int64_t stride = 1;
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    if (shape[dim] > 1)
      steps[dim] = values[stride] - values[0];
    stride *= shape[dim];
  }
  SmallVector<int64_t> position(shape.size(), 0);
  for (int64_t value : values) {
    int64_t expected = values[0];
    for (auto [step, at] : llvm::zip(steps, position))
      expected += step * at;
    if (value != expected)
      return std::nullopt;
    for (int64_t dim = static_cast<int64_t>(shape.size()) - 1;
         dim >= 0 && ++position[dim] == shape[dim]; --dim)
      position[dim] = 0;
  }
  Linear result = Linear(Poly(values[0]));
  for (auto [step, index] : llvm::zip(steps, indices))
    result = result + index * Poly(step);
  return result;
}

NodeRef Reader::readConstant(Value tensor, Attribute attr,
                             ArrayRef<Linear> indices) {
  auto elements = dyn_cast<DenseElementsAttr>(attr);
  if (!elements)
    return nullptr;
  Type type = elements.getElementType();
  if (!type.isIntOrIndexOrFloat())
    return nullptr;
  if (elements.isSplat())
    return graph.constant(elements.getSplatValue<Attribute>(), type);
  if (auto progression = readProgression(elements, indices))
    return graph.integer(*progression, type);
  std::vector<uint64_t> position;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    auto value = index.constantValue();
    if (!value || *value < 0 || *value >= elements.getType().getDimSize(dim))
      return nullptr;
    position.push_back(*value);
  }
  return graph.constant(elements.getValues<Attribute>()[position], type);
}

NodeRef Reader::readElementwise(Operation *op, ArrayRef<Linear> indices) {
  std::vector<NodeRef> operands;
  for (Value operand : op->getOperands()) {
    NodeRef node = isa<RankedTensorType>(operand.getType())
                       ? read(operand, indices)
                       : readScalar(operand);
    if (!node)
      return nullptr;
    operands.push_back(node);
  }
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return graph.apply(op->getName(), meaningfulAttributes(op), operands, type);
}

NodeRef Reader::readReshape(Value source, Value result,
                            ArrayRef<Linear> indices) {
  auto sourceType = cast<RankedTensorType>(source.getType());
  // Groups of dimensions that are reshaped into each other.
  struct Group {
    std::vector<int64_t> from, to;
  };
  std::vector<Group> groups;
  Operation *op = result.getDefiningOp();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
      groups.push_back(
          {{static_cast<int64_t>(dim)}, {group.begin(), group.end()}});
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    for (auto [dim, group] :
         llvm::enumerate(collapse.getReassociationIndices()))
      groups.push_back(
          {{group.begin(), group.end()}, {static_cast<int64_t>(dim)}});
  }
  if (groups.empty()) {
    Group all;
    for (int64_t dim = 0; dim < sourceType.getRank(); ++dim)
      all.from.push_back(dim);
    for (size_t dim = 0; dim < indices.size(); ++dim)
      all.to.push_back(dim);
    groups.push_back(all);
  }
  std::vector<Linear> sourceIndices(sourceType.getRank());
  for (const Group &group : groups) {
    Linear position;
    for (int64_t dim : group.to)
      position = position * sizeOf(result, dim) + indices[dim];
    std::vector<Poly> extents;
    for (int64_t dim : group.from)
      extents.push_back(sizeOf(source, dim));
    auto split = delinearize(position, extents);
    if (!split)
      return nullptr;
    for (auto [dim, index] : llvm::zip(group.from, *split))
      sourceIndices[dim] = index;
  }
  return read(source, sourceIndices);
}

NodeRef Reader::readSlice(tensor::ExtractSliceOp op, ArrayRef<Linear> indices) {
  auto dropped = op.getDroppedDims();
  auto offsets = op.getMixedOffsets(), strides = op.getMixedStrides();
  std::vector<Linear> sourceIndices;
  size_t position = 0;
  for (unsigned dim = 0; dim < offsets.size(); ++dim) {
    auto offset = polyOf(offsets[dim]), stride = polyOf(strides[dim]);
    if (!offset || !stride)
      return nullptr;
    Linear index(*offset);
    if (!dropped.test(dim))
      index = index + indices[position++] * *stride;
    sourceIndices.push_back(index);
  }
  return read(op.getSource(), sourceIndices);
}

NodeRef Reader::readConcat(tensor::ConcatOp op, ArrayRef<Linear> indices) {
  int64_t dim = op.getDim();
  std::vector<Linear> inner(indices.begin(), indices.end());
  Linear index = indices[dim];
  for (Value input : op.getInputs()) {
    Poly size = sizeOf(input, dim);
    bool startsHere = graph.isNonNegative(graph.lowerBound(index));
    if (!startsHere)
      return nullptr;
    if (graph.isNonNegative(size - 1 - graph.upperBound(index))) {
      inner[dim] = index;
      return read(input, inner);
    }
    index.constant = index.constant - size;
    if (graph.isNonNegative(graph.lowerBound(index)))
      continue;
    // The boundary is within the loop.
    Linear whole = index;
    Poly first = Poly(0) - index.constant;
    whole.constant = Poly();
    auto atom = whole.asAtom();
    if (!atom)
      return nullptr;
    auto it = cuttable.find(*atom);
    if (it == cuttable.end() || it->second != contractionDepth)
      return nullptr;
    unsigned before = graph.newAtom(first);
    unsigned after = graph.newAtom(graph.sizeOf(*atom) - first);
    cuts[*atom] = {before, after};
    restart = true;
    return nullptr;
  }
  return nullptr;
}
