//===- fa-opt.cpp - mlir-opt with FA --------------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/InitAll.h"
#include "fa/Support/OutputFile.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

static constexpr const char *overview =
    R"(FA: an attention compiler. mlir-opt with all of its dialects and passes, and FA's.

Examples, on files of the source tree:
  fa-opt test/models/torch_sdpa_gqa_bf16.mlir --fa-raise-attention --canonicalize
  fa-opt docs/tour/attention.mlir --fa-decompose --canonicalize --cse
  fa-opt docs/tour/buffers.mlir --fa-pipeline="target=sm_90a stop-after=machine" -o machine.mlir
)";

static LogicalResult report(llvm::Error error) {
  if (!error)
    return success();
  llvm::WithColor::error(llvm::errs(), "fa-opt")
      << llvm::toString(std::move(error)) << "\n";
  return failure();
}

/// As mlir-opt, but a file is written whole or stays as it was.
static LogicalResult run(std::unique_ptr<llvm::MemoryBuffer> input,
                         llvm::StringRef output, DialectRegistry &registry,
                         const MlirOptMainConfig &config) {
  if (output == "-") {
    LogicalResult result =
        MlirOptMain(llvm::outs(), std::move(input), registry, config);
    return success(succeeded(report(fa::flushStandardOutput())) &&
                   succeeded(result));
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(MlirOptMain(stream, std::move(input), registry, config)))
    return failure();
  return report(fa::writeWhole(output, {text}));
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  fa::letWritesFail();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllPasses();
  fa::registerAllDialects(registry);
  fa::registerAllPasses();
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, overview, registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &error);
  if (!buffer)
    return asMainReturnCode(report(llvm::createStringError(error)));
  return asMainReturnCode(run(std::move(buffer), output, registry, config));
}
