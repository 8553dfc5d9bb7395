// Defines the number type with which a user's template runs: arithmetic of the underlying type, and
// comparisons that are recorded or replayed.
//
// It behaves like double in an expression. Functions are found by argument-dependent lookup: write
// sqrt(x) after `using std::sqrt;`, not std::sqrt(x). There is no conversion back to double, no ==,
// and no function that jumps by itself (floor, round): a system could not be frozen across them.
#pragma once

#include <cmath>
#include <numbers>
#include <source_location>
#include <type_traits>

#include <saltus/numerics/dual.hpp>
#include <saltus/numerics/interval.hpp>
#include <saltus/numerics/scalar.hpp>
#include <saltus/numerics/taylor_number.hpp>
#include <saltus/system/formula_hash.hpp>
#include <saltus/system/tracking.hpp>

namespace saltus {

template <class V>
class Tracked {
 public:
  using Place = std::source_location;

  Tracked() : value_(0.0) {}
  template <class A>
  requires std::is_arithmetic_v<A> Tracked(A number) : value_(static_cast<double>(number)) {}
  static Tracked of(const V& value) { return Tracked(Raw{}, value); }
  const V& value() const { return value_; }

  Tracked& operator+=(const Tracked& b) { return *this = *this + b; }
  Tracked& operator-=(const Tracked& b) { return *this = *this - b; }
  Tracked& operator*=(const Tracked& b) { return *this = *this * b; }
  Tracked& operator/=(const Tracked& b) { return *this = *this / b; }

  friend Tracked operator+(const Tracked& a) { return a; }
  friend Tracked operator-(const Tracked& a) { return of(-a.value_); }
  friend Tracked operator+(const Tracked& a, const Tracked& b) { return of(a.value_ + b.value_); }
  friend Tracked operator-(const Tracked& a, const Tracked& b) { return of(a.value_ - b.value_); }
  friend Tracked operator*(const Tracked& a, const Tracked& b) { return of(a.value_ * b.value_); }
  friend Tracked operator/(const Tracked& a, const Tracked& b) { return of(a.value_ / b.value_); }

  // ---- comparisons ------------------------------------------------------------------------------

  /// An operand that knows where in the code it was compared.
  class Operand {
   public:
    Operand(const Tracked& a, Place where = Place::current()) : value(a.value_), place(where) {}
    template <class A>
    requires std::is_arithmetic_v<A> Operand(A a, Place where = Place::current())
        : value(static_cast<double>(a)), place(where) {}
    V value;
    Place place;
  };

  friend bool operator<(const Operand& a, const Operand& b) {
    return compare(detail::ComparedBy::less, a.value, b.value, b.place);
  }
  friend bool operator<=(const Operand& a, const Operand& b) {
    return compare(detail::ComparedBy::less_equal, a.value, b.value, b.place);
  }
  friend bool operator>(const Operand& a, const Operand& b) {
    return compare(detail::ComparedBy::greater, a.value, b.value, b.place);
  }
  friend bool operator>=(const Operand& a, const Operand& b) {
    return compare(detail::ComparedBy::greater_equal, a.value, b.value, b.place);
  }
  /// Equality has no side to lock.
  friend bool operator==(const Operand&, const Operand&) = delete;
  friend bool operator!=(const Operand&, const Operand&) = delete;

  friend Tracked abs(const Tracked& a, Place where = Place::current()) {
    return compare(detail::ComparedBy::abs, a.value_, V(0.0), where) ? a : -a;
  }
  friend Tracked fabs(const Tracked& a, Place where = Place::current()) { return abs(a, where); }
  /// Returns +1 or -1.
  friend Tracked sign(const Tracked& a, Place where = Place::current()) {
    return compare(detail::ComparedBy::sign, a.value_, V(0.0), where) ? 1.0 : -1.0;
  }
  friend Tracked min(const Tracked& a, const Tracked& b, Place where = Place::current()) {
    return compare(detail::ComparedBy::min, a.value_, b.value_, where) ? a : b;
  }
  friend Tracked max(const Tracked& a, const Tracked& b, Place where = Place::current()) {
    return compare(detail::ComparedBy::max, a.value_, b.value_, where) ? a : b;
  }
  friend Tracked fmin(const Tracked& a, const Tracked& b, Place where = Place::current()) {
    return min(a, b, where);
  }
  friend Tracked fmax(const Tracked& a, const Tracked& b, Place where = Place::current()) {
    return max(a, b, where);
  }

  // ---- functions --------------------------------------------------------------------------------

  friend Tracked sqr(const Tracked& a) {
    using saltus::sqr;
    return of(sqr(a.value_));
  }
  friend Tracked sqrt(const Tracked& a) {
    using std::sqrt;
    return of(sqrt(a.value_));
  }
  friend Tracked exp(const Tracked& a) {
    using std::exp;
    return of(exp(a.value_));
  }
  friend Tracked log(const Tracked& a) {
    using std::log;
    return of(log(a.value_));
  }
  friend Tracked log10(const Tracked& a) { return log(a) / std::numbers::ln10; }
  friend Tracked log2(const Tracked& a) { return log(a) / std::numbers::ln2; }
  friend Tracked sin(const Tracked& a) {
    using std::sin;
    return of(sin(a.value_));
  }
  friend Tracked cos(const Tracked& a) {
    using std::cos;
    return of(cos(a.value_));
  }
  friend Tracked tan(const Tracked& a) {
    using std::tan;
    return of(tan(a.value_));
  }
  friend Tracked asin(const Tracked& a) {
    using std::asin;
    return of(asin(a.value_));
  }
  friend Tracked acos(const Tracked& a) {
    using std::acos;
    return of(acos(a.value_));
  }
  friend Tracked atan(const Tracked& a) {
    using std::atan;
    return of(atan(a.value_));
  }
  friend Tracked sinh(const Tracked& a) {
    using std::sinh;
    return of(sinh(a.value_));
  }
  friend Tracked cosh(const Tracked& a) {
    using std::cosh;
    return of(cosh(a.value_));
  }
  friend Tracked tanh(const Tracked& a) {
    using std::tanh;
    return of(tanh(a.value_));
  }
  friend Tracked atan2(const Tracked& y, const Tracked& x) {
    using std::atan2;
    return of(atan2(y.value_, x.value_));
  }
  friend Tracked pow(const Tracked& a, const Tracked& b) {
    using std::pow;
    return of(pow(a.value_, b.value_));
  }
  friend Tracked hypot(const Tracked& a, const Tracked& b) { return sqrt(sqr(a) + sqr(b)); }

 private:
  struct Raw {};
  Tracked(Raw, const V& value) : value_(value) {}

  static bool compare(detail::ComparedBy by, const V& a, const V& b, const Place& where) {
    const detail::ComparisonPlace place(by, where);
    detail::ComparisonReplay* replay = detail::ComparisonReplay::current();
    if (replay == nullptr) detail::refuse_comparison(place);
    const std::uint32_t number = replay->meet(place);
    if constexpr (std::is_same_v<V, double>) {
      if (replay->decides(number)) replay->decide(number, a - b);
    }
    if (replay->values() != nullptr) static_cast<V*>(replay->values())[number] = a - b;
    if constexpr (std::is_same_v<V, FormulaHash>) {
      if (replay->texts != nullptr) {
        detail::note_texts(*replay->texts, number, a.hash(), b.hash());
      }
    }
    return replay->truth(number);
  }

  V value_;
};

}  // namespace saltus
