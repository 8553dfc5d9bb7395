#include "slide/sliding_base.hpp"

#include <saltus/system/abilities.hpp>

namespace saltus::detail {

std::unique_ptr<Workspace> SlidingBase::workspace() const {
  auto made = system->workspace();
  set_held_values(*made, held);
  if (auto* of_base = made->ability<Locks>()) {
    for (std::uint32_t i = 0; i < locks.size(); ++i) of_base->set_lock(i, locks[i] != 0);
  }
  // A choice of states becomes that of this point.
  auto* refresh = made->ability<ChosenStates>() != nullptr ? made->ability<StepRefresh>() : nullptr;
  if (refresh != nullptr) (void)refresh->step_accepted(t, x, xdot);
  return made;
}

HandedThrough::HandedThrough(Workspace& base, SlidingSides& sides)
    : held(base.ability<HeldValues>()), redundancy(base.ability<RedundancyWatch>()) {
  if (auto* of_base = base.ability<ScheduledTimes>()) scheduled.emplace(*of_base, sides);
}

}  // namespace saltus::detail
