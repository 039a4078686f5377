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
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fa;

static constexpr DimSet kHeads = dims(B, H, G);

static Type elementType(Value v) { return getElementTypeOrSelf(v.getType()); }

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
  for (auto [i, gradient] : llvm::enumerate(gradients))
    if (gradient.isWhole)
      kernels.push_back({0, {unsigned(i)}});
    else
      kernel.gradients.push_back(i);
  kernels.push_back(kernel);
  return kernels;
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
    DimSet own = gradients[i].isWhole ? 0 : gradients[i].dims;
    auto *owner = llvm::find_if(
        kernels, [&](const Kernel &k) { return !(k.parallel & ~own); });
    if (owner != kernels.end())
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

/// Memory for sums, zero before the next kernel.
void BackwardTiles::ensureWorkspace(Gradient &gradient) {
  if (gradient.workspace.value)
    return;
  bool isScaled = &gradient - gradients.data() < DValue;
  gradient.workspace = gradient.output;
  if (isScaled || elementType(gradient.output.value) != type)
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
    Value end = getValueOrCreateConstantIndexOp(
        b, loc, headExtents()[static_cast<unsigned>(dim)]);
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

//===----------------------------------------------------------------------===//
// Work on rows and on sums
//===----------------------------------------------------------------------===//

/// rowsum(d_out * out) - d_lse; 0 in empty rows. What lies past a length is
/// read as 0.
void BackwardTiles::computeDelta() {
  delta = {makeWorkspace(lse, type), lse.map};
  forEachTile(lse, [&](const Place &place) {
    Offsets at = offsetsAt(place);
    Value limit;
    if (rowsMayEndEarly)
      limit = enter(place).visibility.rowsEnd;
    auto load = [&](const Mapped &memory, ArrayRef<Dim> order) {
      return loadTile(memory, at, order, limit).value;
    };
    SmallVector<Value> rowTiles = {load(lse, {M})};
    if (dLse.value)
      rowTiles.push_back(load(dLse, {M}));

    AffineMap identity = b.getMultiDimIdentityMap(2);
    AffineMap row = identity.dropResult(1);
    Value sums = filledTile({queryTile}, 0);
    // Not all columns at once, where these are many: nothing else needs them.
    constexpr int64_t most = 128;
    int64_t columns = paddedE, all = paddedE;
    while (columns > most && columns % 32 == 0)
      columns /= 2;
    paddedE = columns;
    for (int64_t first = 0; first < all; first += columns) {
      at[E] = index.constant(first);
      Value outTile = load(out, {M, E}), dOutTile = load(dOut, {M, E});
      sums =
          linalg::GenericOp::create(
              b, loc, TypeRange{sums.getType()}, ValueRange{outTile, dOutTile},
              ValueRange{sums}, ArrayRef<AffineMap>{identity, identity, row},
              ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                            utils::IteratorType::reduction},
              [&](OpBuilder &b, Location loc, ValueRange a) {
                Value term =
                    arith::MulFOp::create(b, loc, castTo(b, loc, a[0], type),
                                          castTo(b, loc, a[1], type));
                Value sum = arith::AddFOp::create(b, loc, a[2], term);
                linalg::YieldOp::create(b, loc, sum);
              })
              .getResult(0);
    }
    paddedE = all;
    at[E] = index.constant(0);
    AffineMap one = b.getMultiDimIdentityMap(1);
    Value tile =
        linalg::GenericOp::create(
            b, loc, TypeRange{sums.getType()}, rowTiles, ValueRange{sums},
            SmallVector<AffineMap>(rowTiles.size() + 1, one),
            ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
            [&](OpBuilder &b, Location loc, ValueRange a) {
              Value v = a.back();
              if (dLse.value)
                v = arith::SubFOp::create(b, loc, v, a[1]);
              Value none = floatConstant(b, loc, type, 0);
              v = arith::SelectOp::create(b, loc, isMinusInfinity(b, loc, a[0]),
                                          none, v);
              linalg::YieldOp::create(b, loc, v);
            })
            .getResult(0);
    storeTile(tile, delta, at, {M});
  });
}

