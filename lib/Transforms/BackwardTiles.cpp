//===- BackwardTiles.cpp - the tile program of the gradients --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// A gradient belongs to some of the dimensions b, h, g, m, n and is a sum over
// the others. A block that keeps a subset of a gradient's dimensions has all of
// its sum: it owns the gradient. Everything here follows from these sets.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/BackwardTiles.h"
#include "fa/Transforms/AttentionProblem.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fa;

BackwardTiles::BackwardTiles(OpBuilder &b, AttentionBackwardOp op,
                             BackwardScheduleAttr schedule)
    : TileProgram(b, cast<AttentionOpInterface>(op.getOperation()),
                  schedule.getQueryTile(), schedule.getKeyTile()),
      op(op), schedule(schedule), mode(schedule.getDQuery()),
      type(self.getComputeType()) {}

void BackwardTiles::build(ArrayRef<Value> outputs) {
  prepare(outputs);
  computeDelta();
  if (op.getSinksGradient())
    computeSinks(
        {outputs[op.getBiasGradient() ? 4 : 3],
         self.getMapOf(op.getOutputsMutable()[op.getBiasGradient() ? 4 : 3])});
  for (const Kernel &kernel : planKernels())
    buildKernel(kernel);
  queryTile = schedule.getQueryTile();
  keyTile = schedule.getKeyTile();
  for (auto [i, gradient] : llvm::enumerate(gradients))
    if (gradient.workspace.value &&
        gradient.workspace.value != gradient.output.value)
      finish(gradient, i < DValue ? scale : Value());
}

//===----------------------------------------------------------------------===//
// Operands and plans
//===----------------------------------------------------------------------===//

/// The dimensions that a block may keep. With packed sequences, b says which
/// rows and keys these are, and everything over all rows has it.
DimSet BackwardTiles::keptDims(DimSet set) const {
  return set & dims(B, H, G, M, N);
}

void BackwardTiles::prepare(ArrayRef<Value> outputs) {
  prepareOperands();
  out = inMemory(op.getOutMutable());
  lse = inMemory(op.getLseMutable());
  dOut = inMemory(op.getDOutMutable());
  dLse = inMemory(op.getDLseMutable());
  sinks = inMemory(op.getSinksMutable());
  prepareExtents({out, lse, dOut});
  rowDims = dimsOf(lse.map);

  int64_t captureNumber = 0;
  for (auto [output, memory, of] : llvm::zip_equal(
           op.getOutputsMutable(), outputs, op.getDifferentiated())) {
    if (op.getSinks() && of == &op.getSinksMutable()[0])
      continue;
    Gradient gradient;
    gradient.of = of;
    gradient.output = {memory, self.getMapOf(output)};
    gradient.dims = keptDims(dimsOf(gradient.output.map));
    if (isPacked() && gradients.size() < FirstOther)
      gradient.dims |= dims(B);
    bool isBias = op.getBiasGradient() && gradients.size() == FirstOther;
    if (gradients.size() >= FirstOther && !isBias) {
      gradient.capture = op.getCaptureGradients()[captureNumber++];
      gradient.isWhole = self.isWholeCapture(*of);
    }
    // A block that keeps all of a sequence adds up a number; others do so per
    // row first.
    gradient.isPerRow = gradients.size() >= FirstOther && !gradient.isWhole &&
                        mode != QueryGradient::Owned &&
                        !(gradient.dims & dims(M, N));
    if (gradient.isPerRow)
      addRowWorkspace(gradient);
    gradients.push_back(gradient);
  }
}

SmallVector<BackwardTiles::Kernel> BackwardTiles::planKernels() {
  // Keys and values may differ in whether they have b or h.
  bool isRegular = gradients[DKey].dims == gradients[DValue].dims;
  if (isRegular && mode == QueryGradient::Owned)
    return planOneKernel();
  if (isRegular && mode == QueryGradient::Atomic)
    return planAtomic();
  return planRecompute();
}

SmallVector<BackwardTiles::Kernel> BackwardTiles::planOneKernel() {
  Kernel kernel;
  kernel.parallel = kHeads;
  for (auto [i, gradient] : llvm::enumerate(gradients)) {
    kernel.parallel &= gradient.dims;
    kernel.gradients.push_back(i);
  }
  return {kernel};
}

SmallVector<BackwardTiles::Kernel> BackwardTiles::planAtomic() {
  Kernel kernel;
  kernel.parallel = gradients[DKey].dims;
  SmallVector<Kernel> kernels;
  // What belongs to rows and not to keys is a sum over keys: for blocks that
  // keep rows.
  for (auto [i, gradient] : llvm::enumerate(gradients))
    if (gradient.isWhole)
      kernels.push_back({wholeCaptureBlocks(), {unsigned(i)}});
    else if (i >= FirstOther && !(gradient.dims & dims(N)))
      kernels.push_back({gradient.dims, {unsigned(i)}});
    else
      kernel.gradients.push_back(i);
  kernels.push_back(kernel);
  return kernels;
}

/// One block for all, or all blocks of rows.
DimSet BackwardTiles::wholeCaptureBlocks() const {
  return op->hasAttr(kAtomicCapturesName) ? gradients[DQuery].dims : 0;
}

