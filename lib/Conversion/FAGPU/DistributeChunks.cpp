//===- DistributeChunks.cpp - whole rows of tiles, 16 bytes at a time -----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GlobalTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace fa::fagpu;

namespace {

/// How 128 threads cover a tile in 16-byte chunks. Thread t starts at chunk
/// t mod `across` of row t / `across`; passes over rows and chunks are
/// constants.
struct ChunkGrid {
  ChunkGrid(SmemType type)
      : chunks(type.getColumns() * type.getElementBytes() / kChunkBytes),
        rows(type.getRows()) {
    int64_t divisor = chunks & -chunks;
    across = std::min<int64_t>(divisor, kGroupThreads);
    // Every thread should have a row.
    across = std::max<int64_t>(across,
                               kGroupThreads / llvm::bit_floor(uint64_t(rows)));
    rowStep = kGroupThreads / across;
  }

  /// Whether the chunk `r` rows and `c` chunks after a thread's first one is in
  /// the tile; null if that is so for all threads.
  Value exists(I32Builder i, Value row, Value chunk, Value r, Value c) const {
    Value result;
    if (rows % rowStep != 0)
      result = i.less(i.add(row, r), i.constant(rows));
    if (chunks % across != 0)
      result = i.both(result, i.less(i.add(chunk, c), i.constant(chunks)));
    return result;
  }

  int64_t chunks, rows, across, rowStep;
};

/// The first chunk of a thread: where it lies, in memory and in shared memory.
struct ThreadChunk {
  ThreadChunk(OpBuilder &b, Location loc, ThreadContext &thread,
              GlobalTile &tile, SmemType smem)
      : grid(smem), perChunk(kChunkBytes / smem.getElementBytes()) {
    OpBuilder top = thread.entry();
    I32Builder once(top, loc);
    chunk = once.rem(thread.thread, grid.across);
    row = once.div(thread.thread, grid.across);
    column = once.mul(chunk, perChunk);
    shared = once.add(thread.shared, once.add(once.mul(row, smem.getPitch()),
                                              once.mul(chunk, kChunkBytes)));
  }

