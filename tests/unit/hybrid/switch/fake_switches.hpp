// Relations, actions and held values that a test writes down, as one workspace.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>

namespace saltus::hybrid_test {

using FakeValues = std::span<const double>;

/// g = constant + by_t t + by_x x.
struct FakeFunction {
  static constexpr std::uint32_t always = 0xffffffffU;
  SwitchInfo info;
  double constant = 0.0, by_t = 0.0;
  std::vector<double> by_x = {};
  bool is_timed = false;
  std::uint32_t only_with = always;                            // it matters where that one is true
  std::function<bool(double t, FakeValues x)> has_value = {};  // empty: everywhere
};

/// What a trigger may read.
struct FakeTruths {
  std::span<const std::uint8_t> relation;
  FakeValues discrete, before_x, before_discrete;
};
struct FakeTrigger {
  std::uint32_t action = 0;
  std::function<bool(const FakeTruths&)> holds;
  std::string text = "condition";
};
inline FakeTrigger while_true(std::uint32_t relation, std::uint32_t action) {
  return {action, [relation](const FakeTruths& now) { return now.relation[relation] != 0; }, "yes"};
}

inline ActionInfo fake_info(const std::string& name, std::vector<ActionTarget> targets = {},
                            int priority = 0) {
  ActionInfo info;
  info.name = name;
  for (const ActionTarget& target : targets)
    info.target_names.push_back((target.is_unknown ? "x" : "n") + std::to_string(target.index));
  info.targets = std::move(targets);
  info.priority = priority;
  return info;
}
inline ActionInfo fake_info(const std::string& name, ActionKind kind) {
  ActionInfo info = fake_info(name);
  info.kind = kind;
  return info;
}
struct FakeAction {
  ActionInfo info;
  std::function<Evaluation(double t, FakeValues x, FakeValues discrete, std::span<double> out)>
      values = {};
  std::string refusal = {}, remark = {}, jump = {};  // what it says
  int n_jumps = 1;                                   // how often it says so
};

struct FakeParts {
  std::uint32_t n_unknowns = 1;
  std::vector<FakeFunction> functions;
  std::vector<FakeAction> actions = {};  // empty: it offers none
  std::vector<FakeTrigger> triggers = {};
  std::vector<double> discrete = {};
  bool has_locks = true;
  std::vector<std::uint32_t> of_equations = {}, of_outputs = {};  // relations that choose them
};

class FakeSwitches : public Workspace, public SwitchingFunctions, public Locks, public HeldValues {
 public:
  explicit FakeSwitches(FakeParts given)
      : parts(std::move(given)), relation_(parts.functions.size(), 0), actions_(*this) {
    pattern_.n_rows = static_cast<index_t>(parts.functions.size());
    pattern_.n_cols = static_cast<index_t>(parts.n_unknowns);
    pattern_.column_start.assign(1, 0);
    for (std::size_t j = 0; j < parts.n_unknowns; ++j) {
      for (std::size_t w = 0; w < parts.functions.size(); ++w)
        if (by_x(w, j) != 0.0) pattern_.row.push_back(static_cast<index_t>(w));
      pattern_.column_start.push_back(static_cast<index_t>(pattern_.row.size()));
    }
    offer<SwitchingFunctions>(*this);
    offer<HeldValues>(*this);
    if (parts.has_locks) offer<Locks>(*this);
    if (!parts.actions.empty()) offer<EventActions>(actions_);
  }
  FakeParts parts;
  int n_told = 0;                       // calls of set_relations
  std::vector<std::uint8_t> last_told;  // by the last one
  std::vector<double> compared_with;    // what actions watch
  int n_compared = 0;

  // ---- equations: none
  Evaluation residual(double, FakeValues, FakeValues, std::span<double>) override {
    return Evaluation::ok();
  }
  Evaluation jacobian(double, FakeValues, FakeValues, std::span<double>,
                      std::span<double>) override {
    return Evaluation::ok();
  }

  // ---- SwitchingFunctions
  std::uint32_t count() const override { return static_cast<std::uint32_t>(relation_.size()); }
  const SwitchInfo& info(std::uint32_t which) const override { return parts.functions[which].info; }
  void set_relations(std::span<const std::uint8_t> truth) override {
    ++n_told;
    last_told.assign(truth.begin(), truth.end());
    std::copy(truth.begin(), truth.end(), relation_.begin());
  }
  bool is_active(std::uint32_t which) const override {
    const std::uint32_t with = parts.functions[which].only_with;
    return with == FakeFunction::always || relation_[with] != 0;
  }
  Evaluation evaluate(double t, FakeValues x, FakeValues xdot, std::span<double> g) override {
    for (std::uint32_t w = 0; w < count(); ++w) {
      g[w] = 0.0;
      if (!is_active(w)) continue;
      if (const Evaluation done = evaluate_one(w, t, x, xdot, g[w]); !done) return done;
    }
    return Evaluation::ok();
  }
  Evaluation evaluate_one(std::uint32_t which, double t, FakeValues x, FakeValues,
                          double& g) override {
    const FakeFunction& f = parts.functions[which];
    if (f.has_value && !f.has_value(t, x)) return Evaluation::out_of_domain(which);
    g = f.constant + f.by_t * t;
    for (std::size_t j = 0; j < x.size(); ++j) g += by_x(which, j) * x[j];
    return Evaluation::ok();
  }
  Evaluation rates(double t, FakeValues x, FakeValues xdot, std::span<double> g,
                   std::span<double> gdot) override {
    for (std::uint32_t w = 0; w < count(); ++w) {
      gdot[w] = parts.functions[w].by_t;
      for (std::size_t j = 0; j < x.size(); ++j) gdot[w] += by_x(w, j) * xdot[j];
    }
    return evaluate(t, x, xdot, g);
  }
  const CscPattern& gradient_pattern() const override { return pattern_; }
  Evaluation gradients(double, FakeValues x, FakeValues, std::span<double> dg_dx) override {
    std::size_t slot = 0;
    for (std::size_t j = 0; j < x.size(); ++j)
      for (std::size_t w = 0; w < relation_.size(); ++w)
        if (by_x(w, j) != 0.0) dg_dx[slot++] = by_x(w, j);
    return Evaluation::ok();
  }
  double next_time(double, double t_end) override { return t_end; }
  bool is_timed(std::uint32_t which) const override { return parts.functions[which].is_timed; }
  bool is_due(std::uint32_t, double) override { return false; }

