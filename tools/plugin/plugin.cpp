//===- plugin.cpp - FA for any mlir-opt of the same MLIR ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/WithColor.h"

/// Two dialects of one name would end the process.
static void warnOfHost(llvm::StringRef what) {
  llvm::WithColor::warning(llvm::errs(), "FA")
      << "this tool has FA's " << what
      << " already; the plugin's are not used\n";
}

#define FA_EXPORT extern "C" __attribute__((visibility("default")))

FA_EXPORT mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "FA", FA_VERSION_STRING,
      [](mlir::DialectRegistry *registry) {
        if (registry->getDialectAllocator(fa::FADialect::getDialectNamespace()))
          return warnOfHost("dialects");
        fa::registerAllDialects(*registry);
      }};
}

FA_EXPORT mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "FA", FA_VERSION_STRING, [] {
            if (mlir::PassInfo::lookup("fa-decompose"))
              return warnOfHost("passes");
            fa::registerAllPasses();
          }};
}
