#pragma once

// Wraps a truncated Taylor series as a number: operators call the kernels of taylor.hpp.
//
// All numbers of a thread share one order while a SeriesOrder lives, so templates need not carry
// it. Coefficients above the order are not computed and have no meaning.

#include <array>
#include <cstddef>

#include <saltus/core/error.hpp>
#include <saltus/numerics/taylor.hpp>

namespace saltus {

/// Sets the order of all series of this thread, and restores the previous one when destroyed.
class SeriesOrder {
 public:
  static constexpr int max = 20;

  explicit SeriesOrder(int order) : before_(current_) {
    SALTUS_ASSERT(order >= 0 && order <= max);
    current_ = order;
  }
  ~SeriesOrder() { current_ = before_; }
  SeriesOrder(const SeriesOrder&) = delete;
  SeriesOrder& operator=(const SeriesOrder&) = delete;

  static int current() { return current_; }

 private:
  static constinit inline thread_local int current_ = 0;
  int before_;
};

template <class T>
struct TaylorNumber {
  std::array<T, static_cast<std::size_t>(SeriesOrder::max) + 1> c;

  TaylorNumber() : TaylorNumber(0.0) {}
  TaylorNumber(double value) { taylor::constant(c.data(), T(value), SeriesOrder::current()); }

  /// Returns a number whose coefficients kernel(r, K, scratch) writes.
  template <class Kernel>
  static TaylorNumber made_by(const Kernel& kernel) {
    TaylorNumber r(Blank{});
    std::array<T, static_cast<std::size_t>(taylor::scratch_size(SeriesOrder::max))> scratch;
    kernel(r.c.data(), SeriesOrder::current(), scratch.data());
    return r;
  }

  friend TaylorNumber operator-(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T*) { taylor::neg(r, a.c.data(), K); });
  }
  friend TaylorNumber operator+(const TaylorNumber& a, const TaylorNumber& b) {
    return made_by([&](T* r, int K, T*) { taylor::add(r, a.c.data(), b.c.data(), K); });
  }
  friend TaylorNumber operator-(const TaylorNumber& a, const TaylorNumber& b) {
    return made_by([&](T* r, int K, T*) { taylor::sub(r, a.c.data(), b.c.data(), K); });
  }
  friend TaylorNumber operator*(const TaylorNumber& a, const TaylorNumber& b) {
    return made_by([&](T* r, int K, T*) { taylor::mul(r, a.c.data(), b.c.data(), K); });
  }
  friend TaylorNumber operator/(const TaylorNumber& a, const TaylorNumber& b) {
    return made_by([&](T* r, int K, T*) { taylor::div(r, a.c.data(), b.c.data(), K); });
  }
  friend TaylorNumber sqr(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T*) { taylor::sqr(r, a.c.data(), K); });
  }
  friend TaylorNumber sqrt(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T*) { taylor::sqrt(r, a.c.data(), K); });
  }
  friend TaylorNumber exp(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T*) { taylor::exp(r, a.c.data(), K); });
  }
  friend TaylorNumber log(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T*) { taylor::log(r, a.c.data(), K); });
  }
  friend TaylorNumber sin(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T* other) { taylor::sin_cos(r, other, a.c.data(), K); });
  }
  friend TaylorNumber cos(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T* other) { taylor::sin_cos(other, r, a.c.data(), K); });
  }
  friend TaylorNumber sinh(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T* other) { taylor::sinh_cosh(r, other, a.c.data(), K); });
  }
  friend TaylorNumber cosh(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T* other) { taylor::sinh_cosh(other, r, a.c.data(), K); });
  }
  friend TaylorNumber tan(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T* scratch) { taylor::tan(r, a.c.data(), K, scratch); });
  }
  friend TaylorNumber tanh(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T* scratch) { taylor::tanh(r, a.c.data(), K, scratch); });
  }
  friend TaylorNumber asin(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T* scratch) { taylor::asin(r, a.c.data(), K, scratch); });
  }
  friend TaylorNumber acos(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T* scratch) { taylor::acos(r, a.c.data(), K, scratch); });
  }
  friend TaylorNumber atan(const TaylorNumber& a) {
    return made_by([&](T* r, int K, T* scratch) { taylor::atan(r, a.c.data(), K, scratch); });
  }
  friend TaylorNumber atan2(const TaylorNumber& y, const TaylorNumber& x) {
    return made_by(
        [&](T* r, int K, T* scratch) { taylor::atan2(r, y.c.data(), x.c.data(), K, scratch); });
  }
  friend TaylorNumber pow(const TaylorNumber& a, const TaylorNumber& b) {
    return made_by(
        [&](T* r, int K, T* scratch) { taylor::pow(r, a.c.data(), b.c.data(), K, scratch); });
  }

 private:
  struct Blank {};
  explicit TaylorNumber(Blank) {}
};

}  // namespace saltus
