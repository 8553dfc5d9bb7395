// Many random relay systems: runs beside their exact solutions, and beside the same system with its switching
// functions negated.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "problems/pencil_study.hpp"
#include "problems/relay_systems_reference.hpp"

namespace saltus::problems {

enum class RelayVerdict : std::uint8_t { right, wrong, refused };

struct RelayOutcome {
  RelayVerdict verdict = RelayVerdict::right;
  std::string what;    // why it was refused, or the first thing that is wrong
  double worst = 0.0;  // largest error, over what the tolerance allows
  bool hard = false;
  bool marginal = false;  // the run says of itself that something was close
  int n_events[3] = {};   // by RelayChange
  int n_codimension_two = 0;
  bool same_bits = true;     // flipped
  double flip_change = 0.0;  // largest difference of times and end states, over what is allowed
};

/// Errors are allowed in units of the tolerance, times what the exact solution makes of errors.
struct RelayJudge {
  double tolerance = 1e-9;
  double factor = 300.0;
};

namespace relay_detail {

inline bool counts(EventKind kind) {
  return kind == EventKind::state || kind == EventKind::enter_sliding ||
         kind == EventKind::exit_sliding;
}

/// Instants of a run at which surfaces were crossed, entered or left; what a run decides where it starts is
/// no event here.
inline std::vector<const EventInstant*> surface_instants(const Solution& s) {
  std::vector<const EventInstant*> found;
  for (const EventInstant& instant : s.instants()) {
    if (instant.t <= s.t_begin()) continue;
    const auto events = s.event_log.events_of(instant);
    if (std::any_of(events.begin(), events.end(), [](const Event& e) { return counts(e.kind); }))
      found.push_back(&instant);
  }
  return found;
}

inline std::string text_of(std::uint32_t surface, RelayChange change) {
  const char* const words[] = {"crosses", "enters", "exits"};
  return RelaySystem::relation(surface) + " " + words[static_cast<int>(change)];
}
inline std::vector<std::string> texts_of(const RelayInstant& instant) {
  std::vector<std::string> texts;
  for (const auto& [surface, change] : instant.changes()) texts.push_back(text_of(surface, change));
  std::sort(texts.begin(), texts.end());
  return texts;
}
inline std::vector<std::string> texts_of(const Solution& s, const EventInstant& instant) {
  std::vector<std::string> texts;
  for (const Event& e : s.event_log.events_of(instant)) {
    if (!counts(e.kind)) continue;
    texts.push_back(e.name + (e.kind == EventKind::state           ? " crosses"
                              : e.kind == EventKind::enter_sliding ? " enters"
                                                                   : " exits"));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}
inline std::string joined(const std::vector<std::string>& texts) {
  std::string sum;
  for (const std::string& t : texts) sum += (sum.empty() ? "" : ", ") + t;
  return sum;
}

/// The first thing in which a run differs from the exact solution, up to where the run got; empty if nothing.
inline std::string difference(const Solution& s, const RelayReference& exact,
                              const RelayJudge& judge, RelayOutcome& outcome) {
  const auto found = surface_instants(s);
  const double unit = judge.factor * judge.tolerance;
  std::size_t k = 0;  // of found
  for (const RelayInstant& expected : exact.instants) {
    const double allowed = unit * std::max(1.0, expected.time_amplification);
    // At the limit of crossings only what comes of them counts.
    const double corner = expected.t + RelayInstant::near_corner;
    while (expected.is_corner && k + 1 < found.size() && found[k + 1]->t < corner) ++k;
    if (k >= found.size()) {
      if (!s.ok() && s.t_end() <= expected.t + allowed) return {};
      return "an event less: " + joined(texts_of(expected)) + " at " + to_text(expected.t);
    }
    const EventInstant& instant = *found[k++];
    if (expected.is_corner) {
      if (!s.ok() && k == found.size()) return {};
      if (instant.sliding_after.size() == 2 && std::abs(instant.t - expected.t) < 2e-6) continue;
      return "not on both surfaces after " + to_text(expected.t);
    }
    const double error = std::abs(instant.t - expected.t);
    outcome.worst = std::max(outcome.worst, error / allowed);
    if (texts_of(s, instant) != texts_of(expected) || !(error <= allowed)) {
      return joined(texts_of(s, instant)) + " at " + to_text(instant.t) + " instead of " +
             joined(texts_of(expected)) + " at " + to_text(expected.t);
    }
  }
  if (k < found.size() && exact.end != RelayEnd::accumulation)
    return "an event more: " + joined(texts_of(s, *found[k])) + " at " + to_text(found[k]->t);
  if (exact.end == RelayEnd::accumulation) return {};
  if (exact.end != RelayEnd::finished) {
    return s.ok() ? "it went on where the solution is not unique" : std::string();
  }
  if (!s.ok()) return {};
  const double allowed = unit * std::max(1.0, exact.state_amplification);
  for (std::size_t i = 0; i < exact.state.size(); ++i) {
    const std::string of = "x" + std::to_string(i + 1);
    const double error = std::abs(s.final(of) - exact.state[i]);
    outcome.worst = std::max(outcome.worst, error / allowed);
    if (!(error <= allowed)) {
      return of + " ends at " + to_text(s.final(of)) + " instead of " + to_text(exact.state[i]);
    }
  }
  return {};
}

inline bool calls_itself_marginal(const Solution& s) {
  if (s.report.events.counts.n_marginal > 0) return true;
  return std::any_of(s.report.switches.begin(), s.report.switches.end(),
                     [](const SwitchWork& w) { return w.n_marginal > 0; });
}

}  // namespace relay_detail

inline RelayOutcome judge_relays(const Solution& s, const RelayReference& exact,
                                 const RelayJudge& judge) {
  RelayOutcome outcome;
  double largest = exact.state_amplification;
  for (const RelayInstant& i : exact.instants) {
    largest = std::max({largest, i.time_amplification, i.state_amplification});
    for (const auto& [surface, change] : i.changes()) ++outcome.n_events[static_cast<int>(change)];
    outcome.n_codimension_two += i.after == RelaySides{0, 0};
  }
  // Errors that reach the margin of a decision can turn it round.
  outcome.hard = !exact.hard.empty() || exact.end == RelayEnd::accumulation ||
                 10 * judge.tolerance * largest > 1e-4;
  outcome.marginal = relay_detail::calls_itself_marginal(s);
  outcome.what = relay_detail::difference(s, exact, judge, outcome);
  if (!s.ok() && (outcome.what.empty() || outcome.hard)) {
    outcome.verdict = RelayVerdict::refused;
    outcome.what = s.report.message;
  } else if (!outcome.what.empty()) {
    // A hard case may come out differently if the run says so.
    outcome.verdict =
        outcome.hard && outcome.marginal ? RelayVerdict::refused : RelayVerdict::wrong;
    if (outcome.verdict == RelayVerdict::refused) outcome.what = "called marginal";
  }
  return outcome;
}

inline RunOptions relay_options(const RelaySystem& system, EngineKind engine, double tolerance) {
  RunOptions o;
  o.t_end = system.t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  o.limits.max_events = 2000;
  o.limits.max_steps = 200000;
  return o;
}

/// The same system with negated switching functions: what changes?
inline void compare_flipped(const Solution& a, const Solution& b, const RelayReference& exact,
                            const RelayJudge& judge, RelayOutcome& outcome) {
  const auto one = relay_detail::surface_instants(a), other = relay_detail::surface_instants(b);
  if (a.report.outcome != b.report.outcome || one.size() != other.size()) {
    outcome.same_bits = false;
    outcome.flip_change = std::numeric_limits<double>::infinity();
    return;
  }
  const auto compare = [&](double p, double q, double amplification) {
    outcome.same_bits = outcome.same_bits && p == q;
    const double allowed = judge.factor * judge.tolerance * std::max(1.0, amplification);
    outcome.flip_change = std::max(outcome.flip_change, std::abs(p - q) / allowed);
  };
  for (std::size_t i = 0; i < one.size(); ++i) {
    compare(one[i]->t, other[i]->t,
            i < exact.instants.size() ? exact.instants[i].time_amplification : 1.0);
    if (relay_detail::texts_of(a, *one[i]) != relay_detail::texts_of(b, *other[i]))
      outcome.flip_change = std::numeric_limits<double>::infinity();
  }
  if (!a.ok()) return;
  for (std::uint32_t v = 0; v < a.trajectory.variables().size(); ++v) {
    const std::string& of = a.trajectory.variables()[v].name;
    compare(a.final(of), b.final(of), exact.state_amplification);
  }
}

struct RelayStudy {
  std::uint64_t n_right = 0, n_wrong = 0, n_refused = 0, n_hard = 0, n_same_bits = 0, n_flips = 0;
  std::uint64_t n_events[3] = {}, n_codimension_two = 0;
  double worst = 0.0;                            // of those that are right
  double flip_change = 0.0;                      // largest, of cases that are right and not hard
  std::map<std::string, std::uint64_t> reasons;  // of refusals, numbers left out
  // A line for each case that is not right.
  std::string complaints_of_wrong, complaints_of_refused;

