// A system of functions whose workspace offers what functions cannot say: holds of surfaces, equations as matrices.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/system/abilities.hpp>
#include <saltus/system/configuration.hpp>
#include <saltus/system/function_system.hpp>
#include <saltus/system/monitoring.hpp>

#include "hybrid/mode/mode_run.hpp"

namespace saltus::hybrid_test {

/// F = B x' + A x + c + d t, row by row.
struct LinearSide {
  std::vector<double> b, a, c, d;
};

struct SidedFunctions {
  using Truth = std::span<const std::uint8_t>;
  using Values = std::span<const double>;

  SystemFunctions functions;
  /// Changes what is said of a switching function.
  std::function<void(std::uint32_t which, SwitchInfo& info)> info = {};
  /// The value of a function under these truths; nothing: that of `functions`.
  std::function<std::optional<double>(std::uint32_t which, Truth, Values x, Values xdot)> value =
      {};
  /// The exact derivative of a function by unknown j; nothing: a difference.
  std::function<std::optional<double>(std::uint32_t which, std::size_t j, Values x)> slope = {};
  std::function<std::optional<std::uint32_t>(std::uint32_t which, bool and_derivatives)>
      nonlinear_in_choice = {};
  /// Offers their derivatives, and is the residual.
  std::function<LinearSide(Truth)> linear = {};
  /// Offers RedundancyWatch, as what is reduced by ranks does.
  bool is_of_ranks = false;
};

class SidedWorkspace final : public Workspace,
                             public SwitchingFunctions,
                             public RedundancyWatch,
                             public DerivativeLevels<double>,
                             public DerivativeLevels<Quad> {
 public:
  SidedWorkspace(const SidedFunctions& sided, std::unique_ptr<Workspace> base)
      : sided_(sided),
        base_(std::move(base)),
        functions_(*base_->ability<SwitchingFunctions>()),
        locks_(*base_->ability<Locks>()) {
    for (std::uint32_t i = 0; i < functions_.count(); ++i) {
      infos_.push_back(functions_.info(i));
      if (sided_.info) sided_.info(i, infos_.back());
    }
    offer<SwitchingFunctions>(*this);
    offer<Locks>(locks_);
    if (auto* form = base_->ability<ExplicitForm>()) offer<ExplicitForm>(*form);
    if (sided_.is_of_ranks) offer<RedundancyWatch>(*this);
    if (!sided_.linear) return;
    offer<DerivativeLevels<double>>(*this);
    offer<DerivativeLevels<Quad>>(*this);
  }

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override {
    return base_->residual(t, x, xdot, f);
  }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override {
    return base_->jacobian(t, x, xdot, df_dx, df_dxdot);
  }

  std::uint32_t count() const override { return functions_.count(); }
  const SwitchInfo& info(std::uint32_t which) const override { return infos_[which]; }
  void set_relations(std::span<const std::uint8_t> truth) override {
    functions_.set_relations(truth);
  }
  bool is_active(std::uint32_t which) const override { return functions_.is_active(which); }
  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> g) override {
    const Evaluation done = functions_.evaluate(t, x, xdot, g);
    for (std::uint32_t i = 0; i < count(); ++i) g[i] = value(i, x, xdot).value_or(g[i]);
    return done;
  }
  Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                          std::span<const double> xdot, double& g) override {
    const Evaluation done = functions_.evaluate_one(which, t, x, xdot, g);
    g = value(which, x, xdot).value_or(g);
    return done;
  }
  Evaluation rates(double t, std::span<const double> x, std::span<const double> xdot,
                   std::span<double> g, std::span<double> gdot) override {
    return functions_.rates(t, x, xdot, g, gdot);
  }
  const CscPattern& gradient_pattern() const override { return functions_.gradient_pattern(); }
  Evaluation gradients(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<double> dg_dx) override {
    const Evaluation done = functions_.gradients(t, x, xdot, dg_dx);
    for (std::size_t j = 0; sided_.slope && j < x.size(); ++j) {
      for (std::uint32_t i = 0; i < count(); ++i) {
        double& entry = dg_dx[j * count() + i];  // the pattern is full
        entry = sided_.slope(i, j, x).value_or(entry);
      }
    }
    return done;
  }
  double next_time(double t, double t_end) override { return functions_.next_time(t, t_end); }
  bool is_timed(std::uint32_t which) const override { return functions_.is_timed(which); }
  bool is_due(std::uint32_t which, double t) override { return functions_.is_due(which, t); }
  std::optional<std::uint32_t> nonlinear_in_choice(std::uint32_t which,
                                                   bool and_derivatives) const override {
    return sided_.nonlinear_in_choice ? sided_.nonlinear_in_choice(which, and_derivatives)
                                      : std::nullopt;
  }

  const Contradiction& largest_contradiction() const override { return contradiction_; }

  Evaluation residuals(double t, std::span<const double> path, int level,
                       std::span<double> f) override {
    return write_residuals(t, path, level, f);
  }
  Evaluation residuals(double t, std::span<const Quad> path, int level,
                       std::span<Quad> f) override {
    return write_residuals(t, path, level, f);
  }
  Evaluation jacobians(double, std::span<const double>, int level, std::span<double> a,
                       std::span<double> b) override {
    return write_jacobians(level, a, b);
  }
  Evaluation jacobians(double, std::span<const Quad>, int level, std::span<Quad> a,
                       std::span<Quad> b) override {
    return write_jacobians(level, a, b);
  }

 private:
  std::optional<double> value(std::uint32_t which, std::span<const double> x,
                              std::span<const double> xdot) const {
    return sided_.value ? sided_.value(which, locks_.locks(), x, xdot) : std::nullopt;
  }
  template <class T>
  Evaluation write_residuals(double t, std::span<const T> path, int level, std::span<T> f) const {
    const LinearSide e = sided_.linear(locks_.locks());
    const std::size_t n = e.c.size();
    for (std::size_t k = 0; k <= static_cast<std::size_t>(level); ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        T sum = T(k == 0 ? e.c[i] + e.d[i] * t : k == 1 ? e.d[i] : 0.0);
        for (std::size_t j = 0; j < n; ++j)
          sum += T(e.a[i * n + j]) * path[k * n + j] +
                 T(e.b[i * n + j] * static_cast<double>(k + 1)) * path[(k + 1) * n + j];
        f[k * n + i] = sum;
      }
    }
    return Evaluation::ok();
  }
  template <class T>
  Evaluation write_jacobians(int level, std::span<T> a, std::span<T> b) const {
    const LinearSide e = sided_.linear(locks_.locks());
    const std::size_t n = e.c.size();
    for (std::size_t s = 0; s < n * n * static_cast<std::size_t>(level + 1); ++s) {
      const std::size_t of_matrix = s % n * n + s / n;  // the pattern is full, column by column
      a[s] = T(s < n * n ? e.a[of_matrix] : 0.0);
      b[s] = T(s < n * n ? e.b[of_matrix] : 0.0);
    }
    return Evaluation::ok();
  }

  const SidedFunctions& sided_;
  std::unique_ptr<Workspace> base_;
  SwitchingFunctions& functions_;
  Locks& locks_;
  std::vector<SwitchInfo> infos_;
  Contradiction contradiction_;
};

