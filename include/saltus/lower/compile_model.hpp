// From a model to systems.
#pragma once

#include <cstdint>
#include <memory>

#include <saltus/model/definition.hpp>
#include <saltus/system/configuration.hpp>

namespace saltus {

/// The configurations of a model, compiled when first entered. Thread-safe.
///
/// Unknowns of a mode are its states and algebraic variables, and for a variable whose derivative of
/// order m >= 2 occurs, its derivatives of orders 1 … m - 1 as unknowns of their own ("der(x)").
/// A model that switches has the abilities of system/switching.hpp; its workspaces begin under the
/// branches that hold at the start values and t = 0, until Locks::decide() is called. A mode is compiled
/// from its own part of the model (mode_model.hpp), as if there were no others; what leads out of it
/// are actions of it, after the when-clauses: first transitions, then requirements.
std::shared_ptr<ConfigurationSource> compile_model(std::shared_ptr<const ModelDefinition> model);

/// How much has been built so far; entering a mode again builds nothing.
struct CompilationCounts {
  std::uint32_t modes = 0;           // systems
  std::uint32_t differentiated = 0;  // structures analysed, with the derivatives they ask for
  std::uint32_t transitions = 0;     // a transition into one of its candidates
};
/// Zeros for a source that is no compiled model.
CompilationCounts compilation_counts(const ConfigurationSource& source);

}  // namespace saltus
