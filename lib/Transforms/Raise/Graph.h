//===- Graph.h - what one element of a tensor is, as scalar expressions ---===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_RAISE_GRAPH_H
#define FA_LIB_TRANSFORMS_RAISE_GRAPH_H

#include "Index.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace fa::raise {

enum class Kind {
  Constant, ///< `attr`
  Integer,  ///< `index`: an integer that is linear in atoms, of 32 bits or more
  Load,     ///< element `indices` of `source`; without indices also a scalar
  Gather,   ///< element of `source` at the positions `operands`
  Apply,    ///< the scalar op `name` with `attr` on `operands`
  Compare,  ///< `index` `predicate` 0, exact integers
  Reduce    ///< `combine` of operands[0] over `atoms`, which are bound
};

enum class Combine { Sum, Max, Min, And, Or, Product };

/// An expression, unique among equal ones: equality is pointer equality. Bound
/// atoms are numbered by nesting, so this holds up to their renaming.
struct Node {
  unsigned id = 0;
  Kind kind = Kind::Constant;
  /// Null: a real number, whatever the program rounds it to (see `asReal`).
  mlir::Type type;
  mlir::Attribute attr;
  std::optional<mlir::OperationName> name;
  mlir::Value source;
  std::vector<const Node *> operands;
  std::vector<Linear> indices;
  Linear index;
  mlir::arith::CmpIPredicate predicate = mlir::arith::CmpIPredicate::eq;
  Combine combine = Combine::Sum;
  /// True for a sum of products that the program computes in one op.
  bool isContraction = false;
  std::vector<unsigned> atoms;
  /// Depth of bound atoms in here.
  unsigned level = 0;

  bool isApply(llvm::StringRef op) const {
    return kind == Kind::Apply && name->getStringRef() == op;
  }
  template <typename Op> bool is() const {
    return isApply(Op::getOperationName());
  }
};
using NodeRef = const Node *;

/// Makes nodes, unique and folded, and knows atoms and symbols.
class Graph {
public:
  explicit Graph(mlir::MLIRContext *context) : context(context) {}

  //===--- Symbols --------------------------------------------------------===//
  /// The symbol of dimension `dim` of `value`, or of an integer scalar (dim
  /// -1).
  Poly symbolFor(mlir::Value value, int64_t dim);
  /// States that what this symbol stands for is the size of something.
  void markAsSize(unsigned id) { symbols[id].nonNegative = true; }
  /// States that two sizes are equal.
  void equate(const Poly &a, const Poly &b);
  Poly canonical(const Poly &poly) const;
  struct Symbol {
    mlir::Value value;
    int64_t dim;
    std::optional<Poly> replacement;
    bool nonNegative;
  };
  const Symbol &symbol(unsigned id) const { return symbols[id]; }
  size_t numSymbols() const { return symbols.size(); }
  /// True if the polynomial is >= 0 for any sizes (extents are >= 0).
  bool isNonNegative(const Poly &poly) const;

  //===--- Atoms ----------------------------------------------------------===//
  unsigned newAtom(const Poly &size);
  const Poly &sizeOf(unsigned atom) const { return atomSizes[atom]; }
  /// Bounds of an expression over the ranges of its atoms.
  Poly lowerBound(const Linear &index) const;
  Poly upperBound(const Linear &index) const;

  //===--- Nodes ----------------------------------------------------------===//
  NodeRef constant(mlir::Attribute attr, mlir::Type type);
  NodeRef real(double value);
  NodeRef boolean(bool value);
  NodeRef integer(const Linear &index, mlir::Type type);
  NodeRef load(mlir::Value source, llvm::ArrayRef<Linear> indices,
               mlir::Type type);
  NodeRef gather(mlir::Value source, llvm::ArrayRef<NodeRef> indices,
                 mlir::Type type);
  NodeRef apply(mlir::OperationName name, mlir::Attribute attributes,
                llvm::ArrayRef<NodeRef> operands, mlir::Type type);
  template <typename Op>
  NodeRef apply(llvm::ArrayRef<NodeRef> operands, mlir::Type type) {
    return apply(mlir::OperationName(Op::getOperationName(), context), {},
                 operands, type);
  }
  NodeRef compare(mlir::arith::CmpIPredicate predicate, const Linear &index);
  NodeRef negate(NodeRef condition);
  NodeRef reduce(Combine combine, NodeRef body, llvm::ArrayRef<unsigned> atoms,
                 bool isContraction);

  /// `node` with atoms replaced.
  NodeRef substitute(NodeRef node,
                     const std::map<unsigned, Linear> &replacements);
  /// The same expression over real numbers: rounding to a float type and back
  /// is gone, and what a rewrite of real numbers makes simpler is simpler.
  NodeRef asReal(NodeRef node);
  /// The first node that became `node` in `asReal`.
  NodeRef originalOf(NodeRef node) const { return originals.lookup(node); }
  /// An op on real numbers, simplified.
  template <typename Op> NodeRef realApply(llvm::ArrayRef<NodeRef> operands) {
    return simplifyReal(apply<Op>(operands, mlir::Type()));
  }

  /// The body of a reduction as it was read, and its loops there.
  struct Opened {
    NodeRef body;
    std::vector<unsigned> atoms;
  };
  const Opened &open(NodeRef reduction) const {
    return openings.find(reduction)->second;
  }

  /// True if the value depends on the atom.
  bool dependsOn(NodeRef node, unsigned atom);
  /// Atoms that a node depends on, ascending.
  const std::vector<unsigned> &atomsOf(NodeRef node);

  mlir::MLIRContext *getContext() const { return context; }
  void clearNodes();

private:
  NodeRef intern(Node node);
  NodeRef foldApply(const Node &node);
  NodeRef foldInteger(const Node &node);
  NodeRef foldLogic(const Node &node);
  NodeRef foldFloat(const Node &node);
  NodeRef simplifyReal(NodeRef node);
  NodeRef rebuild(NodeRef node, llvm::ArrayRef<NodeRef> operands,
                  mlir::Type type);
  NodeRef substituteIn(NodeRef node, const std::map<unsigned, Linear> &by,
                       llvm::DenseMap<NodeRef, NodeRef> &memo);

  mlir::MLIRContext *context;
  std::vector<Symbol> symbols;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> symbolIds;
  std::vector<Poly> atomSizes;
  std::map<std::tuple<unsigned, unsigned, Poly>, unsigned> boundAtoms;
  std::deque<Node> nodes;
  std::map<std::vector<uint64_t>, NodeRef> unique;
  llvm::DenseMap<NodeRef, NodeRef> reals, originals;
  llvm::DenseMap<NodeRef, std::vector<unsigned>> freeAtoms;
  llvm::DenseMap<NodeRef, Opened> openings;
};

/// The value of a float constant.
std::optional<double> constantOf(NodeRef node);
/// The value of an i1 constant.
std::optional<bool> booleanOf(NodeRef node);
inline bool isMinusInfinity(NodeRef node) {
  auto value = constantOf(node);
  return value && *value == -std::numeric_limits<double>::infinity();
}
inline bool isFloatConstant(NodeRef node, double expected) {
  auto value = constantOf(node);
  return value && *value == expected;
}

} // namespace fa::raise

#endif // FA_LIB_TRANSFORMS_RAISE_GRAPH_H
