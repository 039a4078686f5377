//===- Ptxas.cpp - running the assembler ----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Target/PTX/PTX.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using llvm::sys::Process;

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

namespace {

std::optional<std::string> ifExecutable(const Twine &path) {
  std::string name = path.str();
  if (llvm::sys::fs::can_execute(name))
    return name;
  return std::nullopt;
}

/// The assembler of a wheel under `environment`:
/// lib/python3.x/site-packages/nvidia/*/bin/ptxas.
std::optional<std::string> findInEnvironment(StringRef environment) {
  std::error_code ec;
  SmallString<128> lib(environment);
  llvm::sys::path::append(lib, "lib");
  for (llvm::sys::fs::directory_iterator python(lib, ec), end;
       !ec && python != end; python.increment(ec)) {
    SmallString<128> nvidia(python->path());
    llvm::sys::path::append(nvidia, "site-packages", "nvidia");
    std::error_code inner;
    for (llvm::sys::fs::directory_iterator package(nvidia, inner);
         !inner && package != end; package.increment(inner))
      if (auto found = ifExecutable(package->path() + "/bin/ptxas"))
        return found;
  }
  return std::nullopt;
}

std::optional<std::string> findOnPath(StringRef name) {
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
    return *found;
  return std::nullopt;
}

} // namespace

std::optional<std::string> fa::findPtxas(StringRef requested,
                                         std::string &error) {
  std::optional<std::string> variable = Process::GetEnv("FA_PTXAS");
  std::string wanted =
      requested.empty() && variable ? *variable : requested.str();
  if (!wanted.empty()) {
    auto found = StringRef(wanted).contains('/') ? ifExecutable(wanted)
                                                 : findOnPath(wanted);
    if (found)
      return found;
    error = "cannot run ptxas '" + wanted + "'";
    return std::nullopt;
  }
  if (auto environment = Process::GetEnv("VIRTUAL_ENV"))
    if (auto found = findInEnvironment(*environment))
      return found;
  if (auto found = findOnPath("ptxas"))
    return found;
  if (auto home = Process::GetEnv("CUDA_HOME"))
    if (auto found = ifExecutable(*home + "/bin/ptxas"))
      return found;
  return ifExecutable("/usr/local/cuda/bin/ptxas");
}

//===----------------------------------------------------------------------===//
// Its log
//===----------------------------------------------------------------------===//

namespace {

using fa::AssemblerLog;
using fa::AssemblerNote;
using fa::KernelResources;

/// The number before `unit` in "..., 12 bytes spill stores, ...".
int64_t readCount(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef before = line.take_front(end).rtrim();
  size_t start = before.find_last_not_of("0123456789");
  int64_t value = 0;
  before.drop_front(start == StringRef::npos ? 0 : start + 1)
      .getAsInteger(10, value);
  return value;
}

/// The text between the first pair of single quotes after `marker`.
StringRef readQuoted(StringRef line, StringRef marker) {
  size_t at = line.find(marker);
  if (at == StringRef::npos)
    return "";
  StringRef rest = line.drop_front(at + marker.size());
  if (!rest.consume_front("'"))
    return "";
  return rest.take_until([](char c) { return c == '\''; });
}

KernelResources &getKernel(AssemblerLog &log, StringRef name) {
  for (KernelResources &kernel : log.kernels)
    if (kernel.name == name)
      return kernel;
  log.kernels.emplace_back();
  log.kernels.back().name = name.str();
  return log.kernels.back();
}

/// Reads a line about resources; `current` is the function that unnamed lines
/// are about.
bool readResources(StringRef line, std::string &current, AssemblerLog &log) {
  if (line.contains("Compiling entry function")) {
    current = readQuoted(line, "entry function ").str();
    getKernel(log, current).chip = readQuoted(line, " for ").str();
    return true;
  }
  size_t properties = line.find("Function properties for ");
  if (properties != StringRef::npos) {
    current = line.drop_front(properties).drop_front(24).trim().str();
    return true;
  }
  if (line.contains("bytes stack frame")) {
    KernelResources &kernel = getKernel(log, current);
    kernel.stack = readCount(line, " bytes stack frame");
    kernel.spillStores = readCount(line, " bytes spill stores");
    kernel.spillLoads = readCount(line, " bytes spill loads");
    return true;
  }
  if (line.contains(": Used ")) {
    KernelResources &kernel = getKernel(log, current);
    kernel.registers = readCount(line, " registers");
    kernel.sharedMemory = readCount(line, " bytes smem");
    kernel.barriers = readCount(line, " barriers");
    return true;
  }
  return line.contains("bytes gmem") || line.contains("Compile time =");
}

std::optional<AssemblerNote::Kind> getKind(StringRef line) {
  if (line.contains("error   :") || line.contains("error :") ||
      line.contains("fatal   :") || line.contains("fatal :"))
    return AssemblerNote::Kind::Error;
  if (line.contains("warning :") || line.contains("warning:"))
    return AssemblerNote::Kind::Warning;
  if (line.contains("info    :") || line.contains("info :"))
    return AssemblerNote::Kind::Note;
  return std::nullopt;
}

} // namespace

