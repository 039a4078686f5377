//===- Bodies.cpp - elements of tensors through linalg bodies -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fa::raise;

/// One element of a linalg op: its loops as indices; a loop that is not known
/// is not set.
struct Reader::Body {
  linalg::LinalgOp op;
  std::vector<std::optional<Linear>> loops;
  Env env;
  /// Outputs' arguments accumulate.
  bool isReduction = false;

  Block &block() { return op->getRegion(0).front(); }
};

namespace {

bool isWideInteger(Type type) {
  return type.isIndex() ||
         (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() >= 32);
}

Value withoutCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

struct Combiner {
  Operation *op = nullptr;
  Combine combine;
  Value operand;
  bool isContraction = false;
};

std::optional<Combine> combineOf(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return Combine::Sum;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return Combine::Max;
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return Combine::Min;
  if (isa<arith::AndIOp, arith::MulIOp>(op) &&
      op->getResult(0).getType().isInteger(1))
    return Combine::And;
  if (isa<arith::OrIOp>(op) && op->getResult(0).getType().isInteger(1))
    return Combine::Or;
  if (isa<arith::MulFOp>(op))
    return Combine::Product;
  return std::nullopt;
}

/// What is combined with the accumulator `accumulator` to give `yielded`.
std::optional<Combiner> findCombiner(Value yielded, Value accumulator) {
  Operation *op = withoutCasts(yielded).getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  auto combine = combineOf(op);
  if (!combine)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    if (withoutCasts(op->getOperand(i)) != accumulator)
      continue;
    Combiner result{op, *combine, op->getOperand(1 - i)};
    Operation *product = withoutCasts(result.operand).getDefiningOp();
    result.isContraction = *combine == Combine::Sum && product &&
                           isa<arith::MulFOp>(product) &&
                           product->getBlock() == op->getBlock();
    return result;
  }
  return std::nullopt;
}

bool isIdentity(const Combiner &combiner, NodeRef init) {
  if (auto boolean = booleanOf(init))
    return *boolean == (combiner.combine == Combine::And);
  auto value = constantOf(init);
  if (!value)
    return false;
  switch (combiner.combine) {
  case Combine::Sum:
    return *value == 0;
  case Combine::Product:
    return *value == 1;
  case Combine::Max: {
    if (std::isnan(*value))
      return isa<arith::MaxNumFOp>(combiner.op);
    auto type = cast<FloatType>(init->type);
    double lowest =
        -APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
    return *value <= lowest;
  }
  default:
    return false;
  }
}

} // namespace

bool fa::raise::isContraction(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics())
    return false;
  Block &block = op->getRegion(0).front();
  auto combiner = findCombiner(block.getTerminator()->getOperand(0),
                               block.getArgument(op.getNumDpsInputs()));
  return combiner && combiner->isContraction;
}

Attribute fa::raise::meaningfulAttributes(Operation *op) {
  NamedAttrList attributes;
  for (NamedAttribute attr : op->getAttrs())
    if (attr.getName() == "predicate" || attr.getName() == "value")
      attributes.append(attr);
  if (attributes.empty())
    return {};
  return attributes.getDictionary(op->getContext());
}

//===----------------------------------------------------------------------===//
// Linalg ops
//===----------------------------------------------------------------------===//

std::optional<Poly> Reader::loopSize(linalg::LinalgOp op, unsigned loop) {
  std::optional<Poly> size;
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isScalar(&operand))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto d = dyn_cast<AffineDimExpr>(expr); d && d.getPosition() == loop)
        size = sizeOf(operand.get(), dim);
    if (size && size->isConstant())
      break;
  }
  return size;
}

static std::optional<Linear>
evaluateExpr(AffineExpr expr, ArrayRef<std::optional<Linear>> dims,
             ArrayRef<std::optional<Linear>> symbols = {}) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Linear(Poly(constant.getValue()));
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto x = evaluateExpr(binary.getLHS(), dims, symbols);
  auto y = evaluateExpr(binary.getRHS(), dims, symbols);
  if (!x || !y)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *x + *y;
  if (expr.getKind() == AffineExprKind::Mul) {
    if (y->isConstant())
      return *x * y->constant;
    if (x->isConstant())
      return *y * x->constant;
    return std::nullopt;
  }
  if (!x->isConstant() || !y->isConstant() ||
      expr.getKind() == AffineExprKind::Mod)
    return std::nullopt;
  auto quotient = x->constant.dividedBy(y->constant);
  return quotient ? std::optional(Linear(*quotient)) : std::nullopt;
}

