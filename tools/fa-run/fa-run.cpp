//===- fa-run.cpp - run a module's function and check it ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Runner.h"
#include "fa/Execution/Compare.h"
#include "fa/InitAll.h"
#include "fa/Support/OutputFile.h"
#include "fa/Target/PTX/PTX.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include <deque>
#include <unistd.h>

using namespace mlir;
using namespace fa;
namespace cl = llvm::cl;

static cl::OptionCategory category("fa-run options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<in.mlir>"),
                                  cl::init("-"), cl::cat(category));
static cl::opt<std::string> target(
    "target", cl::init("cpu"), cl::value_desc("cpu|cuda|reference|simulator"),
    cl::desc("Where to run: the CPU, a CUDA GPU, the naive program on the CPU, "
             "or the machine program of sm_90a in a simulator on the CPU"),
    cl::cat(category));
static cl::opt<std::string>
    schedule("schedule",
             cl::desc("fa1, fa2, standard (cuda), or tiles: query-tile=64 ..."),
             cl::cat(category));
static cl::opt<std::string>
    entry("entry",
          cl::desc("The function to run (default: the only public one)"),
          cl::cat(category));
static cl::list<std::string>
    argumentTexts("arg", cl::value_desc("value"),
                  cl::desc("One function argument, in order; see below"),
                  cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::init(0),
                              cl::desc("Seed of the random data"),
                              cl::cat(category));
static cl::opt<int64_t> multiprocessors("multiprocessors", cl::init(2),
                                        cl::desc("Of the simulated device"),
                                        cl::cat(category));
static cl::opt<bool>
    check("check",
          cl::desc("Compare with the naive program, in the same types and in "
                   "float64; exit code 1 if the error is too large"),
          cl::cat(category));
static cl::list<std::string>
    save("save", cl::value_desc("out.npy"),
         cl::desc("Write a result to a file; repeat for further results"),
         cl::cat(category));
static cl::opt<unsigned>
    repeat("repeat", cl::init(1),
           cl::desc("Run n times, print the median and the fastest time"),
           cl::cat(category));
static cl::opt<bool>
    memory("memory",
           cl::desc("Print how much the process grows during the first call"),
           cl::cat(category));

static constexpr const char *kOverview = R"(Runs a function of an MLIR module.

An --arg is one of
  @file.npy                     numpy data of the argument's type and shape
                                (bf16: numpy's void2, as ml_dtypes saves it)
  shape=2x8x128x64              random data; x then the element type may follow
  'shape=4xi32 range=0..128'    random data within a range
  'shape=4xi32 values=3,0,7,9'  these values; one value fills all
  0.125                         a scalar, or one value for all elements
  _                             random data in a static shape (the default)
Arguments that a function overwrites ("outs") are arguments like any other.

Examples, on files of the source tree:
  fa-run docs/tour/attention.mlir --arg shape=1x8x512x64 --arg shape=1x8x512x64 \
         --arg shape=1x8x512x64 --arg shape=1x8x512x64 --check
  fa-run test/models/torch_sdpa_gqa_bf16.mlir --entry sdpa_gqa_bf16 --save out.npy
  fa-run docs/tour/buffers.mlir --arg shape=1x2x96x128 --arg shape=1x2x96x128 \
         --arg shape=1x2x96x128 --arg shape=1x2x96x128 --target simulator --check
  fa-run test/models/torch_sdpa_gqa_bf16.mlir --target cuda --repeat 100
)";

namespace {

/// Prints an error that has not been printed yet. Always 1, for main to return.
int report(llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  if (!message.empty())
    llvm::WithColor::error(llvm::errs(), "fa-run") << message << "\n";
  return 1;
}

llvm::Expected<func::FuncOp> findEntry(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function.isPublic())
      functions.push_back(function);
  for (func::FuncOp function : functions)
    if (function.getName() == entry)
      return function;
  if (entry.empty() && functions.size() == 1)
    return functions.front();
  std::string names;
  for (func::FuncOp function : functions)
    names += " @" + function.getName().str();
  if (names.empty())
    return llvm::createStringError("the module has no public function");
  if (entry.empty())
    return llvm::createStringError(
        "the module has several functions; choose one by --entry:" + names);
  return llvm::createStringError("no public function @" + entry +
                                 "; there are" + names);
}

/// The results that are log-sum-exps: the second output of an attention.
SmallVector<bool> findLogSumExps(func::FuncOp function) {
  SmallVector<bool> flags(function.getNumResults());
  function.walk([&](func::ReturnOp op) {
    for (auto [i, value] : llvm::enumerate(op.getOperands())) {
      auto attention = value.getDefiningOp<AttentionOp>();
      flags[i] = attention && value != attention->getResult(0);
    }
  });
  for (BlockArgument argument : function.getArguments()) {
    bool isLse = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      auto attention = dyn_cast<AttentionOp>(user);
      return attention && attention.getLse() == argument;
    });
    if (isa<MemRefType>(argument.getType()))
      flags.push_back(isLse);
  }
  return flags;
}

/// What a run gave: its results, then the memrefs it was called with.
struct Outcome {
  std::vector<HostTensor> outputs;
  double seconds = 0;
};

