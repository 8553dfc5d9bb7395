#include "hybrid/run/asked_workspace.hpp"

#include <saltus/system/started_system.hpp>

namespace saltus::detail {

Workspace& AskedWorkspace::as_running(const Stay& here) {
  if (system_ != here->system) {
    workspace_ = here->system->workspace();
    system_ = here->system;
  }
  set_held_values(*workspace_, held_values_of(*here->workspace));
  const auto* from = here->workspace->ability<Locks>();
  auto* to = workspace_->ability<Locks>();
  for (std::uint32_t k = 0; from != nullptr && to != nullptr && k < from->locks().size(); ++k)
    to->set_lock(k, from->locks()[k] != 0);
  if (auto* scheduled = workspace_->ability<ScheduledTimes>())
    scheduled->enter_stretch(here.stretch_begin(), here.stretch_end());
  return *workspace_;
}

}  // namespace saltus::detail
