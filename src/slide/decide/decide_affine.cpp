// Decisions on any number of surfaces whose velocities are affine in the multipliers.
#include "slide/decide/decide_affine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <saltus/numerics/lemke.hpp>

#include "slide/decide/decide_candidate.hpp"
#include "slide/decide/multipliers.hpp"

namespace saltus {
namespace detail {
namespace {

constexpr std::size_t max_minors = 10;            // 2^10 determinants
constexpr std::size_t max_affine_enumerated = 8;  // 3^8 linear systems
constexpr std::size_t max_marginal = 6;           // 2^6 candidates around one solution

double row_size(const AffineVelocities& velocities, std::size_t k) {
  double size = std::fabs(velocities.v[k]);
  for (std::size_t j = 0; j < velocities.v.size(); ++j) {
    size += std::fabs(velocities.m(k, j));
  }
  return size;
}

/// Rows times powers of two, so that all are about 1: signs, and so decisions, stay.
AffineVelocities scaled_rows(const AffineVelocities& velocities) {
  AffineVelocities scaled = velocities;
  for (std::size_t k = 0; k < velocities.v.size(); ++k) {
    const double size = row_size(velocities, k);
    const int exponent = size > 0.0 && std::isfinite(size) ? -std::ilogb(size) : 0;
    scaled.v[k] = std::scalbn(scaled.v[k], exponent);
    for (std::size_t j = 0; j < velocities.v.size(); ++j) {
      scaled.m(k, j) = std::scalbn(scaled.m(k, j), exponent);
    }
  }
  return scaled;
}

/// The determinant of -m on a set of rows and columns, divided by the product of its row sums.
double relative_minor(const Matrix& m, std::span<const std::size_t> set) {
  const std::size_t n = set.size();
  std::vector<double> a(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      a[i * n + j] = -m(set[i], set[j]);
      sum += std::fabs(a[i * n + j]);
    }
    for (std::size_t j = 0; j < n && sum > 0.0; ++j) {
      a[i * n + j] /= sum;
    }
  }
  double determinant = 1.0;
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < n; ++i) {
      if (std::fabs(a[i * n + j]) > std::fabs(a[pivot * n + j])) {
        pivot = i;
      }
    }
    if (pivot != j) {
      std::swap_ranges(&a[j * n], &a[j * n] + n, &a[pivot * n]);
      determinant = -determinant;
    }
    determinant *= a[j * n + j];
    if (a[j * n + j] == 0.0) {
      return 0.0;
    }
    for (std::size_t i = j + 1; i < n; ++i) {
      const double factor = a[i * n + j] / a[j * n + j];
      for (std::size_t l = j + 1; l < n; ++l) {
        a[i * n + l] -= factor * a[j * n + l];
      }
    }
  }
  return determinant;
}

bool is_dominant(const Matrix& m) {
  for (std::size_t k = 0; k < m.n_rows; ++k) {
    double others = 0.0;
    for (std::size_t j = 0; j < m.n_rows; ++j) {
      others += j == k ? 0.0 : std::fabs(m(k, j));
    }
    if (!(-m(k, k) > (1.0 + 1e-12) * others)) {
      return false;
    }
  }
  return true;
}

/// Cholesky's factors of the symmetric part of -m exist, with pivots clear of rounding.
bool has_positive_symmetric_part(const Matrix& m) {
  const std::size_t n = m.n_rows;
  Matrix l(m.n_rows, m.n_rows);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = -0.5 * (m(i, j) + m(j, i));
      for (std::size_t s = 0; s < j; ++s) {
        rest -= l(i, s) * l(j, s);
      }
      if (i == j && !(rest > -1e-12 * m(i, i))) {
        return false;
      }
      l(i, j) = i == j ? std::sqrt(rest) : rest / l(j, j);
    }
  }
  return true;
}

}  // namespace

bool has_unique_solutions(const Matrix& m) {
  constexpr double clear = 1e-12;
  const std::size_t n = m.n_rows;
  if (n > max_minors) {
    return is_dominant(m) || has_positive_symmetric_part(m);
  }
  std::vector<std::size_t> set;
  for (std::uint32_t bits = 1; bits < (1U << n); ++bits) {
    set.clear();
    for (std::size_t k = 0; k < n; ++k) {
      if ((bits >> k & 1U) != 0) {
        set.push_back(k);
      }
    }
    if (!(relative_minor(m, set) > clear)) {
      return false;
    }
  }
  return true;
}

