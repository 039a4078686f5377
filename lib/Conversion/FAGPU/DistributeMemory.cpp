//===- DistributeMemory.cpp - tiles to and from memory, per thread --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace fa::fagpu;

namespace {

constexpr int64_t kChunkBytes = 16;

/// A tile in global memory: where it starts, how to move in it, how much of it
/// is inside. Offsets are formed in 64 bits; what is inside is counted in 32.
/// What does not change in the enclosing loop is added first, so that it leaves
/// the loop.
class GlobalTile {
public:
  GlobalTile(OpBuilder &b, Location loc, Operation *op, Value memref,
             ValueRange offsets, Value limit, ArrayRef<int64_t> tileDims)
      : type(cast<MemRefType>(memref.getType())) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    Value base = wide(
        b, loc, memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref));
    base = add(b, loc, base, bytes(b, loc, metadata.getOffset()));
    alignment = base;
    for (auto [i, offset] : llvm::enumerate(offsets)) {
      Value stride = bytes(b, loc, metadata.getStrides()[i]);
      bool isInner = !tileDims.empty() && int64_t(i) == tileDims.back();
      auto also = [&](Value v) {
        alignment = arith::OrIOp::create(b, loc, alignment, v);
      };
      also(isInner ? bytes(b, loc, offset) : stride);
      strides.push_back(stride);
      if (getConstantIntValue(offset) == 0)
        continue;
      Value term = arith::MulIOp::create(b, loc, wide(b, loc, offset), stride);
      bool isInvariant =
          offset.getParentRegion()->isProperAncestor(op->getParentRegion());
      Value &sum = isInvariant ? base : moving;
      sum = sum ? add(b, loc, sum, term) : term;
    }
    fixed = base;
    SmallVector<Value> tileStrides;
    for (auto [i, dim] : llvm::enumerate(tileDims)) {
      Value extent = narrow(b, loc, memref::DimOp::create(b, loc, memref, dim));
      if (i == 0 && limit)
        extent = arith::MinSIOp::create(b, loc, extent, narrow(b, loc, limit));
      left.push_back(
          arith::SubIOp::create(b, loc, extent, narrow(b, loc, offsets[dim])));
      tileStrides.push_back(strides[dim]);
      innerStride = type.getStridesAndOffset().first[dim];
      staticExtent = type.getDimSize(dim);
    }
    strides = tileStrides;
  }

  int64_t elementBytes() const {
    Type element = type.getElementType();
    return element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
  }

  /// 16-byte accesses are possible: an i1, or null if surely not.
  Value isAligned(OpBuilder &b, Location loc) {
    int64_t chunk = kChunkBytes / elementBytes();
    if (innerStride != 1 && innerStride != ShapedType::kDynamic)
      return {};
    if (staticExtent != ShapedType::kDynamic && staticExtent % chunk != 0)
      return {};
    auto i64 = [&](int64_t v) -> Value {
      return arith::ConstantIntOp::create(b, loc, v, 64);
    };
    Value low = arith::AndIOp::create(b, loc, alignment, i64(kChunkBytes - 1));
    Value aligned =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, low, i64(0));
    I32Builder i(b, loc);
    // Threads keep their offset in the tile in 32 bits: 128 rows at most.
    aligned =
        i.both(aligned, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                              strides.front(), i64(1 << 23)));
    if (innerStride == ShapedType::kDynamic)
      aligned = i.both(
          aligned, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         strides.back(), i64(elementBytes())));
    if (staticExtent == ShapedType::kDynamic)
      aligned = i.both(aligned, arith::CmpIOp::create(
                                    b, loc, arith::CmpIPredicate::eq,
                                    i.rem(left.back(), chunk), i.constant(0)));
    return aligned;
  }

  /// The address of element (row, column) of the tile; either i32 or null.
  Value at(OpBuilder &b, Location loc, Value row, Value column) {
    Value address = start(b, loc);
    if (row)
      address = add(b, loc, address, scaled(b, loc, row, strides.front()));
    if (column)
      address = add(b, loc, address, scaled(b, loc, column, strides.back()));
    return address;
  }
  /// The address of element (0, 0), the same for all threads.
  Value start(OpBuilder &b, Location loc) {
    return moving ? add(b, loc, fixed, moving) : fixed;
  }

  static Value add(OpBuilder &b, Location loc, Value x, Value y) {
    return arith::AddIOp::create(b, loc, x, y);
  }
  static Value scaled(OpBuilder &b, Location loc, Value count, Value stride) {
    Value wide = arith::ExtSIOp::create(b, loc, b.getI64Type(), count);
    return arith::MulIOp::create(b, loc, wide, stride);
  }

  MemRefType type;
  /// Bytes from one to the next, per tile dimension (i64).
  SmallVector<Value> strides;
  /// Extent of the part inside, per tile dimension (i32); more than the tile's
  /// where it goes on behind it, negative where the tile lies outside.
  SmallVector<Value> left;
  int64_t innerStride = 1, staticExtent = 1;

