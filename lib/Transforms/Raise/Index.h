//===- Index.h - exact integer expressions for raising --------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_RAISE_INDEX_H
#define FA_LIB_TRANSFORMS_RAISE_INDEX_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace fa::raise {

/// A polynomial with integer coefficients over symbols: extents of dynamic
/// dimensions and scalars that are only known at run time.
class Poly {
public:
  /// Symbols of a monomial, ascending, with repetition.
  using Monomial = std::vector<unsigned>;

  Poly() = default;
  Poly(int64_t constant) {
    if (constant)
      terms[{}] = constant;
  }
  static Poly symbol(unsigned id) {
    Poly p;
    p.terms[{id}] = 1;
    return p;
  }

  bool isConstant() const {
    return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty());
  }
  std::optional<int64_t> constant() const;
  bool isZero() const { return terms.empty(); }
  /// The single symbol that this polynomial is, if it is one.
  std::optional<unsigned> asSymbol() const;
  bool mentions(unsigned symbol) const;

  Poly operator+(const Poly &other) const;
  Poly operator-(const Poly &other) const;
  Poly operator*(const Poly &other) const;
  bool operator==(const Poly &other) const { return terms == other.terms; }
  bool operator!=(const Poly &other) const { return terms != other.terms; }
  bool operator<(const Poly &other) const { return terms < other.terms; }

  /// The exact quotient, where there is one. Only by a single term.
  std::optional<Poly> dividedBy(const Poly &divisor) const;
  /// Replaces symbols.
  Poly replaced(llvm::function_ref<Poly(unsigned)> replacement) const;

  const std::map<Monomial, int64_t> &getTerms() const { return terms; }

private:
  void add(const Monomial &monomial, int64_t coefficient);
  std::map<Monomial, int64_t> terms;
};

/// A sum of atoms times polynomials, plus a polynomial. An atom is one
/// canonical loop of the program that is being matched; it runs from 0 to its
/// extent.
struct Linear {
  std::map<unsigned, Poly> terms;
  Poly constant;

  Linear() = default;
  Linear(Poly constant) : constant(std::move(constant)) {}
  static Linear atom(unsigned id) {
    Linear l;
    l.terms[id] = 1;
    return l;
  }
  bool isConstant() const { return terms.empty(); }
  std::optional<int64_t> constantValue() const {
    return isConstant() ? constant.constant() : std::nullopt;
  }
  /// The atom that this expression is, if it is just one.
  std::optional<unsigned> asAtom() const;

  void add(unsigned atom, const Poly &coefficient);
  Linear operator+(const Linear &other) const;
  Linear operator-(const Linear &other) const;
  Linear operator*(const Poly &factor) const;
  bool operator==(const Linear &other) const {
    return terms == other.terms && constant == other.constant;
  }
  bool operator<(const Linear &other) const {
    return std::tie(terms, constant) < std::tie(other.terms, other.constant);
  }
};

} // namespace fa::raise

#endif // FA_LIB_TRANSFORMS_RAISE_INDEX_H
