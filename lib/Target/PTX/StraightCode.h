//===- StraightCode.h - the back end without passes that find nothing -----===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TARGET_PTX_STRAIGHTCODE_H
#define FA_LIB_TARGET_PTX_STRAIGHTCODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LegacyPassManager.h"

namespace fa {

/// Takes a target machine's passes and leaves out strength reduction and
/// reassociation of straight code, which our kernels do not need: their
/// addresses are a base and a constant, and they went through CSE. Global value
/// numbering gives way to CSE. These passes were a third of all compile time.
/// None of them is there for correctness.
class StraightCodePasses : public llvm::legacy::PassManagerBase {
public:
  explicit StraightCodePasses(llvm::legacy::PassManagerBase &passes)
      : passes(passes) {}

  void add(llvm::Pass *pass) override;

private:
  bool isNeeded(llvm::StringRef name);

  llvm::legacy::PassManagerBase &passes;
  bool sawGVN = false;
};

} // namespace fa

#endif // FA_LIB_TARGET_PTX_STRAIGHTCODE_H
