//===- OutputFile.cpp - files that are written whole or not at all --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Support/OutputFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace fa;
namespace fs = llvm::sys::fs;

void fa::letWritesFail() { std::signal(SIGXFSZ, SIG_IGN); }

static llvm::Error flush(llvm::raw_fd_ostream &file) {
  file.flush();
  std::error_code code = file.error();
  // Else its destructor ends the process.
  file.clear_error();
  return llvm::errorCodeToError(code);
}

static llvm::Error writePieces(llvm::raw_ostream &file,
                               llvm::ArrayRef<llvm::StringRef> pieces) {
  for (llvm::StringRef piece : pieces)
    file << piece;
  return flush(static_cast<llvm::raw_fd_ostream &>(file));
}

static llvm::Error writeAnywhere(llvm::StringRef path,
                                 llvm::ArrayRef<llvm::StringRef> pieces) {
  if (!fs::exists(path) || fs::is_regular_file(path))
    return llvm::writeToOutput(path, [&](llvm::raw_ostream &file) {
      return writePieces(file, pieces);
    });
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  return code ? llvm::errorCodeToError(code) : writePieces(file, pieces);
}

llvm::Error fa::writeWhole(llvm::StringRef path,
                           llvm::ArrayRef<llvm::StringRef> pieces) {
  if (llvm::Error error = writeAnywhere(path, pieces))
    return llvm::createStringError(
        "cannot write '" + path +
        "': " + llvm::errorToErrorCode(std::move(error)).message());
  return llvm::Error::success();
}

llvm::Error fa::flushStandardOutput() {
  if (llvm::Error error = flush(llvm::outs()))
    return llvm::createStringError("cannot write to the standard output: " +
                                   llvm::toString(std::move(error)));
  return llvm::Error::success();
}
