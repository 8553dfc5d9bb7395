#include <saltus/modelica/model_text.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>

namespace saltus {

bool ModelText::sets(const std::string& name) const {
  return std::ranges::any_of(settable, [&](const std::string& one) {
    return one == name || one == name.substr(0, name.find('['));
  });
}

bool ModelText::has_to_be_read_again(const ModelDefinition& model,
                                     std::span<const std::string> names) const {
  return std::ranges::any_of(names, [&](const std::string& name) {
    const Variable* v = model.find(name.substr(0, name.find('[')));
    return v != nullptr ? !v->no_other_value.empty() : sets(name);
  });
}

ReadOptions ModelText::options(std::span<const Named<double>> values) const {
  ReadOptions options;
  options.parameters = parameters;
  for (const Named<double>& v : values)
    (sets(v.name) ? options.parameters : options.starts).emplace_back(v.name, v.value);
  return options;
}

std::shared_ptr<const ModelDefinition> ModelText::model(
    std::span<const Named<double>> values) const {
  const ReadModel read = read_modelica(text, file_name, options(values));
  if (!read.ok()) throw ModelError(to_text(read.diagnostics));
  return read.model->build();
}

std::vector<Measure> ModelText::measures(std::span<const MeasureText> texts,
                                         std::span<const Named<double>> values) const {
  ReadMeasures read = read_measures(texts, text, file_name, options(values));
  if (!read.ok()) throw ModelError(to_text(read.diagnostics));
  return std::move(read.measures);
}

}  // namespace saltus