std::optional<std::vector<std::int8_t>> state_from(const AffineVelocities& velocities,
                                                   std::span<const std::int8_t> from) {
  // u_k = c_k (1 - x_k), c = from, with x in [0, 2] and y for the upper ends:        (S.8)
  //   w = c V(u) + y >= 0, x >= 0, w . x = 0,    s = 2 - x >= 0, y >= 0, s . y = 0.
  // Only w is covered: x <= 2 all along the path, so that there is no ray but the first.
  const AffineVelocities scaled = scaled_rows(velocities);
  const std::size_t n = scaled.v.size();
  Matrix m(static_cast<std::uint32_t>(2 * n), static_cast<std::uint32_t>(2 * n));
  std::vector<double> q(2 * n, 2.0);
  std::vector<double> cover(2 * n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    q[k] = scaled.v[k];
    for (std::size_t j = 0; j < n; ++j) {
      q[k] += scaled.m(k, j) * from[j];
      m(k, j) = -from[k] * scaled.m(k, j) * from[j];
    }
    q[k] *= from[k];
    m(k, n + k) = 1.0;
    m(n + k, k) = -1.0;
    cover[k] = 1.0;
  }
  const LemkeResult result = lemke(q, m, {.cover = cover, .max_pivots = 0});
  if (result.outcome != LemkeOutcome::solved) {
    return std::nullopt;
  }
  std::vector<std::int8_t> state(n);
  for (std::size_t k = 0; k < n; ++k) {
    const bool at_start = result.z[k] == 0.0;
    const bool at_end = result.w[n + k] == 0.0;
    state[k] = at_start ? from[k] : at_end ? static_cast<std::int8_t>(-from[k]) : std::int8_t{0};
  }
  return state;
}

namespace {

class AffineDecision {
 public:
  AffineDecision(const AffineVelocities& velocities, const DecideOptions& options)
      : velocities_(velocities),
        scaled_(scaled_rows(velocities)),
        options_(options),
        n_(velocities.v.size()),
        negligible_(n_) {
    for (std::size_t k = 0; k < n_; ++k) {
      negligible_[k] =
          least_negligible(velocities.negligible[k],
                           row_size(velocities, k) * (1.0 + 0.125 * static_cast<double>(n_)));
    }
  }

  SurfaceDecision run() {
    std::vector<std::int8_t> from(n_, -1);
    const bool found = search(from);
    if (!found || has_holds(options_) || !has_unique_solutions(velocities_.m)) {
      if (n_ <= max_affine_enumerated) {
        enumerate();
      } else {
        decision_.complete = false;
        search(std::vector<std::int8_t>(n_, 1));
        for (const std::int8_t side : {std::int8_t{-1}, std::int8_t{1}}) {
          std::fill(from.begin(), from.end(), side);
          for (std::int8_t& one : from) {
            one = static_cast<std::int8_t>(-side);
            search(from);
            one = side;
          }
        }
      }
    }
    if (decision_.candidates.empty()) {
      add(std::vector<std::int8_t>(n_, 0));  // whose verdict says what is missing
    }
    conclude(decision_, options_);
    return std::move(decision_);
  }

 private:
  /// One path, and the candidates that differ from its end in surfaces whose velocity vanishes. False if
  /// some of these may be missing.
  bool search(std::span<const std::int8_t> from) {
    std::optional<std::vector<std::int8_t>> state = state_from(velocities_, from);
    if (!state) {
      return false;
    }
    std::vector<std::pair<std::size_t, int>> marginal;
    SurfaceCandidate candidate;
    std::vector<SideRates> sides;
    if (!motion(*state, candidate, sides)) {
      add(*state);
      return false;
    }
    for (std::size_t k = 0; k < n_; ++k) {
      if ((*state)[k] != 0
              ? std::fabs(candidate.rate[k]) <= negligible_[k]
              : std::fabs(candidate.multiplier[k] > 0.0 ? sides[k].plus : sides[k].minus) <=
                    negligible_[k]) {
        marginal.emplace_back(k, candidate.multiplier[k] > 0.0 ? 1 : -1);
      }
    }
    if (marginal.size() > max_marginal) {
      add(*state);
      return false;
    }
    for (std::uint32_t kept = 0; kept < (1U << marginal.size()); ++kept) {
      for (std::size_t i = 0; i < marginal.size(); ++i) {
        const auto& [k, side] = marginal[i];
        (*state)[k] = (kept >> i & 1U) != 0 ? std::int8_t{0} : static_cast<std::int8_t>(side);
      }
      add(*state);
    }
    return true;
  }

  void enumerate() {
    std::vector<std::int8_t> state(n_);
    std::uint32_t n_states = 1;
    for (std::size_t k = 0; k < n_; ++k) {
      n_states *= 3;
    }
    for (std::uint32_t c = 0; c < n_states; ++c) {
      std::uint32_t digits = c;
      for (std::int8_t& side : state) {
        side = static_cast<std::int8_t>(1 - static_cast<int>(digits % 3));
        digits /= 3;
      }
      add(state, n_ > 4);
    }
  }

