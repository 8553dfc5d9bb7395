// Circuits written with diodes and switches as declarations, and their true solutions.
//
// Sources are U sin(2 pi t). Loads are a resistor with a capacitor beside it (RC) or a coil before it (RL).
//
// RC: while it is connected the capacitor has the voltage of the source, and the current C u' + u/R comes to zero
// where tan(omega t) = -omega R C; alone it discharges as exp(-t/(R C)) until the source has come to its voltage.
// RL: L i' + R i = u with i = U/|Z| (sin(omega s - phi) + a exp(-R s/L)), phi = atan(omega L/R), s from
// where the voltage of the source was zero, a from the current there.
// Times are found in long double, to its last digits.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "problems/boost_converter.hpp"
#include "problems/mode_problem.hpp"

namespace saltus::problems {

struct DiodeCircuit {
  static constexpr double amplitude = 10.0, omega = 2 * std::numbers::pi;
  static constexpr double r_of_rc = 1.0, c = 0.5, r_of_rl = 2.0, l = 0.5, l_source = 0.05;
  static constexpr double t_end = 3.2;
};

inline Expr source_voltage(Model& m) {
  return DiodeCircuit::amplitude * sin(DiodeCircuit::omega * m.time());
}

// ---- one diode ---------------------------------------------------------------------------------------

inline void write_half_wave_rc(ModeWriter& w, bool reversed) {
  using P = DiodeCircuit;
  Model& m = w.m;
  Expr v = m.state("v", 0.0, {.unit = "V"}), i = m.algebraic("i", {.unit = "A"});
  m.equation("load", P::c * der(v) == i - v / P::r_of_rc);
  const Expr across = source_voltage(m) - v;
  if (reversed)
    m.diode("D", -across, -i);
  else
    m.diode("D", across, i);
}

/// Until the current stops, from there on, and where it meets the source again `half_waves` later.
struct AloneInRC {
  long double stop, peak, meet;
  explicit AloneInRC(long double half_waves) {
    using P = DiodeCircuit;
    const long double omega = 2 * std::numbers::pi_v<long double>;
    stop = (std::numbers::pi_v<long double> - std::atan(omega * P::r_of_rc * P::c)) / omega;
    peak = P::amplitude * std::sin(omega * stop);
    const long double shift = half_waves / 2;
    meet = root_between(
        [&](long double t) { return P::amplitude * std::sin(omega * (t - shift)) - alone(t); },
        shift, shift + 0.25L);
  }
  long double alone(long double t) const {
    using P = DiodeCircuit;
    return peak * std::exp(-(t - stop) / (P::r_of_rc * P::c));
  }
};

inline ModeProblem half_wave_rc(bool reversed = false) {
  using P = DiodeCircuit;
  const std::string on = "D conducts", off = "D blocks";
  ModeProblem p{.name = "half-wave rectifier, RC",
                .write = [reversed](ModeWriter& w) { write_half_wave_rc(w, reversed); },
                .t_end = P::t_end,
                .first_mode = on};
  const AloneInRC piece(2);
  for (int k = 0; k <= 3; ++k) {
    if (k > 0) p.events.push_back({static_cast<double>(k - 1 + piece.meet), off, on});
    if (k < 3) p.events.push_back({static_cast<double>(k + piece.stop), on, off});
  }
  // It ends while the source is connected.
  const long double omega = 2 * std::numbers::pi_v<long double>;
  const long double end = P::t_end;
  p.final_values = {{"v", static_cast<double>(P::amplitude * std::sin(omega * end))},
                    {"i", static_cast<double>(P::amplitude * (P::c * omega * std::cos(omega * end) +
                                                              std::sin(omega * end) / P::r_of_rc))},
                    {"D.conducts", 1.0}};
  return p;
}

inline void write_half_wave_rl(ModeWriter& w, bool reversed) {
  using P = DiodeCircuit;
  Model& m = w.m;
  Expr i = m.state("i", 0.0, {.unit = "A"}), v = m.algebraic("v", {.unit = "V"});
  m.equation("loop", source_voltage(m) == P::l * der(i) + P::r_of_rl * i + v);
  if (reversed)
    m.diode("D", -v, -i);
  else
    m.diode("D", v, i);
}

/// From where the source passes zero upward, s = 0.
struct CurrentInRL {
  long double omega, size, phi;
  CurrentInRL() {
    using P = DiodeCircuit;
    omega = 2 * std::numbers::pi_v<long double>;
    phi = std::atan2(omega * P::l, static_cast<long double>(P::r_of_rl));
    size = P::amplitude / std::hypot(omega * P::l, static_cast<long double>(P::r_of_rl));
  }
  long double operator()(long double s, long double begins) const {
    using P = DiodeCircuit;
    return size * std::sin(omega * s - phi) +
           (begins + size * std::sin(phi)) * std::exp(-s * P::r_of_rl / P::l);
  }
};

inline ModeProblem half_wave_rl(bool reversed = false) {
  using P = DiodeCircuit;
  const std::string on = "D conducts", off = "D blocks";
  ModeProblem p{.name = "half-wave rectifier, RL",
                .write = [reversed](ModeWriter& w) { write_half_wave_rl(w, reversed); },
                .t_end = P::t_end,
                .first_mode = on};
  const CurrentInRL current;
  const long double stop = root_between([&](long double s) { return current(s, 0); }, 0.5L, 1.0L);
  for (int k = 0; k <= 3; ++k) {
    if (k > 0) p.events.push_back({static_cast<double>(k), off, on});
    if (k < 3) p.events.push_back({static_cast<double>(k + stop), on, off});
  }
  const long double since = static_cast<long double>(P::t_end) - 3;
  p.final_values = {{"i", static_cast<double>(current(since, 0))}, {"v", 0.0}, {"D.conducts", 1.0}};
  return p;
}

// ---- four diodes -------------------------------------------------------------------------------------

inline std::string bridge_states(bool positive, bool negative) {
  const auto says = [](bool conducts) { return conducts ? " conducts" : " blocks"; };
  return std::string("D1") + says(positive) + ", D2" + says(negative) + ", D3" + says(negative) +
         ", D4" + says(positive);
}

/// Nodes a and b at the source, the load from p (voltage v) to ground. Nothing ties a and b to ground but the diodes.
inline void write_bridge_of_diodes(ModeWriter& w, bool coil, bool reversed) {
  using P = DiodeCircuit;
  Model& m = w.m;
  Expr va = m.algebraic("va", {.unit = "V"}), vb = m.algebraic("vb", {.unit = "V"});
  Expr i_source = m.algebraic("i_source", {.unit = "A"});
  std::array<Expr, 4> i;
  for (std::size_t k = 0; k < 4; ++k)
    i[k] = m.algebraic("i" + std::to_string(k + 1), {.unit = "A"});
  const Expr v = coil ? m.algebraic("v", {.unit = "V"}) : m.state("v", 0.0, {.unit = "V"});
  if (coil) {
    Expr i_load = m.state("i", 0.0, {.unit = "A"});
    m.equation("load", v == P::l * der(i_load) + P::r_of_rl * i_load);
    m.equation("node p", i[0] + i[1] == i_load);
  } else {
    m.equation("node p", i[0] + i[1] == P::c * der(v) + v / P::r_of_rc);
  }
  m.equation("source", va - vb == source_voltage(m));
  m.equation("node a", i_source + i[2] == i[0]);
  m.equation("node b", i[3] == i[1] + i_source);
  m.diode("D1", va - v, i[0]);
  m.diode("D2", vb - v, i[1]);
  m.diode("D3", -va, i[2]);
  if (reversed)
    m.diode("D4", vb, -i[3]);
  else
    m.diode("D4", -vb, i[3]);
}

inline ModeProblem bridge_rc(bool reversed = false) {
  using P = DiodeCircuit;
  const std::string off = bridge_states(false, false);
  ModeProblem p{.name = "bridge rectifier, RC",
                .write = [reversed](ModeWriter& w) { write_bridge_of_diodes(w, false, reversed); },
                .t_end = P::t_end,
                .first_mode = bridge_states(true, false)};
  const AloneInRC piece(1);
  for (int k = 0; k <= 6; ++k) {
    const std::string on = bridge_states(k % 2 == 0, k % 2 == 1);
    if (k > 0) p.events.push_back({static_cast<double>((k - 1) / 2.0L + piece.meet), off, on});
    if (k < 6) p.events.push_back({static_cast<double>(k / 2.0L + piece.stop), on, off});
  }
  const long double omega = 2 * std::numbers::pi_v<long double>, end = P::t_end;
  const auto u = static_cast<double>(P::amplitude * std::sin(omega * end));
  p.final_values = {{"v", u}, {"va", u}, {"vb", 0.0}, {"D1.conducts", 1.0}, {"D2.conducts", 0.0}};
  return p;
}

inline ModeProblem bridge_rl(bool reversed = false) {
  using P = DiodeCircuit;
  ModeProblem p{.name = "bridge rectifier, RL",
                .write = [reversed](ModeWriter& w) { write_bridge_of_diodes(w, true, reversed); },
                .t_end = P::t_end,
                .first_mode = bridge_states(true, false)};
  const CurrentInRL current;
  long double at_zero = 0.0;
  for (int k = 1; k <= 6; ++k) {
    at_zero = current(0.5L, at_zero);
    p.events.push_back(
        {k / 2.0, bridge_states(k % 2 == 1, k % 2 == 0), bridge_states(k % 2 == 0, k % 2 == 1)});
  }
  const auto at_end = static_cast<double>(current(static_cast<long double>(P::t_end) - 3, at_zero));
  p.final_values = {{"i", at_end}, {"i1", at_end}, {"i_source", at_end}, {"i2", 0.0}};
  return p;
}

/// A coil in the source as well: it takes time to hand over the current of the load, and in the meantime all four
/// conduct. They share what goes round by equal small resistances.
inline void write_bridge_with_overlap(ModeWriter& w) {
  using P = DiodeCircuit;
  Model& m = w.m;
  Expr va = m.algebraic("va", {.unit = "V"}), vb = m.algebraic("vb", {.unit = "V"});
  Expr v = m.algebraic("v", {.unit = "V"});
  std::array<Expr, 4> i;
  for (std::size_t k = 0; k < 4; ++k)
    i[k] = m.algebraic("i" + std::to_string(k + 1), {.unit = "A"});
  Expr i_load = m.state("i", 0.0, {.unit = "A"}), i_source = m.state("i_source", 0.0);
  m.equation("load", v == P::l * der(i_load) + P::r_of_rl * i_load);
  m.equation("source", va - vb == source_voltage(m) - P::l_source * der(i_source));
  m.equation("node p", i[0] + i[1] == i_load);
  m.equation("node a", i_source + i[2] == i[0]);
  m.equation("node b", i[3] == i[1] + i_source);
  m.diode("D1", va - v, i[0]);
  m.diode("D2", vb - v, i[1]);
  m.diode("D3", -va, i[2]);
  m.diode("D4", -vb, i[3]);
}

/// With two diodes (L + Ls) i' + R i = |u| until the voltage u - Ls i' of the load comes to zero; with four
/// L i' + R i = 0 and Ls i_source' = u until i_source is the current of the load, the other way round.
inline ModeProblem bridge_with_overlap() {
  using P = DiodeCircuit;
  ModeProblem p{.name = "bridge rectifier with overlap",
                .write = &write_bridge_with_overlap,
                .t_end = P::t_end,
                .first_mode = bridge_states(true, false)};
  const long double omega = 2 * std::numbers::pi_v<long double>, r = P::r_of_rl, l = P::l;
  const long double ls = P::l_source, l_both = l + ls, amplitude = P::amplitude;
  const long double phi = std::atan2(omega * l_both, r),
                    size = amplitude / std::hypot(omega * l_both, r);
  const std::string all = bridge_states(true, true);
  long double t = 0.0, current = 0.0;
  for (int k = 0;; ++k) {
    // In half-wave k, from t on: s is counted from where the source passed zero.
    const long double begins = k / 2.0L, s0 = t - begins, i0 = current;
    const auto forced = [=](long double s) { return size * std::sin(omega * s - phi); };
    const auto two = [=](long double s) {
      return forced(s) + (i0 - forced(s0)) * std::exp(-(s - s0) * r / l_both);
    };
    const auto voltage = [=](long double s) {
      const long double u = amplitude * std::sin(omega * s);
      return u - ls * (u - r * two(s)) / l_both;
    };
    const std::string on = bridge_states(k % 2 == 0, k % 2 == 1);
    const std::string next = bridge_states(k % 2 == 1, k % 2 == 0);
    if (begins + 0.5L > P::t_end) {
      const auto end = static_cast<double>(two(P::t_end - begins));
      p.final_values = {{"i", end}, {"i_source", k % 2 == 0 ? end : -end}, {"i2", 0.0}};
      return p;
    }
    const long double s1 = root_between(voltage, 0.25L, 0.75L), i1 = two(s1);
    const auto four = [=](long double s) { return i1 * std::exp(-(s - s1) * r / l); };
    const auto source = [=](long double s) {
      return i1 + amplitude / (omega * ls) * (std::cos(omega * s1) - std::cos(omega * s));
    };
    const long double s2 =
        root_between([=](long double s) { return source(s) + four(s); }, s1, 0.75L);
    p.events.push_back({static_cast<double>(begins + s1), on, all});
    p.events.push_back({static_cast<double>(begins + s2), all, next});
    t = begins + s2;
    current = four(s2);
  }
}

// ---- boost converter ---------------------------------------------------------------------------------

/// The same circuit as write_boost_converter(), with its modes left to the declarations.
inline void write_boost_with_blocks(ModeWriter& w, const BoostConverter& p, bool reversed) {
  Model& m = w.m;
  Expr vC = m.state("vC", 10.0, {.unit = "V"}), iL = m.state("iL", p.i_start, {.unit = "A"});
  Expr iR = m.algebraic("iR", {.unit = "A"}), iD = m.algebraic("iD", {.unit = "A"});
  Expr iS = m.algebraic("iS", {.unit = "A"});
  Expr vD = m.algebraic("vD", {.unit = "V"}), vS = m.algebraic("vS", {.unit = "V"});
  m.equation("capacitor", BoostConverter::c * der(vC) == iD - iR);
  m.equation("inductor", p.l * der(iL) == vS + BoostConverter::v_in);
  m.equation("loop", 0.0 == vD + vC + vS);
  m.equation("load", p.r * iR == vC);
  m.equation("node", 0.0 == iS + iL - iD);
  Expr closed = m.discrete("closed", 0.0);
  m.when("close", m.every("closes", BoostConverter::t_off, BoostConverter::period),
         {{closed, 1.0}});
  m.when("open", m.every("opens", BoostConverter::period, BoostConverter::period), {{closed, 0.0}});
  if (reversed)
    m.diode("D", -vD, -iD);
  else
    m.diode("D", vD, iD);
  m.ideal_switch("S", vS, iS, closed > 0.5);
}

/// Events and end of the four-mode form, under the names that blocks give to the modes.
inline ModeProblem with_blocks(ModeProblem p, const BoostConverter& data, bool reversed = false) {
  const auto renamed = [](const std::string& mode) {
    const bool conducts = mode == "1" || mode == "4", closed = mode == "2" || mode == "4";
    return std::string(conducts ? "D conducts" : "D blocks") + (closed ? ", S closed" : ", S open");
  };
  p.name += " with blocks";
  p.write = [data, reversed](ModeWriter& w) { write_boost_with_blocks(w, data, reversed); };
  p.first_mode = renamed(p.first_mode);
  for (ModeEvent& e : p.events) {
    e.from = renamed(e.from);
    e.to = renamed(e.to);
  }
  return p;
}

inline ModeProblem boost_with_blocks(bool reversed = false) {
  return with_blocks(boost_converter(), BoostConverter{}, reversed);
}
inline ModeProblem boost_dcm_with_blocks(bool reversed = false) {
  return with_blocks(boost_converter_dcm(), {.r = 20.0, .l = 0.2, .i_start = 1.0}, reversed);
}

inline std::vector<ModeProblem> diode_circuits() {
  return {
      half_wave_rc(),      half_wave_rl(),         bridge_rc(), bridge_rl(), bridge_with_overlap(),
      boost_with_blocks(), boost_dcm_with_blocks()};
}

}  // namespace saltus::problems
