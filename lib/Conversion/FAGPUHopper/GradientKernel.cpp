//===- GradientKernel.cpp - the parts of the gradients' tile program ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GradientKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

bool QueryLoop::hidesAll() {
  Operation *end = (weights ? weights : dScores).getBody()->getTerminator();
  return matchPattern(end->getOperand(weights ? 0 : weightsResult()),
                      m_Constant());
}

size_t QueryLoop::getCost() {
  if (hidesAll())
    return std::numeric_limits<size_t>::max();
  size_t cost = dScores.getBody()->getOperations().size();
  return weights ? cost + weights.getBody()->getOperations().size() : cost;
}

static BlockArgument argumentFor(linalg::GenericOp op, Value input) {
  for (OpOperand *operand : op.getDpsInputOperands())
    if (operand->get() == input)
      return op.getMatchingBlockArgument(operand);
  return {};
}

bool QueryLoop::isDifference(Operation *op) {
  auto difference = dyn_cast<arith::SubFOp>(op);
  return difference &&
         difference.getLhs() == argumentFor(dScores, dWeights.getResult()) &&
         difference.getRhs() == argumentFor(dScores, delta.getTile());
}

bool QueryLoop::hasDifference() {
  auto onlyInDifference = [&](Value input) {
    BlockArgument argument = argumentFor(dScores, input);
    return argument && llvm::all_of(argument.getUsers(), [&](Operation *user) {
             return isDifference(user);
           });
  };
  return onlyInDifference(delta.getTile()) &&
         (weights || onlyInDifference(dWeights.getResult()));
}

/// The value that one of the outputs of `op` is rounded from; null if it is
/// not.
static Value roundedFrom(linalg::GenericOp op, unsigned result) {
  Value rounded = op.getBody()->getTerminator()->getOperand(result);
  auto rounding = rounded.getDefiningOp<arith::TruncFOp>();
  return rounding ? rounding.getIn() : Value();
}

/// What reverse mode makes of the adjoint of a score.
bool QueryLoop::isLinearInDifference() {
  llvm::DenseSet<Value> linear;
  auto has = [&](Value v) { return linear.contains(v); };
  auto isLinearOrZero = [&](Value v) {
    return has(v) || matchPattern(v, m_AnyZeroFloat());
  };
  for (Operation &op : dScores.getBody()->without_terminator()) {
    if (isDifference(&op)) {
      linear.insert(op.getResult(0));
      continue;
    }
    if (llvm::none_of(op.getOperands(), has) || isa<arith::TruncFOp>(op))
      continue;
    bool first = has(op.getOperand(0));
    bool stays =
        llvm::TypeSwitch<Operation *, bool>(&op)
            .Case([&](arith::MulFOp o) { return first != has(o.getRhs()); })
            .Case([&](arith::DivFOp o) { return !has(o.getRhs()); })
            .Case([](arith::NegFOp) { return true; })
            .Case<arith::AddFOp, arith::SubFOp>([&](Operation *o) {
              return llvm::all_of(o->getOperands(), isLinearOrZero);
            })
            .Case([&](arith::SelectOp o) {
              return !has(o.getCondition()) &&
                     isLinearOrZero(o.getTrueValue()) &&
                     isLinearOrZero(o.getFalseValue());
            })
            .Default(false);
    if (!stays)
      return false;
    linear.insert(op.getResult(0));
  }
  Value weight = roundedFrom(dScores, weightsResult()),
        score = roundedFrom(dScores, dScoresResult());
  return weight && score && !has(weight) && has(score);
}

bool QueryLoop::hidesSome() {
  Value score = roundedFrom(dScores, dScoresResult());
  return score && score.getDefiningOp<arith::SelectOp>();
}

bool QueryLoop::isProductWithDifference() {
  Value exact = roundedFrom(dScores, dScoresResult());
  auto product = exact ? exact.getDefiningOp<arith::MulFOp>() : nullptr;
  BlockArgument weight = argumentFor(dScores, weights.getResult(0));
  auto isRest = [&](Value v) {
    return v.getDefiningOp() && isDifference(v.getDefiningOp());
  };
  return product && ((product.getLhs() == weight && isRest(product.getRhs())) ||
                     (product.getRhs() == weight && isRest(product.getLhs())));
}

static bool costsLess(QueryLoop &x, QueryLoop &y) {
  return x.getCost() < y.getCost();
}

QueryLoop &GradientTiles::general() {
  return *std::max_element(loops.begin(), loops.end(), costsLess);
}

QueryLoop &GradientTiles::full() {
  return *std::min_element(loops.begin(), loops.end(), costsLess);
}

std::array<Value, 6> GradientTiles::movedBuffers() {
  QueryLoop &part = loops.front();
  return {part.query.getSource(), key.getSource(),
          value.getSource(),      part.dOut.getSource(),
          dKey.getDestination(),  dValue.getDestination()};
}