  ChunkGrid grid;
  int64_t perChunk;
  Value row, chunk, column, shared;
};

/// Calls `body` for every chunk that a thread handles.
void forEachChunk(
    OpBuilder &b, Location loc, ThreadChunk first, GlobalTile &tile,
    SmemType smem,
    function_ref<void(Value global, int64_t globalBytes, Value shared,
                      int64_t sharedBytes, Value inside, Value exists)>
        body) {
  ChunkGrid &grid = first.grid;
  I32Builder i(b, loc);
  // A 64-bit address that is the same for all threads, moving from row to row,
  // and a thread's constant 32-bit offset.
  Value start = tile.start(b, loc);
  Value stride =
      arith::TruncIOp::create(b, loc, b.getI32Type(), tile.strides.front());
  Value offset = i.add(arith::MulIOp::create(b, loc, first.row, stride),
                       i.mul(first.column, smem.getElementBytes()));
  offset = arith::ExtUIOp::create(b, loc, b.getI64Type(), offset);
  Value rowStep = arith::MulIOp::create(
      b, loc, tile.strides.front(),
      arith::ConstantIntOp::create(b, loc, grid.rowStep, 64));
  bool isFull =
      tile.staticExtent >= smem.getColumns() && grid.chunks % grid.across == 0;
  for (int64_t r = 0; r < grid.rows; r += grid.rowStep) {
    if (r > 0)
      start = tile.add(b, loc, start, rowStep);
    Value global = tile.add(b, loc, start, offset);
    Value inside = i.less(first.row, i.add(tile.left.front(), -r));
    for (int64_t c = 0; c < grid.chunks; c += grid.across) {
      Value both = inside;
      if (!isFull)
        both = i.both(both, i.less(i.add(first.column, c * first.perChunk),
                                   tile.left.back()));
      body(
          global, c * kChunkBytes, first.shared,
          r * smem.getPitch() + c * kChunkBytes, both,
          grid.exists(i, first.row, first.chunk, i.constant(r), i.constant(c)));
    }
  }
}

/// The same chunks element by element, for any strides and alignment: loops
/// that stay loops.
void forEachElementRolled(
    OpBuilder &b, Location loc, ThreadChunk first, GlobalTile &tile,
    SmemType smem,
    function_ref<void(OpBuilder &, Value global, Value shared,
                      int64_t sharedBytes, Value inside, Value exists)>
        body) {
  ChunkGrid &grid = first.grid;
  // Kept from LLVM's loop optimisations: they would compute this rarely taken
  // loop's addresses outside the key loop and hold them in registers there.
  Value row = asmValue(b, loc, first.row.getType(), "mov.b32 $0, $1;", "=r,r",
                       first.row, /*hasSideEffects=*/true);
  Value start = tile.at(b, loc, row, first.column);
  auto loopOver = [&](OpBuilder &b, int64_t end, int64_t step,
                      function_ref<void(OpBuilder &, Value)> body) {
    I32Builder i(b, loc);
    if (end <= step)
      return body(b, i.constant(0));
    auto loop = scf::ForOp::create(b, loc, i.constant(0), i.constant(end),
                                   i.constant(step));
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    body(inner, loop.getInductionVar());
  };
  loopOver(b, grid.rows, grid.rowStep, [&](OpBuilder &b, Value r) {
    I32Builder i(b, loc);
    Value rowInside = i.less(i.add(first.row, r), tile.left.front());
    Value rowGlobal =
        tile.add(b, loc, start, tile.scaled(b, loc, r, tile.strides.front()));
    Value rowShared = i.add(first.shared, i.mul(r, smem.getPitch()));
    loopOver(b, grid.chunks, grid.across, [&](OpBuilder &b, Value c) {
      I32Builder i(b, loc);
      Value shared = i.add(rowShared, i.mul(c, kChunkBytes));
      Value exists = grid.exists(i, first.row, first.chunk, r, c);
      for (int64_t e = 0; e < first.perChunk; ++e) {
        Value column = i.add(i.mul(c, first.perChunk), e);
        Value global =
            tile.add(b, loc, rowGlobal,
                     tile.scaled(b, loc, column, tile.strides.back()));
        Value inside = i.both(
            rowInside, i.less(i.add(first.column, column), tile.left.back()));
        body(b, global, shared, e * smem.getElementBytes(), inside, exists);
      }
    });
  });
}

/// A memory instruction, only where `predicate` holds if there is one.
void predicated(OpBuilder &b, Location loc, Value predicate, StringRef text,
                StringRef constraints, ValueRange operands) {
  SmallVector<Value> all(operands);
  std::string guard, more;
  if (predicate) {
    guard = "@$" + std::to_string(all.size()) + " ";
    more = ",b";
    all.push_back(predicate);
  }
  asmEffect(b, loc, guard + text.str(), constraints.str() + more + ",~{memory}",
            all);
}

/// Where in shared memory the op's tile is; null after an error.
template <typename OpTy> AllocOp placeOf(OpTy op) {
  auto alloc = op.getSmem().template getDefiningOp<AllocOp>();
  if (!alloc)
    op.emitError("machine stage: no place in shared memory");
  return alloc;
}

struct CopyAsyncPattern : DistributePattern<CopyAsyncOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(CopyAsyncOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    AllocOp alloc = placeOf(op);
    if (!alloc)
      return failure();
    auto smem = cast<SmemType>(op.getSmem().getType());
    GlobalTile tile(b, loc, op, op.getSource(), op.getOffsets(), op.getLimit(),
                    op.getTileDims());
    I32Builder i(b, loc);
    if (op.getEnable())
      tile.left.front() = arith::SelectOp::create(
          b, loc, op.getEnable(), tile.left.front(), i.constant(0));
    Value stage;
    if (op.getStage())
      stage = i.mul(adaptor.getStage().front(), smem.getStageBytes());
    auto withStage = [&](OpBuilder &b, Value shared) -> Value {
      return stage ? I32Builder(b, loc).add(shared, stage) : shared;
    };
    ThreadChunk first(b, loc, thread, tile, smem);
    auto fast = [&](OpBuilder &b) {
      forEachChunk(
          b, loc, first, tile, smem,
          [&](Value global, int64_t globalBytes, Value shared,
              int64_t sharedBytes, Value inside, Value exists) {
            I32Builder i(b, loc);
            Value bytes = arith::SelectOp::create(
                b, loc, inside, i.constant(kChunkBytes), i.constant(0));
            predicated(
                b, loc, exists,
                "cp.async.cg.shared.global [$0 + $1], [$2 + $3], 16, $4;",
                "r,n,l,n,r",
                {withStage(b, shared),
                 immediate(b, loc, alloc.getOffset() + sharedBytes), global,
                 immediate(b, loc, globalBytes), bytes});
          });
    };
    auto slow = [&](OpBuilder &b) {
      forEachElementRolled(
          b, loc, first, tile, smem,
          [&](OpBuilder &b, Value global, Value shared, int64_t sharedBytes,
              Value inside, Value exists) {
            Value v = loadElement(b, loc, b.getI16Type(), {global}, inside);
            predicated(b, loc, exists, "st.shared.b16 [$0 + $1], $2;", "r,n,h",
                       {withStage(b, shared),
                        immediate(b, loc, alloc.getOffset() + sharedBytes), v});
          });
    };
    chooseByAlignment(b, loc, tile, fast, slow);
    b.eraseOp(op);
    return success();
  }
};

