// Random hybrid DAEs on several engines at two tolerances: what they agree on. A model is judged by its own condition: how
// far its end moves if its start, or its solution at a later time, is moved by a tolerance.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "problems/random_hybrid_run.hpp"
#include "problems/random_hybrid_smaller.hpp"
#include "problems/random_hybrid_text.hpp"

namespace saltus::problems {

/// How far runs may be apart, in tolerances times the amplification of the model.
constexpr double many_tolerances = 1000.0;

/// marked: a run tells what it could not decide; ends: one ends early, and tells why; refused: before it began, by name.
enum class HybridVerdict { agrees, marked, sensitive, disagrees, hangs, ends, refused };

struct HybridJudgement {
  HybridVerdict verdict = HybridVerdict::agrees;
  std::string why = {};
  bool by_a_rule = false;  // of random_hybrid_oracle.hpp; else runs differ

  bool same_kind(const HybridJudgement& other) const {
    return verdict == other.verdict && by_a_rule == other.by_a_rule;
  }
};

/// How far the end of the best run moves if the solution is moved by one of its tolerances at a time. Infinite: other events.
inline double amplification_from(const RandomHybrid& h, const HybridRun& best, double t) {
  const HybridRun beside = run_hybrid(h, best.engine, best.tolerance, {best.tolerance, t});
  const double amplification = std::max(1.0, distance(best, beside) / best.tolerance);
  const double time_error = many_tolerances * best.tolerance * amplification;
  return !beside.marked && same_events(best.events, beside.events, time_error, h.t_end)
             ? amplification
             : std::numeric_limits<double>::infinity();
}

/// Errors made on the way may be amplified where those of the start are forgotten.
inline double amplification_on_the_way(const RandomHybrid& h, const HybridRun& best) {
  double most = 1.0;
  for (const double part : {0.3137, 0.4967, 0.7531, 0.9043}) {  // at no tick of a clock
    const double amplification = amplification_from(h, best, part * h.t_end);
    if (std::isfinite(amplification)) most = std::max(most, amplification);
  }
  return most;
}

inline HybridJudgement compare(const RandomHybrid& h, const std::vector<HybridRun>& runs,
                               const HybridRun& best, double amplification) {
  constexpr double most_sensitive = 1e4;
  if (amplification > most_sensitive)
    return {HybridVerdict::sensitive, "amplification " + to_text(amplification)};
  for (const HybridRun& run : runs) {
    const double off = distance(best, run);
    const std::string who = who_is(run);
    const double allowed = many_tolerances * run.tolerance * amplification;
    if (!same_events(best.events, run.events, allowed, h.t_end))
      return {HybridVerdict::disagrees, who + std::to_string(run.events.size()) +
                                            " events instead of " +
                                            std::to_string(best.events.size())};
    if (off > allowed)
      return {HybridVerdict::disagrees, who + "ends off by " + to_text(off / run.tolerance) +
                                            " tolerances, amplification " + to_text(amplification)};
  }
  return {};
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
  for (const HybridRun& run : runs)
    if (!run.broken.empty()) return {HybridVerdict::disagrees, who_is(run) + run.broken, true};
  const auto is_marked = [](const HybridRun& r) { return r.marked; };
  if (const auto marked = std::find_if(runs.begin(), runs.end(), is_marked); marked != runs.end()) {
    const HybridVerdict how = marked->refused ? HybridVerdict::refused
                              : marked->ok    ? HybridVerdict::marked
                                              : HybridVerdict::ends;
    return {how, who_is(*marked) + marked->message};
  }
  const HybridRun& best = runs[engines.size()];
  const double amplification = amplification_from(h, best, 0.0);
  const HybridJudgement judged = compare(h, runs, best, amplification);
  if (judged.verdict != HybridVerdict::disagrees) return judged;
  return compare(h, runs, best, std::max(amplification, amplification_on_the_way(h, best)));
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
  if (judged.verdict == HybridVerdict::marked || judged.verdict == HybridVerdict::ends ||
      judged.verdict == HybridVerdict::refused)
    result.marked_by = "seed " + std::to_string(seed) + ": " + judged.why;
  if (judged.verdict != HybridVerdict::disagrees && judged.verdict != HybridVerdict::hangs)
    return result;
  const RandomHybrid small = smallest_that(
      h, [&](const RandomHybrid& less) { return judge_hybrid(less).same_kind(judged); });
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
