#include "system/template/template_parts.hpp"

#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "system/differenced_switching.hpp"
#include "system/function_checks.hpp"

namespace saltus::detail {

namespace {

/// The same description as a list of functions, none of which is ever called.
SystemFunctions as_functions(const TemplateDescription& description, const TemplateCode& code) {
  SystemFunctions functions{.unknowns = description.unknowns,
                            .pattern = description.pattern,
                            .equations = description.equations,
                            .actions = description.actions};
  if (code.is_explicit) {
    functions.derivative = [](double, auto, auto) {};
  } else {
    functions.residual = [](double, auto, auto, auto) {};
  }
  for (const std::string& name : description.switches) functions.switches.push_back({name, false});
  if (code.has_switching) functions.switching = [](double, auto, auto) {};
  return functions;
}

SystemFunctions checked(const TemplateDescription& description, const TemplateCode& code) {
  if (!description.switches.empty() && !code.has_switching) {
    throw ModelError("template system",
                     "`switches` are named, but the code has no member `switching`");
  }
  if (description.exploration_limit < 1) {
    throw ModelError("template system", "`exploration_limit` is " +
                                            to_text(description.exploration_limit) +
                                            " and must be at least 1");
  }
  SystemFunctions functions = as_functions(description, code);
  refuse_unusable(functions);
  return functions;
}

}  // namespace

TemplateParts::TemplateParts(TemplateDescription what, TemplateCode how)
    : description(std::move(what)),
      code(std::move(how)),
      pattern(completed_pattern(checked(description, code))),
      groups(pattern),
      actions(description.actions, description.unknowns, as_functions(description, code).switches) {
  std::vector<VariableInfo> variables;
  for (const FunctionUnknown& unknown : description.unknowns) {
    names.push_back(unknown.name);
    start.push_back(unknown.start);
    nominal.push_back(unknown.nominal);
    carries_derivative.push_back(unknown.differential ? 1 : 0);
    variables.push_back({unknown.name, unknown.unit, ""});
  }
  map.emplace(std::move(variables));
  exploration = explore(code, {.unknowns = names,
                               .x = start,
                               .n_switches = description.switches.size(),
                               .limit = description.exploration_limit});
  for (std::uint32_t i = 0; i < n_named(); ++i) {
    switches.push_back(
        {.name = description.switches[i], .sets_unknowns = actions.sets_unknowns(i)});
  }
  for (SwitchInfo& info : exploration.table.infos()) switches.push_back(std::move(info));
  gradient_pattern = full_pattern(switches.size(), size());
}

}  // namespace saltus::detail