class SidedSystem final : public System {
 public:
  explicit SidedSystem(SidedFunctions sided) : sided_(std::move(sided)) {
    if (sided_.linear) {
      sided_.functions.locked_residual = [linear = sided_.linear](double t, auto x, auto xdot,
                                                                  auto locks, auto f) {
        const LinearSide e = linear(locks);
        for (std::size_t i = 0; i < f.size(); ++i) {
          f[i] = e.c[i] + e.d[i] * t;
          for (std::size_t j = 0; j < f.size(); ++j)
            f[i] += e.b[i * f.size() + j] * xdot[j] + e.a[i * f.size() + j] * x[j];
        }
      };
    }
    base_ = make_system(sided_.functions);
  }

  std::uint32_t size() const override { return base_->size(); }
  const CscPattern& pattern() const override { return base_->pattern(); }
  std::span<const std::uint8_t> carries_derivative() const override {
    return base_->carries_derivative();
  }
  std::string unknown_name(std::uint32_t unknown) const override {
    return base_->unknown_name(unknown);
  }
  std::string equation_name(std::uint32_t row) const override { return base_->equation_name(row); }
  double nominal(std::uint32_t unknown) const override { return base_->nominal(unknown); }
  StartValues start_values() const override { return base_->start_values(); }
  const VariableMap& variable_map() const override { return base_->variable_map(); }
  std::unique_ptr<Workspace> workspace() const override {
    return std::make_unique<SidedWorkspace>(sided_, base_->workspace());
  }

 private:
  SidedFunctions sided_;
  std::shared_ptr<const System> base_;
};

/// A mode of a sided system that has begun at t = 0.
struct SidedMode {
  explicit SidedMode(SidedFunctions sided, RunOptions run_options = {})
      : options(std::move(run_options)),
        source(std::make_shared<SidedSystem>(std::move(sided))),
        mode(source, options, source.initial()) {
    const auto loaded = mode.load();
    EXPECT_TRUE(loaded.has_value()) << loaded.failure().message;
    const auto begun = mode.begin(0.0, mode.system, nullptr);
    EXPECT_TRUE(begun.has_value()) << begun.failure().message;
  }
  SidedMode(const SidedMode&) = delete;
  static detail::EventPoint at(double t, std::vector<double> x, std::vector<double> xdot) {
    detail::EventPoint point;
    point.t = t;
    point.x = std::move(x);
    point.xdot = std::move(xdot);
    return point;
  }

  RunOptions options;
  SingleConfiguration source;
  detail::ModeRun mode;
};

}  // namespace saltus::hybrid_test
