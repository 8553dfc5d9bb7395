// When-clauses of a workspace.
#pragma once

#include <memory>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/system/drift.hpp>
#include <saltus/system/switching.hpp>

#include "lower/plan/action_plan.hpp"
#include "lower/compiled/compiled_contacts.hpp"
#include "lower/compiled/compiled_directions.hpp"
#include "lower/layout/lock_board.hpp"

namespace saltus::detail {

class CompiledWorkspace;

class CompiledActions final : public EventActions, public ActionDirections, public DriftCorrection {
 public:
  CompiledActions(const ActionPlan& plan, CompiledWorkspace& workspace);

  std::uint32_t count() const override {
    return static_cast<std::uint32_t>(plan_.actions().size());
  }
  const ActionInfo& info(std::uint32_t action) const override {
    return plan_.actions()[action].info;
  }
  std::uint32_t n_triggers() const override {
    return static_cast<std::uint32_t>(plan_.triggers().size());
  }
  std::uint32_t action_of(std::uint32_t trigger) const override {
    return plan_.triggers()[trigger].action;
  }
  std::string trigger_text(std::uint32_t trigger) const override {
    return plan_.triggers()[trigger].text;
  }
  void triggers(std::span<const double> before_x, std::span<const double> before_discrete,
                std::span<std::uint8_t> truth) override;
  Evaluation values(std::uint32_t action, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) override;
  bool along(std::uint32_t action, double t, std::span<const double> x,
             std::span<const double> xdot, const Direction& way, std::span<double> out) override;
  std::string refusal() const override { return refusal_; }
  std::string remark() const override { return contacts_ ? contacts_->remark() : std::string(); }
  std::vector<double> watched(double t, std::span<const double> x,
                              std::span<const double> xdot) override;
  void compare_with(std::span<const double> watched, double time_error) override;
  std::string jumped(std::uint32_t action, double t, std::span<const double> x,
                     std::span<const double> xdot) override;

  double drift(double t, std::span<const double> x, std::span<const double> xdot,
               std::span<const double> tolerance) override;
  Evaluation put_back(double t, std::span<double> x) override;

 private:
  Evaluation values_by_contacts(const ActionPlan::Action& action, std::uint32_t number, double t,
                                std::span<const double> x, std::span<double> out);
  CompiledContacts* contacts();
  struct Evaluators {
    std::unique_ptr<Locked<Evaluator<double>>> values, decide;
    std::unique_ptr<SeriesOfOne> along;
  };
  Evaluators& evaluators_of(std::uint32_t action);

  const ActionPlan& plan_;
  CompiledWorkspace& workspace_;
  ConditionTruth truth_;
  std::vector<Evaluators> evaluators_;
  std::unique_ptr<CompiledContacts> contacts_;
  std::vector<std::uint8_t> holds_;  // triggers, as they were looked at last
  std::string refusal_;
};

}  // namespace saltus::detail
