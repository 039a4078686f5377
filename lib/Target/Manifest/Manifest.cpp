//===- Manifest.cpp - host functions as data ------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Target/Manifest/Manifest.h"
#include "HostProgram.h"

using namespace mlir;
namespace json = llvm::json;

namespace {

json::Array describeKernels(const fa::AssemblerLog &log) {
  json::Array kernels;
  for (const fa::KernelResources &kernel : log.kernels)
    kernels.push_back(
        json::Object{{"name", kernel.name},
                     {"registers", kernel.registers},
                     {"spill_bytes", kernel.spillStores + kernel.spillLoads},
                     {"static_shared_bytes", kernel.sharedMemory}});
  return kernels;
}

FailureOr<std::string> translate(ModuleOp module,
                                 const fa::ManifestOptions &options,
                                 bool withBodies) {
  json::Array functions;
  int64_t version = 1;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || function.isPrivate())
      continue;
    fa::HostProgram program(function);
    FailureOr<json::Object> entry = program.translate(withBodies);
    if (failed(entry))
      return failure();
    version = std::max(version, program.getVersion());
    functions.push_back(std::move(*entry));
  }
  if (functions.empty())
    return emitError(module.getLoc(),
                     "the module has no public function to call");
  json::Object manifest{{"version", version},
                        {"producer", "fa"},
                        {"target", options.target},
                        {"functions", std::move(functions)}};
  if (!options.cubinTarget.empty())
    manifest["cubin_target"] = options.cubinTarget;
  if (!options.ptxFile.empty())
    manifest["ptx"] = options.ptxFile;
  if (!options.cubinFile.empty())
    manifest["cubin"] = options.cubinFile;
  if (options.log)
    manifest["kernels"] = describeKernels(*options.log);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::formatv("{0:2}", json::Value(std::move(manifest))) << "\n";
  return text;
}

} // namespace

FailureOr<std::string> fa::translateToManifest(ModuleOp module,
                                               const ManifestOptions &options) {
  return translate(module, options, /*withBodies=*/true);
}

FailureOr<std::string> fa::translateSignatures(ModuleOp module,
                                               const ManifestOptions &options) {
  return translate(module, options, /*withBodies=*/false);
}
