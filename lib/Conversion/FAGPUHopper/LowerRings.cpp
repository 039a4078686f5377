//===- LowerRings.cpp - rings to mbarrier, TMA loads to cp.async.bulk -----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace fa {
#define GEN_PASS_DEF_FAGPULOWERRINGS
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

namespace {

//===----------------------------------------------------------------------===//
// Cursors
//===----------------------------------------------------------------------===//

struct CursorConverter : TypeConverter {
  CursorConverter() {
    addConversion([](Type type) { return type; });
    addConversion(
        [](CursorType type,
           SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
          types.append(2, IntegerType::get(type.getContext(), 32));
          return success();
        });
  }
};

struct CursorPattern : OpConversionPattern<CursorOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(CursorOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Value zero = arith::ConstantIntOp::create(b, op.getLoc(), 0, 32);
    b.replaceOpWithMultiple(op, {SmallVector<Value>{zero, zero}});
    return success();
  }
};

struct AdvancePattern : OpConversionPattern<AdvanceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AdvanceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    int64_t stages = cast<CursorType>(op.getType()).getStages();
    Value slot = adaptor.getCursor()[0], phase = adaptor.getCursor()[1];
    Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
    if (stages == 1) {
      Value flipped = arith::XOrIOp::create(b, loc, phase, one);
      b.replaceOpWithMultiple(op, {SmallVector<Value>{slot, flipped}});
      return success();
    }
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
    Value count = arith::ConstantIntOp::create(b, loc, stages, 32);
    Value next = arith::AddIOp::create(b, loc, slot, one);
    Value wraps =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, count);
    Value flip = arith::ExtUIOp::create(b, loc, b.getI32Type(), wraps);
    SmallVector<Value> results = {
        arith::SelectOp::create(b, loc, wraps, zero, next),
        arith::XOrIOp::create(b, loc, phase, flip)};
    b.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SlotPattern : OpConversionPattern<SlotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SlotOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, adaptor.getCursor().front());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

Value fullBarrier(OpBuilder &b, Location loc, Value ring, Value slot) {
  return barrierPointer(b, loc, ring.getDefiningOp<RingOp>(), slot,
                        /*empty=*/false);
}
Value emptyBarrier(OpBuilder &b, Location loc, Value ring, Value slot) {
  return barrierPointer(b, loc, ring.getDefiningOp<RingOp>(), slot,
                        /*empty=*/true);
}

void waitFor(OpBuilder &b, Location loc, Value barrier, Value parity) {
  constexpr int64_t nanoseconds = 10000000;
  Value ticks = arith::ConstantIntOp::create(b, loc, nanoseconds, 32);
  NVVM::MBarrierTryWaitParityOp::create(b, loc, barrier, parity, ticks);
}

struct WaitFullPattern : OpConversionPattern<WaitFullOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(WaitFullOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    ValueRange cursor = adaptor.getCursor();
    if (!op.getAgain())
      waitFor(b, op.getLoc(),
              fullBarrier(b, op.getLoc(), op.getRing(), cursor[0]), cursor[1]);
    b.eraseOp(op);
    return success();
  }
};

/// The empty barrier is one round behind: slots are empty at the start.
struct AcquirePattern : OpConversionPattern<AcquireOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AcquireOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    ValueRange cursor = adaptor.getCursor();
    Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
    Value parity = arith::XOrIOp::create(b, loc, cursor[1], one);
    waitFor(b, loc, emptyBarrier(b, loc, op.getRing(), cursor[0]), parity);
    b.eraseOp(op);
    return success();
  }
};

Value isFirstLane(OpBuilder &b, Location loc) {
  Value thread = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  Value mask = arith::ConstantIntOp::create(b, loc, 31, 32);
  Value lane = arith::AndIOp::create(b, loc, thread, mask);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, zero);
}

void arriveOncePerWarp(OpBuilder &b, Location loc, Value barrier,
                       Value isTime = {}) {
  Value first = isFirstLane(b, loc);
  if (isTime)
    first = arith::AndIOp::create(b, loc, first, isTime);
  asmEffect(b, loc, "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];",
            "r,b,~{memory}", {barrier, first});
}

