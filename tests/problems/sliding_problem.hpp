// What a named problem whose solution slides consists of, and how a run is compared with its reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <saltus/saltus.hpp>

#include "problems/switched_problem.hpp"

namespace saltus::problems {

/// Where the true solution is interrupted.
struct SlidingEvent {
  double t = 0.0;
  EventKind kind = EventKind::state;  // a crossing, or enter_sliding, exit_sliding
  std::string surface;                // a relation on it, as it is written
  int direction = 0;                  // of its function: where it comes from, or where it goes
  std::vector<double> state = {};     // in the order of the reference; empty: not known
};

struct SlidingProblem {
  std::string name;
  /// Ordinary relations and nothing else.
  std::function<void(Model&)> write;
  double t_end = 1.0;
  std::vector<SlidingEvent> events = {};
  std::vector<std::string> states = {};  // in the order of the reference
  std::vector<Named<double>> final_values = {};
  std::string file = {};  // in tests/reference

  // For an oracle: the names of the stretches between events, the unknowns at the begin, and the smooth equations
  // of each by hand, with states of the same names that start as told.
  std::vector<std::string> modes = {};
  NamedState start = {};
  std::function<void(Model&, const std::string& mode, const NamedState& start)> write_stretch = {};
  int n_sliding_at_start = 0;
  /// Passes zero at event k of the true solution: the function of the surface, or what is left of a
  /// multiplier.
  std::function<double(std::size_t event, double t, const NamedState&)> vanishes = {};

