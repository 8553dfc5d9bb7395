#include "simulate/mode_graph.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>

namespace saltus {

namespace {

/// From the first one, by the smallest number of transitions.
std::vector<ModeId> modes_by_distance(const ModelDefinition& model) {
  std::vector<std::vector<ModeId>> next(model.modes().size());
  for (const Transition& t : model.transitions())
    next[t.from].insert(next[t.from].end(), t.candidates.begin(), t.candidates.end());
  std::vector<std::uint8_t> seen(model.modes().size(), 0);
  std::vector<ModeId> order{model.first_mode()};
  seen[model.first_mode()] = 1;
  for (std::size_t k = 0; k < order.size(); ++k)
    for (const ModeId to : next[order[k]]) {
      if (seen[to]) continue;
      seen[to] = 1;
      order.push_back(to);
    }
  return order;
}

std::vector<ModeId> modes_of_names(const ModelDefinition& model,
                                   const std::vector<std::string>& names) {
  std::vector<ModeId> modes;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(model.modes(), name, &Mode::name);
    if (found == model.modes().end())
      throw OptionError("modes", "model '" + model.name() + "' has no mode '" + name + "'");
    modes.push_back(static_cast<ModeId>(found - model.modes().begin()));
  }
  return modes;
}

// ---- picture -------------------------------------------------------------------------------------------

/// Quoted; a backslash would begin an escape sequence of labels.
std::string dot_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string dot_label(const std::string& head, const std::string& tail) {
  return "\"" + dot_escaped(head) + (tail.empty() ? "" : "\\n" + dot_escaped(tail)) + "\"";
}

std::string values_label(const ModeAnalysis& m) {
  if (m.values) {
    const CharacteristicValues& v = *m.values;
    return "mu=" + std::to_string(v.mu) + " d=" + std::to_string(v.d) +
           " a=" + std::to_string(v.a) + " v=" + std::to_string(v.v) + " u=" + std::to_string(v.u);
  }
  if (m.structure.is_singular()) return "singular by structure";
  return "by structure: index " + std::to_string(m.structure.index()) +
         ", d=" + std::to_string(m.structure.degrees_of_freedom());
}

std::string dot_node(const ModelAnalysis& analysis, const std::string& mode, std::size_t number) {
  const auto looked_at = std::ranges::find(analysis.modes, mode, &ModeAnalysis::mode);
  const bool known = looked_at != analysis.modes.end();
  std::string text = "  m" + std::to_string(number) + " [label=" +
                     dot_label(mode, known ? values_label(*looked_at) : "not looked at");
  if (!known) text += ", style=dotted";
  if (std::ranges::count(analysis.unreachable, mode) > 0) text += ", color=gray, fontcolor=gray";
  return text + "];\n";
}

}  // namespace

std::vector<ModeId> choose_modes(const ModelDefinition& model, const AnalyzeOptions& options,
                                 ModelAnalysis& analysis) {
  const std::vector<ModeId> named = modes_of_names(model, options.modes);
  if (model.modes().empty()) return {none};
  for (const Mode& m : model.modes()) analysis.mode_names.push_back(m.name);
  analysis.first_mode = analysis.mode_names[model.first_mode()];
  std::vector<ModeId> order = modes_by_distance(model);
  const std::size_t n_reachable = order.size();
  for (ModeId mode = 0; mode < model.modes().size(); ++mode) {
    const auto reachable = order.begin() + static_cast<std::ptrdiff_t>(n_reachable);
    if (std::find(order.begin(), reachable, mode) != reachable) continue;
    analysis.unreachable.push_back(analysis.mode_names[mode]);
    order.push_back(mode);
  }
  order.resize(std::min(order.size(), static_cast<std::size_t>(options.max_modes)));
  if (!named.empty()) order = named;
  std::ranges::sort(order);
  order.erase(std::unique(order.begin(), order.end()), order.end());
  for (ModeId mode = 0; mode < model.modes().size(); ++mode)
    if (!std::ranges::binary_search(order, mode))
      analysis.not_analysed.push_back(analysis.mode_names[mode]);
  return order;
}

std::string to_dot(const ModelAnalysis& analysis) {
  const std::vector<std::string>& names = analysis.mode_names;
  std::string text = "digraph " + dot_label(analysis.model, "") + " {\n";
  if (names.empty()) return text + "}\n";
  text += "  node [shape=box];\n  begin [shape=point];\n";
  for (std::size_t k = 0; k < names.size(); ++k) text += dot_node(analysis, names[k], k);
  const auto node = [&](const std::string& name) {
    return "m" + std::to_string(std::ranges::find(names, name) - names.begin());
  };
  text += "  begin -> " + node(analysis.first_mode) + ";\n";
  for (const TransitionAnalysis& t : analysis.transitions) {
    const std::string when = t.at_accumulation ? "accumulation of " + t.guard
                             : t.at_sliding    ? "sliding on " + t.guard
                                               : t.guard;
    text += "  " + node(t.from) + " -> " + node(t.to) + " [label=" + dot_label(t.name, when);
    if (t.one_of_several) text += ", style=dashed";
    if (t.impulses_possible) text += ", color=red";
    text += "];\n";
  }
  return text + "}\n";
}

}  // namespace saltus
