// What a run says about itself: limits, warnings, the report.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include <saltus/core/text.hpp>
#include <saltus/system/monitoring.hpp>

#include "hybrid/controller.hpp"

namespace saltus {

double Run::Controller::wall_time() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

/// To read the clock takes as long as a small step's error estimate: not at every one of those.
double Run::Controller::wall_time_at_step() {
  if (n_steps_to_look_ > 0) {
    --n_steps_to_look_;
    return seconds_seen_;
  }
  constexpr double soon = 1e-4;
  constexpr int most_steps = 4;  // that are counted on to be as short as the last ones
  const double now = wall_time();
  n_steps_per_look_ = now - seconds_seen_ < soon ? std::min(2 * n_steps_per_look_, most_steps) : 1;
  n_steps_to_look_ = n_steps_per_look_ - 1;
  seconds_seen_ = now;
  return now;
}

Progress Run::Controller::progress(double fraction, double seconds) const {
  return {t(), fraction, n_steps_, log_.n_events(), seconds};
}

bool Run::Controller::within_limits() {
  const LimitOptions& limits = options_.limits;
  const double seconds = wall_time_at_step();
  const double fraction =
      std::min(1.0, (t() - options_.t_begin) / (options_.t_end - options_.t_begin));
  const auto so_far = [&] { return "; t = " + to_text(t()) + " was reached"; };

  if (limits.max_steps > 0) {
    const auto most = static_cast<std::uint64_t>(limits.max_steps);
    if (n_steps_ >= most) {
      end(Outcome::step_limit, "the limit of " + to_text(limits.max_steps) +
                                   " steps (limits.max_steps) is used up" + so_far());
      return false;
    }
    if (!warned_of_steps_ &&
        static_cast<double>(n_steps_) >= limits.warn_at * static_cast<double>(most)) {
      warned_of_steps_ = true;
      warn(to_text(static_cast<std::int64_t>(n_steps_)) + " of at most " +
           to_text(limits.max_steps) + " steps are used" + so_far());
    }
  }
  if (seconds >= limits.max_wall_time_s) {
    end(Outcome::wall_time_limit, "the limit of " + to_text(limits.max_wall_time_s) +
                                      " s (limits.max_wall_time_s) is used up" + so_far());
    return false;
  }
  if (!warned_of_time_ && seconds >= limits.warn_at * limits.max_wall_time_s) {
    warned_of_time_ = true;
    warn("most of the " + to_text(limits.max_wall_time_s) + " s allowed have passed" + so_far());
  }
  if (!observer_.keep_going(progress(fraction, seconds))) {
    end(Outcome::stopped, "the observer asked to stop" + so_far());
    return false;
  }
  return true;
}

void Run::Controller::warn(const std::string& text) {
  report_.warnings.push_back(text);
  observer_.message(Severity::warning, "run", text);
}

void Run::Controller::note_sizes() {
  const auto now = x();
  for (std::size_t i = 0; i < now.size(); ++i) {
    here_->largest[i] = std::max(here_->largest[i], std::abs(now[i]));
  }
}

/// A solution that goes to infinity ends in steps that are too small: the words for it.
std::string Run::Controller::growth() const {
  constexpr double suspicious = 1e6;
  std::size_t worst = 0;
  double most = 0.0;
  for (std::size_t i = 0; i < here_->largest.size(); ++i) {
    const double start = std::max(std::abs(here_->start.x[i]),
                                  here_->system->nominal(static_cast<std::uint32_t>(i)));
    if (here_->largest[i] / start > most) {
      most = here_->largest[i] / start;
      worst = i;
    }
  }
  if (most < suspicious) return {};
  return "; '" + here_->system->unknown_name(static_cast<std::uint32_t>(worst)) +
         "' has grown to " + to_text(x()[worst]) + ": the solution may go to infinity here";
}

/// A state without a start value begins at its guess or at zero: that is said, not assumed.
void Run::Controller::report_missing_starts(const StartValues& start) {
  const auto differential = here_->system->carries_derivative();
  std::vector<std::string> names;
  std::size_t n = 0;
  for (std::uint32_t i = 0; i < here_->system->size(); ++i) {
    if (!differential[i] || start.x_given[i]) continue;
    constexpr std::size_t most = 5;
    if (n++ < most) names.push_back(here_->system->unknown_name(i) + " = " + to_text(start.x[i]));
  }
  if (n == 0) return;
  if (n > names.size()) names.push_back("and " + std::to_string(n - names.size()) + " more");
  report_.choices.push_back({"start values", "not given", join(names, ", "), "guesses, or zero"});
}

/// Unknowns that never rose above their absolute tolerance were not controlled at all.
void Run::Controller::report_uncontrolled() {
  std::vector<std::string> names;
  std::size_t n = 0;
  for (std::size_t i = 0; i < here_->largest.size(); ++i) {
    const double atol = here_->engine_options.atol[i];
    constexpr double rounding_of_zero = 1e-12;
    if (here_->largest[i] >= atol || here_->largest[i] <= rounding_of_zero * atol) continue;
    constexpr std::size_t most = 3;
    if (n++ < most)
      names.push_back("'" + here_->system->unknown_name(static_cast<std::uint32_t>(i)) + "'");
  }
  if (n == 0) return;
  if (n > names.size()) names.push_back("and " + std::to_string(n - names.size()) + " more");
  warn(join(names, ", ") + (n == 1 ? " stays" : " stay") +
       " below the absolute tolerance, so no digit of it was controlled; give its nominal size, or "
       "atol_of");
}

/// Values that were set to zero because they must not be negative are no part of the method's error.
void Run::Controller::report_corrections() {
  WorkCounts work;
  for (const ModeWork& past : past_work_) work += past.work;
  for (const auto& mode : modes_.all()) {
    if (mode->engine) work += mode->engine->work();
  }
  if (work.n_corrections == 0) return;
  warn(to_text(static_cast<std::int64_t>(work.n_corrections)) +
       " values that must not be negative were set to zero, the largest from " +
       to_text(-work.largest_correction));
}

/// Equations that should follow from the others and did not.
void Run::Controller::report_contradiction() {
  const auto* watch = here_->workspace ? here_->workspace->ability<RedundancyWatch>() : nullptr;
  if (watch == nullptr) return;
  const auto& largest = watch->largest_contradiction();
  if (largest.size <= 1.0 || options_.redundant == RedundantEquations::refuse) return;
  const std::string size = to_text(largest.size) + " times the tolerance";
  report_.choices.push_back({"redundant equations", join(largest.equations, ", "), "least squares",
                             size + " remained at t = " + to_text(largest.t)});
  warn("equations " + join(largest.equations, ", ") +
       " contradict each other: least squares made their residuals as small as possible, at most " +
       size);
}

void Run::Controller::keep_work() {
  add_work(*here_, past_work_);
  add_continued(*here_, event_work_);
  if (here_->continued) here_->continued->forget_counts();
}

void Run::Controller::add_continued(const detail::ModeRun& mode, EventWork& to) {
  if (!mode.continued) return;
  to.n_continued += mode.continued->n_continued();
  to.n_evaluations_one_sided += mode.continued->n_extra_evaluations();
}

/// What the engine of a mode has done, to the entry of that mode and engine.
void Run::Controller::add_work(const detail::ModeRun& mode, std::vector<ModeWork>& to) {
  if (!mode.engine) return;
  std::string solver;
  if (const auto used = mode.engine->linear_solver()) {
    for (const auto& choice : option_choices(LinearSolverKind{})) {
      if (choice.value == *used) solver = choice.name;
    }
  }
  const std::string engine(saltus::name(mode.engine->kind()));
  const WorkCounts& work = mode.engine->work();
  auto* sliding = mode.workspace->ability<Sliding>();
  const std::uint64_t n_side_evaluations =
      sliding != nullptr ? sliding->n_side_evaluations()
      : mode.continued   ? work.n_evaluations + mode.continued->n_extra_evaluations()
                         : work.n_evaluations;
  const auto it = std::find_if(to.begin(), to.end(), [&](const ModeWork& w) {
    return w.mode == mode.name && w.sliding == mode.visit.sliding && w.engine == engine;
  });
  if (it != to.end()) {
    it->work += work;
    it->n_side_evaluations += n_side_evaluations;
  } else {
    to.push_back({mode.name, engine, solver, mode.system->size(), work, n_side_evaluations,
                  mode.visit.sliding});
  }
}

void Run::Controller::end(Outcome outcome, const std::string& message,
                          std::optional<FailureCode> failure) {
  if (ended_) return;  // the first reason counts
  ended_ = true;
  if (follower_ != nullptr) follower_->catch_up();
  // A run that was cut short says nothing about what would have been.
  const bool is_cut = outcome == Outcome::step_limit || outcome == Outcome::event_limit ||
                      outcome == Outcome::wall_time_limit || outcome == Outcome::stopped;
  if (!is_cut) report_uncontrolled();
  // A stretch without a step is where it began: the engine may have gone on, but not as part of the solution.
  if (in_motion_ && writer_)
    (void)writer_->close(*here_->system, *here_->workspace, stretch_begin_, here_->start.x,
                         here_->start.xdot);
  if (writer_ && writer_->largest_projection() > 0) {
    report_.choices.push_back(
        {"output points", "as integrated", "moved onto the constraints",
         "largest change " + to_text(writer_->largest_projection()) + " in nominal units"});
  }
  if (writer_ && writer_->missed()) {
    const auto& missed = *writer_->missed();
    warn(
        "between rows '" + missed.name + "' is off by " + to_text(missed.off) +
        " near t = " + to_text(missed.t) +
        ": it changes too fast to be interpolated there; ask for rows at that time (output.times)");
  }
  if (n_put_back_ > 0) {
    report_.choices.push_back(
        {"drift of closed gaps and joints", "as integrated",
         "put back " + to_text(static_cast<std::int64_t>(n_put_back_)) +
             (n_put_back_ == 1 ? " time" : " times"),
         "off by at most " + to_text(std::ceil(10 * largest_drift_) / 10) + " tolerances"});
  }
  report_corrections();
  report_resolution();
  report_sampled();
  report_left_out();
  report_contradiction();
  report_names_never_met();
  report_close_events();
  report_chattering();
  report_.outcome = outcome;
  report_.message = message;
  report_.failure = failure;
  report_.t_reached = t();
  report_.wall_time_s = wall_time();
}

const RunReport& Run::Controller::report() {
  if (!ended_) {
    report_.t_reached = t();
    report_.wall_time_s = wall_time();
    report_.outcome = Outcome::stopped;
    report_.message = "the run is still going on";
  }
  if (writer_) report_.invariants = writer_->invariants();
  report_events();
  report_.work = past_work_;
  for (const auto& mode : modes_.all()) add_work(*mode, report_.work);
  report_modes();
  report_event_names();
  return report_;
}

/// In a model with modes a relation that options name may be one of a mode that was never entered: if it is
/// none of those that were, that is said.
void Run::Controller::report_names_never_met() {
  if (source_->n_modes() == 1) return;
  std::vector<std::string> known;
  for (const auto& mode : modes_.all()) {
    for (std::uint32_t w = 0; mode->kit && w < mode->kit->board.count(); ++w)
      known.push_back(mode->kit->board.info(w).name);
  }
  const auto check = [&](const char* field, const std::string& name) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const auto near = nearest_name(name, known);
    warn(std::string(field) + " names " + quote(name) +
         ", which is not a relation of any mode that was entered" +
         (near ? "; did you mean " + quote(*near) + "?" : ""));
  };
  for (const auto& entry : options_.events.hysteresis) check("events.hysteresis", entry.name);
  for (const auto& entry : options_.events.dwell) check("events.dwell", entry.name);
  for (const auto& entry : options_.events.accumulation) check("events.accumulation", entry.name);
  for (const auto& entry : options_.events.surface_of) check("events.surface_of", entry.name);
  for (const std::string& name : options_.output.switching) {
    if (name != "all") check("output.switching", name);
  }
}

