//===- fa-simulate.cpp - machine programs on the CPU ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CheckGradients.h"
#include "fa/Compiler/Compiler.h"
#include "fa/Simulator/Simulator.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace fa;
namespace cl = llvm::cl;

static cl::OptionCategory category("fa-simulate options");

static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<file>"),
                                      cl::init("-"), cl::cat(category));
static cl::list<std::string> argumentTexts(
    "arg",
    cl::desc("Argument of the kernel, in order: random:2x300x128xbf16, "
             "zeros:2x300xf32, a number"),
    cl::value_desc("value"), cl::cat(category));
static cl::opt<std::string>
    entry("entry", cl::value_desc("function"), cl::cat(category),
          cl::desc("The function to run, if several launch kernels"));
static cl::opt<bool> onlyKernel(
    "kernel", cl::cat(category),
    cl::desc("Run the fagpu.kernel although a function launches it"));
static cl::opt<int64_t>
    grid("grid",
         cl::desc("Blocks; of a function, multiprocessors of the device"),
         cl::init(1), cl::cat(category));
static cl::opt<uint64_t>
    firstSeed("seed", cl::desc("Seed of data and of the order of arrivals"),
              cl::init(0), cl::cat(category));
static cl::opt<unsigned> seeds("seeds",
                               cl::desc("Run so many seeds from "
                                        "--seed on"),
                               cl::init(1), cl::cat(category));
static cl::opt<bool> checkAttention(
    "check-attention",
    cl::desc("Compare with attention in f64: arguments are query, key, value, "
             "out, lse, scale * log2(e), as [heads, length, head_dim]"),
    cl::cat(category));
static cl::opt<bool> checkCausal("causal",
                                 cl::desc("With --check-attention: causal, "
                                          "diagonal at the bottom right"),
                                 cl::cat(category));

static cl::opt<bool> checkGradients(
    "check-gradients",
    cl::desc("Compare a kernel with the gradients of attention in f64: "
             "arguments are query, key, value, d_out, d_key, d_value, lse, "
             "delta, the sum of d_query, extents; with --causal, the diagonal "
             "at the top left"),
    cl::cat(category));

static constexpr const char *kOverview =
    R"(Runs machine programs on the CPU with real numbers: a module's one fagpu.kernel, or a function on memrefs
with the kernels that it launches. Deadlocks, reads of data that has not arrived and writes over data that is still
read are errors at the op.

Examples, on files of the source tree: ten orders of arrivals, and a kernel by itself
  fa-opt docs/tour/buffers.mlir --fa-pipeline="target=sm_90a stop-after=machine" | fa-simulate --grid 4 --seeds 10 \
    --arg random:1x2x64x128xbf16 --arg random:1x2x96x128xbf16 --arg random:1x2x96x128xbf16 --arg zeros:1x2x64x128xbf16
  fa-simulate test/Conversion/FAGPUHopper/Inputs/nc3.mlir --check-attention --arg random:1x250x128xbf16 \
    --arg random:1x250x128xbf16 --arg random:1x250x128xbf16 --arg zeros:1x250x128xbf16 --arg zeros:1x250xf32 \
    --arg 0.1275174 --arg 250 --arg 2 --arg 4 --arg 2 --arg zeros:1xi32 --grid 2
)";

