// Many random switched pencils: runs beside exact solutions.
#pragma once

#include <atomic>
#include <map>
#include <thread>

#include "problems/switched_pencils.hpp"

namespace saltus::problems {

struct PencilOutcome {
  bool refused = false;
  std::string what;  // why it was refused, or the first thing that is wrong
  double worst =
      0.0;  // largest error of limits, impulses and the end, over 1 + the largest of their kind
  int n_jumps = 0, n_impulses = 0;
  int highest_order = -1;
};

/// What is compared with its exact value, and where.
class PencilJudge {
 public:
  PencilJudge(PencilOutcome& outcome, double allowed) : outcome_(outcome), allowed_(allowed) {}

  void compare(double found, long double exact, double scale, const std::string& where) {
    const double error = static_cast<double>(std::abs(found - exact)) / scale;
    outcome_.worst = std::max(outcome_.worst, std::isfinite(error) ? error : 1e300);
    if (!(error <= allowed_) && outcome_.what.empty()) {
      outcome_.what =
          where + ": " + to_text(found) + " instead of " + to_text(static_cast<double>(exact));
    }
  }
  double allowed() const { return allowed_; }

 private:
  PencilOutcome& outcome_;
  double allowed_;
};

namespace pencil_detail {

inline double scale_of(const LongVector& x, double at_least) {
  for (const long double v : x) at_least = std::max(at_least, 1 + static_cast<double>(std::abs(v)));
  return at_least;
}

inline void judge_impulses(PencilJudge& judge, PencilOutcome& outcome, const Pencil& mode,
                           const EventInstant& instant, const LongVector& before, double scale) {
  const std::string at = " at " + to_text(instant.t);
  for (int order = 0; order + 1 < std::max(mode.index, 1); ++order) {
    const LongVector exact = mode.impulse(before, instant.t, order);
    scale = scale_of(exact, scale);
    for (std::size_t i = 0; i < mode.n; ++i) {
      double found = 0.0;
      for (const ImpulseRecord& record : instant.impulses) {
        if (record.variable == "x" + std::to_string(i) && record.order == order)
          found = record.strength;
      }
      if (std::abs(exact[i]) > 1e-9L) {
        ++outcome.n_impulses;
        outcome.highest_order = std::max(outcome.highest_order, order);
      }
      judge.compare(found, exact[i], scale,
                    "impulse of order " + std::to_string(order) + " of x" + std::to_string(i) + at);
    }
  }
  for (const ImpulseRecord& record : instant.impulses) {
    if (record.order + 1 >= mode.index) {
      judge.compare(record.strength, 0.0L, scale, "an impulse of " + record.variable + at);
    }
  }
}

}  // namespace pencil_detail

/// A run beside the exact solution.
inline PencilOutcome judge_pencils(const Solution& s, const SwitchedPencils& p, double allowed) {
  PencilOutcome outcome;
  if (!s.ok()) {
    outcome.refused = true;
    outcome.what = s.report.message;
    return outcome;
  }
  PencilJudge judge(outcome, allowed);
  if (s.instants().size() != p.switches.size()) {
    outcome.worst = 1e300;
    outcome.what = std::to_string(s.instants().size()) + " events";
    return outcome;
  }
  LongVector x = p.start;
  double scale = pencil_detail::scale_of(x, 1.0), t = 0.0;
  std::uint32_t mode = 0;
  for (std::size_t k = 0; k < p.switches.size(); ++k) {
    const PencilSwitch& sw = p.switches[k];
    const EventInstant& instant = s.instants()[k];
    const LongVector before = p.modes[mode].moved(x, t, sw.t);
    mode = sw.to;
    x = p.modes[mode].projected(before, sw.t);
    scale = pencil_detail::scale_of(x, pencil_detail::scale_of(before, scale));
    bool jumps = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::string of = "x" + std::to_string(i);
      const std::uint32_t column = s.trajectory.index_of(of);
      judge.compare(instant.x_minus[column], before[i], scale, of + " before " + to_text(sw.t));
      judge.compare(instant.x_plus[column], x[i], scale, of + " after " + to_text(sw.t));
      jumps = jumps || std::abs(x[i] - before[i]) > 1e-9L;
    }
    outcome.n_jumps += jumps;
    pencil_detail::judge_impulses(judge, outcome, p.modes[mode], instant, before, scale);
    t = sw.t;
  }
  x = p.modes[mode].moved(x, t, p.t_end);
  scale = pencil_detail::scale_of(x, scale);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::string of = "x" + std::to_string(i);
    judge.compare(s.final(of), x[i], scale, of + " at the end");
  }
  return outcome;
}

inline PencilOutcome study_pencils(const SwitchedPencils& p, RestartPolicy policy,
                                   EngineKind engine, double tolerance, double allowed) {
  RunOptions o;
  o.t_end = p.t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  try {
    return judge_pencils(simulate(p.model(policy), o), p, allowed);
  } catch (const Error& error) {
    PencilOutcome outcome;
    outcome.refused = true;
    outcome.what = error.what();
    return outcome;
  }
}

struct PencilStudy {
  std::uint64_t n_right = 0, n_wrong = 0, n_refused = 0, n_jumps = 0, n_impulses = 0;
  int highest_order = -1;
  double worst = 0.0;                            // of those that are right
  std::map<std::string, std::uint64_t> reasons;  // of refusals, numbers left out
  std::string complaints;                        // a line for each case that is not right

  std::uint64_t total() const { return n_right + n_wrong + n_refused; }
};

/// The same sentence for all numbers.
inline std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool digit = (c >= '0' && c <= '9') || c == '.' || c == '+';
    if (!digit) {
      out.push_back(c);
    } else if (out.empty() || out.back() != '#') {
      if (!out.empty() && out.back() == '-') out.pop_back();
      out.push_back('#');
    }
  }
  return out;
}

/// Cases seed, seed + 1, …; every second one leaves the policy to the default where that is exact too.
inline PencilStudy study_switched_pencils(std::uint64_t seed, std::uint64_t n_cases,
                                          EngineKind engine, double tolerance, double allowed) {
  std::vector<PencilOutcome> outcomes(n_cases);
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&] {
    for (std::uint64_t k = next++; k < n_cases; k = next++) {
      const SwitchedPencils p = random_switched_pencils(seed + k);
      const bool keep = p.exact_under_keep && k % 2 == 0;
      outcomes[k] = study_pencils(p, keep ? RestartPolicy::keep : RestartPolicy::impulse, engine,
                                  tolerance, allowed);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  PencilStudy study;
  for (std::uint64_t k = 0; k < n_cases; ++k) {
    const PencilOutcome& o = outcomes[k];
    study.n_jumps += static_cast<std::uint64_t>(o.n_jumps);
    study.n_impulses += static_cast<std::uint64_t>(o.n_impulses);
    study.highest_order = std::max(study.highest_order, o.highest_order);
    if (o.refused) {
      ++study.n_refused;
      ++study.reasons[without_numbers(o.what)];
    } else if (o.what.empty()) {
      ++study.n_right;
      study.worst = std::max(study.worst, o.worst);
    } else {
      ++study.n_wrong;
    }
    if (!o.what.empty()) {
      study.complaints += "seed " + std::to_string(seed + k) +
                          (o.refused ? " refused: " : " wrong: ") + o.what + "\n";
    }
  }
  return study;
}

}  // namespace saltus::problems