/// Names that nothing has would be ignored when they are needed.
void Run::Controller::check_names() const {
  std::vector<std::string> policies;
  for (const auto& choice : option_choices(SurfacePolicy{})) policies.emplace_back(choice.name);
  for (const Named<std::string>& entry : options_.events.surface_of) {
    if (std::find(policies.begin(), policies.end(), entry.value) == policies.end())
      throw OptionError(
          "events.surface_of",
          quote(entry.value) + " is refused, it must be one of " + join(policies, ", "));
  }
  if (source_->n_modes() > 1) return;  // other modes may have them
  const detail::SwitchBoard& board = here_->kit->board;
  std::vector<std::string> relations, actions;
  for (std::uint32_t w = 0; w < board.count(); ++w) relations.push_back(board.info(w).name);
  for (std::uint32_t a = 0; board.actions() != nullptr && a < board.actions()->count(); ++a)
    actions.push_back(board.actions()->info(a).name);
  const auto check = [](const std::string& name, const std::vector<std::string>& known,
                        const char* what, const char* field = "events.accumulation") {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const auto near = nearest_name(name, known);
    constexpr std::size_t most_listed = 6;
    std::string hint = near ? ", did you mean " + quote(*near) + "?" : ", which has none";
    for (std::size_t i = 0; !near && i < std::min(known.size(), most_listed); ++i)
      hint = (i == 0 ? ", which has " : hint + ", ") + quote(known[i]);
    if (!near && known.size() > most_listed) hint += ", …";
    throw OptionError(field, quote(name) + " is not a " + what + " of the model" + hint);
  };
  for (const Named<std::string>& entry : options_.events.accumulation) {
    check(entry.name, relations, "relation");
    check(entry.value, actions, "when-clause");
  }
  for (const Named<std::string>& entry : options_.events.surface_of)
    check(entry.name, relations, "relation", "events.surface_of");
}