/// The same, and that so many bytes of the other block are to come.
void arriveForBytes(OpBuilder &b, Location loc, Value barrier, int64_t bytes) {
  asmEffect(b, loc,
            "@$1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $2;",
            "r,b,n,~{memory}",
            {barrier, isFirstLane(b, loc), immediate(b, loc, bytes)});
}

/// The rank of the other block of a pair.
Value otherBlock(OpBuilder &b, Location loc) {
  Value rank = NVVM::ClusterId::create(b, loc, b.getI32Type());
  return arith::XOrIOp::create(b, loc, rank,
                               arith::ConstantIntOp::create(b, loc, 1, 32));
}

/// Only reads come before it, and they are done: a release for the cluster
/// would wait for this warp's additions to global memory.
void arriveAtOther(OpBuilder &b, Location loc, Value barrier) {
  asmEffect(b, loc,
            "{\n"
            "  .reg .b32 there;\n"
            "  mapa.shared::cluster.u32 there, $0, $1;\n"
            "  @$2 mbarrier.arrive.shared::cluster.b64 _, [there];\n"
            "}",
            "r,r,b,~{memory}",
            {barrier, otherBlock(b, loc), isFirstLane(b, loc)});
}

void synchroniseWarp(OpBuilder &b, Location loc) {
  asmEffect(b, loc, "bar.warp.sync 0xffffffff;", "~{memory}", {});
}

/// Of a consumer, one lane arrives when all of its warp have written and
/// fenced.
struct CommitPattern : OpConversionPattern<CommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(CommitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value barrier =
        fullBarrier(b, loc, op.getRing(), adaptor.getCursor().front());
    if (op->getParentOfType<RoleOp>().getKind() == RoleKind::Consumer) {
      synchroniseWarp(b, loc);
      int64_t fills =
          op.getRing().getDefiningOp<RingOp>().getFills().value_or(1);
      if (op.getBytes() != 0)
        arriveForBytes(b, loc, barrier, op.getBytes() / fills);
      else
        arriveOncePerWarp(b, loc, barrier);
    } else if (op.getBytes() == 0) {
      asmEffect(b, loc, "mbarrier.arrive.shared::cta.b64 _, [$0];",
                "r,~{memory}", barrier);
    } else {
      Value bytes = arith::ConstantIntOp::create(b, loc, op.getBytes(), 32);
      NVVM::MBarrierArriveExpectTxOp::create(
          b, loc, Type(), barrier, bytes, NVVM::MemScopeKind::CTA,
          /*relaxed=*/false, /*predicate=*/Value());
    }
    b.eraseOp(op);
    return success();
  }
};

/// What consumers fill, others may read by ordinary loads: one lane arrives
/// when all of its warp have read.
struct ReleasePattern : OpConversionPattern<ReleaseOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ReleaseOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto role = op->getParentOfType<RoleOp>();
    bool isRead =
        op.getRing().getDefiningOp<RingOp>().getFills() && !role.isOneThread();
    if (isRead || role.getWholeWarp())
      synchroniseWarp(b, op.getLoc());
    Value isTime;
    if (Value after = op.getAfter())
      isTime = IsComputedOp::create(b, op.getLoc(), b.getI1Type(), after);
    Value barrier =
        emptyBarrier(b, op.getLoc(), op.getRing(), adaptor.getCursor().front());
    arriveOncePerWarp(b, op.getLoc(), barrier, isTime);
    if (op.getRing().getDefiningOp<RingOp>().getPaired())
      arriveAtOther(b, op.getLoc(), barrier);
    b.eraseOp(op);
    return success();
  }
};