ArrayRef<int64_t> GradientTiles::movedDims(unsigned i) {
  QueryLoop &part = loops.front();
  ArrayRef<int64_t> all[] = {part.query.getTileDims(), key.getTileDims(),
                             value.getTileDims(),      part.dOut.getTileDims(),
                             dKey.getTileDims(),       dValue.getTileDims()};
  return all[i];
}

RankedTensorType GradientTiles::movedTile(unsigned i) {
  QueryLoop &part = loops.front();
  Value tiles[] = {part.query.getTile(), key.getTile(),  value.getTile(),
                   part.dOut.getTile(),  dKey.getTile(), dValue.getTile()};
  return cast<RankedTensorType>(tiles[i].getType());
}

namespace {

/// Finds the parts, and says what is in the way.
class Matcher {
public:
  Matcher(GradientTiles &kernel, gpu::LaunchFuncOp launch, std::string &why)
      : kernel(kernel), launch(launch), why(why) {}

  LogicalResult match() {
    if (!llvm::hasSingleElement(kernel.function.getBody()))
      return no("it has several blocks");
    scf::ForOp last;
    for (Operation &op : kernel.function.front()) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        last = loop;
        if (failed(visitLoop(loop)))
          return failure();
      }
    }
    if (kernel.loops.empty() || !last)
      return no("it has no loop over query tiles");
    QueryLoop &part = kernel.loops.back();
    kernel.key = part.scores.getA().getDefiningOp<LoadTileOp>();
    kernel.value = part.dWeights.getA().getDefiningOp<LoadTileOp>();
    if (!kernel.key || !kernel.value)
      return no("key and value are not tiles of memory");
    for (auto store : kernel.function.front().getOps<StoreTileOp>()) {
      auto rounding = store.getTile().getDefiningOp<linalg::GenericOp>();
      if (!rounding || rounding.getNumDpsInputs() != 1)
        return no("its outputs are not rounded sums");
      Value sum = rounding.getDpsInputs()[0];
      if (sum == resultOf(part.dKey, last))
        kernel.dKey = store;
      if (sum == resultOf(part.dValue, last))
        kernel.dValue = store;
    }
    if (!kernel.dKey || !kernel.dValue)
      return no("it does not store d_key and d_value");
    return findDirection();
  }

