// Small ODEs for tests of explicit engines.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <saltus/integrate/engine.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/system.hpp>

#include "integrate/explicit/engine.hpp"

namespace saltus::explicit_test {

using Vector = std::vector<double>;
using RightHandSide =
    std::function<Evaluation(double t, std::span<const double> x, std::span<double> xdot)>;

/// x' = f(t, x) and nothing else. What engines do not ask for is not there.
class PlainOde final : public System {
 public:
  PlainOde(Vector start, RightHandSide f, bool is_explicit = true)
      : start_(std::move(start)),
        f_(std::move(f)),
        is_explicit_(is_explicit),
        carries_(start_.size(), 1) {
    const auto n = static_cast<index_t>(start_.size());
    pattern_.n_rows = pattern_.n_cols = n;
    for (index_t j = 0; j < n; ++j) {
      for (index_t i = 0; i < n; ++i) pattern_.row.push_back(i);
      pattern_.column_start.push_back((j + 1) * n);
    }
  }

  std::uint32_t size() const override { return static_cast<std::uint32_t>(start_.size()); }
  const CscPattern& pattern() const override { return pattern_; }
  std::span<const std::uint8_t> carries_derivative() const override { return carries_; }
  void make_algebraic(std::size_t unknown) { carries_[unknown] = 0; }

  std::string unknown_name(std::uint32_t i) const override { return "x" + std::to_string(i); }
  std::string equation_name(std::uint32_t i) const override { return "row " + std::to_string(i); }
  double nominal(std::uint32_t) const override { return 1.0; }
  StartValues start_values() const override {
    return {start_, Vector(start_.size()), std::vector<std::uint8_t>(start_.size(), 1)};
  }
  const VariableMap& variable_map() const override { return map_; }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Work>(*this); }

  std::function<StepRefresh::Answer(double, std::span<const double>, std::span<const double>)>
      step_accepted;

 private:
  class Work final : public Workspace, public ExplicitForm, public StepRefresh {
   public:
    explicit Work(const PlainOde& ode) : ode_(ode) {
      if (ode.is_explicit_) offer<ExplicitForm>(*this);
      if (ode.step_accepted) offer<StepRefresh>(*this);
    }
    Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                        std::span<double> f) override {
      const Evaluation done = ode_.f_(t, x, f);
      for (std::size_t i = 0; i < f.size(); ++i) f[i] = xdot[i] - f[i];
      return done;
    }
    // Row 1 has no derivative of its own: what refusals of implicit systems look for.
    Evaluation jacobian(double, std::span<const double> x, std::span<const double>,
                        std::span<double> df_dx, std::span<double> df_dxdot) override {
      for (double& value : df_dx) value = 0.0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          df_dxdot[j * x.size() + i] = i == j && i != 1 ? 1.0 : 0.0;
        }
      }
      return Evaluation::ok();
    }
    Evaluation derivative(double t, std::span<const double> x, std::span<double> xdot) override {
      return ode_.f_(t, x, xdot);
    }
    Answer step_accepted(double t, std::span<const double> x,
                         std::span<const double> xdot) override {
      return ode_.step_accepted(t, x, xdot);
    }

   private:
    const PlainOde& ode_;
  };

  Vector start_;
  RightHandSide f_;
  bool is_explicit_;
  std::vector<std::uint8_t> carries_;
  CscPattern pattern_;
  IdentityMap map_{{}};
};

/// A system, one workspace and one engine.
struct EngineRun {
  EngineRun(const System& ode, EngineKind kind, const EngineOptions& options)
      : system(ode),
        workspace(ode.workspace()),
        engine(make_engine(kind, ode, *workspace, options)) {}
  EngineRun(const System& ode, const detail::ExplicitTableau& tableau, const EngineOptions& options)
      : system(ode),
        workspace(ode.workspace()),
        engine(detail::make_explicit_engine(tableau, detail::Problem(ode, *workspace, options))) {}

  Result<void> start(double t, double t_towards, const StartHint& hint = {}) {
    return start(t, system.start_values().x, t_towards, hint);
  }
  Result<void> start(double t, const Vector& x, double t_towards, const StartHint& hint = {}) {
    const Vector xdot(x.size());
    return engine->start({t, x, xdot}, t_towards, hint);
  }
  /// Until t_end or the first failure.
  Result<void> to(double t_end) {
    while (engine->t() != t_end) {
      if (auto done = engine->step(t_end); !done) return done;
    }
    return {};
  }
  Vector x() const { return {engine->x().begin(), engine->x().end()}; }

  const System& system;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<Engine> engine;
};

inline EngineOptions fixed_steps(double h) {
  EngineOptions options;
  options.fixed_step = h;
  return options;
}
inline EngineOptions tolerance(double rtol, double atol) {
  EngineOptions options;
  options.rtol = rtol;
  options.atol = {atol};
  return options;
}

/// x'' = -x with a rate that varies: x = (sin g, cos g), g = t + 0.3 sin t. Nonautonomous and, by the
/// third unknown z' = z² g' cos g with z = 1/(2 - sin g), nonlinear.
inline PlainOde turning() {
  return PlainOde({0.0, 1.0, 0.5}, [](double t, auto x, auto f) {
    const double rate = 1.0 + 0.3 * std::cos(t);
    f[0] = rate * x[1];
    f[1] = -rate * x[0];
    f[2] = x[2] * x[2] * rate * x[1];
    return Evaluation::ok();
  });
}
inline Vector turning_solution(double t) {
  const double g = t + 0.3 * std::sin(t);
  return {std::sin(g), std::cos(g), 1.0 / (2.0 - std::sin(g))};
}
inline double turning_error(double t, std::span<const double> x) {
  const Vector exact = turning_solution(t);
  double largest = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    largest = std::max(largest, std::abs(x[i] - exact[i]));
  }
  return largest;
}

/// Slope of log(error) over log(h) by least squares.
inline double observed_order(const Vector& h, const Vector& error) {
  const double n = static_cast<double>(h.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]);
    const double y = std::log(error[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Restricted problem of three bodies, an orbit that closes after `arenstorf_period`
/// (R. F. Arenstorf; HNW II.0).
inline constexpr double arenstorf_period = 17.0652165601579625588917206249;
inline PlainOde arenstorf() {
  return PlainOde({0.994, 0.0, 0.0, -2.00158510637908252240537862224}, [](double, auto x, auto f) {
    constexpr double mu = 0.012277471;
    const double r1 = std::pow((x[0] + mu) * (x[0] + mu) + x[1] * x[1], 1.5);
    const double r2 = std::pow((x[0] - (1 - mu)) * (x[0] - (1 - mu)) + x[1] * x[1], 1.5);
    f[0] = x[2];
    f[1] = x[3];
    f[2] = x[0] + 2 * x[3] - (1 - mu) * (x[0] + mu) / r1 - mu * (x[0] - (1 - mu)) / r2;
    f[3] = x[1] - 2 * x[2] - (1 - mu) * x[1] / r1 - mu * x[1] / r2;
    return Evaluation::ok();
  });
}

/// Two bodies, eccentricity e, period 2 pi; starts in the pericentre.
inline PlainOde two_bodies(double e = 0.5) {
  return PlainOde({1 - e, 0.0, 0.0, std::sqrt((1 + e) / (1 - e))}, [](double, auto x, auto f) {
    const double r3 = std::pow(x[0] * x[0] + x[1] * x[1], 1.5);
    f[0] = x[2];
    f[1] = x[3];
    f[2] = -x[0] / r3;
    f[3] = -x[1] / r3;
    return Evaluation::ok();
  });
}

}  // namespace saltus::explicit_test
