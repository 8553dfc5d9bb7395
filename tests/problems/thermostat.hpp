// A room with a heater and hysteresis: a discrete variable and two when-clauses. Each relation also turns
// back on its own side, which changes nothing and is no event.
#pragma once

#include "problems/switched_problem.hpp"

namespace saltus::problems {

struct Thermostat {
  static constexpr double outside = 10.0, heated = 30.0, rate = 0.5, low = 19.0, high = 21.0;
};

inline void write_thermostat(ModelWriter& w) {
  using T = Thermostat;
  Expr temperature = w.m.state("T", T::low, {.nominal = w.nominal(20.0)});
  Expr heater = w.discrete("heater", 1.0);
  w.m.equation("T", der(temperature) ==
                        T::rate * (T::outside + (T::heated - T::outside) * heater - temperature));
  w.when("switch off", temperature > T::high, {{heater, 0.0}});
  w.when("switch on", temperature < T::low, {{heater, 1.0}});
}

inline SwitchedProblem thermostat() {
  SwitchedProblem p{.name = "thermostat", .write = &write_thermostat, .t_end = 10.0};
  // From 19 to 21 the distance to 30 falls from 11 to 9, back that to 10 from 11 to 9.
  const long double each = std::log(11.0L / 9.0L) / 0.5L;
  long double t = 0.0L, last = 0.0L;
  for (std::size_t k = 0;; ++k) {
    t = static_cast<long double>(k + 1) * each;
    if (t > 10.0L) {
      const long double distance = 11.0L * std::exp(-0.5L * (10.0L - last));
      p.final_values = {{"T", static_cast<double>(k % 2 == 0 ? 30 - distance : 10 + distance)}};
      break;
    }
    const bool off = k % 2 == 0;
    p.events.push_back({static_cast<double>(t), off ? "switch off" : "switch on", off ? +1 : -1});
    last = t;
  }
  p.choices = {{"heater", {1}}};
  p.switch_at = [](std::size_t k, Choices& c) { c["heater"] = {k % 2 == 0 ? 0.0 : 1.0}; };
  return p;
}

}  // namespace saltus::problems
