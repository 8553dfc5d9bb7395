// The algebras programs run in. Private to expr.
//
// An algebra works on registers by pointer; a register is `stride()` values. Operations never see a
// destination that is also an operand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/numerics/taylor.hpp>

#include "image.hpp"

namespace saltus::detail {

// ---- truth values ------------------------------------------------------------------------------

/// Two-valued: double, Quad and series over them.
struct TwoValued {
  /// A lock as the user sets it, as a mode byte. A relation that was inactive counts as false: its
  /// branch is not taken, so its value does not matter, but it must be a value.
  static std::uint8_t from_lock(std::uint8_t lock) { return lock == lock_true ? 1 : 0; }
  static std::uint8_t negation(std::uint8_t m) { return m ^ 1U; }
  static std::uint8_t conjunction(std::uint8_t a, std::uint8_t b) { return a & b; }
  /// Whether the literal (a mode byte, possibly negated) cannot hold.
  static bool excluded(std::uint8_t m, bool negated) { return (m != 0) == negated; }
  template <class T>
  static std::uint8_t decide(const T& g, Test test) {
    const T zero(0.0);
    switch (test) {
      case Test::positive:
        return g > zero ? 1 : 0;
      case Test::non_negative:
        return g >= zero ? 1 : 0;
      case Test::zero:
        return g == zero ? 1 : 0;
    }
    return 0;
  }
};

/// Three-valued (Kleene): a relation over a box may be undecided.
struct ThreeValued {
  static std::uint8_t from_lock(std::uint8_t lock) {
    return lock <= lock_true ? lock : lock_undecided;
  }
  static std::uint8_t negation(std::uint8_t m) {
    return m == lock_undecided ? m : static_cast<std::uint8_t>(m ^ 1U);
  }
  static std::uint8_t conjunction(std::uint8_t a, std::uint8_t b) {
    if (a == 0 || b == 0) return 0;
    return a == 1 && b == 1 ? 1 : lock_undecided;
  }
  static bool excluded(std::uint8_t m, bool negated) {
    return m != lock_undecided && (m != 0) == negated;
  }
  static std::uint8_t decide(const Interval& g, Test test) {
    switch (test) {
      case Test::positive:
        if (g.certainly_positive()) return 1;
        return g.certainly_nonpositive() ? 0 : lock_undecided;
      case Test::non_negative:
        if (g.certainly_nonnegative()) return 1;
        return g.certainly_negative() ? 0 : lock_undecided;
      case Test::zero:
        if (g.lo() == 0 && g.hi() == 0) return 1;
        return g.contains(0.0) ? lock_undecided : 0;
    }
    return lock_undecided;
  }
};

/// One bit per instance.
struct Masked {
  static std::uint8_t from_lock(std::uint8_t lock) { return lock; }
  static std::uint8_t negation(std::uint8_t m) { return static_cast<std::uint8_t>(~m); }
  static std::uint8_t conjunction(std::uint8_t a, std::uint8_t b) { return a & b; }
  static bool excluded(std::uint8_t m, bool negated) { return m == (negated ? 0xFF : 0x00); }
  static std::uint8_t decide(const Batch& g, Test test) {
    unsigned m = 0;
    for (unsigned i = 0; i < Batch::lanes; ++i)
      m |= static_cast<unsigned>(TwoValued::decide(g.v[i], test)) << i;
    return static_cast<std::uint8_t>(m);
  }
};

template <class T>
using TruthOf = std::conditional_t<std::is_same_v<T, Interval>, ThreeValued,
                                   std::conditional_t<std::is_same_v<T, Batch>, Masked, TwoValued>>;

// ---- choices -----------------------------------------------------------------------------------

template <class T>
inline T choose(std::uint8_t m, const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Interval>) {
    if (m == lock_undecided) return hull(a, b);
    return m != 0 ? a : b;
  } else if constexpr (std::is_same_v<T, Batch>) {
    T r;
    for (unsigned i = 0; i < Batch::lanes; ++i) r.v[i] = ((m >> i) & 1U) != 0 ? a.v[i] : b.v[i];
    return r;
  } else {
    return m != 0 ? a : b;
  }
}

