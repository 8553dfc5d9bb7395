// What was judged where motion on surfaces began is judged again along it.
//
// Two judgements are made at the first point: that mixing the equations is Filippov's motion (the form `mixed`),
// and that the motion on several surfaces does not depend on the rule by which their sides are mixed. Coefficients
// that vanish there, or of terms that are still too small, may make them wrong later.
//
// "Differs" means: by a rate that would change a state by more than its tolerance if it lasted as long as the whole
// run, or, for an unknown without derivative, by more than its tolerance.
#pragma once

#include <optional>
#include <span>

#include "hybrid/books/ending.hpp"
#include "hybrid/stay/motion.hpp"
#include "hybrid/surface/sliders.hpp"

namespace saltus::detail {

class SlidingWatch {
 public:
  /// All outlive it.
  SlidingWatch(const Frame& frame, Motion& motion, Sliders& sliders)
      : here_(frame.here),
        options_(frame.options),
        ledger_(frame.ledger),
        recording_(frame.recording),
        motion_(motion),
        sliders_(sliders) {}

  /// A step is about to be made.
  void begin_step() { change_ = FormChange::none; }
  /// After a step of an engine on surfaces, before anything else is made of it: why the run must end, if it must. A step
  /// along which mixed equations cease to be Filippov's motion ends where they do.
  std::optional<Ending> look();
  /// Mixed equations cease to be Filippov's motion at the end of the last step, or some steps before.
  bool changes_form() const { return change_ != FormChange::none; }
  /// Goes on from the end of the last step with a copy of the motion of every side: the same surfaces, no event.
  Result<void> go_on_with_copies();

 private:
  enum class FormChange : std::uint8_t { none, in_time, late };
  struct Look {
    bool depends_on_rule = false;  // by more than tolerances
    bool is_other_motion = false;  // than Filippov's
    bool is_known = true;          // false: a side could not be evaluated
  };
  double last_look() const;
  Look what_is_due() const;
  Look look_at_sides(const Look& due, double t, std::span<const double> x,
                     std::span<const double> xdot);
  std::optional<Ending> find_change(bool differs);

  const Stay& here_;
  const RunOptions& options_;
  Ledger& ledger_;
  Recording& recording_;
  Motion& motion_;
  Sliders& sliders_;
  FormChange change_ = FormChange::none;
  std::optional<double> looked_at_;  // where the form was right
};

}  // namespace saltus::detail
