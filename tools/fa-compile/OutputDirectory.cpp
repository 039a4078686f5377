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

bool OutputDirectory::move(const std::string &from, const std::string &to,
                           std::string &error) {
  std::error_code ec = fs::rename(from, to);
  if (!ec) {
    moves.push_back({from, to});
    return true;
  }
  error = "cannot write " + to + ": " + ec.message();
  return false;
}

bool OutputDirectory::moveAway(llvm::StringRef name, std::string &error) {
  std::string old = join(path, name);
  if (!fs::exists(old))
    return true;
  if (fs::is_directory(old)) {
    error = "cannot write " + old + ": it is a folder";
    return false;
  }
  llvm::SmallString<256> aside;
  if (std::error_code ec = fs::createUniqueFile(
          join(path, "." + name.str() + ".%%%%%%.old"), aside)) {
    error = "cannot write to " + path + ": " + ec.message();
    return false;
  }
  if (!move(old, aside.str().str(), error)) {
    fs::remove(aside);
    return false;
  }
  replaced.push_back(aside.str().str());
  return true;
}

bool OutputDirectory::replaceAll(std::string &error) {
  for (const std::string &name : removals)
    if (!moveAway(name, error))
      return false;
  for (const File &file : files)
    if (!moveAway(file.name, error) ||
        !move(file.temporary, join(path, file.name), error))
      return false;
  return true;
}

bool OutputDirectory::write(std::string &error) {
  std::error_code ec = fs::create_directories(path);
  if (!ec && !fs::is_directory(path))
    ec = std::make_error_code(std::errc::not_a_directory);
  if (ec) {
    error = "cannot make the folder " + path + ": " + ec.message();
    return false;
  }
  bool isWritten = true;
  for (File &file : files)
    isWritten = isWritten && writeTemporary(file, error);
  isWritten = isWritten && replaceAll(error);
  if (isWritten) {
    for (const std::string &old : replaced)
      fs::remove(old);
    return true;
  }
  for (const Move &done : llvm::reverse(moves))
    fs::rename(done.to, done.from);
  for (const File &file : files)
    if (!file.temporary.empty())
      fs::remove(file.temporary);
  return false;
}
