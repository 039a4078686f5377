//===- AssignLayouts.cpp - every tile gets a layout -----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace fa {
#define GEN_PASS_DEF_FAASSIGNLAYOUTS
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

bool isTile(Value v) {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  return type && type.getRank() > 0;
}

/// Gives every use of a tile that costs nothing to make its own copy, so that
/// one initialiser can serve tiles of different layouts.
void isolateInitialisers(Operation *root) {
  auto isInitialiser = [](Operation *op) {
    return isa<tensor::EmptyOp, linalg::FillOp>(op) ||
           (isa<arith::ConstantOp>(op) && isTile(op->getResult(0)));
  };
  SmallVector<Operation *> worklist;
  root->walk([&](Operation *op) {
    if (isInitialiser(op))
      worklist.push_back(op);
  });
  // Users first, so that a fill's copies each get an empty of their own.
  for (Operation *op : llvm::reverse(worklist)) {
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      OpBuilder b(use.getOwner());
      use.set(b.clone(*op)->getResult(0));
    }
    op->erase();
  }
}

bool isZeroFill(Value v) {
  auto fill = v.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// The op of a reduction's body, if that is all it does.
template <typename Combiner> bool combinesWith(linalg::ReduceOp op) {
  Block &body = op.getCombiner().front();
  return body.getOperations().size() == 2 && isa<Combiner>(body.front());
}

/// tensor.expand_shape to M x N/8 x 4 x 2 and its sum over dimensions 1 and 3.
LogicalResult rewritePartialSums(linalg::ReduceOp reduce) {
  auto expand = reduce.getInputs()[0].getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand)
    return success();
  auto type = cast<RankedTensorType>(expand.getType());
  bool matches = type.getRank() == 4 && type.getDimSize(2) == 4 &&
                 type.getDimSize(3) == 2 &&
                 reduce.getDimensions() == ArrayRef<int64_t>{1, 3} &&
                 combinesWith<arith::AddFOp>(reduce) &&
                 isZeroFill(reduce.getInits()[0]);
  if (!matches)
    return reduce.emitError("partial sums on a GPU must be 4 per row, from 0 "
                            "(schedule: partial_sums = 4)");
  OpBuilder b(reduce);
  auto sums = fagpu::PartialSumsOp::create(
      b, reduce.getLoc(), reduce.getResult(0).getType(), expand.getSrc());
  reduce.getResult(0).replaceAllUsesWith(sums);
  reduce.erase();
  if (expand->use_empty())
    expand.erase();
  return success();
}

/// Erases ops without effect or use, users before producers.
void eraseDead(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (op != root && isOpTriviallyDead(op))
      op->erase();
}

class LayoutAssigner {
public:
  explicit LayoutAssigner(gpu::GPUFuncOp kernel)
      : kernel(kernel), context(kernel.getContext()) {}

  LogicalResult run() {
    if (failed(seed()) || failed(spread()) || failed(seedByShape()))
      return failure();
    return apply();
  }

private:
  LogicalResult spread() {
    while (!worklist.empty()) {
      Value v = worklist.pop_back_val();
      if (Operation *def = v.getDefiningOp())
        if (failed(visit(def)))
          return failure();
      if (auto argument = dyn_cast<BlockArgument>(v))
        if (failed(visit(argument.getOwner()->getParentOp())))
          return failure();
      for (Operation *user : v.getUsers())
        if (failed(visit(user)))
          return failure();
    }
    return success();
  }

  template <typename Layout> Attribute get() { return Layout::get(context); }

  LogicalResult assign(Value v, Attribute layout, Operation *because) {
    Attribute &slot = layouts[v];
    if (slot == layout)
      return success();
    if (slot)
      return because->emitError("machine stage: this tile would have to change "
                                "its layout from ")
             << slot << " to " << layout;
    slot = layout;
    worklist.push_back(v);
    return success();
  }

  /// One layout for all of `values`, if any has one.
  LogicalResult tie(ArrayRef<Value> values, Operation *because) {
    Attribute layout;
    for (Value v : values)
      if (Attribute known = layouts.lookup(v))
        layout = known;
    if (!layout)
      return success();
    for (Value v : values)
      if (failed(assign(v, layout, because)))
        return failure();
    return success();
  }

