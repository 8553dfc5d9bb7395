#include <saltus/system/function_system.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <saltus/core/error.hpp>

#include "system/callback_actions.hpp"
#include "system/difference_jacobian.hpp"
#include "system/differenced_switching.hpp"
#include "system/function_checks.hpp"

namespace saltus {

namespace {

using Input = SystemFunctions::Input;
using Output = SystemFunctions::Output;

/// What a system of functions and its workspaces share.
struct FunctionParts {
  explicit FunctionParts(SystemFunctions list)
      : functions(std::move(list)),
        pattern(detail::completed_pattern(functions)),
        groups(pattern),
        actions(functions.actions, functions.unknowns, functions.switches),
        gradient_pattern(detail::full_pattern(functions.switches.size(), size())) {
    std::vector<VariableInfo> variables;
    for (const FunctionUnknown& unknown : functions.unknowns) {
      carries_derivative.push_back(unknown.differential ? 1 : 0);
      nominal.push_back(unknown.nominal);
      start.push_back(unknown.start);
      variables.push_back({unknown.name, unknown.unit, ""});
    }
    map.emplace(std::move(variables));
    for (std::uint32_t i = 0; i < functions.switches.size(); ++i) {
      switches.push_back(
          {.name = functions.switches[i].name, .sets_unknowns = actions.sets_unknowns(i)});
      if (functions.switches[i].changes_equations) branching.push_back(i);
    }
    has_residual = detail::has_residual(functions);
    has_derivative = detail::has_derivative(functions);
    has_locks = functions.locked_residual || functions.locked_derivative || branching.empty();
  }

  std::size_t size() const { return functions.unknowns.size(); }

