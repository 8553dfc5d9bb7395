// Locks of a compiled mode.
#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>

#include "lower/compiled/compiled_switching.hpp"
#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

const ConditionTruth& CompiledSwitching::truth() const {
  if (truth_.is_of(board_)) return truth_;
  truth_.refresh(board_, workspace_.parameters(), workspace_.discrete(),
                 workspace_.settled_previous());
  return truth_;
}

bool CompiledSwitching::is_active(std::uint32_t which) const {
  const SwitchPlan::Function& f = plan_.function_of(which);
  if (f.active_if.empty() && f.lane_active_if.empty()) return true;
  const ConditionTruth& now = truth();
  return now.all_hold(f.active_if, 0) && now.all_hold(f.lane_active_if, which - f.first);
}

void CompiledSwitching::set_lock(std::uint32_t which, bool truth) {
  SALTUS_ASSERT(which < locks_.size());
  locks_[which] = truth ? lock_true : lock_false;
  board_.set(plan_.switch_id(which), truth);
}

void CompiledSwitching::branches(std::span<std::uint8_t> out) const {
  const ConditionTruth& now = truth();
  std::size_t k = 0;
  for (const SwitchPlan::Branch& b : plan_.branches()) {
    const bool active = now.all_hold(b.active_if, 0);
    for (std::uint32_t lane = 0; lane < b.place.lanes; ++lane) {
      const bool chosen = active && now.all_hold(b.lane_active_if, lane);
      out[k++] = chosen ? now(b.place, lane) : lock_false;
    }
  }
}

/// A switching function may depend on other relations, and these on others again, but never in a
/// circle: after as many rounds as they are nested, all are what they are.
Evaluation CompiledSwitching::decide(double t, std::span<const double> x,
                                     std::span<const double> xdot) {
  const std::uint32_t n = plan_.n_relations();
  for (std::uint32_t i = 0; i < n; ++i) set_lock(i, false);
  for (std::uint32_t round = 0; round <= n; ++round) {
    const std::uint64_t before = board_.version();
    static_cast<void>(evaluate(t, x, xdot, g_));
    // All are looked at under the same locks before the first is set.
    for (std::uint32_t i = 0; i < n; ++i) decided_[i] = is_active(i) && info(i).truth(g_[i]);
    for (std::uint32_t i = 0; i < n; ++i) set_lock(i, decided_[i] != 0);
    if (board_.version() == before) break;
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    if (is_active(i) && !std::isfinite(g_[i])) return Evaluation::out_of_domain(i);
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
