//===- OutputDirectory.cpp - several files, all or none -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OutputDirectory.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace fa;
namespace fs = llvm::sys::fs;

static std::string join(llvm::StringRef directory, llvm::StringRef name) {
  llvm::SmallString<256> path(directory);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

void OutputDirectory::add(llvm::StringRef name, llvm::StringRef contents) {
  files.push_back({name.str(), contents, ""});
}

void OutputDirectory::remove(llvm::StringRef name) {
  removals.push_back(name.str());
}

bool OutputDirectory::writeTemporary(File &file, std::string &error) {
  int descriptor;
  llvm::SmallString<256> temporary;
  std::error_code ec = fs::createUniqueFile(
      join(path, "." + file.name + ".%%%%%%"), descriptor, temporary,
      fs::OF_None, fs::all_read | fs::owner_write);
  if (ec) {
    error = "cannot write to " + path + ": " + ec.message();
    return false;
  }
  file.temporary = temporary.str().str();
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << file.contents;
  stream.close();
  if (!stream.has_error())
    return true;
  error =
      "cannot write " + join(path, file.name) + ": " + stream.error().message();
  stream.clear_error();
  return false;
}

bool OutputDirectory::write(std::string &error) {
  std::error_code ec = fs::create_directories(path);
  if (ec) {
    error = "cannot make the folder " + path + ": " + ec.message();
    return false;
  }
  bool isWritten = true;
  for (File &file : files)
    isWritten = isWritten && writeTemporary(file, error);
  for (const std::string &name : removals)
    if (isWritten)
      fs::remove(join(path, name));
  for (File &file : files) {
    std::string final = join(path, file.name);
    if (isWritten && (ec = fs::rename(file.temporary, final))) {
      error = "cannot write " + final + ": " + ec.message();
      isWritten = false;
    }
    if (!isWritten && !file.temporary.empty())
      fs::remove(file.temporary);
  }
  return isWritten;
}