private:
  LogicalResult no(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  /// What the outermost loop makes of the sum that `mma` adds to.
  Value resultOf(MmaOp mma, scf::ForOp outermost) {
    scf::ForOp loop = kernel.loops.back().loop;
    auto argument = dyn_cast<BlockArgument>(mma.getAcc());
    if (!argument || argument.getOwner() != loop.getBody())
      return {};
    Value result = loop.getTiedLoopResult(argument);
    if (loop == outermost)
      return result;
    for (auto [yielded, outer] :
         llvm::zip(outermost.getYieldedValues(), outermost.getResults()))
      if (yielded == result)
        return outer;
    return {};
  }

  LogicalResult visitLoop(scf::ForOp loop) {
    auto inner = loop.getBody()->getOps<scf::ForOp>();
    if (inner.empty())
      return addLoop(loop);
    if (kernel.groups)
      return no("it has several loops over heads");
    kernel.groups = loop;
    for (scf::ForOp nested : inner)
      if (failed(addLoop(nested)))
        return failure();
    return success();
  }

  LogicalResult addLoop(scf::ForOp loop) {
    QueryLoop part;
    part.loop = loop;
    for (auto sum : loop.getBody()->getOps<AccumulateOp>())
      part.sum = sum;
    SmallVector<MmaOp> products;
    for (auto mma : loop.getBody()->getOps<MmaOp>())
      if (mma.getATransposed())
        part.dQuery = mma;
      else
        products.push_back(mma);
    if (!part.dQuery || !part.sum || products.size() != 4)
      return no("a loop over query tiles has other products");
    for (MmaOp mma : products)
      if (!mma.getBTransposed())
        findSum(part, mma);
    if (!part.dKey || !part.dValue)
      return no("d_key and d_value are not products with dS and P");
    part.query = part.dKey.getB().getDefiningOp<LoadTileOp>();
    part.dOut = part.dValue.getB().getDefiningOp<LoadTileOp>();
    for (MmaOp mma : products)
      if (mma.getBTransposed())
        (mma.getB() == part.dKey.getB() ? part.scores : part.dWeights) = mma;
    if (!part.query || !part.dOut || !part.scores || !part.dWeights)
      return no("scores are not of query and key");
    if (failed(findElementwise(part)))
      return failure();
    kernel.loops.push_back(part);
    return success();
  }

  /// d_key is a product with what d_query is one with, too.
  void findSum(QueryLoop &part, MmaOp mma) {
    bool isKey = mma.getA() == part.dQuery.getA();
    (isKey ? part.dKey : part.dValue) = mma;
  }

  LogicalResult findElementwise(QueryLoop &part) {
    part.dScores = part.dKey.getA().getDefiningOp<linalg::GenericOp>();
    if (!part.dScores || part.dScores != part.dValue.getA().getDefiningOp())
      return no("P and dS are not made together");
    for (Value input : part.dScores.getDpsInputs())
      if (auto generic = input.getDefiningOp<linalg::GenericOp>())
        part.weights = generic;
    return part.weights ? findWeights(part) : findAllInOne(part);
  }

  LogicalResult findWeights(QueryLoop &part) {
    for (Value input : part.dScores.getDpsInputs())
      if (auto load = input.getDefiningOp<LoadTileOp>())
        part.delta = load;
    if (!part.delta || part.dScores.getNumDpsInputs() != 3)
      return no("dS is not of P, dP and delta");
    if (part.weights.getDpsInits()[0] != part.scores.getResult())
      return no("P is not of scores");
    return findRows(part, part.weights.getDpsInputs());
  }

  LogicalResult findAllInOne(QueryLoop &part) {
    SmallVector<Value> rest;
    LoadTileOp delta;
    for (Value input : part.dScores.getDpsInputs()) {
      part.delta = input.getDefiningOp<LoadTileOp>();
      if (part.delta && part.hasDifference())
        delta = part.delta;
      else if (input != part.scores.getResult() &&
               input != part.dWeights.getResult())
        rest.push_back(input);
    }
    part.delta = delta;
    if (!part.delta || !part.isLinearInDifference())
      return no("dS is not a product with dP - delta");
    return findRows(part, rest);
  }

  /// lse, and what no query tile has of its own.
  LogicalResult findRows(QueryLoop &part, ValueRange inputs) {
    for (Value input : inputs) {
      auto load = input.getDefiningOp<LoadTileOp>();
      if (input.getParentBlock() != part.loop.getBody())
        part.fixed.insert(input);
      else if (load && !part.lse)
        part.lse = load;
      else
        return no("P is of more than scores, lse and what query tiles share");
    }
    return part.lse ? success() : no("P is not of lse");
  }

  /// Where key tiles of the first two blocks start: of the grid's, or of ten
  /// where only the launch knows how many there are.
  LogicalResult findDirection() {
    constexpr int64_t some = 10, rows = kBlockRows;
    int64_t blocks = getConstantIntValue(launch.getGridSizeX()).value_or(some);
    Value at = kernel.key.getOffsets()[kernel.key.getTileDims()[0]];
    auto first = evaluate(at, 0, blocks), second = evaluate(at, 1, blocks);
    if (first == 0 && second == rows)
      kernel.ascends = true;
    else if (first == (blocks - 1) * rows && second == (blocks - 2) * rows)
      kernel.ascends = false;
    else
      return no("blocks are not key tiles in order");
    return success();
  }

  /// `v` in block x of a grid of so many.
  std::optional<int64_t> evaluate(Value v, int64_t x, int64_t blocks) {
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      Value here = launch.getKernelOperand(argument.getArgNumber());
      return here == launch.getGridSizeX() ? std::optional<int64_t>(blocks)
                                           : std::nullopt;
    }
    Operation *def = v.getDefiningOp();
    APInt constant;
    if (matchPattern(v, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    if (auto id = dyn_cast<gpu::BlockIdOp>(def))
      return id.getDimension() == gpu::Dimension::x ? std::optional<int64_t>(x)
                                                    : std::nullopt;
    if (auto dim = dyn_cast<gpu::GridDimOp>(def))
      return dim.getDimension() == gpu::Dimension::x
                 ? std::optional<int64_t>(blocks)
                 : std::nullopt;
    SmallVector<int64_t> operands;
    for (Value operand : def->getOperands()) {
      std::optional<int64_t> value = evaluate(operand, x, blocks);
      if (!value)
        return std::nullopt;
      operands.push_back(*value);
    }
    if (isa<arith::IndexCastOp>(def))
      return operands[0];
    if (isa<arith::AddIOp>(def))
      return operands[0] + operands[1];
    if (isa<arith::SubIOp>(def))
      return operands[0] - operands[1];
    if (isa<arith::MulIOp>(def))
      return operands[0] * operands[1];
    return std::nullopt;
  }

  GradientTiles &kernel;
  gpu::LaunchFuncOp launch;
  std::string &why;
};

} // namespace

FailureOr<GradientTiles> GradientTiles::match(gpu::LaunchFuncOp launch,
                                              gpu::GPUFuncOp function,
                                              std::string &why) {
  GradientTiles kernel;
  kernel.function = function;
  if (failed(Matcher(kernel, launch, why).match()))
    return failure();
  return kernel;
}
