// Models with modes and random parameters: what a coarse run does must be what a fine one does.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

struct RandomModeModel {
  std::string text;  // parameters
  std::shared_ptr<const ModelDefinition> definition;
  double t_end = 1.0;
  std::vector<std::string> compared = {};  // variables at the end
};

/// One model of each family per seed.
class RandomModeWriter {
 public:
  static constexpr int n_families = 7;

  explicit RandomModeWriter(std::uint64_t seed) : random_(seed) {}

  RandomModeModel write(int family) {
    switch (family) {
      case 0:
        return converter();
      case 1:
        return half_wave();
      case 2:
        return bridge();
      case 3:
        return commutation();
      case 4:
        return slack_rope();
      default:
        return sliders();
    }
  }

 private:
  double between(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random_);
  }
  /// Uniform in the logarithm.
  double about(double a, double b) { return std::exp(between(std::log(a), std::log(b))); }
  static std::string join_numbers(const std::string& name, const std::vector<double>& numbers) {
    std::string text = name;
    for (const double v : numbers) text += " " + to_text(v);
    return text;
  }

  /// A boost converter in any units, in continuous and discontinuous conduction.
  RandomModeModel converter() {
    const double r = about(1, 40), l = about(0.05, 2), c = about(0.001, 0.05);
    const double period = between(0.05, 0.2), duty = between(0.1, 0.8), unit = about(0.1, 4e2);
    Model m("converter");
    Expr vC = m.state("vC", 10 * unit), iL = m.state("iL", between(0, 10) * unit);
    Expr iR = m.algebraic("iR"), iD = m.algebraic("iD"), iS = m.algebraic("iS");
    Expr vD = m.algebraic("vD"), vS = m.algebraic("vS");
    m.equation(c * der(vC) == iD - iR);
    m.equation(l * der(iL) == vS + 48 * unit);
    m.equation(0.0 == vD + vC + vS);
    m.equation(r * iR == vC);
    m.equation(0.0 == iS + iL - iD);
    const ModeId m1 = m.mode("1"), m2 = m.mode("2"), m3 = m.mode("3"), m4 = m.mode("4");
    for (const ModeId open : {m1, m3}) m.equation(open, iS == 0.0);
    for (const ModeId closed : {m2, m4}) m.equation(closed, vS == 0.0);
    for (const ModeId conducts : {m1, m4}) {
      m.equation(conducts, vD == 0.0);
      m.require(conducts, iD >= 0.0);
      m.transition("stops " + std::to_string(conducts), conducts, conducts == m1 ? m3 : m2,
                   iD < 0.0);
    }
    for (const ModeId blocks : {m2, m3}) {
      m.equation(blocks, iD == 0.0);
      m.require(blocks, vD <= 0.0);
      m.transition("starts " + std::to_string(blocks), blocks, blocks == m3 ? m1 : m4, vD > 0.0);
    }
    Expr closed = m.discrete("closed", 0.0);
    m.when("close", m.every("closes", period * (1 - duty), period), {{closed, 1.0}});
    m.when("open", m.every("opens", period, period), {{closed, 0.0}});
    for (const ModeId open : {m1, m3})
      m.transition("closing " + std::to_string(open), open, {m4, m2}, closed > 0.5);
    for (const ModeId shut : {m2, m4})
      m.transition("opening " + std::to_string(shut), shut, {m3, m1}, closed < 0.5);
    return {join_numbers("converter", {r, l, c, period, duty, unit}), m.build(), 1.0, {"vC", "iL"}};
  }

  Expr sine(Model& m, double amplitude, double phase) {
    return amplitude * sin(2 * std::numbers::pi * m.time() + phase);
  }

  RandomModeModel half_wave() {
    const double l = about(0.02, 2), r = about(0.1, 7), a = about(0.05, 100), phase = between(0, 6);
    Model m("half-wave");
    Expr i = m.state("i", 0.0), v = m.algebraic("v");
    m.equation(sine(m, a, phase) == l * der(i) + r * i + v);
    const ModeId conducts = m.mode("conducts"), blocks = m.mode("blocks");
    m.equation(conducts, v == 0.0);
    m.equation(blocks, i == 0.0);
    m.transition("stops", conducts, blocks, i < 0.0);
    m.transition("starts", blocks, conducts, v > 0.0);
    return {join_numbers("half-wave", {l, r, a, phase}), m.build(), 3.3, {"i"}};
  }

  RandomModeModel bridge() {
    const double c = about(0.02, 2), a = about(0.05, 100);
    Model m("bridge");
    Expr v = m.state("v", 0.0), i = m.algebraic("i"), u = sine(m, a, 0.0);
    m.equation(c * der(v) == i - v);
    const ModeId positive = m.mode("positive"), off = m.mode("off"), negative = m.mode("negative");
    m.equation(positive, v == u);
    m.equation(off, i == 0.0);
    m.equation(negative, v == -u);
    m.transition("positive stops", positive, off, i < 0.0);
    m.transition("negative stops", negative, off, i < 0.0);
    m.transition("positive starts", off, positive, u > v);
    m.transition("negative starts", off, negative, -u > v);
    return {join_numbers("bridge", {c, a}), m.build(), 2.3, {"v"}};
  }

  /// Two diodes and two coils: four modes, of one to three degrees of freedom less; where one is left all
  /// others are candidates.
  RandomModeModel commutation() {
    const double l = about(0.1, 1), ls = about(0.01, 0.1), r = about(0.5, 5), a = about(1, 100);
    Model m("commutation");
    Expr i = m.state("i", 0.0), is = m.state("is", 0.0), i2 = m.algebraic("i2");
    Expr p = m.algebraic("p"), v1 = m.algebraic("v1"), v2 = m.algebraic("v2");
    m.equation("load", l * der(i) == p - r * i);
    m.equation("source", ls * der(is) == sine(m, a, 0.5) - v1 - p);
    m.equation("node", i == is + i2);
    m.equation("second diode", v2 == -p);
    const char* const names[] = {"first", "second", "both", "none"};
    for (const char* n : names) m.mode(n);
    for (ModeId k = 0; k < 4; ++k) {
      const bool on1 = k == 0 || k == 2, on2 = k == 1 || k == 2;
      m.equation(k, on1 ? v1 == 0.0 : is == 0.0);
      m.equation(k, on2 ? v2 == 0.0 : i2 == 0.0);
      m.require(k, on1 ? is >= 0.0 : v1 <= 0.0);
      m.require(k, on2 ? i2 >= 0.0 : v2 <= 0.0);
      std::vector<ModeId> others;
      for (ModeId j = 4; j-- > 0;) {
        if (j != k) others.push_back(j);
      }
      m.transition(std::string("leave ") + names[k], k, others,
                   (on1 ? is < 0.0 : v1 > 0.0) || (on2 ? i2 < 0.0 : v2 > 0.0));
    }
    return {join_numbers("commutation", {l, ls, r, a}), m.build(), 2.2, {"i", "is"}};
  }

  RandomModeModel slack_rope() {
    constexpr double g = 9.81;
    const double k = between(2.05, 4.95), l = about(0.4, 2.7);
    Model m("slack rope");
    Expr x = m.state("x", 0.0, {.derivative_start = std::sqrt(k * g * l)});
    Expr y = m.state("y", -l, {.derivative_start = 0.0}), f = m.algebraic("f");
    const ModeId taut = m.mode("taut"), slack = m.mode("slack");
    m.equation(taut, der(der(x)) == -f * x);
    m.equation(taut, der(der(y)) == -f * y - g);
    m.equation(taut, x * x + y * y == l * l);
    m.equation(slack, der(der(x)) == 0.0);
    m.equation(slack, der(der(y)) == -g);
    m.transition("slack", taut, slack, f < 0.0);
    m.transition("taut", slack, taut, x * x + y * y > l * l);
    return {join_numbers("slack rope", {k, l}), m.build(), 3.0, {"x", "y"}};
  }

  /// It comes to rest after ten bounces or fifty, lies there, and loses its floor.
  RandomModeModel ball() {
    constexpr double g = 9.81;
    const double e = between(0.2, 0.85), h = about(0.4, 7.4), fall = between(11, 40);
    const double rest = std::sqrt(2 * h / g) * (1 + e) / (1 - e), t_fall = rest + between(0.1, 1);
    Model m("ball");
    Expr y = m.state("y", h, {.derivative_start = 0.0}), contact = m.algebraic("contact");
    Expr since = m.time() - t_fall;
    Expr floor = where(m.time() > t_fall, -0.5 * fall * since * since, Expr(0.0));
    const ModeId flies = m.mode("flies"), rests = m.mode("rests");
    m.equation(flies, der(der(y)) == -g);
    m.equation(rests, der(der(y)) == contact - g);
    m.equation(rests, y == floor);
    const Cond touches = y < floor;
    m.when("bounce", touches, {{der(y), -e * der(y)}});
    m.transition("comes to rest", flies, rests, touches, {.at_accumulation = true});
    m.transition("loses the floor", rests, flies, contact < 0.0);
    return {join_numbers("ball", {e, h, fall}), m.build(), t_fall + 0.4, {"y"}};
  }

  RandomModeModel sliders() {
    const double m1 = between(0.5, 3), m2 = between(0.5, 3), k = between(2, 20);
    const double push = between(0, 2), v1 = between(0.5, 2), d = between(0.2, 1);
    const double latch = between(3, 5);
    Model m("sliders");
    Expr x1 = m.state("x1", 0.0, {.derivative_start = v1});
    Expr x2 = m.state("x2", 3.0, {.derivative_start = 0.0});
    Expr bar = m.algebraic("bar"), stop = m.algebraic("stop"), spring = k * (4.0 - x2);
    const ModeId two = m.mode("two"), one = m.mode("one"), zero = m.mode("zero");
    m.equation(two, m1 * der(der(x1)) == push);
    m.equation(two, m2 * der(der(x2)) == spring);
    for (const ModeId coupled : {one, zero}) {
      m.equation(coupled, m1 * der(der(x1)) == push + bar - (coupled == zero ? stop : Expr(0.0)));
      m.equation(coupled, m2 * der(der(x2)) == spring - bar);
      m.equation(coupled, x2 == x1 + d);
    }
    m.equation(zero, x1 == latch);
    m.transition("couple", two, one, x2 - x1 < d);
    m.transition("latch", one, zero, x1 > latch);
    return {join_numbers("sliders", {m1, m2, k, push, v1, d, latch}), m.build(), 6.0, {"x1", "x2"}};
  }

  std::mt19937_64 random_;
};

}  // namespace saltus::problems
