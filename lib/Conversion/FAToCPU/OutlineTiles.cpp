//===- OutlineTiles.cpp - the body of a tile program as a function --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/FAToCPU/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fa {
#define GEN_PASS_DEF_FAOUTLINETILES
#include "fa/Conversion/FAToCPU/Passes.h.inc"
} // namespace fa

using namespace mlir;

namespace {

/// The values from outside that a body reads, constants apart.
struct Captures {
  SmallVector<Value> values;
  SmallVector<Operation *> constants;
};

Captures capturesOf(scf::ForallOp forall) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(forall.getRegion(), used);
  Captures captures;
  for (Value value : used) {
    Operation *definition = value.getDefiningOp();
    if (definition && definition->hasTrait<OpTrait::ConstantLike>())
      captures.constants.push_back(definition);
    else
      captures.values.push_back(value);
  }
  return captures;
}

/// A private function of the positions and captures with the forall's body.
func::FuncOp makeFunction(OpBuilder &b, SymbolTable &symbols,
                          scf::ForallOp forall, const Captures &captures) {
  auto parent = forall->getParentOfType<func::FuncOp>();
  SmallVector<Type> types(forall.getRank(), b.getIndexType());
  llvm::append_range(types, ValueRange(captures.values).getTypes());
  auto function =
      func::FuncOp::create(forall.getLoc(), (parent.getName() + "_tile").str(),
                           b.getFunctionType(types, {}));
  function.setPrivate();
  symbols.insert(function, Block::iterator(parent));

  Block *entry = function.addEntryBlock();
  IRMapping mapping;
  for (auto [position, argument] :
       llvm::zip(forall.getInductionVars(), entry->getArguments()))
    mapping.map(position, argument);
  for (auto [value, argument] : llvm::zip(
           captures.values, entry->getArguments().drop_front(forall.getRank())))
    mapping.map(value, argument);
  OpBuilder body = OpBuilder::atBlockBegin(entry);
  for (Operation *constant : captures.constants)
    body.clone(*constant, mapping);
  for (Operation &op : forall.getBody()->without_terminator())
    body.clone(op, mapping);
  func::ReturnOp::create(body, forall.getLoc());
  return function;
}

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
      Captures captures = capturesOf(forall);
      func::FuncOp function = makeFunction(b, symbols, forall, captures);
      callInLoops(b, forall, function, captures);
      forall.erase();
    }
  }
};

} // namespace
