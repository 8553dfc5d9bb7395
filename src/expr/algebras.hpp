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

#include <saltus/core/error.hpp>
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
      case Test::negative:
        return g < zero ? 1 : 0;
      case Test::non_positive:
        return g <= zero ? 1 : 0;
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
      case Test::negative:
      case Test::non_positive:
        return negation(decide(g, test == Test::negative ? Test::non_negative : Test::positive));
      case Test::zero:
        if (g.lo() == 0 && g.hi() == 0) return 1;
        return g.contains(0.0) ? lock_undecided : 0;
    }
    return lock_undecided;
  }
};

/// One bit per instance.
struct Masked {
  static std::uint8_t from_lock(std::uint8_t lock) { return lock == lock_true ? 0xFF : 0x00; }
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

/// Whether a truth value leaves open which branch holds.
template <class T>
constexpr bool is_open(std::uint8_t m) {
  return std::is_same_v<T, Interval> && m == lock_undecided;
}

/// A number that is none: no relation can be decided by it.
template <class T>
inline bool is_nan(const T& x) {
  if constexpr (std::is_same_v<T, Interval>) {
    return false;
  } else if constexpr (std::is_same_v<T, Batch>) {
    bool any = false;
    for (double v : x.v) any = any || v != v;
    return any;
  } else {
    return x != x;
  }
}

/// What algebras know about the decisions of a run.
struct Decisions {
  /// Set if a branch was taken although the relation could not be decided: over a box because both
  /// sides are possible, at a point because the switching function is not a number.
  bool undecided = false;
  /// An undecided mode stands for either lock (locked programs) or for a relation that was looked
  /// at and may hold or not (unlocked ones); in the second case max([1,3], [2,2]) is [2,3], not the
  /// hull of both arms.
  bool locked = true;
};

// ---- scalars -----------------------------------------------------------------------------------

template <class T>
struct ScalarAlgebra : TruthOf<T>, Decisions {
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

  void select(T* r, const T* a, const T* b, std::uint8_t m) {
    note(m);
    *r = choose(m, *a, *b);
  }
  void abs(T* r, const T* a, std::uint8_t m) { magnitude(r, a, m, !locked); }
  void sign(T* r, std::uint8_t m) {
    note(m);
    *r = choose(m, T(1.0), T(-1.0));
  }
  void min(T* r, const T* a, const T* b, std::uint8_t m) { smaller(r, a, b, m, !locked); }
  void max(T* r, const T* a, const T* b, std::uint8_t m) { larger(r, a, b, m, !locked); }

  // By value: the relation is decided here and now. What is not a number stays so.
  void abs_by_value(T* r, const T* a) { magnitude(r, a, decide(a, Test::positive), true); }
  void sign_by_value(T* r, const T* a) {
    const std::uint8_t m = decide(a, Test::positive);
    sign(r, m);
    keep_nan(r, *a);
  }
  void min_by_value(T* r, const T* a, const T* b) {
    const T g = *a - *b;
    smaller(r, a, b, decide(&g, Test::positive), true);
    keep_nan(r, g);
  }
  void max_by_value(T* r, const T* a, const T* b) {
    const T g = *a - *b;
    larger(r, a, b, decide(&g, Test::positive), true);
    keep_nan(r, g);
  }

  std::uint8_t decide(const T* g, Test test) {
    if (is_nan(*g)) undecided = true;
    return Truth::decide(*g, test);
  }