/// One lane of a warp copies what all of it have written and fenced: 16 rows.
struct SendPattern : OpConversionPattern<SendOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SendOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    constexpr int64_t warps = kGroupThreads / 32;
    Location loc = op.getLoc();
    I32Builder i(b, loc);
    auto smem = op.getSmem().getDefiningOp<SmemOp>();
    auto type = cast<SwizzledType>(op.getSmem().getType());
    int64_t bytes = type.getTileBytes() / warps;
    int64_t stages = cast<CursorType>(op.getCursor().getType()).getStages();
    Value slot = adaptor.getCursor().front();
    Value thread = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
    Value rows = i.mul(i.rem(i.div(thread, 32), warps), bytes);
    Value first = i.add(
        i.mul(slot, type.getTileBytes() * (type.getTiles() / stages)), rows);
    auto tile = [&](int64_t number) {
      return sharedPointer(
          b, loc, *smem.getOffset() + number * type.getTileBytes(), first);
    };
    synchroniseWarp(b, loc);
    asmEffect(b, loc,
              "{\n"
              "  .reg .b32 there, full;\n"
              "  mapa.shared::cluster.u32 there, $0, $3;\n"
              "  mapa.shared::cluster.u32 full, $2, $3;\n"
              "  @$4 cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
              "complete_tx::bytes [there], [$1], $5, [full];\n"
              "}",
              "r,r,r,r,b,n,~{memory}",
              {tile(op.getTo()), tile(op.getFrom()),
               fullBarrier(b, loc, op.getRing(), slot), otherBlock(b, loc),
               isFirstLane(b, loc), immediate(b, loc, bytes)});
    b.eraseOp(op);
    return success();
  }
};

/// Warpgroup n's turn comes by hardware barrier 1 + n: its own threads wait
/// there, and those of the warpgroup before it arrive.
struct AwaitTurnPattern : OpConversionPattern<AwaitTurnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AwaitTurnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    I32Builder i(b, op.getLoc());
    asmEffect(b, op.getLoc(), "bar.sync $0, 256;", "r,~{memory}",
              i.add(adaptor.getWarpgroup(), 1));
    b.eraseOp(op);
    return success();
  }
};

struct PassTurnPattern : OpConversionPattern<PassTurnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(PassTurnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    I32Builder i(b, op.getLoc());
    Value mine = adaptor.getWarpgroup();
    int32_t last = op->getParentOfType<RoleOp>().getWarpgroups() - 1;
    Value next =
        arith::SelectOp::create(b, op.getLoc(), i.less(mine, i.constant(last)),
                                i.add(mine, 2), i.constant(1));
    asmEffect(b, op.getLoc(), "bar.arrive $0, 256;", "r,~{memory}", next);
    b.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Mailboxes
//===----------------------------------------------------------------------===//

struct PublishPattern : OpConversionPattern<PublishOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(PublishOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value box =
        mailboxPointer(b, op.getLoc(), op.getRing().getDefiningOp<RingOp>(),
                       adaptor.getCursor().front());
    LLVM::StoreOp::create(b, op.getLoc(), op.getValue(), box);
    b.eraseOp(op);
    return success();
  }
};

struct SendNumberPattern : OpConversionPattern<SendNumberOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SendNumberOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto ring = op.getRing().getDefiningOp<RingOp>();
    Value slot = adaptor.getCursor().front();
    asmEffect(b, loc,
              "{\n"
              "  .reg .b32 there, full;\n"
              "  mapa.shared::cluster.u32 there, $0, $3;\n"
              "  mapa.shared::cluster.u32 full, $2, $3;\n"
              "  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
              "[there], $1, [full];\n"
              "}",
              "r,r,r,r,~{memory}",
              {mailboxPointer(b, loc, ring, slot), op.getValue(),
               fullBarrier(b, loc, op.getRing(), slot), otherBlock(b, loc)});
    b.eraseOp(op);
    return success();
  }
};

/// Assembly, so that no load is moved before the wait.
struct ReadPublishedPattern : OpConversionPattern<ReadPublishedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ReadPublishedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value box =
        mailboxPointer(b, op.getLoc(), op.getRing().getDefiningOp<RingOp>(),
                       adaptor.getCursor().front());
    Value read = asmValue(b, op.getLoc(), b.getI32Type(),
                          "ld.shared.b32 $0, [$1];", "=r,r,~{memory}", box,
                          /*hasSideEffects=*/true);
    b.replaceOp(op, read);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// TMA, and tiles by number
