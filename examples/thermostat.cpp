// A room with a thermostat: conditions in equations, when-clauses, and what happened, explained.
#include <cmath>
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("room");
  Expr T = m.state("T", 15.0, {.unit = "degC"});
  Expr heating = m.discrete("heating", 1.0);
  Expr outside = 5.0 + 3.0 * sin(2.0 * 3.141592653589793 * m.time() / 24.0);
  Expr sun = where(m.time() > 9.0 && m.time() < 16.0, 1.5, 0.0);  // through the window
  m.equation(der(T) == (outside - T) / 8.0 + 4.0 * heating + sun);
  m.when("switch off", T > 21.0, {{heating, 0.0}});
  m.when("switch on", T < 19.0, {{heating, 1.0}});
  // [model]

  // [simulate]
  const Solution day = simulate(m, {.t_end = 24.0, .rtol = 1e-8, .atol = 1e-8});
  if (!day.ok()) {
    std::printf("%s\n", day.report.message.c_str());
    return 1;
  }
  for (const Event& e : day.events()) {
    if (e.t > 5.0) break;
    std::printf("%9.6f h  %-9s %s\n", e.t, std::string(name(e.kind)).c_str(), e.name.c_str());
  }
  // [simulate]

  // [explain]
  const double off = day.event_times("switch off")[0];
  for (const Event& e : day.events()) {
    if (e.t == off && e.kind == EventKind::state) std::printf("\n%s", day.explain(e).c_str());
  }
  std::printf("heating before and after: %g, %g\n", day.at("heating", off, Side::left),
              day.at("heating", off, Side::right));
  std::printf("%s\n", smoothness_sentence(day.report).c_str());
  // [explain]
  return 0;
}
