//===- DistributeHopper.cpp - wgmma and register tiles to scalars ---------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DistributeHopper.h"
#include "HopperUtils.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "fa/Dialect/FA/IR/FA.h"
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
#define GEN_PASS_DEF_FAGPUDISTRIBUTE
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using namespace fa::fagpu;

namespace {

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// How a tile in shared memory is an operand of wgmma: where the k-th 16
/// columns (or rows) start, in units of 16 bytes.
struct OperandLayout {
  SwizzledType type;
  bool rowsAreK;

  /// Bytes / 16 from one 64-column block to the next.
  int64_t blockStride() const { return type.getRows() * 128 / 16; }
  int64_t leadingOffset() const { return rowsAreK ? blockStride() : 1; }
  /// To column `column` of an operand whose rows are k, a multiple of 64.
  int64_t columnOffset(int64_t column) const {
    return column / 64 * blockStride();
  }
  int64_t stepOf(int64_t k) const {
    int64_t row = k * 16;
    if (rowsAreK)
      return row / type.getRows() * (type.getTileBytes() / 16) +
             row % type.getRows() * 128 / 16;
    return k % 4 * 2 + k / 4 * blockStride();
  }
};

/// The descriptor of tile `index`: address, leading offset, stride between
/// groups of 8 rows (1024 bytes), 128-byte swizzle.
Value tileDescriptor(OpBuilder &b, Location loc, Value handle, Value index,
                     bool rowsAreK) {
  auto smem = handle.getDefiningOp<SmemOp>();
  OperandLayout layout{cast<SwizzledType>(handle.getType()), rowsAreK};
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIntOp::create(b, loc, v, 32);
  };
  Value base = LLVM::PtrToIntOp::create(
      b, loc, i32, sharedPointer(b, loc, *smem.getOffset()));
  Value unit = arith::ShRUIOp::create(b, loc, base, constant(4));
  Value address = arith::AndIOp::create(b, loc, unit, constant(0x3FFF));
  Value wide = arith::ExtUIOp::create(b, loc, i64, address);
  constexpr int64_t stride = int64_t(1024 / 16) << 32, swizzle128 = int64_t(1)
                                                                    << 62;
  int64_t fixed = layout.leadingOffset() << 16 | stride | swizzle128;
  Value first = arith::OrIOp::create(
      b, loc, wide, arith::ConstantIntOp::create(b, loc, fixed, 64));
  Value offset = arith::MulIOp::create(
      b, loc, index, constant(layout.type.getTileBytes() / 16));
  Value wideOffset = arith::ExtUIOp::create(b, loc, i64, offset);
  return arith::AddIOp::create(b, loc, first, wideOffset);
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

LLVM::LLVMStructType structOf(MLIRContext *context, size_t n) {
  return LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(n, Float32Type::get(context)));
}

SmallVector<Value> unpackStruct(OpBuilder &b, Location loc, Value packed) {
  SmallVector<Value> values;
  size_t n = cast<LLVM::LLVMStructType>(packed.getType()).getBody().size();
  for (size_t i = 0; i < n; ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, loc, packed, i));
  return values;
}

/// The text and operands of one product over all of K as one piece of assembly:
/// fence, products, commit. An accumulator that goes in is tied to the one that
/// comes out, so that no register is copied.
class WgmmaAssembly {
public:
  WgmmaAssembly(OpBuilder &b, WgmmaOp op, ValueRange a, Value aIndex,
                ValueRange head, Value bIndex, ValueRange acc)
      : b(b), op(op), loc(op.getLoc()), out(text) {
    n = cast<PendingType>(op.getResult().getType()).getShape()[1];
    auto rhs = cast<SwizzledType>(op.getB().getType());
    element = rhs.getElementType().isBF16() ? "bf16" : "f16";
    k = op.getBRowsAreK() ? rhs.getRows() * op.getTiles() : rhs.getCols();
    addOutputs();
    if (!acc.empty())
      addTied(acc);
    aInRegisters = isa<RankedTensorType>(op.getA().getType());
    firstInRegisters = operandNumber;
    stepsInRegisters = (aInRegisters ? a : head).size() / 4;
    add(aInRegisters ? a : head, "r");
    int64_t firstA = operandNumber;
    if (!aInRegisters)
      add(tileDescriptor(b, loc, op.getA(), aIndex, op.getARowsAreK()), "l");
    int64_t bOperand = operandNumber;
    Value rhsStart =
        tileDescriptor(b, loc, op.getB(), bIndex, op.getBRowsAreK());
    if (op.getBColumns())
      rhsStart = addBlocks(rhsStart, rhs);
    add(rhsStart, "l");
    write(firstA, bOperand, /*startsFromZero=*/acc.empty());
    constraints += ",~{memory}";
  }