/// An action that waits for its condition to become true may wait in vain: that is said.
void Run::Controller::report_triggers_at_start(double t) {
  const detail::SwitchBoard& board = here_->kit->board;
  if (board.actions() == nullptr) return;
  const auto holds = triggers_as_written(*here_, t, here_->start.x, here_->start.xdot);
  for (std::uint32_t trigger = 0; trigger < holds.size(); ++trigger) {
    const ActionInfo& info = board.actions()->info(board.actions()->action_of(trigger));
    if (!holds[trigger] || info.kind != ActionKind::assignments || !info.lacks.empty()) continue;
    report_.choices.push_back({"when-clause " + quote(info.name), "", "not carried out",
                               quote(board.actions()->trigger_text(trigger)) +
                                   " holds from the start, at t = " + to_text(t)});
  }
}

/// Events of a relation that follow each other so closely that its function is not told from zero in between: their
/// number depends on the tolerances.
void Run::Controller::report_close_events() {
  constexpr std::uint64_t many = 100;
  for (const auto& mode : modes_.all()) {
    for (std::uint32_t w = 0; mode->kit && w < mode->kit->board.count(); ++w) {
      const std::uint64_t n = mode->kit->accumulation.n_close(w);
      if (n < many) continue;
      warn(quote(mode->kit->board.info(w).name) + " changed " +
           to_text(static_cast<std::int64_t>(n)) +
           " times after its function had moved by no more than a few tolerances, or no more than "
           "the errors of its event locations: the number of changes depends on the tolerances, so "
           "these events count as marginal; if it chatters, give it a hysteresis "
           "(events.hysteresis) or a dwell time, else ask for smaller tolerances");
    }
  }
}

