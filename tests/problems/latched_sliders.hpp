// Two carts on a rail: two degrees of freedom, then one (they couple where they meet), then none (a latch
// stops both). Momentum is shared, then taken by the latch. Nothing moves in the last mode: written as
// dynamics it has index 3, as statics it has no derivatives at all.
#pragma once

#include <cmath>

#include "problems/mode_problem.hpp"

namespace saltus::problems {

struct LatchedSliders {
  static constexpr double m1 = 2.0, m2 = 1.0, stiffness = 9.0, rest = 4.0;
  static constexpr double push = 1.0, v1 = 1.0, x2 = 3.0;  // the first starts at 0
  static constexpr double length = 0.5;                    // of the coupling
  static constexpr double latch = 4.0;                     // of the first cart
  static constexpr double t_end = 5.0;
};

inline void write_latched_sliders(ModeWriter& w, bool statics) {
  using P = LatchedSliders;
  Model& m = w.m;
  Expr x1 = w.state("x1", 0.0, {.derivative_start = P::v1, .unit = "m"});
  Expr x2 = w.state("x2", P::x2, {.derivative_start = 0.0, .unit = "m"});
  Expr coupling = w.algebraic("coupling", {.unit = "N"});
  Expr stop = w.algebraic("stop", {.unit = "N"});
  Expr t = m.time();
  Expr push = P::push + w.choose("late", t > 4.0, 2.0 * (t - 4.0), Expr(0.0));
  Expr spring = P::stiffness * (P::rest - x2);
  m.output("momentum", P::m1 * der(x1) + P::m2 * der(x2), "kg m/s");
  const ModeId two = m.mode("two"), one = m.mode("one"), none_left = m.mode("none");
  m.equation(two, "cart 1", P::m1 * der(der(x1)) == push);
  m.equation(two, "cart 2", P::m2 * der(der(x2)) == spring);
  m.equation(one, "cart 1", P::m1 * der(der(x1)) == push + coupling);
  m.equation(one, "cart 2", P::m2 * der(der(x2)) == spring - coupling);
  m.equation(one, "bar", x2 - x1 == P::length);
  const Expr inertia1 = statics ? Expr(0.0) : P::m1 * der(der(x1));
  const Expr inertia2 = statics ? Expr(0.0) : P::m2 * der(der(x2));
  m.equation(none_left, "cart 1", inertia1 == push + coupling - stop);
  m.equation(none_left, "cart 2", inertia2 == spring - coupling);
  m.equation(none_left, "bar", x2 - x1 == P::length);
  m.equation(none_left, "latch", x1 == P::latch);
  w.transition("couple", two, {one}, x2 - x1 < P::length, {.conserved = {"momentum"}});
  w.transition("latch", one, {none_left}, x1 > P::latch);
}

inline ModeProblem latched_sliders(bool statics = false) {
  using P = LatchedSliders;
  using std::cos, std::sin, std::sqrt;
  ModeProblem p{.name = "latched sliders",
                .write = [statics](ModeWriter& w) { write_latched_sliders(w, statics); },
                .t_end = P::t_end,
                .first_mode = "two"};
  const long double w2 = sqrt(static_cast<long double>(P::stiffness) / P::m2);
  const auto first = [](long double t) { return P::v1 * t + P::push / (2 * P::m1) * t * t; };
  const auto second = [=](long double t) { return P::rest + (P::x2 - P::rest) * cos(w2 * t); };
  const auto gap = [=](long double t) { return second(t) - first(t) - P::length; };
  long double before = 0.0L;
  while (gap(before + 0.01L) > 0) before += 0.01L;
  const long double t1 = root_between(gap, before, before + 0.01L);
  const long double v1 = P::v1 + P::push / P::m1 * t1;
  const long double v2 = -(P::x2 - P::rest) * w2 * sin(w2 * t1);
  const long double v = (P::m1 * v1 + P::m2 * v2) / (P::m1 + P::m2), x = first(t1);
  // Together they swing about the place where the spring balances the push.
  const long double middle = P::rest - P::length + static_cast<long double>(P::push) / P::stiffness;
  const long double wj = sqrt(static_cast<long double>(P::stiffness) / (P::m1 + P::m2));
  const auto joint = [=](long double t) {
    return middle + (x - middle) * cos(wj * (t - t1)) + v / wj * sin(wj * (t - t1));
  };
  const auto to_latch = [=](long double t) { return joint(t) - P::latch; };
  before = t1;
  while (before < P::t_end && to_latch(before + 0.01L) < 0) before += 0.01L;
  const long double t2 = root_between(to_latch, before, before + 0.01L);
  const double common = static_cast<double>(v);
  const auto speed = [=](long double t) {
    return (middle - x) * wj * sin(wj * (t - t1)) + v * cos(wj * (t - t1));
  };
  const double last = static_cast<double>(speed(t2));
  p.events = {{static_cast<double>(t1), "two", "one", {{"der(x1)", common}, {"der(x2)", common}}},
              {static_cast<double>(t2), "one", "none", {{"der(x1)", 0.0}, {"der(x2)", 0.0}}},
              {4.0, "none", "none"}};
  p.events[0].impulses = {{"coupling", P::m1 * (common - static_cast<double>(v1))}};
  if (!statics)
    p.events[1].impulses = {{"coupling", P::m2 * last}, {"stop", (P::m1 + P::m2) * last}};
  const double spring = P::stiffness * (P::rest - P::latch - P::length);
  p.final_values = {{"x1", P::latch},
                    {"x2", P::latch + P::length},
                    {"coupling", spring},
                    {"stop", spring + P::push + 2.0 * (P::t_end - 4.0)}};
  p.choices = {{"late", {0}}};
  p.missed_by = [](std::size_t k, const NamedState& at) {
    if (k == 0)
      return (at.at("x2") - at.at("x1") - P::length) / (at.at("der(x2)") - at.at("der(x1)"));
    return k == 1 ? (at.at("x1") - P::latch) / at.at("der(x1)") : 0.0;
  };
  p.switch_at = [](std::size_t k, Choices& c) { c["late"] = {k == 2 ? 1.0 : 0.0}; };
  return p;
}

}  // namespace saltus::problems