namespace {

/// The arguments of one run.
struct Arguments {
  std::vector<std::unique_ptr<SimulatedBuffer>> buffers;
  SmallVector<SimulatedArgument> values;
};

double rounded(Type type, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// `kind:2x300x128xbf16`
LogicalResult addBuffer(StringRef text, MLIRContext *context,
                        std::mt19937_64 &random, Arguments &arguments) {
  auto [kind, shape] = text.split(':');
  SmallVector<StringRef> parts;
  shape.split(parts, 'x');
  auto buffer = std::make_unique<SimulatedBuffer>();
  int64_t size = 1;
  for (StringRef part : ArrayRef(parts).drop_back()) {
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent <= 0)
      return failure();
    buffer->shape.push_back(extent);
    size *= extent;
  }
  buffer->elementType = parseType(parts.back(), context);
  if (!buffer->elementType || (kind != "random" && kind != "zeros"))
    return failure();
  buffer->data.assign(size, 0);
  std::normal_distribution<double> normal;
  if (kind == "random")
    for (double &value : buffer->data)
      value = rounded(buffer->elementType, normal(random));
  arguments.values.push_back(buffer.get());
  arguments.buffers.push_back(std::move(buffer));
  return success();
}

/// What the parameter says about the buffer.
bool fits(const SimulatedBuffer &buffer, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return !memref ||
         (buffer.elementType == memref.getElementType() &&
          succeeded(verifyCompatibleShape(buffer.shape, memref.getShape())));
}

LogicalResult addArgument(StringRef text, Type type, MLIRContext *context,
                          std::mt19937_64 &random, Arguments &arguments) {
  if (text.contains(':'))
    return success(!type.isIntOrIndexOrFloat() &&
                   succeeded(addBuffer(text, context, random, arguments)) &&
                   fits(*arguments.buffers.back(), type));
  double number;
  int64_t integer;
  if (isa<FloatType>(type) && !text.getAsDouble(number))
    arguments.values.push_back(number);
  else if (type.isIntOrIndex() && !text.getAsInteger(10, integer))
    arguments.values.push_back(integer);
  else
    return failure();
  return success();
}

/// Largest errors of out and lse against attention in f64.
struct Errors {
  double out = 0, lse = 0;
};

/// The scores of one row and their log2-sum; log2 because scale is.
void attentionRow(const Arguments &arguments, int64_t head, int64_t row,
                  Errors &errors) {
  auto buffer = [&](unsigned i) -> const SimulatedBuffer & {
    return *std::get<SimulatedBuffer *>(arguments.values[i]);
  };
  const SimulatedBuffer &query = buffer(0), &key = buffer(1);
  double scale = std::get<double>(arguments.values[5]);
  int64_t queries = query.shape[1], keys = key.shape[1], dim = query.shape[2];
  const double *q = query.data.data() + (head * queries + row) * dim;
  const double *k = key.data.data() + head * keys * dim;
  const double *v = buffer(2).data.data() + head * keys * dim;
  int64_t visible = checkCausal ? row + 1 + keys - queries : keys;
  std::vector<double> scores(std::max<int64_t>(visible, 0)), out(dim, 0);
  double largest = -INFINITY, sum = 0;
  for (auto [j, score] : llvm::enumerate(scores)) {
    score = 0;
    for (int64_t d = 0; d < dim; ++d)
      score += q[d] * k[j * dim + d];
    score *= scale;
    largest = std::max(largest, score);
  }
  for (auto [j, score] : llvm::enumerate(scores)) {
    double p = std::exp2(score - largest);
    sum += p;
    for (int64_t d = 0; d < dim; ++d)
      out[d] += p * v[j * dim + d];
  }
  int64_t at = head * queries + row;
  auto grow = [](double &error, double difference) {
    error = std::isnan(difference) ? INFINITY
                                   : std::max(error, std::fabs(difference));
  };
  for (int64_t d = 0; d < dim; ++d)
    grow(errors.out, buffer(3).data[at * dim + d] - out[d] / sum);
  grow(errors.lse,
       buffer(4).data[at] - (largest + std::log2(sum)) * std::log(2.0));
}

/// Bounds for data of the size of 1: out is rounded to 8 bits, and so is P.
LogicalResult compareWithAttention(const Arguments &arguments) {
  constexpr double outBound = 2e-2, lseBound = 1e-4;
  Errors errors;
  const SimulatedBuffer &query =
      *std::get<SimulatedBuffer *>(arguments.values[0]);
  for (int64_t head = 0; head < query.shape[0]; ++head)
    for (int64_t row = 0; row < query.shape[1]; ++row)
      attentionRow(arguments, head, row, errors);
  bool good = errors.out <= outBound && errors.lse <= lseBound;
  llvm::outs() << "  " << (good ? "ok" : "WRONG") << ": out differs by at most "
               << errors.out << ", lse by " << errors.lse << "\n";
  return success(good);
}

int fail(const Twine &message) {
  llvm::errs() << "fa-simulate: " << message << "\n";
  return 1;
}

/// A kernel, or a host function that launches some.
struct Program {
  fagpu::KernelOp kernel;
  func::FuncOp host;

