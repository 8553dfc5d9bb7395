// Derivatives beside central differences of runs that have the same events.
#pragma once

#include <optional>

#include "problems/sensitive_problem.hpp"

namespace saltus::problems {

/// Of four runs, at +-h and +-2h: their error is of order 4.
struct RunDifferences {
  std::vector<std::vector<double>> of_variables;  // by parameter
  std::vector<std::vector<double>> of_times;      // by parameter, in the order of events
  std::string why;                                // there are none
};

namespace sensitive_detail {

/// What interrupted the solution, in order.
inline std::vector<Event> counted_events(const Solution& s) {
  std::vector<Event> counted;
  for (const Event& e : s.event_log.events())
    if (e.kind != EventKind::lock && e.micro_step == 0) counted.push_back(e);
  return counted;
}
inline std::vector<std::string> sequence_of(const std::vector<Event>& events) {
  std::vector<std::string> all;
  for (const Event& e : events)
    all.push_back(std::string(name(e.kind)) + " " + (e.text.empty() ? e.name : e.text) + " " +
                  std::to_string(e.direction));
  return all;
}

}  // namespace sensitive_detail

inline RunDifferences differences(const SensitiveProblem& p) {
  using namespace sensitive_detail;
  RunDifferences d;
  const bool is_explicit = p.explicit_engines || p.write_explicit;
  const EngineKind engine = is_explicit ? EngineKind::dop853 : EngineKind::radau;
  std::vector<std::string> sequence;
  const auto run = [&](std::size_t k, double by) -> std::optional<std::vector<double>> {
    std::vector<double> at = p.values();
    at[k] += by;
    Model m(p.name);
    (p.write_explicit ? p.write_explicit : p.write)(m, at);
    const Solution s = simulate(m, options_of(p, engine, p.tolerance_of_differences));
    if (!s.ok()) {
      d.why = s.report.message;
      return std::nullopt;
    }
    const std::vector<Event> events = counted_events(s);
    if (sequence.empty()) sequence = sequence_of(events);
    if (sequence_of(events) != sequence) {
      d.why = "another sequence of events beside '" + p.parameters[k].name + "'";
      return std::nullopt;
    }
    std::vector<double> found;
    for (const std::string& v : p.variables) found.push_back(s.final(v));
    for (const Event& e : events) found.push_back(e.t);
    return found;
  };
  for (std::size_t k = 0; k < p.parameters.size(); ++k) {
    const double h = p.step * (std::abs(p.parameters[k].value) + 0.01);
    const auto a = run(k, -2 * h), b = run(k, -h), c = run(k, h), e = run(k, 2 * h);
    if (!a || !b || !c || !e) return d;
    std::vector<double> all;
    for (std::size_t i = 0; i < a->size(); ++i)
      all.push_back((8 * ((*c)[i] - (*b)[i]) - ((*e)[i] - (*a)[i])) / (12 * h));
    const auto n = static_cast<std::ptrdiff_t>(p.variables.size());
    d.of_variables.emplace_back(all.begin(), all.begin() + n);
    d.of_times.emplace_back(all.begin() + n, all.end());
  }
  return d;
}

struct DifferenceErrors {
  double of_variables = 0.0, of_times = 0.0;
  std::string worst;  // variable and parameter
  std::string why;    // there are none
};

/// Relative to the derivative, or to a thousandth of the largest of that parameter if that is more: what vanishes
/// (a speed that the belt dictates) has no relative error.
class DifferenceScale {
 public:
  DifferenceScale(std::span<const double> exact, double least = 0.0) : largest_(least) {
    for (const double v : exact) largest_ = std::max(largest_, std::abs(v));
  }
  double error(double found, double exact) const {
    return std::abs(found - exact) / std::max(std::abs(exact), 1e-3 * largest_);
  }

 private:
  double largest_;
};

inline DifferenceScale scale_of_variables(const RunDifferences& d, std::size_t k) {
  return DifferenceScale(d.of_variables[k]);
}
inline DifferenceScale scale_of_times(const SensitiveProblem& p, const RunDifferences& d,
                                      std::size_t k) {
  return {d.of_times[k], 1e-3 * p.t_end / std::max(std::abs(p.parameters[k].value), 1.0)};
}

inline DifferenceErrors errors_of(const SensitiveProblem& p, const RunDifferences& d,
                                  const Solution& s) {
  DifferenceErrors e;
  const auto none = [&](std::string why) {
    return DifferenceErrors{no_error_known, no_error_known, {}, std::move(why)};
  };
  if (!d.why.empty()) return none(d.why);
  if (!s.ok()) return none(s.report.message);
  if (s.sensitivities.ends()) return none(s.sensitivities.ends()->why);
  for (std::size_t k = 0; k < p.parameters.size(); ++k) {
    const std::string& name = p.parameters[k].name;
    const DifferenceScale of_variables = scale_of_variables(d, k),
                          of_times = scale_of_times(p, d, k);
    for (std::size_t i = 0; i < p.variables.size(); ++i) {
      const double found = s.sensitivity(p.variables[i], name, p.t_end, Side::left);
      const double error = of_variables.error(found, d.of_variables[k][i]);
      if (error <= e.of_variables) continue;
      e.of_variables = error;
      e.worst = "d " + p.variables[i] + " / d " + name;
    }
    // Events of times that are known are no relation's.
    const auto& events = sensitive_detail::counted_events(s);
    for (const EventTimeDerivative& found : s.sensitivities.event_times()) {
      for (std::size_t j = 0; j < std::min(events.size(), d.of_times[k].size()); ++j) {
        if (events[j].t != found.t) continue;
        e.of_times = std::max(e.of_times, of_times.error(found.derivatives[k], d.of_times[k][j]));
        break;
      }
    }
  }
  return e;
}

/// What differences are off by themselves: how much they change with half the step, and with runs of ten times their
/// tolerance (whose errors are differentiated as well, and do not become smaller with the step).
inline DifferenceErrors own_errors_of(const SensitiveProblem& p, const RunDifferences& d) {
  DifferenceErrors e;
  SensitiveProblem finer = p, looser = p;
  finer.step *= 0.5;
  looser.tolerance_of_differences *= 10;
  for (const SensitiveProblem* other : {&finer, &looser}) {
    const RunDifferences o = differences(*other);
    if (!d.why.empty() || !o.why.empty())
      return {no_error_known, no_error_known, {}, d.why.empty() ? o.why : d.why};
    for (std::size_t k = 0; k < p.parameters.size(); ++k) {
      const DifferenceScale of_variables = scale_of_variables(d, k),
                            of_times = scale_of_times(p, d, k);
      for (std::size_t i = 0; i < p.variables.size(); ++i)
        e.of_variables = std::max(e.of_variables,
                                  of_variables.error(o.of_variables[k][i], d.of_variables[k][i]));
      for (std::size_t j = 0; j < d.of_times[k].size(); ++j)
        e.of_times = std::max(e.of_times, of_times.error(o.of_times[k][j], d.of_times[k][j]));
    }
  }
  return e;
}

}  // namespace saltus::problems