  SmallVector<Value> create() {
    Value result = asmValue(b, loc, structOf(b.getContext(), n / 2), text,
                            constraints, operands, /*hasSideEffects=*/true);
    return unpackStruct(b, loc, result);
  }

private:
  /// The descriptor of the columns that are used.
  Value addBlocks(Value descriptor, SwizzledType type) {
    I32Builder i(b, loc);
    int64_t stride = OperandLayout{type, true}.blockStride();
    Value offset;
    if (op.getHalfBlocks()) {
      // 32 columns are 64 bytes of a row of 128.
      constexpr int64_t half = 64 / 16;
      offset = i.add(i.mul(i.div(op.getBColumns(), 2), stride),
                     i.mul(i.rem(op.getBColumns(), 2), half));
    } else {
      offset = i.mul(op.getBColumns(), stride);
    }
    return arith::AddIOp::create(
        b, loc, descriptor,
        arith::ExtUIOp::create(b, loc, b.getI64Type(), offset));
  }

  void constrain(const Twine &constraint) {
    if (!constraints.empty())
      constraints += ",";
    constraints += constraint.str();
    ++operandNumber;
  }
  void addOutputs() {
    for (int64_t i = 0; i < n / 2; ++i)
      constrain("=f");
  }
  void addTied(ValueRange values) {
    for (auto [i, value] : llvm::enumerate(values)) {
      operands.push_back(value);
      constrain(Twine(i));
    }
  }
  void add(ValueRange values, StringRef constraint) {
    for (Value value : values) {
      operands.push_back(value);
      constrain(constraint);
    }
  }

  void write(int64_t firstA, int64_t bOperand, bool startsFromZero) {
    // Only the low half of a descriptor is an address.
    out << "{\n.reg .pred zero, add;\n.reg .b64 qa, kb;\n"
           ".reg .b32 at, qlow, qhigh, klow, khigh;\n";
    if (!aInRegisters)
      out << "mov.b64 {qlow, qhigh}, $" << firstA << ";\n";
    out << "mov.b64 {klow, khigh}, $" << bOperand << ";\n";
    out << "setp.ne.b32 zero, 0, 0;\nsetp.ne.b32 add, 1, 0;\n"
           "wgmma.fence.sync.aligned;\n";
    int64_t width = columnsAtOnce();
    for (int64_t column = 0; column < n; column += width)
      for (int64_t step = 0; step < k / 16; ++step)
        writeStep(step, column, std::min(width, n - column), firstA,
                  startsFromZero && step == 0);
    if (!isJoined())
      out << "wgmma.commit_group.sync.aligned;\n";
    out << "}";
  }

  /// Whether another product adds to this one in flight, and commits both.
  bool isJoined() {
    return llvm::any_of(op.getResult().getUsers(), llvm::IsaPred<WgmmaOp>);
  }

  /// The assembler refuses an instruction whose registers, and some 32 for
  /// the rest, are more than a thread starts with (C7602), whatever its role
  /// has later.
  int64_t columnsAtOnce() {
    constexpr int64_t file = 65536, others = 32, block = 64;
    int64_t threads = op->getParentOfType<KernelOp>().getThreads();
    int64_t most = file / threads - others;
    if (n / 2 <= most || !op.getBRowsAreK())
      return n;
    return llvm::alignTo(llvm::divideCeil(n, llvm::divideCeil(n, 2 * most)),
                         block);
  }