//===----------------------------------------------------------------------===//

struct TmaLoadPattern : OpConversionPattern<TmaLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(TmaLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto smem = op.getSmem().getDefiningOp<SmemOp>();
    auto type = cast<SwizzledType>(op.getSmem().getType());
    Value barrier =
        fullBarrier(b, loc, op.getRing(), adaptor.getCursor().front());
    Value map = mapPointer(b, loc, op.getMap());
    for (int64_t block = 0; block < type.getBlocks(); ++block) {
      Value target =
          tilePointer(b, loc, smem, adaptor.getIndex().front(), block);
      SmallVector<Value> box =
          boxCoordinates(b, loc, block, op.getRow(), op.getOuter());
      I32Builder i(b, loc);
      if (op.getColumns())
        box[0] = i.add(box[0], i.mul(op.getColumns(), kBoxColumns));
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          b, loc, target, map, box, barrier,
          /*im2colOffsets=*/{},
          /*multicastMask=*/Value(), /*l2CacheHint=*/Value(),
          NVVM::TMALoadMode::TILE,
          /*isCTAOnly=*/true, /*group=*/NVVM::CTAGroupKindAttr(),
          /*predicate=*/Value());
    }
    b.eraseOp(op);
    return success();
  }
};

struct TmaPrefetchPattern : OpConversionPattern<TmaPrefetchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(TmaPrefetchOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    int64_t columns = cast<TensorMapType>(op.getMap().getType()).getShape()[1];
    for (int64_t block = 0; block * kBoxColumns < columns; ++block)
      NVVM::CpAsyncBulkTensorPrefetchOp::create(
          b, loc, mapPointer(b, loc, op.getMap()),
          boxCoordinates(b, loc, block, op.getRow(), op.getOuter()),
          /*im2colOffsets=*/ValueRange(), NVVM::TMALoadMode::TILE,
          /*l2CacheHint=*/Value());
    b.eraseOp(op);
    return success();
  }
};

struct BulkLoadPattern : OpConversionPattern<BulkLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(BulkLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto rows = op.getRows().getDefiningOp<RowsOp>();
    auto type = cast<SharedRowsType>(op.getRows().getType());
    Value slot = adaptor.getCursor().front();
    Value size = arith::ConstantIntOp::create(b, loc, type.getSlotBytes(), 32);
    Value target = sharedPointer(b, loc, *rows.getOffset(),
                                 arith::MulIOp::create(b, loc, slot, size));
    asmEffect(b, loc,
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
              "bytes [$0], [$1], $2, [$3];",
              "r,l,r,r,~{memory}",
              {target, globalAddress(b, loc, op.getSource(), op.getOffsets()),
               size, fullBarrier(b, loc, op.getRing(), slot)});
    b.eraseOp(op);
    return success();
  }
};

/// The first tile of a slot, for tiles that a cursor or a number indexes.
Value firstTile(OpBuilder &b, Location loc, Type smem, Value index,
                ValueRange converted) {
  auto cursor = dyn_cast<CursorType>(index.getType());
  auto type = dyn_cast<SwizzledType>(smem);
  int64_t perSlot = cursor && type ? type.getTiles() / cursor.getStages() : 1;
  if (perSlot == 1)
    return converted.front();
  Value count = arith::ConstantIntOp::create(b, loc, perSlot, 32);
  return arith::MulIOp::create(b, loc, converted.front(), count);
}

struct ReadColsPattern : OpConversionPattern<ReadColsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ReadColsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.modifyOpInPlace(
        op, [&] { op.getIndexMutable().assign(adaptor.getIndex().front()); });
    return success();
  }
};

struct StoreFragmentsPattern : OpConversionPattern<StoreFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(StoreFragmentsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value first = firstTile(b, op.getLoc(), op.getSmem().getType(),
                            op.getIndex(), adaptor.getIndex());
    b.modifyOpInPlace(op, [&] { op.getIndexMutable().assign(first); });
    return success();
  }
};

