//===- consumer.cpp - a program that finds FA as a CMake package ----------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

static constexpr const char *kText = R"(
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x4xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
    outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
})";

int main() {
  mlir::DialectRegistry registry;
  registry.insert<fa::FADialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kText, &context);
  if (!module)
    return 1;
  mlir::PassManager passes(&context);
  passes.addPass(fa::createFADecompose());
  if (mlir::failed(passes.run(*module)))
    return 1;
  bool left = false;
  module->walk([&](fa::AttentionOp) { left = true; });
  llvm::outs() << (left ? "attention is left\n" : "decomposed\n");
  return left;
}
