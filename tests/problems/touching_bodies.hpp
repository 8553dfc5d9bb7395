// Bodies that touch, written as contacts, and their true solutions: polynomials between events, whose times are
// found in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

struct TouchingBodies {
  std::string name;
  std::function<void(Model&)> write;
  double t_end = 0.0;
  /// Names and times, in order; of events that have such a name. "touches" of bounces that accumulate are not listed.
  std::vector<std::pair<std::string, double>> events;
  std::vector<std::pair<std::string, double>> final_values;
};

/// Pushed up a slope it comes to rest and sticks; pulled down ever more strongly it gives way and slips back.
inline TouchingBodies block_on_slope() {
  constexpr long double g = 9.81L, angle = 0.4L, mu_k = 0.3L, mu_s = 0.5L, v0 = 2.0L, pull = 1.5L;
  const long double along = g * std::sin(angle), press = g * std::cos(angle);
  TouchingBodies p;
  p.name = "block on a slope";
  p.t_end = 4.0;
  p.write = [](Model& m) {
    const double down = 9.81 * std::sin(0.4), weight = 9.81 * std::cos(0.4);
    Expr s = m.state("s", 0.0), v = m.state("v", 2.0), h = m.state("h", 0.0), u = m.state("u", 0.0);
    const Expr normal = m.unilateral("slope", h), t = m.time();
    const Expr force = m.friction("rubbing", v, normal, {.mu_kinetic = 0.3, .mu_static = 0.5});
    m.equation(der(s) == v);
    m.equation(der(h) == u);
    // The pull begins where the block has come to rest: until then it adds nothing to what is known.
    m.equation(der(v) == -down - where(t > 1.0, 1.5 * (t - 1.0), Expr(0.0)) + force);
    m.equation(der(u) == -weight + normal);
  };
  const long double up = along + mu_k * press, stop = v0 / up, top = v0 * v0 / (2 * up);
  const long double give = 1.0L + (mu_s * press - along) / pull;
  p.events = {{"rubbing stops slipping", static_cast<double>(stop)},
              {"rubbing gives way backward", static_cast<double>(give)}};
  // a = -(mu_s - mu_k) press - pull tau from there on
  const long double tau = 4.0L - give, a = (mu_s - mu_k) * press;
  p.final_values = {
      {"s", static_cast<double>(top - a * tau * tau / 2 - pull * tau * tau * tau / 6)},
      {"v", static_cast<double>(-a * tau - pull * tau * tau / 2)},
      {"h", 0.0}};
  return p;
}

/// On a plane that moves with velocity cos(5 t).
inline TouchingBodies block_on_moving_plane() {
  constexpr long double limit = 0.3L * 9.81L, omega = 5.0L;
  TouchingBodies p;
  p.name = "block on a moving plane";
  p.t_end = 5.0;
  p.write = [](Model& m) {
    Expr s = m.state("s", 0.0), v = m.state("v", 0.0), h = m.state("h", 0.0), u = m.state("u", 0.0);
    const Expr normal = m.unilateral("plane", h);
    const Expr force = m.friction("rubbing", v - cos(5.0 * m.time()), normal, {.mu_kinetic = 0.3});
    m.equation(der(s) == v);
    m.equation(der(h) == u);
    m.equation(der(v) == force);
    m.equation(der(u) == -9.81 + normal);
  };
  const auto plane = [](long double t) { return std::cos(5.0L * t); };
  const auto rate = [](long double t) { return -5.0L * std::sin(5.0L * t); };
  const auto first_zero = [](const std::function<long double(long double)>& f, long double from) {
    constexpr long double step = 1e-4L;
    long double a = from + 1e-9L, b = a + step;
    while ((f(a) > 0) == (f(b) > 0)) a = b, b += step;
    for (int i = 0; i < 200; ++i) {
      const long double c = (a + b) / 2;
      ((f(a) > 0) == (f(c) > 0) ? a : b) = c;
    }
    return (a + b) / 2;
  };
  long double t = 0.0L, v = 0.0L, s = 0.0L;
  int slips = -1;  // the sign of v - plane; 0: it sticks
  for (;;) {
    const long double force = -slips * limit;
    const long double next =
        slips != 0 ? first_zero([&](long double x) { return v + force * (x - t) - plane(x); }, t)
                   : first_zero([&](long double x) { return limit - std::fabs(rate(x)); }, t);
    const long double end = std::fmin(next, 5.0L), d = end - t;
    s += slips != 0 ? v * d + force * d * d / 2
                    : (std::sin(omega * end) - std::sin(omega * t)) / omega;
    v = slips != 0 ? v + force * d : plane(end);
    t = end;
    if (next > 5.0L) break;
    if (slips == 0) {
      slips = rate(t) > 0 ? -1 : 1;  // the plane is faster, or slower
      p.events.emplace_back(slips > 0 ? "rubbing gives way forward" : "rubbing gives way backward",
                            static_cast<double>(t));
    } else {
      slips = std::fabs(rate(t)) <= limit ? 0 : rate(t) > 0 ? -1 : 1;
      p.events.emplace_back("rubbing stops slipping", static_cast<double>(t));
    }
  }
  p.final_values = {{"s", static_cast<double>(s)}, {"v", static_cast<double>(v)}, {"h", 0.0}};
  return p;
}

/// Bounces into rest; from t = 5 on the floor falls, with acceleration -10 (t - 5), until the ball does not follow.
inline TouchingBodies ball_on_falling_floor() {
  TouchingBodies p;
  p.name = "ball on a floor that falls";
  p.t_end = 7.0;
  p.write = [](Model& m) {
    Expr y = m.state("y", 1.0), v = m.state("v", 0.0);
    const Expr t = m.time(), later = t - 5.0;
    const Expr floor = where(t > 5.0, -10.0 / 6.0 * later * later * later, Expr(0.0));
    const Expr force = m.unilateral("floor", y - floor, {.restitution = 0.5});
    m.equation(der(y) == v);
    m.equation(2.0 * der(v) == -2.0 * 9.81 + force);
  };
  constexpr long double g = 9.81L, from = 0.981L, d = 2.0L - from;
  p.events = {{"floor comes to rest", static_cast<double>(3 * std::sqrt(2 / g))},
              {"floor separates", static_cast<double>(5.0L + from)}};
  const long double y = -10.0L / 6 * from * from * from, v = -5.0L * from * from;
  p.final_values = {{"y", static_cast<double>(y + v * d - g * d * d / 2)},
                    {"v", static_cast<double>(v - g * d)}};
  return p;
}

inline std::vector<TouchingBodies> touching_bodies() {
  return {block_on_slope(), block_on_moving_plane(), ball_on_falling_floor()};
}

/// The largest error of an event's time or of a value at the end; infinite if events are missing or too many.
inline double error_of(const TouchingBodies& p, const Solution& s) {
  if (!s.ok()) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  std::vector<std::string> names;
  for (const auto& [name, t] : p.events) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    const std::vector<double> found = s.event_times(name);
    std::vector<double> expected;
    for (const auto& [other, time] : p.events)
      if (other == name) expected.push_back(time);
    if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < found.size(); ++i)
      worst = std::max(worst, std::abs(found[i] - expected[i]));
  }
  for (const auto& [name, value] : p.final_values)
    worst = std::max(worst, std::abs(s.final(name) - value));
  return worst;
}

}  // namespace saltus::problems
