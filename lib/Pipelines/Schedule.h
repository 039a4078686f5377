//===- Schedule.h - words of schedules ------------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_PIPELINES_SCHEDULE_H
#define FA_PIPELINES_SCHEDULE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace fa {

/// Says what is wrong with a word of a schedule, and fails: with its value, if
/// `values` says what the key takes; else it is a word that `target` does not
/// have, which has `known`.
mlir::LogicalResult refuseWord(llvm::StringRef word, llvm::StringRef values,
                               llvm::StringRef target, llvm::StringRef known,
                               llvm::raw_ostream &errors);

/// Whether a word of a CPU's schedule is one of `--fa-tile` or
/// `--fa-tile-backward`; says what is wrong with it otherwise.
mlir::LogicalResult checkCPUWord(llvm::StringRef word,
                                 llvm::raw_ostream &errors);

} // namespace fa

#endif // FA_PIPELINES_SCHEDULE_H
