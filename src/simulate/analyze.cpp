#include <saltus/simulate/analyze.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/lower/compile_model.hpp>
#include <saltus/system/switching.hpp>

#include "simulate/hidden_constraints.hpp"
#include "simulate/mode_graph.hpp"
#include "simulate/report_text.hpp"
#include "simulate/structure_check.hpp"
#include "simulate/transition_analysis.hpp"
#include "simulate/unknown_classes.hpp"

namespace saltus {

namespace {

using report_text::counted;
using report_text::few_names;

/// Of inputs that occur; false without any.
bool inputs_suffice(const StructuralAnalysis& s) {
  return !s.is_singular() && !s.signals.empty() &&
         std::ranges::all_of(s.signals, [](const SignalDemand& d) {
           return static_cast<std::int64_t>(d.order) <= d.available;
         });
}

/// Inputs that lack derivatives are a failure here: structure can still be looked at.
Result<IndexAnalysis> characteristic_values(const System& system, Workspace& workspace,
                                            const AnalyzeOptions& options, const StartValues& start,
                                            const StructuralAnalysis& structure) {
  IndexOptions index_options;
  index_options.max_level = options.max_level;
  try {
    return analyze_index(system, workspace, options.t, start, index_options);
  } catch (const ModelError& e) {
    std::string reason = e.what();
    if (inputs_suffice(structure))
      reason +=
          "; structure needs no more than the inputs have, but the numerical analysis "
          "differentiates every equation";
    return Failure{FailureCode::not_certified, reason};
  }
}

/// Start values are those of the mode a run begins in; another mode may be looked at from where it is
/// never entered, say at rest with zeros that hide a rank. Off every symmetry there is none.
StartValues displaced(const System& system, const StartValues& start, double by) {
  StartValues moved = start;
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    const double wave = std::sin(1.0 + 2.3 * static_cast<double>(i));
    moved.x[i] += by * wave * (std::abs(start.x[i]) + system.nominal(i));
    moved.xdot[i] += by * std::cos(2.0 + 1.9 * static_cast<double>(i)) * system.nominal(i);
  }
  return moved;
}

/// At the start values; of a mode, where these fail, near them.
Result<IndexAnalysis> numbers_of_mode(const System& system, Workspace& workspace,
                                      const AnalyzeOptions& options, const StartValues& start,
                                      bool is_mode, ModeAnalysis& result) {
  auto found = characteristic_values(system, workspace, options, start, result.structure);
  if (found || !is_mode) return found;
  constexpr double distances[] = {0.01, 0.1};
  for (const double by : distances) {
    auto nearby = characteristic_values(system, workspace, options, displaced(system, start, by),
                                        result.structure);
    if (!nearby) continue;
    result.remarks.push_back(
        "the numbers belong to a point near the start values, because the analysis at the start "
        "values failed (" +
        found.failure().message + ")");
    return nearby;
  }
  return found;
}

/// Rows behind those of the structure tie derivatives that are unknowns of their own.
std::vector<std::vector<std::string>> definitions_of(const System& system, std::size_t n_written) {
  const CscPattern& p = system.pattern();
  std::vector<std::vector<std::string>> definitions(
      system.n_equations() > n_written ? system.n_equations() - n_written : 0);
  for (std::uint32_t j = 0; j < system.size(); ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      const auto row = static_cast<std::size_t>(p.row[s]);
      if (row >= n_written) definitions[row - n_written].push_back(system.unknown_name(j));
    }
  }
  return definitions;
}

void classify_by_numbers(const System& system, Workspace& workspace, double t,
                         const IndexAnalysis& found, AnalysedMode& result) {
  auto content = mode_content(system, workspace, t, found);
  if (!content) {
    result.analysis.remarks.push_back(content.failure().message);
    return;
  }
  for (std::uint32_t i = 0; i < system.size(); ++i)
    result.analysis.unknowns.push_back(
        {system.unknown_name(i), content->classes()[i], system.carries_derivative()[i] != 0});
  result.content = std::move(*content);
}

