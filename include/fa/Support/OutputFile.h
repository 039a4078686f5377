//===- OutputFile.h - files that are written whole or not at all ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_SUPPORT_OUTPUTFILE_H
#define FA_SUPPORT_OUTPUTFILE_H

#include "llvm/Support/Error.h"

namespace fa {

/// Part of a tool's start: a file larger than the process may write is then an
/// error of the write, not a signal.
void letWritesFail();

/// Writes to a file beside `path`, then renames it: an old file stays until the
/// new one is whole. What is no file (a pipe, a device) is written as it is.
llvm::Error writeWhole(llvm::StringRef path,
                       llvm::ArrayRef<llvm::StringRef> pieces);

/// What the standard output could not take so far; a clear error, where its
/// destructor would end the process.
llvm::Error flushStandardOutput();

} // namespace fa

#endif // FA_SUPPORT_OUTPUTFILE_H
