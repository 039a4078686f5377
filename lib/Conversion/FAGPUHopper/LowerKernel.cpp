//===- LowerKernel.cpp - fagpu.kernel to llvm.func ------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
#include "fa/Conversion/FAGPUHopper/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fa {
#define GEN_PASS_DEF_FAGPULOWERKERNEL
#include "fa/Conversion/FAGPUHopper/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa::fagpu;

static constexpr StringLiteral kSharedName = "fa_shared_1024";

static constexpr auto kSharedSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);

/// The symbol that all kernels of a module share. A swizzled tile needs 1024
/// bytes of alignment.
static void createSharedSymbol(Operation *module) {
  OpBuilder b = OpBuilder::atBlockBegin(&module->getRegion(0).front());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  LLVM::GlobalOp::create(b, module->getLoc(), type, /*isConstant=*/false,
                         LLVM::Linkage::External, kSharedName, Attribute(),
                         /*alignment=*/1024, kSharedSpace);
}

namespace {

/// Builds the function of one kernel.
class KernelLowering {
public:
  explicit KernelLowering(KernelOp kernel)
      : kernel(kernel), loc(kernel.getLoc()), b(kernel) {}

  void lower() {
    createFunction();
    Type i32 = b.getI32Type();
    thread = NVVM::ThreadIdXOp::create(b, loc, i32);
    // A shuffle tells ptxas that a warp agrees on its warpgroup.
    Value warpgroupOfThread =
        arith::ShRUIOp::create(b, loc, thread, constant(7));
    warpgroup = NVVM::ShflOp::create(
        b, loc, i32, constant(-1), warpgroupOfThread, constant(0), constant(31),
        NVVM::ShflKind::idx, UnitAttr());
    auto draws = kernel.getBody().getOps<DrawOp>();
    DrawOp draw = draws.empty() ? DrawOp() : *draws.begin();
    initialise(draw);
    meet();
    SmallVector<RoleOp> roles;
    for (auto role : kernel.getBody().getOps<RoleOp>())
      (role.getKind() == RoleKind::Messenger ? messengers : roles)
          .push_back(role);
    if (draw)
      buildParts(readDrawn(draw), roles);
    else
      buildRoles(roles, /*first=*/0);
    // What the other block sends and releases here, it has done then.
    if (kernel.getCluster())
      meet();
    LLVM::ReturnOp::create(b, loc, ValueRange());
    replaceHandles();
    kernel.erase();
  }

private:
  Value constant(int64_t v) {
    return arith::ConstantIntOp::create(b, loc, v, 32);
  }
  Value isEqual(Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x,
                                 constant(y));
  }

  /// All threads that share barriers.
  void meet() {
    if (!kernel.getCluster()) {
      NVVM::Barrier0Op::create(b, loc);
      return;
    }
    NVVM::ClusterArriveOp::create(b, loc, UnitAttr());
    NVVM::ClusterWaitOp::create(b, loc, UnitAttr());
  }

