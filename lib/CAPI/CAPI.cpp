//===- CAPI.cpp - FA from C -----------------------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Artifact.h"
#include "fa/Execution/CPUProgram.h"
#include "fa/Execution/Stack.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
namespace runtime = fa::runtime;

static thread_local std::string lastError;

static std::nullptr_t fail(llvm::StringRef reason) {
  lastError = reason.str();
  return nullptr;
}

const char *fa_version(void) { return FA_VERSION_STRING; }

int32_t fa_abi_version(void) { return FA_ABI_VERSION; }

const char *fa_last_error(void) { return lastError.c_str(); }

void fa_string_free(char *string) { std::free(string); }

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {

/// "source:3:7: ", as compilers say it; nothing for an unknown place.
void printLocation(llvm::raw_ostream &stream, Location location) {
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    stream << file.getFilename().getValue();
    if (file.getLine())
      stream << ":" << file.getLine() << ":" << file.getColumn();
    stream << ": ";
    return WalkResult::interrupt();
  });
}

/// A context of one compilation, and what it says.
struct Compilation {
  Compilation()
      : context(MLIRContext::Threading::DISABLED),
        handler(&context, [&](Diagnostic &diagnostic) {
          record(diagnostic);
          return success();
        }) {
    DialectRegistry registry;
    fa::registerCompilerDialects(registry);
    fa::registerCPUTranslations(registry);
    context.appendDialectRegistry(registry);
    context.printOpOnDiagnostic(false);
  }

  void record(Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printLocation(stream, diagnostic.getLocation());
    switch (diagnostic.getSeverity()) {
    case DiagnosticSeverity::Error:
      stream << "error: ";
      break;
    case DiagnosticSeverity::Warning:
      stream << "warning: ";
      break;
    case DiagnosticSeverity::Remark:
      stream << "remark: ";
      break;
    case DiagnosticSeverity::Note:
      stream << "note: ";
      break;
    }
    stream << diagnostic;
    for (Diagnostic &note : diagnostic.getNotes()) {
      stream << "\n";
      printLocation(stream, note.getLocation());
      stream << "note: " << note;
    }
    diagnostics += text + "\n";
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += text + "\n";
  }

  /// Why it failed.
  std::nullptr_t failWithErrors() {
    return fail(errors.empty() ? llvm::StringRef("compilation failed")
                               : llvm::StringRef(errors).rtrim());
  }

  MLIRContext context;
  ScopedDiagnosticHandler handler;
  std::string diagnostics, errors;
};

/// One line of the options.
bool readOption(llvm::StringRef line, fa::CompileOptions &options) {
  auto [key, value] = line.split('=');
  if (key == "ptxas-flags") {
    for (llvm::StringRef flag : llvm::split(value, ','))
      options.ptx.ptxasFlags.push_back(flag.str());
    return true;
  }
  if (key == "opt-level")
    return !value.getAsInteger(10, options.ptx.optLevel);
  if (key == "codegen-level")
    return !value.getAsInteger(10, options.ptx.codegenLevel);
  if (key == "lowered") {
    options.isLowered = value == "1";
    return true;
  }
  if (key == "check-offsets") {
    options.checkOffsets = value == "1";
    return true;
  }
  std::string *target = llvm::StringSwitch<std::string *>(key)
                            .Case("target", &options.target)
                            .Case("schedule", &options.schedule)
                            .Case("entry", &options.entry)
                            .Case("ptxas", &options.ptxas)
                            .Case("features", &options.ptx.features)
                            .Case("assemble-for", &options.ptx.assembleFor)
                            .Default(nullptr);
  if (target)
    *target = value.str();
  return target;
}

bool readOptions(const char *text, fa::CompileOptions &options) {
  for (llvm::StringRef line : llvm::split(text ? text : "", '\n'))
    if (!line.trim().empty() && !readOption(line.trim(), options)) {
      fail("unknown option '" + line.str() + "'");
      return false;
    }
  return true;
}

bool isHostTarget(llvm::StringRef target) {
  return target == "cpu" || target == "reference";
}