void add_numbers(ConfigurationSource& source, const AnalyzeOptions& options, AnalysedMode& mode) {
  ModeAnalysis& result = mode.analysis;
  Configuration where = source.initial();
  if (mode.mode != none && mode.mode != where.mode) where = {mode.mode, {}, {}};
  const auto system = source.system(where);
  if (!system) {
    result.refusal = system.failure().message;
    return;
  }
  result.is_square = (*system)->n_equations() == (*system)->size();
  mode.definitions = definitions_of(**system, result.structure.equations.size());
  const auto workspace = (*system)->workspace();
  const StartValues start = (*system)->start_values();
  decide_locks(*workspace, options.t, start.x, start.xdot);
  const auto found =
      numbers_of_mode(**system, *workspace, options, start, mode.mode != none, result);
  CheckedPoint point{options.t, start.x, start.xdot, false};
  std::vector<double> x, xdot;
  if (found) {
    result.values = found->values;
    result.decisions = found->decisions;
    const auto n = static_cast<std::ptrdiff_t>((*system)->size());
    x.assign(found->path.begin(), found->path.begin() + n);
    xdot.assign(found->path.begin() + n, found->path.begin() + 2 * n);
    point = {options.t, x, xdot, true};
    classify_by_numbers(**system, *workspace, options.t, *found, mode);
  } else {
    result.refusal = found.failure().message;
  }
  check_structure(**system, *workspace, point, result);
}

std::string names_of_dependence(const ModeAnalysis& mode) {
  if (!mode.check || mode.check->regular) return "";
  std::string text;
  if (!mode.check->equations.empty())
    text += "; equations that depend on each other: " +
            few_names(mode.structure.equations, mode.check->equations);
  if (!mode.check->unknowns.empty())
    text += "; unknowns concerned: " + few_names(mode.structure.unknowns, mode.check->unknowns);
  return text;
}

void explain_difference(ModeAnalysis& mode) {
  const CharacteristicValues& v = *mode.values;
  const std::string counts = "structure counts " +
                             counted(mode.structure.degrees_of_freedom(), "degree of freedom") +
                             ", numbers find d = " + std::to_string(v.d);
  if (v.v > 0 || v.u > 0) {
    mode.remarks.push_back(
        counts + ": " + counted(v.v, "equation") + (v.v == 1 ? " is" : " are") + " redundant and " +
        counted(v.u, "unknown") + (v.u == 1 ? " is" : " are") +
        " not determined, which structure cannot see" + names_of_dependence(mode));
  } else if (mode.check && !mode.check->regular) {
    mode.remarks.push_back(counts +
                           ": terms cancel that look independent, so the structural index and its "
                           "hidden constraints are not those of the model" +
                           names_of_dependence(mode));
  } else {
    mode.remarks.push_back(counts + ", and no cancellation explains it: please report this model");
  }
}

std::uint32_t differentiation_index(const CharacteristicValues& v) {
  return v.mu == 0 && v.a == 0 ? 0 : static_cast<std::uint32_t>(v.mu) + 1;
}

/// d, a, v, u against degrees of freedom; the index against mu + 1.
void compare_with_numbers(ModeAnalysis& mode) {
  const CharacteristicValues& v = *mode.values;
  const StructuralAnalysis& s = mode.structure;
  if (s.is_singular()) {
    mode.agree = v.v > 0 || v.u > 0;
    if (!*mode.agree)
      mode.remarks.push_back(
          "structure finds the equations singular, numbers do not: please report this model");
    return;
  }
  mode.agree = v.v == 0 && v.u == 0 && v.d == s.degrees_of_freedom();
  if (!*mode.agree) {
    mode.orders.reset();
    explain_difference(mode);
    return;
  }
  if (mode.check && !mode.check->regular)
    mode.remarks.push_back(
        "structure and numbers count the same degrees of freedom, but the "
        "structural way is blocked at this point" +
        names_of_dependence(mode));
  if (differentiation_index(v) != s.index())
    mode.remarks.push_back(
        "the structural index is " + std::to_string(s.index()) +
        ", the differentiation index mu + 1 = " + std::to_string(differentiation_index(v)) +
        ": structure differentiates more often than needed");
}

