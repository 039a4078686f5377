//===- StraightCode.cpp - the back end without passes that find nothing ---===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StraightCode.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include <utility>

using namespace fa;

bool StraightCodePasses::isNeeded(llvm::StringRef name) {
  // The second one also finds what the first one would.
  if (name == "gvn")
    return std::exchange(sawGVN, true);
  return name != "slsr" && name != "nary-reassociate";
}

void StraightCodePasses::add(llvm::Pass *pass) {
  const llvm::PassInfo *info =
      llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
  if (!info || isNeeded(info->getPassArgument()))
    passes.add(pass);
  else
    delete pass;
}
