//===- HopperUtils.cpp - addresses in shared memory -----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fa::fagpu;

Value fa::fagpu::sharedPointer(OpBuilder &b, Location loc, int64_t offset,
                               Value bytes, Value own) {
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  Value base = SharedBaseOp::create(b, loc, pointer);
  // The constant comes last: what is before it is then the same for all that
  // belongs to one slot, and the constant a part of the instruction.
  for (Value more : {bytes, own})
    if (more)
      base = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base,
                                 ArrayRef<LLVM::GEPArg>{more});
  return LLVM::GEPOp::create(
      b, loc, pointer, b.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

Value fa::fagpu::barrierPointer(OpBuilder &b, Location loc, RingOp ring,
                                Value slot, bool empty) {
  int64_t stages = cast<RingType>(ring.getResult().getType()).getStages();
  int64_t offset = *ring.getOffset() + (empty ? stages * kBarrierBytes : 0);
  if (stages == 1)
    return sharedPointer(b, loc, offset);
  Value size = arith::ConstantIntOp::create(b, loc, kBarrierBytes, 32);
  return sharedPointer(b, loc, offset,
                       arith::MulIOp::create(b, loc, slot, size));
}

Value fa::fagpu::mailboxPointer(OpBuilder &b, Location loc, RingOp ring,
                                Value slot) {
  int64_t stages = cast<RingType>(ring.getResult().getType()).getStages();
  int64_t offset = *ring.getOffset() + 2 * stages * kBarrierBytes;
  if (stages == 1)
    return sharedPointer(b, loc, offset);
  Value size = arith::ConstantIntOp::create(b, loc, kMailboxBytes, 32);
  return sharedPointer(b, loc, offset,
                       arith::MulIOp::create(b, loc, slot, size));
}

Value fa::fagpu::tilePointer(OpBuilder &b, Location loc, SmemOp smem,
                             Value index, int64_t block) {
  auto type = cast<SwizzledType>(smem.getResult().getType());
  Value size = arith::ConstantIntOp::create(b, loc, type.getTileBytes(), 32);
  return sharedPointer(b, loc, *smem.getOffset() + block * type.getBlockBytes(),
                       arith::MulIOp::create(b, loc, index, size));
}

SmallVector<Value> fa::fagpu::boxCoordinates(OpBuilder &b, Location loc,
                                             int64_t block, Value row,
                                             ValueRange outer) {
  SmallVector<Value> coordinates = {
      arith::ConstantIntOp::create(b, loc, block * kBoxColumns, 32), row};
  llvm::append_range(coordinates, outer);
  return coordinates;
}

Value fa::fagpu::globalAddress(OpBuilder &b, Location loc, Value buffer,
                               ValueRange offsets) {
  Type i64 = b.getI64Type();
  auto wide = [&](Value v) -> Value {
    return arith::IndexCastOp::create(b, loc, i64, v);
  };
  Value element;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Value here = wide(offset);
    if (element) {
      Value extent = wide(memref::DimOp::create(b, loc, buffer, dim));
      element = arith::MulIOp::create(b, loc, element, extent);
      here = arith::AddIOp::create(b, loc, element, here);
    }
    element = here;
  }
  constexpr int64_t bytes = 4;
  Value base =
      wide(memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer));
  Value size = arith::ConstantIntOp::create(b, loc, bytes, 64);
  return arith::AddIOp::create(b, loc, base,
                               arith::MulIOp::create(b, loc, element, size));
}

Value fa::fagpu::mapPointer(OpBuilder &b, Location loc, Value map) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return UnrealizedConversionCastOp::create(b, loc, pointer, map).getResult(0);
}

/// Hardware barriers 8 and up belong to single warpgroups.
void fa::fagpu::synchroniseWarpgroup(OpBuilder &b, Operation *op) {
  int64_t number = 8;
  Value warpgroup;
  if (auto alone = op->getParentOfType<WithoutRolesOp>()) {
    warpgroup = alone.getBody().getArgument(0);
  } else {
    auto role = op->getParentOfType<RoleOp>();
    warpgroup = role.getBody().getArgument(0);
    for (auto other : role->getParentOp()->getRegion(0).getOps<RoleOp>()) {
      if (other == role)
        break;
      if (other.getKind() == RoleKind::Consumer)
        number += other.getWarpgroups();
    }
  }
  I32Builder i(b, op->getLoc());
  asmEffect(b, op->getLoc(), "bar.sync $0, 128;", "r,~{memory}",
            i.add(warpgroup, number));
}

void fa::fagpu::fenceShared(OpBuilder &b, Location loc) {
  NVVM::FenceProxyOp::create(
      b, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

Value fa::fagpu::allocateKeptZero(OpBuilder &b, Location loc,
                                  ArrayRef<int64_t> shape, ValueRange sizes) {
  auto alloc = memref::AllocOp::create(
      b, loc, MemRefType::get(shape, b.getI32Type()), sizes);
  alloc->setAttr(kKeptZeroName, b.getUnitAttr());
  return alloc;
}
