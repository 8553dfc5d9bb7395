#include "hybrid/start_policy.hpp"

#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/initialize/restart.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>

namespace saltus::detail {

namespace {

/// Everything of a system but its start values.
class StartedElsewhere final : public System {
 public:
  StartedElsewhere(std::shared_ptr<const System> system, StartValues start)
      : system_(std::move(system)), start_(std::move(start)) {}

  std::uint32_t size() const override { return system_->size(); }
  std::uint32_t n_equations() const override { return system_->n_equations(); }
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
  StartValues start_values() const override { return start_; }
  const VariableMap& variable_map() const override { return system_->variable_map(); }
  std::unique_ptr<Workspace> workspace() const override { return system_->workspace(); }

 private:
  std::shared_ptr<const System> system_;
  StartValues start_;
};

}  // namespace

Result<std::shared_ptr<const System>> apply_start_policy(std::shared_ptr<const System> system,
                                                         const RunOptions& options,
                                                         std::vector<DecisionRecord>& choices) {
  if (options.start == StartPolicy::keep) return system;
  const double t = options.t_begin;
  const auto workspace = system->workspace();
  if (auto* scheduled = workspace->ability<ScheduledTimes>()) {
    scheduled->enter_stretch(t, scheduled->next(t, options.t_end));
  }
  RestartOptions wanted;
  wanted.policy =
      options.start == StartPolicy::check ? RestartPolicy::check : RestartPolicy::least_squares;
  wanted.time_scale = options.t_end - t;
  StartValues start = system->start_values();
  decide_locks(*workspace, t, start.x, start.xdot);
  const auto found = restart(*system, *workspace, t, start, wanted);
  if (!found) return found.failure();
  if (options.start == StartPolicy::check) return system;
  for (const StartChange& c : found->changes) {
    if (!start.x_given[c.unknown]) continue;
    choices.push_back({"start value of " + c.name, to_text(c.given), to_text(c.used),
                       "least squares at t = " + to_text(t)});
  }
  start.x = found->x;
  start.xdot = found->xdot;
  std::shared_ptr<const System> moved =
      std::make_shared<StartedElsewhere>(std::move(system), std::move(start));
  return moved;
}

}  // namespace saltus::detail
