// A user's options as numbers for one system.
#pragma once

#include <string>

#include <saltus/hybrid/options.hpp>
#include <saltus/integrate/engine.hpp>
#include <saltus/system/configuration.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// Tolerances per unknown, signs, steps. Refuses names the system does not have (OptionError).
EngineOptions engine_options_for(const System& system, const std::string& mode,
                                 const RunOptions& options);

/// For the analysis of a mode and its reduction.
IndexOptions index_options_for(const RunOptions& options, const EngineOptions& engine);
ReduceOptions reduce_options_for(const RunOptions& options, const EngineOptions& engine);

/// Options for single modes must name modes of the model (OptionError).
void check_mode_names(const ConfigurationSource& source, const RunOptions& options);
/// Weights by moments are found where sliding is eliminated only (OptionError).
void check_sliding_rule(const RunOptions& options);
/// The same where no engine was asked for, of a system that takes an implicit one in any case (OptionError).
void check_sliding_rule_of_dae(Workspace& workspace, const RunOptions& options);
bool offers_sliding_rule(EngineKind kind, const RunOptions& options);

/// The engine asked for in a mode.
EngineKind engine_kind_for(const std::string& mode, const RunOptions& options);

/// Where an engine may begin after an event: with the step it made before, or, if it starts with order one, with
/// a small part of it (docs/design/0025: half of the error of 0.05, for as many evaluations).
inline StartHint step_carried_over(double step, EngineKind kind) {
  constexpr double of_a_multistep_engine = 0.02;
  StartHint hint;
  hint.step = traits_of(kind).is_multistep ? of_a_multistep_engine * step : step;
  return hint;
}

}  // namespace saltus::detail
