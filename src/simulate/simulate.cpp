#include <saltus/simulate/simulate.hpp>

#include <saltus/core/text.hpp>
#include <saltus/lower/compile_model.hpp>
#include <saltus/model/parameters_as_states.hpp>
#include <saltus/sensitivity/forward.hpp>

namespace saltus {

namespace {

Solution complete(Run run) {
  while (run.advance()) {
  }
  return run.finish();
}

/// Parameters among what is to be differentiated with respect to; the others are states.
std::vector<std::string> parameters_among(const ModelDefinition& model,
                                          std::span<const std::string> names) {
  std::vector<std::string> parameters;
  for (const std::string& name : names) {
    const Variable* variable = model.find(name.substr(0, name.find('[')));
    if (variable != nullptr && variable->kind == InputKind::state) continue;
    parameters.push_back(name);  // or nothing at all: refused by name
  }
  return parameters;
}

Solution followed(const std::string& name, std::shared_ptr<ConfigurationSource> source,
                  const RunOptions& options, Observer& observer) {
  if (options.events.location == LocationKind::step_end)
    throw OptionError("events.location",
                      "is step_end: events then happen at ends of steps, whose times have no "
                      "derivatives; sensitivities need exact");
  ForwardSensitivities sensitivities(options.sensitivities, {options.rtol, options.atol});
  Solution solution = complete(Run(name, std::move(source), options, observer, &sensitivities));
  solution.sensitivities = sensitivities.take();
  if (const auto& ends = solution.sensitivities.ends())
    solution.report.warnings.push_back("derivatives end at t = " + to_text(ends->t) + ": " +
                                       ends->why);
  if (const auto& coarse = solution.sensitivities.coarsest())
    solution.report.warnings.push_back(coarse->column + " is off by " + to_text(coarse->off) +
                                       " near t = " + to_text(coarse->t) +
                                       ": it changes too fast to be kept at all times");
  return solution;
}

}  // namespace

Run start_run(std::shared_ptr<const ModelDefinition> model, const RunOptions& options,
              Observer& observer) {
  const std::string name = model->name();
  return Run(name, compile_model(ModelDefinition::with_own_inputs(std::move(model))), options,
             observer);
}
Run start_run(const Model& model, const RunOptions& options, Observer& observer) {
  return start_run(model.build(), options, observer);
}
Run start_run(std::shared_ptr<const System> system, const RunOptions& options, Observer& observer) {
  return Run("system", std::make_shared<SingleConfiguration>(std::move(system)), options, observer);
}

Solution simulate(const Model& model, const RunOptions& options, Observer& observer) {
  return simulate(model.build(), options, observer);
}
Solution simulate(std::shared_ptr<const ModelDefinition> model, const RunOptions& options,
                  Observer& observer) {
  if (options.sensitivities.empty())
    return complete(start_run(std::move(model), options, observer));
  const std::string name = model->name();
  const auto parameters = parameters_among(*model, options.sensitivities);
  auto states = with_parameters_as_states(std::move(model), parameters);
  return followed(name, compile_model(std::move(states.model)), options, observer);
}
Solution simulate(const CompiledModel& model, const RunOptions& options, Observer& observer) {
  if (!options.sensitivities.empty()) return simulate(model.model(), options, observer);
  return complete(Run(model.model()->name(), model.source(), options, observer));
}
Solution simulate(std::shared_ptr<const System> system, const RunOptions& options,
                  Observer& observer) {
  if (!options.sensitivities.empty())
    return followed("system", std::make_shared<SingleConfiguration>(std::move(system)), options,
                    observer);
  return complete(start_run(std::move(system), options, observer));
}

}  // namespace saltus
