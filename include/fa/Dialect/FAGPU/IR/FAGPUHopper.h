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

#endif // FA_DIALECT_FAGPU_IR_FAGPUHOPPER_H
