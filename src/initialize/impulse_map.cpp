#include "initialize/impulse_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <saltus/core/text.hpp>

#include "initialize/micro_step.hpp"

namespace saltus::detail {

namespace {

/// x_nu and the moments c_j of (I.4), one below the other, each divided by its unit.
using Outcome = std::vector<Quad>;

// Steps of length h, 2h, … 32h.
constexpr std::size_t n_lengths = 6;
// Smaller differences may be rounding, and do no harm.
constexpr double nothing = 1e-9;
// error <= settled (unit + |value|) of a limit that exists.
constexpr double settled = 1e-7;

class ImpulseMap {
 public:
  ImpulseMap(const System& system, Workspace& workspace, double t, const std::vector<double>& left,
             const IndexAnalysis& known)
      : system_(system),
        stepper_(system, workspace),
        t_(t),
        left_(left.begin(), left.end()),
        n_(left.size()),
        n_steps_(known.values.mu + 1),
        n_moments_(static_cast<std::size_t>(std::max(1, known.values.mu))),
        time_exponent_(known.scaling.time_exponent) {
    const double scale = std::ldexp(1.0, time_exponent_);
    unit_.resize(n_ * (1 + n_moments_));
    for (std::size_t i = 0; i < n_; ++i) {
      const double size = system_.nominal(static_cast<std::uint32_t>(i)) + std::abs(left[i]);
      double power = 1.0;
      for (std::size_t j = 0; j <= n_moments_; ++j, power *= scale)
        unit_[j * n_ + i] = size * power;
    }
  }

  Result<ImpulsiveJump> run() {
    // nu steps amplify rounding by h^(-2 mu), the limit is wrong by (C h)^6 2^15, both in units of the time
    // scale, with C = 2^3 for parts that are faster than it says: h^(2 mu + 6) = 2^-145 makes the best of it.
    // Where the mode is badly conditioned (longer steps help) or has much faster parts (shorter ones do),
    // limits do not settle.
    constexpr int shortest = -24, tries[] = {0, 3, -3, -6};
    constexpr double good = 1e-9;
    const int balanced = std::max(shortest, -145 / (2 * (n_steps_ - 1) + 6));
    std::optional<Limit> best;
    Result<Limit> first = Failure{};
    for (const int change : tries) {
      auto found = limit(time_exponent_ + balanced + change);
      if (change == 0) first = found;
      if (found && (!best || found->error < best->error)) best = std::move(*found);
      if (best && best->error <= good) break;
    }
    if (!best) return first.failure();
    best->jump.n_evaluations = stepper_.n_evaluations();
    return std::move(best->jump);
  }

 private:
  struct Limit {
    ImpulsiveJump jump;
    double error = 0.0;  // the largest, over unit + |value|
  };

  /// A power of two, so that t + k h is exact unless t is very large.
  double step_length(int exponent) const {
    constexpr double ulps = 64;
    double h = std::ldexp(1.0, exponent);
    const double eps = std::numeric_limits<double>::epsilon();
    while (h < ulps * eps * std::abs(t_)) h *= 2;
    return h;
  }

  Result<Outcome> steps_of(double h) {
    Outcome outcome(unit_.size());
    std::vector<Quad> before = left_, now;
    for (int k = 1; k <= n_steps_; ++k) {
      if (auto ok = stepper_.step(t_ + k * h, h, before, now); !ok) return ok.failure();
      Quad factor(h);  // (-1)^j / j! h (k h)^j
      for (std::size_t j = 0; j < n_moments_; ++j) {
        for (std::size_t i = 0; i < n_; ++i) outcome[(j + 1) * n_ + i] += factor * now[i];
        factor *= Quad(-k * h / static_cast<double>(j + 1));
      }
      before = now;
    }
    std::copy(before.begin(), before.end(), outcome.begin());
    return outcome;
  }

  /// Neville's scheme for h = 0 in the powers of h, from the longest step on. What the last two columns
  /// differ by is the error of the one before; ratios of differences tell limits that do not exist.
  Result<Limit> limit(int exponent) {
    const double h = step_length(exponent);
    std::vector<Outcome> by_length;  // the longest first
    for (int k = static_cast<int>(n_lengths) - 1; k >= 0; --k) {
      auto outcome = steps_of(std::ldexp(h, k));
      if (!outcome) return outcome.failure();
      by_length.push_back(std::move(*outcome));
    }
    Limit reached;
    for (std::size_t i = 0; i < unit_.size(); ++i) {
      std::array<Quad, n_lengths> column;
      for (std::size_t k = 0; k < n_lengths; ++k) column[k] = by_length[k][i];
      const double value = std::abs(static_cast<double>(column[n_lengths - 1]));
      const double ratio = last_ratio(column, nothing * (unit_[i] + value));
      const Extrapolated found = extrapolated(column);
      const double error = found.error / (unit_[i] + std::abs(found.value));
      if (!(error <= settled)) return no_limit(i, h, ratio, error);
      reached.error = std::max(reached.error, error);
      (i < n_ ? reached.jump.x : reached.jump.strength).push_back(found.value);
    }
    return reached;
  }

