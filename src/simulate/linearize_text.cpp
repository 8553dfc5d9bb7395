// A linearisation in words.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <saltus/core/text.hpp>
#include <saltus/simulate/linearize.hpp>

#include "simulate/report_text.hpp"

namespace saltus {

namespace {

using report_text::counted;
using report_text::few_names;
using report_text::padded;
using report_text::short_number;
using report_text::wrapped;

/// What rounding may have made of zero: ten times the estimate; without one, 1e-10 of the value.
double rounding_of(const PencilMode& mode) {
  return mode.uncertainty ? 10.0 * *mode.uncertainty : 1e-10 * std::abs(mode.value);
}

struct ShownMode {
  const PencilMode* mode;
  double real;
  double imaginary;  // 0: no pair
};

/// Conjugate pairs once. What may be zero is zero.
std::vector<ShownMode> shown_modes(const PencilAnalysis& pencil) {
  std::vector<ShownMode> shown;
  for (const PencilMode& mode : pencil.modes) {
    const double rounding = rounding_of(mode);
    const bool is_zero = std::abs(mode.value) <= rounding;
    if (mode.value.imag() < 0.0 && !is_zero) continue;
    const double real = std::abs(mode.value.real()) <= rounding ? 0.0 : mode.value.real();
    shown.push_back({&mode, real, is_zero ? 0.0 : mode.value.imag()});
  }
  return shown;
}

std::string value_text(const ShownMode& shown) {
  if (shown.imaginary == 0.0) return short_number(shown.real);
  const bool on_axis = shown.real == 0.0;
  return (on_axis ? "" : short_number(shown.real) + " ") + "+-" + (on_axis ? "" : " ") +
         short_number(shown.imaginary) + "i";
}

std::string behaviour_text(const ShownMode& shown) {
  const double size = std::hypot(shown.real, shown.imaginary);
  const bool stands = shown.real == 0.0;
  const std::string word = stands ? "" : shown.real < 0.0 ? "decays" : "grows";
  if (shown.imaginary == 0.0) {
    return stands ? "stands"
                  : word + ", time constant " + short_number(1.0 / std::abs(shown.real)) + " s";
  }
  return "oscillates at " + short_number(size / (2.0 * std::numbers::pi)) + " Hz" +
         (stands ? ", undamped" : ", " + word + ", damping " + short_number(-shown.real / size));
}

std::string mode_table(const PencilAnalysis& pencil) {
  std::vector<std::vector<std::string>> rows = {{"eigenvalue (1/s)", "behaviour"}};
  if (pencil.controllability) rows[0].push_back("controllable");
  if (pencil.observability) rows[0].push_back("observable");
  const auto shown = shown_modes(pencil);
  constexpr std::size_t most_modes = 24;
  for (std::size_t k = 0; k < std::min(most_modes, shown.size()); ++k) {
    rows.push_back({value_text(shown[k]), behaviour_text(shown[k])});
    const auto yes_or_no = [](bool yes, const std::optional<double>& margin) {
      return !yes ? "no" : margin ? "yes, margin " + short_number(*margin, 1) : "yes";
    };
    const PencilMode& mode = *shown[k].mode;
    if (pencil.controllability)
      rows.back().push_back(yes_or_no(mode.controllable, mode.controllability_margin));
    if (pencil.observability)
      rows.back().push_back(yes_or_no(mode.observable, mode.observability_margin));
  }
  std::string text = padded(rows, 2);
  if (shown.size() > most_modes)
    text += "  and " + std::to_string(shown.size() - most_modes) + " more\n";
  return text;
}

std::string stability_text(const Linearization& l) {
  if (!l.at_rest) {
    std::string text = "not at rest: eigenvalues are those of coefficients frozen at this moment";
    // E and A of E(t) x' = A(t) x say nothing of E', which enters as soon as constraints are
    // differentiated.
    if (l.pencil.index > 1)
      text += "; with an index above 1 even their number may differ from the degrees of freedom";
    return wrapped(text, 0);
  }
  if (l.pencil.modes.empty()) return "";
  double worst = -1.0;
  for (const ShownMode& shown : shown_modes(l.pencil))
    worst = std::max(worst, shown.real < 0.0 ? -1.0 : shown.real > 0.0 ? 1.0 : 0.0);
  if (worst < 0.0) return "stable: all deviations decay\n";
  if (worst > 0.0) return "unstable: some deviations grow\n";
  return "on the boundary of stability: some deviations neither grow nor decay exponentially\n";
}

std::string reach_text(const PencilAnalysis& pencil) {
  std::string text;
  const auto line = [&](const std::string& what, const ReachRanks& r, const std::string& impulse,
                        const std::string& all) {
    const auto verdict = [](bool full, const std::string& matrix) {
      return full ? std::string("yes") : "no (rank " + matrix + " < n)";
    };
    text += what + ": " + std::to_string(r.finite) + " of " +
            counted(pencil.modes.size(), "finite mode");
    if (pencil.n_infinite > 0)
      text += "; at infinity: " + verdict(r.at_infinity, impulse) +
              "; all of x: " + verdict(r.all, all);
    text += "\n";
  };
  if (pencil.controllability)
    line("controllable", *pencil.controllability, "[E, A S, B]", "[E, B]");
  if (pencil.observability) line("observable", *pencil.observability, "[E; T'A; C]", "[E; C]");
  return text;
}

std::string singular_pencil_text(const Linearization& l) {
  const PencilAnalysis& p = l.pencil;
  std::string text = "singular pencil: lambda E - A has rank " + std::to_string(p.normal_rank) +
                     " at most (" + counted(l.equations.size(), "equation") + ", " +
                     counted(l.unknowns.size(), "unknown") + "), so there are no modes\n";
  if (!p.dependent_equations.empty())
    text +=
        "  equations that depend on each other: " + few_names(l.equations, p.dependent_equations) +
        "\n";
  if (!p.open_unknowns.empty())
    text += "  unknowns that are left open: " + few_names(l.unknowns, p.open_unknowns) + "\n";
  return text;
}

std::string pair_text(const Linearization& l) {
  const PencilAnalysis& p = l.pencil;
  if (p.structure == PairStructure::general) return "";
  std::string text = p.structure == PairStructure::symmetric
                         ? "symmetric pair: E = E', A = A'"
                         : "self-adjoint pair: E = -E', A = A', as in optimal control";
  std::vector<std::uint32_t> negated;
  for (std::uint32_t i = 0; i < p.negated_equations.size(); ++i)
    if (p.negated_equations[i]) negated.push_back(i);
  if (!negated.empty()) text += ", with the other sign of " + few_names(l.equations, negated);
  return text + "\n";
}

}  // namespace

std::string to_text(const Linearization& linearization) {
  const Linearization& l = linearization;
  const PencilAnalysis& p = l.pencil;
  std::string text =
      l.subject + ", linearised at t = " + to_text(l.t) + ": " +
      counted(l.equations.size(), "equation") + ", " + counted(l.unknowns.size(), "unknown") +
      ", " + counted(l.inputs.size(), "input") + ", " + counted(l.outputs.size(), "output") + "\n";
  if (p.regular) {
    text += "regular pencil of index " + std::to_string(p.index) + ": " +
            counted(p.modes.size(), "finite mode") + ", " + std::to_string(p.n_infinite) +
            " infinite\n";
    if (!p.modes.empty()) text += mode_table(p);
    text += stability_text(l) + reach_text(p);
  } else {
    text += singular_pencil_text(l);
  }
  text += pair_text(l);
  for (const std::string& remark : p.remarks) text += wrapped("note: " + remark, 0);
  return text;
}

}  // namespace saltus