bool compileHost(ModuleOp module, fa_artifact &artifact) {
  FailureOr<std::string> manifest =
      fa::compileForHost(module, artifact.options);
  if (failed(manifest))
    return false;
  artifact.parts["manifest"] = std::move(*manifest);
  std::string error;
  artifact.host = fa::HostKernels::create(module, error);
  if (!artifact.host)
    emitError(module.getLoc()) << error;
  return artifact.host != nullptr;
}

bool compileGPU(ModuleOp module, fa_artifact &artifact) {
  FailureOr<fa::Artifact> compiled =
      fa::compileForGPU(module, artifact.options);
  if (failed(compiled))
    return false;
  artifact.parts["manifest"] = std::move(compiled->manifest);
  artifact.parts["ptx"] = std::move(compiled->ptx);
  if (!compiled->cubin.empty())
    artifact.parts["cubin"] = std::move(compiled->cubin);
  return true;
}

/// The compiler on enough stack. Why it failed is known to this thread then.
template <typename T> T *runCompiler(llvm::function_ref<T *()> compile) {
  T *result = nullptr;
  std::string reason;
  auto run = [&] {
    result = compile();
    reason = lastError;
  };
  if (llvm::Error error = fa::runWithStack(fa::compilerStackBytes, run))
    return fail(llvm::toString(std::move(error)));
  if (!result)
    lastError = std::move(reason);
  return result;
}

fa_artifact *compile(const char *text, size_t length, const char *options) {
  auto artifact = std::make_unique<fa_artifact>();
  if (!readOptions(options, artifact->options))
    return nullptr;
  artifact->source.assign(text, length);
  Compilation compilation;
  OwningOpRef<ModuleOp> module =
      fa::parseModule(&compilation.context, artifact->source, "source");
  if (!module)
    return compilation.failWithErrors();
  const std::string &target = artifact->options.target;
  bool isCompiled = isHostTarget(target) ? compileHost(*module, *artifact)
                                         : compileGPU(*module, *artifact);
  if (!isCompiled)
    return compilation.failWithErrors();
  artifact->parts["target"] = target;
  artifact->parts["diagnostics"] = compilation.diagnostics;
  return artifact.release();
}

char *printIR(const fa_artifact *artifact, const char *stage) {
  if (artifact->source.empty())
    return fail("the program was read from files: its IR is not known");
  llvm::StringRef name = stage ? stage : "";
  Compilation compilation;
  OwningOpRef<ModuleOp> module =
      fa::parseModule(&compilation.context, artifact->source, "source");
  if (!module || (name != "source" &&
                  failed(fa::runPipeline(*module, artifact->options, name))))
    return compilation.failWithErrors();
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return strdup(text.c_str());
}

} // namespace

fa_artifact *fa_compile(const char *text, size_t length, const char *options) {
  return runCompiler<fa_artifact>(
      [&] { return compile(text, length, options); });
}

void fa_artifact_destroy(fa_artifact *artifact) { delete artifact; }

const char *fa_artifact_get(const fa_artifact *artifact, const char *part,
                            size_t *length) {
  auto found = artifact->parts.find(part);
  if (found == artifact->parts.end())
    return fail("the program has no part '" + std::string(part) + "'");
  if (length)
    *length = found->second.size();
  return found->second.c_str();
}

