// The controller behind a run: steps, and what interrupts them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <saltus/hybrid/run.hpp>
#include <saltus/initialize/restart.hpp>

#include "hybrid/run/parts.hpp"

namespace saltus {

class Run::Controller {
 public:
  Controller(std::string model_name, std::shared_ptr<ConfigurationSource> source,
             RunOptions options, Observer& observer, RunFollower* follower);

  bool advance();
  bool ended() const { return ended_; }
  std::span<const SurfaceCandidateRecord> decision() const;
  void choose(std::size_t candidate);
  /// Where the run is, and what it has recorded.
  const detail::Stay& here() const { return here_; }
  const detail::Recording& recording() const { return ground_.recording; }
  const RunReport& report();
  Solution finish();

 private:
  // ---- the start -----------------------------------------------------------------------------------
  void check_and_report(std::string model_name);
  Result<void> begin(std::optional<Restart> jump);
  Result<void> act_at_start();
  Result<void> begin_motion();

  // ---- around a step -------------------------------------------------------------------------------
  bool put_back_what_drifts();
  bool pass_crossings(std::span<const Departure> group);
  bool pass_surface_ahead(bool step_failed);
  bool pass_event(Result<detail::InstantRequest> event,
                  std::span<const detail::Crossing> crossings);
  bool go_on_with_copies();
  void go_on();
  void look_at_limits();

  // ---- at an instant -------------------------------------------------------------------------------
  /// Nothing if the run goes on, or waits for a decision.
  using Passed = Result<std::optional<detail::Ending>>;
  Passed pass(detail::Verdict verdict);
  Result<void> pass_at_start(detail::Verdict verdict);
  void settle(const Passed& passed);

  // ---- the end -------------------------------------------------------------------------------------
  detail::Ending at_end() const;
  void conclude(detail::Ending ending);
  bool end(const detail::Ending& ending);

  detail::Ground ground_;
  detail::Stay& here_;
  detail::StepParts step_;
  detail::InstantParts at_;
  std::optional<detail::Question> question_;  // waits for choose()
  bool ended_ = false;
};

}  // namespace saltus
