// Rectifiers with ideal diodes, as modes.
//
// Half-wave: a sine feeds a coil and a resistor through one diode. While it blocks the current is zero,
// and the voltage across it is found from the derivative of that: index 2.
// Bridge: a sine feeds a capacitor and a resistor through four diodes, two of which conduct at a time. While
// they do, the voltage of the capacitor is that of the source: index 2 again.
#pragma once

#include <cmath>
#include <numbers>

#include "problems/mode_problem.hpp"

namespace saltus::problems {

struct HalfWave {
  static constexpr double amplitude = 10.0, omega = 2 * std::numbers::pi, r = 2.0, l = 0.5;
  static constexpr double t_end = 3.2;
};

inline void write_half_wave(ModeWriter& w) {
  using P = HalfWave;
  Model& m = w.m;
  Expr i = w.state("i", 0.0, {.unit = "A"});
  Expr v = w.algebraic("v", {.unit = "V", .description = "across the diode"});
  Expr u = P::amplitude * sin(P::omega * m.time());
  m.equation("loop", u == P::l * der(i) + P::r * i + v);
  const ModeId conducts = m.mode("conducts"), blocks = m.mode("blocks");
  m.equation(conducts, "diode", v == 0.0);
  m.equation(blocks, "diode", i == 0.0);
  w.transition("stops", conducts, {blocks}, i < 0.0);
  w.transition("starts", blocks, {conducts}, v > 0.0);
}

/// While the diode conducts from t = 0 on, with phi = atan(omega L/R):
/// i = U/|Z| (sin(omega t - phi) + sin(phi) exp(-R t/L)).
inline ModeProblem half_wave() {
  using P = HalfWave;
  ModeProblem p{.name = "half-wave rectifier",
                .write = &write_half_wave,
                .t_end = P::t_end,
                .first_mode = "conducts"};
  const long double pi = std::numbers::pi_v<long double>, omega = 2 * pi;
  const long double phi = std::atan2(omega * P::l, static_cast<long double>(P::r));
  const long double size = P::amplitude / std::hypot(omega * P::l, static_cast<long double>(P::r));
  const auto current = [=](long double s) {
    return size * (std::sin(omega * s - phi) + std::sin(phi) * std::exp(-s * P::r / P::l));
  };
  const long double stop = root_between(current, 0.5L, 1.0L);
  for (int k = 0; k <= 3; ++k) {
    if (k > 0) p.events.push_back({static_cast<double>(k), "blocks", "conducts"});
    if (k < 3) p.events.push_back({static_cast<double>(k + stop), "conducts", "blocks"});
  }
  const long double since = static_cast<long double>(P::t_end) - 3;
  p.final_values = {{"i", static_cast<double>(current(since))}, {"v", 0.0}};
  return p;
}

struct Bridge {
  static constexpr double amplitude = 10.0, omega = 2 * std::numbers::pi, r = 1.0, c = 0.5;
  static constexpr double t_end = 2.1;
};

inline void write_bridge(ModeWriter& w) {
  using P = Bridge;
  Model& m = w.m;
  Expr v = w.state("v", 0.0, {.unit = "V", .description = "of the capacitor"});
  Expr i = w.algebraic("i", {.unit = "A", .description = "into capacitor and load"});
  Expr u = P::amplitude * sin(P::omega * m.time());
  m.equation("load", P::c * der(v) == i - v / P::r);
  const ModeId positive = m.mode("positive"), off = m.mode("off"), negative = m.mode("negative");
  m.equation(positive, "diodes", v == u);
  m.equation(off, "diodes", i == 0.0);
  m.equation(negative, "diodes", v == -u);
  w.transition("positive stops", positive, {off}, i < 0.0);
  w.transition("negative stops", negative, {off}, i < 0.0);
  w.transition("positive starts", off, {positive}, u > v);
  w.transition("negative starts", off, {negative}, -u > v);
}

/// With the source connected i = C u' + u/R falls to zero where tan(omega t) = -omega R C; alone the
/// capacitor discharges until the source has come to its voltage again.
inline ModeProblem bridge() {
  using P = Bridge;
  ModeProblem p{.name = "bridge rectifier",
                .write = &write_bridge,
                .t_end = P::t_end,
                .first_mode = "positive"};
  const long double pi = std::numbers::pi_v<long double>, omega = 2 * pi;
  const auto source = [=](long double t) { return P::amplitude * std::sin(omega * t); };
  const long double stop = (pi - std::atan(omega * P::r * P::c)) / omega;  // after each half-wave
  const long double peak = source(stop);
  const auto alone = [=](long double t) { return peak * std::exp(-(t - stop) / (P::r * P::c)); };
  const long double meet =
      root_between([=](long double t) { return -source(t) - alone(t); }, 0.5L, 0.75L);
  const char* const names[] = {"positive", "negative"};
  for (int k = 0; k <= 4; ++k) {
    const long double begin = k / 2.0L;
    if (begin + stop > P::t_end) break;
    p.events.push_back({static_cast<double>(begin + stop), names[k % 2], "off"});
    if (begin + meet > P::t_end) break;
    p.events.push_back({static_cast<double>(begin + meet), "off", names[(k + 1) % 2]});
  }
  // It ends in the half-wave that began at 2 or while the capacitor is still alone.
  const bool connected = p.events.back().to != "off";
  const long double end = P::t_end;
  const long double v = connected ? std::abs(source(end)) : alone(end - 1.5L);
  p.final_values = {{"v", static_cast<double>(v)}};
  return p;
}

}  // namespace saltus::problems