  LogicalResult seed() {
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      if (auto contract = dyn_cast<linalg::ContractOp>(op))
        return seedContraction(contract);
      if (auto sums = dyn_cast<fagpu::PartialSumsOp>(op)) {
        if (failed(assign(sums.getSource(), get<fagpu::AccAttr>(), op)) ||
            failed(assign(sums.getResult(), get<fagpu::RowsPartialAttr>(), op)))
          return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// One value per column of a `linalg` op over rows and columns.
  static bool isOfColumns(OpOperand &operand) {
    auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
    if (!op || op.getNumLoops() != 2)
      return false;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return map.getNumResults() == 1 && map.isFunctionOfDim(1);
  }

  /// What no contraction reaches is laid out as its shape says: rows without
  /// keys.
  LogicalResult seedByShape() {
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      if (!isa<StoreTileOp, linalg::LinalgOp>(op))
        return WalkResult::advance();
      for (OpOperand &operand : op->getOpOperands()) {
        Value v = operand.get();
        if (!isTile(v) || layouts.contains(v))
          continue;
        auto type = cast<RankedTensorType>(v.getType());
        Attribute layout = isOfColumns(operand)  ? get<fagpu::ColsAttr>()
                           : type.getRank() == 1 ? get<fagpu::RowsAttr>()
                           : type.getDimSize(1) == 4
                               ? get<fagpu::RowsPartialAttr>()
                               : get<fagpu::AccAttr>();
        if (failed(assign(v, layout, op)) || failed(spread()))
          return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult seedContraction(linalg::ContractOp op) {
    Type a = getElementTypeOrSelf(op.getInputs()[0].getType());
    Type out = getElementTypeOrSelf(op.getResult(0).getType());
    if (!(a.isBF16() || a.isF16()) || !out.isF32())
      return op.emitError("machine stage: GPU contractions multiply bf16 or "
                          "f16 and add in f32; ")
             << a << " to " << out << " is not supported";
    Value lhs = op.getInputs()[0], rhs = op.getInputs()[1];
    if (!rhs.getDefiningOp<LoadTileOp>())
      return op.emitError("machine stage: the right operand of a contraction "
                          "must come straight from memory (fa.load_tile)");
    Attribute left = lhs.getDefiningOp<LoadTileOp>() ? get<fagpu::SharedAttr>()
                                                     : get<fagpu::AOpAttr>();
    if (failed(assign(lhs, left, op)) ||
        failed(assign(rhs, get<fagpu::SharedAttr>(), op)) ||
        failed(assign(op.getOutputs()[0], get<fagpu::AccAttr>(), op)))
      return failure();
    return assign(op.getResult(0), get<fagpu::AccAttr>(), op);
  }

  LogicalResult visit(Operation *op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      return isa<linalg::ContractOp>(op) ? success() : visitLinalg(linalgOp);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
      for (unsigned i = 0; i < loop.getNumResults(); ++i)
        if (failed(tie({loop.getInitArgs()[i], loop.getRegionIterArgs()[i],
                        yield.getOperand(i), loop.getResult(i)},
                       op)))
          return failure();
      return success();
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (unsigned i = 0; i < branch.getNumResults(); ++i)
        if (failed(tie({branch.thenYield().getOperand(i),
                        branch.elseYield().getOperand(i), branch.getResult(i)},
                       op)))
          return failure();
      return success();
    }
    if (isa<scf::YieldOp>(op))
      return visit(op->getParentOp());
    return success();
  }

  /// What the iterations of `op` are laid out like, from what is known of its
  /// operands; null if that does not tell.
  Attribute loopLayout(linalg::LinalgOp op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Attribute layout = layoutOfOperand(op, operand);
      if (!layout)
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (map.getNumResults() == op.getNumLoops())
        return isa<fagpu::AOpAttr>(layout) ? get<fagpu::AccAttr>() : layout;
      if (isa<fagpu::ColsAttr>(layout))
        return get<fagpu::AccAttr>();
    }
    return {};
  }

  Attribute layoutOfOperand(linalg::LinalgOp op, OpOperand &operand) {
    if (Attribute layout = layouts.lookup(operand.get()))
      return layout;
    return op.isDpsInit(&operand)
               ? layouts.lookup(op->getResult(initIndex(op, operand)))
               : Attribute();
  }

  static unsigned initIndex(linalg::LinalgOp op, OpOperand &operand) {
    return operand.getOperandNumber() -
           op.getDpsInitsMutable()[0].getOperandNumber();
  }

  LogicalResult visitLinalg(linalg::LinalgOp op) {
    Attribute loops = loopLayout(op);
    if (!loops)
      return success();
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isTile(operand.get()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      Attribute layout = project(loops, map);
      if (!layout)
        return op.emitError("machine stage: an operand of this op is indexed "
                            "by ")
               << AffineMapAttr::get(map)
               << ", which no change of layout serves";
      bool isInit = op.isDpsInit(&operand);
      Value result = isInit ? op->getResult(initIndex(op, operand)) : Value();
      // The one conversion: a computed tile leaves as a packed operand.
      if (isInit && isa<fagpu::AccAttr>(layout) &&
          isa_and_nonnull<fagpu::AOpAttr>(layouts.lookup(result)))
        layout = layouts.lookup(result);
      if (failed(assign(operand.get(), layout, op)))
        return failure();
      if (isInit && failed(assign(result, layout, op)))
        return failure();
    }
    return success();
  }

  /// The layout of an operand with `map` in iterations laid out as `loops`.
  Attribute project(Attribute loops, AffineMap map) {
    if (map.isIdentity())
      return loops;
    if (map.getNumDims() != 2 || map.getNumResults() != 1)
      return {};
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(0));
    if (!dim)
      return {};
    if (dim.getPosition() == 0)
      return get<fagpu::RowsAttr>();
    return isa<fagpu::AccAttr>(loops) ? get<fagpu::ColsAttr>() : Attribute();
  }

  LogicalResult apply() {
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      for (Value v : op->getResults())
        if (failed(apply(v, op)))
          return WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value v : block.getArguments())
            if (failed(apply(v, op)))
              return WalkResult::interrupt();
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        if (isTile(constant)) {
          auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
          if (!dense || !dense.isSplat())
            return op->emitError("machine stage: only splat constants can be "
                                 "tiles");
          constant.setValueAttr(
              DenseElementsAttr::get(cast<ShapedType>(constant.getType()),
                                     dense.getSplatValue<Attribute>()));
        }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    return rewriteContractions();
  }

