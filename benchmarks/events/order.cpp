// Item 4: order of convergence through events.
//
// Fixed steps, three events, and the error of the state after them. Where in its step an event lies depends
// on how the grid is shifted: errors are means over twenty shifts.
#include <cmath>
#include <cstdio>

#include <saltus/saltus.hpp>

#include "events/event_runs.hpp"
#include "events/events.hpp"
#include "problems/smooth_events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

constexpr int n_step_sizes = 10, n_shifts = 20;

/// Ten sizes, each `ratio` of the one before: from steps that just fit between events, or from where higher
/// powers of the step cease to matter, down to where rounding begins to.
struct OrderStudy {
  EngineKind engine;
  int order;
  double longest_step, ratio;
};
struct ProblemStudy {
  const char* problem;
  OrderStudy studies[3];
};
constexpr ProblemStudy order_studies[] = {{"ball in air",
                                           {{EngineKind::dopri5, 5, 0.02, 0.83},
                                            {EngineKind::radau, 5, 0.04, 0.83},
                                            {EngineKind::dop853, 8, 0.33, 0.83}}},
                                          {"harvest",
                                           {{EngineKind::dopri5, 5, 0.3, 0.85},
                                            {EngineKind::radau, 5, 0.2, 0.8},
                                            {EngineKind::dop853, 8, 0.45, 0.88}}},
                                          {"hunters",
                                           {{EngineKind::dopri5, 5, 0.02, 0.85},
                                            {EngineKind::radau, 5, 0.1, 0.83},
                                            {EngineKind::dop853, 8, 0.56, 0.87}}}};

double error_after_events(const SmoothEventProblem& p, EngineKind engine, double h, double t_begin,
                          LocationKind location, int& n_wrong) {
  Model m(p.name);
  p.write(m, t_begin);
  RunOptions o;
  o.t_begin = t_begin;
  o.t_end = p.t_end;
  o.engine = engine;
  o.fixed_step = h;
  // Newton's method and the distance from the surface follow the tolerance.
  o.rtol = o.atol = 1e-13;
  o.events.location = location;
  o.output.points = OutputPoints::times;
  o.output.times = {p.t_end};
  o.output.dense = false;
  const Solution s = simulate(m, o);
  if (!s.ok() || counted_events(s.event_log).size() != static_cast<std::size_t>(p.n_events)) {
    if (n_wrong++ == 0) {
      std::printf("     %s %s h=%g from %g: %zu events, %s\n", p.name.c_str(),
                  std::string(name(engine)).c_str(), h, t_begin, counted_events(s.event_log).size(),
                  s.report.message.c_str());
    }
    return 1.0;
  }
  double error = 0.0;
  for (const auto& [variable, value] : p.final_values)
    error = std::max(error, std::abs(s.final(variable) - value));
  return error;
}

/// Slope of log(mean error) over log(step) by least squares.
double observed_order(const SmoothEventProblem& p, const OrderStudy& study, LocationKind location,
                      int& n_wrong) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, first = 0.0, last = 0.0;
  for (int k = 0; k < n_step_sizes; ++k) {
    // Errors of the size of the steps are errors of order one only if steps are short.
    const double scale = location == LocationKind::exact ? 1.0 : 0.2;
    const double h = scale * study.longest_step * std::pow(study.ratio, k);
    double mean = 0.0;
    for (int j = 0; j < n_shifts; ++j) {
      const double t_begin = (j + 0.5) / n_shifts * h;
      mean += error_after_events(p, study.engine, h, t_begin, location, n_wrong) / n_shifts;
    }
    const double x = std::log(h), y = std::log(mean);
    n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
    (k == 0 ? first : last) = mean;
  }
  const double order = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  std::printf("   %-12s %-7s %-9s errors %.1e to %.1e, order %.2f\n", p.name.c_str(),
              std::string(name(study.engine)).c_str(),
              location == LocationKind::exact ? "located" : "at ends", first, last, order);
  std::fflush(stdout);
  return order;
}

}  // namespace

bool show_order(int number) {
  Item item(number);
  double furthest = 0.0, control = 0.0;
  int n_wrong = 0, n_control_wrong = 0;
  for (const SmoothEventProblem& p : smooth_event_problems()) {
    const auto* studies = std::find_if(std::begin(order_studies), std::end(order_studies),
                                       [&](const ProblemStudy& s) { return p.name == s.problem; });
    for (const OrderStudy& study : studies->studies) {
      const double order = observed_order(p, study, LocationKind::exact, n_wrong);
      furthest = std::max(furthest, std::abs(order - study.order));
      control =
          std::max(control, observed_order(p, study, LocationKind::step_end, n_control_wrong));
    }
  }
  item.at_most("observed order off by", furthest, 0.3);
  item.at_most("without location", control, 1.3);
  item.holds(std::to_string(n_wrong) + " runs without their three events", n_wrong == 0);
  return item.print();
}

}  // namespace saltus::bench
