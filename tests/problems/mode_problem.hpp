// What a named problem with modes consists of, and how a run is compared with its true solution.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <saltus/saltus.hpp>

#include "problems/switched_problem.hpp"

namespace saltus::problems {

/// One smooth stretch of a solution: where it begins, and the values of all choices.
struct FrozenStretch {
  NamedState start;  // "der(x)" for derivatives; what is not in it starts as the model says
  Choices choices;
};

/// Writes a model once for two purposes: as it is, or frozen as during one stretch (nothing leads out of
/// any mode), for an oracle that knows when to stop.
class ModeWriter {
 public:
  explicit ModeWriter(Model& model, const FrozenStretch* frozen = nullptr)
      : m(model), frozen_(frozen) {}

  Model& m;
  bool is_frozen() const { return frozen_ != nullptr; }

  Expr state(const std::string& name, double start, Attributes attributes = {}) {
    if (const double* at = found("der(" + name + ")")) attributes.derivative_start = *at;
    const double* at = found(name);
    return m.state(name, at != nullptr ? *at : start, std::move(attributes));
  }
  /// With a start that is a guess: it follows from other unknowns in some of the modes.
  Expr algebraic(const std::string& name, Attributes attributes = {}) {
    if (const double* at = found(name)) attributes.guess = *at;
    return m.algebraic(name, std::move(attributes));
  }
  Expr choose(const std::string& key, const Cond& condition, const Expr& a, const Expr& b) {
    if (is_frozen()) return frozen_->choices.at(key)[0] != 0.0 ? a : b;
    return where(condition, a, b);
  }
  void require(ModeId mode, const Cond& condition) {
    if (!is_frozen()) m.require(mode, condition);
  }
  void transition(const std::string& name, ModeId from, std::vector<ModeId> candidates,
                  const Cond& guard, TransitionOptions options = {}) {
    if (!is_frozen()) m.transition(name, from, std::move(candidates), guard, std::move(options));
  }
  void when(const std::string& name, const Cond& condition, std::vector<Model::Set> assignments) {
    if (!is_frozen()) m.when(name, condition, std::move(assignments));
  }

 private:
  const double* found(const std::string& name) const {
    if (!is_frozen()) return nullptr;
    const auto place = frozen_->start.find(name);
    return place == frozen_->start.end() ? nullptr : &place->second;
  }

  const FrozenStretch* frozen_;
};

/// Where the true solution is interrupted.
struct ModeEvent {
  double t = 0.0;
  std::string from, to;   // the same for an event within a mode
  NamedState after = {};  // what jumps there, with its value afterwards
  NamedState impulses = {};
};

struct ModeProblem {
  std::string name;
  std::function<void(ModeWriter&)> write;
  double t_end = 1.0;
  std::string first_mode;
  std::vector<ModeEvent> events = {};
  std::vector<Named<double>> final_values = {};
  std::string file = {};  // in tests/reference; empty: a closed solution
  Choices choices = {};   // for an oracle: at the begin, and what event k changes
  std::function<void(std::size_t event, Choices&)> switch_at = {};
  /// By how much a state misses the time of event k: its distance from the surface over its speed there. 0: at a known time.
  std::function<double(std::size_t event, const NamedState&)> missed_by = {};
};

inline std::shared_ptr<const ModelDefinition> write_model(const ModeProblem& problem,
                                                          const FrozenStretch* frozen = nullptr) {
  Model model(problem.name);
  ModeWriter writer(model, frozen);
  problem.write(writer);
  return model.build();
}

struct ModeComparison {
  bool complete = false;  // the same modes in the same order, no other
  std::size_t n_expected = 0;
  std::size_t n_alike = 0;
  double largest_time_error = 0.0;
  std::string first_difference;
};

/// Changes of mode; events within a mode are left out.
inline ModeComparison compare_modes(const EventLog& log, const ModeProblem& problem) {
  ModeComparison c;
  std::vector<ModeEvent> expected, found;
  for (const ModeEvent& e : problem.events) {
    if (e.from != e.to) expected.push_back(e);
  }
  for (const EventInstant& i : log.instants()) {
    if (i.mode_before != i.mode_after) found.push_back({i.t, i.mode_before, i.mode_after});
  }
  c.n_expected = expected.size();
  const auto say = [](const ModeEvent& e) {
    return e.from + " -> " + e.to + " at " + to_text(e.t);
  };
  for (std::size_t k = 0; k < std::max(expected.size(), found.size()); ++k) {
    const bool alike = k < expected.size() && k < found.size() &&
                       expected[k].from == found[k].from && expected[k].to == found[k].to;
    if (!alike) {
      c.first_difference = std::to_string(k + 1) +
                           ". change: " + (k < expected.size() ? say(expected[k]) : "none") +
                           " expected, " + (k < found.size() ? say(found[k]) : "none") + " found";
      return c;
    }
    ++c.n_alike;
    c.largest_time_error = std::max(c.largest_time_error, std::abs(expected[k].t - found[k].t));
  }
  c.complete = true;
  return c;
}

/// The largest error at the end, |x - true| / (1 + |true|); infinity if it did not arrive.
inline double end_error(const Solution& s, const ModeProblem& problem) {
  SwitchedProblem as_switched;
  as_switched.t_end = problem.t_end;
  as_switched.final_values = problem.final_values;
  return end_error(s, as_switched);
}

/// What changes at one instant beside what should: |found - true| / (1 + |true|), infinity for an impulse
/// that is missing, of another order, or too many.
inline double instant_error(const Solution& s, const EventInstant& instant, const ModeEvent& e) {
  double worst = 0.0;
  const auto compare = [&](double found, double value) {
    worst = std::max(worst, std::abs(found - value) / (1 + std::abs(value)));
  };
  for (const auto& [variable, value] : e.after) {
    const auto column = s.trajectory.find(variable);
    if (!column) continue;  // a derivative that is no column
    if (!instant.plus_present.empty() && instant.plus_present[*column] == 0) continue;
    compare(instant.x_plus[*column], value);
  }
  std::size_t n_found = 0;
  for (const ImpulseRecord& i : instant.impulses) {
    const auto expected = e.impulses.find(i.variable);
    if (expected == e.impulses.end() || i.order != 0)
      return std::numeric_limits<double>::infinity();
    compare(i.strength, expected->second);
    ++n_found;
  }
  return n_found == e.impulses.size() ? worst : std::numeric_limits<double>::infinity();
}

/// The largest error of values and impulses at changes of mode.
inline double jump_error(const Solution& s, const ModeProblem& problem) {
  double worst = 0.0;
  std::size_t k = 0;
  for (const ModeEvent& e : problem.events) {
    if (e.from == e.to) continue;
    while (k < s.instants().size() && s.instants()[k].mode_before == s.instants()[k].mode_after) {
      ++k;
    }
    if (k == s.instants().size()) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, instant_error(s, s.instants()[k++], e));
  }
  return worst;
}

/// A root of f between a and b, where its sign changes, to the last digits.
template <class F>
long double root_between(F f, long double a, long double b) {
  const bool rising = f(a) < 0;
  for (int k = 0; k < 200; ++k) {
    const long double middle = a + (b - a) / 2;
    if (middle == a || middle == b) break;
    ((f(middle) < 0) == rising ? a : b) = middle;
  }
  return a + (b - a) / 2;
}

}  // namespace saltus::problems
