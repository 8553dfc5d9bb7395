// Engines at work: how they are started, make their steps, and begin anew after an instant.
#pragma once

#include <optional>

#include <saltus/integrate/engine.hpp>

#include "hybrid/books/ending.hpp"
#include "hybrid/stay/frame.hpp"
#include "hybrid/stay/resolution.hpp"

namespace saltus::detail {

class Motion {
 public:
  Motion(const Frame& frame, TimeResolution& resolution)
      : frame_(frame), here_(frame.here), ledger_(frame.ledger), resolution_(resolution) {}

  // ---- begin -----------------------------------------------------------------------------------------
  /// From t to the next known time at which something is not smooth.
  void enter_stretch(double t);
  /// Another part of the model, or the same one after another was left: nothing moves yet.
  void begin_stay(double t);
  /// From the point at which the mode starts.
  Result<void> set_in_motion(double t, StartHint hint);
  Result<void> start_stay(double t, StartHint hint);
  /// The engine begins anew where equations or values have changed, or where it was taken back to.
  Result<void> go_on_after(const EventPoint& point, InstantResult result);
  /// What begins at the end of a run is a point, the right limit there, and nothing moves any more.
  Result<void> end_with_start(double t);
  /// Nothing moves in that part of the model yet.
  void enter(ModeRun& part, double t);
  /// From one part of a mode to another one.
  void move_to(ModeRun& part, double t);

  // ---- step ------------------------------------------------------------------------------------------
  /// One step, not beyond the bound.
  Result<void> step();
  /// The engine may not go further yet.
  void set_bound(double t) { step_bound_ = t; }
  /// Another engine where steps are limited by stability.
  Result<void> replace_if_stiff();
  /// Its last step was, or will be, taken back: it has to be started.
  void cut() { was_cut_ = true; }
  /// It will be started in any case.
  void forget_cut() { was_cut_ = false; }
  /// The step that the engine would make next, before it is cut.
  void note_natural_step();

  // ---- since it began --------------------------------------------------------------------------------
  /// Where the engine was started: it has no step yet at this time.
  double engine_began_at() const { return engine_began_; }
  /// Where the motion began, perhaps with another engine.
  double began_at() const { return began_; }
  std::uint64_t n_steps() const { return ledger_.n_steps() - n_steps_before_; }
  /// Points that the system has refused since this was asked last.
  std::uint64_t n_newly_refused();

 private:
  Result<void> start_engine(double t, StartHint hint);
  Result<void> begin_steps(double t, const StartHint& hint);
  void note_first_step();

  const Frame& frame_;
  Stay& here_;
  Ledger& ledger_;
  TimeResolution& resolution_;
  double began_ = 0.0, engine_began_ = 0.0;
  double step_bound_ = 0.0;
  bool was_cut_ = false;
  bool is_growing_ = false;             // from a first step that was estimated
  std::uint64_t n_steps_before_ = 0;    // of the run, where the motion began
  std::uint64_t n_steps_at_start_ = 0;  // of the run, where the stretch began
  std::uint64_t n_refused_ = 0;
};

}  // namespace saltus::detail
