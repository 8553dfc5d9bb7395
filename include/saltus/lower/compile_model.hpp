// From a model to systems.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include <saltus/core/options.hpp>
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

/// A model to be run many times: what it is compiled to is shared by all values of its parameters and start values, and
/// by all threads. The same bits as compiling it anew.
///
///   const CompiledModel belt(model.build());
///   for (const double v : speeds) simulate(belt.with_values({{"v", v}}), options);
class CompiledModel {
 public:
  explicit CompiledModel(std::shared_ptr<const ModelDefinition> model);

  /// See with_values() of models; the others keep the values they have here.
  CompiledModel with_values(std::span<const Named<double>> values) const;
  CompiledModel with_values(std::initializer_list<Named<double>> values) const {
    return with_values(std::span(values.begin(), values.size()));
  }

  const std::shared_ptr<const ModelDefinition>& model() const { return model_; }
  const std::shared_ptr<ConfigurationSource>& source() const { return source_; }

 private:
  std::shared_ptr<const ModelDefinition> model_;
  std::shared_ptr<ConfigurationSource> source_;    // with the values,
  std::shared_ptr<ConfigurationSource> compiled_;  // and what it shares
};

/// How much has been built so far; entering a mode again builds nothing.
struct CompilationCounts {
  std::uint32_t modes = 0;           // systems
  std::uint32_t differentiated = 0;  // structures analysed, with the derivatives they ask for
  std::uint32_t transitions = 0;     // a transition into one of its candidates
};
/// Zeros for a source that is no compiled model.
CompilationCounts compilation_counts(const ConfigurationSource& source);

}  // namespace saltus
