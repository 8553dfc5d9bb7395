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

// Real parts below this, of the largest eigenvalue, are rounding.
constexpr double on_the_axis = 1e-10;

struct ShownMode {
  const PencilMode* mode;
  bool is_pair;
};

/// Conjugate pairs once.
std::vector<ShownMode> shown_modes(const PencilAnalysis& pencil) {
  std::vector<ShownMode> shown;
  for (const PencilMode& mode : pencil.modes) {
    if (mode.value.imag() < 0.0) continue;
    shown.push_back({&mode, mode.value.imag() > 0.0});
  }
  return shown;
}

double largest_size(const PencilAnalysis& pencil) {
  double size = 0.0;
  for (const PencilMode& mode : pencil.modes) size = std::max(size, std::abs(mode.value));
  return size;
}

std::string value_text(const ShownMode& shown, double axis) {
  const double real = std::abs(shown.mode->value.real()) <= axis ? 0.0 : shown.mode->value.real();
  if (!shown.is_pair) return short_number(real);
  return (real == 0.0 ? "" : short_number(real) + " ") + "+-" + (real == 0.0 ? "" : " ") +
         short_number(shown.mode->value.imag()) + "i";
}

std::string behaviour_text(const ShownMode& shown, double axis) {
  const double real = shown.mode->value.real(), size = std::abs(shown.mode->value);
  const bool stands = std::abs(real) <= axis;
  const std::string word = stands ? "" : real < 0.0 ? "decays" : "grows";
  if (!shown.is_pair) {
    return stands ? "stands"
                  : word + ", time constant " + short_number(1.0 / std::abs(real)) + " s";
  }
  return "oscillates at " + short_number(size / (2.0 * std::numbers::pi)) + " Hz" +
         (stands ? ", undamped" : ", " + word + ", damping " + short_number(-real / size));
}

std::string mode_table(const PencilAnalysis& pencil) {
  const double axis = on_the_axis * largest_size(pencil);
  std::vector<std::vector<std::string>> rows = {{"eigenvalue (1/s)", "behaviour"}};
  if (pencil.controllability) rows[0].push_back("controllable");
  if (pencil.observability) rows[0].push_back("observable");
  const auto shown = shown_modes(pencil);
  constexpr std::size_t most_modes = 24;
  for (std::size_t k = 0; k < std::min(most_modes, shown.size()); ++k) {
    rows.push_back({value_text(shown[k], axis), behaviour_text(shown[k], axis)});
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
  const double axis = on_the_axis * largest_size(l.pencil);
  double worst = -1.0;
  for (const PencilMode& mode : l.pencil.modes) {
    const double real = mode.value.real();
    worst = std::max(worst, std::abs(real) <= axis ? 0.0 : real < 0.0 ? -1.0 : 1.0);
  }
  if (!l.at_rest)
    return "not at rest: eigenvalues are those of coefficients frozen at this moment\n";
  if (l.pencil.modes.empty()) return "";
  if (worst < 0.0) return "stable: all deviations decay\n";
  if (worst > 0.0) return "unstable: some deviations grow\n";
  return "on the boundary of stability: some deviations neither grow nor decay\n";
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
  for (const std::string& remark : p.remarks) text += "note: " + remark + "\n";
  return text;
}

}  // namespace saltus
