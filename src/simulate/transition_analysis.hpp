// Compares the modes on both sides of transitions.
#pragma once

#include <optional>

#include <saltus/model/definition.hpp>
#include <saltus/simulate/analyze.hpp>

namespace saltus {

/// A mode that was looked at.
struct AnalysedMode {
  ModeId mode = none;
  ModeAnalysis analysis;
  std::optional<ModeContent> content;  // of analysis.unknowns, in their order
  /// Unknowns in each equation der(x)' = der(der(x)) of the first-order form; they follow the equations of
  /// the structure.
  std::vector<std::vector<std::string>> definitions;
};

/// `before` and `after` may be null: not looked at.
TransitionAnalysis analyze_transition(const ModelDefinition& model, const Transition& transition,
                                      std::size_t candidate, const AnalysedMode* before,
                                      const AnalysedMode* after);

}  // namespace saltus
