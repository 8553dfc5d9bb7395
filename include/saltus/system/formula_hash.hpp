// Identifies a formula without its value: two formulas with the same hash are the same sequence of
// operations on the same inputs and constants.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace saltus {

/// A number of this type has no value. Template code over its numbers runs with it to find which
/// formulas it evaluates (template_system.hpp).
class FormulaHash {
 public:
  FormulaHash() : FormulaHash(0.0) {}
  FormulaHash(double constant);
  /// Returns an input; the number distinguishes inputs.
  static FormulaHash input(std::uint64_t number) { return FormulaHash(Raw{}, mix(1, number, 0)); }

  std::uint64_t hash() const { return hash_; }

  static FormulaHash applied(std::string_view function, FormulaHash a);
  static FormulaHash applied(std::string_view function, FormulaHash a, FormulaHash b);
  /// `symbol` is one of + - * /.
  static FormulaHash joined(char symbol, FormulaHash a, FormulaHash b);

  friend FormulaHash operator-(FormulaHash a) { return applied("-", a); }
  friend FormulaHash operator+(FormulaHash a, FormulaHash b) { return joined('+', a, b); }
  friend FormulaHash operator-(FormulaHash a, FormulaHash b) { return joined('-', a, b); }
  friend FormulaHash operator*(FormulaHash a, FormulaHash b) { return joined('*', a, b); }
  friend FormulaHash operator/(FormulaHash a, FormulaHash b) { return joined('/', a, b); }
  friend FormulaHash sqr(FormulaHash a) { return applied("sqr", a); }
  friend FormulaHash sqrt(FormulaHash a) { return applied("sqrt", a); }
  friend FormulaHash exp(FormulaHash a) { return applied("exp", a); }
  friend FormulaHash log(FormulaHash a) { return applied("log", a); }
  friend FormulaHash sin(FormulaHash a) { return applied("sin", a); }
  friend FormulaHash cos(FormulaHash a) { return applied("cos", a); }
  friend FormulaHash tan(FormulaHash a) { return applied("tan", a); }
  friend FormulaHash asin(FormulaHash a) { return applied("asin", a); }
  friend FormulaHash acos(FormulaHash a) { return applied("acos", a); }
  friend FormulaHash atan(FormulaHash a) { return applied("atan", a); }
  friend FormulaHash sinh(FormulaHash a) { return applied("sinh", a); }
  friend FormulaHash cosh(FormulaHash a) { return applied("cosh", a); }
  friend FormulaHash tanh(FormulaHash a) { return applied("tanh", a); }
  friend FormulaHash atan2(FormulaHash y, FormulaHash x) { return applied("atan2", y, x); }
  friend FormulaHash pow(FormulaHash a, FormulaHash b) { return applied("pow", a, b); }

  /// Returns a number that depends on all three, and on their order.
  static constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return scrambled(scrambled(scrambled(a) + b) + c);
  }

 private:
  struct Raw {};
  FormulaHash(Raw, std::uint64_t hash) : hash_(hash) {}

  // The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection that
  // changes half of the bits when one changes.
  static constexpr std::uint64_t scrambled(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::uint64_t hash_ = 0;
};

}  // namespace saltus
