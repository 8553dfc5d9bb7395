// Holds a model as text and makes the model of each run with values of its own.
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

/// A model as text. Parameters that decide start values, sizes or truth values do so while the text
/// is read, so other values of them require reading it again.
struct ModelText {
  std::string text, file_name;
  /// Parameters that can be given (ReadParameter::can_be_set). Other names are those of variables,
  /// for their start values.
  std::vector<std::string> settable;
  std::vector<std::pair<std::string, double>> parameters = {};  // the same in all runs

  /// Returns whether the name is a parameter that can be given, or an element of one that is an
  /// array.
  bool sets(const std::string& name) const;
  /// Returns whether the text must be read again to give these names other values: with_values()
  /// cannot do so for `model`, which was built from this text.
  bool has_to_be_read_again(const ModelDefinition& model, std::span<const std::string> names) const;

  // These three belong to a run with these values. They throw ModelError.
  std::shared_ptr<const ModelDefinition> model(std::span<const Named<double>> values) const;
  std::vector<Measure> measures(std::span<const MeasureText> texts,
                                std::span<const Named<double>> values) const;
  ReadOptions options(std::span<const Named<double>> values = {}) const;
};

}  // namespace saltus
