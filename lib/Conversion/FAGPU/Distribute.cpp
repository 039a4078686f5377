//===- Distribute.cpp - tiles with layouts to scalars per thread ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "ScalarCloner.h"
#include "fa/Conversion/FAGPU/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fa {
#define GEN_PASS_DEF_FADISTRIBUTE
#include "fa/Conversion/FAGPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

//===----------------------------------------------------------------------===//
// Tiles without computation
//===----------------------------------------------------------------------===//

namespace {

/// What an op that only says what it will be overwritten with holds.
struct EmptyPattern : OpConversionPattern<tensor::EmptyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tensor::EmptyOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    Value zero =
        arith::ConstantOp::create(b, op.getLoc(), b.getZeroAttr(types.front()));
    b.replaceOpWithMultiple(op, {SmallVector<Value>(types.size(), zero)});
    return success();
  }
};

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    SmallVector<Type> types;
    if (!dense || !dense.isSplat() ||
        failed(getTypeConverter()->convertType(op.getType(), types)))
      return b.notifyMatchFailure(op, "no splat tile");
    auto value = cast<TypedAttr>(dense.getSplatValue<Attribute>());
    if (value.getType() != types.front())
      return b.notifyMatchFailure(op, "a packed operand is never constant");
    Value v = arith::ConstantOp::create(b, op.getLoc(), value);
    b.replaceOpWithMultiple(op, {SmallVector<Value>(types.size(), v)});
    return success();
  }
};

struct FillPattern : OpConversionPattern<linalg::FillOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(linalg::FillOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Type> types;
    if (failed(
            getTypeConverter()->convertType(op.getResult(0).getType(), types)))
      return failure();
    Value v = adaptor.getInputs().front().front();
    if (v.getType() != types.front())
      return b.notifyMatchFailure(op, "a packed operand is never filled");
    b.replaceOpWithMultiple(op, {SmallVector<Value>(types.size(), v)});
    return success();
  }
};

/// Tensors of rank 0 are scalars.
struct FromElementsPattern : OpConversionPattern<tensor::FromElementsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (op.getType().getRank() != 0)
      return b.notifyMatchFailure(op, "only rank 0");
    b.replaceOp(op, adaptor.getElements().front().front());
    return success();
  }
};

struct ExtractPattern : OpConversionPattern<tensor::ExtractOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tensor::ExtractOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (op.getTensor().getType().getRank() != 0)
      return b.notifyMatchFailure(op, "only rank 0");
    b.replaceOp(op, adaptor.getTensor().front());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// x op y for a reduction's op.
Value combine(OpBuilder &b, Operation *combiner, Value x, Value y) {
  OperationState state(combiner->getLoc(), combiner->getName());
  state.addOperands({x, y});
  state.addTypes(x.getType());
  return b.create(state)->getResult(0);
}

/// The same over the four lanes of a quad; every lane gets the result.
Value combineQuad(OpBuilder &b, Operation *combiner, Value v) {
  Location loc = combiner->getLoc();
  I32Builder i(b, loc);
  Type type = v.getType();
  for (int64_t mask : {1, 2}) {
    Value other =
        NVVM::ShflOp::create(b, loc, type, i.constant(-1), v, i.constant(mask),
                             i.constant(31), NVVM::ShflKind::bfly, UnitAttr());
    v = combine(b, combiner, v, other);
  }
  return v;
}

/// The op that adds to output `argument` in a reduction's body, if it is one
/// that may be reordered, and what it adds.
std::pair<Operation *, Value> reductionOf(Block *body, BlockArgument argument,
                                          Value yielded) {
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || combiner->getBlock() != body ||
      !isa<arith::AddFOp, arith::MulFOp, arith::MaxNumFOp, arith::MinNumFOp,
           arith::MaximumFOp, arith::MinimumFOp>(combiner) ||
      !argument.hasOneUse())
    return {};
  if (combiner->getOperand(0) == argument)
    return {combiner, combiner->getOperand(1)};
  if (combiner->getOperand(1) == argument)
    return {combiner, combiner->getOperand(0)};
  return {};
}

struct LinalgPattern : ConversionPattern {
  LinalgPattern(const TypeConverter &converter, MLIRContext *context,
                ThreadContext &thread)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context),
        thread(thread) {}

  LogicalResult matchAndRewrite(Operation *operation,
                                ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &b) const override {
    auto op = dyn_cast<linalg::LinalgOp>(operation);
    if (!op || isa<linalg::FillOp, linalg::ContractOp>(operation))
      return b.notifyMatchFailure(operation, "no elementwise op or reduction");
    for (AffineMap map : op.getIndexingMapsArray())
      if (!map.isProjectedPermutation())
        return b.notifyMatchFailure(operation, "no projected permutation");
    ScalarCloner cloner(b, op, operands, thread);
    SmallVector<SmallVector<Value>> results;
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      FailureOr<SmallVector<Value>> result =
          op.getNumReductionLoops() == 0
              ? elementwise(b, op, cloner, i)
              : reduction(b, op, cloner, i, operands[init.getOperandNumber()]);
      if (failed(result))
        return failure();
      results.push_back(std::move(*result));
    }
    b.replaceOpWithMultiple(operation, std::move(results));
    return success();
  }

