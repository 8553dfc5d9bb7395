// From a model to systems.
#pragma once

#include <memory>

#include <saltus/model/definition.hpp>
#include <saltus/system/configuration.hpp>

namespace saltus {

/// The configurations of a model, compiled when first entered. Thread-safe.
///
/// Unknowns of a mode are its states and algebraic variables, and for a variable whose derivative of
/// order m >= 2 occurs, its derivatives of orders 1 … m - 1 as unknowns of their own ("der(x)").
/// A model that switches has the abilities of system/switching.hpp; its workspaces begin under the
/// branches that hold at the start values and t = 0, until Locks::decide() is called. Refuses
/// (ModelError) for now what comes later: several modes.
std::shared_ptr<ConfigurationSource> compile_model(std::shared_ptr<const ModelDefinition> model);

}  // namespace saltus
