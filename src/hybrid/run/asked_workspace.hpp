// A workspace for questions in between: what is asked must change nothing of the run, and workspaces remember where they
// have been (multipliers, projections, choices of states).
#pragma once

#include <memory>

#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

class AskedWorkspace {
 public:
  /// With branches, held values and inputs as where the run is.
  Workspace& as_running(const Stay& here);

 private:
  std::shared_ptr<const System> system_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace saltus::detail
