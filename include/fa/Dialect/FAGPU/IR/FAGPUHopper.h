//===- FAGPUHopper.h - fagpu ops of warp-specialised kernels --------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_DIALECT_FAGPU_IR_FAGPUHOPPER_H
#define FA_DIALECT_FAGPU_IR_FAGPUHOPPER_H

#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "fa/Dialect/FAGPU/IR/FAGPUHopperEnums.h.inc"

#define GET_OP_CLASSES
#include "fa/Dialect/FAGPU/IR/FAGPUHopperOps.h.inc"

namespace fa::fagpu {

/// How many blocks of a kernel share a multiprocessor.
inline int64_t blocksOf(KernelOp kernel) {
  auto schedule = kernel->getAttrOfType<WarpScheduleAttr>(kWarpsName);
  return schedule ? schedule.getBlocks() : 1;
}

/// Bytes of shared memory that each of them has; 1 KiB more is the system's.
inline int64_t sharedOfBlock(int64_t blocks) {
  constexpr int64_t multiprocessor = 233472, system = 1024;
  return multiprocessor / blocks - system;
}

} // namespace fa::fagpu

#endif // FA_DIALECT_FAGPU_IR_FAGPUHOPPER_H
