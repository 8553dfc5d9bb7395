// Which modes there are, which can be reached, which are looked at.
#pragma once

#include <vector>

#include <saltus/simulate/analyze.hpp>

namespace saltus {

/// Modes to look at, ascending (`none` alone if the model has none). Fills mode_names, first_mode,
/// unreachable and not_analysed. OptionError: a mode that does not exist.
std::vector<ModeId> choose_modes(const ModelDefinition& model, const AnalyzeOptions& options,
                                 ModelAnalysis& analysis);

}  // namespace saltus
