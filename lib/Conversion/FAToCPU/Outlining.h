//===- Outlining.h - loops as functions -------------------------*- C++ -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FATOCPU_OUTLINING_H
#define FA_LIB_CONVERSION_FATOCPU_OUTLINING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace fa {

/// The values from outside that an op's regions read, constants apart; with its
/// operands, if wanted.
struct Captures {
  Captures(mlir::Operation *op, bool withOperands);

  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::Operation *> constants;
};

/// A private function before the one that `op` is in, called `suffix` after it.
/// Its arguments are of `types` and the captures' types; `build` fills it, with
/// what became of the captures.
mlir::func::FuncOp
outline(mlir::SymbolTable &symbols, mlir::Operation *op, llvm::StringRef suffix,
        const Captures &captures, llvm::ArrayRef<mlir::Type> types,
        llvm::function_ref<void(mlir::OpBuilder &, mlir::IRMapping &,
                                mlir::ValueRange)>
            build);

} // namespace fa

#endif // FA_LIB_CONVERSION_FATOCPU_OUTLINING_H
