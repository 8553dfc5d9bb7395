// Surfaces beyond which the equations must not, or cannot, be evaluated.
//
// As a rule they are continued inside a step (continued_workspace.hpp). Where they are not, a step that would pass such
// a surface is refused and made smaller. Once that has happened, the time of the crossing is predicted at the
// end of each step, the next step may only come close to it, and the last bit, far below the tolerance, is
// bridged along x'.
#pragma once

#include <optional>

#include "hybrid/stay/instant_request.hpp"
#include "hybrid/stay/motion.hpp"

namespace saltus::detail {

class SurfaceApproach {
 public:
  /// Both outlive it.
  SurfaceApproach(const Frame& frame, Motion& motion)
      : here_(frame.here), recording_(frame.recording), ledger_(frame.ledger), motion_(motion) {}

  /// An event at a surface that is as near as makes no difference, and whether the way to it could be recorded.
  struct Bridge {
    InstantRequest event;
    Result<void> recorded;
  };
  /// After a step, or after one that failed.
  std::optional<Bridge> look(bool step_failed);

 private:
  const Stay& here_;
  Recording& recording_;
  Ledger& ledger_;
  Motion& motion_;
  bool approaching_ = false;  // a surface that must not be passed
};

}  // namespace saltus::detail
