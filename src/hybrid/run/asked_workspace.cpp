#include "hybrid/run/asked_workspace.hpp"

#include <saltus/system/started_system.hpp>

namespace saltus::detail {

Workspace& AskedWorkspace::as_running(const Stay& here) {
  if (system_ != here->system) {
    workspace_ = here->system->workspace();
    system_ = here->system;
  }
  set_as_in(*workspace_, *here->workspace);
  if (auto* scheduled = workspace_->ability<ScheduledTimes>())
    scheduled->enter_stretch(here.stretch_begin(), here.stretch_end());
  return *workspace_;
}

}  // namespace saltus::detail