/// max(a, b) by lock is choose(m, a, b); over an undecided box the true range is tighter than the
/// hull of both arms.
template <class T>
inline T larger(std::uint8_t m, const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Interval>)
    if (m == lock_undecided) return max(a, b);
  return choose(m, a, b);
}
template <class T>
inline T smaller(std::uint8_t m, const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Interval>)
    if (m == lock_undecided) return min(a, b);
  return choose(m, b, a);
}
template <class T>
inline T magnitude(std::uint8_t m, const T& a) {
  if constexpr (std::is_same_v<T, Interval>)
    if (m == lock_undecided) return abs(a);
  return choose(m, a, -a);
}

// ---- scalars -----------------------------------------------------------------------------------

template <class T>
struct ScalarAlgebra : TruthOf<T> {
  using Value = T;
  using Truth = TruthOf<T>;
  static constexpr std::size_t fixed_stride = 1;

  explicit ScalarAlgebra(int) {}
  static constexpr std::size_t stride() { return 1; }

  static void constant(T* r, double c) { *r = T(c); }
  static void copy(T* r, const T* a) { *r = *a; }
  static void add(T* r, const T* a, const T* b) { *r = *a + *b; }
  static void sub(T* r, const T* a, const T* b) { *r = *a - *b; }
  static void mul(T* r, const T* a, const T* b) { *r = *a * *b; }
  static void div(T* r, const T* a, const T* b) { *r = *a / *b; }
  static void held_mul(T* r, const T* a, const T* b) { *r = *a * *b; }
  static void mul_add(T* r, const T* a, const T* b, const T* c) { *r = *a * *b + *c; }
  static void mul_sub(T* r, const T* a, const T* b, const T* c) { *r = *a * *b - *c; }
  static void sub_mul(T* r, const T* a, const T* b, const T* c) { *r = *c - *a * *b; }
  static void held_mul_add(T* r, const T* a, const T* b, const T* c) { *r = *a * *b + *c; }
  static void held_mul_sub(T* r, const T* a, const T* b, const T* c) { *r = *a * *b - *c; }
  static void held_sub_mul(T* r, const T* a, const T* b, const T* c) { *r = *c - *a * *b; }
  static void neg(T* r, const T* a) { *r = -*a; }
  static void sqr(T* r, const T* a) {
    using saltus::sqr;
    *r = sqr(*a);
  }
  static void powi(T* r, const T* a, std::int32_t n) {
    using saltus::powi;
    *r = powi(*a, n);
  }
  static void pow(T* r, const T* a, const T* b) {
    using std::pow;
    *r = pow(*a, *b);
  }
  static void atan2(T* r, const T* a, const T* b) {
    using std::atan2;
    *r = atan2(*a, *b);
  }
#define SALTUS_ELEMENTARY(f)        \
  static void f(T* r, const T* a) { \
    using std::f;                   \
    *r = f(*a);                     \
  }
  SALTUS_ELEMENTARY(sqrt)
  SALTUS_ELEMENTARY(exp)
  SALTUS_ELEMENTARY(log)
  SALTUS_ELEMENTARY(sin)
  SALTUS_ELEMENTARY(cos)
  SALTUS_ELEMENTARY(tan)
  SALTUS_ELEMENTARY(asin)
  SALTUS_ELEMENTARY(acos)
  SALTUS_ELEMENTARY(atan)
  SALTUS_ELEMENTARY(sinh)
  SALTUS_ELEMENTARY(cosh)
  SALTUS_ELEMENTARY(tanh)
#undef SALTUS_ELEMENTARY