private:
  static Value wide(OpBuilder &b, Location loc, Value v) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
  }
  static Value narrow(OpBuilder &b, Location loc, Value v) {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), v);
  }
  Value bytes(OpBuilder &b, Location loc, Value elements) {
    return arith::MulIOp::create(
        b, loc, wide(b, loc, elements),
        arith::ConstantIntOp::create(b, loc, elementBytes(), 64));
  }

  /// Address without what moves in the enclosing loop, that part (or null), and
  /// everything that must be a multiple of 16 for 16-byte accesses; i64.
  Value fixed, moving, alignment;
};

//===----------------------------------------------------------------------===//
// Single elements, predicated
//===----------------------------------------------------------------------===//

struct ElementAccess {
  StringRef suffix, constraint;
  Type type;
};

ElementAccess accessFor(Type element) {
  MLIRContext *context = element.getContext();
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
  case 8:
    return {"u8", "r", IntegerType::get(context, 32)};
  case 16:
    return {"b16", "h", IntegerType::get(context, 16)};
  case 32:
    return {"b32", "r", IntegerType::get(context, 32)};
  default:
    return {"b64", "l", IntegerType::get(context, 64)};
  }
}

/// An address in memory: a register and a constant, in bytes. A constant in the
/// instruction costs no register; an addition of its own costs two.
struct Address {
  Value base;
  int64_t offset = 0;
};

/// What is at the address if `predicate`, else 0.
Value loadElement(OpBuilder &b, Location loc, Type element, Address address,
                  Value predicate) {
  ElementAccess access = accessFor(element);
  StringRef move = access.suffix == "u8" ? "b32" : access.suffix;
  std::string text = ("mov." + move + " $0, 0; @$3 ld.global." + access.suffix +
                      " $0, [$1 + $2];")
                         .str();
  std::string constraints = ("=&" + access.constraint + ",l,n,b").str();
  Value bits =
      asmValue(b, loc, access.type, text, constraints,
               {address.base, immediate(b, loc, address.offset), predicate},
               /*hasSideEffects=*/false);
  if (element.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits,
                                 arith::ConstantIntOp::create(b, loc, 0, 32));
  if (element.isInteger(8))
    return arith::TruncIOp::create(b, loc, element, bits);
  return element == access.type
             ? bits
             : arith::BitcastOp::create(b, loc, element, bits).getResult();
}

void storeElement(OpBuilder &b, Location loc, Value v, Address address,
                  Value predicate) {
  ElementAccess access = accessFor(v.getType());
  Value bits = v;
  if (v.getType().getIntOrFloatBitWidth() < 16)
    bits = arith::ExtUIOp::create(b, loc, access.type, v);
  else if (v.getType() != access.type)
    bits = arith::BitcastOp::create(b, loc, access.type, v);
  std::string text =
      ("@$3 st.global." + access.suffix + " [$0 + $1], $2;").str();
  std::string constraints = ("l,n," + access.constraint + ",b,~{memory}").str();
  asmEffect(b, loc, text, constraints,
            {address.base, immediate(b, loc, address.offset), bits, predicate});
}

