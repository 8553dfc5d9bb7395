// Classes of the unknowns of a mode, by structure.
#pragma once

#include <saltus/simulate/analyze.hpp>

namespace saltus {

/// See ModeAnalysis::unknowns. Where the structure is singular, what lies in its underdetermined part is
/// undetermined.
std::vector<ClassifiedUnknown> classes_by_structure(const StructuralAnalysis& structure);

/// Unknowns (of the same list) that occur in constraints, hidden ones included, beyond what holds already
/// (EntryKnowledge::holds): they may have to move, though they are differential.
std::vector<std::uint8_t> constrained_by_structure(const StructuralAnalysis& structure,
                                                   std::span<const std::uint32_t> holds);

}  // namespace saltus
