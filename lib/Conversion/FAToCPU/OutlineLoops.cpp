//===- OutlineLoops.cpp - many loops as many functions --------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"
#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fa {
#define GEN_PASS_DEF_FAOUTLINELOOPS
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

struct OutlineLoopsPass : fa::impl::FAOutlineLoopsBase<OutlineLoopsPass> {
  using FAOutlineLoopsBase::FAOutlineLoopsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      SmallVector<scf::ForOp> loops;
      for (Block &block : function.getBody())
        llvm::append_range(loops, block.getOps<scf::ForOp>());
      if (int64_t(loops.size()) <= limit)
        continue;
      for (scf::ForOp loop : loops)
        if (canLeave(loop))
          moveOut(symbols, loop);
    }
  }

  /// Nothing that is for this function's frame.
  static bool canLeave(scf::ForOp loop) {
    return loop.getNumResults() == 0 &&
           llvm::all_of(Captures(loop, /*withOperands=*/true).values,
                        [](Value value) {
                          return value.getType().isIntOrIndexOrFloat() ||
                                 isa<MemRefType, VectorType>(value.getType());
                        });
  }

  static void moveOut(SymbolTable &symbols, scf::ForOp loop) {
    Captures captures(loop, /*withOperands=*/true);
    func::FuncOp function =
        outline(symbols, loop, "_loop", captures, /*types=*/{},
                [&](OpBuilder &b, IRMapping &mapping, ValueRange) {
                  b.clone(*loop, mapping);
                });
    OpBuilder b(loop);
    func::CallOp::create(b, loop.getLoc(), function, captures.values);
    loop.erase();
  }
};

} // namespace
