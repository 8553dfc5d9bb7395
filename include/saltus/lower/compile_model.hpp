// Compiles models into systems.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include <saltus/core/options.hpp>
#include <saltus/model/definition.hpp>
#include <saltus/system/configuration.hpp>

namespace saltus {

/// Returns the configurations of a model, compiled when first entered. Thread-safe.
///
/// Unknowns of a mode are its states and algebraic variables. If a derivative of order m >= 2 of a
/// variable occurs, its derivatives of orders 1 … m - 1 are unknowns of their own ("der(x)"). A
/// model that switches has the abilities of system/switching.hpp. Its workspaces begin under the
/// branches that hold at the start values and t = 0, until Locks::decide() is called. A mode is
/// compiled from its own part of the model (mode_model.hpp), as if there were no others. Its exits
/// are actions after the when-clauses: first transitions, then requirements.
std::shared_ptr<ConfigurationSource> compile_model(std::shared_ptr<const ModelDefinition> model);

/// A model for many runs. The compiled code is shared by all values of its parameters and start
/// values, and by all threads. Results are the same bits as after compiling again.
///
///   const CompiledModel belt(model.build());
///   for (const double v : speeds) simulate(belt.with_values({{"v", v}}), options);
class CompiledModel {
 public:
  explicit CompiledModel(std::shared_ptr<const ModelDefinition> model);

  /// See with_values() of models. Other parameters and start values keep their current values.
  CompiledModel with_values(std::span<const Named<double>> values) const;
  CompiledModel with_values(std::initializer_list<Named<double>> values) const {
    return with_values(std::span(values.begin(), values.size()));
  }

  const std::shared_ptr<const ModelDefinition>& model() const { return model_; }
  const std::shared_ptr<ConfigurationSource>& source() const { return source_; }

 private:
  std::shared_ptr<const ModelDefinition> model_;
  std::shared_ptr<ConfigurationSource> source_;    // with the values
  std::shared_ptr<ConfigurationSource> compiled_;  // the part shared between values
};

/// Counts of compiled parts so far. Entering a mode again compiles nothing.
struct CompilationCounts {
  std::uint32_t modes = 0;           // systems
  std::uint32_t differentiated = 0;  // structures analysed, with the derivatives they need
  std::uint32_t transitions = 0;     // a transition into one of its candidates
};
/// Returns zeros if the source is not a compiled model.
CompilationCounts compilation_counts(const ConfigurationSource& source);

}  // namespace saltus
