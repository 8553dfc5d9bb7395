#include "slide/equations/sliding_base.hpp"

#include <saltus/system/abilities.hpp>

namespace saltus::detail {

std::unique_ptr<Workspace> SlidingBase::workspace() const {
  auto made = system->workspace();
  set_held_values(*made, held);
  set_locks(*made, locks);
  // A choice of states becomes that of this point.
  auto* refresh = made->ability<ChosenStates>() != nullptr ? made->ability<StepRefresh>() : nullptr;
  if (refresh != nullptr) (void)refresh->step_accepted(t, x, xdot);
  return made;
}

std::optional<NoticedTimes> noticed_times(Workspace& base, SlidingSides& sides) {
  if (auto* times = base.ability<ScheduledTimes>()) return NoticedTimes(*times, sides);
  return std::nullopt;
}

}  // namespace saltus::detail
