// A system of functions whose workspaces offer more: actions of any kind, discrete variables, initial equations.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <saltus/system/configuration.hpp>
#include <saltus/system/function_system.hpp>
#include <saltus/system/handing.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/started_system.hpp>

namespace saltus::hybrid_test {

struct Dress {
  using In = std::span<const double>;
  using Out = std::span<double>;
  using Truths = std::span<const std::uint8_t>;
  /// `when` looks at the truth of relations and at discrete variables; `value` is for all targets.
  struct Action {
    ActionInfo info;
    std::function<bool(Truths truths, In discrete)> when;
    std::function<double(In x, In discrete)> value = {};
  };
  /// Linear in x, and in the same unknowns whatever else it looks at.
  struct Initial {
    std::string name;
    std::function<double(In x, In discrete, Truths truths)> residual;
  };
  std::vector<Action> actions = {};
  std::vector<double> discrete = {};
  std::vector<Initial> initial = {};

  ActionInfo& add_action(ActionKind kind, const std::string& name,
                         std::function<bool(Truths truths, In discrete)> when) {
    actions.push_back({{}, std::move(when)});
    ActionInfo& info = actions.back().info;
    info.name = name;
    info.kind = kind;
    return info;
  }
};

class DressedWorkspace final : public Workspace, public HeldValues {
 public:
  using In = Dress::In;
  using Out = Dress::Out;

  DressedWorkspace(const Dress& dress, std::unique_ptr<Workspace> base, std::size_t n)
      : base_(std::move(base)),
        discrete_(dress.discrete),
        actions_(dress, *base_, discrete_),
        initial_(dress, *base_, n, discrete_) {
    if (!dress.actions.empty()) offer<EventActions>(actions_);
    if (!dress.discrete.empty()) offer<HeldValues>(*this);
    if (!dress.initial.empty()) offer<InitialEquations>(initial_);
    hand_on(*base_, EveryAbility{});
  }
  Evaluation residual(double t, In x, In xdot, Out f) override {
    return base_->residual(t, x, xdot, f);
  }
  Evaluation jacobian(double t, In x, In xdot, Out df_dx, Out df_dxdot) override {
    return base_->jacobian(t, x, xdot, df_dx, df_dxdot);
  }
  std::string last_error() const override { return base_->last_error(); }
  Out parameters() override { return {}; }
  Out discrete() override { return discrete_; }

 private:
  struct Actions final : EventActions {
    Actions(const Dress& of, Workspace& on, std::vector<double>& values)
        : dress(of), base(on), held(values) {}
    std::uint32_t count() const override {
      return static_cast<std::uint32_t>(dress.actions.size());
    }
    const ActionInfo& info(std::uint32_t action) const override {
      return dress.actions.at(action).info;
    }
    std::uint32_t n_triggers() const override { return count(); }
    std::uint32_t action_of(std::uint32_t trigger) const override { return trigger; }
    std::string trigger_text(std::uint32_t trigger) const override {
      return "condition of " + info(trigger).name;
    }
    void triggers(In, In discrete, std::span<std::uint8_t> truth) override {
      const auto locks = base.ability<Locks>()->locks();
      for (std::size_t k = 0; k < truth.size(); ++k)
        truth[k] = dress.actions[k].when(locks, discrete) ? 1 : 0;
    }
    Evaluation values(std::uint32_t action, double, In x, In, Out out) override {
      std::ranges::fill(out, dress.actions.at(action).value(x, held));
      return Evaluation::ok();
    }
    const Dress& dress;
    Workspace& base;
    std::vector<double>& held;
  };