  struct Extrapolated {
    double value = 0.0, error = 0.0;
  };
  /// The entry of the scheme that differs least from both entries it was made of: with long steps the limit
  /// is not reached, in short ones rounding is amplified.
  static Extrapolated extrapolated(std::array<Quad, n_lengths> column) {
    Extrapolated best{0.0, std::numeric_limits<double>::infinity()};
    for (std::size_t j = 1; j < n_lengths; ++j) {
      const Quad weight(std::ldexp(1.0, static_cast<int>(j)) - 1.0);
      for (std::size_t k = n_lengths - 1; k >= j; --k) {
        const Quad now = column[k] + (column[k] - column[k - 1]) / weight;
        const double error = std::max(std::abs(static_cast<double>(now - column[k])),
                                      std::abs(static_cast<double>(now - column[k - 1])));
        if (error <= best.error) best = {static_cast<double>(now), error};
        column[k] = now;
      }
    }
    return best;
  }

  /// Of the differences between the three shortest steps: 2, or more where lower powers of h cancel; less
  /// where there is no limit. 2 if they are too small to tell.
  static double last_ratio(const std::array<Quad, n_lengths>& column, double too_small) {
    const auto difference = [&](std::size_t k) {
      return std::abs(static_cast<double>(column[k] - column[k - 1]));
    };
    const double fine = difference(n_lengths - 1), coarse = difference(n_lengths - 2);
    return fine <= too_small ? 2.0 : coarse / fine;
  }

  Failure no_limit(std::size_t which, double h, double ratio, double error) const {
    constexpr double least_ratio = 1.7;
    const std::string name = system_.unknown_name(static_cast<std::uint32_t>(which % n_));
    const std::string what = "impulses at t = " + to_text(t_) +
                             (which < n_ ? ": the value of '" : ": the impulse of '") + name;
    if (ratio >= least_ratio) {
      return {FailureCode::not_converged,
              what + "' is known up to " + to_text(error) +
                  " of its size only: the equations are too badly conditioned across the instant; "
                  "policy map may help"};
    }
    return {FailureCode::not_converged,
            what + "' has no limit (differences between steps of length 4h, 2h and h = " +
                to_text(h) + " have the ratio " + to_text(ratio) +
                ", not 2 or more): the left limit decides no impulse in these equations; policy "
                "map may help"};
  }

  const System& system_;
  MicroStepper stepper_;
  double t_;
  std::vector<Quad> left_;
  std::size_t n_;
  int n_steps_;
  std::size_t n_moments_;
  int time_exponent_;
  std::vector<double> unit_;
};

}  // namespace

std::vector<std::uint32_t> path_dependent_rows(const System& system, Workspace& workspace, double t,
                                               const std::vector<double>& left,
                                               const ImpulsiveJump& jump,
                                               const std::vector<double>& xdot_after) {
  constexpr double too_small_to_matter = 1e-9, share = 1e-6;
  const CscPattern& p = system.pattern();
  const auto nnz = static_cast<std::size_t>(p.nnz());
  std::vector<double> a_left(nnz), e_left(nnz), a_right(nnz), e_right(nnz);
  if (!workspace.jacobian(t, left, xdot_after, a_left, e_left)) return {};
  if (!workspace.jacobian(t, jump.x, xdot_after, a_right, e_right)) return {};
  const std::size_t m = system.n_equations(), n = system.size();
  std::vector<double> change_of_e(m), change_of_a(m), size(m);
  for (std::size_t j = 0; j < n; ++j) {
    const double unit = system.nominal(static_cast<std::uint32_t>(j)) + std::abs(left[j]);
    double moved = jump.x[j] - left[j];
    if (std::abs(moved) <= too_small_to_matter * unit) moved = 0.0;
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      const auto row = static_cast<std::size_t>(p.row[s]);
      change_of_e[row] += (e_right[s] - e_left[s]) * moved;
      size[row] += (std::abs(e_right[s]) + std::abs(e_left[s])) * std::abs(moved);
      change_of_a[row] += (a_right[s] - a_left[s]) * jump.strength[j];
      size[row] += (std::abs(a_right[s]) + std::abs(a_left[s])) * std::abs(jump.strength[j]);
    }
  }
  std::vector<std::pair<double, std::uint32_t>> found;
  for (std::size_t i = 0; i < m; ++i) {
    const double change = std::abs(change_of_e[i]) + std::abs(change_of_a[i]);
    if (change > share * size[i]) {
      found.emplace_back(change / size[i], static_cast<std::uint32_t>(i));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& one, const auto& two) { return one.first > two.first; });
  std::vector<std::uint32_t> rows;
  for (const auto& entry : found) rows.push_back(entry.second);
  return rows;
}

Result<ImpulsiveJump> jump_of_steps(const System& system, Workspace& workspace, double t,
                                    const std::vector<double>& left_limit,
                                    const IndexAnalysis& known) {
  return ImpulseMap(system, workspace, t, left_limit, known).run();
}

Result<ImpulsiveJump> impulsive_jump(const System& system, Workspace& workspace, double t,
                                     const std::vector<double>& left_limit,
                                     const IndexAnalysis& known) {
  std::uint64_t n_evaluations = 0;
  if (auto direct = jump_of_blocks(system, workspace, t, left_limit, known, n_evaluations)) {
    return std::move(*direct);
  }
  auto limit = jump_of_steps(system, workspace, t, left_limit, known);
  if (limit) limit->n_evaluations += n_evaluations;
  return limit;
}

}  // namespace saltus::detail
