// Random hybrid DAEs on several engines at two tolerances: what they agree on. A model is judged by its own condition: how
// far its end moves if its start is moved by a tolerance.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

#include "problems/random_hybrid_model.hpp"
#include "problems/random_hybrid_text.hpp"

namespace saltus::problems {

enum class HybridVerdict { agrees, marked, sensitive, disagrees, hangs };

struct HybridJudgement {
  HybridVerdict verdict = HybridVerdict::agrees;
  std::string why = {};
};

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
  bool marked = false;       // refused, marginal, or warned
  std::string message = {};  // of a marked run, by what
  std::vector<double> end = {};
  std::vector<std::string> events = {};  // names in order, of what interrupts
};

inline HybridRun run_hybrid(const RandomHybrid& h, EngineKind engine, double tolerance,
                            double moved = 0.0) {
  HybridRun run{engine, tolerance};
  RunOptions o;
  o.t_end = h.t_end;
  o.engine = engine;
  o.rtol = o.atol = tolerance;
  o.limits.max_wall_time_s = longest_run_s;
  try {
    const Solution s = simulate(model_of(h, moved), o);
    run.ok = s.ok();
    run.message = s.report.message;
    if (s.ok() && !s.report.warnings.empty()) run.message = s.report.warnings.front();
    if (s.ok() && s.report.warnings.empty() && !s.report.marginal.empty()) {
      const MarginalMark& m = s.report.marginal.front();
      run.message = "at t = " + to_text(m.t) + " '" + m.relation + "' is " + to_text(m.distance) +
                    " from zero, uncertain by " + to_text(m.error);
    }
    run.timed_out = s.report.outcome == Outcome::wall_time_limit;
    run.marked = !s.ok() || !s.report.marginal.empty() || !s.report.warnings.empty();
    for (std::size_t i = 0; i < h.states.size() && s.ok(); ++i)
      run.end.push_back(s.final("x" + std::to_string(i)));
    for (std::size_t k = 0; k < h.clauses.size() && s.ok(); ++k)
      run.end.push_back(s.final("n" + std::to_string(k)));
    for (const Event& e : s.events()) {
      if (e.guarantee == Guarantee::marginal && !run.marked) {
        run.marked = true;
        run.message = "marginal event of " + e.name;
      }
      if (e.kind == EventKind::action || e.kind == EventKind::enter_sliding ||
          e.kind == EventKind::exit_sliding)
        run.events.push_back(e.name);
    }
  } catch (const Error& refused) {
    run.marked = true;
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

/// On `engines` at 1e-6 and 1e-8, beside each other.
inline HybridJudgement judge_hybrid(const RandomHybrid& h) {
  std::vector<EngineKind> engines = {EngineKind::radau, EngineKind::ida};
  if (h.is_ode()) engines.push_back(EngineKind::dop853);
  std::vector<HybridRun> runs;
  for (const double tolerance : {1e-6, 1e-8}) {
    for (const EngineKind engine : engines) {
      runs.push_back(run_hybrid(h, engine, tolerance));
      if (runs.back().timed_out)
        return {HybridVerdict::hangs, std::string(name(engine)) + ": " + runs.back().message};
    }
  }
  const auto is_marked = [](const HybridRun& r) { return r.marked; };
  if (const auto marked = std::find_if(runs.begin(), runs.end(), is_marked); marked != runs.end())
    return {HybridVerdict::marked, who_is(*marked) + marked->message};
  // The best of them, and the same with its start moved.
  const HybridRun& best = runs[engines.size()];
  constexpr double moved = 1e-8, most_sensitive = 1e4;
  const HybridRun beside = run_hybrid(h, best.engine, best.tolerance, moved);
  const double amplification = std::max(1.0, distance(best, beside) / moved);
  if (amplification > most_sensitive || beside.marked || beside.events != best.events)
    return {HybridVerdict::sensitive, "amplification " + to_text(amplification)};
  for (const HybridRun& run : runs) {
    constexpr double many = 1000;  // tolerances
    const double off = distance(best, run);
    const std::string who = who_is(run);
    if (run.events != best.events)
      return {HybridVerdict::disagrees, who + std::to_string(run.events.size()) +
                                            " events instead of " +
                                            std::to_string(best.events.size())};
    if (off > many * run.tolerance * amplification)
      return {HybridVerdict::disagrees, who + "ends off by " + to_text(off / run.tolerance) +
                                            " tolerances, amplification " + to_text(amplification)};
  }
  return {};
}

struct HybridCase {
  HybridVerdict verdict = HybridVerdict::agrees;
  std::string complaint = {};  // with the smallest program that shows it
  std::string marked_by = {};
};

inline HybridCase study_hybrid(std::uint64_t seed) {
  const RandomHybrid h = random_hybrid(seed);
  const HybridJudgement judged = judge_hybrid(h);
  HybridCase result{judged.verdict};
  if (judged.verdict == HybridVerdict::marked)
    result.marked_by = "seed " + std::to_string(seed) + ": " + judged.why;
  if (judged.verdict != HybridVerdict::disagrees && judged.verdict != HybridVerdict::hangs)
    return result;
  const RandomHybrid small = smallest_that(
      h, [&](const RandomHybrid& less) { return judge_hybrid(less).verdict == judged.verdict; });
  result.complaint = "seed " + std::to_string(seed) + ": " + judged.why +
                     "; smallest: " + judge_hybrid(small).why + "\n" + program_of(small);
  return result;
}

struct HybridStudy {
  std::map<HybridVerdict, std::uint64_t> counts;
  std::vector<std::string> complaints;
};

inline HybridStudy study_hybrids(std::uint64_t first_seed, std::uint64_t n) {
  HybridStudy study;
  for (std::uint64_t seed = first_seed; seed < first_seed + n; ++seed) {
    HybridCase result = study_hybrid(seed);
    ++study.counts[result.verdict];
    if (!result.complaint.empty()) study.complaints.push_back(std::move(result.complaint));
  }
  return study;
}

}  // namespace saltus::problems