SmallVector<BackwardTiles::Kernel> BackwardTiles::planRecompute() {
  SmallVector<Kernel> kernels = {{gradients[DKey].dims, {DKey}}};
  if (gradients[DKey].dims == gradients[DValue].dims &&
      !op->hasAttr(kSplitName))
    kernels[0].gradients.push_back(DValue);
  else
    kernels.push_back({gradients[DValue].dims, {DValue}});
  kernels.push_back({gradients[DQuery].dims, {DQuery}});
  for (unsigned i = FirstOther; i < gradients.size(); ++i) {
    DimSet own =
        gradients[i].isWhole ? wholeCaptureBlocks() : gradients[i].dims;
    if (gradients[i].isWhole) {
      kernels.push_back({own, {i}});
      continue;
    }
    // The most blocks; of those that keep rows, which have registers left.
    Kernel *owner = nullptr;
    for (Kernel &k : kernels)
      if (!(k.parallel & ~own) &&
          (!owner ||
           llvm::popcount(k.parallel) >= llvm::popcount(owner->parallel)))
        owner = &k;
    if (owner)
      owner->gradients.push_back(i);
    else
      kernels.push_back({own, {i}});
  }
  return kernels;
}

Value BackwardTiles::makeWorkspace(const Mapped &like, Type element) {
  auto memory = cast<MemRefType>(like.value.getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < memory.getRank(); ++i)
    if (memory.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(b, loc, like.value, i));
  return memref::AllocOp::create(
      b, loc, MemRefType::get(memory.getShape(), element), sizes);
}

/// Sums per row of every head, as lse has them.
void BackwardTiles::addRowWorkspace(Gradient &gradient) {
  gradient.workspace = {makeWorkspace(lse, type), lse.map};
  gradient.dims = keptDims(rowDims | (isPacked() ? dims(B) : 0));
  fillZero(gradient.workspace);
}

/// Memory for sums, zero before the next kernel.
void BackwardTiles::ensureWorkspace(Gradient &gradient) {
  if (gradient.workspace.value)
    return;
  bool isScaled = &gradient - gradients.data() < DValue;
  gradient.workspace = gradient.output;
  if (isScaled || getElementTypeOrSelf(gradient.output.value) != type)
    gradient.workspace.value = makeWorkspace(gradient.output, type);
  if (!gradient.isWhole)
    return fillZero(gradient.workspace);
  linalg::FillOp::create(b, loc, floatConstant(b, loc, type, 0),
                         gradient.workspace.value);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

scf::ForallOp BackwardTiles::forall(ArrayRef<OpFoldResult> bounds,
                                    function_ref<void(ValueRange)> body) {
  auto loops = scf::ForallOp::create(
      b, loc, bounds, ValueRange{}, std::nullopt,
      [&](OpBuilder &nested, Location, ValueRange at) {
        // The builders insert where this body is.
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(nested.saveInsertionPoint());
        body(at);
        scf::InParallelOp::create(b, loc);
      });
  kernels.push_back(loops);
  return loops;
}

OpFoldResult BackwardTiles::tileCount(const Mapped &memory, Dim dim) {
  OpFoldResult extent =
      extentOfDim(b, loc, memory.value, positionOf(memory.map, dim));
  return getAsOpFoldResult(index.ceilDiv(
      getValueOrCreateConstantIndexOp(b, loc, extent), tileExtent(dim)));
}

void BackwardTiles::forEachTile(const Mapped &memory, TileBody body) {
  SmallVector<Dim> loops;
  SmallVector<OpFoldResult> bounds;
  for (Dim dim : {B, H, G, M, N})
    if (positionOf(memory.map, dim) >= 0) {
      loops.push_back(dim);
      bounds.push_back(tileCount(memory, dim));
    }
  if (loops.empty())
    bounds.push_back(b.getIndexAttr(1));
  forall(bounds, [&](ValueRange at) {
    Place place = {};
    for (auto [i, dim] : llvm::enumerate(loops))
      place[dim] = index.mul(at[i], tileExtent(dim));
    body(place);
  });
}

/// Loops over those of b, h and g that are in `over`.
BackwardTiles::Values BackwardTiles::forEachHead(DimSet over, Place place,
                                                 ValueRange carried,
                                                 CarryBody body) {
  for (Dim dim : {B, H, G}) {
    if (!(over & dims(dim)))
      continue;
    OpFoldResult extent = headExtents()[static_cast<unsigned>(dim)];
    // What there is one of needs no loop.
    if (isConstantIntValue(extent, 1)) {
      place[dim] = index.constant(0);
      continue;
    }
    Value end = getValueOrCreateConstantIndexOp(b, loc, extent);
    return loop(index.constant(0), end, 1, carried,
                [&](Value at, ValueRange inner) {
                  place[dim] = at;
                  return forEachHead(over & ~dims(dim), place, inner, body);
                });
  }
  return body(place, carried);
}

TileProgram::Sequence BackwardTiles::enter(const Place &place) {
  auto orZero = [&](Value v) { return v ? v : index.constant(0); };
  Sequence s =
      enterSequence(orZero(place[B]), orZero(place[H]), orZero(place[G]));
  s.visibility.hidesRows = true;
  s.visibility.keysMayEndEarly = keysMayEndEarly;
  return s;
}

/// The body, if the tile that the place keeps begins inside of its sequence.
void BackwardTiles::ifInside(const Sequence &s, const Place &place,
                             function_ref<void()> body) {
  Value inside;
  auto also = [&](Value at, Value end) {
    if (!at)
      return;
    Value condition =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, end);
    inside = inside
                 ? arith::AndIOp::create(b, loc, inside, condition).getResult()
                 : condition;
  };
  if (isPacked()) {
    also(place[M], s.rowCount);
    also(place[N], s.keyCount);
  }
  if (!inside)
    return body();
  auto guarded = scf::IfOp::create(b, loc, inside);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  body();
}

TileProgram::Offsets BackwardTiles::offsetsAt(const Place &place) {
  Offsets offsets = place;
  for (Value &offset : offsets)
    if (!offset)
      offset = index.constant(0);
  return offsets;
}