/// Calls `body` with address, predicate and place for every element that a
/// thread holds of a tile.
void forEachElement(
    OpBuilder &b, Location loc, GlobalTile &tile, RankedTensorType type,
    ThreadContext &thread,
    function_ref<void(Address address, Value predicate, int64_t place)> body) {
  Fragment f = Fragment::of(type);
  I32Builder i(b, loc);
  bool hasRows = !hasLayout<ColsAttr>(type) && type.getRank() > 0;
  bool hasColumns = type.getRank() == 2 || hasLayout<ColsAttr>(type);
  bool isUnit = hasColumns && tile.innerStride == 1;
  for (int64_t row = 0; row < f.rows; ++row) {
    Value r = hasRows ? thread.rowOfSlot(b, loc, row) : Value();
    Value rowInside = r ? i.less(r, tile.left.front()) : Value();
    Address rowAddress = {
        tile.at(b, loc, r, isUnit ? thread.firstColumn : Value())};
    for (int64_t column = 0; column < f.columns; ++column) {
      Value inside = rowInside;
      Address address = rowAddress;
      if (hasColumns) {
        Value c = thread.columnOfSlot(b, loc, column);
        inside = i.both(inside, i.less(c, tile.left.back()));
        if (isUnit)
          address.offset = thread.columnConstant(column) * tile.elementBytes();
        else
          address.base = tile.add(b, loc, rowAddress.base,
                                  tile.scaled(b, loc, c, tile.strides.back()));
      }
      if (!inside)
        inside = arith::ConstantIntOp::create(b, loc, 1, 1);
      body(address, inside, f.at(row, column));
    }
  }
}

struct LoadTilePattern : DistributePattern<fa::LoadTileOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(fa::LoadTileOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(op.getTile().getType());
    if (hasLayout<AOpAttr>(type) || hasLayout<SharedAttr>(type) ||
        hasLayout<RowsPartialAttr>(type))
      return op.emitError("machine stage: a tile in this layout cannot be "
                          "loaded by threads");
    Location loc = op.getLoc();
    GlobalTile tile(b, loc, op, op.getSource(), op.getOffsets(), op.getLimit(),
                    op.getTileDims());
    if (op->hasAttr(kAnyColumnsName)) {
      b.replaceOpWithMultiple(op, {loadAnyColumns(b, loc, tile, type)});
      return success();
    }
    SmallVector<Value> elements(Fragment::of(type).size());
    forEachElement(b, loc, tile, type, thread,
                   [&](Address address, Value inside, int64_t place) {
                     elements[place] = loadElement(
                         b, loc, type.getElementType(), address, inside);
                   });
    b.replaceOpWithMultiple(op, {elements});
    return success();
  }

private:
  static constexpr int64_t kChunk = kChunkBytes / 2, kQuad = 4;

  /// Lane t of a quad gets columns 8t to 8t + 7 of 32: 16 bytes.
  SmallVector<Value> loadAnyColumns(OpBuilder &b, Location loc,
                                    GlobalTile &tile,
                                    RankedTensorType type) const {
    Value aligned = tile.isAligned(b, loc);
    if (!aligned)
      return loadChunks(b, loc, tile, type, /*isWide=*/false);
    auto branch = [&](bool isWide) {
      return [&, isWide](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, loadChunks(b, loc, tile, type, isWide));
      };
    };
    return SmallVector<Value>(
        scf::IfOp::create(b, loc, aligned, branch(true), branch(false))
            .getResults());
  }

  SmallVector<Value> loadChunks(OpBuilder &b, Location loc, GlobalTile &tile,
                                RankedTensorType type, bool isWide) const {
    Fragment f = Fragment::of(type);
    SmallVector<Value> elements(f.size());
    I32Builder i(b, loc);
    Value first = i.mul(thread.quadLane, kChunk);
    for (int64_t row = 0; row < f.rows; ++row) {
      Value r = thread.rowOfSlot(b, loc, row);
      Value inside = i.less(r, tile.left.front());
      for (int64_t start = 0; start < f.columns; start += kChunk) {
        Value column = i.add(first, start * kQuad);
        SmallVector<Value> chunk =
            isWide ? loadWide(b, loc, tile, type.getElementType(), r, column,
                              inside)
                   : loadNarrow(b, loc, tile, type.getElementType(), r, column,
                                inside);
        for (int64_t e = 0; e < kChunk; ++e)
          elements[f.at(row, start + e)] = chunk[e];
      }
    }
    return elements;
  }

  static SmallVector<Value> loadWide(OpBuilder &b, Location loc,
                                     GlobalTile &tile, Type element, Value row,
                                     Value column, Value inside) {
    Type i32 = b.getI32Type();
    auto four = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                 SmallVector<Type>(kQuad, i32));
    Value words = asmValue(
        b, loc, four,
        "mov.b32 $0, 0; mov.b32 $1, 0; mov.b32 $2, 0; mov.b32 $3, 0; "
        "@$5 ld.global.nc.L1::no_allocate.v4.b32 {$0, $1, $2, $3}, [$4];",
        "=&r,=&r,=&r,=&r,l,b", {tile.at(b, loc, row, column), inside},
        /*hasSideEffects=*/false);
    SmallVector<Value> elements;
    for (int64_t n = 0; n < kQuad; ++n) {
      Value word = LLVM::ExtractValueOp::create(b, loc, words, n);
      Value pair =
          LLVM::BitcastOp::create(b, loc, VectorType::get({2}, element), word);
      for (int64_t e : {0, 1}) {
        Value at = arith::ConstantIntOp::create(b, loc, e, 32);
        elements.push_back(LLVM::ExtractElementOp::create(b, loc, pair, at));
      }
    }
    return elements;
  }

  static SmallVector<Value> loadNarrow(OpBuilder &b, Location loc,
                                       GlobalTile &tile, Type element,
                                       Value row, Value column, Value inside) {
    SmallVector<Value> elements;
    for (int64_t e = 0; e < kChunk; ++e)
      elements.push_back(loadElement(
          b, loc, element,
          {tile.at(b, loc, row, I32Builder(b, loc).add(column, e))}, inside));
    return elements;
  }
};