struct PutPattern : DistributePattern<PutOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(PutOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    AllocOp alloc = placeOf(op);
    if (!alloc)
      return failure();
    auto smem = cast<SmemType>(op.getSmem().getType());
    I32Builder i(b, loc);
    Value base =
        i.add(thread.shared,
              i.add(i.mul(thread.firstRow, smem.getPitch()),
                    i.mul(thread.firstColumn, smem.getElementBytes())));
    // Pairs of columns: rows g and g + 8 of 8 columns, of the next 8, ...
    int64_t eights = smem.getColumns() / 8;
    for (auto [at, pair] : llvm::enumerate(adaptor.getTile())) {
      int64_t row = at / 2 / eights * kBlockRows + at % 2 * 8;
      int64_t column = at / 2 % eights * 8;
      int64_t offset = alloc.getOffset() + row * smem.getPitch() +
                       column * smem.getElementBytes();
      asmEffect(b, loc, "st.shared.b32 [$0 + $1], $2;", "r,n,r,~{memory}",
                {base, immediate(b, loc, offset), pair});
    }
    b.eraseOp(op);
    return success();
  }
};

struct StoreThroughPattern : DistributePattern<StoreThroughOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(StoreThroughOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    AllocOp alloc = placeOf(op);
    if (!alloc)
      return failure();
    auto smem = cast<SmemType>(op.getSmem().getType());
    auto type = cast<RankedTensorType>(op.getTile().getType());
    mlir::gpu::BarrierOp::create(b, loc);
    putFragments(b, loc, type, smem, alloc.getOffset(), adaptor.getTile());
    mlir::gpu::BarrierOp::create(b, loc);
    GlobalTile tile(b, loc, op, op.getDestination(), op.getOffsets(),
                    op.getLimit(), op.getTileDims());
    ThreadChunk first(b, loc, thread, tile, smem);
    auto fast = [&](OpBuilder &b) {
      forEachChunk(b, loc, first, tile, smem,
                   [&](Value global, int64_t globalBytes, Value shared,
                       int64_t sharedBytes, Value inside, Value exists) {
                     asmEffect(
                         b, loc,
                         "{ .reg .b32 a, b, c, d; "
                         "ld.shared.v4.b32 {a, b, c, d}, [$0 + $1]; "
                         "@$4 st.global.v4.b32 [$2 + $3], {a, b, c, d}; }",
                         "r,n,l,n,b,~{memory}",
                         {shared,
                          immediate(b, loc, alloc.getOffset() + sharedBytes),
                          global, immediate(b, loc, globalBytes),
                          I32Builder(b, loc).both(inside, exists)});
                   });
    };
    auto slow = [&](OpBuilder &b) {
      forEachElementRolled(
          b, loc, first, tile, smem,
          [&](OpBuilder &b, Value global, Value shared, int64_t sharedBytes,
              Value inside, Value exists) {
            Value v = asmValue(
                b, loc, b.getI16Type(), "ld.shared.b16 $0, [$1 + $2];",
                "=h,r,n,~{memory}",
                {shared, immediate(b, loc, alloc.getOffset() + sharedBytes)},
                /*hasSideEffects=*/true);
            storeElement(b, loc, v, {global},
                         I32Builder(b, loc).both(inside, exists));
          });
    };
    chooseByAlignment(b, loc, tile, fast, slow);
    b.eraseOp(op);
    return success();
  }

private:
  /// Two columns of a row at a time; a warp's 32 words lie in 32 banks.
  void putFragments(OpBuilder &b, Location loc, RankedTensorType type,
                    SmemType smem, int64_t offset, ValueRange elements) const {
    Fragment f = Fragment::of(type);
    I32Builder i(b, loc);
    Value base =
        i.add(thread.shared,
              i.add(i.mul(thread.firstRow, smem.getPitch()),
                    i.mul(thread.firstColumn, smem.getElementBytes())));
    for (int64_t row = 0; row < f.rows; ++row)
      for (int64_t column = 0; column < f.columns; column += 2) {
        Value pair = packPair(b, loc, elements[f.at(row, column)],
                              elements[f.at(row, column + 1)]);
        int64_t at = offset +
                     (row / 2 * kBlockRows + row % 2 * 8) * smem.getPitch() +
                     column / 2 * 8 * smem.getElementBytes();
        asmEffect(b, loc, "st.shared.b32 [$0 + $1], $2;", "r,n,r,~{memory}",
                  {base, immediate(b, loc, at), pair});
      }
  }
};

} // namespace

void fa::fagpu::populateDistributeChunkPatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns,
                                                ThreadContext &thread) {
  patterns.add<CopyAsyncPattern, PutPattern, StoreThroughPattern>(
      converter, patterns.getContext(), thread);
}