  SystemFunctions functions;
  CscPattern pattern;
  detail::ColumnGroups groups;
  std::vector<std::uint8_t> carries_derivative;
  std::vector<double> nominal, start;
  std::optional<IdentityMap> map;
  detail::CallbackActionList actions;
  std::vector<SwitchInfo> switches;
  std::vector<std::uint32_t> branching;  // switches that change the equations
  CscPattern gradient_pattern;
  bool has_residual = false, has_derivative = false, has_locks = false;
};

class FunctionWorkspace final : public Workspace,
                                public ExplicitForm,
                                public StepProjection,
                                public StepRefresh,
                                public Locks {
 public:
  explicit FunctionWorkspace(std::shared_ptr<const FunctionParts> parts)
      : parts_(std::move(parts)),
        functions_(parts_->functions),
        differences_(
            parts_->pattern, parts_->groups, parts_->nominal,
            [this](double t, Input x, Input xdot, Output f) { return residual(t, x, xdot, f); }),
        zero_(parts_->size(), 0.0),
        locks_(parts_->switches.size(), 0),
        g_(parts_->switches.size(), 0.0),
        switching_({.infos = parts_->switches,
                    .pattern = parts_->gradient_pattern,
                    .nominal = parts_->nominal,
                    .relations = locks_,
                    .matters = functions_.matters},
                   [this](double t, Input x, Output g) { return switching(t, x, g); }),
        actions_(parts_->actions, parts_->size(), locks_,
                 [this](const std::function<void()>& call) { return guarded(call); }) {
    if (parts_->has_derivative) offer<ExplicitForm>(*this);
    if (functions_.project) offer<StepProjection>(*this);
    if (functions_.step_accepted) offer<StepRefresh>(*this);
    if (parts_->switches.empty()) return;
    offer<SwitchingFunctions>(switching_);
    if (!functions_.actions.empty()) offer<EventActions>(actions_);
    if (parts_->has_locks) offer<Locks>(*this);
    // Whoever runs the system sets them anew; until then they are those of the start values.
    static_cast<void>(decide(0.0, parts_->start, zero_));
    error_.clear();
  }

  Evaluation residual(double t, Input x, Input xdot, Output f) override {
    SALTUS_ASSERT(fits(x) && fits(xdot) && fits(f));
    if (!parts_->has_residual) {
      const Evaluation evaluation = derivative(t, x, f);
      if (!evaluation) return evaluation;
      for (std::size_t i = 0; i < f.size(); ++i) f[i] = xdot[i] - f[i];
      return check_rows(f);
    }
    const Evaluation called = guarded([&] {
      functions_.residual ? functions_.residual(t, x, xdot, f)
                          : functions_.locked_residual(t, x, xdot, locks_, f);
    });
    return called ? check_rows(f) : called;
  }

  Evaluation jacobian(double t, Input x, Input xdot, Output df_dx, Output df_dxdot) override {
    SALTUS_ASSERT(fits(x) && fits(xdot));
    SALTUS_ASSERT(df_dx.size() == parts_->pattern.row.size() && df_dxdot.size() == df_dx.size());
    const Evaluation evaluation = functions_.jacobian
                                      ? user_jacobian(t, x, xdot, df_dx, df_dxdot)
                                      : difference_jacobian(t, x, xdot, df_dx, df_dxdot);
    if (!evaluation) return evaluation;
    const Evaluation first = check_entries(df_dx);
    return first ? check_entries(df_dxdot) : first;
  }

  Evaluation derivative(double t, Input x, Output xdot) override {
    SALTUS_ASSERT(fits(x) && fits(xdot));
    const Evaluation called = guarded([&] {
      functions_.derivative ? functions_.derivative(t, x, xdot)
                            : functions_.locked_derivative(t, x, locks_, xdot);
    });
    return called ? check_rows(xdot) : called;
  }

  Evaluation project(double t, Output x) override {
    SALTUS_ASSERT(fits(x));
    const Evaluation called = guarded([&] { functions_.project(t, x); });
    return called ? check_rows(x) : called;
  }

  Answer step_accepted(double t, Input x, Input xdot) override {
    Answer answer = Answer::new_jacobian;
    // There is no way to fail here, so the next evaluation does.
    if (!guarded([&] { answer = functions_.step_accepted(t, x, xdot); })) refresh_threw_ = true;
    return answer;
  }

  std::span<const std::uint8_t> locks() const override { return locks_; }
  void set_lock(std::uint32_t which, bool truth) override { locks_.at(which) = truth ? 1 : 0; }
  Evaluation decide(double t, Input x, Input) override {
    const Evaluation called = switching(t, x, g_);
    if (!called) return called;
    for (std::size_t i = 0; i < g_.size(); ++i) locks_[i] = g_[i] > 0.0 ? 1 : 0;
    // A relation that does not matter is false, whereupon others may cease to matter.
    for (bool settled = false; !settled;) {
      settled = true;
      for (std::uint32_t i = 0; i < g_.size(); ++i) {
        if (locks_[i] == 0 || switching_.is_active(i)) continue;
        locks_[i] = 0;
        settled = false;
      }
    }
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      if (switching_.is_active(i) && !std::isfinite(g_[i])) return Evaluation::out_of_domain(i);
    }
    return Evaluation::ok();
  }
  std::uint32_t n_equation_branches() const override { return n_branches(); }
  std::uint32_t n_branches() const override {
    return static_cast<std::uint32_t>(parts_->branching.size());
  }
  void branches(std::span<std::uint8_t> truth) const override {
    SALTUS_ASSERT(truth.size() == parts_->branching.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const std::uint32_t which = parts_->branching[i];
      truth[i] = locks_[which] != 0 && switching_.is_active(which) ? 1 : 0;
    }
  }

  std::string last_error() const override { return error_; }

 private:
  template <class T>
  bool fits(std::span<T> values) const {
    return values.size() == parts_->size();
  }

  Evaluation switching(double t, Input x, Output g) {
    std::fill(g.begin(), g.end(), std::numeric_limits<double>::quiet_NaN());
    return guarded([&] { functions_.switching(t, x, g); });
  }

  /// Not ok if the call threw, or an earlier step_accepted did.
  template <class Call>
  Evaluation guarded(const Call& call) {
    if (refresh_threw_) return Evaluation::failed(0);
    try {
      call();
      return Evaluation::ok();
    } catch (const std::domain_error& e) {
      error_ = e.what();
      return Evaluation::out_of_domain(0);
    } catch (const std::exception& e) {
      error_ = e.what();
    } catch (...) {  // whatever a user throws ends here
      error_ = "an exception without a message";
    }
    return Evaluation::failed(0);
  }

