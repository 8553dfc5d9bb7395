#pragma once

#include <string>

#include <saltus/model/definition.hpp>

namespace saltus::python {

/// All of a model that decides what a run gives, but for signals and external functions: those only by name.
std::string identity_of(const ModelDefinition& model);

}  // namespace saltus::python