  /// Of some columns of the result.
  void writeStep(int64_t step, int64_t column, int64_t width, int64_t firstA,
                 bool zero) {
    OperandLayout rhs{cast<SwizzledType>(op.getB().getType()),
                      op.getBRowsAreK()};
    bool inRegisters = step < stepsInRegisters;
    if (!inRegisters) {
      OperandLayout lhs{cast<SwizzledType>(op.getA().getType()),
                        op.getARowsAreK()};
      out << "add.s32 at, qlow, " << lhs.stepOf(step)
          << ";\nmov.b64 qa, {at, qhigh};\n";
    }
    out << "add.s32 at, klow, " << rhs.stepOf(step) + rhs.columnOffset(column)
        << ";\nmov.b64 kb, {at, khigh};\n";
    out << "wgmma.mma_async.sync.aligned.m64n" << width << "k16.f32." << element
        << "." << element << " ";
    writeRegisters(column / 2, width / 2);
    out << ", ";
    if (inRegisters)
      writeRegisters(firstInRegisters + 4 * step, 4);
    else
      out << "qa";
    // scale-d, scale-a, scale-b; then, for operands in memory, whether they are
    // transposed (their rows are k).
    out << ", kb, " << (zero ? "zero" : "add") << ", 1, 1"
        << (inRegisters         ? ""
            : op.getARowsAreK() ? ", 1"
                                : ", 0")
        << (op.getBRowsAreK() ? ", 1" : ", 0") << ";\n";
  }

  void writeRegisters(int64_t first, int64_t count) {
    out << "{";
    for (int64_t i = 0; i < count; ++i)
      out << (i ? ", $" : "$") << first + i;
    out << "}";
  }

  OpBuilder &b;
  WgmmaOp op;
  Location loc;
  std::string text, constraints;
  llvm::raw_string_ostream out;
  SmallVector<Value> operands;
  int64_t n, k, operandNumber = 0, firstInRegisters, stepsInRegisters;
  bool aInRegisters;
  StringRef element;
};

struct WgmmaPattern : OpConversionPattern<WgmmaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(WgmmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto one = [](ValueRange range) {
      return range.empty() ? Value() : range[0];
    };
    ValueRange acc = op.getAcc() ? adaptor.getAcc() : ValueRange();
    ValueRange head = op.getHead() ? adaptor.getHead() : ValueRange();
    Value aIndex = op.getAIndex() ? one(adaptor.getAIndex()) : Value();
    WgmmaAssembly assembly(b, op, adaptor.getA(), aIndex, head,
                           one(adaptor.getBIndex()), acc);
    b.replaceOpWithMultiple(op, {assembly.create()});
    return success();
  }
};

/// The accumulators that are done are tied through the wait, so that nothing
/// reads them before it.
struct WaitPattern : OpConversionPattern<WgmmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(WgmmaWaitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> done;
    for (ValueRange values : adaptor.getDone())
      llvm::append_range(done, values);
    SmallVector<Value> values = waitFor(b, op, done);
    SmallVector<SmallVector<Value>> results;
    ArrayRef<Value> rest = values;
    for (ValueRange range : adaptor.getDone()) {
      results.emplace_back(rest.take_front(range.size()));
      rest = rest.drop_front(range.size());
    }
    for (ValueRange values : adaptor.getLive())
      results.emplace_back(values);
    b.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// The accumulators pass through the wait, so that nobody reads them earlier.
  static SmallVector<Value> waitFor(OpBuilder &b, WgmmaWaitOp op,
                                    ValueRange done) {
    Location loc = op.getLoc();
    std::string text =
        ("wgmma.wait_group.sync.aligned " + Twine(op.getGroups()) + ";").str();
    std::string constraints;
    for (size_t i = 0; i < done.size(); ++i)
      constraints += "=f,";
    for (size_t i = 0; i < done.size(); ++i)
      constraints += (Twine(i) + ",").str();
    constraints += "~{memory}";
    if (!done.empty())
      return unpackStruct(b, loc,
                          asmValue(b, loc,
                                   structOf(b.getContext(), done.size()), text,
                                   constraints, done, /*hasSideEffects=*/true));
    asmEffect(b, loc, text, constraints, {});
    return {};
  }
};

