// Running models: in one call, or step by step. The interpreter is unlocked meanwhile.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <saltus/hybrid/run.hpp>
#include <saltus/model/with_values.hpp>
#include <saltus/lower/compile_model.hpp>
#include <saltus/simulate/simulate.hpp>

#include "callback_error.hpp"
#include "option_values.hpp"
#include "python_observer.hpp"
#include "runs.hpp"

namespace saltus::python {

std::shared_ptr<const ModelDefinition> definition_with(ModelBuilder& model, const Values& values) {
  std::shared_ptr<const ModelDefinition> definition = model.built();
  if (values.empty()) return definition;
  std::vector<Named<double>> named;
  for (const auto& [name, value] : values) named.push_back({name, value});
  return with_values(std::move(definition), named);
}

namespace {

using Subject = std::variant<std::shared_ptr<ModelBuilder>, std::shared_ptr<const System>>;

/// What a run is made of; nothing of it needs the interpreter.
struct Prepared {
  std::string name = "system";
  std::shared_ptr<const ModelDefinition> definition;
  std::shared_ptr<ConfigurationSource> source;
};

Prepared prepare(ModelBuilder& model, const Values& values) {
  Prepared out;
  out.definition = definition_with(model, values);
  out.name = out.definition->name();
  out.source = values.empty() ? model.compiled() : compile_model(out.definition);
  return out;
}

Solution complete(const Prepared& prepared, const RunOptions& options, Observer& observer) {
  if (!options.sensitivities.empty()) return simulate(prepared.definition, options, observer);
  Run run(prepared.name, prepared.source, options, observer);
  while (run.advance()) {
  }
  return run.finish();
}

std::shared_ptr<Solution> run_model(ModelBuilder& model, const py::dict& options,
                                    const Values& values, const py::object& progress) {
  const RunOptions run_options = options_of<RunOptions>(options);
  const Prepared prepared = prepare(model, values);
  PythonObserver observer(progress);
  PendingError pending;
  std::shared_ptr<Solution> solution;
  {
    py::gil_scoped_release unlocked;
    solution = std::make_shared<Solution>(complete(prepared, run_options, observer));
  }
  pending.rethrow();
  observer.rethrow(solution);
  return solution;
}

std::shared_ptr<Solution> run_system(const std::shared_ptr<const System>& system,
                                     const py::dict& options, const py::object& progress) {
  const RunOptions run_options = options_of<RunOptions>(options);
  PythonObserver observer(progress);
  PendingError pending;
  std::shared_ptr<Solution> solution;
  {
    py::gil_scoped_release unlocked;
    solution = std::make_shared<Solution>(simulate(system, run_options, observer));
  }
  pending.rethrow();
  observer.rethrow(solution);
  return solution;
}

/// A run whose steps Python asks for. The observer lives as long as the run.
class SteppedRun {
 public:
  SteppedRun(ModelBuilder& model, const py::dict& options, const Values& values)
      : definition_(definition_with(model, values)), observer_(py::none()) {
    Prepared prepared = prepare(model, values);
    // Inputs that are set from outside belong to one run.
    if (!prepared.definition->outside_inputs().empty())
      prepared.source = compile_model(ModelDefinition::with_own_inputs(prepared.definition));
    run_ = std::make_unique<Run>(prepared.name, prepared.source, options_of<RunOptions>(options),
                                 observer_);
  }

  /// Steps until the time is reached; without one, a single step.
  bool advance(std::optional<double> until) {
    return without_lock([&] {
      const double direction = run_->report().t_requested < run_->t() ? -1.0 : 1.0;
      bool going = true;
      do {
        going = run_->advance();
      } while (going && until && direction * (*until - run_->t()) > 0);
      return going;
    });
  }

  bool advance_to(double t) {
    return without_lock([&] { return run_->advance_to(t); });
  }
  void restore(const std::string& saved) {
    without_lock([&] {
      run_->restore(saved);
      return true;
    });
  }

  std::shared_ptr<Solution> finish() {
    if (!finished_) {
      py::gil_scoped_release unlocked;
      finished_ = std::make_shared<Solution>(run_->finish());
    }
    return finished_;
  }

  Run& run() { return *run_; }

 private:
  template <class Call>
  bool without_lock(const Call& call) {
    PendingError pending;
    bool result = false;
    {
      py::gil_scoped_release unlocked;
      result = call();
    }
    pending.rethrow();
    observer_.rethrow(nullptr);
    return result;
  }

  std::shared_ptr<const ModelDefinition> definition_;
  PythonObserver observer_;
  std::unique_ptr<Run> run_;
  std::shared_ptr<Solution> finished_;
};

std::vector<double> copy_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

py::list ways_of(SteppedRun& stepped) {
  py::list out;
  for (const SurfaceCandidateRecord& way : stepped.run().decision())
    out.append(py::make_tuple(way.text, way.consistent, verdict_text(way)));
  return out;
}

}  // namespace

void add_runs(py::module_& m) {
  m.def("run_model", run_model);
  py::class_<System, std::shared_ptr<System>>(m, "System");
  m.def("run_system",
        [](const std::shared_ptr<System>& system, const py::dict& options,
           const py::object& progress) { return run_system(system, options, progress); });
  py::class_<SteppedRun>(m, "SteppedRun")
      .def(py::init<ModelBuilder&, const py::dict&, const Values&>())
      .def("advance", &SteppedRun::advance)
      .def("advance_to", &SteppedRun::advance_to)
      .def("set_input", [](SteppedRun& r, const std::string& name,
                           const std::vector<double>& values) { r.run().set_input(name, values); })
      .def("value", [](SteppedRun& r, const std::string& name) { return r.run().value(name); })
      .def("save", [](SteppedRun& r) { return r.run().save(); })
      .def("restore", &SteppedRun::restore)
      .def("finish", &SteppedRun::finish)
      .def("ended", [](SteppedRun& r) { return r.run().ended(); })
      .def("t", [](SteppedRun& r) { return r.run().t(); })
      .def("x", [](SteppedRun& r) { return copy_of(r.run().x()); })
      .def("xdot", [](SteppedRun& r) { return copy_of(r.run().xdot()); })
      .def("ways", ways_of)
      .def("choose", [](SteppedRun& r, std::size_t which) { r.run().choose(which); })
      .def("message", [](SteppedRun& r) { return r.run().report().message; })
      .def("outcome", [](SteppedRun& r) { return std::string(name(r.run().report().outcome)); })
      .def("unknowns", [](SteppedRun& r) {
        std::vector<std::string> names;
        const System& system = r.run().system();
        for (std::uint32_t i = 0; i < system.size(); ++i) names.push_back(system.unknown_name(i));
        return names;
      });
}

}  // namespace saltus::python