struct ReadFragmentsPattern : OpConversionPattern<ReadFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ReadFragmentsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value first = firstTile(b, op.getLoc(), op.getSmem().getType(),
                            op.getIndex(), adaptor.getIndex());
    b.modifyOpInPlace(op, [&] { op.getIndexMutable().assign(first); });
    return success();
  }
};

struct WgmmaPattern : OpConversionPattern<WgmmaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(WgmmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value a, rhs = firstTile(b, loc, op.getB().getType(), op.getBIndex(),
                             adaptor.getBIndex());
    if (op.getAIndex())
      a = firstTile(b, loc, op.getA().getType(), op.getAIndex(),
                    adaptor.getAIndex());
    b.modifyOpInPlace(op, [&] {
      if (a)
        op.getAIndexMutable().assign(a);
      op.getBIndexMutable().assign(rhs);
    });
    return success();
  }
};

/// The swizzle moves chunks within a row of a block: rows are 128 bytes each.
struct ClearTailPattern : OpConversionPattern<ClearTailOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ClearTailOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    I32Builder i(b, loc);
    ValueRange cursor = adaptor.getCursor();
    auto type = cast<SwizzledType>(op.getSmem().getType());
    Value hasTail = i.less(op.getFrom(), i.constant(type.getRows()));
    auto branch = scf::IfOp::create(b, loc, hasTail);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      waitFor(b, loc, fullBarrier(b, loc, op.getRing(), cursor[0]), cursor[1]);
      clearRows(b, op, op.getTile() ? op.getTile() : cursor[0]);
      fenceShared(b, loc);
      synchroniseWarpgroup(b, op);
    }
    b.eraseOp(op);
    return success();
  }

private:
  /// Eight threads a row, 16 bytes each.
  static void clearRows(OpBuilder &b, ClearTailOp op, Value slot) {
    constexpr int64_t chunk = 16, perRow = 8;
    Location loc = op.getLoc();
    I32Builder i(b, loc);
    auto smem = op.getSmem().getDefiningOp<SmemOp>();
    auto type = cast<SwizzledType>(op.getSmem().getType());
    Value thread =
        i.rem(NVVM::ThreadIdXOp::create(b, loc, b.getI32Type()), kGroupThreads);
    Value from = arith::MaxSIOp::create(b, loc, op.getFrom(), i.constant(0));
    auto rows = scf::ForOp::create(b, loc, i.add(from, i.div(thread, perRow)),
                                   i.constant(type.getRows()),
                                   i.constant(kGroupThreads / perRow));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(rows.getBody());
    auto vector = VectorType::get({chunk / 4}, b.getI32Type());
    Value zero = LLVM::ZeroOp::create(b, loc, vector);
    Value offset = i.add(i.add(i.mul(slot, type.getTileBytes()),
                               i.mul(rows.getInductionVar(), chunk * perRow)),
                         i.mul(i.rem(thread, perRow), chunk));
    for (int64_t block = 0; block < type.getBlocks(); ++block)
      LLVM::StoreOp::create(
          b, loc, zero,
          sharedPointer(
              b, loc, *smem.getOffset() + block * type.getBlockBytes(), offset),
          /*alignment=*/chunk);
  }
};

//===----------------------------------------------------------------------===//
// Order among blocks
//===----------------------------------------------------------------------===//

Value addressOf(OpBuilder &b, Location loc, Value counts, Value index) {
  constexpr int64_t element = 4;
  Type i64 = b.getI64Type();
  Value address = arith::IndexCastOp::create(
      b, loc, i64,
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, counts));
  Value offset =
      arith::MulIOp::create(b, loc, arith::ExtSIOp::create(b, loc, i64, index),
                            arith::ConstantIntOp::create(b, loc, element, 64));
  return arith::AddIOp::create(b, loc, address, offset);
}

/// Between ordinary stores to global memory and copies from it.
void fenceGlobal(OpBuilder &b, Location loc) {
  asmEffect(b, loc, "fence.proxy.async.global;", "~{memory}", {});
}