  LogicalResult apply(Value v, Operation *op) {
    if (!isTile(v))
      return success();
    auto type = cast<RankedTensorType>(v.getType());
    Attribute layout = layouts.lookup(v);
    if (!layout)
      return op->emitError(
                 "machine stage: no layout reaches this tile of type ")
             << type;
    auto encoded =
        RankedTensorType::get(type.getShape(), type.getElementType(), layout);
    std::string reason = fagpu::whyIllegal(encoded);
    if (!reason.empty())
      return op->emitError("machine stage: ")
             << reason << ", got " << type << "; choose other tile sizes";
    v.setType(encoded);
    return success();
  }

  LogicalResult rewriteContractions() {
    SmallVector<linalg::ContractOp> contractions;
    kernel.walk([&](linalg::ContractOp op) { contractions.push_back(op); });
    for (linalg::ContractOp op : contractions) {
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      // Loops are found by the result (i, j); the third is the sum.
      auto dim = [](AffineMap map, unsigned i) {
        return map.getNumResults() == 2 && isa<AffineDimExpr>(map.getResult(i))
                   ? static_cast<int>(map.getDimPosition(i))
                   : -1;
      };
      int i = dim(maps[2], 0), j = dim(maps[2], 1);
      bool isLeftTransposed = dim(maps[0], 1) == i;
      int k = dim(maps[0], isLeftTransposed ? 0 : 1);
      bool isTransposed = dim(maps[1], 0) == j && dim(maps[1], 1) == k;
      bool isPlain = dim(maps[1], 0) == k && dim(maps[1], 1) == j;
      if (maps[0].getNumDims() != 3 ||
          dim(maps[0], isLeftTransposed ? 1 : 0) != i || k == i ||
          !(isTransposed || isPlain) ||
          (isLeftTransposed && op.getInputs()[0].getDefiningOp<LoadTileOp>()))
        return op.emitError("machine stage: a contraction on a GPU is "
                            "(i, k) . (j, k) or (i, k) . (k, j)");
      OpBuilder b(op);
      auto mma = fagpu::MmaOp::create(b, op.getLoc(), op.getResult(0).getType(),
                                      op.getInputs()[0], op.getInputs()[1],
                                      op.getOutputs()[0], /*b_stage=*/Value(),
                                      isTransposed, isLeftTransposed);
      op.getResult(0).replaceAllUsesWith(mma.getResult());
      op.erase();
    }
    return success();
  }

  gpu::GPUFuncOp kernel;
  MLIRContext *context;
  DenseMap<Value, Attribute> layouts;
  SmallVector<Value> worklist;
};

struct AssignLayoutsPass : fa::impl::FAAssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      isolateInitialisers(kernel);
      SmallVector<linalg::ReduceOp> reductions;
      kernel.walk([&](linalg::ReduceOp op) { reductions.push_back(op); });
      for (linalg::ReduceOp op : reductions)
        if (failed(rewritePartialSums(op)))
          return signalPassFailure();
      // What the rewriting left without uses needs no layout.
      eraseDead(kernel);
      if (failed(LayoutAssigner(kernel).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