NodeRef Reader::readLinalg(linalg::LinalgOp op, unsigned result,
                           ArrayRef<Linear> indices) {
  if (!op.hasPureTensorSemantics())
    return nullptr;
  Body body;
  body.op = op;
  body.loops.resize(op.getNumLoops());
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(result));
  for (auto [expr, index] : llvm::zip(map.getResults(), indices)) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      auto &loop = body.loops[dim.getPosition()];
      if (loop)
        return nullptr;
      loop = index;
    } else if (!isa<AffineConstantExpr>(expr)) {
      return nullptr;
    }
  }
  if (op.getNumReductionLoops() != 0)
    return readReduction(result, body, indices);
  auto yield = cast<linalg::YieldOp>(body.block().getTerminator());
  return evaluate(yield.getOperand(result), body.env, &body);
}

NodeRef Reader::readReduction(unsigned result, Body &body,
                              ArrayRef<Linear> indices) {
  linalg::LinalgOp op = body.op;
  body.isReduction = true;
  Value init = op.getDpsInits()[result];
  auto yield = cast<linalg::YieldOp>(body.block().getTerminator());
  auto combiner =
      findCombiner(yield.getOperand(result),
                   body.block().getArgument(op.getNumDpsInputs() + result));
  if (!combiner)
    return nullptr;
  // Beyond the second contraction there is only what makes q, k or v.
  if (combiner->isContraction && contractionDepth == 2)
    return nullptr;

  std::vector<std::vector<Linear>> choices = {{}};
  std::vector<unsigned> loops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction)
      continue;
    auto size = loopSize(op, loop);
    if (!size)
      return nullptr;
    unsigned atom = keyedAtom(op, loop, *size);
    if (!combiner->isContraction)
      cuttable.try_emplace(atom, contractionDepth);
    loops.push_back(loop);
    std::vector<std::vector<Linear>> longer;
    for (const auto &choice : choices)
      for (const Linear &piece : piecesOf(atom)) {
        longer.push_back(choice);
        longer.back().push_back(piece);
      }
    choices = std::move(longer);
  }

  NodeRef value = read(init, indices);
  if (!value)
    return nullptr;
  if (isIdentity(*combiner, value))
    value = nullptr;
  OperationName name = combiner->op->getName();
  Type type = combiner->op->getResult(0).getType();
  contractionDepth += combiner->isContraction;
  for (const auto &choice : choices) {
    std::vector<unsigned> atoms;
    for (auto [loop, piece] : llvm::zip(loops, choice)) {
      body.loops[loop] = piece;
      for (const auto &term : piece.terms)
        atoms.push_back(term.first);
    }
    body.env.clear();
    NodeRef summand = evaluate(combiner->operand, body.env, &body);
    if (!summand) {
      value = nullptr;
      break;
    }
    if (!atoms.empty())
      summand = graph.reduce(combiner->combine, summand, atoms,
                             combiner->isContraction);
    value = value ? graph.apply(name, {}, {value, summand}, type) : summand;
  }
  contractionDepth -= combiner->isContraction;
  if (!value)
    return nullptr;
  // The accumulator may be narrower than what it was combined with.
  Type resultType = cast<RankedTensorType>(init.getType()).getElementType();
  if (resultType != type && isa<FloatType>(type)) {
    bool narrows =
        resultType.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth();
    value = narrows ? graph.apply<arith::TruncFOp>({value}, resultType)
                    : graph.apply<arith::ExtFOp>({value}, resultType);
  }
  return value;
}

