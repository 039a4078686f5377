//===- HopperOps.cpp - types and verifiers of warp-specialised kernels ----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace fa::fagpu;

#include "fa/Dialect/FAGPU/IR/FAGPUHopperEnums.cpp.inc"

#define GET_OP_CLASSES
#include "fa/Dialect/FAGPU/IR/FAGPUHopperOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

template <typename TypeT> static Type parseTileType(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseGreater())
    return {};
  return parser.getChecked<TypeT>(parser.getContext(), ArrayRef<int64_t>(shape),
                                  element);
}

template <typename TypeT>
static void printTileType(AsmPrinter &printer, TypeT type) {
  printer << '<';
  printer.printDimensionList(type.getShape());
  printer << 'x' << type.getElementType() << '>';
}

Type SwizzledType::parse(AsmParser &p) {
  return parseTileType<SwizzledType>(p);
}
void SwizzledType::print(AsmPrinter &p) const { printTileType(p, *this); }
Type TensorMapType::parse(AsmParser &p) {
  return parseTileType<TensorMapType>(p);
}
void TensorMapType::print(AsmPrinter &p) const { printTileType(p, *this); }
Type PendingType::parse(AsmParser &p) { return parseTileType<PendingType>(p); }
void PendingType::print(AsmPrinter &p) const { printTileType(p, *this); }
Type SharedRowsType::parse(AsmParser &p) {
  return parseTileType<SharedRowsType>(p);
}
void SharedRowsType::print(AsmPrinter &p) const { printTileType(p, *this); }

static LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> tile, Type element) {
  if (!element.isBF16() && !element.isF16())
    return emitError() << "elements must be bf16 or f16, got " << element;
  if (tile[0] <= 0 || tile[0] % 8 != 0 || tile[1] <= 0 || tile[1] % 16 != 0)
    return emitError() << "rows must be a multiple of 8 and columns of 16";
  return success();
}

LogicalResult SwizzledType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape, Type element) {
  if (shape.size() != 3 || shape[0] <= 0)
    return emitError() << "needs tiles x rows x columns";
  return verifyTile(emitError, shape.drop_front(), element);
}

LogicalResult
TensorMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> shape, Type element) {
  if (shape.size() != 2)
    return emitError() << "needs rows x columns";
  if (shape[0] > 256)
    return emitError() << "a TMA box has at most 256 rows";
  return verifyTile(emitError, shape, element);
}

LogicalResult PendingType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type element) {
  if (shape.size() != 2 || shape[0] != 64 || shape[1] <= 0 ||
      shape[1] % 8 != 0 || shape[1] > 256 || !element.isF32())
    return emitError()
           << "a pending accumulator is 64xNxf32, N a multiple of 8 up to 256";
  return success();
}

