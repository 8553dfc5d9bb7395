// The module saltus._core.
#include <pybind11/pybind11.h>

#include <saltus/core/version.hpp>
#include <saltus/lower/compile_model.hpp>

#include "bindings.hpp"

namespace saltus::python {

std::shared_ptr<const ModelDefinition> ModelBuilder::built() {
  if (!built_) built_ = model_->build();
  return built_;
}

std::shared_ptr<ConfigurationSource> ModelBuilder::compiled() {
  if (!compiled_) compiled_ = compile_model(built());
  return compiled_;
}

}  // namespace saltus::python

PYBIND11_MODULE(_core, m) {
  using namespace saltus::python;
  m.doc() = "The compiled part of the package saltus. Import saltus instead.";
  m.attr("version") = std::string(saltus::library_version());
  add_errors(m);
  BuilderClass builder(m, "ModelBuilder");
  builder.def(py::init<const std::string&>());
  add_expressions(builder);
  add_variables(builder);
  add_equations(builder);
  add_blocks(builder);
  add_options(m);
  add_solutions(m);
  add_events(m);
  add_runs(m);
  add_systems(m);
  add_modelica(m);
  add_analysis(m);
  add_sweeps(m);
}