llvm::Expected<Outcome> runOnce(Runner &runner, const Signature &signature,
                                std::vector<HostTensor> arguments) {
  Outcome outcome;
  auto results = runner.run(arguments, outcome.seconds);
  if (!results)
    return results.takeError();
  outcome.outputs = std::move(*results);
  for (auto [i, parameter] : llvm::enumerate(signature.arguments))
    if (parameter.kind == Parameter::MemRef)
      outcome.outputs.push_back(std::move(arguments[i]));
  return outcome;
}

llvm::Expected<Outcome> runOnce(llvm::Expected<std::unique_ptr<Runner>> runner,
                                const Signature &signature,
                                std::vector<HostTensor> arguments) {
  if (!runner)
    return runner.takeError();
  return runOnce(**runner, signature, std::move(arguments));
}

/// One line of /proc/self/status, in bytes; 0 where there is none.
int64_t statusValue(StringRef key) {
  auto file = llvm::MemoryBuffer::getFileAsStream("/proc/self/status");
  if (!file)
    return 0;
  StringRef text = (*file)->getBuffer();
  StringRef value = text.substr(text.find(key) + key.size()).ltrim(": \t");
  int64_t kilobytes = 0;
  value.consumeInteger(10, kilobytes);
  return kilobytes * 1024;
}

/// How much more memory the process has at most during its life than now.
class MemoryPeak {
public:
  MemoryPeak() {
    // From here on, the peak is a new one.
    std::error_code error;
    llvm::raw_fd_ostream("/proc/self/clear_refs", error) << "5";
    before = statusValue("VmRSS");
  }
  int64_t growth() { return statusValue("VmHWM") - before; }

private:
  int64_t before;
};

bool sameBytes(const HostTensor &a, const HostTensor &b) {
  return StringRef(a.data(), a.byteSize()) == StringRef(b.data(), b.byteSize());
}

/// One run of fa-run, from its options.
class Session {
public:
  explicit Session(MLIRContext &context) : context(context) {}

  llvm::Error load() {
    llvm::SourceMgr sources;
    SourceMgrDiagnosticHandler handler(sources, &context);
    module = parseSourceFile<ModuleOp>(input, sources, &context);
    if (!module)
      return llvm::createStringError("");
    auto function = findEntry(*module);
    if (!function)
      return function.takeError();
    auto described = Signature::of(*function);
    if (!described)
      return described.takeError();
    signature = std::move(*described);
    isLogSumExp = findLogSumExps(*function);
    auto made = makeArguments(signature, argumentTexts, seed);
    if (!made)
      return made.takeError();
    arguments = std::move(*made);
    return llvm::Error::success();
  }

  llvm::Error execute() {
    auto runner = makeRunner();
    if (!runner)
      return runner.takeError();
    std::vector<double> times;
    for (unsigned i = 0; i < repeat; ++i) {
      std::vector<HostTensor> copies = arguments;
      MemoryPeak peak;
      auto outcome = runOnce(**runner, signature, std::move(copies));
      if (!outcome)
        return outcome.takeError();
      if (i == 0)
        growth = peak.growth();
      times.push_back(outcome->seconds);
      if (i == 0)
        result = std::move(*outcome);
    }
    llvm::sort(times);
    result.seconds = times[times.size() / 2];
    fastest = times.front();
    return llvm::Error::success();
  }

  llvm::Error checkResult(bool &passed) {
    PipelineOptions options;
    options.target = "reference";
    auto naive = runOnce(makeCPURunner(*module, signature, options), signature,
                         arguments);
    if (!naive)
      return naive.takeError();
    std::vector<HostTensor> wide;
    for (const HostTensor &argument : arguments)
      wide.push_back(isFloat(argument.type()) ? argument.convertedTo(DType::F64)
                                              : argument);
    auto reference = runOnce(makeFloat64Reference(*module, signature),
                             signature, std::move(wide));
    if (!reference)
      return reference.takeError();
    passed = true;
    for (size_t i = 0; i < result.outputs.size(); ++i) {
      if (!isOutput(i, *naive))
        continue;
      const HostTensor &got = result.outputs[i];
      if (got.shape() != reference->outputs[i].shape() ||
          got.shape() != naive->outputs[i].shape())
        return llvm::createStringError("the shapes of " + nameOfOutput(i) +
                                       " differ");
      print(i,
            compare(got, naive->outputs[i], reference->outputs[i],
                    isLogSumExp[i]),
            reference->outputs[i], passed);
    }
    llvm::outs() << "naive program: "
                 << llvm::format("%.3f", naive->seconds * 1e3) << " ms\n";
    return llvm::Error::success();
  }

  llvm::Error saveResults() {
    SmallVector<size_t> outputs;
    for (size_t i = 0; i < result.outputs.size(); ++i)
      if (isOutput(i, result))
        outputs.push_back(i);
    if (save.size() > outputs.size())
      return llvm::createStringError(
          "--save is given " + llvm::Twine(save.size()) + " times, @" +
          signature.name + " has " + llvm::Twine(outputs.size()) + " outputs");
    for (auto [path, i] : llvm::zip(save, outputs))
      if (llvm::Error error = writeNpy(path, result.outputs[i]))
        return error;
    return llvm::Error::success();
  }