  static void select(T* r, const T* a, const T* b, std::uint8_t m) { *r = choose(m, *a, *b); }
  static void abs(T* r, const T* a, std::uint8_t m) { *r = magnitude(m, *a); }
  static void sign(T* r, std::uint8_t m) { *r = choose(m, T(1.0), T(-1.0)); }
  static void min(T* r, const T* a, const T* b, std::uint8_t m) { *r = smaller(m, *a, *b); }
  static void max(T* r, const T* a, const T* b, std::uint8_t m) { *r = larger(m, *a, *b); }
  // By value: the relation is decided here and now.
  static void abs_by_value(T* r, const T* a) { abs(r, a, decide_positive(*a)); }
  static void sign_by_value(T* r, const T* a) { sign(r, decide_positive(*a)); }
  static void min_by_value(T* r, const T* a, const T* b) { min(r, a, b, decide_positive(*a - *b)); }
  static void max_by_value(T* r, const T* a, const T* b) { max(r, a, b, decide_positive(*a - *b)); }

  static std::uint8_t decide(const T* g, Test test) { return Truth::decide(*g, test); }

  static bool supports(const ExternalFunction& f) {
    if constexpr (std::is_same_v<T, Interval>) return f.encloses();
    return std::is_same_v<T, double> || std::is_same_v<T, Batch>;
  }
  static constexpr const char* missing_ability() {
    return std::is_same_v<T, Interval> ? "enclosures" : "extended precision";
  }
  /// Room for calls with up to n arguments or results.
  void prepare_calls(std::size_t n) {
    lane_in.resize(n);
    lane_out.resize(n);
  }
  void call(ExternalFunction::Instance& f, std::span<const T> in, std::span<T> out) {
    const double nan = std::nan("");
    if constexpr (std::is_same_v<T, Batch>) {
      for (int lane = 0; lane < Batch::lanes; ++lane) {
        for (std::size_t k = 0; k < in.size(); ++k) lane_in[k] = in[k][lane];
        const bool defined =
            f.evaluate(std::span(lane_in).first(in.size()), std::span(lane_out).first(out.size()));
        for (std::size_t k = 0; k < out.size(); ++k) out[k][lane] = defined ? lane_out[k] : nan;
      }
    } else if constexpr (std::is_same_v<T, double>) {
      if (!f.evaluate(in, out)) std::fill(out.begin(), out.end(), nan);
    } else if constexpr (std::is_same_v<T, Interval>) {
      if (!f.enclose(in, out)) std::fill(out.begin(), out.end(), Interval::entire());
    }
  }

 private:
  static std::uint8_t decide_positive(const T& g) { return Truth::decide(g, Test::positive); }
  std::vector<double> lane_in;
  std::vector<double> lane_out;
};

// ---- series ------------------------------------------------------------------------------------

template <class T>
struct TaylorAlgebra : TruthOf<T> {
  using Value = T;
  using Truth = TruthOf<T>;
  static constexpr std::size_t fixed_stride = 0;

  explicit TaylorAlgebra(int order)
      : k(order),
        scratch(static_cast<std::size_t>(taylor::scratch_size(order) + order + 1), T(0.0)),
        product(scratch.data() + taylor::scratch_size(order)) {}
  TaylorAlgebra(const TaylorAlgebra&) = delete;

  std::size_t stride() const { return static_cast<std::size_t>(k) + 1; }