//===----------------------------------------------------------------------===//
// fagpu.kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFuncType =
      [](Builder &b, ArrayRef<Type> args, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag,
         std::string &) { return b.getFunctionType(args, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildFuncType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

int64_t KernelOp::getThreads() {
  int64_t warpgroups = 0;
  for (auto role : getBody().getOps<RoleOp>())
    warpgroups += role.getOwnWarpgroups();
  return warpgroups * kGroupThreads;
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

LogicalResult EncodeTensorMapOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  int64_t rank = source.getRank(), col = getColDim(), row = getRowDim();
  auto isDim = [&](int64_t dim) { return dim >= 0 && dim < rank; };
  if (rank < 2 || rank > 5 || !isDim(col) || !isDim(row) || col == row)
    return emitOpError("rule 1: needs 2 to 5 dimensions, of which col_dim and "
                       "row_dim are two");
  if (source.getElementType() !=
      cast<TensorMapType>(getResult().getType()).getElementType())
    return emitOpError("rule 2: the map and the buffer have different element "
                       "types");
  return success();
}

//===----------------------------------------------------------------------===//
// Roles and the tile loop
//===----------------------------------------------------------------------===//

LogicalResult RoleOp::verify() {
  TypeRange arguments = getBody().getArgumentTypes();
  if (getWholeWarp() && getKind() != RoleKind::Messenger)
    return emitOpError("rule 2: only a messenger is a whole warp");
  if (isOneThread() && !(arguments.empty() && getWarpgroups() == 1))
    return emitOpError("rule 1: a ") << stringifyRoleKind(getKind())
                                     << " has one warpgroup and no argument";
  if (getKind() == RoleKind::Consumer &&
      !(arguments.size() == 1 && arguments[0].isInteger(32)))
    return emitOpError("rule 1: a consumer has one i32 argument, the number "
                       "of its warpgroup");
  return success();
}

LogicalResult DrawOp::verify() {
  Block &body = getBody().front();
  auto yield = dyn_cast_or_null<YieldOp>(body.empty() ? nullptr : &body.back());
  auto isNumber = [](Type type) { return type.isInteger(32); };
  if (body.getNumArguments() != 1 || !isNumber(body.getArgument(0).getType()) ||
      !yield || yield.getNumOperands() != 2 ||
      !llvm::all_of(yield.getOperandTypes(), isNumber))
    return emitOpError("rule 1: the body takes the ticket (i32) and ends with "
                       "fagpu.yield of two i32");
  auto type = cast<MemRefType>(getCounter().getType());
  if (!type.hasStaticShape() || type.getNumElements() != 1 ||
      !isNumber(type.getElementType()))
    return emitOpError("rule 2: the counter is a memref of one i32");
  return success();
}

LogicalResult WithoutRolesOp::verify() {
  TypeRange arguments = getBody().getArgumentTypes();
  if (arguments.size() != 1 || !arguments[0].isInteger(32))
    return emitOpError("rule 1: has one i32 argument, the number of the "
                       "warpgroup");
  if (static_cast<int32_t>(getPart()) < 1)
    return emitOpError("rule 2: part is positive; 0 are blocks with roles");
  return success();
}

static bool hasMailbox(Value ring) {
  auto op = ring.getDefiningOp<RingOp>();
  return op && op.getMailbox();
}

/// Numbers of tiles travel with slots of rings.
static LogicalResult verifyMailboxes(ForEachTileOp op, bool goesOn) {
  auto kernel = op->getParentOfType<KernelOp>();
  bool isOfPair = kernel && kernel.getCluster() && goesOn;
  Value inbox = op.getInbox();
  constexpr int64_t slots = 2;
  if (isOfPair != !!inbox ||
      (inbox && cast<RingType>(inbox.getType()).getStages() != slots))
    return op.emitOpError("rule 3: an inbox, of two slots, belongs to dynamic "
                          "or drawn tiles of a kernel with clusters, and only "
                          "there");
  bool isTold = op.getCounter() && !op.getCounter().getType().isInteger(32);
  if ((goesOn || isTold) && !hasMailbox(op.getVia()))
    return op.emitOpError("rule 4: via carries numbers of tiles: its ring "
                          "needs a mailbox");
  if (inbox && !hasMailbox(inbox))
    return op.emitOpError("rule 4: the inbox needs a mailbox");
  return success();
}

LogicalResult ForEachTileOp::verify() {
  bool goesOn = getScheduler() == Scheduler::Dynamic ||
                getScheduler() == Scheduler::Drawn;
  if ((goesOn || getScheduler() == Scheduler::Ticket) != !!getCounter())
    return emitOpError("rule 1: counter belongs to dynamic, drawn and ticket, "
                       "and only there");
  Block &body = getBody().front();
  auto yield = dyn_cast_or_null<YieldOp>(body.empty() ? nullptr : &body.back());
  if (!yield)
    return emitOpError("rule 2: the body must end with fagpu.yield");
  TypeRange arguments = body.getArgumentTypes();
  auto cursor = CursorType::get(getContext(),
                                cast<RingType>(getVia().getType()).getStages());
  if (arguments.size() < 2 || !arguments[0].isInteger(32) ||
      arguments[1] != cursor)
    return emitOpError("rule 2: the body takes the tile (i32) and the cursor "
                       "of via (")
           << cursor << ") first";
  TypeRange carried = arguments.drop_front(2);
  if (carried != getInits().getTypes() || carried != getResultTypes() ||
      carried != yield.getOperandTypes())
    return emitOpError("rule 2: carried values must have the same types as "
                       "body arguments, inits, yields and results");
  return verifyMailboxes(*this, goesOn);
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

static LogicalResult verifyRing(Operation *op, Value ring, Value cursor,
                                StringRef rule) {
  int64_t stages = cast<RingType>(ring.getType()).getStages();
  if (stages != cast<CursorType>(cursor.getType()).getStages())
    return op->emitOpError(rule)
           << ": ring and cursor must have the same number of stages";
  return success();
}

static LogicalResult verifyIndex(Operation *op, SwizzledType smem, Value index,
                                 StringRef rule) {
  if (auto cursor = dyn_cast<CursorType>(index.getType()))
    if (cursor.getStages() != smem.getTiles())
      return op->emitOpError(rule) << ": a cursor of " << cursor.getStages()
                                   << " stages cannot index " << smem;
  return success();
}

LogicalResult SendNumberOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || !kernel.getCluster())
    return emitOpError("rule 1: only blocks of a cluster send numbers");
  if (!hasMailbox(getRing()))
    return emitOpError("rule 3: the ring needs a mailbox");
  return verifyRing(*this, getRing(), getCursor(), "rule 2");
}

LogicalResult TakeTileOp::verify() {
  if (getScheduler() != Scheduler::Static &&
      getScheduler() != Scheduler::Dynamic)
    return emitOpError("rule 2: needs a static or dynamic scheduler");
  return verifyRing(*this, getVia(), getCursor(), "rule 1");
}
LogicalResult AcquireOp::verify() {
  return verifyRing(*this, getRing(), getCursor(), "rule 1");
}
LogicalResult WaitFullOp::verify() {
  return verifyRing(*this, getRing(), getCursor(), "rule 1");
}
LogicalResult ReleaseOp::verify() {
  return verifyRing(*this, getRing(), getCursor(), "rule 1");
}
static LogicalResult verifyTurn(Operation *op, Value warpgroup) {
  auto role = op->getParentOfType<RoleOp>();
  if (role && role.getWarpgroups() >= 2 && role.getBody().getNumArguments() &&
      warpgroup == role.getBody().getArgument(0))
    return success();
  return op->emitOpError("rule 1: turns are between the warpgroups of a role "
                         "of at least two; the operand is its argument");
}
LogicalResult AwaitTurnOp::verify() {
  return verifyTurn(*this, getWarpgroup());
}
LogicalResult PassTurnOp::verify() { return verifyTurn(*this, getWarpgroup()); }

LogicalResult ClearTailOp::verify() {
  if (failed(verifyRing(*this, getRing(), getCursor(), "rule 1")))
    return failure();
  if (getTile())
    return cast<RingType>(getRing().getType()).getStages() == 1
               ? success()
               : emitOpError("rule 2: a tile is chosen where the ring has one "
                             "slot");
  return verifyIndex(*this, cast<SwizzledType>(getSmem().getType()),
                     getCursor(), "rule 2");
}

/// `where` is what kinds of roles it is for, in words.
static LogicalResult verifyCount(Operation *op, Value counts, bool isAllowed,
                                 StringRef where) {
  if (!isAllowed)
    return op->emitOpError("rule 1: is for ") << where;
  auto type = cast<MemRefType>(counts.getType());
  if (type.getRank() != 1 || !type.getElementType().isInteger(32))
    return op->emitOpError("rule 2: counts are a memref of i32 with one "
                           "dimension");
  return success();
}

/// What one warpgroup does.
static bool isOneWarpgroup(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  return role
             ? role.getKind() == RoleKind::Consumer && role.getWarpgroups() == 1
             : static_cast<bool>(op->getParentOfType<WithoutRolesOp>());
}

LogicalResult AwaitCountOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  return verifyCount(*this, getCounts(),
                     isOneWarpgroup(*this) ||
                         ForEachNumberOp::isOfWarp(*this) ||
                         (role && role.isOneThread()),
                     "a messenger, a producer, a consumer of one warpgroup or "
                     "a block without roles");
}
LogicalResult SetCountOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  return verifyCount(*this, getCounts(),
                     role && role.getKind() == RoleKind::Messenger,
                     "a messenger");
}
LogicalResult AddCountOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  return verifyCount(
      *this, getCounts(),
      isOneWarpgroup(*this) || ForEachNumberOp::isOfWarp(*this) ||
          (role && role.getKind() == RoleKind::Messenger),
      "a messenger, a consumer of one warpgroup or a block without roles");
}
LogicalResult ForEachNumberOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !(role.getWholeWarp() || role.getKind() == RoleKind::Consumer))
    return emitOpError("rule 1: is for a messenger of a whole warp or a "
                       "consumer");
  auto type = cast<MemRefType>(getCounter().getType());
  if (type.getShape() != ArrayRef<int64_t>{1} ||
      !type.getElementType().isInteger(32))
    return emitOpError("rule 2: the counter is a memref of one i32");
  if (getBody().getNumArguments() != 1 ||
      !getBody().getArgument(0).getType().isInteger(32))
    return emitOpError("rule 3: the body takes the number (i32)");
  return success();
}
bool ForEachNumberOp::isOfWarp(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  return (role && role.getWholeWarp()) ||
         op->getParentOfType<ForEachNumberOp>();
}
int64_t ForEachNumberOp::getWarps() {
  constexpr int64_t inWarpgroup = 4;
  auto role = (*this)->getParentOfType<RoleOp>();
  return role.getWholeWarp() ? 1 : role.getWarpgroups() * inWarpgroup;
}

