//===- plugin.cpp - FA for any mlir-opt of the same MLIR ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#define FA_EXPORT extern "C" __attribute__((visibility("default")))

FA_EXPORT mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "FA", FA_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            fa::registerAllDialects(*registry);
          }};
}

FA_EXPORT mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "FA", FA_VERSION_STRING,
          [] { fa::registerAllPasses(); }};
}