  void createFunction() {
    SmallVector<Type> types;
    for (Type type : kernel.getArgumentTypes())
      llvm::append_range(types, parametersOf(type));
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(b.getContext()), types);
    // The kernel gives up its name.
    StringAttr name = kernel.getSymNameAttr();
    kernel.setSymName((name.getValue() + "$stage4").str());
    function = LLVM::LLVMFuncOp::create(b, loc, name, type);
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    // What a launch looks for.
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    int32_t threads = kernel.getThreads();
    function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                      b.getDenseI32ArrayAttr({threads}));
    // Without a bound ptxas ignores setmaxnreg (C7508).
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(blocksOf(kernel)));
    if (std::optional<uint64_t> cluster = kernel.getCluster())
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        b.getDenseI32ArrayAttr({int32_t(*cluster), 1, 1}));
    function->setAttr("fagpu.smem_bytes",
                      b.getI64IntegerAttr(*kernel.getSmemBytes()));
    unsigned position = 0;
    for (Type type : kernel.getArgumentTypes()) {
      if (isa<TensorMapType>(type))
        markTensorMap(position);
      position += parametersOf(type).size();
    }
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
  }

  /// A buffer is its descriptor, field by field, as on every other kernel.
  SmallVector<Type> parametersOf(Type type) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    if (isa<TensorMapType>(type))
      return {pointer};
    if (isa<IndexType>(type))
      return {b.getI64Type()};
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      return {type};
    SmallVector<Type> types = {pointer, pointer};
    types.append(1 + 2 * memref.getRank(), b.getI64Type());
    return types;
  }

  void markTensorMap(unsigned i) {
    constexpr int64_t bytes = 128, alignment = 64;
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes);
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(type));
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(alignment));
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        b.getUnitAttr());
  }

  /// By one thread. The ticket is on its way while it initialises barriers.
  void initialise(DrawOp draw) {
    auto isFirst = scf::IfOp::create(b, loc, isEqual(thread, 0));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isFirst.thenBlock());
    Value ticket = draw ? takeTicket(draw) : Value();
    initialiseBarriers();
    if (draw)
      writeDrawn(draw, ticket);
  }

  /// The counter wraps: after all blocks of a launch it is 0 again.
  Value takeTicket(DrawOp draw) {
    Value address = arith::IndexCastOp::create(
        b, loc, b.getI64Type(),
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc,
                                                       draw.getCounter()));
    Value last = arith::SubIOp::create(b, loc, draw.getBlocks(), constant(1));
    return asmValue(b, loc, b.getI32Type(), "atom.global.inc.u32 $0, [$1], $2;",
                    "=r,l,r,~{memory}", {address, last},
                    /*hasSideEffects=*/true);
  }

  void writeDrawn(DrawOp draw, Value ticket) {
    Operation *yield = draw.getBody().front().getTerminator();
    SmallVector<Value> drawn(yield->getOperands());
    yield->erase();
    moveBody(draw.getBody(), ticket);
    constexpr int64_t bytes = kDrawnBytes / 2;
    for (auto [i, v] : llvm::enumerate(drawn))
      LLVM::StoreOp::create(
          b, loc, v == draw.getBody().getArgument(0) ? ticket : v,
          sharedPointer(b, loc, *draw.getOffset() + i * bytes));
  }

  /// Behind the barrier. Returns the part.
  Value readDrawn(DrawOp draw) {
    Type i32 = b.getI32Type();
    auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32});
    Value both =
        asmValue(b, loc, pair, "ld.shared.v2.b32 {$0, $1}, [$2];",
                 "=r,=r,r,~{memory}", sharedPointer(b, loc, *draw.getOffset()),
                 /*hasSideEffects=*/true);
    // A warp agrees on them, too.
    auto read = [&](int64_t i) -> Value {
      return NVVM::ShflOp::create(b, loc, i32, constant(-1),
                                  LLVM::ExtractValueOp::create(b, loc, both, i),
                                  constant(0), constant(31),
                                  NVVM::ShflKind::idx, UnitAttr());
    };
    Value part = read(0);
    draw.getNumber().replaceAllUsesWith(read(1));
    return part;
  }

  /// if (part is 0) { the roles } else if (part is 1) { ... }
  void buildParts(Value part, ArrayRef<RoleOp> roles) {
    OpBuilder::InsertionGuard guard(b);
    auto enter = [&](int64_t number) {
      // A vote, for what is said above fagpu.take_tile's.
      Value isMine = NVVM::VoteSyncOp::create(
          b, loc, b.getI1Type(), constant(-1), isEqual(part, number),
          NVVM::VoteSyncKind::any);
      auto branch = scf::IfOp::create(b, loc, TypeRange(), isMine,
                                      /*withElseRegion=*/true);
      b.setInsertionPointToStart(branch.thenBlock());
      return branch.elseBlock();
    };
    Block *others = enter(0);
    buildRoles(roles, /*first=*/0);
    for (auto op : kernel.getBody().getOps<WithoutRolesOp>()) {
      b.setInsertionPointToStart(others);
      others = enter(op.getPart());
      moveBody(op.getBody(), warpgroup);
    }
  }

  void initialiseBarriers() {
    for (Value argument : kernel.getBody().getArguments())
      if (isa<TensorMapType>(argument.getType()))
        asmEffect(b, loc, "prefetch.tensormap [$0];", "l,~{memory}",
                  mapPointer(b, loc, argument));
    for (auto ring : kernel.getBody().getOps<RingOp>()) {
      int64_t stages = cast<RingType>(ring.getResult().getType()).getStages();
      for (bool empty : {false, true})
        for (int64_t slot = 0; slot < stages; ++slot) {
          int64_t at = *ring.getOffset() +
                       (empty ? stages + slot : slot) * kBarrierBytes;
          NVVM::MBarrierInitOp::create(
              b, loc, sharedPointer(b, loc, at),
              constant(empty ? *ring.getArrivals()
                             : ring.getFills().value_or(1)),
              Value());
        }
    }
    NVVM::FenceMbarrierInitOp::create(b, loc);
  }

  /// if (warpgroup belongs to roles[0]) { ... } else { the other roles }
  void buildRoles(ArrayRef<RoleOp> roles, int64_t first) {
    if (roles.empty())
      return;
    RoleOp role = roles.front();
    int64_t next = first + role.getWarpgroups();
    if (roles.size() == 1)
      return buildRole(role, first);
    Value isMine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         warpgroup, constant(next));
    auto branch = scf::IfOp::create(b, loc, TypeRange(), isMine,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    buildRole(role, first);
    b.setInsertionPointToStart(branch.elseBlock());
    buildRoles(roles.drop_front(), next);
  }

  void buildRole(RoleOp role, int64_t first) {
    int64_t entry = 65536 / (kernel.getThreads() * blocksOf(kernel)) / 8 * 8;
    bool less = role.getRegisters() < entry;
    NVVM::SetMaxRegisterOp::create(b, loc, role.getRegisters(),
                                   less ? NVVM::SetMaxRegisterAction::decrease
                                        : NVVM::SetMaxRegisterAction::increase);
    if (role.getKind() == RoleKind::Producer) {
      int64_t thread = first * kGroupThreads;
      buildThread(role, thread);
      for (RoleOp messenger : messengers)
        buildThread(messenger, thread += kWarp);
      return;
    }
    Value number = warpgroup;
    if (first != 0)
      number = arith::SubIOp::create(b, loc, warpgroup, constant(first));
    moveBody(role.getBody(), number);
  }

  static constexpr int64_t kWarp = 32;

  /// Or the warp that begins with it.
  void buildThread(RoleOp role, int64_t number) {
    I32Builder i(b, loc);
    Value mine =
        role.getWholeWarp() ? i.sub(thread, i.rem(thread, kWarp)) : thread;
    auto elected = scf::IfOp::create(b, loc, isEqual(mine, number));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(elected.thenBlock());
    moveBody(role.getBody(), {});
  }

  void moveBody(Region &region, ValueRange arguments) {
    Block *target = b.getInsertionBlock();
    Block &body = region.front();
    for (auto [from, to] : llvm::zip(body.getArguments(), arguments))
      from.replaceAllUsesWith(to);
    target->getOperations().splice(b.getInsertionPoint(), body.getOperations());
  }

  /// Arguments, and the base of shared memory, in the new function.
  void replaceHandles() {
    b.setInsertionPointToStart(&function.front());
    ValueRange parameters = function.getArguments();
    for (BlockArgument from : kernel.getBody().getArguments()) {
      size_t count = parametersOf(from.getType()).size();
      replaceArgument(from, parameters.take_front(count));
      parameters = parameters.drop_front(count);
    }
    b.setInsertionPointToStart(&function.front());
    auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kSharedSpace);
    Value base = LLVM::AddressOfOp::create(b, loc, pointer, kSharedName);
    function.walk([&](SharedBaseOp op) {
      op.replaceAllUsesWith(base);
      op.erase();
    });
  }

  void replaceArgument(BlockArgument from, ValueRange to) {
    if (auto type = dyn_cast<MemRefType>(from.getType())) {
      LLVMTypeConverter converter(b.getContext());
      Value descriptor = MemRefDescriptor::pack(b, loc, converter, type, to);
      Value buffer =
          UnrealizedConversionCastOp::create(b, loc, type, descriptor)
              .getResult(0);
      from.replaceAllUsesWith(buffer);
      return;
    }
    if (isa<IndexType>(from.getType())) {
      Value index = arith::IndexCastOp::create(b, loc, from.getType(), to[0]);
      from.replaceAllUsesWith(index);
      return;
    }
    for (Operation *user : llvm::make_early_inc_range(from.getUsers())) {
      if (!isa<UnrealizedConversionCastOp>(user))
        continue;
      user->replaceAllUsesWith(to);
      user->erase();
    }
    from.replaceAllUsesWith(to.front());
  }

  KernelOp kernel;
  Location loc;
  OpBuilder b;
  LLVM::LLVMFuncOp function;
  Value thread, warpgroup;
  SmallVector<RoleOp> messengers;
};

struct LowerKernel : fa::impl::FAGPULowerKernelBase<LowerKernel> {
  void runOnOperation() override {
    Operation *module = getOperation();
    if (module->getNumRegions() != 1 || !module->getRegion(0).hasOneBlock()) {
      module->emitError("--fagpu-lower-kernel runs on a module");
      return signalPassFailure();
    }
    SmallVector<KernelOp> kernels(module->getRegion(0).getOps<KernelOp>());
    for (KernelOp kernel : kernels)
      if (!kernel.getSmemBytes()) {
        kernel.emitError("shared memory is not allocated: run --fagpu-allocate "
                         "first");
        return signalPassFailure();
      }
    if (kernels.empty())
      return;
    createSharedSymbol(module);
    for (KernelOp kernel : kernels)
      KernelLowering(kernel).lower();
  }
};

} // namespace
