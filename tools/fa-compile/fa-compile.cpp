//===- fa-compile.cpp - MLIR to PTX, machine code and a manifest ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OutputDirectory.h"
#include "fa/Compiler/Compiler.h"
#include "fa/Support/OutputFile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("fa-compile options");

static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("<input.mlir, or - for stdin>"),
                                  cl::cat(category));
static cl::opt<std::string> output(
    "o", cl::value_desc("folder"), cl::init("."), cl::cat(category),
    cl::desc("where the files go; made if missing (default: this folder)"));
static cl::opt<std::string>
    target("target", cl::init("sm_80"), cl::cat(category),
           cl::desc("GPU processor, sm_80 or newer (default: sm_80)"));
static cl::opt<bool> checkOffsets(
    "check-offsets", cl::cat(category),
    cl::desc("Let the host read offsets of packed sequences before a launch, "
             "and refuse bad ones; it waits for the device to do so"));
static cl::opt<std::string> schedule(
    "schedule", cl::cat(category),
    cl::desc("fa2 (default), standard (naive, the baseline), or tiles: "
             "'query-tile=128 key-tile=64 ...'"));
static cl::opt<std::string>
    entry("entry", cl::value_desc("function"), cl::cat(category),
          cl::desc("the function to compile (default: every public function)"));
static cl::opt<std::string> ptxas(
    "ptxas", cl::value_desc("path"), cl::cat(category),
    cl::desc("the assembler (default: $FA_PTXAS, a Python environment, PATH, "
             "$CUDA_HOME, /usr/local/cuda); none: PTX only"));
static cl::opt<std::string> ptxasFlags(
    "ptxas-flags", cl::cat(category), cl::value_desc("a,b,..."),
    cl::desc("more arguments for the assembler; none that change what "
             "it writes, where, or for which processor"));
static cl::opt<std::string>
    features("features", cl::cat(category),
             cl::desc("PTX version, such as +ptx86 (default: by processor)"));
static cl::opt<unsigned> optLevel("opt-level", cl::init(0), cl::cat(category),
                                  cl::desc("LLVM's IR pipeline, 0 to 3"));
static cl::opt<unsigned>
    codegenLevel("codegen-level", cl::init(3), cl::cat(category),
                 cl::desc("LLVM's instruction selection, 0 to 3"));
static cl::opt<bool>
    lowered("lowered", cl::cat(category),
            cl::desc("the input is what --fa-pipeline leaves: a host function "
                     "and a gpu.module of llvm and nvvm ops"));
static cl::opt<bool> verbose("v", cl::cat(category),
                             cl::desc("print registers and spills"));

static const char *overview =
    R"(Compiles attention in MLIR for a GPU. Writes kernel.ptx, kernel.cubin (where ptxas is found) and
manifest.json, which says how to launch, or nothing at all.

Examples, on files of the source tree:
  fa-compile docs/tour/regions.mlir -o out
  fa-compile test/models/torch_sdpa_gqa_bf16.mlir --entry sdpa_gqa_bf16 --target sm_90 --schedule 'query-tile=128 key-tile=64' -o out
  fa-opt docs/tour/buffers.mlir --fa-pipeline="target=sm_80" | fa-compile - --lowered --ptxas none -o out
)";

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "fa-compile") << message << "\n";
  return 1;
}

static fa::CompileOptions getOptions() {
  fa::CompileOptions options;
  options.target = target;
  options.schedule = schedule;
  options.checkOffsets = checkOffsets;
  options.entry = entry;
  options.isLowered = lowered;
  options.ptxas = ptxas;
  options.ptx.features = features;
  options.ptx.optLevel = optLevel;
  options.ptx.codegenLevel = codegenLevel;
  for (llvm::StringRef flag : llvm::split(ptxasFlags, ','))
    if (!flag.empty())
      options.ptx.ptxasFlags.push_back(flag.str());
  return options;
}

static void printResources(const fa::AssemblerLog &log) {
  for (const fa::KernelResources &kernel : log.kernels)
    llvm::errs() << kernel.name << ": " << kernel.registers << " registers, "
                 << kernel.spillStores + kernel.spillLoads << " bytes spilled, "
                 << kernel.sharedMemory << " bytes of static shared memory\n";
}

static bool writeArtifact(const fa::Artifact &artifact, std::string &error) {
  fa::OutputDirectory directory(output);
  directory.add("kernel.ptx", artifact.ptx);
  if (!artifact.cubin.empty())
    directory.add("kernel.cubin", artifact.cubin);
  else
    directory.remove("kernel.cubin");
  directory.add("manifest.json", artifact.manifest);
  return directory.write(error);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  fa::letWritesFail();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  if (target == "cpu" || target == "reference")
    return fail("--target " + target +
                " makes no files; fa-run compiles and runs there");

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(input, &error);
  if (!buffer)
    return fail(error);
  mlir::DialectRegistry registry;
  fa::registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      fa::parseModule(&context, buffer->getBuffer(), input);
  if (!module)
    return 1;
  mlir::FailureOr<fa::Artifact> artifact =
      fa::compileForGPU(*module, getOptions());
  if (mlir::failed(artifact))
    return 1;
  if (!writeArtifact(*artifact, error))
    return fail(error);
  if (verbose)
    printResources(artifact->log);
  return 0;
}
