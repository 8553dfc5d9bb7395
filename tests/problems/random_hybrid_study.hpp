// Random hybrid DAEs on several engines at two tolerances: what they agree on. A model is judged by its own condition: how
// far its end moves if its start is moved by a tolerance.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "problems/random_hybrid_run.hpp"
#include "problems/random_hybrid_smaller.hpp"
#include "problems/random_hybrid_text.hpp"

namespace saltus::problems {

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
  // The best of them, and the same with its start moved.
  const HybridRun& best = runs[engines.size()];
  constexpr double moved = 1e-8, most_sensitive = 1e4, many = 1000;  // tolerances
  const HybridRun beside = run_hybrid(h, best.engine, best.tolerance, moved);
  const double amplification = std::max(1.0, distance(best, beside) / moved);
  if (amplification > most_sensitive || beside.marked ||
      !same_events(best.events, beside.events, many * moved * amplification))
    return {HybridVerdict::sensitive, "amplification " + to_text(amplification)};
  for (const HybridRun& run : runs) {
    const double off = distance(best, run);
    const std::string who = who_is(run);
    const double allowed = many * run.tolerance * amplification;
    if (!same_events(best.events, run.events, allowed))
      return {HybridVerdict::disagrees, who + std::to_string(run.events.size()) +
                                            " events instead of " +
                                            std::to_string(best.events.size())};
    if (off > allowed)
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
