#include "hybrid/books/closing.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/monitoring.hpp>

#include "hybrid/books/time_resolution.hpp"

namespace saltus::detail {

namespace {

/// Between which times, in ulp, the location of an event ends.
constexpr double ulps_of_an_event = 16.0;

struct EndedRun {
  Ledger& ledger;
  const ModeSet& modes;
  const ModeRun& here;
  const ConfigurationSource& source;
  const RunOptions& options;
};

/// Values that were set to zero because they must not be negative are no part of the method's error.
void warn_of_corrections(const EndedRun& run) {
  const WorkCounts work = run.ledger.work_of(run.modes);
  if (work.n_corrections == 0) return;
  run.ledger.warn(to_text(static_cast<std::int64_t>(work.n_corrections)) +
                  " values that must not be negative were set to zero, the largest from " +
                  to_text(-work.largest_correction));
}

/// Measured by the largest size of each unknown: where one passes through zero nobody asks for more.
void warn_of_resolution(const EndedRun& run) {
  std::string who;
  double worst = 1.0, at = 0.0;
  for (const auto& mode : run.modes.all()) {
    // Events are located between times a few ulp apart.
    const double n_ulp = mode->watches_events() ? ulps_of_an_event : 1.0;
    for (std::uint32_t i = 0; i < mode->moved.size(); ++i) {
      const double tolerance =
          mode->engine_options.rtol * mode->largest[i] + mode->engine_options.atol[i];
      const double lost = n_ulp * mode->moved[i].by / tolerance;
      if (!(lost > worst)) continue;
      who = mode->system->unknown_name(i);
      worst = lost;
      at = mode->moved[i].t;
    }
  }
  if (who.empty()) return;
  run.ledger.warn(
      "near t = " + to_text(at) + " time has a resolution of " + to_text(ulp(at)) +
      ", too coarse for '" + who + "': rows and events there may be off by " +
      to_text(std::ceil(worst)) +
      " tolerances. Let the run begin near t = 0 (time since its start), or ask for less");
}

/// Relations of which nothing but samples could be had.
void warn_of_samples(const EndedRun& run) {
  if (!run.options.events.prove || run.options.events.handling == EventHandling::off) return;
  if (!run.ledger.is_sampled(run.modes)) return;
  std::vector<std::string> names;
  std::size_t n = 0;
  for (const SwitchWork& s : run.ledger.switches_of(run.modes)) {
    if (s.n_heuristic == 0 || s.n_proven > 0) continue;
    constexpr std::size_t most = 3;
    if (n++ < most) names.push_back(quote(s.name));
  }
  if (n == 0) return;
  if (n > names.size()) names.push_back("and " + std::to_string(n - names.size()) + " more");
  run.ledger.warn(
      join(names, ", ") + (n == 1 ? " was" : " were") +
      " checked by samples only (your own code cannot be enclosed), so events between two "
      "samples may have been missed: write the relation as an expression, or take more samples "
      "(events.samples_per_step) or shorter steps (max_step)");
}

/// Clauses that modes in which the solution was do not have. Often that is meant: what rests does not bounce.
void note_left_out(const EndedRun& run) {
  for (const auto& mode : run.modes.all()) {
    const EventActions* actions = mode->kit ? mode->kit->board.actions() : nullptr;
    for (std::uint32_t a = 0; actions != nullptr && a < actions->count(); ++a) {
      const ActionInfo& info = actions->info(a);
      if (info.lacks.empty() || mode->visit.n_stays == 0) continue;
      run.ledger.note({"when-clause " + quote(info.name) + " in mode " + quote(mode->name), "",
                       "left out", info.lacks});
    }
  }
}

/// Equations that should follow from the others and did not.
void report_contradiction(const EndedRun& run) {
  const auto* watch = run.here.workspace ? run.here.workspace->ability<RedundancyWatch>() : nullptr;
  if (watch == nullptr) return;
  const auto& largest = watch->largest_contradiction();
  if (largest.size <= 1.0 || run.options.redundant == RedundantEquations::refuse) return;
  const std::string size = to_text(largest.size) + " times the tolerance";
  run.ledger.note({"redundant equations", join(largest.equations, ", "), "least squares",
                   size + " remained at t = " + to_text(largest.t)});
  run.ledger.warn(
      "equations " + join(largest.equations, ", ") +
      " contradict each other: least squares made their residuals as small as possible, at most " +
      size);
}

/// In a model with modes a relation that options name may be one of a mode that was never entered: if it is
/// none of those that were, that is said.
void warn_of_names_never_met(const EndedRun& run) {
  if (run.source.n_modes() == 1) return;
  std::vector<std::string> known;
  for (const auto& mode : run.modes.all()) {
    for (std::uint32_t w = 0; mode->kit && w < mode->kit->board.count(); ++w)
      known.push_back(mode->kit->board.info(w).name);
  }
  const auto check = [&](const char* field, const std::string& name) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const auto near = nearest_name(name, known);
    run.ledger.warn(std::string(field) + " names " + quote(name) +
                    ", which is not a relation of any mode that was entered" +
                    (near ? "; did you mean " + quote(*near) + "?" : ""));
  };
  for (const auto& entry : run.options.events.hysteresis) check("events.hysteresis", entry.name);
  for (const auto& entry : run.options.events.dwell) check("events.dwell", entry.name);
  for (const auto& entry : run.options.events.accumulation)
    check("events.accumulation", entry.name);
  for (const auto& entry : run.options.events.surface_of) check("events.surface_of", entry.name);
  for (const std::string& name : run.options.output.switching) {
    if (name != "all") check("output.switching", name);
  }
}

/// Events of a relation that follow each other so closely that its function is not told from zero in between: their
/// number depends on the tolerances.
void warn_of_close_events(const EndedRun& run) {
  constexpr std::uint64_t many = 100;
  for (const auto& mode : run.modes.all()) {
    for (std::uint32_t w = 0; mode->kit && w < mode->kit->board.count(); ++w) {
      const std::uint64_t n = mode->kit->accumulation.n_close(w);
      if (n < many) continue;
      run.ledger.warn(
          quote(mode->kit->board.info(w).name) + " changed " +
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
void warn_of_chattering(const EndedRun& run) {
  constexpr std::uint64_t many = 10000, steps_between = 4;
  if (run.ledger.counts().n_interruptions < many) return;
  for (const SwitchWork& s : run.ledger.switches_of(run.modes)) {
    if (s.n_events < many || run.ledger.n_steps() > steps_between * s.n_events) continue;
    run.ledger.warn(
        quote(s.name) + " changed " + to_text(static_cast<std::int64_t>(s.n_events)) +
        " times, with " + to_text(static_cast<std::int64_t>(run.ledger.n_steps())) +
        " steps in all: if it chatters, give it a hysteresis (events.hysteresis) or a dwell time");
  }
}

}  // namespace

void warn_of_uncontrolled(Ledger& ledger, const ModeRun& here) {
  std::vector<std::string> names;
  std::size_t n = 0;
  for (std::size_t i = 0; i < here.largest.size(); ++i) {
    const double atol = here.engine_options.atol[i];
    constexpr double rounding_of_zero = 1e-12;
    if (here.largest[i] >= atol || here.largest[i] <= rounding_of_zero * atol) continue;
    constexpr std::size_t most = 3;
    if (n++ < most)
      names.push_back("'" + here.system->unknown_name(static_cast<std::uint32_t>(i)) + "'");
  }
  if (n == 0) return;
  if (n > names.size()) names.push_back("and " + std::to_string(n - names.size()) + " more");
  ledger.warn(
      join(names, ", ") + (n == 1 ? " stays" : " stay") +
      " below the absolute tolerance, so no digit of it was controlled; give its nominal size, or "
      "atol_of");
}

void report_writing(Ledger& ledger, const OutputWriter* writer) {
  if (writer == nullptr) return;
  if (writer->largest_projection() > 0)
    ledger.note({"output points", "as integrated", "moved onto the constraints",
                 "largest change " + to_text(writer->largest_projection()) + " in nominal units"});
  if (!writer->missed()) return;
  const auto& missed = *writer->missed();
  ledger.warn(
      "between rows '" + missed.name + "' is off by " + to_text(missed.off) +
      " near t = " + to_text(missed.t) +
      ": it changes too fast to be interpolated there; ask for rows at that time (output.times)");
}

void report_end(Ledger& ledger, const ModeSet& modes, const ModeRun& here,
                const ConfigurationSource& source, const RunOptions& options) {
  const EndedRun run{ledger, modes, here, source, options};
  warn_of_corrections(run);
  warn_of_resolution(run);
  warn_of_samples(run);
  note_left_out(run);
  report_contradiction(run);
  warn_of_names_never_met(run);
  warn_of_close_events(run);
  warn_of_chattering(run);
}

std::vector<std::string> names_of_events(const ModeSet& modes, const ConfigurationSource& source) {
  std::vector<std::string> known;
  const auto add = [&](const std::string& name) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  };
  for (const TransitionInfo& transition : source.transitions()) add(transition.name);
  for (const auto& mode : modes.all()) {
    const EventActions* actions = mode->kit ? mode->kit->board.actions() : nullptr;
    if (actions == nullptr) continue;
    for (std::uint32_t a = 0; a < actions->count(); ++a) {
      if (actions->info(a).kind == ActionKind::assignments) add(actions->info(a).name);
    }
  }
  return known;
}

}  // namespace saltus::detail
