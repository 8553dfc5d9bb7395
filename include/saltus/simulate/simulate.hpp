// One call from a model to its solution.
#pragma once

#include <memory>

#include <saltus/hybrid/run.hpp>
#include <saltus/lower/compile_model.hpp>
#include <saltus/model/model.hpp>

namespace saltus {

/// Compiles the model, runs it and returns what came out, complete or up to where the report says.
/// Throws ModelError or OptionError for what is wrong before the run begins.
Solution simulate(const Model& model, const RunOptions& options = {},
                  Observer& observer = null_observer());
Solution simulate(std::shared_ptr<const ModelDefinition> model, const RunOptions& options = {},
                  Observer& observer = null_observer());
/// Nothing is compiled, unless derivatives are asked for.
Solution simulate(const CompiledModel& model, const RunOptions& options = {},
                  Observer& observer = null_observer());
/// A system of one's own.
Solution simulate(std::shared_ptr<const System> system, const RunOptions& options = {},
                  Observer& observer = null_observer());

/// The same in steps.
Run start_run(const Model& model, const RunOptions& options = {},
              Observer& observer = null_observer());
Run start_run(std::shared_ptr<const ModelDefinition> model, const RunOptions& options = {},
              Observer& observer = null_observer());
Run start_run(std::shared_ptr<const System> system, const RunOptions& options = {},
              Observer& observer = null_observer());

}  // namespace saltus
