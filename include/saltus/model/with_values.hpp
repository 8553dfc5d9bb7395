// Gives a built model other parameter and start values.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

#include <saltus/core/options.hpp>
#include <saltus/model/definition.hpp>

namespace saltus {

/// Returns the model with other values of parameters and other start values of states and discrete
/// variables, by name ("k", "p[2]"), as if it had been written with them. The equations are shared;
/// nothing is built again. Throws ModelError for other names, for whole arrays, and for numbers
/// that are not finite or out of range, including values that follow from them
/// (Model::value_range). Also throws ModelError for parameters whose numbers were used when the
/// model was made (Model::refuse_other_values). In a model read from text, these are parameters
/// that decide start values, sizes or truth values.
std::shared_ptr<const ModelDefinition> with_values(std::shared_ptr<const ModelDefinition> model,
                                                   std::span<const Named<double>> values);
/// Allows with_values(model, {{"k", 2.0}}).
inline std::shared_ptr<const ModelDefinition> with_values(
    std::shared_ptr<const ModelDefinition> model, std::initializer_list<Named<double>> values) {
  return with_values(std::move(model), std::span(values.begin(), values.size()));
}

}  // namespace saltus
