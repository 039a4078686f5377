//===- fa-opt.cpp - mlir-opt with FA --------------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Target/PTX/PTX.h"
#include "fa/Target/PTX/Passes.h"
#include "fa/Transforms/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  registry.insert<fa::FADialect>();
  fa::registerFAPasses();
  fa::registerFAPTXPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "FA: an attention compiler\n", registry));
}
