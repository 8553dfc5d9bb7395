// Models from text.
#include <pybind11/stl.h>

#include <saltus/modelica/read.hpp>

#include "bindings.hpp"
#include "runs.hpp"

namespace saltus::python {

namespace {

py::dict declared_in(const ReadModel& read) {
  py::dict experiment;
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) experiment[key] = *value;
  };
  add("start_time", read.experiment.start_time);
  add("stop_time", read.experiment.stop_time);
  add("tolerance", read.experiment.tolerance);
  add("interval", read.experiment.interval);
  return experiment;
}

/// (builder or None, name, description, experiment, parameters, warnings or errors).
py::tuple read(const std::string& text, const std::string& file_name, const Values& parameters) {
  ReadModel model = read_modelica(text, file_name, {.parameters = parameters});
  py::object builder = py::none();
  const bool ok = model.ok();
  if (ok) builder = py::cast(std::make_shared<ModelBuilder>(std::move(model.model)));
  py::list listed;
  for (const ReadParameter& p : model.parameters)
    listed.append(py::make_tuple(p.name, p.value, p.unit, p.description, p.can_be_set));
  std::vector<std::string> texts;
  for (const Diagnostic& one : model.diagnostics)
    if (ok || one.is_error()) texts.push_back(to_text(one));
  return py::make_tuple(builder, model.name, model.description, declared_in(model), listed, texts);
}

/// (name, kind, node, size or None) of everything that was declared, for access by name.
py::list variables(ModelBuilder& m) {
  py::list out;
  const auto definition = m.built();
  for (const Variable& v : definition->variables()) {
    const NodeId node = v.is_array ? m.graph().lanes(InputRange{v.kind, v.first, v.count, 0})
                                   : m.graph().input(v.kind, v.first);
    out.append(py::make_tuple(v.name, std::string(name_of(v.kind)), node,
                              v.is_array ? py::object(py::int_(v.count)) : py::none(), v.hidden,
                              v.attributes.unit, v.attributes.description));
  }
  return out;
}

}  // namespace

void add_modelica(py::module_& m) {
  m.def("read_modelica", read);
  m.def("variables_of", [](ModelBuilder& builder) { return variables(builder); });
}

}  // namespace saltus::python
