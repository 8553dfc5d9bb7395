#include "initialize/micro_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus::detail {

namespace {

DerivativeLevels<Quad>& quad_levels(Workspace& workspace) {
  auto* levels = workspace.ability<DerivativeLevels<Quad>>();
  SALTUS_ASSERT(levels != nullptr);
  return *levels;
}

}  // namespace

MicroStepper::MicroStepper(const System& system, Workspace& workspace)
    : system_(system),
      levels_(quad_levels(workspace)),
      m_(system.n_equations()),
      n_(system.size()),
      path_(2 * n_),
      df_dx_(static_cast<std::size_t>(system.pattern().nnz())),
      df_dxdot_(df_dx_.size()) {}

void MicroStepper::set_path(double h, const std::vector<Quad>& x_before,
                            const std::vector<Quad>& x) {
  for (std::size_t i = 0; i < n_; ++i) {
    path_[i] = x[i];
    path_[n_ + i] = (x[i] - x_before[i]) / Quad(h);
  }
}

Evaluation MicroStepper::residual(double t, double h, const std::vector<Quad>& x_before,
                                  const std::vector<Quad>& x, std::vector<Quad>& f) {
  set_path(h, x_before, x);
  ++n_evaluations_;
  f.assign(m_, Quad());
  return levels_.residuals(t, path_, 0, f);
}

Evaluation MicroStepper::factor(double t, double h, const std::vector<Quad>& x_before,
                                const std::vector<Quad>& x) {
  set_path(h, x_before, x);
  ++n_evaluations_;
  const Evaluation done = levels_.jacobians(t, path_, 0, df_dx_, df_dxdot_);
  if (!done) return done;
  const CscPattern& p = system_.pattern();
  std::vector<Quad> a(m_ * n_);
  for (std::size_t j = 0; j < n_; ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      a[static_cast<std::size_t>(p.row[s]) * n_ + j] = df_dx_[s] + df_dxdot_[s] / Quad(h);
    }
  }
  factors_.factor(std::move(a), m_, n_);
  return done;
}

double MicroStepper::size_of(const std::vector<Quad>& step, const std::vector<Quad>& x) const {
  double size = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double unit = system_.nominal(static_cast<std::uint32_t>(i));
    const double part =
        std::abs(static_cast<double>(step[i])) / (unit + std::abs(static_cast<double>(x[i])));
    if (!(part <= size)) size = part;  // NaN too
  }
  return size;
}

Failure MicroStepper::not_solved(double t, const std::string& why) const {
  return {FailureCode::not_converged,
          "impulses at t = " + to_text(t) + ": a step across the instant cannot be solved: " + why};
}

/// Full steps solve most instants: what is impulsive grows by powers of 1/h at once, which a test for
/// monotonicity would forbid.
Result<void> MicroStepper::step(double t, double h, const std::vector<Quad>& x_before,
                                std::vector<Quad>& x) {
  constexpr int few = 15, many = 100;
  if (iterate(t, h, x_before, x, false, few)) return {};
  return iterate(t, h, x_before, x, true, many);
}

bool MicroStepper::is_rounding(double h, const std::vector<Quad>& x_before,
                               const std::vector<Quad>& x, const std::vector<Quad>& f) {
  const double unit = 1e4 * static_cast<double>(Quad::epsilon());
  set_path(h, x_before, x);
  const auto size = [](const Quad& value) { return std::abs(static_cast<double>(value)); };
  std::vector<double> terms(m_, 0.0);
  const CscPattern& p = system_.pattern();
  for (std::size_t j = 0; j < n_; ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      terms[static_cast<std::size_t>(p.row[s])] +=
          size(df_dx_[s]) * size(path_[j]) + size(df_dxdot_[s]) * size(path_[n_ + j]);
    }
  }
  for (std::size_t i = 0; i < m_; ++i) {
    if (!(size(f[i]) <= unit * terms[i])) return false;
  }
  return true;
}

Result<void> MicroStepper::iterate(double t, double h, const std::vector<Quad>& x_before,
                                   std::vector<Quad>& x, bool damped, int max_iterations) {
  constexpr double tolerance = 1e-26, smallest = 1.0 / 4096;
  constexpr double quick = 1e-3;  // contraction with which a Jacobian is kept
  constexpr double good_enough = 1e-20;
  x = x_before;
  std::vector<Quad> f, trial(n_), trial_f;
  const auto cannot = [&](const Evaluation& e) {
    return not_solved(t, "equation '" + system_.equation_name(e.row()) + "' cannot be evaluated");
  };
  if (const auto e = residual(t, h, x_before, x, f); !e) return cannot(e);
  bool keeps_factors = false;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < max_iterations; ++k) {
    if (!keeps_factors) {
      if (const auto e = factor(t, h, x_before, x); !e) return cannot(e);
    }
    const std::vector<Quad> step = factors_.solve(f);
    const double size = size_of(step, x);
    if (!std::isfinite(size)) break;
    bool taken = false;
    for (double lambda = 1.0; lambda >= smallest && !taken; lambda /= 2) {
      for (std::size_t i = 0; i < n_; ++i) {
        trial[i] = x[i] - Quad(lambda) * step[i];
      }
      if (!residual(t, h, x_before, trial, trial_f)) continue;
      taken = !damped || size <= good_enough ||
              size_of(factors_.solve(trial_f), x) <= (1.0 - lambda / 4) * size;
    }
    if (!taken) {
      if (!keeps_factors) break;
      keeps_factors = false;  // once more with a Jacobian from here
      continue;
    }
    x.swap(trial);
    f.swap(trial_f);
    if (size <= tolerance) return {};
    if (size > last / 2 && (last <= good_enough || is_rounding(h, x_before, x, f))) return {};
    keeps_factors = size <= quick * last || !std::isfinite(last);
    last = size;
  }
  if (last <= good_enough || is_rounding(h, x_before, x, f)) return {};
  std::size_t worst = 0;
  for (std::size_t i = 1; i < m_; ++i) {
    if (std::abs(static_cast<double>(f[i])) > std::abs(static_cast<double>(f[worst]))) worst = i;
  }
  return not_solved(t, "equation '" + system_.equation_name(static_cast<std::uint32_t>(worst)) +
                           "' is left at " + to_text(static_cast<double>(f[worst])));
}

}  // namespace saltus::detail
