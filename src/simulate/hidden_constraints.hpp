// Total derivatives of equations, written out.
#pragma once

#include <saltus/simulate/analyze.hpp>

namespace saltus {

/// Fills hidden_constraints and n_hidden_not_listed from the structure.
void write_hidden_constraints(const ModelDefinition& model, ModeId mode,
                              const AnalyzeOptions& options, ModeAnalysis& result);

}  // namespace saltus