/// A relation that ends nearly every step, again and again, is seldom what was meant: it costs time, and below the
/// tolerance such events are those of the steps.
void Run::Controller::report_chattering() {
  constexpr std::uint64_t many = 10000, steps_between = 4;
  if (log_.counts().n_interruptions < many) return;
  std::vector<SwitchWork> switches = past_switches_;
  for (const auto& mode : modes_.all())
    if (mode->kit) add_switches(*mode, switches);
  for (const SwitchWork& s : switches) {
    if (s.n_events < many || n_steps_ > steps_between * s.n_events) continue;
    warn(quote(s.name) + " changed " + to_text(static_cast<std::int64_t>(s.n_events)) +
         " times, with " + to_text(static_cast<std::int64_t>(n_steps_)) +
         " steps in all: if it chatters, give it a hysteresis (events.hysteresis) or a dwell time");
  }
}

void Run::Controller::report_events() {
  report_.events = event_work_;
  report_.events.counts = log_.counts();
  report_.events.off = options_.events.handling == EventHandling::off;
  report_.switches = past_switches_;
  for (const auto& mode : modes_.all()) {
    add_continued(*mode, report_.events);
    if (mode->kit) add_switches(*mode, report_.switches);
  }
  if (report_.switches.empty()) report_.events.off = false;
}