  /// Multipliers and rates of a candidate; false if nothing determines them.
  bool motion(std::span<const std::int8_t> state, SurfaceCandidate& candidate,
              std::vector<SideRates>& sides) const {
    candidate.state.assign(state.begin(), state.end());
    candidate.multiplier.assign(state.begin(), state.end());
    candidate.rate.assign(n_, 0.0);
    sides.assign(n_, {});
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < n_; ++k) {
      if (state[k] == 0) {
        kept.push_back(k);
      }
    }
    std::vector<double> a(kept.size() * kept.size());
    std::vector<double> u(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      u[i] = -rate_with(scaled_, candidate.multiplier, kept[i]);
      for (std::size_t j = 0; j < kept.size(); ++j) {
        a[i * kept.size() + j] = scaled_.m(kept[i], kept[j]);
      }
    }
    if (!kept.empty() && !solve_small(a, u)) {
      return false;
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      candidate.multiplier[kept[i]] = u[i];
    }
    for (std::size_t k = 0; k < n_; ++k) {
      if (state[k] != 0) {
        candidate.rate[k] = rate_with(velocities_, candidate.multiplier, k);
        continue;
      }
      const double hold = hold_of(options_, k);
      const double own = std::exchange(candidate.multiplier[k], hold);
      sides[k].plus = rate_with(velocities_, candidate.multiplier, k);
      candidate.multiplier[k] = -hold;
      sides[k].minus = rate_with(velocities_, candidate.multiplier, k);
      candidate.multiplier[k] = own;
    }
    return true;
  }

  static double rate_with(const AffineVelocities& velocities, std::span<const double> u,
                          std::size_t k) {
    double rate = velocities.v[k];
    for (std::size_t j = 0; j < u.size(); ++j) {
      rate += velocities.m(k, j) * u[j];
    }
    return rate;
  }

  void add(std::span<const std::int8_t> state, bool motions_only = false) {
    for (const SurfaceCandidate& known : decision_.candidates) {
      if (std::equal(state.begin(), state.end(), known.state.begin())) {
        return;
      }
    }
    SurfaceCandidate candidate;
    std::vector<SideRates> sides;
    if (motion(state, candidate, sides)) {
      judge(candidate, sides, negligible_, options_);
    } else {
      refuse_without_multipliers(candidate, options_);
    }
    if (candidate.consistent || candidate.repels || candidate.by_second_order || !motions_only) {
      decision_.candidates.push_back(std::move(candidate));
    }
  }

  const AffineVelocities& velocities_;
  AffineVelocities scaled_;
  const DecideOptions& options_;
  std::size_t n_;
  std::vector<double> negligible_;
  SurfaceDecision decision_;
};

}  // namespace
}  // namespace detail

std::optional<AffineVelocities> affine(const NormalVelocities& velocities) {
  const std::uint32_t n = velocities.n_surfaces;
  const std::uint32_t n_vertices = velocities.n_vertices();
  AffineVelocities out{
      .v = std::vector<double>(n), .m = Matrix(n, n), .negligible = velocities.negligible};
  std::vector<double> c(n_vertices);
  for (std::uint32_t k = 0; k < n; ++k) {
    double largest = 0.0;
    for (std::uint32_t b = 0; b < n_vertices; ++b) {
      c[b] = velocities(b, k);
      largest = std::fmax(largest, std::fabs(c[b]));
    }
    for (std::uint32_t bit = 1; bit < n_vertices; bit <<= 1U) {
      for (std::uint32_t b = 0; b < n_vertices; ++b) {
        if ((b & bit) == 0) {
          const double minus = c[b];
          c[b] = 0.5 * (c[b | bit] + minus);
          c[b | bit] = 0.5 * (c[b | bit] - minus);
        }
      }
    }
    const double negligible = detail::least_negligible(velocities.negligible[k], largest);
    for (std::uint32_t s = 0; s < n_vertices; ++s) {
      if ((s & (s - 1)) != 0 && !(std::fabs(c[s]) <= negligible)) {
        return std::nullopt;
      }
    }
    out.v[k] = c[0];
    for (std::uint32_t j = 0; j < n; ++j) {
      out.m(k, j) = c[1U << j];
    }
  }
  return out;
}

SurfaceDecision decide(const AffineVelocities& velocities, const DecideOptions& options) {
  return detail::AffineDecision(velocities, options).run();
}

}  // namespace saltus
