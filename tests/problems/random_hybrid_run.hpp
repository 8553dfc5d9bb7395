// One run of a random hybrid DAE, and what of it is compared with others.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

#include "problems/random_hybrid_events.hpp"
#include "problems/random_hybrid_model.hpp"
#include "problems/random_hybrid_oracle.hpp"

namespace saltus::problems {

// A run that takes longer hangs. Sanitizers take ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double longest_run_s = 100.0;
#else
constexpr double longest_run_s = 10.0;
#endif

struct HybridRun {
  EngineKind engine = EngineKind::radau;
  double tolerance = 1e-6;
  bool ok = false;
  bool timed_out = false;
  bool refused = false;      // before it began, by name
  bool marked = false;       // refused, marginal, or warned
  std::string message = {};  // of a marked run, by what
  std::string broken = {};   // a rule that holds on every engine
  std::vector<double> end = {};
  std::vector<HybridEvent> events = {};  // in order, of what interrupts
};

/// Bounces that end in rest are told by a warning, and the last of them are too low to be certain. They are what contacts
/// are for, and do not mark a run.
inline bool is_rest_of_contact(const std::string& warning) {
  constexpr std::string_view events = "events of '";
  return warning.starts_with(events) && is_of_contact(warning.substr(events.size()));
}

/// Those of contacts are of kind state, and lead to an action of all contacts.
inline bool is_compared(const Event& e) {
  if (e.kind == EventKind::enter_sliding || e.kind == EventKind::exit_sliding) return true;
  if (e.kind == EventKind::action) return e.name != "contacts" && e.name != "moved";
  const auto begins = [&](const char* with) { return e.name.starts_with(with); };
  return e.kind == EventKind::state && (begins("floor") || begins("between") || begins("rub"));
}

inline void note_marks(const Solution& s, HybridRun& run) {
  run.ok = s.ok();
  run.timed_out = s.report.outcome == Outcome::wall_time_limit;
  run.message = s.report.message;
  run.marked = !s.ok();
  for (const MarginalMark& m : s.report.marginal) {
    if (run.marked || is_of_contact(m.relation)) continue;
    run.marked = true;
    run.message = "at t = " + to_text(m.t) + " '" + m.relation + "' is " + to_text(m.distance) +
                  " from zero, uncertain by " + to_text(m.error);
  }
  for (const std::string& warning : s.report.warnings) {
    if (run.marked || is_rest_of_contact(warning)) continue;
    run.marked = true;
    run.message = warning;
  }
}

inline void note_end(const RandomHybrid& h, const Solution& s, HybridRun& run) {
  const auto final = [&](const char* name, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) run.end.push_back(s.final(name + std::to_string(k)));
  };
  final("x", h.states.size());
  final("n", h.clauses.size());
  final("held", h.samplers.size());
  final("s", h.blocks.size());
  final("y", h.balls.size());
  final("w", h.balls.size());
  for (std::size_t k = 0; k < h.balls.size(); ++k)
    if (h.balls[k].mu > 0) run.end.push_back(s.final("u" + std::to_string(k)));
}

inline RunOptions options_of(const RandomHybrid& h, const HybridRun& run) {
  RunOptions o;
  o.t_end = h.t_end;
  o.engine = run.engine;
  o.rtol = o.atol = run.tolerance;
  o.limits.max_wall_time_s = longest_run_s;
  for (std::size_t k = 0; k < h.branches.size(); ++k)
    if (h.branches[k].hysteresis > 0)
      o.events.hysteresis.push_back({"branch" + std::to_string(k), h.branches[k].hysteresis});
  return o;
}

inline HybridRun run_hybrid(const RandomHybrid& h, EngineKind engine, double tolerance,
                            const Moved& moved = {}) {
  HybridRun run{engine, tolerance};
  try {
    const Solution s = simulate(model_of(h, moved), options_of(h, run));
    note_marks(s, run);
    if (s.ok()) note_end(h, s, run);
    for (const Event& e : s.events()) {
      if (e.guarantee == Guarantee::marginal && !run.marked && !is_of_contact(e.name)) {
        run.marked = true;
        run.message = "marginal event of " + e.name;
      }
      // A touch of a contact within the tolerance: contacts do not mark a run.
      const bool is_touch = e.guarantee == Guarantee::marginal && is_of_contact(e.name);
      if (is_compared(e)) run.events.push_back({e.name, e.t, is_touch});
    }
    if (!h.balls.empty()) {
      std::erase_if(run.events, [](const HybridEvent& e) { return is_of_clock(e.name); });
      mark_stops_at_rest(h, run.events);
      leave_out_bounces_before_rest(run.events);
      leave_out_stacks(h, run.events);
    }
    const RandomHybridOracle oracle(h, s);
    if (run.ok) run.broken = oracle.sunk_ball();
    if (!run.marked && run.broken.empty()) run.broken = oracle.complaint();
  } catch (const Error& refused) {
    run.marked = run.refused = true;
    run.message = refused.what();
  }
  return run;
}

inline double distance(const HybridRun& one, const HybridRun& other) {
  double most = 0.0;
  for (std::size_t i = 0; i < std::min(one.end.size(), other.end.size()); ++i)
    most = std::max(most, std::abs(one.end[i] - other.end[i]) / (1.0 + std::abs(one.end[i])));
  return most;
}

inline std::string who_is(const HybridRun& run) {
  return std::string(name(run.engine)) + " at " + to_text(run.tolerance) + ": ";
}

}  // namespace saltus::problems