  struct Initials final : InitialEquations {
    Initials(const Dress& of, Workspace& on, std::size_t n, std::vector<double>& values)
        : dress(of), base(on), held(values) {
      read.n_rows = static_cast<index_t>(count());
      read.n_cols = static_cast<index_t>(2 * n);
      const std::vector<double> zero(n, 0.0);
      for (std::size_t j = 0; j < 2 * n; ++j) {
        for (std::uint32_t k = 0; j < n && k < count(); ++k)
          if (slope(k, j, zero) != 0) read.row.push_back(static_cast<index_t>(k));
        read.column_start.push_back(read.nnz());
      }
    }
    std::uint32_t count() const override {
      return static_cast<std::uint32_t>(dress.initial.size());
    }
    std::string name(std::uint32_t equation) const override { return dress.initial[equation].name; }
    const CscPattern& pattern() const override { return read; }
    Evaluation residual(double, In x, In, Out r) override {
      for (std::uint32_t k = 0; k < count(); ++k) r[k] = value(k, x);
      return Evaluation::ok();
    }
    Evaluation jacobian(double, In x, In, Out dr) override {
      for (std::size_t j = 0, s = 0; j < x.size(); ++j)
        for (; s < static_cast<std::size_t>(read.column_start[j + 1]); ++s)
          dr[s] = slope(static_cast<std::uint32_t>(read.row[s]), j, x);
      return Evaluation::ok();
    }
    double value(std::uint32_t k, In x) const {
      auto* locks = base.ability<Locks>();
      return dress.initial[k].residual(x, held, locks ? locks->locks() : Dress::Truths{});
    }
    /// A difference over 1, which is exact for linear functions.
    double slope(std::uint32_t k, std::size_t j, In x) const {
      std::vector<double> moved(x.begin(), x.end());
      moved[j] += 1.0;
      return value(k, moved) - value(k, x);
    }
    const Dress& dress;
    Workspace& base;
    std::vector<double>& held;
    CscPattern read;
  };

  std::unique_ptr<Workspace> base_;
  std::vector<double> discrete_;
  Actions actions_;
  Initials initial_;
};

class DressedSystem final : public System {
 public:
  DressedSystem(std::shared_ptr<const System> system, Dress dress)
      : system_(std::move(system)), dress_(std::move(dress)) {}

  std::uint32_t size() const override { return system_->size(); }
  const CscPattern& pattern() const override { return system_->pattern(); }
  std::span<const std::uint8_t> carries_derivative() const override {
    return system_->carries_derivative();
  }
  std::string unknown_name(std::uint32_t unknown) const override {
    return system_->unknown_name(unknown);
  }
  std::string equation_name(std::uint32_t row) const override {
    return system_->equation_name(row);
  }
  double nominal(std::uint32_t unknown) const override { return system_->nominal(unknown); }
  StartValues start_values() const override { return system_->start_values(); }
  const VariableMap& variable_map() const override { return system_->variable_map(); }
  std::unique_ptr<Workspace> workspace() const override {
    return std::make_unique<DressedWorkspace>(dress_, system_->workspace(), system_->size());
  }

 private:
  std::shared_ptr<const System> system_;
  Dress dress_;
};

inline std::shared_ptr<const System> dressed(SystemFunctions functions, Dress dress) {
  return std::make_shared<DressedSystem>(make_system(std::move(functions)), std::move(dress));
}

/// Values that nobody has stated are guesses.
inline std::shared_ptr<const System> with_guesses(std::shared_ptr<const System> system,
                                                  std::vector<std::uint8_t> x_given) {
  StartValues start = system->start_values();
  start.x_given = std::move(x_given);
  return std::make_shared<StartedSystem>(std::move(system), std::move(start));
}

/// Modes by their systems, all of which may be the first, in order.
struct SeveralModes final : ConfigurationSource {
  explicit SeveralModes(std::vector<std::shared_ptr<const System>> of) : systems(std::move(of)) {
    for (std::uint32_t k = 0; k < systems.size(); ++k) first.push_back(k);
  }
  std::vector<std::shared_ptr<const System>> systems;
  std::vector<TransitionInfo> ways;
  std::vector<std::uint32_t> first, group_ends;
  std::uint32_t begins_in = 0;

  Configuration initial() const override { return {begins_in, {}, {}}; }
  std::span<const std::uint32_t> first_modes() const override { return first; }
  std::span<const std::uint32_t> first_group_ends() const override { return group_ends; }
  std::uint32_t n_modes() const override { return static_cast<std::uint32_t>(systems.size()); }
  /// "a", "b", …
  std::string mode_name(std::uint32_t mode) const override {
    return {static_cast<char>('a' + mode)};
  }
  Result<std::shared_ptr<const System>> system(const Configuration& configuration) override {
    if (const auto& found = systems.at(configuration.mode)) return found;
    return Failure{FailureCode::singular, "it cannot be built"};
  }
  std::span<const TransitionInfo> transitions() const override { return ways; }
};

}  // namespace saltus::hybrid_test