struct PackPattern : OpConversionPattern<PackOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(PackOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type element =
        cast<RankedTensorType>(op.getResult().getType()).getElementType();
    StringRef text = element.isBF16() ? "cvt.rn.bf16x2.f32 $0, $1, $2;"
                                      : "cvt.rn.f16x2.f32 $0, $1, $2;";
    ValueRange source = adaptor.getSource();
    // There are no registers for two tiles that are made together: their
    // elements are packed as they come.
    auto maker = op.getSource().getDefiningOp<linalg::GenericOp>();
    bool areTwo = maker && maker.getNumResults() > 1;
    SmallVector<Value> packed;
    for (size_t i = 0; i < source.size(); i += 2) {
      OpBuilder::InsertionGuard guard(b);
      if (areTwo)
        setInsertionPointAfterBoth(b, op, source[i], source[i + 1]);
      packed.push_back(asmValue(b, op.getLoc(), b.getI32Type(), text, "=r,f,f",
                                {source[i + 1], source[i]},
                                /*hasSideEffects=*/true));
    }
    b.replaceOpWithMultiple(op, {packed});
    return success();
  }

private:
  /// No later than `op`, where they are of another block.
  static void setInsertionPointAfterBoth(OpBuilder &b, Operation *op, Value x,
                                         Value y) {
    Operation *first = x.getDefiningOp(), *second = y.getDefiningOp();
    auto isHere = [&](Operation *def) {
      return def && def->getBlock() == op->getBlock();
    };
    if (isHere(first) && isHere(second))
      b.setInsertionPointAfter(first->isBeforeInBlock(second) ? second : first);
  }
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// One lane per quad writes.
struct StoreRowsPattern : DistributePattern<StoreRowsOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(StoreRowsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type i64 = b.getI64Type();
    I32Builder i(b, loc);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          thread.quadLane, i.constant(0));
    Type element =
        cast<RankedTensorType>(op.getRows().getType()).getElementType();
    for (auto [slot, value] : llvm::enumerate(adaptor.getRows())) {
      Value row = i.add(op.getRow(), thread.rowOfSlot(b, loc, slot));
      // Unsigned: rows before the first are out of range too.
      Value inRange = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            row, op.getLimit());
      auto branch = scf::IfOp::create(b, loc, i.both(isFirst, inRange));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      Value at = arith::AddIOp::create(
          b, loc, op.getBase(), arith::ExtUIOp::create(b, loc, i64, row));
      Value pointer =
          LLVM::GEPOp::create(b, loc, op.getPointer().getType(), element,
                              op.getPointer(), ArrayRef<LLVM::GEPArg>{at});
      LLVM::StoreOp::create(b, loc, value, pointer);
    }
    b.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Among the first exponentials: those before the number that is asked for need
/// not wait for anything.
struct IsComputedPattern : OpConversionPattern<IsComputedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(IsComputedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    ValueRange tile = adaptor.getTile();
    constexpr size_t among = 16;
    Value number = tile[std::min(among, tile.size() - 1)];
    Value zero =
        arith::ConstantOp::create(b, op.getLoc(), b.getF32FloatAttr(0));
    b.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::UGE, number,
                                        zero);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// TMA store
//===----------------------------------------------------------------------===//

struct TmaStorePattern : DistributePattern<TmaStoreOp> {
  using DistributePattern::DistributePattern;
  LogicalResult matchAndRewrite(TmaStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    I32Builder i(b, loc);
    SmallVector<Value> packed = round(b, op, adaptor.getTile());
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          thread.thread, i.constant(0));
    // The store before must have been read out of the memory, and everybody of
    // the warpgroup must have read what was there.
    onOneThread(b, loc, isFirst, [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0, b.getUnitAttr());
    });
    synchroniseWarpgroup(b, op);
    fa::fagpu::storeFragments(b, loc, op.getSmem().getDefiningOp<SmemOp>(),
                              op.getIndex(), thread, packed);
    fenceShared(b, loc);
    synchroniseWarpgroup(b, op);
    onOneThread(b, loc, isFirst, [&] {
      startCopy(b, op);
      if (op.getDrain())
        NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0, b.getUnitAttr());
    });
    if (op.getDrain())
      synchroniseWarpgroup(b, op);
    b.eraseOp(op);
    return success();
  }