  Evaluation check_rows(Input values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        return Evaluation::out_of_domain(static_cast<std::uint32_t>(i));
    }
    return Evaluation::ok();
  }

  Evaluation check_entries(Input values) const {
    for (std::size_t s = 0; s < values.size(); ++s) {
      if (!std::isfinite(values[s])) {
        return Evaluation::out_of_domain(static_cast<std::uint32_t>(parts_->pattern.row[s]));
      }
    }
    return Evaluation::ok();
  }

  Evaluation user_jacobian(double t, Input x, Input xdot, Output df_dx, Output df_dxdot) {
    std::fill(df_dx.begin(), df_dx.end(), 0.0);
    std::fill(df_dxdot.begin(), df_dxdot.end(), 0.0);
    return guarded([&] { functions_.jacobian(t, x, xdot, df_dx, df_dxdot); });
  }

  Evaluation difference_jacobian(double t, Input x, Input xdot, Output df_dx, Output df_dxdot) {
    const bool only_derivative = !parts_->has_residual;
    // x' - f(t, x) is differenced at x' = 0: a large x' would only cost digits of f.
    const Evaluation base = differences_.begin(t, x, only_derivative ? Input(zero_) : xdot);
    if (!base) return base;
    const Evaluation by_x = differences_.by_x(df_dx);
    if (!by_x) return by_x;
    if (!only_derivative) return differences_.by_xdot(parts_->carries_derivative, df_dxdot);
    const CscPattern& p = parts_->pattern;
    for (std::size_t j = 0; j < parts_->size(); ++j) {
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        df_dxdot[s] = static_cast<std::size_t>(p.row[s]) == j ? 1.0 : 0.0;
      }
    }
    return Evaluation::ok();
  }

  std::shared_ptr<const FunctionParts> parts_;
  const SystemFunctions& functions_;
  detail::DifferenceJacobian differences_;
  std::vector<double> zero_;
  bool refresh_threw_ = false;
  std::string error_;
  std::vector<std::uint8_t> locks_;  // without Locks: as told
  std::vector<double> g_;
  detail::DifferencedSwitching switching_;
  detail::CallbackActions actions_;
};

class FunctionSystem final : public System {
 public:
  explicit FunctionSystem(SystemFunctions functions)
      : parts_(std::make_shared<const FunctionParts>(std::move(functions))) {}

  std::uint32_t size() const override { return static_cast<std::uint32_t>(parts_->size()); }
  const CscPattern& pattern() const override { return parts_->pattern; }
  std::span<const std::uint8_t> carries_derivative() const override {
    return parts_->carries_derivative;
  }
  std::string unknown_name(std::uint32_t unknown) const override {
    return parts_->functions.unknowns.at(unknown).name;
  }
  std::string equation_name(std::uint32_t row) const override {
    const auto& names = parts_->functions.equations;
    return names.empty() ? "equation " + std::to_string(row + 1) : names.at(row);
  }
  double nominal(std::uint32_t unknown) const override { return parts_->nominal.at(unknown); }
  StartValues start_values() const override {
    StartValues start;
    for (const FunctionUnknown& unknown : parts_->functions.unknowns) {
      start.x.push_back(unknown.start);
      start.x_given.push_back(unknown.differential ? 1 : 0);
    }
    start.xdot.assign(start.x.size(), 0.0);
    return start;
  }
  const VariableMap& variable_map() const override { return *parts_->map; }
  std::unique_ptr<Workspace> workspace() const override {
    return std::make_unique<FunctionWorkspace>(parts_);
  }

 private:
  std::shared_ptr<const FunctionParts> parts_;
};

}  // namespace

std::shared_ptr<const System> make_system(SystemFunctions functions) {
  detail::refuse_unusable(functions);
  return std::make_shared<const FunctionSystem>(std::move(functions));
}

}  // namespace saltus
