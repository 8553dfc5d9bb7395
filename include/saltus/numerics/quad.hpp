#pragma once

// Computes in quadruple precision: IEEE binary128, 113 bits, epsilon 1.9e-34.
//
// Used for decisions that double cannot make (ranks at 1e-24) and as the reference of tests.
// Arithmetic is inline (compiler run time, correctly rounded). Elementary functions are in
// quad.cpp, the only file that uses libquadmath (errors of about an ulp; its manual states no
// bound).

#include <concepts>
#include <optional>
#include <string>

#include <saltus/numerics/scalar.hpp>

namespace saltus {

class Quad {
 public:
  __extension__ typedef __float128 Storage;

  constexpr Quad() = default;  // 0
  constexpr Quad(double x) : value_(x) {}
  template <std::integral I>
  constexpr Quad(I x) : value_(static_cast<Storage>(x)) {}
  static constexpr Quad from_storage(Storage x) {
    Quad q;
    q.value_ = x;
    return q;
  }
  // Reads decimal text; nullopt unless the whole text is a number.
  static std::optional<Quad> from_string(const std::string& text);
  // Returns the distance from 1 to the next larger value, 2^-112.
  static constexpr Quad epsilon() { return Quad(1.0 / (1LL << 56)) * Quad(1.0 / (1LL << 56)); }

  constexpr Storage storage() const { return value_; }
  constexpr explicit operator double() const { return static_cast<double>(value_); }

  constexpr Quad& operator+=(Quad b) { return value_ += b.value_, *this; }
  constexpr Quad& operator-=(Quad b) { return value_ -= b.value_, *this; }
  constexpr Quad& operator*=(Quad b) { return value_ *= b.value_, *this; }
  constexpr Quad& operator/=(Quad b) { return value_ /= b.value_, *this; }
  constexpr Quad operator+() const { return *this; }
  constexpr Quad operator-() const { return from_storage(-value_); }

  friend constexpr Quad operator+(Quad a, Quad b) { return a += b; }
  friend constexpr Quad operator-(Quad a, Quad b) { return a -= b; }
  friend constexpr Quad operator*(Quad a, Quad b) { return a *= b; }
  friend constexpr Quad operator/(Quad a, Quad b) { return a /= b; }

  friend constexpr bool operator==(Quad a, Quad b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Quad a, Quad b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Quad a, Quad b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(Quad a, Quad b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(Quad a, Quad b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(Quad a, Quad b) { return a.value_ >= b.value_; }

 private:
  Storage value_ = 0;
};

// Writes scientific notation with `digits` significant digits; 36 suffice to read the same value
// back.
std::string to_string(Quad x, int digits = 36);

inline constexpr Quad sqr(Quad x) { return x * x; }
// Follow the rule of std::min and std::max: the first operand on ties.
inline constexpr Quad min(Quad a, Quad b) { return b < a ? b : a; }
inline constexpr Quad max(Quad a, Quad b) { return a < b ? b : a; }

Quad abs(Quad x);
Quad sqrt(Quad x);
Quad exp(Quad x);
Quad log(Quad x);
Quad sin(Quad x);
Quad cos(Quad x);
Quad tan(Quad x);
Quad asin(Quad x);
Quad acos(Quad x);
Quad atan(Quad x);
Quad sinh(Quad x);
Quad cosh(Quad x);
Quad tanh(Quad x);
Quad pow(Quad x, Quad y);
Quad atan2(Quad y, Quad x);
bool isfinite(Quad x);
bool isnan(Quad x);

inline constexpr std::optional<int> exact_int(Quad x) {
  const double d = static_cast<double>(x);
  return Quad(d) == x ? exact_int(d) : std::nullopt;
}

}  // namespace saltus
