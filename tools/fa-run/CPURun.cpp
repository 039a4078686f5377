//===- CPURun.cpp - functions on the CPU ----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fa;

namespace {

class CPURunner : public Runner {
public:
  CPURunner(Signature signature, std::unique_ptr<CPUProgram> program)
      : signature(std::move(signature)), program(std::move(program)) {}

  llvm::Expected<std::vector<HostTensor>>
  run(std::vector<HostTensor> &arguments, double &seconds) override {
    return program->run(signature, arguments, &seconds);
  }

private:
  Signature signature;
  std::unique_ptr<CPUProgram> program;
};

llvm::Expected<std::unique_ptr<Runner>>
lowerAndCompile(ModuleOp module, Signature signature,
                const PipelineOptions &options, bool promote) {
  // Only the function that runs is lowered.
  OwningOpRef<ModuleOp> lowered = module.clone();
  for (auto function : lowered->getOps<func::FuncOp>())
    if (function.getName() != signature.name)
      function.setPrivate();
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  if (promote)
    pm.addPass(createFAPromoteToF64());
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (failed(buildPipeline(pm, options, errors)))
    return llvm::createStringError(StringRef(message).trim());
  if (failed(pm.run(*lowered)))
    return llvm::createStringError("");
  auto program = CPUProgram::compile(*lowered);
  if (!program)
    return program.takeError();
  if (llvm::Error error = (*program)->prepare(signature))
    return error;
  return std::make_unique<CPURunner>(std::move(signature), std::move(*program));
}

} // namespace

llvm::Expected<std::unique_ptr<Runner>>
fa::makeCPURunner(ModuleOp module, const Signature &signature,
                  const PipelineOptions &options) {
  return lowerAndCompile(module, signature, options, /*promote=*/false);
}

llvm::Expected<std::unique_ptr<Runner>>
fa::makeFloat64Reference(ModuleOp module, const Signature &signature) {
  Signature wide = signature;
  for (auto *parameters : {&wide.arguments, &wide.results})
    for (Parameter &parameter : *parameters)
      if (isFloat(parameter.type))
        parameter.type = DType::F64;
  PipelineOptions options;
  options.target = "reference";
  return lowerAndCompile(module, wide, options, /*promote=*/true);
}
