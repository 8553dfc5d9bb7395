// The same model with other numbers.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

#include <saltus/core/options.hpp>
#include <saltus/model/definition.hpp>

namespace saltus {

/// Other values of parameters, other start values of states and discrete variables, by name ("k", "p[2]"): as if the
/// model had been written with them. Equations are shared, nothing is built again. Refuses (ModelError) names of
/// anything else, of whole arrays, numbers that are none or out of range, also of what follows from them
/// (Model::value_range), and parameters whose numbers were used when the model was made
/// (Model::refuse_other_values; of a text that was read: where they decide start values, sizes, truth values).
std::shared_ptr<const ModelDefinition> with_values(std::shared_ptr<const ModelDefinition> model,
                                                   std::span<const Named<double>> values);
/// with_values(model, {{"k", 2.0}})
inline std::shared_ptr<const ModelDefinition> with_values(
    std::shared_ptr<const ModelDefinition> model, std::initializer_list<Named<double>> values) {
  return with_values(std::move(model), std::span(values.begin(), values.size()));
}

}  // namespace saltus
