// The end of a run, and its report.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/books/closing.hpp"
#include "hybrid/controller.hpp"

namespace saltus {

void Run::Controller::end(const detail::Ending& ending) {
  if (ended_) return;  // the first reason counts
  ended_ = true;
  follower_.catch_up();
  // A run that was cut short says nothing about what would have been.
  const bool is_cut =
      ending.outcome == Outcome::step_limit || ending.outcome == Outcome::event_limit ||
      ending.outcome == Outcome::wall_time_limit || ending.outcome == Outcome::stopped;
  if (!is_cut) detail::warn_of_uncontrolled(ledger_, *here_);
  // A stretch without a step is where it began: the engine may have gone on, but not as part of the solution.
  if (here_.in_motion() && recording_.is_open())
    (void)recording_.writer().close(*here_->system, *here_->workspace, here_.stretch_begin(),
                                    here_->start.x, here_->start.xdot);
  detail::report_writing(ledger_, recording_.writer_if_any());
  drift_.report();
  detail::report_end(ledger_, modes_, *here_, *source_, options_);
  RunReport& report = ledger_.report();
  report.outcome = ending.outcome;
  report.message = ending.message;
  report.failure = ending.failure;
  report.t_reached = ending.as_recorded ? recording_.writer().trajectory().t_end()
                                        : ending.t_reached.value_or(t());
  report.wall_time_s = limits_.seconds();
}

const RunReport& Run::Controller::report() {
  RunReport& report = ledger_.report();
  if (!ended_) {
    report.t_reached = t();
    report.wall_time_s = limits_.seconds();
    report.outcome = Outcome::stopped;
    report.message = "the run is still going on";
  }
  if (recording_.is_open()) report.invariants = recording_.writer().invariants();
  ledger_.bring_up_to_date(modes_, *here_, here_.duration(), has_modes());
  report.event_names = detail::names_of_events(modes_, *source_);
  return report;
}

Solution Run::Controller::finish() {
  if (open_instant_) {
    end({Outcome::undecided, "at t = " + to_text(open_instant_->point.t) +
                                 " the solution came to a surface at which the run was to stop "
                                 "(events.surface); " +
                                 ways_text(open_candidates_)});
  }
  if (!ended_) end({Outcome::stopped, "the run was ended early"});
  report();
  Solution solution;
  if (recording_.is_open()) solution.trajectory = recording_.writer().take();
  solution.report = ledger_.report();
  solution.event_log = ledger_.take_log();
  if (record_) record_->ends(solution);
  return solution;
}

}  // namespace saltus