/// d_sink = -sum exp(sink - lse) * delta over the rows that a sink has.
void BackwardTiles::computeSinks(Mapped output) {
  SmallVector<Dim> loops;
  SmallVector<OpFoldResult> bounds;
  for (Dim dim : {B, H, G})
    if (positionOf(sinks.map, dim) >= 0) {
      loops.push_back(dim);
      bounds.push_back(headExtents()[static_cast<unsigned>(dim)]);
    }
  if (loops.empty())
    bounds.push_back(b.getIndexAttr(1));
  DimSet others =
      (rowDims | (isPacked() ? dims(B) : 0)) & kHeads & ~dimsOf(sinks.map);
  // A sum over columns is what every target can do in a tile: as many rows as
  // one has at least, which all compute the same. The first is stored.
  int64_t copies = mode == QueryGradient::Owned ? 1 : queryTile;
  auto addRows = [&](const Place &place, ValueRange carried) {
    Sequence s = enter(place);
    Value sink = loadTile(sinks, localOffsets(s, {}, {}), {}).value;
    return loop(
        index.constant(0), index.roundUp(s.visibility.rowsEnd, queryTile),
        queryTile, carried, [&](Value row, ValueRange sums) -> Values {
          Value limit = index.add(s.visibility.rowsEnd, s.rowStart);
          Offsets at = packedOffsets(s, row, {});
          SmallVector<Value> inputs = {sink,
                                       loadTile(lse, at, {M}, limit).value,
                                       loadTile(delta, at, {M}, limit).value};
          AffineMap identity = b.getMultiDimIdentityMap(2);
          AffineMap column = identity.dropResult(0),
                    copy = identity.dropResult(1);
          AffineMap scalar = AffineMap::get(2, 0, b.getContext());
          auto term = [&](OpBuilder &b, Location loc, ValueRange a) {
            // Of an empty row, delta is 0, as past the end.
            Value weight = expOfDifference(b, loc, castTo(b, loc, a[0], type),
                                           finiteMax(b, loc, a[1]));
            Value none = floatConstant(b, loc, type, 0);
            Value isNone = arith::CmpFOp::create(
                b, loc, arith::CmpFPredicate::OEQ, a[2], none);
            Value product = arith::MulFOp::create(b, loc, weight, a[2]);
            Value v = arith::SelectOp::create(
                b, loc, isNone, none, arith::NegFOp::create(b, loc, product));
            linalg::YieldOp::create(b, loc, v);
          };
          Value empty = tensor::EmptyOp::create(
              b, loc, ArrayRef<int64_t>{copies, queryTile}, type);
          using utils::IteratorType;
          Value terms =
              linalg::GenericOp::create(
                  b, loc, TypeRange{empty.getType()}, inputs, empty,
                  ArrayRef<AffineMap>{scalar, column, column, identity},
                  ArrayRef<IteratorType>{IteratorType::parallel,
                                         IteratorType::parallel},
                  term)
                  .getResult(0);
          auto add = linalg::GenericOp::create(
              b, loc, sums.getTypes(), ValueRange{terms}, sums,
              ArrayRef<AffineMap>{identity, copy},
              ArrayRef<IteratorType>{IteratorType::parallel,
                                     IteratorType::reduction},
              [](OpBuilder &b, Location loc, ValueRange a) {
                Value sum = arith::AddFOp::create(b, loc, a[1], a[0]);
                linalg::YieldOp::create(b, loc, sum);
              });
          return {add.getResult(0)};
        });
  };
  forall(bounds, [&](ValueRange at) {
    Place place = {};
    for (auto [i, dim] : llvm::enumerate(loops))
      place[dim] = at[i];
    Value sums =
        forEachHead(others, place, filledTile({copies}, 0), addRows)[0];
    sums = scaledAndCast(sums, elementType(output.value), {});
    SmallVector<Value> offsets = offsetsIn(output, offsetsAt(place));
    if (offsets.empty()) {
      Value scalar = tensor::ExtractOp::create(b, loc, sums, index.constant(0));
      memref::StoreOp::create(b, loc, scalar, output.value, offsets);
      return;
    }
    // Only one element, by the limit.
    StoreTileOp::create(b, loc, sums, output.value, offsets,
                        index.add(offsets[0], 1), ArrayRef<int64_t>{0});
  });
}

/// The dimensions of a tile of a gradient.
SmallVector<Dim> BackwardTiles::tileOrder(const Gradient &gradient) {
  SmallVector<Dim> order;
  for (Dim dim : {scoreOrder[0], scoreOrder[1], D, E})
    if (positionOf(gradient.output.map, dim) >= 0)
      order.push_back(dim);
  return order;
}

Value BackwardTiles::zeros(ArrayRef<Dim> order) {
  SmallVector<int64_t> shape;
  for (Dim dim : order)
    shape.push_back(tileExtent(dim));
  return filledTile(shape, 0);
}