char *fa_artifact_ir(const fa_artifact *artifact, const char *stage) {
  return runCompiler<char>([&] { return printIR(artifact, stage); });
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

fa_artifact *fa_open(const char *directory) {
  auto artifact = std::make_unique<fa_artifact>();
  std::string manifest, ptx, cubin, target;
  if (!runtime::readDirectory(directory, manifest, ptx, cubin, target,
                              lastError))
    return nullptr;
  artifact->parts["manifest"] = std::move(manifest);
  artifact->parts["target"] = std::move(target);
  if (!ptx.empty())
    artifact->parts["ptx"] = std::move(ptx);
  if (!cubin.empty())
    artifact->parts["cubin"] = std::move(cubin);
  return artifact.release();
}

static std::string getPart(const fa_artifact &artifact, const char *part) {
  auto found = artifact.parts.find(part);
  return found == artifact.parts.end() ? "" : found->second;
}

fa_kernel *fa_load(const fa_artifact *artifact, const char *entry) {
  auto kernel = std::make_unique<fa_kernel>();
  kernel->executable = runtime::Executable::create(
      getPart(*artifact, "manifest"), getPart(*artifact, "ptx"),
      getPart(*artifact, "cubin"), lastError);
  if (!kernel->executable)
    return nullptr;
  kernel->function = kernel->executable->find(entry ? entry : "", lastError);
  if (!kernel->function)
    return nullptr;
  kernel->host = artifact->host;
  return kernel.release();
}

void fa_kernel_destroy(fa_kernel *kernel) { delete kernel; }

int32_t fa_kernel_num_arguments(const fa_kernel *kernel) {
  return int32_t(kernel->function->parameters.size());
}

int32_t fa_kernel_num_results(const fa_kernel *kernel) {
  return int32_t(kernel->function->results.size());
}

static const char *describe(const std::vector<runtime::Parameter> &parameters,
                            int32_t index, int32_t *dtype, int32_t *rank,
                            int32_t *isScalar) {
  if (index < 0 || size_t(index) >= parameters.size())
    return fail("no such argument or result");
  const runtime::Parameter &parameter = parameters[index];
  *dtype = int32_t(parameter.dtype);
  *rank = int32_t(parameter.sizes.size());
  if (isScalar)
    *isScalar = parameter.isScalar;
  return parameter.name.c_str();
}

const char *fa_kernel_argument(const fa_kernel *kernel, int32_t index,
                               int32_t *dtype, int32_t *rank,
                               int32_t *is_scalar) {
  return describe(kernel->function->parameters, index, dtype, rank, is_scalar);
}

const char *fa_kernel_result(const fa_kernel *kernel, int32_t index,
                             int32_t *dtype, int32_t *rank) {
  return describe(kernel->function->results, index, dtype, rank, nullptr);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool convert(const fa_argument &from, runtime::Argument &to) {
  if (from.dtype < FA_I1 || from.dtype > FA_F64) {
    fail("unknown dtype");
    return false;
  }
  auto dtype = runtime::DType(from.dtype);
  to = from.is_scalar ? runtime::Argument::fromScalar(dtype, from.bits)
                      : runtime::Argument::fromBuffer(
                            {from.data, dtype, from.rank, from.sizes,
                             from.strides, from.is_read_only != 0});
  return true;
}

fa_binding *fa_bind(fa_kernel *kernel, const fa_argument *arguments,
                    size_t count) {
  std::vector<runtime::Argument> converted(count);
  for (size_t i = 0; i < count; ++i)
    if (!convert(arguments[i], converted[i]))
      return nullptr;
  auto binding = std::make_unique<fa_binding>();
  binding->kernel = kernel;
  if (!runtime::bind(*kernel->function, converted.data(), count,
                     binding->binding, lastError))
    return nullptr;
  return binding.release();
}

void fa_binding_destroy(fa_binding *binding) { delete binding; }

int32_t fa_call(fa_binding *binding, const void *pointers, int32_t device,
                void *stream, const fa_allocator *allocator, int64_t *results) {
  fa_kernel &kernel = *binding->kernel;
  runtime::Allocator memory{};
  if (allocator)
    memory = {allocator->allocate, allocator->release, allocator->context};
  const runtime::Allocator *given = allocator ? &memory : nullptr;
  auto *addresses = static_cast<void *const *>(pointers);
  std::vector<int64_t> values;
  runtime::CallError error;
  bool isCalled =
      kernel.host
          ? kernel.host->call(binding->binding, addresses, given, &values,
                              error)
          : kernel.executable->launch(binding->binding, addresses, device,
                                      stream, given, &values, error);
  if (!isCalled) {
    lastError = std::move(error.reason);
    return error.isArgument ? FA_BAD_ARGUMENT : FA_FAILED;
  }
  if (results)
    std::copy(values.begin(), values.end(), results);
  return 0;
}

const char *fa_last_launched(void) { return runtime::getLastLaunched(); }

int32_t fa_device_count(void) { return runtime::countDevices(lastError); }

int32_t fa_device_capability(int32_t device) {
  auto opened = runtime::Device::open(device, lastError);
  return opened ? opened->getCapability() : -1;
}
