//===- WrittenArguments.h - which buffers a function writes -----*- C++ -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TARGET_MANIFEST_WRITTENARGUMENTS_H
#define FA_LIB_TARGET_MANIFEST_WRITTENARGUMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"

namespace fa {

/// One bit per argument: memory that the function, or one that it calls, may
/// write to. A tensor is a value, unless it is marked bufferization.writable.
llvm::BitVector findWrittenArguments(mlir::func::FuncOp function);

} // namespace fa

#endif // FA_LIB_TARGET_MANIFEST_WRITTENARGUMENTS_H