private:
  static Value yielded(linalg::LinalgOp op, unsigned i) {
    return op.getBlock()->getTerminator()->getOperand(i);
  }

  FailureOr<SmallVector<Value>> elementwise(OpBuilder &b, linalg::LinalgOp op,
                                            ScalarCloner &cloner,
                                            unsigned i) const {
    auto type = cast<RankedTensorType>(op->getResult(i).getType());
    Value v = yielded(op, i);
    Fragment loops = cloner.iterations();
    if (hasLayout<AOpAttr>(type))
      return packed(b, cloner, cast<FloatType>(type.getElementType()), v);
    SmallVector<Value> results(loops.size());
    for (int64_t row = 0; row < loops.rows; ++row)
      for (int64_t column = 0; column < loops.columns; ++column)
        results[loops.at(row, column)] = cloner.get(v, row, column);
    return results;
  }

  SmallVector<Value> packed(OpBuilder &b, ScalarCloner &cloner,
                            FloatType element, Value v) const {
    // Rounding two at once is one instruction.
    auto rounding = v.getDefiningOp<arith::TruncFOp>();
    bool isRounded = rounding && rounding.getIn().getType().isF32();
    Fragment loops = cloner.iterations();
    SmallVector<Value> results(loops.size() / 2);
    Location loc = v.getLoc();
    for (int64_t row = 0; row < loops.rows; ++row)
      for (int64_t column = 0; column < loops.columns; column += 2) {
        Value source = isRounded ? rounding.getIn() : v;
        Value first = cloner.get(source, row, column);
        Value second = cloner.get(source, row, column + 1);
        results[loops.at(row, column) / 2] =
            isRounded ? packRounded(b, loc, element, first, second)
                      : packPair(b, loc, first, second);
      }
    return results;
  }

  /// Two chains over the thread's columns, then the quad, then the initial
  /// value.
  FailureOr<SmallVector<Value>> reduction(OpBuilder &b, linalg::LinalgOp op,
                                          ScalarCloner &cloner, unsigned i,
                                          ValueRange init) const {
    auto iterators = op.getIteratorTypesArray();
    if (iterators.size() != 2 ||
        iterators[0] != utils::IteratorType::parallel ||
        iterators[1] != utils::IteratorType::reduction)
      return rewriteError(op, "only sums over a tile's columns are "
                              "supported");
    auto [combiner, source] = reductionOf(
        op.getBlock(), op.getBlock()->getArgument(op.getNumDpsInputs() + i),
        yielded(op, i));
    if (!combiner)
      return rewriteError(op, "this reduction's body cannot be reordered");
    if (!getElementTypeOrSelf(op->getResult(i).getType()).isF32())
      return rewriteError(op, "reductions are in f32");
    Fragment loops = cloner.iterations();
    SmallVector<Value> results;
    for (int64_t row = 0; row < loops.rows; ++row) {
      std::array<Value, 2> chains;
      for (int64_t column = 0; column < loops.columns; ++column) {
        Value v = cloner.get(source, row, column);
        Value &chain = chains[column % 2];
        chain = chain ? combine(b, combiner, chain, v) : v;
      }
      Value v =
          chains[1] ? combine(b, combiner, chains[0], chains[1]) : chains[0];
      v = combineQuad(b, combiner, v);
      results.push_back(combine(b, combiner, init[row], v));
    }
    return results;
  }

  static LogicalResult rewriteError(linalg::LinalgOp op, StringRef why) {
    return op.emitError("machine stage: ") << why;
  }

  ThreadContext &thread;
};