  void constant(T* r, double c) const { taylor::constant(r, T(c), k); }
  void copy(T* r, const T* a) const { std::copy(a, a + stride(), r); }
  void add(T* r, const T* a, const T* b) const { taylor::add(r, a, b, k); }
  void sub(T* r, const T* a, const T* b) const { taylor::sub(r, a, b, k); }
  void mul(T* r, const T* a, const T* b) const { taylor::mul(r, a, b, k); }
  void div(T* r, const T* a, const T* b) const { taylor::div(r, a, b, k); }
  void held_mul(T* r, const T* a, const T* b) const { taylor::scale(r, b, *a, k); }
  void mul_add(T* r, const T* a, const T* b, const T* c) {
    mul(product, a, b);
    add(r, product, c);
  }
  void mul_sub(T* r, const T* a, const T* b, const T* c) {
    mul(product, a, b);
    sub(r, product, c);
  }
  void sub_mul(T* r, const T* a, const T* b, const T* c) {
    mul(product, a, b);
    sub(r, c, product);
  }
  void held_mul_add(T* r, const T* a, const T* b, const T* c) {
    held_mul(product, a, b);
    add(r, product, c);
  }
  void held_mul_sub(T* r, const T* a, const T* b, const T* c) {
    held_mul(product, a, b);
    sub(r, product, c);
  }
  void held_sub_mul(T* r, const T* a, const T* b, const T* c) {
    held_mul(product, a, b);
    sub(r, c, product);
  }
  void neg(T* r, const T* a) const { taylor::neg(r, a, k); }
  void sqr(T* r, const T* a) const { taylor::sqr(r, a, k); }
  void powi(T* r, const T* a, std::int32_t n) { taylor::powi(r, a, n, k, scratch.data()); }
  void pow(T* r, const T* a, const T* b) { taylor::pow(r, a, b, k, scratch.data()); }
  void atan2(T* r, const T* a, const T* b) { taylor::atan2(r, a, b, k, scratch.data()); }
  void sqrt(T* r, const T* a) const { taylor::sqrt(r, a, k); }
  void exp(T* r, const T* a) const { taylor::exp(r, a, k); }
  void log(T* r, const T* a) const { taylor::log(r, a, k); }
  void sin(T* r, const T* a) { taylor::sin_cos(r, product, a, k); }
  void cos(T* r, const T* a) { taylor::sin_cos(product, r, a, k); }
  void tan(T* r, const T* a) { taylor::tan(r, a, k, scratch.data()); }
  void asin(T* r, const T* a) { taylor::asin(r, a, k, scratch.data()); }
  void acos(T* r, const T* a) { taylor::acos(r, a, k, scratch.data()); }
  void atan(T* r, const T* a) { taylor::atan(r, a, k, scratch.data()); }
  void sinh(T* r, const T* a) { taylor::sinh_cosh(r, product, a, k); }
  void cosh(T* r, const T* a) { taylor::sinh_cosh(product, r, a, k); }
  void tanh(T* r, const T* a) { taylor::tanh(r, a, k, scratch.data()); }

  // A branch that is not certain has no Taylor expansion over the box: the value is the hull of
  // both, nothing is claimed of the higher coefficients.
  void select(T* r, const T* a, const T* b, std::uint8_t m) const {
    if constexpr (std::is_same_v<T, Interval>) {
      if (m == lock_undecided) {
        r[0] = choose(m, a[0], b[0]);
        for (int i = 1; i <= k; ++i) r[i] = Interval::entire();
        return;
      }
    }
    copy(r, m != 0 ? a : b);
  }
  void abs(T* r, const T* a, std::uint8_t m) const {
    if (is_undecided(m)) return taylor::abs(r, a, k);
    if (m != 0) return copy(r, a);
    neg(r, a);
  }
  void sign(T* r, std::uint8_t m) const { taylor::constant(r, choose(m, T(1.0), T(-1.0)), k); }
  void min(T* r, const T* a, const T* b, std::uint8_t m) const {
    if (is_undecided(m)) return taylor::min(r, a, b, k);
    copy(r, m != 0 ? b : a);
  }
  void max(T* r, const T* a, const T* b, std::uint8_t m) const {
    if (is_undecided(m)) return taylor::max(r, a, b, k);
    copy(r, m != 0 ? a : b);
  }
  void abs_by_value(T* r, const T* a) const { taylor::abs(r, a, k); }
  void sign_by_value(T* r, const T* a) const { sign(r, Truth::decide(*a, Test::positive)); }
  void min_by_value(T* r, const T* a, const T* b) const { taylor::min(r, a, b, k); }
  void max_by_value(T* r, const T* a, const T* b) const { taylor::max(r, a, b, k); }

  static std::uint8_t decide(const T* g, Test test) { return Truth::decide(*g, test); }

  static bool supports(const ExternalFunction&) { return false; }
  static constexpr const char* missing_ability() { return "Taylor coefficients"; }
  void prepare_calls(std::size_t) {}
  void call(ExternalFunction::Instance&, std::span<const T>, std::span<T>) {}

 private:
  static bool is_undecided(std::uint8_t m) {
    return std::is_same_v<T, Interval> && m == lock_undecided;
  }
  int k;
  std::vector<T> scratch;
  T* product;
};

}  // namespace saltus::detail
