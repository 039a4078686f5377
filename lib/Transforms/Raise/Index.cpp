//===- Index.cpp - exact integer expressions for raising ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Index.h"
#include <algorithm>

using namespace fa::raise;

std::optional<int64_t> Poly::constant() const {
  if (terms.empty())
    return 0;
  if (!isConstant())
    return std::nullopt;
  return terms.begin()->second;
}

std::optional<unsigned> Poly::asSymbol() const {
  if (terms.size() != 1 || terms.begin()->second != 1 ||
      terms.begin()->first.size() != 1)
    return std::nullopt;
  return terms.begin()->first.front();
}

bool Poly::mentions(unsigned symbol) const {
  for (const auto &[monomial, coefficient] : terms)
    if (std::find(monomial.begin(), monomial.end(), symbol) != monomial.end())
      return true;
  return false;
}

void Poly::add(const Monomial &monomial, int64_t coefficient) {
  int64_t &slot = terms[monomial];
  slot += coefficient;
  if (slot == 0)
    terms.erase(monomial);
}

Poly Poly::operator+(const Poly &other) const {
  Poly result = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    result.add(monomial, coefficient);
  return result;
}

Poly Poly::operator-(const Poly &other) const {
  Poly result = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    result.add(monomial, -coefficient);
  return result;
}

Poly Poly::operator*(const Poly &other) const {
  Poly result;
  for (const auto &[left, a] : terms)
    for (const auto &[right, b] : other.terms) {
      Monomial product(left.size() + right.size());
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 product.begin());
      result.add(product, a * b);
    }
  return result;
}

std::optional<Poly> Poly::dividedBy(const Poly &divisor) const {
  if (isZero())
    return divisor.isZero() ? std::nullopt : std::optional<Poly>(Poly());
  if (*this == divisor)
    return Poly(1);
  if (divisor.terms.size() != 1)
    return std::nullopt;
  const auto &[symbols, factor] = *divisor.terms.begin();
  Poly quotient;
  for (const auto &[monomial, coefficient] : terms) {
    if (coefficient % factor != 0 ||
        !std::includes(monomial.begin(), monomial.end(), symbols.begin(),
                       symbols.end()))
      return std::nullopt;
    Monomial rest;
    std::set_difference(monomial.begin(), monomial.end(), symbols.begin(),
                        symbols.end(), std::back_inserter(rest));
    quotient.add(rest, coefficient / factor);
  }
  return quotient;
}

Poly Poly::replaced(llvm::function_ref<Poly(unsigned)> replacement) const {
  Poly result;
  for (const auto &[monomial, coefficient] : terms) {
    Poly product(coefficient);
    for (unsigned symbol : monomial)
      product = product * replacement(symbol);
    result = result + product;
  }
  return result;
}

std::optional<unsigned> Linear::asAtom() const {
  if (terms.size() != 1 || !constant.isZero() ||
      terms.begin()->second != Poly(1))
    return std::nullopt;
  return terms.begin()->first;
}

void Linear::add(unsigned atom, const Poly &coefficient) {
  Poly sum = terms[atom] + coefficient;
  if (sum.isZero())
    terms.erase(atom);
  else
    terms[atom] = sum;
}

Linear Linear::operator+(const Linear &other) const {
  Linear result = *this;
  for (const auto &[atom, coefficient] : other.terms)
    result.add(atom, coefficient);
  result.constant = constant + other.constant;
  return result;
}

Linear Linear::operator-(const Linear &other) const {
  return *this + other * Poly(-1);
}

Linear Linear::operator*(const Poly &factor) const {
  Linear result(constant * factor);
  for (const auto &[atom, coefficient] : terms)
    result.add(atom, coefficient * factor);
  return result;
}