/// Whether a thread writes what it holds of a tile; null: all do. The lanes of
/// a quad hold the same rows: one of them writes.
Value writerOf(RankedTensorType type, const ThreadContext &thread,
               I32Builder &i) {
  if (!hasLayout<RowsAttr>(type))
    return {};
  return arith::CmpIOp::create(i.b, i.loc, arith::CmpIPredicate::eq,
                               thread.quadLane, i.constant(0));
}

struct StoreTilePattern : DistributePattern<fa::StoreTileOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(fa::StoreTileOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(op.getTile().getType());
    if (!hasLayout<AccAttr>(type) && !hasLayout<RowsAttr>(type))
      return op.emitError("machine stage: a tile in this layout cannot be "
                          "stored by threads");
    Location loc = op.getLoc();
    GlobalTile tile(b, loc, op, op.getDestination(), op.getOffsets(),
                    op.getLimit(), op.getTileDims());
    I32Builder i(b, loc);
    Value isWriter = writerOf(type, thread, i);
    forEachElement(b, loc, tile, type, thread,
                   [&](Address address, Value inside, int64_t place) {
                     storeElement(b, loc, adaptor.getTile()[place], address,
                                  i.both(inside, isWriter));
                   });
    b.eraseOp(op);
    return success();
  }
};

/// Sums of one block, or of several by the memory's own additions.
struct AccumulatePattern : DistributePattern<fa::AccumulateOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(fa::AccumulateOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(op.getTile().getType());
    if (!hasLayout<AccAttr>(type) && !hasLayout<RowsAttr>(type))
      return op.emitError("machine stage: a tile in this layout cannot be "
                          "added to memory by threads");
    if (op.getMode() == fa::AccumulateMode::Ordered ||
        !type.getElementType().isF32())
      return op.emitError("machine stage: sums in memory are of f32, owned or "
                          "atomic; choose d-query=recompute");
    Location loc = op.getLoc();
    GlobalTile tile(b, loc, op, op.getWorkspace(), op.getOffsets(),
                    op.getLimit(), op.getTileDims());
    I32Builder i(b, loc);
    Value isWriter = writerOf(type, thread, i);
    // One instruction sequence each, so that nothing moves between load and
    // store.
    StringRef text = op.getMode() == fa::AccumulateMode::Atomic
                         ? "@$3 red.global.add.f32 [$0 + $1], $2;"
                         : "{ .reg .f32 sum; @$3 ld.global.f32 sum, [$0 + $1]; "
                           "@$3 add.f32 sum, sum, $2; "
                           "@$3 st.global.f32 [$0 + $1], sum; }";
    forEachElement(b, loc, tile, type, thread,
                   [&](Address address, Value inside, int64_t place) {
                     asmEffect(b, loc, text, "l,n,f,b,~{memory}",
                               {address.base, immediate(b, loc, address.offset),
                                adaptor.getTile()[place],
                                i.both(inside, isWriter)});
                   });
    b.eraseOp(op);
    return success();
  }
};

