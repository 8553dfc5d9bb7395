// The same model with other numbers.
#pragma once

#include <memory>
#include <span>

#include <saltus/core/options.hpp>
#include <saltus/model/definition.hpp>

namespace saltus {

/// Other values of parameters, other start values of states and discrete variables, by name ("k", "p[2]"): as if the
/// model had been written with them. Equations are shared, nothing is built again. Refuses (ModelError) names of
/// anything else, of whole arrays, and numbers that are none.
std::shared_ptr<const ModelDefinition> with_values(std::shared_ptr<const ModelDefinition> model,
                                                   std::span<const Named<double>> values);

}  // namespace saltus