/// Relations of the same name in several modes are one entry.
void Run::Controller::add_switches(detail::ModeRun& mode, std::vector<SwitchWork>& to) const {
  const auto counts = mode.kit->search.counts();
  // With room for all of them no name moves while others refer to it.
  to.reserve(to.size() + mode.kit->board.count());
  std::unordered_map<std::string_view, std::size_t> entries;
  for (std::size_t k = 0; k < to.size(); ++k) entries.emplace(to[k].name, k);
  for (std::uint32_t w = 0; w < mode.kit->board.count(); ++w) {
    const SwitchInfo& info = mode.kit->board.info(w);
    if (is_range(info.kind) && options_.events.range == RangePolicy::ignore) continue;
    if (info.kind == SwitchKind::hold) continue;
    const auto [known, is_new] = entries.emplace(info.name, to.size());
    if (is_new) {
      to.push_back({});
      to.back().name = info.name;
    }
    SwitchWork* entry = &to[known->second];
    const DetectionCounts& c = counts[w];
    entry->n_steps += c.n_steps;
    entry->n_proven += c.n_proven;
    entry->n_heuristic += c.n_heuristic;
    // A step on which an excursion was too small to be told from none is not proven.
    const std::uint64_t n_pardoned = std::min(mode.n_pardoned[w], c.n_proven);
    entry->n_proven -= n_pardoned;
    entry->n_marginal += c.n_marginal + n_pardoned;
    entry->n_evaluations += c.n_evaluations;
    entry->n_events += mode.n_crossings[w];
    entry->n_flips += mode.n_flips[w];
  }
}

/// Of what could have happened, whether it did or not.
void Run::Controller::report_event_names() {
  report_.event_names.clear();
  const auto add = [&](const std::string& name) {
    auto& known = report_.event_names;
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  };
  for (const TransitionInfo& transition : source_->transitions()) add(transition.name);
  for (const auto& mode : modes_.all()) {
    const EventActions* actions = mode->kit ? mode->kit->board.actions() : nullptr;
    if (actions == nullptr) continue;
    for (std::uint32_t a = 0; a < actions->count(); ++a) {
      if (actions->info(a).kind == ActionKind::assignments) add(actions->info(a).name);
    }
  }
}

void Run::Controller::report_modes() {
  report_.modes.clear();
  if (source_->n_modes() == 1 && modes_.all().size() == 1) return;
  for (const auto& mode : modes_.all()) {
    report_.modes.push_back(mode->visit);
    if (mode.get() == here_) report_.modes.back().duration += std::abs(t() - entered_at_);
  }
}

Solution Run::Controller::finish() {
  if (open_instant_) {
    end(Outcome::undecided, "at t = " + to_text(open_instant_->point.t) +
                                " the solution came to a surface at which the run was to stop "
                                "(events.surface); " +
                                ways_text(open_candidates_));
  }
  if (!ended_) end(Outcome::stopped, "the run was ended early");
  report();
  Solution solution;
  if (writer_) solution.trajectory = writer_->take();
  solution.report = report_;
  solution.event_log = std::move(log_);
  if (record_) record_->ends(solution);
  return solution;
}

}  // namespace saltus