/// Every thread acquires for itself. What a producer does next may be copies,
/// through another proxy. Who shares out numbers is not in a hurry.
struct AwaitCountPattern : OpConversionPattern<AwaitCountOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AwaitCountOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto role = op->getParentOfType<RoleOp>();
    std::string text = "{\n"
                       "  .reg .pred p;\n"
                       "  .reg .s32 n;\n"
                       "again:\n"
                       "  ld.acquire.gpu.global.s32 n, [$0];\n"
                       "  setp.lt.s32 p, n, $1;\n";
    if (ForEachNumberOp::isOfWarp(op))
      text += "  @p nanosleep.u32 2000;\n";
    text += "  @p bra again;\n"
            "}";
    asmEffect(
        b, loc, text, "l,r,~{memory}",
        {addressOf(b, loc, op.getCounts(), op.getIndex()), op.getLeast()});
    if (role && role.getKind() == RoleKind::Producer)
      fenceGlobal(b, loc);
    b.eraseOp(op);
    return success();
  }
};

/// Calls `build` on one thread of the warpgroup when all have come here.
void onOneThread(OpBuilder &b, Operation *op, function_ref<void()> build) {
  Location loc = op->getLoc();
  I32Builder i(b, loc);
  synchroniseWarpgroup(b, op);
  Value thread =
      i.rem(NVVM::ThreadIdXOp::create(b, loc, b.getI32Type()), kGroupThreads);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        thread, i.constant(0));
  auto branch = scf::IfOp::create(b, loc, isFirst);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  build();
}

/// The release covers what others did before the arrivals that this thread has
/// waited for.
struct SetCountPattern : OpConversionPattern<SetCountOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SetCountOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    asmEffect(
        b, loc, "st.release.gpu.global.s32 [$0], $1;", "l,r,~{memory}",
        {addressOf(b, loc, op.getCounts(), op.getIndex()), op.getValue()});
    b.eraseOp(op);
    return success();
  }
};

/// The same of a warp.
void onFirstLane(OpBuilder &b, Location loc, function_ref<void()> build) {
  synchroniseWarp(b, loc);
  auto branch = scf::IfOp::create(b, loc, isFirstLane(b, loc));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  build();
}

/// After what `set_count` does, and each thread fences its own stores for
/// copies by others.
struct AddCountPattern : OpConversionPattern<AddCountOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AddCountOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value address = addressOf(b, loc, op.getCounts(), op.getIndex());
    Value last = I32Builder(b, loc).add(op.getWraps(), -1);
    bool isRelaxed = op.getRelaxed();
    if (!isRelaxed)
      fenceGlobal(b, loc);
    StringRef text = isRelaxed ? "red.relaxed.gpu.global.inc.u32 [$0], $1;"
                               : "red.release.gpu.global.inc.u32 [$0], $1;";
    auto add = [&] {
      asmEffect(b, loc, text, "l,r,~{memory}", {address, last});
    };
    auto role = op->getParentOfType<RoleOp>();
    if (ForEachNumberOp::isOfWarp(op))
      onFirstLane(b, loc, add);
    else if (role && role.isOneThread())
      add();
    else
      onOneThread(b, op, add);
    b.eraseOp(op);
    return success();
  }
};

/// One lane takes a warp's number for all.
Value takeNumber(OpBuilder &b, ForEachNumberOp op) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value last = I32Builder(b, loc).add(op.getDraws(), -1);
  return asmValue(
      b, loc, b.getI32Type(),
      "{\n"
      "  mov.u32 $0, 0;\n"
      "  @$3 atom.global.inc.u32 $0, [$1], $2;\n"
      "  shfl.sync.idx.b32 $0, $0, 0, 31, -1;\n"
      "}",
      "=&r,l,r,b,~{memory}",
      {addressOf(b, loc, op.getCounter(), zero), last, isFirstLane(b, loc)},
      /*hasSideEffects=*/true);
}

