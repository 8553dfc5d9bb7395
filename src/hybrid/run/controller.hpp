// The controller behind a run: steps, and what interrupts them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/hybrid/run.hpp>
#include <saltus/initialize/restart.hpp>

#include "hybrid/run/asked_workspace.hpp"
#include "hybrid/run/end_of_run.hpp"
#include "hybrid/run/instant_loop.hpp"
#include "hybrid/run/outside_inputs.hpp"
#include "hybrid/run/parts.hpp"
#include "hybrid/run/run_history.hpp"
#include "hybrid/run/step_loop.hpp"

namespace saltus {

class Run::Controller {
 public:
  Controller(std::string model_name, std::shared_ptr<ConfigurationSource> source,
             RunOptions options, Observer& observer, RunFollower* follower);

  // ---- going on ------------------------------------------------------------------------------------
  bool advance();
  bool advance_to(double t);
  void set_input(const std::string& name, std::span<const double> values);
  void choose(std::size_t candidate);

  // ---- where it is ---------------------------------------------------------------------------------
  bool ended() const { return end_.is_reached(); }
  std::span<const SurfaceCandidateRecord> decision() const;
  const detail::Stay& here() const { return here_; }
  const detail::Recording& recording() const { return ground_.recording; }
  /// Where the caller is: inside an open step, or where the run is.
  struct Look {
    double t = 0.0;
    std::span<const double> x, xdot;
  };
  Look looks_at() const;
  double value(const std::string& variable);
  const RunReport& report() { return end_.report(); }
  Solution finish() { return end_.finish(instants_.question()); }

  // ---- kept in a file ------------------------------------------------------------------------------
  std::string save() const;
  void restore(std::string_view saved);

 private:
  void repeat(const detail::RunCall& call);
  // The start.
  Result<void> begin(std::optional<Restart> jump);
  Result<void> act_at_start();
  Result<void> begin_motion();
  Result<void> pass_at_start(detail::Verdict verdict);
  // One call.
  template <class Call>
  void guarded(const Call& call);
  void end_with_mistake(const Error& error);
  bool make_progress();
  void go_towards(double t);
  bool change_inputs();

  detail::Ground ground_;
  detail::Stay& here_;
  detail::StepParts step_;
  detail::InstantParts at_;
  detail::InstantLoop instants_;
  detail::EndOfRun end_;
  detail::StepLoop steps_;
  detail::OutsideInputs inputs_;
  detail::RunHistory history_;
  detail::AskedWorkspace asked_;
};

}  // namespace saltus