/// Additions of 0, which are those of all hidden positions, are left out.
struct AccumulateAtPattern : DistributePattern<fa::AccumulateAtOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(fa::AccumulateAtOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(op.getTile().getType());
    if (!hasLayout<AccAttr>(type) || !type.getElementType().isF32() ||
        op.getMode() != fa::AccumulateMode::Atomic)
      return op.emitError("machine stage: sums at computed places are of f32, "
                          "atomic");
    Location loc = op.getLoc();
    Type i64 = b.getI64Type();
    auto metadata =
        memref::ExtractStridedMetadataOp::create(b, loc, op.getWorkspace());
    auto wide = [&](Value v) -> Value {
      return arith::IndexCastOp::create(b, loc, i64, v);
    };
    Value bytes = arith::ConstantIntOp::create(b, loc, 4, 64);
    auto scaled = [&](Value v, Value by) -> Value {
      return arith::MulIOp::create(b, loc, v, by);
    };
    Value base =
        GlobalTile::add(b, loc,
                        wide(memref::ExtractAlignedPointerAsIndexOp::create(
                            b, loc, op.getWorkspace())),
                        scaled(wide(metadata.getOffset()), bytes));
    for (auto [place, value] : llvm::enumerate(adaptor.getTile())) {
      Value address = base;
      for (auto [indices, stride] :
           llvm::zip_equal(adaptor.getIndices(), metadata.getStrides()))
        address = GlobalTile::add(
            b, loc, address,
            scaled(wide(indices[place]), scaled(wide(stride), bytes)));
      asmEffect(b, loc,
                "{ .reg .pred p; setp.neu.f32 p, $1, 0f00000000; "
                "@p red.global.add.f32 [$0], $1; }",
                "l,f,~{memory}", {address, value});
    }
    b.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Whole rows, 16 bytes at a time
//===----------------------------------------------------------------------===//

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

/// `fast` if 16-byte accesses are possible, else `slow`.
void chooseByAlignment(OpBuilder &b, Location loc, GlobalTile &tile,
                       function_ref<void(OpBuilder &)> fast,
                       function_ref<void(OpBuilder &)> slow) {
  Value aligned = tile.isAligned(b, loc);
  if (!aligned)
    return slow(b);
  auto branch = scf::IfOp::create(b, loc, aligned, /*withElseRegion=*/true);
  OpBuilder thenBuilder = branch.getThenBodyBuilder();
  fast(thenBuilder);
  OpBuilder elseBuilder = branch.getElseBodyBuilder();
  slow(elseBuilder);
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

struct CopyAsyncPattern : DistributePattern<CopyAsyncOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(CopyAsyncOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto alloc = op.getSmem().getDefiningOp<AllocOp>();
    auto smem = cast<SmemType>(op.getSmem().getType());
    if (!alloc)
      return op.emitError("machine stage: no place in shared memory");
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
    auto alloc = op.getSmem().getDefiningOp<AllocOp>();
    auto smem = cast<SmemType>(op.getSmem().getType());
    if (!alloc)
      return op.emitError("machine stage: no place in shared memory");
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
    auto alloc = op.getSmem().getDefiningOp<AllocOp>();
    auto smem = cast<SmemType>(op.getSmem().getType());
    if (!alloc)
      return op.emitError("machine stage: no place in shared memory");
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

void fa::fagpu::populateDistributeMemoryPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns,
                                                 ThreadContext &thread) {
  patterns.add<LoadTilePattern, StoreTilePattern, AccumulatePattern,
               AccumulateAtPattern, CopyAsyncPattern, PutPattern,
               StoreThroughPattern>(converter, patterns.getContext(), thread);
}
