// Events whose order the tolerances do not decide.
//
// A function that may be off by its band (EventLocator::uncertainties()) passes zero at a time that is known to
//
//   band / |dg/dt|                                                                          (O.1)
//
// only. Where an instant sets off actions while another function is on its way to its surface and will be there within
// the sum of both errors, which of them comes first is decided by rounding. That is no matter if both orders of their
// actions lead to the same values, and if neither keeps the other from happening.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <saltus/system/transition.hpp>

#include "hybrid/mode/mode_run.hpp"

namespace saltus::detail {

class OrderWatch {
 public:
  struct Found {
    std::vector<std::string>
        warnings;  // each pair of causes is said once, and of many pairs the first ones
    /// What comes second, if it comes, may not come at all: also the first one is not certain.
    bool is_open = false;
    std::uint64_t n_evaluations = 0;
  };
  /// At an instant that is about to be passed, after EventLocator::margins() there. Functions of time that are due at
  /// the end of the stretch are among those that may follow.
  Found look(ModeRun& mode, const EventPoint& point, std::span<const Crossing> crossings,
             double stretch_end, std::span<const TransitionInfo> transitions);
  /// Crossings that were found to follow in no certain order are marginal.
  void mark(const ModeRun& mode, double t, std::span<Crossing> crossings) const;

 private:
  /// Whether it matters which of two causes comes first, here: values decide that, so it is asked at each instant.
  struct Verdict {
    bool matters = false;
    bool is_open = false;
  };
  struct Follower {
    const ModeRun* mode = nullptr;
    std::uint32_t which = 0;
    double until = 0.0;
  };
  void say(std::string warning, Found& found);

  /// By the names of relations and actions.
  std::set<std::pair<std::string, std::string>> said_;
  std::vector<Follower> followers_;
};

}  // namespace saltus::detail
