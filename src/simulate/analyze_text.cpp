// The analysis of a model in words.
#include <algorithm>
#include <limits>
#include <map>

#include <saltus/core/text.hpp>
#include <saltus/simulate/analyze.hpp>

#include "simulate/report_text.hpp"
#include "simulate/transition_text.hpp"

namespace saltus {

namespace {

using report_text::counted;
using report_text::few_names;
using report_text::padded;
using report_text::short_name;
using report_text::short_number;
using report_text::wrapped;

// Larger gaps differ by rounding only.
constexpr double clear_cut = 1e15;

using Rows = std::vector<std::vector<std::string>>;

std::string times_text(std::uint32_t times) {
  if (times == 1) return "once";
  return times == 2 ? "twice" : std::to_string(times) + " times";
}

/// "5 of 1 equation, 1 of 3".
std::string block_sizes(const BlockTriangularForm& form) {
  std::map<std::size_t, std::size_t> sizes;
  for (const auto& block : form.blocks) ++sizes[block.equations.size()];
  std::string text = counted(form.blocks.size(), "block");
  if (form.blocks.size() < 2) return text;
  std::vector<std::string> parts;
  for (const auto& [size, n] : sizes)
    parts.push_back(std::to_string(n) + " of " +
                    (parts.empty() ? counted(size, "equation") : std::to_string(size)));
  return text + ": " + join(parts, ", ");
}

/// Neighbours in the list that are differentiated equally often share a line.
void add_differentiated(const StructuralAnalysis& s, Rows& rows) {
  std::map<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> by_times;
  for (const DifferentiatedEquation& e : s.differentiated) by_times[e.times].push_back(e.equation);
  std::string label = "differentiated";
  for (const auto& [times, equations] : by_times) {
    rows.push_back({label, times_text(times) + ": " + few_names(s.equations, equations)});
    label = "";
  }
}

void add_inputs(const StructuralAnalysis& s, Rows& rows) {
  std::string label = "inputs";
  for (const SignalDemand& d : s.signals) {
    std::string text = "'" + s.inputs[d.signal] + "' needs " + counted(d.order, "derivative");
    if (d.order > 0) text += " (in '" + short_name(s.equations[d.equation]) + "')";
    const bool all = d.available == std::numeric_limits<int>::max();
    if (d.order > 0)
      text += all ? ", its signal has them between its breakpoints"
                  : ", its signal has " + std::to_string(d.available);
    if (static_cast<std::int64_t>(d.order) > d.available) text += ": NOT SMOOTH ENOUGH";
    rows.push_back({label, text});
    label = "";
  }
}

std::string structure_text(const ModeAnalysis& m) {
  const StructuralAnalysis& s = m.structure;
  std::string text = "Structure\n";
  Rows rows;
  if (s.is_singular()) {
    const auto& over = s.parts.overdetermined;
    const auto& under = s.parts.underdetermined;
    rows.push_back({"singular", "no order of solution exists, whatever the coefficients are"});
    if (!over.equations.empty())
      rows.push_back({"too many", counted(over.equations.size(), "equation") + " (" +
                                      few_names(s.equations, over.equations) + ") for " +
                                      counted(over.unknowns.size(), "unknown")});
    if (!under.unknowns.empty())
      rows.push_back({"too few", counted(under.equations.size(), "equation") + " for " +
                                     counted(under.unknowns.size(), "unknown") + " (" +
                                     few_names(s.unknowns, under.unknowns) + ")"});
    return text + padded(rows, 2);
  }
  rows.push_back({"index", std::to_string(s.index())});
  rows.push_back({"degrees of freedom", std::to_string(s.degrees_of_freedom())});
  if (!m.states.empty()) {
    std::vector<std::uint32_t> all(m.states.size());
    for (std::uint32_t k = 0; k < all.size(); ++k) all[k] = k;
    rows.push_back({"states, at this point", few_names(m.states, all, 12)});
  }
  rows.push_back({"solved in", block_sizes(s.blocks)});
  add_differentiated(s, rows);
  add_inputs(s, rows);
  return text + padded(rows, 2);
}

std::string hidden_text(const ModeAnalysis& m) {
  constexpr std::size_t most_shown = 20;
  if (m.hidden_constraints.empty()) return "";
  std::string text = "Hidden constraints\n";
  Rows rows;
  for (std::size_t k = 0; k < std::min(most_shown, m.hidden_constraints.size()); ++k) {
    const HiddenConstraint& h = m.hidden_constraints[k];
    rows.push_back({"derivative " + std::to_string(h.derivative) + " of " +
                        short_name(m.structure.equations[h.equation], 40) + ":",
                    h.text});
  }
  text += padded(rows, 2);
  const std::size_t more =
      m.n_hidden_not_listed +
      (m.hidden_constraints.size() > most_shown ? m.hidden_constraints.size() - most_shown : 0);
  if (more > 0) text += "  and " + std::to_string(more) + " more\n";
  return text;
}

std::string orders_text(const ModeAnalysis& m) {
  if (!m.orders || m.orders->second == 0) return "";
  return ": " + std::to_string(m.orders->second) + " of second order (two each), " +
         std::to_string(m.orders->first) + " of first";
}

std::string numbers_text(const ModeAnalysis& m, double t) {
  if (!m.values) return "Numbers\n" + wrapped("none: " + m.refusal, 2);
  const CharacteristicValues& v = *m.values;
  std::string text = "Numbers, on the solution set at t = " + to_text(t) + "\n";
  text += padded({{"mu = " + std::to_string(v.mu), "strangeness index"},
                  {"d  = " + std::to_string(v.d), "differential equations" + orders_text(m)},
                  {"a  = " + std::to_string(v.a), "algebraic equations, hidden ones included"},
                  {"v  = " + std::to_string(v.v), "redundant equations"},
                  {"u  = " + std::to_string(v.u), "undetermined unknowns"}},
                 2);
  const auto least = std::ranges::min_element(m.decisions, {}, &RankDecision::gap);
  if (least != m.decisions.end()) {
    const bool full = least->gap >= clear_cut;
    text += "  confidence: in " + counted(m.decisions.size(), "rank decision") +
            " each kept value is at least " + short_number(full ? clear_cut : least->gap, 2) +
            " times each dropped one" + (full ? "" : " (least in " + least->matrix + ")") + "\n";
  }
  for (const RankDecision& d : m.decisions)
    if (!d.note.empty()) text += "  " + d.matrix + ": " + d.note + "\n";
  return text;
}

std::string comparison_text(const ModeAnalysis& m) {
  std::string text;
  if (m.agree) {
    text = *m.agree ? "Structure and numbers agree" : "Structure and numbers differ";
    if (*m.agree && m.check && m.check->regular)
      text += ": the system Jacobian is regular (gap " + short_number(m.check->gap, 2) + ")";
    text += "\n";
  } else if (m.check && m.check->regular) {
    text =
        wrapped(std::string("Structure holds at the ") +
                    (m.check->at_consistent_point ? "point looked at" : "start values as given") +
                    ": the system Jacobian is regular (gap " + short_number(m.check->gap, 2) + ")",
                0);
  }
  for (const std::string& remark : m.remarks) text += wrapped(remark, 2);
  return text;
}

}  // namespace

std::string to_text(const ModelAnalysis& analysis) {
  std::string text = "model '" + analysis.model + "'";
  if (!analysis.mode_names.empty()) text += ": " + model_text(analysis);
  for (const ModeAnalysis& m : analysis.modes) {
    text += m.mode.empty() ? ": " : "\nmode '" + m.mode + "': ";
    text += counted(m.structure.equations.size(), "equation") + ", " +
            counted(m.structure.unknowns.size(), "unknown") + "\n";
    text += structure_text(m) + hidden_text(m) + numbers_text(m, analysis.t) + comparison_text(m);
    if (!m.mode.empty()) text += classes_text(m);
  }
  constexpr std::size_t most_transitions = 100;
  std::size_t n_shown = 0;
  for (const TransitionAnalysis& t : analysis.transitions) {
    if (!t.compared || n_shown == most_transitions) continue;
    text += "\n" + transition_text(t);
    ++n_shown;
  }
  if (n_shown < analysis.transitions.size())
    text += "\nand " + counted(analysis.transitions.size() - n_shown, "transition") + " more\n";
  return text;
}

}  // namespace saltus