/// exp(x - max x) / sum exp(x - max x), what the op means.
NodeRef Reader::readSoftmax(linalg::SoftmaxOp op, ArrayRef<Linear> indices) {
  int64_t dim = op.getDimension();
  std::vector<Linear> inner(indices.begin(), indices.end());
  unsigned atom = keyedAtom(op, dim, sizeOf(op.getInput(), dim));
  if (cuts.count(atom))
    return nullptr;
  inner[dim] = expand(atom);
  NodeRef x = read(op.getInput(), indices), xs = read(op.getInput(), inner);
  if (!x || !xs)
    return nullptr;
  Type type = x->type;
  std::vector<unsigned> atoms;
  for (const auto &term : inner[dim].terms)
    atoms.push_back(term.first);
  if (atoms.empty())
    return nullptr;
  NodeRef max = graph.reduce(Combine::Max, xs, atoms, false);
  auto exp = [&](NodeRef of) {
    return graph.apply<math::ExpOp>(
        {graph.apply<arith::SubFOp>({of, max}, type)}, type);
  };
  NodeRef sum = graph.reduce(Combine::Sum, exp(xs), atoms, false);
  return graph.apply<arith::DivFOp>({exp(x), sum}, type);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

NodeRef Reader::readScalar(Value value) {
  if (NodeRef known = scalars.lookup(value))
    return known;
  Env env;
  Operation *op = value.getDefiningOp();
  NodeRef node = op ? evaluateOp(op, env, nullptr) : nullptr;
  if (!node)
    node = opaqueScalar(value);
  scalars[value] = node;
  places[node].push_back({value, {}});
  return node;
}

NodeRef Reader::opaqueScalar(Value value) {
  if (isWideInteger(value.getType()))
    return graph.integer(graph.symbolFor(value, -1), value.getType());
  return graph.load(value, {}, value.getType());
}

NodeRef Reader::argumentOf(Body &body, unsigned argument) {
  OpOperand &operand = body.op->getOpOperand(argument);
  if (body.isReduction && body.op.isDpsInit(&operand))
    return nullptr;
  if (body.op.isScalar(&operand))
    return readScalar(operand.get());
  std::vector<Linear> indices;
  for (AffineExpr expr :
       body.op.getMatchingIndexingMap(&operand).getResults()) {
    auto index = evaluateExpr(expr, body.loops);
    if (!index)
      return nullptr;
    indices.push_back(*index);
  }
  return read(operand.get(), indices);
}

NodeRef Reader::evaluate(Value value, Env &env, Body *body) {
  if (NodeRef known = env.lookup(value))
    return known;
  NodeRef node = nullptr;
  Operation *op = value.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(value);
  if (body && argument && argument.getOwner() == &body->block())
    node = argumentOf(*body, argument.getArgNumber());
  else if (body && op && body->op->isProperAncestor(op))
    node = evaluateOp(op, env, body);
  else if (body && argument &&
           body->op->isProperAncestor(argument.getOwner()->getParentOp()))
    return nullptr;
  else
    node = readScalar(value);
  if (node)
    env[value] = node;
  return node;
}

/// Null if the op cannot be looked through.
NodeRef Reader::evaluateOp(Operation *op, Env &env, Body *body) {
  if (op->getNumResults() != 1 && !isa<scf::IfOp>(op))
    return nullptr;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return constant.getType().isIntOrIndexOrFloat()
               ? graph.constant(constant.getValue(), constant.getType())
               : nullptr;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    if (!body || !body->loops[index.getDim()])
      return nullptr;
    return graph.integer(*body->loops[index.getDim()], index.getType());
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return evaluateExtract(extract, env, body);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto constant = dim.getConstantIndex();
    if (!constant || !isa<RankedTensorType>(dim.getSource().getType()))
      return nullptr;
    return graph.integer(sizeOf(dim.getSource(), *constant), dim.getType());
  }
  if (isa<affine::AffineApplyOp>(op))
    return evaluateAffine(op, env, body);
  if (isa<scf::IfOp>(op))
    return evaluateIf(op, env, body);
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
      op->getNumOperands() == 0 ||
      !op->getResult(0).getType().isIntOrIndexOrFloat())
    return nullptr;
  std::vector<NodeRef> operands;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIntOrIndexOrFloat())
      return nullptr;
    NodeRef node = evaluate(operand, env, body);
    if (!node)
      return nullptr;
    operands.push_back(node);
  }
  return graph.apply(op->getName(), meaningfulAttributes(op), operands,
                     op->getResult(0).getType());
}

NodeRef Reader::evaluateExtract(tensor::ExtractOp op, Env &env, Body *body) {
  std::vector<NodeRef> nodes;
  std::vector<Linear> indices;
  for (Value index : op.getIndices()) {
    NodeRef node = evaluate(index, env, body);
    if (!node)
      return nullptr;
    nodes.push_back(node);
    if (node->kind == Kind::Integer)
      indices.push_back(node->index);
  }
  if (indices.size() == nodes.size())
    return read(op.getTensor(), indices);
  return graph.gather(op.getTensor(), nodes, op.getType());
}

NodeRef Reader::evaluateAffine(Operation *op, Env &env, Body *body) {
  auto apply = cast<affine::AffineApplyOp>(op);
  std::vector<std::optional<Linear>> values;
  for (Value operand : op->getOperands()) {
    NodeRef node = evaluate(operand, env, body);
    if (!node || node->kind != Kind::Integer)
      return nullptr;
    values.push_back(node->index);
  }
  AffineMap map = apply.getAffineMap();
  ArrayRef<std::optional<Linear>> all(values);
  auto result = evaluateExpr(map.getResult(0), all.take_front(map.getNumDims()),
                             all.drop_front(map.getNumDims()));
  return result ? graph.integer(*result, op->getResult(0).getType()) : nullptr;
}

NodeRef Reader::evaluateIf(Operation *op, Env &env, Body *body) {
  auto ifOp = cast<scf::IfOp>(op);
  if (ifOp->getNumResults() != 1 || !ifOp.elseBlock() ||
      !ifOp.getResult(0).getType().isIntOrIndexOrFloat() || !body)
    return nullptr;
  NodeRef condition = evaluate(ifOp.getCondition(), env, body);
  if (!condition)
    return nullptr;
  auto known = booleanOf(condition);
  NodeRef x = nullptr, y = nullptr;
  if (!known || *known)
    x = evaluate(ifOp.thenYield().getOperand(0), env, body);
  if (!known || !*known)
    y = evaluate(ifOp.elseYield().getOperand(0), env, body);
  if (known)
    return x ? x : y;
  if (!x || !y)
    return nullptr;
  return graph.apply<arith::SelectOp>({condition, x, y},
                                      ifOp.getResult(0).getType());
}
