#include "hybrid/run/end_of_run.hpp"

#include <saltus/core/text.hpp>

#include "hybrid/books/closing.hpp"

namespace saltus::detail {

bool EndOfRun::reach(const Ending& ending) {
  if (reached_) return false;
  reached_ = true;
  ground_.follower.catch_up();
  // A run that was cut short says nothing about what would have been.
  const bool is_cut =
      ending.outcome == Outcome::step_limit || ending.outcome == Outcome::event_limit ||
      ending.outcome == Outcome::wall_time_limit || ending.outcome == Outcome::stopped;
  Stay& here = ground_.here;
  Recording& recording = ground_.recording;
  if (!is_cut) warn_of_uncontrolled(ground_.ledger, *here);
  // A stretch without a step is where it began: the engine may have gone on, but not as part of the solution.
  if (here.in_motion() && recording.is_open())
    (void)recording.writer().close(*here->system, *here->workspace, here.stretch_begin(),
                                   here->start.x, here->start.xdot);
  report_writing(ground_.ledger, recording.writer_if_any());
  step_.drift.report();
  report_end(ground_.ledger, ground_.modes, *here, *ground_.source, ground_.options);
  RunReport& report = ground_.ledger.report();
  report.outcome = ending.outcome;
  report.message = ending.message;
  report.failure = ending.failure;
  report.t_reached = ending.as_recorded ? recording.writer().trajectory().t_end()
                                        : ending.t_reached.value_or(here.t());
  report.wall_time_s = ground_.limits.seconds();
  return false;
}

const RunReport& EndOfRun::report() {
  RunReport& report = ground_.ledger.report();
  const Stay& here = ground_.here;
  if (!reached_) {
    report.t_reached = here.t();
    report.wall_time_s = ground_.limits.seconds();
    report.outcome = Outcome::stopped;
    report.message = "the run is still going on";
  }
  if (ground_.recording.is_open()) report.invariants = ground_.recording.writer().invariants();
  ground_.ledger.bring_up_to_date(ground_.modes, *here, here.duration(), ground_.frame.has_modes());
  report.event_names = names_of_events(ground_.modes, *ground_.source);
  return report;
}

Solution EndOfRun::finish(const std::optional<Question>& question) {
  if (question) {
    reach({Outcome::undecided, "at t = " + to_text(question->instant.point.t) +
                                   " the solution came to a surface at which the run was to stop "
                                   "(events.surface); " +
                                   ways_text(question->candidates)});
  }
  reach({Outcome::stopped, "the run was ended early"});
  report();
  Solution solution;
  if (ground_.recording.is_open()) solution.trajectory = ground_.recording.writer().take();
  solution.report = ground_.ledger.report();
  solution.event_log = ground_.ledger.take_log();
  if (ground_.record) ground_.record->ends(solution);
  return solution;
}

}  // namespace saltus::detail