const KernelResources *AssemblerLog::find(StringRef kernel) const {
  for (const KernelResources &entry : kernels)
    if (entry.name == kernel)
      return &entry;
  return nullptr;
}

AssemblerLog fa::parseAssemblerLog(StringRef text) {
  AssemblerLog log;
  std::string current;
  for (StringRef line : llvm::split(text, '\n')) {
    line = line.rtrim();
    if (line.empty() || readResources(line, current, log))
      continue;
    std::optional<AssemblerNote::Kind> kind = getKind(line);
    // "aborted due to errors" follows the errors themselves.
    if (!kind || (!log.notes.empty() && line.contains("aborted due to")))
      continue;
    StringRef kernel = readQuoted(line, "function ");
    log.notes.push_back({*kind, kernel.str(), line.str()});
  }
  return log;
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

namespace {

/// A temporary file that is removed with the object.
struct TemporaryFile {
  explicit TemporaryFile(StringRef suffix) {
    error = llvm::sys::fs::createTemporaryFile("fa", suffix, path);
    if (!error)
      remover.setFile(path);
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

  SmallString<128> path;
  std::error_code error;
  llvm::FileRemover remover;
};

/// "line 12" of an assembler message, as the line itself.
StringRef getQuotedLine(StringRef message, StringRef ptx) {
  size_t at = message.find(", line ");
  unsigned number = 0;
  if (at == StringRef::npos || message.drop_front(at + 7)
                                   .take_while(llvm::isDigit)
                                   .getAsInteger(10, number))
    return "";
  for (; number > 1; --number)
    ptx = ptx.split('\n').second;
  return ptx.split('\n').first.trim();
}

/// The tool's message without its file name.
StringRef stripPath(StringRef message) {
  size_t at = message.find(", line ");
  return at == StringRef::npos ? message : message.drop_front(at + 2);
}

Location getKernelLoc(gpu::GPUModuleOp module, StringRef kernel) {
  Operation *op =
      kernel.empty() ? nullptr : SymbolTable::lookupSymbolIn(module, kernel);
  return op ? op->getLoc() : module.getLoc();
}

void emitNote(gpu::GPUModuleOp module, const AssemblerNote &note,
              StringRef ptx) {
  Location loc = getKernelLoc(module, note.kernel);
  bool serialised = StringRef(note.text).contains("(C75");
  if (note.kind == AssemblerNote::Kind::Note && !serialised)
    return;
  InFlightDiagnostic diagnostic = note.kind == AssemblerNote::Kind::Error
                                      ? emitError(loc)
                                      : emitWarning(loc);
  diagnostic << stripPath(note.text);
  if (StringRef line = getQuotedLine(note.text, ptx); !line.empty())
    diagnostic << " [" << line << "]";
}

void emitSpills(gpu::GPUModuleOp module, const AssemblerLog &log) {
  for (const KernelResources &kernel : log.kernels)
    if (kernel.spillStores || kernel.spillLoads)
      emitWarning(getKernelLoc(module, kernel.name))
          << "ptxas spills registers: " << kernel.spillStores
          << " bytes of stores, " << kernel.spillLoads << " bytes of loads";
}

bool hasError(const AssemblerLog &log) {
  return llvm::any_of(log.notes, [](const AssemblerNote &note) {
    return note.kind == AssemblerNote::Kind::Error;
  });
}

LogicalResult writeText(gpu::GPUModuleOp module, const TemporaryFile &file,
                        StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream stream(file.path, code);
  stream << text;
  stream.close();
  if (!code)
    code = stream.error();
  // Else its destructor ends the process.
  stream.clear_error();
  if (code)
    return emitError(module.getLoc()) << "cannot write the temporary file "
                                      << file.path << ": " << code.message();
  return success();
}

/// Arguments that change what is written, where, or for which processor: then
/// the files would not be what they are said to be.
LogicalResult checkFlags(gpu::GPUModuleOp module, ArrayRef<std::string> flags) {
  constexpr StringRef reserved[] = {"-o",          "--output-file",
                                    "-arch",       "--gpu-name",
                                    "-c",          "--compile-only",
                                    "-optf",       "--options-file",
                                    "-dryrun",     "--dryrun",
                                    "-ias",        "--input-as-string",
                                    "-h",          "--help",
                                    "-V",          "--version",
                                    "-ewp",        "--extensible-whole-program",
                                    "-version-ls", "--list-version",
                                    "-e",          "--entry"};
  for (const std::string &flag : flags) {
    StringRef name = StringRef(flag).split('=').first;
    if (llvm::is_contained(reserved, name))
      return emitError(module.getLoc())
             << "ptxas flag '" << flag
             << "' would change what is assembled, for which processor or "
                "where to; the compiler sets that";
  }
  return success();
}

/// Kernels on as many threads as there are; the machine code is the same.
constexpr StringRef kInParallel = "--split-compile=0";

bool canSplit(StringRef ptx, ArrayRef<std::string> flags) {
  return ptx.count(".entry ") > 1 && llvm::none_of(flags, [](StringRef flag) {
           return flag.contains("split-compile");
         });
}

int runAssembler(ArrayRef<StringRef> args, const TemporaryFile &log,
                 std::string &error) {
  std::optional<StringRef> redirects[] = {StringRef(""), log.path.str(),
                                          log.path.str()};
  error.clear();
  return llvm::sys::ExecuteAndWait(args.front(), args, std::nullopt, redirects,
                                   0, 0, &error);
}

/// An assembler that says that all is well may still have made nothing, or code
/// of another kind.
LogicalResult checkAssembly(gpu::GPUModuleOp module, StringRef ptxas,
                            StringRef chip, const fa::Assembly &assembly) {
  if (!StringRef(assembly.cubin).starts_with("\177ELF"))
    return emitError(module.getLoc())
           << "'" << ptxas << "' reports success but has written no machine "
           << "code (cubin): is it ptxas, and do its flags fit?";
  for (const KernelResources &kernel : assembly.log.kernels)
    if (!kernel.chip.empty() && kernel.chip != chip)
      return emitError(getKernelLoc(module, kernel.name))
             << "ptxas made code for " << kernel.chip << " instead of " << chip;
  return success();
}

} // namespace

FailureOr<fa::Assembly> fa::assemblePTX(gpu::GPUModuleOp module, StringRef ptx,
                                        StringRef ptxas,
                                        const PTXOptions &options) {
  if (failed(checkFlags(module, options.ptxasFlags)))
    return failure();
  TemporaryFile input("ptx"), output("cubin"), logFile("log");
  for (TemporaryFile *file : {&input, &output, &logFile})
    if (file->error)
      return emitError(module.getLoc())
             << "cannot make a temporary file: " << file->error.message();
  if (failed(writeText(module, input, ptx)))
    return failure();

  StringRef chip =
      options.assembleFor.empty() ? options.chip : options.assembleFor;
  SmallVector<StringRef> args = {ptxas, "-v", "-arch", chip};
  args.append(options.ptxasFlags.begin(), options.ptxasFlags.end());
  args.append({input.path.str(), "-o", output.path.str()});
  std::string error;
  bool split = canSplit(ptx, options.ptxasFlags);
  if (split)
    args.push_back(kInParallel);
  int status = runAssembler(args, logFile, error);
  // An old one says that it does not know the flag.
  if (status != 0 && split &&
      StringRef(logFile.read()).contains("split-compile")) {
    args.pop_back();
    status = runAssembler(args, logFile, error);
  }
  Assembly assembly;
  std::string text = logFile.read();
  assembly.log = parseAssemblerLog(text);
  for (const AssemblerNote &note : assembly.log.notes)
    emitNote(module, note, ptx);
  if (status != 0) {
    if (!hasError(assembly.log))
      emitError(module.getLoc())
          << "ptxas failed (status " << status << ") "
          << (error.empty() ? StringRef(text).trim() : StringRef(error));
    return failure();
  }
  assembly.cubin = output.read();
  if (failed(checkAssembly(module, ptxas, chip, assembly)))
    return failure();
  emitSpills(module, assembly.log);
  return assembly;
}
