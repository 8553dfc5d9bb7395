#include <saltus/simulate/analyze.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/lower/compile_model.hpp>
#include <saltus/system/switching.hpp>

#include "simulate/hidden_constraints.hpp"
#include "simulate/report_text.hpp"
#include "simulate/structure_check.hpp"

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

/// Numbers of the only mode of a model; structure of several modes waits for runs that have them.
void add_numbers(const std::shared_ptr<const ModelDefinition>& model, const AnalyzeOptions& options,
                 ModeAnalysis& result) {
  const auto source = compile_model(model);
  const auto system = source->system(source->initial());
  if (!system) {
    result.refusal = system.failure().message;
    return;
  }
  const auto workspace = (*system)->workspace();
  const StartValues start = (*system)->start_values();
  decide_locks(*workspace, options.t, start.x, start.xdot);
  const auto found = characteristic_values(**system, *workspace, options, start, result.structure);
  CheckedPoint point{options.t, start.x, start.xdot, false};
  std::vector<double> x, xdot;
  if (found) {
    result.values = found->values;
    result.decisions = found->decisions;
    const auto n = static_cast<std::ptrdiff_t>((*system)->size());
    x.assign(found->path.begin(), found->path.begin() + n);
    xdot.assign(found->path.begin() + n, found->path.begin() + 2 * n);
    point = {options.t, x, xdot, true};
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
  const std::uint32_t differentiation_index =
      v.mu == 0 && v.a == 0 ? 0 : static_cast<std::uint32_t>(v.mu) + 1;
  if (differentiation_index != s.index())
    mode.remarks.push_back(
        "the structural index is " + std::to_string(s.index()) +
        ", the differentiation index mu + 1 = " + std::to_string(differentiation_index) +
        ": structure differentiates more often than needed");
}

ModeAnalysis analyze_mode(const std::shared_ptr<const ModelDefinition>& model, ModeId mode,
                          const AnalyzeOptions& options) {
  ModeAnalysis result;
  if (mode != none) result.mode = model->modes()[mode].name;
  result.structure = analyze_structure(*model, mode);
  if (!result.structure.is_singular()) {
    write_hidden_constraints(*model, mode, options, result);
    count_orders(result);
  }
  if (!options.numbers) {
    result.refusal = "not asked for";
    return result;
  }
  try {
    add_numbers(model, options, result);
  } catch (const ModelError& e) {
    result.refusal = e.what();
  }
  if (result.values) {
    compare_with_numbers(result);
  } else if (result.check && !result.check->regular) {
    result.remarks.push_back("the structural answer is not confirmed by numbers" +
                             names_of_dependence(result));
  }
  return result;
}

}  // namespace

ModelAnalysis analyze(std::shared_ptr<const ModelDefinition> model, const AnalyzeOptions& options) {
  validate_options(options);
  ModelAnalysis analysis;
  analysis.model = model->name();
  analysis.t = options.t;
  analysis.n_unknowns = model->n_unknowns();
  if (model->modes().empty()) analysis.modes.push_back(analyze_mode(model, none, options));
  for (ModeId mode = 0; mode < model->modes().size(); ++mode) {
    analysis.modes.push_back(analyze_mode(model, mode, options));
  }
  return analysis;
}

ModelAnalysis analyze(const Model& model, const AnalyzeOptions& options) {
  return analyze(model.build(), options);
}

}  // namespace saltus
