// Solutions of relay systems between events, as power series: on affine pieces this is the series of the matrix
// exponential; where the motion is rational in x, recurrences of products and quotients give it as well.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <saltus/numerics/quad.hpp>

#include "problems/relay_systems.hpp"

namespace saltus::problems {

inline long double relay_abs(long double x) { return std::abs(x); }
inline Quad relay_abs(Quad x) { return abs(x); }
inline long double relay_pow(long double x, long double y) { return std::pow(x, y); }
inline Quad relay_pow(Quad x, Quad y) { return pow(x, y); }

inline constexpr std::size_t relay_degree = 24;
template <class T>
using RelaySeries = std::array<T, relay_degree + 1>;

/// Sides of the surfaces: +1, -1, or 0 for one that is kept.
using RelaySides = std::vector<int>;

template <class T>
T value_of(const RelaySeries<T>& c, T tau) {
  T sum(0.0);
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * tau + c[k];
  return sum;
}
template <class T>
T slope_of(const RelaySeries<T>& c, T tau) {
  T sum(0.0);
  for (std::size_t k = c.size(); k-- > 1;) sum = sum * tau + c[k] * T(static_cast<double>(k));
  return sum;
}

/// x, g and u for t0 <= t <= t0 + h, in powers of t - t0.
template <class T>
struct RelayPiece {
  T t0 = T(0.0), h = T(0.0);
  std::vector<RelaySeries<T>> x, g, u;

  std::vector<T> state_at(T tau) const {
    std::vector<T> y;
    for (const auto& c : x) y.push_back(value_of(c, tau));
    return y;
  }
};

template <class T>
struct RelaySize;
template <>
struct RelaySize<long double> {
  static long double negligible() { return 1e-21L; }
};
template <>
struct RelaySize<Quad> {
  static Quad negligible() { return Quad(1e-30); }
};

/// Solves m y = r for one or two unknowns; nothing if m is singular.
template <class T>
std::optional<std::vector<T>> solve_small(const std::vector<std::vector<T>>& m,
                                          const std::vector<T>& r) {
  if (r.empty()) return r;
  if (r.size() == 1) {
    if (m[0][0] == T(0.0)) return std::nullopt;
    return std::vector<T>{r[0] / m[0][0]};
  }
  const T det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  if (det == T(0.0)) return std::nullopt;
  return std::vector<T>{(r[0] * m[1][1] - r[1] * m[0][1]) / det,
                        (m[0][0] * r[1] - m[1][0] * r[0]) / det};
}

/// The motion of given sides from a point. Nothing if the multipliers have no solution there.
template <class T>
class RelayMotion {
 public:
  RelayMotion(const RelaySystem& system, RelaySides sides) : s_(system), sides_(std::move(sides)) {
    for (std::uint32_t k = 0; k < s_.m; ++k) {
      if (sides_[k] == 0) kept_.push_back(k);
    }
  }

  std::optional<RelayPiece<T>> piece(T t0, const std::vector<T>& x0) const {
    RelayPiece<T> p;
    p.t0 = t0;
    p.x.assign(s_.n, {});
    p.g.assign(s_.m, {});
    p.u.assign(s_.m, {});
    for (std::uint32_t k = 0; k < s_.m; ++k) p.u[k][0] = T(static_cast<double>(sides_[k]));
    for (std::uint32_t i = 0; i < s_.n; ++i) p.x[i][0] = x0[i];
    // f[k][i]: the series of F_k's component i, known up to the order that x is.
    std::vector<std::vector<RelaySeries<T>>> f(s_.m + 1, {s_.n, RelaySeries<T>{}});
    for (std::size_t order = 0; order <= relay_degree; ++order) {
      for (std::uint32_t k = 0; k <= s_.m; ++k) {
        for (std::uint32_t i = 0; i < s_.n; ++i) f[k][i][order] = coefficient(k, i, p.x, order);
      }
      if (!add_multipliers(f, p.u, order)) return std::nullopt;
      if (order == relay_degree) break;
      for (std::uint32_t i = 0; i < s_.n; ++i) {
        T sum = f[0][i][order];
        for (std::uint32_t k = 0; k < s_.m; ++k) {
          for (std::size_t q = 0; q <= order; ++q) sum += p.u[k][q] * f[k + 1][i][order - q];
        }
        p.x[i][order + 1] = sum / T(static_cast<double>(order + 1));
      }
    }
    for (std::uint32_t k = 0; k < s_.m; ++k) add_function(p, k);
    p.h = length(p);
    return p;
  }

