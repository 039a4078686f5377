//===- DistributeMemory.cpp - tiles to and from memory, per thread --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GlobalTile.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fa::fagpu;

namespace {

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
    if (op->hasAttr(kAnyColumnsName)) {
      loadAnyColumns(b, op);
      return success();
    }
    Location loc = op.getLoc();
    GlobalTile tile(b, loc, op, op.getSource(), op.getOffsets(), op.getLimit(),
                    op.getTileDims());
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

  /// A tile whose columns any thread may have.
  struct AnyColumns {
    AnyColumns(OpBuilder &b, fa::LoadTileOp op)
        : op(op), type(cast<RankedTensorType>(op.getTile().getType())),
          tile(b, op.getLoc(), op, op.getSource(), op.getOffsets(),
               op.getLimit(), op.getTileDims()) {}

    fa::LoadTileOp op;
    RankedTensorType type;
    GlobalTile tile;
  };

  /// Lane t of a quad gets columns 8t to 8t + 7 of 32: 16 bytes. Tiles that
  /// follow each other are behind one question how: all loads are on their way
  /// before the first is waited for.
  void loadAnyColumns(ConversionPatternRewriter &b, fa::LoadTileOp op) const {
    Location loc = op.getLoc();
    SmallVector<AnyColumns, 2> loads;
    for (Operation *next = op; isa_and_nonnull<fa::LoadTileOp>(next) &&
                               next->hasAttr(kAnyColumnsName);
         next = next->getNextNode())
      loads.emplace_back(b, cast<fa::LoadTileOp>(next));
    Value aligned = areAligned(b, loc, loads);
    SmallVector<Value> words;
    auto branch = [&](bool isWide) {
      return [&, isWide](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, loadWords(b, loc, loads, isWide));
      };
    };
    if (aligned)
      words = scf::IfOp::create(b, loc, aligned, branch(true), branch(false))
                  .getResults();
    else
      words = loadWords(b, loc, loads, /*isWide=*/false);
    ArrayRef<Value> left = words;
    for (AnyColumns &load : loads) {
      size_t count = Fragment::of(load.type).size() / 2;
      b.replaceOpWithMultiple(
          load.op, {unpack(b, loc, load.type, left.take_front(count))});
      left = left.drop_front(count);
    }
  }

  /// Null if one surely is not.
  static Value areAligned(OpBuilder &b, Location loc,
                          MutableArrayRef<AnyColumns> loads) {
    Value all;
    for (AnyColumns &load : loads) {
      Value here = load.tile.isAligned(b, loc);
      if (!here)
        return {};
      all = all ? arith::AndIOp::create(b, loc, all, here).getResult() : here;
    }
    return all;
  }

  SmallVector<Value> loadWords(OpBuilder &b, Location loc,
                               MutableArrayRef<AnyColumns> loads,
                               bool isWide) const {
    SmallVector<Value> words;
    for (AnyColumns &load : loads)
      llvm::append_range(words, loadChunks(b, loc, load, isWide));
    return words;
  }

  /// Two elements each, row by row.
  SmallVector<Value> loadChunks(OpBuilder &b, Location loc, AnyColumns &load,
                                bool isWide) const {
    Fragment f = Fragment::of(load.type);
    SmallVector<Value> words;
    I32Builder i(b, loc);
    Value first = i.mul(thread.quadLane, kChunk);
    for (int64_t row = 0; row < f.rows; ++row) {
      Value r = thread.rowOfSlot(b, loc, row);
      Value inside = i.less(r, load.tile.left.front());
      for (int64_t start = 0; start < f.columns; start += kChunk) {
        Value column = i.add(first, start * kQuad);
        llvm::append_range(
            words,
            isWide ? loadWide(b, loc, load.tile, r, column, inside)
                   : loadNarrow(b, loc, load.tile, load.type.getElementType(),
                                r, column, inside));
      }
    }
    return words;
  }

  static SmallVector<Value> unpack(OpBuilder &b, Location loc,
                                   RankedTensorType type,
                                   ArrayRef<Value> words) {
    Fragment f = Fragment::of(type);
    auto pair = VectorType::get({2}, type.getElementType());
    SmallVector<Value> elements(f.size());
    for (auto [n, word] : llvm::enumerate(words)) {
      int64_t at = int64_t(n) * 2;
      Value both = LLVM::BitcastOp::create(b, loc, pair, word);
      for (int64_t e : {0, 1})
        elements[f.at(at / f.columns, at % f.columns + e)] =
            LLVM::ExtractElementOp::create(
                b, loc, both, arith::ConstantIntOp::create(b, loc, e, 32));
    }
    return elements;
  }

  static SmallVector<Value> loadWide(OpBuilder &b, Location loc,
                                     GlobalTile &tile, Value row, Value column,
                                     Value inside) {
    auto four = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(kQuad, b.getI32Type()));
    Value loaded = asmValue(
        b, loc, four,
        "mov.b32 $0, 0; mov.b32 $1, 0; mov.b32 $2, 0; mov.b32 $3, 0; "
        "@$5 ld.global.nc.L1::no_allocate.v4.b32 {$0, $1, $2, $3}, [$4];",
        "=&r,=&r,=&r,=&r,l,b", {tile.at(b, loc, row, column), inside},
        /*hasSideEffects=*/false);
    SmallVector<Value> words;
    for (int64_t n = 0; n < kQuad; ++n)
      words.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, n));
    return words;
  }

  static SmallVector<Value> loadNarrow(OpBuilder &b, Location loc,
                                       GlobalTile &tile, Type element,
                                       Value row, Value column, Value inside) {
    auto load = [&](int64_t e) {
      return loadElement(
          b, loc, element,
          {tile.at(b, loc, row, I32Builder(b, loc).add(column, e))}, inside);
    };
    SmallVector<Value> words;
    for (int64_t e = 0; e < kChunk; e += 2) {
      Value first = load(e);
      words.push_back(packPair(b, loc, first, load(e + 1)));
    }
    return words;
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

} // namespace

void fa::fagpu::populateDistributeMemoryPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns,
                                                 ThreadContext &thread) {
  patterns.add<LoadTilePattern, StoreTilePattern, AccumulatePattern,
               AccumulateAtPattern>(converter, patterns.getContext(), thread);
}
