#include <saltus/simulate/simulate.hpp>

#include <saltus/lower/compile_model.hpp>

namespace saltus {

namespace {

Solution complete(Run run) {
  while (run.advance()) {
  }
  return run.finish();
}

}  // namespace

Run start_run(std::shared_ptr<const ModelDefinition> model, const RunOptions& options,
              Observer& observer) {
  const std::string name = model->name();
  return Run(name, compile_model(std::move(model)), options, observer);
}
Run start_run(const Model& model, const RunOptions& options, Observer& observer) {
  return start_run(model.build(), options, observer);
}
Run start_run(std::shared_ptr<const System> system, const RunOptions& options, Observer& observer) {
  return Run("system", std::make_shared<SingleConfiguration>(std::move(system)), options, observer);
}

Solution simulate(const Model& model, const RunOptions& options, Observer& observer) {
  return complete(start_run(model, options, observer));
}
Solution simulate(std::shared_ptr<const ModelDefinition> model, const RunOptions& options,
                  Observer& observer) {
  return complete(start_run(std::move(model), options, observer));
}
Solution simulate(std::shared_ptr<const System> system, const RunOptions& options,
                  Observer& observer) {
  return complete(start_run(std::move(system), options, observer));
}

}  // namespace saltus
