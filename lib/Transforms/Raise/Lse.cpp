//===- Lse.cpp - the log-sum-exp of raised scores -------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Raiser.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fa;
using namespace fa::raise;

/// Finds indices over the output's rows with which `value` is the log-sum-exp.
std::optional<std::vector<Linear>> Raiser::indicesOfLse(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getElementType() != computeType || type.getRank() > 4)
    return std::nullopt;
  NodeRef max =
      graph.realApply<arith::MulFOp>({softmax.max, graph.real(softmax.factor)});
  NodeRef expected = graph.realApply<arith::AddFOp>(
      {max, graph.realApply<math::LogOp>({softmax.sum})});

  std::vector<unsigned> rows;
  for (Dim dim : {B, H, G, M})
    if (!(unitQuery && dim == M))
      llvm::append_range(rows, roles.atoms[dim]);
  std::vector<std::vector<Linear>> choices = {{}};
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Poly extent = reader.sizeOf(value, dim);
    std::vector<std::vector<Linear>> longer;
    for (const auto &choice : choices) {
      auto extend = [&](Linear index) {
        longer.push_back(choice);
        longer.back().push_back(index);
      };
      if (extent == Poly(1))
        extend(Linear());
      for (unsigned atom : rows)
        if (graph.canonical(graph.sizeOf(atom)) == extent &&
            !llvm::is_contained(choice, Linear::atom(atom)))
          extend(Linear::atom(atom));
    }
    choices = std::move(longer);
  }
  for (const auto &choice : choices) {
    size_t used = llvm::count_if(
        choice, [](const Linear &index) { return !index.isConstant(); });
    if (used != rows.size())
      continue;
    NodeRef node = reader.read(value, choice);
    if (!node)
      return std::nullopt;
    if (graph.asReal(node) == expected)
      return choice;
  }
  return std::nullopt;
}

/// True if nothing but `except` needs the op.
static bool isDeadBut(Operation *op, Operation *except, unsigned depth = 0) {
  if (op == except)
    return true;
  if (depth > 8 || op->hasTrait<OpTrait::IsTerminator>() ||
      !isMemoryEffectFree(op))
    return false;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return isDeadBut(user, except, depth + 1);
  });
}

/// Looks for a log-sum-exp among what the users compute, such that nothing else
/// needs them.
bool Raiser::findLse(ArrayRef<Operation *> users) {
  llvm::SetVector<Operation *> work(users.begin(), users.end());
  constexpr size_t kMaxOps = 16;
  for (size_t i = 0; i < work.size() && i < kMaxOps; ++i) {
    Operation *op = work[i];
    if (op->getNumResults() != 1 ||
        op->getBlock() != out.getOwner()->getBlock())
      continue;
    if (auto indices = indicesOfLse(op->getResult(0))) {
      if (!llvm::all_of(users,
                        [&](Operation *user) { return isDeadBut(user, op); }))
        return false;
      // The attention stands where the output was.
      for (Operation *user : op->getUsers()) {
        Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
        if (here && here->isBeforeInBlock(out.getOwner()))
          return false;
      }
      lse = {cast<OpResult>(op->getResult(0)), *indices, {}, {}};
      return true;
    }
    for (Operation *user : op->getUsers())
      work.insert(user);
  }
  return false;
}
