//===- DescribeArguments.cpp - what arguments are to attention ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Once attention is lowered nobody knows that the second dimension of one
// argument and the third of another are both the keys. While it is there, its
// indexing maps say so: arguments that are operands of attention get names, and
// extents that must agree get one name. The launcher checks them before a
// kernel reads out of bounds.
//
//===----------------------------------------------------------------------===//

#include "WrittenArguments.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "fa/Target/Manifest/Manifest.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace {

/// The function argument that `value` is, whole.
BlockArgument getArgument(Value value, func::FuncOp function) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<bufferization::ToTensorOp, bufferization::ToBufferOp,
             tensor::CastOp, memref::CastOp>(op))
      return {};
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  return argument.getOwner() == &function.getBody().front() ? argument
                                                            : BlockArgument();
}

class Describer {
public:
  explicit Describer(func::FuncOp function)
      : function(function), names(function.getNumArguments()),
        isWritten(fa::findWrittenArguments(function)) {}

  void describe() {
    function.walk([&](fa::AttentionOp op) {
      addAttention(cast<fa::AttentionOpInterface>(op.getOperation()));
      addNames(op);
    });
    function.walk([&](fa::AttentionBackwardOp op) {
      addAttention(cast<fa::AttentionOpInterface>(op.getOperation()));
      addNames(op);
    });
    chooseExtentNames();
    for (BlockArgument argument : function.getArguments())
      setAttributes(argument.getArgNumber());
  }

private:
  /// A dimension of an argument.
  using Dim = std::pair<unsigned, unsigned>;

  void addAttention(fa::AttentionOpInterface op) {
    // One class of equal extents per dimension of the domain.
    SmallVector<std::optional<Dim>> known(7);
    for (OpOperand *operand : op.getMappedOperands())
      if (BlockArgument argument = getArgument(operand->get(), function))
        if (!op.isWholeCapture(*operand))
          addDims(argument, op.getMapOf(*operand), known);
    for (Value lengths : {op.getQueryLengths(), op.getKeyLengths()})
      if (lengths)
        if (BlockArgument argument = getArgument(lengths, function))
          unite({argument.getArgNumber(), 0}, 0, known);
  }

  void addDims(BlockArgument argument, AffineMap map,
               SmallVectorImpl<std::optional<Dim>> &known) {
    for (auto [i, result] : llvm::enumerate(map.getResults()))
      unite({argument.getArgNumber(), unsigned(i)},
            cast<AffineDimExpr>(result).getPosition(), known);
  }

  void unite(Dim dim, unsigned position,
             SmallVectorImpl<std::optional<Dim>> &known) {
    extents.insert(dim);
    letters.try_emplace(dim, "bhgmnde"[position]);
    if (known[position])
      extents.unionSets(*known[position], dim);
    else
      known[position] = dim;
  }

  void name(Value value, StringRef role) {
    BlockArgument argument = value ? getArgument(value, function) : nullptr;
    if (argument && names[argument.getArgNumber()].empty())
      names[argument.getArgNumber()] = role.str();
  }

  /// What both passes have.
  template <typename OpT> void addCommonNames(OpT op) {
    name(op.getQuery(), "query");
    name(op.getKey(), "key");
    name(op.getValue(), "value");
    name(op.getScale(), "scale");
    name(op.getBias(), "bias");
    name(op.getMask(), "mask");
    name(op.getAlibiSlopes(), "alibi_slopes");
    name(op.getSinks(), "sinks");
    name(op.getQueryLengths(), "query_lengths");
    name(op.getKeyLengths(), "key_lengths");
    name(op.getQueryOffsets(), "query_offsets");
    name(op.getKeyOffsets(), "key_offsets");
    name(op.getOut(), "out");
    name(op.getLse(), "lse");
  }

  void addNames(fa::AttentionOp op) { addCommonNames(op); }

  void addNames(fa::AttentionBackwardOp op) {
    addCommonNames(op);
    name(op.getDOut(), "d_out");
    name(op.getDLse(), "d_lse");
    SmallVector<StringRef> roles = {"d_query", "d_key", "d_value"};
    if (op.getBiasGradient())
      roles.push_back("d_bias");
    if (op.getSinksGradient())
      roles.push_back("d_sinks");
    for (auto [output, role] : llvm::zip(op.getOutputs(), roles))
      name(output, role);
  }

  int64_t getStaticSize(Dim dim) {
    auto type = cast<ShapedType>(function.getArgument(dim.first).getType());
    return type.getDimSize(dim.second);
  }

  /// One name per class, or its size if one member is static.
  void chooseExtentNames() {
    Builder b(function.getContext());
    llvm::StringMap<unsigned> used;
    for (auto &[dim, letter] : letters) {
      Dim leader = extents.getLeaderValue(dim);
      if (attributes.count(leader))
        continue;
      Attribute attribute;
      for (Dim member : extents.members(leader))
        if (int64_t size = getStaticSize(member); !ShapedType::isDynamic(size))
          attribute = b.getI64IntegerAttr(size);
      if (!attribute) {
        std::string text(1, letter);
        unsigned uses = used[text]++;
        attribute = b.getStringAttr(uses ? text + std::to_string(uses) : text);
      }
      attributes[leader] = attribute;
    }
  }

  void setAttributes(unsigned argument) {
    Builder b(function.getContext());
    if (!names[argument].empty())
      function.setArgAttr(argument, fa::argumentNameAttr,
                          b.getStringAttr(names[argument]));
    if (isWritten[argument])
      function.setArgAttr(argument, fa::argumentWrittenAttr, b.getUnitAttr());
    auto type = dyn_cast<ShapedType>(function.getArgument(argument).getType());
    if (!type || !type.hasRank())
      return;
    SmallVector<Attribute> list;
    bool isKnown = false;
    for (unsigned i = 0; i < type.getRank(); ++i) {
      Dim dim{argument, i};
      bool found = letters.count(dim);
      list.push_back(found ? attributes[extents.getLeaderValue(dim)]
                           : b.getStringAttr(""));
      isKnown |= found;
    }
    if (isKnown)
      function.setArgAttr(argument, fa::argumentExtentsAttr,
                          b.getArrayAttr(list));
  }

  func::FuncOp function;
  llvm::EquivalenceClasses<Dim> extents;
  /// The letter of each dimension, in order of appearance by argument.
  std::map<Dim, char> letters;
  std::map<Dim, Attribute> attributes;
  SmallVector<std::string> names;
  llvm::BitVector isWritten;
};

} // namespace

void fa::describeArguments(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      Describer(function).describe();
}