/// `source` is null if there is none, `why_none` then says why.
AnalysedMode analyze_mode(const ModelDefinition& model, ModeId mode, ConfigurationSource* source,
                          const std::string& why_none, const AnalyzeOptions& options) {
  AnalysedMode looked_at;
  looked_at.mode = mode;
  ModeAnalysis& result = looked_at.analysis;
  if (mode != none) result.mode = model.modes()[mode].name;
  result.structure = analyze_structure(model, mode);
  result.is_square = result.structure.equations.size() == result.structure.unknowns.size();
  if (!result.structure.is_singular()) {
    write_hidden_constraints(model, mode, options, result);
    count_orders(result);
  }
  if (source) {
    try {
      add_numbers(*source, options, looked_at);
    } catch (const ModelError& e) {
      result.refusal = e.what();
    }
  } else {
    result.refusal = why_none;
  }
  if (!looked_at.content) {
    result.unknowns = classes_by_structure(result.structure);
    result.classes_by_structure = true;
  }
  if (result.values) {
    compare_with_numbers(result);
  } else if (result.check && !result.check->regular) {
    result.remarks.push_back("the structural answer is not confirmed by numbers" +
                             names_of_dependence(result));
  }
  return looked_at;
}

/// Index and regularity of the whole from those of its modes.
void summarize(ModelAnalysis& analysis) {
  analysis.regular = true;
  for (const ModeAnalysis& m : analysis.modes) {
    const bool sound = m.values ? m.values->v == 0 && m.values->u == 0 : !m.structure.is_singular();
    if (!m.is_square || !sound) analysis.regular = false;
    if (m.values) {
      analysis.largest_mu = std::max(analysis.largest_mu, m.values->mu);
      analysis.largest_index = std::max(analysis.largest_index, differentiation_index(*m.values));
    } else if (!m.structure.is_singular()) {
      analysis.largest_index = std::max(analysis.largest_index, m.structure.index());
    }
  }
}

void add_transitions(const ModelDefinition& model, const std::vector<AnalysedMode>& modes,
                     ModelAnalysis& analysis) {
  const auto find = [&](ModeId mode) -> const AnalysedMode* {
    const auto found = std::ranges::find(modes, mode, &AnalysedMode::mode);
    return found == modes.end() ? nullptr : &*found;
  };
  for (const Transition& t : model.transitions())
    for (std::size_t k = 0; k < t.candidates.size(); ++k)
      analysis.transitions.push_back(
          analyze_transition(model, t, k, find(t.from), find(t.candidates[k])));
}

}  // namespace

ModelAnalysis analyze(std::shared_ptr<const ModelDefinition> given, const AnalyzeOptions& options) {
  validate_options(options);
  const std::shared_ptr<const ModelDefinition> model = std::move(given);
  ModelAnalysis analysis;
  analysis.model = model->name();
  analysis.t = options.t;
  analysis.n_unknowns = model->n_unknowns();
  const std::vector<ModeId> chosen = choose_modes(*model, options, analysis);
  std::shared_ptr<ConfigurationSource> source;
  std::string why_none = "not asked for";
  if (options.numbers) {
    try {
      source = compile_model(model);
    } catch (const ModelError& e) {
      why_none = e.what();
    }
  }
  std::vector<AnalysedMode> modes;
  for (const ModeId mode : chosen)
    modes.push_back(analyze_mode(*model, mode, source.get(), why_none, options));
  add_transitions(*model, modes, analysis);
  for (AnalysedMode& mode : modes) analysis.modes.push_back(std::move(mode.analysis));
  summarize(analysis);
  return analysis;
}

ModelAnalysis analyze(const Model& model, const AnalyzeOptions& options) {
  return analyze(model.build(), options);
}

}  // namespace saltus