private:
  static void onOneThread(OpBuilder &b, Location loc, Value isFirst,
                          function_ref<void()> build) {
    auto branch = scf::IfOp::create(b, loc, isFirst);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    build();
  }

  static SmallVector<Value> round(OpBuilder &b, TmaStoreOp op,
                                  ValueRange tile) {
    auto element = cast<FloatType>(
        cast<SwizzledType>(op.getSmem().getType()).getElementType());
    SmallVector<Value> packed;
    for (size_t i = 0; i < tile.size(); i += 2)
      packed.push_back(
          packRounded(b, op.getLoc(), element, tile[i], tile[i + 1]));
    return packed;
  }

  static void startCopy(OpBuilder &b, TmaStoreOp op) {
    Location loc = op.getLoc();
    OpBuilder::InsertionGuard guard(b);
    if (op.getEnable()) {
      auto branch = scf::IfOp::create(b, loc, op.getEnable());
      b.setInsertionPointToStart(branch.thenBlock());
    }
    auto smem = op.getSmem().getDefiningOp<SmemOp>();
    auto type = cast<SwizzledType>(op.getSmem().getType());
    Value map = mapPointer(b, loc, op.getMap());
    for (int64_t block = 0; block < type.getBlocks(); ++block)
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          b, loc, map, tilePointer(b, loc, smem, op.getIndex(), block),
          boxCoordinates(b, loc, block, op.getRow(), op.getOuter()),
          /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
          /*predicate=*/Value());
    NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct PendingConverter : TileConverter {
  PendingConverter() {
    addConversion(
        [](PendingType type,
           SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
          types.append(type.getShape()[1] / 2, type.getElementType());
          return success();
        });
  }
};

struct DistributeHopper : fa::impl::FAGPUDistributeBase<DistributeHopper> {
  void runOnOperation() override {
    sinkConstants();
    for (Operation &op : getOperation().getBody().front())
      if (isa<RoleOp, WithoutRolesOp>(op) && failed(distribute(&op)))
        return signalPassFailure();
  }

  /// Constants that stand before the roles, as canonicalization leaves them.
  void sinkConstants() {
    Block &body = getOperation().getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body)) {
      if (!op.hasTrait<OpTrait::ConstantLike>())
        continue;
      DenseMap<Operation *, Operation *> copies;
      for (OpOperand &use : llvm::make_early_inc_range(op.getUses())) {
        Operation *role = body.findAncestorOpInBlock(*use.getOwner());
        Operation *&copy = copies[role];
        if (!copy) {
          OpBuilder b = OpBuilder::atBlockBegin(&role->getRegion(0).front());
          copy = b.clone(op);
        }
        use.set(copy->getResult(0));
      }
      op.erase();
    }
  }

  /// The body of a role, or of what is without.
  LogicalResult distribute(Operation *role) {
    MLIRContext *context = &getContext();
    bool stores = false;
    role->walk([&](TmaStoreOp) { stores = true; });
    Block *body = &role->getRegion(0).front();
    OpBuilder b = OpBuilder::atBlockBegin(body);
    Location loc = role->getLoc();
    Value thread = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
    ThreadContext context128(b, loc,
                             I32Builder(b, loc).rem(thread, kGroupThreads));
    PendingConverter converter;
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    populateDistributeLinalgPatterns(converter, patterns, context128);
    patterns.add<WgmmaPattern, WaitPattern, PackPattern, IsComputedPattern>(
        converter, context);
    patterns.add<StoreRowsPattern, TmaStorePattern>(converter, context,
                                                    context128);
    populateDistributeFragmentPatterns(converter, patterns, context128);
    populateDistributeMemoryPatterns(converter, patterns, context128);
    populateDistributeChunkPatterns(converter, patterns, context128);
    populateDistributeGradientPatterns(converter, patterns, context128);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.addIllegalOp<StoreRowsOp, TmaStoreOp, LoadTileOp, StoreTileOp,
                        ReduceAddOp, StoreFragmentsOp, FenceProxyOp>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return !isa<linalg::LinalgOp>(op) && converter.isLegal(op);
    });
    if (failed(applyPartialConversion(role, target, std::move(patterns))))
      return failure();
    // The block must not end before its last stores have been written.
    if (stores) {
      b.setInsertionPointToEnd(body);
      NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0, UnitAttr());
    }
    return success();
  }
};

} // namespace
