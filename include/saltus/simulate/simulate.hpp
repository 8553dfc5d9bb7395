// Simulates a model in one call, or starts a run to be advanced step by step.
#pragma once

#include <memory>

#include <saltus/hybrid/run.hpp>
#include <saltus/lower/compile_model.hpp>
#include <saltus/model/model.hpp>

namespace saltus {

/// Compiles the model, runs it and returns the solution, complete or up to the time in the report.
/// Throws ModelError or OptionError for mistakes found before the run begins.
Solution simulate(const Model& model, const RunOptions& options = {},
                  Observer& observer = null_observer());
Solution simulate(std::shared_ptr<const ModelDefinition> model, const RunOptions& options = {},
                  Observer& observer = null_observer());
/// Runs a compiled model; compiles nothing, unless derivatives are requested.
Solution simulate(const CompiledModel& model, const RunOptions& options = {},
                  Observer& observer = null_observer());
/// Runs a user's own system.
Solution simulate(std::shared_ptr<const System> system, const RunOptions& options = {},
                  Observer& observer = null_observer());

/// Starts a run that the caller advances in steps.
Run start_run(const Model& model, const RunOptions& options = {},
              Observer& observer = null_observer());
Run start_run(std::shared_ptr<const ModelDefinition> model, const RunOptions& options = {},
              Observer& observer = null_observer());
Run start_run(std::shared_ptr<const System> system, const RunOptions& options = {},
              Observer& observer = null_observer());

}  // namespace saltus
