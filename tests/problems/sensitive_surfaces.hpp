// What derivatives of solutions that slide must keep: g_x S + g_p = 0 from the entry on, and no jump at the exit.
#pragma once

#include "problems/sensitive_problems.hpp"

namespace saltus::problems {

struct SlidingDerivatives {
  SensitiveProblem problem;
  /// g_x S + g_p on the right of a time, and the largest of its terms.
  std::function<std::pair<double, double>(const Solution&, const std::string& parameter, double t)>
      change;
};

inline std::vector<SlidingDerivatives> sliding_derivatives() {
  const auto sum = [](std::initializer_list<double> terms) {
    std::pair<double, double> all{0.0, 0.0};
    for (const double t : terms) {
      all.first += t;
      all.second = std::max(all.second, std::abs(t));
    }
    return all;
  };
  return {{sensitive_belt(),
           [=](const Solution& s, const std::string& p, double t) {
             return sum({s.sensitivity("v", p, t), p == "vd" ? -1.0 : 0.0});
           }},
          {sensitive_disode_p1(),
           [=](const Solution& s, const std::string& p, double t) {
             return sum({s.sensitivity("y2", p, t), p == "level" ? -1.0 : 0.0,
                         -2 * std::cos(2 * s.at("y1", t)) * s.sensitivity("y1", p, t)});
           }},
          {sensitive_disode_p3(), [=](const Solution& s, const std::string& p,
                                      double t) { return sum({s.sensitivity("y1", p, t)}); }},
          {sensitive_two_bodies(), [=](const Solution& s, const std::string& p, double t) {
             return sum({s.sensitivity("v1", p, t), -s.sensitivity("v2", p, t)});
           }}};
}

struct SurfaceErrors {
  std::size_t n_entries = 0, n_exits = 0;
  double entry = 0.0;  // |g_x S + g_p| relative to S before the entry and its terms
  double exit = 0.0;   // |S+ - S-| relative to S
};

inline SurfaceErrors surface_errors(const SlidingDerivatives& d, EngineKind engine,
                                    double tolerance) {
  SurfaceErrors e;
  const Solution s = with_derivatives(d.problem, engine, tolerance);
  if (!s.ok() || s.sensitivities.ends()) return {0, 0, no_error_known, no_error_known};
  for (const Event& event : s.event_log.events()) {
    const bool enters = event.kind == EventKind::enter_sliding;
    if (!enters && event.kind != EventKind::exit_sliding) continue;
    ++(enters ? e.n_entries : e.n_exits);
    for (const auto& p : d.problem.parameters) {
      // before any influence there is nothing to compare with
      double size = 1.0 / std::max(std::abs(p.value), 1.0), jump = 0.0;
      for (const std::string& v : d.problem.variables) {
        const double left = s.sensitivity(v, p.name, event.t, Side::left);
        size = std::max(size, std::abs(left));
        jump = std::max(jump, std::abs(s.sensitivity(v, p.name, event.t, Side::right) - left));
      }
      if (enters) {
        const auto [change, terms] = d.change(s, p.name, event.t);
        e.entry = std::max(e.entry, std::abs(change) / std::max(size, terms));
      } else {
        e.exit = std::max(e.exit, jump / size);
      }
    }
  }
  return e;
}

}  // namespace saltus::problems
