//===- StraightCode.cpp - the back end without passes that find nothing ---===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StraightCode.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Transforms/Scalar.h"
#include <utility>

using namespace fa;

/// What takes the place of the pass, or null if it is as it should be.
static llvm::Pass *createCheaper(llvm::StringRef name) {
  // Blocks are long, values are defined before loops: what is equal is so in a
  // block that dominates.
  return name == "gvn" ? llvm::createEarlyCSEPass() : nullptr;
}

bool StraightCodePasses::isNeeded(llvm::StringRef name) {
  // The second one also finds what the first one would.
  if (name == "gvn")
    return std::exchange(sawGVN, true);
  return name != "slsr" && name != "nary-reassociate";
}

void StraightCodePasses::add(llvm::Pass *pass) {
  const llvm::PassInfo *info =
      llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
  llvm::StringRef name = info ? info->getPassArgument() : "";
  if (!isNeeded(name)) {
    delete pass;
    return;
  }
  if (llvm::Pass *cheaper = createCheaper(name)) {
    delete pass;
    pass = cheaper;
  }
  passes.add(pass);
}
