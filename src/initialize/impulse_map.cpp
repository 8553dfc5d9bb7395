#include "initialize/impulse_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "initialize/micro_step.hpp"

namespace saltus::detail {

namespace {

/// x_nu and the moments c_j of (I.4), one below the other, each divided by its unit.
using Outcome = std::vector<Quad>;

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
    // nu steps amplify rounding by h^(-2 mu), the limit is wrong by h^3, both in units of the time scale:
    // h^(2 mu + 3) = 2^-112 makes the best of it. Where the mode is badly conditioned (longer steps help)
    // or has much faster parts than its scaling says (shorter ones do), differences do not halve.
    constexpr int shortest = -24, tries[] = {4, -4, -8};
    const int best = std::max(shortest, -112 / (2 * (n_steps_ - 1) + 3));
    auto first = limit(time_exponent_ + best);
    if (first) return first;
    for (const int change : tries) {
      auto other = limit(time_exponent_ + best + change);
      if (other) return other;
    }
    return first;
  }

 private:
  /// A power of two, so that t + k h is exact unless t is very large.
  double step_length(int exponent) const {
    constexpr double ulps = 64;
    double h = std::ldexp(1.0, exponent);
    const double eps = std::numeric_limits<double>::epsilon();
    while (h < ulps * eps * std::abs(t_)) h *= 2;
    return h;
  }

  Result<Outcome> steps_of(double h, double rounding) {
    Outcome outcome(unit_.size());
    std::vector<Quad> before = left_, now;
    for (int k = 1; k <= n_steps_; ++k) {
      if (auto ok = stepper_.step(t_ + k * h, h, rounding, before, now); !ok) return ok.failure();
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

  Result<ImpulsiveJump> limit(int exponent) {
    const double h = step_length(exponent);
    const double amplified = std::pow(std::ldexp(h, -time_exponent_), -2 * (n_steps_ - 1));
    const double rounding = 1e7 * static_cast<double>(Quad::epsilon()) * amplified;
    auto one = steps_of(h, rounding), two = steps_of(2 * h, rounding),
         four = steps_of(4 * h, rounding);
    for (auto* outcome : {&one, &two, &four}) {
      if (!*outcome) return outcome->failure();
    }
    constexpr double nothing = 1e-9;  // smaller differences may be rounding, and do no harm
    // 2, or 4 and 8 where lower powers of h cancel.
    constexpr double least_ratio = 1.7, largest_ratio = 9.0;
    for (std::size_t i = 0; i < unit_.size(); ++i) {
      const double value = std::abs(static_cast<double>((*one)[i]));
      const double fine = std::abs(static_cast<double>((*two)[i] - (*one)[i]));
      const double coarse = std::abs(static_cast<double>((*four)[i] - (*two)[i]));
      if (fine <= nothing * (unit_[i] + value)) continue;
      const double ratio = coarse / fine;
      if (ratio < least_ratio || ratio > largest_ratio) return no_limit(i, h, ratio);
    }
    const auto extrapolated = [&](std::size_t i) {
      return static_cast<double>((Quad(8.0) * (*one)[i] - Quad(6.0) * (*two)[i] + (*four)[i]) /
                                 Quad(3.0));
    };
    ImpulsiveJump jump;
    for (std::size_t i = 0; i < n_; ++i) jump.x.push_back(extrapolated(i));
    for (std::size_t i = n_; i < unit_.size(); ++i) jump.strength.push_back(extrapolated(i));
    return jump;
  }

  Failure no_limit(std::size_t which, double h, double ratio) const {
    const std::string name = system_.unknown_name(static_cast<std::uint32_t>(which % n_));
    return {FailureCode::not_converged,
            "impulses at t = " + to_text(t_) + ": " +
                (which < n_ ? "the value of '" : "the impulse of '") + name +
                "' has no limit (differences between steps of length 4h, 2h and h = " + to_text(h) +
                " have the ratio " + to_text(ratio) +
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

Result<ImpulsiveJump> impulsive_jump(const System& system, Workspace& workspace, double t,
                                     const std::vector<double>& left_limit,
                                     const IndexAnalysis& known) {
  return ImpulseMap(system, workspace, t, left_limit, known).run();
}

}  // namespace saltus::detail