  std::uint64_t total() const { return n_right + n_wrong + n_refused; }
};

/// Engines by turns: one-step ones more often.
inline EngineKind relay_engine(std::uint64_t seed) {
  constexpr EngineKind engines[] = {EngineKind::dopri5, EngineKind::radau, EngineKind::dop853,
                                    EngineKind::dopri5, EngineKind::ida,   EngineKind::radau};
  return engines[seed % std::size(engines)];
}
/// 300 tolerances on one-step engines, 5000 on ida, as for single problems.
inline RelayJudge relay_judge(EngineKind engine) {
  return engine == EngineKind::ida ? RelayJudge{1e-9, 5000.0} : RelayJudge{1e-9, 300.0};
}

/// Every thirtieth one almost touches a surface.
inline RelaySystem relay_case(std::uint64_t seed) {
  const RelaySystem system = RelayWriter(seed).write();
  return seed % 30 == 7 ? almost_touching(system) : system;
}

inline RelayOutcome study_relay(std::uint64_t seed) try {
  const RelaySystem system = relay_case(seed);
  const EngineKind engine = relay_engine(seed);
  const RelayJudge judge = relay_judge(engine);
  const RunOptions o = relay_options(system, engine, judge.tolerance);
  const Solution s = simulate(system.model(), o);
  const RelayReference exact = solve_relays(system);
  RelayOutcome outcome = judge_relays(s, exact, judge);
  compare_flipped(s, simulate(system.model(RelayWriting::flipped), o), exact, judge, outcome);
  return outcome;
} catch (const std::exception& error) {
  RelayOutcome outcome;
  outcome.verdict = RelayVerdict::wrong;
  outcome.what = error.what();
  return outcome;
}

inline void add_case(RelayStudy& study, std::uint64_t seed, const RelayOutcome& o) {
  for (int k = 0; k < 3; ++k) study.n_events[k] += static_cast<std::uint64_t>(o.n_events[k]);
  study.n_codimension_two += static_cast<std::uint64_t>(o.n_codimension_two);
  study.n_hard += o.hard;
  ++study.n_flips;
  study.n_same_bits += o.same_bits;
  if (!o.hard && o.verdict == RelayVerdict::right)
    study.flip_change = std::max(study.flip_change, o.flip_change);
  switch (o.verdict) {
    case RelayVerdict::right:
      ++study.n_right;
      study.worst = std::max(study.worst, o.worst);
      break;
    case RelayVerdict::wrong:
      ++study.n_wrong;
      break;
    case RelayVerdict::refused:
      ++study.n_refused;
      ++study.reasons[without_numbers(o.what.substr(0, o.what.find(';')))];
  }
  if (!o.what.empty()) {
    (o.verdict == RelayVerdict::wrong ? study.complaints_of_wrong : study.complaints_of_refused) +=
        "seed " + std::to_string(seed) + " (" + std::string(name(relay_engine(seed))) +
        (o.hard ? ", hard)" : ")") +
        (o.verdict == RelayVerdict::refused ? " refused: " : " wrong: ") + o.what + "\n";
  }
}

/// Cases seed, seed + 1, ….
inline RelayStudy study_relay_systems(std::uint64_t seed, std::uint64_t n_cases) {
  std::vector<RelayOutcome> outcomes(n_cases);
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&] {
    for (std::uint64_t k = next++; k < n_cases; k = next++) outcomes[k] = study_relay(seed + k);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  RelayStudy study;
  for (std::uint64_t k = 0; k < n_cases; ++k) add_case(study, seed + k, outcomes[k]);
  return study;
}

}  // namespace saltus::problems