  // ---- Locks
  std::span<const std::uint8_t> locks() const override {
    std::size_t n = 0;
    while (n < relation_.size() && parts.functions[n].info.kind == SwitchKind::relation) ++n;
    return std::span(relation_).first(n);
  }
  void set_lock(std::uint32_t which, bool truth) override { relation_.at(which) = truth ? 1 : 0; }
  Evaluation decide(double t, FakeValues x, FakeValues xdot) override {
    for (std::uint32_t w = 0; w < locks().size(); ++w) {
      double g = 0.0;
      if (const Evaluation done = evaluate_one(w, t, x, xdot, g); !done) return done;
      relation_[w] = is_active(w) && info(w).truth(g) ? 1 : 0;
    }
    return Evaluation::ok();
  }
  std::uint32_t n_equation_branches() const override {
    return static_cast<std::uint32_t>(parts.of_equations.size());
  }
  std::uint32_t n_branches() const override {
    return n_equation_branches() + static_cast<std::uint32_t>(parts.of_outputs.size());
  }
  void branches(std::span<std::uint8_t> truth) const override {
    std::size_t k = 0;
    for (const auto* list : {&parts.of_equations, &parts.of_outputs})
      for (const std::uint32_t w : *list) truth[k++] = relation_[w] != 0 && is_active(w) ? 1 : 0;
  }

  // ---- HeldValues
  std::span<double> parameters() override { return {}; }
  std::span<double> discrete() override { return parts.discrete; }

 private:
  class Actions final : public EventActions {
   public:
    explicit Actions(FakeSwitches& fake) : fake_(fake) {}
    std::uint32_t count() const override {
      return static_cast<std::uint32_t>(fake_.parts.actions.size());
    }
    const ActionInfo& info(std::uint32_t action) const override {
      return fake_.parts.actions.at(action).info;
    }
    std::uint32_t n_triggers() const override {
      return static_cast<std::uint32_t>(fake_.parts.triggers.size());
    }
    std::uint32_t action_of(std::uint32_t trigger) const override {
      return fake_.parts.triggers.at(trigger).action;
    }
    std::string trigger_text(std::uint32_t trigger) const override {
      return fake_.parts.triggers.at(trigger).text;
    }
    void triggers(FakeValues before_x, FakeValues before_discrete,
                  std::span<std::uint8_t> truth) override {
      const FakeTruths now{fake_.relation_, fake_.parts.discrete, before_x, before_discrete};
      for (std::size_t k = 0; k < truth.size(); ++k)
        truth[k] = fake_.parts.triggers[k].holds(now) ? 1 : 0;
    }
    Evaluation values(std::uint32_t action, double t, FakeValues x, FakeValues,
                      std::span<double> out) override {
      last_ = action;
      const FakeAction& asked = fake_.parts.actions.at(action);
      return asked.values ? asked.values(t, x, fake_.parts.discrete, out) : Evaluation::ok();
    }
    std::string refusal() const override { return fake_.parts.actions[last_].refusal; }
    std::string remark() const override { return fake_.parts.actions[last_].remark; }
    std::vector<double> watched(double, FakeValues x, FakeValues) override {
      return {x.begin(), x.end()};
    }
    void compare_with(FakeValues watched, double) override {
      ++fake_.n_compared;
      fake_.compared_with.assign(watched.begin(), watched.end());
    }
    std::string jumped(std::uint32_t action, double, FakeValues, FakeValues) override {
      FakeAction& asked = fake_.parts.actions[action];
      return asked.n_jumps-- > 0 ? asked.jump : std::string();
    }

   private:
    FakeSwitches& fake_;
    std::uint32_t last_ = 0;
  };

  double by_x(std::size_t which, std::size_t unknown) const {
    const auto& all = parts.functions[which].by_x;
    return unknown < all.size() ? all[unknown] : 0.0;
  }

  std::vector<std::uint8_t> relation_;
  CscPattern pattern_;
  Actions actions_;
};

}  // namespace saltus::hybrid_test