 private:
  T coefficient(std::uint32_t k, std::uint32_t i, const std::vector<RelaySeries<T>>& x,
                std::size_t order) const {
    T sum(order == 0 ? s_.f[k].b[i] : 0.0);
    for (std::uint32_t j = 0; j < s_.n; ++j) sum += T(s_.f[k].a[i][j]) * x[j][order];
    return sum;
  }
  T normal(const std::vector<RelaySeries<T>>& field, std::uint32_t surface,
           std::size_t order) const {
    T sum(0.0);
    for (std::uint32_t i = 0; i < s_.n; ++i) sum += T(s_.surfaces[surface].w[i]) * field[i][order];
    return sum;
  }
  /// sum_j M_kj u_j = -v_k in series: M_kj = w_k . F_j of kept j, v_k what the others leave.
  bool add_multipliers(const std::vector<std::vector<RelaySeries<T>>>& f,
                       std::vector<RelaySeries<T>>& u, std::size_t order) const {
    if (kept_.empty()) return true;
    std::vector<std::vector<T>> m0;
    std::vector<T> right;
    for (const std::uint32_t k : kept_) {
      T sum = normal(f[0], k, order);
      if (order == 0) sum -= T(s_.surfaces[k].e);
      for (std::uint32_t j = 0; j < s_.m; ++j) {
        if (sides_[j] != 0) sum += T(static_cast<double>(sides_[j])) * normal(f[j + 1], k, order);
      }
      m0.emplace_back();
      for (const std::uint32_t j : kept_) {
        m0.back().push_back(normal(f[j + 1], k, 0));
        for (std::size_t q = 1; q <= order; ++q) sum += normal(f[j + 1], k, q) * u[j][order - q];
      }
      right.push_back(-sum);
    }
    const auto solved = solve_small(m0, right);
    if (!solved) return false;
    for (std::size_t z = 0; z < kept_.size(); ++z) u[kept_[z]][order] = (*solved)[z];
    return true;
  }
  void add_function(RelayPiece<T>& p, std::uint32_t k) const {
    const RelaySurface& surface = s_.surfaces[k];
    for (std::size_t order = 0; order <= relay_degree; ++order)
      p.g[k][order] = normal(p.x, k, order);
    p.g[k][0] -= T(surface.d) + T(surface.e) * p.t0;
    p.g[k][1] -= T(surface.e);
  }
  /// So long that the last two terms of the series are negligible.
  T length(const RelayPiece<T>& p) const {
    T scale(1.0);
    for (const auto& c : p.x) scale = std::max(scale, T(relay_abs(c[0])));
    T h(1.0);
    for (const std::size_t order : {relay_degree - 1, relay_degree}) {
      T largest(0.0);
      for (const auto& c : p.x) largest = std::max(largest, T(relay_abs(c[order])));
      for (const std::uint32_t k : kept_) largest = std::max(largest, T(relay_abs(p.u[k][order])));
      if (largest > T(0.0)) {
        const T ratio = RelaySize<T>::negligible() * scale / largest;
        h = std::min(h, T(relay_pow(ratio, T(1.0) / T(static_cast<double>(order)))));
      }
    }
    return h;
  }

  const RelaySystem& s_;
  RelaySides sides_;
  std::vector<std::uint32_t> kept_;
};

/// Where a polynomial first reaches zero between two points, and whether one that only comes near was passed.
template <class T>
class FirstRelayRoot {
 public:
  explicit FirstRelayRoot(T margin) : margin_(margin) {}

  std::optional<T> find(const RelaySeries<T>& c, T a, T b) {
    const T r = (b - a) / T(2.0), middle = a + r;
    const RelaySeries<T> s = shifted(c, middle);
    T spread(0.0), slope_spread(0.0), power(1.0);
    for (std::size_t k = 1; k <= relay_degree; ++k) {
      if (k > 1) slope_spread += T(static_cast<double>(k)) * T(relay_abs(s[k])) * power;
      power *= r;
      spread += T(relay_abs(s[k])) * power;
    }
    if (T(relay_abs(s[0])) > spread + margin_) return std::nullopt;
    if (T(relay_abs(s[1])) > slope_spread) return monotone(c, a, b);
    if (r < T(1e-8)) {  // an extremum below the margin
      touches_ = true;
      return std::nullopt;
    }
    if (const auto left = find(c, a, middle)) return left;
    return find(c, middle, b);
  }
  bool touches() const { return touches_; }

 private:
  static RelaySeries<T> shifted(RelaySeries<T> c, T by) {
    for (std::size_t i = 0; i < relay_degree; ++i) {
      for (std::size_t k = relay_degree; k-- > i;) c[k] += by * c[k + 1];
    }
    return c;
  }
  static std::optional<T> monotone(const RelaySeries<T>& c, T a, T b) {
    const T at_a = value_of(c, a), at_b = value_of(c, b);
    if (at_a == T(0.0)) return a;
    if ((at_a > T(0.0)) == (at_b > T(0.0))) return std::nullopt;
    T x = a + (b - a) / T(2.0);
    for (int i = 0; i < 200; ++i) {
      const T v = value_of(c, x);
      ((v > T(0.0)) == (at_a > T(0.0)) ? a : b) = x;
      T next = x - v / slope_of(c, x);
      if (!(next > a && next < b)) next = a + (b - a) / T(2.0);
      if (next == x) break;
      const bool done = T(relay_abs(next - x)) <= RelaySize<T>::negligible() * T(100.0);
      x = next;
      if (done) break;
    }
    return x;
  }

  T margin_;
  bool touches_ = false;
};

}  // namespace saltus::problems
