// Modes and transitions in words.
#pragma once

#include <string>

#include <saltus/simulate/analyze.hpp>

namespace saltus {

/// "4 modes, 8 transitions", what is known of the whole, one thing per line.
std::string model_text(const ModelAnalysis& analysis);
/// Unknowns of a mode by class.
std::string classes_text(const ModeAnalysis& mode);
/// A table of the unknowns that change class or may jump, and what follows. Both modes were looked at.
std::string transition_text(const TransitionAnalysis& transition);

}  // namespace saltus
