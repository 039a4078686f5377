//===- RaiseAttention.cpp - attention recognised by meaning ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A softmax is found by its sum of exponentials. From there the pass goes down
// to the contractions that the weights reach, and asks for each what one
// element of its result is (Reader). The answer, a scalar expression over
// canonical loops, is matched against attention (Raiser); the spelling of the
// program is gone by then.
//
//===----------------------------------------------------------------------===//

#include "Raiser.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fa {
#define GEN_PASS_DEF_FARAISEATTENTION
#include "fa/Transforms/Passes.h.inc"
} // namespace fa

using namespace mlir;
using namespace fa;
using namespace fa::raise;

namespace {

bool isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
             tensor::CastOp, tensor::ExtractSliceOp, tensor::ConcatOp>(op);
}

bool isElementwise(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() == 0 &&
         linalgOp.hasPureTensorSemantics();
}

bool hasExponential(Operation *op) {
  bool found = isa<math::ExpOp, math::Exp2Op>(op);
  op->walk([&](Operation *nested) {
    found |= isa<math::ExpOp, math::Exp2Op>(nested);
  });
  return found;
}

/// True if the body only moves, casts or selects.
bool onlyMoves(Operation *op) {
  if (isReshape(op))
    return true;
  if (!isElementwise(op))
    return false;
  return llvm::all_of(op->getRegion(0).front(), [](Operation &nested) {
    return isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp,
               arith::ConstantOp, linalg::YieldOp, linalg::IndexOp,
               tensor::ExtractOp, arith::CmpIOp>(nested);
  });
}

/// The op that makes the exponentials that `op` sums; null if it does not.
Operation *exponentialOf(Operation *op) {
  if (isa<linalg::SoftmaxOp>(op))
    return op;
  auto sum = dyn_cast<linalg::LinalgOp>(op);
  if (!sum || sum.getNumReductionLoops() == 0 ||
      !sum.hasPureTensorSemantics() || isContraction(sum))
    return nullptr;
  bool adds = llvm::any_of(op->getRegion(0).front(), [](Operation &nested) {
    return isa<arith::AddFOp>(nested);
  });
  if (!adds)
    return nullptr;
  if (hasExponential(op))
    return op;
  SmallVector<Value> work(sum.getDpsInputs());
  for (int steps = 0; !work.empty() && steps < 16; ++steps) {
    Operation *maker = work.pop_back_val().getDefiningOp();
    if (!maker)
      continue;
    if ((isElementwise(maker) ||
         OpTrait::hasElementwiseMappableTraits(maker)) &&
        hasExponential(maker))
      return maker;
    if (onlyMoves(maker))
      llvm::append_range(work, maker->getOperands());
  }
  return nullptr;
}

/// Contractions that the values reach, without passing through another one.
SmallVector<Operation *> contractionsAfter(ArrayRef<Operation *> start) {
  constexpr size_t kMaxOps = 256;
  SmallVector<Operation *> result;
  llvm::SetVector<Operation *> work(start.begin(), start.end());
  for (size_t i = 0; i < work.size() && i < kMaxOps; ++i)
    for (Operation *nested : work[i]->getUsers()) {
      // A body may read a tensor from outside.
      Operation *user = work[i]->getBlock()->findAncestorOpInBlock(*nested);
      if (!user)
        continue;
      auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
      if (linalgOp && isContraction(linalgOp)) {
        if (!llvm::is_contained(result, user))
          result.push_back(user);
      } else if (user->getNumResults() != 0 &&
                 (linalgOp || isReshape(user) ||
                  OpTrait::hasElementwiseMappableTraits(user))) {
        work.insert(user);
      }
    }
  return result;
}

/// The result of the contraction and what only casts, moves or normalises it,
/// the last one first.
SmallVector<OpResult> candidatesAfter(Operation *contraction) {
  SmallVector<OpResult> candidates = {contraction->getResult(0)};
  Value current = contraction->getResult(0);
  for (int steps = 0; steps < 12; ++steps) {
    Operation *next = nullptr;
    for (Operation *nested : current.getUsers()) {
      if (isa<tensor::DimOp>(nested))
        continue;
      Operation *user = contraction->getBlock()->findAncestorOpInBlock(*nested);
      if (!user || (next && next != user))
        return candidates;
      next = user;
    }
    if (!next || next->getNumResults() != 1 || next->getNumRegions() > 1 ||
        next->getBlock() != contraction->getBlock())
      break;
    bool reshapes = isReshape(next);
    bool maps =
        isElementwise(next) &&
        llvm::all_of(next->getRegion(0).front(), [](Operation &nested) {
          return isa<arith::ExtFOp, arith::TruncFOp, arith::DivFOp,
                     arith::MulFOp, arith::SelectOp, arith::CmpFOp,
                     linalg::YieldOp, linalg::IndexOp, tensor::ExtractOp,
                     arith::CmpIOp, arith::MaximumFOp, arith::ConstantOp>(
              nested);
        });
    if (!reshapes && !maps && !OpTrait::hasElementwiseMappableTraits(next))
      break;
    current = next->getResult(0);
    candidates.insert(candidates.begin(), cast<OpResult>(current));
  }
  return candidates;
}

struct RaiseAttention : public fa::impl::FARaiseAttentionBase<RaiseAttention> {
  using FARaiseAttentionBase::FARaiseAttentionBase;

  void runOnOperation() override {
    SmallVector<std::pair<Operation *, Operation *>> softmaxes;
    getOperation()->walk([&](Operation *op) {
      if (Operation *exponential = exponentialOf(op))
        softmaxes.push_back({op, exponential});
    });
    for (auto [sum, exponential] : softmaxes)
      if (!erased.contains(sum) && !erased.contains(exponential))
        raise(sum, exponential);
  }

private:
  void raise(Operation *sum, Operation *exponential) {
    auto contractions = contractionsAfter({exponential, sum});
    Reason reason;
    for (Operation *contraction : contractions) {
      Reason here;
      for (OpResult out : candidatesAfter(contraction)) {
        here = Reason();
        Raiser raiser(out, strict);
        if (raiser.run(here)) {
          eraseDead(raiser.getReplacedOps());
          return;
        }
      }
      reason(here.text);
    }
    if (contractions.empty())
      reason("its weights go into no contraction");
    InFlightDiagnostic remark =
        exponential->emitRemark("attention not raised: ") << reason.text;
    bool hasCalls =
        exponential->getParentOfType<func::FuncOp>()
            .walk([](func::CallOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (hasCalls)
      remark << " (nothing is seen through calls: --fa-inline-calls first)";
  }

  void eraseDead(ArrayRef<Operation *> ops) {
    llvm::SetVector<Operation *> work(ops.begin(), ops.end());
    bool changed = true;
    while (changed) {
      changed = false;
      llvm::SetVector<Operation *> alive;
      for (Operation *op : work) {
        if (!isOpTriviallyDead(op)) {
          alive.insert(op);
          continue;
        }
        for (Value operand : op->getOperands())
          if (Operation *maker = operand.getDefiningOp())
            alive.insert(maker);
        alive.remove(op);
        erased.insert(op);
        op->erase();
        changed = true;
      }
      alive.remove_if([&](Operation *op) { return erased.contains(op); });
      work = std::move(alive);
    }
  }

  llvm::DenseSet<Operation *> erased;
};

} // namespace