  static bool supports(const ExternalFunction& f) {
    if constexpr (std::is_same_v<T, Interval>) return f.encloses();
    return std::is_same_v<T, double> || std::is_same_v<T, Batch>;
  }
  static constexpr const char* missing_ability() {
    return std::is_same_v<T, Interval> ? "enclosures" : "extended precision";
  }
  static void check_held(std::span<const T>) {}

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
  void note(std::uint8_t m) {
    if (is_open<T>(m)) undecided = true;
  }
  void magnitude(T* r, const T* a, std::uint8_t m, bool tight) {
    using std::abs;
    note(m);
    *r = is_open<T>(m) && tight ? abs(*a) : choose(m, *a, -*a);
  }
  void smaller(T* r, const T* a, const T* b, std::uint8_t m, bool tight) {
    note(m);
    if constexpr (std::is_same_v<T, Interval>)
      if (is_open<T>(m) && tight) {
        *r = saltus::min(*a, *b);
        return;
      }
    *r = choose(m, *b, *a);
  }
  void larger(T* r, const T* a, const T* b, std::uint8_t m, bool tight) {
    note(m);
    if constexpr (std::is_same_v<T, Interval>)
      if (is_open<T>(m) && tight) {
        *r = saltus::max(*a, *b);
        return;
      }
    *r = choose(m, *a, *b);
  }
  static void keep_nan(T* r, const T& g) {
    if constexpr (std::is_same_v<T, Batch>) {
      for (int i = 0; i < Batch::lanes; ++i)
        if (g[i] != g[i]) (*r)[i] = g[i];
    } else if constexpr (!std::is_same_v<T, Interval>) {
      if (g != g) *r = g;
    }
  }
  std::vector<double> lane_in;
  std::vector<double> lane_out;
};

// ---- series ------------------------------------------------------------------------------------

template <class T>
struct TaylorAlgebra : TruthOf<T>, Decisions {
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
  void select(T* r, const T* a, const T* b, std::uint8_t m) {
    if constexpr (std::is_same_v<T, Interval>)
      if (is_open<T>(m)) return open(r, hull(a[0], b[0]));
    copy(r, m != 0 ? a : b);
  }
  void abs(T* r, const T* a, std::uint8_t m) {
    if constexpr (std::is_same_v<T, Interval>)
      if (is_open<T>(m)) return open(r, locked ? hull(a[0], -a[0]) : saltus::abs(a[0]));
    if (m != 0) return copy(r, a);
    neg(r, a);
  }
  void sign(T* r, std::uint8_t m) {
    if constexpr (std::is_same_v<T, Interval>)
      if (is_open<T>(m)) return open(r, Interval(-1.0, 1.0));
    taylor::constant(r, T(m != 0 ? 1.0 : -1.0), k);
  }
  void min(T* r, const T* a, const T* b, std::uint8_t m) {
    if constexpr (std::is_same_v<T, Interval>)
      if (is_open<T>(m)) return open(r, locked ? hull(a[0], b[0]) : saltus::min(a[0], b[0]));
    copy(r, m != 0 ? b : a);
  }
  void max(T* r, const T* a, const T* b, std::uint8_t m) {
    if constexpr (std::is_same_v<T, Interval>)
      if (is_open<T>(m)) return open(r, locked ? hull(a[0], b[0]) : saltus::max(a[0], b[0]));
    copy(r, m != 0 ? a : b);
  }

  // By value: decided by the value alone, on the surface as everywhere else (g <= 0), so that a
  // series agrees with the derivatives and with the switched form. Over a box that leaves a kink
  // open, abs, min and max are still Lipschitz: the kernels enclose the slope.
  void abs_by_value(T* r, const T* a) {
    const std::uint8_t m = decide(a, Test::positive);
    if (!is_open<T>(m)) return abs(r, a, m);
    undecided = true;
    taylor::abs(r, a, k);
  }
  void sign_by_value(T* r, const T* a) {
    sign(r, decide(a, Test::positive));
    keep_nan(r, *a);
  }
  void min_by_value(T* r, const T* a, const T* b) {
    const T g = *a - *b;
    const std::uint8_t m = decide(&g, Test::positive);
    if (!is_open<T>(m)) {
      min(r, a, b, m);
      return keep_nan(r, g);
    }
    undecided = true;
    taylor::min(r, a, b, k);
  }
  void max_by_value(T* r, const T* a, const T* b) {
    const T g = *a - *b;
    const std::uint8_t m = decide(&g, Test::positive);
    if (!is_open<T>(m)) {
      max(r, a, b, m);
      return keep_nan(r, g);
    }
    undecided = true;
    taylor::max(r, a, b, k);
  }

  std::uint8_t decide(const T* g, Test test) {
    if (is_nan(*g)) undecided = true;
    return Truth::decide(*g, test);
  }

  static bool supports(const ExternalFunction&) { return false; }
  static constexpr const char* missing_ability() { return "Taylor coefficients"; }
  /// The prologue multiplies by the value of a held input alone.
  void check_held(std::span<const T> series) const {
    for (std::size_t i = 0; i < series.size(); ++i)
      if (i % stride() != 0 && !(series[i] == T(0.0)))
        throw ModelError(
            "a parameter, discrete variable or previous value is constant along a series: its "
            "higher coefficients must be zero");
  }

  void prepare_calls(std::size_t) {}
  void call(ExternalFunction::Instance&, std::span<const T>, std::span<T>) {}

 private:
  void open(T* r, const T& value) {
    undecided = true;
    r[0] = value;
    if constexpr (std::is_same_v<T, Interval>)
      for (int i = 1; i <= k; ++i) r[i] = Interval::entire();
  }
  static void keep_nan(T* r, const T& g) {
    if constexpr (!std::is_same_v<T, Interval>)
      if (g != g) r[0] = g;
  }
  int k;
  std::vector<T> scratch;
  T* product;
};

}  // namespace saltus::detail
