//===- OutputDirectory.h - several files, all or none ---------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TOOLS_FA_COMPILE_OUTPUTDIRECTORY_H
#define FA_TOOLS_FA_COMPILE_OUTPUTDIRECTORY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fa {

/// Writes files under temporary names first, and renames them when all are
/// complete: a reader never sees half a file, and after an error what was there
/// before still is.
class OutputDirectory {
public:
  explicit OutputDirectory(llvm::StringRef path) : path(path) {}

  /// `contents` must live until `write`. The file added last is renamed last.
  void add(llvm::StringRef name, llvm::StringRef contents);
  /// A file of an earlier run that would not fit to the new ones.
  void remove(llvm::StringRef name);

  bool write(std::string &error);

private:
  struct File {
    std::string name;
    llvm::StringRef contents;
    std::string temporary;
  };

  struct Move {
    std::string from, to;
  };

  bool writeTemporary(File &file, std::string &error);
  /// Renames, and remembers it to be undone.
  bool move(const std::string &from, const std::string &to, std::string &error);
  /// Keeps what a file would replace under another name.
  bool moveAway(llvm::StringRef name, std::string &error);
  bool replaceAll(std::string &error);

  std::string path;
  llvm::SmallVector<File> files;
  llvm::SmallVector<std::string> removals;
  llvm::SmallVector<Move> moves;
  llvm::SmallVector<std::string> replaced;
};

} // namespace fa

#endif // FA_TOOLS_FA_COMPILE_OUTPUTDIRECTORY_H