  /// Surfaces it slides on after so many events.
  int n_sliding(std::size_t n_events) const {
    int n = n_sliding_at_start;
    for (std::size_t k = 0; k < n_events; ++k) {
      n += events[k].kind == EventKind::enter_sliding  ? 1
           : events[k].kind == EventKind::exit_sliding ? -1
                                                       : 0;
    }
    return n;
  }
  double smallest_distance() const {
    double least = t_end;
    for (std::size_t k = 1; k < events.size(); ++k)
      least = std::min(least, events[k].t - events[k - 1].t);
    return least;
  }
};

inline std::shared_ptr<const ModelDefinition> write_model(const SlidingProblem& problem) {
  Model model(problem.name);
  problem.write(model);
  return model.build();
}

/// As a problem of events: for an oracle that is told when all of them happen, and where the solution then is if the
/// reference knows that. (Left a little earlier than true, a tangential exit would lead to the other side.)
inline SwitchedProblem as_switched(const SlidingProblem& problem) {
  SwitchedProblem p;
  p.name = problem.name;
  p.t_end = problem.t_end;
  p.final_values = problem.final_values;
  const auto number = [modes = problem.modes](std::size_t stretch) {
    return static_cast<double>(std::find(modes.begin(), modes.end(), modes[stretch]) -
                               modes.begin());
  };
  p.write = [problem](ModelWriter& w) {
    if (!w.is_frozen()) return problem.write(w.m);
    const auto mode = static_cast<std::size_t>(w.discrete("mode", 0.0).number());
    problem.write_stretch(w.m, problem.modes[mode], problem.start);
  };
  for (const SlidingEvent& e : problem.events) p.events.push_back({e.t, e.surface, e.direction});
  p.choices = {{"mode", {number(0)}}};
  p.switch_at = [number](std::size_t k, Choices& c) { c["mode"] = {number(k + 1)}; };
  p.jump_at = [states = problem.states, events = problem.events](std::size_t k, NamedState& x) {
    for (std::size_t i = 0; i < events[k].state.size(); ++i) x[states[i]] = events[k].state[i];
  };
  return p;
}

/// What interrupted the solution by itself: crossings, and where sliding begins and ends; each surface once
/// per instant and kind.
inline std::vector<SlidingEvent> counted_sliding_events(const EventLog& log) {
  std::vector<SlidingEvent> counted;
  for (const EventInstant& instant : log.instants()) {
    const std::size_t first = counted.size();
    for (const Event& e : log.events_of(instant)) {
      const bool slides = e.kind == EventKind::enter_sliding || e.kind == EventKind::exit_sliding;
      if (!slides && (e.kind != EventKind::state || e.micro_step != 0)) continue;
      const std::string surface = surface_of(e.text.empty() ? e.name : e.text);
      const bool seen = std::any_of(
          counted.begin() + static_cast<std::ptrdiff_t>(first), counted.end(),
          [&](const SlidingEvent& c) { return c.surface == surface && c.kind == e.kind; });
      if (!seen) counted.push_back({e.t, e.kind, surface, e.direction});
    }
  }
  return counted;
}

struct SlidingComparison {
  bool complete = false;  // the same events in the same order, no other
  std::size_t n_expected = 0;
  std::size_t n_found = 0;
  std::size_t n_alike = 0;           // before the first difference
  double largest_time_error = 0.0;   // among those
  double mean_log_time_error = 0.0;  // of their natural logarithms
  std::string first_difference;
};

/// `negligible`: an error below this counts as one of this size in the mean.
inline SlidingComparison compare_sliding(const std::vector<SlidingEvent>& found,
                                         const std::vector<SlidingEvent>& expected,
                                         double negligible = 1e-15) {
  SlidingComparison c;
  c.n_expected = expected.size();
  c.n_found = found.size();
  const auto say = [](const std::vector<SlidingEvent>& list, std::size_t k) {
    if (k >= list.size()) return std::string("none");
    const SlidingEvent& e = list[k];
    return std::string(name(e.kind)) + " of " + e.surface + " at " + to_text(e.t) +
           (e.direction > 0   ? " rising"
            : e.direction < 0 ? " falling"
                              : "");
  };
  for (std::size_t k = 0; k < std::max(found.size(), expected.size()); ++k) {
    const bool alike = k < found.size() && k < expected.size() &&
                       found[k].kind == expected[k].kind &&
                       surface_of(found[k].surface) == surface_of(expected[k].surface) &&
                       found[k].direction == expected[k].direction;
    if (!alike) {
      c.first_difference = std::to_string(k + 1) + ". event: " + say(expected, k) +
                           " expected, found " + say(found, k);
      break;
    }
    ++c.n_alike;
    const double error = std::abs(found[k].t - expected[k].t);
    c.largest_time_error = std::max(c.largest_time_error, error);
    c.mean_log_time_error += std::log(std::max(error, negligible));
  }
  c.complete = c.first_difference.empty();
  if (c.n_alike > 0) c.mean_log_time_error /= static_cast<double>(c.n_alike);
  return c;
}

inline SlidingComparison compare_sliding(const Solution& s, const SlidingProblem& problem,
                                         double negligible = 1e-15) {
  return compare_sliding(counted_sliding_events(s.event_log), problem.events, negligible);
}

/// The first event that only one of the two has: alike, and nearer to it than half way to its neighbours, is the same.
inline std::optional<SlidingEvent> first_lost(const std::vector<SlidingEvent>& found,
                                              const std::vector<SlidingEvent>& expected) {
  for (std::size_t k = 0; k < std::max(found.size(), expected.size()); ++k) {
    if (k >= expected.size()) return found[k];
    if (k >= found.size()) return expected[k];
    double near = std::numeric_limits<double>::infinity();
    if (k > 0) near = 0.5 * (expected[k].t - expected[k - 1].t);
    if (k + 1 < expected.size()) near = std::min(near, 0.5 * (expected[k + 1].t - expected[k].t));
    const bool alike = found[k].kind == expected[k].kind &&
                       surface_of(found[k].surface) == surface_of(expected[k].surface) &&
                       std::abs(found[k].t - expected[k].t) <= near;
    if (!alike) return found[k].t < expected[k].t ? found[k] : expected[k];
  }
  return std::nullopt;
}

/// Whether the run says of the step, or of the event, at which it first differs that it was too close to call.
/// `error`: of times up to there.
inline bool is_marked(const Solution& s, const SlidingEvent& lost, double error) {
  const auto is_of = [&](std::string relation) {
    const std::string prefix = "sliding on ";
    if (relation.starts_with(prefix)) relation = relation.substr(prefix.size());
    relation = relation.substr(0, relation.find(", towards"));
    return surface_of(relation) == surface_of(lost.surface);
  };
  for (const MarginalMark& m : s.report.marginal) {
    if (is_of(m.relation) && m.t_from <= lost.t + error && m.t_to >= lost.t - error) return true;
  }
  for (const Event& e : s.event_log.events()) {
    if (e.guarantee == Guarantee::marginal && is_of(e.text.empty() ? e.name : e.text) &&
        std::abs(e.t - lost.t) <= error)
      return true;
  }
  return false;
}

/// The least time between two events; the whole run if there are fewer.
inline double smallest_distance(const std::vector<SlidingEvent>& events, double t_end) {
  double least = t_end;
  for (std::size_t k = 1; k < events.size(); ++k)
    least = std::min(least, events[k].t - events[k - 1].t);
  return least;
}

/// The largest error at the end, |x - true| / (1 + |true|); infinity if it did not arrive.
inline double end_error(const Solution& s, const SlidingProblem& problem) {
  SwitchedProblem end;
  end.t_end = problem.t_end;
  end.final_values = problem.final_values;
  return end_error(s, end);
}

}  // namespace saltus::problems