  StringRef name() { return host ? host.getName() : kernel.getSymName(); }
  TypeRange types() {
    return host ? TypeRange(host.getArgumentTypes())
                : TypeRange(kernel.getArgumentTypes());
  }
  LogicalResult run(ArrayRef<SimulatedArgument> arguments,
                    const SimulationOptions &options) {
    return host ? simulateHost(host, arguments, options)
                : simulate(kernel, arguments, options);
  }
};

int findProgram(ModuleOp module, Program &program) {
  SmallVector<fagpu::KernelOp> kernels;
  SmallVector<func::FuncOp> hosts;
  module.walk([&](fagpu::KernelOp kernel) { kernels.push_back(kernel); });
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto host = launch->getParentOfType<func::FuncOp>();
    if (host && !llvm::is_contained(hosts, host) &&
        (entry.empty() || host.getName() == entry))
      hosts.push_back(host);
  });
  if (onlyKernel)
    hosts.clear();
  if (hosts.size() > 1 || (hosts.empty() && !entry.empty()))
    return fail("needs one function that launches kernels, found " +
                Twine(hosts.size()) + "; choose one by --entry");
  if (hosts.empty() && kernels.size() != 1)
    return fail("needs one fagpu.kernel, found " + Twine(kernels.size()));
  if (hosts.empty())
    program.kernel = kernels.front();
  else
    program.host = hosts.front();
  return 0;
}

int runSeed(Program program, uint64_t seed) {
  std::mt19937_64 random(seed);
  Arguments arguments;
  TypeRange types = program.types();
  StringRef what = program.host ? "function" : "kernel";
  if (argumentTexts.size() != types.size())
    return fail("the " + what + " needs " + Twine(types.size()) +
                " --arg, got " + Twine(argumentTexts.size()));
  for (auto [text, type] : llvm::zip(argumentTexts, types))
    if (failed(addArgument(text, type, type.getContext(), random, arguments)))
      return fail("--arg=" + text +
                  " is not random:SHAPExTYPE, "
                  "zeros:SHAPExTYPE or a number that fits the " +
                  what);
  GradientCheck gradients;
  gradients.causal = checkCausal;
  if (checkGradients) {
    for (unsigned i = 0; i < 9; ++i)
      gradients.buffers.push_back(
          std::get<SimulatedBuffer *>(arguments.values[i]));
    gradients.prepare();
  }
  SimulationOptions options;
  options.grid = grid;
  options.seed = seed;
  llvm::outs() << program.name() << ", seed " << seed << "\n";
  if (failed(program.run(arguments.values, options)))
    return 1;
  if (checkAttention && failed(compareWithAttention(arguments)))
    return 1;
  if (checkGradients) {
    // P and dS are rounded to 8 bits.
    constexpr double bound = 2e-2;
    double error = gradients.largestError();
    bool good = error <= bound;
    llvm::outs() << "  " << (good ? "ok" : "WRONG")
                 << ": gradients differ by at most " << error
                 << " of their largest value\n";
    return good ? 0 : 1;
  }
  return 0;
}

/// --check-attention reads the arguments by position.
bool attentionArgumentsFit() {
  if (argumentTexts.size() < 6)
    return false;
  for (unsigned i : {0, 1, 2, 3, 4})
    if (!StringRef(argumentTexts[i]).contains(':'))
      return false;
  for (unsigned i : {0, 1, 2, 3})
    if (StringRef(argumentTexts[i]).count('x') != 3)
      return false;
  return !StringRef(argumentTexts[5]).contains(':');
}

/// --check-gradients, too.
bool gradientArgumentsFit() {
  if (argumentTexts.size() < 9)
    return false;
  const unsigned ranks[] = {5, 4, 4, 5, 4, 4, 4, 4, 5};
  for (unsigned i = 0; i < 9; ++i)
    if (!StringRef(argumentTexts[i]).contains(':') ||
        StringRef(argumentTexts[i]).count('x') != ranks[i])
      return false;
  return true;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(inputFile, sources, &context);
  if (!module)
    return 1;
  if (grid < 1)
    return fail("--grid must be at least 1");
  if (seeds < 1)
    return fail("--seeds must be at least 1");
  if (checkAttention && !attentionArgumentsFit())
    return fail("--check-attention needs query, key, value, out "
                "([heads, length, head_dim]), lse and scale first");
  if (checkGradients && !gradientArgumentsFit())
    return fail("--check-gradients needs query ([batch, heads, group, queries, "
                "head_dim]), key ([batch, heads, keys, head_dim]), value, "
                "d_out, d_key, d_value, lse, delta and the sum of d_query "
                "first");
  Program program;
  if (int code = findProgram(*module, program))
    return code;
  if (checkAttention && program.host)
    return fail("--check-attention is for a kernel; fa-run --target simulator "
                "--check compares what functions compute");
  for (unsigned i = 0; i < seeds; ++i)
    if (int code = runSeed(program, firstSeed + i))
      return code;
  return 0;
}
