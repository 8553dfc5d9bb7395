// A model as text whose runs have values of their own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/model/definition.hpp>
#include <saltus/modelica/measure.hpp>

namespace saltus {

/// Parameters that decide start values, sizes or truth values do so while the text is read: for other values it has to
/// be read again.
struct ModelText {
  std::string text, file_name;
  /// That can be given (ReadParameter::can_be_set); other names are those of variables, for their start values.
  std::vector<std::string> settable;
  std::vector<std::pair<std::string, double>> parameters = {};  // the same in all runs

  /// A parameter, or an element of one that is an array.
  bool sets(const std::string& name) const;
  /// The model has been built from the text; with_values() cannot give it other values of these names.
  bool has_to_be_read_again(const ModelDefinition& model, std::span<const std::string> names) const;

  // Of a run with these values. Throw ModelError.
  std::shared_ptr<const ModelDefinition> model(std::span<const Named<double>> values) const;
  std::vector<Measure> measures(std::span<const MeasureText> texts,
                                std::span<const Named<double>> values) const;
  ReadOptions options(std::span<const Named<double>> values = {}) const;
};

}  // namespace saltus