LogicalResult CommitOp::verify() {
  if (static_cast<int64_t>(getBytes()) < 0 || getBytes() >= 1 << 20)
    return emitOpError("rule 2: bytes must be in [0, 2^20)");
  return verifyRing(*this, getRing(), getCursor(), "rule 1");
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

static LogicalResult verifyTransfer(Operation *op, TensorMapType map,
                                    SwizzledType smem, size_t outer,
                                    bool choosesColumns = false) {
  bool haveOneWidth = choosesColumns ? smem.getCols() <= map.getCols()
                                     : smem.getCols() == map.getCols();
  if (map.getRows() != smem.getRows() || !haveOneWidth ||
      map.getElementType() != smem.getElementType())
    return op->emitOpError("rule 1: ")
           << map << " does not fit a tile of " << smem;
  if (outer > 3)
    return op->emitOpError("rule 2: has more than three outer coordinates");
  return success();
}

LogicalResult TmaPrefetchOp::verify() {
  constexpr size_t most = 3;
  if (getOuter().size() > most)
    return emitOpError("rule 1: a box has at most three outer coordinates");
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || role.getKind() != RoleKind::Producer)
    return emitOpError("rule 2: is for a producer");
  return success();
}

LogicalResult TmaLoadOp::verify() {
  auto smem = cast<SwizzledType>(getSmem().getType());
  if (failed(verifyTransfer(*this, cast<TensorMapType>(getMap().getType()),
                            smem, getOuter().size(), !!getColumns())) ||
      failed(verifyIndex(*this, smem, getIndex(), "rule 3")))
    return failure();
  return verifyRing(*this, getRing(), getCursor(), "rule 3");
}

