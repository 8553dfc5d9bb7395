// A step, from the engine that makes it to the events on it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hybrid/run/end_of_run.hpp"
#include "hybrid/run/instant_loop.hpp"
#include "hybrid/run/parts.hpp"

namespace saltus::detail {

enum class Made : std::uint8_t {
  none,     // the run has failed
  step,     // a step is open
  instant,  // a step, or what it led to, is part of the solution
};

class StepLoop {
 public:
  /// All outlive it.
  StepLoop(Ground& ground, StepParts& step, InstantParts& at, InstantLoop& instants, EndOfRun& end)
      : ground_(ground), here_(ground.here), step_(step), at_(at), instants_(instants), end_(end) {}

  /// The run has ended, or waits for a decision.
  bool is_over() const { return end_.is_reached() || instants_.question(); }
  /// The engine has made a step, which is not part of the solution yet.
  bool is_open() const { return open_.has_value(); }
  void forget() { open_.reset(); }
  /// A step, which is open then; or an instant that comes before it.
  Made make();
  /// What the open step leads to, up to a limit inside of it: then it stays open.
  Made finish(std::optional<double> t_limit);
  /// The caller is at a time inside the open step.
  void look(double t);
  /// Where the caller is, if it is inside an open step.
  const EventPoint* looked_at() const { return open_ && open_->look ? &*open_->look : nullptr; }
  /// Inputs change where the caller is; an open step ends there. True if the run goes on.
  bool change_inputs(std::vector<InputChange> changes);
  /// What comes of an instant.
  void settle(const InstantLoop::Passed& passed);

 private:
  bool put_back_what_drifts();
  Made add_step();
  bool has_crossed(const std::vector<Departure>& group, double t) const;
  bool pass_crossings(std::span<const Departure> group);
  bool pass_surface_ahead(bool step_failed);
  bool pass_event(Result<InstantRequest> event, std::span<const Crossing> crossings);
  void pass_end_of_step();
  void look_at_limits();
  void reach_end();

  struct OpenStep {
    std::optional<std::vector<Departure>> ahead = {};  // what crosses next, once it is known
    std::optional<EventPoint> look = {};               // where the caller is
  };

  Ground& ground_;
  Stay& here_;
  StepParts& step_;
  InstantParts& at_;
  InstantLoop& instants_;
  EndOfRun& end_;
  std::optional<OpenStep> open_;
};

}  // namespace saltus::detail