struct PartialSumsPattern : OpConversionPattern<PartialSumsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(PartialSumsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Fragment f = Fragment::of(cast<RankedTensorType>(op.getSource().getType()));
    Location loc = op.getLoc();
    ValueRange source = adaptor.getSource();
    SmallVector<Value> sums;
    for (int64_t row = 0; row < f.rows; ++row) {
      std::array<Value, 2> chains;
      for (int64_t column = 0; column < f.columns; ++column) {
        Value v = source[f.at(row, column)];
        Value &chain = chains[column % 2];
        chain = chain ? arith::AddFOp::create(b, loc, chain, v).getResult() : v;
      }
      sums.push_back(arith::AddFOp::create(b, loc, chains[0], chains[1]));
    }
    b.replaceOpWithMultiple(op, {sums});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Scaling of rows
//===----------------------------------------------------------------------===//

/// The row slot of value `i` of an accumulator fragment of `rows` slots.
int64_t rowSlotOf(int64_t i, size_t size, size_t rows) {
  int64_t perBlock = size / (rows / 2);
  return i / perBlock * 2 + i / 2 % 2;
}

/// Over the warp, so that it branches as one.
Value anyOf(OpBuilder &b, Location loc, ValueRange rows) {
  Value any = rows.front();
  for (Value row : rows.drop_front())
    any = arith::OrIOp::create(b, loc, any, row);
  Value everyLane = arith::ConstantIntOp::create(b, loc, -1, 32);
  return NVVM::VoteSyncOp::create(b, loc, b.getI1Type(), everyLane, any,
                                  NVVM::VoteSyncKind::any);
}

struct AnyRowPattern : OpConversionPattern<AnyRowOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AnyRowOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, anyOf(b, op.getLoc(), adaptor.getRows()));
    return success();
  }
};

struct ScaleRowsPattern : OpConversionPattern<ScaleRowsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ScaleRowsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    ValueRange tile = adaptor.getTile(), factors = adaptor.getFactors();
    if (!op.getSkipIfOne() && !op.getChanges()) {
      b.replaceOpWithMultiple(op, {scale(b, op.getLoc(), tile, factors)});
      return success();
    }
    Location loc = op.getLoc();
    Value changes =
        op.getChanges() ? op.getChanges() : anyIsNotOne(b, loc, factors);
    auto branch = scf::IfOp::create(
        b, loc, changes,
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, scale(b, loc, tile, factors));
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, tile);
        });
    b.replaceOpWithMultiple(op, {branch.getResults()});
    return success();
  }

private:
  static SmallVector<Value> scale(OpBuilder &b, Location loc, ValueRange tile,
                                  ValueRange factors) {
    SmallVector<Value> scaled;
    for (auto [i, value] : llvm::enumerate(tile)) {
      Value factor = factors[rowSlotOf(i, tile.size(), factors.size())];
      scaled.push_back(arith::MulFOp::create(b, loc, value, factor));
    }
    return scaled;
  }

  static Value anyIsNotOne(OpBuilder &b, Location loc, ValueRange factors) {
    Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
    SmallVector<Value> differ;
    for (Value factor : factors)
      differ.push_back(arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                             factor, one));
    return anyOf(b, loc, differ);
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct DistributePass : fa::impl::FADistributeBase<DistributePass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<mlir::gpu::GPUFuncOp>())
      if (failed(distribute(kernel)))
        return signalPassFailure();
  }

  LogicalResult distribute(mlir::gpu::GPUFuncOp kernel) {
    MLIRContext *context = &getContext();
    ThreadContext thread(kernel);
    TileConverter converter;
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    populateDistributeLinalgPatterns(converter, patterns, thread);
    populateDistributeMmaPatterns(converter, patterns, thread);
    populateDistributeFragmentPatterns(converter, patterns, thread);
    populateDistributeMemoryPatterns(converter, patterns, thread);
    populateDistributeChunkPatterns(converter, patterns, thread);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.addLegalDialect<arith::ArithDialect, LLVM::LLVMDialect,
                           NVVM::NVVMDialect, math::MathDialect,
                           memref::MemRefDialect, vector::VectorDialect>();
    target.addIllegalDialect<FAGPUDialect>();
    // Handles of shared memory have no run-time value; they go last.
    target.addLegalOp<AllocOp>();
    target.addDynamicallyLegalOp<arith::ConstantOp, arith::SelectOp>(
        [&](Operation *op) { return converter.isLegal(op); });
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return !isa<LoadTileOp, StoreTileOp>(op) && converter.isLegal(op) &&
             !isa<linalg::LinalgOp>(op);
    });
    ConversionConfig config;
    if (failed(applyPartialConversion(kernel, target, std::move(patterns),
                                      config)))
      return failure();
    SmallVector<AllocOp> handles;
    kernel.walk([&](AllocOp op) { handles.push_back(op); });
    for (AllocOp op : handles)
      if (op.use_empty())
        op.erase();
    return success();
  }
};

} // namespace

void fa::fagpu::populateDistributeLinalgPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns,
                                                 ThreadContext &thread) {
  MLIRContext *context = patterns.getContext();
  patterns
      .add<EmptyPattern, ConstantPattern, FillPattern, FromElementsPattern,
           ExtractPattern, PartialSumsPattern, AnyRowPattern, ScaleRowsPattern>(
          converter, context);
  patterns.add<LinalgPattern>(converter, context, thread);
}