LogicalResult TmaStoreOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  auto smem = cast<SwizzledType>(getSmem().getType());
  if (!tile.getElementType().isF32() ||
      tile.getShape() != smem.getShape().drop_front())
    return emitOpError("rule 1: the tile must be f32, of the shape of a tile "
                       "of ")
           << smem;
  return verifyTransfer(*this, cast<TensorMapType>(getMap().getType()), smem,
                        getOuter().size());
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// Rows and columns of an operand of so many tiles.
static SmallVector<int64_t> operandShape(SwizzledType smem, int64_t tiles) {
  return {smem.getRows() * tiles, smem.getCols()};
}

static LogicalResult verifyOperandIndex(Operation *op, SwizzledType smem,
                                        Value index, int64_t tiles) {
  auto cursor = dyn_cast<CursorType>(index.getType());
  if (cursor && cursor.getStages() * tiles != smem.getTiles())
    return op->emitOpError("rule 3: a cursor of ")
           << cursor.getStages() << " stages cannot index " << smem;
  return success();
}

LogicalResult WgmmaOp::verify() {
  auto b = cast<SwizzledType>(getB().getType());
  int64_t tilesOfA = getARowsAreK() ? getTiles() : 1,
          tilesOfB = getBRowsAreK() ? getTiles() : 1;
  if (failed(verifyOperandIndex(*this, b, getBIndex(), tilesOfB)))
    return failure();
  auto result = cast<PendingType>(getResult().getType());
  if (getBColumns() && !getBRowsAreK())
    return emitOpError("rule 4: columns are chosen with b_rows_are_k only");
  if (getHalfBlocks() && (!getBColumns() || result.getShape()[1] != 32))
    return emitOpError("rule 4: half_blocks goes with 32 columns that are "
                       "chosen");
  SmallVector<int64_t> shape = operandShape(b, tilesOfB);
  int64_t n = shape[0], k = shape[1];
  if (getBRowsAreK()) {
    std::swap(n, k);
    if (getBColumns())
      n = std::min(n, result.getShape()[1]);
  }
  SmallVector<int64_t> a;
  Type aElement;
  if (auto smem = dyn_cast<SwizzledType>(getA().getType())) {
    if (!getAIndex())
      return emitOpError("rule 1: a in shared memory needs an index");
    if (failed(verifyOperandIndex(*this, smem, getAIndex(), tilesOfA)))
      return failure();
    a = operandShape(smem, tilesOfA);
    if (getARowsAreK())
      std::swap(a[0], a[1]);
    aElement = smem.getElementType();
  } else {
    auto tensor = cast<RankedTensorType>(getA().getType());
    if (getAIndex())
      return emitOpError("rule 1: a in registers has no index");
    if (getARowsAreK())
      return emitOpError("rule 5: a in registers has no a_rows_are_k");
    a = SmallVector<int64_t>(tensor.getShape());
    aElement = tensor.getElementType();
  }
  if (a.size() != 2 || a[0] != 64 || a[1] != k || k % 16 != 0 ||
      result.getShape() != ArrayRef<int64_t>{64, n})
    return emitOpError("rule 1: shapes do not agree: a must be 64xK, b NxK (or "
                       "KxN with b_rows_are_k), the result 64xN");
  if (aElement != b.getElementType())
    return emitOpError("rule 2: a and b must have the same element type");
  if (getHead()) {
    auto head = cast<RankedTensorType>(getHead().getType());
    if (!getAIndex() || head.getRank() != 2 || head.getDimSize(0) != 64 ||
        head.getDimSize(1) % 16 != 0 || head.getDimSize(1) > k ||
        head.getElementType() != aElement)
      return emitOpError("rule 6: head must be 64 rows of an a in shared "
                         "memory, a multiple of 16 of its columns");
  }
  if (getAcc()) {
    auto acc = dyn_cast<RankedTensorType>(getAcc().getType());
    bool agrees = acc ? acc.getShape() == result.getShape() &&
                            acc.getElementType().isF32()
                      : getAcc().getType() == result;
    if (!agrees)
      return emitOpError("rule 2: acc must be f32, of the result's shape");
  }
  return success();
}