/// When all in its body is lowered.
void lowerForEachNumber(ForEachNumberOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(b.getI32Type()), ValueRange(),
      [&](OpBuilder &b, Location, ValueRange) {
        Value number = takeNumber(b, op);
        Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            number, op.getTotal());
        scf::ConditionOp::create(b, loc, isOne, number);
      },
      [&](OpBuilder &b, Location, ValueRange) {
        scf::YieldOp::create(b, loc);
      });
  Block *from = &op.getBody().front(), *to = loop.getAfterBody();
  from->getArgument(0).replaceAllUsesWith(to->getArgument(0));
  to->getOperations().splice(to->begin(), from->getOperations());
  op.erase();
}

//===----------------------------------------------------------------------===//
// Memory that becomes 0
//===----------------------------------------------------------------------===//

/// 16 bytes a lane, twice.
struct ClearPattern : OpConversionPattern<ClearOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ClearOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    constexpr int64_t part = 1024, lanes = 32, chunk = 16;
    Location loc = op.getLoc();
    I32Builder i(b, loc);
    Type i64 = b.getI64Type();
    auto constant = [&](int64_t v) -> Value {
      return arith::ConstantIntOp::create(b, loc, v, 64);
    };
    auto times = [&](Value x, int64_t y) -> Value {
      return arith::MulIOp::create(b, loc, x, constant(y));
    };
    auto add = [&](Value x, Value y) -> Value {
      return arith::AddIOp::create(b, loc, x, y);
    };
    Value base = arith::IndexCastOp::create(
        b, loc, i64,
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, op.getBuffer()));
    Value lane =
        i.rem(NVVM::ThreadIdXOp::create(b, loc, b.getI32Type()), lanes);
    base = add(base, times(arith::ExtSIOp::create(b, loc, i64, lane), chunk));
    auto parts =
        scf::ForOp::create(b, loc, op.getFirst(),
                           i.add(op.getFirst(), op.getCount()), i.constant(1));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(parts.getBody());
      Value number =
          arith::ExtSIOp::create(b, loc, i64, parts.getInductionVar());
      Value to = add(base, times(number, part));
      for (int64_t offset = 0; offset < part; offset += lanes * chunk)
        asmEffect(b, loc, "st.global.v4.b32 [$0], {$1, $1, $1, $1};",
                  "l,r,~{memory}", {add(to, constant(offset)), i.constant(0)});
    }
    b.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct LowerRings : fa::impl::FAGPULowerRingsBase<LowerRings> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.getSmemBytes()) {
      kernel.emitError("shared memory is not allocated: run --fagpu-allocate "
                       "before --fagpu-lower-rings");
      return signalPassFailure();
    }
    MLIRContext *context = &getContext();
    CursorConverter converter;
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    patterns
        .add<CursorPattern, AdvancePattern, SlotPattern, WaitFullPattern,
             AcquirePattern, CommitPattern, ReleasePattern, AwaitTurnPattern,
             PassTurnPattern, PublishPattern, ReadPublishedPattern,
             TmaLoadPattern, ClearTailPattern, AwaitCountPattern,
             SetCountPattern, AddCountPattern, TmaPrefetchPattern, ClearPattern,
             SendPattern, SendNumberPattern, BulkLoadPattern, ReadColsPattern,
             StoreFragmentsPattern, ReadFragmentsPattern, WgmmaPattern>(
            converter, context);
    populateRoundFragmentsPatterns(converter, patterns);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.addIllegalOp<
        CursorOp, AdvanceOp, SlotOp, WaitFullOp, AcquireOp, CommitOp, ReleaseOp,
        PublishOp, ReadPublishedOp, TmaLoadOp, ClearTailOp, BulkLoadOp,
        AwaitTurnOp, PassTurnOp, AwaitCountOp, SetCountOp, AddCountOp, SendOp,
        SendNumberOp, ClearOp, RoundFragmentsOp, TmaPrefetchOp>();
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });
    if (failed(applyPartialConversion(kernel, target, std::move(patterns))))
      return signalPassFailure();
    SmallVector<ForEachNumberOp> loops;
    kernel.walk([&](ForEachNumberOp op) { loops.push_back(op); });
    llvm::for_each(loops, lowerForEachNumber);
  }
};

} // namespace
