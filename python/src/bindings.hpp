// What the sources of the Python module share.
//
// The module `_core` is thin: nodes and conditions of a model cross as numbers, results as arrays that look
// into the solution. Everything that is nice to use is Python, in python/saltus.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include <saltus/model/model.hpp>
#include <saltus/system/configuration.hpp>

namespace saltus::python {

namespace py = pybind11;

/// A model while it is written, and what was made of it since its last change. Used with the interpreter locked.
class ModelBuilder {
 public:
  explicit ModelBuilder(const std::string& name) : model_(std::make_unique<Model>(name)) {}
  explicit ModelBuilder(std::unique_ptr<Model> model) : model_(std::move(model)) {}

  /// For whoever changes it: what was built is forgotten.
  Model& change() {
    built_.reset();
    compiled_.reset();
    return *model_;
  }
  Graph& graph() { return model_->graph(); }
  Expr value(NodeId id) { return {graph(), id}; }
  Cond condition(Literal literal) { return {graph(), literal}; }

  std::shared_ptr<const ModelDefinition> built();
  /// Shared between runs, also of several threads: modes are compiled once.
  std::shared_ptr<ConfigurationSource> compiled();

 private:
  std::unique_ptr<Model> model_;
  std::shared_ptr<const ModelDefinition> built_;
  std::shared_ptr<ConfigurationSource> compiled_;
};

using BuilderClass = py::class_<ModelBuilder, std::shared_ptr<ModelBuilder>>;

void add_errors(py::module_& m);
void add_expressions(BuilderClass& builder);
void add_variables(BuilderClass& builder);
void add_equations(BuilderClass& builder);
void add_blocks(BuilderClass& builder);
void add_options(py::module_& m);
void add_runs(py::module_& m);
void add_solutions(py::module_& m);
void add_events(py::module_& m);
void add_systems(py::module_& m);
void add_modelica(py::module_& m);
void add_analysis(py::module_& m);
void add_sweeps(py::module_& m);

}  // namespace saltus::python