  void printTime() {
    llvm::outs() << "@" << signature.name << " on " << target << ": "
                 << llvm::format("%.3f", result.seconds * 1e3) << " ms";
    if (repeat > 1)
      llvm::outs() << " (median of " << repeat << ", fastest "
                   << llvm::format("%.3f", fastest * 1e3) << " ms)";
    llvm::outs() << "\n";
    if (memory)
      llvm::outs() << "peak memory of the call: "
                   << llvm::format("%.1f", double(growth) / (1 << 20))
                   << " MiB\n";
  }

private:
  llvm::Expected<std::unique_ptr<Runner>> makeRunner() {
    PipelineOptions options;
    options.target = target;
    options.schedule = schedule;
    if (target == "cpu" || target == "reference")
      return makeCPURunner(*module, signature, options);
    if (target == "cuda")
      return makeCUDARunner(*module, signature, schedule);
    if (target == "simulator")
      return makeSimulatedRunner(*module, signature, options, multiprocessors,
                                 seed);
    llvm::StringRef hint = llvm::StringRef(target).starts_with("sm_")
                               ? "; say cuda to run on this machine's GPU"
                               : "";
    return llvm::createStringError(
        "--target=" + target +
        " is not known; there are cpu, cuda, reference and simulator" + hint);
  }

  /// A result, or a memref that the function has changed.
  bool isOutput(size_t i, const Outcome &other) {
    if (i < signature.results.size())
      return true;
    const HostTensor &before = arguments[memrefArgument(i)];
    return !sameBytes(before, result.outputs[i]) ||
           !sameBytes(before, other.outputs[i]);
  }

  size_t memrefArgument(size_t output) {
    size_t left = output - signature.results.size();
    for (auto [i, parameter] : llvm::enumerate(signature.arguments))
      if (parameter.kind == Parameter::MemRef && left-- == 0)
        return i;
    llvm_unreachable("more outputs than memrefs");
  }

  std::string nameOfOutput(size_t i) {
    if (i < signature.results.size())
      return "result " + std::to_string(i);
    return "argument " + std::to_string(memrefArgument(i));
  }

  void print(size_t i, const Comparison &c, const HostTensor &reference,
             bool &passed) {
    const HostTensor &got = result.outputs[i];
    llvm::outs() << nameOfOutput(i) << " " << describe(got.type(), got.shape())
                 << ": error "
                 << llvm::format("%.3g (naive %.3g, allowed %.3g) ", c.error,
                                 c.naiveError, c.tolerance)
                 << (c.passed ? "ok" : "WRONG");
    if (!c.passed)
      llvm::outs() << llvm::format(": element %lld is %.9g, should be %.9g",
                                   (long long)c.worst, got.get(c.worst),
                                   reference.get(c.worst));
    if (c.undefined)
      llvm::outs() << "; " << c.undefined
                   << " elements are NaN in the source program";
    llvm::outs() << "\n";
    passed &= c.passed;
  }

  MLIRContext &context;
  OwningOpRef<ModuleOp> module;
  Signature signature;
  SmallVector<bool> isLogSumExp;
  std::vector<HostTensor> arguments;
  Outcome result;
  double fastest = 0;
  int64_t growth = 0;
};

} // namespace

/// Arrays are the caller's sizes: no fault of the program's own.
static void failAllocation(void *, const char *, bool) {
  llvm::WithColor::error(llvm::errs(), "fa-run")
      << "out of memory for the arguments and results\n";
  _exit(1);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  letWritesFail();
  llvm::install_bad_alloc_error_handler(failAllocation);
  cl::HideUnrelatedOptions(category);
  // LLVM would read options from the file of an argument that starts with @.
  std::deque<std::string> texts;
  SmallVector<const char *> words(argv, argv + argc);
  for (const char *&word : words)
    if (word[0] == '@')
      word = texts.emplace_back("npy:" + std::string(word + 1)).c_str();
  cl::ParseCommandLineOptions(argc, words.data(), kOverview);
  if (repeat == 0)
    return report(llvm::createStringError("--repeat needs 1 or more"));
  if (multiprocessors < 1)
    return report(llvm::createStringError("--multiprocessors needs 1 or more"));

  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  registerCPUTranslations(registry);
  fa::registerAllDialects(registry);
  registerPTXTranslations(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr none;
  SourceMgrDiagnosticHandler handler(none, &context);

  Session session(context);
  bool passed = true;
  if (llvm::Error error = session.load())
    return report(std::move(error));
  if (llvm::Error error = session.execute())
    return report(std::move(error));
  session.printTime();
  if (check)
    if (llvm::Error error = session.checkResult(passed))
      return report(std::move(error));
  if (llvm::Error error = flushStandardOutput())
    return report(std::move(error));
  if (llvm::Error error = session.saveResults())
    return report(std::move(error));
  if (!passed)
    llvm::WithColor::error(llvm::errs(), "fa-run")
        << "a result is further from the reference than allowed\n";
  return passed ? 0 : 1;
}