void BackwardTiles::fillZero(const Mapped &memory) {
  SmallVector<Dim> order;
  for (Dim dim : {M, N, D, E})
    if (positionOf(memory.map, dim) >= 0)
      order.push_back(dim);
  forEachTile(memory, [&](const Place &place) {
    Value tile = scaledAndCast(zeros(order), elementType(memory.value), {});
    storeTile(tile, memory, offsetsAt(place), order);
  });
}

Value BackwardTiles::scaledAndCast(Value tile, Type element, Value factor) {
  auto from = cast<RankedTensorType>(tile.getType());
  if (!factor && from.getElementType() == element)
    return tile;
  AffineMap identity = b.getMultiDimIdentityMap(from.getRank());
  Value empty = tensor::EmptyOp::create(b, loc, from.getShape(), element);
  return linalg::GenericOp::create(
             b, loc, TypeRange{empty.getType()}, ValueRange{tile},
             ValueRange{empty}, ArrayRef<AffineMap>{identity, identity},
             SmallVector<utils::IteratorType>(from.getRank(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location loc, ValueRange a) {
               Value v = a[0];
               if (factor)
                 v = arith::MulFOp::create(b, loc, v, factor);
               linalg::YieldOp::create(b, loc, castTo(b, loc, v, element));
             })
      .getResult(0);
}

/// Sums in memory to the output.
void BackwardTiles::finish(const Gradient &gradient, Value factor) {
  if (gradient.isWhole) {
    auto rank = cast<MemRefType>(gradient.output.value.getType()).getRank();
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    linalg::GenericOp::create(
        b, loc, TypeRange{}, ValueRange{gradient.workspace.value},
        ValueRange{gradient.output.value},
        ArrayRef<AffineMap>{identity, identity},
        SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
        [&](OpBuilder &b, Location loc, ValueRange a) {
          linalg::YieldOp::create(b, loc, castTo(b, loc, a[0], a[1].getType()));
        });
    return;
  }
  SmallVector<Dim> order;
  for (Dim dim : {M, N, D, E})
    if (positionOf(gradient.output.map, dim) >= 0)
      order.push_back(dim);
  Type element = elementType(gradient.output.value);
  forEachTile(gradient.output, [&](const Place &place) {
    Offsets at = offsetsAt(place);
    Value tile = loadTile(gradient.workspace, at, order).value;
    storeTile(scaledAndCast(tile, element, factor), gradient.output, at, order);
  });
}

//===----------------------------------------------------------------------===//
// Tiles of inputs
//===----------------------------------------------------------------------===//

/// What lies past a length, or belongs to the next sequence, is read as 0: it
/// may be NaN, and 0 * NaN is NaN.
Value BackwardTiles::inputRowLimit(const Sequence &s, bool isFull) {
  if (isFull || (!rowsMayEndEarly && !isPacked()))
    return {};
  return index.add(s.visibility.rowsEnd, s.rowStart);
}

Value BackwardTiles::inputKeyLimit(const Sequence &s, bool isFull) {
  if (isFull || (!keysMayEndEarly && !isPacked()))
    return {};
  return index.add(s.visibility.keysEnd, s.keyStart);
}

/// Keys past it belong to the next packed sequence.
Value BackwardTiles::keyLimit(const Sequence &s) {
  return isPacked() ? index.add(s.keyStart, s.keyCount) : Value();
}

void BackwardTiles::loadRows(Tiles &tiles, const Sequence &s, Value row,
                             bool isFull) {
  Offsets at = packedOffsets(s, row, {});
  Value limit = inputRowLimit(s, isFull);
  tiles.query = loadTile(query, at, {M, D}, limit).value;
  tiles.dOut = loadTile(dOut, at, {M, E}, limit).value;
  tiles.lse = loadTile(lse, at, {M}, limit).value;
  tiles.delta = loadTile(delta, at, {M}, limit).value;
}

void BackwardTiles::loadKeys(Tiles &tiles, const Sequence &s, Value at,
                             bool isFull) {
  Offsets offsets = packedOffsets(s, {}, at);
  Value limit = inputKeyLimit(s, isFull);
  tiles.key = loadTile(key, offsets, {N, D}, limit).value;
  tiles.value = loadTile(value, offsets, {N, E}, limit).value;
}

//===----------------------------------------------------------------------===//
// Work on pairs
//===----------------------------------------------------------------------===//

void BackwardTiles::buildKernel(const Kernel &kernel) {
  // Sums that no loop carries are in memory.
  bool keepsRows = kernel.parallel & dims(M), keepsKeys = !keepsRows;
  queryTile = schedule.getQueryTile();
  keyTile = schedule.getKeyTile();
  if (auto streamed = op->getAttrOfType<IntegerAttr>(kStreamedTileName))
    (keepsKeys ? queryTile : keyTile) = streamed.getInt();
  for (unsigned i : kernel.gradients)
    if ((i == DQuery && keepsKeys) || (i >= FirstOther))
      ensureWorkspace(gradients[i]);
  // Rows of no sequence get zero gradients.
  for (unsigned i : {DQuery, DKey, DValue})
    if (isPacked() && kernel.has(i) && !gradients[i].workspace.value)
      fillZero(gradients[i].output);
  scoreOrder = {M, N};
  bool isOfKeys = llvm::any_of(kernel.gradients, [&](unsigned i) {
    return (gradients[i].dims & dims(M, N)) == dims(N);
  });
  if (!kernel.has(DQuery) || kernel.has(DKey) || kernel.has(DValue))
    if (isOfKeys)
      scoreOrder = {N, M};

  SmallVector<Dim> loops;
  SmallVector<OpFoldResult> bounds;
  for (Dim dim : {B, H, G, M, N}) {
    if (!(kernel.parallel & dims(dim)))
      continue;
    loops.push_back(dim);
    if (dim == M || dim == N)
      bounds.push_back(dim == M ? queryTileCount() : keyTileCount());
    else
      bounds.push_back(headExtents()[static_cast<unsigned>(dim)]);
  }
  if (loops.empty())
    bounds.push_back(b.getIndexAttr(1));

  // Heads outside of what loops carry, and inside.
  DimSet carried = kHeads;
  for (unsigned i : {DQuery, DKey, DValue})
    if (kernel.has(i) && (i != DQuery || keepsRows))
      carried &= gradients[i].dims;
  DimSet rest = kHeads & ~kernel.parallel;
  forall(bounds, [&](ValueRange at) {
    Place place = {};
    for (auto [i, dim] : llvm::enumerate(loops)) {
      Value number = at[i];
      // The first keys of a causal mask are seen by the most rows. Targets
      // start with the last blocks.
      if (dim == N && right && !left)
        number = index.sub(
            index.add(getValueOrCreateConstantIndexOp(b, loc, bounds[i]), -1),
            number);
      place[dim] = index.mul(number, dim == M   ? queryTile
                                     : dim == N ? keyTile
                                                : 1);
    }
    forEachHead(rest & carried, place, {},
                [&](const Place &place, ValueRange) -> Values {
                  DimSet inner = rest & ~carried;
                  if (!keepsRows)
                    streamRows(kernel, inner, place);
                  else if (kernel.parallel & dims(N))
                    onePair(kernel, place);
                  else
                    streamKeys(kernel, inner, place);
                  return {};
                });
  });
}

BackwardTiles::Values
BackwardTiles::stream(const TileRange &range, int64_t step, ValueRange carried,
                      function_ref<Values(Value, ValueRange, bool)> body) {
  Values values(carried);
  auto part = [&](Value begin, Value end, bool isFull) {
    values = loop(begin, end, step, values, [&](Value at, ValueRange carried) {
      return body(at, carried, isFull);
    });
  };
  part(range.begin, range.fullBegin, false);
  part(range.fullBegin, range.fullEnd, true);
  part(range.fullEnd, range.end, false);
  return values;
}

void BackwardTiles::streamRows(const Kernel &kernel, DimSet inner,
                               const Place &outer) {
  Sequence s = enter(outer);
  SmallVector<unsigned> kept;
  for (unsigned i : {DKey, DValue})
    if (kernel.has(i))
      kept.push_back(i);
  auto overRows = [&](const Place &place, ValueRange carried,
                      Tiles tiles) -> Values {
    Sequence own = inner == dims(G) ? s : enter(place);
    if (inner == dims(G))
      own.g = place[G];
    if (!tiles.key)
      loadKeys(tiles, own, place[N], /*isFull=*/false);
    tiles.fixed = loadFixed(own, {}, place[N], M);
    TileRange range =
        visibleRows(index, own.visibility, place[N], queryTile, keyTile);
    return stream(range, queryTile, carried,
                  [&](Value row, ValueRange sums, bool isFull) -> Values {
                    Tiles all = tiles;
                    loadRows(all, own, row, isFull);
                    std::array<Value, 3> into = {};
                    for (auto [i, sum] : llvm::zip_equal(kept, sums))
                      into[i] = sum;
                    Values results =
                        step(kernel, own, all, into, row, place[N], isFull);
                    return llvm::map_to_vector(
                        kept, [&](unsigned i) { return results[i]; });
                  });
  };
  auto oneTile = [&](const Place &place) {
    Tiles tiles;
    // Keys that no inner loop tells apart are loaded once. A length does.
    DimSet toldApart = dimsOf(key.map) | dimsOf(value.map);
    if (keysMayEndEarly)
      toldApart |= dims(B);
    if (!(toldApart & inner))
      loadKeys(tiles, s, place[N], /*isFull=*/false);
    Values sums;
    for (unsigned i : kept)
      sums.push_back(i == DKey ? zeros({N, D}) : zeros({N, E}));
    sums = forEachHead(inner, place, sums,
                       [&](const Place &place, ValueRange carried) {
                         return overRows(place, carried, tiles);
                       });
    for (auto [i, sum] : llvm::zip_equal(kept, sums))
      storeSum(sum, gradients[i], place, s, i == DKey ? scale : Value());
  };
  if (outer[N])
    return ifInside(s, outer, [&] { oneTile(outer); });
  Value end = isPacked() ? s.keyCount : extents[N];
  loop(index.constant(0), index.roundUp(end, keyTile), keyTile, {},
       [&](Value at, ValueRange) -> Values {
         Place place = outer;
         place[N] = at;
         oneTile(place);
         return {};
       });
}

void BackwardTiles::streamKeys(const Kernel &kernel, DimSet inner,
                               const Place &outer) {
  Sequence s = enter(outer);
  bool moves = kernel.has(DQuery);
  Value row = outer[M];
  auto overKeys = [&](const Place &place, ValueRange carried) -> Values {
    Sequence own = inner ? enter(place) : s;
    Tiles tiles;
    loadRows(tiles, own, row, /*isFull=*/false);
    tiles.fixed = loadFixed(own, row, {}, N);
    TileRange range =
        visibleKeys(index, own.visibility, row, queryTile, keyTile);
    return stream(range, keyTile, carried,
                  [&](Value key, ValueRange sums, bool isFull) -> Values {
                    Tiles all = tiles;
                    loadKeys(all, own, key, isFull);
                    std::array<Value, 3> into = {};
                    if (moves)
                      into[DQuery] = sums[0];
                    Values results =
                        step(kernel, own, all, into, row, key, isFull);
                    return moves ? Values{results[DQuery]} : Values{};
                  });
  };
  ifInside(s, outer, [&] {
    Values sums;
    if (moves)
      sums = {zeros({M, D})};
    sums = forEachHead(inner, outer, sums, overKeys);
    if (moves)
      storeSum(sums[0], gradients[DQuery], outer, s, scale);
  });
}

void BackwardTiles::onePair(const Kernel &kernel, const Place &place) {
  Sequence s = enter(place);
  ifInside(s, place, [&] {
    Tiles tiles;
    loadRows(tiles, s, place[M], /*isFull=*/false);
    loadKeys(tiles, s, place[N], /*isFull=*/false);
    tiles.fixed = loadFixed(s, place[M], place[N], D);
    step(kernel, s, tiles, {}, place[M], place[N], /*isFull=*/false);
  });
}

BackwardTiles::Values BackwardTiles::step(const Kernel &kernel,
                                          const Sequence &s, const Tiles &tiles,
                                          std::array<Value, 3> sums, Value row,
                                          Value key, bool isFull) {
  MLIRContext *context = b.getContext();
  SmallVector<AffineMap> maps = {mapOf(context, {M, D}), mapOf(context, {N, D}),
                                 mapOf(context, {N, E})};
  SmallVector<Value> operands;
  for (const Mapped &tile : loadMissing(s, tiles.fixed, row, key)) {
    operands.push_back(tile.value);
    if (tile.value)
      maps.push_back(tile.map);
  }
  AffineMap rowMap = mapOf(context, {M});
  maps.append({rowMap, rowMap, mapOf(context, {M, E})});

  // d_query, d_key and d_value are always outputs; one that nobody reads is not
  // computed.
  Values outputs;
  const std::array<std::array<Dim, 2>, 3> orders = {
      std::array{M, D}, std::array{N, D}, std::array{N, E}};
  for (unsigned i : {DQuery, DKey, DValue}) {
    outputs.push_back(sums[i] ? sums[i] : zeros(orders[i]));
    maps.push_back(mapOf(context, orders[i]));
  }
  bool hasBias = false;
  SmallVector<int64_t> captureNumbers;
  for (unsigned i = FirstOther; i < gradients.size(); ++i) {
    const Gradient &gradient = gradients[i];
    if (!kernel.has(i))
      continue;
    if (gradient.capture < 0)
      hasBias = true;
    else
      captureNumbers.push_back(gradient.capture);
    if (gradient.isWhole) {
      auto memory = cast<MemRefType>(gradient.workspace.value.getType());
      outputs.push_back(bufferization::ToTensorOp::create(
          b, loc,
          RankedTensorType::get(memory.getShape(), memory.getElementType()),
          gradient.workspace.value, /*restrict=*/true, /*writable=*/true));
      maps.push_back(mapOf(context, {}));
      continue;
    }
    SmallVector<Dim> order = tileOrder(gradient);
    outputs.push_back(zeros(order));
    maps.push_back(mapOf(context, order));
  }
  Positions at = positionsOf(s, row, key, isFull, /*limitsRows=*/true);
  bool keepWindow = !isFull;
  auto tile = OnlineAttentionBackwardOp::create(
      b, loc, TypeRange(ValueRange(outputs)), tiles.query, tiles.key,
      tiles.value, scale, operands[0], operands[1], operands[2], tiles.lse,
      tiles.delta, tiles.dOut, ValueRange(operands).drop_front(3), Value(),
      Value(), Value(), Value(), at.queryBase, at.keyBase, at.batchBase,
      at.headBase, at.queryLimit, at.keyLimit, at.offset, outputs,
      b.getAffineMapArrayAttr(maps),
      keepWindow ? op.getCausalAttr() : UnitAttr(),
      keepWindow && left ? op.getWindowLeftAttr() : IntegerAttr(),
      keepWindow && op.getWindowRight() && right ? op.getWindowRightAttr()
                                                 : IntegerAttr(),
      AlignmentAttr::get(context, Alignment::TopLeft), op.getSoftcapAttr(),
      op.getSoftmaxTypeAttr(), hasBias ? b.getUnitAttr() : UnitAttr(),
      b.getDenseI64ArrayAttr(captureNumbers));
  IRMapping mapping;
  op.getScoreRegion().cloneInto(&tile.getScoreRegion(), mapping);
  op.getMaskRegion().cloneInto(&tile.getMaskRegion(), mapping);

  Values results(tile.getResults());
  if (kernel.has(DQuery) && !sums[DQuery])
    addToMemory(kernel, s, gradients[DQuery], results[DQuery], row, key);
  unsigned next = FirstOther;
  for (unsigned i = FirstOther; i < gradients.size(); ++i)
    if (kernel.has(i))
      addToMemory(kernel, s, gradients[i], results[next++], row, key);
  return results;
}

void BackwardTiles::addToMemory(const Kernel &kernel, const Sequence &s,
                                Gradient &gradient, Value tile, Value row,
                                Value key) {
  if (gradient.isWhole) {
    bufferization::MaterializeInDestinationOp::create(
        b, loc, TypeRange{}, tile, gradient.workspace.value, /*restrict=*/true,
        /*writable=*/true);
    return;
  }
  bool isQuery = &gradient == &gradients[DQuery];
  SmallVector<int64_t> tileDims;
  for (Dim dim : tileOrder(gradient))
    tileDims.push_back(positionOf(gradient.output.map, dim));
  Offsets at = isQuery ? packedOffsets(s, row, key) : localOffsets(s, row, key);
  bool isOwned = !(kernel.parallel & ~gradient.dims);
  AccumulateOp::create(
      b, loc, tile, gradient.workspace.value, offsetsIn(gradient.workspace, at),
      isQuery ? rowLimit(s) : Value(),
      isOwned ? AccumulateMode::Owned : AccumulateMode::Atomic, tileDims);
}

/// Stores a sum that loops carried.
void BackwardTiles::storeSum(Value sum, const Gradient &gradient,
                             const Place &place, const Sequence &s,
                             Value factor) {
  bool isQuery = &gradient == &gradients[DQuery];
  sum = scaledAndCast(sum, elementType(gradient.output.value), factor);
  Offsets at = packedOffsets(s, place[M], place[N]);
  SmallVector<Dim> order;
  for (Dim dim : {M, N, D, E})
    if (positionOf(gradient.output.map, dim) >= 0)
      order.push_back(dim);
  storeTile(sum, gradient.output, at, order,
            isQuery ? rowLimit(s) : keyLimit(s));
}
