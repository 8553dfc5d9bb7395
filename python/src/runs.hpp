#pragma once

#include <utility>
#include <vector>

#include "bindings.hpp"

namespace saltus::python {

/// Other values of parameters, other start values, by name.
using Values = std::vector<std::pair<std::string, double>>;
std::shared_ptr<const ModelDefinition> definition_with(ModelBuilder& model, const Values& values);

}  // namespace saltus::python
