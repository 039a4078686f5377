//===- OutlineTiles.cpp - the body of a tile program as a function --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"
#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fa {
#define GEN_PASS_DEF_FAOUTLINETILES
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;

namespace {

/// A nest of loops that calls the function.
void callInLoops(OpBuilder &b, scf::ForallOp forall, func::FuncOp function,
                 const Captures &captures) {
  Location loc = forall.getLoc();
  auto values = [&](ArrayRef<OpFoldResult> bounds) {
    return getValueOrCreateConstantIndexOp(b, loc, bounds);
  };
  SmallVector<Value> lower = values(forall.getMixedLowerBound()),
                     upper = values(forall.getMixedUpperBound()),
                     step = values(forall.getMixedStep());
  scf::buildLoopNest(b, loc, lower, upper, step,
                     [&](OpBuilder &b, Location loc, ValueRange positions) {
                       SmallVector<Value> operands(positions);
                       llvm::append_range(operands, captures.values);
                       func::CallOp::create(b, loc, function, operands);
                     });
}

struct OutlineTilesPass : fa::impl::FAOutlineTilesBase<OutlineTilesPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<scf::ForallOp> foralls;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForallOp op) {
      if (op.getNumResults() == 0 && op->getParentOfType<func::FuncOp>())
        foralls.push_back(op);
      return WalkResult::skip();
    });
    for (scf::ForallOp forall : foralls) {
      OpBuilder b(forall);
      Captures captures(forall, /*withOperands=*/false);
      SmallVector<Type> positions(forall.getRank(), b.getIndexType());
      func::FuncOp function =
          outline(symbols, forall, "_tile", captures, positions,
                  [&](OpBuilder &b, IRMapping &mapping, ValueRange at) {
                    mapping.map(forall.getInductionVars(), at);
                    for (Operation &op : forall.getBody()->without_terminator())
                      b.clone(op, mapping);
                  });
      callInLoops(b, forall, function, captures);
      forall.erase();
    }
  }
};

} // namespace