LogicalResult WgmmaWaitOp::verify() {
  auto agree = [](auto pair) {
    auto [pending, tensor] = pair;
    auto from = cast<PendingType>(pending.getType());
    auto to = cast<RankedTensorType>(tensor.getType());
    return from.getShape() == to.getShape() &&
           from.getElementType() == to.getElementType();
  };
  if (getDone().size() != getValues().size() ||
      getLive().getTypes() != getPending().getTypes() ||
      !llvm::all_of(llvm::zip(getDone(), getValues()), agree))
    return emitOpError("rule 1: one tensor per done, of its shape, then the "
                       "types of live");
  if (getLive().size() != getGroups())
    return emitOpError("rule 2: needs as many live values as groups");
  return success();
}

LogicalResult PackOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getShape() != to.getShape() || from.getRank() != 2 ||
      from.getDimSize(1) % 16 != 0 || !from.getElementType().isF32() ||
      !(to.getElementType().isBF16() || to.getElementType().isF16()))
    return emitOpError(
        "rule 1: RxC f32 to RxC bf16 or f16, C a multiple of 16");
  return success();
}

LogicalResult ScaleRowsOp::verify() {
  if (cast<RankedTensorType>(getTile().getType()).getDimSize(0) !=
      cast<RankedTensorType>(getFactors().getType()).getDimSize(0))
    return emitOpError("rule 1: needs one factor per row");
  if (getChanges() && getSkipIfOne())
    return emitOpError("rule 2: if and skip_if_one say the same");
  return success();
}
